#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over hooks: each hook of a hosted review is killed at each of its writes. A host
# does not call a hook again, so that the next one must make it good: after the end of the turn the
# files are those of a session in which nothing was killed. Ends by itself at the first number that
# is not reached any more.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/host.sh"

# before STEP: the session as it is when the hook of STEP comes; then that hook, as `step STEP`.
before()
{
    local role
    new_repo "$TMPDIR/$1.template"
    [ "$1" = begins ] && return
    event UserPromptSubmit '"prompt":"/hone:review x"'
    for role in $reviewers; do
        event SubagentStart "\"agent_id\":\"$role\",\"agent_type\":\"hone:$role\""
        printf '%s\n' "$found" >".agents/tmp/phases/review-1/r1-$role.json"
        [ "$role" = silent-failure-hunter ] && [ "$1" = reviewed ] && return
        event SubagentStop "\"agent_id\":\"$role\",\"agent_type\":\"hone:$role\""
    done
    [ "$1" = turned ] && return
    event Stop '"background_tasks":[]'
    event SubagentStart '"agent_id":"f","agent_type":"hone:review-fixer"'
    sed -i '/defect/d' notes.txt
    echo '# Fixed' >.agents/tmp/phases/review-1/r2-fix-summary.md
}

step()
{
    case $1 in
    begins) event UserPromptSubmit '"prompt":"/hone:review x"' ;;
    reviewed) event SubagentStop \
        '"agent_id":"silent-failure-hunter","agent_type":"hone:silent-failure-hunter"' ;;
    turned) event Stop '"background_tasks":[]' ;;
    repaired) event SubagentStop '"agent_id":"f","agent_type":"hone:review-fixer"' ;;
    esac
}

# after STEP: what comes next in any case, and what stands there then.
after()
{
    [ "$1" = begins ] && event UserPromptSubmit '"prompt":"/hone:review x"'
    event Stop '"background_tasks":[]'
    contract_files .
    sed -n 's/^\[PHASE \([^]]*\)\].*/\1/p' <<<"$(said reason)"
    said reason | grep subagent_type
}

# one STEP MODE N: false when the hook has no N-th write.
one()
{
    local here="$TMPDIR/$1-$2-$3"
    cp -R "$TMPDIR/$1.template" "$here" && cd "$here" || exit 1
    # The notes know the workspace by its name: each copy stands where the first one stood.
    cd "$TMPDIR" && rm -rf "$TMPDIR/w" && mv "$here" "$TMPDIR/w" && cd "$TMPDIR/w" || exit 1
    rm -f "$here.fired"
    HONE_FAULT_MODE=$2 HONE_FAULT_CALLS=write HONE_FAULT_NTH=$3 HONE_FAULT_FIRED="$here.fired" \
        LD_PRELOAD="$SUPPORT/fault_preload.so" step "$1" 2>/dev/null # where bash tells of the kill
    [ -e "$here.fired" ] || return 1
    after "$1" >"$here.files"
    if ! diff "$TMPDIR/$1.calm" "$here.files" >"$here.diff"; then
        echo "    $1: $2 at write $3 ($(cat "$here.fired")): other files at the end:"
        head -5 "$here.diff"
        : >"$TMPDIR/$1.bad"
    fi
    return 0
}

# Neighbours are much alike; HONE_SWEEP_STRIDE=1 takes them all.
stride=${HONE_SWEEP_STRIDE:-2}
total=0
for moment in begins reviewed turned repaired; do
    (before "$moment")
    # It was made where it is not going to be: the notes must name the place where it will stand.
    sed -i "s|$TMPDIR/$moment.template|$TMPDIR/w|g" \
        "$TMPDIR/$moment.template"/.git/hone/hosted/*.json 2>/dev/null
    rm -rf "$TMPDIR/w" && cp -R "$TMPDIR/$moment.template" "$TMPDIR/w" && cd "$TMPDIR/w" || exit 1
    step "$moment"
    after "$moment" >"$TMPDIR/$moment.calm"
    for mode in kill tear; do
        n=1
        while one "$moment" "$mode" "$n"; do
            n=$((n + stride))
            total=$((total + 1))
        done
    done
    check "$moment: killed at any write, the next hook makes it good" \
        test ! -e "$TMPDIR/$moment.bad"
done
check "there were writes to kill at" test "$total" -gt 40
echo "kill sweep of hooks: $total points"
exit "$failed"
