#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Two builds of one commit, in two folders, by users of different habits, give the same bytes: each
# file that is handed out; and the program with its pages, of a checkout and of the archive.
#
# The static program's libraries are built in each folder as well, each from the sources that its
# own apt-get takes. Where no mirror answers, or a program is missing, the files that need it are
# not compared, and a line says so.
. "${TOP:?}/tests/support/story.sh"
export CCACHE_DISABLE=1 # each is to be compiled
commit=$(git -C "$TOP" rev-parse HEAD 2>/dev/null) || {
    echo "skip same_bytes: this tree is no checkout"
    exit 0
}
version=$(sed -n 's/^#define HONE_VERSION "\(.*\)"/\1/p' "$TOP/src/cmd/version.h")
source=hone-$version.tar.gz

git clone -q "$TOP" "$TMPDIR/one"
git clone -q "$TOP" "$TMPDIR/another folder"
cd "$TMPDIR" || exit 1

# makes TARGET: in both folders, by two users.
makes()
{
    if make -s -C one "$1" >log 2>&1 &&
        (cd "another folder" && umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 make -s "$1") >>log 2>&1
    then
        return 0
    fi
    tail -n 20 log
    return 1
}

# same NAME FILE: of both folders.
same()
{
    check "$1 is there" test -s "one/build/dist/$2"
    check "$1" cmp "one/build/dist/$2" "another folder/build/dist/$2"
}

# needs NAME PROGRAM...: whether all of them are there.
needs()
{
    local name=$1 program
    shift
    for program in "$@"; do
        command -v "$program" >/dev/null || {
            echo "skip same_bytes.$name: $program is not installed"
            return 1
        }
    done
}

# ---- the source archive ----

check "make dist" makes dist
same "the archive" "$source"
tar -tvzf "one/build/dist/$source" >list
check_is "all of it is root's" "$(awk '$2 != "root/root"' list | wc -l)" 0
check_is "and of one time" "$(awk '{ print $4, $5 }' list | sort -u | wc -l)" 1
check_is "and below one folder" "$(awk '{ print $6 }' list | cut -d / -f 1 | sort -u | wc -l)" 1

# ---- the program ----

# built FOLDER: the program and its pages of a tree.
built()
{
    make -s -C "$1" WERROR= all >"$1.log" 2>&1 || tail -n 20 "$1.log"
}

mkdir archive
tar -C archive --strip-components=1 -xzf "one/build/dist/$source"
check "an archive has no git folder" test ! -e archive/.git
built "another folder"
built archive
check "it is built" test -x archive/build/hone
check "the program" cmp archive/build/hone "another folder/build/hone"
check "its pages" diff -r archive/build/man "another folder/build/man"
check_is "it knows its commit" "$(archive/build/hone --version --json |
    sed -n 's/ *"commit": "\(.*\)",/\1/p')" "$commit"
check_not "no folder is named in it" grep -qF "$TMPDIR" archive/build/hone

# ---- the packages ----

if needs deb dh; then
    check "make deb" makes deb
    same "the .deb" "hone_$version-1~hone1_amd64.deb"
fi
if needs static musl-gcc dpkg-source tclsh; then
    if makes static; then
        check "make dist-static" makes dist-static
        same "the static archive" "hone-$version-linux-x86_64.tar.gz"
        check_not "no folder is named in the static program" \
            grep -qF "$TMPDIR" one/build/static/hone
        check "make sbom" makes sbom
        same "the SBOM" "hone-$version.spdx.json"
        if needs npm npm; then
            export npm_config_cache=$TMPDIR/npm npm_config_update_notifier=false
            check "make npm" makes npm
            same "the package for npm" "hone-cli-$version.tgz"
        fi
    elif grep -q '^static-deps: ' log && [ ! -e "one/build/static-deps/SOURCES" ]; then
        echo "skip same_bytes.static: its libraries cannot be had here"
    else
        not_ok "make static"
    fi
fi
exit "$failed"
