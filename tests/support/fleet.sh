# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# fleet.sh - for stories of `hone worker --lines`: a worker at the other end of two pipes, what a
# driver says to it, and what it has said. Sourced after story.sh and play.sh.

fleet=$SUPPORT/fleet
state=$TMPDIR/state      # what workers keep
heard=$TMPDIR/heard      # what one said, a line each; its blobs and results are in $got
got=$TMPDIR/got
errors=$TMPDIR/worker.err
worker_pid=

# worker_begin [OPTION...]: a worker of its own, greeted as the driver of run R with this epoch
# (epoch=) and this lease (lease=).
worker_begin()
{
    rm -rf "$got" "$TMPDIR/to" "$TMPDIR/from"
    mkdir -p "$got"
    mkfifo "$TMPDIR/to" "$TMPDIR/from"
    "$HONE" worker --lines --folder "$state" "$@" <"$TMPDIR/to" >"$TMPDIR/from" 2>>"$errors" &
    worker_pid=$!
    : >"$heard"
    "$fleet" hear "$got" <"$TMPDIR/from" >"$heard" &
    exec 7>"$TMPDIR/to"
    tell "{\"m\":\"hello\",\"v\":1,\"version\":\"0.0.test\",\"run\":\"${run:-R}\",\
\"epoch\":${epoch:-1},\"lease_ms\":${lease:-20000}}"
    hears ready
}

# worker_end: the line is closed; waits for the worker.
worker_end()
{
    exec 7>&-
    wait "$worker_pid"
    worker_status=$?
}

# tell LINE: as the driver.
tell()
{
    printf '%s\n' "$1" >&7
}

# job K ROLE PURPOSE SPEC [NAME=VALUE...]: its blobs and the job, of the repository here.
job()
{
    local k=$1 role=$2 purpose=$3 spec=$4
    shift 4
    mkdir -p "$TMPDIR/pack"
    "$fleet" job "$k" "$PWD" review "$role" "$purpose" "$spec" "$TMPDIR/pack" "$@" >&7
}

# hears TEXT...: waits until the worker has said it: the beginning of a line.
hears()
{
    until_true 30 grep -q "^$*" "$heard" && return
    echo "not heard: $*"
    sed 's/^/    heard: /' "$heard"
    tail -5 "$errors" | sed 's/^/    worker: /'
    return 1
}

# needs_base: gives the base that was asked for.
gives_base()
{
    hears 'need' || return 1
    "$fleet" base "$PWD" "$TMPDIR/pack" >&7
}

# shows K MEMBER: of its result.
shows()
{
    "$fleet" show "$got/result-$1" "$2"
}

# fetches K NAME: asks for that file of its result, and prints where it is.
fetches()
{
    local id
    id=$(shows "$1" "$2")
    [ -n "$id" ] || return 1
    tell '{"m":"get","k":"'"$1"'","id":"'"$id"'"}'
    hears "blob $id" || return 1
    echo "$got/$id"
}
