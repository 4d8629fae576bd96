#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The loops dialect in real repositories: tasks side by side, their reviews, what is merged when,
# what the tables say, and what happens where something goes wrong.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/loops.sh"

# ---- the normal way ----

two_groups()
{
    begin_story
    tasks '# one' '- [ ] a: Add a - all of it' '- [ ] b: Add b (depends_on: a)' '- [ ] c: Add c' \
        '- [x] z: Done before' '# two' '- [ ] d: Add d (depends_on: b)'
    run_loops
    check_is "two groups: exit" "$status" 0
    check_is "a task waits for what it depends on, a group for the one before" \
        "$(who builder | sed 's/^c a/a c/')" "a c b d"
    check_is "each is reviewed" "$(who loop-reviewer | tr ' ' '\n' | sort | tr '\n' ' ')" "a b c d "
    check_is "the run as well" "$(who run-reviewer)" "-"
    check_is "a commit per task, in order" "$(subjects)" "first,Add a,Add c,Add b,Add d"
    check_is "all is there" "$(cat a.txt b.txt c.txt d.txt | tr '\n' ' ')" \
        "Add a  all of it Add b Add c Add d "
    check "what was done is not built" test ! -e z.txt
    tidy "two groups"
}

rows()
{
    begin_story
    tasks '# g' '- [ ] a: Add a' '- [ ] b: Add b'
    does loop-reviewer ". \"\$play/note\"; if [ \$HONE_TASK_ID = a ] && [ \$HONE_ROUND = 1 ]; then
$fails
else $passes; fi"
    does builder '. "$play/note"; echo "$HONE_ROUND" >>"$HONE_TASK_ID.txt"
cp "${HONE_OUTPUT%/*}/prompt" "$play/asked.$HONE_TASK_ID.$HONE_ITERATION"
echo TASK_COMPLETE'
    run_loops --max-loops 1
    check_is "a failed review, then a pass: exit" "$status" 0
    check_has "the builder is told" "$play/asked.a.2" "a.txt:1 (dead-code): not good yet"
    check_has "with the suggestion" "$play/asked.a.2" "Suggestion: make it good"
    check_is "a row for each review" \
        "$(sql "select loop_id || ' ' || task_id || ' ' || passed from loop_reviews
            order by reviewed_at" | tr '\n' ,)" "$run-1 a 0,$run-1 a 1,$run-2 b 1,"
    check_is "the issue belongs to its review" \
        "$(sql "select i.description || ' ' || i.task_id || ' ' || r.passed from review_issues i
            join loop_reviews r on r.id = i.loop_review_id and r.loop_id = i.loop_id")" \
        "not good yet a 0"
    check_is "the loop knows its last review" \
        "$(sql "select l.review_status || ' ' || l.revision_attempts || ' ' || r.passed
            from loops l join loop_reviews r on r.id = l.last_review_id where l.id = '$run-1'")" \
        "passed 1 1"
    check_is "tasks are completed" \
        "$(sql "select id || ' ' || status || ' ' || group_name || ' ' || loop_id from tasks
            order by position" | tr '\n' ,)" "a completed g $run-1,b completed g $run-2,"
    check_is "all keys fit" "$(sql 'select count(*) from pragma_foreign_key_check')" 0
    "$HONE" status >"$out"
    check_has "status: a loop" "$out" "$run-1  g      a     completed"
    check_is "status: JSON" "$(loop_member a revisionAttempts) $(loop_member a reviewStatus)" \
        "1 passed"
    tidy "rows"
}

json_list()
{
    begin_story
    printf '{"tasks":[{"id":"x","title":"Do x","group":"1"},{"id":"y","title":"Do y","group":"2",
        "depends_on":["x"]}]}' >"$TMPDIR/tasks.json"
    hone run loops --tasks "$TMPDIR/tasks.json" --agent "*=$agent"
    check_is "a list in JSON: exit" "$status" 0
    check_is "a list in JSON: in order" "$(who builder)" "x y"
}

# ---- stuck ----

