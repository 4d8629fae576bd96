#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone inside the real Codex: its skills, custom agents and hooks, as `hone install codex` puts them
# there. Agents that have ended are closed, and only after their answer was taken.
. "${TOP:?}/tests/real/stage/stage.sh"
client=codex
. "$TOP/tests/real/stage/hosted.sh"
. "$TOP/tests/real/stage/codex.sh"
. "$TOP/tests/real/stage/dialects.sh"

the_plan=$(acts "$reads" "$(word plan 'say bye')")
bye=$(runs 'echo bye >>notes.txt')
the_report=$(word report 'bye said' notes.txt)
the_approval=$(acts "$reads" "$(word approve)")
the_request=$(acts "$reads" "$(word request 'bye is not said twice')")

# informs_of STATUS FINDING: "Keep the user informed of each round's status and review findings."
informs_of()
{
    grep '"agent_message"' "$out" >"$TMPDIR/said"
    check_has "$name: the user is told the round's status" "$TMPDIR/said" "$1"
    check_has "$name: and its findings" "$TMPDIR/said" "$2"
}

# told TEXT: how often hone told it to the leading model.
told()
{
    cat "$CODEX_HOME"/sessions/*/*/*/*.jsonl | grep '"response_item"' | grep hook_prompt |
        grep -c "$1"
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

# "R2 | review-fixer | Single write-enabled fixer": a patch of the main thread or of Codex's own
# agent is refused, one of the fixer is not.
single_writer()
{
    local namespace=multi_agent_v1
    [ -z "$model_name" ] || namespace=collaboration
    begin "one writer${model_name:+, a newer model}" "\"agents\":{$all_clean,
        \"critic\":[$is_found,$is_clean],\"other\":[[$(patches agent),{\"say\":\"ok\"}]],
        \"review-fixer\":[$(acts "$reads" "$(patches fixer)" "$(
        runs 'sed -i /defect/d notes.txt')" "$(answer '# Fixed')")]},
        \"in\":{\"R2\":[$(patches main),{\"call\":\"spawn_agent\",
        \"namespace\":\"$namespace\",
        \"input\":{\"agent_type\":\"worker\",${model_name:+\"task_name\":\"w\",}
        \"message\":\"Write a file.\"}}]}"
    asks '$hone-review look at notes.txt'
    leads_to DONE 2 1
    check_is "$name: files that were written" "$(echo by-*.txt)" by-fixer.txt
    check_is "$name: both read who may edit" "$(cat "$CODEX_HOME"/sessions/*/*/*/*.jsonl |
        grep '_output"' | grep -c 'phase R2, and only review-fixer changes files')" 2
    stop_model
}

# patches NAME: a call that makes a new file.
patches()
{
    printf '{"patch":"*** Begin Patch\\n*** Add File: by-%s.txt\\n+x\\n*** End Patch\\n"}' "$1"
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
    informs_of "execution, round 1: not passed, 1 finding" "bye is not said twice"
    check_is "$name: each cleanup is counted" "$(told 'You have closed 1 agent that had ended')" \
        "$(sed -n 's/^leader .* starts //p' "$asked" | wc -w)"
    check_has "$name: its end is told" "$TMPDIR/said" "is over, and clean"
    check_not "$name: cleanup is not in the session file" grep -q 'close' .review-loop/sessions/*.md
    nothing_left "$name"
    stop_model
}

# "Before every new `spawn_agent` call, call `close_agent` on any completed Codex subagent id": hone
# names those that the model has not closed.
session_kept()
{
    begin "a session whose model keeps its agents" "\"keeps\":true,
        \"agents\":{\"executor\":[$the_plan,$(acts "$reads" "$bye" "$the_report")],
        \"reviewer\":[$the_approval],\"polish\":[$the_approval],\"docs\":[$the_approval],
        \"security\":[$the_approval]}"
    git checkout -q -- .
    mkdir -p .review-loop
    echo 'codex_reviewer_backend: codex' >.review-loop/config.md
    asks '$hone-session Say bye'
    await "$name" 0
    has "$name: all stages" "- completed_stages: [exec, polish, docs, security]"
    valid "$name"
    check_is "$name: hone names each" "$(told 'call close_agent for')" \
        "$(sed -n 's/^leader .* starts //p' "$asked" | wc -w)"
    closes_in_order
    nothing_left "$name"
    stop_model
}

iterate()
{
    iterate_by '$hone-iterate'
    closes_in_order
    nothing_left "$name"
    stop_model
}

cycles()
{
    cycles_by '$hone-cycles'
    closes_in_order
    nothing_left "$name"
    stop_model
    stage_failed_by '$hone-cycles'
    nothing_left "$name"
    stop_model
}

# Models of today have other tools for agents, room for three of them, and call a shell by a script.
newer()
{
    model_name=gpt-6.1-sol
    begin "a newer model" "\"agents\":{$all_clean,\"critic\":[$is_found,$is_clean],
        \"review-fixer\":[$(acts "$reads" "$(runs 'sed -i /defect/d notes.txt')" \
        "$(answer '# Fixed')")]},\"leads\":{\"0\":[{\"call\":\"spawn_agent\",
        \"namespace\":\"collaboration\",\"input\":{\"task_name\":\"early\",
        \"agent_type\":\"hone-review-fixer\",\"message\":\"Fix it.\"}}]}"
    asks '$hone-review look at notes.txt'
    leads_to DONE 2 1
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    stop_model

    single_writer
    lost "a newer model, and an agent is lost"
}

# An agent that is lost, of which Codex does not tell.
lost()
{
    begin "${1:-an agent is lost}" "\"agents\":{$all_clean,\"critic\":[[{\"first\":[$(
        times 8 '{"status":400}')],\"say\":\"never\"}],$is_clean]}"
    asks '$hone-review'
    leads_to DONE 2 0
    stop_model
}

hasty()
{
    begin "a model that closes too early" "\"hasty\":1,\"agents\":{$all_clean,\"critic\":[$(acts \
        "$reads" "$(runs 'sleep 2')" "$(answer "$clean")")]}"
    asks '$hone-review'
    leads_to DONE 1 0
    check_has "$name: hone refused it" "$TMPDIR/closing.log" early
    stop_model
}

four_are_judged()
{
    [ "$("$HONE" show | grep -c ' clean$')" = 4 ]
}

killed()
{
    local thread
    begin "the host is killed" "\"agents\":{$all_clean,\"critic\":[[{\"first\":[{\"hang\":true}],
        \"say\":\"never\"}],$is_clean]}"
    asks '$hone-review look at notes.txt'
    at_the_hang "$name"
    check "$name: the others have answered" until_true 60 four_are_judged
    cd "$TMPDIR" || exit 1
    # shellcheck disable=SC2046 # a list of numbers
    kill -KILL $(of_attempts | sort -u)
    kill_hone
    cd work || exit 1
    thread=$(sed -n 's/.*"thread_id":"\([^"]*\)".*/\1/p' "$out" | head -n 1)
    name="$name, and goes on"
    asks resume "$thread" '$hone-review'
    leads_to DONE 2 0
    check_is "$name: who had answered is not asked again" "$(times_started pedant)" 1
    stop_model
}

compacts()
{
    begin "the host makes its context small" "\"tokens\":{\"1\":90000},\"agents\":{$all_clean,
        \"critic\":[$is_found,$is_clean],\"review-fixer\":[$(acts "$reads" \
        "$(runs 'sed -i /defect/d notes.txt')" "$(answer '# Fixed')")]}"
    asks -c model_auto_compact_token_limit=50000 '$hone-review'
    leads_to DONE 2 1
    check_is "$name: it did" "$(grep -c '^leader compacts' "$asked")" 1
    closes_in_order
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

has_client codex && together review single_writer review_again session_here session_kept \
    session_by_claude iterate cycles newer lost hasty killed compacts
exit "$failed"
