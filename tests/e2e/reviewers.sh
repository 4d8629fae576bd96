#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone reviewers: per role and backend how often it looked, found, found alone, was confirmed by
# others, declined, fixed, regressed, and what an accepted finding cost, by the ledgers of all runs.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"

# issue SEVERITY FILE LINE TEXT
issue()
{
    printf '{"severity":"%s","category":"text","file":"%s","line":%s,"description":"%s",' "$@"
    printf '"evidence":"it is there","suggestion":"mend it"}'
}

# review CRITICAL WARNING INFO ISSUES
review()
{
    printf '{"issues":[%s],"summary":{"critical":%s,"warning":%s,"info":%s,' "$4" "$1" "$2" "$3"
    printf '"verdict":"issues_found"}}'
}

# of ROLE KEY: what the JSON says of a reviewer.
of()
{
    tr -d '\n' <"$out" | sed 's/{ *"role"/\n&/g' | grep "\"role\": \"$1\"" |
        sed -n "s/.*\"$2\": \([^,}]*\).*/\1/p" | tr -d ' '
}

new_repo "$TMPDIR/repo"
hone reviewers
check_is "before the first run: nothing to say" "$status" 0
check_has "which is said" "$out" "no reviewer has looked yet; 'hone run review' starts a run"
check_is "and nothing else" "$(wc -l <"$out")" 1

# The critic and the pedant report one fault, the critic another one alone; the first round's are
# mended, and the second's is small and new.
for line in $(seq 1 120); do echo "line $line"; done >>notes.txt
both=$(issue critical notes.txt 40 'the total is never checked for overflow')
alone=$(issue warning notes.txt 90 'a descriptor leaks when the read fails')
{
    printf '{"role":"critic","round":1,"answer":%s}\n' "$(review 1 1 0 "$both,$alone")"
    printf '{"role":"pedant","round":1,"answer":%s}\n' "$(review 1 0 0 "$both")"
    printf '{"answer":%s}\n' "$clean"
} >"$TMPDIR/agents.jsonl"
hone run review --quiet --agent "*=script:$TMPDIR/agents.jsonl" \
    --agent 'review-fixer=cmd:sed -i "40s/$/ x/; 90s/$/ x/" notes.txt; echo "# Fixed: notes.txt"'
check_is "a run of two rounds" "$status" 0
hone reviewers --json
check_is "as JSON" "$status" 0
check "which it is" "$SUPPORT/is_json" whole <"$out" runs
check_is "how often it looked" "$(of critic looked)" 2
check_is "found" "$(of critic found)" 2
check_is "found alone" "$(of critic alone)" 1
check_is "was confirmed by others" "$(of critic confirmed)" 1
check_is "the other one" "$(of pedant found) $(of pedant alone) $(of pedant confirmed)" "1 0 1"
check_is "later fixed" "$(of critic fixed)" 2
check_is "accepted" "$(of critic accepted)" 2
check_is "who finds nothing is there, too" "$(of witness looked) $(of witness found)" "2 0"
check_is "no agent said what it cost" "$(of critic cost_per_accepted)" null
check_has "by which backend" "$out" '"by": "script"'
check_has "too little to measure" "$out" '"enough": false'
check_not "a fixer is no reviewer" grep -q review-fixer "$out"

