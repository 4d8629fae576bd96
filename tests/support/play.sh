# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# play.sh - for stories whose agents change their ways: one program plays every role, writes down
# that it was started and what it was asked, and then does what a file of commands tells it.
# Sourced after story.sh.

play=$TMPDIR/play
mkdir -p "$play"
cat >"$play/agent" <<'END'
#!/bin/sh
play=${0%/*}
echo "$HONE_ROLE $HONE_ROUND $HONE_ATTEMPT" >>"$play/log"
cat >"$play/prompt.$HONE_ROLE.$HONE_ROUND.$HONE_ATTEMPT"
if [ -e "$play/do.$HONE_ROLE" ]; then
    . "$play/do.$HONE_ROLE"
elif [ "$HONE_ROLE" = review-fixer ]; then
    echo '# Fix Summary'
else
    cat "$play/clean"
fi
END
chmod +x "$play/agent"
# shellcheck disable=SC2154 # of story.sh
printf '%s\n' "$clean" >"$play/clean"
# shellcheck disable=SC2154
printf '%s\n' "$found" >"$play/found"

agent="cmd:$play/agent"
reviewers="critic pedant witness security-reviewer silent-failure-hunter"
# What a reviewer does that reports the word "defect" in notes.txt.
# shellcheck disable=SC2016 # for the agent's shell
sees='if grep -q defect notes.txt; then cat "$play/found"; else cat "$play/clean"; fi'
out=$TMPDIR/out
err=$TMPDIR/err

# does ROLE COMMANDS: from now on ROLE does that. Without commands: what it did at first.
does()
{
    if [ $# = 1 ]; then rm -f "$play/do.$1"; else printf '%s\n' "$2" >"$play/do.$1"; fi
}

# A new story: no agent has been started, every reviewer finds nothing.
forget()
{
    rm -rf "$play"/do.* "$play"/prompt.* "$play"/log "$play"/at
    : >"$play/log"
}

# started ROLE: how often.
started()
{
    grep -c "^$1 " "$play/log"
}

# hone ARGUMENTS...: the program, with its two outputs in files; its exit status in $status.
hone()
{
    timeout -k 5 "${limit:-60}" "$HONE" "$@" >"$out" 2>"$err"
    status=$?
    sed -i '/config.json: rights.tmp true$/d' "$err" # of the home that tests/run makes
}

# copy_of TEMPLATE FOLDER: the folder is made anew and entered.
copy_of()
{
    cd "$TMPDIR" && rm -rf "$2" && cp -R "$1" "$2" && cd "$2" || exit 1
}

# until_true SECONDS COMMAND...: polls; false when the time is over.
until_true()
{
    local left=$(($1 * 20))
    shift
    until "$@"; do
        [ $((left -= 1)) -gt 0 ] || return 1
        sleep 0.05
    done 2>/dev/null
}

# one_line NAME STATUS TEXT: how a refusal looks: its exit status, one line, what it names.
one_line()
{
    check_is "$1: exit" "$status" "$2"
    check_is "$1: one line" "$(grep -c . "$err")" 1
    check_has "$1: words" "$err" "$3"
}

# skip NAME WHY: something that cannot be shown on this machine.
skip()
{
    echo "skipped: $1: $2"
}

# has_sandbox NAME: whether bubblewrap works here; else NAME is skipped.
has_sandbox()
{
    bwrap --ro-bind / / true 2>/dev/null && return
    skip "$1" "bwrap does not work here"
    return 1
}

# together GROUP...: these functions at the same time, each with a folder and agents of its own;
# then what they said, in order.
together()
{
    local group pids=()
    for group in "$@"; do
        (
            TMPDIR=$TMPDIR/$group
            mkdir -p "$TMPDIR"
            # shellcheck source=/dev/null
            . "$TOP/tests/support/play.sh"
            forget
            "$group"
            exit "$failed"
        ) >"$TMPDIR/$group.said" 2>&1 &
        pids+=($!)
    done
    for group in "$@"; do
        wait "${pids[0]}" || failed=1
        pids=("${pids[@]:1}")
        cat "$TMPDIR/$group.said"
    done
}

# sly_git WORD COMMANDS: a git in $TMPDIR/bin that does its work and then, where it was called with
# that word, lets a person do theirs in this folder: once, when COMMANDS were true. So something
# happens between hone's look at the tree and what it writes there. $play/edited: it has.
sly_git()
{
    local real
    real=$(command -v git)
    mkdir -p "$TMPDIR/bin"
    rm -f "$play/edited"
    cat >"$TMPDIR/bin/git" <<END
#!/bin/sh
"$real" "\$@"
status=\$?
case " \$* " in *" $1 "*)
    cd "$PWD" && [ ! -e "$play/edited" ] && { $2; } >/dev/null 2>&1 && touch "$play/edited" ;;
esac
exit \$status
END
    chmod +x "$TMPDIR/bin/git"
}
