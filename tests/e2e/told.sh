#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a person is told who looks at a run that cannot go on by itself: why, what may be chosen, and
# the command; and that a test which fails from the start judges nothing.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
git -C "$template" commit -q -a -m all

# said_once NAME FILE TEXT
said_once()
{
    check_is "$1" "$(grep -cF -- "$3" "$2")" 1
}

# run_of: the run that the last output names.
run_of()
{
    grep -oE 'run [a-z0-9]{8}' "$out" | sed -n '1s/run //p'
}

# ---- words ----

# The list of ends has what the end line says; a verb with two letters swapped is known.
words()
{
    hone help ends
    check_is "help ends: exit" "$status" 0
    check_has "help ends: a word, its exit status and its reason" "$out" \
        "  rounds used up  exit 1, --json: bound."
    check_has "help ends: a run that only looked" "$out" "  only looked     exit 1, --json: bound."
    hone rnu
    check_is "two letters swapped: exit" "$status" 2
    check_has "two letters swapped" "$err" "unknown verb 'rnu'; did you mean 'run'?"
    for verb in $("$HONE" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p') ends; do
        hone help "$verb"
        check_not "plain words: $verb" grep -qE "nothing is said|findings fits|have helped" "$out"
    done
}
words

# ---- hone's own output in the tree ----

# "hone run review > log in a repository": hone's own output is no change of the tree; what has
# another name is.
own_output()
{
    forget
    copy_of "$template" output
    "$HONE" run review --agent "*=$reviewer" --agent "review-fixer=$fixer" >log 2>log.err
    check_is "its own output in the tree: exit" "$?" 0
    check_has "its own output in the tree: said" log.err "log is where this output goes"
    check_has "its own output in the tree: of both" log.err "log.err is where this output goes"
    check_has "its own output in the tree: it stays" log "clean: the last review found nothing"
    git add . && git commit -q -m all
    printf 'int main(void)\n{\n    int unused;\n    return 0;\n}\n' >main.c && git commit -q -a -m c
    "$HONE" run review --max-iterations 1 --agent critic=analyzer:gcc --agent '*=analyzer:none' \
        --agent review-fixer=fixits >other 2>&1
    check_has "its own output is no change: everything is looked at" other "main.c:3"
    "$HONE" run review --no-sandbox --max-iterations 1 --agent '*=analyzer:none' \
        --agent "critic=cmd:echo x >log2; echo '$clean'" >log 2>/dev/null
    check_not "a file that only begins so is a change" test -e log2
}
own_output

# ---- a question ----

escalated()
{
    local run
    forget
    copy_of "$template" escalated
    does spec-reviewer 'echo "notes.txt:1 - not yet"; echo; echo "## Grade: WARN"'
    does implementer 'echo built >built.txt; echo done'
    hone run cycles 'the question' --cycles 1 --agent "*=$agent"
    check_is "escalated: exit" "$status" 1
    run=$(run_of)
    hone status
    check_has "escalated: the question" "$out" \
        "question   STAGE_FAILED: findings remain, and all rounds that were allowed are used up"
    check_has "escalated: a choice and its meaning" "$out" \
        "choices    continue  one more round, then you are asked again"
    check_has "escalated: another" "$out" "           stop      end the run here"
    check_not "escalated: no choice that is refused" grep -q restart "$out"
    check_has "escalated: the command" "$out" "next       hone answer $run continue"
    hone status --json
    check_is "escalated: the same for programs" \
        "$(jq -c '.lanes[0] | [.question, .choices]' "$out")" \
        '["bound",["continue","accept","stop"]]'
    hone answer "$run" stop
    hone status
    check_not "decided: no question" grep -qE '^(question|choices|next)' "$out"
}

# ---- stuck ----

stuck()
{
    local run
    forget
    copy_of "$template" stuck
    does critic 'cat "$play/found"'
    does review-fixer 'echo "I looked."; printf "STUCK: the \033[31mking\033[0m is in exile\n"'
    hone run review --agent "*=$agent"
    check_is "stuck: exit" "$status" 1
    run=$(run_of)
    said_once "stuck: the fixer's reason" "$out" "the fixer says: the "
    check_has "stuck: all of it" "$out" "is in exile"
    check_not "stuck: harmless" grep -q "$(printf '\033')" "$out"
    check_has "stuck: the way on" "$out" \
        "do what is missing, then: hone resume $run"
    for choice in accept restart stop; do
        hone answer "$run" "$choice"
        check_is "stuck: no other answer: $choice" "$status" 2
        check_has "stuck: which answer there is, not $choice" "$err" \
            "the only answer is continue, when what is missing is done"
    done
    hone list
    check_has "stuck: the list has its word" "$out" "  stuck  "
    hone status
    check_has "stuck: status says why" "$out" "fixer says the "
    check_has "stuck: and the way on" "$out" \
        "next       hone resume $run, when what is missing is done"
    hone resume --json
    check_is "stuck again: for programs" \
        "$(jq -r 'select(.event == "finish") | .stuck' "$out" | grep -c 'is in exile')" 1
    does critic
    hone resume
    check_is "helped: exit" "$status" 0
    check_not "helped: no reason any more" grep -q "exile" "$out"
    hone status
    check_not "helped: nor in status" grep -qE "exile|^next" "$out"
}

stuck_loops()
{
    forget
    copy_of "$template" loops
    printf -- '- [ ] one: do it\n- [ ] two: do more\n' >tasks.md
    git add . && git commit -q -m tasks
    does builder 'case $HONE_TASK_ID in two) echo "TASK_STUCK: no key for the shop" ;;
*) echo TASK_COMPLETE ;; esac'
    does loop-reviewer "echo '{\"passed\":true,\"interpretedIntent\":\"x\",$(
        )\"intentSatisfied\":true,\"issues\":[]}'"
    hone run loops --tasks tasks.md --agent "*=$agent"
    check_is "a stuck loop: exit" "$status" 1
    said_once "no test in sight: said" "$err" "no test command was found here"
    hone status
    said_once "a stuck loop: status says why" "$out" "says       two: no key for the shop"
    said_once "a stuck loop: no word for how it is driven" "$out" "phase      build"
    check_not "a stuck loop: nothing behind it" grep -q "^phase.*," "$out"
    check_is "a stuck loop: of that one only" "$(grep -c '^says' "$out")" 1
    hone run loops --tasks tasks.md --test true --allow-dirty --agent "*=$agent"
    check_not "a test is named: nothing is said" grep -q "no test command" "$err"
}

