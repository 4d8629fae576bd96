#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Workers and drivers that are stopped, killed, or told to stop, with the lease that users have
# (30 s): how long agents live then.
#
# 1. A worker is asleep (SIGSTOP) for a minute while its agents work: all of its processes that
#    lead no session of their own, its link alone, `hone worker` alone. Its agents are dead before
#    their attempts are another worker's; what it says when it wakes does not count, and the run
#    ends as it does on one machine.
# 2. A driver is killed: no agent is alive after 65 s, and a resume plays nothing again that had
#    ended.
# 3. `hone stop`: the agents are dead within 2 s, in 20 of 20 stops.
#
# The stories of 1 and 2 mostly wait, so they are told at the same time, each with a pool, workers
# and a folder of its own; those of 3 are told while the others wait.
. "${TOP:?}/tests/fleet/lib.sh"

STOP_MS=60000
WAKE_MS=5000
ORPHAN_MS=65000
CANCEL_MS=2000
STOPS=20
LEASE_MS=30000

# story NAME COMMAND...: in a shell of its own; what it says is in NAME.said.
story()
{
    local name=$1
    shift
    mkdir "$TMPDIR/$name"
    (
        server_pid=
        TMPDIR=$TMPDIR/$name
        HONE_FLEET_LEASE_MS=$LEASE_MS
        . "$TOP/tests/fleet/whole_lib.sh"
        unset HONE_FLEET_LEASE_MS
        limit=120
        printf '{"rights": {"tmp": true}, "fleet": {"pools": ["*=%s"]}}' "$name" \
            >"$TMPDIR/pool.json"
        printf '#!/bin/sh\nexec setsid "%s" "$@"\n' "$HONE" >"$TMPDIR/in_group"
        chmod +x "$TMPDIR/in_group"
        pool=$name
        ends_here
        export HONE_CONFIG=$TMPDIR/pool.json
        "$@"
        exit "$failed"
    ) >"$TMPDIR/$name.said" 2>&1 &
    stories[$name]=$!
}
declare -A stories

# over JOB-ATTEMPT...: these have ended, and the driver has what came of them.
over()
{
    local at
    for at in "$@"; do
        [ -e "$(echo .git/hone/runs/*/"$at"/status)" ] || return 1
    done
}

agent_of() # agent_of() ATTEMPT: the number of its process
{
    awk -v at="$1" '$2 == at { print $5 }' "$play/begun"
}

# joins NAME: a worker of the story's pool, whose processes are a group.
joins()
{
    worker_hone=$TMPDIR/in_group worker "$1" --pool "$pool"
}

# review_held ROLE...: a review, in which all reviewers of the first round have ended but these.
review_held()
{
    local role
    joins a
    copy_of "$TMPDIR/review" work
    for role in "$@"; do hold "$role.a"; done
    begin run "${review[@]}" --fleet "$url"
    for role in "$@"; do held "$role"; done
}

# by MS COMMAND...: waits until it holds; false where it does not so long after $since_ms.
by()
{
    local ms=$1
    shift
    until "$@" >/dev/null 2>&1; do
        [ $(($(now_ms) - since_ms)) -lt "$ms" ] || return 1
        sleep 0.05
    done
}

both_lost()
{
    [ "$(grep -c 'its worker is lost' "$err")" = 2 ]
}

# asleep WHO: group, link or worker.
asleep()
{
    local who=$1 pid since_ms took_ms woken_ms sleeper
    review_held critic pedant
    until_true 30 over 3-1 4-1 5-1 || not_ok "$who: the others end"
    hold review-fixer
    joins b
    case $who in
    group) sleeper=-${end_pid[a]} ;;
    link) sleeper=$(links_of "${end_pid[a]}") ;;
    worker) sleeper=${end_pid[a]} ;;
    esac
    pid=$(agent_of 1-1)
    kill -STOP -- "$sleeper"
    since_ms=$(now_ms)
    : >"$TMPDIR/waits"
    by $((STOP_MS - 10000)) has_ended "$pid"
    took_ms=$(($(now_ms) - since_ms))
    check "$who: asleep, its agent is dead within L and 5 s ($took_ms ms)" \
        [ "$took_ms" -le $((LEASE_MS + 5000)) ]
    check_not "$who: before its attempt is lost" both_lost
    by $((STOP_MS - 2000)) both_lost || not_ok "$who: its attempts are lost"
    release pedant.a
    by "$STOP_MS" false
    kill -CONT -- "$sleeper"
    woken_ms=$(now_ms)
    until_true 30 has_ended "$pid"
    took_ms=$(($(now_ms) - woken_ms))
    check "$who: awake, its agent is dead within 5 s ($took_ms ms)" [ "$took_ms" -le "$WAKE_MS" ]
    release critic.a
    until_true 60 test -e "$play/held.review-fixer" || not_ok "$who: it goes on"
    check "$who: what it had does not count" [ ! -e "$(echo .git/hone/runs/*/2-1/status)" ]
    release review-fixer
    finish
    as_here "$who" review
}

killed()
{
    local since_ms took_ms
    review_held critic
    until_true 30 over 2-1 3-1 4-1 5-1 || not_ok "killed: the others end"
    kill -9 "$driver_pid"
    since_ms=$(now_ms)
    wait "$driver_pid" 2>/dev/null
    driver_pid=
    : >"$TMPDIR/waits"
    until_true 100 nobody_left
    took_ms=$(($(now_ms) - since_ms))
    check "killed: no agent is alive after 65 s ($took_ms ms)" [ "$took_ms" -le "$ORPHAN_MS" ]
    release critic.a
    limit=60 drive resume
    as_here killed review
    check_is "killed: what had ended was not played again" \
        "$(awk '$3 != "critic" && $2 ~ /^[1-5]-/' "$play/begun" | wc -l)" 4
}

# stops: `hone stop`, again and again.
stops()
{
    local number since_ms took_ms
    joins a
    joins b
    : >"$TMPDIR/took"
    for number in $(seq "$STOPS"); do
        copy_of "$TMPDIR/review" work
        hold critic
        hold pedant
        begin run "${review[@]}" --fleet "$url"
        held critic
        held pedant
        since_ms=$(now_ms)
        timeout 20 "$HONE" stop >/dev/null 2>&1
        until_true 20 nobody_left || not_ok "stop: its agents end"
        took_ms=$(($(now_ms) - since_ms))
        echo "$took_ms" >>"$TMPDIR/took"
        finish
        [ "$status" != 0 ] || not_ok "stop: it did not end as done"
    done
    sort -n "$TMPDIR/took" >"$TMPDIR/sorted"
    took_ms=$(tail -n 1 "$TMPDIR/sorted")
    check "stop: its agents are dead within 2 s, $STOPS of $STOPS times (half of them in $(
        sed -n "$((STOPS / 2))p" "$TMPDIR/sorted") ms, all in $took_ms ms)" \
        [ "$took_ms" -le "$CANCEL_MS" ]
}

server_start
story group asleep group
story link asleep link
story worker asleep worker
story killed killed
for name in group link worker killed; do
    until_true 60 test -e "$TMPDIR/$name/waits" || not_ok "$name is at its wait"
done
story stops stops
for name in "${!stories[@]}"; do
    wait "${stories[$name]}" || failed=1
    cat "$TMPDIR/$name.said"
done
echo "$SECONDS s"
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
