#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The time of a budget, and the pause before an agent is started again, go by a clock that is not
# set: not while a run is at work, nor between two processes of it. Told once: neither root nor a
# sandbox makes a difference.
#
# row: bounds.clock | the machine's clock is set forward or back, while a run with a budget of time is at work or before it is resumed | within a process the wall clock is read once and time is counted from there by a clock that cannot be set; time without a process does not count | inside a host each hook is a process of its own: what passes between two of them is the wall clock's
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
export CLOCK_SET=$TMPDIR/ahead
day=86400

# begins NAME: a copy of the repository, and a clock that is right.
begins()
{
    copy_of "$template" "$1"
    forget
    echo 0 >"$CLOCK_SET"
}

# run ARGUMENTS...: hone with a clock that a file sets.
run()
{
    LD_PRELOAD=$SUPPORT/clock_preload.so hone "$@"
}

begins forward
does critic "echo $day >'$CLOCK_SET'; $sees"
does review-fixer "sed -i /defect/d notes.txt; echo '# Fixed: notes.txt'"
run run review --no-sandbox --agent "*=$agent" --budget time=1h
check_is "bounds.clock: set forward, the budget of an hour holds an hour" "$status" 0

begins back
does critic "echo -$day >'$CLOCK_SET'; sleep 5; $sees"
run run review --no-sandbox --agent "*=$agent" --budget time=4s
check_is "bounds.clock: set back, four seconds are four" "$status" 4
check_has "bounds.clock: and it says so" "$err" "the time of the budget is over"
echo $((-2 * day)) >"$CLOCK_SET"
does critic
does review-fixer "sleep 5; echo '# Fixed: nothing'"
run resume --budget time=8s
check_is "bounds.clock: set back before a resume, the rest is counted" "$status" 4

begins again
does critic "[ -e '$TMPDIR/failed' ] ||
    { touch '$TMPDIR/failed'; echo -$day >'$CLOCK_SET'; exit 7; }
    cat \"\$play/clean\""
limit=30 run run review --no-sandbox --agent "*=$agent"
check_is "bounds.clock: set back, one that failed is started again" "$status" 0
exit "$failed"
