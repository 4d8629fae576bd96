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

has_client claude && together reviewers leaders
exit "$failed"
