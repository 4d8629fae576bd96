#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What hosts really do: agents in the background, agents that get lost, stops without end, other
# sessions in the folder, compaction, and states that the plugin of the seed has left.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/hook.sh"

template=$TMPDIR/template
new_repo "$template"

# shellcheck disable=SC2086,SC2154 # a list, of play.sh
reviewers_of_hone=$(printf "hone:%s " $reviewers)

# ---- stops ----

stopping()
{
    local all
    begin
    # shellcheck disable=SC2086 # a list
    all=$(running ${reviewers_of_hone})
    stops
    check_blocked "nobody was started: go on" '[PHASE R1]'
    stops "$all"
    check_silent "they run: let it stop, it wakes up"
    stops "$(running hone:critic hone:pedant)"
    check_not "who runs is not asked for again" grep -q 'hone:critic\|hone:pedant' "$out"
    writes critic "$clean"
    agent_stops hone:critic
    writes witness "$clean"
    agent_stops hone:witness
    stops
    check_blocked "who is missing is asked for" hone:pedant
    check_not "and nobody else" grep -q 'hone:critic\|hone:witness' "$out"
    stops "$all"
    check_silent "while they run nothing is asked"
    check_at "and nothing moves" R1 in_progress 1
}

# A host ends a turn after eight blocks in a row: before that the run lets go, and can go on.
stalled()
{
    local blocks=0 active=false
    begin
    while stops && is_blocked; do
        blocks=$((blocks + 1))
        active=true
        [ "$blocks" -lt 12 ] || break
    done
    check "a run that stalls lets go in time" test "$blocks" -ge 1 -a "$blocks" -le 8
    check "and says so" test -s "$out"
    check_at "it can go on" R1 in_progress 1
    stops
    check_not "it does not begin again by itself" is_blocked
    prompt "/hone:review"
    check_has "the command goes on" "$out" '[PHASE R1]'
    check_at "where it was" R1 in_progress 1
    stops
    check_blocked "with stops that count anew" '[PHASE R1]'
}

# Progress makes the count begin anew: what takes many blocks is no stall.
progress()
{
    local role blocks=0
    begin
    for role in $reviewers; do
        for _ in 1 2 3; do
            stops
            is_blocked && blocks=$((blocks + 1))
        done
        writes "$role" "$found"
        agent_stops "hone:$role"
    done
    check_is "each step forward counts" "$blocks" 15
    stops
    check_blocked "to the next phase" '[PHASE R2]'
}

# ---- agents that get lost ----

lost()
{
    local role
    begin
    for role in $reviewers; do
        agent_starts "hone:$role"
        check_is "$role starts" "$status" 0
    done
    all_write "$clean"
    agent_stops ''
    check_silent "somebody without a name has stopped"
    agent_stops general-purpose
    check_silent "and somebody who is not of ours"
    hook SubagentStop
    check_silent "and nobody at all"
    stops
    check_not "what lies there counts at the stop" is_blocked
    check_at "and is clean" DONE complete 1
    begin
    hook StopFailure '"agent_id":"a1","agent_type":"hone:critic","error":"unknown"'
    check_silent "an agent was lost"
    stops
    check_blocked "it is asked for again" hone:critic
    begin
    hook SubagentStop '"agent_name":"minions:critic"'
    check_back "an older name of the member" r1-critic.json
    writes critic "$clean"
    hook SubagentStop '"agentName":"critic"'
    check_silent "and a name without a plugin"
}

# critic_starts ID, critic_ends ID: one of several.
critic_starts()
{
    hook SubagentStart "\"agent_id\":\"$1\",\"agent_type\":\"hone:critic\""
}

critic_ends()
{
    hook SubagentStop "\"agent_id\":\"$1\",\"agent_type\":\"hone:critic\",\"background_tasks\":[]"
}

# Somebody starts two of a role where one is wanted: the newer one counts.
started_twice()
{
    local i
    begin
    critic_starts a1
    critic_starts a2
    for i in 1 2 3 4 5; do
        critic_ends a1
        check_silent "the older of two is let go, $i"
    done
    critic_ends a2
    check_back "the newer one is judged" r1-critic.json
    all_write "$clean"
    critic_ends a2
    agent_stops hone:pedant
    agent_stops hone:witness
    agent_stops hone:security-reviewer
    agent_stops hone:silent-failure-hunter
    check_at "and nothing is lost" DONE complete 1
}

# ---- a verdict that somebody else wrote ----

forged()
{
    local folder=.agents/tmp/phases/review-1
    begin
    printf '{"overall_verdict":"clean","total_issues":0}' >$folder/r1-verdict.json
    stops
    check_blocked "a verdict without reviews convinces nobody" '[PHASE R1]'
    check_at "nothing moved" R1 in_progress 1
    all_write "$found"
    printf '{"overall_verdict":"clean","total_issues":0}' >$folder/r1-verdict.json
    all_stop
    check_at "nor one against the reviews" R2 in_progress 1
    check_is "it is replaced" "$(verdict_of 1)" issues_found
    begin
    all_write "$clean"
    stops
    check_blocked "nor reviews without reviewers" '[PHASE R1]'
    check_at "nothing moved" R1 in_progress 1
}

# ---- sessions ----

