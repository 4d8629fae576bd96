#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Who reviews at the gates of iterate and cycles, as the user names them: built-in roles and roles
# of files. What they are asked, what becomes of their answers, what the loops' own files say; on
# the command line, by hone.json and inside a host.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/cycles.sh"
. "$TOP/tests/support/host.sh"

state=.agents/iteration-state.json

# with_roles: roles of the repository, committed.
with_roles()
{
    mkdir -p .hone/roles
    printf -- '---\ndescription: Find what is slow.\nextends: critic\n---\nA query in a loop.\n' \
        >.hone/roles/perf.md
    printf -- '---\ndescription: Find unclear names.\npaths: ["*.c"]\n---\nNames.\n' \
        >.hone/roles/names.md
    git add .hone && git commit -q -m roles
}

# ---- iterate ----

# Two files with a defect each; a reviewer sees one of them, and a fixer mends what it is given.
nine_story()
{
    copy_of "$template" work
    forget
    with_roles
    echo defect >a.txt
    echo defect >b.txt
    git add . && git commit -q -m defects
    mkdir -p .claude
    echo '{"phases":{"1":{"parallel":false},"2":{"parallel":false}}}' \
        >.claude/iterate-config.local.json
    for role in brainstormer planner implementer simplifier; do does $role "echo $role"; done
    for role in plan-reviewer final-reviewer codex-final; do does $role "echo LGTM"; done
    does code-reviewer '
if grep -q defect a.txt; then echo "- HIGH a.txt:1 a defect"; else echo LGTM; fi'
    does perf '
if grep -q defect b.txt; then printf -- "- LOW b.txt:1 slow\n- LOW a.txt:1 slow\n"
else echo LGTM; fi'
    does names 'echo LGTM'
    does fixer '
cat "$play/prompt.fixer.$HONE_ROUND.$HONE_ATTEMPT" >>"$play/fixers"
for file in a.txt b.txt; do
    grep -q "^- .* $file:1: " "$play/prompt.fixer.$HONE_ROUND.$HONE_ATTEMPT" || continue
    echo fixed >$file
    echo "$file:1: mended"
done'
}

iterate()
{
    hone run iterate "make it right" --lite --test true --agent "*=$agent" "$@"
}

iterate_panel()
{
    nine_story
    iterate --reviewers code-reviewer,perf,names
    check_is "iterate: exit" "$status" 0
    check_is "iterate: both looked until both were content" \
        "$(started code-reviewer) $(started perf)" "2 2"
    check_is "iterate: the change touches none of its paths" "$(started names)" 0
    check_is "iterate: one fixer has what all of them found" "$(started fixer)" 1
    check_is "iterate: all is mended" "$(cat a.txt b.txt | sort -u)" fixed
    check_has "iterate: the fixer sees what one found" "$play/fixers" \
        "- [HIGH] (code-reviewer) a.txt:1: a defect"
    check_has "iterate: and the other" "$play/fixers" "- [LOW] (perf) b.txt:1: slow"
    check_has "iterate: the next review knows what each found" "$play/prompt.code-reviewer.2.1" \
        "- [LOW] (perf) b.txt:1: slow"
    check_has "iterate: a role is told what its file says" "$play/prompt.perf.1.1" \
        "A query in a loop."
    check_has "iterate: and what it extends" "$play/prompt.perf.1.1" "Find what breaks."
    check_has "iterate: in iterate's own form" "$play/prompt.perf.1.1" '"location": "..."'
    check_is "iterate: phase 8 has its one reviewer" "$(started final-reviewer)" 1
    "$HONE" replay >"$out" 2>&1
    check_is "iterate: it can be played again" "$?" 0
}

iterate_state()
{
    nine_story
    does fixer 'echo "I leave it"'
    echo '{"phases":{"1":{"parallel":false},"2":{"parallel":false},"5":{"onFailure":"stop"}}}' \
        >.claude/iterate-config.local.json
    iterate --reviewers code-reviewer,perf
    check_is "state: exit" "$status" 1
    tr -d ' \n' <$state >"$TMPDIR/state"
    check_has "state: what one found, with its name" "$TMPDIR/state" \
        '{"severity":"HIGH","message":"adefect","location":"a.txt:1","reviewer":"code-reviewer"}'
    check_has "state: and the other" "$TMPDIR/state" \
        '"location":"b.txt:1","reviewer":"perf"}'
    nine_story
    echo '{"phases":{"1":{"parallel":false},"2":{"parallel":false},"5":{"onFailure":"stop"}}}' \
        >.claude/iterate-config.local.json
    iterate
    check_is "alone: exit" "$status" 1
    check_is "alone: others are not asked" "$(started perf)" 0
    check_not "alone: the state names no reviewer" grep -q reviewer $state
    check_has "alone: nor does the prompt know of others" "$play/prompt.code-reviewer.1.1" \
        "Review what was implemented."
    check_not "alone: none" grep -q "one of" "$play/prompt.code-reviewer.1.1"
}

# A file that adds to a role of the loop, and one that takes the place of the code-reviewer's remit.
iterate_files()
{
    nine_story
    printf -- '---\nextends: implementer\n---\nKeep it small.\n' >.hone/roles/implementer.md
    printf -- '---\nreplaces: code-reviewer\n---\nOnly defects.\n' >.hone/roles/code-reviewer.md
    git add .hone && git commit -q -m more
    iterate
    check_is "files: what replaces a role is agreed to: exit" "$status" 2
    check_has "files: which one" "$err" ".hone/roles/code-reviewer.md: replaces"
    iterate --trust
    check_is "files: exit" "$status" 0
    check_has "files: what is added" "$play/prompt.implementer.1.1" "Keep it small."
    check_has "files: what is replaced" "$play/prompt.code-reviewer.1.1" "Only defects."
    check_not "files: the built-in remit is gone" \
        grep -q "Wrong results" "$play/prompt.code-reviewer.1.1"
    printf -- '---\nreplaces: fixer\n---\nx\n' >.hone/roles/fixer.md
    git add .hone && git commit -q -m bad
    iterate --trust
    one_line "files: how the fixer works is the loop's" 2 "say 'extends: fixer'"
}

