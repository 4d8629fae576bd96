#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link: an attempt is handed out until it is claimed, begun at most once, and answered at most
# once, though workers die, sleep, or answer twice.
. "${TOP:?}/tests/fleet/lib.sh"

server_start
drives d

# ---- handed out again; two workers, one claim ----
works a std
tells a '{"m":"free","n":1}'
tells d "$(job 1.1)"
waits a '"m":"job"'
tells a mute # it says nothing more: another worker gets it
works b std
tells b '{"m":"free","n":1}'
hears "a job that is not claimed is handed out again" b '"m":"job","k":"'"$run.1.1"'"'
tells b "$(says m=begin k=1.1 nonce=$nonce)"
tells a "$(says m=begin k=1.1 nonce=$nonce)" unmute
until_true 10 sh -c "cat $TMPDIR/[ab].log | grep -q '\"m\":\"gone\"'"
until_true 10 sh -c "cat $TMPDIR/[ab].log | grep -q '\"m\":\"go\"'"
check_is "one of two may begin" "$(cat "$TMPDIR"/[ab].log | grep -c '"m":"go"')" 1
check_is "the other may not" "$(cat "$TMPDIR"/[ab].log | grep -c '"m":"gone"')" 1
one=b other=a
if grep -q '"m":"go"' "$TMPDIR/a.log"; then one=a other=b; fi
hears "the driver hears of one" d '"worker":"'$one'"'
tells $one "$(result 1.1 $one)"
hears "it ends" d '"m":"ended","k":"'"$run.1.1"'"'
waits $one '"m":"kept"'

# ---- a second result is none ----
kill -9 "${end_pid[$one]}"
works $one std
tells $one "$(result 1.1 $one)"
hears "a result said again is kept" $one '"m":"kept"'
tells $other "$(result 1.1 $other)"
hears "another worker's is not wanted" $other '"m":"forget"'
tells d "$(says m=forget k=1.1)"
waits $one '"m":"forget"'
check_is "the driver heard one" "$(grep -c '"m":"ended"' "$TMPDIR/d.log")" 1
kill -9 "${end_pid[a]}"
[ $one = b ] || kill -9 "${end_pid[b]}"
[ $one = b ] || works b std

# ---- a worker that dies before the claim, and one behind it ----
tells b '{"m":"free","n":1}'
tells d "$(job 2.1)"
waits b '"m":"job","k":"'"$run.2.1"'"'
kill -9 "$(link_of b)"
works c std
tells c '{"m":"free","n":1}'
begins c 2.1
ok "a worker that died before it had begun costs nothing"
kill -9 "$(link_of c)"
hears "one that died behind it is lost" d '"m":"lost","k":"'"$run.2.1"'"'
works e std
tells e "$(result 2.1 c)"
hears "and no one can answer it any more" e '"m":"forget"'

# ---- a worker that sleeps ----
tells e '{"m":"free","n":1}'
tells d "$(job 3.1)"
begins e 3.1
kill -STOP "${end_pid[e]}" # the worker: its link hears no beat
hears "a worker that hangs is lost" d '"m":"lost","k":"'"$run.3.1"'"'
kill -CONT "${end_pid[e]}"
hears "and is told when it wakes" e '"m":"stop","k":"'"$run.3.1"'","why":"fenced"'
tells e "$(result 3.1 e)"
hears "its result is not wanted" e '"m":"forget"'
tells e '{"m":"free","n":1}'
tells d "$(job 4.1)"
begins e 4.1
link=$(link_of e)
kill -STOP "$link"
hears "a link that hangs is lost" d '"m":"lost","k":"'"$run.4.1"'"'
kill -CONT "$link"
hears "and says so when it wakes" e '"m":"stop","k":"'"$run.4.1"'","why":"fenced"'
never "none of their results counts" d '"m":"ended","k":"'"$run.4.1"'"'

# ---- claims last as long as they are renewed ----
tells e '{"m":"free","n":1}'
tells d "$(job 5.1)"
begins e 5.1
sleep 3.2 # longer than any lease holds
tells e "$(result 5.1 e)"
hears "an agent that takes long is not lost" d '"m":"ended","k":"'"$run.5.1"'"'
never "nor was it called lost" d '"m":"lost","k":"'"$run.5.1"'"'

# ---- a worker that has no result and says so ----
tells e '{"m":"free","n":1}'
tells d "$(job 4.2)"
begins e 4.2
tells e "$(says m=lost k=4.2 why=ended)" # it goes on to beat
hears "an attempt that its worker gives up is lost" d '"m":"lost","k":"'"$run.4.2"'"'

# ---- a link that dies while its worker's agent is at work ----
again='"k":"'"$run"'.6.1","nonce":"'"$nonce"'"'
works f std
tells f '{"m":"free","n":1}'
tells d "$(job 6.1)"
waits f '"m":"job","k":"'"$run.6.1"'"' || not_ok "f gets 6.1"
tells f '{"m":"begin",'"$again"',"token":"one"}'
waits f '"m":"go"' || not_ok "f may begin 6.1"
waits d '"m":"taken","k":"'"$run.6.1"'"'
kill -9 "$(link_of f)"
works f std
tells f '{"m":"begin",'"$again"',"token":"two","begun":true}'
hears "another start of a worker does not go on with it" f '"m":"gone","k":"'"$run.6.1"'"'
tells f '{"m":"begin",'"$again"',"token":"one","begun":true}'
hears "the next link of the same one does" f '"m":"go","k":"'"$run.6.1"'"'
sleep 3.2 # longer than any lease holds
tells f "$(result 6.1 f)"
hears "and its result counts" d '"m":"ended","k":"'"$run.6.1"'"'
never "it was never lost" d '"m":"lost","k":"'"$run.6.1"'"'

