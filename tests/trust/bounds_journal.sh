#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A hostile journal: a repository brings a .git/hone folder whose journal another program wrote.
# Every verb that reads it is told every text and every number of it, changed: escapes, marks that
# turn the writing around, bytes that are no UTF-8, a megabyte, numbers out of range. Told once:
# neither root nor a sandbox makes a difference.
#
# row: bounds.journal | a journal whose texts hold escapes, C1, bidi marks, bad UTF-8, NULs or a megabyte, and whose numbers are out of range; or that is a pipe, a link, a folder, no database, or a part of one | ids and dialects are names or the file is refused, as is one that is no regular file; other texts are shown by number on terminals and are valid UTF-8 in JSON; nothing aborts or hangs | -
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/mcp.sh"

limit=20
journal=.git/hone/journal.db

# In a string of JSON; as bytes of SQL; and for both a megabyte.
wild='\u001b]0;owned\u0007\u001b[31m\u202e\u009b2J\u0000\u0008\r'
wild_bytes="CAST(x'1b5d303b6f776e6564071b5b33316de280aec29b324afffe0841' AS TEXT)"
wild_nul="CAST(x'41001b5b33316d' AS TEXT)"
long_bytes="printf('%.*c', 1000000, 'x')"
control=$'[\x01-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]'

harmless()
{
    ! LC_ALL=C grep -qaP "$control" "$1" && iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1
}

# is_well WHAT: the last call ended by itself and told nothing harmful; else it is noted.
is_well()
{
    if [ "$status" -ge 124 ]; then
        echo "$1: exit status $status: $(tail -n 1 "$err" | cut -c 1-200)" >>"$TMPDIR/bad"
    elif ! harmless "$out"; then
        echo "$1: its output holds: $(LC_ALL=C grep -aP "$control" "$out" | head -n 1 |
            cut -c 1-200 | cat -v)" >>"$TMPDIR/bad"
    elif ! harmless "$err"; then
        echo "$1: standard error holds: $(head -n 2 "$err" | cut -c 1-200 | cat -v)" >>"$TMPDIR/bad"
    fi
}

is_well_json()
{
    is_well "$1"
    [ ! -s "$out" ] || "$SUPPORT/is_json" "$2" <"$out" 2>/dev/null ||
        echo "$1: no JSON: $(head -c 200 "$out" | cat -v)" >>"$TMPDIR/bad"
}

# verbs WHAT: every verb that reads a journal, on a journal that was changed so.
verbs()
{
    local verb
    for verb in list status show "show $run 1" log findings "findings --format markdown" replay \
        "stop $run" "answer $run yes" verify "resume $run"; do
        # shellcheck disable=SC2086
        hone $verb
        is_well "$1: $verb"
    done
    for verb in list status findings; do
        # shellcheck disable=SC2086
        hone $verb --json
        is_well_json "$1: $verb --json" whole
    done
    for verb in log replay "resume $run"; do
        # shellcheck disable=SC2086
        hone $verb --json
        is_well_json "$1: $verb --json" lines
    done
    { tool list_runs; tool get_run; tool list_findings; } >"$TMPDIR/requests"
    hone mcp <"$TMPDIR/requests"
    is_well_json "$1: mcp" lines
}

# changed WHAT SQL: a copy of the journal, changed, told to all verbs.
changed()
{
    rm -f "$journal"* && cp -p "$TMPDIR/kept.db" "$journal"
    "$SUPPORT/sql" "$journal" "$2" || echo "$1: the journal could not be changed" >>"$TMPDIR/bad"
    verbs "$1"
}

# all_well NAME: nothing was noted since the last time.
all_well()
{
    check_is "bounds.journal: $1" "$(sort -u "$TMPDIR/bad" | head -n 12)" ""
    : >"$TMPDIR/bad"
}

