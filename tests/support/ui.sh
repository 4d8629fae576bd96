# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # $out and others are of play.sh
#
# ui.sh - a server of hone's page, and requests to it, for stories. Sourced after play.sh.

# ui_start [ARGUMENTS...]: a server with a port of its own, in this folder; sets $server, $port,
# $token, and the file `about` with what it says first.
ui_start()
{
    : >"$TMPDIR/about"
    "$HONE" ui --port 0 --json "$@" >"$TMPDIR/about" 2>"$TMPDIR/about.err" &
    server=$!
    until_true 30 grep -q '"url"' "$TMPDIR/about" || cat "$TMPDIR/about.err"
    port=$(sed -n 's,.*127.0.0.1:\([0-9]*\)/.*,\1,p' "$TMPDIR/about")
    token=$(sed -n 's/.*#token=\([a-z0-9]*\).*/\1/p' "$TMPDIR/about")
}

ui_stop()
{
    kill -TERM "$server"
    wait "$server"
}

# ui_send METHOD PATH BODY [HEADER...]: with what the page sends; a header that is given replaces
# ours, and "-" leaves it out. The answer's status is in $status, its head in the file `head`, its
# body in $out.
ui_send()
{
    local method=$1 path=$2 body=$3 name header lines=()
    shift 3
    local -A headers=([Host]="127.0.0.1:$port" [Authorization]="Bearer $token")
    [ "$method" != POST ] || headers+=([Content-Type]=application/json [Content-Length]=${#body})
    for header in "$@"; do headers[${header%%:*}]=${header#*: }; done
    for name in "${!headers[@]}"; do
        [ "${headers[$name]}" = - ] || lines+=("$name: ${headers[$name]}")
    done
    {
        printf '%s\r\n' "$method $path HTTP/1.1" "${lines[@]}" ''
        printf '%s' "$body"
    } >"$TMPDIR/request"
    ui_raw "$TMPDIR/request"
}

# ui_raw FILE: these bytes.
ui_raw()
{
    exec 9<>"/dev/tcp/127.0.0.1/$port"
    cat "$1" >&9 2>/dev/null
    timeout 100 cat <&9 >"$TMPDIR/answer" 2>/dev/null
    exec 9>&- 9<&-
    status=$(sed -n '1s/^HTTP\/1.1 \([0-9]*\).*/\1/p' "$TMPDIR/answer")
    sed '/^\r$/q' "$TMPDIR/answer" >"$TMPDIR/head"
    sed '1,/^\r$/d' "$TMPDIR/answer" >"$out"
}

# ui_get PATH [HEADER...], ui_post PATH BODY [HEADER...]: below /api/v1.
ui_get()
{
    local path=$1
    shift
    ui_send GET "/api/v1$path" '' "$@"
}

ui_post()
{
    local path=$1 body=$2
    shift 2
    ui_send POST "/api/v1$path" "$body" "$@"
}

# ui_listen FILE [LAST]: the stream goes there from now on; sets $listener.
ui_listen()
{
    {
        exec 8<>"/dev/tcp/127.0.0.1/$port"
        printf '%s\r\n' 'GET /api/v1/stream HTTP/1.1' "Host: 127.0.0.1:$port" \
            "Authorization: Bearer $token" ${2:+"Last-Event-ID: $2"} '' >&8
        exec cat <&8
    } >"$1" 2>/dev/null &
    listener=$!
    until_true 30 grep -q '"hello"' "$1"
}
