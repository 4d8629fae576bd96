#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A person watches a run, in a terminal that tmux plays: who runs, what they found, what was fixed;
# through resizing, suspending, killing and hostile words. Off a terminal there are plain lines.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/tmux.sh"

template=$TMPDIR/template
new_repo "$template"
escape=$(printf '\033')

# What stands in a view and nowhere else.
block='running [0-9]+:[0-9]|round [0-9]+ of [0-9]| · (starting|[0-9]+:[0-9][0-9])$'

# ---- a terminal ----

# terminal COLUMNS ROWS: with a shell in the workspace, and nothing on it but a prompt.
terminal()
{
    copy_of "$template" work
    forget
    rm -f "$play"/go "$play"/go.*
    runs="\"\$HONE\" run review --agent '*=$agent'"
    at_terminal "$1" "$2"
}

# ended NAME: the run is over and the shell is back; nothing of a view is left.
ended()
{
    sees "$1: the end" '^files: '
    sees "$1: the prompt" '^%$'
    if has_shown 0 "$block"; then
        ok "$1: no view is left"
    else
        not_ok "$1: something of a view is left:"
        everything | grep . | tail -40 | sed 's/^/    | /'
    fi
}

# No agent answers before there is a file go, or go.ROLE. The critic finds what the fixer mends.
patient_agents()
{
    local role wait='until [ -e "$play/go" ] || [ -e "$play/go.$HONE_ROLE" ]; do sleep 0.05; done'
    for role in $reviewers; do does "$role" "$wait; cat \"\$play/clean\""; done
    does critic "$wait
$sees"
    does review-fixer "$wait; sed -i /defect/d notes.txt; echo '# Fixed: the word'"
}

# ---- stories ----

watched()
{
    terminal 100 30
    patient_agents
    enters "$runs"
    sees "watched: which round" '^review · run [a-z0-9]+ · round 1 of 5 · [0-9]+:[0-9][0-9]$'
    sees "watched: who runs" '^  critic +cmd:.* running [0-9]:[0-9][0-9]$'
    sees "watched: the last of them" '^  silent-failure-hunter +cmd:.* running [0-9]:[0-9][0-9]$'
    check_is "watched: five of them" "$(screen | grep -c ' running ')" 5
    sees "watched: how long" '^  silent-failure-hunter +cmd:.* running [0-9]:(0[2-9]|[1-5][0-9])$'
    touch "$play/go.pedant"
    sees "watched: one is done" '^  pedant +cmd:.* clean \(.*\)$'
    check_is "watched: four run" "$(screen | grep -c ' running ')" 4
    touch "$play/go.critic"
    sees "watched: one found something" '^  critic +cmd:.* 1 finding \(.*\)$'
    sees "watched: in all" '^  found 1 · fixed 0 · left 1$'
    check "watched: each row is there once" has_shown 1 '^  critic '
    for role in witness security-reviewer silent-failure-hunter; do touch "$play/go.$role"; done
    sees "watched: the round stays" '^round 1  1 finding: critic 1 \(.*\)$'
    sees "watched: somebody mends" '^  review-fixer +cmd:.* running '
    sees "watched: it says so" ' · round 1 of 5 · fixing · '
    touch "$play/go"
    ended "watched"
    once "watched: the first round" '^round 1  1 finding: critic 1 \(.*\)$'
    once "watched: its repair" '^round 1  review-fixer done \(.*\)$'
    once "watched: the second round" '^round 2  clean, 1 fixed \(.*\)$'
    once "watched: the reason" \
        '^clean: the last review found nothing, with no proof of reading \(run .*, 2 rounds, .*\)$'
    once "watched: what came of it" '^found 1, fixed 1, left 0; no cost reported$'
    once "watched: where it is" '^files: \.agents/tmp/phases; each finding: hone findings [a-z0-9]'
    closes
}

# An agent that says how far it is: in the view with a bar, in JSON, in plain lines, in hone status.
# shellcheck disable=SC2016 # for the agent's shell
far='echo "far: 3 of 4 files, 1 of 2 tests" >&2; until [ -e "$play/go" ]; do sleep 0.05; done
cat "$play/clean"'

