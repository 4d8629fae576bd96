#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A whole fleet: runs whose agents play on workers over a real nats-server end as those whose agents
# play here: when all is well, and when the driver, a worker or the server is killed in the middle,
# or the server stays away.
# No finished attempt is played again, none is begun twice, and no agent outlives its bound.
. "${TOP:?}/tests/fleet/lib.sh"
. "$TOP/tests/fleet/whole_lib.sh"

# over JOB-ATTEMPT...: these have ended, and the driver has what came of them.
over()
{
    local at
    for at in "$@"; do
        [ -e "$(echo .git/hone/runs/*/"$at"/status)" ] || return 1
    done
}

# begins_held ROLE: a review in the background, in which all but this reviewer have ended.
begins_held()
{
    hold "$1"
    begin run "${review[@]}" --fleet "$url"
    held "$1"
    until_true 20 over 2-1 3-1 4-1 5-1 || not_ok "the others end"
}

calm()
{
    ends_here
    copy_of "$TMPDIR/review" work
    drive run "${review[@]}" --fleet "$url"
    as_here review review
    check_is "review: no agent played here" "$(grep -c ' home ' "$play/begun")" 0
    copy_of "$TMPDIR/loops" work
    drive run "${loops[@]}" --fleet "$url"
    as_here loops loops
    check_is "loops: no agent played here" "$(grep -c ' home ' "$play/begun")" 0
}

driver_killed()
{
    local killed_ms took_ms
    copy_of "$TMPDIR/review" work
    begins_held critic
    kill -9 "$driver_pid"
    killed_ms=$(now_ms)
    wait "$driver_pid" 2>/dev/null
    driver_pid=
    until_true 20 nobody_left
    took_ms=$(($(now_ms) - killed_ms))
    check "driver: no agent alive after 2 L and 5 s ($took_ms ms)" \
        [ "$took_ms" -le $((2 * HONE_FLEET_LEASE_MS + 5000)) ]
    release critic
    drive resume
    as_here driver review
    check_is "driver: what had ended was not played again" \
        "$(awk '$3 != "critic" && $2 ~ /^[1-5]-/' "$play/begun" | wc -l)" 4
    check_is "driver: what had not, was" "$(grep -c ' 1-[12] ' "$play/begun")" 2
}

worker_killed()
{
    local first
    copy_of "$TMPDIR/review" work
    hold critic
    begin run "${review[@]}" --fleet "$url"
    held critic
    first=$(where critic)
    worker_kill "${first% }"
    until_true 10 nobody_left || until_true 1 grep -q ' 1-2 ' "$play/begun" ||
        not_ok "worker: its agent ends"
    until_true 20 grep -q ' 1-2 ' "$play/begun" || not_ok "worker: it is asked for again"
    release critic
    finish
    as_here worker review
    check_has "worker: said" "$err" "its worker is lost"
    check_is "worker: another one played it" "$(grep -c " critic $first" "$play/begun")" 1
    worker "${first% }"
}

server_killed()
{
    copy_of "$TMPDIR/review" work
    begins_held critic
    server_kill
    server_start
    release critic
    finish
    as_here server review
    check_is "server: nothing was played again" "$(wc -l <"$play/begun")" 11
}

# A server that stays away: the run ends after ten leases. What had ended is not played again.
server_away()
{
    local killed_ms took_ms
    copy_of "$TMPDIR/review" work
    HONE_FLEET_LEASE_MS=1500 begins_held critic
    killed_ms=$(now_ms)
    server_kill
    until_true 20 nobody_left
    took_ms=$(($(now_ms) - killed_ms))
    check "away: its agent goes on for L, and no longer ($took_ms ms)" \
        [ "$took_ms" -le $((1500 + 3000)) ]
    check_not "away: the run goes on" has_ended "$driver_pid"
    finish
    took_ms=$(($(now_ms) - killed_ms))
    check_is "away: exit" "$status" 3
    check "away: after ten leases ($took_ms ms)" [ "$took_ms" -ge 15000 ]
    check_has "away: said" "$err" "$url could not be reached for 15s"
    check_has "away: with what to do" "$err" "hone resume --fleet local goes on here"
    release critic
    server_start
    drive resume
    as_here away review
    check_is "away: what had ended was not played again" \
        "$(awk '$3 != "critic" && $2 ~ /^[1-5]-/' "$play/begun" | wc -l)" 4
}

