#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone findings: everything that was found and what became of it, on a terminal, in a pipe, and in
# the formats of others.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"

escape=$(printf '\033')
export PAGER=cat # but where the story is about one

# shows NAME LINES ARGUMENTS...: exit 0, and these are the first words of its lines.
shows()
{
    local name=$1 lines=$2
    shift 2
    hone findings "$@"
    check_is "$name: exit" "$status" 0
    check_is "$name" "$(sed 's/: .*//' "$out" | tr '\n' ' ')" "$lines"
}

lacks()
{
    ! grep -qF -- "$2" "$1"
}

# on_terminal COLUMNS ARGUMENTS...: what a terminal would get, without its carriage returns.
on_terminal()
{
    local columns=$1
    shift
    TERM=${TERM_SAID:-xterm} script -qec "stty cols $columns; '$HONE' findings $*" /dev/null \
        </dev/null | tr -d '\r' >"$out"
}

# issue SEVERITY CATEGORY FILE LINE TEXT
issue()
{
    printf '{"severity":"%s","category":%s,"file":"%s","line":%s,"description":"%s",' \
        "$1" "$2" "$3" "$4" "$5"
    printf '"evidence":"it is there","suggestion":"mend it"}'
}

# review CRITICAL WARNING INFO ISSUES
review()
{
    printf '{"issues":[%s],"summary":{"critical":%s,"warning":%s,"info":%s,' "$4" "$1" "$2" "$3"
    printf '"verdict":"issues_found"}}'
}

# ---- before the first run ----

new_repo "$TMPDIR/repo"
refused "no runs yet" "no runs" findings

# ---- two rounds: one thing is mended, one stays on another line, one is new ----

leak=$(issue critical '"memory"' src/main.c 3 'leaks \u001b[31mred\u001b[0m memory')
text=$(issue warning '"text"' notes.txt 2 'a defect is left')
moved=$(issue warning '"text"' notes.txt 4 'a defect is left')
wide=$(issue info null 'src/日本語.c' 12 '全角の文字')
{
    printf '{"role":"critic","round":1,"answer":%s}\n' "$(review 1 1 0 "$leak,$text")"
    printf '{"role":"critic","answer":%s}\n' "$(review 0 1 0 "$moved")"
    printf '{"role":"pedant","round":2,"answer":%s}\n' "$(review 0 0 1 "$wide")"
    printf '{"role":"review-fixer","answer":"# Fixed"}\n{"answer":%s}\n' "$clean"
} >"$TMPDIR/agents.jsonl"
"$HONE" run review --max-iterations 2 --quiet --agent "*=script:$TMPDIR/agents.jsonl" \
    >"$TMPDIR/run" 2>&1
check_is "findings remain" "$?" 1
run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)

