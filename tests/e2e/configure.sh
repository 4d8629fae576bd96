#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The questions of hone configure iterate, answered by a pipe and at a terminal, and what is saved.
. "${TOP:?}/tests/support/story.sh"

out=$TMPDIR/out
err=$TMPDIR/err
export HOME=$TMPDIR/home
user=$HOME/.claude/iterate-config.json
new_repo "$TMPDIR/repo"
project=$PWD/.claude/iterate-config.local.json
mkdir -p "$HOME"

# answers ANSWERS ARGUMENTS...: hone configure with these lines (blanks between them, - for an
# empty one) on its standard input.
answers()
{
    local lines=$1
    shift
    # shellcheck disable=SC2086 # a word each
    printf '%s\n' $lines | sed 's/^-$//' | "$HONE" configure "$@" >"$out" 2>"$err"
    status=$?
}

saved()
{
    check_is "$1" "$(tr -d ' \n' <"$2")" "$3"
}

keep3='- - -' # restart: what fails, from which severity on, what when no iteration is left
keep5='- - - - -'
keep="$keep3 $keep5 - - $keep3" # the phases 3, 5, 6, 8

# ---- the questions ----

answers "$keep user" iterate
check_is "everything kept: exit" "$status" 0
check_has "everything kept" "$out" "Nothing changes"
check "everything kept: no file" test ! -e "$HOME/.claude"
# asked NAME TIMES QUESTION: how often it was.
asked()
{
    check_is "$1: $3" "$(grep -cF "$3" "$err")" "$2"
}
asked "every phase with a review" 4 "What should happen when issues are found?"
asked "where there are severities" 3 "Minimum severity that causes failure?"
asked "where something is repaired" 1 "Enable parallel agents for fixing issues?"
asked "likewise" 1 "Retry limit for mini-loop?"
asked "likewise" 1 "What happens when retry limit is reached?"
asked "where it restarts" 3 "What happens when no iteration is left to restart?"
check_is "in order" "$(grep '^Phase' "$err" | tr '\n' ',')" \
    "Phase 3: Plan Review,Phase 5: Code Review,Phase 6: Test,Phase 8: Final Review,"
for text in "1  Restart iteration (go back to Phase 1)" "2  Mini-loop (fix and re-review within" \
    "3  Proceed (note issues, continue anyway)" "4  Stop (halt workflow)" \
    "1  LOW (any issue fails) [default]" \
    "2  MEDIUM (MEDIUM and HIGH fail)" "3  HIGH (only HIGH fails)" "4  NONE (never fail)" \
    "1  Yes (recommended)" "2  No" "1  10 retries (default)" "2  5 retries" "3  3 retries" \
    "4  No limit" "5  Custom" "1  Stop workflow (default)" "2  Ask me what to do" \
    "3  Restart iteration" "4  Proceed with issues noted" "Where should this be saved?"; do
    check_has "offered: $text" "$err" "$text"
done

# "commands/configure.md: Add interactive questions for review settings": the command inside
# Claude Code has their words, and those of their options.
sed -n 's/^  \([A-Z].*?\)$/\1/p; s/^    [1-9]  //p' "$err" | sort -u >"$TMPDIR/words"
check_is "the words of the questions" "$(wc -l <"$TMPDIR/words")" 28
while read -r text; do
    check_has "inside Claude Code: $text" "$TOP/plugin/commands/configure.md" "$text"
done <"$TMPDIR/words"

# A question whose answer has no effect under another answer is not asked.
answers "- NONE - NONE proceed stop - user" iterate
check_is "no effect: exit" "$status" 0
asked "nothing fails, or it stops or goes on" 4 "What should happen when issues are found?"
asked "no effect" 0 "Enable parallel agents for fixing issues?"
asked "no effect" 0 "Retry limit for mini-loop?"
asked "no effect" 0 "What happens when"
rm "$user"
answers "mini-loop - 3 - - - - 4 mini-loop 4 mini-loop - - - - user" iterate
check_is "mini-loops: exit" "$status" 0
asked "issues of one plan, and tests, have one fixer" 2 "Enable parallel agents for fixing issues?"
asked "every mini-loop" 4 "Retry limit for mini-loop?"
asked "no limit is not reached" 2 "What happens when retry limit is reached?"
rm "$user"

