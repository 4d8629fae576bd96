#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The server that `hone-link init` configures, with an account, a key and TLS for each of 200
# workers (BENCH_WORKERS says how many), and a link of each that waits for attempts: the size of
# what init writes, how long the server takes to start and to reload, its memory, and what it does
# for an attempt: each worker hears when one is over.
set -eu

support=${SUPPORT:?}
link=$(dirname "${HONE:?}")/hone-link
workers=${BENCH_WORKERS:-200}
work=$(mktemp -d "${TMPDIR:-/tmp}/hone-bench.XXXXXX")
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
if ! command -v nats-server >/dev/null || [ ! -x "$link" ]; then
    echo "hone-link: nats-server or hone-link is not here"
    exit 0
fi
port=$((20000 + RANDOM % 12000))

now_ms()
{
    date +%s%3N
}

# init FIRST LAST: workers of these numbers; 250 in a call, which takes no more than 256.
init()
{
    local at
    for at in $(seq "$1" 250 "$2"); do
        # shellcheck disable=SC2046 # a word each
        "$link" init "$work/fleet" --server "localhost:$port" --driver me \
            $(seq -f '--worker w%g' "$at" "$((at + 249 < $2 ? at + 249 : $2))") >/dev/null
    done
}

# server_starts: until it answers; sets server and took_ms.
server_starts()
{
    local since_ms
    since_ms=$(now_ms)
    nats-server -c "$work/fleet/server.conf" -l "$work/server.log" &
    server=$!
    started+=("$server")
    until grep -q 'Server is ready' "$work/server.log" 2>/dev/null; do
        kill -0 "$server" || { tail -n 3 "$work/server.log" && exit 1; }
        sleep 0.02
    done
    took_ms=$(($(now_ms) - since_ms))
}

# server_reloads: sets took_ms.
server_reloads()
{
    local since_ms count
    count=$(grep -c 'Reloaded server configuration' "$work/server.log" || true)
    since_ms=$(now_ms)
    kill -HUP "$server"
    until [ "$(grep -c 'Reloaded server configuration' "$work/server.log")" -gt "$count" ]; do
        sleep 0.02
    done
    took_ms=$(($(now_ms) - since_ms))
}

memory() # what the server holds, in MB
{
    awk '/VmRSS/ { printf "%.0f", $2 / 1024 }' "/proc/$server/status"
}

# ends NAME SIDE MORE [USER]: an end whose link is told so; it has said hello, and beats.
ends()
{
    mkfifo "$work/$1.in"
    "$support/fleet_end" "$2" 30000 "$work/$1.log" "$link" "$2" "tls://localhost:$port" \
        --keys "$work/fleet/users/${4:-$1}" <>"$work/$1.in" >/dev/null 2>"$work/$1.err" &
    started+=("$!")
    printf '{"m":"hello","v":1,"version":"b","host":"h",%s}\n' "$3" >"$work/$1.in"
}

is_ready()
{
    until grep -q '"ready"' "$work/$1.log" 2>/dev/null; do sleep 0.02; done
}

# joins FIRST LAST: workers, 20 at a time: each of them greets the server with its key.
joins()
{
    local number
    for number in $(seq "$1" "$2"); do
        ends "w$number" work '"worker":"w'"$number"'","pool":"std","slots":4'
        printf '%s\n' 'play 0 0' '{"m":"free","n":4}' >"$work/w$number.in"
        [ $((number % 20)) != 0 ] || is_ready "w$((number - 10))"
    done
    for number in $(seq "$1" "$2"); do is_ready "w$number"; done
}

used_us() # what the server has used of its cores
{
    awk -v tick="$(getconf CLK_TCK)" '{ printf "%.0f", ($14 + $15) * 1e6 / tick }' \
        "/proc/$server/stat"
}

# floods RUN: 1,000 attempts. Sets each_us: what one of them took of the server's cores; `-` where
# they are not over in a minute, since all links of this machine wake up for each.
floods()
{
    local used until_s=$((SECONDS + 60))
    ends "$1" drive '"run":"'"$1"'","epoch":1' me
    is_ready "$1"
    used=$(used_us)
    echo "flood $1 std 1000 200" >"$work/$1.in"
    until grep -q '^flood' "$work/$1.log" || [ "$SECONDS" -gt "$until_s" ]; do sleep 0.05; done
    each_us=-
    if grep -q '^flood' "$work/$1.log"; then each_us=$((($(used_us) - used) / 1000)); fi
    echo '{"m":"bye","ended":true}' >"$work/$1.in"
}

line() # WHAT FIGURE UNIT [MOST]
{
    awk -v what="$1" -v is="$2" -v unit="$3" -v most="${4:-}" 'BEGIN {
        printf "%-63s %s %s%s%s\n", what, is, unit,
            (most == "" ? "" : "     (wanted: at most " most ")"),
            (most != "" && is > most + 0 ? "  <-- over" : "") }'
}

init 1 1
sed -i 's/0\.0\.0\.0/127.0.0.1/' "$work/fleet/server.conf"
server_starts
alone=$(memory)
kill "$server"
wait "$server" 2>/dev/null || true
rm "$work/server.log"

since_ms=$(now_ms)
init 2 "$workers"
line "fleet init: $workers workers, a key and an account each" $(($(now_ms) - since_ms)) ms
line "fleet init: users.conf of them" "$(($(wc -c <"$work/fleet/users.conf") / 1000))" kB 8000
server_starts
line "server: it starts with $workers accounts" "$took_ms" ms 10000
accounts=$(memory)
line "server: memory with one account" "$alone" MB
line "server: memory with $workers accounts" "$accounts" MB

ends probe drive '"run":"probe","epoch":1' me
is_ready probe
echo '{"m":"job","k":"probe.1.1","pool":"std","job":{"v":1,"nonce":"'"$(printf %032d 0)"'"}}' \
    >"$work/probe.in" # makes the pool
until grep -q '"queued"' "$work/probe.log"; do sleep 0.02; done
joins 1 $((workers / 2))
half=$(memory)
floods half
half_us=$each_us
joins $((workers / 2 + 1)) "$workers"
all=$(memory)
floods all
line "server: memory with $((workers / 2)) connections" "$half" MB
line "server: memory with $workers connections" "$all" MB 200
line "server: an attempt with $((workers / 2)) connections takes of a core" "$half_us" us
line "server: an attempt with $workers connections takes of a core" "$each_us" us
init $((workers + 1)) $((workers + 1))
server_reloads
line "server: it reloads, with a worker more" "$took_ms" ms 10000
server_reloads
joins $((workers + 1)) $((workers + 1))
line "server: it reloads again, and the worker is there" "$took_ms" ms 10000
line "server: memory behind it" "$(memory)" MB
line "server: its largest memory" "$(awk '/VmHWM/ { printf "%.0f", $2 / 1024 }' \
    "/proc/$server/status")" MB 200
