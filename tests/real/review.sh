#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone run review with the real Claude Code, the real Codex and an agent of ACP, which talk to
# model.js on loopback: what really comes out of them, and what hone makes of it. Nothing may be
# left running.
if [ -z "${HONE_TEST_ALONE:-}" ]; then # where it can be had: a network of loopback and nothing else
    flags=-n
    [ "$(id -u)" = 0 ] || flags=-rn
    export HONE_TEST_ALONE=1
    # shellcheck disable=SC2016 # for the inner shell
    if unshare $flags ip link set lo up 2>/dev/null; then
        exec unshare $flags sh -c 'ip link set lo up; exec bash "$0"' "$0"
    fi
fi
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

clients=${REAL_CLIENTS:-${HONE%/*}/real}
template=$TMPDIR/template
new_repo "$template"
limit=120

# start_model SCRIPT: the server; $port is where it listens.
start_model()
{
    rm -f "$TMPDIR/port" "$TMPDIR/asked"
    : >"$TMPDIR/asked"
    printf '%s' "$1" >"$TMPDIR/script.json"
    node "$TOP/tests/real/model.js" "$TMPDIR/script.json" "$TMPDIR/port" "$TMPDIR/asked" \
        >"$TMPDIR/model.log" 2>&1 &
    model=$!
    until_true 10 test -s "$TMPDIR/port" || {
        cat "$TMPDIR/model.log"
        exit 1
    }
    port=$(cat "$TMPDIR/port")
}

stop_model()
{
    kill "$model"
    wait "$model" 2>/dev/null
}

# Nothing of the caller's accounts, and no way but to loopback.
settle()
{
    export HOME=$TMPDIR/home PATH=$clients/node_modules/.bin:$PATH
    export ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL=http://127.0.0.1:$port
    export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1
    export DISABLE_ERROR_REPORTING=1 CLAUDE_CODE_MAX_RETRIES=1
    export CODEX_HOME=$TMPDIR/home/.codex MODEL_KEY=none
    mkdir -p "$CODEX_HOME" "$TMPDIR/tmp"
    cat >"$CODEX_HOME/config.toml" <<END
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
web_search = "disabled"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:$port/v1"
env_key = "MODEL_KEY"
wire_api = "responses"
supports_websockets = false
request_max_retries = 1
stream_max_retries = 1
[features]
plugins = false
remote_plugin = false
plugin_discovery_prefetch = false
apps = false
daemon_auto_start = false
[analytics]
enabled = false
END
}

# How many processes have the environment of an attempt of ours.
left_running()
{
    grep -lzF "HONE_OUTPUT=$TMPDIR/" /proc/[0-9]*/environ 2>/dev/null | wc -l
}

# case_of CLIENT NAME EXIT STARTS SCRIPT ARGUMENTS...: critic and fixer are the client, the others
# find nothing. STARTS: how often the critic was started.
case_of()
{
    local client=$1 name="$1: $2" wanted=$3 starts=$4 script=$5
    shift 5
    start_model "$script"
    settle
    copy_of "$template" work
    forget
    # Codex puts its helpers into its home, but never below a temporary folder.
    TMPDIR=$TMPDIR/tmp hone run review --agent "*=$agent" --agent "critic=$client" \
        --agent "review-fixer=$client" "$@"
    check_is "$name: exit" "$status" "$wanted"
    [ "$status" = "$wanted" ] || sed 's/^/    /' "$err" "$TMPDIR/asked"
    check_is "$name: starts" "$(grep -c ' critic  *starts' "$err")" "$starts"
    check_is "$name: nothing is left" "$(left_running)" 0
    stop_model
}

look='{"run":"cat notes.txt"}'
json() { printf '%s' "$1" | sed 's/[\\"]/\\&/g'; }
# shellcheck disable=SC2154 # of story.sh
says_clean="{\"say\":\"$(json "$clean")\"}"
# shellcheck disable=SC2154
says_found="{\"say\":\"$(json "$found")\"}"
fix='{"run":"sed -i /defect/d notes.txt"},{"say":"# Fixed"}'
with_first() { printf '{"first":[%s],"run":"cat notes.txt"}' "$1"; }

for client in claude codex; do
    [ -e "$clients/node_modules/.bin/$client" ] || {
        not_ok "$client is not in $clients: run make real-agents"
        continue
    }
    case_of $client "clean" 0 1 "[[$look,$says_clean]]"
    case_of $client "two rounds" 0 2 "[[$look,$says_found],[$look,$fix],[$look,$says_clean]]"
    check_is "$client: two rounds: it is repaired" "$(grep -c defect notes.txt)" 0
    case_of $client "malformed, then corrected" 0 2 \
        "[[$look,{\"say\":\"It looks fine.\"}],[$look,$says_clean]]"
    case_of $client "no tool, then one" 0 2 "[[$says_clean],[$look,$says_clean]]"
    refuse='{"status":400}'
    case_of $client "an error of the service" 3 2 \
        "[[$(with_first "$refuse,$refuse,$refuse,$refuse,$refuse,$refuse,$refuse,$refuse"),$look],
          [$(with_first "$refuse,$refuse,$refuse,$refuse,$refuse,$refuse,$refuse,$refuse"),$look]]"
    case_of $client "429 with retry-after" 0 1 \
        "[[$(with_first '{"status":429,"headers":{"retry-after":"1"}}'),$says_clean]]"
    case_of $client "429 without, until it gives up" 0 2 \
        "[[$(with_first '{"status":429},{"status":429},{"status":429},{"status":429}'),$look],
          [$look,$says_clean]]"
    case_of $client "529 until it gives up" 0 2 \
        "[[$(with_first '{"status":529},{"status":529},{"status":529},{"status":529}'),$look],
          [$look,$says_clean]]"
    case_of $client "a stream that breaks off" 0 1 \
        "[[$(with_first '{"drop":true}'),$says_clean]]"
    case_of $client "a service that hangs" 3 2 \
        "[[$(with_first '{"hang":true}')],[$(with_first '{"hang":true}')]]" --idle-timeout 6s
    check_has "$client: a hang is said" "$err" "idle-timeout"
done

# An agent that is spoken to by ACP.
client=acp:claude-agent-acp
case_of $client "clean" 0 1 "[[$look,$says_clean]]"
case_of $client "two rounds" 0 2 "[[$look,$says_found],[$look,$fix],[$look,$says_clean]]"
check_is "$client: two rounds: it is repaired" "$(grep -c defect notes.txt)" 0
case_of $client "no tool, then one" 0 2 "[[$says_clean],[$look,$says_clean]]"
case_of $client "a service that hangs" 3 2 \
    "[[$(with_first '{"hang":true}')],[$(with_first '{"hang":true}')]]" --idle-timeout 6s
exit "$failed"
