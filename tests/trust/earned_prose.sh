#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The worst sentence counts: a line that says clean is believed only where nothing else in the
# answer complains; else the reviewer is asked again.
# row: earned.prose | a review in prose, of any dialect, that says clean of one file and names a fault of another; a pass that a tool was told, beside words that complain | asked again, with the line that complains; the second time the review has failed, and the run ends with 3 | a fault that is told in words which hone does not know
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare) # each user, and each kind of cage, once

setup()
{
    with_play
    template=$TMPDIR/template
    new_repo "$template"
    git -C "$template" checkout -q -- .
}

begin()
{
    local role
    forget
    copy_of "$template" work
    for role in plan-reviewer final-reviewer code-reviewer; do
        does "$role" 'echo "No issues found."'
    done
    for role in brainstormer planner implementer simplifier fixer; do does "$role" 'echo done'; done
}

mixed='### a.c\nNo issues found.\n\n### b.c\nA buffer overflow in line 3, critical.\n'

complains()
{
    begin
    does code-reviewer "printf '$mixed'"
    hone run iterate "make it right" --lite --agent "*=$agent"
    check_is "earned.prose: clean and a complaint: exit" "$status" 3
    check_is "earned.prose: asked again, once" "$(started code-reviewer)" 2
    check "earned.prose: told why" \
        grep -q "this line names a fault, and line 2 says clean" "$play"/prompt.code-reviewer.1.2
    check_not "earned.prose: not clean" grep -q "^clean" "$out"
}

mends()
{
    begin
    does code-reviewer "if [ \"\$HONE_ATTEMPT\" = 1 ]; then printf '$mixed'
else echo 'No critical issues.'; echo 'No issues found.'; fi"
    hone run iterate "make it right" --lite --agent "*=$agent"
    check_is "earned.prose: a denial beside clean is clean" "$status" 0
}

# Every dialect that believes words: a reviewer whose answer passes beside a sentence that complains
# is asked again, and told why; the second time its review has failed.
in_cycles()
{
    . "$TOP/tests/support/cycles.sh"
    begin_story
    does spec-reviewer 'printf "phase-1.txt: fine.\n\n- [HIGH] the name is not checked\n\n$(
    )## Grade: PASS\n"'
    hone run cycles --spec "$spec" --phases 1 --session-dir out/s --agent "*=$agent"
    check_is "earned.prose: cycles: exit" "$status" 3
    check_is "earned.prose: cycles: asked again, once" "$(started spec-reviewer)" 2
    check_has "earned.prose: cycles: told why" "$play/prompt.spec-reviewer.1.2" \
        "The worst sentence counts"
}

in_session()
{
    . "$TOP/tests/support/session.sh"
    begin_story
    does_so reviewer 'if [ "$HONE_PHASE" = planning ]; then approve; else approve
echo "- notes.txt:1 has a buffer overflow, critical."; fi'
    session --handsfree "Say bye"
    check_not "earned.prose: session: not delivered" test "$status" = 0
    check_has "earned.prose: session: told why" "$play/prompt.reviewer.1.2" \
        "this line names a fault beside APPROVE"
}

in_loops()
{
    . "$TOP/tests/support/loops.sh"
    begin_story
    tasks '# one' '- [ ] a: Add a'
    does loop-reviewer ". \"\$play/note\"; echo 'a.txt:1 has a buffer overflow.'; $passes"
    run_loops --effort low
    check_not "earned.prose: loops: not merged" test "$status" = 0
    check_is "earned.prose: loops: asked again, once" "$(started loop-reviewer)" 2
    check_has "earned.prose: loops: told why" "$play/prompt.loop-reviewer.1.2" \
        "the worst sentence counts"
}

for_each_way complains mends in_cycles in_session in_loops
