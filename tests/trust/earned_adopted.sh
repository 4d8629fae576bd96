#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A run that another tool or a repository has written down is never a verdict: what its files call
# clean is reviewed again. The agents are the host's: no cage has a part in it.
# row: earned.planted | .agents/tmp/state.json and five clean reviews in the repository, then /hone:review | a state file that no live session owns is no run: a new one begins, and all five are asked | -
# row: earned.adopted | the same with the session's own process as owner, or written in the middle of a run | its files tell how far it is and what was found; clean files are removed, and their reviewers asked | -
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root)

setup()
{
    with_play hook
    template=$TMPDIR/template
    new_repo "$template"
}

# plant OWNER [PHASE [STATUS]]: the state file of such an owner, and five clean reviews.
plant()
{
    local role
    copy_of "$template" work
    original "$1"
    sed -i -e "s/\"currentPhase\": \"R1\"/\"currentPhase\": \"${2:-R1}\"/" \
        -e "s/\"in_progress\"/\"${3:-in_progress}\"/" "$state"
    for role in $reviewers; do writes "$role" "$clean"; done
}

dead_pid()
{
    true &
    wait $!
    echo $!
}

planted()
{
    local phase
    for phase in R1 R2; do
        plant "$(dead_pid)" "$phase"
        prompt "/hone:review"
        check_has "earned.planted: $phase: five are asked" "$out" "5 agents are wanted"
        check_at "earned.planted: $phase: not over" R1 in_progress 1
        check_not "earned.planted: $phase: its reviews are gone" \
            test -e .agents/tmp/phases/review-1/r1-critic.json
        check_is "earned.planted: $phase: nor its task" "$(in_state task | grep -c 'the notes')" 0
    done
    plant "$(dead_pid)" DONE complete
    prompt "/hone:review"
    check_has "earned.planted: DONE: five are asked" "$out" "5 agents are wanted"
    stops
    check_blocked "earned.planted: and the turn does not end" '[PHASE R1]'
}

adopted()
{
    plant $$
    stops
    check_blocked "earned.adopted: its own session: all are asked" '[PHASE R1]'
    check_at "earned.adopted: not over" R1 in_progress 1
    check_not "earned.adopted: its clean files are gone" \
        test -e .agents/tmp/phases/review-1/r1-critic.json
    agent_stops minions:critic
    check_back "earned.adopted: a reviewer must write its own" r1-critic.json
}

# An agent writes DONE into the state of a run, and the reviews that would fit.
in_the_middle()
{
    local role
    copy_of "$template" work
    prompt "/hone:review"
    for role in $reviewers; do writes "$role" "$clean"; done
    sed -i -e 's/"currentPhase": "R1"/"currentPhase": "DONE"/' \
        -e 's/"in_progress"/"complete"/' "$state"
    stops
    check_blocked "earned.adopted: DONE in the middle of a run: reviewed" '[PHASE R1]'
    check_at "earned.adopted: DONE in the middle of a run: not over" R1 in_progress 1
}

for_each_way planted adopted in_the_middle
