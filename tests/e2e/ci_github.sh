#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone ci in the environment of GitHub Actions: which commit it takes, what it would hand over, what
# the runner would obey, how it ends.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/ci.sh"
# shellcheck disable=SC2154 # what is not assigned here is of tests/support

request()
{
    check_out refs/pull/1/merge
    request_event >"$TMPDIR/event.json"
    github pull_request
    hone ci "$@"
}

a_request()
{
    request
    check_is "a request: what is new fails it" "$status" 1
    check_has "it is measured against what it was merged into" "$out" "against ${main:0:12}"
    check_is "the new finding alone is in the report" "$(lines_of $reports/hone.sarif)" "3 "
    check_is "standard error goes where the log goes" "$(cat "$err")" ""
    check_is "the log begins with a group" "$(sed -n 1p "$out")" "::group::hone ci"
    check_not "no colours" grep -q "$(printf '\033')" "$out"
    check_has "the summary is added" "$TMPDIR/summary" "SC2086"
    check_is "behind what is there" "$(sed -n 1p "$TMPDIR/summary")" "before hone"
    check_is "output: exit-code" "$(output exit-code)" 1
    check_is "output: end" "$(output end)" findings
    check_is "output: findings" "$(output findings)" 1
    check_is "output: low" "$(output low)" 1
    check_is "output: high" "$(output high)" 0
    check_is "output: base" "$(output base)" "$main"
    check_is "output: sarif" "$(output sarif)" "$reports/hone.sarif"
    check "its report is JSON" "$SUPPORT/is_json" <$reports/hone.sarif
    check_is "reports are no change" "$(git status --porcelain)" ""
    check_has "bounds are on" "$out" "bounds: time=30m,calls=40,when_spent=stop"
    if has_form github; then
        check_is "an annotation for the new finding" \
            "$(commands | grep -c '^::[a-z]* .*file=s.sh,line=3')" 1
    fi
    check_is "what the runner obeys is hone's" \
        "$(commands | grep -vcE '^::(group::hone ci|endgroup::|(error|warning|notice) )')" 0
    check_is "the last line says the end" "$(tail -1 "$out")" \
        "hone ci: findings; 1 new (0 high, 0 medium, 1 low); fails on low; exit 1; reports: \
$reports; run $(output run) ('hone comment $(output run)' tells the pull request of it)"
}

severities()
{
    local of
    for of in "low 1" "medium 0" "high 0" "none 0"; do
        request --fail-on "${of% *}"
        check_is "--fail-on ${of% *}" "$status" "${of#* }"
        check_is "--fail-on ${of% *}: it is in the report" "$(lines_of $reports/hone.sarif)" "3 "
    done
    request --fail-on grave
    check_is "--fail-on: another word" "$status" 2
    check_has "it says which there are" "$out" "low, medium, high and none"
    check "what cannot be a report of this run is gone" test ! -e $reports/hone.sarif
    request --fail-on none --agent '*=cmd:exit 1'
    check_is "a dead reviewer is never green" "$status" 3
    check_is "later steps know" "$(output exit-code)" 3
    request --fail-on none --agent '*=cmd:echo nonsense'
    check_is "nor one that talks nonsense" "$status" 3
    request --agent '*=analyzer:none'
    check_is "nor one that looks at nothing" "$status" 2
    check "an error is shown above the log" test "$(commands | grep -c '^::error title=hone::')" = 1
}

