#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A hosted review counts for one tree: the one that it was begun on. That holds when an agent is
# asked again meanwhile, and when what hone had kept of the tree is lost.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/hook.sh"

template=$TMPDIR/template
new_repo "$template"

# answers ROLE...: each finds nothing.
answers()
{
    local role
    for role in "$@"; do
        agent_starts "hone:$role"
        writes "$role" "$clean"
        agent_stops "hone:$role"
    done
}

four="critic pedant security-reviewer silent-failure-hunter"

# One of five dies, and the tree changes before it is asked again: the four judged another one.
asked_again()
{
    # shellcheck disable=SC2086 # a list
    begin && answers $four
    agent_starts hone:witness
    stops
    check_blocked "asked again: the witness alone" witness
    answers witness
    check_at "asked again on the same tree: clean" DONE complete 1

    # shellcheck disable=SC2086
    begin && answers $four
    agent_starts hone:witness
    echo "a line more" >>notes.txt
    stops
    answers witness
    check_at "asked again on another tree: not clean" R1 in_progress 1
    stops
    check_told "everybody is asked again" critic
    check "and the last one is told why" \
        grep -qs 'work tree was changed' .git/hone/runs/*/*/prompt
    # shellcheck disable=SC2086
    answers $reviewers
    check_at "asked again: then it is clean" DONE complete 1
}

# The file that holds the tree is lost; that of the notes changes and changes back.
lost()
{
    local kept
    for kept in yes no; do
        # shellcheck disable=SC2086
        begin && answers $four
        cp notes.txt same && cat same >notes.txt && rm same
        [ "$kept" = yes ] || rm .git/hone/runs/*/tree-*
        answers witness
        if [ "$kept" = yes ]; then
            check_at "a tree that is as it was: clean" DONE complete 1
        else
            check_at "a tree that nobody knows: not clean" R1 in_progress 1
            stops
            check_blocked "all are asked again" critic
            # shellcheck disable=SC2086
            answers $reviewers
            check_at "then it is clean" DONE complete 1
        fi
    done
}

# What another tool began is bound to the tree that hone found.
adopted()
{
    local role
    copy_of "$template" work
    original "$$"
    for role in $four; do writes "$role" "$clean"; done
    stops
    check_blocked "adopted: all are asked, also those whose files were there" critic
    # shellcheck disable=SC2086
    answers $four
    echo "a line more" >>notes.txt
    answers witness
    check_at "adopted, and changed since: not clean" R1 in_progress 1
}

# Another process changes it each time, and the run gives up. What was said last counts no more than
# before when it goes on.
wild()
{
    local turn
    begin
    for turn in 1 2 3; do
        # shellcheck disable=SC2086
        answers $four
        echo "line $turn" >>notes.txt
        answers witness
        check_at "changed $turn times: not clean" R1 in_progress 1
        stops
    done
    hone status
    check_has "it gives up" "$out" "failed: an agent could not run"
    prompt "/hone:review"
    check_told "the last one is asked again" witness
    answers witness
    check_at "the others judged another tree" R1 in_progress 1
    stops
    # shellcheck disable=SC2086
    answers $reviewers
    check_at "all have judged this one: clean" DONE complete 1
}

together asked_again lost adopted wild
exit "$failed"
