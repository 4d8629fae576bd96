#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What an index says of files is not believed: marks that tell git not to look at one, times and
# sizes that were made to fit. What counts, and what is committed, is what stands there.
#
# row: agent.index | it makes git's index deny what it did: files marked `assume-unchanged` or `skip-worktree`, sizes and times made to fit | marked files are looked at; commits of cycles and loops hold what differs by an index that no agent could write to | after a fixer without a sandbox, in review, iterate and session: sizes and times made to fit | `hidden.sh: asked again`, `hidden.sh: committed`, `test_tree_hidden.c: an_index_of_ours_sees_what_gits_own_denies`
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

# ---- reviewers ----

# sees NAME PREPARE DEED: a reviewer without a sandbox changes main.c, and is found out.
sees()
{
    forget
    rm -rf "$TMPDIR/work"
    new_repo "$TMPDIR/work"
    eval "$2"
    cp main.c "$TMPDIR/main.c"
    does critic "[ \$HONE_ATTEMPT != 1 ] || ( $3 ) >/dev/null 2>&1; cat '$play/clean'"
    hone run review --no-sandbox --agent "*=$agent"
    check_is "$1: clean in the end" "$status" 0
    check_is "$1: asked again" "$(started critic)" 2
    check_has "$1: it is named" "$err" "modified main.c"
    check "$1: it is as it was" cmp main.c "$TMPDIR/main.c"
}

marked_before()
{
    sees "assume-unchanged" "git update-index --assume-unchanged main.c" "echo evil >main.c"
    sees "skip-worktree" "git update-index --skip-worktree main.c" "echo evil >main.c"
    sees "skip-worktree, and changed" "git update-index --skip-worktree main.c; echo mine >main.c" \
        "echo evil >main.c"
    sees "an index of version 4" \
        "git update-index --index-version 4; git update-index --assume-unchanged main.c" \
        "echo evil >main.c"
    sees "a split index" \
        "git update-index --assume-unchanged main.c; git update-index --split-index" \
        "echo evil >main.c"
}

# The size and the time of the file are as they were, and git is told that this is enough.
old='touch -d 2020-01-01 main.c'
times()
{
    sees "marked by the reviewer" ":" "git update-index --assume-unchanged main.c; echo x >main.c"
    sees "deleted, and marked" ":" "git update-index --skip-worktree main.c; echo x >main.c"
    sees "a change that keeps size and time" "$old; git add main.c; sleep 1.1
        git config core.trustctime false; git config core.checkStat minimal" \
        "sed -i s/0/1/ main.c; $old"
}

# ---- commits ----

# The file holds "good" and HEAD "evil"; git status finds no difference. $attributes is a file
# outside of the repository.
lie()
{
    echo '*.txt filter=lie' >"$TMPDIR/attributes"
    cat <<'SCRIPT'
echo evil >a.txt; git add a.txt; git commit -q -m evil
echo 'good and longer' >a.txt; touch -d 2020-01-01 a.txt
SCRIPT
    case $1 in
    times)
        echo "git -c core.attributesFile='$TMPDIR/attributes' -c filter.lie.clean='echo evil' \
            add a.txt" ;;
    *) echo "git update-index --$1 a.txt" ;;
    esac
    echo "git status --porcelain a.txt >'$play/git.says'"
}

# truth NAME: what was committed is what the reviewer saw.
truth()
{
    check_is "$1: exit" "$status" 0
    check_is "$1: git saw nothing" "$(cat "$play/git.says")" ""
    check_is "$1: reviewed" "$(cat "$play/seen")" "good and longer"
    check_is "$1: committed" "$(git show HEAD:a.txt)" "good and longer"
    rm -f "$play/seen" "$play/git.says"
}

loops()
{
    . "$TOP/tests/support/loops.sh"
    for way in assume-unchanged skip-worktree times; do
        begin_story
        tasks '- [ ] a: Add a'
        does builder "$(lie "$way"); echo TASK_COMPLETE"
        does loop-reviewer "cat a.txt >'$play/seen'; $passes"
        run_loops
        truth "loops, $way"
    done
}

cycles()
{
    . "$TOP/tests/support/cycles.sh"
    for way in assume-unchanged skip-worktree times; do
        begin_story
        does implementer "$(lie "$way"); echo done"
        does spec-reviewer "cat a.txt >'$play/seen'; $passes"
        hone run cycles --spec "$spec" --phases 1 --session-dir out/s --agent "*=$agent"
        truth "cycles, $way"
    done
    begin_story
    does implementer "echo '*.made' >.gitignore; echo x >a.made; git add -f a.made .gitignore
git commit -q -m made; echo y >b.txt; echo done"
    hone run cycles --spec "$spec" --phases 1 --session-dir out/s --agent "*=$agent"
    check_is "what is ignored and committed all the same: exit" "$status" 0
    check_is "what is ignored and committed all the same: it stays" "$(git ls-files '*.made')" \
        a.made
}

# A file of the user's that git shall not look at does not stop a run, and is in no commit.
users()
{
    . "$TOP/tests/support/cycles.sh"
    begin_story
    git update-index --skip-worktree notes.txt
    echo mine >notes.txt
    hone run cycles --spec "$spec" --phases 1 --session-dir out/s --agent "*=$agent"
    check_is "the user's own mark: exit" "$status" 0
    check_is "the user's own mark: committed as it was" "$(git show HEAD:notes.txt)" hello
    check_is "the user's own mark: still there" "$(cat notes.txt) $(git ls-files -v notes.txt)" \
        "mine S notes.txt"
}

together marked_before times loops cycles users
exit "$failed"
