#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# One version: src/cmd/version.h says it, and everything that is written down or handed out agrees.
# And what a program says of itself.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"

version=$(sed -n 's/^#define HONE_VERSION "\(.*\)"/\1/p' "$TOP/src/cmd/version.h")
check "there is one" test -n "$version"
hone --version
check_is "as a line" "$(cat "$out")" "hone $version"
hone --version --json
check "as JSON" "$SUPPORT/is_json" whole <"$out"
check_is "the same" "$("$SUPPORT/is_json" whole version <"$out")" "$version"
for word in '"build"' '"commit"' '"compiler"' '"libc"' '"static"' '"features"' '"cage"'; do
    check_has "it says $word" "$out" "$word"
done
check_has "the dialects that there are" "$out" '"review"'
hone run --json --version
check_is "behind a verb, too" "$("$SUPPORT/is_json" whole version <"$out")" "$version"

# The cage is what doctor says of it.
cage=$(sed -n 's/^ *"works": \(true\|false\),*/\1/p' "$out")
hone doctor --json
state=$(tr -d ' \n' <"$out" | grep -o '"name":"sandbox","state":"[a-z]*"' | cut -d '"' -f 8)
check_is "the cage: as doctor says" "$cage" "$([ "$state" = ok ] && echo true || echo false)"
mkdir "$TMPDIR/bin"
for program in git sh; do ln -s "$(command -v "$program")" "$TMPDIR/bin"; done
PATH=$TMPDIR/bin "$HONE" --version --json >"$out"
check_has "no cage: it is said" "$out" '"works": false'
check_has "no cage: how it is installed" "$out" '"install": "'

# The commit: git's in a checkout, that of the archive in an archive, and elsewhere none.
cd "$TMPDIR" || exit 1
mkdir tree tree/tools tree/packaging
cp "$TOP/tools/build-info" tree/tools
cp "$TOP/packaging/commit" tree/packaging
check_is "no checkout: no commit is guessed" "$(tree/tools/build-info --commit)" ""
(cd tree && git init -q . && git add . && git commit -q -m one)
commit=$(git -C tree rev-parse HEAD)
check_is "a checkout" "$(tree/tools/build-info --commit)" "$(git -C tree log -1 --format='%H %ct')"
check_has "unchanged" <(tree/tools/build-info) "build_changed = false"
echo '# more' >>tree/tools/build-info
check_has "changed" <(tree/tools/build-info) "build_changed = true"
git -C tree checkout -q .
printf 'packaging/commit export-subst\n' >tree/.gitattributes
(cd tree && git add . && git commit -q -m two)
commit=$(git -C tree rev-parse HEAD)
mkdir "with blanks" && git -C tree archive HEAD | tar -C "with blanks" -xf -
check_is "an archive" "$("with blanks/tools/build-info" --commit | cut -d ' ' -f 1)" "$commit"
check_has "is unchanged" <("with blanks/tools/build-info" -static) "build_changed = false"
check_has "static" <("with blanks/tools/build-info" -static) "build_static = true"

# make package-test alone builds the static program: that a library is missing there is seen here.
libraries=$(sed -n 's/.*--exists \(yyjson .*\) 2>.*/\1/p' "$TOP/Makefile")
check "the Makefile names its libraries" test -n "$libraries"
for library in $libraries; do
    check "the static program has $library" \
        grep -Eq "^ *(\(cd .* && )?(library|keep) [a-z0-9]+ $library " "$TOP/tools/static-deps"
done

exit "$failed"