stuck()
{
    begin_story
    tasks '# one' '- [ ] a: Add a' '- [ ] b: Add b' '# two' '- [ ] c: Add c'
    does loop-reviewer ". \"\$play/note\"; if [ \$HONE_TASK_ID = a ] && ! grep -q good a.txt; then
$fails
else $passes; fi"
    run_loops --effort low
    check_is "a stuck loop: exit" "$status" 1
    check_is "two revisions at low effort" "$(who builder | tr ' ' '\n' | grep -c a)" 3
    check_is "the other goes on" "$(who loop-reviewer | tr ' ' '\n' | grep -c b)" 1
    check_is "its group is blocked: nothing is merged" "$(subjects)" first
    check_is "status: stuck" "$(loop_member a status) $(loop_member a reviewStatus)" \
        "stuck failed"
    check_is "status: passed" "$(loop_member b status) $(loop_member b reviewStatus)" \
        "completed passed"
    tree=$(sql "select worktree_path from loops where id = '$run-1'")
    check "its work tree is kept" test -e "$tree/a.txt"
    check_has "and named" "$out" "$run-1"
    echo good >>"$tree/a.txt"
    : >"$play/who"
    hone resume
    check_is "somebody helped: exit" "$status" 0
    check_is "the review comes first" "$(head -n 1 "$play/who" | cut -d ' ' -f 1,2)" \
        "loop-reviewer a"
    check_is "what had passed is not built again" "$(who builder)" "c"
    check_is "all is merged" "$(subjects)" "first,Add a,Add b,Add c"
    tidy "stuck"
}

stuck_by_itself()
{
    begin_story
    tasks '- [ ] a: Add a'
    does builder '. "$play/note"; echo "TASK_COMPLETE is what I cannot say"
echo "TASK_STUCK: there is no key"'
    run_loops
    check_is "TASK_STUCK: exit" "$status" 1
    check_is "TASK_STUCK: at once" "$(who builder)" a
    check_is "TASK_STUCK: no review" "$(who loop-reviewer)" ""
    check_has "TASK_STUCK: the reason" "$err" "there is no key"
    hone answer accept
    check_is "TASK_STUCK: nothing to accept" "$status" 2
    does builder '. "$play/note"; echo key >a.txt; echo TASK_COMPLETE'
    hone answer continue
    check_is "TASK_STUCK: an answer goes on: exit" "$status" 0
    check_is "TASK_STUCK: and it is merged" "$(subjects)" "first,Add a"
    does builder '. "$play/note"; echo "a marker elsewhere: TASK_COMPLETE"; echo "more to do"'
    copy_of "$template" work
    : >"$play/who"
    run_loops --max-iterations 3 --effort low
    check_is "too many iterations: exit" "$status" 1
    check_is "too many iterations" "$(cut -d ' ' -f 3 "$play/who" | tr '\n' ' ')" "1 2 3 "
}

# ---- checkpoints ----

checkpoints()
{
    begin_story
    tasks '- [ ] a: Add a' '- [ ] b: Add b'
    does builder '. "$play/note"; echo x >>"$HONE_TASK_ID.txt"
cp "${HONE_OUTPUT%/*}/prompt" "$play/asked.$HONE_TASK_ID.$HONE_ITERATION"
if [ "$(wc -l <"$HONE_TASK_ID.txt")" = 2 ]; then echo TASK_COMPLETE; else echo "half"; fi'
    does loop-reviewer ". \"\$play/note\"; if [ \"\$(wc -l <\$HONE_TASK_ID.txt)\" = 1 ]; then
$fails
else $passes; fi"
    run_loops --effort max
    check_is "checkpoints: exit" "$status" 0
    check_is "a checkpoint is of no task" \
        "$(sql "select count(*) || ' ' || sum(passed) from loop_reviews where task_id is null")" \
        "2 0"
    check_is "and no revision" "$(sql 'select sum(revision_attempts) from loops')" 0
    check_is "the reviews count" \
        "$(sql "select count(*) || ' ' || sum(passed) from loop_reviews
            where task_id is not null")" "2 2"
    check_has "its feedback reaches the builder" "$play/asked.a.2" "Feedback of a checkpoint"
    check_has "issue by issue" "$play/asked.a.2" "a.txt:1 (dead-code): not good yet"
    tidy "checkpoints"
}

# ---- conflicts ----

