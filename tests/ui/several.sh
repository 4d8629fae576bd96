#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The runs of many repositories on one page: which is whose, one of them alone, what can be started
# where, and one that is none.
. "${TOP:?}/tests/support/browser.sh"

does critic "$sees"
new_repo "$TMPDIR/one"
hidden_already
hone run review --no-fix --agent "*=$agent" -- 'Of the first'
new_repo "$TMPDIR/two"
hidden_already
hone run review --no-fix --agent "*=$agent" -- 'Of the second'
hone run review --no-fix --agent "*=$agent" -- 'Of the second, again'
mkdir "$TMPDIR/none"
in_browser "$TMPDIR/one" "$TMPDIR/two" "$TMPDIR/none" "$agent"
exit "$failed"