hone findings
check_is "shown is shown, whatever they are" "$status" 0
check_is "nothing on stderr" "$(cat "$err")" ""
cat >"$TMPDIR/expected" <<'END'
notes.txt:4: warning: unresolved: a defect is left [text] (ID; tried once)
src/日本語.c:12: note: 全角の文字 [pedant] (ID)
src/main.c:3: note: fixed: leaks \x1b[31mred\x1b[0m memory [memory] (ID)
END
sed 's/(\([0-9a-f]\{8\}\)/(ID/' "$out" | cmp - "$TMPDIR/expected"
check_is "a line for each, the open ones first" "$?" 0
cp "$out" "$TMPDIR/expected"
mkdir -p below
(cd below && "$HONE" findings "${run:0:4}") >"$out"
check "from a folder below, by the run's first letters" cmp "$out" "$TMPDIR/expected"
refused "no such run" "no run begins with 'zzz'" findings zzz
refused "no such format" "did you mean 'sarif'?" findings --format sarf
refused "no such state" "noted, waived, fixed and all" findings --state closed
refused "no such severity" "low, medium and high" findings --severity grave
refused "no such role" "did you mean 'critic'?" findings --role crtic
refused "no such round" "a number from 1 on" findings --round last
refused "two formats" "choose one" findings --json --format sarif
refused "an empty pattern" "fits nothing" findings --file ''

# ---- filters ----

shows "by state" "notes.txt:4 src/日本語.c:12 " --state open
shows "by the other state" "src/main.c:3 " --state fixed
shows "by severity" "notes.txt:4 src/main.c:3 " --severity medium
shows "by file" "src/日本語.c:12 src/main.c:3 " --file 'src/'
shows "by name" "notes.txt:4 " --file '*.txt'
shows "by role" "src/日本語.c:12 " --role pedant
shows "by rule" "src/main.c:3 " --rule 'mem*'
shows "by several states" "notes.txt:4 src/main.c:3 " --state persisting,fixed
shows "what is new in the last round" "src/日本語.c:12 " --state new
shows "what is parked: nothing" "" --state parked,waived,regressed
shows "by backend" "notes.txt:4 src/日本語.c:12 src/main.c:3 " --by script
shows "by another backend" "" --by claude
shows "by votes" "" --min-votes 2
shows "by cause" "notes.txt:4 src/日本語.c:12 src/main.c:3 " --cause change
shows "by another cause" "" --cause fix
refused "no such backend" "--by cluade: the backends are claude, codex" findings --by cluade
refused "no such cause" "change, fix, and the number" findings --cause chance
refused "no votes" "from 1 on" findings --min-votes 0
refused "no state" "'all' means all" findings --state ''
shows "by round" "notes.txt:4 src/main.c:3 " --round 1
shows "by a later round" "notes.txt:4 src/日本語.c:12 " --round 2
shows "by all at once" "notes.txt:4 " --round 2 --role critic --severity medium --state open
shows "none are no error" "" --rule nothing

# ---- formats ----

hone findings --json
check "JSON: one document" "$SUPPORT/is_json" whole <"$out"
check_is "JSON: its run" "$("$SUPPORT/is_json" whole run <"$out")" "$run"
check_is "JSON: all of them" "$(grep -c '"fingerprint"' "$out")" 3
check_has "JSON: faithful" "$out" 'leaks \u001B[31mred\u001B[0m memory'
check_has "JSON: first round" "$out" '"round_first": 1'
check_has "JSON: counts" "$out" '"open": 2'
cp "$out" "$TMPDIR/json"
hone findings --format json
check "--json is --format json" cmp "$out" "$TMPDIR/json"

for format in sarif rdjson; do
    hone findings --format $format
    check "$format: one document" "$SUPPORT/is_json" whole <"$out"
    check "$format: hone reads it" "$HONE" check $format --quiet "$out"
    check_has "$format: what is open" "$out" "a defect is left"
    check "$format: nothing else" lacks "$out" "leaks"
    cp "$out" "$TMPDIR/$format"
    hone findings --format $format --state all
    check_has "$format: all where all are asked for" "$out" "leaks"
    check "$format: hone reads that, too" "$HONE" check $format --quiet "$out"
done
hone findings --format sarif --state all
check_has "sarif: the run did its work" "$out" '"executionSuccessful": true'
check_is "sarif: what became of each" \
    "$(grep -o '"baselineState": "[a-z]*"' "$out" | cut -d'"' -f4 | tr '\n' ' ')" \
    "unchanged new absent "
check_is "sarif: none is suppressed" "$(grep -c '"suppressions": \[\]' "$out")" 3
check_is "sarif: a fingerprint that is its name" "$(grep -o '"hone/id/v1": "[0-9a-f]*"' "$out" |
    cut -d'"' -f4 | cut -c1-8 | tr '\n' ' ')" \
    "$(sed 's/.*(\([0-9a-f]*\).*/\1/' "$TMPDIR/expected" | tr '\n' ' ')"
check_has "sarif: tries" "$out" '"tries": 1'
check_has "sarif: votes" "$out" '"by": "script"'
hone findings --format markdown
check_has "markdown: counts" "$out" "### hone: 2 open (1 medium, 1 low), 1 fixed"
check_has "markdown: a place, linked" "$out" '[`notes.txt:4`](notes.txt#L4)'
check_has "markdown: a row, its line linked" "$out" \
    '| medium | [`notes.txt:4`](notes.txt#L4) | `text` | a defect is left'
check "markdown: harmless" lacks "$out" "$escape"
COLUMNS=100 hone findings --format table
check_has "a table in a pipe: the file" "$out" "notes.txt"
check_has "a table in a pipe: what was found" "$out" "  4   medium  a defect is left [text, critic;"
check "has no colours" lacks "$out" "$escape"

# ---- on a terminal ----

on_terminal 100
check_has "a colour for a severity" "$out" "${escape}[33mmedium"
link="${escape}]8;;file://$(uname -n)$PWD/notes.txt$escape\\"
check_has "a link to the file" "$out" \
    "${link}${escape}[1mnotes.txt${escape}[0m${escape}]8;;$escape\\"
check_has "rounds" "$out" "rounds 1-2; unresolved; tried once; "
check_has "what is fixed, apart" "$out" "src/main.c (fixed)"
check_has "the counts" "$out" "run $run (rounds used up): 2 open (1 medium, 1 low), 1 fixed"
check_has "what agents say is harmless" "$out" 'leaks \x1b[31mred\x1b[0m memory'
on_terminal 40
sed "s/$escape\][^$escape]*$escape\\\\//g; s/$escape\[[0-9;]*m//g" "$out" >"$TMPDIR/plain"
check "it fits" test "$(LC_ALL=C.UTF-8 wc -L <"$TMPDIR/plain")" -le 40
check_is "nothing is cut" "$(grep -c '\.\.\.' "$TMPDIR/plain")" 0
check_has "the last word is there" "$TMPDIR/plain" "$(sed -n "1s/.*(\(........\).*/\1]/p" \
    "$TMPDIR/expected")"
COLUMNS=29 on_terminal 100
check "COLUMNS counts" lacks "$out" "a defect is left"
for setting in NO_COLOR=1 TERM_SAID=dumb; do
    (export "${setting?}" && on_terminal 100)
    check_has "$setting: a table" "$out" "  4   medium  a defect is left"
    check "$setting: without colours and links" lacks "$out" "$escape"
done

# The line of the source, as it is now; and the pager, on a terminal only.
sed -i '4s/.*/four is here/' notes.txt
[ "$(wc -l <notes.txt)" -ge 4 ] || printf 'three\nfour is here\n' >>notes.txt
on_terminal 100
check_has "the line of the source" "$out" "4 | four is here"
HONE_PAGER='sed s/^/paged:/' on_terminal 100 --no-color
check_has "a pager on a terminal" "$out" "paged:notes.txt"
PAGER='sed s/^/paged:/' on_terminal 100 --no-color
check_has "PAGER is one, too" "$out" "paged:notes.txt"
HONE_PAGER='' PAGER='sed s/^/paged:/' on_terminal 100
check "an empty HONE_PAGER is none" lacks "$out" "paged:"
HONE_PAGER='sed s/^/paged:/' on_terminal 100 --no-pager
check "--no-pager: none" lacks "$out" "paged:"
HONE_PAGER='sed s/^/paged:/' hone findings
check "in a pipe: none" lacks "$out" "paged:"
HONE_PAGER='sed s/^/paged:/' on_terminal 100 --json
check "--json: none" lacks "$out" "paged:"
HONE_PAGER='exit 0' on_terminal 100
check_is "a pager that is left at once" "$(cat "$out")" ""
on_terminal 100 --no-color
check "--no-color: without colours and links" lacks "$out" "$escape"
on_terminal 100 --rule nothing
check_has "none fits" "$out" "none of its 3 findings is what you asked for"
on_terminal 100 --format text
check "text on a terminal is text" lacks "$out" "$escape"

# ---- what only tools know: columns, rules, fixes ----

region='"region":{"startLine":3,"startColumn":5,"endLine":3,"endColumn":11}'
place='{"physicalLocation":{"artifactLocation":{"uri":"main.c"},'$region'}}'
fix='{"artifactChanges":[{"artifactLocation":{"uri":"main.c"},"replacements":[{"deletedRegion":'
fix+='{"startLine":3,"startColumn":12,"endLine":3,"endColumn":13},'
fix+='"insertedContent":{"text":"1"}}]}]}'
printf '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[%s]}]}' \
    '{"ruleId":"no-zero","level":"error","message":{"text":"returns 0"},"locations":['"$place"'],
      "fixes":['"$fix"']}' >"$TMPDIR/tool.sarif"
