#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone check: what the agents of a session answer, good and bad, by file and by pipe.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

cd "$TMPDIR" || exit 1

cat >plan.md <<'END'
## Solution Plan: Faster parser

### Problem Analysis
It is slow.

### Proposed Approach
Read it once.

### Implementation Steps
1. Measure
2. Mend

### Files to Modify / Create
- `src/parse.c` - the loop

### Risks & Assumptions
- The input is small.

### Open Questions
- None
END
cat >exec.md <<'END'
## Implementation Complete: Faster parser

### Changes Made
The loop reads once.

### Files Modified / Created / Deleted
- `src/parse.c` - the loop

### Deviations from Plan
None

### Notes for Reviewer
Look at the end of the loop.
END
cat >review.md <<'END'
### VERDICT: REQUEST_CHANGES

### Issues
- [CRITICAL] The loop reads behind the end - must be resolved before proceeding

### Strengths
- It is short.
END

# said: what was printed, in one line.
said()
{
    tr '\n' ',' <"$out"
}

for kind in executor-plan:plan.md executor-exec:exec.md reviewer:review.md; do
    hone check "${kind%:*}" "${kind#*:}"
    check_is "a good answer, $kind: exit" "$status" 0
    check_is "a good answer, $kind" "$(said)" "${kind#*:}: valid,"
done

hone check reviewer --phase planning review.md
check_is "a review in planning needs no place: exit" "$status" 0
hone check reviewer --phase execution review.md
check_is "a review in execution needs one: exit" "$status" 1
check_has "a review in execution needs one" "$out" "review.md:4: missing-anchor: "
sed -i '4a\  File: `src/parse.c`, around line 12' review.md
hone check reviewer --phase execution review.md
check_is "a review with a place: exit" "$status" 0

for words in 'no test for the new behaviour' 'step 3 of the plan is not implemented' \
    'the loop in src/main.c:3 reads behind the end' \
    'workspace divergence: the function exists only in another worktree'; do
    sed "/File:/d; s|The loop reads behind the end|$words|" review.md >anchor.md
    hone check reviewer --phase execution anchor.md
    check_is "'$words' needs no other place: exit" "$status" 0
done

sed 's/REQUEST_CHANGES/APPROVE/' review.md >approve.md
hone check reviewer approve.md
check_is "APPROVE beside a CRITICAL: exit" "$status" 1
check_has "APPROVE beside a CRITICAL" "$out" "approve.md:4: approve-with-critical: "

sed 's/^- `src/- `..\/other\/src/' exec.md >elsewhere.md
hone check executor-exec elsewhere.md --json
check_is "work somewhere else, as JSON: exit" "$status" 1
check_has "work somewhere else, as JSON: kind" "$out" '"kind": "executor-exec"'
check_has "work somewhere else, as JSON: code" "$out" '"code": "other-checkout"'
check_has "work somewhere else, as JSON: line" "$out" '"line": 7'

"$HONE" check executor-plan <<<'## Solution Plan: x' >"$out" 2>"$err"
check_is "a plan without sections by a pipe: exit" "$?" 1
check_is "a plan without sections: one line each" "$(grep -c '^-:0: missing-section: ' "$out")" 6

printf '### VERDICT: APPROVE\r\n```\n\033]0;x\007' >hostile.md
hone check reviewer hostile.md
check_is "a hostile review: exit" "$status" 1
check_is "a hostile review: no control characters" "$(tr -d '\n -~' <"$out")" ""

hone check executor-plan --phase planning plan.md
check_is "a kind without phases: exit" "$status" 2
check_has "a kind without phases" "$err" "executor-plan is the same in every phase"
hone check reviewer --phase coding review.md
check_is "an unknown phase: exit" "$status" 2
check_has "an unknown phase" "$err" "unknown phase 'coding'; there is: planning, execution"
hone check reviewer --phase
check_is "a phase without a word: exit" "$status" 2

exit "$failed"
