#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone export --format html: a run as one page. What is on it of a run of several rounds, of lanes,
# of a run that failed, is at work or died; what it says where the trees are gone; and that nothing
# that agents, files and people wrote is markup.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/pages.sh"

page=$TMPDIR/page.html
text=$TMPDIR/page.txt

# shows NAME OPTIONS...: the page of the newest run, and its text. It must be whole, with no markup
# but the writer's.
shows()
{
    local name=$1
    shift
    hone export "$@" --format "html=$page"
    check_is "$name: written" "$status $(cat "$err")" "0 "
    check "$name: all markup is the writer's" page_is_whole
}

page_is_whole()
{
    "${SUPPORT:?}/is_page" "$page" >"$text.raw" && grep -v '^[[:space:]]*$' "$text.raw" >"$text"
}

# says NAME LINES...: the text of the page has these lines, one behind the other.
says()
{
    local name=$1 wanted
    shift
    wanted=$(printf '%s\n' "$@")
    if [[ "$(cat "$text")" == *"$wanted"* ]]; then ok "$name"; else not_ok "$name: no '$wanted'"; fi
}

# ---- three rounds: two are fixed, a fix brings one, one attempt breaks its contract ----

scene_rounds
commit=$(git rev-parse --short=12 HEAD)
check_is "three rounds: clean" "$status" 0
shows "three rounds"
says "the task is the heading" "Put the words right, and no other" \
    "Clean: the last review found nothing."
says "what was found" "Left open" 0 Fixed 3 Noted 0 Waived 0 "Found in all" 3 Rounds 3
says "the repository" Repository till Branch trunk Commit "$commit"
says "the budget" Budget "18 of 60 calls"
says "the first round, and what was open after it" 1 "round 1"
row=$(tr '\n' '|' <"$text" | grep -o '|findings|3|[^a-z]*|' | head -n 1)
check_is "three were reported, two open by the change" "${row:0:18}" "|findings|3|2|0|0|"
row=$(tr '\n' '|' <"$text" | grep -o '|findings|1|[^a-z]*|' | head -n 1)
check_is "one is open, by the fix" "${row:0:18}" "|findings|1|0|1|2|"
says "who brought the third" "Brought by" "the fix of round 1"
says "the finding's votes, each in its own words" "In its own words" "Still says so" \
    "critic by cmd" 1 high "the second word is bad" no \
    "pedant by cmd" 1 high "word number two is no word at all" no
says "its history" new " round 1" fixed " round 2"
check_has "the fix that resolved it" "$page" "<ins>"
grep -q '<del>.*bad one</del>' "$page"
check_is "with what was there before" $? 0
check_has "an attempt that broke its contract" "$text" "invalid"
says "and the retry" "2-2" pedant
says "who looked, and the proof" "critic by cmd" 3 1 2 0
check_has "files that were read" "$text" "words.txt"
check_is "a title says how it ended" "$(sed -n 's:.*<title>\(hone.*\)</title>$:\1:p' "$page")" \
    "hone: clean: Put the words right, and no other"
check_not "no script" grep -q '<script' "$page"
check_not "nothing is loaded from elsewhere" grep -Eq '(src|href)="[^#]|@import|url\([^#]' "$page"
check_has "a policy forbids it" "$page" "default-src 'none'"
cp "$page" "$TMPDIR/first.html"
sleep 1
shows "again"
check "the same run is the same page" cmp "$page" "$TMPDIR/first.html"
"$HONE" findings --format html >"$TMPDIR/second.html"
check "hone findings writes the same" cmp "$page" "$TMPDIR/second.html"
check_is "nothing of the tree was touched" "$(git status --short -- words.txt)" ""

shows "some of them" --severity high
says "says what is chosen" "Chosen:" " this page has 1 of the 3 findings of the run."

# ---- trees that git may not compare, and trees that are gone ----

objects=.git/hone/objects
mv "$objects" "$objects.away" && touch "$objects"
shows "no comparison"
check_has "it says why a fix cannot be shown" "$text" \
    "It cannot be shown: git could not compare the trees of these reviews;"
check_not "and names no folder of this machine" grep -qF "$TMPDIR" "$page"
rm "$objects" && mv "$objects.away" "$objects"

