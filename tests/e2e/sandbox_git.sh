#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What agents may change of what git knows: HEAD, branches, tags, the stash, what is staged. Where
# they may not commit the system refuses it, or it is found, named and put back, and no content is
# lost. Where they may, no branch but their own moves.
#
# row: agent.commits | it commits, stages, stashes, switches, or moves a branch or tag where that is not its work (review, iterate, session) | the git folder is read-only to it. Without a sandbox HEAD, branches, tags and what is staged are compared, put back and named; commits keep a name below `refs/hone/`, files stay as they are, and the answer does not count. A work tree or a stash that it made is left as it is, and no answer counts while it stands. The same holds for a session's executor while it plans | without a sandbox: what you commit yourself meanwhile is taken for its doing; a work tree that you add, too; a clone outside of the workspace, and work in a work tree that was there before; refs of remotes; an index written to by hand; HEAD where refs are in tables (reftable). After a crash it is told, not put back | `sandbox_git.sh: a commit, rewritten`, `sandbox_git.sh: branches that are packed`, `session_guards.sh: a hidden work tree: what lies where`, `session_guards.sh: a hidden work tree while planning: what lies where`, `test_refs.c: a_branch_that_moved_goes_back_and_its_commit_keeps_a_name`, `test_staged.c: what_was_staged_is_unstaged_again`
# row: agent.branches | one that may commit moves other branches than its own | a builder of loops can write to its own work tree's part of git, to objects, and to the one folder of refs that its branch is in. An agent of cycles keeps to the branch that is checked out, which only goes forward; branches beside it are compared and put back, and those that your other work trees are on are read-only | objects can be deleted; in cycles a branch of another work tree once you have moved it yourself, or where it is packed; without a sandbox a builder is only kept from ending on another branch, since you may be at work in your checkout | `sandbox_git.sh: lanes: nothing of it was done`, `sandbox_git.sh: lanes: the user's branches are as they were`, `sandbox_git.sh: other branches are as they were`, `sandbox_git.sh: the agent cannot move it`, `test_refs.c: its_own_branch_may_go_forward_and_only_so`
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/deed.sh"

template=$TMPDIR/template
new_repo "$template"
git branch -q other && git branch -q feature/one && git tag v1
echo staged >staged.txt && git add staged.txt

sandbox=
if has_sandbox "what git knows, in the sandbox"; then sandbox=yes; fi

# What git knows, without what is kept below refs/hone.
git_state()
{
    cat .git/HEAD
    git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags refs/stash
    git ls-files --stage -v
    ls .git/MERGE_HEAD .git/rebase-merge 2>/dev/null
}

# closed NAME WHAT COMMANDS: a sandbox refuses it; without one it is put back, and named as WHAT.
closed()
{
    local name=$1 what=$2

    if [ -n "$sandbox" ]; then
        copy_of "$template" work
        git_state >"$TMPDIR/before"
        fixes "$3"
        hone run review --agent "*=$agent"
        check_is "$name, sandbox: clean" "$status" 0
        check_not "$name, sandbox: it fails" test -e "$play/could"
        check_has "$name, sandbox: it is told why" "$play/why" "Read-only file system"
        check_is "$name, sandbox: the answer counts" "$(started review-fixer)" 1
        git_state >"$TMPDIR/after"
        check "$name, sandbox: nothing changed" diff "$TMPDIR/before" "$TMPDIR/after"
    fi
    copy_of "$template" work
    git_state >"$TMPDIR/before"
    fixes "$3"
    hone run review --no-sandbox --agent "*=$agent"
    check_is "$name: clean in the end" "$status" 0
    check "$name: it was done: $(cat "$play/why")" test -e "$play/could"
    check_is "$name: the answer did not count" "$(started review-fixer)" 2
    check_has "$name: it is named" "$err" "review-fixer changed what git knows ($what)"
    check_has "$name: it is told" "$play/prompt.review-fixer.1.2" \
        "You changed what git knows, which you may not ($what)"
    git_state >"$TMPDIR/after"
    check "$name: all is as it was" diff "$TMPDIR/before" "$TMPDIR/after"
}

