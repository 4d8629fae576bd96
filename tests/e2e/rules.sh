#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The project's rules: REVIEW.md and what "guidelines" names reach every agent that judges or
# writes, in every dialect and inside a host; the nearest first, bounded, quoted, and as they were
# before the change.
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

# told NAME ROLE...: the prompts of these roles have the rule.
told()
{
    local name=$1 role
    shift
    for role in "$@"; do
        check "$name: $role" grep -qF "keep to rule seven" "$play/prompt.$role".*
    done
}

# commit_rules: the repository here has a rule from now on.
commit_rules()
{
    printf 'keep to rule seven\n' >REVIEW.md
    git add REVIEW.md && git commit -q -m rules -- REVIEW.md
}

# rules_in PROMPT: the files that it shows as rules, in order.
rules_in()
{
    sed -n '/^## The project.s rules/,/^- Hold/s/^`\(.*\)`:$/\1/p' "$1" | tr '\n' ' '
}

# ---- every dialect ----

dialect_review()
{
    new_repo "$TMPDIR/work"
    commit_rules
    for role in $reviewers; do does "$role" "$sees"; done
    does review-fixer "sed -i /defect/d notes.txt; echo '# Fix Summary notes.txt:2'"
    hone run review --agent "*=$agent"
    check_is "review: exit" "$status" 0
    told review $reviewers review-fixer
    check "review: who judges" grep -q "^- Hold the work" "$play/prompt.critic.1.1"
    check "review: who writes" grep -q "^- Keep to these" "$play/prompt.review-fixer.1.1"
    forget
    printf 'defect\nmore\n' >>notes.txt
    for role in $reviewers checker; do does "$role" "$sees"; done
    does review-fixer "sed -i /defect/d notes.txt; echo '# Fix Summary notes.txt:2'"
    hone run review --until lean --agent "*=$agent"
    told "review with a policy" checker
}

dialect_iterate()
{
    new_repo "$TMPDIR/work"
    commit_rules
    for role in plan-reviewer code-reviewer final-reviewer codex-final; do
        does "$role" 'echo "No issues found."'
    done
    does code-reviewer 'if [ -e "$play/at" ]; then echo "No issues found."
else : >"$play/at"; echo "HIGH notes.txt:1 a hole"; fi'
    for role in brainstormer planner implementer simplifier fixer; do does "$role" 'echo done'; done
    hone run iterate "make it right" --agent "*=$agent"
    check_is "iterate: exit" "$status" 0
    told iterate plan-reviewer code-reviewer final-reviewer codex-final implementer simplifier fixer
}

dialect_cycles()
{
    . "$TOP/tests/support/cycles.sh"
    begin_story
    commit_rules
    hone run cycles --spec "$spec" --phases 1 --session-dir out/s --agent "*=$agent"
    check_is "cycles: exit" "$status" 0
    told cycles implementer spec-reviewer spec-fixer
}

dialect_session()
{
    . "$TOP/tests/support/session.sh"
    begin_story
    commit_rules
    session "Say bye"
    check_is "session: exit" "$status" 0
    told session executor reviewer polish docs security
}

dialect_loops()
{
    . "$TOP/tests/support/loops.sh"
    begin_story
    commit_rules
    tasks '# one' '- [ ] a: Add a'
    run_loops
    check_is "loops: exit" "$status" 0
    told loops builder loop-reviewer run-reviewer
}

inside_a_host()
{
    . "$TOP/tests/support/host.sh"
    new_repo "$TMPDIR/work"
    commit_rules
    printf 'the reviewers rest today\n' >REVIEW.md
    for role in $reviewers; do does "$role" "$sees"; done
    does review-fixer "sed -i /defect/d notes.txt; echo '# Fixed'"
    host_prompt "/hone:review remove what is wrong"
    told "inside a host" $reviewers review-fixer
    check_not "inside a host: not those of the change" grep -qF "rest today" \
        "$play/prompt.critic.1.1"
}

# ---- which, and in which order ----

