# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # what is not assigned here is of story.sh and play.sh
#
# stage.sh - for stories with the real clients: a network of loopback and nothing else, a model that
# says what a story tells it (model.js), homes of their own, and a look at what is left running.
# Sourced first.
if [ -z "${HONE_TEST_ALONE:-}" ]; then # where it can be had
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
limit=120

# has_client NAME: whether it is there; a word where it is not.
has_client()
{
    [ -e "$clients/node_modules/.bin/$1" ] && return 0
    not_ok "$1 is not in $clients: run make real-agents"
    return 1
}

# start_model SCRIPT [MODEL]: the server; $port is where it listens, $asked what it was asked.
start_model()
{
    asked=$TMPDIR/asked
    rm -f "$TMPDIR/port"
    : >"$asked"
    printf '%s' "$1" >"$TMPDIR/script.json"
    cd "$TMPDIR" || exit 1 # else it would work in the repository
    node "$TOP/tests/real/stage/${2:-model.js}" "$TMPDIR/script.json" "$TMPDIR/port" "$asked" \
        >"$TMPDIR/model.log" 2>&1 &
    cd "$OLDPWD" || exit 1
    model=$!
    until_true 20 test -s "$TMPDIR/port" || {
        cat "$TMPDIR/model.log"
        exit 1
    }
    port=$(cat "$TMPDIR/port")
    settle
}

stop_model()
{
    kill "$model"
    wait "$model" 2>/dev/null
}

# Nothing of the caller's accounts, and no way but to loopback.
settle()
{
    export HOME=$TMPDIR/home
    # Clients have a /tmp of their own, as every user has, and see the story's folder in it.
    mkdir -p "$HOME/.config/hone"
    printf '{"rights":{"write":["%s"]}}\n' "$TMPDIR" >"$HOME/.config/hone/config.json"
    case $PATH in "$clients"/*) ;; *) export PATH=$clients/node_modules/.bin:$PATH ;; esac
    export ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL=http://127.0.0.1:$port
    export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1
    export DISABLE_ERROR_REPORTING=1 CLAUDE_CODE_MAX_RETRIES=1
    export GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:$port
    export CODEX_HOME=$HOME/.codex MODEL_KEY=none MODEL_PROVIDER=scripted NO_BROWSER=1
    mkdir -p "$CODEX_HOME" "$HOME/.gemini" "$TMPDIR/tmp"
    cat >"$HOME/.gemini/settings.json" <<END_OF_SETTINGS
{"security": {"auth": {"selectedType": "gemini-api-key"}},
 "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
 "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}}
END_OF_SETTINGS
    cat >"$CODEX_HOME/config.toml" <<END_OF_CONFIG
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
END_OF_CONFIG
}

# Processes that have the environment of an attempt of this story, or work in its repository.
of_attempts()
{
    local folder
    grep -lzF "HONE_OUTPUT=$TMPDIR/" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3
    for folder in /proc/[0-9]*/cwd; do
        case $(readlink "$folder" 2>/dev/null) in
        "$TMPDIR/work" | "$TMPDIR/work/"*)
            folder=${folder%/cwd}
            folder=${folder##*/}
            [ "$folder" = "$BASHPID" ] || [ "$folder" = "$$" ] || echo "$folder"
            ;;
        esac
    done
}

none_left()
{
    [ -z "$(cd "$TMPDIR" && of_attempts | sort -u)" ]
}

# nothing_left NAME: in a moment at the latest.
nothing_left()
{
    cd "$TMPDIR" || exit 1
    if until_true "${2:-3}" none_left; then
        ok "$1: nothing is left running"
    else
        not_ok "$1: nothing is left running"
        of_attempts | sort -u | while read -r pid; do
            printf '    %s %s\n' "$pid" "$(tr '\0' ' ' <"/proc/$pid/cmdline" | cut -c 1-150)"
        done
    fi
    cd "$TMPDIR/work" || exit 1
}

# run_hone ARGUMENTS...: in the background; $runs is its process.
run_hone()
{
    # Codex puts its helpers into its home, but never below a temporary folder.
    TMPDIR=$TMPDIR/tmp "$HONE" "$@" >"$out" 2>"$err" </dev/null &
    runs=$!
}

hone_is_over()
{
    ! kill -0 "$runs"
}

# await NAME STATUS: the end of it; what it said where that was another one.
await()
{
    until_true "$limit" hone_is_over || {
        not_ok "$1: over within $limit s"
        kill -KILL "$runs"
    }
    wait "$runs" 2>/dev/null
    status=$?
    check_is "$1: exit" "$status" "$2"
    [ "$status" = "$2" ] || sed 's/^/    /' "$err" "$asked" "$TMPDIR/model.log"
}

# at_the_hang NAME: the model was asked for what it does not answer.
at_the_hang()
{
    until_true 60 grep -q ' hang$' "$asked" && return
    not_ok "$1: the client asked"
    sed 's/^/    /' "$err" "$asked"
}

kill_attempts()
{
    # shellcheck disable=SC2046 # a list of numbers
    kill -KILL $(grep -lzF "HONE_OUTPUT=$TMPDIR/" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3)
}

kill_hone()
{
    kill -KILL "$runs"
    wait "$runs" 2>/dev/null
}

# starts NAME ROLE COUNT: how often a role was started in what hone told.
starts()
{
    check_is "$1: $2 was started" "$(grep -c " $2  *starts" "$err")" "$3"
}

# used NAME JOB: hone shows what that attempt of the newest run did: at least a call, and tokens.
used()
{
    "$HONE" show --json "$(basename .git/hone/runs/*)" "$2" >"$TMPDIR/shown"
    check "$1: its calls are shown" grep -qE '"tool_calls": [1-9]' "$TMPDIR/shown"
    check "$1: and its tokens" grep -qE '"tokens_in": [1-9]' "$TMPDIR/shown"
}

# ---- scripts ----

json()
{
    printf '%s' "$1" | awk '{ gsub(/[\\"]/, "\\\\&"); printf "%s%s", (NR > 1) ? "\\n" : "", $0 }'
}

# says TEXT [MEMBERS]: a turn in which the model says it.
says()
{
    printf '{%s"say":"%s"}' "${2:+$2,}" "$(json "$1")"
}

# runs COMMAND [MISHAPS]: a turn in which it calls the shell, after mishaps.
runs()
{
    printf '{%s"run":"%s"}' "${2:+\"first\":[$2],}" "$(json "$1")"
}

# times COUNT TEXT: a list.
times()
{
    local list=$2 n
    for ((n = 1; n < $1; n++)); do list+=,$2; done
    printf '%s' "$list"
}

look=$(runs 'cat notes.txt')
hangs=$(runs 'cat notes.txt' '{"hang":true}')
