#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Whole runs inside a host: a session that does to the letter what hone's hooks tell it (host.sh),
# in every dialect that a host can play, and what happens where agents die, the host starts none,
# people answer, stop and go on, and others are at work.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/host.sh"
. "$TOP/tests/support/models.sh"

state=.agents/tmp/state.json
phase_now() { sed -n 's/.*"currentPhase": "\(.*\)".*/\1/p' "$state"; }

# review_story: a repository with a defect, five reviewers who see it, a fixer who removes it.
review_story()
{
    local role
    forget
    rm -rf "$TMPDIR/w" && new_repo "$TMPDIR/w"
    for role in $reviewers; do
        does "$role" 'if grep -q defect notes.txt; then kind=found; else kind=clean; fi
cat "$play/$kind"'
    done
    does review-fixer "sed -i '/defect/d' notes.txt; echo '# Fixed'"
}

review_in_two_rounds()
{
    review_story
    host_prompt "/hone:review remove what is wrong --max-iterations 3"
    check_is "review: the turns" "$(tr '\n' ' ' <"$play/host")" "turn R1 turn R2 turn R1 "
    check_is "review: DONE" "$(phase_now)" DONE
    check_is "review: each reviewer twice" "$(started critic)$(started witness)" 22
    check_is "review: the fixer once" "$(started review-fixer)" 1
    check_has "the option was taken" "$state" '"maxIterations": 3'
    check_has "and is no part of the task" "$state" '"task": "remove what is wrong"'
    check_has "the session owns it" "$state" "\"sessionId\": \"$host_session\""
    check_has "the person is told" "$hook_out" "clean after 2 reviews"
    check_is "all files of both rounds" "$(find .agents/tmp/phases -type f | wc -l)" 13
    event Stop '"background_tasks":[]'
    check_is "told once" "$(cat "$hook_out")" ""
    "$HONE" status >"$out"
    check_has "status knows it" "$out" "clean: the last review found nothing"
    "$HONE" replay >"$out" 2>&1
    check_is "and it can be played again" "$?" 0
}

# With a policy the host's agents are the only eyes, and the checker rechecks each repair.
review_until_settled()
{
    review_story
    printf 'defect\nfault\n' >>notes.txt
    does pedant 'if grep -q fault notes.txt && ! grep -q defect notes.txt; then
        sed "s/a defect is left/the second line has a fault of its own/" "$play/found"
        else cat "$play/clean"; fi'
    does review-fixer 'if grep -q defect notes.txt; then sed -i /defect/d notes.txt
        else sed -i s/fault/mended/ notes.txt; fi; echo "# Fix Summary notes.txt:2"'
    host_prompt "/hone:review --until settled"
    check_is "settled: the turns" "$(tr '\n' ' ' <"$play/host")" \
        "turn R1 turn R2 turn R1 turn R2 turn R1 "
    check_is "settled: DONE" "$(phase_now)" DONE
    check_is "settled: two looks and a recheck" "$(started critic)$(started checker)" 21
    check_has "settled: the person is told" "$hook_out" "nothing that counts is open"
    check "settled: the checker's file" test -e .agents/tmp/phases/review-3/r1-checker.json
    "$HONE" replay >"$out" 2>&1
    check_is "settled: and it can be played again" "$?" 0
}

# Roles of files: an agent of the host's plays them that has their name; without one nothing begins.
review_by_own_roles()
{
    review_story
    mkdir -p .hone/roles
    printf -- '---\nextends: critic\n---\nLook for what is slow.\n' >.hone/roles/perf.md
    printf -- '---\npaths: ["net/"]\n---\nLook at the net.\n' >.hone/roles/net.md
    git add .hone && git commit -q -m roles -- .hone
    does perf 'if grep -q defect notes.txt; then cat "$play/found"; else cat "$play/clean"; fi'
    host_prompt "/hone:review --reviewers perf,critic"
    check_has "own roles: no agent plays it, and how to get one" "$TMPDIR/first.out" \
        "Claude Code has no agent perf: 'hone roles install perf' makes one"
    check "own roles: nothing began" test ! -e "$state"
    hone roles install perf
    hone roles install net
    host_prompt "/hone:review --reviewers perf,pref"
    check_has "own roles: a name that is none" "$TMPDIR/first.out" \
        "there is no role 'pref'"
    host_prompt "/hone:review --reviewers perf,critic,net"
    check_is "own roles: DONE" "$(phase_now)" DONE
    check_is "own roles: who was asked" "$(started perf)$(started critic)$(started pedant)" 220
    check_is "own roles: not where no path is touched" "$(started net)" 0
    check_has "own roles: what it is told" "$play/prompt.perf.1.1" "Look for what is slow."
    check_has "own roles: behind what it extends" "$play/prompt.perf.1.1" "- Wrong results:"
    check_not "own roles: nobody was denied" grep -q denied "$play/host"
    check "own roles: its file" test -s .agents/tmp/phases/review-1/r1-perf.json
    check_has "own roles: the verdict is over all" .agents/tmp/phases/review-2/r1-verdict.json \
        '"perf"'
    "$HONE" replay >"$out" 2>&1
    check_is "own roles: and it can be played again" "$?" 0
}

