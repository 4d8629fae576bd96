#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A round whose fixes make the gate worse is taken back as a whole, remembered, and told to the next
# fixer; nothing of the user's is lost. What was broken before is no reason. Under the seed nothing
# is taken back.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
printf 'works\n' >app.txt
printf 'kept\n' >other.txt
git add app.txt other.txt && git commit -q -m second
printf 'dirty\n' >>other.txt
echo untracked >new.txt
hidden_already
test="grep -qx works app.txt || { echo 'app.txt does not work'; exit 7; }"

begin_story()
{
    copy_of "$template" work
    rm -f "$play"/here "$play"/edited
    forget
    does critic "$sees"
    cat app.txt other.txt new.txt >"$TMPDIR/before"
}

# as_before NAME: but for what the right repair does, all is as it was.
as_before()
{
    cat app.txt other.txt new.txt >"$TMPDIR/after"
    check "$1: the tree is as before the repair" cmp "$TMPDIR/before" "$TMPDIR/after"
    check_not "$1: also what it added" test -e added.txt
}

# The first repair breaks the test, the second does not.
# shellcheck disable=SC2016 # for the agent's shell
breaks_once='if [ ! -e "$play/broke" ]; then
    touch "$play/broke"; echo broken >app.txt; echo x >added.txt; echo more >>other.txt; rm new.txt
fi
sed -i /defect/d notes.txt; echo "# Fixed: notes.txt"'

# taken_back NAME OPTIONS...
taken_back()
{
    local name=$1
    shift
    rm -f "$play/broke"
    begin_story
    does review-fixer "$breaks_once"
    hone run review --until settled --test "$test" --agent "*=$agent" "$@"
    check_is "$name: exit" "$status" 0
    as_before "$name"
    check_is "$name: the second repair is there" "$(cat notes.txt)" hello
    check_has "$name: told in one line" "$err" "the repair of round 1 made things worse"
    check_has "$name: what got worse" "$err" "ended with status 7: app.txt does not work"
    check_is "$name: two repairs, no review between them" \
        "$(cut -d' ' -f1 "$play/log" | uniq -c | grep -c '2 review-fixer')" 1
    diff=$(find .git/hone/runs -name taken-back.diff)
    check_has "$name: what was taken back is kept" "$diff" "+broken"
    check "$name: the next fixer is told what was tried" \
        grep -rqs 'This was tried, made things worse' .git/hone/runs --include=prompt
    hone findings --json
    check_has "$name: it was tried twice" "$out" '"tries": 2'
}

plain() { taken_back plain; }
isolated() { taken_back isolated --isolate; }
unheld() { taken_back "no sandbox" --no-sandbox; }

# What failed before the repair is no reason; what is not told to be a policy neither.
no_reason()
{
    begin_story
    echo broken >app.txt
    does review-fixer 'echo worse >app.txt; sed -i /defect/d notes.txt; echo "# Fixed: notes.txt"'
    hone run review --until settled --test "$test" --agent "*=$agent"
    check_is "broken before: exit" "$status" 0
    check_is "broken before: the repair stays" "$(cat app.txt notes.txt)" "worse
hello"
    check_has "broken before: said" "$err" "that was so before the repair: it stays"

    rm -f "$play/broke"
    begin_story
    does review-fixer "$breaks_once"
    hone run review --test "$test" --agent "*=$agent"
    check_is "the seed: nothing is taken back" "$status $(cat app.txt)" "0 broken"
    check_not "the seed: nothing is proven" grep -q 'prover' "$err"
}

# One that breaks it each time: parked after three tries, and the tree is as it was.
always()
{
    begin_story
    does review-fixer 'echo broken >app.txt; echo x >added.txt; sed -i /defect/d notes.txt
echo "# Fixed: notes.txt"'
    hone run review --until settled --test "$test" --agent "*=$agent"
    check_is "always: exit" "$status" 1
    as_before always
    check_is "always: three tries" "$(started review-fixer)" 3
    check_is "always: the finding is parked" "$(tail -1 notes.txt)" defect
    check_is "always: the third is told of both" "$(grep -rhsc 'that was not so before it' \
        .git/hone/runs --include=prompt | sort -n | tail -1)" 2
}

# hone killed while the test after the repair runs: the resume proves it.
killed()
{
    rm -f "$play/broke"
    begin_story
    does review-fixer "$breaks_once"
    # shellcheck disable=SC2016
    "$HONE" run review --until settled --agent "*=$agent" \
        --test "if [ -e added.txt ]; then touch $play/here; sleep 0.3; fi; $test" \
        >"$out" 2>"$err" &
    engine=$!
    check "killed: the proof is at work" until_true 30 test -e "$play/here"
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    hone resume
    check_is "killed: exit" "$status" 0
    as_before killed
    check_is "killed: the second repair is there" "$(cat notes.txt)" hello
}

