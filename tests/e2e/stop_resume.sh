#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A run that is stopped, in any way: nothing of it is left running, and it goes on later without
# those who had finished. A run that lives is alone in its workspace, and can be looked at.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"

# begin ARGUMENTS...: hone in the background, as a terminal would start it: signals not ignored.
# All that descends from it carries a mark in its environment.
begin()
{
    STORY_MARK=$TMPDIR env --default-signal=INT,TERM,HUP "$HONE" "$@" \
        >"$TMPDIR/run.out" 2>"$TMPDIR/run.err" &
    engine=$!
}

has_ended()
{
    case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in
    '' | Z*) return 0 ;;
    esac
    return 1
}

# finish: waits for the engine, with a bound; its exit status in $status.
finish()
{
    until_true 30 has_ended "$engine" || kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    status=$?
}

# nobody_left: true when no process has this story's mark, in its environment or its arguments.
nobody_left()
{
    printf '%s\n' "STORY_MARK=$TMPDIR" "sleep-$TMPDIR" >"$TMPDIR/marks" # not in grep's arguments
    grep -lsaFf "$TMPDIR/marks" /proc/[0-9]*/environ /proc/[0-9]*/cmdline >"$TMPDIR/left"
    [ ! -s "$TMPDIR/left" ] # grep's status also speaks of processes that are gone
}

at_work()
{
    [ "$(find "$play" -name 'here.*' | wc -l)" = "$1" ]
}

# Two reviewers answer at once; three begin and do not end.
two_of_five()
{
    copy_of "$template" work
    rm -f "$play"/here.*
    forget
    for role in witness security-reviewer silent-failure-hunter; do
        does "$role" "${1:-}
touch \"\$play/here.\$HONE_ROLE\"; while :; do sleep 1; done"
    done
    begin run review --agent "*=$agent"
    check "two answered, three at work" until_true 20 sh -c "cd .agents/tmp/phases/review-1 &&
        [ -e r1-critic.json ] && [ -e r1-pedant.json ] && [ \$(ls '$play'/here.* | wc -l) = 3 ]"
    check_not "their processes are seen" nobody_left
}

# goes_on NAME: resumed, it finishes, and the two who had answered are not started again.
goes_on()
{
    local role
    check "$1: nobody is left" until_true 15 nobody_left
    check_has "$1: the state" .agents/tmp/state.json '"status": "in_progress"'
    check_has "$1: the phase" .agents/tmp/state.json '"currentPhase": "R1"'
    check_is "$1: no attempt beyond the first" "$(wc -l <"$play/log")" 5
    for role in $reviewers; do does "$role"; done
    hone resume
    check_is "$1: resumed" "$status" 0
    check_is "$1: three were started again" "$(wc -l <"$play/log")" 8
    check_is "$1: the two were not" "$(started critic) $(started pedant)" "1 1"
    check_has "$1: resumed: the state" .agents/tmp/state.json '"currentPhase": "DONE"'
}

# ---- signals ----

interrupt_once()
{
    two_of_five
    kill -INT "$engine"
    finish
    check_is "SIGINT: exit" "$status" 130
    cat "$TMPDIR/run.out" "$TMPDIR/run.err" >"$TMPDIR/both"
    check_has "SIGINT: the way on" "$TMPDIR/both" "hone resume"
    hone status
    check_has "SIGINT: status" "$out" "hone resume"
    goes_on "SIGINT"
}

terminate_once()
{
    two_of_five
    kill -TERM "$engine"
    finish
    check_is "SIGTERM: exit" "$status" 130
    goes_on "SIGTERM"
}

hang_up()
{
    two_of_five
    kill -HUP "$engine"
    finish
    check_is "SIGHUP: exit" "$status" 130
    goes_on "SIGHUP"
}

stubborn="trap '' TERM INT HUP"

interrupt_twice()
{
    two_of_five "$stubborn"
    kill -INT "$engine"
    # The first one has been taken when the engine says so, or not at all.
    until_true 1 sh -c "! kill -0 $engine" || true
    kill -INT "$engine"
    finish
    check_is "SIGINT twice, agents that ignore SIGTERM: exit" "$status" 130
    goes_on "SIGINT twice"
}

interrupt_stubborn()
{
    two_of_five "$stubborn"
    kill -INT "$engine"
    finish
    check_is "SIGINT once, agents that ignore SIGTERM: exit" "$status" 130
    goes_on "SIGINT, stubborn"
}

# ---- death ----

killed()
{
    two_of_five "sleep 1000 sleep-$TMPDIR 2>/dev/null & :
(setsid sh -c 'trap \"\" TERM HUP INT; while :; do sleep 1; done' &) &
setsid sh -c ': sleep-$TMPDIR; while :; do sleep 1; done' >/dev/null 2>&1 </dev/null &
env -i PATH=\"\$PATH\" setsid nohup sh -c ': sleep-$TMPDIR; (while :; do sleep 1; done) & wait' \
    >/dev/null 2>&1 </dev/null &
$stubborn"
    kill -KILL "$engine"
    finish
    check "SIGKILL: all agents and their children end" until_true 20 nobody_left
    hone status
    check_has "SIGKILL: seen" "$out" "hone resume"
    goes_on "SIGKILL"
}

