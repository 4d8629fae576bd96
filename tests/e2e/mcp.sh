#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone mcp on standard input and output: agents that report by it, clients that look at runs, start
# them, resume them and answer them, and clients that mean no good.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/mcp.sh"

template=$TMPDIR/template
new_repo "$template"

run_id()
{
    "$HONE" status --json | "$SUPPORT/is_json" whole run
}

# ---- the protocol ----

protocol()
{
    copy_of "$template" work
    {
        request '"probe"' server/discover
        echo '{"jsonrpc":"2.0","id":1,"method":"initialize",' \
            '"params":{"protocolVersion":"2024-11-05"}}'
        echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
        echo
        echo '{"jsonrpc":"2.0","id":2,"method":"ping"}'
        echo '[{"jsonrpc":"2.0","id":3,"method":"ping"}]'
        printf '{"jsonrpc":"2.0","id":4,"method":"tools/list"}'
    } | "$HONE" mcp >"$out" 2>"$err"
    check_is "at the end of input it ends" $? 0
    check_not "nothing is said on standard error" test -s "$err"
    check_is "five are answered" "$(wc -l <"$out")" 5
    check "each in a line of JSON" "$SUPPORT/is_json" lines <"$out"
    check_has "the newest protocol" "$out" '"id":"probe","result":{"supportedVersions":["2026-07'
    check_has "and the oldest" "$out" '"id":1,"result":{"protocolVersion":"2024-11-05"'
    check_has "a batch is refused" "$out" 'batches are not taken'
    check_has "a line without its end counts" "$out" '"id":4,"result":{"tools":[{"name":'
    request 1 tools/list | "$HONE" mcp --read-only >"$out"
    check_has "--read-only reads" "$out" '"name":"run_status"'
    check_not "--read-only does nothing else" grep -q '"name":"start_run"' "$out"
    tool start_run '{"dialect":"review"}' | "$HONE" mcp --read-only >"$out"
    check_has "--read-only refuses the rest" "$out" 'Unknown tool: start_run'
    request 1 tools/list | "$HONE" mcp >/dev/full
    check_is "an output that is full ends it" $? 0
    hone mcp 4663
    one_line "a port without --http" 2 "--http"
    hone mcp --http 99999
    one_line "a port that is none" 2 "no port"
}

# A hundred megabytes without a line end, and then a request.
huge_line()
{
    copy_of "$template" work
    mkfifo in
    "$HONE" mcp <in >"$out" &
    exec 7>in
    head -c 100000000 /dev/zero | tr '\0' 'a' >&7
    printf '\n{"jsonrpc":"2.0","id":"after","method":"ping"}\n' >&7
    check "what follows a line of 100 MB is answered" until_true 30 grep -q after "$out"
    peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$!/status")
    check "it took less than 40 MB: $peak kB" test "$peak" -lt 40000
    exec 7>&-
    wait $!
    check_is "the line was refused once" "$(grep -c 'was passed over' "$out")" 1
    check_is "and nothing else was said" "$(wc -l <"$out")" 2
}

# ---- agents ----

# A reviewer that reports by MCP, in its sandbox; what the journal says is readable there.
reports()
{
    copy_of "$template" work
    does critic '
        answer=$(sed "s/\"/\\\\\"/g" "$play/found")
        grep -q defect notes.txt || answer=$(sed "s/\"/\\\\\"/g" "$play/clean")
        . "$TOP/tests/support/mcp.sh"
        {
            tool run_status "{}" 1
            tool next_action "{}" 2
            tool report_result "{\"result\":\"$answer\"}" 3
        } | "$HONE" mcp >"$play/talk.$HONE_ROUND" 2>&1
        echo "I have reported what I found."'
    sed -i '1s/.*/#!\/bin\/bash/' "$play/agent"
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed"'
    hone run review --agent "*=$agent"
    check_is "a reviewer that reports by MCP: exit" "$status" 0
    check_is "it was asked twice" "$(started critic)" 2
    check_is "its findings were repaired" "$(started review-fixer)" 1
    check_has "inside, the run is at work" "$play/talk.1" '"state":"running"'
    check_has "inside, it is told what to report with" "$play/talk.1" '"tool":"report_result"'
    check_has "its report is taken" "$play/talk.1" '"accepted":true'
    "$HONE" findings >"$out"
    check_has "the finding is fixed" "$out" "a defect is left"

    copy_of "$template" worse
    does critic '
        . "$TOP/tests/support/mcp.sh"
        answer=$(sed "s/\"/\\\\\"/g" "$play/found")
        tool report_result "{\"result\":\"$answer\"}" | "$HONE" mcp >/dev/null
        cat "$play/clean"'
    hone run review --max-iterations 1 --agent "*=$agent"
    check_is "clean by answer, findings by report: the worse counts" "$status" 1
}

