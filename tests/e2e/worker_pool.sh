#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A worker of a pool, with a carrier that is the story: claims, beats, a carrier that dies and one
# that follows it, a worker that is killed with results that no carrier has, one that is told to
# end.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/fleet.sh"

# hone beside a carrier of ours: its lines go through two pipes.
mkdir -p "$TMPDIR/bin"
cp "$HONE" "$TMPDIR/bin/hone"
cat >"$TMPDIR/bin/hone-link" <<END
#!/bin/sh
echo "\$*" >>"$TMPDIR/link.args"
echo \$\$ >"$TMPDIR/link.pid"
exec 4<&0
"$fleet" hear "$got" worker <&4 >>"$heard" &
exec cat "$TMPDIR/to" 3>"$TMPDIR/to"
END
chmod +x "$TMPDIR/bin/hone-link"
mkfifo "$TMPDIR/to"
mkdir -p "$got"
exec 7<>"$TMPDIR/to"
# It is heard, until a story wants it mute.
while :; do
    printf '{"m":"beat"}\n' >&7
    sleep 0.3
done &
beats=$!

# pool_begin: a worker, and its carrier says ready with this lease.
pool_begin()
{
    : >"$heard"
    "$TMPDIR/bin/hone" worker nats://nowhere --pool p --name w1 --folder "$state" --slots 1 \
        --label gpu=no 2>>"$errors" &
    worker_pid=$!
    hears hello && is_ready
}

is_ready()
{
    tell '{"m":"ready","v":1,"carrier":"a story","lease_ms":'"${lease:-20000}"'}'
    hears free 1
}

# sends K SPEC: a job as a carrier says it, its blobs before it.
sends()
{
    job "$1" critic review "$2" base=no
}

ends_with()
{
    until_true 20 eval '! kill -0 "$worker_pid"' || kill -9 "$worker_pid"
    wait "$worker_pid"
    check_is "$1: exit" $? 0
}

new_repo "$TMPDIR/repo"
forget
does critic 'cat "$play/clean"'
: >"$errors"

pool_begin
check "the carrier is told who we are for it" grep -q '^work nats://nowhere' "$TMPDIR/link.args"
sends R.1.1 "$agent"
check "a claim is asked for" hears begin R.1.1
check_is "no agent begins before it is given" "$(started critic)" 0
tell '{"m":"gone","k":"R.1.1"}'
check "another has it: the slot is free" \
    until_true 20 eval '[ "$(grep -c "^free 1" "$heard")" = 2 ]'
check_is "and no agent began" "$(started critic)" 0
sends R.2.1 "$agent"
hears begin R.2.1
tell '{"m":"go","k":"R.2.1"}'
tell '{"m":"go","k":"R.2.1"}'
check "ours: its files are said before its result" hears ended R.2.1
check_is "in that order" "$(grep -n '^blob\|^ended' "$heard" | tail -1 | cut -d: -f2)" 'ended R.2.1'
check_is "its answer" "$(cat "$got/$(shows R.2.1 stdout)")" "$clean"
check_is "begun once" "$(started critic)" 1

# No carrier has the result: the worker is killed.
kill -9 "$worker_pid"
wait "$worker_pid" 2>/dev/null
kill "$(cat "$TMPDIR/link.pid")" 2>/dev/null
pool_begin
check "killed: a result that no carrier has is said again" hears ended R.2.1
tell '{"m":"kept","k":"R.2.1"}'
check "kept: it is noted" until_true 20 test -e "$state/workers/w1/attempts/R.2.1/kept"
timeout 20 "$TMPDIR/bin/hone" worker nats://nowhere --name w1 --folder "$state" 2>"$err"
check_is "a second worker of one name: exit" $? 3
check_has "a second worker of one name: said" "$err" 'is worker w1: name this one with --name'

