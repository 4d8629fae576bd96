#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The session dialect in a real repository: from a work item to its delivery, with what other tools
# see of it: the session file, the lock, the prompt.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/session.sh"

# "All reviewer backends must return the shared Stage 1 reviewer schema".
schema='### VERDICT: [APPROVE | REQUEST_CHANGES]

### Issues
- [CRITICAL] <description> - must be resolved before proceeding
  File: `path/file.ext`, around line N
- [MINOR] <description> - recommended improvement
- None.

### Strengths
...

### Questions
- ...'

# the_block FILE: what stands in its last block of Markdown.
the_block()
{
    awk '/^```md$/ { text = ""; inside = 1; next } /^```$/ { inside = 0 }
        inside { text = text $0 "\n" } END { printf "%s", text }' "$1"
}

to_the_delivery()
{
    begin_story
    does_so reviewer 'ls .review-loop/tmp .review-loop/sessions >"$play/seen"
cp .review-loop/tmp/*-reviewer-prompt.txt "$play/seen.prompt"
cp "$play/seen.prompt" "$play/$HONE_PHASE.prompt"
cat .review-loop/sessions/*.lock >"$play/seen.lock"
approve'
    session "Say bye. Context: we part. Acceptance: - it says bye"
    check_is "a session: exit" "$status" 0
    check_is "the work item: problem, context and criteria" \
        "$(sed '/^## Current Phase/,$d; /^$/d' "$(session_file)" | tr '\n' '|')" \
        "$(printf %s '## Problem Description|Say bye.|## Context|we part.|' \
            '## Acceptance Criteria|- it says bye|')"
    check_is "who was started" "$(in_order)" "executor-planning reviewer-planning $(
    )executor-execution reviewer-execution polish-polish docs-docs security-security"
    valid "a delivered session"
    has "all stages are complete" "- completed_stages: [exec, polish, docs, security]"
    has "nothing blocks it" "- delivery_blocked_by: null"
    has "the plan was approved" "- Source: reviewer-approved"
    has "the file that changed" '- `notes.txt` - modified: a line'
    has "the file that did not" '- `other.txt` - stays'
    has "who reviewed" "- reviewer_backend: cmd"
    check_is "the tree as it was verified" \
        "$(sed -n 's/^- last_verified_dirty: //p' "$(session_file)")" \
        "{\"notes.txt\":\"$(git hash-object notes.txt)\"}"
    check_is "and the commit" "$(sed -n 's/^- last_verified_head: //p' "$(session_file)")" \
        "$(git rev-parse HEAD)"
    check_has "the prompt was there while the reviewer ran" "$play/seen" "-reviewer-prompt.txt"
    check "it was what the reviewer was told" \
        cmp "$play/seen.prompt" "$play/prompt.reviewer.1.1"
    check_is "the exact shared reviewer schema, code review" \
        "$(the_block "$play/execution.prompt")" "$schema"
    check_is "the exact shared reviewer schema, plan review" \
        "$(the_block "$play/planning.prompt")" "$schema"
    check_has "and the lock" "$play/seen" ".lock"
    check_has "which names a process" "$play/seen.lock" '"pid":'
    check_is "no lock and no prompt are left" \
        "$(find .review-loop -name '*.lock' -o -name '*prompt*')" ""
    check_is "nothing is in the delta but the work" "$(git status --porcelain | head -n 1)" \
        " M notes.txt"
    summary_of_the_delivery
}

summary_of_the_delivery()
{
    cat "$out" "$err" >"$TMPDIR/said"
    check_has "the summary: delivered" "$TMPDIR/said" ": delivered"
    check_has "what was asked" "$TMPDIR/said" "asked     Say bye."
    check_has "planned" "$TMPDIR/said" "planned   say bye"
    check_has "changed" "$TMPDIR/said" "changed   notes.txt"
    check_has "found" "$TMPDIR/said" "found     nothing"
    check_has "and where it is written down" "$TMPDIR/said" "file      .review-loop/sessions/"
}

a_stage_is_repaired()
{
    begin_story
    does_so docs 'if first docs; then request "the README is wrong" other.txt; else approve; fi'
    does_so executor 'case $HONE_PHASE in
planning) plan "say bye" ;;
docs) echo more >>other.txt; report "README mended" other.txt ;;
*) echo bye >>notes.txt; report "bye said" notes.txt ;;
esac'
    session "Say bye"
    check_is "a stage is repaired: exit" "$status" 0
    check_is "and every stage follows again" "$(in_order)" "executor-planning $(
    )reviewer-planning executor-execution reviewer-execution polish-polish docs-docs $(
    )executor-docs reviewer-execution polish-polish docs-docs security-security"
    valid "a repaired stage"
    has "the repair is a round of execution" "### Execution Round 2"
    check_has "its reviewer sees the delta of this round" "$play/prompt.reviewer.2.1" \
        "other.txt  (modified)"
    check_not "and not what was there before" grep -q '^notes.txt  (modified)' \
        "$play/prompt.reviewer.2.1"
    check_has "as a diff" "$play/prompt.reviewer.2.1" "+more"
}

a_secret_blocks()
{
    begin_story
    does_so executor 'case $HONE_PHASE in
planning) plan "say bye" ;;
security) rm id_rsa; report "key removed" id_rsa ;;
*) echo bye >>notes.txt
    head -c 300 /dev/urandom | base64 >"$play/key"
    { echo "-----BEGIN OPENSSH PRIVATE KEY-----"; cat "$play/key"
      echo "-----END OPENSSH PRIVATE KEY-----"; } >id_rsa
    report "bye said" notes.txt id_rsa ;;
esac'
    session "Say bye"
    check_is "a secret: exit, after it is gone" "$status" 0
    has "the scan found it" "- Secret scan: "
    check_not "a key is nowhere in the file" grep -qF "$(head -n 1 "$play/key")" "$(session_file)"
    check_has "the executor was asked to remove it" "$play/log" "executor 1 1"
    has "and the stage holds in the end" "- completed_stages: [exec, polish, docs, security]"
    valid "a secret"
}

undeclared()
{
    begin_story
    does_so executor 'if [ "$HONE_PHASE" = planning ]; then plan "say bye"
else echo bye >>notes.txt; rm other.txt; echo x >"new
file"; report "bye said" notes.txt; fi'
    session --stop-after before-polish "Say bye"
    check_is "undeclared changes are taken: exit" "$status" 0
    check_has "the reviewer is told" "$play/prompt.reviewer.1.1" "other.txt  (deleted, undeclared)"
    check_has "of each" "$play/prompt.reviewer.1.1" "Undeclared: 2 of these"
    has "and the history" '- `other.txt` (deleted, undeclared)'
    valid "undeclared changes"
}

to_the_delivery
a_stage_is_repaired
a_secret_blocks
undeclared
exit "$failed"
