#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone mcp --http: a token that came with a repository opens nothing, and silent connections hold
# nobody up. Told once: neither root nor a sandbox makes a difference.
#
# row: bounds.token | a repository brings a token in .git/hone, by its old name or any other | the token is kept in your own state folder, one for each repository, mode 0600, and compared in constant time | programs that you run can read it
# row: bounds.idle | hundreds of connections say nothing, or half a request | where places are scarce those that were not let in give way at once (50 ms, and 200 in the middle of a head), the silent and oldest first: a client with the token is answered within a second | a client that holds the token
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/mcp.sh"

ping='{"jsonrpc":"2.0","id":1,"method":"ping"}'

listen()
{
    "$HONE" mcp --http 0 --json >listening 2>listening.err &
    server=$!
    until_true 20 grep -q '"url"' listening || cat listening.err
    port=$(sed -n 's/.*127.0.0.1:\([0-9]*\).*/\1/p' listening)
    token_file=$("$SUPPORT/is_json" lines token_file <listening)
}

# post TOKEN: the status of the answer in $status.
post()
{
    exec 9<>"/dev/tcp/127.0.0.1/$port"
    printf '%s\r\n' 'POST /mcp HTTP/1.1' 'Host: localhost' 'Content-Type: application/json' \
        "Authorization: Bearer $1" "Content-Length: ${#ping}" '' >&9
    printf '%s' "$ping" >&9
    timeout 40 cat <&9 >"$out"
    exec 9>&- 9<&-
    status=$(sed -n '1s/^HTTP\/1.1 \([0-9]*\).*/\1/p' "$out")
}

# silent COUNT [WORDS]: so many connections that say no more than that.
silent()
{
    local i fd
    for i in $(seq "$1"); do
        exec {fd}<>"/dev/tcp/127.0.0.1/$port"
        [ $# = 1 ] || printf '%s' "$2" >&"$fd"
    done
}

# soon NAME: a client is answered, and how fast: a second, and one more for a busy machine.
soon()
{
    local begun
    begun=$(date +%s%N)
    post "$token"
    check_is "$1: answered" "$status" 200
    check "$1: within a second" test $((($(date +%s%N) - begun) / 1000000)) -lt 2000
}

new_repo "$TMPDIR/work"
mkdir -m 700 .git/hone
planted=$(printf 'abcdefgh%.0s' 1 2 3 4 5)
(umask 077 && echo "$planted" >.git/hone/mcp-token)
listen
token=$(cat "$token_file")
post "$planted"
check_is "bounds.token: a planted one is refused" "$status" 401
post "$token"
check_is "bounds.token: the user's is not" "$status" 200
check_is "bounds.token: it is the user's alone" "$(stat -c %a "$token_file")" 600
case $token_file in
"$PWD"/*) not_ok "bounds.token: it lies in the repository: $token_file" ;;
*) ok "bounds.token: it lies outside of the repository" ;;
esac
silent 129
soon "bounds.idle: 129 silent connections"
silent 200 'POST /mcp HTTP/1.1'
soon "bounds.idle: 200 that said half a line"
peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$server/status")
check "bounds.idle: it took less than 40 MB: $peak kB" test "$peak" -lt 40000
kill -TERM "$server"
wait "$server"
exit "$failed"
