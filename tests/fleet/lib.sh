# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# lib.sh - for stories of hone-link: a real nats-server on this machine, and ends that speak lines
# (tests/support/fleet_end.c). Sourced; TMPDIR is a folder of the story's own.
#
# 1. What a story started ends with it, by its number.
# 2. A story waits for what it hears, never for time to pass; each wait has a bound.
# 3. An end's log is read once, forward: a line that was heard is not heard again.
# 4. Where nats-server or hone-link is not here, a story says so and is not told, but for one that
#    says NO_SERVER=1 first and starts neither.
. "${TOP:?}/tests/support/story.sh"

PATH=$PATH:/usr/sbin # where Debian has nats-server, and users other than root do not look
LINK=$(dirname "${HONE:?}")/hone-link
LEASE=1000
nonce=0123456789abcdef0123456789abcdef
hello='{"m":"hello","v":1,"version":"t","host":"h"'
declare -A end_fd end_pid end_at
server_pid=
server_said=0
run=story$$

[ -n "${NO_SERVER:-}" ] || for program in nats-server "$LINK"; do
    command -v "$program" >/dev/null && continue
    ok "skipped: ${program##*/} is not here (tools/install-deps brings it)"
    exit 0
done

# Told until they are: of two words that come at the same time a worker hears one, and may wait for
# the other.
ends_are_gone()
{
    [ "${#end_pid[@]}" = 0 ] || ! kill "${end_pid[@]}" 2>/dev/null
}

