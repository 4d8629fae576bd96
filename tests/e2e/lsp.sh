#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone lsp: findings in an editor. Its life, what it is told that is no message, findings that keep
# to their lines, runs that are followed, waivers and repairs that a person chooses; and all of it
# once more with Neovim.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/lsp.sh"

template=$TMPDIR/template
new_repo "$template"
grave='{"severity":"critical","category":"memory","file":"main.c","line":3,'
grave+='"description":"it leaks","evidence":"x","suggestion":"y"}'
both="sed 's|\"issues\":\[|&$grave,|; s|\"critical\":0|\"critical\":1|' \"\$play/found\""

# looked FOLDER: a copy of the repository in which a run has found two things.
looked()
{
    copy_of "$template" "$1"
    does critic "$both"
    hone run review --no-fix --no-sandbox --agent "*=$agent"
    here=$(pwd -P)
    notes=file://$here/notes.txt
    main=file://$here/main.c
}

# ---- life and messages ----

life()
{
    copy_of "$template" work
    serves
    tells '"id":1,"method":"shutdown"}' '"method":"textDocument/didOpen","params":{}}'
    hears "before initialize nothing is served" '"id":1,"error":{"code":-32002'
    opens "$PWD"
    hears "initialize is answered" '"positionEncoding":"utf-16"'
    tells '"id":2,"method":"initialize","params":{}}' '"id":3,"method":"no/such"}'
    hears "initialize comes once" '"id":2,"error":{"code":-32600'
    hears "an unknown method" '"id":3,"error":{"code":-32601'
    tells '"method":"no/such/notification"}' '"id":null,"result":null}' '"id":"hone-9","result":1}'
    tells '"id":4,"method":"workspace/executeCommand","params":{"command":"rm"}}'
    hears "an unknown command" '"id":4,"error":{"code":-32602'
    tells '"id":5,"method":"shutdown","params":null}' '"id":6,"method":"shutdown"}'
    hears "shutdown is answered" '"id":5,"result":null'
    hears "and nothing behind it" '"id":6,"error":{"code":-32600'
    closes "exit behind shutdown is 0" 0
    check_not "nothing was said on standard error" test -s "$err"
    serves
    opens "$PWD"
    tells '"method":"exit"}'
    wait "$server"
    check_is "exit without shutdown is 1" $? 1
    exec 7>&-
    serves
    opens "$PWD"
    exec 7>&-
    wait "$server"
    check_is "an editor that is gone: 1" $? 1
    framed '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' | "$HONE" lsp >/dev/full
    check_is "an output that is full ends it" $? 1
    for encoding in utf-8 utf-32 utf-16; do
        serves
        opens "$PWD" '"general":{"positionEncodings":["utf-7","'$encoding'","utf-16"]}'
        hears "the editor's encoding is taken: $encoding" "\"positionEncoding\":\"$encoding\""
        closes "$encoding: its end" 0
    done
}

# broken NAME BYTES WORDS: a stream that cannot be framed ends the server.
broken()
{
    # shellcheck disable=SC2059 # a format on purpose
    printf "$2" | "$HONE" lsp >/dev/null 2>"$err"
    check_is "$1: exit" $? 1
    check_has "$1: words" "$err" "$3"
}

messages()
{
    copy_of "$template" work
    broken "garbage" 'GET / HTTP/1.1\r\n\r\n' "cannot be read"
    broken "a line per message, as of MCP" '{"jsonrpc":"2.0"}\n' "CR LF"
    broken "two lengths" 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}' "two lengths"
    broken "an absurd length" 'Content-Length: 99999999999\r\n\r\n{}' "absurd"
    broken "a head without an end" "$(printf '%5000s' x)" "too long"
    broken "another character set" 'Content-Type: x;charset=latin1\r\nContent-Length: 2\r\n\r\n{}' \
        "utf-8"
    printf 'Content-Length: 100\r\n\r\n{"jsonrpc"' | "$HONE" lsp >/dev/null
    check_is "half a message, and the end" $? 1
    serves
    framed '{"jsonrpc":"2.0","id":1' >&7
    hears "no JSON" '"id":null,"error":{"code":-32700'
    tells "\"id\":2,\"method\":\"x\",\"params\":$(printf '[%.0s' {1..99})$(printf ']%.0s' {1..99})}"
    hears "too deep" 'at most 64 levels'
    framed '[]' >&7
    hears "a batch" 'batches are not taken'
    opens "$PWD"
    hears "what follows is served" '"id":0,"result"'
    {
        printf 'Content-Length: 100000000\r\n\r\n'
        head -c 100000000 /dev/zero
    } >&7
    hears "a message of 100 MB is refused" "longer than 64 MiB"
    peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$server/status")
    [ -n "${HONE_TEST_SHORT:-}" ] || check "and not kept: $peak kB" test "$peak" -lt 40000
    closes "and what follows it is served" 0
}

