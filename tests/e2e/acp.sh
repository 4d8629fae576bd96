#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Agents that speak the Agent Client Protocol: a decent one, and some that are not.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"

template=$TMPDIR/template
new_repo "$template"

# An agent whose way of answering the prompt is the text of $1; $play/got.ROLE has what it was sent.
speaker()
{
    cat >"$play/speaker" <<END
#!/bin/sh
play=$play
got() { read -r line; printf '%s\n' "\$line" >>"\$play/got.\$HONE_ROLE"; }
update() { printf '{"method":"session/update","params":{"sessionId":"s","update":{%s}}}\n' "\$1"; }
says() { update "\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"text\":\"\$1\"}"; }
tool()
{
    update "\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t\",\"kind\":\"\$1\",
\"locations\":[{\"path\":\"notes.txt\"}],\"status\":\"completed\"" | tr -d '\n'
    echo
}
ask()
{
    printf '{"id":"q","method":"session/request_permission","params":{'
    printf '"toolCall":{"kind":"%s"},"options":[{"optionId":"yes","kind":"allow_once"},' "\$1"
    printf '{"optionId":"no","kind":"reject_once"}]}}\n'
    got
}
answer() { says "\$("\$play/agent" </dev/null | $json_words)"; }
end() { printf '{"id":4,"result":{"stopReason":"%s"}}\n' "\${1:-end_turn}"; }
file() { printf '{"id":"f","method":"fs/%s_text_file","params":{"path":"%s"%s}}\n' "\$@"; got; }
got; echo '{"id":1,"result":{"protocolVersion":1}}'
got; echo '{"id":2,"result":{"sessionId":"s"}}'
got
$1
END
    chmod +x "$play/speaker"
}

decent()
{
    copy_of "$template" decent
    forget
    speaker 'says "I look."; ask read; ask edit; tool read; answer; end'
    does critic "$sees"
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed"'
    hone run review --agent "*=acp:$play/speaker"
    check_is "it reviews and fixes" "$status" 0
    check_has "the prompt reaches it" "$play/got.critic" '"method":"session/prompt"'
    check_has "with the workspace" "$play/got.critic" "\"cwd\":\"$(pwd -P)\""
    check_is "a reviewer may read and not edit" \
        "$(grep -o '"optionId":"[a-z]*"' "$play/got.critic" | head -2 | tr '\n' ' ')" \
        '"optionId":"yes" "optionId":"no" '
    check_is "a fixer may both" \
        "$(grep -o '"optionId":"[a-z]*"' "$play/got.review-fixer" | head -2 | tr '\n' ' ')" \
        '"optionId":"yes" "optionId":"yes" '
    check_has "its words are the summary" .agents/tmp/phases/review-1/r2-fix-summary.md "# Fixed"
}

# What a bad one does must end in 3 and with these words.
bad()
{
    local name=$1 words=$2
    speaker "$3"
    shift 3
    copy_of "$template" bad
    forget
    hone run review --agent "*=acp:$play/speaker" "$@"
    check_is "$name: exit" "$status" 3
    check_has "$name: words" "$err" "$words"
}

hostile()
{
    bad "one that dies" "ended before it answered" 'exit 0'
    bad "one that speaks nonsense" "ended before it answered" 'head -c 100000 /dev/urandom'
    bad "one that refuses" "refusal" 'says x; end refusal'
    bad "one that wants a login" "log in" \
        'echo "{\"id\":4,\"error\":{\"code\":-32000,\"message\":\"log in\"}}"'
    bad "one that looks at nothing" "no tool" 'answer; end'
    bad "one that hangs" "--idle-timeout" 'sleep 600' --idle-timeout 1s
    bad "one that floods" "--timeout" \
        '[ $HONE_ROLE != critic ] || yes "{\"method\":\"session/update\"}"
        tool read; answer; end' --timeout 1s
}

files()
{
    copy_of "$template" files
    forget
    echo secret >"$TMPDIR/secret"
    ln -s "$TMPDIR/secret" link
    speaker 'for path in notes.txt ../outside /etc/passwd link .git/config; do
    case $path in /*) at=$path ;; *) at=$HONE_WORKSPACE/$path ;; esac
    file read "$at"
    file write "$at" ",\"content\":\"x\""
done
tool read; answer; end'
    cp .git/config "$TMPDIR/config"
    hone run review --max-iterations 1 --agent "*=acp:$play/speaker"
    check_is "files are asked for" "$status" 0
    check_is "a reviewer reads what is inside" "$(grep -c '"content":' "$play/got.critic")" 2
    check_is "and writes nothing" "$(grep -c 'changes nothing' "$play/got.critic")" 5
    check "what lies outside is as it was" test ! -e ../outside
    HONE_WORKSPACE=$(pwd -P) HONE_ROLE=fixer "$HONE" agent acp-writes -- "$play/speaker" \
        </dev/null >"$out" 2>"$err"
    check_is "a fixer writes inside" "$(cat notes.txt)" x
    check "not outside" test ! -e ../outside
    check_is "not through a link" "$(cat "$TMPDIR/secret")" secret
    check_not "nor does it read through one" grep -q secret "$play/got.fixer"
    check "not to git" cmp -s .git/config "$TMPDIR/config"
}

together decent hostile files
exit "$failed"
