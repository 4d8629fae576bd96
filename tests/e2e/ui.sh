#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone ui: what it answers is what verbs print, what it does is what verbs do, and no run notices.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/ui.sh"

template=$TMPDIR/template
new_repo "$template"
hidden_already

# plays FOLDER: a copy with the play's agent in all roles.
plays()
{
    forget
    copy_of "$template" "$1"
    export HOME=$TMPDIR/home # its own: groups are told at the same time
    mkdir -p "$HOME/.config/hone"
    printf '[maintenance]\n\tauto = false\n' >"$HOME/.gitconfig"
    printf '{"rights":{"tmp":true},"agents":{"*":"%s"}}\n' "$agent" \
        >"$HOME/.config/hone/config.json"
    does critic "$sees"
    does review-fixer "sed -i /defect/d notes.txt; echo '# Fix Summary'"
}

# same NAME FILE FILTER: the answer is what the verb printed, but for what a filter takes out.
same()
{
    jq -S "$3" "$2" >"$TMPDIR/wanted" 2>&1
    jq -S "$3" "$out" >"$TMPDIR/got" 2>&1
    check "$1" cmp -s "$TMPDIR/wanted" "$TMPDIR/got" ||
        diff "$TMPDIR/wanted" "$TMPDIR/got" | head -20
}

run_state()
{
    ui_get "/repos/0/runs/$run"
    [ "$(jq -r .standing "$out")" = "$1" ]
}

