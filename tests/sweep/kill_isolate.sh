#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a fixer in a disposable work tree: also while its result comes to the user's
# tree. After the resume the tree is that of a run that was never killed, git knows what it knew,
# and no work tree is left. In between, each file is the old one or the new one, or it was just
# moved away to be replaced.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/kill_sweep.sh"

new_repo "$TMPDIR/template"
for name in a b c; do echo "old $name" >"$name.txt"; done
git add [abc].txt && git commit -q -m second
echo 'dirty' >>b.txt
echo 'not tracked' >untracked.txt
# shellcheck disable=SC2154 # of story.sh
mends="cmd:sed -i /defect/d notes.txt; sed -i s/old/new/ a.txt b.txt; rm c.txt untracked.txt"
mends+="; mkdir -p made; echo new >made/new.txt; echo '# Fixed: notes.txt'"
# shellcheck disable=SC2034 # of kill_sweep.sh
run=(review "the sweep" --isolate --agent "*=$reviewer" --agent "review-fixer=$mends" --no-sandbox
    --quiet)
# shellcheck disable=SC2034 # likewise: most of its 510 writes are those of any review
stride=${HONE_SWEEP_STRIDE:-3}

end_files()
{
    contract_files .
    git status --porcelain --untracked-files=all | grep -v '^?? .agents/'
    find . -path ./.git -prune -o -path ./.agents -prune -o -type f -print | LC_ALL=C sort |
        xargs grep -H ''
    git ls-files --stage
    git for-each-ref
    git worktree list | wc -l
    ls .git/hone/worktrees
}

# after_death: no half of a file.
after_death()
{
    local text
    for text in a.txt b.txt notes.txt made/new.txt; do
        [ -e "$text" ] || continue
        case $(tr '\n' ' ' <$text) in
        'old a ' | 'new a ' | 'old b dirty ' | 'new b dirty ') ;;
        'hello defect ' | 'hello ' | 'new ') ;;
        *) echo "half a file: $text" ;;
        esac
    done
}

kill_sweep
exit "$failed"
