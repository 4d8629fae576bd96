#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --isolate: a fixer works in a disposable work tree, and its result comes to the user's tree as one
# change, or not at all: a killed fixer leaves nothing behind. What a person edits meanwhile stays.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

# A tree in every state that git knows: staged, changed, deleted, untracked, executable, a link.
template=$TMPDIR/template
new_repo "$template"
mkdir sub
for name in gone kept staged; do echo "$name" >"sub/$name.txt"; done
printf 'build/\n' >.gitignore
git add . && git commit -q -m second
printf 'defect\n' >>notes.txt
echo more >>sub/staged.txt
git add sub/staged.txt
echo 'and more' >>sub/staged.txt
rm sub/gone.txt
printf '#!/bin/sh\n' >run.sh && chmod +x run.sh
ln -s notes.txt link
echo 'not tracked' >'new file.txt'
mkdir build && echo made >build/out
rm -rf .git/hone
hidden_already

# begin_story: a copy of the tree; one reviewer sees defects.
begin_story()
{
    copy_of "$template" work
    forget
    does critic "$sees"
    pwd >"$play/home"
    as_it_is >"$TMPDIR/before"
    git_knows >"$TMPDIR/git.before"
}

# The tree with all of its contents; and what git knows beside it: index, refs, work trees.
as_it_is()
{
    git status --porcelain --untracked-files=all
    find . -path ./.git -prune -o -path ./.agents -prune -o ! -type d -print0 | LC_ALL=C sort -z |
        xargs -0 stat -c '%n %A %s'
    cat notes.txt sub/*.txt 'new file.txt'
}

git_knows()
{
    git ls-files --stage --debug | grep -v '^ ' # without times
    git for-each-ref
    git rev-parse HEAD
    git worktree list | sed "s|$TMPDIR||"
    ls .git/worktrees 2>/dev/null
}

git_is_as_before()
{
    git_knows >"$TMPDIR/git.after"
    check "$1: index, refs and work trees are as they were" \
        cmp -s "$TMPDIR/git.before" "$TMPDIR/git.after"
    check_is "$1: no folder of a fixer is left" "$(ls .git/hone/worktrees 2>/dev/null)" ''
}

tree_is_as_before()
{
    as_it_is >"$TMPDIR/after"
    check "$1: the tree is as it was" cmp -s "$TMPDIR/before" "$TMPDIR/after"
}

# shellcheck disable=SC2016 # for the agent's shell
mends='sed -i /defect/d notes.txt; echo "# Fixed: notes.txt"'

its_own_tree()
{
    begin_story
    # shellcheck disable=SC2016
    does review-fixer 'home=$(cat "$play/home")
pwd >"$play/at"
grep -l "a defect is left" .agents/tmp/phases/review-1/r1-critic.json >"$play/files"
git status --porcelain --untracked-files=all >"$play/status"
cat sub/staged.txt "new file.txt" link >"$play/contents"; [ -x run.sh ] && echo x >>"$play/contents"
echo added >added.txt; rm "new file.txt"; chmod +x main.c; ln -sf main.c link
'"$mends"'
cp "$home/notes.txt" "$play/during"; ls "$home" >>"$play/during"'
    git status --porcelain --untracked-files=all >"$TMPDIR/status"
    cat sub/staged.txt 'new file.txt' link >"$TMPDIR/contents" && echo x >>"$TMPDIR/contents"
    { cat notes.txt; ls; } >"$TMPDIR/during"
    hone run review --isolate --agent "*=$agent"
    check_is "isolated: exit" "$status" 0
    check_not "isolated: the fixer works elsewhere" grep -qxF "$PWD" "$play/at"
    check "isolated: on the tree exactly as it is" cmp "$TMPDIR/status" "$play/status"
    check "isolated: with the files that its prompt names" test -s "$play/files"
    check "isolated: with its contents" cmp "$TMPDIR/contents" "$play/contents"
    check "isolated: meanwhile the user's tree has nothing of it" \
        cmp "$TMPDIR/during" "$play/during"
    check_is "isolated: its result is in the user's tree" "$(cat notes.txt added.txt)" 'hello
added'
    check_is "isolated: files that it removed, made executable, linked" \
        "$(ls 'new file.txt' 2>/dev/null; [ -x main.c ] && readlink link)" main.c
    check_is "isolated: what is ignored stays" "$(cat build/out)" made
    git_is_as_before isolated
    check_has "isolated: said in the header" "$err" "disposable work tree"
}

# meanwhile COMMANDS: what a person does in the tree as soon as the fixer is at work.
meanwhile()
{
    (
        until_true 30 test -e "$play/here" && eval "$1"
        touch "$play/edited"
    ) &
}
# shellcheck disable=SC2016
waits='touch "$play/here"; until [ -e "$play/edited" ]; do sleep 0.05; done'

# A person at work: another file, and the same one.
person_edits()
{
    begin_story
    meanwhile 'echo mine >>main.c; echo new >mine.txt; rm sub/kept.txt'
    does review-fixer "$waits; $mends"
    hone run review --isolate --agent "*=$agent"
    check_is "another file: exit" "$status" 0
    check_is "another file: both are there" \
        "$(cat notes.txt; tail -1 main.c; cat mine.txt; ls sub)" "hello
mine
new
staged.txt"
    git_is_as_before "another file"

    begin_story
    rm -f "$play/here" "$play/edited"
    meanwhile 'echo mine >>notes.txt'
    does review-fixer "$waits; echo theirs >added.txt; $mends"
    hone run review --isolate --agent "*=$agent" --max-iterations 2
    check_is "the same file: what the person wrote stays" "$(tail -1 notes.txt)" mine
    check_is "the same file: the rest of the repair comes" "$(cat added.txt)" theirs
    check_has "the same file: said" "$err" "notes.txt"
    check_has "the same file: and where the other version is" "$err" "/kept"
    kept=$(find .git/hone/runs -path '*/kept/notes.txt')
    check_is "the same file: the repair's version is kept" "$(cat "$kept")" hello
    check_is "the same file: the next review looks at the tree as it is" \
        "$(started critic) $status" "2 1"
}

