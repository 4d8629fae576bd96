#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The pages of docs/ that each take a new user through one task: every command that they show is
# run, in their order. One scripted agent plays all roles; the programs of models are there by name.
# And no page that shows commands is without a story.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"
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

# ---- analyzers, and a tool of one's own: the page's own script reviews, and fixits repairs ----

# The page's script becomes a tool of the repository, for the block behind it.
keeps_tool()
{
    if [ "$(head -n 1 "$1.sh")" = '#!/bin/sh' ]; then
        cp "$1.sh" blanks && chmod +x blanks
        printf 'one  \ntwo\nthree\t\n' >notes.md
        git add . && git commit -q -m tool
    fi
}
program my-model 'cat >/dev/null; echo "# Fixed"'
copy_of "$template" work
printf 'int twice(int number)\n{\n    return 2 * number;\n}\n' >twice.c
git add . && git commit -q -m twice && echo >>twice.c
follows analyzers keeps_tool
check_is "analyzers: the blanks are gone" "$(cat notes.md)" "one
two
three"
check_has "analyzers: beside the others" "$err" "silent-failure-hunter shellcheck"

# ---- in a browser: hone ui stays until it is ended, which it is when it has said where it is ----

mkdir "$TMPDIR/stays"
cat >"$TMPDIR/stays/hone" <<END
#!/bin/bash
"$HONE" "\$@" --port 0 >"$TMPDIR/said" 2>&1 &
until grep -q '#token=' "$TMPDIR/said"; do kill -0 \$! || exit 1; sleep 0.05; done
[ "\$2" != --open ] || until [ -e "$TMPDIR/opened" ]; do kill -0 \$! || exit 1; sleep 0.05; done
kill -INT \$!
wait \$!
cat "$TMPDIR/said"
END
chmod +x "$TMPDIR/stays/hone"
program xdg-open "echo >$TMPDIR/opened"
copy_of "$template" "$HOME/one"
copy_of "$template" "$HOME/two"
copy_of "$template" work
PATH=$TMPDIR/stays:$PATH follows ui
check "ui: the browser was called" test -e "$TMPDIR/opened"

# ---- in scripts ----

stand_in_claude "$TMPDIR/bin/claude" "$play/agent"
copy_of "$template" work
git update-ref refs/remotes/origin/main HEAD
echo "one more line" >>notes.txt
follows scripting
check "scripting: the report is there" "$SUPPORT/is_json" <hone.sarif

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

# ---- no page is without a story ----

# Packages are tried by tests/package; the scripts of the dialects play, each by its mark.
cd "$TOP/docs" || exit 1
for page in $(grep -rl --include='*.md' '^```sh$' . | sed 's,^\./,,; s,\.md$,,' | LC_ALL=C sort); do
    case $page in
    install | release) continue ;;
    dialects) check_is "$page: every block is marked" "$(grep -c '^```sh$' $page.md)" \
        "$(grep -A 1 '^<!-- test: ' $page.md | grep -c '^```sh$')" ;;
    *) check "$page: a story follows it" \
        grep -qE "(^|[^#]* )follows $page( |\$)" "$TOP"/tests/e2e/docs_*.sh ;;
    esac
done
exit "$failed"
