#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/ci.md, as a new user follows it: each command that it shows is run, in its order, in a clone
# with a change that brings nothing wrong; its YAML is read by a linter; what it names is there.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/ci.sh"
. "$TOP/tests/support/documents.sh"
# shellcheck disable=SC2154 # what is not assigned here is of tests/support

page=$TOP/docs/ci.md
mkdir -p "$TMPDIR/bin" && ln -sf "$HONE" "$TMPDIR/bin/hone"
PATH=$TMPDIR/bin:$PATH

new_remote
cd "$TMPDIR" && git clone -q "file://$remote" work && cd work && git checkout -q -b topic || exit 1
printf 'events.jsonl\nreports/\n' >.git/info/exclude
git push -q -u origin topic

# Behind each block there is something new to judge.
commits()
{
    echo "echo more" >>s.sh && git commit -q -a -m more
}
commits
follows ci commits
for block in "$TMPDIR"/ci/*.yaml; do
    check "${block##*/} is YAML" yamllint \
        -d '{extends: relaxed, rules: {line-length: disable}}' "$block"
done
# Names that stand for the reader's own are in the table that says so; and no other server is named.
yours=$(sed -n '/^## What is yours/,/^## [^W]/p' "$page" | grep '^| `' | cut -d '|' -f 2)
for name in $(grep -ohE 'https://[^ "`]*|[-/A-Za-z$_]*/hone@[v0-9]*' "$TMPDIR"/ci/*.yaml |
    sed -e 's/@.*//' -e 's|^\$CI_SERVER_FQDN/||' | sort -u); do
    check "it says that $name is the reader's to name" grep -qF "\`$name\`" <<<"$yours"
done
check "it has commands" test "$(ls "$TMPDIR"/ci/*.sh | wc -l)" -ge 5
check "reports are where it says" test -s reports/hone.sarif -a -s reports/hone.md
check_has "the last line of --json is as it says" events.jsonl '{"event":"ci",'
check_is "the hook is gone again" "$(ls .git/hooks/pre-push 2>/dev/null)" ""
for name in $(sed -n '/^| .GITHUB_OUTPUT/p' "$page" | grep -o '`[a-z-]*`' | tr -d '`'); do
    check "the output $name" grep -qF "\"$name\"" "$TOP/src/cmd/ci_show.c"
done
exit "$failed"
