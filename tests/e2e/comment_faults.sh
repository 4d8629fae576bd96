#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone comment with a service that answers 500, 403, 429, garbage, too late or never, with two at
# work at once, and with a pull request that is not what was judged: what was posted is said, and
# the same command goes on where it stopped, with nothing doubled.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"
. "$TOP/tests/support/forge.sh"

speaks gh
speaks glab
post=(comment --post --service github --repo o/n --pr 7)

mkdir "$TMPDIR/repo" && cd "$TMPDIR/repo" || exit 1
git init -q .
seq 1 9 >notes.txt
git add . && git commit -q -m first
printf 'one\ntwo\nthree\n' >added.c
sed -i 's/^5$/five/' notes.txt
git add . && git commit -q -m change
pull_request
issues=$(issue warning added.c 1 'a number'),$(issue warning added.c 2 'a second one'),
issues+=$(issue warning notes.txt 5 'a word')
found 0 3 0 "$issues"

# ---- what passes ----

# passes KIND WHERE [OPTION...]: this fault once, and all stands there in the end.
passes()
{
    local kind=$1 where=$2
    shift 2
    forge_anew
    fault 1 0 "$where" "$kind"
    hone "${post[@]}" "$@"
    check_is "$kind at $where: exit" "$status" 0
    check "$kind at $where: all stands there, once" stands 1 3
}

for kind in 500 limit secondary garbage lost; do passes $kind query; done
for kind in 502 limit secondary lost; do passes $kind issues/7/comments; done
for kind in 500 lost; do passes $kind pulls/7/reviews; done
passes never issues/7/comments --timeout 1s
passes never pulls/7/reviews --timeout 1s

# ---- what does not pass ----

forge_anew
fault 99 0 issues/7/comments hour
hone "${post[@]}"
check_is "in an hour: exit" "$status" 3
check_is "in an hour: nothing was posted" "$(cat "$out")" "GitHub o/n 7: nothing was posted; left: \
the comment is not there, 3 inline comments to be created"
check_has "in an hour: what the service said" "$err" "HTTP 429"
check_has "in an hour: what to do" "$err" "the same command goes on where this one stopped"
check_is "in an hour: asked once" "$(grep -c issues/7/comments "$forge/log")" 1

forge_anew
fault 99 0 pulls/7 500
hone "${post[@]}" --wait 1s
check_is "500 for ever: exit" "$status" 3
check_is "500 for ever: what was posted" "$(cat "$out")" \
    "GitHub o/n 7: the comment was created; left: 3 inline comments to be created"
check_is "500 for ever: one line" "$(wc -l <"$err")" 1
check_not "500 for ever: a harmless one" grep -q "$(printf '\033')" "$err"
hone "${post[@]}" --wait 1s --json
check "500 for ever: as JSON" "$SUPPORT/is_json" whole <"$out"
check_has "500 for ever: it is not complete" "$out" '"complete": false'
fault
hone "${post[@]}"
check_is "then it goes on" "$(cat "$out")" "GitHub o/n 7: 3 inline comments were created"
check "with nothing doubled" stands 1 3

forge_anew
fault 99 0 query never
hone "${post[@]}" --timeout 1s --wait 1s
check_is "no answer: exit" "$status" 3
check_has "no answer: it is said" "$err" "it had not answered after 1 s"
check_is "no answer: no program is left" "$(pgrep -f -- "ask $sockets/s" | wc -l)" 0

# One line that the service does not show: the others come, and it is named.
forge_anew
grep -v '^notes.txt 5 ' "$forge/lines" >"$TMPDIR/lines" && mv "$TMPDIR/lines" "$forge/lines"
hone "${post[@]}"
check_is "one is refused: exit" "$status" 3
check_has "one is refused: which, and why" "$err" \
    "not posted: create an inline comment at notes.txt:5: GitHub"
check "one is refused: the others stand there" stands 1 2
pull_request

forge_anew
found 0 3 0 "$issues"
hone "${post[@]}"
nothing_found
fault 3 0 esolveReviewThread forbidden
hone "${post[@]}"
check_is "a thread that may not be resolved is no failure" "$status" 0
check_is "its comment says it" "$(grep -c '"body": "\*\*Resolved\*\*' "$forge/state.json")" 3
found 0 3 0 "$issues"

# ---- killed, and two at once ----

forge_anew
fault 1 0 pulls/7/reviews never
"$HONE" "${post[@]}" >/dev/null 2>&1 &
until grep -q reviews "$forge/log"; do sleep 0.05; done
kill -9 $!
wait $! 2>/dev/null
hone "${post[@]}"
check "killed: the next goes on" stands 1 3

