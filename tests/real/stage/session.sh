# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of story.sh, play.sh, stage.sh
#
# session.sh - what a real client does as executor and reviewer of a session, and what hone makes of
# it. Sourced after stage.sh; $client is the backend.
. "$TOP/tests/support/session.sh"

# word COMMAND: what an agent of ours would say, as a turn of the model.
word()
{
    # shellcheck source=/dev/null # made by support/session.sh
    says "$(HONE_ROLE=x HONE_PHASE=x HONE_ROUND=1 HONE_ATTEMPT=1 play=$play; . "$play/words"; "$@")"
}

# As `together` makes folders of their own, all of it is said now.
the_plan=$(word plan 'say bye')
the_report=$(word report 'bye said' notes.txt)
the_approval=$(word approve)
plans="[$look,$the_plan]"
approves="[$look,$the_approval]"
requests="[$look,$(word request 'bye is not said twice')]"
reports="[$(runs 'echo bye >>notes.txt'),$the_report]"

# begin SCRIPT: a model and a repository.
begin()
{
    start_model "$1"
    begin_story
}

# case_of NAME EXIT EXECUTOR REVIEWER SCRIPT ARGUMENTS...: a session up to its polish; EXECUTOR and
# REVIEWER: how often each was started.
case_of()
{
    local wanted=$2 executor=$3 reviewer=$4 script=$5
    name="$client, session: $1"
    shift 5
    begin "$script"
    work "$@"
    await "$name" "$wanted"
    starts "$name" executor "$executor"
    starts "$name" reviewer "$reviewer"
    check "$name: hone check session" "$HONE" check session "$(session_file)"
    nothing_left "$name"
    stop_model
}

# work ARGUMENTS...: in the background.
work()
{
    run_hone run session --agent "*=$agent" --agent "executor=$client" --agent "reviewer=$client" \
        --stop-after before-polish "$@" "Say bye"
}

answers()
{
    name="$client, session: to its delivery"
    begin "[$plans,$approves,$reports,$approves,$approves,$approves,$approves]"
    run_hone run session --agent "*=$client" "Say bye"
    await "$name" 0
    has "$name: all stages" "- completed_stages: [exec, polish, docs, security]"
    valid "$name"
    nothing_left "$name"
    stop_model
    case_of "two rounds" 0 3 3 "[$plans,$approves,$reports,$requests,$reports,$approves]"
    check_is "$name: twice" "$(grep -c bye notes.txt)" 2
    case_of "a malformed plan, then corrected" 0 3 2 \
        "[[$look,$(says 'I will say it.')],$plans,$approves,$reports,$approves]"
    a_malformed_review
    case_of "no answer at all, twice" 3 2 0 "[[$look,$(says '')],[$look,$(says '')]]"
}

# By the rules of the dialect Claude Code is not asked twice for a review; others are.
a_malformed_review()
{
    local fine
    fine="[$look,$(says 'Looks good to me.')]"
    if [ "$client" = claude ]; then
        case_of "a malformed review" 3 1 1 "[$plans,$fine]"
        has "$name: why" "- Reviewer failure: schema validation (reviewer): "
    else
        case_of "a malformed review" 0 2 3 "[$plans,$fine,$approves,$reports,$approves]"
    fi
}

service()
{
    local refuse code
    refuse="[$(runs 'cat notes.txt' "$(times 8 '{"status":400}')")]"
    case_of "an error of the service" 3 2 0 "[$refuse,$refuse]"
    case_of "429 with retry-after" 0 2 2 \
        "[$plans,[$(runs 'cat notes.txt' '{"status":429,"headers":{"retry-after":"1"}}'),
          $the_approval],$reports,$approves]"
    for code in 429 529; do
        case_of "$code until it gives up" 0 2 3 \
            "[$plans,[$(runs 'cat notes.txt' "$(times 4 "{\"status\":$code}")"),$look],$approves,
              $reports,$approves]"
    done
    case_of "a stream that breaks off" 0 2 2 \
        "[$plans,$approves,[$(runs 'echo bye >>notes.txt' '{"drop":true}'),$the_report],$approves]"
}

deaths()
{
    the_budget_is_spent
    case_of "a service that hangs" 3 2 0 "[[$hangs],[$hangs]]" --idle-timeout 6s
    check_has "$name: it is said" "$err" "idle-timeout"

    name="$client, session: the executor is killed"
    begin "[$plans,$approves,[$hangs],$reports,$approves]"
    work
    at_the_hang "$name"
    kill_attempts
    await "$name" 0
    starts "$name" executor 3
    check_has "$name: it is said" "$err" "signal 9"
    valid "$name"
    nothing_left "$name"
    stop_model

    name="$client, session: hone is killed"
    begin "[$plans,$approves,$reports,[$hangs],$approves]"
    work
    at_the_hang "$name"
    kill_hone
    nothing_left "$name" 10
    valid "$name"
    run_hone resume
    await "$name, and goes on" 0
    starts "$name, and goes on" executor 0
    starts "$name, and goes on" reviewer 1
    valid "$name, and goes on"
    nothing_left "$name, and goes on"
    stop_model
}

the_budget_is_spent()
{
    name="$client, session: the budget is spent in the round"
    begin "[$plans,$approves,$reports,$approves]"
    work --budget tokens=400
    await "$name" 4
    check_is "$name: nobody executes" "$(grep -c ' executor  *starts' "$err")" 1
    valid "$name"
    nothing_left "$name"
    run_hone resume --budget tokens=20k
    await "$name, and goes on with more" 0
    starts "$name, and goes on with more" executor 1
    valid "$name, and goes on with more"
    nothing_left "$name, and goes on with more"
    stop_model
}
