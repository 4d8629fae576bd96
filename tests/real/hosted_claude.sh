#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone inside the real Claude Code: the review dialect, by its plugin and hooks.
. "${TOP:?}/tests/real/stage/stage.sh"
client=claude
. "$TOP/tests/real/stage/hosted.sh"

rounds()
{
    local how
    for how in false true; do
        begin "clean, background $how" "\"background\":$how,\"agents\":{$all_clean}"
        asks /hone:review
        leads_to DONE 1 0
        stop_model

        begin "two rounds, background $how" "\"background\":$how,\"agents\":{$all_clean,
            \"critic\":[$is_found,$is_clean],\"review-fixer\":[$fixes]}"
        asks "/hone:review look at notes.txt"
        leads_to DONE 2 1
        check_is "$name: pedants" "$(times_started pedant)" 2
        check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
        check_is "$name: the fixer's word" "$(cat .agents/tmp/phases/review-1/r2-fix-summary.md)" \
            "# Fixed"
        check_is "$name: the task" "$(state task)" "look at notes.txt"
        stop_model
    done
    begin "never clean" "\"agents\":{$all_clean,\"critic\":[$is_found],\"review-fixer\":[$(
        acts "$reads" "$(answer '# Not fixed')" "$done_")]}"
    asks "/hone:review --max-iterations 2"
    leads_to STOPPED 2 1
    stop_model
}

has_client claude && together rounds
exit "$failed"
