#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/roles.md, docs/loops.md, docs/loops/quick.md, docs/reports.md, as a new user follows them:
# each command that they show is run, in their order, in a repository with a change; one scripted
# agent plays all roles.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/documents.sh"

template=$TMPDIR/template
new_repo "$template"
mkdir -p "$TMPDIR/bin" "$HOME/.config/hone"
ln -s "$HONE" "$TMPDIR/bin/hone"
PATH=$TMPDIR/bin:$PATH
printf '{"agents":{"*":"%s"},"rights":{"tmp":true}}\n' "$agent" >"$HOME/.config/hone/config.json"

# What a page shows as YAML becomes the loop's file; and there is always something to review.
goes_on()
{
    if [ -e "$1.yaml" ]; then cp "$1.yaml" .hone/loops/careful.yaml; fi
    echo "one more line" >>notes.txt
}

forget
copy_of "$template" work
follows roles goes_on
check "roles: the new role was asked" [ "$(started perf)" -ge 1 ]
forget
copy_of "$template" work
follows loops goes_on
check "loops: the new reviewer was asked" [ "$(started sql)" -ge 1 ]
forget
follows loops/quick goes_on
check "quick: its reviewer was asked" [ "$(started reviewer)" -ge 1 ]
printf '#!/bin/sh\nexec cat >"$TMPDIR/reviewdog.json"\n' >"$TMPDIR/bin/reviewdog"
chmod +x "$TMPDIR/bin/reviewdog"
export TMPDIR GITHUB_STEP_SUMMARY=$TMPDIR/summary.md
git update-ref refs/remotes/origin/main HEAD
follows reports
check_has "reports: reviewdog got them" "$TMPDIR/reviewdog.json" '"diagnostics"'
check_has "reports: the summary is there" "$TMPDIR/summary.md" '### hone'
exit "$failed"
