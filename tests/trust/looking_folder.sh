#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A folder without git is read as a whole: hone does not begin where that is no project: before
# there is a cage, so that each user is tried once.
#
# row: looking.folder | hone run in /, in a home folder or among very many files, without git | refused at once, unless --any-folder says so |
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root)

setup()
{
    with_play
}

limit=20

# refused NAME WHAT: at once, with what it is and what to do, and nothing is made there.
refused()
{
    hone run review --agent "*=$agent"
    check_is "looking.folder: $1: refused" "$status" 2
    check_has "looking.folder: $1: why" "$err" "$2"
    check_has "looking.folder: $1: what to do" "$err" "--any-folder"
    check_not "looking.folder: $1: nothing is made" test -e .hone
}

folder()
{
    cd / && refused "the root" "it is the root of the file system"
    cd "$HOME" && refused "a home folder" "it is your home folder"
    cd "$HOME/.." && refused "above it" "it is above your home folder"
    mkdir "$TMPDIR/many" && cd "$TMPDIR/many" || exit 1
    # shellcheck disable=SC2046 # numbers
    mkdir $(seq 51)
    for folder in *; do (cd "$folder" && seq 1000 | xargs touch); done
    refused "51,000 files" "it is a folder with more than 50,000 files"
    rm -rf "$TMPDIR/many"

    mkdir "$TMPDIR/few" && cd "$TMPDIR/few" && echo one >notes.txt || exit 1
    hone run review --agent "*=$agent"
    check_is "looking.folder: another folder is fine" "$status" 0
    cd "$HOME" && echo one >notes.txt
    hone run review --any-folder --agent "*=$agent"
    check_is "looking.folder: agreed to" "$status" 0
    hone run review --agent "*=$agent"
    check_is "looking.folder: agreed to once" "$status" 0
}

for_each_way folder
