#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone ci in the environment of GitLab CI, and the component of templates/hone.yml, played as the
# service would.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/ci.sh"
# shellcheck disable=SC2154 # what is not assigned here is of tests/support

# gitlab NAME=VALUE...: its environment, with these besides.
gitlab()
{
    unset "${!CI_@}"
    export GITLAB_CI=true CI=true CI_PROJECT_ID=7 CI_DEFAULT_BRANCH=main CI_COMMIT_SHA
    CI_COMMIT_SHA=$(git rev-parse HEAD)
    # shellcheck disable=SC2163 # assignments
    export "$@"
}

# A merge request of the project's own, or of PROJECT.
merge_request()
{
    gitlab CI_PIPELINE_SOURCE=merge_request_event CI_MERGE_REQUEST_IID=1 \
        CI_MERGE_REQUEST_DIFF_BASE_SHA="$main" CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main \
        CI_MERGE_REQUEST_SOURCE_PROJECT_ID="${1:-7}" CI_COMMIT_BEFORE_SHA="$(printf %040d 0)"
}

requests()
{
    check_out refs/heads/topic
    merge_request
    hone ci
    check_is "a request: exit" "$status" 1
    check_has "a request: against its base" "$out" "against ${main:0:12}"
    check_is "a request: the new finding alone" "$(lines_of $reports/hone.sarif)" "3 "
    check "a section of the log begins" grep -qE \
        "^$(printf '\033')\[0Ksection_start:[0-9]+:hone_[a-z0-9]+$(printf '\r')" "$out"
    check "and ends" grep -qE \
        "^$(printf '\033')\[0Ksection_end:[0-9]+:hone_[a-z0-9]+$(printf '\r')" "$out"
    check_not "no colours" grep -qE "$(printf '\033')\\[[0-9;]*m" "$out"
    check_is "all in one stream" "$(cat "$err")" ""
    if has_form gitlab; then
        check "the code quality report is JSON" "$SUPPORT/is_json" \
            <$reports/gl-code-quality-report.json
        check_has "with its place" $reports/gl-code-quality-report.json s.sh
    fi
    if has_form junit; then check "a JUnit report" test -s $reports/junit.xml; fi

    merge_request 8
    hone ci
    check_is "of another project: exit" "$status" 1
    check_has "of another project: a fork's" "$out" "this change is a fork's (it comes from another"
    merge_request
    unset CI_MERGE_REQUEST_SOURCE_PROJECT_ID
    hone ci
    check_has "of no project: a fork's" "$out" "this change is a fork's"

    check_out refs/pull/1/merge
    merge_request
    export CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=$head
    hone ci
    check_is "a merged result: exit" "$status" 1
    check_has "a merged result: against its first parent" "$out" "what the change was merged into"
}

branches()
{
    check_out refs/heads/topic
    gitlab CI_PIPELINE_SOURCE=push CI_COMMIT_BEFORE_SHA="$main"
    hone ci
    check_is "a branch: exit" "$status" 1
    check_has "a branch: against what was there" "$out" "what was there before the push"
    gitlab CI_PIPELINE_SOURCE=push CI_COMMIT_BEFORE_SHA="$(printf %040d 0)"
    hone ci
    check_has "a new branch: against the default branch" "$out" "against ${main:0:12}"
    check_out_alone refs/heads/topic 1
    gitlab CI_PIPELINE_SOURCE=push CI_COMMIT_BEFORE_SHA="$main"
    hone ci
    check_is "shallow: exit" "$status" 2
    check_has "shallow: what to set" "$out" 'GIT_DEPTH: "0"'
    check_has "shallow: what brings it" "$out" "git fetch --unshallow"
    gitlab CI_PIPELINE_SOURCE=merge_request_event CI_MERGE_REQUEST_IID=1 \
        CI_MERGE_REQUEST_SOURCE_PROJECT_ID=7 CI_MERGE_REQUEST_TARGET_BRANCH_NAME=$'-x\nmain'
    hone ci
    check_is "a branch that cannot be: exit" "$status" 2
    check_has "a branch that cannot be: words" "$out" "it is not told what the change is measured"
    gitlab CI_PIPELINE_SOURCE=merge_request_event CI_MERGE_REQUEST_IID=1 \
        CI_MERGE_REQUEST_SOURCE_PROJECT_ID=7 CI_MERGE_REQUEST_TARGET_BRANCH_NAME=--upload-pack=x
    hone ci
    check_is "a branch like an option: exit" "$status" 2
    check_has "a branch like an option: by its name" "$out" "the branch --upload-pack=x"
}

# The component: its inputs put in as the service does it, its script run by sh.
component()
{
    local file=$TOP/templates/hone.yml script=$TMPDIR/script
    check "yamllint" yamllint -s -d '{extends: relaxed, rules: {line-length: disable}}' "$file"
    check_is "inputs stand in values of variables, names and places, and in no script" \
        "$(sed -n '/^  script:/,/^  artifacts:/p' "$file" | grep -cF '$[[')" 0
    check_out refs/heads/topic
    merge_request
    mkdir -p "$TMPDIR/bin" && ln -sf "$HONE" "$TMPDIR/bin/hone"
    sed -n '/^  script:/,/^  artifacts:/s/^    - //p' "$file" >"$script"
    HONE_IN_FAIL_ON=low HONE_IN_MODELS=false HONE_IN_TRUST=false HONE_IN_UNSEEN=true \
        HONE_IN_ARGS='--exclude x' PATH=$TMPDIR/bin:$PATH sh -e "$script" >"$out" 2>&1
    check_is "the component: exit" "$?" 1
    check_has "the component: its end" "$out" "hone ci: findings; 1 new"
    for path in $(sed -n 's/^      \(codequality\|junit\): //p' "$file"); do
        case $path in
        *junit*) has_form junit || continue ;;
        *) has_form gitlab || continue ;;
        esac
        check "the component: what is uploaded is there: $path" test -s "$path"
    done
    # shellcheck disable=SC2016 # must not be run
    HONE_IN_FAIL_ON='$(touch hurt)' HONE_IN_MODELS='"; touch hurt' HONE_IN_TRUST='' \
        HONE_IN_UNSEEN='' HONE_IN_ARGS='; touch hurt' \
        PATH=$TMPDIR/bin:$PATH sh -e "$script" >"$out" 2>&1
    check_is "hostile inputs: refused" "$?" 2
    check "hostile inputs: nothing ran" test ! -e hurt
}

new_remote
new_change
new_merge
requests
branches
component
exit "$failed"