forge_anew
for _ in 1 2 3 4; do
    "$HONE" "${post[@]}" >/dev/null 2>&1 &
done
wait $(jobs -p | grep -v "^$forge_pid$")
hone "${post[@]}"
check_is "four at once: exit" "$status" 0
check "four at once: one comment, and no finding twice" stands 1 3

# ---- a pull request that is another than what was judged ----

forge_anew
sed -i 's/^one$/ONE/' added.c
git commit -q -a -m later
pull_request HEAD~2
hone "${post[@]}"
check_has "a newer commit: it is said" "$forge/state.json" "lines may be off"
check "a newer commit: inline only where the file is the same" stands 1 1
check_has "a newer commit: which" "$forge/state.json" '"path": "notes.txt"'
git reset -q --hard HEAD~1
pull_request

printf 'four\n' >>added.c # changed, and not committed
issues+=,$(issue warning added.c 4 'not there')
found 0 4 0 "$issues"
forge_anew
hone "${post[@]}"
check_has "not committed: it is said" "$forge/state.json" \
    "1 file was judged with changes that the pull request does not have"
check "not committed: no inline comments there" stands 1 1
git checkout -q added.c

# What pipelines check out: a clone without the base, and a merge of the head.
found 0 3 0 "$(issue warning added.c 1 'a number'),$(issue warning added.c 2 'a second one'),\
$(issue warning notes.txt 5 'a word')"
git clone -q --depth 1 "file://$PWD" "$TMPDIR/shallow" && cd "$TMPDIR/shallow" || exit 1
git checkout -q --detach
"$HONE" run review --no-fix --quiet --agent "*=script:$TMPDIR/agents.jsonl" >"$TMPDIR/run" 2>&1
forge_anew
hone "${post[@]}"
check "a shallow clone, detached: the service tells the change" \
    grep -q '^GET /repos/o/n/pulls/7 ' "$forge/log"
check "a shallow clone, detached: inline comments" stands 1 3
check_not "a shallow clone, detached: no lines are off" grep -q 'may be off' "$forge/state.json"
git commit -q --allow-empty -m merge
tree=$(git rev-parse 'HEAD^{tree}')
git checkout -q --detach "$(git commit-tree -p HEAD~1 -p HEAD -m 'a merge' "$tree")"
git rev-parse 'HEAD^2' >"$forge/head"
"$HONE" run review --no-fix --quiet --agent "*=script:$TMPDIR/agents.jsonl" >"$TMPDIR/run" 2>&1
forge_anew
hone "${post[@]}"
check "a merge of the head: inline comments" stands 1 3
check_not "a merge of the head: no lines are off" grep -q 'may be off' "$forge/state.json"
forge_anew
fault 9 0 pulls/7 406
hone "${post[@]}"
check_has "no change is told: it is said" "$forge/state.json" "There are no inline comments"
cd "$TMPDIR/repo" || exit 1
pull_request

# ---- refused at once ----

forge_anew
refused "no number" "give --pr NUMBER" comment --post --service github --repo o/n
refused "no remote" "give --service github or gitlab" comment --post --pr 7
refused "no such service" "the services are github and gitlab" comment --service bitbucket
refused "no repository" "it is OWNER/NAME" comment --repo --pr
refused "a repository that is an option" "it is OWNER/NAME" comment --repo -x/y
refused "no number at all" "--pr 0" comment --pr 0
refused "no such mode" "did you mean 'added'?" comment --filter-mode adde
refused "too many" "at most 200" comment --max 1000
refused "no key" "a key has letters" comment --key 'a b'
hone comment --post --service github --repo o/n --pr 9
check_is "no such pull request: exit" "$status" 2
check_has "no such pull request: words" "$err" "Could not resolve"
fault 9 0 query 401
hone "${post[@]}"
check_is "no login: exit" "$status" 2
check_has "no login: what to do" "$err" "gh auth login"
rm "$TMPDIR/bin/gh"
PATH=/usr/bin:/bin
if ! command -v gh >/dev/null; then
    hone "${post[@]}"
    check_is "no gh: exit" "$status" 2
    check_has "no gh: words" "$err" "the program gh is not installed"
else
    mkdir "$TMPDIR/few"
    for tool in git sh; do ln -s "$(command -v $tool)" "$TMPDIR/few/$tool"; done
    PATH=$TMPDIR/few "$HONE" "${post[@]}" >"$out" 2>"$err"
    check_is "no gh: exit" "$?" 2
    check_has "no gh: words" "$err" "the program gh is not installed"
fi
exit "$failed"
