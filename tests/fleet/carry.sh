#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link carries: a job to a worker and its result back, blobs of all sizes both ways, what an
# agent says, who is there; what is stopped ends; and nothing of a run stays behind its end.
. "${TOP:?}/tests/fleet/lib.sh"

LEASE=10000 # none runs out here, however slow the machine
server_start
drives d
works w std
tells w '{"m":"free","n":2}'

# ---- blobs of a job, of all sizes ----
: >"$TMPDIR/b0"
printf x >"$TMPDIR/b1"
head -c 262144 /dev/urandom >"$TMPDIR/b2"
head -c 10000000 /dev/urandom >"$TMPDIR/b3"
files=
for i in 0 1 2 3; do
    tells d "put $TMPDIR/b$i -"
    waits d 'put sha256-'
    ids[$i]=${heard#put }
    files="$files${files:+,}{\"name\":\"f$i\",\"id\":\"${ids[i]}\"}"
done
tells d "$(job 1.1 std "\"files\":[$files]")"
hears "a job is queued" d '"m":"queued","k":"'"$run.1.1"'"'
hears "a worker gets it" w '"m":"job","k":"'"$run.1.1"'"'
check_has "as it was said" "$TMPDIR/w.log" \
    "\"job\":{\"v\":1,\"nonce\":\"$nonce\",\"files\":[$files]}"
for i in 0 1 2 3; do
    tells w "save ${ids[i]} $TMPDIR/got$i" '{"m":"get","run":"'"$run"'","id":"'"${ids[i]}"'"}'
    hears "blob $i comes" w "saved ${ids[i]}"
    check "blob $i is what it was" cmp -s "$TMPDIR/b$i" "$TMPDIR/got$i"
done
none=sha256-0000000000000000000000000000000000000000000000000000000000000000
tells w '{"m":"get","run":"'"$run"'","id":"'$none'"}'
hears "a blob that no one sent" w '"m":"none"'

# ---- begin, said, ended ----
tells w "$(says m=begin k=1.1 nonce=$nonce)"
hears "it may begin" w '"m":"go"'
hears "the driver learns who has it" d '"m":"taken","k":"'"$run.1.1"'","worker":"w"'
tells w '{"m":"said","k":"'"$run"'.1.1","at":7,"data":"aGVsbG8="}'
hears "what it says" d '"m":"said","k":"'"$run.1.1"'","at":7,"data":"aGVsbG8="'
tells w "put $TMPDIR/b3 - $run.1.1" "put $TMPDIR/b0 - $run.1.1" \
    "$(result 1.1 w "{\"name\":\"stdout\",\"id\":\"${ids[3]}\"}")"
hears "its result is kept" w '"m":"kept"'
hears "and told" d '"m":"ended","k":"'"$run.1.1"'"'
tells d "save ${ids[3]} $TMPDIR/back" "$(says m=get "id=${ids[3]}" k=1.1)"
hears "its blob comes back" d "saved ${ids[3]}"
check "as it was" cmp -s "$TMPDIR/b3" "$TMPDIR/back"
tells d "save ${ids[0]} $TMPDIR/back0" "$(says m=get "id=${ids[0]}" k=1.1)"
hears "an empty one, too" d "saved ${ids[0]} 0"
tells d "$(says m=forget k=1.1)"
hears "the worker may forget it" w '"m":"forget"'

# ---- a base, by need ----
base='base-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
tells w "save $base $TMPDIR/base" '{"m":"get","run":"'"$run"'","id":"'$base'"}'
hears "a base is asked for" d '"m":"need","id":"'$base'"'
tells d "put $TMPDIR/b3 $base"
hears "and comes" w "saved $base 10000000"
check "as it was" cmp -s "$TMPDIR/b3" "$TMPDIR/base"

# ---- who ----
tells d '{"m":"who"}'
hears "who is there" d '"m":"workers","workers":[{"id":"w"'
check_has "and which pools" "$TMPDIR/d.log" '"pools":[{"name":"std","workers":1}]'

# ---- stop ----
tells w '{"m":"free","n":1}'
tells d "$(job 2.1)"
begins w 2.1
since=$(now_ms)
tells d "$(says m=stop k=2.1)"
hears "what is at work is stopped" w '"m":"stop","k":"'"$run.2.1"'","why":"cancel"' 2
check "within two seconds" test $(($(now_ms) - since)) -lt 2000
tells w "$(result 2.1)"
hears "its result is not wanted" w '"m":"forget"'
tells d "$(job 3.1 other)"
waits d '"m":"queued","k":"'"$run.3.1"'"'
tells d "$(says m=stop k=3.1)" "$(job 4.1 other)"
waits d '"m":"queued","k":"'"$run.4.1"'"'
works o other
tells o '{"m":"free","n":4}'
hears "what was queued behind it comes" o '"m":"job","k":"'"$run.4.1"'"'
never "what was stopped while queued does not" o "$run.3.1"

# ---- a line that is none; another version ----
tells d '{"m":"job","k":"../../x"}' '{"m":"nothing"}' '{"m":"who"}'
hears "lines that are wrong are skipped" d '"m":"workers"'
starts v drive
tells v '{"m":"hello","v":2,"version":"9.9","run":"x","epoch":1}'
hears "another version of the lines is refused" v 'over 1'
check_has "and both are named" "$TMPDIR/v.err" "9.9 speaks 2"

# ---- bye ----
tells d '{"m":"bye","ended":true}'
hears "the driver's end is over" d 'over 0'
for stream in HONE_JOBS KV_HONE_CLAIMS HONE_RESULTS HONE_BLOBS KV_HONE_DRIVERS; do
    check_is "nothing stays in $stream" "$(stream_counts $stream)" 0
done
tells w '{"m":"bye"}'
hears "the worker's end is over" w 'over 0'
