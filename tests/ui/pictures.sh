#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The pictures of documents can be made anew: all that documents show, each small.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/npm.sh"

needs_npm "pictures" chromium
needs_npm "pictures" pngquant
"$TOP/tools/pictures" "$TMPDIR/pictures" 0 || failed=1
shown=$(cat "$TOP"/README.md "$TOP"/docs/*.md | grep -o 'pictures/[a-z]*\.[a-z]*' |
    sed 's,.*/,,' | sort -u)
check_is "those that are made are those that documents show" \
    "$(find "$TMPDIR/pictures" -type f -printf '%f\n' | sort)" "$shown"
check_is "and those that are there" "$(find "$TOP/docs/pictures" -type f -printf '%f\n' | sort)" \
    "$shown"
check_is "each is small" \
    "$(find "$TMPDIR/pictures" "$TOP/docs/pictures" -type f -size +64k -printf '%f ')" ""
exit "$failed"
