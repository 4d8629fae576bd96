#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The limits of a session: a person is asked where blocking issues are left, answers in every way,
# or has said that no question is to be asked.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/session.sh"

# "Keep the user informed of each round's status and review findings."
informed()
{
    begin_story
    does_so reviewer 'if [ "$HONE_PHASE" = execution ] && first fault; then request "too short"
else approve; fi'
    session --stop-after before-polish "Say bye"
    check_is "informed: exit" "$status" 0
    check_has "each round's status" "$err" "execution round 1  1 finding in all"
    check_has "and its findings, though they are gone at the end" "$err" \
        "    high notes.txt:1: too short"
    check_has "and the next one's" "$err" "execution round 2  clean"
}
informed

# "Remain the only writer of the session file for the entire run."
only_writer()
{
    begin_story
    does_so executor 'if [ "$HONE_PHASE" = planning ]; then plan "say bye"
else for file in .review-loop/sessions/*.md; do echo "words of another tool" >>"$file"; done
echo bye >>notes.txt; report "bye said" notes.txt; fi'
    session --no-sandbox --stop-after before-polish "Say bye"
    check_is "another writer: exit" "$status" 0
    check_has "another writer: said" "$err" "another program changed .review-loop/sessions/"
    check_not "another writer: its words are not taken" grep -q "of another tool" "$(session_file)"
    check_has "another writer: and not lost" "$(echo .git/hone/runs/*/other-*)" "words of another"
    valid "another writer"
}
only_writer

# with_limit PLAN EXEC: the limits of the configuration.
with_limit()
{
    mkdir -p .review-loop
    printf 'soft_limit_plan: %s\nsoft_limit_exec: %s\n' "$1" "$2" >.review-loop/config.md
}

# The reviewer of execution finds something new each time; that of planning approves.
never_happy='if [ "$HONE_PHASE" = planning ]; then approve
else request "fault $HONE_ROUND, as bad as $(printf "%*s" "$HONE_ROUND" "" | tr " " x)"; fi'

asked()
{
    begin_story
    with_limit 3 2
    does_so reviewer "$never_happy"
    session "Say bye"
    check_is "the limit: exit" "$status" 5
    check_is "after two reviews" "$(grep -c '^reviewer execution' "$play/phases")" 2
    has "the stage is named" "- delivery_blocked_by: exec"
    check_not "no lock is left" test -e ".review-loop/sessions/$(uuid).lock"
    valid "at the limit"
    hone resume
    check_is "a resume asks again: exit" "$status" 5
    hone answer perhaps
    one_line "no such answer" 2 "'perhaps' is no answer"
    hone answer restart
    check_is "a restart of what has one iteration: exit" "$status" 2
    check_has "a restart of what has one iteration: words" "$err" "cannot be restarted"
    hone answer continue
    check_is "continue: exit" "$status" 5
    check_is "one more round" "$(grep -c '^reviewer execution' "$play/phases")" 3
    has "the decision is written down" "- User decision: continue: one more round"
    hone answer accept
    check_is "accept: exit" "$status" 0
    has "it goes on" "- completed_stages: [exec, polish, docs, security]"
    has "with the decision" "- User decision: accept"
    has "and nothing blocks any more" "- delivery_blocked_by: null"
    valid "accepted"
    hone log
    check_has "the log: a question" "$out" "ask: bound"
    check_has "the log: an answer" "$out" "answer continue"
    check_has "the log: another" "$out" "answer accept"
    hone log --json
    check "the log as JSON" "$SUPPORT/is_json" lines <"$out"
    check_has "the log as JSON: a question" "$out" '"question":"bound"'
}

stopped()
{
    begin_story
    with_limit 3 1
    does_so reviewer "$never_happy"
    session "Say bye"
    check_is "a limit of one: exit" "$status" 5
    hone answer stop
    check_is "stop: exit" "$status" 1
    has "stopped at this stage" "- delivery_blocked_by: exec"
    has "by the user" "- User decision: stop"
    valid "stopped"
}

