#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What can be done in the pages of hone ui: answer, stop, resume, waive, start. Each is the verb:
# what it says is shown, and what it did is what `hone status` tells afterwards.
. "${TOP:?}/tests/support/browser.sh"

shop_new "$TMPDIR/shop"
hidden_already
hone run review --no-fix --agent '*=claude' -- 'Looked at'
check_is "a run that leaves findings" "$status" 1
shop_question
check_is "a run that asks" "$status" 1
in_browser "$TMPDIR/shop"
exit "$failed"
