#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A session that goes on: after a crash, from its Markdown alone in another clone, from a file that
# another tool wrote, and on a tree that another process has changed.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/session.sh"

# killed_at ROLE PHASE: hone is killed while the role is at work in that phase.
killed_at()
{
    rm -f "$play/here"
    "$HONE" run session --agent "*=$agent" "Say bye" >"$out" 2>"$err" &
    engine=$!
    check "killed at $2: it came so far" until_true 30 test -e "$play/here"
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    until_true 10 test ! -e "$play/busy"
}

# waits_at PHASE COMMANDS: says that it is there, once, and does nothing more.
waits_at()
{
    echo "if [ \"\$HONE_PHASE\" = $1 ] && first wait; then : >\"\$play/here\"; exec sleep 30; fi
$2"
}

after_a_crash()
{
    begin_story
    does_so docs "$(waits_at docs approve)"
    killed_at docs docs
    check "the lock of the dead is there" test -e ".review-loop/sessions/$(uuid).lock"
    hone resume
    check_is "resumed: exit" "$status" 0
    check_is "nobody who had finished was asked again" "$(started polish)" 1
    has "delivered" "- completed_stages: [exec, polish, docs, security]"
    check_not "no lock is left" test -e ".review-loop/sessions/$(uuid).lock"
    valid "resumed"
}

in_a_fresh_clone()
{
    local id
    begin_story
    does_so reviewer 'if [ "$HONE_PHASE" = execution ] && first fault; then request "too short"
else approve; fi'
    does_so executor "$(waits_at execution 'if [ "$HONE_PHASE" = planning ]; then plan "say bye"
else echo "bye $HONE_ROUND" >>notes.txt; report "bye said" notes.txt; fi' |
        sed 's/= execution \]/= execution ] \&\& [ -e "$play\/done.fault" ]/')"
    killed_at executor execution
    id=$(uuid)
    has "there is an open issue" "[CRITICAL] too short"
    git clone -q . "$TMPDIR/clone"
    mkdir -p "$TMPDIR/clone/.review-loop/sessions"
    cp "$(session_file)" "$TMPDIR/clone/.review-loop/sessions/"
    cd "$TMPDIR/clone" || exit 1
    cp "$(session_file)" "$TMPDIR/before.md"
    session --session "$id"
    one_line "a clone without the work" 2 "reverted-externally notes.txt"
    check "nothing was changed" cmp "$TMPDIR/before.md" "$(session_file)"
    forget
    defaults
    : >"$play/phases"
    session --session "$id" --accept-external-state
    check_is "accepted: exit" "$status" 0
    check_is "it goes on with the open issue" "$(in_order | cut -d ' ' -f 1-2)" \
        "executor-execution reviewer-execution"
    check_has "which the executor is told" "$play/prompt.executor.1.2" "[CRITICAL] too short"
    has "delivered from the file alone" "- completed_stages: [exec, polish, docs, security]"
    has "the history goes on" "### Execution Round 2"
    has "the drift is told" "- Drift: "
    valid "delivered from the file alone"
    check_is "one file" "$(find .review-loop/sessions -type f | wc -l)" 1
    head -n "$(grep -n '^## Files Changed' "$TMPDIR/before.md" | cut -d : -f 1)" \
        "$TMPDIR/before.md" | sed -n '/^## Review History/,/^## Files/p' | sed '$d' |
        sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >"$TMPDIR/history"
    check "what was in the history still is" \
        perl -0777 -e 'open F,shift; $a=<F>; open G,shift; $b=<G>; exit(index($b,$a)<0)' \
        "$TMPDIR/history" "$(session_file)"
    cd "$TMPDIR/work" && rm -rf "$TMPDIR/clone"
}

in_the_same_tree()
{
    local id
    begin_story
    session --stop-after before-docs "Say bye"
    check_is "stopped before docs: exit" "$status" 0
    id=$(uuid)
    : >"$play/phases"
    session --session "$id"
    check_is "continued: exit" "$status" 0
    check_is "only what was missing was done" "$(in_order)" "docs-docs security-security"
    check_has "who reviews is shown the work of before" "$play/prompt.docs.1.2" "+bye 1"
    check_has "as what it is" "$play/prompt.docs.1.2" "as a diff from the last commit"
    check_not "files of hone's own are nobody's affair" grep -q "not known any more" "$err"
    check_has "the summary: what was planned" "$out" "planned   say bye"
    check_has "the summary: what changed" "$out" "changed   notes.txt"
    has "delivered" "- completed_stages: [exec, polish, docs, security]"
    : >"$play/phases"
    session --session "$id"
    check_is "a delivered session is delivered: exit" "$status" 0
    check_is "and nobody is asked" "$(in_order)" ""
    echo "theirs" >>other.txt
    session --session "$id"
    one_line "a tree that somebody changed" 2 "newly-dirty other.txt"
    git commit -q -am theirs
    session --session "$id"
    one_line "and committed" 2 "external-head"
    session --session "$id" --accept-external-state "Say more"
    check_is "accepted: exit" "$status" 0
    check_has "a task beside a session is not taken, and that is said" "$err" \
        "the task is not taken"
    check_is "every stage is earned again" "$(in_order)" \
        "reviewer-execution polish-polish docs-docs security-security"
}

