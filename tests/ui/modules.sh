#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the modules of the page compute, without a browser: where a plan's boxes stand, which lines
# of a difference stand beside each other, which result belongs to which call, how a text is split.
. "${TOP:?}/tests/support/story.sh"

if ! command -v node >/dev/null; then
    ok "the modules of hone ui: not tried: node is not installed"
    exit 0
fi
mkdir "$TMPDIR/ui"
cp "$TOP"/pages/ui/*.js "$TMPDIR/ui/"
echo '{"type":"module"}' >"$TMPDIR/ui/package.json"
node "$TOP/tests/ui/modules.mjs" "$TMPDIR/ui" || failed=1
exit "$failed"