# The editor's process dies, and something else holds the pipe open.
orphan()
{
    copy_of "$template" work
    sleep 1000 &
    parent=$!
    serves
    opens ""
    hears "a server with a parent" '"id":0,"result"'
    kill "$parent"
    wait "$parent" 2>/dev/null
    check "it ends with the parent" until_true 30 eval "! kill -0 $server 2>/dev/null"
    wait "$server"
    check_is "its status" $? 1
    exec 7>&-
}

# ---- findings ----

stay()
{
    looked work
    serves
    opens "$here"
    shows "a finding, with its severity" "$notes" "$(range 1 0 1 6),\"severity\":2,"
    shows "its rule and its words" "$notes" \
        '"code":"critic/text","source":"hone","message":"a defect is left'
    shows "a grave one" "$main" "$(range 2 4 2 13),\"severity\":1,"
    tells "$(document "$notes" notes.txt 1)"
    types "$notes" 2 0 0 0 0 'new\nlines\n'
    shows "lines above push it down" "$notes" "\"version\":2,\"diagnostics\":[{$(range 3 0 3 6)"
    types "$notes" 3 3 0 3 3 'ef\u00e9'
    shows "an edit of its line makes it a hint" "$notes" "$(range 3 0 3 6),\"severity\":4,"
    shows "which says so" "$notes" 'this line has changed since'
    types "$notes" 4 3 0 3 3 'def'
    shows "and its undo brings it back" "$notes" \
        "\"version\":4,\"diagnostics\":[{$(range 3 0 3 6),\"severity\":2"
    changes "$notes" 5 '"text":"new\nhello\ndefect\n"'
    shows "a whole text is taken, too" "$notes" "\"version\":5,\"diagnostics\":[{$(range 2 0 2 6)"
    types "$notes" 6 2 0 3 0 ''
    shows "a line that is gone has none" "$notes" '"version":6,"diagnostics":[]'
    document="\"textDocument\":{\"uri\":\"$notes\"}"
    tells "\"method\":\"textDocument/didClose\",\"params\":{$document}}"
    tells "$(document "$notes" notes.txt 1)"
    types "$notes" 2 0 0 9 9 'x'
    types "$notes" 3 7 0 3 0 'x' # from behind to before: no text of ours is the editor's any more
    document="\"textDocument\":{\"uri\":\"$main\"}"
    tells "\"id\":7,\"method\":\"textDocument/diagnostic\",\"params\":{$document}}"
    hears "an editor that asks is answered" '"id":7,"result":{"kind":"full","items":[{"range"'
    closes "its end" 0
    serves
    opens "$here" '"textDocument":{"diagnostic":{}},
        "workspace":{"diagnostics":{"refreshSupport":true}}'
    hears "one that only asks is offered that" '"diagnosticProvider":{"identifier":"hone"'
    hears "and told to ask" 'workspace/diagnostic/refresh'
    check_is "but told nothing" "$(heard publishDiagnostics)" 0
    closes "its end" 0
}

# issue FILE LINE WORDS: one of a reviewer's.
issue()
{
    printf '{"severity":"info","category":"text","file":"%s","line":%d,' "$1" "$2"
    printf '"description":"%s","evidence":"x","suggestion":"y"}' "$3"
}

names_found()
{
    printf '{"issues":['
    issue 'a b%<é>&\u001bx.txt' 1 'odd \u001b[31m\u202e name'
    printf ,
    issue sub/deep/in.txt 2 below
    printf ,
    issue ../../etc/passwd 1 outside
    printf ,
    issue notes.txt 99 'no such line'
    printf ,
    issue gone.txt 1 'no such file'
    echo '],"summary":{"critical":0,"warning":0,"info":5,"verdict":"issues_found"}}'
}

