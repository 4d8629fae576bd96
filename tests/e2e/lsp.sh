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
    framed "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\",\"params\":$(printf '[%.0s' {1..100})$(printf ']%.0s' {1..100})}" >&7
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
    tells "\"id\":0,\"method\":\"initialize\",\"params\":{\"processId\":$parent,\"rootUri\":null,\"capabilities\":{}}}"
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
    shows "a finding, with its severity" "$notes" '"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":6}},"severity":2,"code":"critic/text","source":"hone","message":"a defect is left'
    shows "a grave one" "$main" '"start":{"line":2,"character":4},"end":{"line":2,"character":13}},"severity":1,'
    tells "$(document "$notes" notes.txt 1)"
    types "$notes" 2 0 0 0 0 'new\nlines\n'
    shows "lines above push it down" "$notes" '"version":2,"diagnostics":[{"range":{"start":{"line":3,'
    types "$notes" 3 3 0 3 3 'ef\u00e9'
    shows "an edit of its line makes it a hint" "$notes" '"end":{"line":3,"character":6}},"severity":4,'
    shows "which says so" "$notes" 'this line has changed since'
    types "$notes" 4 3 0 3 3 'def'
    shows "and its undo brings it back" "$notes" '"version":4,"diagnostics":[{"range":{"start":{"line":3,"character":0},"end":{"line":3,"character":6}},"severity":2'
    tells "\"method\":\"textDocument/didChange\",\"params\":{\"textDocument\":{\"uri\":\"$notes\",\"version\":5},\"contentChanges\":[{\"text\":\"new\\nhello\\ndefect\\n\"}]}}"
    shows "a whole text is taken, too" "$notes" '"version":5,"diagnostics":[{"range":{"start":{"line":2,'
    types "$notes" 6 2 0 3 0 ''
    shows "a line that is gone has none" "$notes" '"version":6,"diagnostics":[]'
    tells "\"method\":\"textDocument/didClose\",\"params\":{\"textDocument\":{\"uri\":\"$notes\"}}}"
    tells "$(document "$notes" notes.txt 1)"
    types "$notes" 2 0 0 9 9 'x'
    types "$notes" 3 7 0 3 0 'x' # from behind to before: no text of ours is the editor's any more
    tells '"id":7,"method":"textDocument/diagnostic","params":{"textDocument":{"uri":"'"$main"'"}}}'
    hears "an editor that asks is answered" '"id":7,"result":{"kind":"full","items":[{"range"'
    closes "its end" 0
    serves
    opens "$here" '"textDocument":{"diagnostic":{}},"workspace":{"diagnostics":{"refreshSupport":true}}'
    hears "one that only asks is offered that" '"diagnosticProvider":{"identifier":"hone"'
    hears "and told to ask" 'workspace/diagnostic/refresh'
    check_is "but told nothing" "$(heard publishDiagnostics)" 0
    closes "its end" 0
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
    cat >"$play/found" <<'END'
{"issues":[
{"severity":"info","category":"text","file":"a b%<é>&\u001bx.txt","line":1,"description":"odd \u001b[31m\u202e name","evidence":"x","suggestion":"y"},
{"severity":"info","category":"text","file":"sub/deep/in.txt","line":2,"description":"below","evidence":"x","suggestion":"y"},
{"severity":"info","category":"text","file":"../../etc/passwd","line":1,"description":"outside","evidence":"x","suggestion":"y"},
{"severity":"info","category":"text","file":"notes.txt","line":99,"description":"no such line","evidence":"x","suggestion":"y"},
{"severity":"info","category":"text","file":"gone.txt","line":1,"description":"no such file","evidence":"x","suggestion":"y"}],
"summary":{"critical":0,"warning":0,"info":5,"verdict":"issues_found"}}
END
    does critic 'cat "$play/found"'
    hone run review --no-fix --no-sandbox --agent "*=$agent"
    serves
    opens "$here"
    shows "an odd name" "file://$here/a%20b%25%3C%C3%A9%3E%26%1Bx.txt" '"severity":3'
    shows "an escape is harmless" "file://$here/a%20b%25%3C%C3%A9%3E%26%1Bx.txt" 'odd \\x1b[31m\\u{202e} name'
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
    shows "and what is open, by the name it was opened by" "file://$here/sub/deep/linked" 'no such line'
    closes "its end" 0
    serves
    opens "$TMPDIR/link"
    shows "a folder that is a link" "file://$TMPDIR/link/sub/deep/in.txt" below
    tells "$(document "file://$here/sub/deep/in.txt" sub/deep/in.txt 1)"
    shows "a file that is open by another name" "file://$here/sub/deep/in.txt" below
    shows "is not shown twice" "file://$TMPDIR/link/sub/deep/in.txt" '"diagnostics":[]'
    tells '"method":"workspace/didChangeWorkspaceFolders","params":{"event":{"added":[],"removed":[{"uri":"file://'"$TMPDIR/link"'","name":"x"}]}}}'
    shows "a folder that is closed takes its findings along" "file://$TMPDIR/link/notes.txt" '"diagnostics":[]'
    tells '"method":"workspace/didChangeWorkspaceFolders","params":{"event":{"removed":[],"added":[{"uri":"file:///c%3A/x"},{"uri":"file://'"$here"'"}]}}}'
    shows "another one brings them" "$notes" 'no such line'
    hears "a path of Windows is left out" "is no folder of this machine"
    closes "its end" 0
    serves
    tells '"id":0,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
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
    does review-fixer 'while [ ! -e "$play/go" ]; do sleep 0.1; done; sed -i /defect/d notes.txt; echo "# Fixed"'
    "$HONE" run review --quiet --no-sandbox --agent "*=$agent" >/dev/null 2>&1 &
    runs=$!
    shows "what its reviewers found, while it is at work" "$notes" 'a defect is left'
    hears "its progress is offered" 'window/workDoneProgress/create'
    tells '"id":"hone-1","result":null}'
    hears "and told" '"method":"$/progress","params":{"token":"hone-run-'
    hears "with rounds" '"message":"round 1, 1 open"'
    acts 1 "$notes" 1
    hears "meanwhile" '"id":1,"result":[{"title":"hone: repair'
    argument=$(grep -aoE '\{"workspace":[^}]*\}' "$said" | head -n 1)
    tells "\"id\":2,\"method\":\"workspace/executeCommand\",\"params\":{\"command\":\"hone.fix\",\"arguments\":[$argument]}}"
    hears "no second run begins" '"id":2,"error":{"code":-32803,"message":"a run is at work here'
    touch "$play/go"
    wait "$runs"
    shows "what is fixed is gone" "$notes" '"diagnostics":[]'
    hears "and the progress has ended" '"kind":"end","message":"clean"'
    closes "its end" 0
}

