#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a session does not take: claims that the tree does not show, no-ops that are none, work that
# lies elsewhere, reviewers that break their form, reviewers that fail.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/session.sh"
. "$TOP/tests/support/models.sh"

# executes COMMANDS: what the executor does where it does not plan.
executes()
{
    does_so executor "if [ \"\$HONE_PHASE\" = planning ]; then plan \"say bye\"; else $1
fi"
}

# refused_twice NAME WORDS: asked again with these words, then the run fails.
refused_twice()
{
    check_is "$1: exit" "$status" 3
    check_is "$1: asked twice" "$(grep -c '^executor execution' "$play/phases")" 2
    check_has "$1: with what is wrong" "$play/prompt.executor.1.2" "$2"
    has "$1: in the history" "- Executor rejected: invalid output: "
    check_not "$1: the form is for the agent alone" grep -qF '## Implementation' "$err"
    valid "$1"
}

claims()
{
    begin_story
    executes 'echo bye >>notes.txt; report x notes.txt other.txt'
    session --stop-after before-polish "Say bye"
    refused_twice "a claim outside the delta" '`other.txt` is claimed'

    begin_story
    echo dirty >>other.txt
    executes 'echo bye >>notes.txt; report x other.txt'
    session --stop-after before-polish "Say bye"
    refused_twice "a file that was dirty before" '`other.txt` is claimed'

    begin_story
    executes 'if [ "$HONE_ATTEMPT" = 1 ]; then echo bye >>notes.txt; report x other.txt
else report x notes.txt; fi'
    session --stop-after before-polish "Say bye"
    check_is "mended at once: exit" "$status" 0
    has "what the first attempt did belongs to the round" '- `notes.txt` (modified)'
    valid "mended at once"
}

no_ops()
{
    begin_story
    executes noop
    session --stop-after before-polish "Say bye"
    check_is "a no-op: exit" "$status" 0
    has "a no-op mints exec" "- completed_stages: [exec]"
    has "it says so" "(no-op round)"
    has "and invents no file" "None."
    check_not "none at all" grep -q '^- `notes.txt` - modified' "$(session_file)"

    begin_story
    executes 'echo bye >>notes.txt; noop'
    session --stop-after before-polish "Say bye"
    refused_twice "a no-op that is none" "this is no no-op round"

    begin_story
    executes 'echo bye >>notes.txt; report x | sed "s/^### Deviations/None\n\n&/"'
    session --stop-after before-polish "Say bye"
    refused_twice "None without the words of a no-op" "no-op"
}

deviations()
{
    begin_story
    executes 'echo bye >>notes.txt
report x notes.txt | sed "/^### Deviations/{n;s/.*/Some deviations./}"'
    session --stop-after before-polish "Say bye"
    refused_twice "deviations without a reason" "which step, what was done instead, and why"

    begin_story
    executes 'echo bye >>notes.txt; why="I deviated from step 2"
[ "$HONE_ATTEMPT" = 1 ] || why="$why, because the file is gone"
report x notes.txt | sed "/^### Deviations/{n;s/.*/$why/}"'
    session --stop-after before-polish "Say bye"
    check_is "a deviation that is explained when asked: exit" "$status" 0
    valid "a deviation that is explained when asked"
}

elsewhere()
{
    begin_story
    executes 'git worktree add -q "$PWD-elsewhere" >/dev/null 2>&1
echo bye >>"$PWD-elsewhere/notes.txt"; report x "$PWD-elsewhere/notes.txt"'
    session --stop-after before-polish "Say bye"
    refused_twice "work in another worktree" "notes.txt"
    rm -rf "$TMPDIR/work-elsewhere"
}

# hidden NAME [PHASE]: what a run leaves that may not deliver: exec is not minted, no reviewer
# approved it.
hidden()
{
    local phase=${2:-execution}

    check_is "$1: exit" "$status" 3
    check_is "$1: asked twice" "$(grep -c "^executor $phase" "$play/phases")" 2
    check_not "$1: exec is not minted" grep -q 'completed_stages: \[exec' "$(session_file)"
    check_not "$1: no reviewer was asked" grep -q "^reviewer $phase" "$play/phases"
    has "$1: in the history" "- Executor rejected: invalid output: Workspace divergence ("
    valid "$1"
}

