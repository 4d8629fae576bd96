#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a run of review: two rounds and a repair.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/kill_sweep.sh"

new_repo "$TMPDIR/template"
run=(review "the sweep" --agent "*=$reviewer" --agent "review-fixer=$fixer" --no-sandbox --quiet)

end_files()
{
    contract_files .
}

kill_sweep
exit "$failed"
