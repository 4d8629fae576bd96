#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The static program of build/dist: that it needs nothing, in a folder with nothing else in it; as
# npm carries it; and what it is said to be made of.
. "${TOP:?}/tests/support/story.sh"
cd "$TOP" || exit 1
version=$(sed -n 's/^#define HONE_VERSION "\(.*\)"/\1/p' src/cmd/version.h)
archive=build/dist/hone-$version-linux-x86_64.tar.gz
check "there is an archive" test -s "$archive"
mkdir "$TMPDIR/any where" && tar -C "$TMPDIR/any where" -xzf "$archive"
hone="$TMPDIR/any where/hone-$version/bin/hone"
check_is "it runs elsewhere" "$("$hone" --version)" "hone $version"
check_has "it is static" <("$hone" --version --json) '"static": true'
check_has "with musl" <("$hone" --version --json) '"libc": "musl"'
check_not "no loader is named in it" sh -c 'LC_ALL=C readelf -l "$1" | grep -q INTERP' - "$hone"
check "common terminals are known to it" grep -q 'tmux-256color|' "$hone"
mkdir "$TMPDIR/home"
HOME=$TMPDIR/home "$hone" install codex --yes >"$TMPDIR/log" 2>&1
check "its plugin is found" test -s "$TMPDIR/home/.codex/hooks.json"
if [ "$(id -u)" = 0 ]; then
    mkdir "$TMPDIR/nothing" && cp "$hone" "$TMPDIR/nothing"
    check_is "with no other file at all" "$(chroot "$TMPDIR/nothing" /hone --version 2>&1)" \
        "hone: /dev/null cannot be opened: No such file or directory"
    mkdir "$TMPDIR/nothing/dev" && : >"$TMPDIR/nothing/dev/null"
    check_is "but for /dev/null" "$(chroot "$TMPDIR/nothing" /hone --version 2>&1)" "hone $version"
fi
new_repo "$TMPDIR/repo"
"$hone" run review --agent "*=$reviewer" --agent "review-fixer=$fixer" --quiet \
    >"$TMPDIR/run.log" 2>&1
check_is "a run of it" "$?:$(grep -c defect notes.txt)" "0:0"

# ---- what it is made of, and for whom ----

cd "$TOP" || exit 1
sbom=build/dist/hone-$version.spdx.json
for name in yyjson yaml expat ncursesw sqlite3 musl; do
    check_has "the SBOM has $name" "$sbom" "\"SPDXID\": \"SPDXRef-$name\""
done
check_is "with a version each" "$(grep -c '"versionInfo": "[0-9]' "$sbom")" 8
check_is "and a licence" "$(grep -c '"licenseConcluded": "[A-Za-z]' "$sbom")" 8

# ---- npm ----

command -v npm >/dev/null || {
    echo "skip static.npm: npm is not installed"
    exit "$failed"
}
export npm_config_cache=$TMPDIR/npm npm_config_update_notifier=false npm_config_audit=false
package=build/dist/hone-cli-$version.tgz
mkdir "$TMPDIR/project" && cp "$package" "$TMPDIR/project" && cd "$TMPDIR/project" || exit 1
npm init -y >/dev/null 2>&1
npm install --offline --no-fund "./${package##*/}" >"$TMPDIR/npm.log" 2>&1 || cat "$TMPDIR/npm.log"
check_is "npx hone" "$(npx --offline hone --version 2>&1)" "hone $version"
check_is "npx hone-cli" "$(npx --offline hone-cli --version 2>&1)" "hone $version"
check_not "no script of it was run" grep -qE '"(pre|post)?install"' \
    node_modules/hone-cli/package.json
HOME=$TMPDIR/home npx --offline hone install claude --yes >"$TMPDIR/log" 2>&1
check_has "its plugin is found" "$TMPDIR/home/.claude/settings.json" node_modules/hone-cli/plugin
exit "$failed"
