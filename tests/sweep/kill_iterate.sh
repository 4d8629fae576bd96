#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a run of iterate: eight phases, one of them with a repair, and a test.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/kill_sweep.sh"

new_repo "$TMPDIR/template"
mkdir "$TMPDIR/template/.claude"
cat >"$TMPDIR/template/.claude/iterate-config.local.json" <<'END'
{"version": 2, "phases": {"1": {"parallel": false}, "2": {"parallel": true}}}
END
git -C "$TMPDIR/template" add -A && git -C "$TMPDIR/template" commit -q -m settings

looks="cmd:if grep -q defect notes.txt; then echo 'HIGH notes.txt:2 a defect is left'"
looks+="; else echo 'No issues found.'; fi"
run=(iterate "the sweep" --lite --test true --no-sandbox --quiet --agent '*=cmd:echo done'
    --agent 'plan-reviewer=cmd:echo No issues found.' --agent "code-reviewer=$looks"
    --agent 'final-reviewer=cmd:echo No issues found.' --agent "fixer=$fixer")

end_files()
{
    sed -e 's/"startedAt": "[^"]*"/"startedAt": "T"/' .agents/iteration-state.json
    cat notes.txt
}

# kill.sh takes every write of a run; here it is the dialect's own files that differ.
stride=${HONE_SWEEP_STRIDE:-3}
kill_sweep
exit "$failed"