asks_when_stuck()
{
    forget
    copy_of "$template" asks
    does code-reviewer 'echo "[HIGH] notes.txt:1 - not yet"'
    does fixer 'echo "STUCK: no key"'
    for role in brainstormer planner implementer; do does "$role" 'echo done'; done
    does plan-reviewer 'echo "No issues found."'
    hone run iterate 'the question' --lite --agent "*=$agent"
    check_is "a fixer that asks: exit" "$status" 5
    check_has "a fixer that asks: why" "$err" \
        "the fixer says that it cannot go on: no key; hone answer"
    hone status
    check_has "a fixer that asks: status says why" "$out" "fixer says no key"
    check_has "a fixer that asks: a restart is a choice" "$out" "           restart   begin"
}

# ---- inside a host ----

# says WORDS: the person says that in the session.
says()
{
    printf '{"session_id":"s1","hook_event_name":"UserPromptSubmit","cwd":"%s","prompt":"%s"}' \
        "$PWD" "$1" | "$HONE" hook >"$out" 2>"$err"
}

hosted()
{
    copy_of "$template" hosted
    says /hone:review
    says /hone:stop
    hone status
    check_has "a hosted run: the command is the host's" "$out" \
        'next       /hone:review in Claude Code, $hone-review in Codex'
    check_not "a hosted run: none that is refused" grep -q "hone resume" "$out"
}

# Why it is stuck is said there, too, as a quotation.
hosted_stuck()
{
    # shellcheck source=tests/support/host.sh
    . "$TOP/tests/support/host.sh"
    forget
    copy_of "$template" hosted_stuck
    does critic 'cat "$play/found"'
    does review-fixer 'printf "I looked.\nSTUCK: the \033[31mking is in exile\n"'
    host_prompt "/hone:review"
    check_has "a hosted run that is stuck: why" "$hook_out" \
        'says it cannot go on (its words: \"the '
    check_has "a hosted run that is stuck: all of it" "$hook_out" 'king is in exile\")'
    check_not "a hosted run that is stuck: harmless" grep -qE '\\u001b|'"$(printf '\033')" \
        "$hook_out"
}

# ---- a test that fails by itself ----

# One finding that fixits can mend.
mendable()
{
    printf '#include <stdio.h>\nint main(int n, char **v)\n{\n' >main.c
    printf '    printf("%%d", v[n - 1]);\n    return 0;\n}\n' >>main.c
}