conflict()
{
    begin_story
    tasks '- [ ] a: Change two' '- [ ] b: Change two too'
    does builder '. "$play/note"
if grep -q "^<<<<<<<" notes.txt; then
    cp "${HONE_OUTPUT%/*}/prompt" "$play/asked"
    sed -i "/^<<<<<<< /d; /^=======/d; /^>>>>>>> /d" notes.txt
else
    sed -i "s/^two.*/two $HONE_TASK_ID/" notes.txt
fi
echo TASK_COMPLETE'
    run_loops
    check_is "a conflict: exit" "$status" 0
    check_is "a conflict: what became of each" \
        "$(sed -nE 's/.* (.) round .* integrator +([a-z ]+) \(.*/\1 \2/p' "$err" | tr '\n' ';')" \
        "a merged;b not merged;b merged;"
    check_is "both sides are there" "$(sort notes.txt | tr '\n' ' ')" "one three two a two b "
    check_has "the builder sees both sides" "$play/asked" "## Conflict"
    check_has "ours" "$play/asked" "two b"
    check_has "theirs" "$play/asked" "two a"
    check_is "the user's branch moved by fast-forward only" \
        "$(git reflog --format=%H main | while read -r new; do [ -z "$last" ] ||
            git merge-base --is-ancestor "$new" "$last" || echo not; last=$new; done)" ""
    check_is "it costs a revision" \
        "$(sql "select revision_attempts from loops where id = '$run-2'")" 1
    check_is "and is reviewed again" "$(who loop-reviewer | tr ' ' '\n' | grep -c b)" 2
    tidy "conflict"
}

# ---- a spec ----

spec()
{
    begin_story
    printf '# Greetings\n\nSay hello in two ways.\n' >"$TMPDIR/spec.md"
    does enumerator '. "$play/note"; echo "Here they are:"; echo
echo "{\"tasks\":[{\"id\":\"hi\",\"title\":\"Say hi\"},{\"id\":\"ho\",\"title\":\"Say ho\","
echo "\"depends_on\":[\"hi\"]}]}"'
    does planner '. "$play/note"; echo "{\"groups\":[[\"hi\"],[\"ho\"]]}"'
    does run-reviewer ". \"\$play/note\"; if [ \$HONE_PHASE = review ] && [ ! -e hey.txt ]; then
$fails
else $passes; fi"
    does reviser '. "$play/note"
echo "{\"tasks\":[{\"id\":\"hey\",\"title\":\"Say hey\",\"depends_on\":[\"hi\"]}]}"'
    hone run loops --spec "$TMPDIR/spec.md" --agent "*=$agent" --effort high
    check_is "a spec: exit" "$status" 0
    check_is "a spec: who was asked" "$(cut -d ' ' -f 1,2 "$play/who" | tr '\n' ,)" \
        "enumerator -,run-reviewer -,planner -,run-reviewer -,builder hi,loop-reviewer hi,$(
        )builder ho,loop-reviewer ho,run-reviewer -,reviser -,builder hey,loop-reviewer hey,$(
        )run-reviewer -,"
    check_has "the spec is quoted" "$play/prompt.enumerator.1.1" "Say hello in two ways."
    check_is "an issue of the run has no loop" \
        "$(sql "select count(*) from review_issues where loop_id is null")" 1
    check_is "three tasks" "$(subjects)" "first,Say hi,Say ho,Say hey"
    tidy "a spec"
}

# ---- trouble ----

refused()
{
    begin_story
    tasks '- [ ] a: A (depends_on: b)' '- [ ] b: B (depends_on: c)' '- [ ] c: C (depends_on: a)'
    run_loops
    one_line "a circle" 2 "in a circle: a (line 1) -> b (line 2) -> c (line 3) -> a"
    hone run loops --agent "*=$agent"
    one_line "no list" 2 "--tasks FILE"
    tasks '- [ ] a: A'
    echo changed >>notes.txt
    run_loops
    check_is "a dirty tree: exit" "$status" 2
    check_has "a dirty tree: the file" "$err" notes.txt
    check "nobody was asked" test ! -e "$play/who"
    run_loops --allow-dirty
    check_is "a dirty tree, allowed: exit" "$status" 0
    check_is "what was dirty still is" "$(git status --porcelain)" " M notes.txt"
}

hook_refuses()
{
    begin_story
    tasks '- [ ] a: Add a'
    printf '#!/bin/sh\necho "no commits today" >&2\nexit 1\n' >.git/hooks/pre-commit
    chmod +x .git/hooks/pre-commit
    run_loops
    check_is "a hook that refuses: exit" "$status" 3
    check_has "a hook that refuses: its words" "$err" "no commits today"
    check_is "a hook that refuses: nothing is merged" "$(subjects)" first
    rm .git/hooks/pre-commit
    hone resume
    check_is "a hook that relents: exit" "$status" 0
    check_is "a hook that relents: nobody is asked again" "$(who builder)" a
    check_is "a hook that relents: it is merged" "$(subjects)" "first,Add a"
    tidy "a hook that relents"
}

