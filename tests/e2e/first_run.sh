#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The first run of README.md, word for word: what a newcomer types must work on a machine that has
# no model, and must end as the page says.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/documents.sh"

export PATH="${HONE%/*}:$PATH"
cd "$TMPDIR" || exit 1
cp -R "$TOP/examples" . || exit 1

for name in first-run script-run; do
    marked "$TOP/README.md" "$name" >"$name.sh"
    check "README has the block $name" test -s "$name.sh"
done

bash -e first-run.sh >first-run.log 2>&1
status=$?
cat first-run.log
check "the first run ends clean" test "$status" = 0
greeting=$(cat hello/greeting.txt)
check "the fixer repaired both lines" test "$greeting" = "Hello.
Nice to see you.
Come again soon."

trail=hello/.agents/tmp/phases
check "it took three reviews" test -e "$trail/review-3/r1-verdict.json" -a ! -e "$trail/review-4"
check "the two faults are two findings" grep -q "found 2, fixed 2, left 0" first-run.log
check "each fix left its summary" test -s "$trail/review-1/r2-fix-summary.md" \
    -a -s "$trail/review-2/r2-fix-summary.md"
check "the state says complete" grep -q '"status": *"complete"' hello/.agents/tmp/state.json
unclean=$(git -C hello status --porcelain | grep -v -e greeting.txt -e .agents)
check "nothing else in the tree changed" test -z "$unclean"

(cd hello && bash -e ../script-run.sh) >script-run.log 2>&1
status=$?
cat script-run.log
check "the scripted run ends clean" test "$status" = 0

exit "$failed"