# ---- saved for the user ----

answers "2 3 4 2 - no 5 7 - mini-loop 3 proceed $keep3 user" iterate
check_is "saved: exit" "$status" 0
saved "saved" "$user" '{"version":2,"phases":{"3":{"onFailure":"mini-loop",'\
'"failOnSeverity":"HIGH","maxRetries":null},'\
'"5":{"onFailure":"mini-loop","maxRetries":7,"parallelFixes":false},'\
'"6":{"onFailure":"mini-loop","maxRetries":3,"onMaxRetries":"proceed"}}}'
check "no other file" test ! -e "$project"
check "no backup of nothing" test ! -e "$user.backup"
check_has "a change" "$out" 'phases.3.onFailure        "restart" -> "mini-loop"'
check_has "a custom limit" "$out" 'phases.5.maxRetries       10 -> 7'
check_has "where it went" "$out" "Saved to ~/.claude/iterate-config.json"
check_is "a run would go by it" "$("$HONE" config get iterate phases.5.maxRetries)" 7

# ---- words and beginnings of words, for the project; what others say is kept ----

mkdir -p .claude
printf '{"mine":[1,2],"phases":{"3":{"tool":"claude-review","x":0},"9":{"tool":null}}}' >"$project"
cp "$project" "$TMPDIR/before"
printf '%s\n' Pro low m low y 'no limit' '' 12 r '' '' '' 2 |
    "$HONE" configure iterate >"$out" 2>"$err"
check_is "words: exit" "$?" 0
saved "words" "$project" '{"mine":[1,2],"phases":{"3":{"tool":"claude-review","x":0,'\
'"onFailure":"proceed","failOnSeverity":"LOW"},"9":{"tool":null},"5":{"onFailure":"mini-loop",'\
'"failOnSeverity":"LOW","maxRetries":null,"parallelFixes":true},'\
'"6":{"maxRetries":12,"onMaxRetries":"restart"}},"version":2}'
rest="- - - - - - - $keep3" # as it stands now, of the phases 5, 6 and 8
check "the file before is kept" cmp -s "$project.backup" "$TMPDIR/before"
check_has "which is said" "$out" "iterate-config.local.json.backup"

cp "$user" "$TMPDIR/before"
answers "4 - $rest user" iterate
check_is "saved where it does not count: exit" "$status" 0
check_has "that is said" "$out" 'But phases.3.onFailure stays "proceed", by .claude/'
check "the user's file before is kept" cmp -s "$user.backup" "$TMPDIR/before"

# ---- answers that do not fit ----

cp "$user" "$TMPDIR/before"
answers "9 x 2 - - $rest user" iterate
check_is "asked again: exit" "$status" 0
check_has "asked again" "$err" "'9' does not fit: answer with a number from 1 to 4"
check_is "and then taken" "$(grep -c '"onFailure": "mini-loop"' "$user")" 3
cp "$user" "$TMPDIR/before"
for lines in "9 9 9 9 $rest user" "- - - - - 5 x -1 1.5 $rest user" \
    "- - $rest nowhere here there"; do
    answers "$lines" iterate
    check_is "never fits ($lines): exit" "$status" 2
    check_has "never fits ($lines): words" "$err" "nothing was saved"
    check "never fits ($lines): nothing saved" cmp -s "$user" "$TMPDIR/before"
done
"$HONE" configure iterate </dev/null >"$out" 2>"$err"
check_is "no answers: exit" "$?" 2
for count in 1 5 12 17; do
    head -n $count <(printf '2\n%.0s' {1..18}) | "$HONE" configure iterate >"$out" 2>"$err"
    check_is "only $count answers: exit" "$?" 2
    check_has "only $count answers: words" "$err" "the answers ended before the last question"
    check "only $count answers: nothing saved" cmp -s "$user" "$TMPDIR/before"
