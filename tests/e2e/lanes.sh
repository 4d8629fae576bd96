#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tasks side by side, each in a work tree of its own, and how they come together. The dialect is
# the test program's: what is seen here is the driver.
. "${TOP:?}/tests/support/story.sh"

lanes=${SUPPORT:?}/lanes
pass='cmd:echo pass'
# Each task writes a file of its own.
writes="cmd:echo \"\$HONE_TASK\" >\"\$HONE_TASK_ID.txt\"; echo done"

# A repository with one committed file and nothing changed.
begin()
{
    mkdir -p "$TMPDIR/$1" && cd "$TMPDIR/$1" || exit 1
    git init -q -b main .
    printf 'one\ntwo\nthree\n' >notes.txt
    git add . && git commit -q -m first
}

# Nothing of the lanes is left: no folder, no branch, no ref.
check_tidy()
{
    check_is "$1: one work tree" "$(git worktree list | wc -l)" 1
    check_is "$1: one ref" "$(git for-each-ref | wc -l)" 1
    check_is "$1: no folder" "$(ls .git/hone/worktrees)" ""
    check_is "$1: nothing is changed" "$(git status --short -uall | grep -v '^?? .agents/')" ""
}

# ---- two groups ----

begin groups
"$lanes" run 3,2 2 "$writes" "$pass" >out.log 2>err.log
check_is "two groups: clean" $? 0
check_is "two groups: all files" "$(cat t?.txt)" "$(printf 'do 1\ndo 2\ndo 3\ndo 4\ndo 5')"
check_is "two groups: a commit per task" "$(git log --format=%s | grep -c '^task [1-5]$')" 5
rm out.log err.log
check_tidy "two groups"

# ---- where an agent is ----

begin where
cat >"$TMPDIR/where.sh" <<'END'
{
    pwd
    echo "$HONE_WORKSPACE $HONE_LANE"
    git rev-parse --abbrev-ref HEAD
    echo "$HONE_SINCE"
} >"pwd.$HONE_TASK_ID"
echo done
END
"$lanes" run 2 2 "cmd:sh $TMPDIR/where.sh" "$pass" 2>err.log >/dev/null
run=$(sed -n 's/^run \([a-z0-9]*\) begins.*/\1/p' err.log)
rm err.log
at=$(pwd -P)/.git/hone/worktrees/$run-t2
check_is "where: a folder, a name, a branch, a beginning" "$(cat pwd.t2)" \
    "$(printf '%s\n%s %s-t2\nhone/%s/%s-t2/work\n%s' "$at" "$at" "$run" "$run" "$run" \
        "$(git rev-list --max-parents=0 HEAD)")"
check_tidy "where"

# ---- nothing to do, and commits of its own ----

begin own
"$lanes" run 3 3 "cmd:if [ \$HONE_TASK_ID = t1 ]; then echo x >a; git add a; \
git commit -q -m mine; echo y >b; elif [ \$HONE_TASK_ID = t2 ]; then git checkout -q --detach; \
echo z >c; fi; echo done" "$pass" >/dev/null 2>&1
check_is "own commits: clean" $? 0
check_is "own commits: all files" "$(cat a b c)" "$(printf 'x\ny\nz')"
check_is "own commits: kept" "$(git log --format=%s | grep -c '^mine$')" 1
check_tidy "own commits"

# A merge that a builder left in the middle is a merge afterwards.
begin merging
"$lanes" run 1 1 "cmd:git checkout -q -b side; echo s >side.txt; git add side.txt; git commit -q \
-m side; git checkout -q -; echo m >main.txt; git add main.txt; git commit -q -m main; \
git merge -q --no-commit --no-ff side; git branch -q -D side; echo done" "$pass" >/dev/null 2>&1
check_is "a merge in the middle: clean" $? 0
check_is "a merge in the middle: all files" "$(cat side.txt main.txt)" "$(printf 's\nm')"
check_is "a merge in the middle: two parents" "$(git log --merges --format=%s)" "task 1"
check_tidy "a merge in the middle"

# ---- hooks of the repository ----