answers()
{
    local run id verb=$TMPDIR/verb
    plays answers
    hone run review --no-sandbox
    run=$(hone list --json; jq -r '.runs[0].run' "$out")
    ui_start
    ui_get ''
    check_is "the whole: status" "$status" 200
    same "the whole is what was said at first" "$TMPDIR/about" 'del(.now_ms, .url)'
    check_is "one repository" "$(jq -r '.repositories[0].workspace' "$out")" "$PWD"
    ui_get /runs
    "$HONE" list --json >"$verb"
    same "runs: hone list" "$verb" 'del(.runs[].repo)'
    check_is "runs have their repository's number" "$(jq -r '.runs[0].repo' "$out")" 0
    ui_get '/runs?state=ended&dialect=review&from=0&count=1'
    check_is "runs, chosen" "$(jq -r '.runs | length' "$out")" 1
    ui_get '/runs?dialect=cycles'
    check_is "runs, none of them" "$(jq -r '.runs | length' "$out")" 0
    ui_get "/repos/0/runs/$run"
    "$HONE" status "$run" --json >"$verb"
    same "run: hone status" "$verb" 'del(.now_ms)'
    ui_get "/repos/0/runs/$run/attempts"
    "$HONE" show "$run" --json >"$verb"
    same "attempts: hone show" "$verb" .
    ui_get "/repos/0/runs/$run/attempts/1-1"
    "$HONE" show "$run" 1-1 --json >"$verb"
    same "attempt: hone show" "$verb" .
    ui_get /repos/0/reviewers
    "$HONE" reviewers --json >"$verb"
    same "reviewers: hone reviewers" "$verb" .
    ui_get "/repos/0/runs/$run/attempts?from=1&count=2"
    "$HONE" show "$run" --from 1 --count 2 --json >"$verb"
    same "attempts, some: hone show --from --count" "$verb" .
    ui_get "/repos/0/runs/$run/attempts/1-1?part=prompt&part=stdout"
    "$HONE" show "$run" 1-1 --part prompt --part stdout --json >"$verb"
    same "attempt, parts: hone show --part" "$verb" .
    check_is "attempt, parts: these" "$(jq -c '.files | keys' "$out")" '["prompt","stdout"]'
    ui_get "/repos/0/runs/$run/attempts/1-1?part=none"
    check_is "attempt, no parts" "$(jq -c '.files | keys' "$out")" '[]'
    ui_get "/repos/0/runs/$run/attempts/1-1/transcript"
    "$HONE" show "$run" 1-1 --transcript --json >"$verb"
    same "transcript: hone show --transcript" "$verb" .
    ui_get "/repos/0/runs/$run/findings?order=file&text=defect"
    "$HONE" findings "$run" --json --order file --text defect >"$verb"
    same "findings: hone findings" "$verb" .
    id=$(jq -r '.findings[0].id' "$out")
    ui_get "/repos/0/runs/$run/findings/$id"
    "$HONE" show "$run" --finding "$id" --json >"$verb"
    same "finding: hone show --finding" "$verb" .
    check "finding: with the hunks of its fix" [ "$(jq '.hunks | length' "$out")" -gt 0 ]
    ui_get "/repos/0/findings/$id/runs"
    "$HONE" findings --across "$id" --json >"$verb"
    same "finding's runs: hone findings --across" "$verb" 'del(.took_ms)'
    ui_get "/repos/0/runs/$run/diff"
    "$HONE" show "$run" --diff --json >"$verb"
    same "diff: hone show --diff" "$verb" .
    check_is "diff: of a file" "$(jq -r '.files[0].file' "$out")" notes.txt
    ui_get "/repos/0/runs/$run/diff?round=0"
    "$HONE" show "$run" --diff 0 --json >"$verb"
    same "diff of a round: hone show --diff 0" "$verb" .
    ui_get "/repos/0/runs/$run/plan"
    "$HONE" plan --run "$run" --json >"$verb"
    same "plan: hone plan --run" "$verb" .
    ui_get /repos/0/loops
    "$HONE" plan --list --json >"$verb"
    same "loops: hone plan --list" "$verb" .
    ui_get /repos/0/loops/quick
    "$HONE" plan quick --json >"$verb"
    same "loop: hone plan" "$verb" 'del(.took_ms)'
    ui_get '/repos/0/preview?dialect=review&all=1'
    "$HONE" run review --all --preview --json >"$verb"
    same "preview: hone run --preview" "$verb" .
    check_is "preview: it can start" "$(jq .can_start "$out")" true
    ui_get "/repos/0/runs/${run:0:5}"
    check_is "a run by its beginning" "$(jq -r .run "$out")" "$run"
    ui_get /repos/0/runs/zzzz
    check_is "no such run: status" "$status" 404
    check_is "no such run: code" "$(jq -r .error.code "$out")" missing
    ui_get /repos/7/runs/zzzz
    check_is "no such repository" "$status" 404
    ui_get "/repos/0/runs/$run/attempts/99-1"
    check_is "no such attempt" "$status" 404
    ui_get "/repos/0/runs/$run/findings/zzzz"
    check_is "no such finding" "$status" 404
    ui_get "/repos/0/runs/$run/diff?round=99"
    check_is "no such round" "$status" 404
    ui_get "/repos/0/runs/$run/attempts/1-1?part=nonsense"
    check_is "no such part" "$status" 400
    ui_get "/repos/0/runs/$run/findings?order=colour"
    check_is "no such order" "$status" 400
    ui_get /repos/0/loops/none
    check_is "no such loop" "$status" 404
    ui_get '/runs?state=nonsense'
    check_is "no such state" "$status" 400
    ui_get '/runs?colour=red'
    check_is "no such option" "$status" 400
    ui_stop
    check_is "it ends with 0 when it is told to" $? 0
}

# The page's files: no token, compressed, known again.
assets()
{
    local name etag
    plays assets
    ui_start
    ui_send GET / '' 'Authorization: -'
    check_is "the page: status" "$status" 200
    check "the page: is compressed HTML" grep -q '^Content-Encoding: gzip' "$TMPDIR/head"
    gzip -dc <"$out" >"$TMPDIR/page" 2>/dev/null
    check "the page: is that of the tree" cmp -s "$TMPDIR/page" "$TOP/pages/ui/index.html"
    etag=$(sed -n 's/^ETag: \(.*\)\r$/\1/p' "$TMPDIR/head")
    ui_send GET / '' 'Authorization: -' "If-None-Match: $etag"
    check_is "the page: known again" "$status" 304
    ui_send HEAD / '' 'Authorization: -'
    check_is "the page: HEAD" "$status$(wc -c <"$out")" 2000
    for name in app.js style.css theme.js; do
        ui_send GET "/ui/$name" '' 'Authorization: -'
        check "the page: $name" cmp -s "$out" "${HONE%/*}/gen/ui/$name.gz"
    done
    ui_stop
}