# ---- what a person chooses ----

# argument_of ID: what the command of a finding is called with.
argument_of()
{
    grep -aoE '\{"workspace":[^}]*\}' "$said" | grep "\"reason\":\"$2\"" | grep -F "$1" | head -n 1
}

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
    tells "\"id\":4,\"method\":\"textDocument/codeAction\",\"params\":{\"textDocument\":{\"uri\":\"$notes\"},\"range\":{\"start\":{\"line\":1,\"character\":0},\"end\":{\"line\":1,\"character\":0}},\"context\":{\"diagnostics\":[],\"only\":[\"refactor\"]}}}"
    hears "nor of another kind" '"id":4,"result":[]'
    defect=$(newest "$notes" | grep -o '"finding":"[^"]*"')
    leak=$(newest "$main" | grep -o '"finding":"[^"]*"')
    run() { tells "\"id\":$1,\"method\":\"workspace/executeCommand\",\"params\":{\"command\":\"$2\",\"arguments\":[$3]}}"; }
    run 10 hone.waive "$(argument_of "$defect" later | sed 's/later/--owner=x/')"
    hears "a reason of one's own" '"id":10,"error":{"code":-32602,"message":"there is no such reason"'
    run 11 hone.waive "$(argument_of "$defect" later | sed 's/"finding":"[^"]*"/"finding":"--list"/')"
    hears "no finding" '"id":11,"error":{"code":-32602,"message":"there is no such finding here any more"'
    cp notes.txt "$TMPDIR/notes" && sed -i '1i above' notes.txt
    run 20 hone.waive "$(argument_of "$defect" later)"
    hears "where lines have moved since, it is not waived" '"id":20,"error":{"code":-32803,"message":"lines of this file have moved'
    cp "$TMPDIR/notes" notes.txt
    run 12 hone.waive "$(argument_of "$defect" later)"
    hears "a waiver" '"id":12,"result":null'
    check_has "is in the file" .hone/waivers.yaml 'reason: "to be looked at later"'
    check_has "for some days" .hone/waivers.yaml 'until: '
    shows "and what it waives is not shown" "$notes" '"diagnostics":[]'
    run 13 hone.waive "$(argument_of "$leak" accepted)"
    hears "a grave one is asked about" 'window/showMessageRequest'
    tells '"method":"$/cancelRequest","params":{"id":13}}'
    hears "which can be cancelled" '"id":13,"error":{"code":-32800'
    tells '"id":"hone-1","result":{"title":"Waive it all the same"}}'
    run 14 hone.waive "$(argument_of "$leak" accepted)"
    hears "asked again" '"id":"hone-2","method":"window/showMessageRequest"'
    tells '"id":"hone-2","result":null}'
    hears "no is no" '"id":14,"result":null'
    check_is "nothing was waived" "$(grep -c 'grave: true' .hone/waivers.yaml)" 0
    run 15 hone.waive "$(argument_of "$leak" accepted)"
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
    run 2 hone.waive "$(argument_of "$leak" accepted)"
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
    printf '{"agents":{"*":"%s"},"rights":{"tmp":true}}\n' "$agent" >"$HOME/.config/hone/config.json"
    does critic "$sees"
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed: notes.txt"'
    serves
    opens "$here"
    shows "a finding" "$notes" 'a defect is left'
    tells "$(document "$notes" notes.txt 1)"
    acts 1 "$notes" 1
    hears "can be repaired" '"command":"hone.fix"'
    argument=$(grep -aoE '\{"workspace":[^}]*\}' "$said" | head -n 1)
    types "$notes" 2 0 0 0 0 'x'
    tells "\"id\":2,\"method\":\"workspace/executeCommand\",\"params\":{\"command\":\"hone.fix\",\"arguments\":[$argument]}}"
    hears "but not below changes that are not saved" '"id":2,"error":{"code":-32803,"message":"the file has changes'
    types "$notes" 3 0 0 0 1 ''
    tells "\"id\":3,\"method\":\"workspace/executeCommand\",\"params\":{\"command\":\"hone.fix\",\"arguments\":[$argument]}}"
    hears "it begins" '"id":3,"result":null'
    hears "and says how it ended" 'hone fix'
    shows "nothing is left of it" "$notes" '"diagnostics":[]'
    check_not "in the file, too" grep -q defect notes.txt
    closes "its end" 0
}

