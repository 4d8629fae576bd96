#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# One document for one question: what --json prints of runs, a run, its attempts, what they said,
# its findings, one of them, what changed, the plan, and of a run before it starts. Parts come
# together to the whole; what is unknown is refused; texts of agents stay texts.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"

# ask NAME FILTER ARGUMENTS...: what jq says of the document, in $said. Nothing on standard error.
ask()
{
    local name=$1 filter=$2
    shift 2
    hone "$@" --json
    check_is "$name: exit" "$status" 0
    said=$(jq -r "$filter" "$out" 2>&1)
}

# refused NAME TEXT ARGUMENTS...: 2 and one line that says why.
refused()
{
    local name=$1 text=$2
    shift 2
    hone "$@" --json
    one_line "$name" 2 "$text"
    check_not "$name: no document" test -s "$out"
}

# issue SEVERITY LINE TEXT: a finding of a reviewer; and what one says with these, of either rank.
issue()
{
    printf '{"severity":"%s","category":"<b>bold</b>","file":"notes.txt",' "$1"
    printf '"line":%s,"description":"%s"}' "$2" "$3"
}

review()
{
    printf '{"issues":[%s],"summary":{"critical":0,"warning":%s,"info":%s,' "$3" "$1" "$2"
    printf '"verdict":"findings"}}'
}

# What would do harm as markup, in a terminal or as a path.
# shellcheck disable=SC2016 # it is data
hostile='<img src=x onerror=alert(1)> </script> & \u001b[2J ../../etc/passwd ${HOME} `id`'

# A review that finds something in two lines, a fix, and a review that finds no more of the first.
play_review()
{
    copy_of "$template" "${1:-work}"
    printf 'hello\ndefect\nsame\nother\n' >notes.txt
    git add notes.txt && git commit -qm "notes"
    printf 'hello\ndefect\nsame\nodd\n' >notes.txt
    review 1 1 "$(issue warning 2 "$hostile"),$(issue info 4 "odd word")" >"$play/two"
    review 0 1 "$(issue info 3 "odd word")" >"$play/one"
    # shellcheck disable=SC2016 # for the agent's shell
    does critic 'if grep -q defect notes.txt; then cat "$play/two"; else cat "$play/one"; fi'
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed: notes.txt"'
    hone run review --max-iterations 2 --agent "*=$agent" "a task with <b>&amp;</b>"
    check_is "${1:-work}: the run" "$status" 1
    run=$("$HONE" status --json | jq -r .run)
}

# ---- runs ----

runs()
{
    copy_of "$template" runs
    ask "no run yet" '.runs, .total, .states | length' list
    check_is "no run yet: empty" "$(echo $said)" "0 0 0"
    refused "no run yet: status" "no runs in this repository yet" status
    refused "no run yet: show" "no runs in this repository yet" show --diff
    play_review runs
    first=$run
    does critic
    hone run review --agent "*=$agent" --no-fix
    ask "all" '[.total, (.runs | length), .from] | @csv' list
    check_is "all of them" "$said" "2,2,0"
    ask "their parts" '.runs[].run' list --count 1
    head=$said
    ask "their parts" '.runs[].run' list --from 1 --count 5
    check_is "parts come together" "$head $said" \
        "$("$HONE" list --json | jq -r '[.runs[].run] | join(" ")')"
    ask "the parts' total" '.total' list --from 1 --count 1
    check_is "the total is of the whole" "$said" 2
    ask "behind the end" '.runs | length' list --from 99
    check_is "nothing behind the end" "$said" 0
    ask "what there is to choose by" '[.dialects[], .agents[], (.branches | length)] | @csv' list
    check_is "dialects, backends, branches" "$said" '"review","cmd",1'
    ask "a row" ".runs[] | select(.run == \"$first\") |
        [.standing, .word, .branch, .rounds, .calls > 5, .asks, .created_ms > 0] | @csv" list
    check_is "a row: how it stands" "$said" \
        "\"ended\",\"rounds used up\",\"$(git branch --show-current)\",2,true,false,true"
    ask "by state" '.runs[].run' list --state bound
    check_is "by its reason" "$said" "$first"
    ask "by several states" '.runs | length' list --state crashed,ended
    check_is "by several states: both" "$said" 2
    ask "by a backend that is none" '.runs | length' list --agent claude
    check_is "by a backend: none" "$said" 0
    ask "by branch and dialect" '.runs | length' list --dialect review \
        --branch "$(git branch --show-current)"
    check_is "by branch and dialect: both" "$said" 2
    refused "a state that is none" "there are running" list --state asleep
    refused "a part that is none" "wants a number from 1 on" list --count 0
    hone list --state bound
    check_has "as a table, too" "$out" "$first"
    check_is "and nothing else" "$(grep -c review "$out")" 1
}