"$HONE" run review --quiet --max-iterations 1 --agent "*=script:$TMPDIR/agents.jsonl" \
    --agent "critic=sarif:cat '$TMPDIR/tool.sarif'" >"$TMPDIR/run" 2>&1
check_is "a tool's finding remains" "$?" 1
hone findings --severity high
check_is "a column" "$(sed 's/ (.*//' "$out")" "main.c:3:5: error: returns 0 [t/no-zero]"
hone findings --severity high --format sarif
check_has "sarif: a column" "$out" '"endColumn": 11'
check_has "sarif: an edit" "$out" '"byteOffset": 28'
hone findings --severity high --format rdjson
check_has "rdjson: a column" "$out" '"column": 11'

# ---- told in other words, by one reviewer and by two; and what differs only in digits ----

one=$(issue critical '"memory"' main.c 3 'the result of malloc is not checked')
again=$(issue critical '"memory"' main.c 4 'malloc may fail and its result is never checked')
other=$(issue critical '"memory"' main.c 3 'unchecked result: malloc can fail')
{
    printf '{"role":"critic","round":1,"answer":%s}\n' \
        "$(review 1 1 0 "$one,$(issue warning null main.c 9 'problem 1')")"
    printf '{"role":"critic","answer":%s}\n' \
        "$(review 1 1 0 "$again,$(issue warning null main.c 9 'problem 2')")"
    printf '{"role":"pedant","answer":%s}\n' "$(review 1 0 0 "$other")"
    printf '{"role":"review-fixer","answer":"# Fixed"}\n{"answer":%s}\n' "$clean"
} >"$TMPDIR/reworded.jsonl"
"$HONE" run review --max-iterations 2 --quiet --agent "*=script:$TMPDIR/reworded.jsonl" \
    >"$TMPDIR/run" 2>&1