# ---- a real editor ----

# The fix of a tool as an edit, and a waiver, by Neovim's own client.
neovim()
{
    command -v nvim >/dev/null || { skip "Neovim" "nvim is not installed"; return; }
    copy_of "$template" work
    printf '#include <stdio.h>\nint main(void)\n{\n    printf("%%d\\n", 3L); /* é */\n    return 0;\n}\n' >main.c
    hone run review --no-fix --no-sandbox --agent "*=analyzer:none" \
        --agent critic=analyzer:gcc --agent review-fixer=fixits
    check_is "a compiler has found something" "$status" 1
    cat >"$TMPDIR/story.lua" <<'END'
local out = io.open(os.getenv('TMPDIR') .. '/nvim.said', 'w')
local function check(name, good, more)
    out:write((good and 'ok ' or 'not ok ') .. 'Neovim: ' .. name .. (good and '' or ': ' .. vim.inspect(more)) .. '\n')
    out:flush()
end
local function quit(code) out:close(); vim.cmd((code or 0) .. 'cquit!') end
local function main()
    local chosen, titles
    vim.ui.select = function(items, opts, on_choice)
        titles = {}
        for i, item in ipairs(items) do
            titles[i] = opts.format_item and opts.format_item(item) or tostring(item)
        end
        for i, title in ipairs(titles) do
            if title:find(chosen, 1, true) then return on_choice(items[i], i) end
        end
        on_choice(nil, nil)
    end
    vim.cmd('edit main.c')
    local id = vim.lsp.start_client({ name = 'hone', cmd = { os.getenv('HONE'), 'lsp' }, root_dir = vim.fn.getcwd() })
    vim.lsp.buf_attach_client(0, id)
    local function all() return vim.diagnostic.get(0) end
    local function wait(f) return vim.wait(9000, f, 50) end
    check('a diagnostic appears', wait(function() return #all() == 1 end), all())
    local d = all()[1]
    check('at its line', d and d.lnum == 3 and d.col >= 4, d)
    check('as a warning of hone', d and d.severity == vim.diagnostic.severity.WARN and d.source == 'hone', d)
    vim.api.nvim_buf_set_lines(0, 0, 0, false, { '/* é */', '' })
    check('it moves with the text', wait(function() return #all() == 1 and all()[1].lnum == 5 end), all())
    vim.api.nvim_win_set_cursor(0, { 6, 6 })
    chosen = 'hone: '
    vim.lsp.buf.code_action()
    local line = function() return vim.api.nvim_buf_get_lines(0, 5, 6, false)[1] end
    check('a code action makes the edit', wait(function() return line():find('%ld', 1, true) end), { line(), titles })
    check('what was edited is a hint', wait(function() return #all() == 1 and all()[1].severity == vim.diagnostic.severity.HINT end), all())
    vim.cmd('silent undo')
    check('an undo brings it back', wait(function() return #all() == 1 and all()[1].severity == vim.diagnostic.severity.WARN end), all())
    chosen = 'false positive'
    vim.api.nvim_win_set_cursor(0, { all()[1].lnum + 1, 6 })
    vim.lsp.buf.code_action()
    check('waived, it goes', wait(function() return #all() == 0 end), { all(), titles })
    local client = vim.lsp.get_client_by_id(id)
    vim.lsp.stop_client(id)
    check('the server ends', wait(function() return client.is_stopped() end), nil)
end
local good, problem = pcall(main)
if not good then check('the story', false, problem) end
quit()
END
    TMPDIR=$TMPDIR HONE=$HONE timeout -k 5 100 nvim --headless -u NONE -i NONE -n \
        -c "luafile $TMPDIR/story.lua" >"$out" 2>&1 </dev/null
    check_is "Neovim ended" $? 0
    cat "$TMPDIR/nvim.said"
    if grep -q '^not ok' "$TMPDIR/nvim.said"; then
        failed=1
        cat "$HOME/.cache/nvim/lsp.log" "$out" 2>/dev/null | tail -n 20 | cut -c 1-600
    fi
    check_has "the waiver is in the file" .hone/waivers.yaml 'reason: "false positive"'
}

together life messages orphan stay names follow chooses repairs neovim
exit "$failed"
