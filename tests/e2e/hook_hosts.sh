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

# The session starts two of a role where one is wanted: the newer one counts.
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

# ---- a verdict that hone did not write ----

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

# A state file at the same place, of a plugin that we know nothing of.
another_plugins()
{
    copy_of "$template" work
    original $$
    sed -i 's/"minions"/"others"/' "$state"
    cp "$state" before.json
    stops
    check_silent "the run of another plugin is none of ours"
    edits notes.txt
    check_silent "and edits are its own matter"
    check "it is left as it was" cmp -s before.json "$state"
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

# A session that is gone is not needed: another one goes on with its run, and asks no agent twice.
inherited()
{
    local first=$session run
    begin
    all_write "$clean"
    agent_stops hone:pedant
    session=$other_session
    prompt "/hone:review"
    check_has "while its host lives a run is not given away" "$out" "Nothing was started"
    session=$first
    hook SessionEnd '"reason":"other"'
    session=$other_session
    prompt "/hone:review something else"
    check_has "a task begins anew" "$out" "5 agents are wanted"
    session=$first
    begin
    all_write "$clean"
    agent_stops hone:pedant
    run=$("$HONE" status --json | sed -n 's/.*"run": "\([^"]*\)".*/\1/p' | head -n 1)
    hook SessionEnd '"reason":"other"'
    session=$other_session
    prompt "/hone:review"
    check_has "another session goes on" "$out" "4 agents are wanted"
    check_has "with the same run" "$out" "$run"
    session=$first
    stops
    check_silent "the first one has nothing to do with it any more"
    session=$other_session
    all_write "$clean"
    all_stop
    check_at "to its end" DONE complete 1
}

inherited_by_all()
{
    local words first=$session
    for words in "session Say bye" "iterate --lite do it" \
        "cycles --phases 1 --session-dir out/s x"; do
        copy_of "$template" work
        git checkout -q -- .
        session=$first
        prompt "/hone:$words"
        check_has "${words%% *} begins" "$out" "wanted"
        hook SessionEnd '"reason":"other"'
        session=$other_session
        prompt "/hone:${words%% *}"
        check_is "${words%% *} goes on in another session" "$("$HONE" list --json |
            grep -c '"dialect"')" 1
        stops
        check_blocked "${words%% *} is held there" "wanted"
    done
}

# Agents with a work tree of their own, and shells that went away: the run is where it began.
elsewhere()
{
    local top
    begin
    top=$PWD
    before Agent '{"prompt":"p","subagent_type":"hone:critic","isolation":"worktree"}'
    check_denied "a reviewer in another work tree sees another change"
    git worktree add -q --detach "$TMPDIR/tree"
    all_write "$clean"
    cd "$TMPDIR/tree" || exit 1
    hook SubagentStart '"agent_id":"a-hone:critic","agent_type":"hone:critic"'
    agent_stops hone:critic
    check_silent "an answer is found from another work tree"
    check_is "of the same run" "$("$HONE" list --json | grep -c '"dialect"')" 1
    mkdir -p "$TMPDIR/outside/repo" && cd "$TMPDIR/outside/repo" && git init -q . || exit 1
    stops
    check_silent "elsewhere there is no run"
    CLAUDE_PROJECT_DIR=$top stops
    check_blocked "but the host says where the session is at home" "4 agents are wanted"
    before Edit '{"file_path":"x.txt"}'
    check_silent "elsewhere anybody edits"
    CLAUDE_PROJECT_DIR=$top before Edit "{\"file_path\":\"$top/notes.txt\"}"
    check_denied "but not in the tree that is reviewed"
    cd "$top" || exit 1
    all_stop
    check_at "and it comes to its end" DONE complete 1
    git worktree remove -f "$TMPDIR/tree"
}

# A state file that is gone does not end the run, nor let an edit pass.
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

together stopping stalled progress lost started_twice forged foreign nobodys another_plugins \
    dropped_in adopted resumed inherited inherited_by_all elsewhere lost_state broken_state ended
exit "$failed"