killed()
{
    begin_story
    tasks '- [ ] a: Add a' '- [ ] b: Add b'
    does builder '. "$play/note"; echo x >"$HONE_TASK_ID.txt"
if [ "$HONE_TASK_ID" = a ] && [ ! -e "$play/once" ]; then : >"$play/once"; kill -KILL $$; fi
echo TASK_COMPLETE'
    run_loops
    check_is "a builder killed: exit" "$status" 0
    check_is "a builder killed: once more" "$(who builder | tr ' ' '\n' | grep -c a)" 2
    tidy "a builder killed"
}

deleted()
{
    begin_story
    tasks '- [ ] a: Add a'
    does loop-reviewer '. "$play/note"; exit 7'
    run_loops
    check_is "a dead reviewer: exit" "$status" 3
    tree=$(sql "select worktree_path from loops where id = '$run-1'")
    check "its work is kept" test -e "$tree/a.txt"
    rm -rf "$tree"
    does loop-reviewer ". \"\$play/note\"; if [ -e a.txt ]; then $passes; else $fails; fi"
    hone resume
    check_is "a work tree deleted by hand: exit" "$status" 0
    check_has "a work tree deleted by hand: said" "$err" "$run-1"
    check_is "a work tree deleted by hand: all is there" "$(cat a.txt)" "Add a"
    tidy "a work tree deleted by hand"
}

# All builders have built, and b is being reviewed.
all_reviewed()
{
    [ -e "$play/once" ] && [ "$(grep -c '^loop-reviewer ' "$play/who")" -ge 3 ]
}

engine_killed()
{
    begin_story
    tasks '- [ ] a: Add a' '- [ ] b: Add b' '- [ ] c: Add c'
    does loop-reviewer ". \"\$play/note\"
if [ \$HONE_TASK_ID = b ] && [ ! -e \"\$play/once\" ]; then : >\"\$play/once\"; sleep 30; fi
$passes"
    "$HONE" run loops --tasks "$TMPDIR/tasks.md" --agent "*=$agent" >"$out" 2>"$err" &
    engine=$!
    check "hone killed: it came so far" until_true 30 all_reviewed
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    hone resume
    check_is "hone killed: resumed" "$status" 0
    check_is "hone killed: nobody built twice" "$(who builder | tr ' ' '\n' | sort | uniq -d)" ""
    check_is "hone killed: a row for each review that counts" \
        "$(sql 'select count(*) from loop_reviews where passed = 1')" 3
    tidy "hone killed"
}

# A git that writes down what it is asked for.
count_git()
{
    mkdir -p "$TMPDIR/bin"
    cat >"$TMPDIR/bin/git" <<END
#!/bin/sh
echo "\$*" >>'$TMPDIR/gits'
PATH=\${PATH#*:} exec git "\$@"
END
    chmod +x "$TMPDIR/bin/git"
}

many()
{
    begin_story
    local i list=()
    for i in $(seq 50); do list+=("- [ ] t$i: Add $i"); done
    tasks "${list[@]}"
    # shellcheck disable=SC2016 # for the agent's shell
    does run-reviewer '. "$play/note"; ls .git/hone/glass | wc -l >"$play/glasses"
'"$passes"
    count_git
    PATH=$TMPDIR/bin:$PATH limit=300 run_loops --max-loops 8
    check_is "fifty loops: exit" "$status" 0
    check_is "fifty loops: merged" "$(ls t*.txt | wc -l)" 50
    check_is "fifty loops: rows" "$(sql "select count(*) from loops where status = 'completed'")" 50
    check_is "fifty loops: reviews" "$(sql "select count(*) from loop_reviews where passed")" 50
    check_is "fifty loops: no word of trouble" "$(grep -ci 'lock\|error\|fail' "$err")" 0
    check_is "fifty loops: what is integrated is walked once for each" \
        "$(grep -c ' merge-base ' "$TMPDIR/gits")" 50
    check_is "fifty loops: what looks at a work tree goes with it" "$(cat "$play/glasses")" 1
    tidy "fifty loops"
}

together two_groups rows json_list stuck stuck_by_itself checkpoints conflict spec refused killed \
    hook_refuses deleted engine_killed
many
exit "$failed"
