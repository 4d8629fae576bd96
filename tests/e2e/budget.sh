#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A run that may use so much and no more: of calls, money, tokens, time. Nothing is started beyond
# it, nothing that ended is lost, and with more it goes on where it was.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"

template=$TMPDIR/template
new_repo "$template"
repairs='sed -i /defect/d notes.txt; echo "# Fixed"'

begin_story()
{
    copy_of "$template" "$1"
    forget
}

# all_started: how many agents were, of all roles.
all_started()
{
    wc -l <"$play/log"
}

# json_of PATH: a value of the last hone status --json, which has a member per line.
json_of()
{
    local line part=$1 key=$2
    line=$(sed -n "/^    \"$part\": {/,/}/p" "$out" | grep "\"$key\":")
    line=${line#*: }
    echo "${line%,}"
}

# Five reviewers and room for three of them.
calls()
{
    begin_story calls
    hone run review --agent "*=$agent" --budget calls=3
    check_is "calls: exit" "$status" 4
    check_is "calls: no more than that" "$(all_started)" 3
    check_has "calls: words" "$out" "the budget is spent: no more agents are started"
    check_has "calls: what of what" "$out" "budget: 3 of 3 calls; limits are of the whole run"
    check_has "calls: the way on" "$out" "--budget calls=6"
    hone status
    check_has "calls: status says why" "$out" "the budget is spent"
    check_has "calls: and what is left" "$out" "3 of 3 calls spent, 0 left"
    hone status --json
    check_has "calls: status --json, the reason" "$out" '"reason": "budget"'
    check_is "calls: limit" "$(json_of calls limit)" 3
    check_is "calls: spent" "$(json_of calls spent)" 3
    check_is "calls: left" "$(json_of calls left)" 0
    check_is "calls: of what has no limit nothing is left over" "$(json_of usd left)" null
    hone replay
    check_is "calls: replayed to the same end" "$status" 0
    hone resume
    check_is "calls: a resume without more" "$status" 4
    check_is "calls: starts nobody" "$(all_started)" 3
    hone resume --budget calls=5
    check_is "calls: with two more" "$status" 0
    check_is "calls: only the two that were missing" "$(all_started)" 5
    hone replay
    check_is "calls: replayed again" "$status" 0
    check_has "calls: to its end" "$out" "it ends as it did: clean"
}

# A limit that is just enough is none; what is wanted behind it is not started.
exactly()
{
    begin_story exactly
    hone run review --agent "*=$agent" --budget calls=5
    check_is "just enough: clean" "$status" 0
    forget
    does critic "$sees"
    does review-fixer "$repairs"
    hone run review --json --agent "*=$agent" --budget calls=5
    check_is "a fixer too many" "$status" 4
    check_is "a fixer too many: not started" "$(started review-fixer)" 0
    check_has "a fixer too many: told as JSON" "$out" '"reason":"budget","exit_code":4'
    check_has "a fixer too many: with what was spent" "$out" '"calls":{"limit":5,"spent":5'
    hone resume --budget calls=none
    check_is "a limit that is lifted" "$status" 0
    check_is "a limit that is lifted: each repair once" "$(started review-fixer)" 1
    check_is "a limit that is lifted: two rounds" "$(started critic)" 2
}

# Claude Code reports what it costs: 0.25 and 120 tokens each time.
install_claude()
{
    mkdir -p "$TMPDIR/bin"
    cat >"$TMPDIR/bin/claude-says" <<END
#!/bin/sh
printf '%s\n' "\$@" >"$play/args.\$HONE_ROLE"
exec "$play/agent"
END
    chmod +x "$TMPDIR/bin/claude-says"
    stand_in_claude "$TMPDIR/bin/claude" "$TMPDIR/bin/claude-says \"\$@\""
    PATH=$TMPDIR/bin:$plain_path
}

money()
{
    install_claude
    begin_story money
    does critic "$sees"
    does review-fixer "$repairs"
    hone run review --agent '*=claude' --budget usd=1.40
    check_is "money: exit" "$status" 4
    check_is "money: who costs too much is not started" "$(started review-fixer)" 0
    check_has "money: what of what" "$out" 'budget: $1.25 of $1.40'
    check_has "money: claude knows what is left" "$play/args.critic" "--max-budget-usd"
    check_has "money: for it alone nothing else is reserved yet" "$play/args.critic" "1.400000"
    hone status --json
    check_is "money: spent" "$(json_of usd spent)" 1.25
    check_is "money: left" "$(json_of usd left)" 0.15
    hone resume --budget usd=1.75
    check_is "money: a fixer and one reviewer more" "$status" 4
    check_is "money: it repairs" "$(started review-fixer)" 1
    check_is "money: one looks again" "$(all_started)" 7
    check_has "money: the fixer may use what is left" "$play/args.review-fixer" "0.500000"
    hone resume --budget usd=none
    check_is "money: no limit" "$status" 0
}

tokens()
{
    install_claude
    begin_story tokens
    does critic "$sees"
    hone run review --agent '*=claude' --budget tokens=719
    check_is "tokens: exit" "$status" 4
    check_has "tokens: what of what" "$out" "budget: 600 of 719 tokens"
    check_is "tokens: nobody else" "$(all_started)" 5
    hone resume --budget tokens=1k
    check_is "tokens: with more" "$(started review-fixer)" 1
}

# Claude Code stops at what it was given: no agent failed, the budget is spent.
own_limit()
{
    begin_story own
    mkdir -p "$TMPDIR/bin"
    cat >"$TMPDIR/bin/claude" <<'END'
#!/bin/sh
echo '{"type":"system","subtype":"init","model":"stand-in","tools":[]}'
printf '{"type":"result","subtype":"error_max_budget_usd","is_error":true,'
printf '"terminal_reason":"budget_exhausted","total_cost_usd":0.31,"num_turns":2,'
printf '"modelUsage":{"m":{"inputTokens":1,"outputTokens":1}},"errors":["Reached $0.3"]}\n'
exit 1
END
    chmod +x "$TMPDIR/bin/claude"
    PATH=$TMPDIR/bin:$plain_path
    hone run review --agent "*=$agent" --agent critic=claude --budget usd=0.30
    check_is "claude stops at its limit: exit" "$status" 4
    check_is "claude stops at its limit: the others end" "$(all_started)" 4
    check_not "claude stops at its limit: nobody failed" grep -q "critic failed" "$err"
    install_claude
    hone resume --budget usd=2
    check_is "claude stops at its limit: with more it is asked again" "$status" 0
    check_is "claude stops at its limit: and only it" "$(all_started)" 5
}

# Time goes by while no agent says anything.
time_over()
{
    begin_story time
    does critic "sleep 5; cat \"\$play/found\""
    hone run review --agent "*=$agent" --budget time=4s
    check_is "time: exit" "$status" 4
    check_has "time: said" "$err" "the time of the budget is over"
    hone status
    check_has "time: what ran was waited for" "$out" "findings   round 1: 0 high, 1"
    check_is "time: nobody was started behind it" "$(started review-fixer)" 0
    does critic
    does review-fixer "$repairs"
    hone resume --budget time=1h
    check_is "time: with more" "$status" 0

    begin_story stop
    does critic 'sleep 600'
    hone run review --agent "*=$agent" --budget time=4s,when_spent=stop
    check_is "time, stop: exit" "$status" 4
    check_is "time, stop: one was cut off" "$(all_started)" 5
    does critic
    hone resume --budget time=1h
    check_is "time, stop: with more" "$status" 0
    check_is "time, stop: only it was started again" "$(all_started)" 6
}

settings()
{
    begin_story settings
    printf '{"budget":{"calls":3,"usd":0.5,"tokens":"2M","when_spent":"stop"}}\n' >hone.json
    git add hone.json && git commit -q -m settings
    hone run review --agent "*=$agent"
    check_is "hone.json: exit" "$status" 4
    check_is "hone.json: no more than that" "$(all_started)" 3
    check_has "hone.json: said" "$err" "budget.calls 3"
    hone status --json
    check_is "hone.json: all of it" "$(json_of usd limit),$(json_of tokens limit)" "0.5,2000000"
    check_has "hone.json: and how" "$out" '"when_spent": "stop"'
    forget
    hone run review --agent "*=$agent" --budget calls=4
    check_is "a flag wins, part by part" "$(all_started)" 4
    hone status --json
    check_is "a flag wins: the others stay" "$(json_of usd limit)" 0.5
    forget
    hone run review --agent "*=$agent" --budget none
    check_is "a flag lifts it" "$status" 0
    hone config set budget.usd 2.5
    check_is "hone config sets it" "$status" 0
    hone config get budget.usd
    check_has "hone config gets it" "$out" "2.5"
    hone config set budget.tokens many
    one_line "hone config: a wrong value" 2 "budget.tokens"
}

usage()
{
    begin_story usage
    hone run review --agent "*=$agent" --budget euro=5
    one_line "no such part" 2 "--budget: a budget has usd, tokens, time, calls and when_spent"
    hone run review --agent "*=$agent" --budget usd=5,calls=few
    one_line "a wrong part" 2 "--budget: calls must be a whole number"
    hone resume --budget usd=0
    one_line "resume: a wrong part" 2 "--budget: usd must be dollars"
    check_is "nobody was started" "$(all_started)" 0
}

at_work()
{
    [ "$(find "$play" -name 'here.*' | wc -l)" = "$1" ]
}

# When hone is killed, what was used stays used.
killed()
{
    begin_story killed
    rm -f "$play"/here.*
    for role in critic pedant; do
        does "$role" 'touch "$play/here.$HONE_ROLE"; while :; do sleep 1; done'
    done
    "$HONE" run review --agent "*=$agent" --budget calls=6,time=1h >"$out" 2>"$err" &
    engine=$!
    check "killed: two are at work" until_true 30 at_work 2
    check "killed: the others have ended" until_true 30 \
        grep -q "silent-failure-hunter *clean" "$err"
    check "killed: and those" until_true 30 grep -q "security-reviewer *clean" "$err"
    check "killed: and the last" until_true 30 grep -q "witness *clean" "$err"
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    does critic
    does pedant
    hone resume
    check_is "killed: room for one more" "$status" 4
    check_is "killed: which is started" "$(all_started)" 6
    hone status --json
    check_is "killed: what was used is used" "$(json_of calls spent)" 6
    hone resume --budget calls=7
    check_is "killed: with more" "$status" 0
    check_is "killed: only what was missing" "$(all_started)" 7
}

# A hone that an agent starts has what was left for that agent, and no more.
nested()
{
    begin_story nested
    does critic "printf '%s\n' \"\$HONE_BUDGET\" >\"\$play/left\"; cat \"\$play/clean\""
    hone run review --agent "*=$agent" --budget usd=3,calls=9,time=1h
    check_is "nested: exit" "$status" 0
    check_is "nested: an agent knows what is left" "$(cat "$play/left")" "usd=3,time=1h,calls=4"
    forget
    HONE_BUDGET=calls=2 hone run review --agent "*=$agent" --budget calls=50
    check_is "nested: the bound counts" "$status" 4
    check_is "nested: no more than that" "$(all_started)" 2
    HONE_BUDGET=calls=2 hone run review --agent "*=$agent"
    check_is "nested: also without a budget of its own" "$status" 4
    install_claude
    begin_story outer
    copy_of "$template" inner
    cd ../outer || exit 1
    does critic "(cd ../inner && unset HONE_ROLE && PATH=$PATH \"$HONE\" run review --quiet \\
        --no-sandbox --agent '*=claude' >/dev/null 2>&1); cat \"\$play/clean\""
    hone run review --no-sandbox --agent "*=$agent" --budget usd=5
    check_is "nested: what a child used counts: exit" "$status" 0
    hone status --json
    check_is "nested: what a child used counts" "$(json_of usd spent)" 1.25
    HONE_BUDGET=much hone run review --agent "*=$agent"
    one_line "nested: nonsense is refused" 2 "HONE_BUDGET: a budget has"
}