# kept NAME COMMIT-MESSAGE...: each such commit has a name.
kept()
{
    local name=$1 message

    shift
    for message in "$@"; do
        check "$name: $message is kept" grep -qx "$message" \
            <(git for-each-ref --format='%(refname)' refs/hone | xargs -r git log --format=%s)
    done
}

commits()
{
    closed "a commit" "moved branch master, changed what is staged" \
        "echo new >new.txt; git add new.txt; git commit -q -m new"
    kept "a commit" new
    check_is "a commit: its file is there, as a change" "$(git status --short new.txt)" "?? new.txt"
    closed "a commit, rewritten" "moved branch master" "git commit -q --amend -m other --only"
    kept "a commit, rewritten" other
}

branches()
{
    closed "another branch" "moved HEAD to branch other" "git symbolic-ref HEAD refs/heads/other"
    closed "a commit on no branch" "moved HEAD to a commit, changed what is staged" \
        "git checkout -q --detach; git commit -q -a -m adrift"
    kept "a commit on no branch" adrift
    closed "a new branch" "moved HEAD to branch side, added branch side" "git switch -q -c side"
    closed "a branch deleted" "deleted branch feature/one" "git branch -q -D feature/one"
    closed "a branch in the way of one" "added branch feature, deleted branch feature/one" \
        "git branch -q -D feature/one; git branch -q feature"
    closed "branches that are packed" "deleted branch other, moved tag v1" \
        "git pack-refs --all; git branch -q -D other; git tag -f v1 \$(git commit-tree -m tagged \
HEAD^{tree})"
    kept "branches that are packed" tagged
}

others()
{
    closed "a tag" "added tag v2" "git tag v2"
    closed "what is staged" "changed what is staged" "git add -A"
    closed "a file that git shall not look at" "changed what is staged" \
        "git update-index --assume-unchanged main.c"
    closed "a HEAD that is none" "moved HEAD to nothing" "echo nonsense >.git/HEAD"
    if [ -n "$sandbox" ]; then
        copy_of "$template" work
        fixes "git stash"
        hone run review --agent "*=$agent"
        check_not "a stash, sandbox: it fails" test -e "$play/could"
    fi
    copy_of "$template" work
    fixes "git stash -q -- staged.txt"
    hone run review --no-sandbox --agent "*=$agent"
    check_has "a stash: it is named" "$err" "made a stash (left as it is)"
    check_is "a stash: it can be had" "$(git show 'stash@{0}:staged.txt')" staged
}

# A work tree beside the checkout hides work: refused, or named until it is gone. By agents that may
# commit, too.
work_trees()
{
    local option away=$TMPDIR/away

    for option in ${sandbox:+--sandbox} --no-sandbox; do
        rm -rf "$away"
        copy_of "$template" work
        fixes "git worktree add -q '$away' other"
        hone run review "$option" --agent "*=$agent"
        if [ "$option" = --sandbox ]; then
            check_is "a work tree, $option: clean" "$status" 0
            check_not "a work tree, $option: it fails" test -e "$play/could"
        else
            check_is "a work tree, $option: the run fails" "$status" 3
            check_is "a work tree, $option: asked twice" "$(started review-fixer)" 2
            check_has "a work tree, $option: named" "$err" "added work tree $away (left as it is)"
        fi

        rm -rf "$away"
        copy_of "$template" work
        git commit -q -a -m all
        spec
        forget
        does implementer "[ ! -e .git/worktrees/away ] && ! git worktree add -q --detach '$away' \
2>'$play/why'; echo made >made.txt; echo done"
        does spec-reviewer 'printf "## Grade: PASS\n"'
        hone run cycles "$option" --spec "$TMPDIR/001-thing.md" --agent "*=$agent"
        if [ "$option" = --sandbox ]; then
            check_is "cycles, a work tree, $option: exit" "$status" 0
            check_has "cycles, a work tree, $option: refused" "$play/why" "Read-only file system"
        else
            check_is "cycles, a work tree, $option: the run fails" "$status" 3
            check_has "cycles, a work tree, $option: named" "$err" "added work tree $away"
        fi
    done
    rm -rf "$away"
}

