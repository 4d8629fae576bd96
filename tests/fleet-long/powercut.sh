#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Power cuts of the server: its store lies on a disk of its own, an image of which is taken at a
# random moment, as the device has it; the server is killed, and goes on with that image. What it
# had told its clients, and the kernel had not written yet, is gone.
# FLEET_CUTS cuts, 50 by default; FLEET_SEED repeats what was drawn, not when it falls.
#
# 1. A server that is told nothing of durability loses what it had acknowledged; one whose store is
#    written through (chattr +S) loses nothing of that.
# 2. Each run ends as it does on one machine.
# 3. No attempt is begun twice, of no run, though a job may come back whose claim, or whose result,
#    does not.
# 4. Of a worker at most one attempt that had begun is asked for again for each cut. It is not none
#    where the store loses what was acknowledged: the job of a forgotten claim may come back and be
#    another worker's. A store that is written through forgets no claim: nothing is asked for again
#    there, unless the server was away for half a lease or more, in which claims may run out.
# 5. The kernel writes when it likes: before half of the cuts it is told to, at a random moment. So
#    jobs may be on the disk, and what was claimed and ended after them not.
export HONE_FLEET_LEASE_MS=3000
LEASE=3000
. "${TOP:?}/tests/fleet/lib.sh"
. "$TOP/tests/fleet/whole_lib.sh"

ROUND_S=120
ROUND_CUTS=4
DISK_MB=160
SLOTS=2
THROUGH_CUTS=8
seed=${FLEET_SEED:-$((RANDOM + 1))}
disk=$TMPDIR/disk
image=$TMPDIR/disk.img
device=
cuts=0
runs=0
lost=0
again=0
cut_ms_most=0 # of the round
cut_ms_all=0

disk_away()
{
    [ -n "$device" ] || return
    until_true 10 umount "$disk" || not_ok "the disk can be taken away"
    losetup -d "$device"
    device=
}

# disk_there: mounted, its journal replayed, as a machine does it that starts again.
disk_there()
{
    fsck.ext4 -p "$image" >>"$TMPDIR/fsck.out" 2>&1
    [ $? -lt 4 ] || { not_ok "the disk can be repaired" && exit 1; }
    device=$(losetup -f --show "$image") && mount "$device" "$disk" && return
    not_ok "the disk can be mounted"
    exit 1
}

# disk_new [through]: an empty one; each write goes through to the disk at once.
disk_new()
{
    rm -f "$image"
    truncate -s "${DISK_MB}M" "$image"
    mkfs.ext4 -q -J size=8 "$image" && disk_there
    mkdir "$disk/store"
    [ "${1:-}" != through ] || chattr +S "$disk/store"
}

end_all()
{
    local name
    for name in "${!end_pid[@]}"; do kill -9 "${end_pid[$name]}" 2>/dev/null; done
    whole_end
    disk_away
}
trap end_all EXIT

mkdir "$disk"
if [ "$(id -u)" != 0 ] || ! (disk_new && disk_away) >"$TMPDIR/try" 2>&1; then
    ok "skipped: a disk of its own needs root and loop devices: $(tail -n 1 "$TMPDIR/try")"
    exit 0
fi
port=$(free_port)
printf 'listen: "127.0.0.1:%s"\njetstream {\n store_dir: "%s"\n max_file_store: 2GB\n}\n' \
    "$port" "$disk/store" >"$TMPDIR/disk.conf"
RANDOM=$seed
echo "seed $seed"

# power_cut: nothing is said from the moment on that the image is of.
power_cut()
{
    local since_ms
    kill -STOP "$server_pid"
    since_ms=$(now_ms)
    until cp --sparse=always "$image" "$image.cut" && cmp -s "$image" "$image.cut"; do :; done
    server_kill
    disk_away
    mv "$image.cut" "$image"
    disk_there
    server_start "$TMPDIR/disk.conf"
    since_ms=$(($(now_ms) - since_ms))
    [ "$since_ms" -le "$cut_ms_most" ] || cut_ms_most=$since_ms
}

# draw N: a number below N in $drawn. Not in a subshell, whose draws would be its own.
draw()
{
    drawn=$((RANDOM % $1))
}

nap()
{
    draw "$1"
    sleep "$(awk -v n="$drawn" 'BEGIN { print 0.1 + n / 10 }')"
}

# ---- what is acknowledged ----

JOBS=200

# acknowledged: a driver is told that so many jobs are stored, and one worker that it may begin.
acknowledged()
{
    local number
    run=cut$cuts
    drives d
    for number in $(seq "$JOBS"); do tells d "$(job "$number.1")"; done
    until_true 60 sh -c "[ \$(grep -c '\"m\":\"queued\"' $TMPDIR/d.log) = $JOBS ]" ||
        not_ok "all are stored"
    works w std
    tells w '{"m":"free","n":1}'
    begins w 1.1
    waits d '"m":"taken"' || not_ok "it is taken"
    kill "${end_pid[d]}" "${end_pid[w]}"
    wait "${end_pid[d]}" "${end_pid[w]}" 2>/dev/null
    unset "end_pid[d]" "end_pid[w]"
}

