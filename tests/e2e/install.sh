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
for shell in bash:bash-completion/completions/hone zsh:zsh/site-functions/_hone \
    fish:fish/vendor_completions.d/hone.fish; do
    check "the words for ${shell%%:*} are those that it prints" sh -c \
        '"$1" completion "$2" | cmp - "$3"' - "$HONE" "${shell%%:*}" "$root/usr/share/${shell#*:}"
done
others=$(find "$root" -type f ! -path "$root/usr/bin/hone" ! -path "$root/usr/bin/hone-link" \
    ! -path "$root/usr/share/man/man1/*.1" \
    ! -path "$root/usr/share/hone/plugin/*" ! -path "$root/usr/share/bash-completion/*/hone" \
    ! -path "$root/usr/share/zsh/*/_hone" ! -path "$root/usr/share/fish/*/hone.fish")
check "nothing else is there" test -z "$others"

# Into a folder with a blank in its name, by a user whose files are private by habit: what is
# installed is for all.
(umask 077 && make -s -C "$TOP" BUILD="${HONE%/*}" DESTDIR="$TMPDIR/a root" PREFIX=/opt/hone \
    install-files) >"$TMPDIR/log" 2>&1
check "a blank in the name" test -x "$TMPDIR/a root/opt/hone/bin/hone"
private=$(find "$TMPDIR/a root/opt" ! -perm -o=r)
check "all may read it" test -z "$private"
mkdir "$TMPDIR/home"
HOME=$TMPDIR/home "$TMPDIR/a root/opt/hone/bin/hone" install claude --yes >"$TMPDIR/log" 2>&1
check_has "its plugin is found there" "$TMPDIR/home/.claude/settings.json" \
    "$TMPDIR/a root/opt/hone/share/hone/plugin"
make -s -C "$TOP" BUILD="${HONE%/*}" DESTDIR="$TMPDIR/a root" PREFIX=/opt/hone uninstall
check_is "uninstalled there" "$(cd "$TMPDIR/a root" && find . -type f)" ""

# Everything that was installed goes; what is another program's stays.
mkdir -p "$root/usr/share/man/man1" && : >"$root/usr/share/man/man1/other.1"
make -s -C "$TOP" BUILD="${HONE%/*}" DESTDIR="$root" PREFIX=/usr uninstall
check_is "uninstalled" "$(cd "$root" && find . -type f)" ./usr/share/man/man1/other.1

exit "$failed"
