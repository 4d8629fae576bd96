#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link: a server that comes back with the store that it had some time ago, as after a power
# cut: jobs are there again, and what was claimed, ended and removed since is forgotten. No attempt
# is begun twice, one that is at work goes on, and none begins whose run is over.
LEASE=3000
. "${TOP:?}/tests/fleet/lib.sh"
LEASE=3000

# store_keep: what the store has now is what the server will come back with.
store_keep()
{
    rm -rf "$TMPDIR/kept"
    kill -STOP "$server_pid"
    cp -R "$TMPDIR/store" "$TMPDIR/kept"
    kill -CONT "$server_pid"
}

store_back()
{
    server_kill
    rm -rf "$TMPDIR/store"
    cp -R "$TMPDIR/kept" "$TMPDIR/store"
    server_start
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
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