# One more run, by another backend: what the critic reports is fixed and comes back; what the pedant
# reports is declined with a reason.
wrap=$(review 1 0 0 "$(issue critical notes.txt 60 'a sum of lengths may wrap around')")
name=$(review 0 1 0 "$(issue warning notes.txt 100 'the name says less than it should')")
cat >"$TMPDIR/agent.sh" <<END
cat >/dev/null
case \$HONE_ROLE\$HONE_ROUND in
critic1 | critic3) printf %s '$wrap' ;;
pedant2) printf %s '$name' ;;
review-fixer2) echo '# Could Not Fix: notes.txt:100 -- the name is right' ;;
review-fixer*) sed -i "60s/\$/ y/" notes.txt && echo '# Fixed: notes.txt' ;;
*) printf %s '$clean' ;;
esac
END
hone run review --quiet --agent "*=cmd:sh $TMPDIR/agent.sh"
check_is "a run of four rounds" "$status" 0
hone reviewers --runs 1 --json
check_is "what came back" "$(of critic regressed) $(of pedant regressed)" "1 0"
check_is "what the fixer declined" "$(of critic declined) $(of pedant declined)" "0 1"
check_is "calls are counted" "$(of critic calls)" 4
hone reviewers
check_is "as a table" "$status" 0
check_has "with a row for each backend" "$out" "critic                 cmd"
check_has "of all runs" "$out" "Of 2 runs."
check_has "and says that it goes by a guess" "$out" "new runs go by a guess"
hone reviewers --runs 1 --json
check_is "--runs bounds it" "$(grep -c '"role": "critic"' "$out")" 1
check_has "to the newest" "$out" '"runs": 1'
hone reviewers --since 2999-01-01 --json
check_has "--since as well" "$out" '"runs": 0'
hone reviewers --since 2999-01-01
check_is "where no run is such it is not said that there are none" "$(cat "$out")" \
    "there are no such runs; 'hone list' shows all"
hone reviewers --since 2020-01-01 --json
check_has "an early day takes all" "$out" '"runs": 2'
refused "no day" "--since wants a day" reviewers --since yesterday
refused "no day of ten letters" "--since wants a day" reviewers --since 2026-11-1x
refused "no day of the calendar" "--since wants a day" reviewers --since 2026-11-31
refused "no number" "--runs wants a number" reviewers --runs 0

# ---- what a look misses ----

# Ten runs, each with three grave findings at the first look and none at the second.
new_repo "$TMPDIR/many"
for line in $(seq 1 120); do echo "line $line"; done >>notes.txt
three="$(issue critical notes.txt 20 'the total is never checked for overflow'),"
three+="$(issue critical notes.txt 60 'a descriptor leaks when the read fails'),"
three+="$(issue critical notes.txt 100 'the lock is held while the user is asked')"
{
    printf '{"role":"critic","round":1,"answer":%s}\n' "$(review 3 0 0 "$three")"
    printf '{"answer":%s}\n' "$clean"
} >"$TMPDIR/many.jsonl"
mends='cmd:sed -i "20s/$/ x/; 60s/$/ x/; 100s/$/ x/" notes.txt; echo "# Fixed: notes.txt"'
for nth in 1 2 3 4 5 6 7 8 9; do
    hone run review --quiet --agent "*=script:$TMPDIR/many.jsonl" --agent "review-fixer=$mends"
done
hone reviewers
check_has "nine runs are too few" "$out" \
    "9 runs looked twice, with 27 grave findings: too few to say what a look misses"
hone run review --quiet --agent "*=script:$TMPDIR/many.jsonl" --agent "review-fixer=$mends"
hone reviewers
check_has "ten, with thirty, are enough" "$out" "One look misses 5 % of what is grave"
hone reviewers --runs 2
check_has "of two of them it is said that these are too few" "$out" \
    "too few to say what a look misses."
check_not "but not that new runs guess" grep -q "guess" "$out"
hone reviewers --json
check_has "and say what they count" "$out" '"first": 30'
hone run review --until settled --json --agent "*=script:$TMPDIR/many.jsonl" \
    --agent "review-fixer=$mends"
check_has "a run under a policy goes by it" "$out" '"expected_by":"runs"'
hone run review --until settled --agent "*=script:$TMPDIR/many.jsonl" --agent "review-fixer=$mends"
check "how often such an end is wrong is still said to be by simulation" grep -q \
    "grave, by your runs so far; in simulation in about [0-9] of 10 such ends there is one" "$out"
run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)
for one in $("$HONE" list --json | sed -n 's/.*"run": "\(.*\)",*/\1/p'); do
    [ "$one" = "$run" ] || "$HONE" rm "$one" >/dev/null 2>&1
done
hone replay "$run" --json
check_has "kept with it: a replay is the same, though the others are gone" "$out" '"same_end":true'
hone run review --until settled --json --agent "*=script:$TMPDIR/many.jsonl" \
    --agent "review-fixer=$mends"
check_has "without them it is the guess" "$out" '"expected_by":"simulation"'
exit "$failed"
