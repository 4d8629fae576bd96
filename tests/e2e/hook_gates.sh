#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The gates of a hosted review: which agents may be started, and which files written, when.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/hook.sh"

template=$TMPDIR/template
new_repo "$template"
mkdir "$template/sub"

by_fixer='"agent_id":"a9","agent_type":"hone:review-fixer"'
by_critic='"agent_id":"a8","agent_type":"hone:critic"'

# In R2, with findings.
to_fix()
{
    begin
    all_write "$found"
    all_stop
}

agents()
{
    local role tool
    begin
    for role in $reviewers; do
        starts "hone:$role"
        check_silent "R1: $role is asked for"
    done
    starts minions:critic
    check_silent "R1: by its old name"
    for tool in Agent Task; do
        starts hone:pedant "$tool"
        check_silent "R1: $tool"
        starts hone:review-fixer "$tool"
        check_denied "R1: $tool, no fixer"
        starts minions:review-fixer "$tool"
        check_denied "R1: $tool, no fixer by its old name"
    done
    check "the reason says what is asked for instead" grep -q 'R1\|reviewer' "$out" "$err"
    to_fix
    starts hone:review-fixer
    check_silent "R2: the fixer is asked for"
    starts minions:review-fixer Task
    check_silent "R2: by its old names"
    for role in $reviewers; do
        starts "hone:$role"
        check_denied "R2: no $role"
    done
}

# A state that says R2 while nobody found anything is no reason to fix.
without_findings()
{
    begin
    sed -i 's/"currentPhase": "R1"/"currentPhase": "R2"/' "$state"
    starts hone:review-fixer
    check_denied "R2 without reviews: no fixer"
    all_write "$clean"
    starts hone:review-fixer
    check_denied "R2 with clean reviews: no fixer"
    printf '{"overall_verdict":"issues_found","total_issues":3}' \
        >.agents/tmp/phases/review-1/r1-verdict.json
    starts hone:review-fixer
    check_denied "R2 with a verdict that somebody made up: no fixer"
}

edits_in_r1()
{
    local tool path
    begin
    for tool in Edit Write MultiEdit NotebookEdit; do
        edits "$PWD/notes.txt" "$tool"
        check_denied "R1: no $tool"
    done
    ln -s "$PWD" "$TMPDIR/way"
    ln -s ../notes.txt sub/link
    for path in notes.txt new.txt sub/new.txt "$TMPDIR/way/notes.txt" "$TMPDIR/way/new/deep.txt" \
        sub/link sub/../notes.txt ./notes.txt "sub//..//notes.txt" .git/config .gitignore; do
        edits "$path"
        check_denied "R1: not ${path#"$TMPDIR/"}"
    done
    edits notes.txt Write "$by_critic"
    check_denied "R1: not by a reviewer either"
    edits notes.txt Write "$by_fixer"
    check_denied "R1: nor by a fixer"
    edits "$TMPDIR/elsewhere.txt"
    check_silent "R1: what lies elsewhere is nobody's business"
    before Edit '{}'
    check_denied "R1: an edit of nobody knows what"
    before Edit '{"file_path":["notes.txt"]}'
    check_denied "R1: nor of a list"
    before Edit '{"file_path":""}'
    check_denied "R1: nor of an empty name"
    before Edit '{"file_path":"a\u0000b"}'
    check_denied "R1: nor of one with a NUL"
    before Read '{"file_path":"notes.txt"}'
    check_silent "R1: everybody may read"
    before Bash '{"command":"make test"}' "$by_critic"
    check_silent "R1: and run"
    check "the tree is as it was" test "$(git status --porcelain -- notes.txt)" = " M notes.txt"
}

# From a folder below, paths are relative to it, and the run is that of the repository.
from_below()
{
    begin
    cd sub || return
    edits ../main.c
    check_denied "R1: from a folder below"
    edits new.txt
    check_denied "R1: and in it"
    edits ../../elsewhere.txt
    check_silent "R1: but not outside"
    starts hone:review-fixer
    check_denied "R1: no fixer from there"
    cd ..
}

contract()
{
    local path
    begin
    edits "$PWD/.agents/tmp/phases/review-1/r1-critic.json" Write "$by_critic"
    check_silent "R1: a reviewer writes its file"
    edits .agents/tmp/phases/review-1/r1-critic.json Write "$by_critic"
    check_silent "R1: by any of its names"
    ln -s ../notes.txt .agents/link
    mkdir -p sub/.agents
    ln -s "$PWD" .agents/top
    for path in .agents/evil.sh .agents/link .agents/tmp/../../notes.txt sub/.agents/x \
        .agents/top/notes.txt .agents/tmp/phases/review-1/../../../../main.c \
        .agents/tmp/phases/review-1/r1-critic.json/../../../../../main.c \
        .agents/tmp/phases/review-1/other.json; do
        edits "$path" Write "$by_critic"
        check_denied "R1: not $path"
    done
    ln -s ../../../../notes.txt .agents/tmp/phases/review-1/r1-pedant.json
    edits .agents/tmp/phases/review-1/r1-pedant.json Write "$by_critic"
    check_denied "R1: not through a link that looks like its file"
}

edits_in_r2()
{
    to_fix
    edits notes.txt Edit "$by_fixer"
    check_silent "R2: the fixer edits"
    edits "$PWD/sub/new.txt" Write "$by_fixer"
    check_silent "R2: and writes what is new"
    edits .agents/tmp/phases/review-1/r2-fix-summary.md Write "$by_fixer"
    check_silent "R2: and its summary"
    before NotebookEdit '{"notebook_path":"a.ipynb"}' "$by_fixer"
    check_silent "R2: and notebooks"
}

# ---- what cannot be understood ----

malformed()
{
    local text
    copy_of "$template" work
    for text in '' 'x' '[]' '{"hook_event_name":"PreToolUse"' '{"a":1} {"b":2}' 'null'; do
        raw "$text" PreToolUse
        check_is "a gate refuses '$text'" "$status" 2
        raw "$text" Stop
        check_silent "a stop does not care for '$text'"
        raw "$text" SubagentStop
        check_silent "nor the stop of an agent"
        raw "$text" UserPromptSubmit
        check_silent "nor a prompt"
    done
    raw '{"hook_event_name":"PreToolUse","tool_name":"Wri'
    check_is "a gate whose text is cut is one" "$status" 2
    head -c 17000000 /dev/zero | tr '\0' ' ' >big
    "$HONE" hook PreToolUse <big >"$out" 2>"$err"
    status=$?
    law "too much"
    check_is "a gate refuses what is too much" "$status" 2
    "$HONE" hook Stop <big >"$out" 2>"$err"
    status=$?
    check_silent "a stop does not care for it"
    "$HONE" hook PreToolUse <&- >"$out" 2>"$err"
    status=$?
    law "no input"
    check_is "a gate without an input refuses" "$status" 2
    raw '{"hook_event_name":"TeaTime"}' Stop
    check_silent "an event that nobody knows is let be"
    raw '{}' PreToolUse
    check_silent "a gate of nothing lets it be where there is no run"
}

together agents without_findings edits_in_r1 from_below contract edits_in_r2 malformed
exit "$failed"
