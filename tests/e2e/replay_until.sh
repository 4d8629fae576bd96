#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone replay RUN --until POLICY: where a recorded run would have ended under another policy, what
# that would have cost and missed; and up to where that is known.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"

# issue SEVERITY LINE TEXT
issue()
{
    printf '{"severity":"%s","category":"text","file":"notes.txt","line":%s,"description":"%s",' \
        "$1" "$2" "$3"
    printf '"evidence":"it is there","suggestion":"mend it"}'
}

# review CRITICAL WARNING INFO ISSUES
review()
{
    printf '{"issues":[%s],"summary":{"critical":%s,"warning":%s,"info":%s,' "$4" "$1" "$2" "$3"
    printf '"verdict":"issues_found"}}'
}

# A reviewer that always finds exactly one new thing, ever smaller; a fixer that mends each.
always_one()
{
    local texts=('the sum is never checked for overflow' 'a descriptor leaks when the read fails'
        'the comment names another function' 'two blank lines follow each other'
        'the word colour has two spellings')
    local ranks=(critical warning info info info) round
    for round in 1 2 3 4 5; do
        local rank=${ranks[round - 1]} counts
        case $rank in
        critical) counts="1 0 0" ;;
        warning) counts="0 1 0" ;;
        *) counts="0 0 1" ;;
        esac
        # shellcheck disable=SC2086 # three numbers
        printf '{"role":"critic","round":%s,"answer":%s}\n' "$round" \
            "$(review $counts "$(issue "$rank" $((round * 40)) "${texts[round - 1]}")")"
    done
    printf '{"answer":%s}\n' "$clean"
}

# shellcheck disable=SC2016 # the agent's shell expands it
mends='cmd:sed -i "$((HONE_ROUND * 40))s/$/ mended/" notes.txt; echo "# Fixed: notes.txt"'

long()
{
    new_repo "$TMPDIR/long"
    for line in $(seq 1 300); do echo "line $line"; done >>notes.txt
    always_one >"$TMPDIR/agents.jsonl"
    hone run review --quiet --agent "*=script:$TMPDIR/agents.jsonl" --agent "review-fixer=$mends"
    check_is "five rounds were not enough" "$status" 1
    hone replay --until settled
    check_is "until settled: said" "$status" 0
    check_has "the recorded end" "$out" "ended: bound; 5 rounds, 29 calls"
    check_has "the policy's: what is small in a recheck is noted" "$out" "until settled: "
    check_has "after three rounds" "$out" "3 rounds, 13 calls"
    check_has "a recheck that was never asked for is said" "$out" \
        "1 recheck is answered by what was said of the whole change in that round"
    check_has "what it would have missed is counted" "$out" "found later in the record than that: 2"
    check_has "and listed" "$out" "two blank lines follow each other"
    check_has "all of it" "$out" "the word colour has two spellings"
    check_not "and nothing else" grep -q "descriptor leaks" "$out"
    hone replay --until settled --json
    check "as JSON" "$SUPPORT/is_json" whole <"$out" run
    check_is "was and would" "$(grep -c '"reason": ' "$out")" 2
    check_has "known to the end" "$out" '"known": true'
    check_is "the missed ones" "$(grep -c '"round_first": ' "$out")" 2
    hone replay --until lean
    check_has "lean asks the checker alone from the second look on" "$out" "until lean: "
    hone replay --until clean
    check_has "clean goes on where the record ends" "$out" \
        "not known beyond round 5: it would have asked review-fixer for a repair"
    check_is "nothing was started and nothing made" "$("$HONE" list --json | grep -c '"dialect"')" 1
}

short()
{
    new_repo "$TMPDIR/short"
    printf '{"answer":%s}\n' "$clean" >"$TMPDIR/clean.jsonl"
    hone run review --quiet --agent "*=script:$TMPDIR/clean.jsonl"
    check_is "clean at once" "$status" 0
    hone replay --until settled
    check_has "and so it would have been" "$out" "until settled: converged; 1 round, 5 calls"
    check_has "with nothing missed" "$out" "found later in the record than that: 0"
    refused "no such policy" "settled, lean, thorough or clean" replay --until soon
    refused "a script is of what was" "choose one" replay --until settled --export x
}

# lean's second look is one reviewer's, by other eyes: what the panel would have seen with them no
# record can say.
eyes()
{
    new_repo "$TMPDIR/eyes"
    for line in $(seq 1 300); do echo "line $line"; done >>notes.txt
    always_one >"$TMPDIR/agents.jsonl"
    hone run review --quiet --until lean --eyes "cmd:printf %s '$clean'" \
        --agent "*=script:$TMPDIR/agents.jsonl" --agent "review-fixer=$mends"
    check_is "a run with two eyes" "$status" 0
    hone replay --until settled
    check_is "said as far as it is known" "$status" 0
    check_has "a look by other eyes that was never recorded cannot be answered" "$out" \
        "not known beyond round 1: it would have asked critic, played by other eyes, for a look"
    check_has "calls until there" "$out" "until there 1 round, 6 calls"
    hone replay --until settled --json
    check_has "as JSON" "$out" '"known": false'
    check_has "with what it would have asked" "$out" '"eye": 1'
    hone replay --until lean
    check_has "its own policy ends as it did" "$out" "ended: "
    check_is "with the same calls" "$(sed -n 's/.*; \(.* calls\).*/\1/p' "$out" | uniq | wc -l)" 1
    check_not "and knows all" grep -q "not known" "$out"
}

looked()
{
    new_repo "$TMPDIR/looked"
    always_one >"$TMPDIR/agents.jsonl"
    hone run review --no-fix --quiet --agent "*=script:$TMPDIR/agents.jsonl"
    refused "a run that repairs nothing" "repairs nothing" replay --until settled
}

# Proofs of repairs that were never asked for: as far as the record tells, all held.
unproven()
{
    new_repo "$TMPDIR/unproven"
    hone run review --quiet --test true --agent "*=script:$TMPDIR/none.jsonl" \
        --agent "critic=rdjson:$TMPDIR/sees" \
        --agent 'review-fixer=cmd:sed -i /defect/d notes.txt; echo "# Fixed: notes.txt"'
    check_is "analyzed by the seed" "$status" 0
    hone replay --until clean --json
    check_has "proofs are not wanted of the record" "$out" '"known": true'
}
printf '{"answer":%s}\n' "$clean" >"$TMPDIR/none.jsonl"
# shellcheck disable=SC2016 # for its shell
printf '%s\n' '#!/bin/sh' 'at=$(sed -n /defect/= notes.txt); printf "{\"diagnostics\":["' \
    '[ -z "$at" ] || printf "{\"message\":\"a defect\",\"severity\":\"ERROR\",\"location\":"' \
    '[ -z "$at" ] || printf "{\"path\":\"notes.txt\",\"range\":{\"start\":{\"line\":$at}}}}"' \
    'echo "]}"' >"$TMPDIR/sees"
chmod +x "$TMPDIR/sees"

for part in long short eyes looked unproven; do $part; done
exit "$failed"