a_plan_is_accepted()
{
    begin_story
    with_limit 2 3
    does_so reviewer 'if [ "$HONE_PHASE" = planning ]; then request "no test in round $HONE_ROUND $(
        printf "%*s" "$HONE_ROUND" "" | tr " " x)"; else approve; fi'
    session "Say bye"
    check_is "the limit of planning: exit" "$status" 5
    check_is "after two rounds" "$(grep -c '^reviewer planning' "$play/phases")" 2
    has "no plan is approved" "## Draft Plan"
    hone answer accept
    check_is "an accepted plan: exit" "$status" 0
    has "is the user's" "- Source: user-supplied"
    check_has "and its conformance advice" "$play/prompt.reviewer.1.1" \
        "(plan_source: user-supplied — plan conformance is advisory/MINOR)"
    valid "an accepted plan"
}

# What was asked about is not what is there any more: an answer delivers only what was reviewed.
a_tree_that_changed_meanwhile()
{
    begin_story
    with_limit 3 2
    does_so polish 'request "dead code $(printf "%*s" "$HONE_ROUND" "" | tr " " x)"'
    session "Say bye"
    check_is "a question of polish: exit" "$status" 5
    has "what holds then" "- completed_stages: [exec]"
    echo mine >>notes.txt
    hone answer accept
    check_is "changed behind the question: asked again" "$status" 5
    check_has "it says why" "$err" "the work tree changed since it was checked (modified notes.txt)"
    check_is "the reviewer of execution looked again" \
        "$(grep -c '^reviewer execution' "$play/phases")" 3
    check_is "and so did polish" "$(grep -c '^polish' "$play/phases")" 3
    hone answer accept
    check_is "unchanged: exit" "$status" 0
    check_is "nobody looks once more" "$(grep -c '^reviewer execution' "$play/phases")" 3
    has "it is delivered" "- completed_stages: [exec, polish, docs, security]"
    valid "changed behind the question"
}

nobody_is_asked()
{
    begin_story
    with_limit 3 2
    does_so polish 'request "dead code $(printf "%*s" "$HONE_ROUND" "" | tr " " x)"'
    session --handsfree "Say bye"
    check_is "handsfree: exit" "$status" 1
    cat "$out" "$err" >"$TMPDIR/said"
    check_has "it says that the user was not asked" "$TMPDIR/said" "handsfree: you were not asked"
    has "the stage" "- delivery_blocked_by: polish"
    has "what held before the repair does not count" "- completed_stages: [exec]"
    valid "handsfree"

    begin_story
    with_limit 3 2
    echo 'handsfree: true' >>.review-loop/config.md
    does_so reviewer "$never_happy"
    session "Say bye"
    check_is "the configuration says so, too: exit" "$status" 1
    has "blockers are never accepted" "- completed_stages: []"
}

the_same_again()
{
    begin_story
    with_limit 3 9
    does_so reviewer 'if [ "$HONE_PHASE" = planning ]; then approve; else request "it leaks"; fi'
    session "Say bye"
    check_is "the same CRITICAL three times: exit" "$status" 5
    check_is "after three" "$(grep -c '^reviewer execution' "$play/phases")" 3
    check_has "the question says so" "$err" "came back"
    session --handsfree "Say bye"
    check_is "with nobody to ask: exit" "$status" 1
}

# stops_after STAGE STATUS STAGES: the stages that hold then.
stops_after()
{
    begin_story
    session --stop-after "$1" "Say bye"
    check_is "--stop-after $1: exit" "$status" "$2"
    has "--stop-after $1: what holds" "- completed_stages: [$3]"
    has "--stop-after $1: nothing blocks" "- delivery_blocked_by: null"
    valid "--stop-after $1"
}

stops()
{
    stops_after exec-round 0 "exec"
    stops_after before-polish 0 "exec"
    stops_after before-docs 0 "exec, polish"
    stops_after before-security 0 "exec, polish, docs"
    stops_after before-delivery 0 "exec, polish, docs, security"
    stops_after delivery 0 "exec, polish, docs, security"

    begin_story
    does_so reviewer "$never_happy"
    session --stop-after exec-round "Say bye"
    check_is "one round that asks for changes: exit" "$status" 1
    check_is "is one round" "$(grep -c '^executor execution' "$play/phases")" 1
    session --stop-after docs "Say bye"
    one_line "no such stage" 2 "before-docs"
}

asked
stopped
a_plan_is_accepted
a_tree_that_changed_meanwhile
nobody_is_asked
the_same_again
stops
exit "$failed"
