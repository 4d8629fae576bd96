# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# verb.sh - for stories of verbs that answer at once: the program, and how a refusal looks. Sourced
# after story.sh.

out=$TMPDIR/out
err=$TMPDIR/err

# hone ARGUMENTS...: the program, with its two outputs in files; its exit status in $status.
hone()
{
    "$HONE" "$@" >"$out" 2>"$err"
    status=$?
    sed -i '/config.json: rights.tmp true$/d' "$err" # of the home that tests/run makes
}

# refused NAME TEXT ARGUMENTS...: exit 2, nothing on stdout, one line on stderr that has TEXT.
refused()
{
    local name=$1 text=$2
    shift 2
    hone "$@"
    check_is "$name: exit" "$status" 2
    check "$name: nothing on stdout" test ! -s "$out"
    check_is "$name: one line" "$(wc -l <"$err")" 1
    check_has "$name: words" "$err" "$text"
}