# ---- one run ----

one_run()
{
    play_review one
    ask "status" '[.end.tone, .end.word, .counts.found, .counts.left, .counts.fixed,
        .attempt_count, (.rounds | length), (.marks | length), .hosted] | @csv' status "$run"
    check_is "status: how it ended" "$said" '"left","rounds used up",2,1,1,11,2,0,false'
    ask "status: rounds" '.rounds[] | [.at, .lane, .round, .verdict, .findings, .open_change,
        .open_fix, .fixed, .set_aside, .ended_ms >= .started_ms] | @csv' status
    check_is "status: what was open after each" "$(echo $said)" \
        '0,0,1,"findings",2,2,0,0,0,true 1,0,2,"findings",1,1,0,1,0,true'
    ask "status: lanes" '.lane_names[] | [.lane, .name] | @csv' status
    check_is "status: lanes by name" "$said" '0,"main"'
    ask "status: what the row says" '[.word, .branch, .scope, .calls > 5] | @csv' status
    ask "attempts" '[.total, (.attempts | length)] | @csv' show
    check_is "attempts: all" "$said" "11,11"
    ask "attempts by parts" '[.attempts[].attempt_name] | @csv' show "$run" --from 3 --count 2
    parts=$said
    ask "attempts by parts" '[.attempts[3, 4].attempt_name] | @csv' show "$run"
    check_is "attempts by parts: the same" "$parts" "$said"
    ask "the fixer's attempt" '.attempts[] | select(.for == "repair") |
        [.round_at, .judges, .started_ms <= .ended_ms] | @csv' show
    check_is "the fixer's attempt: of its round" "$said" "0,false,true"
    ask "one file of an attempt" '.files | keys | @csv' show "$run" 1 --part prompt --part stdout
    check_is "only that" "$said" '"prompt","stdout"'
    ask "no file of an attempt" '.files | length' show "$run" 1 --part none
    check_is "none" "$said" 0
    ask "an attempt" '[.attempt_name, .files.stdout.cut] | @csv' show "$run" 1
    check_is "an attempt: whole" "$said" '"1-1",false'
    refused "a part that is none" "there are prompt" show "$run" 1 --part secret
    refused "an attempt that is none" "has no attempt 99" show "$run" 99
    refused "a run that is none" "no run begins with" status zzzz
    hone resume "$run" --agent "*=$agent" >/dev/null 2>&1
}

# ---- findings ----

