#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a fixer in a disposable work tree: also while its result comes to the user's
# tree. After the resume the tree is that of a run that was never killed, git knows what it knew,
# and no work tree is left. In between, each file is the old one or the new one, or it was just
# moved away to be replaced.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/small_runs.sh"
. "$TOP/tests/support/kill_sweep.sh"

small_change
# shellcheck disable=SC2154 # of story.sh
run+=(--isolate --agent "*=$reviewer" --agent "review-fixer=cmd:$mends" --no-sandbox --quiet)
# shellcheck disable=SC2034 # of kill_sweep.sh: most of its 510 writes are those of any review
stride=${HONE_SWEEP_STRIDE:-3}
kill_sweep
exit "$failed"
