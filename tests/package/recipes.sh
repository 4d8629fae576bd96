#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The recipes of build/dist, for Arch and for Homebrew, on the archive that they name. makepkg, from
# Debian, builds the one: as an ordinary user, with the libraries that this machine has.
# Ruby runs the other, with tests/package/formula.rb in the place of Homebrew.
. "${TOP:?}/tests/support/story.sh"
cd "$TOP" || exit 1
version=$(sed -n 's/^#define HONE_VERSION "\(.*\)"/\1/p' src/cmd/version.h)
archive=$TOP/build/dist/hone-$version.tar.gz
sum=$(sha256sum <"$archive" | cut -d ' ' -f 1)

# ---- what they say ----

# shellcheck disable=SC1091,SC2154 # the file that was just made
(
    . build/dist/PKGBUILD
    check_is "Arch: version" "$pkgver" "$version"
    check_is "Arch: checksum" "${sha256sums[0]}" "$sum"
    check_is "Arch: the archive" "${source[0]##*/}" "hone-$version.tar.gz"
    exit "$failed"
) || failed=1
if command -v shellcheck >/dev/null; then
    check "Arch: shellcheck" shellcheck build/dist/PKGBUILD
else
    echo "skip recipes.shellcheck: it is not installed"
fi
check_has "Arch: maintainer" build/dist/PKGBUILD \
    "# Maintainer: $(sed -n 's/^MAINTAINER = //p' packaging/package.mk)"
check_is "nothing is left to fill in" \
    "$(grep -h '@[A-Z]*@' build/dist/PKGBUILD build/dist/hone.rb)" ""
check_has "Homebrew: version" build/dist/hone.rb "hone-$version.tar.gz"
check_has "Homebrew: checksum" build/dist/hone.rb "sha256 \"$sum\""

# ---- Arch ----

# A folder that the user whom makepkg is run as can reach: it does not run as root.
place=$(mktemp -d /tmp/hone-arch.XXXXXX)
trap 'rm -rf "$place"' EXIT
user=()
if [ "$(id -u)" = 0 ]; then
    user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chown 65534:65534 "$place"
fi

# made ARGUMENTS...: makepkg there.
made()
{
    (cd "$place" && HOME=$place TMPDIR=$place PKGEXT=.pkg.tar.gz "${user[@]}" makepkg "$@")
}

# there ARGUMENTS...: pacman, in a system that has nothing else; only root can.
there()
{
    pacman --config "$place/pacman.conf" --root "$place/root" \
        --dbpath "$place/root/var/lib/pacman" --logfile "$place/pacman.log" \
        --cachedir "$place/cache" --hookdir "$place/hooks" --noconfirm "$@" </dev/null 2>&1
}

# arch_installed PACKAGE: and removed again.
arch_installed()
{
    mkdir -p "$place/root/var/lib/pacman"
    printf '[options]\nArchitecture = x86_64\nLocalFileSigLevel = Never\n' >"$place/pacman.conf"
    there -Udd "$1" >"$TMPDIR/pacman.log" || cat "$TMPDIR/pacman.log"
    check_is "Arch: pacman installs it" "$(there -Q hone)" "hone $version-1"
    check_has "Arch: its files are as they were packed" <(there -Qkk hone) ", 0 altered files"
    there -Rdd hone >"$TMPDIR/pacman.log" || cat "$TMPDIR/pacman.log"
    check_is "Arch: removed, it leaves nothing" "$(ls "$place/root")" var
}

arch()
{
    local package=$place/hone-$version-1-x86_64.pkg.tar.gz name
    install -m 0644 build/dist/PKGBUILD "$archive" "$place"
    made --printsrcinfo >"$TMPDIR/srcinfo"
    check_is "Arch: makepkg reads it: exit" "$?" 0
    for name in git glibc yyjson sqlite libyaml expat ncurses; do
        check_has "Arch: depends on $name" "$TMPDIR/srcinfo" "depends = $name"
    done
    made --nodeps --nocolor >"$TMPDIR/makepkg.log" 2>&1 || tail -n 20 "$TMPDIR/makepkg.log"
    check "Arch: makepkg builds it" test -s "$package"
    check_is "Arch: makepkg warns of nothing else" \
        "$(grep -E '==> (WARNING|ERROR)' "$TMPDIR/makepkg.log")" \
        "==> WARNING: Skipping dependency checks."
    mkdir "$TMPDIR/arch" && bsdtar -C "$TMPDIR/arch" -xf "$package"
    check_is "Arch: it runs" "$("$TMPDIR/arch/usr/bin/hone" --version)" "hone $version"
    check_is "Arch: its one program" "$(ls "$TMPDIR/arch/usr/bin")" hone
    check_has "Arch: its version" "$TMPDIR/arch/.PKGINFO" "pkgver = $version-1"
    check_is "Arch: all is below usr" "$(cd "$TMPDIR/arch" && echo *)" usr
    check_is "Arch: all is root's" "$(bsdtar -tvf "$package" | awk '$3 != "root"' | wc -l)" 0
    for name in man/man1/hone.1.gz hone/plugin/hooks/hooks.json zsh/site-functions/_hone \
        bash-completion/completions/hone fish/vendor_completions.d/hone.fish; do
        check "Arch: ${name##*/}" test -s "$TMPDIR/arch/usr/share/$name"
    done
    [ "$(id -u)" != 0 ] || arch_installed "$package"
    sed -i "s/^sha256sums=.*/sha256sums=('${sum//[0-9a-f]/0}')/" "$place/PKGBUILD"
    made --nodeps --force --verifysource >"$TMPDIR/refused.log" 2>&1
    check_has "Arch: another archive is refused" "$TMPDIR/refused.log" "did not pass the validity"
}

if command -v makepkg && command -v pacman && command -v bsdtar; then
    arch
else
    echo "skip recipes.arch: makepkg, pacman or bsdtar is missing (tools/install-deps --package)"
fi

# ---- Homebrew ----

homebrew()
{
    local file=$TOP/build/dist/hone.rb
    check_is "Homebrew: Ruby" "$(ruby -wc "$file" 2>&1)" "Syntax OK"
    mkdir "$TMPDIR/brew" "$TMPDIR/brew/source"
    tar -C "$TMPDIR/brew/source" --strip-components=1 -xzf "$archive"
    ruby -w tests/package/formula.rb "$file" "$TMPDIR/brew/source" "$TMPDIR/brew/cellar" \
        >"$TMPDIR/brew.log" 2>&1
    check_is "Homebrew: installed and tested: exit" "$?" 0
    tail -n 12 "$TMPDIR/brew.log" >"$TMPDIR/brew.end"
    check_has "Homebrew: version" "$TMPDIR/brew.end" "version $version"
    check_has "Homebrew: what it names" "$TMPDIR/brew.end" \
        "depends on pkgconf:build expat git libyaml linux ncurses sqlite yyjson"
    check_has "Homebrew: its test" "$TMPDIR/brew.end" "2 assertions hold"
    check "Homebrew: a page is there" test -s "$TMPDIR/brew/cellar/share/man/man1/hone.1"
}

if command -v ruby >/dev/null; then
    homebrew
else
    echo "skip recipes.homebrew: ruby is not installed (tools/install-deps --package)"
fi
exit "$failed"