columns()
{
    local column what
    for column in dialect task workspace settings reason; do
        for what in "$wild_bytes" "$wild_nul" "$long_bytes"; do
            changed "runs.$column ${what:0:14}" "PRAGMA foreign_keys = OFF;
                UPDATE runs SET $column = $what;"
        done
    done
    for what in "$wild_bytes" "$wild_nul" "$long_bytes"; do
        changed "the run's id ${what:0:14}" "PRAGMA foreign_keys = OFF;
            UPDATE runs SET id = $what; UPDATE events SET run_id = $what"
    done
    all_well "every text column of runs"
    for column in kind body; do
        for what in "$wild_bytes" "$wild_nul" "$long_bytes"; do
            changed "events.$column ${what:0:14}" "UPDATE events SET $column = $what"
        done
    done
    all_well "every text column of events"
    for column in created_ms updated_ms; do
        changed "runs.$column" "UPDATE runs SET $column = -9223372036854775807"
        changed "runs.$column" "UPDATE runs SET $column = 9223372036854775807"
    done
    changed "events.seq" "UPDATE events SET seq = seq + 9223372036854775000"
    all_well "numbers of columns, out of range"
}

# What stands in the bodies, each once.
in_bodies()
{
    "$SUPPORT/sql" "$TMPDIR/kept.db" "SELECT body FROM events UNION ALL SELECT settings FROM runs" |
        grep -oE "$1" | sort -u
}

bodies()
{
    local value quoted
    in_bodies '"[^"\\]*"(:?)' | grep -v ':$' | tr -d '"' | grep -v "'" >"$TMPDIR/values"
    check "bounds.journal: texts to change" test "$(wc -l <"$TMPDIR/values")" -gt 10
    while IFS= read -r value; do
        quoted="'\"$value\"', '\"$value$wild\"'"
        changed "text '$value' in events" "UPDATE events SET body = replace(body, $quoted);
            UPDATE runs SET settings = replace(settings, $quoted)"
    done <"$TMPDIR/values"
    all_well "every text of every event and of the settings"
}

numbers()
{
    local value number
    in_bodies ':[0-9]+[,}]' | tr -d ':,}' | sort -u >"$TMPDIR/values"
    while IFS= read -r value; do
        for number in 18446744073709551615 -1; do
            changed "number $value is $number" "UPDATE events
                SET body = replace(replace(body, ':$value,', ':$number,'), ':$value}', ':$number}')"
        done
    done <"$TMPDIR/values"
    all_well "every number of every event, out of range"
}

# A journal that is none: said by each verb, and soon.
others()
{
    local kind tail
    for kind in mkfifo 'ln -s /dev/zero' "ln -s $TMPDIR/kept.db" mkdir; do
        for tail in '' -wal; do
            rm -rf "$journal"*
            [ -z "$tail" ] || cp -p "$TMPDIR/kept.db" "$journal"
            $kind "$journal$tail"
            verbs "$kind journal.db$tail"
            hone status
            check_not "bounds.journal: ${kind%% /*} $(basename "$journal$tail"): is refused" \
                test "$status" = 0
            check_has "bounds.journal: ${kind%% /*} $(basename "$journal$tail"): why" "$err" \
                "$journal$tail is a link, a pipe or a folder"
        done
    done
    rm -rf "$journal"*
    head -c 100000 /dev/urandom >"$journal"
    verbs "bytes that are none"
    cp -p "$TMPDIR/kept.db" "$journal" && truncate -s 5000 "$journal"
    verbs "half of it"
    all_well "what is no journal"
    rm -rf "$journal"*
}

new_repo "$TMPDIR/work"
forget
does critic 'cat "$play/found"'
hone run review --no-sandbox --max-iterations 2 --agent "*=$agent"
check_is "bounds.journal: a run to be changed" "$status" 1
run=$(basename .git/hone/runs/*)
"$SUPPORT/sql" "$journal" "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
cp -p "$journal" "$TMPDIR/kept.db"
: >"$TMPDIR/bad"
columns
bodies
numbers
others
exit "$failed"
