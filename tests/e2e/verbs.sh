#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every verb by hand: what it prints where, and with which exit status it ends.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"

is_json()
{
    "$SUPPORT/is_json" "$1" <"$out"
}

# ---- words ----

hone
check_is "hone alone is no success" "$status" 2
check_has "hone alone shows the verbs" "$err" "hone status"
hone --version
check_is "the version" "$(cat "$out")" "hone 0.1.0"
hone help run
check_has "help" "$out" "--agent ROLE=SPEC"
cp "$out" "$TMPDIR/help"
hone run --help
check "help is help" cmp -s "$out" "$TMPDIR/help"
refused "a mistyped verb" "did you mean 'status'?" stauts
refused "a dialect as a verb" "did you mean 'hone run review'?" review
refused "another program's verb" "did you mean 'hone list'?" ls
refused "a mistyped option" "did you mean '--json'?" list --jsn
refused "a mistyped dialect" "did you mean 'review'?" run revew

# ---- before the first run ----

new_repo "$TMPDIR/repo"
hone list
check_is "no runs are no error" "$status" 0
check_has "no runs" "$out" "no runs in this repository yet"
for verb in status log show stop resume; do
    refused "$verb without a run" "no runs" $verb
done
hone run review --exclude "*"
check_is "no agent: exit" "$status" 2
check_has "no agent: words" "$err" "no agent for critic, pedant"
refused "a mistyped role" "did you mean 'critic'?" run review --agent "critc=cmd:x"
refused "a mistyped backend" "did you mean 'cmd'?" run review --agent "critic=cdm:x"
refused "a fixer that is to review" "fixits cannot play critic, which reviews" \
    run review --agent "*=cmd:true" --agent critic=fixits
refused "an analyzer that is to repair" "analyzer:gcc cannot play review-fixer, which changes" \
    run review --agent "*=cmd:true" --agent review-fixer=analyzer:gcc
printf '{"answer":1}\n{"anwser":1}\n' >"$TMPDIR/wrong.jsonl"
refused "a wrong script" "wrong.jsonl:2: " run review --agent "*=script:../wrong.jsonl"
refused "a wrong duration" "90s" run review --agent "*=cmd:true" --timeout soon
refused "a wrong setting" "max-iterations" run review --agent "*=cmd:true" --max-iterations 0
check "nothing was left behind" test ! -e .git/hone/journal.db

# ---- a run from a script, started in a folder below ----

printf '%s\n' '{"role":"critic","round":1,"answer":'"$found"'}' \
    '{"role":"review-fixer","answer":"# Fixed \u001b[31m"}' '{"answer":'"$clean"'}' \
    >"$TMPDIR/clean.jsonl"
mkdir below
hone -C below run review "say $(printf '\033')[31mhi" --agent "*=script:../../clean.jsonl"
check_is "a clean run" "$status" 0
run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)
for verb in list status "show $run" "show $run 1"; do
    # shellcheck disable=SC2086 # a verb and its arguments
    hone $verb --json
    check "$verb: one JSON document" is_json whole
    # shellcheck disable=SC2086
    hone $verb
    check_is "$verb: exit" "$status" 0
    check "$verb: no control characters" sh -c '! grep -q "[[:cntrl:]]" "$1"' - "$out"
done
hone log --json
check "log: JSON lines" is_json lines
hone log "${run%????}"
check_is "log: a line for each event" "$(wc -l <"$out")" 12
check_has "log: what followed" "$out" "-> start review-fixer 6-1"
check_has "log: the end" "$out" "-> end: clean"
hone status
check_has "status: the end" "$out" "clean: the last review found nothing"
hone show "$run" 6
check_has "show: the prompt" "$out" "==> prompt: "
check_has "show: the answer, harmless" "$out" '# Fixed \x1b[31m'
refused "an attempt that is not there" "has no attempt 77" show "$run" 77
refused "an attempt that is none" "is not an attempt" show "$run" x
refused "a run that is not there" "'hone list' shows them" status zzzzzzzzzz
refused "an answer to a run that has ended" "asks nothing" answer accept
hone stop
check_is "nothing to stop is no error" "$status" 0
check_has "nothing to stop" "$out" "has ended: clean"

