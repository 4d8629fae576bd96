#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What an analyzer looks at: once, and again when something changed; by the repository's own
# settings; and what changed since a commit.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/look.sh"

# looked_at NAME FILE...: the program was called for exactly these.
looked_at()
{
    local name=$1
    shift
    check_is "$name" "$(sed 's|.*/||' "$calls" | sort | tr '\n' ' ')" "${*:+$* }"
    : >"$calls"
}

second_looks()
{
    local before
    new_work
    mkdir include
    printf '#define ONE 1\n' >include/one.h
    printf '#include "one.h"\n#define TWO (ONE + ONE)\n' >include/two.h
    printf '#include "two.h"\nint a(void);\nint a(void) { int x; return TWO; }\n' >a.c
    printf '#include "one.h"\nint b(void);\nint b(void) { return ONE; }\n' >b.c
    printf 'int c(void);\nint c(void) { return 3; }\n' >c.c
    printf 'all:\n\tcc -Iinclude -c a.c\n\tcc -Iinclude -c b.c\n\tcc -Iinclude -c c.c\n' >Makefile
    git add . && git commit -q -m first
    cache=$TMPDIR/cache
    mkdir "$cache"
    : >"$calls"
    fake gcc "for file; do :; done; case \$file in *.c) echo \"\$file\" >>$calls ;; esac
        exec $(command -v gcc) \"\$@\""
    with_fakes look analyzer gcc
    looked_at "the first look is at all" a.c b.c c.c
    finds "the first look finds it" -Wunused-variable a.c:3
    before=$(sed 's/"notes".*//' "$answer")
    with_fakes look analyzer gcc
    looked_at "the second at none"
    check_is "and finds the same" "$(sed 's/"notes".*//' "$answer")" "$before"
    check_has "and says so" "$answer" "gcc looked at 0 of 3 files; 3 are as when it last looked"
    echo '/* */' >>c.c
    with_fakes look analyzer gcc
    looked_at "then at what changed" c.c
    check_has "and says that" "$answer" "gcc looked at 1 of 3 files; 2 are as when it last looked"
    echo '/* */' >>include/two.h
    with_fakes look analyzer gcc
    looked_at "at what includes a changed header" a.c
    echo '/* */' >>include/one.h
    with_fakes look analyzer gcc
    looked_at "by way of another one, too" a.c b.c
    git checkout -q include
    with_fakes look analyzer gcc
    looked_at "what is as it once was is known"
    sed -i 's/-c b.c/-DX -c b.c/' Makefile
    with_fakes look analyzer gcc
    looked_at "other flags are another look" b.c
    echo '#' >>"$TMPDIR/fake/gcc"
    with_fakes look analyzer gcc
    looked_at "another compiler, too" a.c b.c c.c
    printf 'x' | dd of="$cache/gcc.cache" bs=1 seek=100 conv=notrunc 2>/dev/null
    with_fakes look analyzer gcc
    looked_at "a damaged cache is none" a.c b.c c.c
    check_is "and no trouble" "$status" 0
    sed -n '1,2p' "$cache/gcc.cache" >"$cache/half" && mv "$cache/half" "$cache/gcc.cache"
    with_fakes look analyzer gcc
    looked_at "nor is half of one" a.c b.c c.c
    rm -rf "$cache"
    with_fakes look analyzer gcc
    looked_at "without a folder all are looked at" a.c b.c c.c
    check_is "and it is no trouble" "$status" 0
    cache=
    : >"$calls"
    with_fakes look analyzer gcc
    looked_at "without a cache all are looked at" a.c b.c c.c

    # A crash is not remembered as clean, and what went well is.
    cache=$TMPDIR/cache2
    mkdir "$cache"
    sed -i '2i case $* in *b.c) kill -SEGV $$ ;; esac' "$TMPDIR/fake/gcc"
    with_fakes look analyzer gcc
    not_looked "one of three crashes" b.c "signal 11"
    : >"$calls"
    with_fakes look analyzer gcc
    looked_at "only that one is tried again"
    not_looked "and it is still not looked at" b.c "signal 11"
    rm -rf "$TMPDIR/fake"
    cache=
}

# A program that is given many files says of a header once what it finds there.
one_header_of_many()
{
    local n
    new_work
    printf 'static inline int h(void) { int *p = 0; return *p; }\n' >h.h
    for n in $(seq 1 40); do
        printf '#include "h.h"\nint f%s(void);\nint f%s(void) { return h(); }\n' "$n" "$n" >"f$n.c"
    done
    git add . && git commit -q -m first
    cache=$TMPDIR/cache4
    mkdir "$cache"
    look analyzer cppcheck
    check_is "a header of many: said once" "$(found)" "nullPointer h.h:1"
    for n in $(seq 1 40); do
        git rm -q --cached . -r && rm f*.c && git checkout -q HEAD "f$n.c" h.h
        look analyzer cppcheck
        [ "$(found)" = "nullPointer h.h:1" ] || break
    done
    check_is "a header of many: kept with each that includes it" "$n:$(found)" \
        "40:nullPointer h.h:1"
    cache=
}

