#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone ci in a pipeline of no service that it knows: what is measured against what, the settings of
# the base, bounds, repairs, and checkouts of every kind.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/ci.sh"
# shellcheck disable=SC2154 # what is not assigned here is of tests/support

# pkill_children PID: ends what timeout(1) has started, at once.
pkill_children()
{
    local pid
    for pid in $(cat "/proc/$1/task/$1/children"); do kill -9 "$pid"; done
}

against()
{
    check_is "$1: exit" "$status" "$2"
    check_has "$1: against" "$err" "against ${main:0:12}$3"
}

bases()
{
    check_out refs/heads/topic
    hone ci --base main
    against "--base main, which only the remote has" 1 " (--base main)"
    check_is "the new finding alone" "$(lines_of $reports/hone.sarif)" "3 "
    HONE_BASE=$main hone ci
    against "HONE_BASE" 1 " (HONE_BASE $main)"
    hone ci
    against "nothing told" 1 " (where the change parted from origin/main"
    hone ci --base HEAD
    check_is "the base is the head: exit" "$status" 0
    check_has "the base is the head: words" "$err" "nothing to judge: the two hold the same"
    hone ci --base nowhere
    check_is "a base that is not there: exit" "$status" 2
    check_has "a base that is not there: words" "$err" "--base nowhere, which the change"
    hone ci --base -x
    check_is "a base like an option: exit" "$status" 2
    hone ci --base "--output=/etc/x"
    check_is "another: exit" "$status" 2
    hone ci --since HEAD
    check_is "--since: exit" "$status" 2
    hone ci --staged --base main
    check_is "--staged --base: exit" "$status" 2
    hone ci nowhere.sh
    check_is "a path that is not there: exit" "$status" 2
    check_has "a path that is not there: is no task" "$err" "no file or folder 'nowhere.sh'"
    hone ci notes.txt --allow-unseen
    check_is "a path that nothing looks at, allowed: exit" "$status" 0
    hone ci notes.txt
    check_is "a path that nothing looks at: exit" "$status" 2
    hone ci s.sh
    check_is "a path: exit" "$status" 1
}

# What is not a line of commits.
histories()
{
    check_out refs/heads/main
    hone ci
    check_is "the first commit: everything is new: exit" "$status" 1
    check_is "the first commit: all of it" "$(lines_of $reports/hone.sarif)" "2 "
    git checkout -q --orphan other && git commit -q -m other
    hone ci --base origin/main
    check_is "nothing in common: exit" "$status" 2
    check_has "nothing in common: words" "$err" "have no commit in common"

    check_out refs/heads/topic
    git checkout -q --detach origin/main && echo more >>notes.txt && git commit -q -a -m more
    later=$(git rev-parse HEAD)
    git checkout -q --detach origin/topic
    hone ci --base "$later"
    against "a base that is no ancestor" 1 " (where the change parted from"
    git checkout -q --detach origin/main && git merge -q --no-ff -m merge origin/topic
    hone ci
    against "a merge that is checked out" 1 ""

    check_out_alone refs/heads/topic 1
    hone ci
    check_is "shallow: exit" "$status" 2
    check_has "shallow: what brings it" "$err" "git fetch --deepen=1"
    check_has "shallow: which" "$err" "commit ${main:0:12}"
    git fetch -q --deepen=1
    hone ci
    against "deepened as it says" 1 ""

    new_work=$TMPDIR/empty
    rm -rf "$new_work" && git init -q "$new_work" && cd "$new_work" || exit 1
    hone ci
    check_is "no commit: exit" "$status" 2
    check_has "no commit: words" "$err" "there is no commit yet"
    mkdir "$TMPDIR/plain" && cd "$TMPDIR/plain" || exit 1
    hone ci
    check_is "no repository: exit" "$status" 2
    check_has "no repository: words" "$err" "in none; 'hone run review' judges a folder"
}

