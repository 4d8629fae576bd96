#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Nothing is done on a report's word, in every dialect: a fixer that says "Fixed all of it." and
# changes nothing is found out in `hone findings`, in the prompts of the next reviewer and the next
# fixer, in the view and in the end line. (The dialect review has a story of its own:
# proof_repair.sh.) Run once, as the caller: neither root nor a sandbox makes a difference.
#
# row: proof.repaired | the same of the fixers of iterate, cycles, session and loops | the same list in their reviewers' and fixers' next prompts; where several fixers share a review, a finding is resolved by the one it was given to | in a session, reviewers of later stages are told of the repair by the list of issues alone
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

# left NAME FINDING FIRST SECOND...: what all are told of a finding with no change near it: FIRST is
# the prompt of the reviewer that follows, and SECOND of the fixer behind that.
left()
{
    local name=$1 finding=$2
    check_is "proof.repaired: $name: hone findings" \
        "$("$HONE" findings --json | grep -o '"unresolved": "[a-z]*"' | sort -u)" \
        '"unresolved": "untouched"'
    check_has "proof.repaired: $name: the next reviewer is told" "$3" \
        "$finding: nothing changed near it"
    check_has "proof.repaired: $name: as what the report does not decide" "$3" \
        "also where the report says otherwise"
    check_has "proof.repaired: $name: and the next fixer" "$4" "$finding: nothing changed near it"
    check_has "proof.repaired: $name: which is told what counts" "$4" "counts as unresolved"
    "$HONE" show >"$TMPDIR/shown"
    check_has "proof.repaired: $name: hone show" "$TMPDIR/shown" " no change"
    check_has "proof.repaired: $name: the view" "$err" "changed nothing"
    check_has "proof.repaired: $name: the end line" "$out" "changed nothing in round 1"
}

in_iterate()
{
    local role
    new_repo "$TMPDIR/work"
    for role in plan-reviewer final-reviewer; do does "$role" 'echo "No issues found."'; done
    for role in brainstormer planner implementer simplifier; do does "$role" 'echo done'; done
    does code-reviewer 'echo "HIGH notes.txt:2: a defect is left"'
    does fixer 'echo "Fixed all of it: notes.txt:2."'
    mkdir .claude
    echo '{"phases":{"5":{"maxRetries":2}}}' >.claude/iterate-config.local.json
    hone run iterate "make it right" --lite --max-iterations 1 --agent "*=$agent" --no-sandbox
    left iterate "notes.txt:2 -- a defect is left" "$play/prompt.code-reviewer.2.1" \
        "$play/prompt.fixer.2.1"
}

# Each of two fixers is given one file: each resolves its own, and neither is doubted.
in_groups()
{
    local role
    new_repo "$TMPDIR/work"
    for role in plan-reviewer final-reviewer; do does "$role" 'echo "No issues found."'; done
    for role in brainstormer planner implementer simplifier; do does "$role" 'echo done'; done
    does code-reviewer 'printf "HIGH notes.txt:2: a defect is left\nHIGH main.c:3: and here\n"'
    does fixer 'if grep -q "^- .HIGH. notes.txt" "${HONE_OUTPUT%/*}/prompt"
then echo x >>notes.txt; echo "Mended notes.txt:2."
else echo >>main.c; echo "Mended main.c:3."; fi'
    mkdir .claude
    echo '{"phases":{"5":{"maxRetries":1,"parallelFixes":true}}}' \
        >.claude/iterate-config.local.json
    hone run iterate "make it right" --lite --max-iterations 1 --agent "*=$agent" --no-sandbox
    check_is "proof.repaired: two fixers: they were" "$(started fixer)" 2
    check_is "proof.repaired: two fixers: each resolves its own" \
        "$("$HONE" findings --json | grep -c '"unresolved"')" 0
    check_not "proof.repaired: two fixers: the reviewer is told of no other" \
        grep -q "also where the report says otherwise" "$play/prompt.code-reviewer.2.1"
}

in_cycles()
{
    . "$TOP/tests/support/cycles.sh"
    begin_story
    does spec-fixer 'echo "Fixed all of it: phase-1.txt:1."'
    hone run cycles --spec "$spec" --phases 1 --cycles 3 --session-dir out/s --agent "*=$agent"
    left cycles "phase-1.txt:1 -- [HIGH] phase-1.txt:1 - not fixed" \
        "$play/prompt.spec-reviewer.2.1" "$play/prompt.spec-fixer.2.1"
}

in_session()
{
    . "$TOP/tests/support/session.sh"
    begin_story
    does_so reviewer 'if [ "$HONE_PHASE" = planning ]; then approve; else request "no bye"; fi'
    does_so executor 'case $HONE_PHASE in
planning) plan "say bye" ;;
*) if first work; then echo bye >>notes.txt; report "bye said" notes.txt; else noop; fi ;;
esac'
    session --handsfree "Say bye"
    left session "notes.txt:1 -- no bye" "$play/prompt.reviewer.2.1" "$play/prompt.executor.2.1"
}

in_loops()
{
    . "$TOP/tests/support/loops.sh"
    begin_story
    tasks '# one' '- [ ] a: Add a'
    does loop-reviewer ". \"\$play/note\"; $fails"
    does builder '. "$play/note"; echo "$HONE_TASK" >a.txt
cp "${HONE_OUTPUT%/*}/prompt" "$play/asked.$HONE_ITERATION"
echo "Fixed all of it: a.txt:1."; echo TASK_COMPLETE'
    run_loops --effort low
    left loops "a.txt:1 -- not good yet" "$play/prompt.loop-reviewer.2.1" "$play/asked.3"
}

together in_iterate in_groups in_cycles in_session in_loops
exit "$failed"
