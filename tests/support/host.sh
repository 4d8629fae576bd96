# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of play.sh
#
# host.sh - a host without a model: it says to `hone hook` what Claude Code says (what Codex says,
# with host_kind=codex), and does what the answers tell it to, as a session would that follows them
# to the letter. Sourced after play.sh.

host_session=0b0ef2a5-7a34-4b1e-9f13-5d2f66c1a001
host_kind=claude

# json_text: standard input as the inside of a JSON string.
json_text()
{
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\t/\\t/g' |
        awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'
}

# event NAME [MEMBERS]: one hook; MEMBERS are more JSON members. Its exit status in $status.
event()
{
    hook_out=$TMPDIR/hook.out # of this group, where several run together
    hook_err=$TMPDIR/hook.err
    printf '{"session_id":"%s","cwd":"%s","hook_event_name":"%s"%s%s}' \
        "$host_session" "${host_cwd:-$PWD}" "$1" "${2:+,$2}" \
        "$([ "$host_kind" = claude ] || printf ',"turn_id":"01b0","model":"gpt"')" |
        "$HONE" hook >"$hook_out" 2>"$hook_err"
    status=$? # of hone: the pipe's last
}

# said MEMBER: a text of the answer, with its lines.
said()
{
    sed -n "s/.*\"$1\":\"\\(.*\\)\".*/\\1/p" "$hook_out" | sed -e 's/\\n/\n/g' -e 's/\\"/"/g'
}

# host_agent TYPE PROMPT FILE: one agent of the host, from its start to its end. The answer goes to
# FILE, or is its last message where FILE is empty; one that is sent back tries once more.
host_agent()
{
    local type=$1 role=${1#hone[:-]} prompt=$2 file=$3 answer=$TMPDIR/host.answer tries=0
    if [ "$host_kind" = codex ]; then
        event PreToolUse "\"tool_name\":\"spawn_agent\",\"tool_input\":{\"agent_type\":\"$type\"}"
    else
        event PreToolUse "\"tool_name\":\"Agent\",\"tool_input\":{\"subagent_type\":\"$type\"}"
    fi
    if grep -q deny "$hook_out"; then
        echo "denied $role" >>"$play/host"
        return
    fi
    event SubagentStart "\"agent_id\":\"a-$role\",\"agent_type\":\"$type\""
    [ -e "$play/dies.$role" ] && return
    while :; do
        tries=$((tries + 1))
        HONE_ROLE=$role HONE_PHASE=$host_phase HONE_ROUND=$host_round HONE_ATTEMPT=$tries \
            HONE_ITERATION=1 HONE_COPY=1 HONE_WORKSPACE=$PWD "$play/agent" <"$prompt" >"$answer"
        if [ -n "$file" ] && [ -s "$answer" ]; then cp "$answer" "$file"; fi
        event SubagentStop "\"agent_id\":\"a-$role\",\"agent_type\":\"$type\",$(
        )\"last_assistant_message\":\"$([ -n "$file" ] || json_text <"$answer")\""
        [ "$status" = 2 ] && [ "$tries" -lt 6 ] || break
        echo "back $role" >>"$play/host"
    done
}

# host_follow: does what the last answer says, and ends the turn, until it may end.
host_follow()
{
    local turns=0 member=$1 type prompt file line
    while [ $((turns += 1)) -le 60 ]; do
        said "$member" >"$TMPDIR/instructions"
        host_phase=$(sed -n 's/^\[PHASE \([^]]*\)\].*/\1/p' "$TMPDIR/instructions")
        host_round=$(sed -n 's/^\[PHASE .* \(iteration\|round\) \([0-9]*\):.*/\2/p' \
            "$TMPDIR/instructions")
        echo "turn $host_phase" >>"$play/host"
        type=
        while IFS= read -r line; do
            case $line in
            '- subagent_type: '* | '- agent_type: '*) type=${line#*: } ;;
            '  model: '*) echo "${type#hone[:-]} host ${line#  model: }" >>"$play/models" ;;
            '  prompt: Read the file '* | '  message: Read the file '*)
                prompt=${line#*: Read the file }
                prompt=${prompt%%/prompt and do*}/prompt
                file=${line##*Your answer goes to the file }
                [ "$file" = "$line" ] && file=
                host_agent "$type" "$prompt" "${file%.}"
                ;;
            esac
        done <"$TMPDIR/instructions"
        event Stop '"stop_hook_active":true,"background_tasks":[]'
        grep -q '"decision":"block"' "$hook_out" || return
        member=reason
    done
    echo "never ends" >>"$play/host"
}

# host_prompt TEXT: a person says something, and the session does what follows from it.
host_prompt()
{
    : >"$play/host"
    event UserPromptSubmit "\"prompt\":\"$(printf '%s' "$1" | json_text)\""
    cp "$hook_out" "$TMPDIR/first.out"
    grep -q 'additionalContext' "$hook_out" || return
    host_follow additionalContext
}