# What they need works: looking, applying a patch; and git writing its index anew changes nothing.
looks()
{
    local option

    for option in ${sandbox:+--sandbox} --no-sandbox; do
        copy_of "$template" work
        touch main.c
        fixes "git status >/dev/null; git diff --quiet HEAD -- main.c; git log -1
git show HEAD:main.c; git diff HEAD -- notes.txt | git apply -R; grep -q hello notes.txt
git stash list; git update-index --refresh || true; git gc -q || true; git describe --tags --dirty"
        hone run review "$option" --agent "*=$agent"
        check_is "looking, $option: clean" "$status" 0
        check "looking, $option: all works: $(cat "$play/why")" test -e "$play/could"
        check_is "looking, $option: the answer counts" "$(started review-fixer)" 1
    done
}

rights()
{
    copy_of "$template" work
    echo '{"rights":{"change":[".git"]}}' >"$TMPDIR/rights.json"
    export HONE_CONFIG=$TMPDIR/rights.json
    for option in ${sandbox:+--sandbox} --no-sandbox; do
        copy_of "$template" work
        fixes "echo more >new.txt; git add new.txt; git commit -q -m new; git tag v2"
        hone run review "$option" --agent "*=$agent"
        check_is "rights.change, $option: clean" "$status" 0
        check "rights.change, $option: it can: $(cat "$play/why")" test -e "$play/could"
        check_is "rights.change, $option: the answer counts" "$(started review-fixer)" 1
        check_is "rights.change, $option: the commit is there" "$(git log -1 --format=%s)" new
    done
    if [ -n "$sandbox" ]; then
        copy_of "$template" work
        fixes "echo x >.git/hooks/pre-commit"
        hone run review --agent "*=$agent"
        check_not "rights.change: hooks stay closed" test -e "$play/could"
    fi
    unset HONE_CONFIG
}

# Killed with its fixer: what is there may be the user's by now.
crash()
{
    copy_of "$template" work
    fixes "git tag v2; kill -9 \$(cat '$play/pid'); sleep 20"
    "$HONE" run review --no-sandbox --agent "*=$agent" >"$out" 2>"$err" &
    echo $! >"$play/pid"
    wait $! 2>/dev/null
    fixes true
    hone resume
    check_is "after a crash: clean" "$status" 0
    check_has "after a crash: what changed is named" "$err" "added tag v2): it is left as it is"
    check_is "after a crash: it is left" "$(git tag -l v2)" v2
}

spec()
{
    printf '# A thing\n\n## Phase 1\nDo it.\n' >"$TMPDIR/001-thing.md"
}

