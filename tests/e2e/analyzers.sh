#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compilers and linters as reviewers, each started as hone starts it: what they find, and what is
# said when they cannot look.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/look.sh"

# A defect for each of them.
plant()
{
    new_work
    cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *text = malloc(10);

    printf("%d\n", text);
    free(text);
    free(text);
    return 0;
}
END
    cat >b.c <<'END'
int twice(int number);
int twice(int number) { return 2 * number; }
END
    cat >s.sh <<'END'
#!/bin/sh
name=$1
rm -rf $name/tmp
END
    git add . && git commit -q -m first
}

# ---- each finds its own ----

each_finds_its_own()
{
    plant
    look analyzer gcc
    check_is "gcc: answered" "$status" 0
    finds "gcc: the wrong format" -Wformat= a.c:8
    finds "gcc: freed twice" -Wanalyzer-double-free a.c:10
    check_has "gcc: with a fix" "$answer" '\"text\":\"%s\"'
    check_has "gcc: its evidence" "$answer" '"evidence":"free(text);"'
    check_has "gcc: says what it did" "$answer" '"gcc looked at 2 files"'
    look analyzer clang-tidy
    finds "clang-tidy: freed twice" clang-analyzer-unix.Malloc a.c:10
    check "clang-tidy: no report is left" test "$(ls "$attempt")" = answer
    look analyzer cppcheck
    finds "cppcheck: freed twice" doubleFree a.c:10
    look analyzer shellcheck
    finds "shellcheck: no quotes" SC2086 s.sh:3
    check_has "shellcheck: with a fix" "$answer" '"fix":"[{'
    look analyzer gcc,shellcheck
    finds "a list: gcc" -Wformat= a.c:8
    finds "a list: shellcheck" SC2086 s.sh:3
    check_is "a list: in the order of files" \
        "$(found | sed 's/.* //' | sort -c -t : -k 1,1 -k 2,2n 2>&1)" ""
    look analyzer none
    check_is "none: nothing" "$(found)" ""
    check_has "none: says so" "$answer" "no analyzer of this repository's languages is left"
    check "nothing was written to the workspace" test -z "$(git status --porcelain)"

    printf 'int f(void)\n{\n    int *p = nullptr;\n    int unused;\n    return *p;\n}\n' >y.cc
    if command -v g++ >/dev/null; then
        look analyzer gcc
        finds "gcc: C++" -Wunused-variable y.cc:4
        finds "gcc: and C beside it" -Wformat= a.c:8
    fi
    look analyzer clang-tidy
    finds "clang-tidy: C++" clang-analyzer-core.NullDereference y.cc:5
    look analyzer cppcheck
    finds "cppcheck: C++" nullPointer y.cc:5
    rm y.cc

    exclude=$'a.c\n*.sh'
    look analyzer gcc,shellcheck
    check_is "excluded files are not looked at" "$status:$(found)" "0:"
    exclude=
    look analyzer gcc,gdb
    failed_look "an unknown name" "unknown analyzer 'gdb'"
}

code_that_does_not_compile()
{
    new_work
    printf '#include "missing.h"\nint x;\n' >m.c
    printf 'int f(void) { return 1 }\n' >e.c
    git add . && git commit -q -m first
    look analyzer gcc
    check_is "an error is a finding" "$status" 0
    not_looked "a missing header is none" m.c "it needs missing.h, which is not there"
    check_has "and severe" "$answer" '"severity":"high","file":"e.c","line":1'
    look analyzer clang-tidy
    finds "clang-tidy finds it, too" clang-diagnostic-error e.c:1
    mkdir "$TMPDIR/outside"
    printf '#error no such system\n' >"$TMPDIR/outside/sys.h"
    printf '#include <sys.h>\nint x;\n' >m.c
    printf 'all:\n\tcc -I%s -c m.c\n' "$TMPDIR/outside" >Makefile
    look analyzer gcc
    check_has "an error outside is the unit's" "$answer" '"file":"m.c","text":"in '
    check_has "and says where" "$answer" "outside/sys.h, line 1: "
    printf '#warning careful\n' >"$TMPDIR/outside/sys.h"
    exclude=e.c
    look analyzer gcc
    exclude=
    check_is "a warning outside is nobody's" "$status:$(found)" "0:"
}

# ---- tools that cannot look ----

