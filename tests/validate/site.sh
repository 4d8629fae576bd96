#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The documents as a site, judged from outside (site.mjs): what validators, axe-core and a real
# browser say of every page. And a page that is wrong on purpose must be found wrong.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/npm.sh"

needs_npm "the site is judged from outside" chromium
command -v lowdown >/dev/null || {
    ok "the site is judged from outside: not tried: lowdown is not installed"
    exit 0
}
site=$TMPDIR/site
"$TOP/tools/site" "$site" || not_ok "it is made"

# shellcheck disable=SC2046 # names of ours
node "$TOP/tests/validate/site.mjs" $(find "$site" -name '*.html' | LC_ALL=C sort)
check_is "all pages are judged well" "$?" 0

sed 's|<main id="main">|&<img src="https://x.example/i.png"><center>x</center>|' \
    "$site/install.html" >"$site/wrong.html"
node "$TOP/tests/validate/site.mjs" "$site/wrong.html" >"$TMPDIR/wrong" 2>&1
check_is "a page that is wrong is found wrong" "$?" 1
for judge in html-validate axe-core "asks for nothing"; do
    check "by this judge, too: $judge" grep -q "^not ok wrong.html.*$judge" "$TMPDIR/wrong"
done
exit "$failed"
