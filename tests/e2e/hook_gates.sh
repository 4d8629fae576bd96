#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The gates of hosted runs, review above all: which agents may be started, and which files written,
# when.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/hook.sh"

template=$TMPDIR/template
new_repo "$template"
mkdir "$template/sub"

by_fixer='"agent_id":"a9","agent_type":"hone:review-fixer"'
by_critic='"agent_id":"a8","agent_type":"hone:critic"'
by_other='"agent_id":"a7","agent_type":"general-purpose"'

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

# A state that says R2 while no reviewer found anything is no reason to fix.
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
    edits notes.txt Edit '"agent_id":"a9","agent_type":"minions:review-fixer"'
    check_silent "R2: and by its old name"
}

# "R2 | minions:review-fixer | Single write-enabled fixer".
single_writer()
{
    local tool by
    to_fix
    for tool in Edit Write MultiEdit NotebookEdit; do
        edits notes.txt "$tool"
        check_denied "R2: no $tool by the main thread"
        for by in "$by_critic" "$by_other" '"agent_id":"a6","agent_type":"acme:review-fixer"' \
            '"agent_id":"a6","agent_type":""' '"agent_id":"a6"'; do
            edits new.txt "$tool" "$by"
            check_denied "R2: no $tool by ${by#*,}"
        done
    done
    edits notes.txt
    check_has "the main thread is told the phase" "$out" "phase R2"
    check_has "and who may edit" "$out" "only review-fixer changes files"
    check_has "and what to do instead" "$out" "Start it, as hone's last instructions say"
    check_has "and the way out" "$out" "/hone:stop"
    edits notes.txt Edit "$by_other"
    check_has "an agent is told who may edit" "$out" "only review-fixer changes files"
    check_has "and what to do instead" "$out" "Report what you would change"
    edits .agents/tmp/phases/review-1/r2-fix-summary.md Write
    check_denied "R2: the summary is the fixer's, too"
    edits "$TMPDIR/elsewhere.txt"
    check_silent "R2: what lies elsewhere is the host's business"
    agent_starts hone:review-fixer
    edits notes.txt Edit '"agent_id":"a-hone:review-fixer"'
    check_silent "R2: a fixer that the host names by its id alone edits"
    prompt "/hone:stop"
    edits notes.txt
    check_silent "the user ends the run, and the main thread edits"
}

# An agent of another plugin, with any name, plays no role of the run.
of_others()
{
    local role
    begin
    for role in $reviewers; do agent_starts "acme:$role"; done
    all_write "$clean"
    all_stop acme
    check_at "agents of another plugin review nothing" R1 in_progress 1
    stops "$(running acme:critic)"
    check_blocked "and are not waited for" "5 agents are wanted"
    hook PermissionRequest "\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\
\"cat > $PWD/.agents/tmp/phases/review-1/r1-critic.json <<'END'\\n{}\\nEND\"},\
\"agent_id\":\"a6\",\"agent_type\":\"acme:critic\""
    check_silent "nor is the user's leave given for them"
    edits .agents/tmp/phases/review-1/r1-critic.json Write \
        '"agent_id":"a6","agent_type":"acme:critic"'
    check_denied "nor may they write an answer"
    all_stop
    check_at "those of hone do" DONE complete 1
}

# The same in every dialect: files are changed by the agent alone that is wanted for it.
# writer_is NAME ROLE OTHERS...
writer_is()
{
    local name=$1 role=$2 other
    shift 2
    edits notes.txt
    check_denied "$name: not by the main thread"
    check_has "$name: who may is named" "$out" "only $role changes files"
    edits notes.txt Edit "$by_other"
    check_denied "$name: not by any other agent"
    for other in "$@"; do
        edits notes.txt Edit "\"agent_id\":\"a5\",\"agent_type\":\"hone:$other\""
        check_denied "$name: not by $other"
    done
    edits notes.txt Edit "\"agent_id\":\"a4\",\"agent_type\":\"hone:$role\""
    check_silent "$name: by $role"
}

# reads_only NAME ROLES...
reads_only()
{
    local name=$1 role
    shift
    edits notes.txt
    check_denied "$name: not by the main thread"
    for role in "$@"; do
        edits notes.txt Edit "\"agent_id\":\"a5\",\"agent_type\":\"hone:$role\""
        check_denied "$name: not by $role"
    done
}

