#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a dialect is told of the tree: what a writer has changed, by content, not by what it
# says, and however it did it. The dialect is the test program's: what is seen here is the driver.
. "${TOP:?}/tests/support/story.sh"

rounds=${SUPPORT:?}/rounds
export ROUNDS_LOG=$TMPDIR/log

begin()
{
    rm -f "$ROUNDS_LOG"
    mkdir -p "$TMPDIR/$1" && cd "$TMPDIR/$1" || exit 1
    git init -q -b main .
    printf 'one\ntwo\n' >notes.txt
    printf 'old\n' >old.txt
    printf 'run\n' >run.sh
    printf '*.o\n' >.gitignore
    git add . && git commit -q -m first
}

# The part of the log that begins with a line, up to the next one that is not indented.
part()
{
    awk -v name="$1" '$0 == name { on = 1; next } /^(start|judge|prompt)/ { on = 0 } on' \
        "$ROUNDS_LOG" | grep '^  ' | sort
}

# ---- every kind of change ----

begin kinds
echo mine >dirty.txt
"$rounds" run "cmd:echo three >>notes.txt; rm old.txt; chmod +x run.sh; echo new >'a b'; \
echo x >x.o; mkdir -p .agents; echo y >.agents/y; echo more >>dirty.txt; echo done" \
    "cmd:echo pass" >/dev/null 2>&1
check_is "kinds: delivered" $? 0
check_is "kinds: what there was at the start" "$(part start)" \
    "$(printf '  dirty added dirty.txt content\n  head commit')"
wanted="  delta added a b content
  delta deleted old.txt gone
  delta mode run.sh content
  delta modified dirty.txt content
  delta modified notes.txt content"
check_is "kinds: what the worker changed" "$(part 'judge of worker' | grep delta)" "$wanted"
check_is "kinds: the reviewer is told the same" "$(part 'prompt of reviewer' | grep delta)" \
    "$wanted"
check_has "kinds: as text" "$ROUNDS_LOG" "+three"
check_has "kinds: what was there before is the other side" "$ROUNDS_LOG" " mine"
check_is "kinds: all that is not committed" "$(part 'judge of worker' | grep -c dirty)" 6

# ---- a commit changes nothing of it ----

begin commits
"$rounds" run "cmd:echo three >>notes.txt; echo new >new.txt; git add .; git commit -q -m mine; \
echo done" "cmd:echo pass" >/dev/null 2>&1
check_is "commits: what the worker changed" "$(part 'judge of worker')" \
    "$(printf '  delta added new.txt content\n  delta modified notes.txt content\n  head commit')"
check_has "commits: as text" "$ROUNDS_LOG" "+three"

# ---- nothing was done ----

begin nothing
"$rounds" run "cmd:touch notes.txt; echo done" "cmd:echo pass" >/dev/null 2>&1
check_is "nothing: there is no delta" "$(part 'judge of worker')" "  head commit"

# ---- a second round is told of the second round ----

begin second
"$rounds" run "cmd:if [ -e first ]; then echo 2 >second; else echo 1 >first; fi; echo done" \
    "cmd:if [ -e second ]; then echo pass; else echo fail; fi" >/dev/null 2>&1
check_is "second: the last judgement" \
    "$(awk '/^judge of worker/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }' \
        "$ROUNDS_LOG" | sed -n '/^judge/,/^prompt/p' | grep '^  delta')" \
    "  delta added second content"

# ---- a worker that fails, and one that dies with hone, is judged by all it did ----

begin again
"$rounds" run "cmd:if [ -e first ]; then echo 2 >second; echo done; else echo 1 >first; exit 1; \
fi" "cmd:echo pass" >/dev/null 2>&1
check_is "again: both attempts count" "$(part 'judge of worker' | grep delta)" \
    "$(printf '  delta added first content\n  delta added second content')"

