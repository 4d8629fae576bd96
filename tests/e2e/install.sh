#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# make install puts the program, its pages and its plugin where they belong, and nothing anywhere
# else.
. "${TOP:?}/tests/support/story.sh"

root=$TMPDIR/root
make -s -C "$TOP" BUILD="${HONE%/*}" DESTDIR="$root" PREFIX=/usr install-files
check "install succeeds" test "$?" = 0
check "the program is there" test -x "$root/usr/bin/hone"
check "the program runs" sh -c '"$1" --version >/dev/null' - "$root/usr/bin/hone"
check "its page is there" test -s "$root/usr/share/man/man1/hone.1"
check "its plugin is there, whole" diff -r "$TOP/plugin" "$root/usr/share/hone/plugin"
others=$(find "$root" -type f ! -path "$root/usr/bin/hone" ! -path "$root/usr/share/man/man1/*.1" \
    ! -path "$root/usr/share/hone/plugin/*")
check "nothing else is there" test -z "$others"

# Everything that was installed goes; what is another program's stays.
mkdir -p "$root/usr/share/man/man1" && : >"$root/usr/share/man/man1/other.1"
make -s -C "$TOP" BUILD="${HONE%/*}" DESTDIR="$root" PREFIX=/usr uninstall
check_is "uninstalled" "$(cd "$root" && find . -type f)" ./usr/share/man/man1/other.1

exit "$failed"