# cycles: who may commit, does so on the branch that is checked out, and forward.
cycles()
{
    local option

    for option in ${sandbox:+--sandbox} --no-sandbox; do
        copy_of "$template" work
        git commit -q -a -m all
        spec
        forget
        does implementer "git commit -q --allow-empty -m mine
if [ \$HONE_ATTEMPT = 1 ]; then git branch -f other HEAD; git update-ref -d refs/heads/feature/one
fi; echo made >made.txt; echo done"
        does spec-reviewer 'printf "## Grade: PASS\n"'
        hone run cycles "$option" --spec "$TMPDIR/001-thing.md" --agent "*=$agent"
        check_is "cycles, $option: exit" "$status" 0
        check_is "cycles, $option: the answer did not count" "$(started implementer)" 2
        check_has "cycles, $option: a branch that moved is named" "$err" "moved branch other"
        check_is "cycles, $option: other branches are as they were" \
            "$(git rev-parse other feature/one)" "$(git rev-parse v1 v1)"
        check_is "cycles, $option: its own commits are there" \
            "$(git log --format=%s | grep -c '^mine$')" 2
    done
    [ -n "$sandbox" ] || return
    # The same where the checkout is a work tree beside others.
    cd "$TMPDIR" && rm -rf linked && copy_of "$template" work
    spec
    git commit -q -a -m all && git worktree add -q -b linked ../linked && cd ../linked || exit 1
    forget
    does implementer "git tag v2; git symbolic-ref HEAD refs/heads/other; git commit -q \\
--allow-empty -m mine; git -C ../work reset -q --soft v1; echo made >made.txt; echo done"
    does spec-reviewer 'printf "## Grade: PASS\n"'
    git rev-parse master >"$TMPDIR/before"
    hone run cycles --spec "$TMPDIR/001-thing.md" --agent "*=$agent"
    check_is "cycles, a work tree of the user's: exit" "$status" 0
    check_is "cycles, a work tree of the user's: it stays on its branch" \
        "$(git symbolic-ref HEAD) $(git log --format=%s -2 | tail -n 1)" "refs/heads/linked mine"
    git rev-parse master >"$TMPDIR/after"
    check "cycles, a work tree of the user's: the others stay" diff "$TMPDIR/before" "$TMPDIR/after"
    check_is "cycles, a work tree of the user's: no tag" "$(git tag)" v1
    fixes "git commit -q --allow-empty -m mine"
    echo defect >>notes.txt
    hone run review --agent "*=$agent"
    check_is "review, a work tree of the user's: clean" "$status" 0
    check_not "review, a work tree of the user's: no commit" test -e "$play/could"

    copy_of "$template" work
    git commit -q -a -m all
    forget
    does implementer "git tag v2; git symbolic-ref HEAD refs/heads/other
git stash; git update-ref refs/remotes/x/y HEAD; echo made >made.txt; echo done"
    does spec-reviewer 'printf "## Grade: PASS\n"'
    git_state | grep -v refs/heads/master >"$TMPDIR/before"
    hone run cycles --spec "$TMPDIR/001-thing.md" --agent "*=$agent"
    check_is "cycles: the rest is refused: exit" "$status" 0
    git reset -q --soft HEAD~ && git rm -q --cached made.txt
    git_state | grep -v refs/heads/master >"$TMPDIR/after"
    check "cycles: the rest is refused" diff "$TMPDIR/before" "$TMPDIR/after"
}

# The user is at work in another work tree meanwhile: its branch is the user's, and closed to
# agents.
beside()
{
    local option

    for option in ${sandbox:+--sandbox} --no-sandbox; do
        cd "$TMPDIR" && rm -rf linked && copy_of "$template" work
        git commit -q -a -m all && git worktree add -q ../linked other
        spec
        forget
        does implementer "touch '$play/at'; while [ ! -e '$play/go' ]; do sleep 0.02; done
git commit -q --allow-empty -m mine; echo made >made.txt; echo done"
        [ "$option" = --no-sandbox ] ||
            does implementer "if git update-ref refs/heads/other HEAD; then touch '$play/could'; fi
$(cat "$play/do.implementer")"
        does spec-reviewer 'printf "## Grade: PASS\n"'
        rm -f "$play/go" "$play/could"
        "$HONE" run cycles "$option" --spec "$TMPDIR/001-thing.md" --agent "*=$agent" \
            >"$out" 2>"$err" &
        until_true 20 test -e "$play/at"
        git -C ../linked commit -q --allow-empty -m theirs
        touch "$play/go"
        wait $!
        check_is "beside a user, $option: exit" "$?" 0
        check_is "beside a user, $option: asked once" "$(started implementer)" 1
        check_is "beside a user, $option: their commit stays" "$(git log -1 --format=%s other)" \
            theirs
        check_not "beside a user, $option: the agent cannot move it" test -e "$play/could"
    done
}

