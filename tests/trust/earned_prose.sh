#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The worst sentence counts: a line that says clean is believed only where nothing else in the
# answer complains; else the reviewer is asked again.
# row: earned.prose | a review in prose that says clean of one file and names a fault of another | asked again, with the line that complains; the second time the review has failed, and the run ends with 3 | a fault that is told in words which hone does not know
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

for_each_way complains mends
