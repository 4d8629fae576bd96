#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A ceiling of calls per hour over all runs of a user: what is beyond it waits, is shown as waiting,
# and begins when there is room; over repositories, processes, kills, and a record that is damaged.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
settings=$HOME/.config/hone/config.json
record=$HOME/.local/state/hone/calls

# ceiling NUMBER: of the user.
ceiling()
{
    printf '{"rights":{"tmp":true},"limits":{"calls_per_hour":%s}}\n' "$1" >"$settings"
}

# calls_ago SECONDS...: a record with calls that were made so long ago, by the wall clock.
calls_ago()
{
    local seconds
    mkdir -p "${record%/*}"
    {
        echo "hone calls 1"
        for seconds in "$@"; do
            echo "$(($(date +%s%3N) - seconds * 1000)) 0 0"
        done
    } >"$record"
}

calls()
{
    grep -c '^[0-9]' "$record"
}

# spent: the calls of the newest run's budget.
spent()
{
    "$HONE" status --json | jq .budget.calls.spent
}

# ---- below the ceiling, and at it ----

copy_of "$template" work
forget
ceiling 7
hone run review --agent "*=$agent"
check_is "below the ceiling: exit" "$status" 0
check_is "each agent is a call" "$(calls)" 5
copy_of "$template" other
hone run review --agent '*=analyzer:secrets'
check_is "an analyzer is none" "$(calls)" 5

# Another repository: two may begin, three wait. They are asked for again when there is room.
"$HONE" run review --agent "*=$agent" --json >"$out" 2>"$err" &
pid=$!
until_true 20 eval '[ "$(grep -c "\"event\":\"waiting\"" "$out")" = 3 ]'
until_true 20 eval '[ "$(grep -c "\"verdict\":\"clean\"" "$out")" = 2 ]'
check_is "in another repository three wait" "$(grep -c '"event":"waiting"' "$out")" 3
check_has "for the ceiling" "$out" '"for":"ceiling"'
check_is "no more than seven calls are made" "$(calls)" 7
until_true 20 eval '"$HONE" status | grep -q "^waiting .* your ceiling of calls per hour until"'
"$HONE" status >"$TMPDIR/status"
check_has "status shows them, with the time" "$TMPDIR/status" \
    "for your ceiling of calls per hour until"
check_has "and the setting" "$TMPDIR/status" "(limits.calls_per_hour)"
kill -KILL $pid
wait $pid 2>/dev/null
check_is "a killed run has made no call more" "$(calls)" 7

# The resume waits as well; and goes on when an hour has passed.
calls_ago 3598 3598 3598 10 10 10 10
hone resume
check_is "after the hour the resume ends: exit" "$status" 0
check_is "no agent was started twice" "$(wc -l <"$play/log")" 10
check_is "and all calls are counted" "$(calls)" 7
check_is "those that waited when it was killed are no calls of its budget" "$(spent)" 5

# The same where it is stopped while they wait.
copy_of "$template" work
calls_ago 10 10 10 10 10
"$HONE" run review --agent "*=$agent" >"$out" 2>"$err" &
pid=$!
until_true 20 eval '[ "$(grep -c "waits for your ceiling" "$err")" -ge 3 ]'
until_true 20 eval '[ "$(spent)" = 2 ]'
kill -TERM $pid
wait $pid
check_is "those that waited when it was stopped are no calls of its budget" "$(spent)" 2
check_is "they are told as stopped" \
    "$(grep -c 'stopped (0 ms): was stopped before it began' "$err")" 3
calls_ago 10 10
hone resume
check_is "when there is room the resume ends: exit" "$status" 0
check_is "and all have been counted once" "$(spent)" 5
copy_of "$template" work
calls_ago 3598 3598 3598 10 10
hone run review --agent "*=$agent"
check_is "a run that waits for a moment: exit" "$status" 0
check_has "it says so" "$err" "waits for your ceiling of calls per hour until"
check_is "those that waited are no calls of its budget" \
    "$(spent)" 5
hone replay
check_is "it can be judged again: exit" "$status" 0

# A wait that would be longer than limits.wait ends the run, to be resumed.
copy_of "$template" work
printf '{"rights":{"tmp":true},"limits":{"calls_per_hour":1,"wait":"60s"}}\n' >"$settings"
hone run review --agent "*=$agent"
check_is "a wait that is too long: exit" "$status" 3
check_has "it is said how long hone waits" "$err" "hone waits at most"