progress()
{
    terminal 100 24
    does critic "$far"
    enters "$runs"
    sees "progress: a bar" '^  critic .* running .*\[#######   \] 3 of 4 files, 1 of 2 tests$'
    "$HONE" status >"$out"
    check_has "progress: in hone status" "$out" "[#######   ] 3 of 4 files, 1 of 2 tests"
    "$HONE" status --json >"$out"
    check_is "progress: for programs" \
        "$(jq -c '[.lanes[0].jobs[] | select(.role == "critic") | .progress[0]]' "$out")" \
        '[{"done":3,"total":4,"of":"files"}]'
    touch "$play/go"
    ended "progress"
    terminal 40 24
    does critic "$far"
    enters "$runs"
    sees "progress: little room" '^  critic .* 75%$'
    touch "$play/go"
    ended "progress, narrow"
    closes
    rm "$play/go"
    "$HONE" run review --agent "*=$agent" --json >"$TMPDIR/progress.json" 2>/dev/null &
    check "progress: an event" until_true "$patience" grep -q '"event":"progress"' \
        "$TMPDIR/progress.json"
    touch "$play/go"
    wait
    check_is "progress: whose" \
        "$(jq -c 'select(.event == "progress") | [.role, .who, .progress[1].of]' \
            "$TMPDIR/progress.json")" '["critic","far","tests"]'
    rm "$play/go"
    "$HONE" run review --agent "*=$agent" >/dev/null 2>"$TMPDIR/progress.txt" &
    check "progress: a line" until_true "$patience" grep -q 'critic  *3 of 4 files, 1 of 2 tests' \
        "$TMPDIR/progress.txt"
    touch "$play/go"
    wait
}

# The newest time that stands in the first line of the view.
clock()
{
    screen | grep -oE ' · [0-9]+:[0-9][0-9]$' | tail -n 1
}

clock_is_not()
{
    [ "$(clock)" != "$1" ]
}

# A terminal that is resized while bytes are on their way to it cannot be drawn right.
# The view draws each second: right behind a drawing there is the longest time until the next.
drawn()
{
    local before
    before=$(clock)
    until_true "$patience" clock_is_not "$before"
}

# resizes WIDTH...: one after the other, each drawn before the next comes.
resizes()
{
    local width
    for width in "$@"; do
        drawn
        t resize-window -x "$width" -y "${rows:-24}"
    done
    drawn
}

# drags WIDTH...: as a person drags the window, one width behind the other. tmux tells a program
# of a change at once, but not of the next one before a quarter of a second has passed.
drags()
{
    local width
    drawn
    for width in "$@"; do t resize-window -x "$width" -y "${rows:-24}"; done
    drawn
}

resized()
{
    terminal 160 24
    patient_agents
    enters "$runs"
    sees "resized: it runs" 'round 1 of 5'
    drags 82 120 81 160 100
    once "resized: one view" '^review · .*round 1 of 5'
    once "resized: one row each" '^  critic .* running '
    touch "$play/go"
    ended "resized"
    once "resized: the line above it" '^run .* begins: '

    terminal 90 50 # narrower than its lines, with the cursor at the bottom, where it mostly is
    patient_agents
    enters "seq 60; $runs"
    sees "folded: it runs" 'round 1 of 5'
    rows=50 resizes 50 30 70 25 19 90 41
    sees "folded: as it fits" '^review · round 1 of 5 · [0-9]:[0-9][0-9]$'
    once "folded: one row each" '^  critic +running [0-9]:'
    rows=50 resizes 90
    once "folded: one view" '^review · .*round 1 of 5'
    touch "$play/go"
    ended "folded"
    once "folded: the lines above are there" '^60$'
    once "folded: all of them" '^run .* begins: '

    # A lower screen pushes rows of the view above its top; they go when it grows again.
    terminal 60 20
    patient_agents
    enters "seq 60; $runs"
    sees "lower: it runs" 'round 1 of 5'
    rows=20 resizes 30
    rows=5 resizes 30
    sees "lower: as it fits" 'and [0-9] more'
    rows=14 resizes 60
    sees "lower: it grew" '^  silent-failure-hunter'
    check_is "lower: no fragment stays" "$(screen | grep -c '^review · ')" 1
    check_is "lower: nor of its rows" "$(screen | grep -c '^  critic ')" 1
    touch "$play/go"
    ended "lower"

    terminal 15 5
    patient_agents
    touch "$play/go"
    enters "$runs"
    until_true "$patience" eval "everything | grep -q 'files: '"
    check "tiny: the end" eval "everything | grep -q '^clean: the last'"
    closes
}