# ---- clients ----

looks()
{
    copy_of "$template" work
    call run_status
    says "before the first run" "There is no run in this repository yet"
    call next_action
    says "before the first run, what to do" '"action":"start"'
    does critic 'cat "$play/found"'
    hone run review --max-iterations 1 --agent "*=$agent"
    run=$(run_id)
    call run_status
    says "a run that has ended" '"state":"ended","reason":"bound"'
    call list_findings '{"state":"open"}'
    says "its findings" '"text":"a defect is left"'
    says "and what they come to" '1 open (1 medium)'
    call list_findings '{"severity":"high"}'
    says "none that fits" 'None of 1 findings is what you asked for'
    call list_findings '{"role":"nobody"}'
    says "a wrong role is told the right ones" 'It has: critic'
    call next_action "{\"run\":\"$run\"}"
    says "what to do about it" '"action":"fix"'
    call run_status '{"run":"zzz"}'
    says "a wrong run is told the right ones" "$run (review, rounds used up)"
    says "as an error that a model can read" '"isError":true'
    call set_loop_review_result '{"loopId":"x","passed":true}'
    says "a client cannot report" 'is for agents that hone started'
    cd "$TMPDIR" || exit 1
    call next_action
    says "where there is no repository" '"isError":true'
}

is_done()
{
    [ "$("$HONE" status --json | "$SUPPORT/is_json" whole state)" = ended ]
}

# One run at a time; waiting for it, with progress; and a cancellation that is heard.
waits()
{
    copy_of "$template" work
    does critic 'while [ ! -e "$play/go" ]; do sleep 0.1; done; cat "$play/clean"'
    "$HONE" run review --quiet --agent "*=$agent" >/dev/null 2>&1 &
    until_true 20 grep -q critic "$play/log"
    call next_action
    says "a run at work wants patience" '"action":"wait"'
    call start_run '{"dialect":"review"}'
    says "a busy workspace is refused" "Run $(run_id) is at work in this workspace"
    call resume_run
    says "what is at work is not resumed" 'is at work, and nothing was changed'
    mkfifo in
    "$HONE" mcp <in >"$out" &
    server=$!
    exec 7>in
    echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_status",' \
        '"arguments":{"waitSeconds":60},' "$meta"',"progressToken":"p"}}}' >&7
    tool run_status '{"waitSeconds":60}' 2 >&7
    echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}' >&7
    request 3 server/discover >&7
    check "others are answered meanwhile" until_true 20 grep -q '"id":3' "$out"
    check_has "progress is told" "$out" '"progressToken":"p"'
    touch "$play/go"
    check "the end is told" until_true 20 grep -q '"id":1,.*"state":"ended","reason":"clean"' "$out"
    check_not "what was cancelled is not answered" grep -q '"id":2' "$out"
    exec 7>&-
    wait "$server"
    wait
}

# Runs that a client sets going outlive the server.
sets_going()
{
    copy_of "$template" work
    git commit -q -a -m all
    call start_run '{"dialect":"nonsense"}'
    says "a wrong dialect is told the right ones" 'There are: '
    call start_run '{"dialect":"review","since":"no-such-commit"}'
    says "what hone run refuses is said" 'The run did not begin (status 2)'

    does spec-reviewer 'if grep -q fixed notes.txt; then echo "## Grade: PASS"
else echo "notes.txt:1 - not yet"; echo; echo "## Grade: WARN"; fi'
    does spec-fixer 'echo fixed >>notes.txt; echo done'
    does implementer 'echo built >built.txt; echo done'
    hone run cycles 'the question' --cycles 1 --agent "*=$agent"
    check_is "a run with a question: exit" "$status" 1
    run=$(run_id)
    call next_action
    says "it wants an answer" '"action":"answer"'
    says "with these choices" '"choices":["continue","accept"'
    call answer_question '{"choice":"maybe"}'
    says "another is refused" 'must be one of: continue, accept, restart, stop'
    call answer_question '{"choice":"continue"}'
    says "the answer is taken" "\"run\":\"$run\""
    check "and the run goes on by itself" until_true 20 is_done
    call run_status '{"waitSeconds":20}'
    says "until it is clean" '"reason":"clean"'
    call answer_question '{"choice":"continue"}'
    says "nobody asks any more" '"isError":true'

    forget
    does critic 'touch "$play/at"; until [ -e "$play/go2" ]; do sleep 0.1; done; cat "$play/clean"'
    rm -f "$play/at"
    "$HONE" run review --all --quiet --agent "*=$agent" >/dev/null 2>&1 &
    until_true 20 test -e "$play/at"
    "$HONE" stop --quiet
    wait
    run=$(run_id)
    call next_action
    says "a run that was stopped wants to be resumed" '"action":"resume"'
    touch "$play/go2"
    call resume_run
    says "it is resumed" "\"run\":\"$run\""
    check "to its end" until_true 20 is_done
}

