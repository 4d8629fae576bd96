#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone as a hook of pre-commit: by pre-commit itself where it is installed, else as it calls hooks.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/ci.sh"
# shellcheck disable=SC2154 # what is not assigned here is of tests/support

mkdir -p "$TMPDIR/bin" && ln -sf "$HONE" "$TMPDIR/bin/hone"
PATH=$TMPDIR/bin:$PATH

staged()
{
    check_out refs/heads/main
    hone ci --staged
    check_is "nothing is staged: exit" "$status" 0
    check_is "nothing is staged: nothing is said" "$(cat "$out" "$err")" ""
    echo 'echo ok' >>s.sh && git add s.sh
    hone ci --staged
    check_is "nothing new is wrong: exit" "$status" 0
    check_is "nothing new is wrong: nothing is said" "$(cat "$out" "$err")" ""
    echo 'echo $3' >>s.sh && git add s.sh
    hone ci --staged
    check_is "something is: exit" "$status" 1
    check_has "which" "$err" "s.sh:4:6:"
    check_not "what was there is not said" grep -q "s.sh:2:" "$err"
    check "no reports" test ! -e $reports
    HONE_SKIP=1 hone ci --staged
    check_is "HONE_SKIP: exit" "$status" 0
    git reset -q && cp .git/index "$TMPDIR/index" && GIT_INDEX_FILE=$TMPDIR/index git add s.sh
    GIT_INDEX_FILE=$TMPDIR/index hone ci --staged
    check_is "the index that git names to a hook: exit" "$status" 1
    git checkout -q s.sh
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho $3\n' | tee -- '-x.sh' $'a\nb.sh' >/dev/null
    git add -- -x.sh $'a\nb.sh'
    hone ci --staged
    check_is "odd names: exit" "$status" 1
    check_has "odd names: which" "$err" "-x.sh:2:6:"
    git rm -q --cached -f -- -x.sh $'a\nb.sh' && rm -- -x.sh $'a\nb.sh'
    GITHUB_ACTIONS=true hone ci --staged
    check_is "in a pipeline it is a hook, too" "$(cat "$out" "$err")" ""
    mkdir "$TMPDIR/killed"
    printf '#!/bin/sh\nkill -9 $$\n' >"$TMPDIR/killed/shellcheck"
    chmod +x "$TMPDIR/killed/shellcheck"
    echo 'echo ok' >>s.sh && git add s.sh
    PATH=$TMPDIR/killed:$PATH hone ci --staged
    check_is "an analyzer that is killed: exit" "$status" 2
    check_has "an analyzer that is killed: it says so" "$err" "it crashed (signal 9)"
    PATH=$TMPDIR/killed:$PATH hone ci --staged --allow-partial
    check_is "an analyzer that is killed is no partial look: exit" "$status" 2
    git reset -q --hard
}

# The hook as its file says, by its own program.
by_pre_commit()
{
    local version
    version=$(pre-commit --version 2>/dev/null) || { skip "pre-commit" "not installed"; return; }
    echo "# $version"
    check "the file is one of hooks" pre-commit validate-manifest "$TOP/.pre-commit-hooks.yaml"
    check_out refs/heads/main
    git init -q "$TMPDIR/hooks" && cp "$TOP/.pre-commit-hooks.yaml" "$TMPDIR/hooks" &&
        git -C "$TMPDIR/hooks" add . && git -C "$TMPDIR/hooks" commit -q -m hooks &&
        git -C "$TMPDIR/hooks" tag v1
    printf 'repos:\n- repo: %s\n  rev: v1\n  hooks:\n  - id: hone\n' "file://$TMPDIR/hooks" \
        >.pre-commit-config.yaml
    git add . && git commit -q -m config
    pre-commit install >/dev/null 2>&1
    echo 'echo $3' >>s.sh
    git commit -q -a -m fault >"$out" 2>&1
    check_is "a commit with a fault: exit" "$?" 1
    check_has "a commit with a fault: which" "$out" "s.sh:3:6:"
    git checkout -q HEAD s.sh && echo 'echo ok' >>s.sh && git add s.sh && echo 'echo $4' >>s.sh
    git commit -q -m good >"$out" 2>&1
    check_is "what is not staged is not judged: exit" "$?" 0
    check_has "and stays" s.sh '$4'
    git checkout -q s.sh
    echo 'echo $5' >>s.sh && git commit -q -a --no-verify -m fault
    pre-commit run --from-ref HEAD~1 --to-ref HEAD >"$out" 2>&1
    check_is "--from-ref: exit" "$?" 1
    check_has "--from-ref: which" "$out" "s.sh:4:6:"
    sed -i 's/id: hone/&\n    args: [--fail-on, high, --]/' .pre-commit-config.yaml
    git add .pre-commit-config.yaml
    pre-commit run --from-ref HEAD~1 --to-ref HEAD >"$out" 2>&1
    check_is "options of one's own: exit" "$?" 0
}

# The same as pre-commit calls it.
played()
{
    local entry args
    entry=$(sed -n 's/^  entry: //p' "$TOP/.pre-commit-hooks.yaml")
    args=$(sed -n 's/^  args: \[\(.*\)\]/\1/p' "$TOP/.pre-commit-hooks.yaml")
    check_out refs/heads/main
    echo 'echo $3' >>s.sh && git add s.sh
    # shellcheck disable=SC2086 # words
    timeout 60 $entry $args s.sh notes.txt >"$out" 2>&1
    check_is "as it is called: exit" "$?" 1
    check_has "as it is called: which" "$out" "s.sh:3:6:"
}

# shellcheck disable=SC2016 # scripts of another shell
new_remote
staged
by_pre_commit
played
exit "$failed"
