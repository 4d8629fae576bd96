#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What happens is seen while it happens: in one tab and in eight, behind a reload, in a tab that was
# hidden, after the network was away; a killed run looks killed, and a killed hone ui kills no run.
. "${TOP:?}/tests/support/browser.sh"

shop_new "$TMPDIR/shop"
hidden_already
shop_review
check_is "a run that has ended" "$status" 0
in_browser "$TMPDIR/shop"
exit "$failed"
