#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A file that cannot be looked at is one file, not the run: the others are looked at, and the end,
# the report and SARIF name it with the reason. It is never plain clean.
#
# row: earned.partial | a file that makes a tool crash, wait or read no text, so that it is not looked at | the run names it with the reason and ends as partial, with 1 | --allow-partial, which only the command line has | `partial.sh: one file that gcc crashes at: not plain clean`
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/look.sh"

agents=(--agent critic=analyzer:gcc --agent silent-failure-hunter=analyzer:shellcheck
    --agent '*=analyzer:none' --agent review-fixer=fixits)

# hone [WORD...]: what it said is in $TMPDIR/out and $TMPDIR/err, the status in $status.
# A repository of five C files and a script, without any fault.
plant()
{
    local n
    new_work
    for n in 1 2 3 4 5; do
        printf 'int f%s(void);\nint f%s(void) { return %s; }\n' $n $n $n >f$n.c
    done
    printf '#!/bin/sh\necho "$1"\n' >s.sh
    git add . && git commit -q -m first
}

crash()
{
    plant
    fake gcc "case \"\$*\" in *f3.c*) kill -SEGV \$\$ ;; esac; exec $(command -v gcc) \"\$@\""
    PATH=$TMPDIR/fake:$PATH hone run review "${agents[@]}" --all
    check_is "one file that gcc crashes at: not plain clean" "$status" 1
    check_has "the end says so" "$TMPDIR/out" "partial: nothing was found"
    check_has "how many of how many" "$TMPDIR/out" "1 of 5 files was not looked at:"
    check_has "with name, tool and reason" "$TMPDIR/out" "f3.c (gcc): it crashed (signal 11)"
    check_has "it is told while it runs" "$TMPDIR/err" "1 of 5 files not looked at"
    hone status
    check_has "hone status knows the end" "$TMPDIR/out" "partial"
    hone findings --format sarif
    check_has "SARIF has a notification" "$TMPDIR/out" '"toolExecutionNotifications"'
    check_has "about the file" "$TMPDIR/out" '"uri": "f3.c"'
    check_has "by the tool" "$TMPDIR/out" "not looked at by gcc: it crashed (signal 11)"
    cp "$TMPDIR/out" "$TMPDIR/partial.sarif"
    hone check sarif "$TMPDIR/partial.sarif"
    check_is "and is SARIF" "$status" 0
    hone findings --format markdown
    check_has "Markdown names it" "$TMPDIR/out" "f3.c (gcc): it crashed (signal 11)"
    hone findings --json
    check_has "JSON names it" "$TMPDIR/out" '"why": "it crashed (signal 11)"'
    hone findings --format text
    check_has "and so do lines" "$TMPDIR/out" \
        "f3.c:0: note: not looked at: it crashed (signal 11) [gcc]"

    PATH=$TMPDIR/fake:$PATH hone run review "${agents[@]}" --all --allow-partial
    check_is "--allow-partial: 0" "$status" 0
    check_has "and it is still said" "$TMPDIR/out" "1 of 5 files was not looked at:"
    PATH=$TMPDIR/fake:$PATH hone run review "${agents[@]}" --all --json
    check_has "--json: the reason" "$TMPDIR/out" '"reason":"partial"'
    check_has "--json: the file" "$TMPDIR/out" '"unlooked":[{"file":"f3.c","tool":"gcc"'

    # What the others have is still found.
    printf 'int f4(void);\nint f4(void) { int unused; return 4; }\n' >f4.c
    PATH=$TMPDIR/fake:$PATH hone run review "${agents[@]}" --all
    check_is "findings in the others are found" "$status" 1
    hone findings
    check_has "by name" "$TMPDIR/out" "f4.c:2"
    fake gcc 'kill -SEGV $$'
    PATH=$TMPDIR/fake:$PATH hone run review "${agents[@]}" --all
    check_is "a tool that crashes at all files has failed" "$status" 3
    rm -rf "$TMPDIR/fake"
}

late()
{
    plant
    fake gcc "case \"\$*\" in *f2.c*) sleep 600 & wait ;; esac; exec $(command -v gcc) \"\$@\""
    PATH=$TMPDIR/fake:$PATH hone run review "${agents[@]}" --all --idle-timeout 6s
    check_is "one file that takes too long" "$status" 1
    check_has "it is named" "$TMPDIR/out" "f2.c (gcc): it took longer than 3 s"
    rm -rf "$TMPDIR/fake"
}

unreadable()
{
    plant
    printf 'int \0 y;\n' >binary.c
    hone run review "${agents[@]}" --all
    check_is "a .c that is no text" "$status" 1
    check_has "it is named, with the reason" "$TMPDIR/out" \
        "binary.c (gcc): it is no text, although its name says so"
}

builds()
{
    plant
    printf 'this does not compile by itself\n' >part.c
    printf '#define this int x;\n#define does\n#define not\n' >whole.c
    printf '#define compile\n#define by\n#define itself\n#include "part.c"\n' >>whole.c
    hone run review "${agents[@]}" --all
    check_is "a part of another file is looked at there" "$status" 0

    printf '#include <windows.h>\nint w;\n' >win32.c
    printf 'all: f1.o f2.o whole.o\n%%.o: %%.c\n\tcc -c $<\n' >Makefile
    git add . && git commit -q -m build
    hone run review "${agents[@]}" --all
    check_is "files that a known build does not compile are left out" "$status" 0
    check_has "and counted" "$TMPDIR/out" "4 files that the build does not compile were left out"
    printf 'int g;\nint h(void) { int unused; return 0; }\n' >f5.c
    hone run review "${agents[@]}" --no-sandbox
    check_is "but for what has changed" "$status" 1
}

headers()
{
    local n
    plant
    for n in 1 2 3 4 5; do sed -i '1i #include "config.h"' f$n.c; done
    printf '#!/bin/sh\ntouch config.h\n' >configure
    git add . && git commit -q -m unconfigured
    hone run review "${agents[@]}" --all
    check_is "a header that is not there" "$status" 1
    check "a tool that could look at none of its files is not clean" \
        grep -qh "critic .*not played.*it could look at none of 5 files" "$TMPDIR/out" "$TMPDIR/err"
    check_has "is one line" "$TMPDIR/out" \
        "f1.c and 4 more (gcc): it needs config.h, which is not there"
    check_has "and no finding" "$TMPDIR/out" "found 0,"
    check_has "configure first, with the command" "$TMPDIR/out" "configure first: ./configure"
    look analyzer clang-tidy
    check_has "clang-tidy: likewise one note" "$answer" \
        "config.h is not there, and 5 files that need it were not looked at"
    rm configure
    git add . && git commit -q -m none
    printf '#include "nowhere.h"\nint x;\n' >f5.c
    git add -A && git commit -q -m before
    printf '#include "nowhere2.h"\nint x;\n' >f5.c
    hone run review "${agents[@]}"
    check_is "a header that the change asks for and that is not there" "$status" 1
    hone findings
    check_has "is a finding" "$TMPDIR/out" "nowhere2.h: No such file"
}

crash
late
unreadable
builds
headers
exit $failed
