#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link: a server that comes back with the store that it had some time ago, as after a power
# cut: jobs are there again, and what was claimed, ended and removed since is forgotten. No attempt
# is begun twice, one that is at work goes on, none begins whose run is over, and one that is asked
# for afterwards is handed out, though the server counts it as handed out already.
. "${TOP:?}/tests/fleet/lib.sh"
LEASE=3000

one_job()
{
    [ "$(stream_counts HONE_JOBS)" = 1 ]
}

# not_again LABEL KEY: a worker gets the job again, and may not begin it.
not_again()
{
    local name=again${2%.*}
    works "$name" std
    tells "$name" '{"m":"free","n":1}'
    waits "$name" '"m":"job","k":"'"$run.$2"'"' 20 || not_ok "$1: it is handed out again"
    tells "$name" "$(says m=begin "k=$2" "nonce=$nonce")"
    hears "$1" "$name" '"m":"gone","k":"'"$run.$2"'"' 20
    tells "$name" '{"m":"bye"}'
    wait "${end_pid[$name]}"
    unset "end_pid[$name]"
}

server_start
drives d

# ---- one that is at work ----
tells d "$(job 1.1)"
waits d '"m":"queued"'
store_keep
works a std
tells a '{"m":"free","n":1}'
begins a 1.1
waits d '"m":"taken"'
tells a mute # its claim is not put again before another worker has made one
store_back
not_again "one that is at work is not begun by another" 1.1
tells a unmute
tells a "$(result 1.1 a)"
hears "it goes on, and its result counts" d '"m":"ended","k":"'"$run.1.1"'"'
never "it was not stopped" a '"m":"stop"'
tells d "$(says m=forget k=1.1)"
waits a '"m":"forget"'

# ---- one that has ended ----
tells d "$(job 2.1)"
waits d '"m":"queued","k":"'"$run.2.1"'"'
store_keep
tells a '{"m":"free","n":1}'
begins a 2.1
tells a "$(result 2.1 a)"
waits d '"m":"ended","k":"'"$run.2.1"'"' || not_ok "2.1 ends"
tells d "$(says m=forget k=2.1)"
waits a '"m":"forget"'
store_back
not_again "one that has ended is not begun again" 2.1

# ---- one whose run is over ----
tells d "$(job 3.1)"
waits d '"m":"queued","k":"'"$run.3.1"'"'
store_keep
tells d '{"m":"bye","ended":true}'
waits d 'over 0' || not_ok "the run ends"
store_back
not_again "one whose run is over is not begun" 3.1

# ---- what was handed out is newer than the jobs that are there ----
# The server counts jobs 2 to 6 as handed out, and waits for an answer to job 2, which is gone. Jobs
# that are stored now have those numbers. Job 1 stays: so the server looks no further than to it.
obs=jetstream/\$G/streams/HONE_JOBS/obs
run=ahead$$
drives e
works q std
tells q '{"m":"free","n":1}'
tells e "$(job 1.1 other)" "$(job 2.1)"
waits q '"m":"job","k":"'"$run.2.1"'"' || not_ok "2.1 is handed out"
store_keep
works p std
tells p "play 0 0" '{"m":"free","n":8}'
for number in 3 4 5 6; do
    [ $number -lt 6 ] || touch "$TMPDIR/mark" # what is written later has the others
    tells e "$(job $number.1)"
    waits e '"m":"ended","k":"'"$run.$number.1"'"' || not_ok "$number.1 ends"
done
until_true 20 [ "$TMPDIR/store/$obs/std/o.dat" -nt "$TMPDIR/mark" ] || not_ok "it is written"
cp "$TMPDIR/store/$obs/std/o.dat" "$TMPDIR/o.dat"
rm -rf "${TMPDIR:?}/kept/$obs"
kill -9 "$(link_of q)"
store_back
tells e "$(says m=stop k=2.1)"
until_true 20 one_job || not_ok "2.1 is stopped"
store_keep
rm -f "$TMPDIR/kept/$obs"/std/meta.* # of the consumer its state alone is left
mkdir -p "$TMPDIR/kept/$obs/std"
cp "$TMPDIR/o.dat" "$TMPDIR/kept/$obs/std"
store_back
for number in 7 8 9; do tells e "$(job $number.1)"; done
for number in 7 8 9; do
    check "$number.1 is handed out, though the server counts it as handed out" \
        until_true 30 grep -q '"m":"ended","k":"'"$run.$number.1"'"' "$TMPDIR/e.log"
done
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
