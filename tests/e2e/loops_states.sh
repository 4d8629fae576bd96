#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Loops seen while they go on: what their table and `hone status` say of a loop that is revised,
# what reviewers are told of the other loops, which iterations bring a checkpoint, and what a resume
# after stuck begins with.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/loops.sh"
. "$TOP/tests/support/models.sh"

# For the agents: waits until COMMAND succeeds; gives up after half a minute.
cat >"$TMPDIR/until" <<'END'
until_so()
{
    left=600
    until "$@" 2>/dev/null || [ $((left -= 1)) = 0 ]; do sleep 0.05; done
}
END

# loop_cells TITLE: of the first loop, out of the table of hone status.
loop_cells()
{
    awk -v title="$1" '$1 == "loop" { from = index($0, title); rest = substr($0, from)
        match(rest, /^[a-z]+ */); size = RLENGTH; next }
        from { cell = substr($0, from, size); sub(/ *$/, "", cell); print cell; exit }' \
        "$TMPDIR/status"
}

# loop.status = 'needs_revision' from the failed review until the revision's own review begins.
revised()
{
    begin_story
    tasks '- [ ] a: Add a'
    does builder '. "$play/note"; echo x >>a.txt
[ "$HONE_ITERATION" = 1 ] || { : >"$play/revises"; . "$until"; until_so test -e "$play/seen"; }
echo TASK_COMPLETE'
    does loop-reviewer ". \"\$play/note\"; if [ \$HONE_ROUND = 1 ]; then
$fails
else : >\"\$play/looks\"; . \"\$until\"; until_so test -e \"\$play/looked\"; $passes; fi"
    "$HONE" run loops --tasks "$TMPDIR/tasks.md" --agent "*=$agent" --max-iterations 1 \
        >"$out" 2>"$err" &
    engine=$!
    check "revised: it came so far" until_true 30 test -e "$play/revises"
    state="select status || ' ' || review_status || ' ' || revision_attempts || ' ' || iteration
        || ' ' || (last_review_id is not null) from loops"
    check_is "the table: loop.status is needs_revision while it is revised" "$(sql "$state")" \
        "needs_revision failed 1 2 1"
    check_is "status --json: needs_revision" \
        "$(loop_member a status) $(loop_member a reviewStatus) $(loop_member a revisionAttempts)" \
        "needs_revision failed 1"
    "$HONE" status >"$TMPDIR/status"
    check_has "status: needs_revision" "$TMPDIR/status" needs_revision
    # One run of the builder, and 3 revisions can follow.
    check_is "status: no iteration beyond its bound" "$(loop_cells iteration)" "2 of 4"
    check_is "status --json: nor there" \
        "$(loop_member a iteration) of $(loop_member a iteration_max)" "2 of 4"
    check_is "the table: nor there" \
        "$(sql "select iteration || ' of ' || max_iterations from loops")" "2 of 4"
    : >"$play/seen"
    check "revised: it is reviewed again" until_true 30 test -e "$play/looks"
    check_is "the table: until the revision's review begins" "$(sql "$state")" \
        "running in_progress 1 2 1"
    : >"$play/looked"
    wait "$engine"
    check_is "revised: exit" $? 0
    check_is "the table: and passes" "$(sql "$state")" "completed passed 1 2 1"
    "$HONE" status >"$TMPDIR/status"
    check_is "status: a loop that is done has no bound" "$(loop_cells iteration)" 2
    check_is "the last review is the newest" \
        "$(sql "select r.passed from loops l join loop_reviews r on r.id = l.last_review_id")" 1
    tidy "revised"
}