# A person who saves a file in the moment in which it is replaced: nothing of it is lost.
person_saves()
{
    local name at what
    while IFS='|' read -r name at what; do
        begin_story
        rm -f "$play/edited"
        does review-fixer "echo repaired >sub/kept.txt; $mends"
        sly_git "$at" "$what"
        PATH=$TMPDIR/bin:$PATH hone run review --isolate --agent "*=$agent" --no-sandbox \
            --max-iterations 2
        check "$name: they did" test -e "$play/edited"
        check_is "$name: what they wrote is there" "$(tail -n1 sub/kept.txt)" mine
        check_has "$name: said" "$err" \
            "you changed what a fixer changed, too (modified sub/kept.txt)"
        check_is "$name: the repair's version is kept" \
            "$(cat .git/hone/runs/*/[0-9]*/kept/sub/kept.txt)" repaired
        check_is "$name: the rest comes" "$(cat notes.txt)" hello
        git_is_as_before "$name"
    done <<'END'
edited behind the look|status|ls .git/hone/runs/*/fix-*/to && echo mine >>sub/kept.txt
saved when it is moved away|cat-file|[ ! -e sub/kept.txt ] && echo mine >sub/kept.txt
END
}

# Not at all: a fixer that fails, one that is killed, one whose answer does not count.
fails()
{
    begin_story
    does review-fixer "$mends; exit 3"
    hone run review --isolate --agent "*=$agent"
    check_is "fails: exit" "$status" 3
    tree_is_as_before fails
    git_is_as_before fails

    begin_story
    does review-fixer "$mends; kill -KILL \$\$"
    hone run review --isolate --agent "*=$agent"
    check_is "killed: exit" "$status" 3
    tree_is_as_before killed
    git_is_as_before killed

    # The second attempt goes on where the first was: only its answer was wrong.
    begin_story
    # shellcheck disable=SC2016
    does review-fixer 'if [ "$HONE_ATTEMPT" = 1 ]; then '"$mends"' >/dev/null
else ls >"$play/second"; cat notes.txt >>"$play/second"; echo "# Fixed: notes.txt"; fi'
    hone run review --isolate --agent "*=$agent"
    check_is "asked again: exit" "$status" 0
    check_is "asked again: goes on with its own work" "$(tail -1 "$play/second")" hello
    check_is "asked again: comes to the tree" "$(cat notes.txt)" hello
    git_is_as_before "asked again"
}

# hone killed while the fixer is at work; then gone on with.
hone_killed()
{
    begin_story
    # shellcheck disable=SC2016
    does review-fixer "$mends"' >/dev/null; touch "$play/here"; while :; do sleep 0.1; done'
    "$HONE" run review --isolate --agent "*=$agent" >"$out" 2>"$err" &
    engine=$!
    check "hone is killed: the fixer is at work" until_true 30 test -e "$play/here"
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    tree_is_as_before "hone is killed"
    does review-fixer "$mends"
    hone resume
    check_is "hone is killed, and goes on: exit" "$status" 0
    check_is "hone is killed, and goes on: the result" "$(cat notes.txt)" hello
    git_is_as_before "hone is killed, and goes on"
}