killed()
{
    local before
    terminal 100 24
    patient_agents
    t select-pane -T mine
    enters "stty -a >'$TMPDIR/stty.before'; clear"
    until_true 20 test -s "$TMPDIR/stty.before"
    before=$(settings_of_terminal)
    enters "sh -c 'echo \$\$ >\"$TMPDIR/pid\"; exec \"\$HONE\" run review --agent \"*=$agent\"'"
    sees "killed: it runs" '^  critic .* running '
    check_is "killed: no mode is changed while it runs" "$(settings_of_terminal)" "$before"
    kill -KILL "$(cat "$TMPDIR/pid")"
    sees "killed: the prompt has a line of its own" '^%$'
    enters "stty -a >'$TMPDIR/stty.after'; echo ty''ped"
    sees "killed: what is typed is seen" "^% stty -a >.*echo ty''ped\$"
    sees "killed: and done" '^typed$'
    check "killed: the line is as before" cmp "$TMPDIR/stty.before" "$TMPDIR/stty.after"
    check_is "killed: and the terminal" "$(settings_of_terminal)" "$before"
    touch "$play/go"
    enters 'clear; "$HONE" resume'
    sees "killed: resumed" '^files: '
    closes
}

stopped()
{
    terminal 100 24
    patient_agents
    enters "$runs"
    sees "stopped: it runs" '^  critic .* running '
    t send-keys C-z
    sees "suspended: the shell is there" '^\[1\]\+ +Stopped'
    enters 'clear; echo mean''while'
    sees "suspended: and free" '^meanwhile$'
    check "suspended: nothing is drawn" eval "! shows '$block'"
    enters 'fg'
    sees "continued: the view" '^  critic .* running '
    check "continued: below what was done" eval "screen | sed -n '/meanwhile/,\$p' | grep -q critic"
    t send-keys C-c
    sees "interrupted: it is said" '^hone: stopping: the agents are told to end'
    sees "interrupted: the end" '^interrupted \(run '
    sees "interrupted: the way on" '^continue with: hone resume '
    check_not "interrupted: nobody is blamed" eval "everything | grep -q 'was stopped'"

    enters 'clear; "$HONE" resume &'
    sees "in the background: it runs" 'run .* goes on: '
    enters 'echo un''harmed'
    sees "in the background: the shell is not disturbed" '^unharmed$'
    check_not "in the background: nothing is drawn" shows "$block"
    enters fg
    sees "in the foreground: the view" '^  critic .* running .*, try 2$'
    touch "$play/go"
    sees "in the foreground: the end" '^files: '
    closes
}

hostile()
{
    local words
    words=$(printf '\033]2;owned\007\033[2J\033[31;1Hroot')
    terminal 100 24
    t select-pane -T mine
    printf '%s' "$words" >"$play/words"
    patient_agents
    does pedant 'cat "$play/words"'
    does witness 'cat "$play/words" >&2; exit 3'
    cat >"$play/start" <<END
exec "$HONE" run review "task \$(cat '$play/words')" --agent "*=$agent" \\
    --agent "security-reviewer=cmd:: '\$(cat "$play/words")'; exec '$play/agent'"
END
    enters "sh '$play/start'"
    sees "hostile: the task" '^run .* begins: review: task \\x1b\]2;owned\\x07\\x1b\[2J'
    sees "hostile: an agent's name" "^  security-reviewer +cmd:: '.x1b\]2;owned"
    sees "hostile: what was wrong" '^round 1  witness failed .*ended with status 3: .x1b\]2;'
    check_is "hostile: the title" "$(t display-message -p '#{pane_title}')" mine
    touch "$play/go"
    sees "hostile: the end" '^files: '
    check_is "hostile: the title at the end" "$(t display-message -p '#{pane_title}')" mine
    check "hostile: what was there is there" eval "everything | grep -q '^% sh '"
    closes
}

at_once()
{
    terminal 100 24
    patient_agents
    "$HONE" run review --quiet --agent "*=$agent" >"$out" 2>&1 &
    until_true "$patience" test -s "$play/log"
    # It is there for a third of a second: all that comes to the terminal is kept, and looked at.
    t pipe-pane "cat >'$TMPDIR/came'"
    enters "$runs"
    check "at once: it says that it starts" until_true "$patience" eval \
        "sed 's/${escape}[[][0-9]*[A-Z]*m*//g' '$TMPDIR/came' | grep -q 'review · starting · 0:0'"
    sees "at once: then why not" '^hone: run [a-z0-9]+ is at work in this workspace'
    check "at once: nothing else is left" has_shown 0 "$block"
    touch "$play/go"
    wait
    closes
}

# recorded COMMAND: what it writes to a terminal of its own, every byte, in $out.
recorded()
{
    copy_of "$template" work
    script -qec "$1" /dev/null >"$out" 2>&1 </dev/null
}

