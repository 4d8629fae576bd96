#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# `make demo`, without the building: a small program with real faults comes out clean, by analyzers
# and their own fixes alone, and works afterwards.
. "${TOP:?}/tests/support/story.sh"

log=$TMPDIR/log
demo=$TMPDIR/demo
cp -R "$TOP/examples/demo" "$TMPDIR/before"

# works FOLDER: the program says what it should.
works()
{
    make -s -C "$1" check >"$TMPDIR/make.log" 2>&1
}

# cleans FOLDER: its script removes the reports it should, and no other file.
cleans()
{
    local reports="$TMPDIR/my reports"
    rm -rf "$reports" && mkdir "$reports" || return 1
    touch "$reports/a b.report" "$reports/c.report" "$reports/last week.report" "$reports/notes"
    (cd "$TMPDIR" && "$1/cleanup.sh" "$reports" "x/last week.report") >"$TMPDIR/clean.log" 2>&1
    [ "$(ls "$reports")" = "last week.report
notes" ]
}

check "the program has faults" sh -c '! make -s -C "$1" check >/dev/null 2>&1' - "$TMPDIR/before"
if cleans "$TMPDIR/before"; then not_ok "the script has faults"; else ok "the script has faults"; fi

SECONDS=0
MAKEFLAGS=--no-builtin-rules "$TOP/tools/demo" "$demo" >"$log" 2>&1 # as make demo sets it
status=$?
took=$SECONDS
cat "$log"
check_is "the demo ends clean" "$status" 0
check "in under a minute" test "$took" -lt 60
check_has "it says who reviews" "$log" "agents: critic gcc, pedant clang-tidy, witness cppcheck, \
silent-failure-hunter shellcheck, review-fixer fixits; security-reviewer has none"
check_has "it says where" "$log" "$demo"
check_has "it shows what changed" "$log" "4 files changed"
check_not "its test has judged the fixes" grep -q "failed before any fix" "$log"

cd "$demo" || exit 1
check "the state says complete" grep -q '"status": *"complete"' .agents/tmp/state.json
check "it took more than one round" test -e .agents/tmp/phases/review-2/r1-verdict.json
check "and no more than three" test ! -e .agents/tmp/phases/review-4
check_has "each fix left its summary, and the test has judged it" \
    .agents/tmp/phases/review-1/r2-fix-summary.md 'Whether the test passes: `make check`.'
check_is "the fixes, and nothing else" "$(git status --porcelain | tr '\n' ';')" \
    " M cleanup.sh; M main.c; M stock.c; M stock.h;"
check_is "nothing was committed" "$(git rev-list --count HEAD)" 1
check "the program works" works "$demo"
check "without a warning" sh -c '! grep -q warning: "$1"' - "$TMPDIR/make.log"
check "the script works" cleans "$demo"
make -s clean

settings=$("$SUPPORT/sql" .git/hone/journal.db "select settings from runs")
case $settings in
*'["critic","analyzer:gcc"]'*'["review-fixer","fixits"]'*) ok "the run keeps what was chosen" ;;
*) not_ok "the run keeps what was chosen: $settings" ;;
esac

git diff >"$TMPDIR/first.diff"
"$HONE" run review >"$log" 2>&1
check_is "a second run is clean" "$?" 0
check "at once" test ! -e .agents/tmp/phases/review-2
git diff >"$TMPDIR/second.diff"
check "and changes nothing" cmp -s "$TMPDIR/first.diff" "$TMPDIR/second.diff"

"$TOP/tools/demo" "$demo" >"$log" 2>&1
check_is "a folder in use is refused" "$?" 2
check_has "a folder in use: why" "$log" "is not an empty folder"

exit "$failed"