# A carrier that dies while an agent works: the agent goes on.
# shellcheck disable=SC2016
does critic 'until [ -e "$play/go" ]; do sleep 0.05; done; cat "$play/clean"'
sends R.3.1 "$agent"
hears begin R.3.1
tell '{"m":"go","k":"R.3.1"}'
until_true 20 grep -q . "$play/log" || not_ok "at work"
check "its claim is renewed by beats" until_true 20 grep -q '^beat R.3.1' "$heard"
: >"$heard"
kill "$(cat "$TMPDIR/link.pid")"
check "a carrier that dies is started again" hears hello
check "what is in use is not free" eval \
    'tell "{\"m\":\"ready\",\"v\":1,\"carrier\":\"it\",\"lease_ms\":20000}"; hears beat R.3.1'
check_not "not one" grep -q '^free' "$heard"
sends R.3.1 "$agent"
check "what it hands out again took no slot" hears free 1
check_not "and is not skipped" grep -q '^skip' "$heard"
touch "$play/go"
check "its agent went on" hears ended R.3.1
check "what was kept, and is not forgotten, is said again" grep -q '^ended R.2.1' "$heard"
tell '{"m":"kept","k":"R.3.1"}'
tell '{"m":"forget","k":"R.3.1"}'
check "forgotten" until_true 20 test ! -e "$state/workers/w1/attempts/R.3.1"

# Told to end: what is at work ends first.
rm "$play/go"
sends R.4.1 "$agent"
hears begin R.4.1
tell '{"m":"go","k":"R.4.1"}'
until_true 20 eval '[ "$(started critic)" = 3 ]'
kill -TERM "$worker_pid"
check "told to end: said" until_true 20 grep -q 'no new attempts are taken; 1 at work' "$errors"
touch "$play/go"
check "told to end: what is at work is answered" hears ended R.4.1
tell '{"m":"kept","k":"R.4.1"}'
check "told to end: the carrier is told" hears bye
ends_with "told to end"

# Told to end while no carrier takes its result.
pool_begin
sends R.7.1 "$agent"
hears begin R.7.1
tell '{"m":"go","k":"R.7.1"}'
hears ended R.7.1
kill -TERM "$worker_pid"
check "no carrier takes it: said" \
    until_true 20 grep -q 'has not taken all results yet (1)' "$errors"
check "no carrier takes it: it waits" kill -0 "$worker_pid"
kill -TERM "$worker_pid"
ends_with "no carrier takes it: told twice"
pool_begin
check "no carrier takes it: the next start says it" hears ended R.7.1
tell '{"m":"kept","k":"R.7.1"}'
kill -TERM "$worker_pid"
ends_with "no carrier takes it: the next start"

# A carrier that follows a dead one renews no claim of before: agents are ended after a lease,
# though it is heard.
rm "$play/go"
lease=3000 pool_begin
sends R.6.1 "$agent"
hears begin R.6.1
tell '{"m":"go","k":"R.6.1"}'
check "another carrier: at work" until_true 20 eval '[ "$(started critic)" = 5 ]'
: >"$heard"
kill "$(cat "$TMPDIR/link.pid")"
check "another carrier: it is greeted" hears hello
tell '{"m":"ready","v":1,"carrier":"it","lease_ms":3000}'
check "another carrier: its agent is ended" hears lost R.6.1
check "another carrier: its slot is free" hears free 1
check_not "another carrier: no result" grep -q '^ended R.6.1' "$heard"
tell '{"m":"go","k":"R.6.1"}'
check "go for what is not there is answered" \
    until_true 20 eval '[ "$(grep -c "^lost R.6.1" "$heard")" = 2 ]'
kill -TERM "$worker_pid"
ends_with "another carrier"

# A mute carrier: agents are ended after a lease, and nothing is said of them.
lease=1000 pool_begin
sends R.5.1 "$agent"
hears begin R.5.1
tell '{"m":"go","k":"R.5.1"}'
kill "$beats"
check "a mute carrier: the agent is ended" hears lost R.5.1
check_not "no result" grep -q '^ended R.5.1' "$heard"
kill -TERM "$worker_pid"
ends_with "an idle worker"
exit "$failed"
