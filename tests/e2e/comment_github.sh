#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone comment on GitHub: one comment that is updated in place, inline comments where the diff shows
# the line, and a service that fails in every way. The real gh speaks to a stand-in of the service
# where it is installed.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"
. "$TOP/tests/support/forge.sh"

if [ -n "$real_gh" ]; then
    speaks gh "$real_gh"
else
    echo "skipped: the real gh: it is not installed"
    speaks gh
fi
post=(comment --post --service github --repo o/n --pr 7)

# A pull request that changes, adds, renames and deletes.
mkdir "$TMPDIR/repo" && cd "$TMPDIR/repo" || exit 1
git init -q .
seq 1 20 >notes.txt
seq 1 30 >"old name.c"
echo gone >gone.c
git add . && git commit -q -m first
sed -i 's/^10$/ten/' notes.txt
git mv "old name.c" "new name.c" && sed -i 's/^5$/five/' "new name.c"
git rm -q gone.c
printf 'int a;\nint b;\n' >added.c
git add . && git commit -q -m change
pull_request

unused='the second number of this file is declared here and then used nowhere'
issues=$(issue critical added.c 2 "$unused"),$(issue warning notes.txt 10 'a word')
issues+=,$(issue warning 'new name.c' 5 'another word'),$(issue warning notes.txt 12 'in context')
issues+=,$(issue info notes.txt 1 'far away'),$(issue info gone.c 1 'it was deleted')
issues+=,$(issue info notes.txt null 'no line'),$(issue info ../outside.c 1 'elsewhere')
found 1 3 4 "$issues"
run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)

# ---- printed ----

hone comment
check_is "printed: exit" "$status" 0
check_has "printed: the counts" "$out" "### hone: 8 open (1 high, 3 medium, 4 low), 0 fixed"
check_has "printed: a row" "$out" "| high | \`added.c:2\` | $unused | \`text\` |"
check_is "printed: the worst first" "$(grep -o '^| [a-z]* |' "$out" | tr -d '| \n')" \
    severityhighmediummediummediumlowlowlowlow
hone comment "${run:0:4}" --json
check "as a plan: one document" "$SUPPORT/is_json" whole <"$out"
check_is "as a plan: inline in lines that were added" "$(grep -c '"side": "RIGHT"' "$out")" 3
check_has "as a plan: why others are not" "$out" '"why": "its file is not part of the diff"'
check_has "as a plan: nor this" "$out" '"why": "it is about no line"'
check "nothing is asked of a service" test ! -e "$TMPDIR/calls"

# ---- posted ----

forge_anew
hone "${post[@]}"
check_is "posted: exit" "$status" 0
check_is "posted: what was done" "$(cat "$out")" \
    "GitHub o/n 7: the comment was created, 3 inline comments were created"
check "posted: it stands there" stands 1 3
check_is "posted: people are notified twice" "$(written)" 2
check_has "posted: the renamed file by its new name" "$forge/state.json" '"path": "new name.c"'
check_has "posted: links to the commit" "$forge/state.json" \
    "https://github.com/o/n/blob/$(cat "$forge/head")/new%20name.c#L5"
before=$(written)
hone "${post[@]}"
check_is "again: exit" "$status" 0
check_has "again: nothing is left to do" "$out" "everything stands there already"
check_is "again: nothing was changed" "$(written)" "$before"
hone "${post[@]}" --filter-mode diff_context
check_has "in context, where that is asked for" "$out" "1 inline comment was created"
check "in context: it stands there" stands 1 4
check_not "no token on a command line" grep -q token-of-the-story "$TMPDIR/calls"
check_not "no text of an agent on a command line" grep -q -e 'used nowhere' -e 'a word' \
    "$TMPDIR/calls"

# ---- the next run: one is fixed, one is told in other words, one is new ----

sed -i 's/^ten$/10/' notes.txt
printf 'int c;\n' >>added.c
git commit -q -a -m more
pull_request HEAD~2
unused='declared here, the second number of this file is then used nowhere at all'
issues=$(issue critical added.c 2 "$unused"),
issues+=$(issue warning added.c 3 'c is new'),$(issue warning 'new name.c' 5 'another word')
found 1 2 0 "$issues"
hone "${post[@]}"
check_is "the next run: what was done" "$(cat "$out")" "GitHub o/n 7: the comment was updated, \
2 threads were resolved, 2 inline comments were updated, 1 inline comment was created"
check "the next run: one comment still" stands 1 5
check_is "the next run: threads are resolved" "$(grep -c '"resolved": true' "$forge/state.json")" 2
check_has "the next run: the comment lists it" "$forge/state.json" \
    '- ~~a word~~ `notes.txt:10`: no longer reported'
hone "${post[@]}"
check_has "the next run: then nothing is left" "$out" "everything stands there already"

# ---- a run that has not looked resolves nothing, and does not look clean ----

"$HONE" run review --no-fix --quiet --agent '*=cmd:exit 1' >"$TMPDIR/run" 2>&1
hone comment
check_is "failed: the first line says it" "$(sed -n 2p "$out")" "### hone: failed: an agent could \
not run or kept breaking its contract; nothing is open in what was judged"
hone "${post[@]}"
check_is "failed: nothing is resolved" "$(cat "$out")" "GitHub o/n 7: the comment was updated"
check_has "failed: what was open is named" "$forge/state.json" \
    "Reported before, and not judged again (3)"
nothing_found
hone "${post[@]}"
check_has "clean: the first line says it" "$forge/state.json" \
    'review -->\n### hone: clean: the last review found nothing\n'
check_is "clean: all threads are resolved" "$(grep -c '"resolved": true' "$forge/state.json")" 5
check_is "clean: and all say so" "$(grep -c '"body": "\*\*Resolved\*\*' "$forge/state.json")" 5

# ---- whose comment it is ----

speaks gh # from here on the stand-in: it is faster

found 1 2 0 "$issues"
forge_anew
hone "${post[@]}"
sed -i 's/"author": "bot"/"author": "stranger"/' "$forge/state.json"
hone "${post[@]}"
check_is "a stranger's comment is not taken for ours" "$(cat "$out")" \
    "GitHub o/n 7: the comment was created, 3 inline comments were created"
nothing_found
hone "${post[@]}"
check_is "and not changed" "$(grep -A1 '"author": "stranger"' "$forge/state.json" |
    grep -c -e 'hone: 3 open' -e '"body": "\*\*\(high\|medium\)')" 4
found 1 2 0 "$issues"
forge_anew
hone "${post[@]}" --key other
hone "${post[@]}"
check "another key is another comment" stands 2 6
forge_anew
echo '{"comments":[],"threads":[],"next":1,"locked":true}' >"$forge/state.json"
hone "${post[@]}"
nothing_found
hone "${post[@]}"
check_has "a thread that may not be resolved: its comment says it" "$out" \
    "the comment was updated, 3 inline comments were updated"
found 1 2 0 "$issues"

# ---- many comments: lists have pages ----

forge_anew
echo 2 >"$forge/page"
{
    printf '{"comments":['
    for i in 1 2 3 4 5; do printf '{"id":%s,"author":"a","body":"b"},' "$i"; done
    printf '{"id":6,"author":"a","body":"b"}],"threads":[],"next":7}\n'
} >"$forge/state.json"
hone "${post[@]}"
hone "${post[@]}"
check_has "behind several pages it is found" "$out" "everything stands there already"
rm "$forge/page"

exit "$failed"
