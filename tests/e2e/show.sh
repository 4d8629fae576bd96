#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone show of an attempt: what its stream tells of what it did, and what it says while it runs.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/models.sh"

template=$TMPDIR/template
new_repo "$template"

evidence()
{
    mkdir -p "$TMPDIR/bin"
    stand_in_claude "$TMPDIR/bin/claude" "$play/agent"
    stand_in_codex "$TMPDIR/bin/codex" "$play/agent"
    copy_of "$template" evidence
    forget
    PATH=$TMPDIR/bin:$PATH hone run review --agent '*=claude' --agent 'pedant=codex'
    check_is "a run with streams" "$status" 0
    hone show "" 1
    check_has "what it did" "$out" "2 tool calls, 1 command, 1 file read, 0 written"
    check_has "with which model" "$out" "model stand-in"
    check_has "for how many tokens" "$out" "100 tokens in (0 cached), 20 out"
    check_has "for how much" "$out" '$0.250000'
    check_has "what it read" "$out" "  read  notes.txt"
    check_has "its stream as what was done" "$out" "> Read notes.txt"
    check_not "and not as JSON" grep -q '"type":"assistant"' "$out"
    check_has "what it said" "$out" "==> said"
    hone show "" 1 --raw
    check_has "unless it is wanted raw" "$out" '"type":"assistant"'
    hone show "" 1 --json
    check "as JSON" "$SUPPORT/is_json" whole <"$out"
    check_has "with the evidence" "$out" '"tool_calls": 2'
    check_has "and the files" "$out" '"files_read"'
    hone show "" 2
    check_has "of another agent" "$out" "> run git diff"
    check_has "that does not tell its cost" "$out" "cost not told"

    hone run review --agent "*=$agent"
    hone show "" 1
    check_not "who tells nothing has no evidence" grep -q '^evidence' "$out"
}

# The file has the line: for until_true.
has_line()
{
    grep -qF -- "$2" "$1"
}

follow()
{
    copy_of "$template" follow
    forget
    export STORY_TOKEN="So-Secret-9731"
    does critic 'echo first; echo "key So-Secret-9731"; printf "\033[2Jodd\n"; echo oops >&2
        touch "$play/at"; until test -e "$play/go"; do sleep 0.05; done
        echo last >&2; cat "$play/clean" >"$HONE_OUTPUT"'
    "$HONE" run review --agent "*=$agent" >/dev/null 2>&1 &
    run=$!
    until_true 20 test -e "$play/at"
    "$HONE" show "" 1 --follow >"$TMPDIR/followed" 2>&1 &
    follower=$!
    check "it is shown while it runs" until_true 10 has_line "$TMPDIR/followed" first
    check "what it says in an error, too" until_true 10 has_line "$TMPDIR/followed" oops
    check_has "without secrets" "$TMPDIR/followed" "key [STORY_TOKEN masked]"
    check_has "and harmless" "$TMPDIR/followed" '\x1b[2Jodd'
    "$HONE" show --follow --json >"$TMPDIR/interrupted" 2>&1 &
    second=$!
    until_true 20 test -s "$TMPDIR/interrupted"
    kill -INT "$second" 2>/dev/null || kill -TERM "$second"
    kill -TERM "$second" 2>/dev/null
    wait "$second"
    check "ending that ends nothing else" kill -0 "$run"
    touch "$play/go"
    wait "$follower"
    check_is "it ends with the attempt" $? 0
    check_has "and has all of it" "$TMPDIR/followed" "last"
    wait "$run"
    check_is "the run went on" $? 0
    hone show --follow
    one_line "no attempt to follow" 2 "has no attempt that runs now"
    hone show "" 1 --follow
    check_is "what is over is shown at once" "$status" 0
    check_has "whole" "$out" "first"
    hone show "" 1 --follow --json
    check "as JSON lines" "$SUPPORT/is_json" lines <"$out"
}

together evidence follow
exit "$failed"
