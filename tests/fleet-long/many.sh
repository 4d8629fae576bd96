#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link: 10,000 attempts of workers that only speak lines, through 16 links, while the server is
# killed: all are answered, none is begun twice, and nothing stays on the server.
LEASE=5000
. "${TOP:?}/tests/fleet/lib.sh"
LEASE=5000

server_start
drives d
for n in $(seq 16); do
    works "w$n" std
    tells "w$n" "play 0 0" '{"m":"free","n":8}'
done
tells d "flood $run std 10000 2000"
until_true 30 sh -c "[ \$(grep -c '\"m\":\"go\"' $TMPDIR/w1.log) -gt 100 ]"
server_kill
server_start
hears "10,000 are answered though the server was killed" d 'flood ended=10000' 200
check_is "none was begun twice" "$(cat "$TMPDIR"/w*.log | grep -F '"m":"go"' |
    grep -o '"k":"[^"]*"' | sort | uniq -d | wc -l)" 0
tells d '{"m":"bye","ended":true}'
hears "its end removes all of it" d 'over 0' 60
for stream in HONE_JOBS KV_HONE_CLAIMS HONE_RESULTS HONE_BLOBS; do
    check_is "nothing stays in $stream" "$(stream_counts $stream)" 0
done
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
