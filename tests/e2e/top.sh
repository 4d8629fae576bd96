#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A person watches runs on the whole terminal: the list, one run, one attempt; keys, acts, sizes,
# hostile words. And the terminal is as it was, however hone top ends.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/tmux.sh"

template=$TMPDIR/template
new_repo "$template"
escape=$(printf '\033')

# ---- a terminal, and runs in it ----

# What an agent does that waits for a file go, or go.ROLE.
# shellcheck disable=SC2016 # for the agent's shell
waits='until [ -e "$play/go" ] || [ -e "$play/go.$HONE_ROLE" ]; do sleep 0.05; done'

# A workspace whose newest run is at work: two of its agents wait, one says how far it is.
scene()
{
    copy_of "$template" work
    forget
    rm -f "$play"/go "$play"/go.*
    "$HONE" run review "the first one" --agent "*=$agent" >/dev/null 2>&1
    does critic "echo 'far: 3 of 4 files, 1 of 2 tests' >&2; echo 'I look at notes.txt' >&2; $waits
cat \"\$play/found\""
    does pedant "$waits; cat \"\$play/clean\""
    begins "the second one"
}

# begins TASK: a run that goes on beside us.
begins()
{
    "$HONE" run review "$1" --agent "*=$agent" --budget usd=5,calls=40 --max-iterations 2 \
        >"$TMPDIR/beside" 2>&1 &
    beside=$!
    until_true "$patience" eval "'$HONE' status | grep -q 'running  *critic'"
}

# The name of the newest run.
newest()
{
    "$HONE" list --json | jq -r '.runs[0].run'
}

# top_begins COLUMNS ROWS [SHELL]: a shell in the workspace, and hone top in it. What is in
# top_options is for it.
top_begins()
{
    at_terminal "$1" "$2" "${3:-}"
    t select-pane -T mine
    modes >"$TMPDIR/modes"
    before=$(settings_of_terminal)
    enters "echo before; sh -c 'echo \$\$ >\"$TMPDIR/pid\"; exec \"\$HONE\" top ${top_options:-}'"
    until_true "$patience" shows '^hone top|quits' || screen
    keeper=$(cat "$TMPDIR/pid")
    child=$(pgrep -P "$keeper")
}

keys()
{
    t send-keys "$@"
}

# as_before NAME: hone top is gone, nothing of it is left, and what is typed shows and is done.
as_before()
{
    if until_true "$patience" eval 'modes | cmp -s - "$TMPDIR/modes"'; then
        ok "$1: the modes"
    else
        not_ok "$1: the modes are not as they were: $(modes | diff - "$TMPDIR/modes" | tr '\n' ' ')"
    fi
    enters "echo 'be''hind'"
    sees "$1: what is typed is done" '^behind$'
    sees "$1: and seen" "echo 'be''hind'"
    check_is "$1: screen, cursor, mouse" "$(settings_of_terminal)" "$before"
    [ "${2:-}" = cleared ] || sees "$1: what stood there is there" '^before$'
}

has_ended()
{
    ! kill -0 "$keeper" && ! kill -0 "$child"
} 2>/dev/null

run_ends()
{
    touch "$play/go"
    wait "$beside"
}

# ---- the pages ----