# folders ADDED REMOVED: of the workspace, each a URI or nothing.
folders()
{
    tells "\"method\":\"workspace/didChangeWorkspaceFolders\",\"params\":{\"event\":{
        \"added\":[${1:+{\"uri\":\"$1\"\}}],\"removed\":[${2:+{\"uri\":\"$2\"\}}]}}}"
}

# Names, folders and links as editors and agents write them.
names()
{
    local odd
    looked work
    odd='a b%<é>&'$'\e''x.txt'
    printf 'defect\n' >"$odd"
    mkdir -p sub/deep && printf 'x\ndefect\n' >sub/deep/in.txt
    ln -s "$here" "$TMPDIR/link"
    ln -s ../../notes.txt sub/deep/linked
    names_found >"$play/found"
    does critic 'cat "$play/found"'
    hone run review --no-fix --no-sandbox --agent "*=$agent"
    serves
    opens "$here"
    uri=file://$here/a%20b%25%3C%C3%A9%3E%26%1Bx.txt
    shows "an odd name" "$uri" '"severity":3'
    shows "an escape is harmless" "$uri" 'odd \\x1b[31m\\u{202e} name'
    shows "a line that is not there" "$notes" '"range":{"start":{"line":98,'
    hears "what is about no file of the workspace is counted" "1 about no file"
    check_is "and a file that is gone is not shown" "$(heard gone.txt)" 0
    check_is "nor one outside" "$(heard passwd)" 0
    closes "its end" 0
    serves
    opens "$here/sub"
    shows "a folder of the workspace" "file://$here/sub/deep/in.txt" below
    check_is "has what is in it" "$(newest "$notes" | wc -l)" 0
    tells "$(document "file://$here/sub/deep/linked" notes.txt 1)"
    shows "and what is open, by the name it has there" "file://$here/sub/deep/linked" 'no such line'
    closes "its end" 0
    serves
    opens "$TMPDIR/link"
    shows "a folder that is a link" "file://$TMPDIR/link/sub/deep/in.txt" below
    tells "$(document "file://$here/sub/deep/in.txt" sub/deep/in.txt 1)"
    shows "a file that is open by another name" "file://$here/sub/deep/in.txt" below
    shows "is not shown twice" "file://$TMPDIR/link/sub/deep/in.txt" '"diagnostics":[]'
    folders "" "file://$TMPDIR/link"
    shows "a folder that is closed takes its findings along" "file://$TMPDIR/link/notes.txt" \
        '"diagnostics":[]'
    folders file:///c%3A/x ""
    folders "file://$here" ""
    shows "another one brings them" "$notes" 'no such line'
    hears "a path of Windows is left out" "is no folder of this machine"
    closes "its end" 0
    serves
    opens ""
    tells "$(document "file://$here/sub/deep/in.txt" sub/deep/in.txt 1)"
    shows "no folder at all: what is open" "file://$here/sub/deep/in.txt" below
    closes "its end" 0
}

# A run at work: findings come and go with its rounds.
follow()
{
    copy_of "$template" work
    here=$(pwd -P)
    notes=file://$here/notes.txt
    serves
    opens "$here" '"window":{"workDoneProgress":true}'
    hears "before the first run" '"id":0,"result"'
    does critic "$sees"
    does review-fixer '
        while [ ! -e "$play/go" ]; do sleep 0.1; done
        sed -i /defect/d notes.txt
        echo "# Fixed"'
    "$HONE" run review --quiet --no-sandbox --agent "*=$agent" >/dev/null 2>&1 &
    runs=$!
    shows "what its reviewers found, while it is at work" "$notes" 'a defect is left'
    hears "its progress is offered" 'window/workDoneProgress/create'
    tells '"id":"hone-1","result":null}'
    hears "and told" '"method":"$/progress","params":{"token":"hone-run-'
    hears "with rounds" '"message":"round 1, 1 open"'
    acts 1 "$notes" 1
    hears "meanwhile" '"id":1,"result":[{"title":"hone: repair'
    commands 2 hone.fix "$(argument_of '"run"')"
    hears "no second run begins" '"id":2,"error":{"code":-32803,"message":"a run is at work here'
    touch "$play/go"
    wait "$runs"
    shows "what is fixed is gone" "$notes" '"diagnostics":[]'
    hears "and the progress has ended" '"kind":"end","message":"clean"'
    closes "its end" 0
}

# ---- what a person chooses ----