done
printf '\n%.0s' {1..11} >"$TMPDIR/answers"
printf '4\nuser' >>"$TMPDIR/answers"
"$HONE" configure iterate <"$TMPDIR/answers" >"$out" 2>"$err"
check_is "a last line without an end counts" "$?" 0
head -c 100000 /dev/zero | "$HONE" configure iterate >"$out" 2>"$err"
check_is "zeros without end" "$?" 2
head -c 5000 /dev/urandom | "$HONE" configure iterate >"$out" 2>"$err"
check_is "noise" "$?" 2

# ---- files that are odd ----

echo 'not json' >"$project"
answers "4 - $keep5 $keep3 $keep3 project" iterate
check_is "not JSON: exit" "$status" 0
check_is "not JSON: is kept" "$(cat "$project.backup")" "not json"
saved "not JSON: begins anew" "$project" '{"version":2,"phases":{"3":{"onFailure":"stop"}}}'
echo '{"phases":{"3":7,"3":{"onFailure":"proceed"}},"version":1,"version":3}' >"$project"
answers "4 - $keep5 $keep3 $keep3 project" iterate
saved "members of one name" "$project" '{"phases":{"3":{"onFailure":"stop"}},"version":2}'
rm -rf .claude "$TMPDIR/elsewhere"
mkdir "$TMPDIR/elsewhere"
ln -s "$TMPDIR/elsewhere" .claude
answers "4 - $keep5 $keep3 $keep3 project" iterate
check_is "a project's link: exit" "$status" 3
check "a project's link is not followed" test -z "$(ls -A "$TMPDIR/elsewhere")"
rm .claude
mv "$HOME/.claude" "$TMPDIR/dotfiles"
ln -s "$TMPDIR/dotfiles" "$HOME/.claude"
mv "$user" "$TMPDIR/real.json"
ln -s "$TMPDIR/real.json" "$user"
rm "$user.backup"
answers "1 - - $keep5 $keep3 $keep3 user" iterate
check_is "a user's link: exit" "$status" 0
check "a user's link stays one" test -L "$user"
check_has "a user's link is followed" "$TMPDIR/real.json" '"onFailure": "restart"'
check "its backup is beside it" test -f "$TMPDIR/dotfiles/iterate-config.json.backup"
chmod 0 "$TMPDIR/real.json"
if ! test -r "$TMPDIR/real.json"; then
    answers "2 - - $keep5 $keep3 $keep3 user" iterate
    check_is "what cannot be read is not replaced" "$status" 3
fi
chmod 644 "$TMPDIR/real.json"

# ---- at a terminal ----

rm -rf .claude
{ echo 2; printf '\n%.0s' {1..13}; echo project; } >"$TMPDIR/answers"
script -qec "'$HONE' configure iterate" /dev/null <"$TMPDIR/answers" >"$out" 2>&1
check_is "a terminal: exit" "$?" 0
check_has "a terminal: questions" "$out" "What should happen when issues are found?"
saved "a terminal: saved" "$project" '{"version":2,"phases":{"3":{"onFailure":"mini-loop"}}}'

# ---- show, reset, and what makes no sense ----

answers "" iterate --show
check_is "show: exit" "$status" 0
check_has "show" "$out" "phases.3.onFailure"
answers "" --show --json
check "show: json" "$SUPPORT/is_json" whole <"$out"
cp "$project" "$TMPDIR/before"
answers "" iterate --reset
check_is "reset by default both: exit" "$status" 0
check "reset: gone" test ! -e "$project" -a ! -e "$user"
check "reset: kept" cmp -s "$project.backup" "$TMPDIR/before"
answers "" --reset
check_has "nothing to reset" "$out" "nothing to reset"
cp "$TMPDIR/before" "$project"
answers "user" --reset
check_has "the other is not there" "$out" "iterate-config.json is not there"
check "reset of the other leaves this" cmp -s "$project" "$TMPDIR/before"
"$HONE" configure --reset </dev/null >"$out" 2>"$err"
check_is "reset without an answer: exit" "$?" 2
check "reset without an answer: nothing" cmp -s "$project" "$TMPDIR/before"
answers "2" --reset
check "reset of the project" test ! -e "$project"
for arguments in "iterate --json" "review" "--show --reset" "nobody"; do
    # shellcheck disable=SC2086 # a word each
    answers "" $arguments
    check_is "refused ($arguments)" "$status" 2
done

exit $failed
