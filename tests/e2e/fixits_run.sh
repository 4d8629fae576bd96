#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs whose fixer is fixits: what it leaves when it does not get to its end, which fixes it makes
# without being asked, and how often it runs a test.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

# words FILE...: a repository with a wrong word in each of these, and a tool that reports them.
words()
{
    local name
    rm -rf "$TMPDIR/work"
    mkdir "$TMPDIR/work"
    cd "$TMPDIR/work" || exit 1
    git init -q .
    for name; do printf 'one\nwrong word\nthree\n' >"$name"; done
    cp "$TMPDIR/look" look
    git add . && git commit -q -m first
}

cat >"$TMPDIR/look" <<'END'
echo '{"source": {"name": "look"}, "diagnostics": ['
between=
for file in $(grep -l '^wrong' ./*.txt | sed 's,^./,,'); do
    echo "$between"'{"message": "a wrong word", "code": {"value": "word"}, "severity": "WARNING",
        "location": {"path": "'"$file"'", "range": {"start": {"line": 2, "column": 1},
        "end": {"line": 2, "column": 6}}}, "suggestions": [{"text": "right", "range":
        {"start": {"line": 2, "column": 1}, "end": {"line": 2, "column": 6}}}]}'
    between=,
done
echo ']}'
END

log=$TMPDIR/log
looking=(--agent '*=analyzer:none' --agent 'critic=rdjson:sh ./look' --agent review-fixer=fixits)

# begin ARGUMENTS...: hone in the background, as a terminal would start it.
begin()
{
    env --default-signal=INT,TERM,HUP "$HONE" run review "${looking[@]}" "$@" >"$log" 2>&1 &
    engine=$!
}

is_edited()
{
    ! git diff --quiet
}

# as_before NAME: no file differs from what was committed.
as_before()
{
    check_is "$1: the tree is as it was" "$(git status --porcelain | grep -v '^?? .agents/')" ''
}

# The test waits until it is ended, and would fail: nothing that it judges has been verified.
endless='grep -q wrong a.txt || while :; do sleep 0.1; done'

# ---- INT, kill -9, a timeout or a resume restores the originals ----

words a.txt b.txt
begin --test "$endless"
check "stopped: the fixes are in the tree" until_true 30 is_edited
kill -INT "$engine"
wait "$engine"
check_is "stopped: interrupted" $? 130
as_before stopped
"$HONE" resume --quiet >"$log" 2>&1 &
engine=$!
check "stopped: the resume tries again" until_true 30 is_edited
kill -TERM "$engine"
wait "$engine"
check_is "stopped again: interrupted" $? 130
as_before "stopped again"

words a.txt b.txt
begin --test "$endless"
check "killed: the fixes are in the tree" until_true 30 is_edited
kill -KILL "$engine"
wait "$engine" 2>/dev/null
"$HONE" resume --budget calls=2 >"$log" 2>&1
as_before "killed and resumed with nothing left to spend"
check_has "killed: it is said" "$log" "fixits did not end, so its fixes were not checked"

# A power cut may take the note that says so; the attempt's own folder is on the disk.
words a.txt b.txt
begin --test "$endless"
check "killed: the fixes are in the tree" until_true 30 is_edited
kill -KILL "$engine"
wait "$engine" 2>/dev/null
check "killed: the note is there" until_true 10 rm .git/hone/locks/*.undo
"$HONE" resume --budget calls=2 >"$log" 2>&1
as_before "killed, and the note is lost"

# The next to play in this workspace is no fixer, and of another run.
words a.txt b.txt
begin --test "$endless"
check "killed: the fixes are in the tree" until_true 30 is_edited
kill -KILL "$engine"
wait "$engine" 2>/dev/null
"$HONE" run review --agent '*=analyzer:none' --agent 'critic=rdjson:sh ./look' \
    --agent 'review-fixer=cmd:echo STUCK: no' --all >"$log" 2>&1
check_is "killed, and another run: it finds what is in the originals" $? 1
as_before "killed, and another run"

words a.txt b.txt
begin --test "$endless"
check "killed: the fixes are in the tree" until_true 30 is_edited
kill -KILL "$engine"
wait "$engine" 2>/dev/null
echo mine >>a.txt
"$HONE" resume --budget calls=2 >"$log" 2>&1
check_is "a file that another process changed is not overwritten" "$(cat a.txt)" 'one
right word
three
mine'
check_is "and the others are restored" "$(cat b.txt)" 'one
wrong word
three'
check_has "and it is said" "$log" "another process has changed what it fixed: look at a.txt"

words a.txt b.txt
"$HONE" run review "${looking[@]}" --timeout 3s --test "$endless" >"$log" 2>&1
check_is "a test that did not end has not passed" $? 3
as_before "a timeout"

# ---- the list of refused fixes, in the sandbox ----

words a.txt b.txt
"$HONE" run review "${looking[@]}" --test '! grep -q right a.txt' >"$log" 2>&1
check_is "a refused fix: findings remain" $? 1
check_is "a refused fix: the others stay" "$(grep -c right a.txt b.txt | tr '\n' ' ')" \
    'a.txt:0 b.txt:1 '
check_not "a refused fix: nothing is read-only" grep -rq 'Read-only' .git/hone/runs
check_is "a refused fix is tried in one round only" \
    "$(cat .git/hone/runs/*/*/stderr | grep -c '^fixits: plan')" 1