# Nothing that is said inside of the log is obeyed, and what is a secret is nowhere.
talk()
{
    local secret=tok_9f8e7d6c5b4a39281706f5e4d3c2b1a0
    does critic 'printf "::set-output name=x::y\n" >&2
sed "s/a defect is left/::error::$WORD ##[add-mask]x/" "$play/found"'
    WORD=$secret MY_API_TOKEN=$secret request --agent "*=$agent"
    check_is "talk: exit" "$status" 1
    check_is "talk: nothing of it is obeyed" \
        "$(commands | grep -v '^::warning file=' | grep -c 'set-output\|##\[')" 0
    check_not "talk: the secret is nowhere" grep -rqF "$secret" "$out" "$TMPDIR/summary" \
        "$TMPDIR/output" $reports
    WORD=x request --agent "*=$agent" --json
    check_is "talk: --json: exit" "$status" 1
    check_has "talk: --json: what was said is there" "$out" 'add-mask]x'
    check_is "talk: --json: nothing of it is obeyed" "$(commands)" ""
    does critic 'echo "##[add-mask]y" >&2; exit 1'
    request --agent "*=$agent" --json
    check_is "talk: --json, it fails: exit" "$status" 3
    check_has "talk: --json, it fails: the log says why" "$err" '##[add-mask]y'
    check_is "talk: --json, it fails: nothing of it is obeyed" "$(commands "$err")" ""
    does critic
}

# A clone that lacks the commit says what it lacks, and what brings it.
shallow()
{
    check_out_alone refs/pull/1/merge 1
    request_event >"$TMPDIR/event.json"
    github pull_request
    hone ci
    check_is "shallow: exit" "$status" 2
    check_has "shallow: which commit" "$out" "commit ${main:0:12}, which the change is measured"
    check_has "shallow: how many there are, and are needed" "$out" "with 1 commit, and 2 are needed"
    check_has "shallow: what brings it" "$out" "git fetch --deepen=1"
    check_has "shallow: what to set" "$out" "fetch-depth: 2"
    check "shallow: no report" test ! -e $reports/hone.sarif
    check_out_alone refs/pull/1/merge 2
    hone ci
    check_is "deep enough" "$status" 1
    check_out_alone refs/heads/topic 1
    hone ci
    check_is "the head alone, shallow: exit" "$status" 2
    check_has "the head alone: how deep" "$out" "fetch-depth: 2"
}

pushes()
{
    check_out refs/heads/topic
    github push
    printf '{"before":"%s","after":"%s","commits":[{}]}' "$main" "$head" >"$TMPDIR/event.json"
    hone ci
    check_is "a push: exit" "$status" 1
    check_has "a push: against what was there" "$out" \
        "against ${main:0:12} (what was there before the push)"
    printf '{"before":"%040d","after":"%s"}' 0 "$head" >"$TMPDIR/event.json"
    hone ci
    check_has "a new branch: against the default branch" "$out" "against ${main:0:12}"
    printf '{"before":"%040d","after":"%s"}' 5 "$head" >"$TMPDIR/event.json"
    hone ci
    check_has "a forced push: what was there is gone" "$out" "against ${main:0:12}"
    printf '{"before":"%s","after":"%s"}' "$head" "$head" >"$TMPDIR/event.json"
    hone ci
    check_is "nothing was pushed: exit" "$status" 0
    check_has "nothing was pushed: it says so" "$out" "nothing to judge"
    check_is "nothing was pushed: an empty report" "$(lines_of $reports/hone.sarif)" ""
    check "nothing was pushed: it is one" "$SUPPORT/is_json" <$reports/hone.sarif
    check_out_alone refs/heads/topic 1
    printf '{"before":"%s","after":"%s","commits":[{}]}' "$main" "$head" >"$TMPDIR/event.json"
    hone ci
    check_is "a push, shallow: exit" "$status" 2
    check_has "a push, shallow: how deep" "$out" "fetch-depth: 2"
}