# What lies beside the commit is not the change.
beside()
{
    check_out refs/heads/topic
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho $9\n' | tee 'left [over] #1.sh' '!x.sh' >/dev/null
    mkdir build && cp '!x.sh' build/made.sh
    hone ci --base main
    check_is "files that are not in the commit are left out" "$(lines_of $reports/hone.sarif)" "3 "
    check_not "none of them is named" grep -q 'over\|made.sh' $reports/hone.sarif
    check_has "that is said" "$err" "3 of 3 files and folders that are not in the commit"
    git clean -qdfx
    # shellcheck disable=SC2016
    printf 'echo $8\n' >>s.sh
    hone ci --base main --head HEAD
    check_is "--head: the commit, not what differs from it" "$(lines_of $reports/hone.sarif)" "3 "
    check_has "--head: what differs stays" s.sh '$8'
    git checkout -q s.sh
    git checkout -q --detach origin/main
    hone ci --base main --head origin/topic
    check_is "--head of another commit: exit" "$status" 1
    check_is "--head: what is checked out stays" "$(git rev-parse HEAD)" "$main"
    check_is "--head: no work tree is left" "$(git worktree list | wc -l)" 1
    does critic 'touch "$play/at"; sleep 30'
    timeout 60 "$HONE" ci --base main --head origin/topic --agent "*=$agent" >/dev/null 2>&1 &
    until_true 20 test -e "$play/at"
    hone ci --base main --head origin/topic --output ../second
    check_is "--head, two at once: the second is judged: exit" "$status" 1
    check_is "--head, two at once: that of the first stays" "$(git worktree list | wc -l)" 2
    pkill_children "$!" && wait "$!" 2>/dev/null
    check_is "--head, killed: its work tree is left" "$(git worktree list | wc -l)" 2
    does critic
    hone ci --base main --head origin/topic
    check_is "--head, killed: the next one removes it" "$(git worktree list | wc -l)" 1
    hone ci --head nowhere
    check_is "--head nowhere: exit" "$status" 2
    git checkout -q --detach origin/topic
    printf '#!/bin/sh\r\necho ok\r\n' >crlf.sh
    git add . && git commit -q -m crlf
    hone ci --base HEAD~1
    check "CRLF: judged" test "$status" = 1 -o "$status" = 0
    git -c protocol.file.allow=always submodule -q add "file://$remote" sub 2>/dev/null &&
        git commit -q -m submodule
    hone ci --base HEAD~1 --allow-unseen
    check_is "a submodule: exit" "$status" 0
}

outputs()
{
    check_out refs/heads/topic
    echo '# more' >>s.sh
    hone ci --output ''
    check_has "a changed file is judged, and that is said" "$err" \
        "commit ${head:0:12}, with what is changed in the work tree, is judged"
    git checkout -q s.sh
    hone ci --output ../elsewhere/deep
    check_has "without one it is the commit" "$err" "commit ${head:0:12} is judged"
    check "--output elsewhere" test -s ../elsewhere/deep/hone.sarif
    check "a report for people" test -s ../elsewhere/deep/hone.md
    check "none here" test ! -e $reports
    if has_form junit; then check "a JUnit report" test -s ../elsewhere/deep/junit.xml; fi
    hone ci --output ''
    check_is "--output '': exit" "$status" 1
    check "--output '': none" test ! -e $reports
    ln -s "$TMPDIR" $reports
    hone ci
    check_is "a link in the place of the folder: exit" "$status" 3
    ln -s "$PWD" "$TMPDIR/alias"
    hone ci --output "$TMPDIR/alias/$reports"
    check_is "the same by another name of the workspace: exit" "$status" 3
    check "a link in the place of the folder: nothing is behind it" test ! -e "$TMPDIR/hone.sarif"
    rm $reports
    hone ci --output "$TMPDIR/alias/$reports"
    check "the workspace by another name: the folder is in it" test -s $reports/hone.sarif
    check_is "the workspace by another name: reports are no change" "$(git status --porcelain)" ""
    rm -r $reports
    hone ci --output $'a\nb'
    check_is "--output with a line end: exit" "$status" 2
    hone ci --json
    check_is "--json: exit" "$status" 1
    check "--json: each line is JSON" sh -c 'while read -r line; do
        printf "%s" "$line" | "$1"/is_json || exit 1; done <"$2"' - "$SUPPORT" "$out"
    tail -1 "$out" >"$TMPDIR/last"
    check_has "--json: the last line" "$TMPDIR/last" '"event":"ci"'
    check_has "--json: the base" "$TMPDIR/last" "\"base\":\"$main\""
    check_has "--json: the files" "$TMPDIR/last" "\"$reports/hone.sarif\""
}

# Several at a time that share a folder: each judges the change, or is refused since another is at
# work there; and the reports are those of one.
several()
{
    local i end judged=0 jobs=()
    check_out refs/heads/topic
    for i in 1 2 3 4; do
        "$HONE" ci >"$TMPDIR/said.$i" 2>&1 &
        jobs+=($!)
    done
    for i in 1 2 3 4; do
        wait "${jobs[i - 1]}"
        end=$?
        if [ "$end" = 1 ]; then judged=$((judged + 1)) && continue; fi
        check_is "several at a time: exit of one that is refused" "$end" 2
        check_has "several at a time: why" "$TMPDIR/said.$i" "is at work in this workspace"
    done
    check "several at a time: one at least judged the change" [ "$judged" -ge 1 ]
    check "several at a time: a report is whole" "$SUPPORT/is_json" <$reports/hone.sarif
    check_is "several at a time: nothing else is left" \
        "$(find $reports -name '.hone*' -o -name '*.tmp*')" ""
}