# start_run names no agents: here a program on the PATH is found, as hone run would.
starts()
{
    copy_of "$template" work
    printf 'int main(void) { return 0; }\n' >main.c
    call start_run '{"dialect":"review","all":true,"task":"--agent=*=cmd:touch /tmp/x"}'
    case $said in
    *'"isError":true'*) skip "start_run" "nobody to play the roles: $said" ;;
    *)
        says "a run is started" "$(run_id)"
        check "and ends without the server" until_true 60 is_done
        check_is "its task is what was said" "$("$HONE" status --json |
            "$SUPPORT/is_json" whole task)" '--agent=*=cmd:touch /tmp/x'
        ;;
    esac
}

# limit_of PART: of the newest run's budget.
limit_of()
{
    "$HONE" status --json | awk -v part="\"$1\":" '$1 == part { here = 1 }
        here && $1 == "\"limit\":" { sub(/,/, "", $2); print $2; exit }'
}

# A budget that a client asks for narrows the user's own, and never widens it.
budgets()
{
    copy_of "$template" budgets
    printf '{"agents":{"*":"%s"},"budget":{"calls":3}}' "$agent" >"$TMPDIR/budgets.json"
    export HONE_CONFIG=$TMPDIR/budgets.json
    call start_run '{"dialect":"review","budget":"calls=40,usd=1"}'
    says "budget: the run begins" "$(run_id)"
    check "budget: it ends" until_true 20 is_done
    check_is "budget: the user's limit stays" "$(limit_of calls)" 3
    check_is "budget: another is added" "$(limit_of usd)" 1.0
    call start_run '{"dialect":"review","budget":"calls=2"}'
    check "budget: the next one ends" until_true 20 is_done
    check_is "budget: a narrower one counts" "$(limit_of calls)" 2
    call start_run '{"dialect":"review","budget":"calls=none"}'
    check "budget: the last one ends" until_true 20 is_done
    check_is "budget: no limit is lifted" "$(limit_of calls)" 3
    call start_run '{"dialect":"review","budget":"calls=two"}'
    says "budget: a wrong one starts nothing" 'budget: calls must be a whole number'
    unset HONE_CONFIG
}

# Such a run goes on beside a person at work: its fixer is in a work tree of its own.
isolates()
{
    local config wanted
    export HONE_CONFIG=$TMPDIR/isolates.json
    for config in '' ',"isolate":false'; do
        copy_of "$template" isolates
        does critic "$sees"
        # shellcheck disable=SC2016 # for the agent's shell
        does review-fixer 'pwd >"$play/at"; sed -i /defect/d notes.txt; echo "# Fixed: notes.txt"'
        printf '{"agents":{"*":"%s"}%s}' "$agent" "$config" >"$HONE_CONFIG"
        [ -n "$config" ] && wanted=in || wanted=beside
        call start_run '{"dialect":"review"}'
        check "a fixer $wanted the tree: it ends" until_true 20 is_done
        check_is "a fixer $wanted the tree" "$([ "$(cat "$play/at")" = "$PWD" ] && echo in ||
            echo beside)" "$wanted"
        check_is "a fixer $wanted the tree: its result" "$(cat notes.txt)" hello
    done
    rm -rf .git && git init -q .
    echo defect >>notes.txt
    printf '{"agents":{"*":"%s"}}' "$agent" >"$HONE_CONFIG"
    call start_run '{"dialect":"review"}'
    says "no commit yet: it begins all the same" "$(run_id)"
    check "no commit yet: it ends" until_true 20 is_done
    unset HONE_CONFIG
}

export TOP HONE SUPPORT
together protocol huge_line reports looks waits sets_going starts budgets isolates
exit "$failed"
