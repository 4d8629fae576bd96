#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The commits of the cycles dialect: what is in them and what is not, hooks that refuse, and death
# in the middle of one.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/cycles.sh"

nothing_to_commit()
{
    begin_story
    does spec-fixer 'echo "it is fine as it is"'
    hone run cycles --spec "$spec" --phases 1 --cycles 2 --session-dir out/s --agent "*=$agent"
    check_is "a fix that changes nothing: exit" "$status" 1
    check_is "a fix that changes nothing: no commit" "$(subjects | wc -l)" 2
    check_has "a fix that changes nothing: said" "$err" "nothing was changed"
    check "a fix that changes nothing: done" test -e out/s/.signals/phase-1-fix-1.done
}

commits_by_itself()
{
    begin_story
    does spec-fixer 'echo fixed >>"phase-$HONE_PHASE.txt"; git commit -q -a -m "my own"; echo ok'
    hone run cycles --spec "$spec" --phases 1 --agent "*=$agent"
    check_is "a fixer that commits by itself: exit" "$status" 0
    check_is "a fixer that commits by itself: taken as it is" "$(subjects | tail -n 1)" "my own"
}

# Files that come, go, move and have odd names; and the first commit of a repository.
kinds_of_changes()
{
    begin_story
    does implementer 'git mv notes.txt "n o\"tes.txt"; rm specs/042-login.md; mkdir d; echo x >d/x
ln -s d link; printf "#!/bin/sh\n" >run; chmod +x run; echo built'
    does spec-reviewer "$passes"
    hone run cycles --spec "$spec" --phases 1 --agent "*=$agent"
    check_is "files that come, go and move: exit" "$status" 0
    check_is "files that come, go and move: all are committed" \
        "$(git status --porcelain | grep -v tmp/)" ""
    check_is "files that come, go and move: nothing is left out" \
        "$(git ls-tree -r --name-only HEAD | LC_ALL=C sort | tr '\n' ' ')" \
        '"n o\"tes.txt" d/x link run '

    forget
    defaults
    rm -rf "$TMPDIR/fresh" && mkdir "$TMPDIR/fresh" && cd "$TMPDIR/fresh" && git init -q .
    hone run cycles "the first" --agent "*=$agent"
    check_is "a repository without a commit: exit" "$status" 0
    check_is "a repository without a commit: commits" "$(subjects | wc -l)" 2
}

dirty()
{
    begin_story
    echo mine >>notes.txt
    echo new >mine.txt
    git add mine.txt
    hone run cycles --spec "$spec" --agent "*=$agent"
    one_line "a dirty tree" 2 "notes.txt"
    check_has "a dirty tree: all are named" "$err" "mine.txt"
    check_has "a dirty tree: the way on" "$err" "--allow-dirty"
    check_is "a dirty tree: nobody was started" "$(wc -l <"$play/log")" 0
    does implementer 'echo more >>notes.txt; echo x >x.txt; git add x.txt; echo y >>x.txt; echo ok'
    does spec-reviewer "$passes"
    hone run cycles --spec "$spec" --phases 1 --allow-dirty --agent "*=$agent"
    check_is "allowed: exit" "$status" 0
    check_is "allowed: what was dirty stays out" "$(files_of HEAD)" "x.txt "
    check_is "allowed: and stays" "$(git status --porcelain | grep -v tmp/ | tr '\n' ' ')" \
        "A  mine.txt  M notes.txt "
}

# What the user changes while the run waits is no change of the fixer's; and what an agent began
# before it asked is.
meanwhile()
{
    begin_story
    does spec-reviewer "$warns"
    hone run cycles --spec "$spec" --phases 1 --cycles 1 --agent "*=$agent"
    echo mine >>notes.txt
    echo new >mine.txt
    echo help >>phase-1.txt
    hone answer continue
    check_is "changed while it waits: the fix has what the fixer changed" "$(files_of HEAD)" \
        "phase-1.txt "
    check_has "changed while it waits: said" "$err" "mine.txt, notes.txt"
    does spec-fixer 'echo fixed >>notes.txt; echo ok'
    does spec-reviewer "$passes"
    hone answer continue
    check_is "changed by both: it is in the commit" "$(files_of HEAD)" "notes.txt "
    check_is "changed by nobody else: it stays as it was" \
        "$(git status --porcelain | grep -v tmp/)" "?? mine.txt"

    begin_story
    does implementer 'echo half >half.txt; printf "STUCK: a word is missing\n"'
    does spec-reviewer "$passes"
    hone run cycles --spec "$spec" --phases 1 --agent "*=$agent"
    check_is "asked in the middle: exit" "$status" 5
    does implementer 'echo rest >rest.txt; echo built'
    hone answer continue
    check_is "asked in the middle: both halves are one commit" "$(files_of HEAD)" \
        "half.txt rest.txt "
}