# ---- only safe fixes by default ----

# script: a repository with a script that counts on the splitting of words.
script()
{
    rm -rf "$TMPDIR/work"
    mkdir "$TMPDIR/work"
    cd "$TMPDIR/work" || exit 1
    git init -q .
    printf '#!/bin/sh\nopts="-l -a"\nls $opts\n' >list.sh
    cp list.sh "$TMPDIR/list.sh"
    git add . && git commit -q -m first
}

shells=(--agent '*=analyzer:none' --agent 'critic=analyzer:shellcheck' --agent review-fixer=fixits)
script
"$HONE" run review --all "${shells[@]}" >"$log" 2>&1
check_is "a risky fix, no test: findings remain" $? 1
check "a risky fix, no test: not made" cmp -s list.sh "$TMPDIR/list.sh"
check_has "a risky fix, no test: counted in the end" "$log" "found 1, fixed 0, left 1"
check_has "a risky fix, no test: held back, said in the end" "$log" \
    "held back 1 fix that may change what the program does"
check_has "a risky fix, no test: said in the summary" \
    .agents/tmp/phases/review-1/r2-fix-summary.md "- Held back as risky: 1"
check_not "a risky fix, no test: nothing to verify" grep -q "nothing verified" "$log"
"$HONE" run review --all "${shells[@]}" --json >"$log" 2>/dev/null
check_has "a risky fix, no test: in JSON" "$log" '"held_back":1'
"$HONE" run review --all "${shells[@]}" --test 'sh list.sh >/dev/null' >"$log" 2>&1
check "a risky fix, a test that it breaks: not made" cmp -s list.sh "$TMPDIR/list.sh"
"$HONE" run review --all "${shells[@]}" --test false >"$log" 2>&1
check_is "a risky fix, a test that fails before: findings remain" $? 1
check "a risky fix, a test that fails before: not made" cmp -s list.sh "$TMPDIR/list.sh"
"$HONE" run review --all "${shells[@]}" --test true >"$log" 2>&1
check_is "a risky fix, a test that passes before and after: clean" $? 0
check_has "a risky fix, a test that passes before and after: made" list.sh 'ls "$opts"'
script
"$HONE" run review --all "${shells[@]}" --fixes all >"$log" 2>&1
check_is "--fixes all: clean" $? 0
check_has "--fixes all: made" list.sh 'ls "$opts"'
check_is "--fixes all: nothing verified it, said loudly, once" \
    "$(grep -c 'hone: nothing verified the fixes' "$log")" 1