# high: every 3 iterations. Loop a is built and revised twice, b has completed no task.
checkpoint_of_revisions()
{
    begin_story
    tasks '- [ ] a: Add a' '- [ ] b: Add b'
    does builder '. "$play/note"; echo x >>"$HONE_TASK_ID.txt"; . "$until"
if [ $HONE_TASK_ID = a ]; then echo TASK_COMPLETE; exit; fi
[ "$HONE_ITERATION" = 1 ] && until_so test -e "$play/third" && echo half && exit
echo TASK_COMPLETE'
    does loop-reviewer ". \"\$play/note\"; cp \"\${HONE_OUTPUT%/*}/prompt\" \
\"\$play/asked.\$HONE_TASK_ID.\$HONE_ITERATION\"
if [ \$HONE_TASK_ID = a ] && [ \$HONE_ROUND -lt 3 ]; then
$fails
else [ \$HONE_TASK_ID = b ] || : >\"\$play/third\"; $passes; fi"
    run_loops --effort high
    check_is "three iterations, two of them revisions: exit" "$status" 0
    check_is "a loop that has completed no task is reviewed" \
        "$(sql "select loop_id || ' ' || passed from loop_reviews where task_id is null")" \
        "$run-2 1"
    check_is "no state of the revised loop is reviewed twice" \
        "$(sql "select count(*) from loop_reviews where loop_id = '$run-1'")" 3
    check_is "the checkpoint looked at iteration 3 and iteration 1" \
        "$(sql "select last_review_at from loops order by id" | tr '\n' ' ')" "3 1 "
    check_has "what it is told of the other loop" "$play/asked.b.1" "- Loop $run-1 ("
    tidy "a checkpoint of revisions"
}

# low has none after any revision.
no_checkpoint()
{
    begin_story
    tasks '- [ ] a: Add a'
    does builder '. "$play/note"; echo x >>a.txt
[ "$HONE_ITERATION" -lt 6 ] && echo half && exit; echo TASK_COMPLETE'
    does loop-reviewer ". \"\$play/note\"; if [ \$HONE_ROUND -lt 3 ]; then $fails; else $passes; fi"
    run_loops --effort low
    check_is "low: exit" "$status" 0
    check_is "low: no checkpoint reviews" \
        "$(sql "select count(*) || ' ' || count(task_id) from loop_reviews")" "3 3"
}

# - Loop A (completed): title / - Loop C (in_progress): title, iteration 3
others()
{
    begin_story
    tasks '- [ ] a: Add a' '- [ ] b: Add b' '- [ ] c: Add c' '- [ ] d: Add d'
    does builder '. "$play/note"; echo x >>"$HONE_TASK_ID.txt"; . "$until"
case $HONE_TASK_ID$HONE_ITERATION in
b1) until_so test -e "$play/at.c" -a -e "$play/at.d" ;;
c1) echo half; exit ;;
c2) : >"$play/at.c"; until_so test -e "$play/b.seen" ;;
d2) : >"$play/at.d"; until_so test -e "$play/b.seen" ;;
esac
echo TASK_COMPLETE'
    does loop-reviewer ". \"\$play/note\"
[ \$HONE_TASK_ID = b ] && cp \"\${HONE_OUTPUT%/*}/prompt\" \"\$play/asked\" && : >\"\$play/b.seen\"
if [ \$HONE_TASK_ID\$HONE_ROUND = d1 ]; then
$fails
else $passes; fi"
    run_loops
    check_is "the others: exit" "$status" 0
    check_has "a loop that is through" "$play/asked" "- Loop $run-1 (completed): Add a"
    check_has "one at work, with its iteration" "$play/asked" \
        "- Loop $run-3 (in_progress): Add c, iteration 2"
    check_has "one that is revised, with its iteration" "$play/asked" \
        "- Loop $run-4 (needs_revision): Add d, iteration 2"
    check_is "itself is none of them" "$(grep -c -- "- Loop $run-2 " "$play/asked")" 0
}