# The same in Codex, which knows its agents by files of its own.
own_roles_in_codex()
{
    local host_kind=codex path
    export CODEX_HOME=$TMPDIR/codex
    review_story
    mkdir -p .hone/roles "$CODEX_HOME/agents" "$CODEX_HOME/sessions"
    printf 'Look for what is slow.\n' >.hone/roles/perf.md
    git add .hone && git commit -q -m roles -- .hone
    path="\"transcript_path\":\"$CODEX_HOME/sessions/x.jsonl\""
    event UserPromptSubmit "$path,\"prompt\":\"/hone:review --reviewers perf --no-fix\""
    check_has "own roles in Codex: how to get an agent" "$hook_out" \
        "Codex has no agent hone-perf: 'hone roles install perf --codex' makes one"
    hone roles install perf --codex
    printf 'x' >"$CODEX_HOME/agents/hone-review-fixer.toml"
    : >"$play/host"
    event UserPromptSubmit "$path,\"prompt\":\"/hone:review --reviewers perf --max-iterations 1\""
    check_has "own roles in Codex: then it is wanted" "$hook_out" "agent_type: hone-perf"
    unset CODEX_HOME
}

review_never_clean()
{
    review_story
    does review-fixer "echo '# Could not'"
    host_prompt "/minions:review remove what is wrong --max-iterations 2"
    check_is "never clean: STOPPED" "$(phase_now)" STOPPED
    check_is "never clean: two reviews, one repair" "$(started critic)$(started review-fixer)" 21
    check_has "and that is said" "$hook_out" "findings remain after 2 reviews"
    review_story
    host_prompt "/hone:review --max-iterations 1"
    check_has "one review is one" "$hook_out" "findings remain after 1 review, and no more"
}

agents_that_fail()
{
    review_story
    does critic 'if [ "$HONE_ATTEMPT" = 1 ]; then echo "{\"issues\":"; else cat "$play/clean"; fi'
    does pedant '[ "$HONE_ATTEMPT" -ge 3 ] && cat "$play/clean"'
    sed -i '/defect/d' notes.txt
    host_prompt "/hone:review"
    check_is "an invalid and a silent reviewer are sent back" "$(grep -c back "$play/host")" 3
    check_is "and then all is well" "$(phase_now)" DONE

    review_story
    sed -i '/defect/d' notes.txt
    touch "$play/dies.witness"
    event UserPromptSubmit '"prompt":"/hone:review"'
    : >"$play/host"
    host_follow additionalContext
    check_is "an agent that dies again and again: still R1" "$(phase_now)" R1
    check_has "the run cannot go on, and says so" "$hook_out" "an agent failed"
    check_is "the others were asked once" "$(started critic)$(started pedant)" 11
    rm "$play/dies.witness"
    host_prompt "/hone:review"
    check_is "continued: DONE" "$(phase_now)" DONE
    check_is "continued: nobody else was asked again" "$(started critic)$(started witness)" 11
}

nobody_follows()
{
    local turn
    review_story
    event UserPromptSubmit '"prompt":"/hone:review --max-iteratons 2 x"'
    check_has "a mistyped option is said to be one" "$hook_out" "max-iterations"
    event UserPromptSubmit '"prompt":"/hone:review x"'
    for turn in 1 2 3 4 5 6; do
        event Stop '"stop_hook_active":true,"background_tasks":[]'
        check_has "ignored $turn times: asked again" "$hook_out" '"decision":"block"'
    done
    event Stop '"stop_hook_active":true,"background_tasks":[]'
    check_has "then the session is let go" "$hook_out" "none was started"
    check_not "without a block" grep -q block "$hook_out"
    event Stop '"background_tasks":[]'
    check_is "and left alone" "$(cat "$hook_out")" ""
    host_prompt "/hone:review"
    check_is "it can be continued" "$(phase_now)" DONE
}

