#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/pull-requests.md, as a new user follows it: each command that it shows is run, in its order,
# in a checkout of a pull request's branch, with a stand-in for the service.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"
. "$TOP/tests/support/forge.sh"
. "$TOP/tests/support/documents.sh"

speaks gh
printf '#!/bin/sh\nexec "%s" "$@"\n' "$HONE" >"$TMPDIR/bin/hone"
chmod +x "$TMPDIR/bin/hone"
new_repo "$TMPDIR/origin"
git checkout -q -b main 2>/dev/null || git branch -q -M main
git checkout -q notes.txt
git clone -q "$TMPDIR/origin" "$TMPDIR/repo" && cd "$TMPDIR/repo" || exit 1
git checkout -q -b change
printf 'defect\n' >>notes.txt
git commit -q -a -m change
pull_request
git remote set-url origin https://github.com/o/n
# shellcheck disable=SC2154 # of story.sh
printf '{"agents":{"*":"%s"},"rights":{"tmp":true}}\n' \
    "$(printf '%s' "$reviewer" | sed 's/\\/\\\\/g; s/"/\\"/g')" >"$HOME/.config/hone/config.json"

follows pull-requests
check_has "it was posted" "$out" "the comment was created, 1 inline comment was created"
check "it stands there" stands 1 1
GITHUB_ACTIONS=true GITHUB_REPOSITORY=o/n GITHUB_REF=refs/pull/7/merge hone comment --post
check_has "a pipeline says which" "$out" "everything stands there already"
exit "$failed"