rm -f .git/hone/runs/*/tree-*
shows "no trees"
check_has "it says that the fix cannot be shown" "$text" \
    "It cannot be shown: the trees of these reviews are not kept any more."
says "and that branch and commit are not known" Branch "not kept" Commit "not known"

# ---- lanes ----

scene_lanes
check_is "lanes: clean" "$status" 0
shows "lanes"
check_has "a lane has its name and its task" "$text" "a: Add the cart"
check_has "a round of a lane" "$text" "round 2 of build, lane a"
check_has "the fix of a lane" "$text" "What the fix of round 1 of build, lane a changed"
check_has "its diff" "$page" "line 1</ins>"
says "branch of the main lane" Branch main

# ---- failed, at work, died ----

new_repo "$TMPDIR/failed"
hone run review --quiet --agent '*=cmd:exit 3'
check_is "failed: exit" "$status" 3
shows "failed"
check_has "it says so in words" "$page" 'class="end end-bad"'
check_has "at the top" "$text" "Not all that could be found was found:"
check_has "who failed, and how" "$text" "failed (exit)"

new_repo "$TMPDIR/work"
mkfifo "$TMPDIR/gate"
"$HONE" run review --quiet --agent "*=cmd:echo >$TMPDIR/begun; cat $TMPDIR/gate; cat $play/clean" \
    >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 600; i++)); do if [ -e "$TMPDIR/begun" ]; then break; fi; sleep 0.1; done
shows "at work"
check_has "it says that the run is at work" "$text" "The run is still at work."
check_has "an attempt has not ended" "$text" "not ended"
kill -9 "$pid"
wait "$pid" 2>/dev/null
for ((i = 0; i < 100; i++)); do
    if [ "$("$HONE" status --json | "$SUPPORT/is_json" whole state)" != running ]; then break; fi
    sleep 0.1
done
shows "died"
check_has "it says that it died" "$text" "Was interrupted (crashed)."

# ---- nothing was found; something is waived; a file was not looked at ----

forget
new_repo "$TMPDIR/clean"
hone run review --quiet --agent "*=$agent"
shows "nothing found"
check_has "it says so" "$text" "Nothing was found."

does critic "$sees"
hone run review --quiet --max-iterations 1 --agent "*=$agent"
id=$("$HONE" findings --format text | sed 's/.*(\([0-9a-f]*\).*/\1/')
shows "left open"
says "the lines around it" "Where it was last reported"
check_has "the line itself is marked" "$page" "<mark>"
check_has "with what it says" "$text" "defect"
hone waive "$id" --reason 'it is <b>intruder</b>'
hone run review --quiet --agent "*=$agent"
shows "waived"
says "what is waived is counted" Waived 1
says "why it is waived" Waived 'it is <b>intruder</b>'
says "its state" waived " round 1"

mkdir -p "$TMPDIR/partial" "$TMPDIR/fake" && cd "$TMPDIR/partial" || exit 1
git init -q .
printf 'int f(void);\nint f(void) { return 1; }\n' >good.c
printf 'int g(void);\nint g(void) { return 1; }\n' >'<b>intruder.c'
git add . && git commit -q -m first
cat >"$TMPDIR/fake/gcc" <<'END'
#!/bin/sh
case "$*" in *intruder*) kill -SEGV $$ ;; esac
PATH=${PATH#*fake:} exec gcc "$@"
END
chmod +x "$TMPDIR/fake/gcc"
PATH=$TMPDIR/fake:$PATH hone run review --all --quiet --agent critic=analyzer:gcc \
    --agent '*=analyzer:none' --agent review-fixer=fixits
check_is "a file was not looked at: exit" "$status" 1
shows "partial"
check_has "it says so at the top" "$text" "Partial:"
says "how many" "1 of 2 files were not looked at"
says "which, by whom and why" '<b>intruder.c' gcc "it crashed (signal 11)"

# ---- names and texts with markup ----

scene_hostile
shows "hostile"
check "hostile: all markup is the writer's" page_is_whole
check_has "what was said is there, as text" "$text" '</summary></details><script>intruder('
check_has "an escape is shown" "$text" '\x1b[2J'
check_has "a change of direction is shown" "$text" '\u{202e}'
check_has "a branch is text" "$text" 'x"><script>intruder</script>'
check_has "a byte that is no character is shown" "$text" '\xff'
check_not "no tag of theirs" grep -qi '<script\|<img' "$page"

exit "$failed"
