#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What hone-link carries through a nats-server on this machine: 10,000 attempts of workers that only
# speak lines, through 16 links, in at most 10 s; a job's way to its result at 100 a second, of
# which the 99th of 100 takes at most 20 ms; and what memory that takes.
set -eu

support=${SUPPORT:?}
link=$(dirname "${HONE:?}")/hone-link
links=${BENCH_LINKS:-16}
work=$(mktemp -d "${TMPDIR:-/tmp}/hone-bench.XXXXXX")
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
if ! command -v nats-server >/dev/null || [ ! -x "$link" ]; then
    echo "hone-link: nats-server or hone-link is not here"
    exit 0
fi

port=$((20000 + RANDOM % 12000))
printf 'listen: "127.0.0.1:%s"\njetstream { store_dir: "%s/store", max_file_store: 4GB }\n' \
    "$port" "$work" >"$work/server.conf"
nats-server -c "$work/server.conf" >/dev/null 2>&1 &
server=$!
started+=("$server")
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.05; done

# starts NAME drive|work HELLO-MEMBERS
starts()
{
    local fd
    mkfifo "$work/$1.in"
    exec {fd}<>"$work/$1.in"
    : >"$work/$1.log"
    "$support/fleet_end" "$2" 30000 "$work/$1.log" "$link" "$2" "nats://127.0.0.1:$port" \
        <"$work/$1.in" 2>/dev/null &
    started+=("$!")
    echo '{"m":"hello","v":1,"version":"b","host":"h",'"$3}" >&"$fd"
    until grep -q '"ready"' "$work/$1.log"; do sleep 0.02; done
    to=$fd
}

peak() # PID: its largest memory, in MB
{
    awk '/VmHWM/ { printf "%.0f", $2 / 1024 }' "/proc/$1/status"
}

# floods COUNT RATE: the figures of so many attempts.
floods()
{
    starts "d$2" drive '"run":"bench'"$2"'","epoch":1'
    echo "flood bench$2 std $1 $2" >&"$to"
    until grep -q '^flood' "$work/d$2.log"; do sleep 0.05; done
    figures=$(grep '^flood' "$work/d$2.log")
    driver=$(peak "$(sed -n '1s/^pid //p' "$work/d$2.log")")
    echo '{"m":"bye","ended":true}' >&"$to"
}

figure() # NAME
{
    echo "$figures" | tr ' ' '\n' | sed -n "s/^$1=//p"
}

line() # WHAT FIGURE UNIT MOST
{
    awk -v what="$1" -v is="$2" -v unit="$3" -v most="$4" 'BEGIN {
        printf "%-63s %s %s     (wanted: at most %s)%s\n", what, is, unit, most,
            (is > most + 0) ? "  <-- over" : "" }'
}

starts probe drive '"run":"probe","epoch":1' # makes the pool
echo '{"m":"job","k":"probe.1.1","pool":"std","job":{}}' >&"$to"
until grep -q '"queued"' "$work/probe.log"; do sleep 0.02; done
echo '{"m":"bye","ended":true}' >&"$to"
for i in $(seq "$links"); do
    starts "w$i" work '"worker":"w'"$i"'","pool":"std","slots":64'
    printf '%s\n' 'play 0 0' '{"m":"free","n":64}' >&"$to"
done
floods 10000 0
line "hone-link: 10,000 attempts through $links workers" "$(figure seconds)" s 10
line "hone-link: memory of the driver's link behind them" "$driver" MB 64
[ "$(figure ended) $(figure lost)" = "10000 0" ] || { echo "$figures"; exit 1; }
floods 2000 100
line "hone-link: a job's way to its result at 100/s, p50" "$(figure p50_ms)" ms 5
line "hone-link: the same, p99" "$(figure p99_ms)" ms 20
line "hone-link: memory of a worker's link" "$(peak "$(sed -n '1s/^pid //p' "$work/w1.log")")" MB 32
line "hone-link: memory of the server" "$(peak "$server")" MB 100
twice=$(cat "$work"/w*.log | grep -o '"go","k":"[^"]*"' | sort | uniq -d | wc -l)
line "hone-link: attempts that were begun twice" "$twice" '' 0
