#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone run --fleet nats://: a whole run over a real server, with two workers. Agents play there, the
# fixer's change comes back, and the server may be killed in the middle of it.
. "${TOP:?}/tests/fleet/lib.sh"

out=$TMPDIR/out
err=$TMPDIR/err.run
new_repo "$TMPDIR/template"
marks=$TMPDIR/marks
mkdir "$marks"

# joins NAME: a worker with a home of its own.
joins()
{
    mkdir -p "$TMPDIR/$1"
    HOME=$TMPDIR/$1 "$HONE" worker "$url" --name "$1" --slots 4 --no-sandbox \
        >"$TMPDIR/$1.log" 2>&1 &
    end_pid[$1]=$!
    check "$1 joins" until_true 20 is_there "$1"
}

is_there()
{
    "$HONE" fleet show "$url" | grep -q "^$1 "
}

server_start
joins one
joins two

# shellcheck disable=SC2154 # of story.sh
cp -R "$TMPDIR/template" "$TMPDIR/calm" && cd "$TMPDIR/calm" || exit 1
timeout -k 5 100 "$HONE" run review --fleet "$url" --agent "*=$reviewer" \
    --agent "review-fixer=$fixer" >"$out" 2>"$err"
check_is "a run: exit" $? 0
check_is "a run: the fixer's change is here" "$(cat notes.txt)" hello

# The reviewers of the first round wait until the server was killed and started again.
cp -R "$TMPDIR/template" "$TMPDIR/killed" && cd "$TMPDIR/killed" || exit 1
waits="touch $marks/\$HONE_ROLE.\$HONE_ATTEMPT; until [ -e $marks/go ]; do sleep 0.05; done"
timeout -k 5 100 "$HONE" run review --fleet "$url" --agent "*=cmd:$waits; ${reviewer#cmd:}" \
    --agent "review-fixer=$fixer" >"$out" 2>"$err" &
pid=$!
all_wait() { [ "$(ls "$marks" | wc -l)" = 5 ]; }
check "the server is killed: five are at work" until_true 30 all_wait
server_kill
server_start
touch "$marks/go"
wait $pid
check_is "the server is killed: exit" $? 0
check_is "the server is killed: the end" "$(cat notes.txt)" hello
check_is "the server is killed: both played, for five are more than one has slots" \
    "$(cut -d' ' -f1 .git/hone/runs/*/*/worker | sort -u | tr '\n' ' ')" "one two "
check_is "the server is killed: none began twice" "$(find "$marks" -name '*.[2-9]' | wc -l)" 0

# ---- where agents play ----
cp -R "$TMPDIR/template" "$TMPDIR/waits" && cd "$TMPDIR/waits" || exit 1
"$HONE" config set --user fleet.pools '["pedant=none"]' >/dev/null
rm -f "$marks"/*
timeout -k 5 100 "$HONE" run review --fleet "$url" --agent "*=cmd:$waits; ${reviewer#cmd:}" \
    --agent "review-fixer=$fixer" >"$out" 2>"$err" &
pid=$!
status_says() { "$HONE" status | grep -q "$1"; }
check "hone status: an attempt that waits" \
    until_true 20 status_says ' pedant .* waits for a worker of the pool none$'
check "hone status: one that plays" until_true 20 status_says ', on \(one\|two\)$'
"$HONE" status --json | tr -d ' \n' >"$TMPDIR/status.json"
check_has "its document: one that waits" "$TMPDIR/status.json" '"pool":"none","worker":null'
check "its document: one that plays" grep -q '"pool":"default","worker":"\(one\|two\)"' \
    "$TMPDIR/status.json"
timeout 20 "$HONE" stop >/dev/null 2>&1
wait $pid
"$HONE" config unset --user fleet.pools >/dev/null
[ "$failed" = 0 ] || cat "$err"
exit "$failed"
