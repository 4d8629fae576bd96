#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the file system, git, state files, the environment and arguments say reaches a terminal only
# in a form that it does not obey. (A journal: bounds_journal.sh.) Told once: neither root nor a
# sandbox makes a difference.
#
# row: bounds.terminal | names of folders, files and branches, contract files, hone.json, variables of the environment and arguments hold escapes, C1, bidi marks and bad UTF-8 | every verb, and hone top on the whole screen, shows them by number; JSON is valid UTF-8 | files and `--raw` hold the bytes
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/tmux.sh"

wild=$'\x1b]0;own\x07\x1b[31m\xe2\x80\xae\xc2\x9b\xff'
control=$'[\x01-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]'

harmless()
{
    ! LC_ALL=C grep -qaP "$control" "$out" "$err" &&
        iconv -f UTF-8 -t UTF-8 "$out" "$err" >/dev/null 2>&1
}

is_json()
{
    [ ! -s "$out" ] || "$SUPPORT/is_json" whole <"$out" 2>/dev/null ||
        "$SUPPORT/is_json" lines <"$out"
}

# So that the test can fail.
printf '%s\n' "$wild" >"$out"
: >"$err"
check_not "bounds.terminal: such bytes are seen" harmless

# tells ARGUMENTS...: with an environment that is as wild.
tells()
{
    local name
    name=$(printf '%s' "$*" | LC_ALL=C tr -c 'a-z0-9=* -' '.')
    TERM=$wild EDITOR=$wild LANG=$wild COLUMNS=$wild XDG_CONFIG_HOME=/tmp/$wild HONE_BUDGET=$wild \
        HONE_RUN=$wild hone "$@" </dev/null
    check "bounds.terminal: hone $name: no abort" test "$status" -lt 124
    check "bounds.terminal: hone $name: harmless" harmless
    case " $* " in
    *" --json "*) check "bounds.terminal: hone $name: JSON" is_json ;;
    esac
}

# hone top takes the whole screen: what it sends there is looked at as it goes.
watches()
{
    trap closes EXIT
    hone run review "the task $wild" --no-sandbox --max-iterations 1 --agent "*=$agent"
    at_terminal 100 30
    t pipe-pane "cat >'$TMPDIR/sent'"
    enters '"$HONE" top'
    sees "bounds.terminal: hone top: the runs" '^hone top .*1 ended'
    t send-keys Enter
    sees "bounds.terminal: hone top: a run, and its finding" 'file.x1b.31m.u.9b..c|FINDINGS'
    t send-keys G
    t send-keys Enter
    sees "bounds.terminal: hone top: an attempt" '^hone top .* attempt [0-9]'
    t send-keys q
    sees "bounds.terminal: hone top: its end" '^%'
    check "bounds.terminal: hone top: it was looked at" grep -q 'hone top' "$TMPDIR/sent"
    check_not "bounds.terminal: hone top: harmless" env LC_ALL=C \
        grep -qaP '\x1b\]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xff' "$TMPDIR/sent"
    closes
}

new_repo "$TMPDIR/work$wild"
git checkout -q -b $'branch\xe2\x80\xae\xc2\x9b'
echo x >"file$wild.c"
mkdir -p .agents/tmp
printf '{"phase":"\\u001b[31m","iteration":1,"status":"\\u009b","branch":"\\u202e"}' \
    >.agents/tmp/state.json
forget
does critic "printf '%s' '$found' | sed 's/notes.txt/file\\\\u001b[31m\\\\u009b.c/'"
tells run
tells run review --no-sandbox --max-iterations 1 --agent "*=$agent"
for verb in list status show log findings replay resume doctor verify config stop; do
    tells "$verb"
done
for verb in list status log findings; do tells "$verb" --json; done
watches
tells "$wild"
for verb in run help show stop answer config hook install check mcp; do tells "$verb" "$wild"; done
tells run review --since "$wild"
tells run review --agent "$wild=cmd:true"
tells run review --budget "$wild"
printf '{"agents":{"*":"cmd:echo \\u001b[31m\\u202e"},"\\u009b":1}' >hone.json
tells run
tells config
exit "$failed"
