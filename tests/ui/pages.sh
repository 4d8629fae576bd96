#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every page of hone ui, of runs with something to show: what is on it is what the verbs say; it is
# for everybody, in light and dark, narrow and wide, by keyboard, in other languages, on paper.
. "${TOP:?}/tests/support/browser.sh"

shop_new "$TMPDIR/shop"
hidden_already
shop_review
check_is "a run of three rounds" "$status" 0
shop_lanes
check_is "a run with lanes" "$status" 0
shop_question
check_is "a run that asks" "$status" 1
# What is left open, by a policy's own end: the fixer does nothing.
printf '# another line\n' >>shop/price.py
hone run review --until lean --no-fix --agent '*=claude' -- 'Looked at, and left'
in_browser "$TMPDIR/shop"
exit "$failed"
