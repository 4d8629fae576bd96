#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A change is judged by what it brings: findings on changed lines, or that were not there at the
# base commit. Old ones are counted, not listed.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/look.sh"

# A repository with an old fault in each of its files.
plant()
{
    new_work
    printf 'int old(void);\nint old(void)\n{\n    int before;\n    return 1;\n}\n' >a.c
    cp a.c b.c
    sed -i 's/old(/other(/' b.c
    printf '#!/bin/sh\necho $1\n' >s.sh
    git add . && git commit -q -m first
}

change()
{
    plant
    sed -i '1i /* moved */' a.c
    printf 'int fresh(void);\nint fresh(void)\n{\n    int after;\n    return 2;\n}\n' >>a.c
    printf 'echo end\n' >>s.sh
    hone run review "${agents[@]}" --max-iterations 1
    check_is "what the change brings fails it" "$status" 1
    check_has "old ones are counted, not listed" "$TMPDIR/out" \
        "2 older findings are not shown; --all lists them"
    check_has "only the new one counts" "$TMPDIR/out" "found 1,"
    hone findings
    check_has "it is listed" "$TMPDIR/out" "a.c:11"
    check_not "the old one is not, though its line has moved" grep -q "a.c:5" "$TMPDIR/out"

    git checkout -q . && sed -i '1i /* moved */' a.c
    hone run review "${agents[@]}"
    check_is "a change that brings nothing is clean" "$status" 0
    check_has "and says what it did not list" "$TMPDIR/out" \
        "1 older finding is not shown; --all lists it"
    sed -i 's/int before;/int  before;/' a.c
    hone run review "${agents[@]}" --max-iterations 1
    check_is "a finding on a changed line is the change's" "$status" 1

    git checkout -q .
    hone run review "${agents[@]}" --all --max-iterations 1
    check_has "--all is everything" "$TMPDIR/out" "found 3,"
    check "the work tree is as it was" test -z "$(git status --porcelain | grep -v '^?? .agents')"
}

# What the change does to files that it does not touch.
at_a_distance()
{
    new_work
    printf '#ifndef H\n#define H\n#define TAKES(x) ((void)(x))\n#endif\n' >h.h
    printf '#include "h.h"\nint f(int x);\nint f(int x)\n{\n    int y = x;\n    TAKES(y);\n' >u.c
    printf '    int z;\n    return x;\n}\n' >>u.c
    git add . && git commit -q -m first
    sed -i 's/((void)(x))/((void)0)/' h.h
    since=$(git rev-parse HEAD)
    look analyzer gcc
    finds "a finding in a file that did not change, and that was not there" -Wunused-variable u.c:5
    check_is "and no other" "$(found | grep -c .)" 1
    since=
}

# The base is analyzed once.
cached()
{
    plant
    sed -i '1i /* moved */' a.c
    fake gcc "echo \"\$*\" >>$calls; exec $(command -v gcc) \"\$@\""
    cache=$TMPDIR/cache
    mkdir "$cache"
    since=$(git rev-parse HEAD)
    : >"$calls"
    with_fakes look analyzer gcc
    check_is "the file and its base are looked at" "$(wc -l <"$calls")" 2
    check_is "nothing is new" "$(found)" ""
    sed -i '1i /* again */' a.c
    : >"$calls"
    with_fakes look analyzer gcc
    check_is "then the base is known" "$(wc -l <"$calls")" 1
    check_is "still nothing is new" "$(found)" ""
    check_has "and counted" "$answer" '"older":1'
    check "the folder of the base is gone" test ! -e "$attempt/base"
    cache=
    since=
    rm -rf "$TMPDIR/fake"
}

renamed()
{
    plant
    mkdir src
    git mv a.c src/c.c
    since=$(git rev-parse HEAD)
    look analyzer gcc
    check_is "a file that was renamed brings nothing" "$(found)" ""
    check_has "its old ones are counted" "$answer" '"older":1'
    since=
    printf 'int made(void);\nint made(void) { int x; return MADE; }\n' >d.c
    sed -i '1i #include "made.h"' d.c
    printf '#define MADE 1\n' >made.h
    echo made.h >.gitignore
    git add . && git commit -q -m made
    sed -i '$a int more;' d.c
    since=$(git rev-parse HEAD)
    look analyzer gcc
    check_is "what git ignores is there for the base, too" "$(found)" ""
    check_has "and so the old one is old" "$answer" '"older":1'
    since=
}

change
at_a_distance
cached
renamed
exit "$failed"
