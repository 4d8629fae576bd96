#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every look ends: a named pipe where git expects a file, a git that never ends, and a user who has
# waited long enough. hone itself looks, in no cage: each user is tried once.
#
# row: looking.pipe | mkfifo .gitignore, by a fixer or in an archive; such a pipe in the git folder, also behind a link or among its objects | a git that takes long is ended, and the pipe is named | a pipe deeper than 50,000 names is found by the limit of ten minutes
# row: looking.stop | hone stop, INT and TERM while git does not end | the wait ends within a second |
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare)

setup()
{
    with_play
    template=$TMPDIR/template
    new_repo "$template"
}

limit=30

named()
{
    check_not "looking.pipe: $1: it ends by itself, in time" test "$status" = 124
    check_not "looking.pipe: $1: it does not say that all is well" test "$status" = 0
    check_has "looking.pipe: $1: the pipe is named" "$err" "$2 is a named pipe"
}

# pipes NAME PATH: the verbs that look, in a folder with such a pipe.
pipes()
{
    copy_of "$template" work
    rm -f "$2" && mkdir -p "$(dirname "$2")" && mkfifo "$2"
    hone run
    named "hone run, $1" "$2"
    hone run review --agent "*=$agent"
    named "a whole run, $1" "$2"
    hone doctor
    check_not "looking.pipe: hone doctor, $1: it ends" test "$status" = 124
    hone init
    check_not "looking.pipe: hone init, $1: it ends" test "$status" = 124
    hone status
    check_not "looking.pipe: hone status, $1: it ends" test "$status" = 124
}

pipe()
{
    pipes "ignore rules" .gitignore
    pipes "attributes" .gitattributes

    copy_of "$template" work
    mkfifo .git/objects/info/alternates
    hone run review --agent "*=$agent"
    named "alternates" .git/objects/info/alternates
    copy_of "$template" work
    mkfifo "$TMPDIR/elsewhere" && rm -f .git/index && ln -s "$TMPDIR/elsewhere" .git/index
    hone run review --agent "*=$agent"
    named "a link to one" .git/index

    copy_of "$template" work
    hone run review --agent "*=$reviewer" \
        --agent "review-fixer=$fixer; rm -f .gitignore; mkfifo .gitignore"
    named "by a fixer" .gitignore
}

# ---- stopping ----

# ends_in_time PID: within some seconds, on a busy machine.
ends_in_time()
{
    until_true 5 test ! -e "/proc/$1/fd"
}

# stopped NAME SIGNAL ARGUMENTS...: hone, told to stop while git hangs.
stopped()
{
    local name=$1 signal=$2 pid
    shift 2
    copy_of "$template" work
    rm -f "$TMPDIR/hangs"
    PATH=$TMPDIR/bin:$PATH "$HONE" "$@" >"$out" 2>"$err" &
    pid=$!
    check "looking.stop: $name: git hangs" until_true 20 test -e "$TMPDIR/hangs"
    if [ "$signal" = stop ]; then "$HONE" stop >/dev/null 2>&1; else kill -s "$signal" "$pid"; fi
    check "looking.stop: $name: hone ends" ends_in_time "$pid"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
}

# A git that never ends when it looks.
hanging_git()
{
    mkdir -p "$TMPDIR/bin"
    real=$(command -v git)
    printf '#!/bin/sh\ncase " $* " in *" status "*) touch "%s"; trap "" TERM\n' \
        "$TMPDIR/hangs" >"$TMPDIR/bin/git"
    printf 'while :; do sleep 5; done ;; esac\nexec "%s" "$@"\n' "$real" >>"$TMPDIR/bin/git"
    chmod +x "$TMPDIR/bin/git"
}

stops()
{
    hanging_git
    stopped "a preview, TERM" TERM run # INT is ignored by what a script starts in the background
    stopped "a run, INT" INT run review --agent "*=$agent"
    stopped "a run, TERM" TERM run review --agent "*=$agent"
    stopped "a run, hone stop" stop run review --agent "*=$agent"
}

for_each_way pipe stops
