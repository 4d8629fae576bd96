# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # out and err are of play.sh, template is the story's
#
# hook.sh - for stories about hosted runs: this shell is the host. It sends the events that Claude
# Code or Codex would send, and plays their agents by writing the files that those would write.
# Sourced after story.sh and play.sh.

session=7c1e2a34-5b60-4d7e-8f90-a1b2c3d4e5f6
other_session=99999999-5b60-4d7e-8f90-a1b2c3d4e5f6
host=claude

# event NAME [MEMBERS]: one event as this host writes it. MEMBERS: more of the JSON object.
event()
{
    printf '{"session_id":"%s","transcript_path":"/nowhere/t.jsonl","cwd":"%s",' "$session" "$PWD"
    if [ "$host" = codex ]; then
        printf '"turn_id":"01b0","model":"gpt","permission_mode":"default",'
    else
        printf '"prompt_id":"p1","permission_mode":"acceptEdits","effort":{"level":"medium"},'
    fi
    printf '"hook_event_name":"%s"%s}' "$1" "${2:+,$2}"
}

# say_it TEXT: as a JSON string.
say_it()
{
    printf '"%s"' "$(printf '%s' "$1" | sed 's/["\\]/\\&/g' | sed -z 's/\n/\\n/g')"
}

# hook NAME [MEMBERS]: hone is told of that event; $status, $out, $err. The answer
# is always exit code 0 or 2, and JSON or nothing. Its parent is this shell, as the host would be.
hook()
{
    event "$@" | "$HONE" hook >"$out" 2>"$err"
    status=$?
    law "$1"
}

law()
{
    case $status in
    0 | 2) ;;
    *) not_ok "$1: the exit code is $status: $(cat "$err")" ;;
    esac
    if [ -s "$out" ] && ! "$SUPPORT/is_json" whole <"$out" 2>/dev/null; then
        not_ok "$1: more than JSON on standard output: $(cat "$out")"
    fi
    if [ "$status" = 2 ] && [ ! -s "$err" ]; then not_ok "$1: a 2 without a reason"; fi
}

# raw TEXT ARGUMENTS...: these bytes for `hone hook ARGUMENTS`.
raw()
{
    local text=$1
    shift
    printf '%s' "$text" | "$HONE" hook "$@" >"$out" 2>"$err"
    status=$?
    law "raw $*"
}

prompt()
{
    hook UserPromptSubmit "\"prompt\":$(say_it "$1")"
}

# agent_stops TYPE [MEMBERS]
agent_stops()
{
    hook SubagentStop "\"agent_id\":\"a-$1\",\"agent_type\":\"$1\",\"stop_hook_active\":false,\
\"last_assistant_message\":\"done\",\"background_tasks\":[]${2:+,$2}"
}

# agent_says TYPE TEXT: it stops, and that was its last message.
agent_says()
{
    hook SubagentStop "\"agent_id\":\"a-$1\",\"agent_type\":\"$1\",\"stop_hook_active\":false,\
\"last_assistant_message\":$(say_it "$2")"
}

# agent_starts TYPE
agent_starts()
{
    hook SubagentStart "\"agent_id\":\"a-$1\",\"agent_type\":\"$1\""
}

# running TYPE...: as tasks in the background, for stops.
running()
{
    local type comma=
    for type in "$@"; do
        printf '%s{"id":"a-%s","type":"subagent","status":"running","description":"d",' "$comma" \
            "$type"
        printf '"agent_type":"%s"}' "$type"
        comma=,
    done
}

# stops [TASKS]: the turn of the main session ends while TASKS run.
stops()
{
    hook Stop "\"stop_hook_active\":${active:-false},\"last_assistant_message\":\"so\",\
\"background_tasks\":[${1:-}]"
}

# before TOOL INPUT [MEMBERS]: a tool is to be used.
before()
{
    hook PreToolUse "\"tool_name\":\"$1\",\"tool_input\":$2,\"tool_use_id\":\"t1\"${3:+,$3}"
}

# starts TYPE [TOOL]: an agent is to be started. edits PATH [TOOL [MEMBERS]]: a file to be written.
starts()
{
    before "${2:-Agent}" "{\"description\":\"d\",\"prompt\":\"p\",\"subagent_type\":\"$1\"}"
}

edits()
{
    local key=file_path
    [ "${2:-}" != NotebookEdit ] || key=notebook_path
    before "${2:-Edit}" "{\"$key\":\"$1\"}" "${3:-}"
}