at_end()
{
    local name
    for name in "${!end_pid[@]}"; do kill -CONT "${end_pid[$name]}" 2>/dev/null; done
    until_true 20 ends_are_gone || kill -9 "${end_pid[@]}" 2>/dev/null
    [ -z "$server_pid" ] || kill -9 "$server_pid" 2>/dev/null
    wait 2>/dev/null
    [ "$failed" = 0 ] || for name in "$TMPDIR"/*.log "$TMPDIR"/*.err; do
        [ ! -s "$name" ] || { echo "---- $name" && tail -n 30 "$name"; }
    done
}
trap at_end EXIT

# until_true SECONDS COMMAND...
until_true()
{
    local tries=$(($1 * 50))
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.02
    done
}

# ---- the server ----

# server_start [CONFIGURATION]: with its store as it was left; sets url and port.
# shellcheck disable=SC2120 # most stories have no configuration of their own
server_start()
{
    local conf=${1:-$TMPDIR/server.conf}
    touch "$TMPDIR/server.out"
    for _ in 1 2 3 4 5; do
        server_said=$(wc -c <"$TMPDIR/server.out")
        [ -n "${port:-}" ] || port=$(free_port)
        [ -n "${1:-}" ] || printf 'listen: "127.0.0.1:%s"\njetstream {\n store_dir: "%s"\n' \
            "$port" "$TMPDIR/store" >"$conf"
        [ -n "${1:-}" ] || printf ' max_memory_store: 64MB\n max_file_store: 2GB\n}\n' >>"$conf"
        nats-server -c "$conf" >>"$TMPDIR/server.out" 2>&1 &
        server_pid=$!
        url=nats://127.0.0.1:$port
        until_true 10 server_answers && return
        kill -9 "$server_pid" 2>/dev/null
        [ -n "${1:-}" ] || port=
    done
    not_ok "nats-server starts"
    exit 1
}

# It itself, and not another that listens there: such a one has no part in what it says.
server_answers()
{
    kill -0 "$server_pid" &&
        tail -c "+$((server_said + 1))" "$TMPDIR/server.out" | grep -q 'Server is ready'
}

# As a machine that loses its power, but for what had not reached the disk.
server_kill()
{
    kill -9 "$server_pid"
    wait "$server_pid" 2>/dev/null
    server_pid=
}

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

# ---- ends ----

# starts NAME drive|work [OPTION...]
starts()
{
    local name=$1 side=$2 fd
    shift 2
    rm -f "$TMPDIR/$name.in"
    mkfifo "$TMPDIR/$name.in"
    exec {fd}<>"$TMPDIR/$name.in"
    : >"$TMPDIR/$name.log"
    "$SUPPORT/fleet_end" "$side" "$LEASE" "$TMPDIR/$name.log" "$LINK" "$side" "$url" "$@" \
        <"$TMPDIR/$name.in" 2>>"$TMPDIR/$name.err" &
    end_pid[$name]=$!
    end_fd[$name]=$fd
    end_at[$name]=0
}

tells()
{
    local name=$1 line
    shift
    for line in "$@"; do printf '%s\n' "$line" >&"${end_fd[$name]}"; done
}

# drives NAME [EPOCH [OPTION...]]: a driver of $run that is ready.
drives()
{
    local name=$1 epoch=${2:-1000}
    shift $(($# > 1 ? 2 : 1))
    starts "$name" drive "$@"
    tells "$name" "$hello,\"run\":\"$run\",\"epoch\":$epoch,\"lease_ms\":$LEASE}"
    waits "$name" '"m":"ready"' || not_ok "$name is ready"
}

# works NAME POOL [OPTION...]: a worker that is ready.
works()
{
    local name=$1 pool=$2
    shift 2
    starts "$name" work "$@"
    tells "$name" "$hello,\"worker\":\"$name\",\"pool\":\"$pool\",\"lease_ms\":$LEASE}"
    waits "$name" '"m":"ready"' || not_ok "$name is ready"
}

# job KEY [POOL [MORE]]: as a driver says it; MORE is a member of the job.
job()
{
    printf '{"m":"job","k":"%s","pool":"%s","job":{"v":1,"nonce":"%s"%s}}' "$run.$1" "${2:-std}" \
        "$nonce" "${3:+,$3}"
}

# says MEMBERS...: a line of those members: says m=stop k=1.1
says()
{
    local member line=
    for member in "$@"; do
        case $member in
        k=*) member=k=$run.${member#k=} ;;
        esac
        line="$line${line:+,}\"${member%%=*}\":\"${member#*=}\""
    done
    echo "{$line}"
}

result()
{
    printf '{"m":"ended","k":"%s","result":{"v":1,"nonce":"%s","worker":"%s","files":[%s]}}' \
        "$run.$1" "$nonce" "${2:-w}" "${3:-}"
}

link_of() # the number of the link of an end
{
    sed -n '1s/^pid //p' "$TMPDIR/$1.log"
}

# waits NAME TEXT [SECONDS]: for a line with that text, behind those that were heard.
waits()
{
    local name=$1 text=$2 tries=$((${3:-10} * 50)) at
    while :; do
        at=$(tail -n +$((end_at[$name] + 1)) "$TMPDIR/$name.log" | grep -nF -m 1 -- "$text")
        if [ -n "$at" ]; then
            heard=${at#*:}
            end_at[$name]=$((end_at[$name] + ${at%%:*}))
            return 0
        fi
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.02
    done
}

# hears LABEL NAME TEXT [SECONDS]
hears()
{
    if waits "$2" "$3" "${4:-10}"; then ok "$1"; else not_ok "$1: $2 does not hear $3"; fi
}

# never LABEL NAME TEXT: in all of its log.
never()
{
    check_not "$1" grep -qF -- "$3" "$TMPDIR/$2.log"
}

# begins NAME KEY: the worker gets it and begins it.
begins()
{
    waits "$1" '"m":"job","k":"'"$run.$2"'"' || not_ok "$1 gets $2"
    tells "$1" "$(says m=begin "k=$2" "nonce=$nonce")"
    waits "$1" '"m":"go"' || not_ok "$1 may begin $2"
}

now_ms()
{
    date +%s%3N
}

# stream_count NAME: how many messages a stream holds.
stream_counts()
{
    "$SUPPORT/nats_ask" "$port" "\$JS.API.STREAM.INFO.$1" | grep -o '"messages":[0-9]*' |
        head -n 1 | cut -d : -f 2
}
