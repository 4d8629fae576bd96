#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone ui: who does not come in, and what those who do cannot do. Told once: neither root nor a
# sandbox makes a difference, but for the journal of another user.
#
# row: ui.door | a page in your browser, or another program or user of this machine, asks the server of `hone ui`: by a foreign Host or Origin, a null Origin, another port, without the token, with a wrong one, with one in the address or a cookie, with what command lines tell | Host and Origin must name this machine and this port, the token must stand in Authorization, once; it is made anew at each start, and no cookie is set: refused before a body is read. It stands in no command line, and in no file but a private one that --open makes for the browser and that goes when the page has come | who can read your terminal or your processes' memory has the token; so may a page that another program served at the same port before, where it left a service worker in your browser (`--port 0` takes another port each time)
# row: ui.address | an address with `..`, `%2e`, doubled or missing slashes, other methods, unknown names or options | addresses are a table, matched as they are written; files of the page are known by their exact names and lie in the program, not on the disk | -
# row: ui.request | huge heads and bodies, bodies that are no JSON or of another type, half requests that stay open, 300 connections | bounds on each, a deadline for the whole head, places that give way: who holds the token is answered | a client that holds the token
# row: ui.act | a page with the token names an agent's command, a file as a loop, a trust, a sandbox that is off; or wants something done where the server was started with --read-only, or inside an attempt | an act is a verb with the verb's checks and an allow list of options, each word an argument of its own and never through a shell; --read-only refuses them all | the token's holder can start the agents that your configuration names
# row: ui.content | a journal brings hostile ids and dialects, or is swapped for a pipe, a link, a folder, garbage or half of itself while it is followed; files of attempts are links, pipes or devices | ids that are no names, and what is no journal, are refused with the journal, and the others are answered meanwhile; files of attempts are read without following links or waiting | a link in place of the whole folder of a run or an attempt is followed: making one takes your rights
# row: ui.page | an answer is shown in a frame, as another type, or loads something from elsewhere | every answer forbids frames, other origins, scripts and styles that are not the server's own, and guessing of types | -
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/ui.sh"

template=$TMPDIR/template
new_repo "$template"

# refused NAME STATUS METHOD PATH BODY [HEADER...]
refused()
{
    local name=$1 wanted=$2
    shift 2
    ui_send "$@"
    check_is "$name" "$status" "$wanted"
    check_not "$name: tells nothing" grep -q '"repositories"\|"runs"' "$out"
}

door()
{
    copy_of "$template" door
    ui_start
    local own=$token
    refused "ui.door: a foreign host" 403 GET /api/v1 '' 'Host: evil.example'
    refused "ui.door: a foreign host and our port" 403 GET /api/v1 '' "Host: evil.example:$port"
    refused "ui.door: a host that begins like ours" 403 GET /api/v1 '' \
        "Host: 127.0.0.1.evil.example:$port"
    refused "ui.door: another port" 403 GET /api/v1 '' "Host: 127.0.0.1:1"
    refused "ui.door: no host" 403 GET /api/v1 '' 'Host: -'
    refused "ui.door: a foreign origin" 403 GET /api/v1 '' 'Origin: http://evil.example'
    refused "ui.door: the null origin" 403 GET /api/v1 '' 'Origin: null'
    refused "ui.door: another server of this machine" 403 GET /api/v1 '' \
        'Origin: http://127.0.0.1:8080'
    refused "ui.door: a foreign host for the page itself" 403 GET / '' 'Host: evil.example'
    refused "ui.door: no token" 401 GET /api/v1 '' 'Authorization: -'
    refused "ui.door: a wrong token" 401 GET /api/v1 '' "Authorization: Bearer x${own:1}"
    refused "ui.door: half of the token" 401 GET /api/v1 '' "Authorization: Bearer ${own:0:20}"
    refused "ui.door: as a password" 401 GET /api/v1 '' "Authorization: Basic $own"
    refused "ui.door: in the address" 401 GET "/api/v1?token=$own" '' 'Authorization: -'
    refused "ui.door: in the address, with the right one" 400 GET "/api/v1?token=$own" ''
    refused "ui.door: in a cookie" 401 GET /api/v1 '' 'Authorization: -' "Cookie: token=$own"
    refused "ui.door: the stream without a token" 401 GET /api/v1/stream '' 'Authorization: -'
    refused "ui.door: an act without a token" 401 POST /api/v1/repos/0/runs \
        '{"dialect":"review"}' 'Authorization: -'
    refused "ui.door: an act of a foreign page" 403 POST /api/v1/repos/0/runs \
        '{"dialect":"review"}' 'Origin: http://evil.example'
    ui_send GET /api/v1 '' "Origin: http://127.0.0.1:$port"
    check_is "ui.door: our own page" "$status" 200
    check_not "ui.door: no cookie is set" grep -qi '^Set-Cookie' "$TMPDIR/head"
    check_not "ui.door: no other origin is allowed" grep -qi '^Access-Control' "$TMPDIR/head"
    check_not "ui.door: the token is in no file" \
        grep -rqs "$own" "$HOME" .git
    ui_stop
    mkdir "$TMPDIR/opens"
    printf '#!/bin/sh\necho "$@" >"%s/words"\n' "$TMPDIR/opens" >"$TMPDIR/opens/xdg-open"
    chmod +x "$TMPDIR/opens/xdg-open"
    PATH=$TMPDIR/opens:$PATH ui_start --open
    check "ui.door: --open starts a browser" until_true 30 test -s "$TMPDIR/opens/words"
    check_not "ui.door: --open: the token is in no command line" \
        grep -qs "$token" "$TMPDIR/opens/words" "/proc/$server/cmdline"
    check_is "ui.door: --open: and the file is for no other user" \
        "$(stat -c %a "$(cat "$TMPDIR/opens/words")")" 600
    ui_get ''
    check_not "ui.door: --open: which goes when the page is there" \
        test -e "$(cat "$TMPDIR/opens/words")"
    ui_stop
    ui_start
    check "ui.door: another token at each start" [ "$token" != "$own" ]
    refused "ui.door: that of another start" 401 GET /api/v1 '' "Authorization: Bearer $own"
    ui_stop
}