# ---- a result with headers that only the server has a right to say ----
# forges KEY HEADER: the result, as the worker f would store it by hand.
forges()
{
    "$SUPPORT/nats_ask" -h "$2" "$port" "hone.result.$run.$1" "$(result "$1" f |
        sed 's/.*"result"://; s/}$//')"
}
stored() # stored KEY: whether the stream has its result
{
    "$SUPPORT/nats_ask" "$port" '$JS.API.STREAM.MSG.GET.HONE_RESULTS' \
        '{"last_by_subj":"hone.result.'"$run.$1"'"}' | grep -q '"data"'
}

tells f '{"m":"free","n":2}'
for k in 7.1 7.2; do
    tells d "$(job $k)"
    begins f $k
done
seq=$("$SUPPORT/nats_ask" "$port" '$JS.API.STREAM.MSG.GET.HONE_RESULTS' \
    '{"last_by_subj":"hone.result.'"$run.6.1"'"}' | sed 's/.*"seq":\([0-9]*\).*/\1/')
forges 7.1 "Nats-Sequence: $seq" >/dev/null
hears "one that names another's place" d '"m":"ended","k":"'"$run.7.1"'"'
tells d "$(says m=forget k=7.1)"
check "its own goes" until_true 10 eval '! stored 7.1'
check "the other stays" stored 6.1
forges 7.2 "Status: 404" >/dev/null
hears "one that says it is not there" d '"m":"ended","k":"'"$run.7.2"'"'

# ---- what is stored as a result, and is none ----
link=$(link_of d)
n=1
for text in '' 'no JSON' '[]' '{"v":1' '{"v":1}{"v":1}' 7 '"text"' "$(printf '\1\377')"; do
    tells f '{"m":"free","n":1}'
    tells d "$(job 8.$n)"
    begins f 8.$n
    "$SUPPORT/nats_ask" "$port" "hone.result.$run.8.$n" "$text" >/dev/null
    hears "a result that is none loses its attempt: '$(printf %q "$text")'" d \
        '"m":"lost","k":"'"$run.8.$n"'","why":"what a worker stored'
    check "it goes" until_true 10 eval "! stored 8.$n"
    n=$((n + 1))
done
tells f '{"m":"free","n":1}'
tells d "$(job 8.20)"
begins f 8.20
{ # one that grows when it is written again
    printf '{"v":1,"x":[1e20'
    printf ',1e20%.0s' $(seq 100000)
    printf ']}'
} | "$SUPPORT/nats_ask" "$port" "hone.result.$run.8.20" - >/dev/null
hears "nor is one that is too long for a line" d '"m":"lost","k":"'"$run.8.20"'"'

# ---- what is stored as a blob, and is none ----
# piece_is_none LABEL HEADER: of standard input, as a worker would store it by hand. Not in a
# subshell.
piece_is_none()
{
    n=$((n + 1))
    id=sha256-$(printf %064d $n)
    "$SUPPORT/nats_ask" -h "$2" "$port" "hone.back.$run.8.30.$id.0" - >/dev/null
    tells d '{"m":"get","k":"'"$run.8.30"'","id":"'"$id"'"}'
    hears "$1" d '"m":"none","id":"'"$id"'"'
}
head -c 300000 /dev/zero >"$TMPDIR/long"
piece_is_none "a piece that is too long is none" 'Hone-Bytes: 300000' <"$TMPDIR/long"
piece_is_none "nor is one that says that no server answers" $'Status: 503\r\n\r\nXX' </dev/null
check_is "its link is the same one" "$(link_of d)" "$link"
check "and alive" kill -0 "$link"

# ---- one that no worker can do ----
LEASE=300 run=poison$$
works p poison
tells p '{"m":"free","n":1}'
drives q
tells q "$(job 1.1 poison)"
waits p '"m":"job"'
tells p '{"m":"skip","k":"'"$run"'.1.1","why":"version 1 of 2"}' \
    '{"m":"free","n":1}'
hears "a job that is handed out too often is refused" q '"m":"refused"' 20
check_has "with what its worker said" "$TMPDIR/q.log" 'version 1 of 2'
never "nothing is missing" q '"missing":true'
check_is "and is gone" "$(stream_counts HONE_JOBS)" 0
tells q "$(job 2.1 poison)"
waits p '"m":"job"'
tells p '{"m":"skip","k":"'"$run"'.2.1","why":"no such program","missing":true}' \
    '{"m":"free","n":1}'
hears "one whose program no worker has is refused" q '"m":"refused","k":"'"$run.2.1"'"' 20
check_has "as that" <(tail -n 1 "$TMPDIR/q.log") '"missing":true'