# A person edits while the test runs: what they wrote stays.
person()
{
    rm -f "$play/broke"
    begin_story
    (
        until_true 30 test -e "$play/here" && echo mine >>main.c && echo mine >>other.txt
        touch "$play/edited"
    ) &
    does review-fixer "$breaks_once"
    hone run review --until settled --agent "*=$agent" --no-sandbox \
        --test "if [ -e added.txt ]; then touch $play/here; while [ ! -e $play/edited ]; do
            sleep 0.05; done; fi; $test"
    check_is "a person at work: what they wrote stays" "$(tail -qn1 main.c other.txt | uniq)" mine
    check_has "a person at work: said" "$err" "not taken back"
    check_is "a person at work: the rest is taken back" "$(cat app.txt)" works
}

# A person saves a file in the moment in which it is taken back: between moving and writing.
person_saves()
{
    rm -f "$play/broke"
    begin_story
    does review-fixer "$breaks_once"
    sly_git cat-file '[ ! -e app.txt ] && echo mine >app.txt'
    PATH=$TMPDIR/bin:$PATH hone run review --until settled --agent "*=$agent" --no-sandbox \
        --test "[ -e $play/edited ] || { $test; }"
    check "a person saves: they did" test -e "$play/edited"
    check_is "a person saves: what they wrote stays" "$(cat app.txt)" mine
    check_has "a person saves: said" "$err" "not taken back: modified app.txt"
    check_not "a person saves: the rest is taken back" test -e added.txt
}

# ---- the build and the analyzers ----

# What a critic that is gcc sees: main.c is part of the change. Another reviewer sees the defect.
analyzed()
{
    command -v gcc >/dev/null || { skip "$1" "there is no gcc"; return 1; }
    rm -f "$play/broke"
    begin_story
    does critic
    does pedant "$sees"
    printf 'int f(void);\nint f(void) { return 1; }\n' >main.c
    cp main.c "$TMPDIR/main.before"
}

# by_gcc OPTIONS...: a run in which the critic is gcc.
by_gcc()
{
    hone run review --until settled --agent "*=$agent" --agent critic=analyzer:gcc "$@"
}

# asked: who was asked, one after the other, models alone.
asked()
{
    cut -d' ' -f1 "$play/log" | sed 's/^\(pedant\|witness\|security.*\|silent.*\)$/model/' |
        uniq | tr '\n' ' '
}

# shellcheck disable=SC2016 # for the agent's shell
unbuilds_once='if [ ! -e "$play/broke" ]; then
    touch "$play/broke"; echo "int g(void) { return 1 }" >>main.c; echo x >added.txt
fi
sed -i /defect/d notes.txt; echo "# Fixed: notes.txt"'

# unbuilt NAME OPTIONS...: a fixer that breaks the build, and the next one that does not.
unbuilt()
{
    local name=$1
    shift
    analyzed "$name" || return
    does review-fixer "$unbuilds_once"
    by_gcc "$@"
    check_is "$name: exit" "$status" 0
    as_before "$name"
    check "$name: it builds as before" cmp main.c "$TMPDIR/main.before"
    check_is "$name: the second repair is there" "$(cat notes.txt)" hello
    check_has "$name: told in one line" "$err" \
        "the repair of round 1 made things worse (it does not build any more: main.c:3: "
    check_has "$name: what was taken back is kept" \
        "$(find .git/hone/runs -name taken-back.diff)" "+int g(void) { return 1 }"
    check_is "$name: the next fixer is told" "$(grep -lc 'does not build any more: main.c:3' \
        "$play"/prompt.review-fixer.* | wc -l)" 1
    check_is "$name: no model is asked in between" "$(asked)" "model review-fixer model "
    check_is "$name: two repairs" "$(started review-fixer)" 2
    hone findings --json
    check_has "$name: it was tried twice" "$out" '"tries": 2'
}

no_build() { unbuilt "the build"; }
no_build_isolated() { unbuilt "the build, isolated" --isolate; }
no_build_tested() { unbuilt "the build, with a test" --test "$test"; }

