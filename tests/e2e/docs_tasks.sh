#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The pages of docs/ that each take a new user through one task: every command that they show is
# run, in their order. One scripted agent plays all roles; the programs of models are there by name.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/documents.sh"

unset CODEX_HOME CLAUDE_CONFIG_DIR
template=$TMPDIR/template
new_repo "$template"
# As it is installed, beside its plugin.
mkdir -p "$TMPDIR/usr/bin" "$TMPDIR/usr/share/hone" "$TMPDIR/bin" "$HOME/.config/hone" \
    "$HOME/.claude" "$HOME/.codex"
cp "$HONE" "$TMPDIR/usr/bin/hone"
ln -s "$TOP/plugin" "$TMPDIR/usr/share/hone/plugin"
ln -s "$TMPDIR/usr/bin/hone" "$TMPDIR/bin/hone"
PATH=$TMPDIR/bin:$PATH
settings=$HOME/.config/hone/config.json
printf '{"agents":{"*":"%s"},"rights":{"tmp":true}}\n' "$agent" >"$settings"

# ---- a first review ----

forget
copy_of "$template" work
does critic "$sees"
does review-fixer 'sed -i s/defect/deed/ notes.txt; echo "# Fix Summary"'
echo "a defect" >>notes.txt
follows first-review
check_has "first review: a reviewer found it, and a fixer repaired it" notes.txt deed
check "first review: nobody looked twice for nothing" [ "$(started review-fixer)" = 1 ]

# ---- in an editor: what tests/e2e/lsp.sh goes on with ----

forget
copy_of "$template" work
follows editors

# ---- runs that are watched: no collector listens, which costs a run nothing ----

forget
copy_of "$template" work
mkdir "$HOME/metrics"
copy_of "$template" "$HOME/shop" && hone run review --quiet && cd "$TMPDIR/work" || exit 1
echo "one more line" >>notes.txt
follows observe
check_has "observe: the metrics of a run are there" "$HOME/metrics/shop.prom" hone_runs
hone config unset --user limits.calls_per_hour

# ---- an analyzer ----

printf '{"rights":{"tmp":true}}\n' >"$settings"
copy_of "$template" work
follows own-analyzer
check_has "own analyzer: it is named in the findings" "$out" "DRAFT is still here"

# ---- with the models' programs ----

printf '#!/bin/sh\necho 1.0.0\n' >"$TMPDIR/bin/claude"
cp "$TMPDIR/bin/claude" "$TMPDIR/bin/codex"
chmod +x "$TMPDIR/bin/claude" "$TMPDIR/bin/codex"
copy_of "$template" work
echo "one more line" >>notes.txt
follows claude-code
follows codex
hone plan review --agent '*=claude:opus'
check_has "claude: the plan says who plays" "$out" claude:opus
check "claude: nothing of hone is left in its settings" \
    sh -c '! grep -q hone@hone "$1"' - "$HOME/.claude/settings.json"
exit "$failed"