# A lane has a branch of its own. The user's, the other lanes' and what all share stay as they are.
lanes()
{
    local branch=refs/heads/hone/\$HONE_RUN/\$HONE_RUN

    [ -n "$sandbox" ] || return
    copy_of "$template" work
    git commit -q -a -m all && git tag -d v1 >/dev/null
    cat >"$TMPDIR/builder" <<END
echo \$HONE_TASK_ID >\$HONE_TASK_ID.txt
git add . && git commit -q -m "mine \$HONE_TASK_ID" && git commit -q --amend -m "own \$HONE_TASK_ID"
if [ \$HONE_TASK_ID = t2 ]; then
    while ! git rev-parse -q --verify $branch-t1/work; do sleep 0.01; done >/dev/null
    for ref in refs/heads/master refs/heads/new refs/tags/v2 refs/stash $branch-t1/work \\
        refs/hone/\$HONE_RUN/integration; do
        git update-ref \$ref HEAD && echo \$ref >>'$TMPDIR/moved'
    done
    git pack-refs --all && echo packed >>'$TMPDIR/moved'
    git branch -D other && echo deleted >>'$TMPDIR/moved'
    echo x >>'$TMPDIR/work/.git/index' && echo index >>'$TMPDIR/moved'
    touch '$TMPDIR/refused'
fi 2>'$TMPDIR/why'
echo done
END
    git rev-parse other feature/one >"$TMPDIR/before"
    LANES_SANDBOX=1 "$SUPPORT/lanes" run 2 2 "cmd:sh $TMPDIR/builder" 'cmd:echo pass' \
        >"$out" 2>"$err"
    check_is "lanes: clean" $? 0
    check "lanes: all of it was tried" test -e "$TMPDIR/refused"
    check_not "lanes: nothing of it was done: $(cat "$TMPDIR/moved" 2>/dev/null)" \
        test -e "$TMPDIR/moved"
    check_is "lanes: their own commits are there" \
        "$(git log --format=%s | grep '^own' | LC_ALL=C sort)" "$(printf 'own t1\nown t2')"
    git rev-parse other feature/one >"$TMPDIR/after"
    check "lanes: the user's branches are as they were" diff "$TMPDIR/before" "$TMPDIR/after"
    check_is "lanes: nothing is left" "$(git for-each-ref --format='%(refname:short)')" \
        "$(printf 'feature/one\nmaster\nother')"
}

# A lane that is on another branch when it ends would have its work committed there.
lanes_switch()
{
    local option

    for option in ${sandbox:+1} ""; do
        copy_of "$template" work
        git commit -q -a -m all
        printf '%s\n' 'echo t >t1.txt' '[ $HONE_ATTEMPT != 1 ] || git switch -q other' \
            'cat >>'"'$TMPDIR/told'" 'echo done' >"$TMPDIR/builder"
        git rev-parse other >"$TMPDIR/before"
        env ${option:+LANES_SANDBOX=1} "$SUPPORT/lanes" run 1 1 "cmd:sh $TMPDIR/builder" \
            'cmd:echo pass' >"$out" 2>"$err"
        check_is "a lane elsewhere, ${option:-no} sandbox: clean" $? 0
        check_has "a lane elsewhere, ${option:-no} sandbox: it is named" "$err" \
            "builder changed what git knows (moved HEAD to branch other)"
        git rev-parse other >"$TMPDIR/after"
        check "a lane elsewhere, ${option:-no} sandbox: that branch is as it was" \
            diff "$TMPDIR/before" "$TMPDIR/after"
        check_is "a lane elsewhere, ${option:-no} sandbox: the work is there" "$(cat t1.txt)" t
    done
}

together lanes lanes_switch beside commits branches others work_trees looks rights crash cycles
exit "$failed"