findings()
{
    play_review found
    ask "findings" '[.total, .from, (.findings | length), .counts.open, .counts.fixed] | @csv' \
        findings
    check_is "findings: all" "$said" "2,0,2,1,1"
    ask "a part" '[.total, .from, (.findings | length), .counts.fixed] | @csv' findings \
        --from 1 --count 1
    check_is "a part: counts of all" "$said" "2,1,1,1"
    ask "behind the end" '.findings | length' findings --from 7
    check_is "behind the end: nothing" "$said" 0
    ask "by words" '.findings[].text' findings --text "WORD odd"
    check_is "by words: in any case" "$said" "odd word"
    ask "by words that are nowhere" '.total' findings --text "odd elephant"
    check_is "by words that are nowhere: none" "$said" 0
    ask "by severity" '[.findings[].severity] | @csv' findings --order severity
    check_is "by severity: the grave ones first" "$said" '"medium","low"'
    ask "by round" '[.findings[].round_first] | @csv' findings --order round
    check_is "by round" "$said" "1,1"
    refused "an order that is none" "there are state, file" findings --order size
    refused "a role that is none" "has no role" findings --role nobody
    hone findings --format sarif --count 1
    one_line "a part of a form" 2 "has an order of its own"
    ask "its text" '.findings[] | select(.severity == "medium") | .text' findings
    check_has "its text: as it was" <(printf '%s' "$said") '<img src=x onerror=alert(1)> </script>'
    check_not "no control character in the document" grep -q "$(printf '\033')" "$out"
    id=$(jq -r '.findings[] | select(.severity == "medium") | .id' "$out")
    open=$(jq -r '.findings[] | select(.severity == "low") | .id' "$out")

    ask "one that was fixed" '[.id, .state, (.history | length), .history[0].at,
        .history[-1].state, .history[-1].at, (.votes | length), .fix_why] | @csv' \
        show "$run" --finding "$id"
    check_is "its history" "$said" "\"$id\",\"fixed\",2,0,\"fixed\",1,1,"
    ask "its hunks" '.hunks[] | [.file, .old_first, (.lines | map(select(startswith("-"))) | .[])]
        | @csv' show "$run" --finding "$id"
    check_is "its hunks: what went" "$said" '"notes.txt",1,"-defect"'
    ask "before" '.source | [.file, .first, .line, (.text | split("\n")[1])] | @csv' \
        show --finding "$id"
    check_is "before the fix" "$said" '"notes.txt",1,2,"defect"'
    ask "after" '.after | [.file, .first, (.text | contains("defect"))] | @csv' show --finding "$id"
    check_is "after it" "$said" '"notes.txt",1,false'
    ask "one that is open" '[.state, (.hunks | length), .fix_why, .after, .waiver, .source.line]
        | @csv' show --finding "$open"
    check_is "one that is open" "$said" '"persisting",0,"it is not fixed",,,3'
    refused "a finding that is none" "no finding of run" show --finding 0000000000
    refused "an empty one" "no finding of run" show --finding ""
    "$HONE" waive "${open%%-*}" --reason "<i>as it is</i>" >/dev/null 2>&1
    ask "over runs" '.findings | length' findings --across "$id"
    check_is "over runs: found" "$said" 1
}

# ---- what changed ----

diffs()
{
    play_review diffs
    ask "of a round" '[.from, .to, .why, .total_files, .cut, .files[0].file, .files[0].state,
        .files[0].added, .files[0].removed] | @csv' show "$run" --diff 0
    check_is "of a round" "$said" '0,1,,1,false,"notes.txt","changed",0,1'
    ask "its lines" '[.files[0].hunks[].lines[]] | @csv' show "$run" 0 --diff
    check_is "its lines" "$said" '" hello","-defect"," same"," odd"'
    ask "of a round that nothing followed" '[(.files | length), (.why | length > 10)] | @csv' \
        show "" 1 --diff
    check_is "of a round that nothing followed: why" "$said" "0,true"
    ask "the whole run" '[.from, .to, .files[0].removed] | @csv' show --diff
    check_is "the whole run" "$said" "0,1,1"
    refused "a round that is none" "has no round 7" show "" 7 --diff
    refused "a round that is no number" "is not a number" show "" x --diff
    rm -f .git/hone/runs/*/tree-* .git/hone/runs/*/round-*
    ask "where the trees are gone" '[(.files | length), (.why | contains("not kept"))] | @csv' \
        show "" 0 --diff
    check_is "where the trees are gone: why" "$said" "0,true"
    id=$("$HONE" findings --json | jq -r '.findings[] | select(.state == "fixed") | .id')
    ask "a finding of them" '[(.hunks | length), (.fix_why | contains("not kept")), .source, .after]
        | @csv' show --finding "$id"
    check_is "a finding of them: why" "$said" "0,true,,"
    ask "a run of them" '.branch' status
    check_is "a run of them: no branch" "$said" ""
}