broken_tools()
{
    local name
    plant
    fake gcc 'kill -SEGV $$'
    with_fakes look analyzer gcc
    failed_look "gcc crashes" "gcc could not look at a.c (and 1 more)" "signal 11" --exclude
    fake gcc 'echo "no such thing as json" >&2'
    with_fakes look analyzer gcc
    failed_look "gcc says garbage" "gcc could not look at a.c" "report cannot be read"
    fake gcc 'echo "gcc: fatal error: out of cheese" >&2; exit 2'
    with_fakes look analyzer gcc
    failed_look "gcc ends with 2" "status 2: gcc: fatal error: out of cheese"
    fake gcc 'exit 0'
    with_fakes look analyzer gcc
    failed_look "gcc says nothing" "gcc could not look at a.c"
    fake gcc 'echo "[]" >&2; exit 1'
    with_fakes look analyzer gcc
    failed_look "gcc fails without an error" "gcc could not look at a.c" "status 1"
    fake gcc 'printf "[{\"kind\": \"warning\", \"mess" >&2'
    with_fakes look analyzer gcc
    failed_look "a report that is cut off" "report cannot be read"
    fake gcc 'printf "\033]0;title\007\033[2Jterminal" >&2; exit 3'
    with_fakes look analyzer gcc
    failed_look "words that move the cursor" '\x1b]0;title\x07\x1b[2Jterminal'
    fake clang-tidy 'exit 1'
    with_fakes look analyzer clang-tidy
    failed_look "clang-tidy fails without a report" "clang-tidy could not look at a.c"
    fake clang-tidy 'for word; do case $word in --export-fixes=*) echo "---" >"${word#*=}" ;;
        esac; done; kill -ABRT $$'
    with_fakes look analyzer clang-tidy
    failed_look "clang-tidy crashes behind its report" "signal 6"
    fake shellcheck 'echo "{\"comments\":[]}"; echo "s.sh: s.sh: openBinaryFile: no" >&2; exit 2'
    with_fakes look analyzer shellcheck
    failed_look "shellcheck cannot read a file" "shellcheck could not look at s.sh" openBinaryFile
    fake shellcheck 'echo "{\"comments\":[]}"; exit 1'
    with_fakes look analyzer shellcheck
    failed_look "shellcheck contradicts itself" "shellcheck could not look at s.sh"

    # In a call with many files, the one to blame is named.
    for name in 1 2 3 4 5 6 7 8 9; do echo "int x$name;" >"many$name.c"; done
    fake cppcheck "case \"\$*\" in *many5.c*) kill -SEGV \$\$ ;; esac
        exec $(command -v cppcheck) \"\$@\""
    with_fakes look analyzer cppcheck
    not_looked "cppcheck crashes at one" many5.c "signal 11"

    # Every program but these.
    mkdir "$TMPDIR/bin"
    ln -sf /bin/* /usr/bin/* "$TMPDIR/bin/"
    rm -f "$TMPDIR/bin/"{gcc,g++,cppcheck}
    PATH=$TMPDIR/bin look analyzer gcc
    failed_look "gcc is missing" "gcc is not installed" "apt install gcc" "hone doctor"
    PATH=$TMPDIR/bin look analyzer cppcheck
    failed_look "cppcheck is missing" "cppcheck is not installed" "apt install cppcheck"
    ln -s "$(command -v gcc)" "$TMPDIR/bin/gcc"
    echo 'int y;' >y.cc
    PATH=$TMPDIR/bin look analyzer gcc
    failed_look "g++ is missing" "g++ is not installed and cannot look at y.cc" "apt install g++"
    rm -rf "$TMPDIR/fake"
}


bad_calls()
{
    new_work
    "$HONE" agent analyzer gcc 2>"$err"
    check_is "without its environment" "$?" 1
    check_has "says what is missing" "$err" HONE_OUTPUT
    "$HONE" agent nonsense 2>"$err"
    check_is "an unknown kind" "$?" 2
    "$HONE" agent analyzer 2>"$err"
    check_is "no name" "$?" 2
    "$HONE" help >"$TMPDIR/out"
    check_is "nobody lists it" "$(grep -c 'hone agent' "$TMPDIR/out")" 0
}

each_finds_its_own
code_that_does_not_compile
broken_tools
bad_calls
exit "$failed"