writers_of_cycles()
{
    copy_of "$template" work
    git checkout -q -- .
    prompt "/hone:cycles --phases 1 --session-dir out/s x"
    writer_is "cycles, implement" implementer spec-fixer spec-reviewer
    agent_starts hone:implementer
    echo built >built.txt
    agent_says hone:implementer "Built."
    stops
    check_blocked "cycles: the review" "hone:spec-reviewer"
    reads_only "cycles, review" spec-reviewer spec-fixer implementer
    agent_starts hone:spec-reviewer
    printf '## Issues\n\n- [HIGH] built.txt:1 - wrong\n\n## Grade: WARN\n' \
        >out/s/reviews/phase-1-review-1.md
    agent_stops hone:spec-reviewer
    stops
    check_blocked "cycles: the fix" "hone:spec-fixer"
    writer_is "cycles, fix" spec-fixer implementer spec-reviewer
}

# session_says ROLE WORDS...: an agent of a session stops with these words of session.sh.
session_says()
{
    local role=$1
    shift
    agent_starts "hone:$role"
    agent_says "hone:$role" "$(set +u; . "$play/words" && "$@")"
}

# "The orchestrator is the only writer" of the session file: neither executor nor reviewer is.
keeps_the_session_file()
{
    local name=$1 role
    edits "$(find .review-loop/sessions -name '*.md')" Write
    check_denied "$name: the session file, not by the main thread"
    for role in executor reviewer; do
        edits "$(find .review-loop/sessions -name '*.md')" Edit \
            "\"agent_id\":\"a5\",\"agent_type\":\"hone:$role\""
        check_denied "$name: the session file, not by $role"
    done
}

# only_starts NAME ROLE OTHERS...: which agent may be started.
only_starts()
{
    local name=$1 other
    starts "hone:$2"
    check_silent "$name: $2 is asked for"
    shift 2
    for other in "$@"; do
        starts "hone:$other"
        check_denied "$name: no $other"
    done
}

writers_of_session()
{
    # shellcheck source=tests/support/session.sh
    . "$TOP/tests/support/session.sh"
    copy_of "$template" work
    prompt "/hone:session Say bye"
    reads_only "session, planning" executor reviewer
    only_starts "session, planning" executor reviewer polish
    keeps_the_session_file "session, planning"
    session_says executor plan "say bye"
    stops
    check_blocked "session: the plan is reviewed" "hone:reviewer"
    reads_only "session, plan review" reviewer executor
    only_starts "session, plan review" reviewer executor
    session_says reviewer approve
    stops
    check_blocked "session: execution" "hone:executor"
    writer_is "session, execution" executor reviewer polish docs security
    only_starts "session, execution" executor reviewer polish docs security
    keeps_the_session_file "session, execution"
    echo bye >>notes.txt
    session_says executor report "bye said" notes.txt
    stops
    check_blocked "session: code review" "hone:reviewer"
    reads_only "session, code review" reviewer executor polish
    keeps_the_session_file "session, code review"
    session_says reviewer request "bye is too short"
    stops
    check_blocked "session: the repair" "hone:executor"
    writer_is "session, the repair" executor reviewer polish docs security
    keeps_the_session_file "session, the repair"
}

# iterate_says ROLE TEXT: it stops, and what is wanted next is in $out.
iterate_says()
{
    agent_starts "hone:$1"
    agent_says "hone:$1" "$2"
    stops
}

writers_of_iterate()
{
    local high='HIGH: notes.txt:1 - wrong word'
    copy_of "$template" work
    git checkout -q -- .
    mkdir -p .claude
    echo '{"phases":{"1":{"parallel":false},"2":{"parallel":false}}}' \
        >.claude/iterate-config.local.json
    prompt "/hone:iterate --lite do it"
    writer_is "iterate, the first phase" brainstormer implementer code-reviewer fixer
    iterate_says brainstormer "An idea."
    iterate_says planner "1. Do it."
    check_blocked "iterate: plan review" "hone:plan-reviewer"
    reads_only "iterate, plan review" plan-reviewer planner fixer
    iterate_says plan-reviewer "No issues found"
    check_blocked "iterate: implement" "hone:implementer"
    writer_is "iterate, implement" implementer fixer code-reviewer
    echo "done" >>notes.txt
    iterate_says implementer "Done."
    check_blocked "iterate: code review" "hone:code-reviewer"
    reads_only "iterate, code review" code-reviewer implementer fixer
    only_starts "iterate, code review" code-reviewer fixer implementer
    iterate_says code-reviewer "$high"
    check_blocked "iterate: the fixer" "hone:fixer"
    writer_is "iterate, the fixer's phase" fixer code-reviewer implementer simplifier
    only_starts "iterate, the fixer's phase" fixer code-reviewer implementer
    echo better >notes.txt
    iterate_says fixer "Fixed notes.txt."
    check_blocked "iterate: reviewed again" "hone:code-reviewer"
    reads_only "iterate, the second code review" code-reviewer implementer fixer
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
together single_writer of_others writers_of_cycles writers_of_session writers_of_iterate
exit "$failed"
