#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a run of review: two rounds and a repair.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/small_runs.sh"
. "$TOP/tests/support/kill_sweep.sh"

small_review
run+=(--quiet)
kill_sweep
exit "$failed"
