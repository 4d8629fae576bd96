#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a run looks at, as agents are told; what a fixer is given; and a fixer that is stuck.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
head=$(git -C "$template" rev-parse HEAD)
tells='env | grep "^HONE_" >"$play/env.$HONE_ROLE.$HONE_ROUND"
cat "$play/clean"'

given()
{
    copy_of "$template" since
    does critic "$tells"
    hone run review --since HEAD --exclude 'old/' --exclude '*.gen.c' --test 'make check' \
        --agent "*=$agent"
    check_is "a run since a commit" "$status" 0
    check_has "the commit is told, not its name" "$play/env.critic.1" "HONE_SINCE=$head"
    check_has "what is left out is told" "$play/env.critic.1" "HONE_EXCLUDE=old/"
    check_has "the test is told" "$play/env.critic.1" "HONE_TEST=make check"
    check_has "the prompt names the commit" "$play/prompt.critic.1.1" "git diff $head"

    copy_of "$template" all
    does critic "$tells"
    hone run review --all --agent "*=$agent"
    check_is "a run over everything" "$status" 0
    check_is "everything has no commit" "$(grep HONE_SINCE "$play/env.critic.1")" "HONE_SINCE="
    check_has "the prompt says everything" "$play/prompt.critic.1.1" "Review everything in it"

    copy_of "$template" neither
    does critic "$tells"
    hone run review --agent "*=$agent"
    check_has "else the change, as before" "$play/prompt.critic.1.1" "git diff HEAD"
}

refused()
{
    copy_of "$template" refused
    hone run review --since nowhere --agent "*=$agent"
    check_is "a commit that is not there is refused" "$status" 2
    check_has "by name" "$TMPDIR/err" "no commit 'nowhere'"
    hone run review --since --all --agent "*=$agent"
    check_is "an option is no commit" "$status" 2
    hone run review --since HEAD --all --agent "*=$agent"
    check_is "one or the other" "$status" 2
    hone run review --exclude "" --agent "*=$agent"
    check_is "an empty pattern is refused" "$status" 2
    check_is "nothing was begun" "$(ls -A .agents 2>/dev/null)" ""
}

# The findings reach a fixer as data, too.
handed_over()
{
    copy_of "$template" handed
    does critic "$sees"
    does review-fixer 'cp "$HONE_FINDINGS" "$play/findings"
sed -i /defect/d notes.txt
echo "# Fixed"'
    hone run review --agent "*=$agent"
    check_is "found, handed over, fixed" "$status" 0
    check_has "the finding is in the file" "$play/findings" '"file":"notes.txt"'
    check_has "with its reviewer" "$play/findings" '"source":"critic"'
}

stuck()
{
    forget
    copy_of "$template" stuck
    does critic "$sees"
    does review-fixer 'echo "# Nothing fixed"; echo; echo "STUCK: no idea"'
    hone run review --agent "*=$agent"
    check_is "a stuck fixer ends the run" "$status" 1
    check_is "after one round" "$(wc -l <"$play/log")" 6
    check_has "and says so" "$TMPDIR/out" "stuck"
    check_has "state.json is stopped" .agents/tmp/state.json '"status": "stopped"'
    check_has "the reason is there" .agents/tmp/state.json "can do nothing more"
    check_has "the summary is kept" .agents/tmp/phases/review-1/r2-fix-summary.md "STUCK: no idea"
    sed -i /defect/d notes.txt
    hone resume
    check_is "mended by hand and resumed, it is clean" "$status" 0
    check_has "state.json is complete" .agents/tmp/state.json '"status": "complete"'
}

given
refused
handed_over
stuck
exit "$failed"
