# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# ci.sh - for stories that play the environment of a pipeline: a remote, a clone with a change, the
# event. Sourced after story.sh and play.sh.
#
# main holds s.sh with an old fault (line 2); the change adds a new one (line 3, SC2086).

reports=hone-report

# new_remote: $remote with a commit on main, $main.
new_remote()
{
    remote=$TMPDIR/remote.git
    rm -rf "$remote" "$TMPDIR/seed"
    git init -q --bare "$remote"
    git -C "$remote" symbolic-ref HEAD refs/heads/main
    git init -q "$TMPDIR/seed" && cd "$TMPDIR/seed" || exit 1
    git checkout -q -b main
    # shellcheck disable=SC2016 # for the script's shell
    printf '#!/bin/sh\necho $1\n' >s.sh
    echo text >notes.txt
    git add . && git commit -q -m first
    git push -q "$remote" main
    main=$(git rev-parse HEAD)
}

# new_change [BRANCH]: a commit on a branch of the remote, $head; we are in the seed.
new_change()
{
    cd "$TMPDIR/seed" && git checkout -q -B "${1:-topic}" main || exit 1
    # shellcheck disable=SC2016
    printf 'echo $2\n' >>s.sh
    git commit -q -a -m change
    head=$(git rev-parse HEAD)
    git push -q -f "$remote" HEAD
}

# new_merge: what services check out for a request, as refs/pull/1/merge: $merge.
new_merge()
{
    git checkout -q --detach main
    git merge -q --no-ff -m merge "$head"
    merge=$(git rev-parse HEAD)
    git push -q -f "$remote" HEAD:refs/pull/1/merge
    git checkout -q main
}

# check_out REF [FETCH-OPTION...]: what a runner does, in $TMPDIR/work.
check_out()
{
    local ref=$1
    shift
    rm -rf "$TMPDIR/work"
    git init -q "$TMPDIR/work" && cd "$TMPDIR/work" || exit 1
    git remote add origin "file://$remote"
    git fetch -q "$@" origin "+$ref:refs/remotes/pull/1/merge" \
        '+refs/heads/*:refs/remotes/origin/*'
    git checkout -q --detach refs/remotes/pull/1/merge
}

# check_out_alone REF DEPTH: the same as far as actions/checkout does it: that ref alone.
check_out_alone()
{
    rm -rf "$TMPDIR/work"
    git init -q "$TMPDIR/work" && cd "$TMPDIR/work" || exit 1
    git remote add origin "file://$remote"
    git fetch -q --depth="$2" origin "+$1:refs/remotes/pull/1/merge"
    git checkout -q --detach refs/remotes/pull/1/merge
}

# request_event [HEAD-REPO]: the event of a pull request, by the repository with this number.
request_event()
{
    cat <<END
{"action":"opened","number":1,"repository":{"id":7,"default_branch":"main"},"pull_request":{
"commits":1,"base":{"ref":"main","sha":"$main","repo":{"id":7,"full_name":"o/r","fork":false}},
"head":{"ref":"topic","sha":"$head","repo":{"id":${1:-7},"full_name":"x/r","fork":true}}}}
END
}

# github EVENT-NAME: its environment, with the event of $TMPDIR/event.json.
github()
{
    rm -f "$TMPDIR/output" "$TMPDIR/summary"
    echo "before hone" >"$TMPDIR/summary"
    export GITHUB_ACTIONS=true CI=true GITHUB_EVENT_NAME=$1 GITHUB_BASE_REF=main \
        GITHUB_EVENT_PATH=$TMPDIR/event.json GITHUB_STEP_SUMMARY=$TMPDIR/summary \
        GITHUB_OUTPUT=$TMPDIR/output
    [ "$1" != push ] || unset GITHUB_BASE_REF
}

# output NAME: its value for later steps, as a runner reads the file.
output()
{
    awk -v name="$1" 'open { if ($0 == open) exit; print; next }
        index($0, name "<<") == 1 { open = substr($0, length(name) + 3) }' "$TMPDIR/output"
}

# shellcheck disable=SC2154 # of play.sh
# commands [LOG]: the lines of the log that the runner obeys, as it reads it.
commands()
{
    awk 'stopped { if ($0 == "::" stopped "::") stopped = ""; next }
        /^::stop-commands::/ { stopped = substr($0, 18); next }
        /^[ \t]*::/ || /##\[/' "${1:-$out}"
}

# lines_of FILE: which lines the findings of a SARIF file are about.
lines_of()
{
    grep -o '"startLine": *[0-9]*' "$1" | grep -o '[0-9]*$' | sort -u | tr '\n' ' '
}

# has_form NAME: whether hone can write this form.
has_form()
{
    "$HONE" help export | grep -qE "^ +$1\$|^ +$1 "
}
