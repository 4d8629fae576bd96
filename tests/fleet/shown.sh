#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone fleet show over a real server: what is at work and where, what waits and why: no worker, no
# free slot, a worker that skipped it and its reason; a worker whose line is slow, and one that died
# with a claim. Ends speak lines; lib.sh has them.
. "${TOP:?}/tests/fleet/lib.sh"

LEASE=30000
out=$TMPDIR/out

# shows LABEL PATTERN: within some seconds it does.
shows()
{
    check "$1" until_true 10 shown "$2"
}

shown()
{
    "$HONE" fleet show "$url" >"$out" && grep -qE -- "$1" "$out"
}

# a job of a role: as the driver of a run of hone's says it
job_of()
{
    job "$1" "$2" '"about":{"role":"'"$3"'"}'
}

server_start
drives d 1000
works w std
tells w '{"m":"free","n":1}'
tells d "$(job_of 1.1 std critic)"
begins w 1.1
shows "what is at work: where, and since when" \
    "^$run  *1-1  *critic  *[0-9.]+ m?s  *w .* [0-9.]+ m?s ago"
tells d "$(job_of 2.1 std pedant)" "$(job_of 3.1 late witness)"
waits d '"m":"queued"' && waits d '"m":"queued"' || not_ok "two wait"
shows "what waits for a worker" "^$run  *3-1  *witness .* late .*no worker has joined this pool"
works x other
tells x '{"m":"free","n":4}'
tells d "$(job_of 4.1 other auditor)"
waits x '"m":"job"' || not_ok "x gets 4.1"
shows "what is made ready" "^$run  *4-1  *auditor .* x .*not yet"
tells x "$(says m=skip k=4.1 'why=it has no node')"
shows "what a worker skipped, and why" \
    "^$run  *4-1  *auditor .* other .*x skipped it: it has no node"
check_has "JSON: the lease" <("$HONE" fleet show "$url" --json) '"lease_ms": 30000'
check_has "JSON: attempts" <("$HONE" fleet show "$url" --json) '"state": "queued"'

for n in {1..300}; do tells d "$(job_of "5.$n" gone x)"; done
waits d '"m":"queued","k":"'"$run.5.300"'"' 20 || not_ok "300 wait"
for n in {1..299}; do tells d "$(says m=stop "k=5.$n")"; done
shows "what lies behind many that are gone" "^$run  *5-300  *x .* gone"

# A worker that is stopped for a second answers late; as one with a slow line does.
kill -STOP "$(link_of x)"
{ sleep 1; kill -CONT "$(link_of x)"; } &
"$HONE" fleet show "$url" >"$out"
check "a worker that answers late is listed" grep -q '^x ' "$out"
kill -9 "$(link_of w)"
"$HONE" fleet show "$url" >"$out"
check "a claim of a worker that died: said" \
    grep -qE "^$run  *1-1 .* w .* ago; its worker does not answer" "$out"
check_not "and it is not listed" grep -q '^w ' "$out"
tells d "$(says m=stop k=1.1)"
until_true 10 sh -c "! '$HONE' fleet show '$url' | grep -q 'does not answer'" ||
    not_ok "its claim goes"
began_ms=$(now_ms)
"$HONE" fleet show "$url" >"$out"
took_ms=$(($(now_ms) - began_ms))
check "it is quick where all have answered ($took_ms ms)" [ "$took_ms" -lt 2000 ]
exit "$failed"