in_the_background()
{
    local tasks role
    review_story
    sed -i '/defect/d' notes.txt
    event UserPromptSubmit '"prompt":"/hone:review x"'
    tasks=
    for role in $reviewers; do
        event SubagentStart "\"agent_id\":\"b-$role\",\"agent_type\":\"hone:$role\""
        tasks+="${tasks:+,}{\"id\":\"b-$role\",\"type\":\"subagent\",\"status\":\"running\",$(
        )\"agent_type\":\"hone:$role\"}"
    done
    event Stop "\"background_tasks\":[$tasks]"
    check_is "while all are at work the turn may end" "$status$(cat "$hook_out")" 0
    for role in $reviewers; do
        printf '%s\n' "$clean" >".agents/tmp/phases/review-1/r1-$role.json"
    done
    event Stop "\"background_tasks\":[$tasks]"
    check_is "a file of one that still runs is not taken" "$(phase_now)" R1
    event Stop '"background_tasks":[]'
    check_is "an end that no hook told of is found" "$(phase_now)" DONE
}

all_at_once()
{
    local role
    review_story
    event UserPromptSubmit '"prompt":"/hone:review x"'
    for role in $reviewers; do
        event SubagentStart "\"agent_id\":\"c-$role\",\"agent_type\":\"hone:$role\""
        printf '%s\n' "$found" >".agents/tmp/phases/review-1/r1-$role.json"
    done
    for role in $reviewers; do
        printf '{"session_id":"%s","cwd":"%s","hook_event_name":"SubagentStop","agent_type":"%s"}' \
            "$host_session" "$PWD" "hone:$role" | "$HONE" hook >"$TMPDIR/at.$role" 2>&1 &
    done
    wait
    check_is "five ends in one instant: silence" "$(cat "$TMPDIR"/at.*)" ""
    check_is "and one step" "$(phase_now)" R2
    check_is "one review in the history" "$("$HONE" log | grep -c 'round 1')" \
        "$("$HONE" log | grep 'round 1' | sort -u | wc -l)"
    check_has "with all findings" .agents/tmp/phases/review-1/r1-verdict.json '"total_issues": 5'
}

a_tree_that_changes()
{
    local role
    review_story
    sleep 0.1
    does witness 'echo more >>main.c; cat "$play/clean"'
    does silent-failure-hunter 'rm -f "$play/do.witness"; cat "$play/clean"'
    for role in critic pedant security-reviewer; do does "$role" 'cat "$play/clean"'; done
    host_prompt "/hone:review x"
    check_is "a reviewer that edits by a shell: all review again" "$(started critic)" 2
    check_is "the change stays as it is" "$(tail -n 1 main.c)" more
    check_is "and is reviewed" "$(phase_now)" DONE
    review_story
    does witness 'echo built >result.o
if grep -q defect notes.txt; then kind=found; else kind=clean; fi
cat "$play/$kind"'
    host_prompt "/hone:review x"
    check_is "new files are no change" "$(started critic)" 2
}

other_dialects()
{
    # shellcheck source=tests/support/cycles.sh
    . "$TOP/tests/support/cycles.sh"
    begin_story
    host_prompt "/hone:cycles --spec $spec --session-dir out/s"
    check_is "cycles: who was started" "$(in_order)" "implementer 1,spec-reviewer 1,spec-fixer 1,$(
    )spec-reviewer 2,implementer 1,spec-reviewer 1,spec-fixer 1,spec-reviewer 2"
    check_is "cycles: each step is a commit" "$(subjects | wc -l)" 5
    check_is "cycles: all signals" "$("$HONE" verify out/s --action count)" 6
    check_has "cycles: over" "$hook_out" "clean after 4 reviews"

    # "WARN/FAIL on final cycle: STAGE_FAILED, escalate to user (ONLY PASS proceeds)".
    begin_story
    does spec-reviewer "$warns"
    host_prompt "/hone:cycles --spec $spec --cycles=2 --session-dir out/s"
    check_has "cycles, WARN on the final cycle: the user is asked" "$hook_out" \
        "asks: STAGE_FAILED: findings remain"
    check_has "cycles, WARN on the final cycle: and how to answer" "$hook_out" \
        "/hone:cycles continue, accept or stop"
    check_is "cycles, WARN on the final cycle: only PASS proceeds" "$(in_order)" \
        "implementer 1,spec-reviewer 1,spec-fixer 1,spec-reviewer 2"
    "$HONE" status >"$out"
    check_has "cycles, WARN on the final cycle: status" "$out" "question   STAGE_FAILED: findings"
    "$HONE" status --json >"$out"
    check_has "cycles, WARN on the final cycle: and for programs" "$out" \
        '"escalation": "STAGE_FAILED"'
    "$HONE" log >"$out"
    check_has "cycles, WARN on the final cycle: log" "$out" "ask: bound (STAGE_FAILED)"
    "$HONE" log --json >"$out"
    check_has "cycles, WARN on the final cycle: and for programs" "$out" \
        '"escalation":"STAGE_FAILED"'
    event SessionStart '"source":"resume"'
    check_has "cycles, WARN on the final cycle: asked again in a resumed session" "$hook_out" \
        "asks: STAGE_FAILED: findings remain"
    does spec-reviewer "$passes"
    host_prompt "/hone:cycles continue"
    check_has "cycles: one more cycle passes, and all is over" "$hook_out" "is over, and clean"
}

