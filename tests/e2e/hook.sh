#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A hosted review from its first prompt to its end: what is written, what is judged, what follows.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/hook.sh"

template=$TMPDIR/template
new_repo "$template"

# ---- a prompt begins a run ----

beginning()
{
    local role
    copy_of "$template" work
    prompt "please review the notes"
    check_silent "any other prompt is left alone"
    check_not "and begins nothing" test -e "$state"
    prompt "/hone:review the \"notes\""
    check_is "the command begins a run" "$status" 0
    check_has "words for the model" "$out" '"hookEventName":"UserPromptSubmit","additionalContext"'
    check_has "in their phase" "$out" '[PHASE R1]'
    for role in $reviewers; do
        check_has "who is asked for: $role" "$out" "hone:$role"
        check_told "where $role writes" "$PWD/.agents/tmp/phases/review-1/r1-$role.json"
    done
    check_at "the state" R1 in_progress 1
    check_is "of the review" "$(in_state pipeline)" review
    check_is "of five rounds at most" "$(in_state maxIterations)" 5
    check_is "bound to the session" "$(in_state sessionId)" "$session"
    check_has "with the task" "$state" '"task": "the \"notes\""'
    check "git sees nothing of it that was not there before" \
        test "$(git status --porcelain -- . ':!.agents')" = " M notes.txt"
}

options()
{
    copy_of "$template" work
    prompt "/minions:review --max-iterations 2 the notes"
    check_is "the old name begins a run, too" "$(in_state maxIterations)" 2
    check_has "an option is not the task" "$state" '"task": "the notes"'
    copy_of "$template" work
    prompt "/hone:review --max-iterations none the notes"
    check_not "an option that makes no sense begins nothing" test -e "$state"
    check "and it is said" grep -q max-iterations "$out" "$err"
    copy_of "$template" work
    hook UserPromptSubmit '"prompt":"/hone:review  look:\n\n  - a\n  - b --max-iterations 2\n  - c"'
    check_has "a task keeps its lines" "$state" '"task": "look:\n\n  - a\n  - b\n  - c"'
    check_is "and an option in the midst of it counts" "$(in_state maxIterations)" 2
    copy_of "$template" work
    hook UserPromptSubmit "\"prompt\":\"/hone:review $(head -c 70000 /dev/zero | tr '\0' x)\""
    check_not "a task that is too long is not cut" test -e "$state"
    check_has "and it is said" "$out" "longer than 64 KiB"
}

# ---- what reviewers leave ----

# The five all leave TEXT: what then? outcome NAME TEXT STATUS PHASE VERDICT
outcome()
{
    begin
    all_write "$2"
    all_stop
    check_is "$1: exit" "$status" "$3"
    check_is "$1: phase" "$(in_state currentPhase)" "$4"
    check_is "$1: verdict" "$(verdict_of 1)" "$5"
}

# summary VERDICT CRITICAL [ISSUES]
summary()
{
    printf '{"issues":[%s],"summary":{"critical":%s,"warning":0,"info":0%s}}' "${3:-}" "$2" \
        "${1:+,\"verdict\":$1}"
}

outcomes()
{
    local issue='{"severity":"info","category":"c","file":"notes.txt","line":1,'
    issue+='"description":"d","evidence":"e","suggestion":"s"}'
    outcome "clean" "$clean" 0 DONE clean
    outcome "findings" "$found" 0 R2 issues_found
    outcome "clean beside a finding" "$(summary '"clean"' 0 "$issue")" 0 R2 issues_found
    outcome "clean beside a count" "$(summary '"clean"' 1)" 0 R2 issues_found
    outcome "no verdict" "$(summary '' 0)" 0 R2 issues_found
    outcome "a verdict that is null" "$(summary null 0)" 0 R2 issues_found
    outcome "another verdict" "$(summary '"approved"' 0)" 0 R2 issues_found
    outcome "a verdict that is a list" "$(summary '["clean"]' 0)" 0 R2 issues_found
    outcome "a count in quotes" "$(summary '"clean"' '"1"')" 0 R2 issues_found
    outcome "a negative count" "$(summary '"clean"' -1)" 0 R2 issues_found
    outcome "half a count" "$(summary '"clean"' 0.5)" 0 R2 issues_found
}

broken()
{
    outcome "no JSON" '{"issues":[' 2 R1 none
    outcome "an empty file" '' 2 R1 none
    outcome "a list" '[]' 2 R1 none
    outcome "a word" '"clean"' 2 R1 none
    begin
    agent_stops hone:critic
    check_back "no file: which" r1-critic.json
    check_at "nothing moved" R1 in_progress 1
    writes critic '{"issues":['
    agent_stops hone:critic
    check_back "no JSON: which" r1-critic.json
    writes critic "$clean"
    agent_stops hone:critic
    check_silent "mended it is taken"
    check_at "and the others are waited for" R1 in_progress 1
    check_is "without a verdict" "$(verdict_of 1)" none
    mkdir .agents/tmp/phases/review-1/r1-pedant.json
    agent_stops hone:pedant
    check_back "a folder in its place" r1-pedant.json
    ln -s critic.json .agents/tmp/phases/review-1/r1-witness.json
    agent_stops hone:witness
    check_back "a link to nowhere" r1-witness.json
}

# One bad one among four good ones is the one that is told.
one_of_five()
{
    begin
    all_write "$clean"
    writes witness 'nothing to see'
    agent_stops hone:critic
    check_silent "a good one is not blamed for another"
    agent_stops hone:witness
    check_back "the bad one is" r1-witness.json
    writes witness "$clean"
    all_stop
    check_at "then all are good" DONE complete 1
    begin
    all_write "$clean"
    writes pedant "$found"
    all_stop
    check_at "one finding of one reviewer is enough" R2 in_progress 1
    check_has "it counts one" .agents/tmp/phases/review-1/r1-verdict.json '"total_issues": 1'
}