# Roles that commit, and lanes of tasks, have their own; a folder without git has none to make.
elsewhere()
{
    begin_story
    does review-fixer "$mends"
    hone run review --agent "*=$agent"
    check_not "not asked for: not said" grep -q disposable "$err"
    hone run review --isolate --no-fix --agent "*=$agent"
    check_not "no fixer: not said" grep -q disposable "$err"
    begin_story
    does review-fixer "$mends"
    echo '{"isolate": true}' >hone.json
    hone run review --agent "*=$agent"
    check_has "hone.json switches it on" "$err" "disposable work tree"
    begin_story
    does review-fixer "$mends"
    mkdir -p "$TMPDIR/home/.config/hone"
    echo '{"isolate": true, "rights": {"tmp": true}}' >"$TMPDIR/home/.config/hone/config.json"
    echo '{"isolate": false}' >hone.json
    HOME=$TMPDIR/home hone run review --agent "*=$agent"
    check_has "hone.json of a repository cannot switch it off" "$err" "disposable work tree"
    # A killed run that is removed takes its work tree along.
    begin_story
    # shellcheck disable=SC2016
    does review-fixer 'touch "$play/here"; while :; do sleep 0.1; done'
    "$HONE" run review --isolate --agent "*=$agent" >"$out" 2>"$err" &
    engine=$!
    check "removed: the fixer is at work" until_true 30 test -e "$play/here"
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    check_not "removed: its work tree is there" test -z "$(ls .git/hone/worktrees)"
    # shellcheck disable=SC2012
    until_true 30 hone rm --force "$(ls .git/hone/runs | head -1)"
    git_is_as_before removed
    mkdir "$TMPDIR/bare" && cd "$TMPDIR/bare" && echo defect >notes.txt
    hone run review --isolate --agent "*=$agent"
    check_is "no git: exit" "$status" 2
    check_has "no git: what to do" "$err" "git init"
}

# A repository inside the tree cannot be copied: that is said, and it stays as it is.
nested()
{
    begin_story
    git init -q inside && (cd inside && echo own >own.txt && git add . && git commit -q -m own &&
        echo changed >>own.txt)
    echo secret >locked.txt && chmod 000 locked.txt
    does review-fixer "ls >\"\$play/seen\"; $mends"
    hone run review --isolate --agent "*=$agent"
    check_is "nested: exit" "$status" 0
    check_has "nested: said" "$err" "inside cannot be copied, so the fixer does not see it"
    check_is "nested: the repair comes" "$(cat notes.txt)" hello
    check_is "nested: it stays as it is" "$(cat inside/own.txt)" 'own
changed'
    chmod 600 locked.txt
    check_is "nested: so does a file that may not be read" "$(cat locked.txt)" secret
    check_is "nested: no folder of a fixer is left" "$(ls .git/hone/worktrees)" ''
}

# A submodule comes along, out of the repository's own copy; what is changed in it does not come.
submodule()
{
    begin_story
    git init -q ../module && (cd ../module && echo own >own.txt && git add . &&
        git commit -q -m own)
    git -c protocol.file.allow=always submodule --quiet add ../module module
    git commit -q -m module
    does review-fixer "cat module/own.txt >\"\$play/seen\"; echo other >module/own.txt; $mends"
    hone run review --isolate --agent "*=$agent"
    check_is "submodule: exit" "$status" 0
    check_is "submodule: the fixer has it" "$(cat "$play/seen")" own
    check_is "submodule: it stays as it is" "$(cat module/own.txt)" own
    check_has "submodule: said" "$err" \
        "module is a repository of its own: what a fixer changed in it does not come"
    check_not "submodule: nobody else is blamed" grep -q "you changed" "$err"
    check_is "submodule: the rest comes" "$(cat notes.txt)" hello
}

# What --isolate does not change is said: a fixer that commits, lanes of tasks.
others()
{
    begin_story
    git stash -q -u
    # shellcheck disable=SC2016
    echo '## Phase 1: one' >spec.md && git add spec.md && git commit -q -m spec
    does implementer 'exit 3'
    hone run cycles --spec spec.md --isolate --agent "*=$agent"
    check_has "a fixer that commits" "$err" "spec-fixer commits, so it works in your tree"
    does planner 'exit 3'
    hone run loops --spec spec.md --isolate --agent "*=$agent"
    check_has "lanes of tasks" "$err" "tasks have work trees of their own: --isolate adds nothing"
}

together its_own_tree person_edits person_saves fails hone_killed elsewhere others nested submodule
exit "$failed"
