#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The contracts of docs/dialects.md: the scripts that stand there play every role of their dialect, as
# they stand, from a finding to a clean end.
. "${TOP:?}/tests/support/story.sh"

page=$TOP/docs/dialects.md

# script NAME: the fenced block behind <!-- test: plays-NAME -->.
script()
{
    awk -v mark="<!-- test: plays-$1 -->" '
        $0 == mark { found = 1; next }
        found && /^```/ { if (inside) exit; inside = 1; next }
        inside { print }' "$page"
}

# plays NAME: the command of the script's second line, in a repository of its own.
plays()
{
    local name=$1 command
    cd "$TMPDIR" && mkdir "$name" && cd "$name" || exit 1
    git init -q -b main .
    git config user.name me && git config user.email me@localhost
    printf 'hello\n' >notes.txt
    printf -- '- [ ] one: do it\n- [ ] two: do more\n' >tasks.md
    script "$name" >agent && chmod +x agent
    git add . && git commit -q -m first
    [ "$name" != review ] || echo defect >>notes.txt
    command=$(sed -n '2s/^# hone //p' agent | sed "s|cmd:./agent|cmd:$PWD/agent|")
    check "$name: the script names its command" test -n "$command"
    eval "timeout -k 5 120 \"\$HONE\" $command" >"$TMPDIR/out" 2>"$TMPDIR/err"
    check_is "$name: exit" "$?" 0
    check_has "$name: clean" "$TMPDIR/out" "clean"
    check "$name: something was found on the way" grep -qE 'found [1-9]' "$TMPDIR/out"
    [ "$failed" = 0 ] || sed 's/^/    /' "$TMPDIR/out" "$TMPDIR/err" | tail -20
}

for dialect in review iterate cycles session loops; do plays $dialect; done

# Every role that hone knows is in the tables.
for role in $("$HONE" run --help | sed -n '/^Roles:/,/^$/p' | sed 1d | tr -d ',' |
    sed 's/^  [a-z]*  */ /'); do
    check "the page says what $role answers" grep -qE "^\\|.*\`$role\`.*\\|" "$page"
done
exit "$failed"