"$HONE" list >/dev/full 2>"$err"
check_is "output that is lost is no success" "$?" 3
for how in --quiet --json; do
    "$HONE" run review "$how" --agent "*=script:$TMPDIR/clean.jsonl" >/dev/full 2>"$err"
    check_is "nor is a run's, $how" "$?" 3
    check_has "a run's that is lost, $how: said" "$err" "write to standard output: No space"
    "$HONE" resume "$how" 2>"$err" | :
    check_is "whoever reads no more has read enough, $how" "${PIPESTATUS[0]}" 0
done

# ---- narrow terminals ----

# fits COLUMNS WITHOUT VERB...: no line is longer, but for those that begin with WITHOUT.
fits()
{
    local columns=$1 without=$2
    shift 2
    COLUMNS=$columns TERM=xterm script -qec "'$HONE' $*" /dev/null </dev/null |
        tr -d '\r' | grep -v "^$without" >"$out"
    check "$*: on a terminal" test -s "$out"
    check "$*: fits $columns columns" test "$(wc -L <"$out")" -le "$columns"
}

if command -v script >/dev/null; then
    for columns in 40 60 80; do
        fits $columns none list
        fits $((columns < 44 ? 44 : columns)) "[a-z']" show
        fits $columns none help list
    done
    fits 60 '  hone' help run
    fits 60 '  hone' help config
fi
"$HONE" list >"$out"
check_has "off a terminal nothing is cut" "$out" "Review the change in this repository"

# ---- stop, crash, resume ----

mkfifo "$TMPDIR/held"
slow="cmd:[ -e '$TMPDIR/go' ] || cat '$TMPDIR/held' >/dev/null; echo '$clean'"

# begin: a run that hangs until it is stopped; returns when its agent runs.
begin()
{
    "$HONE" run review --agent "*=script:$TMPDIR/clean.jsonl" --agent "critic=$slow" \
        >/dev/null 2>"$TMPDIR/told" &
    engine=$!
    exec 3>"$TMPDIR/held"
}

begin
hone status
check_has "status: alive" "$out" "state      running"
check_has "status: who runs" "$out" "running    critic"
before_ms=$(date +%s%3N)
refused "a second run" "hone stop" run review --agent "*=cmd:true"
refused "a run that is at work, resumed" "hone stop" resume
check "a second run: said at once" test $(($(date +%s%3N) - before_ms)) -lt 3000
hone stop
check_is "stop" "$status" 0
check_has "stop says how to go on" "$out" "was stopped; 'hone resume' continues it"
wait "$engine"
check_is "a stopped run's exit" "$?" 130
check "a stopped run blames nobody" grep -qE 'critic +stopped \(' "$TMPDIR/told"
exec 3>&-
refused "an answer to a run that asks nothing" "asks nothing" answer accept

begin
kill -KILL "$engine"
wait "$engine" 2>/dev/null
exec 3>&-
hone stop # returns when the last process of the run is gone
hone status
check_has "a crash is seen" "$out" "was interrupted (crashed); 'hone resume' continues it"
hone list
check_has "a crash is listed" "$out" "crashed"
touch "$TMPDIR/go"
hone resume
check_is "a crashed run goes on" "$status" 0

# ---- check ----

printf '%s' "$clean" >"$TMPDIR/good.json"
hone check r1 "$TMPDIR/good.json"
check_is "a valid file" "$status" 0
echo '{' | "$HONE" check r1 - >"$out"
check_is "an invalid one" "$?" 1
check_has "an invalid one: where and what" "$out" ": not-json: "
hone check r1 --json "$TMPDIR/clean.jsonl"
check_is "an invalid one, as JSON" "$status" 1
check "an invalid one: JSON" is_json whole
refused "no such file" "no such file" check r1 "$TMPDIR/none"
refused "no such kind" "unknown kind" check bananas

exit "$failed"
