# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# mcp.sh - a small MCP client: requests of both eras as text. Sourced behind play.sh;
# an agent may source it, too.

meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
meta+='"io.modelcontextprotocol/clientCapabilities":{}'

# request ID METHOD [MEMBERS]: of the newest protocol; MEMBERS of params, with a comma in front.
request()
{
    printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":{%s}%s}}\n' "$1" "$2" "$meta" "${3:-}"
}

# tool NAME [ARGUMENTS] [ID]: a call.
tool()
{
    request "${3:-1}" tools/call ",\"name\":\"$1\",\"arguments\":${2:-{\}}"
}

# call NAME [ARGUMENTS]: a server for one call, until it has answered; the answer is in $said.
call()
{
    local server
    rm -f "$TMPDIR/mcp.in" "$TMPDIR/mcp.out"
    mkfifo "$TMPDIR/mcp.in"
    timeout -k 5 60 "$HONE" mcp <"$TMPDIR/mcp.in" >"$TMPDIR/mcp.out" &
    server=$!
    exec 8>"$TMPDIR/mcp.in"
    tool "$@" >&8
    until_true 60 test -s "$TMPDIR/mcp.out"
    exec 8>&-
    wait "$server"
    said=$(cat "$TMPDIR/mcp.out")
}

# says NAME TEXT: whether the last answer has the text, quotes unescaped.
says()
{
    if printf '%s' "$said" | sed 's/\\"/"/g' | grep -qF -- "$2"; then
        ok "$1"
    else
        not_ok "$1: '$2' is not in: $said"
    fi
}
