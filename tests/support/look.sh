# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# look.sh - an analyzer started as hone starts it, and what it answered. Sourced behind story.sh.

attempt=$TMPDIR/attempt
answer=$attempt/answer
err=$TMPDIR/err
calls=$TMPDIR/calls
cache=
since=
exclude=

# look KIND [ARGUMENT]: sets $status; what it said is in $err, its answer in $answer.
look()
{
    rm -rf "$attempt"
    mkdir "$attempt"
    HONE_WORKSPACE=$PWD HONE_OUTPUT=$answer HONE_CACHE=$cache HONE_SINCE=$since \
        HONE_EXCLUDE=$exclude "$HONE" agent "$@" 2>"$err" >"$TMPDIR/out"
    status=$?
    [ -s "$answer" ] || return 0
    "$SUPPORT/is_json" <"$answer" >/dev/null || not_ok "$*: the answer is JSON"
}

# The findings as RULE FILE:LINE, in the order of the answer.
found()
{
    [ -e "$answer" ] || return 0
    sed -e 's/},{"severity"/}\n{"severity"/g' "$answer" |
        sed -n 's/.*"kind":"\([^"]*\)","file":"\([^"]*\)","line":\([0-9]*\).*/\1 \2:\3/p'
}

# finds NAME RULE FILE:LINE
finds()
{
    if found | grep -qxF -- "$2 $3"; then
        ok "$1"
    else
        not_ok "$1: '$2 $3' was not found (status $status):"
        { found; cat "$err"; } | sed 's/^/    /' | head -20
    fi
}

# failed_look NAME TEXT...: no answer, a status, and one line with all of these texts in it.
failed_look()
{
    local name=$1
    shift
    check "$name: it failed" test "$status" = 1
    check "$name: no answer" test ! -e "$answer"
    check_is "$name: one line" "$(wc -l <"$err")" 1
    for text; do check_has "$name: says '$text'" "$err" "$text"; done
}

# not_looked NAME FILE WHY: an answer, which names the file as one that was not looked at.
not_looked()
{
    check_is "$1: it answers" "$status" 0
    sed 's/{"file":/\n&/g' "$answer" | grep -F "{\"file\":\"${2//\\/\\\\}\",\"tool\":" \
        >"$TMPDIR/unlooked"
    check_has "$1: the file is named, with the reason" "$TMPDIR/unlooked" "$3"
}

# A program of ours in front of the PATH: fake NAME SCRIPT.
fake()
{
    mkdir -p "$TMPDIR/fake"
    printf '#!/bin/sh\n%s\n' "$2" >"$TMPDIR/fake/$1"
    chmod +x "$TMPDIR/fake/$1"
}

with_fakes()
{
    PATH=$TMPDIR/fake:$PATH "$@"
}

new_work()
{
    rm -rf "$TMPDIR/work"
    mkdir "$TMPDIR/work"
    cd "$TMPDIR/work" || exit 1
    git init -q .
}

# Two analyzers and the fixer without a model; and hone, with its outputs in files.
agents=(--agent 'critic=analyzer:gcc,shellcheck' --agent '*=analyzer:none'
    --agent review-fixer=fixits)
hone()
{
    "$HONE" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    status=$?
}
