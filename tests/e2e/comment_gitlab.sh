#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone comment on GitLab: the same as on GitHub by discussions and notes, told by the environment of
# a pipeline; suggestions; and what GitLab would obey.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"
. "$TOP/tests/support/forge.sh"

speaks glab
export GITLAB_CI=true CI_SERVER_HOST=gitlab.example CI_PROJECT_PATH=a/fork
export CI_MERGE_REQUEST_PROJECT_PATH=g/sub/n CI_MERGE_REQUEST_IID=7
post=(comment --post)

mkdir "$TMPDIR/repo" && cd "$TMPDIR/repo" || exit 1
git init -q .
seq 1 20 >notes.txt
seq 1 30 >old.c
printf '#!/bin/sh\necho hi\n' >s.sh
git add . && git commit -q -m first
sed -i 's/^10$/ten/' notes.txt
git mv old.c new.c && sed -i 's/^5$/five/' new.c
git add . && git commit -q -m change
pull_request
issues=$(issue critical notes.txt 10 'a word'),$(issue warning new.c 5 'another word')
issues+=,$(issue warning notes.txt 12 'in context')
found 1 2 0 "$issues"

hone "${post[@]}"
check_is "posted: exit" "$status" 0
check_is "posted: what was done" "$(cat "$out")" \
    "GitLab g/sub/n 7: the comment was created, 2 inline comments were created"
check "posted: it stands there" stands 1 2
check_has "posted: by the old name, too" "$forge/state.json" '"old_path": "old.c"'
check_has "posted: links to the commit" "$forge/state.json" \
    "https://gitlab.example/g/sub/n/-/blob/$(cat "$forge/head")/new.c#L5"
before=$(written)
hone "${post[@]}"
check_has "again: nothing is left to do" "$out" "everything stands there already"
check_is "again: nothing was changed" "$(written)" "$before"
hone "${post[@]}" --filter-mode diff_context
check "in context: an unchanged line by both numbers" stands 1 3
check_is "in context: it has" "$(grep -c '"old_line": 12' "$forge/state.json")" 1
check_not "no token on a command line" grep -q token-of-the-story "$TMPDIR/calls"
check_not "no text of an agent on a command line" grep -q 'a word' "$TMPDIR/calls"

found 1 0 0 "$(issue critical notes.txt 10 'a word')"
hone "${post[@]}"
check_is "the next run: what was done" "$(cat "$out")" "GitLab g/sub/n 7: the comment was updated, \
2 threads were resolved, 2 inline comments were updated"
check_is "the next run: threads are resolved" "$(grep -c '"resolved": true' "$forge/state.json")" 2
found 1 1 0 "$(issue critical notes.txt 10 'a word'),$(issue warning new.c 5 'another word')"
hone "${post[@]}"
check_is "it comes back: what was done" "$(cat "$out")" "GitLab g/sub/n 7: the comment was \
updated, 1 thread was reopened, 1 inline comment was updated"
check "it comes back: in its own thread" stands 1 3
sed -i 's/"author": "bot"/"author": "stranger"/' "$forge/state.json"
hone "${post[@]}"
check_is "a stranger's comment is not taken for ours" "$(cat "$out")" \
    "GitLab g/sub/n 7: the comment was created, 2 inline comments were created"

# ---- several lines: the note stands on the last, and names the range ----

printf '%s\n' one two three four five >many.txt
git add many.txt && git commit -q -m before
sed -i -e 's/two/TWO/' -e '/three/d' -e 's/^four$/FOUR\nMORE/' many.txt
git commit -q -a -m several
pull_request
jq -n '{version: "2.1.0", runs: [{tool: {driver: {name: "own"}}, results: [{level: "error",
    message: {text: "it is about four lines"}, locations: [{physicalLocation: {
    artifactLocation: {uri: "many.txt"}, region: {startLine: 1, endLine: 4}}}]}]}]}' >"$TMPDIR/own"