# Acts are verbs: a run is started, stopped, resumed and ends; its news come while it goes on.
acts()
{
    local run news=$TMPDIR/news
    plays acts
    does critic "until [ -e '$play/go' ]; do sleep 0.05; done; $sees"
    ui_start
    ui_listen "$news"
    ui_post /repos/0/runs '{"dialect":"review","options":{"max-iterations":3}}'
    check_is "start: status" "$status" 200
    run=$(jq -r .run "$out")
    check_is "start: its code" "$(jq -r .code "$out")" 0
    check "start: news of it" \
        until_true 30 grep -q "\"run\":\"$run\".*\"state\":\"running\"" "$news"
    check "start: hone has it" grep -q '"standing": "running"' <("$HONE" status "$run" --json)
    ui_post "/repos/0/runs/$run/stop" '{}'
    check_is "stop: its code" "$(jq -r .code "$out")" 0
    check "stop: the run" run_state ended
    check "stop: news of it" until_true 30 grep -q '"reason":"interrupted"' "$news"
    touch "$play/go"
    ui_post "/repos/0/runs/$run/resume" '{"options":{"budget":"calls=x"}}'
    check_is "resume: limits that are none are the verb's code" "$(jq -r .code "$out")" 2
    ui_post "/repos/0/runs/$run/resume" '{"options":{"all":true}}'
    check_is "resume: other options are refused" "$status" 400
    ui_post "/repos/0/runs/$run/resume" '{"options":{"budget":"calls=70"}}'
    check_is "resume: status and code" "$status $(jq -r .code "$out")" "200 0"
    check_is "resume: with these limits" \
        "$("$HONE" status "$run" --json | jq .budget.calls.limit)" 70
    check "resume: the run ends" until_true 60 run_state ended
    check_is "resume: clean" "$(jq -r .reason "$out")" clean
    check "resume: news of its end" until_true 30 grep -q '"reason":"clean"' "$news"
    check "each message has a number" grep -q '^id: [0-9]' "$news"
    ui_post "/repos/0/runs/$run/waive" '{"finding":"zzzz","reason":"because"}'
    check_is "waive: no such finding is the verb's code" "$(jq -r .code "$out")" 2
    check "waive: and the verb's words" grep -q "no finding of run $run begins with" "$out"
    ui_post "/repos/0/runs/$run/answer" '{"choice":"accept"}'
    check_not "answer: no question is open" test "$(jq -r .code "$out")" = 0
    ui_post "/repos/0/runs/$run/answer" '{"choice":"maybe"}'
    check_is "answer: no such choice" "$status" 400
    ui_post /repos/0/runs '{"dialect":"review","options":{"trust":true}}'
    check_is "start: no such option here" "$status" 400
    ui_post /repos/0/runs '{"dialect":"./loop.yaml"}'
    check_is "start: no path" "$status" 400
    ui_post /repos/0/runs '{"dialect":"nonsense"}'
    check_is "start: no such loop is the verb's code" "$(jq -r .code "$out")" 2
    kill "$listener" 2>/dev/null
    ui_stop
}

# A waiver by the page is the one that hone waive writes.
waives()
{
    local run id
    plays waives
    does review-fixer 'echo "# Fix Summary"'
    hone run review --no-sandbox --max-iterations 1
    run=$(hone list --json; jq -r '.runs[0].run' "$out")
    id=$(hone findings "$run" --json; jq -r '.findings[0].id' "$out")
    ui_start
    ui_post "/repos/0/runs/$run/waive" "{\"finding\":\"$id\",\"reason\":\"it is meant so\"}"
    check_is "waive: its code" "$(jq -r .code "$out")" 0
    check_has "waive: the file has it" .hone/waivers.yaml 'it is meant so'
    ui_stop
}