check_is "in other words: findings remain" "$?" 1
hone findings --role critic --state open
check_is "in other words it is the same, other digits are another" "$(sed 's/ \[.*//' "$out")" \
    "main.c:4: error: unresolved: malloc may fail and its result is never checked
main.c:9: warning: problem 2"
shows "only the other digits are fixed" "main.c:9 " --state fixed
hone findings --json --severity high
check_is "JSON: one fault" "$(grep -c '"fingerprint"' "$out")" 1
check_is "JSON: with the votes of two roles" \
    "$(sed -n '/"votes"/,/]/p' "$out" | grep '"role"' | sort | tr -d ' ,\n')" \
    '"role":"critic""role":"pedant"'
check_is "JSON: seen since round 1" "$(grep -c '"round_first": 1' "$out")" 1

hone findings --min-votes 2
check_has "votes are said" "$out" "; 2 votes"
shows "by a role that did not report it first" "main.c:4 " --role pedant

# Findings that differ only in digits are not one: in five rounds, and in one review.
{
    for round in 1 2 3 4 5; do
        printf '{"role":"critic","round":%s,"answer":%s}\n' $round \
            "$(review 0 1 0 "$(issue warning null main.c 3 "problem $round of its kind is there")")"
    done
    printf '{"role":"review-fixer","answer":"# Fixed"}\n{"answer":%s}\n' "$clean"
} >"$TMPDIR/digits.jsonl"
"$HONE" run review --max-iterations 5 --quiet --agent "*=script:$TMPDIR/digits.jsonl" \
    >"$TMPDIR/run" 2>&1
