#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a run of cycles: one phase, two cycles, two commits.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/small_runs.sh"
. "$TOP/tests/support/kill_sweep.sh"

small_cycles
run+=(--quiet)
# kill.sh takes every write of a run; here it is the dialect's own files that differ.
stride=${HONE_SWEEP_STRIDE:-3}
kill_sweep
exit "$failed"