addresses()
{
    local path
    copy_of "$template" addresses
    echo secret >secret.txt
    ui_start
    for path in /../secret.txt /ui/../secret.txt /ui/..%2fsecret.txt /ui/%2e%2e/secret.txt \
        /ui/app%2ejs /ui//app.js //ui/app.js /ui/app.js/ /ui/ /ui /ui/APP.JS /index.html /ui/.. \
        "/ui/app.js%00" /etc/passwd //etc/passwd /api/v1/../../secret.txt /api/v1/ /API/v1 \
        /api/v1/repos/0/runs/..%2f..%2fsecret /api/v1/repos/0/runs/../../../secret \
        /api/v1/repos/0/runs/a/attempts/../../.. /api/v1/repos/00/runs/a; do
        ui_send GET "$path" ''
        check_is "ui.address: $path" "$status" 404
        check_not "ui.address: $path: no file" grep -q secret "$out"
    done
    refused "ui.address: no absolute form" 400 GET "http://127.0.0.1:$port/api/v1" ''
    for path in DELETE PUT OPTIONS TRACE PATCH; do
        refused "ui.address: $path" 405 "$path" /api/v1 ''
    done
    refused "ui.address: CONNECT" 400 CONNECT "127.0.0.1:$port" ''
    refused "ui.address: POST where only GET is" 405 POST /api/v1/runs '{}'
    refused "ui.address: GET where only POST is" 405 GET /api/v1/repos/0/runs/a/stop ''
    refused "ui.address: POST of a page" 405 POST / '{}'
    refused "ui.address: an option that is none" 400 GET '/api/v1/runs?../x=1' ''
    refused "ui.address: a control character" 400 GET '/api/v1/runs?state=%0d%0aSet-Cookie:x' ''
    check_not "ui.address: is in no header" grep -qi 'set-cookie' "$TMPDIR/head"
    ui_stop
}

# bytes COUNT: so many of them.
bytes()
{
    head -c "$1" /dev/zero | tr '\0' a
}