check_has "five reports of five rounds that differ in a digit are five" "$TMPDIR/run" "found 5,"
hone findings
check_is "each with a name of its own" "$(sed 's/.*(\([0-9a-f-]*\).*/\1/' "$out" | sort -u |
    wc -l)" 5
check_is "and one of them is open" "$("$HONE" findings --state open | wc -l)" 1
all=
for number in 1 2 3 4 5; do
    all+=${all:+,}$(issue warning null main.c 3 "problem $number of its kind is there")
done
printf '{"role":"critic","answer":%s}\n{"answer":%s}\n' "$(review 0 5 0 "$all")" "$clean" \
    >"$TMPDIR/digits.jsonl"
"$HONE" run review --no-fix --quiet --agent "*=script:$TMPDIR/digits.jsonl" >"$TMPDIR/run" 2>&1
check_has "likewise in one review" "$TMPDIR/run" "found 5,"
on_terminal 50 --across
check_has "--across: lines fit a terminal" "$out" "    is there"
check_not "--across: and none is longer" grep -qE '^.{51}' "$out"
name=$("$HONE" findings | sed -n 's/.*(\([0-9a-f]*-4\).*/\1/p')
hone waive "$name" --reason 'this one alone'
"$HONE" run review --no-fix --quiet --agent "*=script:$TMPDIR/digits.jsonl" >"$TMPDIR/run" 2>&1
check_is "one of them is waived, and no other" "$("$HONE" findings --state waived | wc -l)" 1
check_is "the others are open" "$("$HONE" findings --state open | wc -l)" 4
# A later run has one of the others under the same name.
printf '{"role":"critic","answer":%s}\n{"answer":%s}\n' \
    "$(review 0 1 0 "$(issue warning null main.c 3 "problem 3 of its kind is there")")" "$clean" \
    >"$TMPDIR/third.jsonl"
"$HONE" run review --no-fix --quiet --agent "*=script:$TMPDIR/third.jsonl" >"$TMPDIR/run" 2>&1
third=$("$HONE" findings | sed 's/.*(\([0-9a-f-]*\).*/\1/')
hone waive "$third" "$third" --reason 'the third'
hone waive "$third" --reason 'the third, said twice'
check_is "two waivers, and none in the place of the other" \
    "$(grep -c '^- id:' .hone/waivers.yaml)" 2
"$HONE" run review --no-fix --quiet --agent "*=script:$TMPDIR/digits.jsonl" >"$TMPDIR/run" 2>&1
check_is "both hold" "$("$HONE" findings --state waived | wc -l)" 2
hone waive --remove "$("$HONE" waive --list | sed -n '/problem 3/s/ .*//p')"
"$HONE" run review --no-fix --quiet --agent "*=script:$TMPDIR/digits.jsonl" >"$TMPDIR/run" 2>&1
hone findings --format sarif
check_has "sarif: suppressed" "$out" '"status": "accepted"'
check_has "sarif: with the reason" "$out" '"justification": "this one alone"'
check "sarif: hone reads that" "$HONE" check sarif --quiet "$out"
hone findings --format rdjson
check "rdjson: what is waived is not there" test "$(grep -c '"message"' "$out")" = 4
hone findings --format markdown
check_has "markdown: waived, and why" "$out" "| waived: this one alone |"
check_has "markdown: counted" "$out" "4 open (4 medium), 1 waived, 0 fixed"
rm -r .hone

# ---- other ends ----

"$HONE" run review --quiet --agent "*=script:$TMPDIR/agents.jsonl" --agent "witness=cmd:exit 1" \
    >"$TMPDIR/run" 2>&1
