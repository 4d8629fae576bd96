#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What an agent may take: until it begins, until its model answers, in silence, in all. Each limit
# has words of its own, that name it, its value and its setting; an agent that is ended by one
# leaves no process behind.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"

template=$TMPDIR/template
new_repo "$template"

# limits JSON: what hone.json says of them; with what changed in it, this is a new story.
limits()
{
    copy_of "$template" work
    forget
    printf '{"limits":%s}\n' "$1" >hone.json
    git add hone.json && git commit -q -m limits
}

# cut NAME SPEC WORDS KIND: a critic of that SPEC is ended so, twice, and the run can go on.
cut()
{
    hone run review --json --agent "*=$agent" --agent "critic=$2"
    check_is "$1: exit" "$status" 3
    check_has "$1: words" "$out" "$3"
    check_has "$1: its kind" "$out" "\"failure\":\"$4\""
    check_is "$1: once more, and no more" "$(grep -c '"event":"start".*"role":"critic"' "$out")" 2
    hone log --json
    check_has "$1: it is in the journal" "$out" "$4"
}

claude_begins='echo "{\"type\":\"system\",\"subtype\":\"init\",\"model\":\"m\"}"'
codex_begins='echo "{\"type\":\"thread.started\"}"; echo "{\"type\":\"turn.started\"}"'
gemini_begins='echo "{\"type\":\"init\",\"model\":\"m\"}"
echo "{\"type\":\"message\",\"role\":\"user\",\"content\":\"look\"}"'
acp_begins='read -r line; echo "{\"id\":1,\"result\":{\"protocolVersion\":1}}"
read -r line; echo "{\"id\":2,\"result\":{\"sessionId\":\"s\"}}"'

start()
{
    local name
    limits '{"start":"2s","first":"50s"}'
    for name in claude codex gemini; do
        program "$name" 'echo "a warning" >&2; sleep 600'
        cut "$name hangs at its start" "$name" \
            "did not begin within 2s (limits.start in hone.json): a warning" silent
    done
}

start_acp()
{
    limits '{"start":"2s","first":"50s"}'
    program speaker 'sleep 600'
    cut "an agent of ACP hangs at its start" "acp:$TMPDIR/bin/speaker" \
        "did not begin within 2s (limits.start in hone.json)" silent
    program claude 'echo "no event at all"; sleep 600'
    cut "words that are no event are no beginning" claude "did not begin within 2s" silent
    program claude "sleep 61$$.1 & setsid sleep 61$$.2 & touch '$play/family'; wait"
    cut "a family" claude "did not begin within 2s" silent
    check "a family: they lived" test -e "$play/family"
    check_not "a family: nobody is left" grep -qsz "^61$$\.[12]\$" /proc/[0-9]*/cmdline
}

first()
{
    limits '{"start":"50s","first":"2s"}'
    program claude "$claude_begins; sleep 600"
    cut "the model of claude does not answer" claude \
        "its model did not answer within 2s (limits.first in hone.json)" first
    program codex "$codex_begins; sleep 600"
    cut "the model of codex does not answer" codex "did not answer within 2s" first
    program codex "$codex_begins
echo '{\"type\":\"error\",\"message\":\"Reconnecting... 1/5 (Connection failed: x)\"}'; sleep 600"
    cut "codex tries to reach its service" codex \
        "cannot reach its service (is there a network?): codex began" network
}

first_too()
{
    limits '{"start":"50s","first":"2s"}'
    program gemini "$gemini_begins; sleep 600"
    cut "the model of gemini does not answer" gemini "did not answer within 2s" first
    program speaker "$acp_begins; sleep 600"
    cut "the model behind ACP does not answer" "acp:$TMPDIR/bin/speaker" \
        "did not answer within 2s" first
}

# An agent that has begun and answered may take its time, and a program without a stream may be
# silent.
patience()
{
    limits '{"start":"3s","first":"3s"}'
    stand_in_claude "$TMPDIR/claude" "$play/agent"
    mkdir -p "$TMPDIR/bin"
    sed 's/^error=false/sleep 5; error=false/' "$TMPDIR/claude" >"$TMPDIR/bin/claude"
    chmod +x "$TMPDIR/bin/claude"
    PATH=$TMPDIR/bin:$plain_path
    does pedant 'sleep 5; cat "$play/clean"'
    hone run review --agent "*=$agent" --agent critic=claude
    check_is "one that has answered is not looked at again" "$status" 0
    check_is "it ran once" "$(started critic)" 1
    check_is "a program without a stream may be silent" "$(started pedant)" 1
    limits '{"start":"0","first":"0","idle":"1s"}'
    program claude "$claude_begins; sleep 600"
    cut "without these limits, silence is one" claude \
        "said nothing for 1s (--idle-timeout, or limits.idle in hone.json)" idle
}

total()
{
    limits '{"time":"2s"}'
    does critic 'while sleep 0.2; do echo word; done'
    cut "the whole time" "$agent" \
        "ran into its time limit of 2s (--timeout, or limits.time in hone.json)" time
    limits '{"time":"1h"}'
    does critic 'sleep 600'
    hone run review --idle-timeout 1s --agent "*=$agent"
    check_has "an option counts before the file" "$err" "said nothing for 1s (--idle-timeout"
}

# A client that its service holds up is late for that reason.
held_up()
{
    limits '{"first":"2s","wait":"1s"}'
    program claude "$claude_begins
echo '{\"type\":\"system\",\"subtype\":\"api_retry\",\"error_status\":529}'; sleep 600"
    hone run review --json --agent "*=$agent" --agent critic=claude
    check_is "a service that is overloaded: exit" "$status" 3
    check_has "it is the reason" "$out" "'s service is overloaded; hone waits at most 1s"
    check_has "and the limit is named" "$out" "did not answer within 2s"
    check_has "its kind" "$out" '"failure":"overload"'
}

together start start_acp first first_too patience total held_up
exit "$failed"