# Rounds that end as fast as they can; drawings begin with the same bytes.
paced()
{
    local begin end frames
    forget
    does critic 'cat "$play/found"'
    begin=$(date +%s%N)
    TERM=xterm recorded "'$HONE' run review --max-iterations 12 --agent '*=$agent'"
    end=$(date +%s%N)
    frames=$(grep -aoF "$(printf '\r\033[K')" "$out" | wc -l)
    check "paced: $frames drawings in $(((end - begin) / 1000000)) ms are ten a second at most" \
        test "$frames" -le $(((end - begin) / 100000000 + 2))
    check "paced: and there are some" test "$frames" -ge 4
    check_is "paced: each round has its line" "$(grep -ac '^.*round [0-9]*  .*1 finding' "$out")" 12
    check_not "paced: nothing but lines, colors and ups and downs" \
        eval "sed -E 's/$escape\\[[0-9]*[ABKm]//g' '$out' | grep -qa '$escape'"
}

# plain NAME COMMAND: lines as they are off a terminal.
plain()
{
    recorded "$2"
    check_not "$1: no escapes" grep -qa "$escape" "$out"
    check_has "$1: plain lines" "$out" "R1 round 1  critic                starts"
    check_has "$1: the end" "$out" "clean: the last review found nothing"
}

not_watched()
{
    local run="'$HONE' run review --agent '*=$agent'"
    export TERM=xterm
    forget
    NO_COLOR=1 plain "NO_COLOR" "$run"
    plain "--no-color" "$run --no-color"
    TERM=dumb plain "TERM=dumb" "$run"
    TERM='' plain "TERM is empty" "$run"
    FORCE_COLOR=1 NO_COLOR=1 plain "FORCE_COLOR and NO_COLOR" "$run"
    (unset TERM && plain "TERM is not set" "$run" && exit $failed) || failed=1
    plain "standard error to a pipe" "$run --no-color 2>&1 | cat"

    NO_COLOR='' recorded "$run"
    check "NO_COLOR is empty: a view" grep -qa 'starting' "$out"
    for force in FORCE_COLOR CLICOLOR_FORCE; do
        copy_of "$template" work
        env "$force=1" "$HONE" run review --agent "*=$agent" >"$out" 2>"$err"
        check_has "$force in a file: colors" "$err" "${escape}[32mclean${escape}[0m"
        check_not "$force in a file: no view" grep -qE "$escape\\[[0-9]*[A-Z]|round 1 of" "$err"
        check_not "$force: none in the result" grep -q "$escape" "$out"
    done
    recorded "$run --quiet"
    check_not "--quiet: no view" grep -qa "starting" "$out"
    check_is "--quiet: the end only" "$(grep -c . "$out")" 4
    recorded "$run --json"
    check_not "--json: no view" grep -qa "$escape" "$out"
    check_has "--json: events" "$out" '"event":"finish"'
}

# The end, in words and as data.
ends()
{
    copy_of "$template" work
    forget
    does critic "$sees"
    hone run review --max-iterations 1 --agent "*=$agent"
    check_has "findings are left: in words" "$out" "found 1, fixed 0, left 1; no cost reported"
    mkdir deep && cd deep || exit 1
    hone run review --max-iterations 1 --agent "*=$agent"
    check_has "below the top: where the files are" "$out" "files: $TMPDIR/work/.agents/tmp/phases;"
    cd .. || exit 1
    does review-fixer "sed -i /defect/d notes.txt; echo '# Fixed: the word'"
    hone run review --json --agent "*=$agent"
    tail -n 1 "$out" >"$TMPDIR/last"
    for member in '"found":1' '"fixed":1' '"left":0' '"findings_left":0' '"cost":null' \
        "\"files\":\"$TMPDIR/work/.agents/tmp/phases\"" '"rounds":2' '"took_ms":'; do
        check_has "as data: $member" "$TMPDIR/last" "$member"
    done
    hone resume
    check_has "told again: in words" "$out" "found 1, fixed 1, left 0"
    printf '{"role":"critic","answer":%s}\n{"role":"*","answer":%s}\n' "$clean" "$clean" \
        >"$play/script"
    hone run review --agent "*=script:$play/script"
    check_has "scripts: in words" "$out" "found 0, fixed 0, left 0; cost nothing"
    check_not "scripts: no findings to look at" grep -q "hone findings" "$out"
}

trap 'exit 1' TERM
trap closes_all EXIT
command -v tmux >/dev/null || {
    not_ok "tmux is not installed: run tools/install-deps"
    exit 1
}
together watched resized killed stopped progress
together hostile at_once paced not_watched ends
exit "$failed"
