#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The tree that was judged is kept beside the journal, and a power cut may take it. Then it is
# not known what an answer was about, and nothing that was said counts.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/session.sh"

reviewed=$TMPDIR/reviewed
new_repo "$reviewed"

# lose NAME: what a power cut takes.
lose()
{
    check "$1: there were trees" sh -c 'ls .git/hone/runs/*/tree-* >/dev/null'
    rm -f .git/hone/runs/*/tree-*
}

# killed_when NAME COMMAND... -- ARGUMENTS...: hone is killed when the command is true.
killed_when()
{
    local name=$1 when=()
    shift
    while [ "$1" != -- ]; do
        when+=("$1")
        shift
    done
    shift
    "$HONE" "$@" >"$out" 2>"$err" &
    engine=$!
    check "$name: it came so far" until_true 30 "${when[@]}"
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
}

# half_of_a_review NAME: critic and pedant have answered, the others have not.
half_of_a_review()
{
    local role
    forget
    copy_of "$reviewed" work
    for role in witness security-reviewer silent-failure-hunter; do
        does "$role" 'while :; do sleep 1; done'
    done
    killed_when "$1" sh -c 'cd .agents/tmp/phases/review-1 && [ -e r1-critic.json ] &&
        [ -e r1-pedant.json ]' -- run review --agent "*=$agent"
    for role in $reviewers; do does "$role"; done
}

answers()
{
    half_of_a_review "answers"
    hone resume
    check_is "answers: nobody who had answered is asked again" "$status $(started critic)" "0 1"
    half_of_a_review "answers, lost"
    lose "answers, lost"
    hone resume
    check_is "answers about a lost tree: all are asked again" \
        "$status $(started critic)$(started pedant)" "0 22"
}

# unheard NAME: answers that hone was not told of: it was stopped, then killed.
unheard()
{
    local role
    forget
    rm -f "$play/go"
    copy_of "$reviewed" work
    for role in $reviewers; do
        does "$role" 'until [ -e "$play/go" ]; do sleep 0.05; done; cat "$play/clean"'
    done
    "$HONE" run review --agent "*=$agent" >"$out" 2>"$err" &
    engine=$!
    check "$1: five at work" until_true 30 sh -c "[ \$(wc -l <'$play/log') = 5 ]"
    kill -STOP "$engine"
    touch "$play/go"
    check "$1: five have ended" until_true 30 \
        sh -c '[ "$(cat .git/hone/runs/*/*-1/status | grep -c "^exit 0")" = 5 ]'
    kill -KILL "$engine"
    wait "$engine" 2>/dev/null
}

ended_unheard()
{
    unheard "unheard"
    hone resume
    check_is "unheard: nobody is asked again" "$status $(wc -l <"$play/log")" "0 5"
    unheard "unheard, lost"
    lose "unheard, lost"
    hone resume
    check_is "unheard, about a lost tree: all are asked again" \
        "$status $(wc -l <"$play/log")" "0 10"
}

# at_docs NAME ARGUMENTS...: a session that is killed when its documents are looked at.
at_docs()
{
    local name=$1
    shift
    rm -f "$play/here"
    does_so docs 'if first wait; then : >"$play/here"; exec sleep 30; fi
approve'
    killed_when "$name" test -e "$play/here" -- run session --agent "*=$agent" "$@"
    : >"$play/phases"
    rm -f "$play"/done.*
    touch "$play/done.wait"
}

# What was earned holds for a tree that is known, also where another tool's file told of it.
stages()
{
    local again="docs-docs security-security reviewer-execution polish-polish docs-docs"
    again+=" security-security"
    begin_story
    at_docs "stages, lost" "Say bye"
    lose "stages, lost"
    hone resume
    check_is "stages of a lost tree are earned again" "$status $(in_order)" "0 $again"
    has "stages: delivered" "- completed_stages: [exec, polish, docs, security]"

    begin_story
    session --stop-after before-docs "Say bye"
    at_docs "continued" --session "$(uuid)"
    hone resume
    check_is "a continued session keeps its stages" "$status $(in_order)" \
        "0 docs-docs security-security"

    begin_story
    session --stop-after before-docs "Say bye"
    at_docs "continued, lost" --session "$(uuid)"
    lose "continued, lost"
    hone resume
    check_is "a continued session that lost its tree earns them again" "$status $(in_order)" \
        "0 $again"
}

# A task that has passed waits for one that has failed.
passed()
{
    local builds="cmd:[ \$HONE_TASK_ID = t1 ] || [ -e $TMPDIR/good ] || exit 1
echo x >\$HONE_TASK_ID.txt; echo done"
    local looks="cmd:echo \$HONE_TASK_ID >>$TMPDIR/looked; echo pass"
    copy_of "$reviewed" work
    git commit -q -am second
    rm -f "$TMPDIR/good" "$TMPDIR/looked"
    "${SUPPORT:?}/lanes" run 2 2 "$builds" "$looks" >"$out" 2>"$err"
    check_is "$1: one passed, one failed" "$? $(cat "$TMPDIR/looked")" "3 t1"
    touch "$TMPDIR/good"
    [ "$1" = passed ] || lose "$1"
    "$SUPPORT/lanes" resume >"$out" 2>"$err"
    check_is "$1: resumed" "$? $(cat t1.txt t2.txt | tr '\n' ' ')" "0 x x "
}

tasks()
{
    passed "passed"
    check_is "a task that has passed is not reviewed again" "$(sort "$TMPDIR/looked" |
        tr '\n' ' ')" "t1 t2 "
    passed "passed, lost"
    check_is "one whose tree is lost is" "$(sort "$TMPDIR/looked" | tr '\n' ' ')" "t1 t1 t2 "
}

# The witness is at work, and the critic has ended.
one_is_left()
{
    [ -e "$play/waits" ] && "$HONE" log --json | grep '"event":"ended"' | grep -q '"job":1,'
}

# Another program changes the tree while one reviewer is at work and another has ended: the answers
# of both are void. A large tree is compared when the last of them has ended, a small one each time.
drifts()
{
    local name=$1
    forget
    # shellcheck disable=SC2016 # for the agent's shell
    does witness 'touch "$play/waits"; until [ -e "$play/go" ]; do sleep 0.05; done
cat "$play/clean"'
    rm -f "$play/waits" "$play/go"
    "$HONE" run review --agent "*=$agent" >"$out" 2>"$err" &
    check "$name: a reviewer has ended, one is at work" until_true 60 \
        one_is_left
    echo more >>notes.txt
    touch "$play/go"
    wait $!
    check_is "$name: clean in the end" $? 0
    check "$name: what happened is said" grep -q "work tree changed during the review" "$err"
    check_is "$name: the one that had ended was asked again" "$(started critic)" 2
}

drifted()
{
    copy_of "$reviewed" work
    drifts "a small tree"
    copy_of "$reviewed" work
    seq 1100 | sed 's/$/.txt/' | xargs touch
    git add . && git commit -q -m many
    echo second >>notes.txt
    drifts "a large tree"
}

answers
drifted
ended_unheard
stages
tasks
exit "$failed"
