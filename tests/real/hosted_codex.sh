#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone inside the real Codex: its skills, custom agents and hooks, as `hone install codex` puts them
# there. Agents that have ended are closed, and only after their answer was taken.
. "${TOP:?}/tests/real/stage/stage.sh"
client=codex
. "$TOP/tests/real/stage/hosted.sh"
. "$TOP/tests/support/session.sh"

# word COMMAND: what an agent of ours would say in a session, as a turn of the model.
word()
{
    # shellcheck source=/dev/null # made by support/session.sh
    answer "$(HONE_ROLE=x HONE_PHASE=x HONE_ROUND=1 HONE_ATTEMPT=1; . "$play/words"; "$@")"
}

the_plan=$(acts "$reads" "$(word plan 'say bye')")
bye=$(runs 'echo bye >>notes.txt')
the_report=$(word report 'bye said' notes.txt)
the_approval=$(acts "$reads" "$(word approve)")
the_request=$(acts "$reads" "$(word request 'bye is not said twice')")

# asks PROMPT: Codex, in the background; its hooks are trusted for this once.
asks()
{
    hone install codex --yes >"$TMPDIR/installed" 2>&1 || cat "$TMPDIR/installed"
    TMPDIR=$TMPDIR/tmp codex exec --json --dangerously-bypass-hook-trust --sandbox workspace-write \
        "$1" >"$out" 2>"$err" </dev/null &
    runs=$!
}

# Each is closed after it has ended, and all of them before others are started.
closes_in_order()
{
    check_is "$name: all are closed" "$(sed -n 's/^leader .* closes //p' "$asked" |
        awk '{ sum += $1 } END { print sum }')" \
        "$(sed -n 's/^leader .* starts //p' "$asked" | wc -w)"
    check_not "$name: none is refused for too many" grep -q 'agent thread limit' "$out"
}

review()
{
    begin "two rounds of review" "\"agents\":{$all_clean,\"critic\":[$is_found,$is_clean],
        \"review-fixer\":[$(acts "$reads" "$(runs 'sed -i /defect/d notes.txt')" \
        "$(answer '# Fixed')")]}"
    asks '$hone-review look at notes.txt'
    leads_to DONE 2 1
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    closes_in_order
    stop_model
}

review_again()
{
    begin "a malformed review" "\"agents\":{$all_clean,\"critic\":[$(acts "$reads" \
        "$(answer 'It looks fine.')" "$(answer "$clean")")]}"
    asks '$hone-review'
    leads_to DONE 1 0
    check_is "$name: it was sent back" "$(grep -c '^critic 1 turn 2 answer' "$asked")" 1
    closes_in_order
    stop_model
}

session_here()
{
    begin "a session" "\"agents\":{\"executor\":[$the_plan,$(acts "$reads" "$bye" "$the_report"),
        $(acts "$reads" "$bye" "$the_report")],\"reviewer\":[$the_approval,$the_request,
        $the_approval],\"polish\":[$the_approval],\"docs\":[$the_approval],
        \"security\":[$the_approval]}"
    git checkout -q -- .
    mkdir -p .review-loop
    echo 'codex_reviewer_backend: codex' >.review-loop/config.md
    asks '$hone-session Say bye'
    await "$name" 0
    has "$name: all stages" "- completed_stages: [exec, polish, docs, security]"
    has "$name: two rounds" "### Execution Round 2"
    valid "$name"
    check_is "$name: bye twice" "$(grep -c bye notes.txt)" 2
    closes_in_order
    nothing_left "$name"
    stop_model
}

# By default Claude Code reviews, which hone starts itself.
session_by_claude()
{
    has_client claude || return
    begin "a session that Claude Code reviews" "\"agents\":{\"executor\":[$the_plan,
        $(acts "$reads" "$bye" "$the_report")],\"reviewer\":[$the_approval],
        \"polish\":[$the_approval],\"docs\":[$the_approval],\"security\":[$the_approval]}"
    git checkout -q -- .
    asks '$hone-session Say bye'
    await "$name" 0
    has "$name: all stages" "- completed_stages: [exec, polish, docs, security]"
    has "$name: who reviewed" "- Reviewer backend: claude-cli"
    valid "$name"
    check_is "$name: Codex plays the executor alone" "$(sed -n 's/^leader .* starts //p' "$asked" |
        sort -u)" "hone-executor"
    closes_in_order
    nothing_left "$name"
    stop_model
}

has_client codex && together review review_again session_here session_by_claude
exit "$failed"
