#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A person at the terminal pauses a run with a key, says a word to the agents that follow, and lets
# it go on. The terminal is left as it was, however the run ends.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
patience=20
. "$TOP/tests/support/tmux.sh"

template=$TMPDIR/template
new_repo "$template"

# begins: a shell in a terminal, and a run in it that waits for $play/go.ROLE.
begins()
{
    copy_of "$template" work
    forget
    rm -f "$play"/go*
    does critic "until [ -e '$play/go' ]; do sleep 0.02; done
if grep -q defect notes.txt; then cat '$play/found'; else cat '$play/clean'; fi"
    does review-fixer "until [ -e '$play/go.fixer' ]; do sleep 0.02; done
sed -i /defect/d notes.txt; echo '# Fix Summary'"
    at_terminal 100 30 "${1:-}"
    modes >"$TMPDIR/before"
    t send-keys -l -- "\"\$HONE\" run review --agent '*=$agent'"
    t send-keys Enter
    until_true 20 shows 'critic .*running'
}

# The run in the terminal of this story: others go on beside it.
run_of_terminal()
{
    pgrep -o -t "$(t display-message -p '#{pane_tty}' | sed 's|^/dev/||')" -f -- "^$HONE run review"
}

as_before()
{
    until_true 20 eval 'modes | cmp -s - "$TMPDIR/before"'
}

# ---- pause, word, on ----

begins
sees "the key is shown" "p pauses"
check_not "what is typed is not shown by the terminal" eval 'modes | grep -qE "(^| )echo( |\$)"'
t send-keys p
sees "the run is paused" "paused: 1 agent finishes, none starts"
touch "$play/go"
sees "the agent at work ends" "paused: no agent starts"
check_is "and what follows does not start" "$(started review-fixer)" 0
t send-keys -l -- 'Prefer sméll fixes.'
t send-keys BSpace
t send-keys -l -- '; "quote" me!'
sees "what is typed is shown" '> Prefer sméll fixes; "quote" me!_'
t send-keys Left Up
t send-keys Enter
sees "it goes on" "review-fixer .*running"
prompt=$play/prompt.review-fixer.1.1
until_true 20 test -s "$prompt"
check_has "the word is in the prompt of the agent that follows" "$prompt" \
    'Prefer sméll fixes; "quote" me!'
check_has "as the person's" "$prompt" "## A word from the person who runs this"
check_not "agents before had none" grep -q "A word from" "$play/prompt.critic.1.1"
"$HONE" log >"$TMPDIR/log"
check_has "it is in the journal" "$TMPDIR/log" 'word: Prefer sméll fixes; "quote" me!'
touch "$play/go.fixer"
sees "the run ends" "clean: the last review found nothing"
check_has "those of the next round have it, too" "$play/prompt.critic.2.1" "Prefer sméll fixes"
check "the terminal is as it was" as_before
hone replay
check_is "the run can be judged again: exit" "$status" 0

# ---- a resume has the word ----

begins
t send-keys p
sees "paused again" "paused: 1 agent finishes"
t send-keys -l -- 'kept word'
t send-keys Enter
sees "and on" "p pauses"
until_true 20 eval '"$HONE" log | grep -q "word: kept word"'
pid=$(run_of_terminal)
kill -KILL "$pid"
check "a run that is killed leaves the terminal as it was" as_before
touch "$play/go" "$play/go.fixer"
hone resume
check_is "its resume: exit" "$status" 0
check_has "agents of the resume have the word" "$play/prompt.critic.1.2" "kept word"

# ---- ends while it is paused ----

begins
t send-keys p
sees "paused, to be stopped" "paused: 1 agent finishes"
t send-keys C-c
sees "Ctrl-C stops it all the same" "hone resume|interrupted|stopped"
check "the terminal is as it was after Ctrl-C" as_before

begins
pid=$(run_of_terminal)
kill -TERM "$pid"
check "and after SIGTERM" as_before

# ---- suspended and continued ----

begins
t send-keys C-z
sees "Ctrl-Z suspends it" "Stopped|suspended"
check "the terminal is as it was meanwhile" as_before
t send-keys -l -- 'fg'
t send-keys Enter
sees "it goes on in the foreground" "critic .*running"
t send-keys p
sees "and can be paused" "paused: 1 agent finishes"
t send-keys Enter
sees "a pause without a word goes on" "p pauses"
touch "$play/go" "$play/go.fixer"
sees "to its end" "clean: the last review found nothing"
check "the terminal is as it was at the end" as_before
check_not "and no agent was told anything" grep -q "A word from" "$play"/prompt.*

# ---- a shell that does not put the terminal right ----

begins dash
pid=$(run_of_terminal)
kill -KILL "$pid"
check "killed under a plain shell, the terminal is as it was" as_before

# ---- keys that are not meant ----

begins
t send-keys -l -- 'git push'
until_true 1 false
check_not "a p among other keys pauses nothing" shows "paused"
touch "$play/go" "$play/go.fixer"
sees "and the run ends" "clean: the last review found nothing"
t kill-server 2>/dev/null

# ---- where there is no person ----

copy_of "$template" work
forget
hone run review --agent "*=$agent" </dev/null
check_is "without a terminal there are no keys: exit" "$status" 0
check_not "and nothing is said of them" grep -q pauses "$err"

exit "$failed"
