#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone inside the real Claude Code, where reviewers and the leading model do not do what they
# should.
. "${TOP:?}/tests/real/stage/stage.sh"
client=claude
. "$TOP/tests/real/stage/hosted.sh"

# Reviewers that do not do what they should.
reviewers()
{
    begin "a silent reviewer" "\"agents\":{$all_clean,\"critic\":[$(acts "$reads" \
        '{"say":"I am done."}' "$(answer "$clean")" "$done_")]}"
    asks /hone:review
    leads_to DONE 1 0
    check_is "$name: it was sent back" "$(grep -c '^critic 1 turn 2 answer' "$asked")" 1
    stop_model

    begin "an invalid file" "\"agents\":{$all_clean,\"critic\":[$(acts "$reads" \
        "$(answer 'It looks fine.')" "$done_" "$(answer "$clean")" "$done_")]}"
    asks /hone:review
    leads_to DONE 1 0
    check_is "$name: it was sent back" "$(grep -c '^critic 1 turn 3 answer' "$asked")" 1
    stop_model

    begin "a reviewer that edits" "\"agents\":{$all_clean,\"critic\":[$(acts "$reads" \
        "$(runs 'echo oops >>notes.txt')" "$(answer "$clean")" "$done_"),$is_clean]}"
    asks /hone:review
    leads_to DONE 2 0
    check_is "$name: all look again" "$(times_started pedant)" 2
    stop_model

    begin "a reviewer that is lost" "\"agents\":{$all_clean,\"critic\":[[{\"first\":[$(
        times 8 '{"status":400}')],\"say\":\"never\"}],$is_clean]}"
    asks /hone:review
    leads_to DONE 2 0
    stop_model
}

# A leading model that does not do what it should.
leaders()
{
    local verdict='.agents/tmp/phases/review-1/r1-verdict.json'
    begin "an orchestrator that edits" "\"agents\":{$all_clean},\"leads\":{\"0\":[{
        \"call\":\"Write\",\"input\":{\"file_path\":\"new.txt\",\"content\":\"mine\"}}]}"
    asks /hone:review
    leads_to DONE 1 0
    check_not "$name: nothing came of it" test -e new.txt
    stop_model

    begin "an orchestrator that writes a verdict" "\"agents\":{$all_clean,\"critic\":[$is_found,
        $is_clean],\"review-fixer\":[$fixes]},\"leads\":{\"0\":[{\"call\":\"Write\",
        \"input\":{\"file_path\":\"$TMPDIR/work/$verdict\",\"content\":\"$(json "$clean")\"}}],
        \"1\":[{\"call\":\"Bash\",\"input\":{\"description\":\"x\",\"command\":\"mkdir -p $(
        dirname "$verdict"); for r in critic verdict; do echo '$(json "$clean")' >$(
        dirname "$verdict")/r1-\$r.json; done\"}}]}"
    asks /hone:review
    leads_to DONE 2 1
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    stop_model

    begin "an orchestrator that starts a fixer first" "\"agents\":{$all_clean},\"leads\":{\"0\":[{
        \"call\":\"Agent\",\"input\":{\"description\":\"x\",\"prompt\":\"fix\",
        \"subagent_type\":\"hone:review-fixer\",\"run_in_background\":false}}]}"
    asks /hone:review
    leads_to DONE 1 0
    stop_model

    begin "an orchestrator that does nothing" "\"agents\":{$all_clean},\"leads\":{$(
        for turn in 0 1 2 3 4 5 6 7 8 9; do printf '"%s":[{"say":"Later."}],' $turn; done |
            sed 's/,$//')}"
    asks /hone:review --session-id "$session"
    await "$name" 0
    check "$name: hone lets go" test "$(wc -l <"$asked")" -le 8
    check_is "$name: nobody was started" "$(times_started critic)" 0
    check_has "$name: it says so" "$out" "none was started"
    stop_model
    start_model "{\"agents\":{$all_clean}}" host.js
    name="$name, and goes on"
    asks /hone:review --resume "$session"
    leads_to DONE 1 0
    stop_model
}

# start TYPE: a call that starts such an agent with a prompt of the leader's own.
start()
{
    printf '{"call":"Agent","input":{"description":"x","prompt":"look","subagent_type":"%s",' "$1"
    printf '"run_in_background":false}}'
}

# One that means well.
clumsy()
{
    begin "an orchestrator that starts others" "\"agents\":{$all_clean},\"leads\":{\"0\":[$(
        start hone:kritik),$(start critic),$(start general-purpose),$(start hone:critic),$(
        start hone:critic)]}"
    asks /hone:review
    await "$name" 0
    check_is "$name: it ends in" "$(state currentPhase)" DONE
    check_is "$name: pedants" "$(times_started pedant)" 1
    nothing_left "$name"
    stop_model

    begin "an orchestrator that stops an agent" "\"background\":true,\"kills\":true,
        \"agents\":{$all_clean}"
    asks /hone:review
    await "$name" 0
    check_is "$name: it ends in" "$(state currentPhase)" DONE
    check_is "$name: it was asked for again" \
        "$(grep -c '^leader .* starts hone:critic$' "$asked")" 1
    check_is "$name: pedants" "$(times_started pedant)" 1
    nothing_left "$name"
    stop_model
}

# One whose shell is in another repository by then.
away()
{
    begin "an orchestrator that goes away" "\"shows\":[\"$TMPDIR/work/notes.txt\"],
        \"agents\":{$all_clean,\"critic\":[$is_found,$is_clean],
        \"review-fixer\":[$(acts "$reads" "$(runs 'sed -i /defect/d ../notes.txt')" \
        "$(answer '# Fixed')" "$done_")]},\"leads\":{\"0\":[{\"call\":\"Bash\",\"input\":{
        \"description\":\"x\",\"command\":\"cd nested && pwd\"}}]}"
    git init -q nested
    echo nested >>.git/info/exclude
    asks /hone:review
    leads_to DONE 2 1
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    check_not "$name: nothing is left there" test -e nested/.agents
    stop_model
}

# One that gives each agent a work tree of its own, in which the change is not.
isolating()
{
    begin "an orchestrator that isolates agents" "\"isolation\":\"worktree\",
        \"agents\":{$all_clean}"
    asks /hone:review
    await "$name" 0
    check_is "$name: nobody reviews" "$(times_started critic)" 0
    check_is "$name: no work tree is made" "$(git worktree list | wc -l)" 1
    check_has "$name: hone lets go" "$out" "none was started"
    stop_model
}

four_are_judged()
{
    [ "$("$HONE" show | grep -c ' clean$')" = 4 ]
}

# A session is left, and goes on in other ways than one would think.
elsewhere()
{
    local how
    for how in fork compact; do
        begin "the host is killed, then $how" "\"agents\":{$all_clean,\"critic\":[[{\"first\":[{
            \"hang\":true}],\"say\":\"never\"}],$is_clean]}"
        session=${session%?}$((${session: -1} + 1)) # a host knows those that were
        asks /hone:review --session-id "$session"
        at_the_hang "$name"
        check "$name: the others have answered" until_true 60 four_are_judged
        kill_hone
        if [ $how = fork ]; then
            asks /hone:review --resume "$session" --fork-session
        else
            asks /compact --resume "$session"
            await "$name" 0
            check_is "$name: it was" "$(grep -c '^leader compacts' "$asked")" 1
            asks "Where were we?" --resume "$session"
        fi
        leads_to DONE 2 0
        check_is "$name: who had answered is not asked again" "$(times_started pedant)" 1
        stop_model
    done
}

has_client claude && together reviewers leaders clumsy away isolating elsewhere
exit "$failed"