# How the last answer is meant.
is_silent()
{
    [ "$status" = 0 ] && [ ! -s "$err" ] &&
        { [ ! -s "$out" ] || { [ "$host" = codex ] && [ "$(cat "$out")" = '{}' ]; }; }
}

is_denied()
{
    [ "$status" = 2 ] || { [ "$status" = 0 ] &&
        grep -q '"permissionDecision":"deny","permissionDecisionReason":"[^"]' "$out"; }
}

is_blocked()
{
    [ "$status" = 0 ] && grep -q '"decision":"block","reason":"[^"]' "$out"
}

# check_silent NAME, check_denied NAME, check_blocked NAME TEXT, check_back NAME TEXT: an agent is
# sent back, and told TEXT.
check_silent()
{
    if is_silent; then ok "$1"; else not_ok "$1: exit $status: $(cat "$out" "$err")"; fi
}

check_denied()
{
    if is_denied; then ok "$1"; else not_ok "$1: not denied: $status: $(cat "$out" "$err")"; fi
}

check_blocked()
{
    if is_blocked && grep -qF -- "$2" "$out"; then
        ok "$1"
    else
        not_ok "$1: not blocked with '$2': $status: $(cat "$out" "$err")"
    fi
}

check_back()
{
    if [ "$status" = 2 ] && grep -qF -- "$2" "$err"; then
        ok "$1"
    else
        not_ok "$1: not sent back with '$2': $status: $(cat "$out" "$err")"
    fi
}

# check_told NAME TEXT: in the answer, or in a file that the answer names.
check_told()
{
    local file
    tr ' "\\' '\n\n\n' <"$out" | grep '^/' >"$TMPDIR/named"
    cp "$out" "$TMPDIR/told"
    while read -r file; do
        file=${file%[.,;:]}
        [ ! -f "$file" ] || cat "$file" >>"$TMPDIR/told"
    done <"$TMPDIR/named"
    check_has "$1" "$TMPDIR/told" "$2"
}

# The contract files.
state=.agents/tmp/state.json

# in_state MEMBER: of the object itself, a string or a number.
in_state()
{
    sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$state"
}

# check_at NAME PHASE STATUS ITERATION
check_at()
{
    check_is "$1" "$(in_state currentPhase) $(in_state status) $(in_state iteration)" "$2 $3 $4"
}

verdict_of()
{
    local file=.agents/tmp/phases/review-$1/r1-verdict.json
    [ -e "$file" ] || { echo none && return; }
    tr -d ' \n' <"$file" | sed 's/.*"overall_verdict":"\([^"]*\)".*/\1/'
}

# writes ROLE TEXT: the file of a reviewer in this iteration.
writes()
{
    local folder
    folder=.agents/tmp/phases/review-$(in_state iteration)
    mkdir -p "$folder"
    printf '%s' "$2" >"$folder/r1-$1.json"
}

all_write()
{
    local role
    for role in $reviewers; do writes "$role" "$1"; done
}

# all_stop: one after the other; $status is the greatest.
all_stop()
{
    local role most=0
    for role in $reviewers; do
        agent_stops "${1:-hone}:$role"
        [ "$status" -le "$most" ] || most=$status
    done
    status=$most
}

# fixer_writes TEXT
fixer_writes()
{
    printf '%s' "$1" >".agents/tmp/phases/review-$(in_state iteration)/r2-fix-summary.md"
}

# begin [OPTIONS]: a run of this session, in a repository of its own.
begin()
{
    copy_of "$template" work
    prompt "/hone:review ${1:+$1 }the notes"
}

# original OWNER [PHASE [ITERATION]]: a state.json as the plugin of the seed writes it.
original()
{
    local at=${3:-1} now=2026-02-08T10:00:00+01:00
    mkdir -p ".agents/tmp/phases/review-$at"
    cat >"$state" <<END
{
  "version": 1,
  "plugin": "minions",
  "pipeline": "review",
  "status": "in_progress",
  "task": "the notes",
  "ownerPpid": "$1",
  "sessionId": "0123456789abcdef",
  "iteration": $at,
  "maxIterations": 5,
  "currentPhase": "${2:-R1}",
  "startedAt": "$now",
  "updatedAt": "$now",
  "schedule": [
    {"phase": "R1", "name": "Review", "type": "dispatch"},
    {"phase": "R2", "name": "Fix", "type": "subagent"}
  ],
  "files": [],
  "failure": null,
  "iterations": [
    {
      "iteration": $at,
      "startedAt": "$now",
      "r1": { "status": "pending" },
      "r2": { "status": "pending" },
      "verdict": null
    }
  ]
}
END
}
