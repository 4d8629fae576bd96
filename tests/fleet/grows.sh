#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone-link: what the driver's end keeps grows neither with the length of a run nor with what a
# worker says; its table of questions may grow while one is answered; and of a run that is over
# nothing stays on the server.
. "${TOP:?}/tests/fleet/lib.sh"

LEASE=30000
server_start

rss_kb() # of the link of an end
{
    sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(link_of "$1")/status"
}
# keeps LABEL NAME KB: the link of that end has not grown by more than KB since $before. (What is
# freed under AddressSanitizer stays for a while.)
keeps()
{
    local grown=$(($(rss_kb "$2") - before))
    if grep -q __asan_init "$LINK"; then ok "$1: not measured here"
    elif [ "$grown" -lt "$3" ]; then ok "$1"
    else not_ok "$1: $grown KB more"
    fi
}
# caught_up NAME: it has taken all that was said to it and on its subjects.
caught_up()
{
    tells "$1" '{"m":"who"}'
    waits "$1" '"m":"workers"' 60 || not_ok "$1 answers who"
}

# ---- attempts that are over ----
asks() # asks FROM TO: for attempts that are nowhere
{
    seq -f '{"m":"ask","k":"'"$run"'.%.0f.1"}' "$1" "$2" >&"${end_fd[d]}"
    waits d '"m":"known","k":"'"$run.$2.1"'","state":"nowhere"' 120 || not_ok "$2 is nowhere"
}
drives d
asks 1 5000
caught_up d
before=$(rss_kb d)
asks 5001 20000
keeps "15,000 attempts that are over leave nothing" d 3000

# ---- what a worker's key can say ----
flood()
{
    "$SUPPORT/nats_ask" -n "$@" >/dev/null
}
before=$(rss_kb d)
for subject in "hone.log.$run.1.1#" "\$KV.HONE_CLAIMS.$run.2.1#"; do
    flood 60000 "$port" "$subject" '{}'
    caught_up d
done
keeps "keys that no driver named leave nothing" d 4000
base='base-0123456789abcdef0123456789abcdef'
flood 3000 "$port" "hone.need.$run" "$base#"
caught_up d
check_is "no more bases are asked for than there is room for" \
    "$(grep -c '"m":"need"' "$TMPDIR/d.log")" 256
id=$(grep -F -m 1 '"m":"need"' "$TMPDIR/d.log" | grep -o 'base-[0-9a-f]*')
tells d '{"m":"none","id":"'"$id"'"}'
needed()
{
    flood 1 "$port" "hone.need.$run" base-ffffffffffffffffffffffffffffffffffffffff
    grep -q '"m":"need","id":"base-ffff' "$TMPDIR/d.log"
}
check "and when one was answered there is room for another" until_true 10 needed
kill "${end_pid[d]}"

# ---- a stream that is gone, and more questions than there were ever before ----
run=asks$$
drives e
first=1
for count in 64 128 256; do
    link=$(link_of e)
    since=$(now_ms)
    until_true 5 eval '[ $(now_ms) -gt $((since + 1100)) ]' # streams are made once a second at most
    "$SUPPORT/nats_ask" "$port" '$JS.API.STREAM.DELETE.HONE_RESULTS' >/dev/null
    kill -STOP "$link"
    last=$((first + count - 1))
    seq -f '{"m":"ask","k":"'"$run"'.%.0f.1"}' $first $last >"$TMPDIR/lines"
    wrote() { [ "$(sed -n 's/^wchar: //p' "/proc/${end_pid[e]}/io")" -ge "$wanted" ]; }
    wanted=$(($(sed -n 's/^wchar: //p' "/proc/${end_pid[e]}/io") + $(wc -c <"$TMPDIR/lines")))
    cat "$TMPDIR/lines" >&"${end_fd[e]}"
    until_true 5 wrote || not_ok "$count lines are there"
    kill -CONT "$link" # it asks all of them before it hears an answer
    until_true 20 eval '[ "$(grep -c nowhere "$TMPDIR/e.log")" = '$last' ]'
    check_is "$count questions at a time, and their stream is gone" \
        "$(grep -c nowhere "$TMPDIR/e.log")" $last
    first=$((last + 1))
done
check "by one link" kill -0 "$link"
kill "${end_pid[e]}"

# ---- the end of a run, behind a beat that has to be said twice ----
record()
{
    "$SUPPORT/nats_ask" "$port" '$JS.API.STREAM.MSG.GET.KV_HONE_DRIVERS' \
        '{"last_by_subj":"$KV.HONE_DRIVERS.'"$run"'"}'
}
# writes EPOCH: the driver's record, from elsewhere: its next beat is refused.
writes()
{
    "$SUPPORT/nats_ask" "$port" '$KV.HONE_DRIVERS.'"$run" '{"epoch":'"$1"',"host":"h"}' >/dev/null
}
run=over$$
drives f
check "its record is there" grep -q '"data"' <<<"$(record)"
writes 1000
tells f '{"m":"beat"}' '{"m":"bye","ended":true}'
hears "it ends" f 'over 0'
check_not "and its record does not come back" grep -q '"data"' <<<"$(record)"
run=taken$$
drives g
tells g "$(job 1.1)"
waits g '"m":"queued"'
writes 2000
tells g '{"m":"beat"}' '{"m":"bye","ended":true}'
hears "one that another driver has taken is not removed" g '"m":"fenced"'
hears "its driver ends" g 'over 3'
check "and the record is the other's" grep -q '"data"' <<<"$(record)"
check_is "as its job is" "$("$SUPPORT/nats_ask" "$port" '$JS.API.STREAM.MSG.GET.HONE_JOBS' \
    '{"last_by_subj":"hone.job.std.'"$run"'.1.1"}' | grep -c '"data"')" 1