refused_commit()
{
    begin_story
    cat >.git/hooks/commit-msg <<'END'
#!/bin/sh
if grep -q FIX "$1" && [ -e "$(git rev-parse --git-dir)/refuse" ]; then
    echo "no fixes today" >&2
    exit 1
fi
END
    chmod +x .git/hooks/commit-msg
    touch .git/refuse
    hone run cycles --spec "$spec" --phases 1 --session-dir out/s --agent "*=$agent"
    check_is "a hook that refuses: exit" "$status" 3
    check_has "a hook that refuses: its words" "$err" "no fixes today"
    check_has "a hook that refuses: the changes are kept" phase-1.txt "fixed"
    check_is "a hook that refuses: and not staged" "$(git diff --cached --name-only)" ""
    check_has "a hook that refuses: the signal" out/s/.signals/phase-1-fix-1.fail "committer: "
    rm .git/refuse
    hone resume
    check_is "a hook that relents: exit" "$status" 0
    check_is "a hook that relents: the fixer is not asked again" "$(started spec-fixer)" 1
    check_is "a hook that relents: the commit" "$(subjects | tail -n 1)" \
        "spec(042): FIX phase-1 cycle-1 - Login form"
}

# Killed in the middle of a commit, it is made once.
killed_in_commit()
{
    begin_story
    printf '#!/bin/sh\n[ -e "%s" ] || { : >"%s"; sleep 100; }\n' "$play/here" "$play/here" \
        >.git/hooks/post-commit
    chmod +x .git/hooks/post-commit
    killed_when_here "killed in a commit"
    check_is "killed in a commit: nobody is asked again" "$(started implementer)" 1

    begin_story
    printf '#!/bin/sh\n[ -e "%s" ] || { : >"%s"; sleep 100; }\n' "$play/here" "$play/here" \
        >.git/hooks/pre-commit
    chmod +x .git/hooks/pre-commit
    killed_when_here "killed before a commit"
    check_is "killed before a commit: nobody is asked again" "$(started implementer)" 1
}

# A commit would end what the user has begun, without what the user has not done yet.
unfinished()
{
    local file
    begin_story
    git checkout -q -b other && echo theirs >notes.txt && git commit -q -a -m theirs
    git checkout -q - && echo ours >notes.txt && git commit -q -a -m ours
    git merge other >/dev/null 2>&1
    hone run cycles --spec "$spec" --phases 1 --allow-dirty --agent "*=$agent"
    check_is "in a merge: exit" "$status" 2
    check_is "in a merge: one line" "$(grep -vcF "config.json: rights.tmp true" "$err")" 1
    check_has "in a merge: the way out" "$err" "a merge is not finished"
    check_is "in a merge: nobody was asked" "$(started implementer)" 0
    check "in a merge: it is still one" test -e .git/MERGE_HEAD
    git merge --abort
    for file in CHERRY_PICK_HEAD REVERT_HEAD rebase-merge; do
        git rev-parse HEAD >".git/$file"
        hone run cycles --spec "$spec" --phases 1 --agent "*=$agent"
        check_is "$file: exit" "$status" 2
        rm ".git/$file"
    done

    # Begun by an agent, or by another process beside the run.
    does implementer 'echo x >phase-1.txt; echo built
git rev-parse HEAD >"$(git rev-parse --git-dir)/MERGE_HEAD"'
    does spec-reviewer "$passes"
    hone run cycles --spec "$spec" --phases 1 --no-sandbox --agent "*=$agent"
    check_not "a merge begun meanwhile: not committed" test "$status" = 0
    check_not "a merge begun meanwhile: no commit of two parents" \
        git rev-parse --quiet --verify 'HEAD^2'
}

nobody_commits()
{
    begin_story
    (
        unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL
        export GIT_CONFIG_GLOBAL=$TMPDIR/nobody GIT_CONFIG_NOSYSTEM=1
        printf '[user]\n\tuseConfigOnly = true\n' >"$GIT_CONFIG_GLOBAL"
        hone run cycles --spec "$spec" --phases 1 --agent "*=$agent"
        check_is "git knows nobody: exit" "$status" 2
        check_is "git knows nobody: one line" "$(grep -vcF "config.json: rights.tmp true" "$err")" 1
        check_has "git knows nobody: the way out" "$err" "git config --global user.name"
        check_is "git knows nobody: and nobody has worked for nothing" "$(started implementer)" 0
        exit "$failed"
    ) || failed=1
}

together nothing_to_commit commits_by_itself dirty meanwhile
together unfinished nobody_commits
together kinds_of_changes refused_commit killed_in_commit
exit "$failed"
