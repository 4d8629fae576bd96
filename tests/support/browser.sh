# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# browser.sh - for the stories of tests/ui: runs to look at, and node to look at them in a browser
# (tests/support/ui.mjs). Where npm's packages or chromium are not there the story ends here, and
# says so. Sourced by itself.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/npm.sh"

needs_npm "hone ui in a browser" chromium
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/pages.sh"
. "$TOP/tests/support/shop.sh"
export play hold agent PATH

# in_browser ARGUMENTS...: the part of the story that looks: the file beside it that ends in .mjs.
in_browser()
{
    node "$TOP/tests/ui/$(basename "$0" .sh).mjs" "$@" || failed=1
}