ended_clean()
{
    [ "$("$HONE" list --json | jq -r '.runs[0].reason')" = clean ]
}

# The page may be gone at any time: the run that it started goes on.
killed()
{
    plays killed
    does critic "until [ -e '$play/go' ]; do sleep 0.05; done; $sees"
    ui_start
    ui_post /repos/0/runs '{"dialect":"review"}'
    check_is "a killed page: its run began" "$(jq -r .code "$out")" 0
    kill -KILL "$server"
    wait "$server" 2>/dev/null
    touch "$play/go"
    check "a killed page: its run ends by itself" until_true 60 ended_clean
}

# A run whose process was killed is shown as crashed, though no one writes that down.
crashed()
{
    local run news=$TMPDIR/news
    plays crashed
    does critic "exec sleep 60"
    ui_start
    ui_listen "$news"
    "$HONE" run review --no-sandbox --quiet >/dev/null 2>&1 &
    engine=$!
    check "a run in a repository that had none appears" \
        until_true 30 grep -q '"standing":"running"' "$news"
    run=$(sed -n 's/.*"kind":"run","repo":0,"run":"\([a-z0-9]*\)".*/\1/p' "$news" | head -n 1)
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    check "a killed run is told as crashed" \
        until_true 60 grep -q '"standing":"crashed"' "$news"
    check "and shown so" run_state crashed
    ui_post "/repos/0/runs/$run/stop" '{}'
    kill "$listener" 2>/dev/null
    ui_stop
}

# Two repositories, one that is no repository, and one that goes and comes back.
several()
{
    plays one
    hone run review --no-sandbox
    copy_of "$template" two
    mkdir -p "$TMPDIR/none"
    ui_start "$TMPDIR/one" "$TMPDIR/two" "$TMPDIR/none" "$TMPDIR/one/.git/.."
    check_is "the same repository is shown once" "$(jq '.repositories | length' "$TMPDIR/about")" 3
    check_is "each has its name" "$(jq -c '[.repositories[].name]' "$TMPDIR/about")" \
        '["one","two","none"]'
    check_is "a folder that is none is said, and named once" \
        "$(grep 'not in a git repository' "$TMPDIR/about.err" | grep -o "$TMPDIR/none" | wc -l)" 1
    (cd "$TMPDIR/two" && "$HONE" run review --no-sandbox --quiet >/dev/null 2>&1)
    ui_get /runs
    check_is "runs of both" "$(jq -c '[.runs[].repo] | sort' "$out")" '[0,1]'
    ui_get '/runs?repo=1'
    check_is "runs of one" "$(jq -c '[.runs[].repo]' "$out")" '[1]'
    mv "$TMPDIR/two" "$TMPDIR/away"
    check "a repository that is gone is said" \
        until_true 30 sees_repository 1 'has("problem") and .problem != null'
    mv "$TMPDIR/away" "$TMPDIR/two"
    check "and shown again when it is back" until_true 30 sees_repository 1 '.problem == null'
    ui_stop
    mkdir -p "$TMPDIR/other" && cp -a "$TMPDIR/two" "$TMPDIR/other/two"
    ui_start "$TMPDIR/one" "$TMPDIR/two" "$TMPDIR/other/two"
    check_is "those of one name are told by their paths" \
        "$(jq -r '[.repositories[].name] | join(" ")' "$TMPDIR/about")" \
        "one $TMPDIR/two $TMPDIR/other/two"
    ui_stop
}

sees_repository()
{
    ui_get ''
    [ "$(jq ".repositories[$1] | $2" "$out")" = true ]
}

# A journal of a hone to come.
newer()
{
    plays newer
    hone run review --no-sandbox
    ui_start
    "$SUPPORT/sql" .git/hone/journal.db 'PRAGMA user_version = 999' >/dev/null
    ui_stop
    ui_start
    check "a newer journal: is said" grep -q 'version 999' "$TMPDIR/about.err"
    check_is "a newer journal: on the page, too" \
        "$(jq -r '.repositories[0].problem | test("version 999")' "$TMPDIR/about")" true
    ui_get /runs
    check_is "a newer journal: no runs, no failure" "$status $(jq -c .runs "$out")" '200 []'
    ui_stop
}

