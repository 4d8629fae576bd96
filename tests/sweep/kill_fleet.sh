#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a run whose agents play on other machines: hone is killed at its writes, the
# carrier is not, and what it knows is there for the resume. After that the tree and the contract
# files are those of a run that was never killed, and no agent that had ended has played twice.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/small_runs.sh"
. "$TOP/tests/support/kill_sweep.sh"

small_change
cat >"$TMPDIR/do" <<END
if [ "\$HONE_ROLE" = review-fixer ]; then
    $mends
elif grep -q defect notes.txt; then
    echo '$found'
else
    echo '$clean'
fi
END
cat >"$TMPDIR/carrier" <<END
#!/bin/sh
unset LD_PRELOAD
mkdir -p .git/carrier
cp "$TMPDIR/do" .git/carrier/do
echo '* work' >.git/carrier/does
CARRIER_DIR=\$PWD/.git/carrier exec "${HONE%/*}/tests/support/carrier"
END
chmod +x "$TMPDIR/carrier"
# shellcheck disable=SC2034 # of kill_sweep.sh
run+=(--fleet "cmd:$TMPDIR/carrier" --agent '*=cmd:false' --quiet)
# shellcheck disable=SC2034 # likewise: most of its writes are those of any review
stride=${HONE_SWEEP_STRIDE:-17}
kill_sweep
exit "$failed"