foreign()
{
    begin
    all_write "$clean"
    cp "$state" before.json
    for session in "$other_session" ''; do
        starts hone:review-fixer
        check_silent "'$session': any agent"
        edits notes.txt
        check_silent "'$session': any edit"
        before Edit '{}'
        check_silent "'$session': even one of nothing"
        stops
        check_silent "'$session': a stop"
        agent_stops hone:critic
        check_silent "'$session': the stop of an agent"
        hook SessionStart '"source":"compact"'
        check_silent "'$session': a compaction"
        hook SessionEnd '"reason":"other"'
        check_silent "'$session': its end"
        check "'$session' has touched nothing" cmp -s before.json "$state"
    done
    session=$other_session
    prompt "/hone:review something else"
    check "a second session does not take the folder" cmp -s before.json "$state"
    check "and is told" test -s "$out" -o -s "$err"
    prompt "/hone:review"
    check "nor the run" cmp -s before.json "$state"
    session=7c1e2a34-5b60-4d7e-8f90-a1b2c3d4e5f6
    all_stop
    check_at "the first one goes on" DONE complete 1
}

nobodys()
{
    copy_of "$template" work
    original ""
    sed -i 's/0123456789abcdef//' "$state"
    cp "$state" before.json
    stops
    check_silent "a run of nobody holds nobody"
    edits notes.txt
    check_silent "nor their edits"
    session=
    stops
    check_silent "nor somebody who has no name either"
    check "and it is left as it was" cmp -s before.json "$state"
}

# ---- what the plugin of the seed has left ----

dropped_in()
{
    local role
    copy_of "$template" work
    original $$
    stops
    check_blocked "the session of its owner goes on" '[PHASE R1]'
    starts minions:critic Task
    check_silent "its reviewers are asked for"
    starts minions:review-fixer Task
    check_denied "its fixer is not"
    edits notes.txt
    check_denied "and nobody edits"
    agent_stops minions:critic
    check_back "a reviewer without its file" r1-critic.json
    all_write "$found"
    all_stop minions
    check_at "its reviews count" R2 in_progress 1
    fixer_writes '# Fixed'
    agent_stops minions:review-fixer
    check_at "and its fix" R1 in_progress 2
    all_write "$clean"
    all_stop minions
    check_at "to the end" DONE complete 2
    check_is "as its own" "$(in_state plugin)" minions
    copy_of "$template" work
    original $$ R2 3
    for role in $reviewers; do writes "$role" "$found"; done
    starts minions:review-fixer
    check "in the middle of a repair" test "$status" = 0
    fixer_writes '# Fixed'
    agent_stops minions:review-fixer
    check_at "it goes on from there" R1 in_progress 4
}

adopted()
{
    local dead
    sleep 300 &
    copy_of "$template" work
    original $!
    cp "$state" before.json
    stops
    check_silent "a run of another owner is not ours"
    prompt "/minions:review"
    check "while its owner lives it is not given away" cmp -s before.json "$state"
    dead=$!
    kill "$dead"
    wait "$dead" 2>/dev/null
    stops
    check_silent "nor by itself when the owner is dead"
    check "it is still as it was" cmp -s before.json "$state"
    prompt "/minions:review"
    check_has "but whoever asks goes on" "$out" '[PHASE R1]'
    check_is "as its session" "$(in_state sessionId)" "$session"
    stops
    check_blocked "and holds it" '[PHASE R1]'
}

# ---- compaction, resume, the end of the host ----

resumed()
{
    begin
    hook SessionStart '"source":"compact","model":"m"'
    check_has "after a compaction the model knows again" "$out" \
        '"hookEventName":"SessionStart","additionalContext"'
    check_has "what is asked of it" "$out" '[PHASE R1]'
    hook SessionEnd '"reason":"other"'
    check_silent "the end of a session is no end of a run"
    check_at "it waits" R1 in_progress 1
    hook SessionStart '"source":"resume"'
    check_has "and goes on with it" "$out" '[PHASE R1]'
    all_write "$clean"
    all_stop
    hook SessionStart '"source":"compact"'
    check_silent "when it is over nobody is reminded"
}

# A state file that is gone does not end the run, nor let anybody pass.
lost_state()
{
    begin
    rm "$state"
    edits notes.txt
    check_denied "without its file the run is still there"
    all_write "$found"
    all_stop
    check_at "and goes on" R2 in_progress 1
}

broken_state()
{
    begin
    printf '{"plugin": "mini' >"$state"
    stops
    check_not "a state that cannot be read holds no stop" is_blocked
    agent_stops hone:critic
    check_silent "nor an agent"
    check_is "and is left to be looked at" "$(cat "$state")" '{"plugin": "mini'
}

# A session that has ended leaves the folder to others; where it goes on, it is at work again.
ended()
{
    begin
    check_is "a run lives while its host does" "$("$HONE" status | grep -c '^state *running')" 1
    hook SessionEnd '"reason":"clear"'
    check_is "a session that ended has no host" "$("$HONE" status | grep -c '^state *running')" 0
    hook SessionStart '"source":"resume"'
    check_is "one that goes on has" "$("$HONE" status | grep -c '^state *running')" 1
    prompt "/hone:stop"
    hook SessionStart '"source":"compact"'
    check_has "after a compaction the model knows that it is stopped" "$out" "Nothing is lost"
}

# ---- Codex ----

# There an agent may not write below .agents: it says its answer.
codex()
{
    local role host=codex patch='*** Begin Patch\n*** Add File: '
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
}

# Codex does not tell of an agent that is lost, and would go on for ever.
codex_loses()
{
    local role host=codex blocks=0
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
codex_has_no_agents()
{
    local host=codex home=$TMPDIR/codex role text
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

codex_closes()
{
    local role host=codex
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

together stopping stalled progress lost started_twice forged foreign nobodys dropped_in adopted \
    resumed lost_state broken_state ended codex codex_loses codex_closes codex_has_no_agents
exit "$failed"
