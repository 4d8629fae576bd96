#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A question that is put to a person at a terminal: what is shown, what is understood, and that the
# run goes on behind the answer.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
git -C "$template" commit -q -a -m all
socket=$TMPDIR/tmux
# A session that stays: a server that ends with its last one may not be there for the next.
tmux -S "$socket" -f /dev/null new-session -d -s stays "exec sleep 600"

on_screen()
{
    tmux -S "$socket" capture-pane -p -t ask | grep -qF -- "$1"
}

# asked NAME: a run of one cycle, which does not pass, in a terminal of its own.
asked()
{
    forget
    copy_of "$template" "$1"
    does spec-reviewer 'if grep -q fixed notes.txt; then echo "## Grade: PASS"
else echo "notes.txt:1 - not yet"; echo; echo "## Grade: WARN"; fi'
    does spec-fixer 'echo fixed >>notes.txt; echo done'
    does implementer 'echo built >built.txt; echo done'
    tmux -S "$socket" -f /dev/null new-session -d -s ask -x 100 -y 30 \
        "'$HONE' run cycles 'the question' --cycles 1 --no-sandbox --agent '*=$agent'; \
         echo ended with \$?; exec sleep 600"
    check "$1: the question is put" until_true 60 on_screen "What now?"
}

goes_on()
{
    asked continued
    check "what is open is said" on_screen "STAGE_FAILED"
    check_not "how to answer from elsewhere is not" on_screen "hone answer"
    check "with the choices" on_screen "one more round"
    check_not "a restart is not among them" on_screen "restart"
    hone status
    check_has "and others are told where it asks" "$out" \
        "next       answer where the run was started"
    check "and what it is about" on_screen "notes.txt:1 - not yet"
    tmux -S "$socket" send-keys -t ask nonsense Enter
    check "nonsense is told what is none" \
        until_true 60 on_screen "none of them: continue, accept or"
    tmux -S "$socket" send-keys -t ask cont Enter
    check "a beginning is enough, nonsense is not" until_true 60 on_screen "ended with 0"
    check_is "there was one more cycle" "$(started spec-reviewer)" 2
    tmux -S "$socket" kill-session -t ask
}

ends()
{
    asked stopped
    tmux -S "$socket" send-keys -t ask stop Enter
    check "stop ends it with findings" until_true 60 on_screen "ended with 1"
    tmux -S "$socket" kill-session -t ask

    asked left
    tmux -S "$socket" send-keys -t ask C-d
    check "no answer leaves the question open" until_true 60 on_screen "ended with 1"
    tmux -S "$socket" kill-session -t ask
    hone answer accept
    check_is "it can be answered later" "$status" 1
    check_has "what was accepted is passed over" "$out" "your settings let the run end in spite of"
}

# Verbs that wait for input say so to a user at the keyboard, and to no program.
waits()
{
    local words=$1
    shift
    tmux -S "$socket" -f /dev/null new-session -d -s ask -x 100 -y 30 \
        "'$HONE' $*; echo ended with \$?; exec sleep 600"
    check "$*: says that it waits" until_true 60 on_screen "$words"
    tmux -S "$socket" send-keys -t ask C-d
    check "$*: ends with the input" until_true 60 on_screen "ended with"
    tmux -S "$socket" kill-session -t ask
    "$HONE" "$@" </dev/null >"$out" 2>"$err"
    check_not "$*: a program is not told" grep -qF "$words" "$out" "$err"
}

goes_on
ends
waits "an MCP client starts this" mcp
waits "reads what you type" check r1
tmux -S "$socket" kill-server 2>/dev/null
exit "$failed"
