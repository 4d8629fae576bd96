#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link: a driver that dies, the one that follows, and two at a time.
. "${TOP:?}/tests/fleet/lib.sh"

server_start
drives d 1000
works w std
tells w '{"m":"free","n":3}'
tells d "$(job 9.1 empty)"
for k in 1.1 2.1 3.1; do
    tells d "$(job $k)"
    begins w $k
done
waits d '"m":"taken","k":"'"$run.3.1"'"'
tells w "$(result 1.1 w)"
waits w '"m":"kept"'

# ---- a driver dies, another follows in time ----
kill -9 "$(link_of d)"
tells w "$(result 2.1 w)"
hears "a result is stored without a driver" w '"m":"kept"'
drives e 2000
for k in 1.1 2.1; do
    tells e "$(says m=ask k=$k)"
    hears "$k has ended" e '"m":"known","k":"'"$run.$k"'","state":"ended"'
    hears "and is told" e '"m":"ended","k":"'"$run.$k"'"'
done
tells e "$(says m=ask k=3.1)" "$(says m=ask k=9.1)" "$(says m=ask k=7.1)"
hears "one is at work" e '"m":"known","k":"'"$run.3.1"'","state":"taken"'
hears "one is queued" e '"m":"known","k":"'"$run.9.1"'","state":"queued"'
hears "one is nowhere" e '"m":"known","k":"'"$run.7.1"'","state":"nowhere"'
tells w "$(result 3.1 w)"
hears "what is at work goes on for the new driver" e '"m":"ended","k":"'"$run.3.1"'"'
works x empty
tells x '{"m":"free","n":1}'
begins x 9.1
hears "and so does what was queued" e '"m":"taken","k":"'"$run.9.1"'"'

# ---- the older one comes back ----
starts d drive
tells d '{"m":"hello","v":1,"version":"t","run":"'"$run"'","epoch":1000,"host":"h","lease_ms":1000}'
hears "an older driver is fenced" d '"m":"fenced"'
hears "and ends" d 'over 3'
drives f 3000
hears "one at work is fenced by a newer one" e '"m":"fenced"'
tells f "$(says m=ask k=9.1)"
waits f '"state":"taken"'

# ---- no driver at all ----
since=$(now_ms)
tells f mute
hears "a driver that hangs leaves orphans" x '"m":"stop","k":"'"$run.9.1"'","why":"orphan"'
check "not before two leases" test $(($(now_ms) - since)) -ge 1900
check "and soon behind them" test $(($(now_ms) - since)) -lt 4500
kill -9 "$(link_of f)"
tells x "$(result 9.1 x)" # it was ready before its worker heard that it is an orphan
hears "the result of an orphan is kept" x '"m":"kept"'
drives h 4000
tells h "$(says m=ask k=9.1)"
hears "for the driver that follows" h '"m":"ended","k":"'"$run.9.1"'"'

# ---- the link alone dies, and the server has lost a job ----
tells h "$(job 8.1 late)"
waits h '"m":"queued","k":"'"$run.8.1"'"'
kill -9 "$(link_of h)"
"$SUPPORT/nats_ask" "$port" '$JS.API.STREAM.PURGE.HONE_JOBS' \
    '{"filter":"hone.job.late.'"$run"'.8.1"}' >/dev/null
LEASE=30000 # what heals within two of them heals too late
drives h 4000
tells h "$(says m=ask k=8.1)"
hears "it is nowhere" h '"m":"known","k":"'"$run.8.1"'","state":"nowhere"'
tells h "$(job 8.1 late)"
waits h '"m":"queued","k":"'"$run.8.1"'"'
works y late
tells y '{"m":"free","n":1}'
hears "said again, it is handed out at once" y '"m":"job","k":"'"$run.8.1"'"'

# ---- who, without a run ----
LEASE=1000
starts g drive
tells g '{"m":"hello","v":1,"version":"t","host":"h","lease_ms":1000}' '{"m":"who"}'
hears "who is answered without a run" g '"m":"workers","workers":[{'
tells g close
hears "and its end is quiet" g 'over 0'