several()
{
    "$HONE" run review --no-fix --quiet --since "$(cat "$forge/base")" --reviewers critic \
        --agent "critic=sarif:cat $TMPDIR/own" >"$TMPDIR/run" 2>&1
}
several
forge_anew
hone "${post[@]}"
check_is "several lines: exit" "$status" 0
position=$(jq -c '.threads[0].place | [.new_line, .old_line, .line_range.start, .line_range.end]' \
    "$forge/state.json")
name=$(printf many.txt | sha1sum | cut -d ' ' -f 1)
wanted="[4,null,{\"line_code\":\"${name}_1_1\",\"type\":\"old\",\"old_line\":1,\"new_line\":1},"
wanted+="{\"line_code\":\"${name}_5_4\",\"type\":\"new\",\"new_line\":4}]"
check_is "several lines: the range by the codes of both ends" "$position" "$wanted"
forge_anew
fault 1 1 /discussions 400 # the list is read; then
hone "${post[@]}"
check_is "a GitLab that refuses ranges: exit" "$status" 0
check_is "it gets the note on the last line" \
    "$(jq -c '.threads[0].place | [.new_line, .line_range]' "$forge/state.json")" "[4,null]"
git reset -q --hard HEAD~2
pull_request
found 1 1 0 "$(issue critical notes.txt 10 'a word'),$(issue warning new.c 5 'another word')"

# ---- a service that fails ----

for fault in 'discussions 500' '/notes limit' '/notes lost' '/user secondary' \
    'discussions?per_page garbage'; do
    forge_anew
    # shellcheck disable=SC2086 # two words
    fault 1 0 $fault
    hone "${post[@]}"
    check_is "$fault: exit" "$status" 0
    check "$fault: all stands there, once" stands 1 2
done
forge_anew
fault 99 1 /discussions hour # the list is read; then
hone "${post[@]}"
check_is "in an hour: exit" "$status" 3
check_is "in an hour: what was posted" "$(cat "$out")" \
    "GitLab g/sub/n 7: the comment was created; left: 2 inline comments to be created"
fault
hone "${post[@]}"
check "then it goes on" stands 1 2
for _ in 1 2 3; do
    "$HONE" "${post[@]}" --key many >/dev/null 2>&1 &
done
# shellcheck disable=SC2046 # a list
wait $(jobs -p | grep -v "^$forge_pid$")
hone "${post[@]}" --key many
check "three at once: one comment, and no finding twice" stands 2 4
CI_MERGE_REQUEST_IID=9 hone "${post[@]}"
check_is "no such merge request: exit" "$status" 2
check_has "no such merge request: words" "$err" "HTTP 404"
(
    unset CI_MERGE_REQUEST_IID
    hone "${post[@]}"
    check_is "no number: exit" "$status" 2
    check_has "no number: words" "$err" "give --pr NUMBER"
    exit "$failed"
) || failed=1

# ---- suggestions; the local diff is not there ----

printf '#!/bin/sh\necho hi\nif true; then\n    echo $1\nfi\n' >s.sh
git commit -q -a -m script
pull_request
git clone -q --depth 1 "file://$PWD" "$TMPDIR/shallow" && cd "$TMPDIR/shallow" || exit 1
"$HONE" run review --no-fix --quiet --all --agent critic=analyzer:shellcheck \
    --agent '*=analyzer:none' --agent review-fixer=fixits >"$TMPDIR/run" 2>&1
forge_anew
hone "${post[@]}"
check "a shallow clone: the service tells the change" grep -q '/raw_diffs ' "$forge/log"
check "a shallow clone: inline comments" stands 1 1
check_has "a fix is offered" "$forge/state.json" \
    '```suggestion:-0+0\n    echo \"$1\"\n```\n\n<!-- hone:finding'
check "GitLab was told to do nothing" test ! -e "$forge/commands"
exit "$failed"
