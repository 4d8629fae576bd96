#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Loops whose agents report by MCP: to the engine it is the same as an answer, and where both speak
# the worse counts. A reviewer is in its sandbox, a builder in its work tree.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/loops.sh"

sed -i '1s/.*/#!\/bin\/bash/' "$play/agent"
# For the agents: report NAME ARGUMENTS, and what the server said.
cat >"$play/report" <<'END'
. "$TOP/tests/support/mcp.sh"
report()
{
    tool "$1" "$(printf '%s' "${2:-{\}}" | tr -d '\n')" |
        "$HONE" mcp >>"$play/talk.$HONE_ROLE.$HONE_TASK_ID.$HONE_ROUND" 2>&1
}
of_loop="\"loopId\":\"$HONE_LANE\",\"taskId\":\"$HONE_TASK_ID\""
END

by_mcp_alone()
{
    begin_story
    tasks '# g' '- [ ] a: Add a' '- [ ] b: Add b'
    does loop-reviewer '. "$play/note"; . "$play/report"
report set_loop_review_result "{$of_loop,\"passed\":true,\"interpretedIntent\":\"asked by MCP\",
\"intentSatisfied\":true,\"issues\":[]}"
echo REVIEW_COMPLETE'
    does builder '. "$play/note"; . "$play/report"; echo x >"$HONE_TASK_ID.txt"
report complete_task "{\"outcome\":\"complete\"}"
echo "I have told the server."'
    run_loops
    check_is "by MCP alone: exit" "$status" 0
    check_is "each loop is passed by what was reported" \
        "$(sql "select loop_id || ' ' || passed || ' ' || interpreted_intent from loop_reviews
            order by loop_id" | tr '\n' ,)" "$run-1 1 asked by MCP,$run-2 1 asked by MCP,"
    check_is "a builder is done by complete_task" "$(who builder | tr ' ' '\n' | sort |
        tr '\n' ' ')" "a b "
    check "both are merged" test -e a.txt -a -e b.txt
    tidy "by MCP alone"
}

the_worse_counts()
{
    begin_story
    tasks '- [ ] a: Add a'
    does loop-reviewer '. "$play/note"; . "$play/report"
[ "$HONE_ROUND" = 1 ] && report set_loop_review_result "{$of_loop,\"passed\":false,\"issues\":[
{\"file\":\"a.txt\",\"line\":1,\"type\":\"dead-code\",\"description\":\"by MCP\",
\"suggestion\":\"s\"}]}"
'"$passes"
    run_loops
    check_is "the worse counts: exit" "$status" 0
    check_is "a pass on standard output does not undo what was reported" \
        "$(sql "select passed from loop_reviews order by reviewed_at" | tr '\n' ,)" "0,1,"
    check_is "the issue is the reported one, with all its fields" \
        "$(sql "select i.file || ' ' || i.line || ' ' || i.type || ' ' || i.description || ' ' ||
            i.suggestion || ' ' || i.loop_id || ' ' || i.task_id || ' ' || (r.task_id is 'a')
            from review_issues i join loop_reviews r on r.id = i.loop_review_id")" \
        "a.txt 1 dead-code by MCP s $run-1 a 1"
    check_is "what was not said is null, and no cost is 0" \
        "$(sql "select (interpreted_intent is null) || ' ' || (intent_satisfied is null) || ' ' ||
            cost_usd from loop_reviews where passed = 0")" "1 1 0.0"
}

# Both pass, and only the report has notes.
notes_are_kept()
{
    begin_story
    tasks '- [ ] a: Add a'
    does loop-reviewer '. "$play/note"; . "$play/report"
report set_loop_review_result "{$of_loop,\"passed\":true,\"interpretedIntent\":\"for a\",
\"issues\":[{\"file\":\"a.txt\",\"line\":1,\"type\":\"dead-code\",\"description\":\"a note\",
\"suggestion\":\"s\"}]}"
'"$passes"
    run_loops
    check_is "both pass: exit" "$status" 0
    check_is "both pass: the notes of the report are kept" \
        "$(sql 'select description from review_issues')" "a note"
    check_is "both pass: one row" \
        "$(sql "select passed || ' ' || interpreted_intent from loop_reviews")" "1 for a"
}

# An issue of the run's review is no pass, however it is said.
the_run_with_an_issue()
{
    begin_story
    tasks '- [ ] a: Add a'
    does run-reviewer '. "$play/note"; . "$play/report"
[ -e more.txt ] || report set_review_result "{\"passed\":true,\"issues\":[{\"taskId\":\"a\",
\"file\":\"more.txt\",\"type\":\"spec-intent-mismatch\",\"description\":\"it is missing\",
\"suggestion\":\"add it\"}]}"
'"$passes"
    does reviser 'echo "{\"tasks\":[{\"id\":\"more\",\"title\":\"Add more\"}]}"'
    run_loops
    check_is "an issue of the run: exit" "$status" 0
    check_is "an issue of the run: the reviser is asked" "$(subjects)" "first,Add a,Add more"
    check_is "an issue of the run: with its task, and no loop" \
        "$(sql "select task_id || ' ' || (loop_id is null) from review_issues")" "a 1"
}

wrong_loops()
{
    begin_story
    tasks '- [ ] a: Add a'
    rm -f "$play"/talk.*
    does loop-reviewer '. "$play/report"
report set_loop_review_result "{\"loopId\":\"other\",\"passed\":true}"
[ -e "${HONE_OUTPUT%/*}/report" ] || echo none >"$play/none"
'"$passes"
    run_loops
    check_is "a wrong id: exit" "$status" 0
    check_has "the right one is named" "$play/talk.loop-reviewer.a.1" "$run-1"
    check_has "as an error of the tool" "$play/talk.loop-reviewer.a.1" '"isError":true'
    check "and nothing is reported" test -e "$play/none"
}

by_mcp_alone
the_worse_counts
notes_are_kept
the_run_with_an_issue
wrong_loops
exit "$failed"