begin hooks
printf '#!/bin/sh\ntouch %s/ran\n' "$TMPDIR" >.git/hooks/post-checkout
cp .git/hooks/post-checkout .git/hooks/post-merge
cp .git/hooks/post-checkout .git/hooks/reference-transaction
chmod +x .git/hooks/*
"$lanes" run 1 1 "cmd:echo done" "$pass" >/dev/null 2>&1
check "hooks: none runs for a work tree" test ! -e "$TMPDIR/ran"

# ---- a conflict, resolved ----

# Both tasks change the same line; told of a conflict, the builder takes both sides.
begin conflict
cat >"$TMPDIR/both.sh" <<'END'
if grep -q '^conflict'; then
    cat notes.txt >"$TMPDIR/marked"
    sed -i '/^<<<<<<< /d; /^=======$/d; /^>>>>>>> /d' notes.txt
else
    sed -i "s/two/two $HONE_TASK_ID/" notes.txt
    echo "$HONE_TASK_ID" >"$HONE_TASK_ID.txt"
fi
echo done
END
"$lanes" run 2 2 "cmd:sh $TMPDIR/both.sh" "cmd:echo x >>$TMPDIR/reviews; echo pass" >/dev/null 2>&1
check_is "conflict: clean" $? 0
check_is "conflict: both sides" "$(sort notes.txt)" "$(printf 'one\nthree\ntwo t1\ntwo t2')"
check_is "conflict: all files" "$(cat t1.txt t2.txt)" "$(printf 't1\nt2')"
check_has "conflict: the builder saw marks" "$TMPDIR/marked" '<<<<<<< HEAD'
check_is "conflict: the resolution was reviewed" "$(wc -l <"$TMPDIR/reviews")" 3
check_is "conflict: no commit has marks" \
    "$(git log -p --format= -m -- notes.txt | grep -c '^[+]<<<<<<<')" 0
check_tidy "conflict"

# ---- a conflict that no agent resolves ----

begin stuck
"$lanes" run 2 2 "cmd:sed -i \"s/^two.*/two \$HONE_TASK_ID/\" notes.txt; echo done" "$pass" \
    >out.log 2>/dev/null
check_is "stuck: it ends with 1" $? 1
check_is "stuck: the first is merged" "$(sed -n 2p notes.txt)" "two t1"
check_has "stuck: the second is named" out.log "kept, not merged: "
check_is "stuck: its work tree is there" "$(ls .git/hone/worktrees | wc -l)" 1
tree=$(pwd)/.git/hone/worktrees/$(ls .git/hone/worktrees)
printf 'one\ntwo t1 and t2\nthree\n' >"$tree/notes.txt"
rm out.log
"$lanes" resume >/dev/null 2>&1
check_is "stuck: somebody helped" $? 0
check_is "stuck: and both are there" "$(sed -n 2p notes.txt)" "two t1 and t2"
check_tidy "stuck"

# ---- the user works meanwhile ----

begin user
"$lanes" run 2 1 "cmd:cd $TMPDIR/user; echo u >user.\$HONE_TASK_ID; git add user.*; \
git commit -q -m user; cd \$HONE_WORKSPACE; echo t >\$HONE_TASK_ID.txt; echo done" "$pass" \
    >/dev/null 2>&1
check_is "user's commits: clean" $? 0
check_is "user's commits: all files" "$(ls)" \
    "$(printf 'notes.txt\nt1.txt\nt2.txt\nuser.t1\nuser.t2')"
check_tidy "user's commits"

begin dirty
echo mine >>notes.txt
echo precious >t1.txt
"$lanes" run 2 1 "$writes" "$pass" >/dev/null 2>"$TMPDIR/err.log"
check_is "a file in the way: it ends with 3" $? 3
check_has "a file in the way: it is named" "$TMPDIR/err.log" "t1.txt"
check_is "a file in the way: it is as it was" "$(cat t1.txt)" precious
check "a file in the way: nothing is half merged" test ! -e t2.txt
mv t1.txt saved
"$lanes" resume >/dev/null 2>&1
check_is "a file in the way: gone, and clean" $? 0
check_is "a file in the way: all is there" "$(cat t1.txt t2.txt saved)" \
    "$(printf 'do 1\ndo 2\nprecious')"
check_is "a file in the way: what was dirty still is" "$(git diff --stat -- notes.txt | wc -l)" 2
check_is "a file in the way: one ref" "$(git for-each-ref | wc -l)" 1