before_the_first_commit()
{
    begin_story
    rm -rf .git && git init -q .
    session --stop-after before-docs "Say bye"
    check_is "no commit yet: exit" "$status" 0
    session --session "$(uuid)"
    check_is "no commit yet, continued: exit" "$status" 0
    has "no commit yet: delivered" "- completed_stages: [exec, polish, docs, security]"
}

nothing_is_asked_for()
{
    local id
    begin_story
    session --stop-after before-docs "Say bye"
    id=$(uuid)
    : >"$play/phases"
    echo "notes of mine" >".review-loop/sessions/$id.md"
    session --session "$id" --accept-external-state
    one_line "a file that is no session" 2 "neither what is asked for"
    check_is "nobody was sent to work" "$(in_order)" ""
    check_is "and it is as it was" "$(cat "$(session_file)")" "notes of mine"
}

# A run that waits has let go of its file: what others write there is not written over.
edited_meanwhile()
{
    local verb
    begin_story
    mkdir .review-loop && echo 'soft_limit_exec: 1' >.review-loop/config.md
    does_so reviewer 'if [ "$HONE_PHASE" = planning ]; then approve; else request "too short"; fi'
    session "Say bye"
    check_is "a run that waits: exit" "$status" 5
    sed -i 's/^## Files Changed/## Lessons\nmine\n\n&/' "$(session_file)"
    cp "$(session_file)" "$TMPDIR/edited.md"
    for verb in resume "answer accept"; do
        # shellcheck disable=SC2086 # words
        hone $verb
        one_line "$verb, the file edited" 2 "--session $(uuid)"
        check "$verb: it is as it was edited" cmp "$TMPDIR/edited.md" "$(session_file)"
    done
    session --session "$(uuid)"
    check_is "continued from the file: asked again" "$status" 5
    hone answer accept
    check_is "continued from the file: exit" "$status" 0
    has "with what was written there" "## Lessons"
    rm "$(session_file)"
    hone resume
    check_is "a file that is gone is written again: exit" "$status" 0
    has "whole" "- completed_stages: [exec, polish, docs, security]"
}

