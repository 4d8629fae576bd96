#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A folder without git is read as a whole: hone does not begin where that is no project.
#
# row: looking.folder | hone run in /, in a home folder or among very many files, without git | refused at once, unless --any-folder says so |
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

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
exit "$failed"