# ---- a repository cannot lift it ----

copy_of "$template" work
ceiling 7
printf '{"limits":{"calls_per_hour":1000}}\n' >hone.json
check_is "a repository's file does not make it more" \
    "$("$HONE" config get limits.calls_per_hour)" 7
printf '{"limits":{"calls_per_hour":3}}\n' >hone.json
check_is "it can make it less" "$("$HONE" config get limits.calls_per_hour)" 3

# ---- two at once ----

copy_of "$template" work
ceiling 100
rm -f "$record"
forget
for name in one two three four; do
    cp -R "$template" "$TMPDIR/$name"
    (cd "$TMPDIR/$name" && "$HONE" run review --agent "*=$agent" >/dev/null 2>&1) &
done
wait
check_is "runs at the same time are counted together" "$(calls)" 20

# ---- a run that an agent starts, in its sandbox ----

# It writes to its agent's folder, since no agent may change the user's record; and counts for all.
one="--reviewers critic --no-fix"
nested()
{
    does critic "(cd '$TMPDIR/inner' && PATH='$PATH' '$HONE' run review --no-sandbox \\
        --agent '*=cmd:cat $play/clean') >\"\$play/said\" 2>&1; echo \$? >\"\$play/code\"
        cat \"\$play/clean\""
    copy_of "$template" inner
    copy_of "$template" work
}
if has_sandbox "a run that an agent starts"; then
    # shellcheck disable=SC2086 # options
    {
        ceiling 7
        rm -f "$record"
        forget
        nested
        hone run review $one --agent "*=$agent"
        check_is "a run in an agent's sandbox: exit" "$(cat "$play/code")" 0
        check_is "the user's record has the agent" "$(calls)" 1
        check_is "the agent's folder has those that it started" \
            "$(cat .git/hone/runs/*/*/calls | grep -c '^[0-9]')" 5
        does critic
        copy_of "$template" other
        hone run review $one --agent "*=$agent"
        check_is "a seventh may begin in another repository: exit" "$status" 0
        copy_of "$template" third
        "$HONE" run review $one --agent "*=$agent" >"$out" 2>"$err" &
        pid=$!
        until_true 20 grep -q 'waits for your ceiling' "$err"
        check_has "the eighth waits" "$err" "waits for your ceiling of calls per hour until"
        kill -TERM $pid
        wait $pid

        # Inside there is no more room than outside.
        printf '{"rights":{"tmp":true},"limits":{"calls_per_hour":5,"wait":"60s"}}\n' >"$settings"
        rm -f "$record"
        nested
        hone run review $one --agent "*=$agent"
        check_is "the fifth of its agents finds no room: exit" "$(cat "$play/code")" 3
        check_has "it says why" "$play/said" "hone waits at most"
        does critic
    }
fi

# ---- a record that is damaged, or cannot be written ----

copy_of "$template" work
ceiling 9
head -c 5000 /dev/urandom >"$record"
"$HONE" run review --agent "*=$agent" >"$out" 2>"$err" &
pid=$!
until_true 20 grep -q 'waits for your ceiling' "$err"
check_has "a damaged record counts as full" "$err" "is no record of calls that hone wrote"
check_is "it is said once" "$(grep -c 'is no record of calls' "$err")" 1
kill -TERM $pid
wait $pid
check_is "it can be stopped: exit" "$?" 130
rm -f "$record"
hone resume
check_is "without the record the run begins anew: exit" "$status" 0
if [ "$(id -u)" != 0 ]; then
    chmod 500 "${record%/*}"
    copy_of "$template" work
    hone run review --agent "*=$agent"
    check_is "a record that cannot be written: exit" "$status" 3
    check_has "it is said" "$err" "count the calls of this hour (limits.calls_per_hour)"
    chmod 700 "${record%/*}"
else
    rm -rf "${record%/*}"
    : >"${record%/*}"
    copy_of "$template" work
    : >"$play/log"
    hone run review --agent "*=$agent"
    check_is "a record that cannot be written: exit" "$status" 3
    check_has "it is said" "$err" "count the calls of this hour (limits.calls_per_hour)"
    check_is "and no agent was started" "$(cat "$play/log")" ""
    rm -f "${record%/*}"
fi

exit "$failed"
