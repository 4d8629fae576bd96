# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# lsp.sh - a small editor: messages of the Language Server Protocol to a `hone lsp`, and what it
# answers. Sourced behind play.sh. $said is the file of all that the server has said.

# framed JSON: one message with its head. Lengths are bytes.
framed()
{
    local LC_ALL=C
    printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"
}

# tells JSON...: each is a message to the server; {"jsonrpc":"2.0", is put in front.
tells()
{
    local message
    for message; do framed "{\"jsonrpc\":\"2.0\",$message" >&7; done
}

# serves [COMMAND...]: starts a server; its process is $server. COMMAND stands in front of hone.
serves()
{
    said=$TMPDIR/said
    rm -f "$TMPDIR/lsp.in"
    mkfifo "$TMPDIR/lsp.in"
    : >"$said"
    "$@" "$HONE" lsp <"$TMPDIR/lsp.in" >"$said" 2>"$err" &
    server=$!
    exec 7>"$TMPDIR/lsp.in"
}

# opens FOLDER [CAPABILITIES]: the editor's first words.
opens()
{
    local can=${2:-'"textDocument":{"publishDiagnostics":{},"codeAction":{"codeActionLiteralSupport":{}}}'}
    tells "\"id\":0,\"method\":\"initialize\",\"params\":{\"processId\":$$,\"rootUri\":\"file://$1\",\"capabilities\":{$can}}}"
    tells '"method":"initialized","params":{}}'
}

# hears NAME TEXT: the server says so, sooner or later.
hears()
{
    if until_true 30 grep -qaF -- "$2" "$said"; then
        ok "$1"
    else
        not_ok "$1: '$2' is not in:"
        tr '\r' '\n' <"$said" | grep -a . | tail -n 5 | cut -c 1-2000 | sed 's/^/    /'
    fi
}

# heard TEXT: how often.
heard()
{
    grep -aoF -- "$1" "$said" | wc -l
}

# newest URI: the newest diagnostics of this file, as the server said them.
newest()
{
    tr '\r' '\n' <"$said" | grep -aF "\"uri\":\"$1\"" | tail -n 1
}

# is_shown URI TEXT: the newest diagnostics of a file have this text.
is_shown()
{
    newest "$1" | grep -qF -- "$2"
}

# shows NAME URI TEXT: the newest diagnostics of a file come to have this text.
shows()
{
    if until_true 30 is_shown "$2" "$3"; then
        ok "$1"
    else
        not_ok "$1: '$3' is not in: $(newest "$2")"
    fi
}

# closes NAME STATUS: shutdown and exit, and the server's status.
closes()
{
    local status
    tells '"id":"last","method":"shutdown"}' '"method":"exit"}'
    exec 7>&-
    wait "$server"
    status=$?
    check_is "$1" "$status" "$2"
}

# document URI FILE VERSION: the params of didOpen; the file must be plain.
document()
{
    local text
    text=$(awk '{ gsub(/["\\]/, "\\\\&"); printf "%s\\n", $0 }' "$2")
    printf '"method":"textDocument/didOpen","params":{"textDocument":{"uri":"%s",' "$1"
    printf '"languageId":"text","version":%d,"text":"%s"}}}' "$3" "$text"
}

# types URI VERSION LINE CHARACTER LINE CHARACTER TEXT: one edit.
types()
{
    tells "\"method\":\"textDocument/didChange\",\"params\":{\"textDocument\":{\"uri\":\"$1\",\"version\":$2},\"contentChanges\":[{\"range\":{\"start\":{\"line\":$3,\"character\":$4},\"end\":{\"line\":$5,\"character\":$6}},\"text\":\"$7\"}]}}"
}

# acts ID URI LINE: asks what can be done there.
acts()
{
    tells "\"id\":$1,\"method\":\"textDocument/codeAction\",\"params\":{\"textDocument\":{\"uri\":\"$2\"},\"range\":{\"start\":{\"line\":$3,\"character\":0},\"end\":{\"line\":$3,\"character\":0}},\"context\":{\"diagnostics\":[]}}}"
}
