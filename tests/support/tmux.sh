# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# tmux.sh - for stories of a person at a terminal: tmux plays it. Sourced after play.sh.
patience=${patience:-60}

t()
{
    LC_ALL=C.UTF-8 tmux -u -S "$TMPDIR/tmux" -f /dev/null "$@"
}

# at_terminal COLUMNS ROWS COMMAND: a terminal of its own, with that on it: a shell, mostly, whose
# prompt is awaited. What is in tmux_env goes into its environment.
at_terminal()
{
    t kill-server 2>/dev/null
    until_true 20 eval '! t list-sessions 2>/dev/null'
    # A server that ends may take a client with it.
    until_true 20 t new-session -d -x "$1" -y "$2" \
        "env HONE='$HONE' PS1='% ' LC_ALL=C.UTF-8 ${tmux_env:-} ${3:-bash --norc --noprofile -i}"
    t set-option -g history-limit 5000
    until_true 20 shows '%'
}

closes()
{
    t kill-server 2>/dev/null
}

# To be called at the end of a story that has several terminals at once.
closes_all()
{
    local socket
    for socket in "$TMPDIR"/tmux "$TMPDIR"/*/tmux; do
        [ ! -S "$socket" ] || tmux -S "$socket" kill-server 2>/dev/null
    done
}

# enters TEXT: typed, with Enter.
enters()
{
    t send-keys -l -- "$1"
    t send-keys Enter
}

# What is on the screen; and with everything that was scrolled away, blanks at line ends cut.
screen()
{
    t capture-pane -p -J | sed 's/ *$//'
}

everything()
{
    t capture-pane -p -J -S - | sed 's/ *$//'
}

shows()
{
    screen | grep -qE -- "$1"
}

# has_shown COUNT PATTERN: lines, of all that is there.
has_shown()
{
    [ "$(everything | grep -cE -- "$2")" = "$1" ]
}

# sees NAME PATTERN: sooner or later it is on the screen. After a first failure much will not come.
sees()
{
    if until_true "$patience" shows "$2"; then
        ok "$1"
    else
        patience=2
        not_ok "$1: '$2' is not on the screen:"
        screen | sed 's/^/    | /'
    fi
}

# once NAME PATTERN: there is exactly one such line, sooner or later.
once()
{
    if until_true "$patience" has_shown 1 "$2"; then
        ok "$1"
    else
        patience=2
        not_ok "$1: not once: '$2':"
        everything | grep . | tail -40 | sed 's/^/    | /'
    fi
}

# modes: how the terminal is, by its own word.
modes()
{
    stty -a <"$(t display-message -p '#{pane_tty}')" | tr ';' '\n' | grep -v speed
}

# What a program could have left changed.
settings_of_terminal()
{
    t display-message -p '#{alternate_on} #{cursor_flag} #{wrap_flag} #{insert_flag} #{origin_flag}
#{scroll_region_upper} #{scroll_region_lower} #{keypad_flag} #{mouse_any_flag} #{pane_title}'
}
