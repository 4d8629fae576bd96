#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The time of a budget, and the pause before an agent is started again, go by a clock that is not
# set: not while a run is at work, nor between two processes of it. Told once: neither root nor a
# sandbox makes a difference.
#
# row: bounds.clock | the machine's clock is set forward or back, while a run with a budget of time is at work or before it is resumed | within a process the wall clock is read once and time is counted from there by a clock that cannot be set; time without a process does not count; inside a host each hook goes on from the mark that the one before it left, by the same clock | inside a host, where each hook is a process of its own: time before the machine was started again, which is the wall clock's
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

# Inside a host: each hook is a process of its own, and the clock is set between them.
hosted()
{
    local role
    . "$TOP/tests/support/hook.sh"
    export LD_PRELOAD=$SUPPORT/clock_preload.so
    begins work
    prompt "/hone:review --budget time=1h the notes"
    echo "$day" >"$CLOCK_SET"
    for role in $reviewers; do agent_starts "hone:$role"; done
    all_write "$clean"
    all_stop
    stops
    check_has "bounds.clock: inside a host, set forward, an hour is an hour" "$out" \
        "clean after 1 review"
    check_at "bounds.clock: inside a host: and it is done" DONE complete 1

    begins work
    prompt "/hone:review --budget time=2s the notes"
    echo "-$day" >"$CLOCK_SET"
    for role in $reviewers; do agent_starts "hone:$role"; done
    all_write "$found"
    sleep 3 # it is the time that passes which is tried
    all_stop
    stops
    check_has "bounds.clock: inside a host, set back, two seconds are two" "$out" \
        "its budget is spent"
}

hosted
exit "$failed"
