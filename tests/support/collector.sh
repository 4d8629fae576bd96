# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# collector.sh - a collector or a receiver that a story starts, asks and ends. Sourced after
# story.sh and play.sh.

collector_pid=

# collects ANSWER...: from now on one listens, at $address; what it gets is in $got.
collects()
{
    collects_no_more
    got=$TMPDIR/got
    rm -rf "$got"
    mkdir -p "$got"
    "$SUPPORT/collector" serve "$got" "$@" &
    collector_pid=$!
    until_true 20 test -s "$got/port"
    address=http://127.0.0.1:$(cat "$got/port")
}

collects_no_more()
{
    [ -z "$collector_pid" ] || kill "$collector_pid" 2>/dev/null
    [ -z "$collector_pid" ] || wait "$collector_pid" 2>/dev/null
    collector_pid=
}
trap collects_no_more EXIT

# requests: how many came.
requests()
{
    find "$got" -name '*.json' | wc -l
}

# got_some COUNT: so many came, sooner or later.
got_some()
{
    until_true 20 eval "[ \"\$(requests)\" -ge $1 ]"
}