begin ignored
echo '*.txt' >.git/info/exclude
echo precious >t1.dat
git update-index --refresh >/dev/null
echo '*.dat' >>.git/info/exclude
"$lanes" run 1 1 "cmd:echo new >t1.dat; git add -f t1.dat; echo done" "$pass" >/dev/null 2>&1
check_is "an ignored file in the way: it ends with 3" $? 3
check_is "an ignored file in the way: it is as it was" "$(cat t1.dat)" precious

begin switched
"$lanes" run 1 1 "cmd:echo t >t1.txt; git -C $TMPDIR/switched switch -q -c other; echo done" \
    "$pass" >/dev/null 2>"$TMPDIR/err.log"
check_is "another branch: it ends with 3" $? 3
check_has "another branch: what to do" "$TMPDIR/err.log" "git switch back"
check "another branch: it is left alone" test ! -e t1.txt
git switch -q main
git branch -q -D other
"$lanes" resume >/dev/null 2>&1
check_is "another branch: back on the first" "$?$(cat t1.txt)" 0t
check_tidy "another branch"

# ---- a work tree that the user deleted ----

begin deleted
"$lanes" run 2 2 "cmd:if [ -e $TMPDIR/once ] || [ \$HONE_TASK_ID = t1 ]; then \
echo t >\$HONE_TASK_ID.txt; echo done; else touch $TMPDIR/once; echo kept >kept.txt; \
git add kept.txt; git commit -q -m kept; rm -rf \"\$HONE_WORKSPACE\"; exit 1; fi" "$pass" \
    >/dev/null 2>"$TMPDIR/err.log"
check_is "deleted: clean" $? 0
check_has "deleted: it is said" "$TMPDIR/err.log" "was gone: it was made again from its branch"
check_is "deleted: what was committed is there" "$(cat kept.txt t1.txt t2.txt)" \
    "$(printf 'kept\nt\nt')"
check_tidy "deleted"

begin deleted_reviewing
"$lanes" run 2 2 "cmd:[ -e \$HONE_TASK_ID.txt ] || echo t >\$HONE_TASK_ID.txt; git add .; \
git commit -q -m x; echo done" "cmd:if [ \$HONE_TASK_ID = t1 ] && [ ! -e $TMPDIR/twice ]; then \
touch $TMPDIR/twice; rm -rf \"\$HONE_WORKSPACE\"; fi; echo pass" >/dev/null 2>"$TMPDIR/err.log"
check_is "deleted by a reviewer: clean" $? 0
check_has "deleted by a reviewer: it is said" "$TMPDIR/err.log" "was gone: it was made again"
check_is "deleted by a reviewer: nothing is lost" "$(cat t1.txt t2.txt)" "$(printf 't\nt')"
check_tidy "deleted by a reviewer"

begin deleted_resting
"$lanes" run 2 2 "cmd:[ \$HONE_TASK_ID = t1 ] || exit 1; echo t >t1.txt; echo done" "$pass" \
    >/dev/null 2>&1
check_is "deleted at rest: a builder failed" $? 3
rm -rf .git/hone/worktrees
"$lanes" resume >/dev/null 2>"$TMPDIR/err.log"
check_is "deleted at rest: it failed again" $? 3
check_has "deleted at rest: it is said" "$TMPDIR/err.log" "was gone: it was made again"
check_is "deleted at rest: both are there again" "$(ls .git/hone/worktrees | wc -l)" 2

# ---- a reviewer that writes ----

begin writes
"$lanes" run 2 2 "$writes" "cmd:if [ \$HONE_TASK_ID = t1 ] && [ \$HONE_ATTEMPT = 1 ]; then \
echo bad >t1.txt; echo x >>$TMPDIR/again; fi; echo pass" >/dev/null 2>"$TMPDIR/err.log"
check_is "a reviewer that writes: clean" $? 0
check_has "a reviewer that writes: it is said" "$TMPDIR/err.log" "a reviewer changed the work tree"
check_is "a reviewer that writes: put back" "$(cat t1.txt t2.txt)" "$(printf 'do 1\ndo 2')"
check_tidy "a reviewer that writes"

# ---- what no commit holds ----

