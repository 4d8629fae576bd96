#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a run of cycles: one phase, two cycles, two commits.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/kill_sweep.sh"

new_repo "$TMPDIR/template"
git -C "$TMPDIR/template" commit -q -a -m clean

looks="cmd:if grep -q fixed notes.txt; then echo '## Grade: PASS'"
looks+="; else echo 'notes.txt:1 - not fixed'; echo; echo '## Grade: WARN'; fi"
run=(cycles "the sweep" --session-dir out --no-sandbox --quiet --agent "spec-reviewer=$looks"
    --agent 'implementer=cmd:echo built >built.txt; echo done'
    --agent 'spec-fixer=cmd:echo fixed >notes.txt; echo done')

end_files()
{
    git log --format=%s
    git status --short
    find out -type f | LC_ALL=C sort | while read -r file; do
        echo "== $file"
        sed -e 's/^created_at: .*/created_at: T/' "$file"
    done
}

# kill.sh takes every write of a run; here it is the dialect's own files that differ.
stride=${HONE_SWEEP_STRIDE:-3}
kill_sweep
exit "$failed"
