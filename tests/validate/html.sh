#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The HTML report, judged from outside (html.mjs): runs with something to show, their pages, and
# what a validator, axe-core and a real browser say of them. And the judge itself is judged: a page
# that is wrong on purpose must be found wrong.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/pages.sh"
. "$TOP/tests/support/npm.sh"

needs_npm "the HTML report is judged from outside" chromium
pages=$TMPDIR/pages
mkdir -p "$pages"

# page NAME: of the newest run.
page()
{
    "$HONE" export --format "html=$pages/$1.html"
    check_is "$1: written" "$?" 0
}

scene_rounds
page rounds
scene_lanes
page lanes
scene_hostile
page hostile
new_repo "$TMPDIR/failed"
hone run review --quiet --agent '*=cmd:exit 3'
page failed

node "$TOP/tests/validate/html.mjs" "$pages" \
    "$pages/rounds.html" "$pages/lanes.html" "$pages/hostile.html" "$pages/failed.html"
check_is "all pages are judged well" "$?" 0

sed 's:<main id="main">:&<script>intruder()</script><img src="x" class="intruder">:' \
    "$pages/failed.html" >"$pages/wrong.html"
node "$TOP/tests/validate/html.mjs" "$pages" "$pages/wrong.html" >"$TMPDIR/wrong" 2>&1
check_is "a page that is wrong is found wrong" "$?" 1
for judge in "html-validate" "all elements" "no script" "axe-core"; do
    grep -q "^not ok wrong.html.*$judge" "$TMPDIR/wrong"
    check_is "by this judge, too: $judge" "$?" 0
done
exit "$failed"
