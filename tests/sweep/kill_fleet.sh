#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kill sweep over a run whose agents play on other machines: hone is killed at its writes, the
# carrier is not, and what it knows is there for the resume. After that the tree and the contract
# files are those of a run that was never killed, and no agent that had ended has played twice.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/kill_sweep.sh"

new_repo "$TMPDIR/template"
for name in a b c; do echo "old $name" >"$name.txt"; done
git add [abc].txt && git commit -q -m second
echo 'dirty' >>b.txt
echo 'not tracked' >untracked.txt
cat >"$TMPDIR/do" <<END
if [ "\$HONE_ROLE" = review-fixer ]; then
    sed -i /defect/d notes.txt; sed -i s/old/new/ a.txt b.txt; rm c.txt untracked.txt
    mkdir -p made; echo new >made/new.txt; echo '# Fixed: notes.txt'
elif grep -q defect notes.txt; then
    echo '$found'
else
    echo '$clean'
fi
END
cat >"$TMPDIR/carrier" <<END
#!/bin/sh
unset LD_PRELOAD
mkdir -p .git/carrier
cp "$TMPDIR/do" .git/carrier/do
echo '* work' >.git/carrier/does
CARRIER_DIR=\$PWD/.git/carrier exec "${HONE%/*}/tests/support/carrier"
END
chmod +x "$TMPDIR/carrier"
# shellcheck disable=SC2034 # of kill_sweep.sh
run=(review "the sweep" --fleet "cmd:$TMPDIR/carrier" --agent '*=cmd:false' --quiet)
# shellcheck disable=SC2034 # likewise: most of its writes are those of any review
stride=${HONE_SWEEP_STRIDE:-17}

end_files()
{
    contract_files .
    git status --porcelain --untracked-files=all | grep -v '^?? .agents/'
    find . -path ./.git -prune -o -path ./.agents -prune -o -type f -print | LC_ALL=C sort |
        xargs grep -H ''
    git ls-files --stage
    git for-each-ref
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
