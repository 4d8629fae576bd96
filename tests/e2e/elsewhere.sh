#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A run that is continued from another place. Another work tree of its repository leads to the one
# it works in; a copy of the repository, whose journal names the original, touches neither.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
echo "a defect" >>"$template/notes.txt"
git -C "$template" add . && git -C "$template" commit -q -m defect

# A run whose fixer failed, and that can go on; its name in $run.
failed_run()
{
    copy_of "$template" work
    forget
    does critic "$sees"
    does review-fixer 'exit 1'
    hone run review --all --agent "*=$agent"
    check_is "$1: its fixer failed" "$status" 3
    run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)
    does review-fixer 'pwd >"$play/where"; sed -i /defect/d notes.txt; echo "# Fix Summary"'
}

# everything FOLDER: its files with their sums.
everything()
{
    find "$1" -type f -not -name '*-shm' -not -name '*-wal' -exec cksum {} + | sort
}

from_another_work_tree()
{
    failed_run "another work tree"
    git worktree add -q "$TMPDIR/second"
    cd "$TMPDIR/second" || exit 1
    hone resume
    one_line "no run is this work tree's" 2 "no run yet in"
    hone resume "$run"
    check_is "by its name it goes on" "$status" 0
    check_is "where it was begun" "$(cat "$play/where")" "$TMPDIR/work"
    check_not "that is mended" grep -q defect "$TMPDIR/work/notes.txt"
    check "and this is left alone" grep -q defect notes.txt
    check_is "entirely" "$(git status --short)" ""
}

from_a_copy()
{
    failed_run "a copy"
    cp -R "$TMPDIR/work" "$TMPDIR/copy"
    everything "$TMPDIR/work" >"$TMPDIR/before"
    cd "$TMPDIR/copy" || exit 1
    hone resume "$run"
    one_line "a run of the original" 2 "belongs to $TMPDIR/work, and this is a copy of that"
    check_not "nobody was started" test -e "$play/where"
    everything "$TMPDIR/work" >"$TMPDIR/after"
    check "the original is as it was" diff "$TMPDIR/before" "$TMPDIR/after"
    check "and so is the copy" grep -q defect notes.txt
}

from_where_it_was_moved_to()
{
    failed_run "moved"
    mv "$TMPDIR/work" "$TMPDIR/moved"
    cd "$TMPDIR/moved" || exit 1
    hone resume "$run"
    one_line "moved" 2 "works in $TMPDIR/work, which is not there any more"
    mv "$TMPDIR/moved" "$TMPDIR/work"
    cd "$TMPDIR/work" || exit 1
    hone resume
    check_is "moved back: it goes on" "$status" 0
}

together from_another_work_tree from_a_copy from_where_it_was_moved_to
exit "$failed"
