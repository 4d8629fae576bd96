#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Looking runs nothing: hone looks at a tree through a git folder of its own (src/io/git/glass.c).
#
# row: looking.gitlink | a gitlink whose .git folder lies in the work tree and names a filter | git never looks into a repository inside ours; hone does, through a glass of its own |
# row: looking.config | a fixer replaces sub/.git, edits an included file, .gitattributes, info/attributes, core.fsmonitor | no call that looks reads the repository's configuration or attributes |
. "${TOP:?}/tests/trust/lib.sh"

# What a scene begins with: its folders are its own.
begin()
{
    . "$TOP/tests/support/play.sh"
    trap="touch $TMPDIR/ran; cat"
}

# armed FOLDER: everything that git would run for the repository there leaves a file behind.
armed()
{
    git -C "$1" config filter.evil.clean "$trap"
    git -C "$1" config filter.evil.process "touch $TMPDIR/ran"
    git -C "$1" config core.fsmonitor "touch $TMPDIR/ran"
    echo '* filter=evil' >"$1/.gitattributes"
}

# A repository with another one in it, as a gitlink. Its files have other times than its index says:
# git has to read them, which is when a filter runs.
with_gitlink()
{
    begin
    rm -rf "$TMPDIR/work" "$TMPDIR/ran"
    new_repo "$TMPDIR/work"
    git init -q sub
    echo one >sub/file
    git -C sub add . && git -C sub commit -q -m sub
    git add sub 2>/dev/null && git commit -q -m gitlink
    touch -d 2001-01-01 sub/file
}

looks()
{
    local verb
    for verb in run doctor status init "run review --dry-run"; do
        # shellcheck disable=SC2086
        hone $verb
        check_not "looking.gitlink: $1: hone $verb runs nothing" test -e "$TMPDIR/ran"
        rm -f "$TMPDIR/ran"
    done
}

gitlink()
{
    begin
    with_gitlink
    armed sub
    looks "an archive with a gitlink"
    hone run review --agent "*=$reviewer" --agent "review-fixer=$fixer"
    check_not "looking.gitlink: nor does a whole run" test -e "$TMPDIR/ran"
    git status >/dev/null 2>&1
    check "looking.gitlink: git alone would have run it" test -e "$TMPDIR/ran"
    rm -rf .git/hone sub/.gitattributes && git -C sub config --unset core.fsmonitor
    git init -q other && armed other && touch other/file
    rm -f "$TMPDIR/ran"
    looks "a repository that is not tracked"
}

# fixed_by NAME COMMAND: a fixer that does its work and this; the next look runs nothing.
fixed_by()
{
    rm -f "$TMPDIR/ran"
    hone run review --agent "*=$reviewer" --agent "review-fixer=$fixer; $2"
    check_not "looking.config: $1: nothing ran" test -e "$TMPDIR/ran"
    rm -f "$TMPDIR/ran"
    git status >/dev/null 2>&1
    check "looking.config: $1: git alone would have run it" test -e "$TMPDIR/ran"
}

config()
{
    begin
    local evil="[filter \"evil\"]\n\tclean = $trap\n"
    with_gitlink
    cp -r sub "$HOME/evil" && armed "$HOME/evil" # in the cage /tmp is another one
    fixed_by "sub/.git is replaced" "rm -rf sub; cp -r '$HOME/evil' sub;
        touch -d 2002-02-02 sub/file"
    with_gitlink
    : >included && git config include.path ../included && git add included
    git commit -q -m included && touch -d 2003-03-03 main.c
    fixed_by "an included file" "printf '$evil' >included; echo '* filter=evil' >.gitattributes;
        touch -d 2004-04-04 main.c notes.txt"
    with_gitlink
    git config include.path ../included
    printf '#!/bin/sh\ntouch %s\n' "$TMPDIR/ran" >"$TMPDIR/monitor" && chmod +x "$TMPDIR/monitor"
    fixed_by "core.fsmonitor by an include" "printf '[core]\n\tfsmonitor = $TMPDIR/monitor\n' \
        >included"
}

for_each_way gitlink config