check_is "a run that failed" "$?" 3
hone findings --format sarif
check_has "a failed run's SARIF says so" "$out" '"executionSuccessful": false'
check_has "and has what was found" "$out" "leaks"
printf '{"answer":%s}\n' "$clean" >"$TMPDIR/clean.jsonl"
"$HONE" run review --quiet --agent "*=script:$TMPDIR/clean.jsonl" >"$TMPDIR/run" 2>&1
check_is "a clean run" "$?" 0
hone findings
check_is "nothing found: exit" "$status" 0
check_is "nothing found: no line" "$(cat "$out")" ""
on_terminal 100
check_has "nothing found, said" "$out" "(clean): nothing was found"
hone findings --format sarif
check "an empty SARIF is one" "$HONE" check sarif --quiet "$out"
shows "an older run by its name" "notes.txt:4 src/日本語.c:12 src/main.c:3 " "$run"
# ---- over runs: told again in other words, moved, fixed, and never seen again ----

new_repo "$TMPDIR/across"
refused "over runs: none yet" "no runs" findings --across
first=$(issue critical '"memory"' main.c 3 'the result of malloc is not checked')
later=$(issue critical '"memory"' main.c 5 'malloc may fail and its result is never checked')
gone=$(issue warning null notes.txt 1 'the greeting has no name')
# looks ANSWER [OPTIONS...]: a run whose critic says this in its first round, and then nothing.
looks()
{
    printf '{"role":"critic","round":1,"answer":%s}\n' "$1" >"$TMPDIR/across.jsonl"
    printf '{"role":"review-fixer","answer":"# Fixed"}\n{"answer":%s}\n' "$clean" \
        >>"$TMPDIR/across.jsonl"
    shift
    "$HONE" run review --quiet --agent "*=script:$TMPDIR/across.jsonl" "$@" >"$TMPDIR/run" 2>&1
    "$HONE" status --json | "$SUPPORT/is_json" whole run
}
one=$(looks "$(review 1 1 0 "$first,$gone")" --no-fix)
two=$(looks "$(review 1 0 0 "$later")" --max-iterations 1)
three=$(looks "$(review 1 0 0 "$later")")
four=$(looks "$clean")
hone findings --across
check_is "over runs: exit" "$status" 0
today=$(date -u +%Y-%m-%d)
sed "s/$today/DAY/; s/([^()]*)$/(TIME)/" "$out" >"$TMPDIR/shown"
name=$(sed -n '1s/ .*//p' "$out")
other=$(sed -n 's/.* as \(.*\)/\1/p' "$out")
cat >"$TMPDIR/expected" <<END
$name main.c:5: high: malloc may fail and its result is never checked
    DAY run $one: new, line 3, as $other
    DAY run $two: new
    DAY run $three: fixed
$(sed -n 's/ notes.txt.*//p' "$out") notes.txt:1: medium: the greeting has no name
    DAY run $one: new
2 findings over 4 runs; all their events were read (TIME)
END
check_is "over runs: where each was seen, and how it was left" "$(diff "$TMPDIR/shown" \
    "$TMPDIR/expected")" ""
check "over runs: the last one saw nothing" lacks "$out" "$four"
hone findings --across "$other"
check_is "over runs: one of them, by a name that it had" "$(grep -c ' run ' "$out")" 3
hone findings --across --json
check "over runs: JSON" "$SUPPORT/is_json" whole <"$out"
check_has "over runs: JSON: first seen" "$out" "\"first\": \"$one\""
check_has "over runs: JSON: last seen" "$out" "\"last\": \"$three\""
hone findings --across --state open
check_has "over runs: by its last state" "$out" "1 finding over 4 runs"
hone findings --across --file main.c --severity high
check_has "over runs: by file and severity" "$out" "1 finding over 4 runs"
refused "over runs: none of that name" "begins with 'zzz'" findings --across zzz
refused "over runs: what is about one run" "is about one run" findings --across --role critic
exit "$failed"
