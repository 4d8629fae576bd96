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

# ---- a job that is none ----
none_are() { [ "$(grep -c 'is none' "$TMPDIR/g.err")" = "$1" ]; }
works g odd
tells g '{"m":"free","n":1}'
for text in 'no job' '[1]' "\"$(head -c 100000 /dev/zero | tr '\0' x)\""; do
    "$SUPPORT/nats_ask" "$port" "hone.job.odd.$run.9.$((n += 1))" "$text" >/dev/null
done
tells d "$(job 10.1 odd)" # it makes the pool
hears "a job that is none holds no slot" g '"m":"job","k":"'"$run.10.1"'"' 20
check "it is told of" until_true 10 none_are 3
tells d "$(says m=stop k=10.1)"
"$SUPPORT/nats_ask" "$port" "\$JS.API.STREAM.PURGE.HONE_JOBS" '{"filter":"hone.job.odd.>"}' \
    >/dev/null

# ---- one that no worker can have ----
# With this lease the server hands a job out twenty times within some 40 seconds, not before.
LEASE=6000 run=unfit$$
since=$(now_ms)
drives q
works p unfit
tells p '{"m":"free","n":1}'
tells q "$(job 1.1 unfit)"
waits p '"m":"job","k":"'"$run.1.1"'"'
tells p "$(says m=skip k=1.1 'why=version 1 of 2')" '{"m":"free","n":1}'
hears "one that its only worker skipped is refused" q '"m":"refused","k":"'"$run.1.1"'"' 20
check_is "with what that said" "$heard" "$(printf '{"m":"refused","k":"%s","why":"%s"}' \
    "$run.1.1" "each worker of the pool unfit skipped it: p: version 1 of 2")"
check_is "and is gone" "$(stream_counts HONE_JOBS)" 0
works o unfit
tells o '{"m":"free","n":1}'
# missing NAME KEY: the worker gets it, and has no such program.
missing()
{
    waits "$1" '"m":"job","k":"'"$run.$2"'"' || not_ok "$1 gets $2"
    tells "$1" '{"m":"skip","k":"'"$run.$2"'","why":"no such program","missing":true}' \
        '{"m":"free","n":1}'
}
tells q "$(job 2.1 unfit)"
missing p 2.1 &
missing o 2.1
wait $!
hears "one that both of its workers skipped is refused" q '"m":"refused","k":"'"$run.2.1"'"' 20
check_has "as one whose program is missing" <(echo "$heard") '"missing":true'
tells q "$(job 3.1 unfit)"
missing p 3.1 &
waits o '"m":"job","k":"'"$run.3.1"'"'
tells o "$(says m=skip k=3.1 'why=version 1 of 2')" '{"m":"free","n":1}'
wait $!
hears "so is one that they skipped for unlike reasons" q '"m":"refused","k":"'"$run.3.1"'"' 20
check_not "for all of whom no program is missing" grep -q '"missing":true' <<<"$heard"
check "all that takes no twenty times" test $(($(now_ms) - since)) -lt 35000
kill "${end_pid[o]}" "${end_pid[p]}"

# ---- one that only a busy worker can have ----
job_seq() # of the newest job that was stored
{
    "$SUPPORT/nats_ask" "$port" '$JS.API.STREAM.INFO.HONE_JOBS' |
        sed 's/.*"last_seq":\([0-9]*\).*/\1/'
}
stored_again()
{
    [ "$(job_seq)" -gt "$seq" ]
}
LEASE=1000 run=unlike$$
drives r
works busy unlike
tells busy '{"m":"free","n":1}'
tells r "$(job 1.1 unlike)"
begins busy 1.1
works idle unlike
tells idle '{"m":"free","n":1}'
tells r "$(job 2.1 unlike)"
waits r '"m":"queued","k":"'"$run.2.1"'"'
seq=$(job_seq)
missing idle 2.1
check "it is stored anew when it was handed out twenty times" until_true 30 stored_again
tells busy "$(result 1.1 busy)" '{"m":"free","n":1}'
hears "the busy worker ends the other one" r '"m":"ended","k":"'"$run.1.1"'"'
begins busy 2.1
ok "and has this one"
never "which was not refused" r '"m":"refused"'
tells busy "$(result 2.1 busy)" '{"m":"free","n":1}'
hears "it ends" r '"m":"ended","k":"'"$run.2.1"'"'
tells r "$(job 3.1 unlike)"
missing idle 3.1 &
waits busy '"m":"job","k":"'"$run.3.1"'"' # it dies of it
kill -9 "${end_pid[busy]}" "$(link_of busy)"
wait $!
hears "one that those skipped who still live is refused" r '"m":"refused","k":"'"$run.3.1"'"' 20
check_has "by what they said" <(echo "$heard") 'idle: no such program'

# ---- one that is handed out again and again, and never begun ----
LEASE=300 run=poison$$
drives s
tells s "$(job 1.1 poison)"
waits s '"m":"queued"'
pulled() # once more, by one who says nothing of it, until its driver hears of that
{
    "$SUPPORT/nats_ask" "$port" '$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.poison' \
        '{"batch":1,"expires":500000000}' >/dev/null
    grep -q '"m":"refused"' "$TMPDIR/s.log"
}
until_true 1 pulled
hears "one that was handed out too often is refused" s '"m":"refused"' 20
check_has "as that" <(echo "$heard") 'handed out 20 times'
check_not "nothing is missing" grep -q '"missing":true' <<<"$heard"
check_is "and is gone, too" "$(stream_counts HONE_JOBS)" 0
