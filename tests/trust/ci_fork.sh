#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A pull request of a fork in a pipeline: what it tries to see, to run and to decide about itself.
# row: ci.credentials | a fork's pull request in a pipeline that has secrets (pull_request_target, a runner of one's own, an event that was tampered with), and looks for them | no program that hone starts has a variable that may hold a credential, and neither a model nor a command plays; an event that does not say whose the change is counts as a fork's | a token that the checkout keeps in .git/config, which is said (persist-credentials: false); steps before and behind hone
# row: ci.commands | a fork's change writes the script that hone.json of the base runs as a reviewer, a test or an analyzer; the pipeline has --trust | no command plays, nothing is repaired, no test runs | analyzers that run code of the repository do so in the closed cage, or not at all
# row: ci.judge | a change in a pipeline alters hone.json, .hone/baseline.json, .hone/waivers.yaml or roles, so that it is judged better | they count as the commit has them that the change is measured against, and that is said | settings of linters and marks in the source, which are part of what people review; a branch that was made from an old commit is judged as that was, where the service does not check out a merge
# row: ci.links | a change brings links in the places that a verb writes to: reports of ci and export, a script of replay, a role, a hook, the summary of a step | below the workspace no link is followed: one in a file's place is replaced, one on the way is refused | links above the workspace and elsewhere are the user's, and are followed
# row: ci.green | the only reviewers of a pipeline cannot play for a fork, or fail | the end is 2 or 3: no --fail-on makes that 0, and no --allow-unseen where an analyzer was killed | --allow-unseen of a change that no reviewer looks at, which only the command line has
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user user-bare) # what root may does not matter here

