#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Who may come in: the token and where it stays, what is refused, what a server that is gone or new
# looks like, and what there is where there is nothing to show.
. "${TOP:?}/tests/support/browser.sh"

new_repo "$TMPDIR/empty"
new_repo "$TMPDIR/work"
hone run review --no-fix --agent "*=$agent"
in_browser "$TMPDIR/work" "$TMPDIR/empty"
exit "$failed"
