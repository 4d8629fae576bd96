#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The Debian package of build/deb: what lintian says, and how it is installed, upgraded and purged
# in a system that has nothing else. Needs root, lintian, mmdebstrap and a mirror; the release is
# the first that has all libraries.
. "${TOP:?}/tests/support/story.sh"
release=trixie

for program in lintian mmdebstrap; do
    command -v "$program" >/dev/null || {
        echo "skip chroot: $program is not installed (tools/install-deps --package)"
        exit 0
    }
done
[ "$(id -u)" = 0 ] || {
    echo "skip chroot: only root can make a chroot"
    exit 0
}

# ---- the package ----

cd "$TOP" || exit 1
deb=$(echo build/deb/hone_*_amd64.deb)
check "it is built" test -s "$deb"
lintian --allow-root --fail-on error,warning build/deb/*.changes >"$TMPDIR/lintian" 2>&1
check_is "lintian: exit" "$?" 0
check_is "lintian has nothing to say" "$(cat "$TMPDIR/lintian")" ""
version=$(dpkg-deb -f "$deb" Version)
check_is "its one program" "$(dpkg-deb -c "$deb" | grep -o '[^ ]*/bin/.\+')" ./usr/bin/hone
check_is "it names its maintainer" "$(dpkg-deb -f "$deb" Maintainer)" \
    "$(sed -n 's/^MAINTAINER = //p' packaging/package.mk)"

# The same with a lower version, and with a file that the newer one does not have any more.
dpkg-deb -R "$deb" "$TMPDIR/older"
sed -i 's/^Version: .*/Version: 0.0.1-1/' "$TMPDIR/older/DEBIAN/control"
echo old >"$TMPDIR/older/usr/share/hone/plugin/gone.md"
dpkg-deb --root-owner-group -b "$TMPDIR/older" "$TMPDIR/older.deb" >/dev/null

# ---- a system with nothing in it ----

root=$TMPDIR/root
mmdebstrap --quiet --variant=minbase --mode=root --skip=cleanup/apt/lists "$release" "$root" \
    >"$TMPDIR/mmdebstrap.log" 2>&1 || {
    tail -n 5 "$TMPDIR/mmdebstrap.log"
    echo "skip chroot: no system could be made of Debian $release here"
    exit "$failed"
}
mount -t proc proc "$root/proc" || {
    echo "skip chroot: /proc cannot be mounted there"
    exit "$failed"
}
trap 'umount "$root/proc"' EXIT
cp "$TMPDIR/older.deb" "$deb" "$root/tmp"
new=/tmp/${deb##*/}

# within COMMAND...: in that system.
within()
{
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TZ=UTC \
        DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}

# installs NAME FILE: by apt, with what it depends on, and nothing that is asked.
installs()
{
    within apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 install "$2" \
        >"$TMPDIR/apt.log" 2>&1 </dev/null
    check_is "$1: exit" "$?" 0
    check_not "$1: no complaint" grep -iE '^(dpkg: )?(warning|error)' "$TMPDIR/apt.log"
}

(cd "$root" && find etc usr var/lib -xdev ! -type d | sort) >"$TMPDIR/before"
installs "installed" /tmp/older.deb
check "the older one has its file" test -e "$root/usr/share/hone/plugin/gone.md"
check_is "it runs" "$(within hone --version)" "hone $(sed -n \
    's/^#define HONE_VERSION "\(.*\)"/\1/p' "$TOP/src/cmd/version.h")"
installs "upgraded" "$new"
check_is "to this version" "$(within dpkg-query -W -f='${Version}' hone)" "$version"
check "the older one's file is gone" test ! -e "$root/usr/share/hone/plugin/gone.md"
check_is "its files are as they were packed" "$(within dpkg --verify hone)" ""

# ---- at work there, as an ordinary user ----

within useradd -m user
as_user()
{
    within su user -c "cd && $1"
}
check_is "an ordinary user runs it" "$(as_user 'hone --version')" "$(within hone --version)"
printf '%s\n' "$clean" >"$root/tmp/clean.json"
as_user 'git config --global user.name u; git config --global user.email u@localhost
    git init -q repo; cd repo; echo a >a.txt; git add .; git commit -qm a
    hone run review --agent "*=cmd:cat /tmp/clean.json" --quiet' >"$TMPDIR/run.log" 2>&1
check_is "a run there: exit" "$?" 0
as_user 'cd repo && hone doctor --json' >"$TMPDIR/doctor.json" 2>&1
check_has "doctor answers" "$TMPDIR/doctor.json" '"name": "sandbox"'
as_user 'hone install claude --yes' >"$TMPDIR/install.log" 2>&1
check "its plugin is found" grep -qF /usr/share/hone/plugin "$root/home/user/.claude/settings.json"
chmod 555 "$root/home/user" && chown root "$root/home/user"
check_is "a home that cannot be written" "$(as_user 'hone --version --json' | grep -c '"cage"')" 1
check "a page is there" test -e "$root/usr/share/man/man1/hone.1.gz" -o \
    -e "$root/etc/dpkg/dpkg.cfg.d/docker"
for file in bash-completion/completions/hone zsh/vendor-completions/_hone \
    fish/vendor_completions.d/hone.fish; do
    check "words for ${file%%/*}" test -s "$root/usr/share/$file"
done

# ---- gone ----

within apt-get -q -y -o Dpkg::Use-Pty=0 purge hone >"$TMPDIR/apt.log" 2>&1 </dev/null
check_is "purged: exit" "$?" 0
check_is "purged" "$(within dpkg-query -W -f='${Status}' hone 2>/dev/null)" ""
left=$(cd "$root" && find etc usr var/lib -xdev ! -type d | sort | comm -13 "$TMPDIR/before" - |
    grep -E '(^|/)_?hone([^a-z]|$)')
check_is "nothing of it is left" "$left" ""
check "the user's own settings are" test -e "$root/home/user/.claude/settings.json"
exit "$failed"