# Who comes back is told what followed, or that it must ask anew.
back()
{
    local last news=$TMPDIR/news
    plays back
    ui_start
    ui_listen "$news"
    hone run review --no-sandbox
    check "first: the end is told" until_true 30 grep -q '"reason":"clean"' "$news"
    last=$(sed -n 's/^id: //p' "$news" | sed -n 2p)
    kill "$listener" 2>/dev/null
    ui_listen "$TMPDIR/again" "$last"
    check "who comes back: what followed" until_true 30 grep -q '"reason":"clean"' "$TMPDIR/again"
    check_is "who comes back: not what it has" "$(grep -c "^id: $last$" "$TMPDIR/again")" 0
    kill "$listener" 2>/dev/null
    ui_listen "$TMPDIR/far" 12345
    check "who has an unknown one: again" until_true 30 grep -q '"again"' "$TMPDIR/far"
    kill "$listener" 2>/dev/null
    ui_stop
    ui_start
    ui_listen "$TMPDIR/other" "$last"
    check "who comes from another server: again" until_true 30 grep -q '"again"' "$TMPDIR/other"
    kill "$listener" 2>/dev/null
    ui_stop
}

# --open: the browser gets there, and its command line tells no one how.
opened()
{
    local kept=$TMPDIR/opened
    mkdir -p "$kept"
    printf '#!/bin/sh\necho "$@" >"%s/words"\nstat -c %%a "$1" >"%s/mode"\ncat "$1" >"%s/page"\n' \
        "$kept" "$kept" "$kept" >"$kept/xdg-open"
    chmod +x "$kept/xdg-open"
    PATH=$kept:$PATH ui_start --open
    check "--open: a browser is started" until_true 30 grep -q "#token=$token" "$kept/page"
    check_not "--open: the token is not in its command line" grep -q "$token" "$kept/words"
    check_is "--open: the file is private" "$(cat "$kept/mode")" 600
    ui_send GET / '' 'Authorization: -'
    check "--open: the file stays until the page is there" test -e "$(cat "$kept/words")"
    ui_get ''
    check "--open: and goes then" until_true 30 eval '! ls "$HOME"/hone-ui-* 2>/dev/null'
    ui_stop
    PATH=$kept:$PATH ui_start --open
    check "--open: again" until_true 30 grep -q "#token=$token" "$kept/page"
    ui_stop
    check_not "--open: it goes with the server, too" eval 'ls "$HOME"/hone-ui-* 2>/dev/null'
}

words()
{
    local taken
    plays words
    ui_start
    taken=$port
    hone ui --port "$taken"
    one_line "a port that is taken" 2 "port $taken"
    hone ui --port 70000
    one_line "no port" 2 "70000"
    hone ui --port many
    one_line "no number" 2 "many"
    ui_stop
    "$HONE" ui --port 0 >"$out" 2>"$err" &
    server=$!
    check "the address stands alone on standard output" \
        until_true 30 grep -qx 'http://127.0.0.1:[0-9]*/#token=[a-z0-9]*' "$out"
    check "and how it ends is said" until_true 30 grep -q 'Ctrl-C ends this' "$err"
    kill -INT "$server"
    wait "$server"
    check_is "and it does" $? 0
    opened
    ui_start --read-only
    check_is "--read-only is said" "$(jq .read_only "$TMPDIR/about")" true
    ui_get /runs
    check_is "--read-only: looking" "$status" 200
    ui_post /repos/0/runs '{"dialect":"review"}'
    check_is "--read-only: nothing is done" "$status $(jq -r .error.code "$out")" '403 forbidden'
    ui_stop
    HONE_RUN=abc HONE_OUTPUT=/x/y ui_start
    ui_post /repos/0/runs '{"dialect":"review"}'
    check_is "inside an attempt: refused" "$status" 400
    check "inside an attempt: and why" grep -q 'inside an attempt' "$out"
    ui_stop
}

together answers assets acts waives killed crashed several newer back words
exit "$failed"
