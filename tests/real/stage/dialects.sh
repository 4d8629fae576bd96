# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of play.sh, hosted.sh
#
# dialects.sh - for stories of several dialects in a real host: what agents say in a session, and
# whole runs that are the same in every host. Sourced after hosted.sh.
. "${TOP:?}/tests/support/session.sh"

# word COMMAND: what an agent of ours would say in a session, as a turn of the model.
word()
{
    # shellcheck source=/dev/null # made by support/session.sh
    answer "$(HONE_ROLE=x HONE_PHASE=x HONE_ROUND=1 HONE_ATTEMPT=1; . "$play/words"; "$@")"
}

# stage_failed_by COMMAND: "WARN/FAIL on final cycle: STAGE_FAILED, escalate to user (ONLY PASS
# proceeds)".
stage_failed_by()
{
    local reviews
    reviews=$(acts "$reads" "$(answer 'phase-1.txt:1 - not fixed

## Grade: WARN')" "$done_")
    begin "cycles, WARN on the final cycle" "\"agents\":{\"implementer\":[$(acts "$reads" \
        "$(runs 'echo 1 >phase-1.txt')" "$(answer 'Built.')" "$done_")],
        \"spec-reviewer\":[$reviews]}"
    git checkout -q -- .
    asks "$1 --phases 1,2 --cycles=1 --session-dir out/s greet by name"
    await "$name" 0
    check_has "$name: the user is asked" "$out" "asks: STAGE_FAILED: findings remain"
    check_has "$name: and told how to answer" "$out" "$1 continue, accept or stop"
    "$HONE" status >"$TMPDIR/shown"
    check_has "$name: status" "$TMPDIR/shown" "question   STAGE_FAILED: findings remain"
    check_is "$name: only PASS proceeds" "$(times_started implementer)" 1
}

# iterate_by COMMAND, cycles_by COMMAND: a run, begun by the command of this host, and its end.
iterate_by()
{
    local idea
    idea=$(acts "$reads" "$(answer 'Words.')" "$done_")
    begin "iterate" "\"agents\":{\"*\":\"No issues found.\",\"brainstormer\":[$idea],
        \"planner\":[$idea],\"implementer\":[$idea],\"simplifier\":[$idea]}"
    git checkout -q -- .
    mkdir -p .claude && echo .claude >>.git/info/exclude # no part of the change
    echo '{"phases":{"1":{"parallel":false},"2":{"parallel":false}}}' \
        >.claude/iterate-config.local.json
    asks "$1 --lite make it right"
    await "$name" 0
    "$HONE" status >"$TMPDIR/shown"
    check_has "$name: it is clean" "$TMPDIR/shown" "state      clean"
    check_is "$name: who looked last" "$(times_started final-reviewer)" 1
}

cycles_by()
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
    asks "$1 --phases 1 --session-dir out/s greet by name"
    await "$name" 0
    check_is "$name: reviews" "$(times_started spec-reviewer)" 2
    check_is "$name: commits" "$(git rev-list --count "$base..HEAD")" 2
    check_is "$name: it is fixed" "$(tr '\n' ' ' <phase-1.txt)" "1 fixed "
}
