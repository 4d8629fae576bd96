#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What an agent leaves running is ended with it, in the sandbox and without: children in its group,
# in a session of their own, without a parent, with an empty environment, deaf to SIGTERM.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"

# children MARK: of every kind, each a sleep of a length that no other process uses. One that is
# deaf costs its whole grace: it is there where $play/deaf is.
children()
{
    mark=$1
    cat >"$TMPDIR/children" <<END
count=4
sleep $mark.1 &
setsid sleep $mark.2 &
(setsid sh -c 'sleep $mark.3 & exit 0' &)
env -i PATH="\$PATH" setsid nohup sleep $mark.4 >/dev/null 2>&1 &
if [ -e "\$play/deaf" ]; then
    (setsid sh -c 'trap "" TERM HUP; sleep $mark.5 & wait' &)
    count=5
fi
while [ "\$(grep -lsz "^$mark" /proc/[0-9]*/cmdline | wc -l)" -lt \$count ]; do sleep 0.05; done
touch "\$play/born"
END
}

# The marked ones that live: their command lines.
alive()
{
    cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -o "sleep $mark\.[0-9]"
}

nobody_lives()
{
    [ -z "$(alive)" ]
}

# gone NAME: they lived, and none is left.
gone()
{
    check "$1: they lived" test -e "$play/born"
    check "$1: nobody is left ($(alive | tr '\n' ' '))" until_true 10 nobody_lives
    rm -f "$play/born"
}

# everywhere OPTION MARK: the ends that a run can have.
everywhere()
{
    local run
    children "$2"
    copy_of "$template" work
    forget
    does critic ". $TMPDIR/children; cat \"\$play/clean\""
    hone run review "$1" --agent "*=$agent"
    check_is "$1, an agent that answers: exit" "$status" 0
    gone "$1, an agent that answers"

    does critic ". $TMPDIR/children; sleep 600"
    hone run review "$1" --idle-timeout 3s --agent "*=$agent" --json
    check_is "$1, a limit: exit" "$status" 3
    gone "$1, a limit"

    "$HONE" run review "$1" --agent "*=$agent" >/dev/null 2>&1 &
    run=$!
    check "$1, hone is killed: they live" until_true 20 test -e "$play/born"
    kill -KILL "$run"
    wait "$run" 2>/dev/null
    gone "$1, hone is killed"
    does critic
    hone resume
    check_is "$1, hone is killed: it goes on" "$status" 0

    does critic ". $TMPDIR/children; sleep 600"
    touch "$play/deaf"
    "$HONE" run review "$1" --agent "*=$agent" >/dev/null 2>&1 &
    run=$!
    check "$1, a stop: they live" until_true 20 test -e "$play/born"
    hone stop
    wait "$run"
    check_is "$1, a stop: exit" $? 130
    gone "$1, a stop"
}

without()
{
    everywhere --no-sandbox "97$$"
}

sandboxed()
{
    if "$HONE" doctor | grep -q "bubblewrap works"; then
        everywhere --sandbox "98$$"
    else
        skip "children in the sandbox" "it does not work here"
    fi
}

together without sandboxed
exit "$failed"
