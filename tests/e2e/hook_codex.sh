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

# The leading model tells the user how a run ended or what it asks: `codex exec` does not show what
# a hook says to the user alone.
ending()
{
    local role
    copy_of "$template" work
    # shellcheck disable=SC2016 # as it is typed in Codex
    prompt '$hone-review the notes'
    for role in $reviewers; do agent_says "hone-$role" "$clean"; done
    stops
    check_blocked "Codex, the end: the model knows it" "is over, and clean after 1 review"
    check_blocked "Codex, the end: and tells the user" "Tell the user exactly this"
    stops
    check_silent "Codex, the end: once"
}

# "Keep the user informed of each round's status and review findings."
# "If cleanup closes one or more obsolete completed agents, log a short live update naming the
# cleanup count."
informing()
{
    # shellcheck source=tests/support/session.sh
    . "$TOP/tests/support/session.sh"
    copy_of "$template" work
    mkdir -p .review-loop
    echo 'codex_reviewer_backend: codex' >.review-loop/config.md
    # shellcheck disable=SC2016 # as it is typed in Codex
    prompt '$hone-session Say bye'
    agent_starts hone-executor
    agent_says hone-executor "$(word plan 'say bye')"
    check_silent "Codex, session: a plan"
    stops
    check_blocked "Codex, session: no round is over yet" 'agent_type: hone-reviewer'
    check_not "Codex, session: so none is told" grep -q 'Tell the user' "$out"
    before multi_agent_v1close_agent '{"target":"a-hone-executor"}'
    agent_starts hone-reviewer
    agent_says hone-reviewer "$(word request 'bye is said \"loudly\"' notes.txt)"
    check_silent "Codex, session: a review"
    before multi_agent_v1close_agent '{"target":"a-hone-reviewer"}'
    stops
    check_blocked "Codex, session: the round's status" 'planning, round 1: not passed, 1 finding'
    check_blocked "Codex, session: and its findings" 'bye is said'
    check_blocked "Codex, session: are for the user" 'Tell the user first'
    check_blocked "Codex, session: a live update naming the cleanup count" \
        'closed 2 agents that had ended'
    stops
    check_not "Codex, session: each round is told once" grep -q 'not passed' "$out"
    check_not "Codex, session: and so is each cleanup" grep -q 'had ended' "$out"
}

# word COMMAND: what an agent of a session says.
word()
{
    # shellcheck source=/dev/null # made by support/session.sh
    (HONE_ROLE=x HONE_PHASE=x HONE_ROUND=1 HONE_ATTEMPT=1; . "$play/words"; "$@")
}

# "Track every Codex subagent id spawned", and "Before every new `spawn_agent` call, call
# `close_agent` on any completed Codex subagent id from earlier rounds".
cleaning()
{
    local role
    copy_of "$template" work
    # shellcheck disable=SC2016 # as it is typed in Codex
    prompt '$hone-review the notes'
    for role in $reviewers; do agent_starts "hone-$role"; done
    for role in $reviewers; do
        agent_says "hone-$role" "$found"
        [ "$role" != critic ] || before spawn_agent '{"agent_type":"hone-pedant","message":"m"}'
    done
    check_silent "Codex, cleanup: agents of one step are started side by side"
    before multi_agent_v1close_agent '{"target":"a-hone-critic"}'
    stops
    check_blocked "Codex, cleanup: who has ended is named" 'call close_agent for'
    for role in $reviewers; do
        if [ "$role" = critic ]; then
            check_not "Codex, cleanup: not who is closed" grep -q "a-hone-$role" "$out"
        else
            check_has "Codex, cleanup: $role" "$out" "a-hone-$role"
        fi
    done
    hook SessionStart '"source":"compact"'
    check_has "Codex, cleanup: is not forgotten with the context" "$out" a-hone-pedant
    before spawn_agent '{"agent_type":"hone-review-fixer","message":"m"}'
    check_denied "Codex, cleanup: comes before a new spawn_agent"
    check_has "Codex, cleanup: the refusal names them" "$out" a-hone-pedant
    for role in $reviewers; do
        before multi_agent_v1close_agent "{\"target\":\"a-hone-$role\"}"
        check_silent "Codex, cleanup: $role is closed"
    done
    before spawn_agent '{"agent_type":"hone-review-fixer","message":"m"}'
    check_silent "Codex, cleanup: then it is started"
    agent_starts hone-review-fixer
    agent_says hone-review-fixer '# Fixed'
    stops
    check_blocked "Codex, cleanup: the next round" a-hone-review-fixer
    stops
    check_not "Codex, cleanup: is asked for once" grep -q a-hone-review-fixer "$out"
    before spawn_agent '{"agent_type":"hone-critic","message":"m"}'
    check_silent "Codex, cleanup: a model that cannot close is not held up for ever"
}

# Newer models have no close_agent: their agents have names.
not_closing()
{
    local role spawn='"message":"m","task_name":"one","fork_turns":"none"'
    copy_of "$template" work
    # shellcheck disable=SC2016 # as it is typed in Codex
    prompt '$hone-review the notes'
    for role in $reviewers; do
        before spawn_agent "{\"agent_type\":\"hone-$role\",$spawn}"
        agent_starts "hone-$role"
    done
    for role in $reviewers; do agent_says "hone-$role" "$found"; done
    stops
    check_blocked "Codex, a newer model: the fixer" hone-review-fixer
    check_not "Codex, a newer model: closes no agent" grep -q 'a-hone-critic' "$out"
    before spawn_agent "{\"agent_type\":\"hone-review-fixer\",$spawn}"
    check_silent "Codex, a newer model: and need not"
}

together answering losing closing without_agents
together ending informing cleaning not_closing
exit "$failed"
