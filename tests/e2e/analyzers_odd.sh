#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Odd and hostile repositories before analyzers, and reports of tools that hone does not know.
#
# row: reviewer.shell | text reaches a shell or a path | agents' words are never put into a command; paths are taken part by part | - | `analyzers_odd.sh: odd names: nothing ran`
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/look.sh"

# ---- hostile repositories ----

odd_files()
{
    new_work
    local odd=$'new\nline \033[31m$(touch hacked) \'*.c'
    printf 'int f(void);\nint f(void) { int unused; return 1; }\n' >"$odd"
    cp "$odd" -- -dash.c
    cp "$odd" @at.c
    cp "$odd" $'bad\xff.c'
    printf '#!/bin/sh\necho $1\n' >$'new\nline \033[31m.sh'
    printf 'int hidden(void) { int unused; return 1; }\n' >"$TMPDIR/elsewhere.c"
    ln -s "$TMPDIR/elsewhere.c" link.c
    git add -A && git commit -q -m first
    for name in gcc clang-tidy cppcheck; do
        look analyzer "$name"
        check_is "odd names: $name" "$status" 0
    done
    look analyzer gcc,shellcheck
    check_is "odd names: all were looked at" "$(grep -o '"kind":"-Wunused' "$answer" | wc -l)" 4
    check_has "odd names: as they are" "$answer" '"file":"new\nline \u001B[31m$(touch hacked) '
    check_is "odd names: the script" "$(grep -o '"kind":"SC2086' "$answer" | wc -l)" 1
    check "odd names: nothing ran" test ! -e hacked
    check "a link is no file of ours" test -z "$(grep -o elsewhere "$answer")"
    # A program that takes a name for another one would not look at the file, and not say so.
    mkdir back
    cp -- -dash.c back/slash.c
    cp -- -dash.c 'back\slash.c'
    for name in clang-tidy cppcheck; do
        look analyzer "$name"
        not_looked "a name that $name would change" 'back\slash.c' "cannot take a name"
    done
    look analyzer gcc
    finds "gcc takes it" -Wunused-variable 'back\\slash.c:2'
    fake gcc 'exit 9'
    with_fakes look analyzer gcc
    check_is "odd names: a harmless line" "$(tr -d '[:print:]\n' <"$err" | wc -c)" 0
    rm -rf "$TMPDIR/fake"

    new_work
    printf 'int x;\n' >good.c
    printf 'int \0 y;\n' >binary.c
    git add . && git commit -q -m first
    look analyzer gcc
    not_looked "a binary .c" binary.c "it is no text"
    rm binary.c
    { head -c 17000000 /dev/zero | tr '\0' ' '; echo 'int z;'; } >huge.c
    look analyzer gcc
    not_looked "a huge .c" huge.c "it is larger than 16 MB"
    exclude=huge.c
    look analyzer gcc
    check_is "left out, it does no harm" "$status" 0
    exclude=
    printf '#!/bin/sh\necho \0\n' >binary.sh
    look analyzer shellcheck
    not_looked "a binary script" binary.sh "it is no text"
}

# ---- any other tool ----

# sarif URI LINE: a report about it.
sarif()
{
    cat <<END
{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[{"ruleId":"R1","level":
"warning","message":{"text":"wrong"},"locations":[{"physicalLocation":{"artifactLocation":
{"uri":"$1"},"region":{"startLine":$2,"startColumn":1}}}]}]}]}
END
}

other_tools()
{
    local past
    new_work
    mkdir src
    printf 'int x;\nint y;\n' >src/a.c
    ln -s src/a.c link.c
    ln -s /etc etc
    git add . && git commit -q -m first
    sarif src/a.c 2 >"$TMPDIR/good.sarif"
    look sarif "cat $TMPDIR/good.sarif"
    finds "SARIF" R1 src/a.c:2
    look analyzer "sarif:cat $TMPDIR/good.sarif; exit 1"
    finds "SARIF, and a status that says there is something" R1 src/a.c:2
    look sarif "cat $TMPDIR/good.sarif; exit 127"
    failed_look "SARIF of a command that is not there" "there is no such command"
    look sarif "cat $TMPDIR/good.sarif; kill -TERM \$\$"
    failed_look "SARIF of a killed command" "signal 15"
    look sarif "head -c 100 $TMPDIR/good.sarif; echo out of memory >&2"
    failed_look "half of a SARIF" "cannot be read" "it said: out of memory"
    look sarif true
    failed_look "no SARIF at all" "sarif:true" "cannot be read"
    look sarif ./no-such-tool
    failed_look "no such tool" "no such command"
    for path in ../out.c /etc/passwd etc/passwd link.c .git/config src/../../out.c; do
        sarif "$path" 1 >"$TMPDIR/bad.sarif"
        look sarif "cat $TMPDIR/bad.sarif"
        failed_look "SARIF about $path" "outside the workspace" "${path##*/}"
    done
    printf '%s' '{"message":"wrong","location":{"path":"src/a.c","range":{"start":{"line":1,' \
        '"column":5}}},"code":{"value":"R2"},"severity":"ERROR"}' >"$TMPDIR/rd.json"
    look rdjson "cat $TMPDIR/rd.json"
    finds "rdjson" R2 src/a.c:1
    past='{"message":"wrong","location":{"path":"src/a.c","range":{"start":{"line":1}}},'
    past+='"suggestions":[{"range":{"start":{"line":9,"column":1},"end":{"line":9,"column":3}},'
    past+='"text":"x"}]}'
    printf '%s' "$past" >"$TMPDIR/rd.json"
    look rdjson "cat $TMPDIR/rd.json"
    check_is "an edit past the end: the finding stays" "$status:$(grep -o wrong "$answer")" 0:wrong
    check_has "and the note" "$answer" "1 fix is left out: for a place that the file does not have"
    exclude=src/
    look rdjson "cat $TMPDIR/rd.json"
    check_is "excluded files are left out" "$status:$(grep -c wrong "$answer")" 0:0
    exclude=
    since=$(git rev-parse HEAD)
    look rdjson "cat $TMPDIR/rd.json"
    check_has "as are files that did not change" "$answer" "1 finding in files that did not change"
    since=
    check "nothing was written to the workspace" test -z "$(git status --porcelain)"
}
# A finding stays, however long its fixes are: a list that got too long is never an empty one.
long_fixes()
{
    local i
    new_work
    printf 'int x;\n' >a.c
    git add . && git commit -q -m first
    head -c 900000 /dev/zero | tr '\0' x >"$TMPDIR/long"
    {
        printf '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[{'
        printf '"ruleId":"R1","level":"error","message":{"text":"bad"},"locations":[{'
        printf '"physicalLocation":{"artifactLocation":{"uri":"a.c"},'
        printf '"region":{"startLine":1}}}],"fixes":['
        for i in $(seq 20); do
            [ "$i" = 1 ] || printf ','
            printf '{"artifactChanges":[{"artifactLocation":{"uri":"a.c"},"replacements":[{'
            printf '"deletedRegion":{"startLine":1,"startColumn":1,"endColumn":2},'
            printf '"insertedContent":{"text":"%s"}}]}]}' "$(cat "$TMPDIR/long")"
        done
        printf ']}]}]}\n'
    } >"$TMPDIR/long.sarif"
    look sarif "cat $TMPDIR/long.sarif"
    check_is "fixes that are too long: it answers" "$status" 0
    finds "fixes that are too long: the finding is there" R1 a.c:1
    check_has "fixes that are too long: it says so" "$answer" "1 fix is left out: too long"
}

odd_files
other_tools
long_fixes
exit "$failed"