"$HONE" run review --fixes some >"$log" 2>&1
check_is "--fixes takes safe or all" "$? $(cat "$log")" \
    "2 hone: --fixes wants safe or all, not 'some'"
script
echo '{"fixes": "all"}' >"$TMPDIR/all.json"
HONE_CONFIG=$TMPDIR/all.json "$HONE" run review --all "${shells[@]}" >"$log" 2>&1
check_is "fixes in hone.json" $? 0

# A safe one beside it is made, and clang's %zu wins over gcc's %ld.
script
cat >size.c <<'END'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    size_t bytes = argc > 0 ? strlen(argv[0]) : 0;
    printf("%d\n", bytes);
    return 0;
}
END
git add . && git commit -q -m second
"$HONE" run review --all "${shells[@]}" --agent pedant=analyzer:gcc \
    --agent witness=analyzer:clang-tidy >"$log" 2>&1
check "beside a safe one: the risky one is not made" cmp -s list.sh "$TMPDIR/list.sh"
check_has "of several tools' edits of one line the better typed one wins" size.c 'printf("%zu\n"'
check_has "beside a safe one: nothing verified it" "$log" "hone: nothing verified the fixes"

# ---- the test that hone init would find ----

words a.txt b.txt
printf 'test:\n\t@echo ran >>runs; ! grep -q right b.txt\n' >Makefile
echo runs >.git/info/exclude
git add . && git commit -q -m test
"$HONE" run review --all "${looking[@]}" >"$log" 2>&1
check_is "a test that is found: it judges" "$(grep -c right a.txt b.txt | tr '\n' ' ')" \
    'a.txt:1 b.txt:0 '
check_not "a test that is found: the fixes are verified" grep -q "nothing verified" "$log"
check "a test that is found: it ran" test -s runs
rm runs
git checkout -q .
"$HONE" run review --all "${looking[@]}" --fixes all --no-sandbox >"$log" 2>&1
check_not "a test that is found: not without a sandbox" test -e runs
check_has "a test that is found: not without a sandbox, said" "$log" "--test 'make test'"
git checkout -q .
"$HONE" run review --all "${looking[@]}" --fixes all --test '' >"$log" 2>&1
check_not "a test that is not wanted" test -e runs
# It runs where the repository's code may run: no home, no network.
words a.txt
echo secret >"$HOME/secret"
printf 'test:\n\t@if cat "$(HOME)/secret" >seen 2>&1; then false; fi\n' >Makefile
git add . && git commit -q -m test
HONE_TEST='' "$HONE" run review --all "${looking[@]}" >"$log" 2>&1
check_is "a test that is found sees no home" $? 0
check_has "a test that is found sees no home: why" seen "No such file"
rm -f "$HOME/secret"

# ---- generated, vendored and binary files ----

words a.txt
mkdir vendor
printf '#!/bin/sh\n# Generated by mk.sh\nrm $1\n' >made.sh
printf '#!/bin/sh\nrm $1\n' | tee vendor/theirs.sh marked.sh >mine.sh
echo 'marked.sh linguist-generated' >.gitattributes
git add . && git commit -q -m second
"$HONE" run review --all "${shells[@]}" --fixes all >"$log" 2>&1
check_is "generated files: clean without them" $? 0
check_is "generated files: neither fixed nor reported" \
    "$(git status --porcelain | grep -v '^?? .agents/')" ' M mine.sh'
check_has "generated files: one finding" "$log" "found 1, fixed 1, left 0"
check_has "generated files: it is said at the end" "$log" \
    "3 files are generated or vendored and left out; --include-generated looks at them, too"
check_has "generated files: and in the review" .agents/tmp/phases/review-1/r1-critic.json \
    "3 files are generated or vendored and left out: --include-generated looks at them, too"
