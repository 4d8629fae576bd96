#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Why an agent could not answer: no login, no network, no program. Each has a sentence of its own
# with the way out, and what cannot change is not tried again.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"

template=$TMPDIR/template
new_repo "$template"

# fails NAME SPEC KIND TRIES WORDS: a critic of that SPEC fails so.
fails()
{
    copy_of "$template" work
    forget
    hone run review --json --agent "*=$agent" --agent "critic=$2"
    check_is "$1: exit" "$status" 3
    check_is "$1: tried" "$(grep -c '"event":"start".*"role":"critic"' "$out")" "$4"
    check_has "$1: its kind" "$out" "\"failure\":\"$3\""
    check_has "$1: words" "$out" "$5"
    hone status
    check_has "$1: the status has them, too" "$out" "$5"
}

# A result of claude: error STATUS WORDS.
claude_error='error() { printf "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,"
printf "\"terminal_reason\":\"api_error\",\"api_error_status\":%s,\"result\":\"%s\"}\n" "$1" "$2"
exit 1; }
echo "{\"type\":\"system\",\"subtype\":\"init\"}"'
acp_begins='read -r line; echo "{\"id\":1,\"result\":{\"protocolVersion\":1}}"; read -r line'

login()
{
    program claude "$claude_error; error 401 'Invalid API key'"
    fails "claude has no login" claude login 1 \
        "claude is not logged in, or may not do this (log in: claude auth login): Invalid API key"
    program codex 'echo "{\"type\":\"turn.started\"}"
echo "{\"type\":\"turn.failed\",\"error\":{\"message\":\"unexpected status 401 Unauthorized: x\"}}"
exit 1'
    fails "codex has no login" codex login 1 "(log in: codex login): unexpected status 401"
}

login_too()
{
    program gemini 'echo "Please set an Auth method" >&2; exit 41'
    fails "gemini has no login" gemini login 1 "(log in: gemini): Please set an Auth method"
    program speaker "$acp_begins"'; echo "{\"id\":2,\"error\":{\"code\":-32000,\"message\":\"m\"}}"'
    fails "an agent of ACP has no login" "acp:$TMPDIR/bin/speaker" login 1 \
        "is not logged in, or may not do this: m"
}

network()
{
    program claude "$claude_error
echo '{\"type\":\"system\",\"subtype\":\"api_retry\",\"error\":\"connection_failed\"}'; exit 1"
    fails "claude has no network" claude network 2 \
        "claude cannot reach its service (is there a network?)"
    program codex 'echo "{\"type\":\"turn.started\"}"
printf "{\"type\":\"turn.failed\",\"error\":{\"message\":"
printf "\"stream disconnected before completion: no route\"}}\n"; exit 1'
    fails "codex has no network" codex network 2 "codex cannot reach its service"
}

# A program that was there when the run began, and is gone when it is started again.
missing()
{
    program claude 'rm "$0"; exit 1'
    echo '{"sandbox":false}' >"$TMPDIR/off.json" # in the sandbox programs are read-only
    HONE_CONFIG=$TMPDIR/off.json fails "a program that is gone" claude missing 2 \
        "it comes with: npm install --global @anthropic-ai/claude-code"
    fails "a command that is not there" "cmd:there-is-none-of-this-name" missing 1 \
        "ended with status 127"
}

# Words change nothing: what is no field is a failure like any other.
words()
{
    program claude "$claude_error; error null 'HTTP 401, rate limit, connection_failed'"
    fails "words of an error" claude exit 2 "claude: HTTP 401, rate limit"
    program codex 'echo "please log in: 401" >&2; exit 1'
    fails "words on standard error" codex exit 2 "codex ended with status 1: please log in: 401"
}

together login login_too network missing words
exit "$failed"