chooses()
{
    looked work
    serves
    opens "$here"
    shows "two findings" "$notes" 'a defect is left'
    shows "two findings" "$main" 'it leaks'
    acts 1 "$notes" 1
    hears "what can be done about one" '"id":1,"result":[{"title":"hone: repair it with an agent'
    hears "it can be waived" ': false positive","kind":"quickfix"'
    acts 2 "$main" 2
    hears "a grave one" '(grave): accepted'
    acts 3 "$main" 0
    hears "nothing elsewhere" '"id":3,"result":[]'
    acts 4 "$notes" 1 ',"only":["refactor"]'
    hears "nor of another kind" '"id":4,"result":[]'
    defect=$(newest "$notes" | grep -o '"finding":"[^"]*"')
    leak=$(newest "$main" | grep -o '"finding":"[^"]*"')
    commands 10 hone.waive "$(argument_of "$defect" later | sed 's/later/--owner=x/')"
    hears "a reason of one's own" '"id":10,"error":{"code":-32602,"message":"there is no such reas'
    other="s/$defect/\"finding\":\"--list\"/"
    commands 11 hone.waive "$(argument_of "$defect" later | sed "$other")"
    hears "no finding" '"id":11,"error":{"code":-32602,"message":"there is no such finding here'
    cp notes.txt "$TMPDIR/notes" && sed -i '1i above' notes.txt
    commands 20 hone.waive "$(argument_of "$defect" later)"
    hears "where lines have moved since, it is not waived" \
        '"id":20,"error":{"code":-32803,"message":"lines of this file have moved'
    cp "$TMPDIR/notes" notes.txt
    commands 12 hone.waive "$(argument_of "$defect" later)"
    hears "a waiver" '"id":12,"result":null'
    check_has "is in the file" .hone/waivers.yaml 'reason: "to be looked at later"'
    check_has "for some days" .hone/waivers.yaml 'until: '
    shows "and what it waives is not shown" "$notes" '"diagnostics":[]'
    commands 13 hone.waive "$(argument_of "$leak" accepted)"
    hears "a grave one is asked about" 'window/showMessageRequest'
    tells '"method":"$/cancelRequest","params":{"id":13}}'
    hears "which can be cancelled" '"id":13,"error":{"code":-32800'
    tells '"id":"hone-1","result":{"title":"Waive it all the same"}}'
    commands 14 hone.waive "$(argument_of "$leak" accepted)"
    hears "asked again" '"id":"hone-2","method":"window/showMessageRequest"'
    tells '"id":"hone-2","result":null}'
    hears "no is no" '"id":14,"result":null'
    check_is "nothing was waived" "$(grep -c 'grave: true' .hone/waivers.yaml)" 0
    commands 15 hone.waive "$(argument_of "$leak" accepted)"
    hears "once more" '"id":"hone-3"'
    tells '"id":"hone-3","result":{"title":"Waive it all the same"}}'
    shows "yes is yes" "$main" '"diagnostics":[]'
    check_has "in the file" .hone/waivers.yaml 'grave: true'
    closes "its end" 0
    git checkout -q . && rm -rf .hone
    serves env CLAUDECODE=1
    opens "$here"
    shows "inside an agent it shows" "$main" 'it leaks'
    acts 1 "$main" 2
    hears "and offers" '"id":1,"result":[{'
    commands 2 hone.waive "$(argument_of "$leak" accepted)"
    hears "and asks" '"id":"hone-1"'
    tells '"id":"hone-1","result":{"title":"Waive it all the same"}}'
    hears "but the verb refuses" '"id":2,"error":{"code":-32803,"message":"only a person waives'
    closes "its end" 0
}

# hone fix, from the editor.
repairs()
{
    looked work
    mkdir -p "$HOME/.config/hone"
    printf '{"agents":{"*":"%s"},"rights":{"tmp":true}}\n' "$agent" \
        >"$HOME/.config/hone/config.json"
    does critic "$sees"
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed: notes.txt"'
    serves
    opens "$here"
    shows "a finding" "$notes" 'a defect is left'
    tells "$(document "$notes" notes.txt 1)"
    acts 1 "$notes" 1
    hears "can be repaired" '"command":"hone.fix"'
    types "$notes" 2 0 0 0 0 'x'
    commands 2 hone.fix "$(argument_of '"run"')"
    hears "but not below changes that are not saved" \
        '"id":2,"error":{"code":-32803,"message":"the file has changes'
    types "$notes" 3 0 0 0 1 ''
    commands 3 hone.fix "$(argument_of '"run"')"
    hears "it begins" '"id":3,"result":null'
    hears "and says how it ended" 'hone fix'
    shows "nothing is left of it" "$notes" '"diagnostics":[]'
    check_not "in the file, too" grep -q defect notes.txt
    closes "its end" 0
}

