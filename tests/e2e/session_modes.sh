#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The ways into a session: a plan of the user's own, a review of what is there; and what the
# configuration switches off.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/session.sh"

a_given_plan()
{
    begin_story
    printf '# My plan\n\nSay bye, *twice*.\n' >"$TMPDIR/plan.md"
    session --plan "$TMPDIR/plan.md" --stop-after before-polish
    check_is "a given plan: exit" "$status" 0
    check_is "nobody plans" "$(in_order)" "executor-execution reviewer-execution"
    has "where it comes from" "- Source: user-supplied"
    has "its words" "Say bye, *twice*."
    has "the entry point" "- entry_point: execute-from-plan"
    check_has "conformance is advice" "$play/prompt.reviewer.1.1" \
        "(plan_source: user-supplied — plan conformance is advisory/MINOR)"
    check_has "the executor has it" "$play/prompt.executor.1.1" "Say bye, *twice*."
    valid "a given plan"
    session --plan "$TMPDIR/nothing.md" "x"
    check_is "a plan that is not there: exit" "$status" 2
    : >"$TMPDIR/empty.md"
    session --plan "$TMPDIR/empty.md" "x"
    one_line "an empty plan" 2 "is empty"
}

review_only()
{
    begin_story
    echo "mine" >>notes.txt
    rm other.txt
    does_so reviewer 'if first look; then request "mine is rude"; else approve; fi'
    does_so executor 'sed -i s/mine/yours/ notes.txt; report "made polite" notes.txt'
    session --review-only --stop-after before-polish
    check_is "a review of what is there: exit" "$status" 0
    check_is "begins with the review" "$(in_order)" \
        "reviewer-execution executor-execution reviewer-execution"
    has "the plan's place says so" "(none — review-only mode)"
    has "and where to look" 'Scope: see `## Review Target` section below.'
    has "which is there" "## Review Target"
    has "with what was there" '- `other.txt` (deleted)'
    has "the executor was not asked" "- Executor backend: skipped (review-only first round)"
    has "what was there is listed" '- `other.txt` - was there, deleted'
    has "the entry point" "- entry_point: review-only"
    has "where the plan comes from" "- plan_source: review-only"
    check_has "the reviewer is told" "$play/prompt.reviewer.1.1" "this round reviews what is there"
    valid "a review of what is there"
}

no_polish()
{
    begin_story
    mkdir -p .review-loop
    echo 'skip_quality_polish: true' >.review-loop/config.md
    session --trust "Say bye"
    check_is "without polish: exit" "$status" 0
    check_is "nobody polishes" "$(started polish)" 0
    has "and the history says why" "- Outcome: skipped: skip_quality_polish is set"
    has "the stage counts" "- completed_stages: [exec, polish, docs, security]"
    valid "without polish"
}

refused()
{
    begin_story
    session --review-only --session x "Say bye"
    one_line "two ways at once" 2 "exclude each other"
    session --session ../../x
    check_is "a name that is a path: exit" "$status" 2
    session --session nobody
    one_line "a session that is not there" 2 ".review-loop/sessions/nobody.md"
    session
    check_is "no task: exit" "$status" 2
    check_not "nothing was written" test -e .review-loop/sessions
}

the_configuration()
{
    local key
    begin_story
    mkdir -p .review-loop
    printf 'review_focus: |\n  mind the locks\nreview_style: be brief\nsoft_limit_exec: many\n' \
        >.review-loop/config.md
    session --trust --stop-after before-polish "Say bye"
    check_is "a bad value does not end a run" "$status" 0
    check_has "it is warned about" "$err" "soft_limit_exec"
    check_has "the focus is for code" "$play/prompt.reviewer.1.1" "mind the locks"
    "$HONE" config show session >"$out"
    check_has "what holds is shown" "$out" "soft_limit_exec"
    for key in $(sed -n 's/^  \([a-z_]*\) .*built-in$/\1/p' "$out"); do
        check_has "$key is documented" "$TOP/docs/dialects.md" "\`$key\`"
    done
    check_has "cheap_model is a documented no-op" "$TOP/docs/dialects.md" \
        'Without effect in hone are `reviewer`, `cheap_model`'
    check_not "the configuration is the user's: nobody writes it" \
        grep -q hone .review-loop/config.md
}

a_given_plan
review_only
no_polish
refused
the_configuration
exit "$failed"