# ---- what an attempt says ----

# A stand-in for Claude Code that thinks, calls tools and says hostile things.
stream_claude()
{
    mkdir -p "$TMPDIR/bin"
    cat >"$TMPDIR/bin/claude" <<'END'
#!/bin/sh
play=PLAY
emit() { printf '%s' "$1" | tr -d '\n'; echo; }
emit '{"type":"system","subtype":"init","model":"stand-in","tools":[]}'
said() { emit '{"type":"assistant","message":{"content":['"$1"']}}'; }
told() { emit '{"type":"user","message":{"content":[{"type":"tool_result",'"$1"'}]}}'; }
said '{"type":"thinking","thinking":"I should look <b>first</b>"}'
said '{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"Bash",
"input":{"command":"git diff HEAD; cat notes.txt"}}'
told '"tool_use_id":"t1","content":[{"type":"text","text":"key So-Secret-9731"},
{"type":"text","text":"two"}]'
said '{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"notes.txt"}}'
told '"tool_use_id":"t2","is_error":true,"content":"no such \u001b[2J file"'
emit 'no event at all'
emit '{"half":'
if [ -e "$play/slow" ]; then
    printf '{"type":"assistant","message":{"content":[{"type":"te'
    touch "$play/at"
    until [ -e "$play/go" ]; do sleep 0.05; done
    printf 'xt","text":"and a half"}]}}\n'
fi
printf '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed",'
printf '"num_turns":1,"result":"%s"}\n' "$(sed 's/"/\\"/g' "$play/clean" | tr -d '\n')"
END
    sed -i "s,PLAY,$play," "$TMPDIR/bin/claude"
    chmod +x "$TMPDIR/bin/claude"
    PATH=$TMPDIR/bin:$PATH
}

transcripts()
{
    copy_of "$template" said
    stream_claude
    export STORY_TOKEN="So-Secret-9731"
    hone run review --agent "*=$agent" --agent "critic=claude" --no-fix
    check_is "a run with a stream" "$status" 0
    job=$("$HONE" show --json | jq -r '.attempts[] | select(.role == "critic") | .attempt_name')
    ask "its items" '[.items[].kind] | join(" ")' show "" "$job" --transcript
    check_is "its items in order" "$said" "thought said tool result tool result note"
    ask "a call and its result" '.items | [.[2].id, .[2].tool, .[2].about, .[3].id, .[3].ok,
        .[5].ok] | @csv' show "" "$job" --transcript
    check_is "a call and its result: paired" "$said" \
        '"t1","Bash","git diff HEAD; cat notes.txt","t1",true,false'
    ask "what it gave back" '.items[3].text' show "" "$job" --transcript
    check_is "without the secret" "$said" "$(printf 'key [STORY_TOKEN masked]\ntwo')"
    ask "what it thought" '.items[0].text' show "" "$job" --transcript
    check_is "as it was" "$said" "I should look <b>first</b>"
    ask "what is no event" '.items[6].text' show "" "$job" --transcript
    check_is "is a note" "$said" "$(printf 'no event at all\n{"half":')"
    ask "its end" '[.more, .ended, .anew] | @csv' show "" "$job" --transcript
    check_is "it has ended" "$said" "false,true,false"
    next=$(jq -r .next "$out")
    ask "from its end on" '[(.items | length), .next, .anew] | @csv' show "" "$job" --transcript \
        --from "$next"
    check_is "nothing more" "$said" "0,$next,false"
    ask "from within a line" '[(.items | length), .anew] | @csv' show "" "$job" --transcript \
        --from 9
    check_is "begins anew" "$said" "7,true"
    ask "from far behind" '[(.items | length), .anew] | @csv' show "" "$job" --transcript \
        --from 99999999
    check_is "begins anew, too" "$said" "7,true"
    other=$("$HONE" show --json | jq -r '.attempts[] | select(.role == "pedant") | .attempt_name')
    ask "of a command" '[.items[].kind] | unique | join(" ")' show "" "$other" --transcript
    check_is "of a command: notes" "$said" note
    refused "from what is no number" "is not a number" show "" "$job" --transcript --from x
    refused "of no attempt" "has no attempt that runs now" show --transcript
    hone show "" "$job" --transcript
    one_line "for people" 2 "is for programs"
}

