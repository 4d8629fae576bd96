#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link and its server for long: 200 workers that only speak lines, each behind a link of its
# own, and drivers one after the other that ask for thousands of attempts, for FLEET_SOAK_S seconds
# (240 by default). What the server and the links hold must not grow with what they have carried.
#
# 1. After each driver nothing of its run is in a stream, and nothing waits at a consumer.
# 2. The memory (RSS) of the server, and that of all links, is looked at all the time. Of what it is
#    in the second, the third and the last quarter, the means are compared. What leaks grows from
#    each to the next. A queue that stays as large as the largest burst was makes a step, once.
#    The server's collector lets it swing: it may grow by as much as single looks of the second
#    quarter differ. A link may grow by LINK_KB_MORE: each hears of all attempts of a quarter
#    (18,000 where nothing is said), so one byte that it keeps of each is found.
# 3. Descriptors and threads of the links are as many at the end as they were after the start.
LEASE=10000
. "${TOP:?}/tests/fleet/lib.sh"
LEASE=10000

WORKERS=200
DRIVERS=12
RATE=300
SERVER_MB_MAX=100
LINK_KB_MORE=16
LINK_MB_MAX=16
soak_s=${FLEET_SOAK_S:-240}
streams=(HONE_JOBS KV_HONE_CLAIMS HONE_RESULTS HONE_BLOBS KV_HONE_DRIVERS)
links=()
floods=0

rss_kb() # rss_kb() PID...: all together
{
    local page
    page=$(getconf PAGESIZE)
    cat "${@/%//statm}" | awk -v page="$page" '{ sum += $2 } END { print sum * page / 1024 }'
}

open_count() # open_count() PID...: their descriptors and threads
{
    local pid
    for pid in "$@"; do ls "$pid/fd" "$pid/task"; done | grep -c '^[0-9]'
}

# look: a line of figures: the second, the server's memory, that of all links.
look()
{
    echo "$SECONDS $(rss_kb "/proc/$server_pid") $(rss_kb "${links[@]}")" >>"$TMPDIR/looks"
}

# quarter NUMBER COLUMN: mean, least and most of those looks, in kB.
quarter()
{
    awk -v from=$((begun_s + soak_s * ($1 - 1) / 4)) -v to=$((begun_s + soak_s * $1 / 4)) \
        -v column="$2" '$1 >= from && $1 < to {
            at = $column; sum += at; count++
            if (count == 1 || at < least) least = at
            if (at > most) most = at
        } END { printf "%d %d %d\n", sum / count, least, most }' "$TMPDIR/looks"
}

# steady WHAT COLUMN [KB]: it has not grown by more than that in both of the last two quarters.
# Where nothing is said, that is what single looks of the second quarter differ by.
steady()
{
    local first second third last more
    read -r first _ <<<"$(quarter 1 "$2")"
    read -r -a second <<<"$(quarter 2 "$2")"
    read -r third _ <<<"$(quarter 3 "$2")"
    read -r last _ <<<"$(quarter 4 "$2")"
    more=${3:-$((second[2] - second[1]))}
    check "$1: by quarters $first, ${second[0]}, $third, $last kB (+$more is allowed)" \
        [ $((third - second[0] <= more || last - third <= more)) = 1 ]
}

# empty: nothing of any run is on the server.
empty()
{
    local stream info
    for stream in "${streams[@]}"; do
        [ "$(stream_counts "$stream")" = 0 ] || return 1
    done
    info=$("$SUPPORT/nats_ask" "$port" '$JS.API.CONSUMER.INFO.HONE_JOBS.std')
    case $info in
    *'"num_ack_pending":0,'*'"num_pending":0'*) return 0 ;;
    esac
    return 1
}

# flood NUMBER: a driver, from hello to bye.
flood()
{
    local count=$((RATE * soak_s / DRIVERS)) name=d$1
    run=soak$$x$1
    heard=
    drives "$name"
    tells "$name" "flood $run std $count $RATE"
    until waits "$name" "flood ended=$count" 1; do
        look
        [ "$SECONDS" -lt $((begun_s + 2 * soak_s + 120)) ] || break
    done
    case $heard in
    "flood ended=$count lost=0 refused=0 "*) floods=$((floods + count)) ;;
    *) not_ok "all of $name are answered, none is lost: $heard" ;;
    esac
    tells "$name" '{"m":"bye","ended":true}'
    waits "$name" 'over 0' 60 || not_ok "$name ends"
    unset "end_pid[$name]"
    empty || not_ok "nothing stays of $name: $(stream_counts HONE_JOBS) jobs"
}

server_start
for n in $(seq "$WORKERS"); do
    starts "w$n" work
    tells "w$n" "$hello,\"worker\":\"w$n\",\"pool\":\"std\",\"lease_ms\":$LEASE}" "play 100 1000" \
        '{"m":"free","n":2}'
done
for n in $(seq "$WORKERS"); do
    waits "w$n" '"m":"ready"' 60 || not_ok "w$n is ready"
    links+=("/proc/$(link_of "w$n")")
done
begun_s=$SECONDS
flood 0 # what is made once is made
opened=$(open_count "${links[@]}")
begun_s=$SECONDS
number=0
floods=0
while [ "$SECONDS" -lt $((begun_s + soak_s)) ]; do flood $((number += 1)); done
steady "the server" 2
steady "$WORKERS links" 3 $((WORKERS * LINK_KB_MORE))
most=$(awk '$2 > most { most = $2 } END { print int(most / 1024) }' "$TMPDIR/looks")
check "the server has at most $SERVER_MB_MAX MB ($most MB)" [ "$most" -le "$SERVER_MB_MAX" ]
most=$(awk '$3 > most { most = $3 } END { print int(most / 1024) }' "$TMPDIR/looks")
check "a link has at most $LINK_MB_MAX MB on average (all $most MB)" \
    [ "$most" -le $((LINK_MB_MAX * WORKERS)) ]
check_is "descriptors and threads of the links are as many" "$(open_count "${links[@]}")" "$opened"
check_is "none was begun twice" "$(cat "$TMPDIR"/w*.log | grep -F '"m":"go"' |
    grep -o '"k":"[^"]*"' | sort | uniq -d | wc -l)" 0
rm -f "$TMPDIR"/w*.log # what failed is said; these are many
echo "$floods attempts of $number drivers on $WORKERS workers in $((SECONDS - begun_s)) s," \
    "$(wc -l <"$TMPDIR/looks") looks"
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