power_of()
{
    local left=
    disk_new
    server_start "$TMPDIR/disk.conf"
    acknowledged
    power_cut
    left=$(stream_counts HONE_JOBS)
    check "a cut takes what was acknowledged (of $JOBS jobs ${left:-no stream} left)" \
        [ "${left:-0}" -lt "$JOBS" ]
    server_kill
    disk_away
    disk_new through
    server_start "$TMPDIR/disk.conf"
    acknowledged
    power_cut
    check_is "+S: all jobs but the claimed one are there, or all" \
        "$(($(stream_counts HONE_JOBS) >= JOBS - 1))" 1
    check_is "+S: so is the claim" "$(stream_counts KV_HONE_CLAIMS)" 1
    server_kill
    disk_away
}

# ---- runs ----

# written: the kernel writes what it has.
written()
{
    sync -f "$disk"
}

# repeated: of the run, for each worker: how many attempts it had begun that were asked for again.
repeated()
{
    awk '{ split($2, at, "-"); where[$2] = $4; if (at[2] > last[at[1]]) last[at[1]] = at[2] }
        END {
            for (attempt in where) {
                split(attempt, at, "-")
                if (at[2] < last[at[1]]) count[where[attempt]]++
            }
            for (name in count) print count[name], name
        }' "$play/begun" | sort -n
}

# repeated_few KIND CUTS: invariant 4.
repeated_few()
{
    local kind=$1 of=$2 most
    most=$(repeated | tail -n 1)
    again=$((again + $(repeated | awk '{ sum += $1 } END { print sum + 0 }')))
    [ "$cut_ms_most" -le "$cut_ms_all" ] || cut_ms_all=$cut_ms_most
    check "$kind: of a worker at most one attempt for each of $of cuts is asked for again" \
        [ "$((${most%% *} + 0))" -le "$of" ]
    [ -n "$through" ] || return
    if [ "$cut_ms_most" -lt $((HONE_FLEET_LEASE_MS / 2)) ]; then
        check_is "$kind: written through, nothing is asked for again" "$most" ''
    else
        echo "away for $cut_ms_most ms: claims may have run out"
    fi
}

# round KIND CUTS: a run, with so many cuts as long as it lasts.
round()
{
    local kind=$1 left=$2 of=$cuts until=$((SECONDS + ROUND_S)) arguments=("${review[@]}")
    cut_ms_most=0
    [ "$kind" = review ] || arguments=("${loops[@]}")
    copy_of "$TMPDIR/$kind" work
    touch "$play/slow"
    printf '%s:' "$kind"
    : >"$TMPDIR/cuts.log"
    begin run "${arguments[@]}" --fleet "$url"
    while [ "$SECONDS" -lt "$until" ]; do
        nap 10
        draw 2
        [ "$drawn" = 0 ] || written
        nap 6
        has_ended "$driver_pid" || [ "$left" = 0 ] || {
            power_cut
            cuts=$((cuts + 1)) left=$((left - 1))
            printf ' %s' "$cuts"
        }
        [ "$left" -gt 0 ] || until_true $((until - SECONDS)) has_ended "$driver_pid"
        has_ended "$driver_pid" || continue
        finish
        cat "$err" >>"$TMPDIR/cuts.log"
        [ "$status" != 0 ] || break
        begin resume
    done
    [ -z "$driver_pid" ] || finish
    runs=$((runs + 1))
    lost=$((lost + $(grep -c 'its worker is lost' "$TMPDIR/cuts.log")))
    echo
    as_here "$kind" "$kind"
    repeated_few "$kind" $((cuts - of))
    cat "$play/begun" >>"$TMPDIR/begun.all"
    [ "$failed" = 0 ] || { tail -n 60 "$TMPDIR/cuts.log" && cat "$play/begun" && exit 1; }
}

# rounds CUTS [through]: runs, until there were so many.
rounds()
{
    local until=$((cuts + $1)) through=${2:-} kind=review
    disk_new "$through"
    server_start "$TMPDIR/disk.conf"
    for name in w1 w2 w3; do worker "$name" --slots "$SLOTS"; done
    while [ "$cuts" -lt "$until" ]; do
        round "$kind" "$((until - cuts < ROUND_CUTS ? until - cuts : ROUND_CUTS))"
        if [ "$kind" = review ]; then kind=loops; else kind=review; fi
    done
    for name in w1 w2 w3; do worker_kill "$name" TERM; done
    server_kill
    disk_away
}

power_of
ends_here
rounds "${FLEET_CUTS:-50}"
rounds "$THROUGH_CUTS" through
check_is "of all runs, none was begun twice" \
    "$(cut -d' ' -f1,2 "$TMPDIR/begun.all" | sort | uniq -d)" ''
echo "$cuts cuts in $runs runs, the longest took $cut_ms_all ms, $lost attempts lost," \
    "$again asked for again that had begun, $SECONDS s"
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