# Settings count as the base has them, need agreement, and bounds hold unless they say otherwise.
settings()
{
    check_out refs/heads/topic
    echo '{"exclude":["s.sh"],"budget":{"calls":1}}' >hone.json
    git add . && git commit -q -m settings
    hone ci --base main
    check_is "settings of the change do not count: exit" "$status" 1
    check_has "that is said" "$err" "alters hone.json, which counts as commit ${main:0:12}"
    hone ci --base HEAD~1 --allow-unseen
    check_is "nor where they are all of it" "$status" 0

    git checkout -q --detach origin/main
    printf '{"budget":{"calls":9,"time":"7m"},"exclude":["old.sh"]}' >hone.json
    git add . && git commit -q -m base && base=$(git rev-parse HEAD)
    # shellcheck disable=SC2016
    echo 'echo $2' >>s.sh && echo '{{{' >hone.json && git commit -q -a -m change
    hone ci --base "$base"
    check_is "what needs agreement: exit" "$status" 2
    check_has "what needs agreement: words" "$err" "start once with --trust"
    hone ci --base "$base" --trust
    check_is "agreed: exit" "$status" 1
    check_has "bounds of the settings" "$err" "bounds: time=7m,calls=9,when_spent=stop"
    hone ci --base "$base" --trust --budget time=none,when_spent=wait
    check_has "bounds of the command line" "$err" "bounds: calls=9 "
    hone ci --base "$base" --budget none
    check_not "no bounds" grep -q "bounds:" "$err"
    hone ci --base "$base" --agent "*=$agent" --budget calls=2
    check_is "a bound that is reached: exit" "$status" 4
}

# --fix leaves a patch that applies; --commit a commit.
repairs()
{
    check_out refs/heads/topic
    does review-fixer 'sed -i "s/echo \$2/echo \"\$2\"/" s.sh; echo new >made.txt; echo "# Fixed"'
    does critic 'if grep -q "echo \$2" s.sh; then sed "s/notes.txt/s.sh/" "$play/found"
else cat "$play/clean"; fi'
    hone ci --base main --fix --agent "*=$agent"
    check_is "--fix: what was pushed has it still: exit" "$status" 1
    check_has "--fix: the patch" $reports/hone.patch '+echo "$2"'
    check_has "--fix: what is new is in it" $reports/hone.patch 'made.txt'
    cp $reports/hone.patch "$TMPDIR/p" && git checkout -q . && git clean -qdf
    check "--fix: it applies" git apply --check "$TMPDIR/p"
    echo dirty >>notes.txt
    hone ci --base main --fix --agent "*=$agent"
    check_is "--fix in a tree that differs: exit" "$status" 2
    git checkout -q .
    hone ci --base main --fix --commit --agent "*=$agent"
    check_is "--commit: exit" "$status" 0
    check_is "--commit: one commit more" "$(git rev-list --count "$head..HEAD")" 1
    check_is "--commit: of these files" "$(git show --format= --name-only | tr '\n' ' ')" \
        "made.txt s.sh "
    check_is "--commit: nothing is left" "$(git status --porcelain)" ""
    hone ci --base main --commit
    check_is "--commit alone: exit" "$status" 2
    hone ci --base main --fix --output ''
    check_is "--fix with no place: exit" "$status" 2
    forget
}

# as_other COMMAND...: as a user who is not the checkout's.
as_other()
{
    setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent TMPDIR="$room" \
        GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' "$@"
}

# A checkout that cannot be written to.
read_only()
{
    local room
    [ "$(id -u)" = 0 ] || { skip "read only" "we are not root"; return; }
    room=$(mktemp -d /tmp/hone-ci.XXXXXX) && chmod 777 "$room"
    as_other test -x "$HONE" || { skip "read only" "another user cannot read $HONE"; return; }
    cd "$TMPDIR" && check_out refs/heads/topic && cp -R . "$room/work" && cd "$room/work" || exit 1
    chmod -R a+rX .
    as_other "$HONE" ci --base main --output "$room/reports" >"$out" 2>"$err"
    check_is "a git folder that cannot be written to: exit" "$?" 2
    check_has "a git folder that cannot be written to: which" "$err" "$room/work/.git/hone"
    check_has "a git folder that cannot be written to: what to do" "$err" "git clone --no-local"
    chown -R 65534 .git
    as_other "$HONE" ci --base main --output "$room/reports" >"$out" 2>"$err"
    check_is "a work tree that cannot be written to: exit" "$?" 1
    check_is "a work tree that cannot be written to: judged" \
        "$(lines_of "$room/reports/hone.sarif")" "3 "
    as_other "$HONE" ci --base main >"$out" 2>"$err"
    check_is "reports that cannot be written: exit" "$?" 3
    check_has "reports that cannot be written: which" "$err" "by --output: hone-report: "
    cd "$TMPDIR" && rm -rf "$room"
}

new_remote
new_change
bases
histories
beside
outputs
several
settings
repairs
read_only
exit "$failed"
