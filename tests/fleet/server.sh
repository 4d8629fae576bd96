#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link: the server dies and comes back, with what it had or with nothing.
. "${TOP:?}/tests/fleet/lib.sh"

# plays NAME...: workers that play attempts by themselves.
plays()
{
    local name
    for name in "$@"; do
        works "$name" std
        tells "$name" "play 100 3000" '{"m":"free","n":8}'
    done
}

begun_twice()
{
    cat "$TMPDIR"/w?.log | grep -F '"m":"go"' | grep -o '"k":"[^"]*"' | sort | uniq -d | wc -l
}

server_start
drives d
plays w1 w2 w3
tells d "flood $run std 400 200"
until_true 10 sh -c "grep -c '\"m\":\"go\"' $TMPDIR/w1.log | grep -qv '^[0-9]\$'"
server_kill
waits d '"m":"away"' || not_ok "the driver is told that the server is away"
server_start
hears "the driver is told that it is back" d '"m":"back"'
until_true 5 sh -c "grep -q '\"m\":\"away\"' $TMPDIR/w2.log"
server_kill
server_start
hears "all are answered though the server was killed twice" d 'flood ended=400' 40
check_is "none was begun twice" "$(begun_twice)" 0
check_is "none was refused" "$(grep -c '"m":"refused"' "$TMPDIR/d.log")" 0
tells d '{"m":"bye","ended":true}'
hears "its end removes all of it" d 'over 0' 20
for stream in HONE_JOBS KV_HONE_CLAIMS HONE_RESULTS HONE_BLOBS; do
    check_is "nothing stays in $stream" "$(stream_counts $stream)" 0
done
for name in w1 w2 w3; do kill "${end_pid[$name]}"; done

# ---- with nothing of what it had ----
# A lease that a busy machine keeps while the server is anew: a driver that is not heard for two of
# them is dead.
LEASE=3000 run=power$$
drives e
works a std
tells a '{"m":"free","n":1}'
tells e "$(job 1.1)"
begins a 1.1
waits e '"m":"taken"'
printf 'needed' >"$TMPDIR/blob"
tells e "put $TMPDIR/blob -"
waits e 'put '
tells e "$(job 2.1)" "$(job 3.1 std "\"files\":[{\"name\":\"prompt\",\"id\":\"${heard#put }\"}]")"
waits e '"m":"queued","k":"'"$run.3.1"'"'
server_kill
rm -rf "$TMPDIR/store"
server_start
tells a '{"m":"free","n":1}'
hears "a job that vanished is stored again" a '"m":"job","k":"'"$run.2.1"'"' 20
hears "one whose blobs vanished is lost" e '"m":"lost","k":"'"$run.3.1"'"'
tells a "$(result 1.1 a)"
hears "what is at work goes on" e '"m":"ended","k":"'"$run.1.1"'"'

# ---- a worker before its server ----
server_kill
starts early work
until_true 5 test -s "$TMPDIR/early.err"
tells early '{"m":"hello","v":1,"version":"t","worker":"early","host":"h","pool":"std","slots":1}'
server_start
hears "a worker that was started before the server" early '"m":"ready"' 20