grows()
{
    copy_of "$template" grows
    stream_claude
    touch "$play/slow"
    "$HONE" run review --agent "*=$agent" --agent "critic=claude" --no-fix >/dev/null 2>&1 &
    run=$!
    until_true 20 test -e "$play/at"
    job=$("$HONE" show --json | jq -r '.attempts[] | select(.role == "critic") | .attempt_name')
    ask "while it runs" '[([.items[].kind] | join(" ")), .ended, .more] | @csv' show "" "$job" \
        --transcript
    check_is "while it runs: whole lines" "$said" \
        '"thought said tool result tool result note",false,false'
    next=$(jq -r .next "$out")
    ask "again" '[(.items | length), .next, .ended] | @csv' show "" "$job" --transcript \
        --from "$next"
    check_is "half a line is not told" "$said" "0,$next,false"
    ask "a run at work" '[.standing, .end.tone, .end.word] | @csv' status
    check_is "a run at work" "$said" '"running","at work","running"'
    ask "its plan" '[.now[0].state, .at[0], .now[0].lanes[0]] | @csv' plan --run ""
    check_is "its plan: where it is" "$said" '"at work",0,0'
    touch "$play/go"
    wait "$run"
    ask "then" '[.items[0].text, .items[0].kind, .ended, .more] | @csv' show "" "$job" \
        --transcript --from "$next"
    check_is "then the whole line" "$said" '"and a half","said",true,false'
}

# ---- a crashed run, lanes, plans ----

crashes()
{
    copy_of "$template" crashes
    does critic 'touch "$play/at"; while :; do sleep 1; done'
    "$HONE" run review --agent "*=$agent" >/dev/null 2>&1 &
    engine=$!
    until_true 20 test -e "$play/at"
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
    until_true 20 sh -c '"$HONE" status --json | grep -q "\"crashed\""'
    ask "a crashed run" '[.standing, .state, .end.tone, (.end.next | contains("hone resume"))]
        | @csv' status
    check_is "a crashed run: bad, and what to do" "$said" '"crashed","crashed","bad",true'
    ask "its row" '.runs[0].standing' list --state crashed
    check_is "its row" "$said" crashed
    ask "its rounds" '.rounds[] | [.ended_ms, .verdict, .open_change] | @csv' status
    check_is "its round has no end" "$said" ",,"
    ask "its transcript" '.ended' show "" 1 --transcript
    check_is "its attempts have ended" "$said" true
    ask "its plan" '[.now[0].state, .now[0].rounds] | @csv' plan --run ""
    check_is "its plan: left" "$said" '"left",1'
    does critic
    hone resume
    check_is "it goes on" "$status" 0
    ask "then" '[([.marks[].kind] | join(" ")), .end.tone, .standing] | @csv' status
    check_is "with a mark" "$said" '"resumed","good","ended"'
}