# Stuck, and then a resume: a fresh allowance; the builder first where the work tree is as it was.
stuck_again()
{
    begin_story
    tasks '- [ ] a: Add a' '- [ ] b: Add b'
    does builder '. "$play/note"; echo x >>"$HONE_TASK_ID.txt"; echo TASK_COMPLETE'
    does loop-reviewer ". \"\$play/note\"; if [ \$HONE_TASK_ID = a ]; then
$fails
else $passes; fi"
    run_loops --effort low
    check_is "stuck: exit" "$status" 1
    : >"$play/who"
    hone resume
    check_is "not helped: stuck again" "$status" 1
    check_is "stuck again: no iteration beyond its bound" \
        "$(loop_member a iteration) of $(loop_member a iteration_max)" "5 of 5"
    check_is "unchanged: the builder comes first, with a fresh allowance" \
        "$(cut -d ' ' -f 1,2 "$play/who" | tr '\n' ,)" \
        "builder a,loop-reviewer a,builder a,loop-reviewer a,"
    check_is "unchanged: iterations go on counting" "$(cut -d ' ' -f 3 "$play/who" | tr '\n' ' ')" \
        "4 4 5 5 "
    check_is "unchanged: in the row, too" \
        "$(sql "select iteration from loops where id = '$run-1'")" 5
    check_is "unchanged: every review has its row" \
        "$(sql "select count(*) from loop_reviews where loop_id = '$run-1'")" 5
    check_is "unchanged: all revisions are counted" "$(loop_member a revisionAttempts)" 4
    check_is "the user's branch has not moved" "$(subjects)" first
}

# Stuck at the bound of iterations: a resume allows as many again, and they go on counting.
more_iterations()
{
    begin_story
    tasks '- [ ] a: Add a'
    does builder '. "$play/note"; grep "^## Iteration" "${HONE_OUTPUT%/*}/prompt" >>"$play/told"
echo "more to do"
[ "$HONE_ITERATION" -lt 4 ] || echo TASK_COMPLETE'
    run_loops --max-iterations 2
    check_is "too many iterations: exit" "$status" 1
    hone resume
    check_is "more iterations: exit" "$status" 0
    check_is "more iterations: they go on counting" "$(cut -d ' ' -f 1,3 "$play/who" | tr '\n' ,)" \
        "builder 1,builder 2,builder 3,builder 4,loop-reviewer 4,run-reviewer 1,"
    check_is "more iterations: the builder is told" "$(tr -d '#\n' <"$play/told")" \
        " Iteration 1 of at most 2 Iteration 2 of at most 2 $(
        )Iteration 3 of at most 4 Iteration 4 of at most 4"
    check_is "more iterations: in the row, too, with the 3 revisions that can follow" \
        "$(sql "select iteration || ' of ' || max_iterations from loops")" "4 of 7"
}

# "cost_usd REAL DEFAULT 0": what the client says that a review cost; 0 where it says nothing.
costs()
{
    begin_story
    tasks '- [ ] a: Add a' '- [ ] b: Add b'
    does loop-reviewer "if [ \$HONE_TASK_ID\$HONE_ROUND = a1 ]; then
$fails
else $passes; fi"
    mkdir -p "$TMPDIR/bin"
    stand_in_claude "$TMPDIR/bin/claude" "${agent#cmd:}"
    PATH=$TMPDIR/bin:$PATH run_loops --agent loop-reviewer=claude
    check_is "costs: exit" "$status" 0
    check_is "costs: of each review" "$(sql "select loop_id || ' ' || passed || ' ' || cost_usd
        from loop_reviews order by loop_id, reviewed_at" | tr '\n' ,)" \
        "$run-1 0 0.25,$run-1 1 0.25,$run-2 1 0.25,"
    begin_story
    run_loops
    check_is "costs: none is said" "$(sql "select loop_id || ' ' || cost_usd from loop_reviews
        order by loop_id" | tr '\n' ,)" "$run-1 0.0,$run-2 0.0,"
}

export until="$TMPDIR/until"
together revised checkpoint_of_revisions no_checkpoint others stuck_again more_iterations \
    costs
exit "$failed"
