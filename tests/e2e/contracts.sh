#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The contracts of docs/dialects.md: the scripts that stand there play every role of their dialect,
# as they stand, from a finding to a clean end.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/documents.sh"

page=$TOP/docs/dialects.md

# measured NAME: what its record would have come to under another policy, and its reviewers.
measured()
{
    local name=$1 until
    for until in settled lean thorough clean seed; do
        "$HONE" replay --until $until >"$TMPDIR/other" 2>&1
        check_is "$name: its record is played until $until" "$?" 0
        check_has "$name: which says where" "$TMPDIR/other" "until $until: "
    done
    check_has "$name: until what it went on it ends as it did" "$TMPDIR/other" "until seed: clean; "
    "$HONE" reviewers >"$TMPDIR/other" 2>&1
    check_has "$name: its reviewers are measured" "$TMPDIR/other" "Of 1 run."
}

# plays NAME [POLICY]: the command of the script's second line, in a repository of its own; its
# gates go on until the policy.
plays()
{
    local name=$1 policy=${2:-} ends=clean command
    cd "$TMPDIR" && mkdir "$name$policy" && cd "$name$policy" || exit 1
    git init -q -b main .
    git config user.name me && git config user.email me@localhost
    printf 'hello\n' >notes.txt
    printf -- '- [ ] one: do it\n- [ ] two: do more\n' >tasks.md
    marked "$page" "plays-$name" >agent && chmod +x agent
    git add . && git commit -q -m first
    [ "$name" != review ] || echo defect >>notes.txt
    command=$(sed -n '2s/^# hone //p' agent | sed "s|cmd:./agent|cmd:$PWD/agent|")
    check "$name: the script names its command" test -n "$command"
    [ -z "$policy" ] || command+=" --until $policy" ends='converged\|settled'
    eval "timeout -k 5 120 \"\$HONE\" $command" >"$TMPDIR/out" 2>"$TMPDIR/err"
    check_is "$name $policy: exit" "$?" 0
    check "$name $policy: how it ends" grep -q "$ends" "$TMPDIR/out"
    check "$name $policy: something was found on the way" grep -qE 'found [1-9]' "$TMPDIR/out"
    [ -n "$policy" ] || measured "$name"
    [ "$failed" = 0 ] || sed 's/^/    /' "$TMPDIR/out" "$TMPDIR/err" | tail -20
}

for dialect in review iterate cycles session loops; do
    plays $dialect
    plays $dialect settled
done

# What a dialect with work of its own has found is repaired by review: work is not done again.
cd "$TMPDIR/iterate" || exit 1
id=$("$HONE" findings --json | sed -n 's/.*"id": "\(.*\)",/\1/p' | head -1)
"$HONE" fix "$id" --isolate --agent "*=cmd:printf %s '$clean'" \
    --agent 'review-fixer=cmd:echo mended >>notes.txt; echo "# Fixed: notes.txt"' \
    >"$TMPDIR/out" 2>"$TMPDIR/err"
check_is "hone fix of a run of iterate" "$?" 0
check_has "is a review" "$TMPDIR/err" "begins: review: say bye"
check_has "by its rules" "$TMPDIR/err" "1 finding to repair, as you chose"
check_has "which repairs here, in isolation, too" notes.txt mended

# Every role that hone knows is in the tables.
for role in $("$HONE" run --help | sed -n '/^Roles:/,/^$/p' | sed 1d | tr -d ',' |
    sed 's/^  [a-z]*  */ /'); do
    check "the page says what $role answers" grep -qE "^\\|.*\`$role\`.*\\|" "$page"
done
exit "$failed"
