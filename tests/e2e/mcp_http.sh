#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone mcp --http: who comes in, who does not, and that no client can hold it up.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/mcp.sh"

template=$TMPDIR/template
new_repo "$template"

# listen: a server in this folder, with a port of its own; sets $server, $port and $token.
listen()
{
    : >listening
    "$HONE" mcp --http 0 --json >listening 2>listening.err &
    server=$!
    until_true 20 grep -q '"url"' listening || cat listening.err
    port=$(sed -n 's/.*127.0.0.1:\([0-9]*\).*/\1/p' listening)
    token_file=$("$SUPPORT/is_json" lines token_file <listening)
    token=$(cat "$token_file")
}

unlisten()
{
    kill -TERM "$server"
    wait "$server"
}

# raw BYTES...: sends them as printf writes them; what comes back is in $out, its status in $status.
raw()
{
    exec 9<>"/dev/tcp/127.0.0.1/$port"
    # shellcheck disable=SC2059 # the bytes are a format
    printf "$@" >&9 2>/dev/null
    timeout 40 cat <&9 >"$out"
    exec 9>&- 9<&-
    status=$(sed -n '1s/^HTTP\/1.1 \([0-9]*\).*/\1/p' "$out")
}

# post BODY [HEADER...]: with what every client sends; a header that is given replaces ours.
post()
{
    local body=$1 name header lines=()
    shift
    local -A headers=([Host]="localhost:$port" [Content-Type]=application/json
        [Accept]='application/json, text/event-stream' [Authorization]="Bearer $token"
        [Content-Length]=${#body})
    for header in "$@"; do headers[${header%%:*}]=${header#*: }; done
    for name in "${!headers[@]}"; do
        [ "${headers[$name]}" = - ] || lines+=("$name: ${headers[$name]}")
    done
    printf '%s\r\n' "POST ${path:-/mcp} HTTP/1.1" "${lines[@]}" '' >request
    printf '%s' "$body" >>request
    exec 9<>"/dev/tcp/127.0.0.1/$port"
    cat request >&9 2>/dev/null
    timeout 40 cat <&9 >"$out"
    exec 9>&- 9<&-
    status=$(sed -n '1s/^HTTP\/1.1 \([0-9]*\).*/\1/p' "$out")
}

ping='{"jsonrpc":"2.0","id":1,"method":"ping"}'

# refused NAME STATUS HEADER...: a good request but for that.
refused()
{
    local name=$1 wanted=$2
    shift 2
    post "$ping" "$@"
    check_is "$name" "$status" "$wanted"
    check_not "$name: not heard" grep -q '"result"' "$out"
}

# modern METHOD [MEMBERS] [NAME]
modern()
{
    post "$(request 1 "$1" "${2:-}")" 'MCP-Protocol-Version: 2026-07-28' "Mcp-Method: $1" \
        "Mcp-Name: ${3:--}"
}

# ---- who comes in ----

comes_in()
{
    copy_of "$template" work
    listen
    check_is "the token is the user's alone" "$(stat -c %a "$token_file")" 600
    check "and long" test "${#token}" -ge 32
    check_not "it is not shown" grep -qF -- "$token" listening listening.err
    post "$ping"
    check_is "with the token" "$status" 200
    check_has "an answer" "$out" '{"jsonrpc":"2.0","id":1,"result":{}}'
    post "$ping" 'Host: 127.0.0.1' 'Origin: http://localhost:3000'
    check_is "by a page of this machine" "$status" 200
    refused "without a token" 401 'Authorization: -'
    check_has "without a token: how it is sent" "$out" 'WWW-Authenticate: Bearer'
    refused "with another token" 401 \
        "Authorization: Bearer $(printf '%s' "$token" | tr a-z0-9 b-za1-90)"
    refused "with a part of it" 401 "Authorization: Bearer ${token%?}"
    refused "with nothing" 401 'Authorization: Bearer '
    refused "by another scheme" 401 "Authorization: Basic $token"
    refused "another name for this machine" 403 'Host: evil.example.com'
    refused "no name" 403 'Host: -'
    refused "a page of somebody else" 403 'Origin: http://evil.example.com'
    refused "a page of nobody" 403 'Origin: null'
    refused "a page that only looks like ours" 403 'Origin: http://localhost.evil.example.com'
    refused "what a form can send" 415 'Content-Type: text/plain'
    refused "a client that knows no streams" 406 'Accept: application/json'
    path=/ refused "another address" 404
    raw 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n' "$token"
    check_is "GET" "$status" 405
    raw 'OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example.com\r\n\r\n'
    check_is "a preflight" "$status" 403
    check_not "a preflight: nothing is allowed" grep -qi 'access-control' "$out"
    before=$token
    unlisten
    check_is "SIGTERM ends it" $? 0
    chmod 644 "$token_file"
    listen
    check_is "the token stays" "$token" "$before"
    check_is "and is private again" "$(stat -c %a "$token_file")" 600
    hone mcp --http "$port"
    one_line "a port that is taken" 2 "port $port of 127.0.0.1 is taken"
    unlisten
}

# ---- both eras ----

eras()
{
    copy_of "$template" work
    does critic 'cat "$play/clean"'
    hone run review --quiet --agent "*=$agent"
    listen
    modern server/discover
    check_is "discover" "$status" 200
    check_has "discover: versions" "$out" '"supportedVersions":["2026-07-28"'
    modern tools/call ',"name":"run_status"' run_status
    check_has "a call" "$out" '"reason":"clean"'
    check_has "a call: as JSON" "$out" 'Content-Type: application/json'
    modern tools/call ',"name":"run_status"' list_findings
    check_is "a header that says something else" "$status" 400
    check_has "a header that says something else: why" "$out" '"code":-32020'
    modern no/such/method
    check_is "an unknown method" "$status" 404
    post "$(request 1 tools/list)" 'MCP-Protocol-Version: -'
    check_is "no version in the header" "$status" 400
    post '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    check_is "a notification" "$status" 202
    post '[]'
    check_is "a batch" "$status" 400
    post 'nonsense'
    check_is "no JSON" "$status" 400

    post '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}'
    check_is "initialize" "$status" 200
    session=$(sed -n 's/^Mcp-Session-Id: \(.*\)\r$/\1/p' "$out")
    check "a session" test "${#session}" -ge 32
    post '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' "Mcp-Session-Id: $session" \
        'MCP-Protocol-Version: 2025-06-18'
    check_has "in the session" "$out" '"name":"run_status"'
    raw 'DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n%s\r\n%s\r\n\r\n' \
        "Authorization: Bearer $token" "Mcp-Session-Id: $session"
    check_is "its end" "$status" 200
    post "$ping" "Mcp-Session-Id: $session"
    check_is "after its end" "$status" 404
    unlisten
}

# ---- streams ----

# waited NAME MEMBERS SECONDS: a call that waits for a run, which ends when there was a word of its
# progress, or after so long.
waited()
{
    local run go body
    forget
    rm -f "$play/go" "$out"
    does critic 'until [ -e "$play/go" ]; do sleep 0.1; done; cat "$play/clean"'
    "$HONE" run review --quiet --agent "*=$agent" >/dev/null 2>&1 &
    run=$!
    until_true 20 grep -q critic "$play/log"
    { until_true "$3" grep -q notifications/progress "$out"; touch "$play/go"; } &
    go=$!
    body='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_status",'
    body+="\"arguments\":{\"waitSeconds\":60},$meta$2}}}"
    post "$body" 'MCP-Protocol-Version: 2026-07-28' 'Mcp-Method: tools/call' 'Mcp-Name: run_status'
    check_is "$1" "$status" 200
    check_has "$1: the end" "$out" '"reason":"clean"'
    wait "$run" "$go"
}

streams()
{
    copy_of "$template" work
    listen
    waited "a call that waits" '' 1
    check_has "one answer" "$out" 'Content-Type: application/json'
    waited "with a token for progress" ',"progressToken":7' 30
    check_has "a stream" "$out" 'Content-Type: text/event-stream'
    check_has "progress comes first" "$out" 'data: {"jsonrpc":"2.0","method":"notifications/prog'
    check "and the answer last" grep -q '^data: .*"reason":"clean"' "$out"
    unlisten
}

# ---- clients that mean no good ----

hostile()
{
    copy_of "$template" work
    listen
    raw 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n'
    check_is "no length" "$status" 411
    raw 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
    check_is "chunks" "$status" 501
    raw 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'
    check_is "two lengths" "$status" 400
    raw 'POST /mcp HTTP/1.0\r\n\r\n'
    check_is "an old protocol" "$status" 505
    raw '\026\003\001\002\000\001\000\001\374\003\003\r\n\r\n'
    check_is "TLS" "$status" 400
    raw 'GET / HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n' \
        "$(head -c 20000 /dev/zero | tr '\0' x)"
    check_is "a long head" "$status" 431
    post "$ping" 'Content-Length: 99999999'
    check_is "a long body" "$status" 413
    post "$ping" 'Content-Length: 4000000' 'Authorization: -'
    check_is "a body of a stranger is not waited for" "$status" 401
    raw 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n%s\r\n%s\r\n%s\r\n\r\n%s%s' \
        'Content-Type: application/json' "Authorization: Bearer $token" \
        "Content-Length: ${#ping}" "$ping" $'GET / HTTP/1.1\r\n\r\n'
    check_is "two requests at once: the first is answered" "$status" 200
    check_is "and no other" "$(grep -c '^HTTP/1.1' "$out")" 1
    head -c 5000000 /dev/urandom >noise
    exec 9<>"/dev/tcp/127.0.0.1/$port"
    cat noise >&9 2>/dev/null
    exec 9>&- 9<&-
    post "$ping"
    check_is "after noise" "$status" 200
    peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$server/status")
    check "it took less than 40 MB: $peak kB" test "$peak" -lt 40000
    unlisten
}

# More connections than there are places, all silent; and one that speaks slowly.
slow()
{
    copy_of "$template" work
    listen
    exec 8<>"/dev/tcp/127.0.0.1/$port"
    printf 'POST /mcp HTTP/1.1\r\nHost: ' >&8
    for i in $(seq 80); do exec {fd}<>"/dev/tcp/127.0.0.1/$port"; done
    post "$ping"
    check_is "eighty silent connections give way" "$status" 200
    timeout 20 cat <&8 >"$out"
    check_has "a slow one is told so" "$out" 'HTTP/1.1 408'
    check_not "nothing has died" test -s listening.err
    unlisten
    check_is "it ends well" $? 0
}

together comes_in eras streams hostile slow
exit "$failed"
