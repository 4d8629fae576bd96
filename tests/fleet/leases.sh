#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link: a worker that plays for drivers with different leases. Each attempt keeps to the lease
# of its own run, and the worker beats by the smallest.
. "${TOP:?}/tests/fleet/lib.sh"

claims_seq()
{
    "$SUPPORT/nats_ask" "$port" "\$JS.API.STREAM.INFO.KV_HONE_CLAIMS" |
        grep -o '"last_seq":[0-9]*' | cut -d : -f 2
}

seq_is() { [ "$(claims_seq)" -ge "$1" ]; }

server_start
LEASE=9000 run=slow$$
drives slow
LEASE=300
works a std
tells a '{"m":"free","n":2}'
LEASE=9000
tells slow "$(job 1.1)"
begins a 1.1
hears "the driver of the slow one hears of it" slow '"m":"taken"'
check "its job says its lease" grep -q '"k":"'"$run.1.1"'".*"lease_ms":9000' "$TMPDIR/a.log"

LEASE=300 run=quick$$
drives quick
tells quick "$(job 1.1)"
hears "the worker is told of the smaller lease" a '"lease_ms":300'
check "which is that of the quick one" grep -q '"k":"'"$run.1.1"'".*"lease_ms":300' "$TMPDIR/a.log"
tells a "$(says m=begin k=1.1 nonce=$nonce)"
# The driver of the slow one writes its record each 1500 ms: longer than two of the smaller lease.
seq=$(claims_seq)
check "claims are renewed for a while" until_true 30 seq_is $((seq + 80))
never "the slow one is no orphan" a '"m":"stop","k":"slow'
run=slow$$
tells a "$(result 1.1 a)"
hears "it ends with its result" slow '"m":"ended","k":"'"$run.1.1"'"' 20
exit "$failed"
