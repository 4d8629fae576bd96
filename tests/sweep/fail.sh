#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Fails every n-th system call that can fail, each once alone and once with all later ones of its
# kind. Each time hone must end by itself, with an exit code of its own and a line that says what
# was wrong; and a run without the fault must then end as if nothing had been. The sweep ends by
# itself at the first number that is not reached any more. Where all later ones fail too, neighbours
# fail alike: every third is taken. With processes for agents most calls are those of the run
# before, where each was taken: every other is. HONE_SWEEP_STRIDE says otherwise.
. "${TOP:?}/tests/support/story.sh"

new_repo "$TMPDIR/template"
cat >"$TMPDIR/play.jsonl" <<LINES
{"role":"critic","round":1,"answer":$found}
{"role":"review-fixer","answer":"# Fixed"}
{"answer":$clean}
LINES
played=(--agent "*=script:$TMPDIR/play.jsonl" --quiet)
spawned=(--agent "*=$reviewer" --agent "review-fixer=$fixer" --no-sandbox --quiet)

# one KIND MODE ERRNO N: false when the run has no N-th call.
one()
{
    local kind=$1 mode=$2 errno=$3 n=$4 here="$TMPDIR/$1-$2-$4" status
    local -n agents=$kind
    cp -R "$TMPDIR/template" "$here"
    cd "$here" || exit 1
    HONE_FAULT_MODE=$mode HONE_FAULT_CALLS=all HONE_FAULT_NTH=$n HONE_FAULT_ERRNO=$errno \
        HONE_FAULT_FIRED="$here.fired" LD_PRELOAD="$SUPPORT/fault_preload.so" \
        timeout -k 5 60 "$HONE" run review "${agents[@]}" "the sweep" >/dev/null 2>"$here.err"
    status=$?
    if [ ! -e "$here.fired" ]; then
        cd "$TMPDIR" && rm -rf "$here"
        return 1
    fi
    case $status in
    0) ;;
    1 | 2 | 3) grep -q '^hone: ' "$here.err" || echo "status $status without a word" >"$here.bad" ;;
    *) echo "status $status: $(tail -1 "$here.err")" >"$here.bad" ;;
    esac
    # The same once more without the fault, as the user would: resume, or run where nothing began.
    timeout -k 5 60 "$HONE" resume --quiet >/dev/null 2>"$here.err2"
    status=$?
    if [ "$status" = 2 ]; then
        timeout -k 5 60 "$HONE" run review "${agents[@]}" "the sweep" >/dev/null 2>"$here.err2"
        status=$?
    fi
    [ "$status" = 0 ] ||
        echo "without the fault: status $status: $(tail -1 "$here.err2")" >>"$here.bad"
    grep -q '"status": "complete"' .agents/tmp/state.json ||
        echo "state.json is not complete" >>"$here.bad"
    [ -e "$here.bad" ] && echo "    $kind $mode call $n ($(cat "$here.fired")): $(cat "$here.bad")"
    cd "$TMPDIR" && rm -rf "$here"
    return 0
}

# half KIND MODE ERRNO STRIDE N: from the N-th call on, every other of those that the stride hits.
half()
{
    local n=$5
    while one "$1" "$2" "$3" "$n"; do n=$((n + 2 * $4)); done
    echo "$n" >"$TMPDIR/$1-$2.end.$5"
}

total=0
for what in "played fail 28 1" "played fail-on 5 ${HONE_SWEEP_STRIDE:-3}" \
    "spawned fail 24 ${HONE_SWEEP_STRIDE:-2}"; do
    # shellcheck disable=SC2086
    set -- $what
    half "$@" 1 & half "$@" $((1 + $4))
    wait
    points=$(($(sort -n "$TMPDIR/$1-$2".end.* | head -1) - 1))
    bad=$(find "$TMPDIR" -maxdepth 1 -name "$1-$2-*.bad" | wc -l)
    check "$1 agents, $2: the sweep covers the run" test "$points" -gt 100
    check_is "$1 agents, $2: each of $points calls fails well" "$bad" 0
    total=$((total + points))
done
echo "fail sweep: $total points"
exit "$failed"
