#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The other dialects inside the real Claude Code: a run of each, by its command.
. "${TOP:?}/tests/real/stage/stage.sh"
client=claude
. "$TOP/tests/real/stage/hosted.sh"
. "$TOP/tests/support/session.sh"

# word COMMAND: what an agent of ours would say in a session, as a turn of the model.
word()
{
    # shellcheck source=/dev/null # made by support/session.sh
    answer "$(HONE_ROLE=x HONE_PHASE=x HONE_ROUND=1 HONE_ATTEMPT=1; . "$play/words"; "$@")"
}

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
    local idea
    idea=$(acts "$reads" "$(answer 'Words.')" "$done_")
    begin "iterate" "\"agents\":{\"*\":\"No issues found.\",\"brainstormer\":[$idea],
        \"planner\":[$idea],\"implementer\":[$idea],\"simplifier\":[$idea]}"
    git checkout -q -- .
    mkdir -p .claude
    echo '{"phases":{"1":{"parallel":false},"2":{"parallel":false}}}' \
        >.claude/iterate-config.local.json
    asks "/hone:iterate --lite make it right"
    await "$name" 0
    "$HONE" status >"$TMPDIR/shown"
    check_has "$name: it is clean" "$TMPDIR/shown" "state      clean"
    check_is "$name: who looked last" "$(times_started final-reviewer)" 1
    nothing_left "$name"
    stop_model
}

cycles_dialect()
{
    begin "cycles" "\"agents\":{\"implementer\":[$(acts "$reads" "$(runs 'echo 1 >phase-1.txt')" \
        "$(answer 'Built.')" "$done_")],\"spec-reviewer\":[$(acts "$reads" \
        "$(answer '## Issues

- [HIGH] phase-1.txt:1 - not fixed

## Grade: WARN')" "$done_"),$(acts "$reads" "$(answer 'All met.

## Grade: PASS')" "$done_")],\"spec-fixer\":[$(acts "$reads" "$(runs 'echo fixed >>phase-1.txt')" \
        "$(answer 'Fixed.')" "$done_")]}"
    git checkout -q -- .
    base=$(git rev-parse HEAD)
    asks "/hone:cycles --phases 1 --session-dir out/s greet by name"
    await "$name" 0
    check_is "$name: reviews" "$(times_started spec-reviewer)" 2
    check_is "$name: commits" "$(git rev-list --count "$base..HEAD")" 2
    check_is "$name: it is fixed" "$(tr '\n' ' ' <phase-1.txt)" "1 fixed "
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

has_client claude && together session_dialect iterate_dialect cycles_dialect loops_dialect
exit "$failed"