nearest_first()
{
    new_repo "$TMPDIR/work"
    mkdir -p src/net aside docs/rules
    for folder in . src src/net aside; do echo "rule of $folder" >"$folder/REVIEW.md"; done
    echo "rule for agents" >AGENTS.md
    echo "rule in a folder" >docs/rules/a.md
    echo x >src/net/x.c
    echo '{"guidelines":["AGENTS.md","docs/rules/"]}' >hone.json
    git add . && git commit -q -m rules
    echo y >src/net/x.c
    hone run review --agent "*=$agent"
    check_is "the nearest first" "$(rules_in "$play/prompt.critic.1.1")" \
        "src/net/REVIEW.md src/REVIEW.md REVIEW.md AGENTS.md docs/rules/a.md "
    forget
    hone run review --all --agent "*=$agent"
    check_is "of everything: all, from the top" "$(rules_in "$play/prompt.critic.1.1")" \
        "REVIEW.md AGENTS.md docs/rules/a.md aside/REVIEW.md src/REVIEW.md src/net/REVIEW.md "
    forget
    (cd src/net && hone run review --agent "*=$agent")
    check_is "from a subfolder" "$(rules_in "$play/prompt.critic.1.1")" \
        "src/net/REVIEW.md src/REVIEW.md REVIEW.md AGENTS.md docs/rules/a.md "
    sed -i 's/AGENTS.md/AGENT.md/' hone.json && git commit -q -m slip hone.json
    hone run review --agent "*=$agent"
    check_has "one that names nothing" "$err" "guidelines: 'AGENT.md' names no file of commit"
}

without_rules()
{
    new_repo "$TMPDIR/work"
    hone run review --agent "*=$agent"
    check_not "without rules nothing is told" grep -q "project's rules" "$play/prompt.critic.1.1"
    check_not "and nothing is said" grep -q rules "$err"
}

# ---- bounded, quoted ----

bounded()
{
    new_repo "$TMPDIR/work"
    mkdir -p rules
    for nth in 1 2 3 4 5; do yes "rule $nth" | head -c 40000 >rules/$nth.md; done
    head -c 2000000 /dev/zero | tr '\0' x >rules/0.md
    echo '{"guidelines":["rules/"]}' >hone.json
    git add . && git commit -q -m rules && echo more >>notes.txt
    hone run review --agent "*=$agent"
    check_is "bounded: exit" "$status" 0
    check_has "a long one is cut, which is said" "$err" "rules/1.md is long"
    check_has "a huge one is left out, which is said" "$err" "rules/0.md has more than 1048576"
    check_has "too many, which is said" "$err" "of 6 files with rules are not shown"
    check_has "and to the reviewer, too: one that is cut" "$play/prompt.critic.1.1" \
        "[cut: 40000 bytes in all]"
    check_has "and those that are not shown" "$play/prompt.critic.1.1" "rules/5.md"
    check "the prompt stays short" test "$(wc -c <"$play/prompt.critic.1.1")" -lt 150000
}

# ---- without a commit ----

no_commit()
{
    mkdir "$TMPDIR/work" && cd "$TMPDIR/work" || exit 1
    echo 'keep to rule seven' >REVIEW.md
    hone run review --agent "*=$agent"
    check_is "no repository: exit" "$status" 0
    check_has "no repository: the file is left out" "$err" \
        "REVIEW.md is left out: this is no git repository"
    check_not "no repository: it is not told" grep -qF "rule seven" "$play/prompt.critic.1.1"
    forget
    hone run review --trust --agent "*=$agent"
    told "agreed to" $reviewers
    forget
    hone run review --agent "*=$agent"
    told "agreed to before" $reviewers
    forget
    echo 'all is well' >REVIEW.md
    hone run review --agent "*=$agent"
    check_has "another text is asked about again" "$err" "REVIEW.md is left out"
}

# What a run began with stays, when it goes on.
kept()
{
    new_repo "$TMPDIR/work"
    commit_rules
    for role in $reviewers; do does "$role" "$sees"; done
    does review-fixer 'exit 1'
    hone run review --agent "*=$agent"
    forget
    printf 'another rule\n' >REVIEW.md && git commit -q -m other REVIEW.md
    for role in $reviewers; do does "$role" "$sees"; done
    does review-fixer "sed -i /defect/d notes.txt; echo '# Fix Summary notes.txt:2'"
    hone resume
    check_is "resumed: exit" "$status" 0
    told "resumed" review-fixer critic
}

together dialect_review dialect_iterate dialect_cycles dialect_session dialect_loops inside_a_host \
    nearest_first without_rules bounded no_commit kept
exit "$failed"
