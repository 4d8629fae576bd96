#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone inside Codex: agents say their answers, get lost without a word, and are closed by the model
# that leads.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/hook.sh"

template=$TMPDIR/template
new_repo "$template"
host=codex

# There an agent may not write below .agents: it says its answer.
answering()
{
    local role patch='*** Begin Patch\n*** Add File: '
    patch+='.agents/tmp/phases/review-1/r1-critic.json\n+{}\n'
    copy_of "$template" work
    hook SessionStart '"source":"startup"'
    check_silent "Codex: nothing to say"
    # shellcheck disable=SC2016 # as it is typed in Codex
    prompt '$hone-review the notes'
    check_has "Codex: a run begins" "$out" '[PHASE R1]'
    check_has "Codex: with its agents" "$out" critic
    before spawn_agent '{"agent_type":"hone-critic","message":"m"}'
    check_silent "Codex: a reviewer is asked for"
    before spawn_agent '{"agent_type":"hone-review-fixer","message":"m"}'
    check_denied "Codex: the fixer is not"
    before apply_patch "{\"command\":\"$patch*** Update File: notes.txt\\n@@\\n-a\\n+b\\n\"}"
    check_denied "Codex: no patch of the tree in R1"
    before apply_patch "{\"command\":\"$patch\"}"
    check_denied "Codex: nor of a review by the main session"
    before apply_patch '{"command":"nothing"}'
    check_denied "Codex: nor one of nobody knows what"
    hook UserPromptSubmit '"agent_id":"a8","agent_type":"hone-critic","prompt":"/hone:review x"'
    check_is "Codex: an agent's prompt begins no run" "$(in_state task)" "the notes"
    agent_says hone-critic "All is well."
    check_is "Codex: a reviewer that does not answer is sent back" "$status" 2
    check_at "Codex: and nothing moves" R1 in_progress 1
    for role in $reviewers; do
        agent_says "hone-$role" "$found"
        check_silent "Codex: $role"
    done
    check_at "Codex: findings" R2 in_progress 1
    check_is "Codex: its verdict" "$(verdict_of 1)" issues_found
    stops
    check_blocked "Codex: the fixer" '[PHASE R2]'
    single_writer
}

# "R2 | review-fixer | Single write-enabled fixer", by patches.
single_writer()
{
    local patch='{"command":"*** Begin Patch\n*** Update File: notes.txt\n@@\n-a\n+b\n"}' by
    before apply_patch "$patch"
    check_denied "Codex, R2: no patch by the main thread"
    check_has "Codex, R2: the phase, and who may" "$out" "phase R2, and only review-fixer"
    check_has "Codex, R2: and the way out" "$out" "'hone stop'"
    for by in hone-critic worker; do
        before apply_patch "$patch" "\"agent_id\":\"a8\",\"agent_type\":\"$by\""
        check_denied "Codex, R2: no patch by $by"
    done
    before apply_patch "$patch" '"agent_id":"a9","agent_type":"hone-review-fixer"'
    check_silent "Codex, R2: the fixer patches"
}

# Codex does not tell of an agent that is lost, and would go on for ever.
losing()
{
    local role blocks=0
    copy_of "$template" work
    # shellcheck disable=SC2016 # as it is typed in Codex
    prompt '$hone-review the notes'
    for role in $reviewers; do agent_starts "hone-$role"; done
    for role in $reviewers; do [ "$role" = critic ] || agent_says "hone-$role" "$clean"; done
    while stops && is_blocked && ! grep -q 'agent_type: hone-critic' "$out"; do
        blocks=$((blocks + 1))
        [ "$blocks" -lt 12 ] || break
    done
    check_is "Codex: an agent that is lost is asked for again in a while" "$blocks" 3
    agent_starts hone-critic
    agent_says hone-critic "$clean"
    check_at "Codex: and all is well" DONE complete 1
    # shellcheck disable=SC2016
    prompt '$hone-review the notes'
    agent_starts hone-critic
    hook SubagentStart '"agent_id":"a2","agent_type":"hone-critic"'
    hook SubagentStop "\"agent_id\":\"a2\",\"agent_type\":\"hone-critic\",\
\"last_assistant_message\":$(say_it "$found")"
    for role in $reviewers; do [ "$role" = critic ] || agent_says "hone-$role" "$clean"; done
    agent_says hone-review-fixer '# Fixed'
    stops
    check_blocked "Codex: who was started twice is not at work afterwards" 'hone-critic'
    hook SessionStart '"source":"startup"' # of no session that it knows
    for role in $reviewers; do agent_starts "hone-$role"; done
    hook SessionStart '"source":"resume"'
    check_has "Codex: agents end with their host" "$out" 'agent_type: hone-critic'
}

# Codex knows an agent by a file, which its plugins cannot bring.
without_agents()
{
    local home=$TMPDIR/codex role text
    copy_of "$template" work
    # shellcheck disable=SC2016 # as it is typed in Codex
    text=$(event UserPromptSubmit '"prompt":"$hone-review the notes"' |
        sed "s#/nowhere/t.jsonl#$home/sessions/2026/r.jsonl#")
    raw "$text"
    check_has "Codex: without hone's agents the user is told" "$out" "hone install codex"
    check "Codex: and nothing begins" test ! -e .agents
    mkdir -p "$home/agents" .codex/agents
    for role in $reviewers; do : >"$home/agents/hone-$role.toml"; done
    raw "$text"
    check_has "Codex: nor where one is missing" "$out" "hone-review-fixer"
    : >.codex/agents/hone-review-fixer.toml
    raw "$text"
    check_has "Codex: an agent of the project will do" "$out" '[PHASE R1]'
}

closing()
{
    local role
    copy_of "$template" work
    # shellcheck disable=SC2016 # as it is typed in Codex
    prompt '$hone-review the notes'
    for role in $reviewers; do agent_starts "hone-$role"; done
    before multi_agent_v1close_agent '{"target":"a-hone-critic"}'
    check_denied "Codex: nobody is closed whose answer was not taken"
    agent_says hone-critic "$clean"
    before multi_agent_v1close_agent '{"target":"a-hone-critic"}'
    check_silent "Codex: but afterwards"
    before multi_agent_v1close_agent '{"target":"somebody"}'
    check_silent "Codex: and whoever is not ours"
    before multi_agent_v1close_agent '{"target":"a-hone-pedant"}'
    before multi_agent_v1close_agent '{"target":"a-hone-pedant"}'
    check_silent "Codex: who hangs is closed at the second try"
    stops
    check_blocked "Codex: and asked for again" 'agent_type: hone-pedant'
    before multi_agent_v1close_agent '{}'
    check_silent "Codex: a call that closes nobody"
}

together answering losing closing without_agents
exit "$failed"