pages()
{
    scene
    top_begins 100 30
    sees "list: the run at work first" "^ $(newest) +review +running +R1 +1 of 2 .*the second one"
    sees "list: one that ended" '^ [a-z0-9]+ +(review +)?clean .* the first one$'
    sees "list: how many" '^hone top · .*/work · 1 at work, 1 ended$'
    sees "list: the keys" '^ q quits  \? helps  Enter opens  s stops  / finds  f filters$'
    check_is "list: as many lines as the screen has" "$(screen | wc -l)" 30
    keys Enter
    sees "run: which" \
        "^hone top · review · run $(newest) · running · round 1 of 2 · [0-9]:[0-9][0-9]$"
    sees "run: its task" '^ task +the second one$'
    sees "run: its budget" '^ budget +\[ +\] \$0\.00 of \$5\.00 spent'
    sees "run: of calls, too" '^ +\[## +\] 5 of 40 calls spent, 35 left$'
    sees "run: who is at work" '^ +[0-9]-1 +critic .* running [0-9]:[0-9][0-9] .*3 of 4 files'
    sees "run: who has ended" '^ +[0-9]-1 +witness .* clean \('
    sees "run: the round" '^ R1 +1 +at work$'
    keys G k k k k
    keys '/' critic Enter
    sees "run: only what holds a word" "only 'critic'"
    check_not "run: nothing else" shows '^ +[0-9]-1 +witness'
    keys Enter
    sees "attempt: which" '^hone top · review · run .* · attempt 1-1 '
    sees "attempt: what it says" '^ I look at notes.txt$'
    sees "attempt: on both" '^ far: 3 of 4 files'
    keys Escape
    sees "back: the run" '^ATTEMPT|^ ATTEMPT'
    keys Escape
    sees "back: all attempts" '^ +[0-9]-1 +witness'
    keys Escape
    sees "back: the list" '^hone top · .*/work · 1 at work, 1 ended$'
    keys '?'
    sees "help: its keys" '^ f +runs at work, waiting, with findings left, all$'
    keys '?'
    sees "help: and away" 'the first one$'
    keys f
    sees "filter: at work" ' · only at work$'
    check_not "filter: the other is not shown" shows 'the first one'
    keys f f f
    sees "filter: all" 'the first one$'
    keys '/' first
    sees "search: what is typed" '^ / first_$'
    check_not "search: while it is typed" shows 'the second one'
    keys BSpace BSpace BSpace BSpace BSpace second Enter
    sees "search: another word" "only 'second'"
    sees "search: what fits" 'the second one$'
    keys Escape
    sees "search: away" 'the first one$'
    live
    keys q
    as_before "q"
    closes
}

# What happens is shown while it happens.
live()
{
    keys Enter
    touch "$play/go.pedant"
    sees "live: one has ended" '^ +2-1 +pedant .* clean \('
    touch "$play/go"
    wait "$beside"
    sees "live: the end" '^hone top · review · run .* · rounds used up '
    sees "live: rounds as bars" '^ R1 +2 +(█)+ +1 finding'
    sees "live: the finding" '^ low|^ medium|^ high'
    sees "live: its place" 'notes.txt:2 .*a defect is left'
    check_not "live: nothing of it is left to resume" shows 'r resumes'
    keys r
    sees "live: and that is said" '^ this run is over'
    keys Escape
    begins_anew
    sees "live: a new run is at the top" "^ $(newest) +(review +)?running .*the third one"
    kill -KILL "$beside"
    sees "live: one that was killed" "^ $(newest) +(review +)?crashed .*the third one"
    touch "$play/go"
}

begins_anew()
{
    rm -f "$play"/go "$play"/go.*
    begins "the third one"
}

# Of several repositories each run says whose it is.
several()
{
    copy_of "$template" one
    forget
    "$HONE" run review "of the first" --agent "*=$agent" >/dev/null 2>&1
    copy_of "$template" two
    "$HONE" run review "of the second" --agent "*=$agent" >/dev/null 2>&1
    top_options="'$TMPDIR/one' '$TMPDIR/two'" top_begins 110 20
    sees "several: how many" '^hone top · 2 repositories · 2 ended$'
    sees "several: the first" '^ one +[a-z0-9]+ .* of the first$'
    sees "several: the second" '^ two +[a-z0-9]+ .* of the second$'
    keys /  first Enter Enter
    sees "several: one of them" '^ task +of the first$'
    keys q
    until_true "$patience" has_ended
    closes
}

# ---- sizes ----

