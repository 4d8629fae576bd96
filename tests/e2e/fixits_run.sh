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
    "$(cat .git/hone/runs/*/*/stderr | grep -c 'checks')" 3

exit "$failed"
