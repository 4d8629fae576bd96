#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The other dialects inside the real Claude Code: a run of each, by its command.
. "${TOP:?}/tests/real/stage/stage.sh"
client=claude
. "$TOP/tests/real/stage/hosted.sh"
. "$TOP/tests/real/stage/dialects.sh"

the_plan=$(acts "$reads" "$(word plan 'say bye')" "$done_")
the_report=$(acts "$reads" "$(runs 'echo bye >>notes.txt')" "$(word report 'bye said' notes.txt)" \
    "$done_")
the_approval=$(acts "$reads" "$(word approve)" "$done_")

session_dialect()
{
    begin "session" "\"agents\":{\"executor\":[$the_plan,$the_report],\"reviewer\":[$the_approval],
        \"polish\":[$the_approval],\"docs\":[$the_approval],\"security\":[$the_approval]}"
    git checkout -q -- .
    asks "/hone:session Say bye"
    await "$name" 0
    has "$name: all stages" "- completed_stages: [exec, polish, docs, security]"
    valid "$name"
    check_is "$name: who executed" "$(times_started executor)" 2
    nothing_left "$name"
    stop_model
}

iterate_dialect()
{
    iterate_by "/hone:iterate"
    nothing_left "$name"
    stop_model
}

# "model" for the one that joins, "parallelModel" for the copies, "inherit" for the session's own.
# Claude Code's agents know a few short names; for another model, and for a tool, hone starts
# a client.
iterate_models()
{
    local idea
    idea=$(acts "$reads" "$(answer 'Words.')" "$done_")
    begin "iterate, models" "\"agents\":{\"*\":\"No issues found.\",\"brainstormer\":[$idea],
        \"planner\":[$idea],\"implementer\":[$idea],\"simplifier\":[$idea]}"
    git checkout -q -- .
    mkdir -p .claude && echo .claude >>.git/info/exclude # no part of the change
    echo '{"phases":{"1":{"model":"sonnet","parallel":true,"parallelModel":"haiku"},
        "2":{"model":"inherit","parallel":true,"parallelModel":"sonnet"},
        "4":{"model":"claude-haiku-4-5"},"8":{"tool":"mcp__codex__codex"}}}' \
        >.claude/iterate-config.local.json
    asks "/hone:iterate make it right" --model claude-opus-4-5
    await "$name" 0
    check_is "$name: what the services were asked for" "$(sed \
        '/claude/{s/-[0-9][-0-9]* effort.*//}' "$asked.models")" "brainstormer claude-haiku
brainstormer claude-haiku
brainstormer claude-sonnet
planner claude-sonnet
planner claude-sonnet
planner claude-opus
plan-reviewer gpt-5.5 effort medium
implementer claude-haiku
code-reviewer claude-opus
simplifier claude-opus
final-reviewer gpt-5.5 effort medium
codex-final gpt-5.5 effort high"
    nothing_left "$name"
    stop_model
}

cycles_dialect()
{
    cycles_by "/hone:cycles"
    nothing_left "$name"
    stop_model
    stage_failed_by "/hone:cycles"
    nothing_left "$name"
    stop_model
}

loops_dialect()
{
    local run="hone run loops --tasks $TMPDIR/tasks.md --agent '*=cmd:$TMPDIR/plays'"
    cat >"$TMPDIR/plays" <<'END_OF_AGENT'
#!/bin/sh
case $HONE_ROLE in
builder) echo x >"$HONE_TASK_ID.txt" && echo TASK_COMPLETE ;;
*) echo '{"passed":true,"issues":[]}' ;;
esac
END_OF_AGENT
    chmod +x "$TMPDIR/plays"
    printf -- '# one\n- [ ] a: Add a\n- [ ] b: Add b\n' >"$TMPDIR/tasks.md"
    begin "loops" "\"leads\":{\"0\":[{\"call\":\"Bash\",\"input\":{\"description\":\"as it says\",
        \"command\":\"$(json "$run")\"}}]}"
    git checkout -q -- .
    asks "/hone:loops --tasks $TMPDIR/tasks.md"
    await "$name" 0
    check_is "$name: both are merged" "$(cat a.txt b.txt | tr '\n' ' ')" "x x "
    nothing_left "$name"
    stop_model
}

has_client claude && together session_dialect iterate_dialect iterate_models \
    cycles_dialect loops_dialect
exit "$failed"
