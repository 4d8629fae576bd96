#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a user narrows: files and folders, looking without fixing, what makes the end 1, and what the
# source itself or the repository's baseline says is known.
#
# row: earned.baseline | a baseline in the repository hides findings; a fixer writes one | it hides what it lists, by text and quoted line, and the end counts what it hid; agents cannot change it | a baseline that a change brings along: it is part of the change that people review | `narrow.sh: its use is said with the count`, `narrow.sh: an agent cannot write it`
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/look.sh"

# A fault in each of three files, one of them with a fix.
plant()
{
    new_work
    mkdir src
    printf 'int a(void);\nint a(void) { int x; return 1; }\n' >a.c
    printf 'int b(void);\nint b(void) { int y; return 1; }\n' >src/b.c
    printf '#!/bin/sh\necho $1\n' >src/s.sh
    git add . && git commit -q -m first
}

paths()
{
    plant
    hone run review src "${agents[@]}" --no-fix
    check_is "hone run review FOLDER" "$status" 1
    check_has "two of three are there" "$TMPDIR/out" "found 2,"
    hone run review a.c src/s.sh "${agents[@]}" --no-fix
    check_has "files, too" "$TMPDIR/out" "found 2,"
    hone findings
    check_has "the first" "$TMPDIR/out" "a.c:2"
    check_has "and the second" "$TMPDIR/out" "src/s.sh:2"
    (cd src && "$HONE" run review b.c "${agents[@]}" --no-fix) >"$TMPDIR/out" 2>"$TMPDIR/err"
    check_has "by where the user stands" "$TMPDIR/out" "found 1,"
    printf '/* more */\n' >>a.c
    hone run review . "${agents[@]}" --no-fix
    check_has "named files are looked at whole" "$TMPDIR/out" "found 3,"
    hone run review a.c --since HEAD "${agents[@]}" --no-fix
    check_is "with --since, their change" "$status" 0
    hone run review nowhere.c "${agents[@]}" --no-fix
    check_has "a word that names nothing is the task" "$TMPDIR/err" "review: nowhere.c"
    hone run review "${agents[@]}" --no-fix -- a.c
    check_has "behind -- it is always the task" "$TMPDIR/err" "review: a.c"
    hone run review a.c nowhere.c "${agents[@]}"
    check_is "a file that is not there, among others, is refused" "$status" 2
    check_has "by name" "$TMPDIR/err" "there is no file or folder 'nowhere.c'"
    hone run review /etc "${agents[@]}"
    check_is "and what is elsewhere" "$status" 2
}

only_look()
{
    plant
    hone run review --all --no-fix "${agents[@]}"
    check_is "--no-fix: findings remain" "$status" 1
    check_has "and it says why" "$TMPDIR/out" "findings remain: nothing was fixed, as you asked"
    check "nothing was touched" git diff --quiet
    hone run iterate --no-fix "do it"
    check_is "where there is work to do it is refused" "$status" 2
}

fail_on()
{
    plant
    hone run review --all --no-fix --fail-on high "${agents[@]}"
    check_is "--fail-on high: what is below does not make it 1" "$status" 0
    check_has "it is noted" "$TMPDIR/out" "3 too small to fail a review"
    hone findings --json
    check_has "and listed as such" "$TMPDIR/out" '"state": "noted"'
    hone run review --all --no-fix --fail-on medium "${agents[@]}"
    check_is "--fail-on medium" "$status" 1
    hone run review --all --fail-on grave "${agents[@]}"
    check_is "no such severity" "$status" 2
    check_has "the words are named" "$TMPDIR/err" "there are low, medium and high"
}

# What the source says to the tools.
suppressed()
{
    new_work
    printf 'int *p(void);\nint *p(void)\n{\n    int *q = 0;\n' >a.c
    printf '    *q = 1; /* NOLINT */\n    return q;\n}\n' >>a.c
    printf 'int *r(void);\nint *r(void)\n{\n    int *q = 0;\n' >b.c
    printf '    *q = 1; // cppcheck-suppress nullPointer\n    return q;\n}\n' >>b.c
    printf '#!/bin/sh\n# shellcheck disable=SC2086\necho $1\n' >s.sh
    git add . && git commit -q -m first
    exclude=b.c
    look analyzer clang-tidy
    check_is "NOLINT is honoured" "$(found)" ""
    exclude=a.c
    look analyzer cppcheck
    check_is "cppcheck-suppress is honoured" "$(found)" ""
    exclude=
    look analyzer shellcheck
    check_is "shellcheck disable is honoured" "$(found)" ""
}

# A file to commit, by which findings that are known are counted and not listed.
baseline()
{
    plant
    printf 'int a2(void);\nint a2(void) { int x; return 1; }\n' >>a.c
    git add . && git commit -q -m second
    hone run review --all --no-fix "${agents[@]}"
    hone baseline
    check_is "hone baseline" "$status" 0
    check_has "says what it lists" "$TMPDIR/out" \
        ".hone/baseline.json lists 4 findings, 4 of this run"
    git add . && git commit -q -m baseline
    hone run review --all --no-fix "${agents[@]}"
    check_is "what it lists is not reported" "$status" 0
    check_has "its use is said with the count" "$TMPDIR/out" \
        "4 findings that .hone/baseline.json lists are not shown"
    sed -i '1i /* moved */' a.c
    printf 'int c(void);\nint c(void) { int z; return 1; }\n' >>a.c
    hone run review --all --no-fix "${agents[@]}"
    check_is "what it does not list is reported" "$status" 1
    check_has "and lines may move" "$TMPDIR/out" "found 1,"
    hone baseline
    check_has "what was listed stays" "$TMPDIR/out" "lists 5 findings, 1 of this run"
    sed -i '$a int a2b(void);\nint a2b(void) { int z; return 1; }' a.c
    hone run review --all --no-fix "${agents[@]}"
    check_has "one more of the same is not known" "$TMPDIR/out" "found 1,"
    echo '{' >.hone/baseline.json
    hone run review --all --no-fix "${agents[@]}"
    check_has "one that cannot be read hides nothing" "$TMPDIR/out" "found 6,"
    check_has "and that is said" "$TMPDIR/out" ".hone/baseline.json cannot be read"
    hone baseline
    check_is "nor is it written over" "$status" 3
    rm .hone/baseline.json
    hone run review --all "${agents[@]}" --no-sandbox --max-iterations 2 \
        --agent 'review-fixer=cmd:mkdir -p .hone; echo "{}" >.hone/baseline.json; echo "# Fixed"'
    check_has "an agent cannot write it" "$TMPDIR/err" ".hone/baseline.json"
    check "it is taken away" test ! -e .hone/baseline.json
}

paths
baseline
only_look
fail_on
suppressed
exit "$failed"
