#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone worker: results that its carrier has kept, and that no driver has fetched. They are in its
# outbox until they are forgotten, and a server that has lost them gets them again: no agent that
# had finished is played a second time.
. "${TOP:?}/tests/fleet/lib.sh"

out=$TMPDIR/out
err=$TMPDIR/err.run
begun=$TMPDIR/begun
new_repo "$TMPDIR/template"

is_there()
{
    "$HONE" fleet show "$url" | grep -q "^one "
}

joins()
{
    mkdir -p "$TMPDIR/home"
    HOME=$TMPDIR/home "$HONE" worker "$url" --name one --slots 8 --no-sandbox \
        >>"$TMPDIR/one.log" 2>&1 &
    end_pid[one]=$!
    check "the worker joins" until_true 20 is_there
}

# begins_run NAME: its five reviewers are at work, and wait.
begins_run()
{
    rm -f "$begun" "$TMPDIR/go"
    cp -R "$TMPDIR/template" "$TMPDIR/$1" && cd "$TMPDIR/$1" || exit 1
    # shellcheck disable=SC2154 # of story.sh
    "$HONE" run review --fleet "$url" --agent "*=cmd:echo >>$begun
        until [ -e $TMPDIR/go ]; do sleep 0.05; done; echo '$clean'" >"$out" 2>"$err" &
    pid=$!
    check "$1: five are at work" until_true 30 count_is 5
}

count_is() { [ "$(wc -l <"$begun")" = "$1" ]; }
results_are() { [ "$(stream_counts HONE_RESULTS)" = "$1" ]; }
kept_are() { [ "$(find "$TMPDIR/home" -path '*/attempts/*' -name kept | wc -l)" = "$1" ]; }

driver_dies()
{
    local link
    link=$(pgrep -P "$pid" hone-link)
    kill -9 "$pid" "$link"
    wait "$pid" 2>/dev/null
}

# resumes LABEL
resumes()
{
    timeout -k 5 100 "$HONE" resume >"$out" 2>"$err"
    check_is "$1: the run ends" $? 0
    check_is "$1: no agent was begun a second time" "$(wc -l <"$begun")" 5
    check "$1: the worker keeps nothing of it" until_true 20 kept_are 0
}

server_start
joins

# ---- the server comes back as it was before they had ended ----
begins_run older
store_keep
driver_dies
touch "$TMPDIR/go"
check "older: all results are kept" until_true 30 kept_are 5
check_is "older: by the server" "$(stream_counts HONE_RESULTS)" 5
store_back
check "older: the server gets them again" until_true 20 results_are 5
resumes older

# ---- and its worker is started again meanwhile ----
begins_run again
store_keep
driver_dies
touch "$TMPDIR/go"
check "again: all results are kept" until_true 30 kept_are 5
kill -9 "${end_pid[one]}"
wait "${end_pid[one]}" 2>/dev/null
store_back
joins
check "again: the server gets them again" until_true 20 results_are 5
resumes again
[ "$failed" = 0 ] || cat "$err"
exit "$failed"