stopped()
{
    local told_ms took_ms
    copy_of "$TMPDIR/review" work
    begins_held critic
    told_ms=$(now_ms)
    timeout 20 "$HONE" stop >/dev/null 2>&1
    until_true 10 nobody_left
    took_ms=$(($(now_ms) - told_ms))
    check "stop: its agent is dead within 3 s ($took_ms ms)" [ "$took_ms" -le 3000 ]
    finish
    check_not "stop: it did not end as done" [ "$status" = 0 ]
    release critic
    drive resume
    as_here stop review
}

pinned()
{
    copy_of "$TMPDIR/review" work
    printf '{"rights": {"tmp": true}, "fleet": {"pools": ["critic=local"]}}' >"$TMPDIR/pin.json"
    HONE_CONFIG=$TMPDIR/pin.json drive run "${review[@]}" --fleet "$url"
    as_here pinned review
    check_is "pinned: this role plays here" "$(where critic)" "home "
    check_not "pinned: others do not" grep -q 'pedant home' "$play/begun"
}

late()
{
    copy_of "$TMPDIR/review" work
    printf '{"rights": {"tmp": true}, "fleet": {"pools": ["*=late"]}}' >"$TMPDIR/late.json"
    HONE_CONFIG=$TMPDIR/late.json begin run "${review[@]}" --fleet "$url"
    until_true 20 sh -c "'$HONE' fleet show '$url' | grep -q 'no worker has joined'"
    check_is "late: nothing begins" "$(wc -l <"$play/begun")" 0
    worker w4 --pool late
    finish
    as_here late review
    check_is "late: it played all" "$(where critic)" "w4 "
}

# A worker whose hone has another version, and does not know what this one's run is.
version()
{
    local ours
    ours=$("$HONE" --version | awk '{ print $2 }')
    mkdir -p "$TMPDIR/old"
    sed -z -e "s/${ours//./\\.}/9.9.9/g" -e 's/iterate$/iterat3/' "$HONE" >"$TMPDIR/old/hone"
    chmod +x "$TMPDIR/old/hone"
    ln -s "$LINK" "$TMPDIR/old/hone-link"
    copy_of "$TMPDIR/review" work
    worker_hone=$TMPDIR/old/hone worker w5 --pool old
    drive fleet show "$url"
    check_has "version: both are shown" "$out" "w5 has hone 9.9.9, and this is hone $ours"
    printf '{"rights": {"tmp": true}, "fleet": {"pools": ["*=old"]}}' >"$TMPDIR/old.json"
    HONE_FLEET_LEASE_MS=300 HONE_CONFIG=$TMPDIR/old.json drive run iterate "a task" --lite \
        --test true --no-sandbox --agent "$player" --fleet "$url"
    check_is "version: exit" "$status" 3
    check "version: both are named where it is refused" \
        grep -q "9\.9\.9.*hone $ours" "$err"
    check_is "version: nothing was begun" "$(wc -l <"$play/begun")" 0
}

# The folder that a worker was started in may go; the worker stays.
server_start
mkdir "$TMPDIR/gone" && cd "$TMPDIR/gone" || exit 1
for name in w1 w2 w3; do worker "$name" --slots 4; done
cd "$TMPDIR" && rmdir gone
drive fleet show "$url"
check_is "workers: they are listed by their names" \
    "$(grep -oE '^w[0-9]' "$out" | tr '\n' ' ')" 'w1 w2 w3 '
calm
driver_killed
worker_killed
server_killed
server_away
stopped
pinned
late
version
check_is "workers: none sent an attempt back" \
    "$(cat "$TMPDIR"/w[1-4].err | grep -c 'not played here')" 0
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
