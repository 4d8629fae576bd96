# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of story.sh, play.sh, stage.sh
#
# review.sh - what a real client does as critic and fixer of a review, and what hone makes of it.
# Sourced after stage.sh; $client is the backend.

template=$TMPDIR/template
new_repo "$template"
says_clean=$(says "$clean")
says_found=$(says "$found")
fix="$(runs 'sed -i /defect/d notes.txt'),$(says '# Fixed')"

# begin SCRIPT: a model and a repository; reviewers other than the critic find nothing.
begin()
{
    start_model "$1"
    copy_of "$template" work
    forget
}

# case_of NAME EXIT STARTS SCRIPT ARGUMENTS...: a review from its beginning to its end. STARTS: how
# often the critic was started.
case_of()
{
    local wanted=$2 count=$3 script=$4
    name="$client: $1"
    shift 4
    begin "$script"
    review "$@"
    await "$name" "$wanted"
    starts "$name" critic "$count"
    nothing_left "$name"
    stop_model
}

# review ARGUMENTS...: in the background.
review()
{
    run_hone run review --agent "*=$agent" --agent "critic=$client" \
        --agent "review-fixer=$client" "$@"
}

# The transcript of an attempt: JOB-ATTEMPT.
transcript()
{
    echo .git/hone/runs/*/"$1"/stdout
}

answers()
{
    case_of "clean" 0 1 "[[$look,$says_clean]]"
    used "$name" 1
    case_of "two rounds" 0 2 "[[$look,$says_found],[$look,$fix],[$look,$says_clean]]"
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    case_of "malformed, then corrected" 0 2 "[[$look,$(says 'It looks fine.')],[$look,$says_clean]]"
    case_of "malformed twice" 3 2 "[[$look,$(says 'Fine.')],[$look,$(says 'Fine.')]]"
    case_of "no tool, then one" 0 2 "[[$says_clean],[$look,$says_clean]]"
    case_of "the JSON of its schema as plain text" 0 1 "[[$look,$(says "$clean" '"plain":true')]]"
    check_not "$name: no structured output" grep -q '"structured_output"' "$(transcript 1-1)"
    efforts
    five_at_once
}

efforts()
{
    case_of "an effort" 0 1 "[[$look,$says_clean]]" --agent-effort critic=max
    check_is "$name: its service is told" "$(grep -c 'effort max' "$asked")" 2
    case_of "an effort for all" 0 1 "[[$look,$says_clean]]" --agent-effort '*=low'
    check_is "$name: its service is told" "$(grep -c 'effort low' "$asked")" 2
}

five_at_once()
{
    name="$client: five at once"
    local witness='{"verification_method":"run","fallbacks_attempted":[],"status":"PASS",'
    witness+='"evidence":{"command_outputs":["hello"]},'${clean#?}
    begin "[{\"for\":\"You are \`witness\`\",\"turns\":[$look,$(says "$witness")]},$(
        times 4 "[$look,$says_clean]")]"
    run_hone run review --agent "*=$client"
    await "$name" 0
    check_is "$name: all of them looked" "$(grep -c ' results 1 say' "$asked")" 5
    nothing_left "$name"
    stop_model
}

service()
{
    local refuse code
    refuse="[$(runs 'cat notes.txt' "$(times 8 '{"status":400}')")]"
    case_of "an error of the service" 3 2 "[$refuse,$refuse]"
    if [ "$client" = claude ]; then
        grep '"type":"result"' "$(transcript 1-1)" >"$TMPDIR/result"
        check_has "$name: an error" "$TMPDIR/result" '"is_error":true'
        check_has "$name: which calls itself a success" "$TMPDIR/result" '"subtype":"success"'
    fi
    case_of "429 with retry-after" 0 1 \
        "[[$(runs 'cat notes.txt' '{"status":429,"headers":{"retry-after":"1"}}'),$says_clean]]"
    for code in 429 529; do
        case_of "$code until it gives up" 0 2 \
            "[[$(runs 'cat notes.txt' "$(times 4 "{\"status\":$code}")"),$look],
              [$look,$says_clean]]"
    done
    case_of "a stream that breaks off" 0 1 "[[$(runs 'cat notes.txt' '{"drop":true}'),$says_clean]]"
}

it_hangs()
{
    case_of "a service that hangs" 3 2 "[[$hangs],[$hangs]]" --idle-timeout 6s
    check_has "$name: it is said" "$err" "idle-timeout"
}

it_is_killed()
{
    name="$client: it is killed"
    begin "[[$hangs],[$look,$says_clean]]"
    review
    at_the_hang "$name"
    kill_attempts
    await "$name" 0
    starts "$name" critic 2
    check_has "$name: it is said" "$err" "signal 9"
    nothing_left "$name"
    stop_model
}

hone_is_killed()
{
    name="$client: hone is killed"
    begin "[[$look,$says_found],[$hangs],[$look,$fix],[$look,$says_clean]]"
    review
    at_the_hang "$name"
    kill_hone
    nothing_left "$name" 10
    run_hone resume
    await "$name, and goes on" 0
    starts "$name, and goes on" critic 1
    check_is "$name: who had finished is not asked again" "$(started pedant)" 2
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    nothing_left "$name, and goes on"
    stop_model
}

the_budget_is_spent()
{
    name="$client: the budget is spent in the round"
    begin "[[$look,$says_found],[$look,$fix],[$look,$says_clean]]"
    review --budget tokens=200
    await "$name" 4
    check_is "$name: no fixer was started" "$(grep -c ' review-fixer  *starts' "$err")" 0
    check "$name: what was spent is told" eval '"$HONE" status | grep -q "240"'
    nothing_left "$name"
    run_hone resume --budget tokens=20k
    await "$name, and goes on with more" 0
    starts "$name, and goes on with more" critic 1
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    nothing_left "$name, and goes on with more"
    stop_model
}

deaths()
{
    the_budget_is_spent
    it_hangs
    it_is_killed
    hone_is_killed
}
