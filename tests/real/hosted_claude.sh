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
        grep '"type":"assistant"' "$out" >"$TMPDIR/said"
        check_is "$name: the user is told once how the round ended" "$(grep -c \
            'R1, iteration 1: not passed, 1 finding' "$TMPDIR/said")" 1
        stop_model
    done
    begin "never clean" "\"agents\":{$all_clean,\"critic\":[$is_found],\"review-fixer\":[$(
        acts "$reads" "$(answer '# Not fixed')" "$done_")]}"
    asks "/hone:review --max-iterations 2"
    leads_to STOPPED 2 1
    stop_model
}

# No user is there to allow anything: reading and answers need none.
permissions()
{
    begin "nothing is allowed" "\"agents\":{$all_clean}"
    mode=default allowed=Agent asks /hone:review
    leads_to DONE 1 0
    stop_model
}

four_are_judged()
{
    [ "$("$HONE" show | grep -c ' clean$')" = 4 ]
}

# Sessions that end, and others beside them.
sessions()
{
    begin "the host is killed" "\"agents\":{$all_clean,\"critic\":[[{\"first\":[{\"hang\":true}],
        \"say\":\"never\"}],$is_clean]}"
    asks /hone:review --session-id "$session"
    at_the_hang "$name"
    check "$name: the others have answered" until_true 60 four_are_judged
    kill_hone
    name="$name, and goes on"
    asks /hone:review --resume "$session"
    leads_to DONE 2 0
    check_is "$name: who had answered is not asked again" "$(times_started pedant)" 1
    stop_model

    begin "another session" "\"agents\":{$all_clean,\"critic\":[$(acts "$reads" "$(
        runs "until [ -e $TMPDIR/go ]; do sleep 0.1; done")" "$(answer "$clean")" "$done_")]}"
    asks /hone:review
    until_true 60 grep -q '^critic 1 turn 1' "$asked"
    another hello
    check_is "$name: it ends at once" "$(cat "$TMPDIR/other")" "That is all for now."
    another /hone:review
    check_is "$name: it begins no review" "$(times_started pedant)" 1
    : >"$TMPDIR/go"
    leads_to DONE 1 0
    stop_model
}

the_host_forgets()
{
    begin "the host makes its context small" "\"tokens\":{\"0\":985000},\"agents\":{$all_clean,
        \"critic\":[$is_found,$is_clean],\"review-fixer\":[$fixes]}"
    asks /hone:review
    leads_to DONE 2 1
    check_is "$name: it did" "$(grep -c '^leader compacts' "$asked")" 1
    check_is "$name: and is told at once what is next" \
        "$(sed -n '/^leader compacts/{n;p;}' "$asked")" "leader turn 0 starts hone:review-fixer"
    stop_model
}

# "R2 | review-fixer | Single write-enabled fixer": the main thread and an agent of the host's own
# are refused, and read who may; the fixer edits with the same tools.
single_writer()
{
    local file=$TMPDIR/work/notes.txt how
    for how in false true; do
        begin "one writer, background $how" "\"background\":$how,
            \"shows\":[\"by-fixer.txt\"],\"agents\":{$all_clean,
            \"critic\":[$is_found,$is_clean],\"other\":[[$(writes_new agent),{\"say\":\"ok\"}]],
            \"review-fixer\":[[$reads,{\"call\":\"Read\",\"input\":{\"file_path\":\"$file\"}},
                {\"call\":\"Edit\",\"input\":{\"file_path\":\"$file\",\"old_string\":\"defect\",
                \"new_string\":\"mended\"}},$(writes_new fixer),$(answer '# Fixed'),$done_]]},
            \"in\":{\"R2\":[$(writes_new main),{\"call\":\"Agent\",\"input\":{\"description\":\"d\",
                \"prompt\":\"Write a file.\",\"subagent_type\":\"general-purpose\",
                \"run_in_background\":false}}]}"
        asks /hone:review
        leads_to DONE 2 1
        check_is "$name: files that were written" "$(echo by-*.txt)" by-fixer.txt
        check_is "$name: the fixer's edit" "$(grep -c mended notes.txt)" 1
        check_is "$name: both read who may edit" "$(grep '"tool_result"' "$out" |
            grep -c 'phase R2, and only review-fixer changes files')" 2
        stop_model
    done
}

# writes_new NAME: a call that writes a new file.
writes_new()
{
    printf '{"call":"Write","input":{"file_path":"%s","content":"x\\n"}}' \
        "$TMPDIR/work/by-$1.txt"
}

# another PROMPT: another session in the same folder, until it ends.
another()
{
    TMPDIR=$TMPDIR/tmp claude -p "$1" --plugin-dir "$TOP/plugin" </dev/null >"$TMPDIR/other" 2>&1
}

has_client claude && together rounds sessions permissions the_host_forgets single_writer
exit "$failed"
