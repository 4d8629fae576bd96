#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Two builds of one commit, in two folders, by users of different habits, give the same bytes: the
# source archive; and the program with its pages, of a checkout and of the archive.
. "${TOP:?}/tests/support/story.sh"
export CCACHE_DISABLE=1 # each is to be compiled
commit=$(git -C "$TOP" rev-parse HEAD 2>/dev/null) || {
    echo "skip same_bytes: this tree is no checkout"
    exit 0
}

git clone -q "$TOP" "$TMPDIR/one"
git clone -q "$TOP" "$TMPDIR/another folder"
cd "$TMPDIR" || exit 1
make -s -C one dist
(cd "another folder" && umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 make -s dist)
check "there is an archive" test -s one/build/dist/hone-*.tar.gz
check "the archive" cmp one/build/dist/hone-*.tar.gz "another folder"/build/dist/hone-*.tar.gz
tar -tvzf one/build/dist/hone-*.tar.gz >list
check_is "all of it is root's" "$(awk '$2 != "root/root"' list | wc -l)" 0
check_is "and of one time" "$(awk '{ print $4, $5 }' list | sort -u | wc -l)" 1
check_is "and below one folder" "$(awk '{ print $6 }' list | cut -d / -f 1 | sort -u | wc -l)" 1

# built FOLDER: the program and its pages of a tree.
built()
{
    make -s -C "$1" WERROR= all >"$1.log" 2>&1 || tail -n 20 "$1.log"
}

mkdir archive
tar -C archive --strip-components=1 -xzf one/build/dist/hone-*.tar.gz
check "an archive has no git folder" test ! -e archive/.git
built "another folder"
built archive
check "it is built" test -x archive/build/hone
check "the program" cmp archive/build/hone "another folder/build/hone"
check "its pages" diff -r archive/build/man "another folder/build/man"
check_is "it knows its commit" "$(archive/build/hone --version --json |
    sed -n 's/ *"commit": "\(.*\)",/\1/p')" "$commit"
check_not "no folder is named in it" grep -qF "$TMPDIR" archive/build/hone
exit "$failed"