sizes()
{
    local size columns rows
    scene
    top_begins 80 24
    for size in 20x10 80x24 200x60 40x4 12x3 80x24; do
        columns=${size%x*} rows=${size#*x}
        t resize-window -x "$columns" -y "$rows"
        check "list at $size: it fits" until_true "$patience" fills "$columns" "$rows"
    done
    sees "list: the run" "^ $(newest)"
    keys Enter
    for size in 20x10 200x60 40x5 80x24; do
        columns=${size%x*} rows=${size#*x}
        t resize-window -x "$columns" -y "$rows"
        check "run at $size: it fits" until_true "$patience" fills "$columns" "$rows"
    done
    sees "run: after all" '^ task +the second one$'
    keys q
    until_true "$patience" has_ended
    run_ends
    closes
}

# fills COLUMNS ROWS: the keys stand in the last line, and something in the first.
fills()
{
    local said
    said=$(t capture-pane -p)
    [ "$(printf '%s\n' "$said" | wc -l)" = "$2" ] && [ -n "$(printf '%s\n' "$said" | head -1)" ] &&
        [ "$(printf '%s\n' "$said" | wc -L)" -le "$1" ] &&
        { [ "$2" -lt 4 ] || printf '%s\n' "$said" | tail -n 1 | grep -q '^ q quits'; }
}

# ---- acts ----

acts()
{
    scene
    top_begins 100 30
    keys s
    sees "stop: it asks" "^ stop run $(newest)\\? y yes, any other key no$"
    keys n
    sees "stop: no" '^ not done$'
    check "stop: it goes on" kill -0 "$beside"
    keys a
    sees "answer: not from the list" '^ open the run with Enter'
    keys s y
    sees "stop: what came of it" "^ stop $(newest): run .* was stopped|^ stop $(newest): run "
    sees "stop: the run" "^ $(newest) +(review +)?interrupted"
    wait "$beside"
    keys r
    sees "resume: it asks" "^ resume run $(newest)\\? y yes"
    keys y
    sees "resume: it is at work" "^ $(newest) +(review +)?running"
    sees "resume: it is said" "^ resume $(newest): it goes on$"
    check_not "resume: no key for it while it is at work" shows 'r resumes'
    keys q
    as_before "with a run that was resumed"
    check "resume: it goes on without us" eval "'$HONE' status | grep -q 'running  *critic'"
    touch "$play/go"
    check "resume: to its end" until_true "$patience" eval "'$HONE' list | grep 'rounds used up'"

    question
    top_options=--read-only top_begins 100 24
    keys s
    sees "read-only: it says so" '^ nothing is changed from here: --read-only'
    check_not "read-only: no such keys" shows 's stops'
    keys q
    until_true "$patience" has_ended
    closes
}

# A run that asks is answered.
question()
{
    rm -f "$play"/go*
    copy_of "$template" work
    git commit -q -a -m all
    forget
    does spec-reviewer 'echo "notes.txt:1 - not yet"; echo; echo "## Grade: WARN"'
    does spec-fixer 'echo fixed >>notes.txt; echo done'
    does implementer 'echo built >built.txt; echo done'
    hone run cycles "ask me" --cycles 1 --no-sandbox --agent "*=$agent"
    check_is "answer: the run waits" "$status" 1
    top_begins 100 30
    sees "answer: it waits in the list" "^ $(newest) +cycles +to decide"
    keys Enter
    sees "answer: the question" '^ question +STAGE_FAILED: '
    sees "answer: its choices" '^ a answers +continue, accept'
    keys a
    sees "answer: a key for each" '^ answer:  c continue  a accept .* s stop$'
    keys x
    check "answer: another key is none" until_true "$patience" shows '^ q quits'
    keys a s
    sees "answer: it asks" "^ answer 'stop' to run $(newest)\\? y yes"
    keys y
    sees "answer: what came of it" "^ answer $(newest): "
    check "answer: it was told" until_true "$patience" eval "'$HONE' log | grep -q 'answer.*stop'"
    keys q
    until_true "$patience" has_ended
}

# ---- hostile words ----

hostile()
{
    local words words_too
    words=$(printf '\033]2;owned\007\033[2J\033[31;1Hroot')
    copy_of "$template" work
    forget
    words_too='\033]2;owned\007\033[2J\033[1;1Hgone \342\200\256rtl \377bad 日本語\n'
    does critic "printf '$words_too' >&2
printf 'said \\033[31mred\\n'; $waits; cat \"\$play/clean\""
    begins "wide 日本語 $words"
    top_begins 80 24
    sees "hostile: the task" 'wide 日本語 .x1b\]2|wide 日本'
    keys Enter
    sees "hostile: it is said in full" \
        '^ task +wide 日本語 .x1b\]2;owned.x07.x1b\[2J.x1b\[31;1Hroot$'
    keys '/' critic Enter Enter
    sees "hostile: what it says" '^ said .x1b\[31mred$'
    sees "hostile: in an error" \
        '^ .x1b\]2;owned.x07.x1b\[2J.x1b\[1;1Hgone .u.202e.rtl .xffbad 日本語$'
    check_is "hostile: the title" "$(t display-message -p '#{pane_title}')" mine
    keys q
    as_before "hostile"
    closes
    tmux_env="LC_ALL=C" top_begins 80 24
    keys Enter
    sees "ASCII: what is beyond is named" '^ task +wide .u.65e5..u.672c.'
    check "ASCII: the separator" shows '^hone top - review - run'
    keys q
    until_true "$patience" has_ended
    closes
    tmux_env="NO_COLOR=1" top_begins 80 24
    keys Enter
    sees "NO_COLOR: it is shown" '^ task +wide'
    check_not "NO_COLOR: no colors" \
        eval "t capture-pane -p -e | grep -qE '$escape\\[[0-9;]*3[1-6]m'"
    keys q
    until_true "$patience" has_ended
    closes
    top_begins 80 24
    keys Enter
    sees "color: it is shown" '^ task +wide'
    check "color: by default" eval "t capture-pane -p -e | grep -qE '$escape\\[[0-9;]*3[1-6]m'"
    keys q
    until_true "$patience" has_ended
    run_ends
    closes
}

# ---- ends ----

# ends_by NAME SIGNAL WHOM [SHELL]
ends_by()
{
    top_begins 80 24 "${4:-}"
    kill "-$2" "${!3}"
    check "$1: both have ended" until_true "$patience" has_ended
    as_before "$1"
}

# The window is closed, or the line is cut: it ends by itself, and at once.
gone()
{
    at_terminal 80 24
    enters "sh -c 'echo \$\$ >\"$TMPDIR/pid\"; exec \"\$HONE\" top 2>\"$TMPDIR/said\"'"
    sees "a terminal that goes: before" '^hone top'
    keeper=$(cat "$TMPDIR/pid")
    child=$(pgrep -P "$keeper")
    closes
    check "a terminal that goes: both have ended" until_true "$patience" has_ended
    check_is "a terminal that goes: what draws was not killed" "$(cat "$TMPDIR/said")" ""
}

ended()
{
    local signal shell
    # A signal that is sent is no fault of the program: no sanitizer reports it.
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0"
    scene
    gone
    for shell in '' dash; do
        for signal in TERM HUP INT KILL SEGV; do
            ends_by "${shell:-bash}: $signal to what draws" "$signal" child "$shell"
        done
        for signal in TERM HUP INT; do
            ends_by "${shell:-bash}: $signal to the keeper" "$signal" keeper "$shell"
        done
        ends_by "${shell:-bash}: KILL to the keeper" KILL keeper "$shell"
    done
    top_begins 80 24
    keys C-c
    as_before "Ctrl-C"
    enters 'echo "status $?"; "$HONE" top'
    sees "again" '^hone top'
    keys q
    enters 'clear; echo "status $?"'
    sees "q: its exit status" '^status 0$'
    top_begins 80 24
    kill -KILL "$child"
    sees "killed: it says so" \
        '^hone: what draws was ended by signal 9 \(Killed\); the terminal is as it was'
    top_begins 80 24
    kill -STOP "$child" # and it does not listen
    sees "stopped from outside: the shell is there" 'Stopped'
    as_before "stopped from outside"
    enters 'clear; fg'
    sees "stopped from outside: and on" '^hone top · '
    keys q
    as_before_stopped
    run_ends
    closes
}

as_before_stopped()
{
    check "and its end" until_true "$patience" has_ended
    check "the modes are as they were" until_true "$patience" eval \
        'modes | cmp -s - "$TMPDIR/modes"'
}

suspended()
{
    scene
    top_begins 80 24
    for round in 1 2; do
        keys C-z
        sees "suspended $round: the shell is there" '^\[1\]\+ +Stopped'
        as_before "suspended $round" cleared
        enters 'clear; fg'
        sees "continued $round: it is drawn" "^ $(newest) +"
        keys Down Up Enter
        sees "continued $round: it takes keys" '^ task +the second one$'
        keys Escape
        # Ctrl-Z drops the keys before it that were not taken.
        sees "continued $round: the list again" '^hone top · .* · 1 at work, 1 ended$'
    done
    keys C-z
    sees "in the background: suspended" '^\[1\]\+ +Stopped'
    enters 'clear; bg; echo un''harmed'
    sees "in the background: the shell is not disturbed" '^unharmed$'
    check_not "in the background: nothing is drawn" shows '^hone top'
    enters 'fg'
    sees "in the foreground again" '^hone top'
    t resize-window -x 60 -y 20
    check "in another size" until_true "$patience" fills 60 20
    kill -STOP "$keeper"
    # What the shell says of it stands on the screen that goes.
    check "the keeper alone is stopped: the screen is put back" until_true "$patience" eval \
        '[ "$(t display-message -p "#{alternate_on}")" = 0 ]'
    enters 'clear; jobs; echo un''harmed'
    sees "and the shell has it as a job" '^.1.. *Stopped'
    sees "and can be used" '^unharmed$'
    check "and is not drawn over" until_true "$patience" eval '! shows "^hone top"'
    enters 'fg'
    sees "and it goes on" '^hone top'
    keys q
    check "to its end" until_true "$patience" has_ended
    run_ends
    closes
}

# A run with lanes: what is at work is shown first, and a round says whose it is.
lanes()
{
    copy_of "$template" work
    git commit -qam second
    forget
    rm -f "$play"/go "$play"/go.*
    printf '%s\n' '- [ ] shop: Add a shop' '- [ ] page: Add a page' >"$TMPDIR/tasks.md"
    does builder "echo x >\"\$HONE_TASK_ID.txt\"; [ \$HONE_TASK_ID = shop ] || { $waits; }
echo TASK_COMPLETE"
    does loop-reviewer 'echo "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}"'
    does run-reviewer 'echo "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}"'
    "$HONE" run loops --tasks "$TMPDIR/tasks.md" --agent "*=$agent" >"$TMPDIR/beside" 2>&1 &
    beside=$!
    until_true "$patience" eval "'$HONE' status | grep -q ' shop .* passed'"
    top_begins 100 40
    keys Enter
    sees "lanes: a round, and whose" '^ build shop +1 +clean \('
    sees "lanes: what is at work" '^ page +running'
    check_is "lanes: it is the first" "$(screen | sed -n '/^ LANES/,/^$/p' | awk '{ print $1 }' |
        xargs)" 'LANES page shop'
    run_ends
    closes
}

# ---- where it cannot be ----

refused()
{
    local term
    scene
    hone top
    one_line "no terminal" 2 "hone status --json"
    check_has "no terminal: why" "$err" \
        "needs a terminal at its standard input and its standard output"
    hone top --json
    one_line "as data" 2 "'hone status --json'"
    for term in dumb '' such-a-terminal; do
        status=$(TERM=$term script -qec "'$HONE' top; echo status \$?" /dev/null 2>&1 </dev/null |
            tr -d '\r' >"$out"; sed -n 's/^status //p' "$out")
        check_is "TERM=$term: exit" "$status" 2
        check_is "TERM=$term: two lines" "$(grep -c . "$out")" 2
        check_has "TERM=$term: what to use" "$out" "'hone status' shows a run in lines"
        check_not "TERM=$term: nothing else is written" grep -q "$escape" "$out"
    done
    mkdir "$TMPDIR/bare" && cd "$TMPDIR/bare" || exit 1
    script -qec "'$HONE' top; echo status \$?" /dev/null 2>&1 </dev/null | tr -d '\r' >"$out"
    check_has "no repository: exit" "$out" "status 2"
    cd "$TMPDIR/work" || exit 1
    run_ends
}

trap 'exit 1' TERM
trap closes_all EXIT
command -v tmux >/dev/null || {
    not_ok "tmux is not installed: run tools/install-deps"
    exit 1
}
together pages lanes several sizes acts refused
together hostile ended suspended
exit "$failed"
