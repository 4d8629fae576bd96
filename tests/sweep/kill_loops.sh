#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over loops: two tasks side by side and one behind them, one of them sent back once.
# kill_lanes.sh ends hone at calls of git; here it dies at writes of its own. Whenever it dies the
# user's branch is between two tasks; in the end each is merged once, nothing of the loops is left,
# and the tables tell all of it.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/small_runs.sh"
. "$TOP/tests/support/kill_sweep.sh"

small_loops
run+=(--quiet)

# after_death: the branch has whole tasks, in order, or there is something to say about it.
after_death()
{
    local have files

    have=$(subjects)
    files=$(git ls-tree --name-only main | tr '\n' ',')
    case "$have $files" in
    'first, notes.txt,' | 'first,Add a, a.txt,notes.txt,') ;;
    'first,Add a,Add b, a.txt,b.txt,good.txt,notes.txt,') ;;
    'first,Add a,Add b,Add c, a.txt,b.txt,c.txt,good.txt,notes.txt,') ;;
    *) echo "dead, the branch has $have $files" ;;
    esac
}

stride=${HONE_SWEEP_STRIDE:-17}
kill_sweep
exit "$failed"
