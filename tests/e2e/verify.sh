#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone verify: sessions written by hand, by hone and by others; and what no tool should write.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

cd "$TMPDIR" || exit 1
signals=session/.signals
mkdir -p "$signals"

# signal NAME PATH SIZE STATUS [KEY VALUE]
signal()
{
    printf 'path: %s\nsize: %s\nstatus: %s\ncreated_at: 2026-01-15T08:40:00Z\n' "$2" "$3" "$4" \
        >"$signals/$1"
    [ $# -lt 6 ] || printf '%s: %s\n' "$5" "$6" >>"$signals/$1"
}

# action ACTION: what it prints, in one line with commas.
action()
{
    "$HONE" verify session --action "$1" 2>"$err" | tr '\n' ','
}

empty()
{
    check_is "an empty session: summary" "$(action summary)" \
        "completed: 0,failed: 0,total_size: 0,paths: 0,"
    check_is "an empty session: count" "$(action count)" "0,"
    check_is "an empty session: failures" "$(action failures)" ""
    check_is "an empty session: paths" "$(action paths)" ""
    check_is "an empty session: sizes" "$(action sizes)" ""
    check_is "an empty session: total-size" "$(action total-size)" "0,"
    hone verify session
    check_is "an empty session: exit" "$status" 0
    mkdir bare
    hone verify bare
    check_is "a folder without signals: exit" "$status" 0
    check_is "a folder without signals" "$(sed 1q "$out")" "completed: 0"
    check_is "a folder without signals: one line" "$(wc -l <"$err")" 1
    check_has "a folder without signals: words" "$err" \
        "bare has no signals: there is nothing to verify"
    hone verify bare --json
    check_is "a folder without signals, --json: exit" "$status" 0
    check_has "a folder without signals, --json: an object all the same" "$out" '"signals": []'
    touch "$signals/notes.txt"
    hone verify session
    check_has "a file that is no signal does not count" "$err" "session has no signals"
    rm "$signals/notes.txt"
}

actions()
{
    signal phase-1-review-1.done r/1.md 100 success grade WARN
    signal phase-1-fix-1.done r/1.md 100 success
    signal phase-1-review-10.done r/10.md 7 success grade PASS
    signal phase-1-review-2.done r/2.md 20 success grade FAIL
    signal phase-1-fix-2.fail r/2.md 20 fail error "it died"
    signal phase-10-review-1.done r/x.md 1 success
    signal phase-2-review-1.done r/3.md 3 success grade PASS
    signal test.done t.json 5 success grade PASS
    hone verify session
    check_is "exit, though one failed" "$status" 0
    cat >"$TMPDIR/wanted" <<'END'
phase-1-review-1.done: success
phase-1-fix-1.done: success
phase-1-review-2.done: success
phase-1-fix-2.fail: fail (it died)
phase-1-review-10.done: success (PASS - no fix needed)
phase-2-review-1.done: success (PASS - no fix needed)
phase-10-review-1.done: success
test.done: success
completed: 7
failed: 1
total_size: 236
paths: 7
END
    check "the summary is what comes without an action" diff "$out" "$TMPDIR/wanted"
    check_is "count" "$(action count)" "7,"
    check_is "failures" "$(action failures)" "phase-1-fix-2.fail,"
    check_is "paths" "$(action paths)" "r/1.md,r/1.md,r/2.md,r/10.md,r/3.md,r/x.md,t.json,"
    check_is "sizes" "$(action sizes | cut -d , -f 1-4)" \
        "phase-1-review-1.done: 100,phase-1-fix-1.done: 100,$(
        )phase-1-review-2.done: 20,phase-1-review-10.done: 7"
    check_is "total-size" "$(action total-size)" "236,"
}

as_json()
{
    hone verify session --json
    check_is "--json: exit" "$status" 0
    check "--json: one object" sh -c '"$1" whole <"$2"' - "$SUPPORT/is_json" "$out"
    for part in '"completed": 7' '"failed": 1' '"total_size": 236' '"grade": "WARN"' \
        '"error": "it died"' '"name": "phase-10-review-1.done"'; do
        check_has "--json: $part" "$out" "$part"
    done
}

others()
{
    rm -f "$signals"/*
    echo '{"phase":"review","status":"completed","grade":"PASS","artifacts":["a.md"]}' \
        >"$signals/phase-1-review-1.done"
    echo '{"status":"failed","error":"no"}' >"$signals/phase-1-fix-1.done"
    check_is "JSON signals of others" "$(action summary)" \
        "phase-1-review-1.done: success (PASS - no fix needed),phase-1-fix-1.done: fail (no),$(
        )completed: 1,failed: 1,total_size: 0,paths: 1,"
}

hostile()
{
    local esc
    esc=$(printf '\033')
    rm -f "$signals"/*
    signal real.done x 1 success
    ln -s real.done "$signals/phase-1-review-1.done"
    ln -s /etc/passwd "$signals/phase-1-review-2.done"
    mkdir "$signals/phase-1-review-3.done"
    mkfifo "$signals/phase-1-review-4.done"
    : >"$signals/phase-1-review-5.done"
    head -c 100000 /dev/zero | tr '\0' x >"$signals/phase-1-review-6.done"
    printf 'status: success\nstatus: fail\n' >"$signals/phase-1-review-7.done"
    signal phase-1-review-8.done x 1 fail
    signal phase-1-review-9.fail x 1 success
    printf 'status: fail\nerror: %s[31mred%s]0;title\n' "$esc" "$esc" \
        >"$signals/phase-1-fix-1.fail"
    signal "phase-1-fix-2${esc}[2J.done" "p${esc}[2J" 1 success
    signal .phase-1-review-1.done.tmp.17 x 1 success
    signal phase-1-review-1.done.bak x 1 success
    hone verify session
    check_is "hostile signals: exit" "$status" 0
    check_has "only two are a success" "$out" "completed: 2"
    check_has "all others are a failure" "$out" "failed: 10"
    check_has "a link is none" "$out" "phase-1-review-1.done: fail"
    check_has "a name that says fail" "$out" "phase-1-review-9.fail: fail"
    check_not "no escape reaches the terminal" grep -q "$esc" "$out"
    for name in paths failures sizes; do
        hone verify session --action "$name"
        check_not "nor by $name" grep -q "$esc" "$out"
    done
    rm -rf linked && mkdir linked && ln -s ../session/.signals linked/.signals
    hone verify linked --action count
    check_is "signals that a link leads to" "$(cat "$out")" 0
}

usage()
{
    hone verify nowhere
    one_line "a folder that is not there" 2 "nowhere"
    hone verify "$signals/real.done"
    one_line "a file" 2 "real.done"
    hone verify session --action sumary
    one_line "an action that is none" 2 "did you mean 'summary'"
    hone verify session --action nonsense
    one_line "another" 2 "total-size"
    hone verify
    one_line "no folder" 2 "DIR"
    hone -C session verify . --action count
    check_is "-C" "$(cat "$out")" 2
}

empty
actions
as_json
others
hostile
usage
exit "$failed"
