# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# small_runs.sh - a small run of each dialect, for stories that compare its end with that of the
# same run under other conditions: killed and resumed, or played on other machines.
#
# Sourced after story.sh. Each small_DIALECT makes $TMPDIR/template, and says how it is run (the
# array `run`) and what is compared (the function `end_files`, in the work tree at the end). Agents
# are commands without files of their own, so that they play anywhere.

# template_new: an empty place for it.
template_new()
{
    rm -rf "$TMPDIR/template"
    new_repo "$TMPDIR/template"
}

# Two rounds and a repair.
small_review()
{
    template_new
    run=(review "a task" --no-sandbox --agent "*=$reviewer" --agent "review-fixer=$fixer")
    end_files()
    {
        contract_files .
        cat notes.txt
        git status --porcelain
    }
}

# Eight phases, one of them with a repair, and a test.
small_iterate()
{
    template_new
    mkdir .claude
    cat >.claude/iterate-config.local.json <<'END'
{"version": 2, "phases": {"1": {"parallel": false}, "2": {"parallel": true}}}
END
    git add -A && git commit -q -m settings
    local looks="cmd:if grep -q defect notes.txt; then echo 'HIGH notes.txt:2 a defect is left'"
    looks+="; else echo 'No issues found.'; fi"
    run=(iterate "a task" --lite --test true --no-sandbox --agent '*=cmd:echo done'
        --agent 'plan-reviewer=cmd:echo No issues found.' --agent "code-reviewer=$looks"
        --agent 'final-reviewer=cmd:echo No issues found.' --agent "fixer=$fixer")
    end_files()
    {
        sed -e 's/"startedAt": "[^"]*"/"startedAt": "T"/' .agents/iteration-state.json
        cat notes.txt
    }
}

# One phase, two cycles, two commits. MADE and FIXED: what else its two writers do at their end.
small_cycles() # [MADE [FIXED]]
{
    template_new
    git commit -q -a -m clean
    local looks="cmd:if grep -q fixed notes.txt; then echo '## Grade: PASS'"
    looks+="; else echo 'notes.txt:1 - not fixed'; echo; echo '## Grade: WARN'; fi"
    run=(cycles "a task" --session-dir out --no-sandbox --agent "spec-reviewer=$looks"
        --agent "implementer=cmd:echo built >built.txt; ${1:-:}; echo done"
        --agent "spec-fixer=cmd:echo fixed >notes.txt; ${2:-:}; echo done")
    end_files()
    {
        git log --format=%s
        git status --short
        find out -type f | LC_ALL=C sort | while read -r file; do
            echo "== $file"
            sed -e 's/^created_at: .*/created_at: T/' "$file"
        done
    }
}

# A review of what is there, a stage that is sent back, a repair, and both again. It stops before
# security, whose two reviewers may end in either order.
small_session()
{
    local player

    template_new
    git commit -q -a -m clean
    # shellcheck disable=SC2016 # for the agent's shell
    player='approve() { printf "### VERDICT: APPROVE\n\n### Strengths\n- short\n"; }
case $HONE_ROLE-$HONE_PHASE in
executor-*)
    grep -q "bye $HONE_PHASE" notes.txt || echo "bye $HONE_PHASE" >>notes.txt
    printf "## Implementation Complete: bye\n\n### Changes Made\na\n\n"
    printf "### Files Modified / Created / Deleted\n- \`notes.txt\` - b\n\n"
    printf "### Deviations from Plan\nNone\n\n### Notes for Reviewer\nc\n" ;;
polish-*)
    if grep -q "bye polish" notes.txt; then approve; else
        printf "### VERDICT: REQUEST_CHANGES\n\n### Issues\n- [CRITICAL] too short\n"
        printf "  File: \`notes.txt\`, around line 1\n\n### Strengths\n- short\n"
    fi ;;