requests()
{
    local fd i begun
    copy_of "$template" requests
    ui_start
    {
        printf 'GET /api/v1 HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nX: ' "$port"
        bytes 40000
    } >"$TMPDIR/huge"
    ui_raw "$TMPDIR/huge"
    check_is "ui.request: a huge head" "$status" 431
    refused "ui.request: a huge body" 413 POST /api/v1/repos/0/runs "$(bytes 300000)"
    refused "ui.request: a huge query" 400 GET "/api/v1/runs?state=$(bytes 9000)" ''
    refused "ui.request: no JSON" 400 POST /api/v1/repos/0/runs 'dialect=review'
    refused "ui.request: a list" 400 POST /api/v1/repos/0/runs '[]'
    refused "ui.request: a member twice" 400 POST /api/v1/repos/0/runs \
        '{"dialect":"review","dialect":"review"}'
    refused "ui.request: a form" 415 POST /api/v1/repos/0/runs 'dialect=review' \
        'Content-Type: application/x-www-form-urlencoded'
    refused "ui.request: plain text, as any page can send it" 415 POST /api/v1/repos/0/runs \
        '{"dialect":"review"}' 'Content-Type: text/plain'
    refused "ui.request: no type" 415 POST /api/v1/repos/0/runs '{"dialect":"review"}' \
        'Content-Type: -'
    refused "ui.request: no length" 411 POST /api/v1/repos/0/runs '' 'Content-Length: -'
    refused "ui.request: a body where none is wanted" 413 GET /api/v1 '' 'Content-Length: 5'
    check_not "ui.request: nothing was started" test -e .git/hone/journal.db
    for i in $(seq 340); do
        exec {fd}<>"/dev/tcp/127.0.0.1/$port" && printf 'GET / HT' >&"$fd"
    done 2>/dev/null
    begun=$(date +%s)
    ui_get ''
    check_is "ui.request: answered among hundreds of half requests" "$status" 200
    check "ui.request: and soon" test $(($(date +%s) - begun)) -lt 30
    for fd in $(seq 10 400); do eval "exec $fd>&-"; done 2>/dev/null
    ui_stop
}

acting()
{
    local body
    copy_of "$template" acting
    forget
    ui_start
    for body in '{"agent":"*=cmd:touch owned"}' '{"agent":["*=cmd:touch owned"]}' \
        '{"trust":true}' '{"no-sandbox":true}' '{"test":"touch owned"}' '{"eyes":"cmd:true"}' \
        '{"any-folder":true}' '{"C":"/"}' '{"-agent":"x"}' '{"since=x --trust":"y"}' \
        '{"session-dir":"/tmp/x"}' '{"":"x"}'; do
        refused "ui.act: $body" 400 POST /api/v1/repos/0/runs \
            "{\"dialect\":\"review\",\"options\":$body}"
    done
    for body in /etc/passwd ../x ./x.yaml .hidden x/y; do
        refused "ui.act: a loop by its path: $body" 400 POST /api/v1/repos/0/runs \
            "{\"dialect\":\"$body\"}"
    done
    refused "ui.act: a zero byte" 400 POST /api/v1/repos/0/runs \
        '{"dialect":"review","task":"a\u0000b"}'
    refused "ui.act: another member" 400 POST /api/v1/repos/0/runs \
        '{"dialect":"review","cwd":"/"}'
    ui_post /repos/0/runs '{"dialect":"--agent=*=cmd:touch owned"}'
    check_not "ui.act: a dialect that is an option" test "$(jq -r .code "$out")" = 0
    ui_post /repos/0/runs '{"dialect":"$(touch owned)"}'
    check_not "ui.act: a dialect that is a command" test "$(jq -r .code "$out")" = 0
    check_not "ui.act: nothing of it was run" test -e owned
    ui_stop
    HONE_RUN=aaaaaaaa HONE_OUTPUT=$TMPDIR/aaaaaaaa/1-1/answer ui_start
    ui_post /repos/0/runs '{"dialect":"review"}'
    check_is "ui.act: inside an attempt: a start is refused" "$status" 400
    check_has "ui.act: inside an attempt: why" "$out" 'inside an attempt of run aaaaaaaa'
    ui_get /runs
    check_is "ui.act: inside an attempt: looking" "$status $(jq '.runs | length' "$out")" '200 0'
    ui_stop
    ui_start --read-only
    for body in runs runs/a/stop runs/a/resume runs/a/answer runs/a/waive; do
        refused "ui.act: --read-only: $body" 403 POST "/api/v1/repos/0/$body" '{}'
    done
    ui_stop
}

content()
{
    local run
    copy_of "$template" content
    forget
    hone run review --no-sandbox --agent "*=$agent"
    run=$("$HONE" list --json | jq -r '.runs[0].run')
    echo secret >"$TMPDIR/secret"
    ln -sf "$TMPDIR/secret" ".git/hone/runs/$run/1-1/stdout"
    ln -sf "$TMPDIR/secret" ".git/hone/runs/$run/1-1/answer"
    ui_start
    ui_get "/repos/0/runs/$run/attempts/1-1"
    check_is "ui.content: an attempt with links is shown" "$status" 200
    check_not "ui.content: not what they lead to" grep -q secret "$out"
    ui_stop
    "$SUPPORT/sql" .git/hone/journal.db "INSERT INTO runs VALUES('../../x<script>', 'review',
        't', '/w', '{}', 1, 1, NULL)" >/dev/null
    ui_start
    ui_get ''
    check_is "ui.content: an id that is no name is the journal's problem" \
        "$(jq '.repositories[0].problem | test("no name")' "$out")" true
    ui_get /runs
    check_is "ui.content: and no run is shown" "$(jq -c .runs "$out")" '[]'
    ui_stop
}