# "Executor-created hidden worktrees are forbidden": even if all reviewers approve.
hidden_worktrees()
{
    local away=$TMPDIR/away

    rm -rf "$away"
    begin_story
    executes "git worktree add -q -b side '$away' && cd '$away' && echo bye >>notes.txt &&
git commit -q -a -m apart >&2; noop"
    session --no-sandbox "Say bye"
    hidden "a hidden work tree"
    check_has "a hidden work tree: what lies where" "$err" \
        "outside of the workspace (added branch side, added work tree $away (left as it is))"
    check_has "a hidden work tree: and in the last words" "$err" \
        "broke the contract: Workspace divergence (added branch side, added work tree $away"
    check_has "a hidden work tree: told what to undo" "$play/prompt.executor.1.2" \
        "then remove it (git worktree remove FOLDER"
    check_is "a hidden work tree: its commit is there" "$(git -C "$away" log -1 --format=%s)" apart
    check_not "a hidden work tree: its branch is not" git rev-parse -q --verify side
    forget && defaults && : >"$play/phases"
    executes noop
    hone resume
    hidden "it stands after a resume"
    check_has "it stands after a resume: what lies where" "$err" "added work tree $away"
    git worktree remove --force "$away"
    hone resume
    check_is "it is gone: exit" "$status" 0
    has "it is gone: delivered" "- completed_stages: [exec, polish, docs, security]"

    begin_story
    executes "if [ \$HONE_ATTEMPT = 1 ]; then git worktree add -q --detach '$away'
echo bye >>'$away/notes.txt'; noop
else cp '$away/notes.txt' .; git worktree remove --force '$away'; report x notes.txt; fi"
    session --no-sandbox "Say bye"
    check_is "undone when asked: exit" "$status" 0
    has "undone when asked: the work is here" '- `notes.txt` (modified)'

    begin_story
    executes 'echo bye >>notes.txt; git stash -q; noop'
    session --no-sandbox "Say bye"
    hidden "a hidden stash"
    check_has "a hidden stash: what lies where" "$err" "made a stash (left as it is)"

    begin_story
    executes 'if [ $HONE_ATTEMPT = 1 ]; then echo bye >>notes.txt; git stash -q; noop
else git stash pop -q; report x notes.txt; fi'
    session --no-sandbox "Say bye"
    check_is "a stash taken back when asked: exit" "$status" 0

    begin_story
    executes 'git clone -q . nested && echo bye >>nested/notes.txt; noop'
    session --no-sandbox "Say bye"
    check_is "a clone in the workspace: exit" "$status" 3
    check_has "a clone in the workspace: named" "$err" '`nested` was added'

    # The executor is the executor in planning, too, although it only reads there.
    begin_story
    does_so executor "if [ \"\$HONE_PHASE\" = planning ]; then
    git worktree add -q --detach '$away'; plan 'say bye'; else report x notes.txt; fi"
    session --no-sandbox "Say bye"
    hidden "a hidden work tree while planning" planning
    check_has "a hidden work tree while planning: what lies where" "$err" "added work tree $away"
    check_not "a hidden work tree while planning: nothing is carried out" \
        grep -q '^executor execution' "$play/phases"
    git worktree remove --force "$away"

    # What it changed in the files hides nothing: the tree is put back, the work tree still counts.
    begin_story
    does_so executor "if [ \"\$HONE_PHASE\" != planning ]; then report x notes.txt
elif [ \$HONE_ATTEMPT = 1 ]; then git worktree add -q --detach '$away'; echo oops >>notes.txt
    plan 'say bye'; else plan 'say bye'; fi"
    session --no-sandbox "Say bye"
    hidden "a hidden work tree behind a changed file" planning
    check_has "a hidden work tree behind a changed file: told" "$err" "added work tree $away"
    git worktree remove --force "$away"

    begin_story
    does_so executor "if [ \"\$HONE_PHASE\" != planning ]; then echo bye >>notes.txt
    report x notes.txt
else git branch aside; git tag mark; plan 'say bye'; fi"
    session --no-sandbox "Say bye"
    check_is "a branch made while planning: exit" "$status" 3
    check_has "a branch made while planning: told" "$err" \
        "executor changed what git knows (added branch aside, added tag mark): put back"
    check_not "a branch made while planning: put back" git rev-parse -q --verify aside

    # Killed while the executor is at work: what was there before is not forgotten.
    begin_story
    executes "if first hide; then git worktree add -q '$away'; : >'$play/here'; exec sleep 30; fi
noop"
    rm -f "$play/here"
    "$HONE" run session --no-sandbox --agent "*=$agent" "Say bye" >"$out" 2>"$err" &
    check "killed with a hidden work tree: it came so far" until_true 30 test -e "$play/here"
    kill -KILL $! && wait $! 2>/dev/null
    until_true 10 test ! -e "$play/busy"
    : >"$play/phases"
    hone resume
    hidden "killed with a hidden work tree"
    check_has "killed with a hidden work tree: what lies where" "$err" "added work tree $away"
    git worktree remove --force "$away"

    # The user's own, from before, are no divergence.
    begin_story
    git worktree add -q -b theirs "$away"
    session --no-sandbox "Say bye"
    check_is "a work tree of the user's: exit" "$status" 0
    rm -rf "$away"
}