# Another process writes while the program reads: what it found is not kept for what was there
# before.
changed_meanwhile()
{
    new_work
    printf 'int f(void);\nint f(void) { return 1; }\n' >a.c
    git add . && git commit -q -m first
    cache=$TMPDIR/cache5
    mkdir "$cache"
    : >"$calls"
    fake gcc "echo call >>$calls; echo 'int g(void) { int unused; return 1; }' >>a.c
        $(command -v gcc) \"\$@\"; status=\$?; exit \$status"
    with_fakes look analyzer gcc
    finds "changed meanwhile: what is there is found" -Wunused-variable a.c:3
    git checkout -q a.c
    with_fakes look analyzer gcc
    check_is "changed meanwhile: nothing was kept" "$(wc -l <"$calls")" 2
    rm -rf "$TMPDIR/fake"
    cache=
}

# A script depends on every file it sources.
sourced_files()
{
    new_work
    printf '#!/bin/sh\n. ./lib.sh\necho "$name"\n' >main.sh
    printf '#!/bin/sh\nname=x\nexport name\n' >lib.sh
    printf '#!/bin/sh\necho alone\n' >alone.sh
    git add . && git commit -q -m first
    cache=$TMPDIR/cache4
    mkdir "$cache"
    look analyzer shellcheck
    check_is "what is sourced is known" "$(found)" ""
    look analyzer shellcheck
    check_has "scripts that source scripts are kept" "$answer" "shellcheck looked at 0 of 3 files"
    sed -i 's/name/other/' lib.sh
    look analyzer shellcheck
    finds "a sourced script changed" SC2154 main.sh:3
    check_has "and nobody else is looked at" "$answer" "shellcheck looked at 2 of 3 files"
    git mv -f lib.sh settings && printf 'name=x\n' >settings
    sed -i 's/lib.sh/settings/' main.sh
    look analyzer shellcheck
    check_is "a sourced file that is no script" "$(found)" ""
    printf 'other=x\n' >settings
    look analyzer shellcheck
    finds "it changed" SC2154 main.sh:3
    look analyzer shellcheck
    check_has "who sources such a thing is always looked at" "$answer" \
        "shellcheck looked at 1 of 2 files"
    cache=
}

# A file that a unit only asks for changes it by being there.
asked_for()
{
    new_work
    printf 'int f(void);\nint f(void)\n{\n#if __has_include("opt.h")\n    int x;\n#endif\n' >a.c
    printf '    return 0;\n}\n' >>a.c
    printf 'all:\n\tcc -c a.c\n' >Makefile
    git add . && git commit -q -m first
    cache=$TMPDIR/cache5
    mkdir "$cache"
    look analyzer gcc
    check_is "a file that is asked for and not there" "$(found)" ""
    look analyzer gcc
    check_has "the second look is at none" "$answer" "gcc looked at 0 of 1 files"
    : >opt.h
    look analyzer gcc
    finds "now it is there" -Wunused-variable a.c:5
    cache=
}

settings_of_the_repository()
{
    new_work
    printf 'int f(int n);\nint f(int n) { if (n == 1) return 1; else return 1; }\n' >a.c
    printf '#!/bin/sh\necho $1\n' >s.sh
    git add . && git commit -q -m first
    cache=$TMPDIR/cache3
    mkdir "$cache"
    look analyzer clang-tidy,shellcheck
    finds "shellcheck's own choice" SC2086 s.sh:2
    check_is "ours of clang-tidy's checks" "$(found | grep -c a.c)" 0
    printf 'Checks: "-*,bugprone-branch-clone"\n' >.clang-tidy
    printf 'disable=SC2086\n' >.shellcheckrc
    look analyzer clang-tidy,shellcheck
    finds "the repository's .clang-tidy counts" bugprone-branch-clone a.c:2
    check_is "the repository's .shellcheckrc counts" "$(found | grep -c s.sh)" 0
    look analyzer clang-tidy,shellcheck
    check_has "and nothing changed since" "$answer" "clang-tidy looked at 0 of 1 files"
    cache=
    mkdir up && git init -q up && mv a.c up/
    cd up && rm -f ../.shellcheckrc || exit 1
    look analyzer clang-tidy
    check_is "settings above the workspace do not count" "$(found)" ""
}

# ---- the scope ----

what_changed_since()
{
    new_work
    printf 'static inline int h(void) { int unused; return 1; }\n' >h.h
    printf '#include "h.h"\nint a(void);\nint a(void) { int old; return h(); }\n' >a.c
    printf '#include "h.h"\nint b(void);\nint b(void) { int old; return h(); }\n' >b.c
    git add . && git commit -q -m first
    since=$(git rev-parse HEAD)
    look analyzer gcc
    check_is "nothing changed" "$status:$(found)" "0:"
    check_has "nothing changed: says so" "$answer" "gcc had nothing to look at"
    printf '#include "h.h"\nint a(void);\nint a(void) { int fresh; return h(); }\n' >a.c
    look analyzer gcc
    check_is "what changed, and no more" "$(found)" "-Wunused-variable a.c:3"
    check_has "what is left out is counted" "$answer" '"older":1'
    since=
    look analyzer gcc
    check_is "a header's finding is there once" "$(found | grep -c 'h.h:1')" 1
    check_is "everything" "$(found | grep -c .)" 3
    printf 'int lonely;\n' >lonely.h
    look analyzer gcc
    check_has "a header that nobody includes" "$answer" "no file includes lonely.h"
    since=no-such-commit
    look analyzer gcc
    failed_look "no such commit" no-such-commit
    since=
}

second_looks
one_header_of_many
changed_meanwhile
sourced_files
asked_for
settings_of_the_repository
what_changed_since
exit "$failed"
