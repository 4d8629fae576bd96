# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# models.sh - stand-ins for the programs of models: what they would say comes from a command, in
# the stream that the real program writes. Sourced after story.sh.
#
# A stand-in looks at the whole change before it answers, as a reviewer must, unless LOOKS is
# "false": proof of reading for all stories is here. Where
# its command ends with 1 the stand-in tells of an error of the service; with N above 1, of one with
# the HTTP status 400 + N - 1.

plain_path=$PATH # as it is without any of them

# program NAME COMMANDS: a client of that name that does this.
program()
{
    mkdir -p "$TMPDIR/bin"
    printf '#!/bin/sh\n%s\n' "$2" >"$TMPDIR/bin/$1"
    chmod +x "$TMPDIR/bin/$1"
    PATH=$TMPDIR/bin:$plain_path
}

# Standard input as the inside of a JSON string.
# shellcheck disable=SC2016 # for the stand-ins
json_words='awk '\''{ gsub(/\\/, "&&"); gsub(/"/, "\\\""); gsub(/\t/, "\\t")
printf "%s%s", s, $0; s = "\\n" }'\'

# The command by which a stand-in looks at the change: what differs, what is committed, what git
# does not know.
# shellcheck disable=SC2016 # for the stand-ins
sees_change='look="git diff ${HONE_SINCE:-HEAD}; git diff HEAD; git show HEAD; cat $(
    { git ls-files -o --exclude-standard 2>/dev/null || find . -type f; } | tr "\n" " ")"'

# stand_in_claude PATH COMMAND
stand_in_claude()
{
    cat >"$1" <<END
#!/bin/sh
text=\$($2)
code=\$?
words=\$(printf '%s\n' "\$text" | $json_words)
echo '{"type":"system","subtype":"init","model":"stand-in","tools":[]}'
if \${LOOKS:-true}; then
    $sees_change
    printf '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t0",'
    printf '"name":"Bash","input":{"command":"%s"}}]}}\n' "\$look"
    echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t0"}]}}'
    printf '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1",'
    printf '"name":"Read","input":{"file_path":"notes.txt"}}]}}\n'
    echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]}}'
fi
error=false reason=completed
[ \$code = 0 ] || error=true reason=api_error
printf '{"type":"result","subtype":"success","is_error":%s,"terminal_reason":"%s",' \$error \$reason
printf '"total_cost_usd":0.25,"num_turns":2,"duration_ms":10,'
printf '"modelUsage":{"stand-in":{"inputTokens":100,"outputTokens":20}},'
[ \$code -lt 2 ] || printf '"api_error_status":%s,' "\$((code + 399))"
printf '"result":"%s"}\n' "\$words"
[ \$code = 0 ]
END
    chmod +x "$1"
}

# stand_in_codex PATH COMMAND
stand_in_codex()
{
    cat >"$1" <<END
#!/bin/sh
text=\$($2)
code=\$?
words=\$(printf '%s\n' "\$text" | $json_words)
echo '{"type":"thread.started","thread_id":"t"}'
echo '{"type":"turn.started"}'
if \${LOOKS:-true}; then
    $sees_change
    printf '{"type":"item.completed","item":{"id":"i","type":"command_execution",'
    printf '"command":"%s","exit_code":0,"status":"completed"}}\n' "\$look"
fi
if [ \$code -gt 1 ]; then
    printf '{"type":"turn.failed","error":{"message":"unexpected status %s Trouble: %s"}}\n' \
        "\$((code + 399))" "\$words"
    exit 1
elif [ \$code = 1 ]; then
    printf '{"type":"turn.failed","error":{"message":"%s"}}\n' "\$words"
    exit 1
fi
printf '{"type":"item.completed","item":{"id":"j","type":"agent_message","text":"%s"}}\n' "\$words"
echo '{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":2}}'
END
    chmod +x "$1"
}
