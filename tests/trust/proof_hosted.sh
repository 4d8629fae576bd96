#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs inside a host, where each hook is a process of its own: what a fixer says is held against the
# tree, failures that are alike are known from hook to hook, and a transcript of the host proves the
# reading.
#
# row: proof.hosted | inside a host: a fixer that changes nothing, five agents that fail alike one after the other, a reviewer whose transcript shows no reading | the same as elsewhere: fixers are compared with the tree, bars follow from the journal, transcripts that the host names are read; where it names none, the end says "no proof of reading" | an agent with a shell can call `hone hook` itself
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

a_fixer_that_changes_nothing()
{
    . "$TOP/tests/support/host.sh"
    new_repo "$TMPDIR/work"
    # shellcheck disable=SC2016 # for the agent's shell
    does critic 'cat "$play/found"'
    does review-fixer 'echo "# Fixed all of it: notes.txt:2"'
    host_prompt "/hone:review remove what is wrong --max-iterations 2"
    check_has "proof.hosted: nothing changed: the end says so" "$hook_out" \
        "The fixer changed nothing in iteration 1."
    check_has "proof.hosted: and that nothing shows the reading" "$hook_out" \
        "no proof of reading: nothing shows that 10 reviews looked at the change"
    check_has "proof.hosted: nothing changed: the next reviewer is told" \
        "$play/prompt.critic.2.1" "a defect is left: nothing changed near it"
    "$HONE" findings --json >"$out"
    check_has "proof.hosted: nothing changed: hone findings" "$out" '"unresolved": "untouched"'
    "$HONE" show --json >"$out"
    check_has "proof.hosted: nothing changed: the journal" "$out" '"unchanged": true'
}

# fails ROLE: the host loses the agent.
fails()
{
    hook StopFailure "\"agent_id\":\"a-hone:$1\",\"agent_type\":\"hone:$1\",$(
    )\"last_assistant_message\":\"API Error: 401 no login\",\"error\":\"authentication_failed\""
}

agents_that_fail_alike()
{
    local role
    template=$TMPDIR/template
    new_repo "$template"
    . "$TOP/tests/support/hook.sh"
    begin
    for role in $reviewers; do agent_starts "hone:$role"; done
    for role in $reviewers; do fails "$role"; done
    stops
    check_not "proof.hosted: alike: none of the five is asked for again" is_blocked
    check_has "proof.hosted: alike: the run cannot go on" "$out" "cannot go on"
    prompt "/hone:review"
    check_told "proof.hosted: alike: when the user says so, all are tried again" hone:critic

    # One that fails while the others are at work: they go on.
    begin
    for role in $reviewers; do agent_starts "hone:$role"; done
    fails critic
    fails pedant
    writes witness "$clean"
    agent_stops hone:witness
    check_silent "proof.hosted: alike: those at work are taken"
    check_is "proof.hosted: alike: and count" \
        "$("$HONE" show --json | grep -c '"verdict": "clean"')" 1
}

# transcript TOOL INPUT: what the host keeps of an agent that called that tool.
transcript()
{
    local side='"isSidechain":true' call="\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"$1\""
    cat >"$TMPDIR/agent.jsonl" <<LINE
{"parentUuid":null,$side,"type":"user","message":{"role":"user","content":"review"}}
{$side,"type":"assistant","message":{"role":"assistant","content":[{$call,"input":$2}]}}
{$side,"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]}}
LINE
}

# all_review TOOL INPUT: five reviewers that called that tool, and say clean.
all_review()
{
    local role
    begin "--max-iterations 1"
    transcript "$1" "$2"
    for role in $reviewers; do agent_starts "hone:$role"; done
    all_write "$clean"
    for role in $reviewers; do
        agent_stops "hone:$role" "\"agent_transcript_path\":\"$TMPDIR/agent.jsonl\""
        [ "$status" = 0 ] || return
    done
    stops
}

transcripts()
{
    template=$TMPDIR/template
    new_repo "$template"
    . "$TOP/tests/support/hook.sh"
    all_review Bash '{"command":"true"}'
    check_back "proof.hosted: transcript: one that read nothing is sent back" "notes.txt"
    all_review Read '{"file_path":"main.c"}'
    check_back "proof.hosted: transcript: as is one that read another file" "notes.txt"
    all_review Read '{"file_path":"notes.txt"}'
    check_at "proof.hosted: transcript: one that read the change has reviewed" DONE complete 1
    check_has "proof.hosted: transcript: the run is clean" "$out" "clean after 1 review"
    check_not "proof.hosted: transcript: with proof" grep -q "proof of reading" "$out"
    "$HONE" show "" 1 >"$out" 2>"$err"
    check_is "proof.hosted: transcript: hone show names what it looked at" \
        "$(sed -n '/^==> evidence/,/^$/p' "$out" | sed '1d;/^$/d' | tr '\n' ' ')" "notes.txt "

    # The host is still writing when it calls: the rest comes while the hook looks.
    begin "--max-iterations 1"
    transcript Bash '{"command":"true"}'
    agent_starts hone:critic
    writes critic "$clean"
    (sleep 0.1 && transcript Read '{"file_path":"notes.txt"}') &
    agent_stops hone:critic "\"agent_transcript_path\":\"$TMPDIR/agent.jsonl\""
    wait
    check_silent "proof.hosted: transcript: one that comes a little late is waited for"

    # A transcript that is not there, or is none, proves nothing, and is said so.
    rm "$TMPDIR/agent.jsonl"
    begin "--max-iterations 1"
    all_write "$clean"
    for role in $reviewers; do
        agent_starts "hone:$role"
        agent_stops "hone:$role" '"agent_transcript_path":"/nowhere/agent.jsonl"'
    done
    stops
    check_has "proof.hosted: transcript: one that is not there proves nothing" "$out" \
        "no proof of reading: nothing shows that 5 reviews looked at the change"
}

together a_fixer_that_changes_nothing agents_that_fail_alike transcripts
exit "$failed"