begin crash
"$rounds" run "cmd:if [ -e first ]; then echo 2 >second; echo done; else echo 1 >first; \
kill -9 \$(cat $TMPDIR/pid); sleep 9; fi" "cmd:echo pass" >/dev/null 2>&1 &
echo $! >"$TMPDIR/pid"
wait $! 2>/dev/null
"$rounds" resume >/dev/null 2>&1
check_is "crash: resumed" $? 0
check_is "crash: both attempts count" "$(part 'judge of worker' | grep delta)" \
    "$(printf '  delta added first content\n  delta added second content')"

# ---- odd files ----

begin odd
"$rounds" run "cmd:printf 'a\\0b' >binary; ln -s notes.txt link; head -c 600000 /dev/zero | \
tr '\\0' '\\n' >long.txt; mkdir d; echo x >'d/\$(touch x)'; echo done" "cmd:echo pass" \
    >/dev/null 2>&1
check_is "odd: delivered" $? 0
check_has "odd: a binary file is named" "$ROUNDS_LOG" "Binary files /dev/null and b/binary differ"
check_has "odd: a long one is cut" "$ROUNDS_LOG" "(cut: "
check_is "odd: all are there" "$(part 'judge of worker' | grep -c delta)" 4

# ---- the prompt in a file ----

begin prompt
"$rounds" run "cmd:echo done" "cmd:stat -c %a .agents/prompts/*.md >$TMPDIR/mode; \
cmp .agents/prompts/*.md /dev/stdin >>$TMPDIR/mode && echo pass" >/dev/null 2>&1
check_is "prompt: it was there, for the user alone" "$?$(cat "$TMPDIR/mode")" 0600
check_is "prompt: it is gone" "$(ls .agents/prompts)" ""

begin prompt_crash
"$rounds" run "cmd:echo done" "cmd:if [ -e $TMPDIR/once ]; then echo pass; else \
touch $TMPDIR/once; kill -9 \$(cat $TMPDIR/pid2); sleep 9; fi" >/dev/null 2>&1 &
echo $! >"$TMPDIR/pid2"
wait $! 2>/dev/null
check_is "prompt: a crash leaves it" "$(ls .agents/prompts | wc -l)" 1
"$rounds" resume >/dev/null 2>&1
check_is "prompt: the resume removes it" "$?$(ls .agents/prompts)" 0

# ---- asked once ----

begin asked_once
ROUNDS_ONCE=1 "$rounds" run "cmd:echo done" "cmd:echo x >>$TMPDIR/asked; echo what" >/dev/null 2>&1
check_is "once: it failed" $? 3
check_is "once: it was asked once" "$(wc -l <"$TMPDIR/asked")" 1
begin asked_twice
"$rounds" run "cmd:echo done" "cmd:echo x >>$TMPDIR/asked2; echo what" >/dev/null 2>&1
check_is "twice: others are asked again" "$?$(wc -l <"$TMPDIR/asked2")" 32

# ---- a report beside the answer ----

# report NAME STDOUT REPORT WANTED: a reviewer that says and reports something.
report()
{
    begin "report_$1"
    "$rounds" run "cmd:echo done" "cmd:printf '$3' >\"\$(dirname \"\$HONE_OUTPUT\")/report\"; \
printf '$2'" >/dev/null 2>&1
    check_is "report: $1" $? "$4"
}
report "alone" '' 'pass\n' 0
report "both pass" 'pass\n' 'pass\n' 0
report "the report is worse" 'pass\n' 'fail\n' 1
report "the answer is worse" 'fail\n' 'pass\n' 1
report "prose beside it" 'I have reported\n' 'pass\n' 0
report "a bad report" 'pass\n' 'hm\n' 3

# ---- delivered is what was reviewed ----

begin guard
ROUNDS_LATE=late.txt "$rounds" run "cmd:echo done" "cmd:echo x >>$TMPDIR/reviews; echo pass" \
    >/dev/null 2>"$TMPDIR/err.log"
check_is "guard: what came late was reviewed" "$?$(wc -l <"$TMPDIR/reviews")" 02
check_has "guard: it is said" "$TMPDIR/err.log" "changed since it was reviewed (added late.txt)"

exit $failed
