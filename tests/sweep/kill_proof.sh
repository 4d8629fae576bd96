#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a repair that breaks the test and is taken back: also while it is. After the
# resume the tree is that of a run that was never killed.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/kill_sweep.sh"

new_repo "$TMPDIR/template"
printf 'works\n' >app.txt
printf 'kept\n' >other.txt
git add app.txt other.txt && git commit -q -m second
printf 'dirty\n' >>other.txt
echo 'not tracked' >untracked.txt
# Only the fixer that was told of a repair that broke the test leaves app.txt alone.
# shellcheck disable=SC2154,SC2016 # of story.sh; for the agent's shell
mends='cmd:if ! grep -q "This was tried"; then echo broken >app.txt; echo x >added.txt;'
mends+=' rm untracked.txt; echo more >>other.txt; fi;'
mends+=" sed -i /defect/d notes.txt; echo '# Fixed: notes.txt'"
# shellcheck disable=SC2034 # of kill_sweep.sh
run=(review "the sweep" --until settled --test 'grep -qx works app.txt' --agent "*=$reviewer"
    --agent "review-fixer=$mends" --no-sandbox --quiet)
# shellcheck disable=SC2034 # likewise: most of its 460 writes are those of any review
stride=${HONE_SWEEP_STRIDE:-3}

end_files()
{
    contract_files . | sed 's|runs/[0-9a-z]*/[0-9]*-[0-9]*/|runs/R/J/|'
    git status --porcelain --untracked-files=all | grep -v '^?? .agents/'
    cat app.txt other.txt notes.txt untracked.txt
    git ls-files --stage
}

kill_sweep
exit "$failed"
