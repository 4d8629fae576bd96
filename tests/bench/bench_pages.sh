#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench_pages.sh - hone ui in a browser, over a run of 10,000 attempts and 50,000 findings (made by
# big_run): how long it takes to open, beside a run of one round; frames while it is scrolled, and
# the work for each, which other work on this machine does not change; and
# how long an event takes from the disk to the screen. Without npm or chromium it says so.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/npm.sh"

needs_npm "hone ui in a browser" chromium
for run in 'small 20 40' 'big 10000 50000'; do
    read -r folder attempts findings <<<"$run"
    new_repo "$TMPDIR/$folder"
    "$SUPPORT/big_run" 1 "$attempts" "$findings" >/dev/null 2>&1 || exit 1
done
new_repo "$TMPDIR/live"
exec node "$TOP/tests/bench/bench_pages.mjs" "$TMPDIR/small" "$TMPDIR/big" "$TMPDIR/live"
