#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a user narrows: files and folders, looking without fixing, what makes the end 1, and what the
# source itself or the repository's baseline says is known.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/look.sh"

agents=(--agent 'critic=analyzer:gcc,shellcheck' --agent '*=analyzer:none'
    --agent review-fixer=fixits)

hone()
{
    "$HONE" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    status=$?
}

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
    check_has "it is noted" "$TMPDIR/out" "noted 3 too small to fail a review"
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

paths
only_look
fail_on
suppressed
exit "$failed"