# What hone does itself costs nothing: a repair that was paid for is committed.
commits()
{
    # shellcheck source=tests/support/cycles.sh
    . "$TOP/tests/support/cycles.sh"
    begin_story
    hone run cycles --spec "$spec" --phases 1 --agent "*=$agent" --budget calls=3
    check_is "a commit behind the last repair: exit" "$status" 4
    check_is "a commit behind the last repair: it is there" "$(files_of HEAD)" "phase-1.txt "
    check_is "a commit behind the last repair: of the repair" "$(subjects | wc -l)" 3
    check_is "a commit behind the last repair: nothing is left" \
        "$(git status --porcelain | grep -v tmp/)" ""
    hone resume --budget calls=4
    check_is "a commit behind the last repair: goes on" "$status" 0
    check_is "a commit behind the last repair: and not again" "$(subjects | wc -l)" 3
}

# Of all lanes together.
lanes()
{
    # shellcheck source=tests/support/loops.sh
    . "$TOP/tests/support/loops.sh"
    begin_story
    tasks '# one' '- [ ] a: Add a' '- [ ] b: Add b' '- [ ] c: Add c'
    run_loops --max-loops 2 --budget calls=3
    check_is "lanes: exit" "$status" 4
    check_is "lanes: no more than that" "$(all_started)" 3
    hone resume --budget calls=none
    check_is "lanes: with more" "$status" 0
    check_has "lanes: all are merged" "$out" "3 of 3 tasks merged"
    check_is "lanes: each was built once" "$(started builder)" 3
}

together calls exactly money tokens own_limit time_over settings usage killed nested \
    commits lanes
exit "$failed"
