#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Whole runs of the nine phases: who is started when and with what, what a review's findings lead
# to, what the user is asked, and what a run that was killed remembers.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
git -C "$template" checkout -q -- .
state=.agents/iteration-state.json

# In every group: one program plays all roles. Reviewers find nothing, others write a line; do.ROLE
# and do.ROLE.PHASE are commands that tell it otherwise.
players()
{
    cat >"$play/agent" <<'END'
#!/bin/sh
play=${0%/*}
echo "$HONE_PHASE $HONE_ROLE $HONE_ITERATION.$HONE_ROUND copy $HONE_COPY try $HONE_ATTEMPT" \
    >>"$play/log"
cat >"$play/prompt.$HONE_ITERATION.$HONE_PHASE.$HONE_ROLE.$HONE_ROUND.$HONE_COPY.$HONE_ATTEMPT"
for file in "$play/do.$HONE_ROLE.$HONE_PHASE" "$play/do.$HONE_ROLE"; do
    [ -e "$file" ] || continue
    . "$file"
    exit
done
case $HONE_ROLE in
*-reviewer | codex-final) echo 'No issues found.' ;;
*) echo "$HONE_ROLE $HONE_COPY wrote this in iteration $HONE_ITERATION" ;;
esac
END
}

# config JSON: the project's configuration.
config()
{
    mkdir -p .claude && printf '%s\n' "$1" >.claude/iterate-config.local.json
}

single='"1":{"parallel":false},"2":{"parallel":false}'

# story CONFIG: a new repository, with nothing told yet.
story()
{
    players
    copy_of "$template" work
    forget
    config "{\"phases\":{$single${1:+,$1}}}"
}

# iterate ARGUMENTS...: a run of it.
iterate()
{
    hone run iterate "make it right" --agent "*=$agent" "$@"
}

# order: who was started, as "1 brainstormer 1.1".
order()
{
    sed 's/ copy.*//' "$play/log"
}

# state_has NAME TEXT: the state file in one line without blanks.
state_has()
{
    tr -d ' \n' <$state >"$TMPDIR/state"
    check_has "$1" "$TMPDIR/state" "$2"
}

# retries PHASE: of the newest iteration.
retries()
{
    tr -d ' \n' <$state | sed "s/.*\"$1\":{\"status\":\"[a-z_]*\",\"retryCount\":\([0-9]*\).*/\1/"
}

# ---- all nine ----

nine_phases()
{
    players
    copy_of "$template" work
    forget
    iterate
    check_is "nine phases: exit" "$status" 0
    check_is "nine phases: in order" "$(order | uniq | tr '\n' ',')" "1 brainstormer 1.1,2\
 planner 1.1,3 plan-reviewer 1.1,4 implementer 1.1,5 code-reviewer 1.1,7 simplifier 1.1,8\
 final-reviewer 1.1,9 codex-final 1.1,"
    check_is "nine phases: copies and who joins them" \
        "$(sed -n 's/^1 .* copy \(.\) .*/\1/p' "$play/log" | sort | tr '\n' ' ')" "0 1 2 "
    check_is "nine phases: the joiner is the last" \
        "$(sed -n 's/^2 .* copy \(.\) .*/\1/p' "$play/log" | tail -1)" 0
    check_has "nine phases: a copy is told so" "$play/prompt.1.1.brainstormer.1.2.1" \
        "You are number 2 of 2"
    check_has "nine phases: the joiner has one answer" "$play/prompt.1.1.brainstormer.1.0.1" \
        "brainstormer 1 wrote this"
    check_has "nine phases: and the other" "$play/prompt.1.1.brainstormer.1.0.1" \
        "brainstormer 2 wrote this"
    check_has "nine phases: the planner has the brainstorm" "$play/prompt.1.2.planner.1.1.1" \
        "brainstormer 0 wrote this"
    check_has "nine phases: the implementer has the plan" "$play/prompt.1.4.implementer.1.1.1" \
        "planner 0 wrote this"
    check_has "nine phases: so has the last reviewer" "$play/prompt.1.9.codex-final.1.1.1" \
        "planner 0 wrote this"
    check_is "nine phases: the tag" "$(head -1 "$play/prompt.1.3.plan-reviewer.1.1.1")" \
        "[PHASE 3: Plan Review]"
    state_has "nine phases: the state" '"phase9":{"status":"completed"}'
    check_not "nine phases: nothing is left to do" grep -q 'pending\|in_progress' $state
    check_is "nine phases: the tree is as it was" "$(git status --short | grep -v agents)" ""
}

lite()
{
    story
    iterate --lite
    check_is "lite: exit" "$status" 0
    check_not "lite: no last review" grep -q codex-final "$play/log"
    state_has "lite: the mode" '"mode":"lite"'
    state_has "lite: phase 9 is not for it" '"phase9":{"status":"pending"}'
}

# ---- repairs ----

# Two files with a defect each; a fixer removes it from the file its prompt names.
two_files()
{
    story "$1"
    echo defect >a.txt
    echo defect >b.txt
    git add . && git -c user.name=t -c user.email=t@t commit -q -m defects
    does code-reviewer '
for file in a.txt b.txt; do
    grep -q defect $file && echo "- HIGH $file:1 a defect is left in $file"
done
grep -q defect a.txt b.txt || echo LGTM'
    does fixer '
prompt=$play/prompt.$HONE_ITERATION.$HONE_PHASE.fixer.$HONE_ROUND.$HONE_COPY.$HONE_ATTEMPT
file=$(sed -n "s/^- \[HIGH\] \(.*\):1: .*/\1/p" "$prompt")
echo "# Fix plan"
for name in $file; do echo fixed >$name; echo "$name by fixer $HONE_COPY"; done'
}

parallel_fixers()
{
    two_files '"5":{"onFailure":"mini-loop"}'
    iterate
    check_is "parallel fixers: exit" "$status" 0
    check_is "parallel fixers: one for each file" "$(grep fixer "$play/log" | sort | tr '\n' ',')" \
        "5 fixer 1.1 copy 1 try 1,5 fixer 1.1 copy 2 try 1,"
    check_is "parallel fixers: both files" "$(cat a.txt b.txt | tr '\n' ' ')" "fixed fixed "
    check_has "parallel fixers: the next review knows both" \
        "$play/prompt.1.5.code-reviewer.2.1.1" "a.txt by fixer 1"
    check_has "parallel fixers: and what they changed" \
        "$play/prompt.1.5.code-reviewer.2.1.1" "b.txt by fixer 2"
    check_is "parallel fixers: one retry" "$(retries 5)" 1
    state_has "parallel fixers: no issue is left" '"retryCount":1,"lastIssues":[]}'
}

# "Group independent fixes": what names no file is independent of none of the others.
placeless()
{
    story '"5":{"onFailure":"mini-loop"}'
    does code-reviewer '
[ $HONE_ROUND = 1 ] && printf "HIGH %s\n" "a.txt:1 x" "b.txt:1 y" "no file is named" || echo LGTM'
    does fixer '
echo "begin $HONE_COPY" >>"$play/order"
if [ $HONE_COPY -lt 3 ]; then
    touch "$play/here.$HONE_COPY" # both are at work before one ends
    until [ -e "$play/here.1" ] && [ -e "$play/here.2" ]; do sleep 0.05; done
fi
echo "end $HONE_COPY" >>"$play/order"
echo "fixer $HONE_COPY was here"'
    iterate
    check_is "placeless: exit" "$status" 0
    check_is "placeless: the others first, side by side" \
        "$(head -2 "$play/order" | sort | tr "\n" ",")" \
        "begin 1,begin 2,"
    check_is "placeless: then by itself" "$(tail -2 "$play/order" | tr '\n' ',')" "begin 3,end 3,"
    check_has "placeless: it knows the others' work" "$play/prompt.1.5.fixer.1.3.1" \
        "fixer 2 was here"
    check_has "placeless: the next review knows all" "$play/prompt.1.5.code-reviewer.2.1.1" \
        "fixer 3 was here"
    check_is "placeless: one retry" "$(retries 5)" 1
}

# All issues of phase 3 amend one plan.
plan_fixer()
{
    story '"3":{"onFailure":"mini-loop"}'
    does plan-reviewer '
[ $HONE_ROUND = 1 ] && printf "HIGH %s\n" "a.c:1 x" "b.c:2 y" "no tests" || echo LGTM'
    iterate
    check_is "one plan: exit" "$status" 0
    check_is "one plan: one fixer" "$(grep fixer "$play/log")" "3 fixer 1.1 copy 1 try 1"
    check_has "one plan: who has all of it" "$play/prompt.1.3.fixer.1.1.1" "All of them are yours"
}

one_fixer()
{
    two_files '"5":{"parallelFixes":false}'
    iterate
    check_is "one fixer: exit" "$status" 0
    check_is "one fixer: alone" "$(grep -c fixer "$play/log")" 1
    check_is "one fixer: both files" "$(cat a.txt b.txt | tr '\n' ' ')" "fixed fixed "
}

# finds REVIEWER: an issue at every look.
finds()
{
    does "$1" "echo 'HIGH notes.txt:1 always'"
}

bound()
{
    story '"5":{"maxRetries":2}'
    finds code-reviewer
    iterate
    check_is "bound: exit" "$status" 1
    check_is "bound: two repairs, three reviews" \
        "$(grep -c fixer "$play/log") $(grep -c code-reviewer "$play/log")" "2 3"
    state_has "bound: the state" '"5":{"status":"in_progress","retryCount":2,"lastIssues":[{"sever'
    check_not "bound: nobody goes on" grep -q simplifier "$play/log"
}

# ---- restart, proceed, stop ----

restart()
{
    story '"3":{"onFailure":"restart"}'
    does plan-reviewer '[ $HONE_ITERATION = 1 ] && echo "MEDIUM plan:3 no tests" || echo LGTM'
    iterate
    check_is "restart: exit" "$status" 0
    check_is "restart: from phase 1" "$(order | head -5 | tr '\n' ',')" "1 brainstormer 1.1,2\
 planner 1.1,3 plan-reviewer 1.1,1 brainstormer 2.1,2 planner 2.1,"
    check_has "restart: said with every line" "$err" "iteration 2, phase 1 round 1  brainstormer"
    check_not "restart: the first needs no number" grep -q "iteration 1," "$err"
    check_has "restart: the next one knows why" "$play/prompt.2.1.brainstormer.1.1.1" "no tests"
    check_has "restart: and the plan" "$play/prompt.2.1.brainstormer.1.1.1" \
        "planner 1 wrote this in iteration 1"
    state_has "restart: the iteration" '"currentIteration":2,'
    state_has "restart: the history" '"3":{"status":"in_progress","retryCount":0,"lastIssues":[{"se'
    forget
    finds plan-reviewer
    iterate --max-iterations 2
    check_is "restart too often: exit" "$status" 1
    check_is "restart too often: two iterations" "$(grep -c plan-reviewer "$play/log")" 2
}

proceed()
{
    story '"5":{"onFailure":"proceed"},"8":{"onFailure":"proceed"}'
    finds code-reviewer
    iterate --lite --trust
    check_is "proceed: passed by a later gate" "$status" 0
    check_has "proceed: which knows of it" "$play/prompt.1.8.final-reviewer.1.1.1" "always"
    state_has "proceed: the state" '"5":{"status":"completed","retryCount":0,"lastIssues":[{"seve'
    forget
    finds final-reviewer
    iterate --lite
    check_is "proceed: noted by the last gate" "$status" 1
    state_has "proceed: completed with issues" '"8":{"status":"completed","retryCount":0,"lastIs'
    forget
    finds final-reviewer
    iterate
    check_is "proceed: phase 9 has the last word" "$status" 0
}

stop()
{
    story '"5":{"onFailure":"stop"}'
    finds code-reviewer
    iterate
    check_is "stop: exit" "$status" 1
    check_not "stop: nobody goes on" grep -q 'fixer\|simplifier' "$play/log"
    forget
    finds codex-final
    iterate
    check_is "phase 9: findings end the run" "$status" 1
    check_not "phase 9: nobody repairs" grep -q fixer "$play/log"
    state_has "phase 9: the state" '"phase9":{"status":"in_progress"}'
}

threshold()
{
    story '"5":{"failOnSeverity":"HIGH"}'
    does code-reviewer 'echo "LOW notes.txt:1 a small thing"'
    iterate --trust
    check_is "threshold: exit" "$status" 0
    check_not "threshold: nobody repairs" grep -q fixer "$play/log"
    state_has "threshold: recorded with its severity" \
        '"5":{"status":"completed","retryCount":0,"lastIssues":[{"severity":"LOW","message":"a'
    check_has "threshold: said when it was found" "$err" "clean, 1 too small to fail"
    check_has "threshold: the end says how many" "$out" "left 0, 1 too small to fail a review"
    check_has "threshold: and does not say that there was nothing" "$out" \
        "clean: the last review found nothing that fails it"
    hone findings --format text
    check_has "threshold: among the findings" "$out" "notes.txt:1: note: noted: a small thing"
    hone findings --state open --format text
    check_is "threshold: not among the open ones" "$(cat "$out")" ""
    hone findings --state noted --json
    check_has "threshold: counted" "$out" '"noted": 1'
    check_has "threshold: later ones know" "$play/prompt.1.8.final-reviewer.1.1.1" "a small thing"
}

# ---- questions ----

asks='"5":{"maxRetries":1,"onMaxRetries":"ask"}'

# asked: a run that waits for an answer after one repair.
asked()
{
    story "$asks"
    finds code-reviewer
    iterate
}

ask()
{
    asked
    check_is "ask: exit" "$status" 5
    check_has "ask: the way on" "$err" "hone answer"
    state_has "ask: the state" '"5":{"status":"in_progress","retryCount":1,"lastIssues":[{"sever'
    hone resume
    check_is "ask: resumed, it asks again" "$status" 5
    hone answer continue
    check_is "ask: continue is one more round" "$status" 5
    check_is "ask: two repairs, three reviews" \
        "$(grep -c fixer "$play/log") $(grep -c code-reviewer "$play/log")" "2 3"
    check_is "ask: they are counted" "$(retries 5)" 2
    hone answer accept
    check_is "ask: accepted, and a later gate passes" "$status" 0
    state_has "ask: accepted" '"5":{"status":"completed","retryCount":2,"lastIssues":[{"severity"'
}

ask_restart()
{
    asked
    does code-reviewer
    hone answer restart
    check_is "answer restart: exit" "$status" 0
    state_has "answer restart: the iteration" '"currentIteration":2,'
    asked
    hone answer stop
    check_is "answer stop: exit" "$status" 1
    state_has "answer stop: the state" '"5":{"status":"in_progress","retryCount":1,'
}

ask_recorded()
{
    asked
    does code-reviewer
    hone answer continue --record
    check_is "record: exit" "$status" 0
    check_is "record: nobody is started" "$(grep -c fixer "$play/log")" 1
    hone replay
    check_is "record: played again as far as it is" "$status" 0
    hone resume
    check_is "record: resumed" "$status" 0
    check_is "record: one more repair" "$(grep -c fixer "$play/log")" 2
}

stuck()
{
    story '"5":{"onFailure":"mini-loop"}'
    does code-reviewer '[ $HONE_ROUND = 1 ] && echo "HIGH notes.txt:1 odd" || echo LGTM'
    does fixer 'echo "# Fix plan"; echo "STUCK: which of the two?"'
    iterate
    check_is "stuck: exit" "$status" 5
    check_is "stuck: nothing counts as repaired" "$(retries 5)" 0
    check_is "stuck: nobody reviews it" "$(grep -c code-reviewer "$play/log")" 1
    does fixer
    hone answer continue
    check_is "stuck: goes on" "$status" 0
    check_has "stuck: the next one knows" "$play/prompt.1.5.fixer.1.1.1" "which of the two?"
    check_is "stuck: now it counts" "$(retries 5)" 1
}

# ---- the project's tests ----

tests()
{
    story '"6":{"onFailure":"mini-loop"}'
    does fixer 'touch mended; echo done'
    iterate --test 'echo testing; test -e mended'
    check_is "tests: exit" "$status" 0
    check_is "tests: a fixer mends what fails" "$(grep fixer "$play/log")" \
        "6 fixer 1.1 copy 1 try 1"
    check_has "tests: it knows the command" "$play/prompt.1.6.fixer.1.1.1" "test -e mended"
    check_has "tests: and what it said" "$play/prompt.1.6.fixer.1.1.1" "testing"
    state_has "tests: the state" '"6":{"status":"completed","retryCount":1}'
    rm mended
    forget
    iterate
    check_is "no tests: pass" "$status" 0
    state_has "no tests: no retry" '"6":{"status":"completed","retryCount":0}'
    check_has "no tests: the last review knows" "$play/prompt.1.8.final-reviewer.1.1.1" \
        "No test command was found"
}

# ---- answers that break the contract ----

invalid()
{
    story
    does code-reviewer '[ $HONE_ATTEMPT = 1 ] && echo "It is fine." || echo LGTM'
    iterate
    check_is "invalid: asked again" "$status" 0
    check_is "invalid: a second attempt of the same review" \
        "$(grep code-reviewer "$play/log" | tr '\n' ',')" \
        "5 code-reviewer 1.1 copy 1 try 1,5 code-reviewer 1.1 copy 1 try 2,"
    check_has "invalid: with what was wrong" "$play/prompt.1.5.code-reviewer.1.1.2" \
        "no line carries HIGH, MEDIUM or LOW"
    forget
    does code-reviewer 'echo "It is fine."'
    iterate
    check_is "invalid twice: failed, not clean" "$status" 3
    state_has "invalid twice: the state" '"5":{"status":"in_progress","retryCount":0,"lastIssue'
    does code-reviewer
    hone resume
    check_is "invalid twice: resumed" "$status" 0
    check_is "invalid twice: no work is done again" "$(grep -c implementer "$play/log")" 1
}

# ---- death ----

killed()
{
    story
    does code-reviewer '
[ $HONE_ROUND = 1 ] && { echo "HIGH notes.txt:1 odd"; exit; }
[ $HONE_ATTEMPT = 1 ] && { touch "$play/here"; while :; do sleep 1; done; }
echo LGTM'
    "$HONE" run iterate "make it right" --agent "*=$agent" >"$out" 2>"$err" &
    engine=$!
    check "killed: the second review is at work" until_true 30 test -e "$play/here"
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    check_is "killed: one retry is on file" "$(retries 5)" 1
    cp $state "$TMPDIR/before"
    hone resume
    check_is "killed: resumed" "$status" 0
    check_is "killed: the retry is still counted" "$(retries 5)" 1
    check_is "killed: the same review again" "$(grep code-reviewer "$play/log" | tail -1)" \
        "5 code-reviewer 1.2 copy 1 try 2"
    check_is "killed: no fixer again" "$(grep -c fixer "$play/log")" 1
}

together nine_phases lite parallel_fixers placeless plan_fixer one_fixer bound restart proceed stop
together threshold ask ask_restart ask_recorded stuck tests invalid killed
exit "$failed"
