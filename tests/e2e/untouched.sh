#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reviewers change nothing: where there is a sandbox their writes fail, and without one what they
# did is found, named and undone, and their review does not count. What is outside the workspace is
# theirs to write in both cases.
#
# row: reviewer.changes | a reviewer changes what it judges | the workspace and git folder are read-only to it; else found, put back, and its review does not count | - | `untouched.sh: sandbox: it fails`, `untouched.sh: all is as it was`
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
export GIT_OPTIONAL_LOCKS=0

# A repository with a little of everything: staged, changed, untracked, ignored, stashed, linked.
template=$TMPDIR/template
new_repo "$template"
hidden_already
mkdir sub sub/deep
echo below >sub/deep/file
echo '*.o' >.gitignore
printf '#!/bin/sh\n' >tool && chmod +x tool
ln -s notes.txt link
git add . && git commit -q -m second
echo stashed >>main.c && git stash push -q main.c
echo staged >>tool && git add tool
echo more >>notes.txt
echo mine >untracked
echo ignored >thing.o
printf 'odd\n' >'a "name" é'
git branch other

# The work tree, and what git says of the rest: index, HEAD, branches, the user's own stash. Objects
# that nothing refers to and the times in the index may differ, and what a reviewer stashed stays
# in the stash: it is its version of the files, kept like the others.
outlook()
{
    snapshot | grep -v -e '^\.git/' -e ' \./\.git/'
    git ls-files -s
    git for-each-ref | grep -v refs/stash
    git symbolic-ref HEAD
    git reflog show refs/stash --format=%H | tail -1
    git status --porcelain=v2 --ignored | grep -v \\.agents
}

# Everything in the workspace and in the git folder, but for what is hone's to write.
snapshot()
{
    find . -path ./.agents -prune -o -path ./.git/hone -prune -o \
        -path . -o -path ./.git -o -printf '%P %y %m %l\n' | LC_ALL=C sort
    find . -path ./.agents -prune -o -path ./.git/hone -prune -o -type f -print0 |
        LC_ALL=C sort -z | xargs -0 cksum
}

# deed NAME FILE COMMANDS: a reviewer does that. FILE is what has to be named.
# shellcheck disable=SC2016 # the agent expands it
deed()
{
    local name=$1 file=$2
    copy_of "$template" work
    snapshot >"$TMPDIR/before"

    if [ -n "$sandbox" ]; then
        forget
        mkdir -p "$HOME/.claude" && rm -f "$HOME/.claude/${TMPDIR##*/}.critic"
        # What a subshell cannot do, its parent survives.
        does critic "( set -e
$3
) >/dev/null 2>&1 && touch '$play/at'
mkdir -p \"\$HOME/.claude\" && touch \"\$HOME/.claude/${TMPDIR##*/}.critic\" && cat '$play/clean'"
        hone run review --quiet --agent "*=$agent"
        check_is "$name, sandbox: clean" "$status" 0
        check_not "$name, sandbox: it fails" test -e "$play/at"
        check_is "$name, sandbox: the review counts" "$(wc -l <"$play/log")" 5
        check "$name, sandbox: what its client keeps can be written" \
            test -e "$HOME/.claude/${TMPDIR##*/}.critic"
        snapshot >"$TMPDIR/after"
        check "$name, sandbox: nothing changed" diff "$TMPDIR/before" "$TMPDIR/after"
    fi

    copy_of "$template" work
    outlook >"$TMPDIR/before"
    forget
    does critic "mkdir -p \"\$HOME/.claude\" && touch \"\$HOME/.claude/${TMPDIR##*/}.second\"
if [ \$HONE_ATTEMPT = 1 ]; then
( set -e
$3
) >/dev/null 2>&1 && touch '$play/at'
cat '$play/found'
else cat '$play/clean'; fi"
    hone run review --no-sandbox --agent "*=$agent"
    check_is "$name: clean in the end" "$status" 0
    check "$name: it was done" test -e "$play/at"
    check_is "$name: the review did not count" "$(started review-fixer) $(started critic)" "0 2"
    check_has "$name: it is named" "$err" "$file"
    check "$name: what its client keeps can be written" test -e "$HOME/.claude/${TMPDIR##*/}.second"
    outlook >"$TMPDIR/after"
    check "$name: all is as it was" diff "$TMPDIR/before" "$TMPDIR/after"
}

# kept NAME TEXT: what the reviewer wrote is kept with its attempt.
kept()
{
    check "$1: its version is kept" grep -rqsF -- "$2" .git/hone/runs/*/*/kept
}

