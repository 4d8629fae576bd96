#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Chaos: runs over three workers and a real nats-server, while server, workers, their links and the
# driver are killed and stopped at random. A driver that was killed, or gave up, is resumed until
# the run ends. Each run must end as it does on one machine, and no attempt may begin twice.
# FLEET_ROUNDS runs, 20 by default; FLEET_SEED repeats what was drawn, not when it falls.
export HONE_FLEET_LEASE_MS=1000
. "${TOP:?}/tests/fleet/lib.sh"
. "$TOP/tests/fleet/whole_lib.sh"

ACTS_MAX=6
ROUND_S=120
seed=${FLEET_SEED:-$((RANDOM + 1))}
RANDOM=$seed
echo "seed $seed"
acts=0

# draw N: a number below N in $drawn. Not in a subshell, whose draws would be its own.
draw()
{
    drawn=$((RANDOM % $1))
}

nap()
{
    draw 8
    sleep "$(awk -v n="$drawn" 'BEGIN { print 0.1 + n / 10 }')"
}

link_kill() # PID: its link
{
    local pid
    for pid in $(links_of "$1"); do kill -9 "$pid"; done
}

# sleeps PID: stopped for up to three leases.
sleeps()
{
    draw 6
    kill -STOP "$1" 2>/dev/null || return
    sleep "$(awk -v n="$drawn" 'BEGIN { print (n + 1) / 2 }')"
    kill -CONT "$1" 2>/dev/null
}

# act: one thing that goes wrong.
act()
{
    local name
    draw 3
    name=w$((drawn + 1))
    draw 8
    printf ' %s' "$drawn$name"
    case $drawn in
    0)
        worker_kill "$name"
        nap
        worker "$name"
        ;;
    1) sleeps "${end_pid[$name]}" ;;
    2)
        server_kill
        nap
        server_start
        ;;
    3) sleeps "$server_pid" ;;
    4) kill -9 "$driver_pid" 2>/dev/null ;;
    5) sleeps "$driver_pid" ;;
    6) link_kill "${end_pid[$name]}" ;;
    7) link_kill "$driver_pid" ;;
    esac
}

# round NUMBER
round()
{
    local kind=review until=$((SECONDS + ROUND_S)) left=$ACTS_MAX arguments
    [ $(($1 % 2)) = 1 ] || kind=loops
    copy_of "$TMPDIR/$kind" work
    touch "$play/slow"
    arguments=("${review[@]}")
    [ $kind = review ] || arguments=("${loops[@]}")
    printf 'round %s (%s):' "$1" "$kind"
    : >"$TMPDIR/chaos.log"
    begin run "${arguments[@]}" --fleet "$url"
    while [ "$SECONDS" -lt "$until" ]; do
        if [ "$left" -gt 0 ]; then
            nap
            act
            left=$((left - 1))
            acts=$((acts + 1))
        fi
        [ "$left" -gt 0 ] || until_true $((until - SECONDS)) has_ended "$driver_pid"
        has_ended "$driver_pid" || continue
        finish
        cat "$err" >>"$TMPDIR/chaos.log"
        [ "$status" != 0 ] || break
        sleep 0.2
        if [ "$status" = 2 ] || [ ! -e .git/hone/journal.db ]; then # it died before there was a run
            begin run "${arguments[@]}" --fleet "$url"
        else
            begin resume
        fi
    done
    [ -z "$driver_pid" ] || finish
    echo
    as_here "$1" "$kind"
    [ "$failed" = 0 ] || { tail -n 60 "$TMPDIR/chaos.log" && exit 1; }
}

server_start
for name in w1 w2 w3; do worker "$name"; done
ends_here
for number in $(seq "${FLEET_ROUNDS:-20}"); do round "$number"; done
echo "$acts acts, $SECONDS s"
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