a_session_is_delivered()
{
    # shellcheck source=tests/support/session.sh
    . "$TOP/tests/support/session.sh"
    begin_story
    host_prompt "/hone:session Say bye"
    check_is "session: the turns" "$(sed -n 's/^turn //p' "$play/host" | tr '\n' ' ')" \
        "planning planning execution execution polish docs security "
    check_has "session: delivered" "$hook_out" "clean after 5 reviews"
    "$HONE" check session .review-loop/sessions/*.md >"$out"
    check_is "session: its file is valid" "$?" 0

    begin_story
    does_so reviewer 'if [ -e "$play/enough" ]; then approve; else request "no" notes.txt; fi'
    host_prompt "/hone:session Say bye"
    check_has "a question is put to the person" "$hook_out" "Answer with /hone:session continue"
    check_has "with the round" "$hook_out" "The last review: planning, round"
    check_has "and what it found" "$hook_out" "notes.txt:1: no"
    check_not "and the session may end" grep -q block "$hook_out"
    touch "$play/enough"
    host_prompt "/hone:session continue"
    check_has "answered, it goes on to its end" "$hook_out" "is over"
}

# "Retry invalid Executor output once with explicit correction instructions. If the corrected
# Executor output is still invalid, stop and surface the failure to the user." And so a reviewer.
asked_once_more()
{
    local role
    # shellcheck source=tests/support/session.sh
    . "$TOP/tests/support/session.sh"
    for role in executor reviewer; do
        begin_story
        host_session=$(cat /proc/sys/kernel/random/uuid)
        does_so "$role" 'echo "I will say it."'
        host_prompt "/hone:session Say bye"
        check_is "an invalid $role: once more, and no more" "$(started "$role")" 2
        check_has "an invalid $role: the failure is surfaced" "$hook_out" \
            "kept breaking its contract"
        check_not "an invalid $role: the session may end" grep -q '"block"' "$hook_out"
        defaults
        host_prompt "/hone:session"
        check_has "an invalid $role: it goes on later" "$hook_out" "is over, and clean"
    done
    begin_story
    host_session=$(cat /proc/sys/kernel/random/uuid)
    does_so executor 'if [ "$HONE_ATTEMPT" = 1 ]; then echo "I will say it."
elif [ "$HONE_PHASE" = planning ]; then plan "say bye"
else echo bye >>notes.txt; report "bye said" notes.txt; fi'
    host_prompt "/hone:session Say bye"
    check_is "an executor that is corrected: once in each phase" "$(started executor)" 4
    check_has "an executor that is corrected: delivered" "$hook_out" "is over, and clean"
}

nine_phases()
{
    forget
    rm -rf "$TMPDIR/w" && new_repo "$TMPDIR/w" && git checkout -q -- .
    cat >"$play/agent" <<'END'
#!/bin/sh
echo "$HONE_PHASE $HONE_ROLE" >>"${0%/*}/log"
cat >/dev/null
case $HONE_ROLE in
*-reviewer | codex-final) echo 'No issues found.' ;;
*) echo "$HONE_ROLE was here" ;;
esac
END
    host_prompt "/hone:iterate make it right"
    check_is "iterate: two copies and the one that joins them" \
        "$(grep -c brainstormer "$play/log")" 3
    check_is "iterate: the phases" "$(cut -d ' ' -f 1 "$play/log" | uniq | tr '\n' ' ')" \
        "1 2 3 4 5 7 8 9 "
    check_has "iterate: over" "$hook_out" "is over, and clean"
}

# "parallelModel" for the copies, "model" for the one that joins. Where Claude Code's own agents
# cannot be asked for a model, and for a tool, hone starts the client, with the effort of the tool.
models_in_a_host()
{
    local client
    forget
    rm -rf "$TMPDIR/w" && new_repo "$TMPDIR/w" && git checkout -q -- .
    cat >"$play/agent" <<'END'
#!/bin/sh
cat >/dev/null
case $HONE_ROLE in *-reviewer | codex-final) echo LGTM ;; *) echo done ;; esac
END
    cat >"$play/client" <<END
#!/bin/sh
name=\$1 said=
while [ \$# -gt 0 ]; do
    case \$1 in
    --model) said="\$said \$2" ;;
    model_reasoning_effort=*) said="\$said \${1#*=}" ;;
    esac
    shift
done
echo "\$HONE_ROLE \$name\$said" >>"$play/models"
exec "$play/agent"
END
    chmod +x "$play/agent" "$play/client"
    mkdir -p "$TMPDIR/bin" .claude
    for client in claude codex; do
        "stand_in_$client" "$TMPDIR/bin/$client" "$play/client $client \"\$@\""
    done
    echo '{"phases":{"1":{"model":"opus","parallel":true,"parallelModel":"haiku"},
        "2":{"model":"inherit","parallel":true,"parallelModel":"mcp__codex-low__codex"},
        "4":{"model":"claude-opus-4-5"},"7":{"model":"sonnet"}}}' \
        >.claude/iterate-config.local.json
    PATH=$TMPDIR/bin:$PATH host_prompt "/hone:iterate make it right"
    check_has "iterate, models: over" "$hook_out" "is over, and clean"
    check_is "iterate, models: who was asked for what" "$(cat "$play/models")" \
        "brainstormer host haiku
brainstormer host haiku
brainstormer host opus
planner codex low
planner codex low
plan-reviewer codex
implementer claude claude-opus-4-5
simplifier host sonnet
final-reviewer codex
codex-final codex high"
}

others_at_work()
{
    local mine=$host_session
    review_story
    event UserPromptSubmit '"prompt":"/hone:review x"'
    cp "$state" "$TMPDIR/before"
    host_session=another
    event UserPromptSubmit '"prompt":"/hone:review y"'
    check_has "a second session is told" "$hook_out" "another session"
    event PreToolUse '"tool_name":"Edit","tool_input":{"file_path":"main.c"}'
    check_is "and may edit" "$status$(cat "$hook_out")" 0
    event SubagentStop '"agent_type":"hone:critic"'
    check_is "and its agents are nobody's" "$status$(cat "$hook_out")" 0
    event Stop '"background_tasks":[]'
    check_is "and its turn ends" "$status$(cat "$hook_out")" 0
    check "nothing was changed" cmp "$state" "$TMPDIR/before"
    check_is "nor was a run begun" "$("$HONE" list | grep -c review)" 1
    event UserPromptSubmit '"prompt":"/hone:review accept"'
    check_has "an answer to nothing is no task" "$hook_out" "No run asks anything"
    host_session=$mine
    hone run review --agent "*=$agent"
    one_line "a headless run in the same folder" 2 "inside Claude Code or Codex"
    "$HONE" stop >"$out"
    check_has "hone stop ends it" "$out" "was stopped"
    check_has "and says how it goes on" "$out" "in Claude Code or Codex"
    event PreToolUse '"tool_name":"Edit","tool_input":{"file_path":"main.c"}'
    check_is "then the session is free" "$status$(cat "$hook_out")" 0
    hone resume
    one_line "a headless resume" 2 "/hone:review"
    host_prompt "/hone:review"
    check_is "the host goes on with it" "$(phase_now)" DONE
}

compaction_and_resume()
{
    review_story
    event UserPromptSubmit '"prompt":"/hone:review x"'
    event SessionStart '"source":"compact"'
    check_has "after a compaction the instructions are there again" "$hook_out" "hone:critic"
    event SessionStart '"source":"startup"'
    check_is "at a fresh start they are not" "$(cat "$hook_out")" ""
    event SessionStart '"source":"resume"'
    : >"$play/host"
    host_follow additionalContext
    check_is "a resumed host goes on to the end" "$(phase_now)" DONE
}

a_defect_of_ours()
{
    review_story
    mkfifo "$TMPDIR/pipe"
    "$HONE" hook <"$TMPDIR/pipe" >"$out" 2>"$err" &
    exec 3>"$TMPDIR/pipe"
    # It has taken its precautions when it catches SIGABRT, the sixth.
    until_true 20 grep -q 'SigCgt:.*[2367abef].$' "/proc/$!/status"
    kill -ABRT $!
    wait $!
    check_is "a crash in a gate refuses" "$?" 2
    check_has "and says whose fault it is" "$err" "a defect of hone"
    exec 3>&-
}

together review_in_two_rounds review_never_clean agents_that_fail nobody_follows in_the_background
together all_at_once a_tree_that_changes other_dialects a_session_is_delivered asked_once_more \
    nine_phases
together models_in_a_host others_at_work compaction_and_resume a_defect_of_ours \
    review_until_settled review_by_own_roles own_roles_in_codex
exit "$failed"