"$HONE" run review --all "${shells[@]}" --fixes all --include-generated >"$log" 2>&1
check_has "generated files: as asked" "$log" "found 3, fixed 3, left 0"
# A tool of the user's own reports them, too; and a fix for one is not made.
words a.txt
printf '# DO NOT EDIT\nwrong word\n' >b.txt
git add . && git commit -q -m second
"$HONE" run review --all "${looking[@]}" --fixes all >"$log" 2>&1
check_has "generated files of another tool" "$log" "found 1, fixed 1, left 0"
check_is "generated files of another tool: not touched" "$(tail -n 1 b.txt)" 'wrong word'

# ---- bisection is bounded by groups ----

# many BAD: 100 files with five wrong words each; every BAD-th word must not be mended.
many()
{
    rm -rf "$TMPDIR/work"
    mkdir "$TMPDIR/work"
    cd "$TMPDIR/work" || exit 1
    git init -q .
    awk -v bad="$1" 'BEGIN {
        for (i = 0; i < 500; i++) {
            file = sprintf("f%03d.txt", i / 5)
            print (i % bad == bad - 1 ? "wrong bad" : "wrong word") >file
        }
    }'
    cat >look <<'LOOK'
awk 'BEGIN { printf "{\"source\":{\"name\":\"look\"},\"diagnostics\":[" }
    /^wrong/ {
        range = sprintf("{\"start\":{\"line\":%d,\"column\":1},\"end\":{\"line\":%d,\"column\":6}}",
                        FNR, FNR)
        printf "%s{\"message\":\"a wrong word\",\"code\":{\"value\":\"word\"},", comma
        printf "\"location\":{\"path\":\"%s\",\"range\":%s},", FILENAME, range
        printf "\"suggestions\":[{\"range\":%s,\"text\":\"right\"}]}\n", range
        comma = ","
    }
    END { print "]}" }' f*.txt
LOOK
    echo runs >.git/info/exclude
    git add . && git commit -q -m first
}

# most_runs: of the test, in one round.
most_runs()
{
    grep -c 'runs the test' .git/hone/runs/*/*/stderr | sed 's/.*://' | sort -n | tail -n 1
}

many 166
"$HONE" run review --all "${looking[@]}" \
    --test 'echo ran >>runs; ! grep -q "right bad" f*.txt' >"$log" 2>&1
check_is "500 fixes, 3 of them bad: each good one is made" \
    "$(cat f*.txt | grep -c 'right word')" 497
check_is "500 fixes, 3 of them bad: no bad one is" "$(cat f*.txt | grep -c 'right bad')" 0
check "500 fixes, 3 of them bad: at most 40 test runs ($(wc -l <runs))" test "$(wc -l <runs)" -le 40
first=$(grep -l '^fixits: plan' .git/hone/runs/*/*/stderr | sort -V | head -n 1)
check_is "500 fixes, 3 of them bad: those are not tried in the next round" \
    "$(cat .git/hone/runs/*/*/stderr | grep -c '^fixits: plan')" 1
check_has "it says its plan before it starts" "$first" \
    "fixits: plan: 500 fixes in 100 groups; 1 test run if all are good, at most 40 in all"
check "it says how far it is" grep -Eq \
    '^fixits: [0-9]+ of 500 fixes, [0-9]+ of 40 tests$' "$first"
many 25
"$HONE" run review --all "${looking[@]}" --max-iterations 2 \
    --test '! grep -q "right bad" f*.txt' >"$log" 2>&1
check_is "500 fixes, 20 of them bad: no bad one is made" "$(cat f*.txt | grep -c 'right bad')" 0
check "500 fixes, 20 of them bad: at most 40 test runs a round" test "$(most_runs)" -le 40
check "500 fixes, 20 of them bad: some are made" grep -q 'right word' f000.txt

exit "$failed"