# A child that an agent leaves behind ends when its agent has.
left_behind()
{
    copy_of "$template" work
    does critic "(setsid sh -c ': sleep-$TMPDIR; while :; do sleep 1; done' >/dev/null 2>&1 &)
sh -c ': sleep-$TMPDIR; while :; do sleep 1; done' &
cat \"\$play/clean\""
    begin run review --agent "*=$agent"
    finish
    check_is "children left behind by an agent: clean" "$status" 0
    check "children left behind by an agent: gone" until_true 15 nobody_left
}

# The engine is dead before it hears that its agents have ended.
ended_unheard()
{
    copy_of "$template" work
    for role in $reviewers; do
        does "$role" "touch \"\$play/here.\$HONE_ROLE\"
until [ -e \"\$play/go\" ]; do sleep 0.05; done; cat \"\$play/clean\""
    done
    begin run review --agent "*=$agent"
    check "five at work" until_true 20 at_work 5
    kill -STOP "$engine"
    touch "$play/go"
    check "five have ended" until_true 20 \
        sh -c '[ "$(cat .git/hone/runs/*/*-1/status | grep -c "^exit 0")" = 5 ]'
    kill -KILL "$engine"
    finish
    check "ended unheard: nobody is left" until_true 15 nobody_left
    hone resume
    check_is "ended unheard: resumed" "$status" 0
    check_is "ended unheard: nobody ran again" "$(wc -l <"$play/log")" 5
}

# Stopped and killed in the fixer: reviews are kept, the fixer is started again.
in_the_fixer()
{
    local signal
    copy_of "$template" work
    does critic "$sees"
    does review-fixer 'touch "$play/here.fixer"; while :; do sleep 1; done'
    begin run review --agent "*=$agent"
    for signal in INT KILL TERM; do
        check "the fixer is at work" until_true 20 at_work 1
        rm -f "$play"/here.*
        kill -$signal "$engine"
        finish
        check "SIG$signal in the fixer: nobody is left" until_true 15 nobody_left
        check_has "SIG$signal in the fixer: the phase" .agents/tmp/state.json '"currentPhase": "R2"'
        begin resume
    done
    until_true 20 at_work 1
    "$HONE" stop >"$out" 2>&1
    finish
    check_is "stopped in the fixer: exit" "$status" 130
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed"'
    hone resume
    check_is "stopped in the fixer: resumed" "$status" 0
    check_is "round 1 was reviewed once" "$(grep -c '^critic 1 ' "$play/log")" 1
    check_is "the fixer was started five times" "$(started review-fixer)" 5
    check_has "attempts count on" "$play/log" "review-fixer 1 5"
}

# What was reviewed before the user changed the tree was another tree.
changed_meanwhile()
{
    two_of_five
    kill -INT "$engine"
    finish
    echo "and one more line" >>main.c
    for role in $reviewers; do does "$role"; done
    hone resume
    check_is "a tree changed between stop and resume: clean" "$status" 0
    check_is "all of them looked at the tree as it is" \
        "$(for role in $reviewers; do
            grep "^$role" "$play/log" | tail -n 1
        done | grep -c ' 2$')" 5
}

# ---- a run that lives ----

alive()
{
    two_of_five
    run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)
    find .agents .git -type f -not -name '*-shm' -exec cksum {} + | sort >"$TMPDIR/before"
    hone run review "another" --agent "*=$agent"
    one_line "a second run" 2 "$run"
    hone resume
    one_line "resume of a run that lives" 2 "$run"
    hone resume "$run"
    one_line "resume of a run that lives, by name" 2 "$run"
    find .agents .git -type f -not -name '*-shm' -exec cksum {} + | sort >"$TMPDIR/after"
    check "nothing was touched" diff "$TMPDIR/before" "$TMPDIR/after"
    check_is "nobody was started" "$(wc -l <"$play/log")" 5
    for verb in status list log show "show $run 1" "show $run 3"; do
        # shellcheck disable=SC2086 # a verb and its arguments
        hone $verb
        check_is "$verb of a run that lives" "$status" 0
        check "$verb of a run that lives says something" test -s "$out"
    done
    hone status
    check_has "status of a run that lives: its name" "$out" "$run"
    check_has "status of a run that lives: who is at work" "$out" witness
    check_not "status of a run that lives: who is not" grep -q "running.*critic" "$out"
    check_is "hone stop" "$("$HONE" stop >"$out" 2>&1; echo $?)" 0
    check_has "hone stop: the way on" "$out" "hone resume"
    finish
    check_is "hone stop: exit of the run" "$status" 130
    goes_on "hone stop"
    hone stop
    check_is "hone stop of a run that has ended" "$status" 0
}

together interrupt_once terminate_once hang_up interrupt_twice interrupt_stubborn killed
together left_behind ended_unheard in_the_fixer changed_meanwhile alive
exit "$failed"
