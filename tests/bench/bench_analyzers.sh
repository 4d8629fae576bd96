#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the loop adds to the analyzers it runs: a tree of BENCH_FILES C files (1000) looked at by
# gcc, clang-tidy and cppcheck, once by hand and once by hone, with as many processes at once. Then
# one unit and one header are changed, and a second look is taken. Then that is committed, one unit
# is changed, and the change alone is judged: against the three tools on that one unit.
set -eu

files=${BENCH_FILES:-1000}
hone=${HONE:?}
work=$(mktemp -d "${TMPDIR:-/tmp}/hone-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
jobs=$(nproc)
mkdir "$work/tree"
cd "$work/tree"

mkdir include src
for n in $(seq 0 49); do
    cat >"include/h$n.h" <<END
#ifndef H$n
#define H$n
#include <stddef.h>
int value$n(const int *list, size_t count);
#endif
END
done
for n in $(seq 1 "$files"); do
    cat >"src/f$n.c" <<END
#include "h$((n % 50)).h"
#include "h$((n * 7 % 50)).h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int work$n(const char *text, size_t count);

int work$n(const char *text, size_t count)
{
    int *list = calloc(count, sizeof *list);
    int sum = 0;

    if (!list) return -1;
    for (size_t i = 0; i < count && text[i]; i++) {
        list[i] = text[i] * $n;
    }
    for (size_t i = 0; i < count; i++) {
        sum += list[i];
    }
    printf("%s %d\n", text, sum);
    free(list);
    return sum;
}
END
done
printf 'all: %s\nsrc/%%.o: src/%%.c\n\tgcc -std=c11 -Iinclude -c -o $@ $<\n' \
    "$(seq -f 'src/f%.0f.o' -s ' ' 1 "$files")" >Makefile
git init -q . && git add . && git -c user.name=b -c user.email=b@localhost commit -q -m tree

now() { date +%s%N; }

# by_hand FILE...: the same commands, with the checks that hone has as its default.
checks=$(sed -n '/^static const char tidy_checks/,/;/s/^ *"\(.*\)"[;]*$/\1/p' \
    "${TOP:?}/src/analyze/clang_tidy.c" | tr -d '\n')
by_hand()
{
    started=$(now)
    printf '%s\0' "$@" | xargs -0 -P "$jobs" -n 1 gcc -Wall -Wextra -std=c11 -Iinclude \
        -fanalyzer -fanalyzer-verbosity=0 --param=analyzer-bb-explosion-factor=2 \
        -fdiagnostics-format=json -O0 -S -o /dev/null 2>"$work/gcc"
    printf '%s\0' "$@" | xargs -0 -P "$jobs" -I@ clang-tidy --quiet --config={} \
        "$checks" @ -- -std=c11 -Iinclude >"$work/tidy" 2>&1
    cppcheck -j "$jobs" --quiet --xml --enable=warning,performance,portability --inline-suppr \
        --library=posix --std=c11 -D__linux__=1 -Iinclude "$@" 2>"$work/cppcheck"
    took=$((($(now) - started) / 1000))
}
by_hand src/*.c
hand=$took

# look [OPTION]...
look()
{
    started=$(now)
    "$hone" run review "$@" --quiet --agent critic=analyzer:gcc \
        --agent pedant=analyzer:clang-tidy --agent witness=analyzer:cppcheck \
        --agent '*=analyzer:none' --agent review-fixer=fixits \
        >"$work/out"
    took=$((($(now) - started) / 1000))
}
look --all
first=$took
printf '\n' >>src/f1.c
printf '\n' >>include/h3.h
look --all
second=$took
git -c user.name=b -c user.email=b@localhost commit -q -a -m two
printf '\nint twice(int n);\nint twice(int n)\n{\n    return 2 * n;\n}\n' >>src/f2.c
by_hand src/f2.c
hand_one=$took
look
one=$took

say()
{
    awk -v name="$1" -v got="$2" -v under="$3" -v wanted="$4" 'BEGIN {
        ratio = got / under
        printf "%-63s %.2f times  (wanted: at most %s)%s\n", name, ratio, wanted,
            (ratio > wanted + 0) ? "  <-- over" : "" }'
}
printf '%s files by hand %d ms, by the loop %d ms, again after two changes %d ms\n' "$files" \
    $((hand / 1000)) $((first / 1000)) $((second / 1000))
grep -h 'looked at' .agents/tmp/phases/review-1/r1-*.json | sed 's/^ *"//; s/",*$//' || true
say "the loop / its analyzers by hand" "$first" "$hand" 1.1
say "a second look after two changes / the first" "$second" "$first" 0.2
awk -v over=$(((one - hand_one) / 1000)) 'BEGIN {
    printf "%-63s %d ms     (wanted: at most 300)%s\n",
        "one changed file of many, over its analyzers by hand", over,
        (over > 300) ? "  <-- over" : "" }'