# ---- at the same instant ----

# at_once TYPE...: their SubagentStop events, all at the same time.
at_once()
{
    local type pids=() i=0
    mkdir -p "$TMPDIR/once"
    for type in "$@"; do
        event SubagentStop "\"agent_id\":\"a$i\",\"agent_type\":\"$type\"" >"$TMPDIR/once/$i"
        i=$((i + 1))
    done
    while [ $((i -= 1)) -ge 0 ]; do
        "$HONE" hook <"$TMPDIR/once/$i" >"$TMPDIR/once/$i.out" 2>&1 &
        pids+=($!)
    done
    status=0
    for i in "${pids[@]}"; do wait "$i" || status=$?; done
    cat "$TMPDIR/once"/*.out >"$out"
    : >"$err"
}

entries()
{
    grep -c '"r1": *{' "$state"
}

together_they_stop()
{
    local try
    for try in 1 2 3; do
        begin
        all_write "$found"
        at_once hone:critic hone:pedant hone:witness hone:security-reviewer \
            hone:silent-failure-hunter
        check_silent "five at once, $try"
        check_at "advance once" R2 in_progress 1
        check_is "in one entry" "$(entries)" 1
        check_has "with every finding" .agents/tmp/phases/review-1/r1-verdict.json \
            '"total_issues": 5'
        fixer_writes '# Fixed'
        at_once hone:review-fixer hone:review-fixer hone:review-fixer
        check_at "a fixer told three times is one" R1 in_progress 2
        check_is "and one more entry" "$(entries)" 2
    done
    begin
    all_write "$clean"
    at_once hone:critic hone:pedant hone:witness hone:security-reviewer hone:silent-failure-hunter
    check_at "five clean ones at once" DONE complete 1
    cp "$state" before.json
    at_once hone:critic hone:pedant
    check "what is told again changes nothing" cmp -s before.json "$state"
}

# A host that knows hone twice calls it twice: one run begins, and the other hook is silent.
together_they_begin()
{
    local try i
    for try in 1 2 3; do
        copy_of "$template" work
        event UserPromptSubmit "\"prompt\":\"/hone:review the notes\"" >"$TMPDIR/twice"
        for i in 1 2; do "$HONE" hook <"$TMPDIR/twice" >"$TMPDIR/twice.$i" 2>&1 & done
        wait
        check_is "two prompts at once, $try: one run" "$("$HONE" list --json |
            grep -c '"dialect": *"review"')" 1
        check_is "and one answer" "$(cat "$TMPDIR"/twice.[12] | grep -c 'agents are wanted')" 1
        all_write "$clean"
        all_stop
        check_at "which is the run" DONE complete 1
    done
}

# ---- rounds ----

rounds()
{
    begin "--max-iterations 2"
    all_write "$found"
    all_stop
    check_at "findings" R2 in_progress 1
    agent_stops hone:review-fixer
    check_back "a fixer without its summary" r2-fix-summary.md
    fixer_writes ''
    agent_stops hone:review-fixer
    check_back "an empty summary" r2-fix-summary.md
    check_at "nothing moved" R2 in_progress 1
    stops
    check_blocked "a stop goes on" '[PHASE R2]'
    check_blocked "with how the round ended, for the user" 'R1, iteration 1: not passed, 5 findings'
    check_blocked "and what was found" 'notes.txt:'
    check_has "with the fixer" "$out" hone:review-fixer
    check_told "and what it reads" .agents/tmp/phases/review-1/r1-silent-failure-hunter.json
    check_told "and writes" .agents/tmp/phases/review-1/r2-fix-summary.md
    stops
    check_not "the round is told once" grep -q 'not passed' "$out"
    fixer_writes '# Fixed: notes.txt'
    agent_stops hone:review-fixer
    check_silent "a fixer with its summary"
    check_at "the next round" R1 in_progress 2
    check "in a folder of its own" test -d .agents/tmp/phases/review-2
    agent_stops hone:critic
    check_back "an earlier file is no answer" review-2/r1-critic.json
    stops
    check_blocked "who looks again" '[PHASE R1]'
    check_told "knows the earlier round" .agents/tmp/phases/review-1/
    all_write "$found"
    all_stop
    check_at "at the bound" STOPPED stopped 2
    stops
    check_not "a stop is a stop" is_blocked
    check_is "the first round is kept" "$(verdict_of 1)" issues_found
    begin "--max-iterations 2"
    all_write "$found"
    all_stop
    fixer_writes '# Fixed'
    agent_stops hone:review-fixer
    all_write "$clean"
    all_stop
    check_at "clean at the bound is clean" DONE complete 2
    stops
    check_not "and a stop is a stop" is_blocked
    edits notes.txt
    check_silent "then everybody may edit again"
    starts hone:review-fixer
    check_silent "and start whom they like"
}

# A trail of an earlier run is not part of the next.
again()
{
    begin
    all_write "$clean"
    all_stop
    prompt "/hone:review the notes again"
    check_at "a new run" R1 in_progress 1
    agent_stops hone:critic
    check_back "begins with nothing" r1-critic.json
    check "and the trail of the last is kept" \
        test -n "$(find .agents -path '*phases-*' -name r1-verdict.json)"
}

together beginning options outcomes broken one_of_five together_they_stop \
    together_they_begin rounds again
exit "$failed"
