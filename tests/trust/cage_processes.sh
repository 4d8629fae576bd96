#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# No process of an agent outlives its run, and none reaches a process of ours.
#
# row: cage.left | hone and its supervisor are killed (SIGKILL) at the same moment while agents run | a process namespace per attempt that dies with its parent; without bubblewrap the next run in the workspace ends what has the mark of the killed one | without bubblewrap: until that next run, and a process that cleared its environment
# row: cage.told | an agent looks for a process of hone's, in its environment and in /proc | the environment has a random mark and no pid; the cage has a /proc of its own | without bubblewrap an agent finds its parent as every process does
# row: cage.stop | an agent that was told the pid of the supervisor stops it (SIGSTOP), and goes on for ever | in the cage that pid is no process: limits hold | without bubblewrap
. "${TOP:?}/tests/trust/lib.sh"

mark=77$$

# processes: the marked ones that live, by an argument of their own.
processes()
{
    grep -hsoz "^$mark\.[0-9]\$" /proc/[0-9]*/cmdline | tr '\0' '\n'
}

none_lives()
{
    [ -z "$(processes)" ]
}

# Three of them: a child, one with a session of its own, one without a parent.
leaves="sleep $mark.1 & setsid sleep $mark.2 & (setsid sh -c 'sleep $mark.3 & exit 0' &)"

left()
{
    local run supervisor
    new_repo work
    "$HONE" run review --agent "*=cmd:$leaves; sleep 600" >"$TMPDIR/out" 2>&1 &
    run=$!
    until_true 20 eval '[ "$(processes | sort -u | wc -l)" = 3 ]' ||
        not_ok "cage.left, $way: agents began: $(cat "$TMPDIR/out")"
    supervisor=$(cat "/proc/$run/task/$run/children")
    # Together: neither sees the other's end.
    kill -STOP "$run"
    # shellcheck disable=SC2086 # two numbers and more
    kill -KILL $supervisor $run
    wait "$run" 2>/dev/null
    if [ -n "$caged" ]; then
        check "cage.left: no process outlives hone and its supervisor, $way" until_true 5 none_lives
    fi
    hone run review --agent "*=cmd:echo '$clean'"
    check_is "cage.left: the next run ends, $way" "$status" 0
    check "cage.left: no process outlives the next run, $way" until_true 5 none_lives
    [ -n "$caged" ] || check_has "cage.left: what was left is said, $way" "$TMPDIR/err" \
        "processes that agents of a killed run had left"
}

told()
{
    new_repo work
    hone run review --agent "*=cmd:echo '$clean'" --agent "critic=cmd:
env | sed -n 's/^HONE_.*=//p' |
while read -r value; do if grep -qs hone \"/proc/\$value/comm\"; then echo told; fi; done
if [ -n '$caged' ] && grep -qs hone /proc/[0-9]*/comm; then echo seen; fi
echo '$clean'"
    check_is "cage.told: no variable is a pid of ours, and none is seen, $way" "$status" 0
}

# The agent is told the pids of hone, of its supervisor and of a process of the user's, and no other
# process is ever signalled here: where the cage fails it must not take the machine along.
stopped()
{
    local run users pids
    new_repo work
    sleep 600 &
    users=$!
    "$HONE" run review --timeout 3s --agent "*=cmd:echo '$found'" \
        --agent "review-fixer=cmd:touch ready; until [ -s told ]; do sleep 0.1; done
for pid in \$(cat told); do kill -STOP \$pid; done; touch began; sleep 600" >"$TMPDIR/out" 2>&1 &
    run=$!
    until_true 20 eval 'pids=$(cat "/proc/$run/task/$run/children") && [ -n "$pids" ]'
    until_true 20 test -e ready || not_ok "cage.stop, $way: the agent began: $(cat "$TMPDIR/out")"
    echo "$users" "${pids%% *}" >told.new && mv told.new told
    check "cage.stop: the agent did it, $way" until_true 20 test -e began
    if [ -n "$caged" ]; then
        check "cage.stop: the limit holds, $way" until_true 20 eval '! kill -0 $run'
        check_not "cage.stop: a process of the user's is not stopped, $way" \
            grep -q '^State:.T' "/proc/$users/status"
    else
        check "cage.stop: nothing holds it off, as SECURITY.md says, $way" until_true 20 \
            grep -q '^State:.T' "/proc/$users/status"
    fi
    # shellcheck disable=SC2086 # one number or none
    kill -KILL "$users" "$run" ${pids%% *} 2>/dev/null
    wait "$run" "$users" 2>/dev/null
    hone run review --agent "*=cmd:echo '$clean'" # ends what is left
}

for_each_way left told stopped