begin nested
"$lanes" run 2 2 "cmd:echo x >\$HONE_TASK_ID.txt; if [ \$HONE_TASK_ID = t1 ]; then git init -q in; \
cd in; echo precious >p; git add p; git commit -q -m in; fi; echo done" "$pass" \
    >"$TMPDIR/out.log" 2>&1
check_is "a repository inside: clean" $? 0
check_is "a repository inside: what can be merged is" "$(cat t1.txt t2.txt)" "$(printf 'x\nx')"
check_is "a repository inside: the rest is kept" "$(cat .git/hone/worktrees/*-t1/in/p)" precious
check_is "a repository inside: only that" "$(ls .git/hone/worktrees | wc -l)" 1
check_has "a repository inside: it is said" "$TMPDIR/out.log" "kept, though merged: $(pwd -P)/"
check_has "a repository inside: with the reason" "$TMPDIR/out.log" "in is a repository of its own"

begin unnoted
"$lanes" run 1 1 "cmd:git init -q in; echo precious >in/p; echo x >t1.txt; \
mkdir -p $TMPDIR/unnoted/.git/hone/runs/\$HONE_RUN/lane-1/kept; echo done" "$pass" >/dev/null 2>&1
check_is "a reason that cannot be noted: exit" $? 3
check_is "a reason that cannot be noted: nothing is merged" "$(git log --format=%s)" first
check_is "a reason that cannot be noted: nothing is lost" \
    "$(cat .git/hone/worktrees/*-t1/in/p)" precious

# ---- a branch that lost what was merged ----

begin lost
home="git -C $TMPDIR/lost"
"$lanes" run 1,1 1 "cmd:echo x >\$HONE_TASK_ID.txt; if [ \$HONE_TASK_ID = t2 ]; then \
$home reset -q --hard HEAD~1; $home commit -q --allow-empty -m other; fi; echo done" "$pass" \
    >/dev/null 2>"$TMPDIR/err.log"
check_is "a branch that lost a merge: exit" $? 3
check_has "a branch that lost a merge: what to do" "$TMPDIR/err.log" "git merge it there"
check_is "a branch that lost a merge: it is left alone" "$(git log --format=%s | head -n 1)" other
git merge -q --no-edit "$(git for-each-ref --format='%(refname)' 'refs/hone/*/integration')"
"$lanes" resume >/dev/null 2>&1
check_is "a branch that lost a merge: resumed" $? 0
check_is "a branch that lost a merge: nothing is lost" "$(cat t1.txt t2.txt)" "$(printf 'x\nx')"
check_tidy "a branch that lost a merge"

# ---- submodules ----

begin module
begin modules
git -c protocol.file.allow=always submodule --quiet add "$TMPDIR/module" lib 2>/dev/null
git commit -q -m module
"$lanes" run 1 1 "cmd:cp lib/notes.txt got.txt; echo done" "$pass" >/dev/null 2>&1
check_is "submodules: clean" $? 0
check_is "submodules: they are in the work tree" "$(sed -n 1p got.txt)" one
check_is "submodules: nothing is left" "$(git worktree list | wc -l)" 1

# ---- where it cannot begin ----

mkdir -p "$TMPDIR/empty" && cd "$TMPDIR/empty" && git init -q .
"$lanes" run 1 1 "$writes" "$pass" >/dev/null 2>"$TMPDIR/err.log"
check_is "no commit: bad usage" $? 2
check_has "no commit: what to do" "$TMPDIR/err.log" "git commit makes the first"
mkdir -p "$TMPDIR/plain" && cd "$TMPDIR/plain" || exit 1
"$lanes" run 1 1 "$writes" "$pass" >/dev/null 2>"$TMPDIR/err.log"
check_is "no repository: bad usage" $? 2

# ---- fifty at once ----

begin fifty
"$lanes" run 50 50 "$writes" "$pass" >/dev/null 2>"$TMPDIR/err.log"
check_is "fifty: clean" $? 0
check_is "fifty: no file is missing" "$(ls t*.txt | wc -l)" 50
check_is "fifty: no commit is missing" "$(git log --format=%s | grep -c '^task ')" 50
check_is "fifty: no word of a lock" "$(grep -ci 'lock' "$TMPDIR/err.log")" 0
check_tidy "fifty"

exit $failed