lanes()
{
    forget
    cd "$TMPDIR" && rm -rf lanes && mkdir -p lanes/.hone/loops && cd lanes || exit 1
    git init -q -b main .
    printf 'one\n' >notes.txt
    cat >.hone/loops/fan.yaml <<'END'
about: two tasks <b>side by side</b>
task: Make it whole
tasks:
  - {id: lexer, task: Add the lexer}
  - {id: page, task: Write the page}
roles:
  builder: {remit: Build what the task says.}
  looker: {remit: Look at this task alone., answers: findings}
  merger: {merge: feat}
phases:
  - name: build
    lanes: {at-once: 2, integrate: merger}
    work: builder
    gate: {reviewers: [looker], repair: builder, repairs: 2}
END
    git add . && git commit -q -m first
    # shellcheck disable=SC2016 # for the agent's shell
    does builder 'echo x >"$HONE_TASK_ID.txt"; git add -A; git commit -qm built; echo done'
    does looker 'cat "$play/clean"'
    hone run fan --agent "*=$agent"
    check_is "a run with lanes" "$status" 0
    ask "its lanes" '.lane_names[] | [.lane, .name, .task] | @csv' status
    check_is "its lanes by name" "$(echo $said)" \
        '0,"main","Make it whole" 1,"lexer","Add the lexer" 2,"page","Write the page"'
    ask "its rounds" '[.rounds[].lane] | sort | @csv' status
    check_is "its rounds by lane" "$said" "1,2"
    ask "the whole run" '[(.files | length), (.why | length > 5)] | @csv' show --diff
    check_is "no review of the main lane: why" "$said" "0,true"
    ask "the plan" '.phases[0] | [.fan, .lanes, .work, .reviewers[0], .repair, .repairs, .at_bound]
        | @csv' plan --run ""
    check_is "the plan of a run" "$said" 'true,2,"builder","looker","builder",2,"stuck"'
    ask "where it is" '[.now[0].state, .integrate] | @csv' plan --run ""
    check_is "passed" "$said" '"passed","merger"'
    ask "what there is" '.loops[] | select(.name == "fan") | [.about, .from] | @csv' plan --list
    check_is "what there is" "$said" '"two tasks <b>side by side</b>","repository"'
    printf 'about: [\n' >.hone/loops/broken.yaml
    git add . && git commit -qm broken
    ask "one that is broken" '.loops[] | select(.name == "broken") | .problem | length > 5' \
        plan --list
    check_is "one that is broken is listed" "$said" true
    refused "two questions" "are three questions" plan --list --run ""
    hone plan
    one_line "no question" 2 "wants a DIALECT"
}

# ---- before a run ----

previews()
{
    copy_of "$template" previews
    ask "a preview" '[.dialect, .can_start, .problem, .agents[0].role, .agents[0].spec,
        .agents[0].why, .most.bounded] | @csv' run review --preview --agent "*=$agent"
    check_is "a preview" "$said" "\"review\",true,,\"critic\",\"$agent\",\"named\",true"
    check_not "nothing was started" test -s "$play/log"
    ask "no task" '[.can_start, (.problem | contains("needs a task"))] | @csv' \
        run iterate --preview --agent "*=$agent"
    check_is "no task: why" "$said" "false,true"
    ask "a task" '[.task, .can_start, .budget] | @csv' run iterate "do <b>it</b>" --preview \
        --agent "*=$agent" --budget calls=3
    check_is "a task" "$said" '"do <b>it</b>",true,"calls=3"'
    ask "a wrong option" '[.can_start, (.problem | contains("--budget"))] | @csv' \
        run review --preview --budget nonsense --agent "*=$agent"
    check_is "a wrong option: why" "$said" "false,true"
    refused "no such dialect" "dialect" run nonsense --preview
    does critic 'touch "$play/at"; until [ -e "$play/go" ]; do sleep 0.05; done; cat "$play/clean"'
    "$HONE" run review --agent "*=$agent" >/dev/null 2>&1 &
    until_true 20 test -e "$play/at"
    ask "where a run works" '[.can_start, (.problem | contains("works in this"))] | @csv' \
        run review --preview --agent "*=$agent"
    touch "$play/go"
    wait
    check_is "where a run works: why" "$said" "false,true"
    hone run review --preview --agent "*=$agent"
    check_is "for people: exit" "$status" 0
    check_has "for people" "$out" "Nothing was started"
}

export TOP HONE SUPPORT
together runs one_run findings diffs transcripts grows crashes lanes previews
exit "$failed"