setup()
{
    with_play
    . "$TOP/tests/support/ci.sh"
    new_remote
    mkdir -p .hone tools
    printf '#!/bin/sh\ncat %s\n' "$play/clean" >tools/review.sh
    chmod +x tools/review.sh
    echo '{"agents":{"*":"cmd:./tools/review.sh"},"test":"./tools/review.sh"}' >hone.json
    git add . && git commit -q -m settings && git push -q "$remote" main
    main=$(git rev-parse HEAD)
    # Programs that say that they ran, and what they found in their environment.
    mkdir -p "$TMPDIR/fakes"
    for name in claude codex gemini; do
        printf '#!/bin/sh\necho "%s $*" >>%s\nexit 1\n' "$name" "$play/ran" \
            >"$TMPDIR/fakes/$name"
    done
    printf '#!/bin/sh\n[ -z "$MY_API_TOKEN$ANTHROPIC_API_KEY" ] || echo "$*" >>%s\nexec %s "$@"\n' \
        "$play/saw" "$(command -v git)" >"$TMPDIR/fakes/git"
    chmod +x "$TMPDIR"/fakes/*
    fork_path=$TMPDIR/fakes:$PATH
}

digits=9f8e7d6c5b4a39281706f5e4d3c2b1a0
# fork_ci EVENT-NAME ARGUMENTS...: hone ci of a fork's request, with secrets around it.
fork_ci()
{
    local event=$1
    shift
    new_merge >/dev/null 2>&1
    check_out "${ref:-refs/pull/1/merge}"
    request_event 8 >"$TMPDIR/event.json"
    github "$event"
    rm -f "$play/ran" "$play/saw"
    forget
    MY_API_TOKEN=tok_$digits ANTHROPIC_API_KEY=sk-ant-api03-$digits GITHUB_TOKEN=ghs_${digits}9f8e \
        PATH=$fork_path hone ci "$@"
}

nothing_ran()
{
    check "ci.credentials: $1: no model was started" test ! -e "$play/ran"
    check_is "ci.credentials: $1: no command was started" "$(wc -l <"$play/log")" 0
    check "ci.credentials: $1: no git saw a credential" test ! -e "$play/saw"
}

credentials()
{
    new_change
    fork_ci pull_request --trust --agent '*=claude' --agent "critic=$agent"
    check_is "ci.credentials: a request: judged by analyzers" "$status" 1
    check_has "ci.credentials: a request: said" "$out" "3 variables are withheld"
    check_has "ci.credentials: a request: who is left out" "$out" "and are left out"
    check_is "ci.credentials: a request: the new finding" "$(lines_of $reports/hone.sarif)" "3 "
    nothing_ran "a request"
    fork_ci pull_request --trust
    check_is "ci.credentials: models that are installed are not chosen" "$status" 1
    nothing_ran "chosen"
    ref=refs/heads/topic
    fork_ci pull_request_target --trust --agent '*=codex'
    ref=
    check_is "ci.credentials: pull_request_target with the fork's code" "$status" 1
    nothing_ran "pull_request_target"
    git config http.https://example.invalid/.extraheader 'AUTHORIZATION: basic x'
    hone ci
    check_has "ci.credentials: a token that the checkout keeps" "$out" "persist-credentials: false"
    git config --unset http.https://example.invalid/.extraheader
    hone ci
    check_not "ci.credentials: a checkout that keeps none" grep -q "holds a token" "$out"
    printf '[http "https://example.invalid/"]\n\textraheader = AUTHORIZATION: basic x\n' \
        >"$TMPDIR/kept"
    git config "includeIf.gitdir:$PWD/.git.path" "$TMPDIR/kept"
    hone ci
    check_has "ci.credentials: a token in a file beside it" "$out" "holds a token"
    git config --unset "includeIf.gitdir:$PWD/.git.path"
    git config remote.other.url "https://ci-token:$digits@example.invalid/o/r.git"
    hone ci
    check_has "ci.credentials: a token in an address" "$out" "holds a token"
    request_event 8 >"$TMPDIR/event.json"
    GITHUB_EVENT_NAME=workflow_run hone ci --fork
    check_has "ci.credentials: --fork" "$out" "this change is a fork's"
}

commands_of_it()
{
    new_change
    printf '#!/bin/sh\ntouch %s\n' "$play/hurt" >tools/review.sh
    git commit -q -a -m hurt && head=$(git rev-parse HEAD)
    fork_ci pull_request --trust
    check_is "ci.commands: judged by analyzers" "$status" 1
    check "ci.commands: its script did not run" test ! -e "$play/hurt"
    fork_ci pull_request --trust --fix --commit
    check_is "ci.commands: nothing is repaired: exit" "$status" 1
    check_is "ci.commands: nothing is repaired" "$(git rev-parse HEAD)" "$merge"
    check "ci.commands: no test ran" test ! -e "$play/hurt"
    check_is "ci.commands: nothing is left" "$(git status --porcelain)" ""
}

# What the change says of itself, of the project's own as of a fork's.
judge()
{
    local of
    new_change
    "$HONE" run review --all --no-fix --test '' --agent silent-failure-hunter=analyzer:shellcheck \
        --agent '*=analyzer:none' --agent review-fixer=fixits --quiet >/dev/null 2>&1
    "$HONE" baseline >/dev/null 2>&1
    check "ci.judge: the change has a baseline" grep -q SC2086 .hone/baseline.json
    echo "{\"agents\":{\"*\":\"cmd:cat $play/clean\"},\"exclude\":[\"s.sh\"]}" >hone.json
    git add -f hone.json .hone && git commit -q -m judge && head=$(git rev-parse HEAD)
    for of in 8 7; do
        new_merge >/dev/null 2>&1
        check_out refs/pull/1/merge
        request_event $of >"$TMPDIR/event.json"
        github pull_request
        hone ci --no-models
        check_is "ci.judge: by $of: exit" "$status" 1
        check_is "ci.judge: by $of: the finding is there" "$(lines_of $reports/hone.sarif)" "3 "
        check_has "ci.judge: by $of: settings" "$out" "alters hone.json, which counts as commit"
        check_has "ci.judge: by $of: baseline" "$out" "alters .hone/baseline.json, which counts as"
    done
}

# A checkout of the fork's repository: its main is the fork's, and it lacks what the event names.
own_base()
{
    new_change main2
    rm -rf "$TMPDIR/fork.git" && git clone -q --bare "$remote" "$TMPDIR/fork.git"
    git push -q -f "$TMPDIR/fork.git" main2:main
    git checkout -q main && echo more >>notes.txt && git commit -q -a -m more || exit 1
    main=$(git rev-parse HEAD)
    rm -rf "$TMPDIR/work" && git clone -q "$TMPDIR/fork.git" "$TMPDIR/work" && cd "$TMPDIR/work" ||
        exit 1
    request_event 8 >"$TMPDIR/event.json"
    github pull_request_target
    hone ci
    check_is "ci.judge: a main of the fork's own is no base" "$status" 2
    check_has "ci.judge: which commit is" "$out" "commit ${main:0:12}, which the change is measured"
}

green()
{
    cd "$TMPDIR/seed" && git checkout -q -B plain main && echo more >>notes.txt || exit 1
    git commit -q -a -m plain && head=$(git rev-parse HEAD)
    fork_ci pull_request --fail-on none --agent '*=claude'
    check_is "ci.green: nothing that an analyzer looks at" "$status" 2
    fork_ci pull_request --fail-on none --agent '*=claude' --allow-unseen
    check_is "ci.green: --allow-unseen" "$status" 0
    new_change
    printf '#!/bin/sh\nkill -9 $$\n' >"$TMPDIR/fakes/shellcheck"
    chmod +x "$TMPDIR/fakes/shellcheck"
    fork_ci pull_request --fail-on none --allow-unseen
    rm "$TMPDIR/fakes/shellcheck"
    check_is "ci.green: --allow-unseen, and the analyzer is killed" "$status" 2
    cd "$TMPDIR/seed" || exit 1
    new_merge >/dev/null 2>&1
    check_out refs/pull/1/merge
    request_event 7 >"$TMPDIR/event.json"
    github pull_request
    hone ci --fail-on none --agent '*=cmd:exit 1'
    check_is "ci.green: all fail" "$status" 3
    hone ci --fail-on none
    check_is "ci.green: commands of the base without --trust" "$status" 2
    check_has "ci.green: it says so" "$out" "start once with --trust"
}

# An event that cannot be read tells no commit: a branch of the checkout may be the fork's.
unread()
{
    local name event
    new_change main2
    rm -rf "$TMPDIR/fork.git" && git clone -q --bare "$remote" "$TMPDIR/fork.git"
    git push -q -f "$TMPDIR/fork.git" main2:main
    rm -rf "$TMPDIR/work" && git clone -q "$TMPDIR/fork.git" "$TMPDIR/work" && cd "$TMPDIR/work" ||
        exit 1
    for event in '' '{' '{"pull_request":1}' '{"workflow_run":{}}'; do
        for name in pull_request pull_request_target workflow_run issue_comment; do
            printf '%s' "$event" >"$TMPDIR/event.json"
            github $name
            hone ci --no-models
            check_is "ci.judge: $name '$event': no branch is its base" "$status" 2
            check_has "ci.judge: $name '$event': said" "$out" "name the commit by --base"
        done
    done
    rm "$TMPDIR/event.json"
    github pull_request
    hone ci
    check_is "ci.judge: there is no event: exit" "$status" 2
    check_has "ci.judge: there is no event: why" "$out" "as the event cannot be read"
    hone ci --base "$main"
    check_is "ci.judge: --base names it" "$status" 1
    for name in ${!GITHUB_*} CI; do unset "$name"; done
    hone ci --fork
    check_is "ci.judge: --fork of no service: exit" "$status" 2
    check_has "ci.judge: --fork of no service: why" "$err" "--fork says so"
}

# Links in the places that a verb writes to.
links()
{
    local verb
    new_change
    rm -rf "$TMPDIR/behind" && mkdir "$TMPDIR/behind" && echo kept >"$TMPDIR/behind/file"
    ln -s "$TMPDIR/behind/file" out.sarif && ln -s "$TMPDIR/behind" folder
    ln -s "$TMPDIR/behind/made" dangling
    git add -A && git commit -q -m links && head=$(git rev-parse HEAD)
    fork_ci pull_request
    check_is "ci.links: the change is judged" "$status" 1
    for verb in "export --format sarif=out.sarif" "export --format sarif=./folder/../out.sarif" \
                "replay --export out.sarif"; do
        rm -f out.sarif && ln -s "$TMPDIR/behind/file" out.sarif
        # shellcheck disable=SC2086 # words
        hone $verb
        check_is "ci.links: $verb: the file behind it" "$(cat "$TMPDIR/behind/file")" kept
    done
    rm -f out.sarif && ln -s "$TMPDIR/behind/file" out.sarif
    hone export --format sarif=out.sarif --format text=dangling
    check_is "ci.links: export: exit" "$status" 0
    check "ci.links: the link is replaced" test -f out.sarif -a ! -L out.sarif
    check "ci.links: one that leads nowhere, too" test -s dangling -a ! -L dangling
    hone export --format text=folder/file
    check_is "ci.links: a folder that is one: exit" "$status" 3
    git config core.hooksPath folder
    rm -rf .hone .claude && ln -s "$TMPDIR/behind" .hone && ln -s "$TMPDIR/behind" .claude
    for verb in "roles eject critic" "roles install critic" "install git"; do
        # shellcheck disable=SC2086 # words
        hone $verb
        check "ci.links: $verb: refused" test "$status" != 0
    done
    git config --unset core.hooksPath
    rm -rf .hone .claude && git checkout -q .
    rm -f summary && ln -s "$TMPDIR/behind/file" summary
    GITHUB_STEP_SUMMARY=$PWD/summary GITHUB_OUTPUT=$PWD/summary hone ci
    check_is "ci.links: a summary in the workspace: exit" "$status" 3
    check_is "ci.links: nothing was written" "$(cat "$TMPDIR/behind/file")" kept
    check_is "ci.links: and nothing was made" "$(ls "$TMPDIR/behind")" file
}

for_each_way credentials commands_of_it judge own_base green unread links
