# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# kill_sweep.sh - kills hone at every write of the journal and of every contract file, resumes, and
# compares: the end must be that of a run that was never killed, and no agent that had finished may
# run again. Twice: killed before each call that changes the disk, and in the middle of each write.
# Ends by itself at the first number that is not reached any more.
#
# Sourced after story.sh, by a sweep that has made $TMPDIR/template and has said how it is run (the
# array `run`) and what is compared (the function `end_files`). Where a run has very many writes,
# `stride` takes every so many of them. The function `after_death`, where there is one, looks at
# what is left behind before the resume, and says what is wrong with it.

# finished_twice: a job whose attempt ended with 0 and that was started once more all the same.
finished_twice()
{
    local dir job attempt
    for dir in .git/hone/runs/*/[0-9]*-[0-9]*/; do
        dir=${dir%/}
        grep -q '^exit 0' "$dir/status" 2>/dev/null || continue
        job=${dir##*/}
        attempt=${job#*-}
        job=${job%-*}
        [ -e "${dir%/*}/$job-$((attempt + 1))" ] && echo "$dir" && return 0
    done
    return 1
}

# one MODE N: false when the run has no N-th write.
one()
{
    local mode=$1 n=$2 here="$TMPDIR/$1-$2" status tries=0 again
    cp -R "$TMPDIR/template" "$here"
    cd "$here" || exit 1
    HONE_FAULT_MODE=$mode HONE_FAULT_CALLS=write HONE_FAULT_NTH=$n \
        HONE_FAULT_FIRED="$here.fired" LD_PRELOAD="$SUPPORT/fault_preload.so" \
        timeout -k 5 60 "$HONE" run "${run[@]}" >/dev/null 2>"$here.err"
    status=$?
    if [ ! -e "$here.fired" ]; then
        [ "$status" = 0 ] || echo "run without a fault ended with $status" >"$here.bad"
        return 1
    fi
    [ "$(type -t after_death)" = function ] && after_death >"$here.dead"
    "$HONE" resume --quiet >/dev/null 2>"$here.err2"
    status=$?
    if [ "$status" = 2 ]; then # it died before there was a run
        "$HONE" run "${run[@]}" >/dev/null 2>"$here.err2"
        status=$?
    fi
    while [ "$status" != 0 ] && [ $((tries += 1)) -lt 3 ]; do
        "$HONE" resume --quiet >/dev/null 2>>"$here.err2"
        status=$?
    done
    end_files >"$here.files"
    if [ "$status" != 0 ]; then
        echo "after the resume: status $status: $(tail -1 "$here.err2")" >"$here.bad"
    elif ! diff "$TMPDIR/calm.files" "$here.files" >"$here.diff"; then
        { echo "other files at the end:"; head -5 "$here.diff"; } >"$here.bad"
    elif [ -s "$here.dead" ]; then
        cat "$here.dead" >"$here.bad"
    elif again=$(finished_twice); then
        echo "a finished agent ran again: $again" >"$here.bad"
    fi
    [ -e "$here.bad" ] && echo "    $mode at write $n ($(cat "$here.fired")): $(cat "$here.bad")"
    cd "$TMPDIR" && rm -rf "$here"
    return 0
}

# Two at a time: of the numbers that the stride hits, each takes every other.
half()
{
    local mode=$1 n=$2
    while one "$mode" "$n"; do n=$((n + 2 * ${stride:-1})); done
    echo "$n" >"$TMPDIR/$mode.end.$2"
}

# kill_sweep: a whole run without a kill, then all the others.
kill_sweep()
{
    local mode points bad total=0

    cp -R "$TMPDIR/template" "$TMPDIR/calm"
    cd "$TMPDIR/calm" || exit 1
    "$HONE" run "${run[@]}" >/dev/null 2>"$TMPDIR/calm.err"
    check_is "the calm run is clean" $? 0
    end_files >"$TMPDIR/calm.files"
    check "it leaves files to compare" test -s "$TMPDIR/calm.files"
    for mode in kill tear; do
        half "$mode" 1 & half "$mode" $((1 + ${stride:-1}))
        wait
        points=$(($(sort -n "$TMPDIR/$mode".end.* | head -1) - 1))
        bad=$(find "$TMPDIR" -maxdepth 1 -name "$mode-*.bad" | wc -l)
        total=$((total + points))
        check "$mode: the sweep covers the journal and the files" test "$points" -gt 50
        check_is "$mode at each of $points writes, then resumed: the same end" "$bad" 0
    done
    echo "kill sweep: $total points"
}