# ---- real editors ----

# As docs/editors.md says it for Neovim 0.7, hone on the PATH.
neovim_documented()
{
    command -v nvim >/dev/null || { skip "Neovim" "nvim is not installed"; return; }
    looked work
    mkdir "$TMPDIR/bin" && ln -s "$HONE" "$TMPDIR/bin/hone"
    awk '/^```lua$/ { n++; next } /^```/ { n += n == 2 } n == 2' "$TOP/docs/editors.md" \
        >"$TMPDIR/init.lua"
    PATH=$TMPDIR/bin:$PATH
    timeout -k 5 60 nvim --headless -u "$TMPDIR/init.lua" -i NONE -n notes.txt \
        -c 'lua vim.wait(30000, function() return #vim.diagnostic.get(0) == 1 end, 50)' \
        -c "lua io.open('$TMPDIR/shown', 'w'):write(vim.inspect(vim.diagnostic.get(0)))" \
        -c '0cquit!' >"$out" 2>&1 </dev/null
    check_has "Neovim, as it is documented: a finding" "$TMPDIR/shown" 'a defect is left'
}

# What VS Code's client sent in a session (tests/validate/lsp.sh), played again.
vscode()
{
    local line id pending='"id":0,' run count=0
    looked work
    run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)
    serves
    while IFS= read -r line; do
        line=${line//@ROOT@/$here}
        line=${line//@RUN@/$run}
        id=$(printf '%s' "$line" | grep -oE '^\{"jsonrpc":"2.0","id":[^,]*,')
        id=${id#*,}
        case $line in
        *'"method":'*)
            [ $count = 0 ] || until_true 30 grep -qaF "2.0\",$pending\"result\"" "$said" ||
                not_ok "VS Code: $pending is not answered"
            [ -z "$id" ] || pending=$id
            ;;
        *) until_true 30 grep -qaF "$id\"method\"" "$said" || not_ok "VS Code: $id was not asked" ;;
        esac
        framed "$line" >&7
        count=$((count + 1))
        [ $count != 2 ] || shows "VS Code: a finding" "$main" 'it leaks'
    done <"$TOP/tests/support/vscode.jsonl"
    exec 7>&-
    wait "$server"
    check_is "VS Code: the session ends well" $? 0
    check_is "VS Code: both are waived" "$(grep -c '^- id' .hone/waivers.yaml)" 2
    check_is "VS Code: nothing was refused" "$(grep -aoE '"error":.{0,300}' "$said")" ""
    check "VS Code: what it showed last is nothing" is_shown "$main" '"diagnostics":[]'
}

# The fix of a tool as an edit, and a waiver, by Neovim's own client.
neovim()
{
    command -v nvim >/dev/null || { skip "Neovim" "nvim is not installed"; return; }
    copy_of "$template" work
    cat >main.c <<'END'
#include <stdio.h>
int main(void)
{
    printf("%d\n", 3L); /* é */
    return 0;
}
END
    hone run review --no-fix --no-sandbox --agent "*=analyzer:none" \
        --agent critic=analyzer:gcc --agent review-fixer=fixits
    check_is "a compiler has found something" "$status" 1
    export TMPDIR HONE
    timeout -k 5 100 nvim --headless -u NONE -i NONE -n \
        -c "luafile $TOP/tests/support/lsp.lua" >"$out" 2>&1 </dev/null
    check_is "Neovim ended" $? 0
    cat "$TMPDIR/nvim.said"
    if grep -q '^not ok' "$TMPDIR/nvim.said"; then
        failed=1
        cat "$HOME/.cache/nvim/lsp.log" "$out" 2>/dev/null | tail -n 20 | cut -c 1-600
    fi
    check_has "the waiver is in the file" .hone/waivers.yaml 'reason: "false positive"'
}

together life messages orphan stay names follow chooses repairs vscode neovim \
    neovim_documented
exit "$failed"