useless_test()
{
    command -v gcc >/dev/null || return
    copy_of "$template" useless
    mendable
    hone run review --all --test 'echo alas; exit 3' \
        --agent '*=analyzer:gcc' --agent review-fixer=fixits
    check_is "a test that fails by itself: the fix is made" "$status" 0
    said_once "a test that fails by itself: said when it is known" "$err" \
        "the test fails without any fix, so it cannot judge the fixes: echo alas; exit 3 (--test)"
    said_once "a test that fails by itself: and at the end" "$out" \
        "the test failed before any fix, so it has judged none of them: echo alas; exit 3"
    mendable
    hone run review --all --json --test 'exit 3' \
        --agent '*=analyzer:gcc' --agent review-fixer=fixits
    check_is "--json: a warning" "$(jq -r 'select(.event == "warning") | .text' "$out" |
        grep -c 'cannot judge')" 1
    check_is "--json: at the end" \
        "$(jq -r 'select(.event == "finish") | .test_useless' "$out")" true
    hone resume --json
    check_is "shown again: still there" \
        "$(jq -r 'select(.event == "finish") | .test_useless' "$out")" true

    mendable
    hone run review --all --test 'gcc -fsyntax-only main.c' \
        --agent '*=analyzer:gcc' --agent review-fixer=fixits
    check_is "a test that passes: exit" "$status" 0
    check_not "a test that passes: not a word" grep -q "the test f" "$out" "$err"
}

# ---- a review of nothing ----

unseen()
{
    command -v gcc >/dev/null || return
    forget
    copy_of "$template" unseen
    echo more >>notes.txt
    hone run --agent '*=analyzer:gcc' --agent review-fixer=fixits
    check_has "nothing to look at: known before" "$out" "since HEAD: no file that they read"
    hone run review --agent '*=analyzer:gcc,cppcheck' --agent pedant=analyzer:none \
        --agent review-fixer=fixits
    check_is "nothing to look at: not reviewed" "$status" 2
    said_once "nothing to look at: said" "$out" "not reviewed: no reviewer looked at anything"
    said_once "nothing to look at: and the way on" "$out" \
        "no file that changed is one that these reviewers look at: 'hone run review --all' looks"
    hone resume --json
    check_is "nothing to look at: for programs" "$(jq -r .saw_nothing "$out")" true
    hone run review --all --agent '*=analyzer:gcc' --agent review-fixer=fixits
    said_once "something to look at" "$out" "clean: the last review found nothing"
    check_not "something to look at: nothing else" grep -q "analyzers read" "$out"
    hone run review --agent '*=analyzer:none' --agent "critic=$agent" --agent review-fixer=fixits
    said_once "somebody who looks by himself" "$out" "clean: the last review found nothing"
    git rm -q -f main.c && git commit -q -a -m gone
    hone run review --agent '*=analyzer:gcc' --agent review-fixer=fixits
    said_once "nothing at all to look at" "$out" "no file here is one that these reviewers look at"
}

# ---- agents that fail ----

failing()
{
    local run
    forget
    copy_of "$template" failing
    hone run review --no-sandbox --agent '*=cmd:exit 137'
    check_is "killed: exit" "$status" 3
    run=$(run_of)
    check_has "killed: what the number means" "$err" "ended with status 137 (it was killed"
    check_has "killed: where to look" "$out" \
        "continue with: hone resume $run; what they said: hone show $run"
    hone run review --agent '*=cmd:echo {}'
    check_is "no review: exit" "$status" 3
    check_has "no review: what is wrong comes first" "$err" "): issues is missing"
    check_has "no review: at the end too" "$err" "broke the contract: issues is missing"
    hone status
    check "no review: in status too" grep -qE '^failed +critic +1-2: issues is missing' "$out"
    hone run review --agent '*=acp:/nowhere/at/all'
    check_is "an ACP agent that is not there: exit" "$status" 3
    check_has "an ACP agent that is not there: said" "$err" \
        "the agent's program cannot be run: /nowhere/at/all"
    check_not "an ACP agent that is not there: not tried again" grep -q "starts again" "$err"
}

# What would be looked at, where a model finds that out by itself.
previewed()
{
    copy_of "$template" previewed
    mkdir "$TMPDIR/models" && printf '#!/bin/sh\nexit 1\n' >"$TMPDIR/models/claude"
    chmod +x "$TMPDIR/models/claude"
    echo more >>notes.txt
    PATH=$TMPDIR/models:$PATH hone run
    check_is "a preview with a model: exit" "$status" 0
    check_has "a preview with a model: the scope" "$out" "scope     what differs from HEAD; where"
    check_not "a preview with a model: nothing that is not so" grep -q "nothing has changed" "$out"
    PATH=$TMPDIR/models:$PATH hone run --all
    check_has "a preview of everything" "$out" "scope     everything"
}

escalated
stuck
failing
previewed
stuck_loops
asks_when_stuck
hosted
(hosted_stuck; exit "$failed") || failed=1
useless_test
unseen
exit "$failed"