sandbox=
if has_sandbox "deeds in the sandbox"; then sandbox=yes; fi

files()
{
    deed "change a file" notes.txt "echo scribble >>notes.txt"
    kept "change a file" scribble
    deed "change a staged file" tool "echo scribble >tool"
    kept "change a staged file" scribble
    deed "change a clean file" main.c "echo scribble >main.c"
    kept "change a clean file" scribble
    deed "change an untracked file" untracked "echo scribble >untracked"
    kept "change an untracked file" scribble
    deed "change a file of an odd name" 'name' "echo scribble >'a \"name\" é'"
    deed "empty a file" notes.txt ": >notes.txt"
    deed "put a file in another's place" notes.txt "echo scribble >x.o; mv x.o notes.txt"
}

names()
{
    deed "add a file" new.txt "echo scribble >new.txt"
    kept "add a file" scribble
    deed "add a folder" fresh "mkdir -p fresh/er; echo scribble >fresh/er/file"
    kept "add a folder" scribble
    deed "delete a file" main.c "rm main.c"
    deed "delete an untracked file" untracked "rm untracked"
    deed "delete a folder" sub/deep/file "rm -r sub"
    deed "rename a file" main.c "mv main.c other.c"
    deed "change a file below" sub/deep/file "cd sub/deep; echo scribble >>file"
}

kinds()
{
    deed "chmod +x" notes.txt "chmod +x notes.txt"
    deed "chmod -x" tool "chmod -x tool"
    deed "a file becomes a folder" notes.txt "rm notes.txt; mkdir notes.txt; echo x >notes.txt/x"
    deed "a folder becomes a file" sub "rm -r sub; echo scribble >sub"
    deed "a file becomes a link" notes.txt "ln -sf tool notes.txt"
    deed "a link becomes a file" link "rm link; echo scribble >link"
    deed "a link out of the tree" out "ln -s /etc/passwd out"
    deed "a link to a folder outside" out "mkdir -p '$TMPDIR/o'; ln -s '$TMPDIR/o' out; touch out/x"
    deed "a folder becomes a link out" sub "mkdir -p '$TMPDIR/o'; rm -r sub; ln -s '$TMPDIR/o' sub"
    check "what a link led to is left alone" test -d "$TMPDIR/o"
}

# What belongs to git: the sandbox keeps it; without one it must at least not be lost or counted.
gits()
{
    deed "git checkout" notes.txt "git checkout -q -- notes.txt"
    deed "git rm" main.c "git rm -qf main.c"
    deed "git add" "" "git add notes.txt untracked"
    deed "git commit" "" "git commit -qam scribble"
    deed "git stash" "" "git stash push -q"
    deed "git reset" "" "git reset -q --hard HEAD~1"
}

# ---- again and again ----

insists()
{
    copy_of "$template" work
    outlook >"$TMPDIR/before"
    does critic "echo scribble >>notes.txt; rm -f main.c; cat '$play/clean'"
    hone run review --no-sandbox --agent "*=$agent"
    check_is "a reviewer that insists: failed" "$status" 3
    check_is "a reviewer that insists: asked twice" "$(started critic)" 2
    check_has "a reviewer that insists: one file" "$err" notes.txt
    check_has "a reviewer that insists: the other" "$err" main.c
    outlook >"$TMPDIR/after"
    check "a reviewer that insists: all is as it was" diff "$TMPDIR/before" "$TMPDIR/after"
    does critic
    hone resume
    check_is "a reviewer that insists no longer" "$status" 0
    check_not "nobody fixed anything" grep -q fixer "$play/log"
}

# ---- a whole run leaves nothing but its files and what the fixer did ----

whole_run()
{
    copy_of "$template" work
    snapshot | grep -v -e ' notes.txt$' -e ' ./notes.txt$' -e '^notes.txt' >"$TMPDIR/before"
    hone run review --agent "*=$reviewer" --agent "review-fixer=$fixer"
    check_is "a whole run" "$status" 0
    snapshot | grep -v -e ' notes.txt$' -e ' ./notes.txt$' -e '^notes.txt' >"$TMPDIR/after"
    check "nothing else in the tree or the git folder is new" \
        diff "$TMPDIR/before" "$TMPDIR/after"
    check_is "the fixer's change stays" "$(cat notes.txt)" "hello
more"
    check_is "new in the git folder" \
        "$(LC_ALL=C comm -13 <(ls -A "$template/.git") <(ls -A .git))" hone
    check_is "new in the workspace" "$(LC_ALL=C comm -13 <(ls -A "$template") <(ls -A .))" .agents
}

together files names kinds gits insists whole_run
exit "$failed"