by_another_tool()
{
    begin_story
    mkdir -p .review-loop/sessions
    cat >.review-loop/sessions/theirs.md <<END
<!-- written by something else -->
## Problem Description
Say bye.
## Context
None.
## Acceptance Criteria
- bye is said
## Current Phase
execution
## Approved Plan
- Source: reviewer-approved

Say bye in notes.txt.
## Review History
### Execution Round 1
- Executor backend: codex-subagent
- Executor result: tried
- Reviewer backend: claude-cli
- Reviewer verdict: REQUEST_CHANGES
- Reviewer issues:
  - [CRITICAL] bye is not said
    File: \`notes.txt\`, around line 1
- Outcome: changes requested
## Lessons
kept
## Files Changed
None.
## Key Related Files
None.
## Timing Log
- round 1: 3 min
## Session Metadata
- session_origin: codex-skill
- orchestrator_backend: codex
- executor_backend: codex-subagent
- reviewer_backend: claude-cli
- reviewer_fallback_used: false
- base_head: $(git rev-parse HEAD)
- base_dirty: {}
- last_verified_head: $(git rev-parse HEAD)
- last_verified_dirty: {}
- completed_stages: []
END
    session --session theirs
    check_is "a file by another tool: exit" "$status" 0
    check_is "begins with the repair" "$(in_order | cut -d ' ' -f 1)" "executor-execution"
    check_has "of its issue" "$play/prompt.executor.1.2" "[CRITICAL] bye is not said"
    check_has "with its plan" "$play/prompt.executor.1.2" "Say bye in notes.txt."
    has "their first line stays" "<!-- written by something else -->"
    has "their section, too" "## Lessons"
    has "their origin" "- session_origin: codex-skill"
    has "their round" "- Executor backend: codex-subagent"
    has "ours follows" "### Execution Round 2"
    has "delivered" "- completed_stages: [exec, polish, docs, security]"
    check_is "metadata is last" "$(grep '^## ' .review-loop/sessions/theirs.md | tail -n 1)" \
        "## Session Metadata"
}

# their_file PHASE PLAN HISTORY: a session file with exactly the metadata that the protocol lists.
their_file()
{
    mkdir -p .review-loop/sessions
    cat >.review-loop/sessions/theirs.md <<END
## Problem Description
Say bye.
## Context
None.
## Acceptance Criteria
- bye is said
## Current Phase
$1
## Approved Plan
$2
## Review History
$3
## Files Changed
None.
## Key Related Files
None.
## Timing Log
None.
## Session Metadata
- session_origin: codex-skill
- orchestrator_backend: codex
- executor_backend: codex-subagent
- reviewer_backend: claude-cli
- reviewer_fallback_used: false
END
}

# "On explicit resume, read the existing session file and continue from its ## Current Phase".
without_a_baseline()
{
    local round="- Executor result: tried
- Reviewer backend: claude-cli
- Reviewer verdict: REQUEST_CHANGES
- Reviewer issues:
  - [CRITICAL] bye is not said
    File: \`notes.txt\`, around line 1"

    begin_story
    echo mine >>other.txt
    their_file planning "" "### Planning Round 1
$round"
    session --session theirs
    check_is "a planning file with five lines of metadata: exit" "$status" 0
    check_has "the baseline is taken now, and said" "$err" \
        "the work tree as it is now is its baseline"
    check_is "it goes on with the issue that is open" "$(in_order | cut -d ' ' -f 1)" \
        "executor-planning"
    check_has "which the executor is told" "$play/prompt.executor.1.2" "[CRITICAL] bye is not said"
    has "the baseline is in the history" "- Baseline: the file named none; taken when"
    has "and in the metadata" "- base_head: $(git rev-parse HEAD)"
    check_not "no drift is told that did not happen" grep -q "Drift" "$(session_file)"
    has "delivered" "- completed_stages: [exec, polish, docs, security]"
    valid "a planning file with five lines of metadata"

    begin_story
    their_file execution "Say bye in notes.txt." ""
    session --session theirs
    check_is "execution that has not begun: exit" "$status" 0
    check_is "it goes on with the executor" "$(in_order | cut -d ' ' -f 1)" "executor-execution"
    check_not "nor is there a drift" grep -q "Drift" "$(session_file)"

    begin_story
    their_file execution "Say bye in notes.txt." "### Execution Round 1
$round"
    cp "$(session_file)" "$TMPDIR/before.md"
    session --session theirs
    one_line "execution that began, and no tree" 2 "no-baseline: execution began, and the session \
file does not say which tree it left"
    check_has "what to do is said" "$err" "--accept-external-state takes the work tree as it is"
    check "nothing was changed" cmp "$TMPDIR/before.md" "$(session_file)"
    session --session theirs --accept-external-state
    check_is "accepted: exit" "$status" 0
    has "what was accepted is told" "- Drift: the workspace is not known to be as the file left it"
}

somebody_is_at_work()
{
    local id
    begin_story
    session --stop-after before-docs "Say bye"
    id=$(uuid)
    echo "{\"pid\":$$,\"started_at\":\"2026-01-01T00:00:00Z\"}" >".review-loop/sessions/$id.lock"
    cp "$(session_file)" "$TMPDIR/before.md"
    session --session "$id"
    one_line "a lock of a living process" 2 "process $$ works on this session"
    check "nothing was touched" cmp "$TMPDIR/before.md" "$(session_file)"
    check "its lock neither" grep -q "\"pid\":$$," ".review-loop/sessions/$id.lock"
    printf 'pid: 4194000\nstarted_at: x\n' >".review-loop/sessions/$id.lock"
    session --session "$id"
    check_is "a lock of a dead one: exit" "$status" 0
    check_has "is taken over, and that is said" "$err" "process 4194000"
    check_not "and gone in the end" test -e ".review-loop/sessions/$id.lock"
}

interrupted()
{
    begin_story
    does_so docs "$(waits_at docs approve)"
    rm -f "$play/here"
    "$HONE" run session --agent "*=$agent" "Say bye" >"$out" 2>"$err" &
    engine=$!
    check "interrupted: it came so far" until_true 30 test -e "$play/here"
    kill -INT "$engine"
    wait "$engine"
    check_is "interrupted: exit" "$?" 130
    has "by the user" "- delivery_blocked_by: user-abort"
    check_not "the lock is gone" test -e ".review-loop/sessions/$(uuid).lock"
    hone resume
    check_is "and goes on: exit" "$status" 0
    has "nothing blocks any more" "- delivery_blocked_by: null"
}

after_a_crash
in_a_fresh_clone
in_the_same_tree
before_the_first_commit
nothing_is_asked_for
edited_meanwhile
by_another_tool
without_a_baseline
somebody_is_at_work
interrupted
exit "$failed"