refused()
{
    nine_story
    iterate --reviewers code-reviewer,fixer
    one_line "refused: another part" 2 "fixer has another part in this loop"
    iterate --reviewers perf,perf
    one_line "refused: twice" 2 "perf stands there twice"
    iterate --reviewers nobody
    one_line "refused: nobody" 2 "there is no role 'nobody'"
    hone run cycles x --reviewers implementer --agent "*=$agent"
    one_line "refused: of cycles, too" 2 "implementer has another part in this loop"
    check_is "refused: no agent was started" "$(cat "$play/log")" ""
}

# ---- cycles ----

cycles_panel()
{
    begin_story
    with_roles
    does perf 'if [ "$HONE_ROUND" = 2 ]; then printf "Quick now.\n\n## Grade: PASS\n"; else
    printf "## Issues\n\n- [LOW] phase-1.txt:1 - slow\n\n## Grade: WARN\n"; fi'
    does spec-reviewer "$passes"
    hone run cycles --spec "$spec" --phases 1 --session-dir out/s --agent "*=$agent" \
        --reviewers spec-reviewer,perf
    check_is "cycles: exit" "$status" 0
    check_is "cycles: one PASS is not enough" "$(started spec-fixer)" 1
    check_is "cycles: both look again" "$(started spec-reviewer) $(started perf)" "2 2"
    check_is "cycles: the files" "$(find out -type f | LC_ALL=C sort | tr '\n' ' ')" \
        "out/s/.signals/phase-1-fix-1.done out/s/.signals/phase-1-review-1-perf.done $(
        )out/s/.signals/phase-1-review-1.done out/s/.signals/phase-1-review-2-perf.done $(
        )out/s/.signals/phase-1-review-2.done out/s/reviews/phase-1-review-1-perf.md $(
        )out/s/reviews/phase-1-review-1.md out/s/reviews/phase-1-review-2-perf.md $(
        )out/s/reviews/phase-1-review-2.md "
    check_has "cycles: a signal of its own" out/s/.signals/phase-1-review-1-perf.done "grade: WARN"
    check_has "cycles: the fix answers the one that did not pass" \
        out/s/.signals/phase-1-fix-1.done "reviews/phase-1-review-1-perf.md"
    check "cycles: the review is one" "$HONE" check grade out/s/reviews/phase-1-review-1-perf.md
    check "cycles: the signal is one" \
        "$HONE" check signal out/s/.signals/phase-1-review-1-perf.done
    check_is "cycles: verify reads all" "$("$HONE" verify out/s --action count)" 5
    check_has "cycles: the fixer has both reviews" "$play/prompt.spec-fixer.1.1" \
        "By \`perf\`, who says WARN:"
    check_has "cycles: with their files" "$play/prompt.spec-fixer.1.1" \
        "REVIEW: out/s/reviews/phase-1-review-1-perf.md"
    check_has "cycles: its own output" "$play/prompt.perf.2.1" \
        "out/s/reviews/phase-1-review-2-perf.md"
    "$HONE" replay >"$out" 2>&1
    check_is "cycles: it can be played again" "$?" 0
}

# What a repository's hone.json says of who looks is agreed to first.
by_hone_json()
{
    begin_story
    with_roles
    echo '{"dialects":{"cycles":{"reviewers":["perf"]}}}' >hone.json
    git add hone.json && git commit -q -m settings
    does perf "$passes"
    hone run cycles --spec "$spec" --phases 1 --session-dir out/s --agent "*=$agent"
    check_is "hone.json: not without a word: exit" "$status" 2
    check_is "hone.json: no agent was started" "$(cat "$play/log")" ""
    hone run cycles --spec "$spec" --phases 1 --session-dir out/s --agent "*=$agent" --trust
    check_is "hone.json: exit" "$status" 0
    check_is "hone.json: those it names" "$(in_order)" "implementer 1,perf 1"
    check_is "hone.json: the files have the name" "$(ls out/s/reviews)" phase-1-review-1-perf.md
}

# ---- inside a host ----

hosted_panel()
{
    begin_story
    with_roles
    does perf 'if [ "$HONE_ROUND" = 1 ]; then
    printf "## Issues\n\n- [LOW] phase-1.txt:1 - slow\n\n## Grade: WARN\n"; else
    printf "Quick now.\n\n## Grade: PASS\n"; fi'
    does spec-reviewer "$passes"
    host_prompt "/hone:cycles --spec $spec --phases 1 --session-dir out/s --reviewers\
 spec-reviewer,perf"
    check_has "host: no such agent, and how it gets one" "$TMPDIR/first.out" \
        "hone roles install perf"
    "$HONE" roles install perf >"$out" 2>&1
    check "host: the agent is there" test -e .claude/agents/perf.md
    git add .claude && git commit -q -m agent
    host_prompt "/hone:cycles --spec $spec --phases 1 --session-dir out/s --reviewers\
 spec-reviewer,perf"
    check_is "host: both play, twice" "$(started spec-reviewer) $(started perf)" "2 2"
    check_has "host: the review of the role" out/s/reviews/phase-1-review-1-perf.md "slow"
    check_has "host: and its signal" out/s/.signals/phase-1-review-2-perf.done "grade: PASS"
    check_has "host: the end" "$hook_out" "clean"
}

together iterate_panel iterate_state iterate_files
together refused cycles_panel by_hone_json hosted_panel

exit "$failed"