the_configuration()
{
    begin_story
    mkdir -p .review-loop && echo 'soft_limit_exec: 2' >.review-loop/config.md
    executes 'echo "skip_quality_polish: true" >.review-loop/config.md
echo bye >>notes.txt; report x notes.txt'
    session --no-sandbox --stop-after before-polish "Say bye"
    check_is "an executor that writes the configuration: exit" "$status" 3
    check_has "an executor that writes the configuration: said" "$err" \
        "modified .review-loop/config.md"
    check_is "it is as it was" "$(cat .review-loop/config.md)" "soft_limit_exec: 2"
}

a_planner_that_writes()
{
    begin_story
    does_so executor 'if [ "$HONE_PHASE" = planning ]; then
    [ "$HONE_ATTEMPT" = 2 ] || echo oops >>notes.txt; plan "say bye"
else echo bye >>notes.txt; report x notes.txt; fi'
    session --no-sandbox --stop-after before-polish "Say bye"
    check_is "a planner that writes: exit" "$status" 0
    check_is "what it wrote is gone" "$(cat notes.txt | tr '\n' ' ')" "hello bye "
    check_is "and it was asked again" "$(grep -c '^executor planning' "$play/phases")" 2
}

# A reviewer by claude that is a stand-in on the PATH.
with_claude()
{
    mkdir -p "$TMPDIR/bin"
    stand_in_claude "$TMPDIR/bin/claude" "$1"
    PATH=$TMPDIR/bin:$PATH hone run session --agent "*=$agent" --agent reviewer=claude \
        --stop-after before-polish "Say bye"
}

# found_in_execution WORDS: claude approves the plan, and finds this in the first review of code.
found_in_execution()
{
    begin_story
    rm -f "$play/found"
    with_claude "case \$(cat) in (*'you judge the plan'*) v=APPROVE;; (*) v=REQUEST_CHANGES;; esac
[ ! -e '$play/found' ] || v=APPROVE
echo \"### VERDICT: \$v\"
if [ \$v = REQUEST_CHANGES ]; then : >'$play/found'
printf '\n### Issues\n- [CRITICAL] %s\n' '$1'; fi
printf '\n### Strengths\n- short\n'"
}

# Findings without an anchor are rejected only where they could reasonably have one.
anchors()
{
    found_in_execution "no test for the new behaviour"
    check_is "a finding that can have no place: exit" "$status" 0
    has "is a finding" "- [CRITICAL] no test for the new behaviour"
    check_not "and is not rejected" grep -q "Rejected review" "$(session_file)"

    found_in_execution "the loop reads behind the end"
    check_is "a finding that could have a place and has none: exit" "$status" 3
    has "is rejected" "the [CRITICAL] issue speaks of code and does not say where it is"
    has "as rejected" "- Rejected review:"
    has "and not lost" "    - [CRITICAL] the loop reads behind the end"
    valid "a finding that could have a place and has none"
}

claude_reviewers()
{
    begin_story
    with_claude "printf '### VERDICT: APPROVE\n\n### Strengths\n- short\n'"
    check_is "claude reviews: exit" "$status" 0
    has "by its own name" "- Reviewer backend: claude-cli"
    has "in the metadata, too" "- reviewer_backend: claude-cli"

    begin_story
    with_claude "echo x >>'$play/claude'; echo looks good to me"
    check_is "claude breaks its form: exit" "$status" 3
    check_is "it is not asked again" "$(wc -l <"$play/claude")" 1
    has "why" "- Reviewer failure: schema validation (reviewer): "
    has "and what it said" "  - looks good to me"
    has "and who" "- Reviewer backend: claude-cli"
    valid "claude breaks its form"
    rm -f "$play/claude"

    anchors
    begin_story
    with_claude "echo x >>'$play/claude'; echo no; exit 1"
    check_is "claude fails: exit" "$status" 3
    check_is "it is not started again" "$(wc -l <"$play/claude")" 1
    has "the class of it" "- Reviewer failure: command execution (reviewer): "
    rm -f "$play/claude"

    begin_story
    with_claude "echo x >>'$play/claude'; printf ''"
    check_is "claude says nothing: exit" "$status" 3
    has "a result without words" "- Reviewer failure: missing result (reviewer): "
}

other_reviewers()
{
    begin_story
    does_so reviewer 'if [ "$HONE_ATTEMPT" = 1 ]; then echo fine; else approve; fi'
    session --stop-after before-polish "Say bye"
    check_is "another reviewer is asked once more: exit" "$status" 0
    check_is "once more in each phase" "$(started reviewer)" 4
    check_has "with the form" "$play/prompt.reviewer.1.2" "## Your last answer was not accepted"

    begin_story
    does_so reviewer 'echo fine'
    session --stop-after before-polish "Say bye"
    check_is "and then it is over: exit" "$status" 3
    check_is "after two" "$(started reviewer)" 2
}

claims
no_ops
deviations
elsewhere
hidden_worktrees
the_configuration
a_planner_that_writes
claude_reviewers
other_reviewers
exit "$failed"
