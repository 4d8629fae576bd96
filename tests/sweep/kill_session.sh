#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a session: a review of what is there, a stage that is sent back, a repair, and
# both again. It stops before security, whose two reviewers may end in either order.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/kill_sweep.sh"

new_repo "$TMPDIR/template"
git -C "$TMPDIR/template" commit -q -a -m clean

cat >"$TMPDIR/agent" <<'END'
#!/bin/sh
approve() { printf '### VERDICT: APPROVE\n\n### Strengths\n- short\n'; }
case $HONE_ROLE-$HONE_PHASE in
executor-*)
    grep -q "bye $HONE_PHASE" notes.txt || echo "bye $HONE_PHASE" >>notes.txt
    printf '## Implementation Complete: bye\n\n### Changes Made\na\n\n'
    printf '### Files Modified / Created / Deleted\n- `notes.txt` - b\n\n'
    printf '### Deviations from Plan\nNone\n\n### Notes for Reviewer\nc\n' ;;
polish-*)
    if grep -q 'bye polish' notes.txt; then approve; else
        printf '### VERDICT: REQUEST_CHANGES\n\n### Issues\n- [CRITICAL] too short\n'
        printf '  File: `notes.txt`, around line 1\n\n### Strengths\n- short\n'
    fi ;;
*) approve ;;
esac
END
chmod +x "$TMPDIR/agent"
run=(session "the sweep" --review-only --stop-after before-docs --no-sandbox --quiet
    --agent "*=cmd:$TMPDIR/agent")

end_files()
{
    cat notes.txt
    git status --short
    find .review-loop -type f | sed 's/[0-9a-f]\{8\}-[-0-9a-f]*/UUID/' | LC_ALL=C sort
    sed -e '/^| [a-z]/s/| [^|]* |$/| T |/' -e '/(not taken)/d' .review-loop/sessions/*.md
}

# kill.sh takes every write of a run; here it is the dialect's own files that differ.
stride=${HONE_SWEEP_STRIDE:-3}
kill_sweep
exit "$failed"
