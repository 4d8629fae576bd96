# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of play.sh
#
# loops.sh - for stories of the loops dialect: a repository, and agents that build, review and list
# tasks. Sourced after play.sh.

# A clean repository.
template=$TMPDIR/template
mkdir -p "$template" && cd "$template" || exit 1
git init -q -b main .
printf 'one\ntwo\nthree\n' >notes.txt
git add . && git commit -q -m first

passes='echo "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}"'
# One issue, about the file of the task.
fails='printf "{\"passed\":false,\"interpretedIntent\":\"to be of use\",\"issues\":[{\"file\":"
printf "\"%s.txt\",\"line\":1,\"type\":\"dead-code\",\"description\":\"not good yet\"," \
    "$HONE_TASK_ID"
echo "\"suggestion\":\"make it good\"}]}"'

# What the agents do where a story says nothing else: a builder writes a file for its task and is
# done, reviewers pass.
defaults()
{
    # Which task was built, reviewed, merged when.
    echo 'echo "$HONE_ROLE ${HONE_TASK_ID:--} $HONE_ITERATION" >>"$play/who"' >"$play/note"
    does builder '. "$play/note"; echo "$HONE_TASK" >"$HONE_TASK_ID.txt"
echo "built it"; echo TASK_COMPLETE'
    does loop-reviewer ". \"\$play/note\"; $passes"
    does run-reviewer ". \"\$play/note\"; $passes"
    does reviser '. "$play/note"; echo "{\"tasks\":[]}"'
}

# begin_story: a fresh repository, agents as they are at first.
begin_story()
{
    forget
    rm -f "$play/who"
    copy_of "$template" work
    defaults
}

# tasks LINES...: the list, outside of the repository.
tasks()
{
    printf '%s\n' "$@" >"$TMPDIR/tasks.md"
}

# run_loops OPTIONS...: of that list.
run_loops()
{
    hone run loops --tasks "$TMPDIR/tasks.md" --agent "*=$agent" "$@"
    run=$(sed -n 's/^run \([a-z0-9]*\) begins.*/\1/p' "$err" | head -n 1)
}

# who ROLE: the tasks it was asked about, in order.
who()
{
    sed -n "s/^$1 \([^ ]*\) .*/\1/p" "$play/who" | tr '\n' ' ' | sed 's/ $//'
}

# sql QUERY: a line for each row, of its first column.
sql()
{
    "$SUPPORT/sql" .git/hone/journal.db "$1"
}

# The tasks in the order they were merged in.
subjects()
{
    git log --reverse --first-parent --format=%s | sed 's/^Merge [^:]*: //' | tr '\n' ',' |
        sed 's/,$//'
}

# tidy NAME: nothing of the loops is left.
tidy()
{
    check_is "$1: no work tree is left" "$(git worktree list | wc -l)" 1
    check_is "$1: no branch, no ref" "$(git for-each-ref --format='%(refname)')" refs/heads/main
    check_is "$1: nothing is changed" "$(git status --porcelain)" ""
}

# loop_member TASK KEY: of the loop of a task, out of hone status --json.
loop_member()
{
    "$HONE" status --json | tr -d ' \n' | sed 's/},{/}\n{/g; s/"loops":\[/\n/' |
        grep "\"task\":\"$1\"" | sed "s/.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/"
}
