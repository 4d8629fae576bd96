#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over loops: two tasks side by side and one behind them, one of them sent back once.
# kill_lanes.sh ends hone at calls of git; here it dies at writes of its own. Whenever it dies the
# user's branch is between two tasks; in the end each is merged once, nothing of the loops is left,
# and the tables tell all of it.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/kill_sweep.sh"

mkdir -p "$TMPDIR/template" && cd "$TMPDIR/template" || exit 1
git init -q -b main .
echo text >notes.txt
git add . && git commit -q -m first

cat >"$TMPDIR/agent" <<'END_AGENT'
#!/bin/sh
case $HONE_ROLE in
builder)
    [ -e "$HONE_TASK_ID.txt" ] && touch good.txt
    echo "$HONE_TASK_ID" >"$HONE_TASK_ID.txt"
    echo TASK_COMPLETE ;;
loop-reviewer)
    if [ "$HONE_TASK_ID" = b ] && [ "$HONE_ROUND" = 1 ]; then
        printf '{"passed":false,"interpretedIntent":"x","issues":[{"file":"b.txt","line":1,'
        echo '"type":"dead-code","description":"not yet","suggestion":"more"}]}'
    else
        echo '{"passed":true,"intentSatisfied":true,"issues":[]}'
    fi ;;
*) echo '{"passed":true,"intentSatisfied":true,"issues":[]}' ;;
esac
END_AGENT
chmod +x "$TMPDIR/agent"
printf '%s\n' '# one' '- [ ] a: Add a' '- [ ] b: Add b' '# two' '- [ ] c: Add c' \
    >"$TMPDIR/tasks.md"
run=(loops --tasks "$TMPDIR/tasks.md" --no-sandbox --quiet --agent "*=cmd:$TMPDIR/agent")

subjects()
{
    git log --reverse --first-parent --format=%s main | sed 's/^Merge [^:]*: //' | tr '\n' ','
}

# after_death: the branch has whole tasks, in order, or there is something to say about it.
after_death()
{
    local have files

    have=$(subjects)
    files=$(git ls-tree --name-only main | tr '\n' ',')
    case "$have $files" in
    'first, notes.txt,' | 'first,Add a, a.txt,notes.txt,') ;;
    'first,Add a,Add b, a.txt,b.txt,good.txt,notes.txt,') ;;
    'first,Add a,Add b,Add c, a.txt,b.txt,c.txt,good.txt,notes.txt,') ;;
    *) echo "dead, the branch has $have $files" ;;
    esac
}

# rows QUERY: a line for each row, of its first column.
rows()
{
    "${SUPPORT:?}/sql" .git/hone/journal.db "$1"
}

end_files()
{
    subjects
    cat -- *.txt
    git status --porcelain
    git worktree list | wc -l
    git for-each-ref --format='%(refname)'
    rows "select id || ' ' || status || ' ' || group_name from tasks order by position"
    rows "select t.id || ' ' || l.review_status || ' ' || l.revision_attempts || ' ' || r.passed
        from loops l join tasks t on t.loop_id = l.id join loop_reviews r on r.id = l.last_review_id
        order by t.position"
    rows "select task_id || ' ' || passed || ' ' || count(*) from loop_reviews
        group by task_id, passed order by task_id, passed"
    rows "select task_id || ' ' || description from review_issues order by id"
    rows 'select count(*) from pragma_foreign_key_check'
}

stride=${HONE_SWEEP_STRIDE:-17}
kill_sweep
exit "$failed"
