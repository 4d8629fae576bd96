#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone worker: a server that has no room for what its agents have done. Finished work waits for it,
# and its claim is renewed meanwhile: nothing is lost, and no agent is begun again.
. "${TOP:?}/tests/fleet/lib.sh"
export HONE_FLEET_LEASE_MS=2000
LEASES=3 # so long nothing is stored

out=$TMPDIR/out
err=$TMPDIR/err.run
begun=$TMPDIR/begun
new_repo "$TMPDIR/template"

is_there()
{
    "$HONE" fleet show "$url" | grep -q "^one "
}

ask()
{
    "$SUPPORT/nats_ask" "$port" "$@"
}

# stream_make NAME SUBJECTS BYTES MORE: as an administrator makes it, who has no more room.
stream_make()
{
    ask "\$JS.API.STREAM.CREATE.$1" "{\"name\":\"$1\",\"subjects\":[$2],\"storage\":\"file\",
        \"discard\":\"new\",\"max_bytes\":$3,\"max_msgs_per_subject\":1,\"num_replicas\":1,$4}" |
        grep -q '"did_create":true' || not_ok "$1 is made"
}

# fill PLACE: until what an agent has said does not fit there, nor a result.
fill()
{
    local size number=0
    for size in 100000 10000 1000 200; do
        until ask "$1.filler.$number" "$(head -c $size /dev/zero | tr '\0' x)" |
            grep -q 'maximum bytes'; do number=$((number + 1)); done
    done
}

claims_seq()
{
    ask "\$JS.API.STREAM.INFO.KV_HONE_CLAIMS" | grep -o '"last_seq":[0-9]*' | cut -d : -f 2
}

count_is() { [ "$(wc -l <"$begun")" = 5 ]; }
seq_is() { [ "$(claims_seq)" -ge "$1" ]; }
unstored_are() { [ "$(grep -c "$1.* is not stored yet" "$TMPDIR/one.log")" -ge "$2" ]; }

# waits_for_room STREAM PLACE WHAT
waits_for_room()
{
    local seq
    rm -f "$begun" "$TMPDIR/go"
    cp -R "$TMPDIR/template" "$TMPDIR/$1" && cd "$TMPDIR/$1" || exit 1
    # shellcheck disable=SC2154 # of story.sh
    "$HONE" run review --fleet "$url" --agent "*=cmd:echo >>$begun
        until [ -e $TMPDIR/go ]; do sleep 0.05; done
        head -c 20000 /dev/zero | tr '\\0' ' '; echo '$clean'" >"$out" 2>"$err" &
    pid=$!
    check "$1: five are at work" until_true 30 count_is
    fill "$2"
    touch "$TMPDIR/go"
    check "$1: what has no room is told of" until_true 30 unstored_are "$3" 5
    seq=$(claims_seq)
    check "$1: claims are renewed meanwhile" until_true 30 seq_is $((seq + 5 * 6 * LEASES))
    check "$1: the run goes on" kill -0 $pid
    ask "\$JS.API.STREAM.PURGE.$1" "{\"filter\":\"$2.filler.>\"}" >/dev/null
    wait $pid
    check_is "$1: with room for it the run ends" $? 0
    check_is "$1: no agent was begun a second time" "$(wc -l <"$begun")" 5
    check_not "$1: no attempt was lost" grep -q 'lost' "$err"
}

server_start
stream_make HONE_BLOBS '"hone.blob.>","hone.back.>"' 1000000 '"allow_direct":true'
stream_make HONE_RESULTS '"hone.result.>"' 300000 '"discard_new_per_subject":true'
mkdir -p "$TMPDIR/home"
HOME=$TMPDIR/home "$HONE" worker "$url" --name one --slots 8 --no-sandbox >"$TMPDIR/one.log" 2>&1 &
end_pid[one]=$!
check "the worker joins" until_true 20 is_there
waits_for_room HONE_BLOBS hone.back 'a piece of the result'
waits_for_room HONE_RESULTS hone.result 'the result'
[ "$failed" = 0 ] || cat "$err"
exit "$failed"