# An event that cannot be read: the change could be anyone's.
events()
{
    check_out refs/pull/1/merge
    github pull_request
    local secret=tok_9f8e7d6c5b4a39281706f5e4d3c2b1a0
    echo '{"pull_request":' >"$TMPDIR/event.json"
    MY_API_TOKEN=$secret hone ci
    check_is "garbage: no branch is its base" "$status" 2
    check_has "garbage: what to do" "$out" "name the commit by --base"
    check_has "garbage: as a fork's" "$out" "this change is a fork's (the event"
    check_has "garbage: withheld" "$out" "1 variable is withheld"
    rm "$TMPDIR/event.json"
    hone ci
    check_is "missing: exit" "$status" 2
    hone ci --base "$main"
    check_is "missing: --base names it" "$status" 1
    check_has "missing: as a fork's" "$out" "this change is a fork's"
    ln -s nowhere "$TMPDIR/event.json"
    hone ci
    check_has "a link that leads nowhere: as a fork's" "$out" "this change is a fork's"
    rm "$TMPDIR/event.json"
    mkfifo "$TMPDIR/event.json"
    hone ci
    check_has "a pipe: as a fork's" "$out" "this change is a fork's"
    rm "$TMPDIR/event.json"
    truncate -s 200M "$TMPDIR/event.json"
    hone ci
    check_has "huge: as a fork's" "$out" "this change is a fork's"
    echo '[1]' >"$TMPDIR/event.json"
    hone ci
    check_has "no object: as a fork's" "$out" "this change is a fork's"
    request_event >"$TMPDIR/event.json"
    GITHUB_EVENT_NAME=issue_comment
    echo '{"issue":{}}' >"$TMPDIR/event.json"
    hone ci
    check_has "an event that does not tell: as a fork's" "$out" "this change is a fork's"
    request_event | sed 's/"repo":{"id":7,"full_name":"x[^}]*}/"repo":null/' >"$TMPDIR/event.json"
    GITHUB_EVENT_NAME=pull_request
    hone ci
    check_has "a repository that is gone" "$out" "the repository that it comes from is gone"
}

# What runs with the base's secrets, and has the base checked out.
target()
{
    check_out refs/heads/main
    request_event >"$TMPDIR/event.json"
    github pull_request_target
    hone ci
    check_is "the base is checked out: exit" "$status" 2
    check_has "the base is checked out: words" "$out" "the change is not checked out"
}

# Names that would be commands, paths or lines of their own.
names()
{
    cd "$TMPDIR/seed" && git checkout -q -B odd main || exit 1
    local name=$'a\n::warning::%0A x;y,z=1.sh'
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho $3\n' >"$name"
    # shellcheck disable=SC2016
    printf '#!/bin/sh\r\necho $4\r\n' >"-C .sh"
    git add . && git commit -q -m odd
    head=$(git rev-parse HEAD)
    new_merge
    request
    check_is "odd names: exit" "$status" 1
    check_is "odd names: nothing of theirs is obeyed" "$(commands | grep -c '::warning::%0A')" 0
    check "odd names: the report is JSON" "$SUPPORT/is_json" <$reports/hone.sarif
    check_is "odd names: none is left over as untracked" "$(git status --porcelain)" ""
}

# What later steps read cannot be written: that is no success, whatever was found.
unwritable()
{
    local variable place
    mkdir -p "$TMPDIR/is-folder"
    for variable in GITHUB_OUTPUT GITHUB_STEP_SUMMARY; do
        for place in "$TMPDIR/none/there" "$TMPDIR/is-folder" /dev/full; do
            check_out refs/pull/1/merge
            request_event >"$TMPDIR/event.json"
            github pull_request
            export "$variable=$place"
            hone ci --fail-on none
            check_is "$variable is $place: exit" "$status" 3
            check_has "$variable is $place: said" "$out" "$variable: "
            check_has "$variable is $place: an error of the step" "$out" \
                "::error title=hone::$variable"
            check_has "$variable is $place: the last line names the run" <(tail -n 1 "$out") \
                "exit 3; reports: $reports; run "
            check "$variable is $place: the reports are there" test -s $reports/hone.sarif
        done
    done
    check_is "the other outputs are written, with the exit code" "$(output exit-code)" 3
}

new_remote
new_change
new_merge
a_request
severities
talk
shallow
pushes
events
target
names
unwritable
exit "$failed"