problem_is()
{
    ui_get ''
    [ "$status" = 200 ] && jq -e ".repositories[0].problem | $1" "$out" >/dev/null
}

# swapped NAME COMMAND...: what stands in place of the journal is said, and the server goes on.
swapped()
{
    local name=$1
    shift
    rm -rf .git/hone/journal.db*
    "$@" .git/hone/journal.db
    check "ui.content: a journal swapped for $name: is said" \
        until_true 30 problem_is '. != null and test("journal")'
    ui_get /runs
    check_is "ui.content: a journal swapped for $name: no run" \
        "$status $(jq -c .runs "$out")" '200 []'
    rm -rf .git/hone/journal.db*
    cp -p "$TMPDIR/kept.db" .git/hone/journal.db
    check "ui.content: and back from $name" until_true 30 problem_is '. == null'
}

# What is followed becomes something else.
swaps()
{
    local run kind
    copy_of "$template" swaps
    forget
    hone run review --no-sandbox --agent "*=$agent"
    run=$("$HONE" list --json | jq -r '.runs[0].run')
    "$SUPPORT/sql" .git/hone/journal.db "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
    cp -p .git/hone/journal.db "$TMPDIR/kept.db"
    ui_start
    for kind in mkfifo 'ln -s /dev/zero' "ln -s $PWD/none"; do
        rm -f ".git/hone/runs/$run/1-1/stdout"
        $kind ".git/hone/runs/$run/1-1/stdout"
        ui_get "/repos/0/runs/$run/attempts/1-1"
        check_is "ui.content: stdout by ${kind%% /*}: the attempt is shown" "$status" 200
        ui_get "/repos/0/runs/$run/attempts/1-1/transcript"
        check "ui.content: stdout by ${kind%% /*}: the transcript ends" [ -n "$status" ]
    done
    swapped "a pipe" mkfifo
    swapped "a link" ln -s "$TMPDIR/kept.db"
    swapped "a folder" mkdir
    swapped "garbage" sh -c 'head -c 100000 /dev/urandom >"$0"'
    swapped "half of it" sh -c "head -c 5000 '$TMPDIR/kept.db' >\"\$0\""
    ui_get /runs
    check_is "ui.content: after all the run is there" "$(jq -r '.runs[0].run' "$out")" "$run"
    ui_stop
}

pages()
{
    local path header
    copy_of "$template" pages
    ui_start
    for path in / /ui/app.js /api/v1 /api/v1/nothing; do
        ui_send GET "$path" ''
        for header in "Content-Security-Policy: default-src 'none'; script-src 'self'" \
            "frame-ancestors 'none'" 'X-Content-Type-Options: nosniff' \
            'Referrer-Policy: no-referrer' 'Cross-Origin-Opener-Policy: same-origin' \
            'Cross-Origin-Resource-Policy: same-origin'; do
            check_has "ui.page: $path: ${header%%:*}" "$TMPDIR/head" "$header"
        done
        check_not "ui.page: $path: nothing unsafe" grep -q unsafe "$TMPDIR/head"
    done
    ui_send GET /api/v1/stream '' 'Authorization: -'
    check_has "ui.page: a refusal, too" "$TMPDIR/head" "frame-ancestors 'none'"
    ui_stop
}

# A journal that belongs to another user: an ordinary user is told, root can look and leaves it.
others()
{
    local before after
    if [ "$(id -u)" != 0 ]; then
        skip "ui.content: a journal of another user" "we are not root"
        return
    fi
    copy_of "$template" others
    forget
    hone run review --no-sandbox --agent "*=$agent"
    chown -R 65534:65534 .git/hone
    before=$(find .git/hone -name 'journal.db*' -printf '%f %U\n' | sort)
    ui_start
    ui_get /runs
    check_is "ui.content: root sees the runs of another user" "$(jq '.runs | length' "$out")" 1
    ui_stop
    after=$(find .git/hone -name 'journal.db*' ! -user 65534)
    check_is "ui.content: and leaves no file that user cannot write" "$after" ""
    check "ui.content: the journal is as it was" [ -n "$before" ]
}

together door addresses requests acting content swaps pages others
exit "$failed"