*) approve ;;
esac'
    run=(session "a task" --review-only --stop-after before-docs --no-sandbox
        --agent "*=cmd:$player")
    end_files()
    {
        cat notes.txt
        git status --short
        find .review-loop -type f | sed 's/[0-9a-f]\{8\}-[-0-9a-f]*/UUID/' | LC_ALL=C sort
        sed -e '/^| [a-z]/s/| [^|]* |$/| T |/' -e '/(not taken)/d' .review-loop/sessions/*.md
    }
}

# subjects: of what the loops merged, in order.
subjects()
{
    git log --reverse --first-parent --format=%s main | sed 's/^Merge [^:]*: //' | tr '\n' ','
}

# rows QUERY: a line for each row, of its first column.
rows()
{
    "${SUPPORT:?}/sql" .git/hone/journal.db "$1"
}

# Two tasks side by side and one behind them; one of them is sent back once.
small_loops()
{
    local player

    rm -rf "$TMPDIR/template"
    mkdir -p "$TMPDIR/template" && cd "$TMPDIR/template" || exit 1
    git init -q -b main .
    echo text >notes.txt
    git add . && git commit -q -m first
    printf '%s\n' '# one' '- [ ] a: Add a' '- [ ] b: Add b' '# two' '- [ ] c: Add c' \
        >"$TMPDIR/tasks.md"
    # shellcheck disable=SC2016 # for the agent's shell
    player='case $HONE_ROLE in
builder)
    [ -e "$HONE_TASK_ID.txt" ] && touch good.txt
    echo "$HONE_TASK_ID" >"$HONE_TASK_ID.txt"
    echo TASK_COMPLETE ;;
loop-reviewer)
    if [ "$HONE_TASK_ID" = b ] && [ "$HONE_ROUND" = 1 ]; then
        printf "{\"passed\":false,\"interpretedIntent\":\"x\",\"issues\":[{\"file\":\"b.txt\","
        echo "\"line\":1,\"type\":\"dead-code\",\"description\":\"no\",\"suggestion\":\"more\"}]}"
    else
        echo "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}"
    fi ;;
*) echo "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}" ;;
esac'
    run=(loops --tasks "$TMPDIR/tasks.md" --no-sandbox --agent "*=cmd:$player")
    end_files()
    {
        subjects
        cat -- *.txt
        git status --porcelain
        git worktree list | wc -l
        git for-each-ref --format='%(refname)'
        rows "select id || ' ' || status || ' ' || group_name from tasks order by position"
        rows "select t.id || ' ' || l.review_status || ' ' || l.revision_attempts || ' ' || r.passed
            from loops l join tasks t on t.loop_id = l.id
            join loop_reviews r on r.id = l.last_review_id order by t.position"
        rows "select task_id || ' ' || passed || ' ' || count(*) from loop_reviews
            group by task_id, passed order by task_id, passed"
        rows "select task_id || ' ' || description from review_issues order by id"
        rows 'select count(*) from pragma_foreign_key_check'
    }
}

# A review whose fixer changes, makes and removes files of a work tree that was changed already;
# $mends is what the fixer does. after_death: no file is half of what it was or will be.
small_change()
{
    template_new
    for name in a b c; do echo "old $name" >"$name.txt"; done
    git add [abc].txt && git commit -q -m second
    echo 'dirty' >>b.txt
    echo 'not tracked' >untracked.txt
    mends="sed -i /defect/d notes.txt; sed -i s/old/new/ a.txt b.txt; rm c.txt untracked.txt"
    mends+="; mkdir -p made; echo new >made/new.txt; echo '# Fixed: notes.txt'"
    run=(review "a task")
    end_files()
    {
        contract_files .
        git status --porcelain --untracked-files=all | grep -v '^?? .agents/'
        find . -path ./.git -prune -o -path ./.agents -prune -o -type f -print | LC_ALL=C sort |
            xargs grep -H ''
        git ls-files --stage
        git for-each-ref
        git worktree list | wc -l
        ls .git/hone/worktrees 2>/dev/null
    }
    after_death()
    {
        local text
        for text in a.txt b.txt notes.txt made/new.txt; do
            [ -e "$text" ] || continue
            case $(tr '\n' ' ' <$text) in
            'old a ' | 'new a ' | 'old b dirty ' | 'new b dirty ') ;;
            'hello defect ' | 'hello ' | 'new ') ;;
            *) echo "half a file: $text" ;;
            esac
        done
    }
}