# It did not build before: that is no reason, though it is worse in another place.
unbuilt_before()
{
    analyzed "built not before" || return
    echo 'int h(void) { return 2 }' >>main.c
    # shellcheck disable=SC2016 # for the agent's shell
    does review-fixer 'case $HONE_ROUND in
1) echo "int g(void) { return 1 }" >>main.c ;;
*) sed -i "s/ }$/; }/; s/;; }/; }/" main.c; sed -i /defect/d notes.txt ;;
esac
echo "# Fixed: main.c, notes.txt"'
    by_gcc
    check_is "built not before: exit" "$status" 0
    check_not "built not before: nothing is taken back" grep -q "taken back" "$err"
    check_is "built not before: what the first repair wrote is there" \
        "$(grep -c 'int g' main.c)" 1
}

# An analyzer of the user's own, which knows nothing of a build: grave is what it says is.
# shellcheck disable=SC2016 # for its shell
danger='n=0; comma=; echo "{\"diagnostics\":["
while IFS= read -r line; do
    n=$((n + 1))
    case $line in *DANGER*)
        printf "%s{\"message\":\"danger\",\"severity\":\"ERROR\",\"location\":" "$comma"
        printf "{\"path\":\"app.txt\",\"range\":{\"start\":{\"line\":%d}}}}" "$n"
        comma=, ;;
    esac
done <app.txt
if [ "$n" -gt 1 ] && [ -e "$waits" ]; then touch "$waits.here"; sleep 0.3; fi
echo "]}"'
endangers_once="${breaks_once/echo broken >app.txt/echo DANGER >>app.txt}"

# A story in which the critic is that analyzer, and the first repair brings what it reports.
endangered()
{
    printf '%s\n' "waits=$play/waits" "$danger" >"$play/danger"
    rm -f "$play/broke" "$play/waits" "$play/waits.here"
    begin_story
    does critic
    does pedant "$sees"
    does review-fixer "$endangers_once"
}

# was_endangered NAME: the repair that brought it was taken back, and the next one is there.
was_endangered()
{
    check_is "$1: exit" "$status" 0
    as_before "$1"
    check_is "$1: the second repair is there" "$(cat notes.txt)" hello
    check_is "$1: no model is asked in between" "$(asked)" "model review-fixer model "
}

# grave_run OPTIONS...
grave_run()
{
    hone run review --until settled --agent "*=$agent" --agent "critic=rdjson:sh $play/danger" "$@"
}

grave()
{
    endangered
    grave_run
    was_endangered "a grave finding"
    check_has "a grave finding: told in one line" "$err" \
        "made things worse (there is a grave finding in what it wrote: app.txt:2: danger"

    # The test failed before: that is no reason to keep what an analyzer says is worse.
    endangered
    grave_run --test "exit 3"
    was_endangered "a grave finding, the test fails"

    # One that was there before, and that the repair only moved, is none of its own.
    endangered
    echo DANGER >>app.txt
    does review-fixer 'sed -i 1iabove app.txt; sed -i /defect/d notes.txt
echo "# Fixed: notes.txt"'
    grave_run
    check_not "a grave finding of before: nothing is taken back" grep -q "taken back" "$err"
    check_is "a grave finding of before: the repair stays" "$(head -n 1 app.txt)" above
}

# hone killed while the analyzer proves: the resume proves it.
grave_killed()
{
    endangered
    touch "$play/waits"
    "$HONE" run review --until settled --agent "*=$agent" \
        --agent "critic=rdjson:sh $play/danger" --no-sandbox >"$out" 2>"$err" &
    engine=$!
    check "killed, by an analyzer: the proof is at work" until_true 30 test -e "$play/waits.here"
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    rm -f "$play/waits"
    hone resume
    was_endangered "killed, by an analyzer"
}

# Under the seed no analyzer proves.
grave_seed()
{
    endangered
    hone run review --agent "*=$agent" --agent "critic=rdjson:sh $play/danger"
    check_not "the seed, by an analyzer: nothing is taken back" grep -q "taken back" "$err"
    check_not "the seed, by an analyzer: nothing is proven" grep -q "passes" "$err"
}

# What was given was reviewed by another run: analyzers look before the repair, too.
given()
{
    analyzed given || return
    does review-fixer "$unbuilds_once"
    by_gcc --no-fix
    check_is "given: found" "$status" 1
    hone fix --all --until settled --agent "*=$agent" --agent critic=analyzer:gcc
    check_has "given: told in one line" "$err" "it does not build any more: main.c:3: "
    check "given: it builds as before" cmp main.c "$TMPDIR/main.before"
}

together plain isolated unheld no_reason always killed person person_saves \
    no_build no_build_isolated \
    no_build_tested unbuilt_before grave grave_killed grave_seed given
exit "$failed"
