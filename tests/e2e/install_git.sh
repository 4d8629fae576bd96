#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone install git: git's hook before a push. What is pushed is judged, by real pushes to a remote;
# a hook of another's stays.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/ci.sh"
# shellcheck disable=SC2154 # what is not assigned here is of tests/support

mkdir -p "$TMPDIR/bin" && ln -sf "$HONE" "$TMPDIR/bin/hone"
PATH=$TMPDIR/bin:$PATH

# push ARGUMENTS...: git push; $status, $out, $err.
push()
{
    git push "$@" >"$out" 2>"$err"
    status=$?
}

clone()
{
    cd "$TMPDIR" && rm -rf work && git clone -q "file://$remote" work && cd work || exit 1
}

# fault TEXT: a commit that brings one; good TEXT: one that does not.
fault()
{
    echo "echo \$$1" >>s.sh && git commit -q -a -m fault
}

good()
{
    echo "echo '$1'" >>s.sh && git commit -q -a -m good
}

installs()
{
    clone
    hone install git
    check_is "not without a word: exit" "$status" 2
    check "not without a word: nothing" test ! -e .git/hooks/pre-push
    hone install git --dry-run
    check_has "--dry-run says which" "$out" "to make: $PWD/.git/hooks/pre-push"
    check "--dry-run makes nothing" test ! -e .git/hooks/pre-push
    hone install git --yes
    check_is "installed: exit" "$status" 0
    check "it can run" test -x .git/hooks/pre-push
    check_not "it names the program by its name" grep -q "/hone'" .git/hooks/pre-push
    hone install git --yes
    check_has "a second time" "$out" "there already"
    sed -i 's/is wrong/is wrong at all/' .git/hooks/pre-push
    hone install git --yes
    check_has "one of an older hone is renewed" "$out" "made"
    hone --json install git --yes
    check "--json" "$SUPPORT/is_json" <"$out"
    mkdir -p sub && cd sub && hone uninstall git --yes
    check_is "uninstalled, from below: exit" "$status" 0
    check "uninstalled" test ! -e ../.git/hooks/pre-push
    hone uninstall git --yes
    check_is "twice: exit" "$status" 0
    cd "$TMPDIR" && mkdir -p none && cd none && hone install git --yes
    one_line "no repository" 2 "in no git repository"
}

# A hook of the user's is never changed.
others()
{
    clone
    printf '#!/bin/sh\nexit 0\n' >.git/hooks/pre-push
    cp .git/hooks/pre-push "$TMPDIR/before"
    hone install git --yes
    check_is "another's hook: exit" "$status" 2
    check_has "another's hook: the line to add" "$err" 'hone ci --pushed "$1" || exit 1'
    check "another's hook: as it was" cmp -s .git/hooks/pre-push "$TMPDIR/before"
    hone uninstall git --yes
    check "another's hook: stays" cmp -s .git/hooks/pre-push "$TMPDIR/before"
    printf '#!/bin/sh\nhone ci --pushed "$1" || exit 1\n' >.git/hooks/pre-push
    chmod +x .git/hooks/pre-push
    hone install git --yes
    check_has "one that calls hone already" "$out" "calls hone already"
    fault 5
    push origin main
    check_is "and it works there: exit" "$status" 1
    git config core.hooksPath "my hooks"
    hone install git --yes
    check_is "core.hooksPath: exit" "$status" 0
    check "core.hooksPath: there" test -x "my hooks/pre-push"
    push origin main
    check_is "core.hooksPath: it works: exit" "$status" 1
}

pushes()
{
    clone
    hone install git --yes
    good 1
    push -q origin main
    check_is "nothing new is wrong: exit" "$status" 0
    check_is "nothing is said" "$(cat "$out" "$err")" ""
    fault 2
    push origin main
    check_is "something is: exit" "$status" 1
    check_has "which" "$err" "s.sh:4:6:"
    check_not "what was there is not said" grep -q "s.sh:2:" "$err"
    check_has "and the way out" "$err" "HONE_SKIP=1 git push"
    check_is "nothing was pushed" "$(git ls-remote origin main | cut -c1-40)" \
        "$(git rev-parse HEAD~1)"
    echo 'echo $7' >>s.sh
    push origin main
    check_not "what is not committed is not judged" grep -q "s.sh:5:" "$err"
    check_has "and stays" s.sh '$7'
    check_is "no work tree is left" "$(git worktree list | wc -l)" 1
    git checkout -q s.sh
    HONE_SKIP=1 push -q origin main
    check_is "HONE_SKIP: exit" "$status" 0
    push -q origin main
    check_is "nothing to push: exit" "$status" 0
    git checkout -q -b topic
    fault 3
    push -q -u origin topic
    check_is "a new branch: exit" "$status" 1
    check_not "a new branch: only what it brings" grep -q "s.sh:4:" "$err"
    push -q --no-verify origin topic
    check_is "--no-verify: exit" "$status" 0
    git tag v1
    push -q origin v1
    check_is "a tag of what is there: exit" "$status" 0
    push -q origin :v1 :topic
    check_is "deletions: exit" "$status" 0
    git checkout -q main && fault 4 && git branch other && good 5
    push -q origin main other
    check_is "two at once: exit" "$status" 1
    git checkout -q main && git reset -q --hard origin/main
    echo x >image.png && git add . && git commit -q -m image
    push -q origin main
    check_is "what no analyzer looks at: exit" "$status" 0
    check_is "what no analyzer looks at: nothing is said" "$(cat "$out" "$err")" ""
    git checkout -q main && good 6
    PATH=${PATH#*:} push -q origin main
    check_is "hone is gone: exit" "$status" 0
    check_has "hone is gone: it says so" "$err" "this push was not judged"
}

# The first push of all: everything is new.
first()
{
    local bare=$TMPDIR/bare.git
    git init -q --bare "$bare"
    cd "$TMPDIR" && rm -rf work && git init -q work && cd work && git checkout -q -b main || exit 1
    printf '#!/bin/sh\necho $1\n' >s.sh && git add . && git commit -q -m first
    git remote add origin "$bare"
    hone install git --yes
    push -q origin main
    check_is "the first push: exit" "$status" 1
    check_has "the first push: everything is new" "$err" "s.sh:2:"
}

# shellcheck disable=SC2016 # scripts of another shell
new_remote
installs
others
pushes
first
exit "$failed"
