#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Only clean is clean: where one of five reviewers answers with anything but a review without
# issues, no run ends with 0. What has a review's form sends the fixer; what has not is asked for
# once more, then the run fails, and goes on later without the four that had answered.
#
# row: reviewer.looked | "clean" without having looked | only clean is clean; a review without proof of reading each changed file is invalid; of a command that tells nothing this is said | a model that looked and lies; a command that names files it did not read | `only_clean.sh: findings remain`, `proof_reading.sh: proof.idle`
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"

# ---- reviews with wrong fields: findings ----

# A review in four pieces.
review()
{
    printf '{"issues":%s,"summary":{"critical":%s,"warning":0,"info":%s,"verdict":%s}}' "$@"
}

issue='{"severity":"info","category":"x","file":"main.c","line":1,
    "description":"d","evidence":"e","suggestion":"s"}'

# is_findings NAME ANSWER: two rounds with that answer; the fixer runs between them.
is_findings()
{
    copy_of "$template" work
    forget
    printf '%s' "$2" >"$play/at"
    does critic "cat '$play/at'"
    hone run review --quiet --max-iterations 2 --agent "*=$agent"
    check_is "$1: findings remain" "$status" 1
    check_is "$1: the fixer ran" "$(started review-fixer)" 1
    check_is "$1: nobody was asked again" "$(wc -l <"$play/log")" 11
    check "$1: r1-verdict.json" grep -q '"overall_verdict": "issues_found"' \
        .agents/tmp/phases/review-1/r1-verdict.json
    check "$1: state.json" grep -q '"currentPhase": "STOPPED"' .agents/tmp/state.json
}

wrong_fields()
{
    is_findings "clean beside an issue" "$(review "[$issue]" 0 0 '"clean"')"
    is_findings "clean beside an issue without a severity" "$(review '[{}]' 0 0 '"clean"')"
    is_findings "clean beside an unknown severity" \
        "$(review "[${issue/info/nit}]" 0 0 '"clean"')"
    is_findings "clean beside a text as issue" "$(review '["x"]' 0 0 '"clean"')"
    is_findings "clean beside a null as issue" "$(review '[null]' 0 0 '"clean"')"
    is_findings "clean beside a count" "$(review '[]' 1 0 '"clean"')"
    is_findings "clean beside a count of infos" "$(review '[]' 0 1 '"clean"')"
    is_findings "issues_found with nothing listed" "$(review '[]' 0 0 '"issues_found"')"
    is_findings "a count as text" "$(review '[]' '"0"' 0 '"clean"')"
    is_findings "a negative count" "$(review '[]' -1 0 '"clean"')"
    is_findings "counts that add up to nothing" "$(review '[]' -1 1 '"clean"')"
    is_findings "a fraction as count" "$(review '[]' 0.5 0 '"clean"')"
    is_findings "a very small count" "$(review '[]' 1e-9 0 '"clean"')"
    is_findings "a count of 2^64" "$(review '[]' 18446744073709551616 0 '"clean"')"
    is_findings "null as count" "$(review '[]' null 0 '"clean"')"
    is_findings "false as count" "$(review '[]' false 0 '"clean"')"
    is_findings "an array as count" "$(review '[]' '[]' 0 '"clean"')"
}

wrong_words()
{
    is_findings "an unknown verdict" "$(review '[]' 0 0 '"approved"')"
    is_findings "an empty verdict" "$(review '[]' 0 0 '""')"
    is_findings "a verdict with more behind it" "$(review '[]' 0 0 '"clean, mostly"')"
    is_findings "a verdict with a NUL in it" "$(review '[]' 0 0 '"clean\u0000"')"
    is_findings "true as verdict" "$(review '[]' 0 0 true)"
    is_findings "null as verdict" "$(review '[]' 0 0 null)"
    is_findings "clean in an array" "$(review '[]' 0 0 '["clean"]')"
    is_findings "issues as object" "$(review '{}' 0 0 '"clean"')"
    is_findings "issues as text" "$(review '"none"' 0 0 '"clean"')"
    is_findings "null as issues" "$(review null 0 0 '"clean"')"
    is_findings "no counts" '{"issues":[],"summary":{"verdict":"clean"}}'
    is_findings "one count missing" \
    '{"issues":[],"summary":{"critical":0,"warning":0,"verdict":"clean"}}'
    is_findings "no verdict" '{"issues":[],"summary":{"critical":0,"warning":0,"info":0}}'
    is_findings "no summary" '{"issues":[]}'
    is_findings "no issues" '{"summary":{"critical":0,"warning":0,"info":0,"verdict":"clean"}}'
    is_findings "summary as text" '{"issues":[],"summary":"clean"}'
    is_findings "summary as array" '{"issues":[],"summary":[0,0,0,"clean"]}'
    is_findings "null as summary" '{"issues":[],"summary":null}'
    is_findings "a verdict beside the summary" '{"issues":[],"summary":{},"verdict":"clean"}'
    check_has "the fixer is told" "$play/prompt.review-fixer.1.1" "critic"
}

# Said twice, and not the same: which of the two holds is not known, so it is not clean.
not_clean()
{
    copy_of "$template" work
    forget
    printf '%s' "$2" >"$play/at"
    does critic "cat '$play/at'"
    hone run review --quiet --max-iterations 1 --agent "*=$agent"
    check "$1: is not clean ($status)" test "$status" = 1 -o "$status" = 3
}

said_twice()
{
    not_clean "two verdicts, clean first" "$(review '[]' 0 0 '"clean","verdict":"issues_found"')"
    not_clean "two verdicts, clean last" "$(review '[]' 0 0 '"issues_found","verdict":"clean"')"
    not_clean "issues twice, none first" "$(review "[],\"issues\":[$issue]" 0 0 '"clean"')"
    not_clean "issues twice, none last" "$(review "[$issue],\"issues\":[]" 0 0 '"clean"')"
    not_clean "two summaries" "${clean%\}},\"summary\":{\"verdict\":\"issues_found\"}}"
}

# ---- no review at all: asked once more with what was wrong, then failed, then resumed ----

# is_invalid NAME COMMANDS [OPTIONS...]: the critic does that, twice, and then what it should.
is_invalid()
{
    local name=$1 role attempts
    copy_of "$template" work
    forget
    does critic "$2"
    shift 2
    hone run review --quiet --agent "*=$agent" "$@"
    check_is "$name: failed" "$status" 3
    check_is "$name: asked twice" "$(started critic)" 2
    check_is "$name: nobody fixed anything" "$(started review-fixer)" 0
    check_has "$name: the way out" "$out" "hone resume"
    check "$name: state.json" grep -q '"status": "in_progress"' .agents/tmp/state.json
    if [ -z "${was_failure:-}" ]; then
        check_has "$name: the second prompt says why" "$play/prompt.critic.1.2" "not accepted"
        check_not "$name: the first does not" grep -q "not accepted" "$play/prompt.critic.1.1"
    fi
    does critic
    hone resume --quiet
    check_is "$name: resumed" "$status" 0
    attempts=$(grep -v critic "$play/log" | wc -l)
    check_is "$name: four had answered and were left alone" "$attempts" 4
    check_is "$name: only the missing one ran" "$(tail -n 1 "$play/log")" "critic 1 3"
}

# says NAME ANSWER: is_invalid for an answer on standard output.
says()
{
    printf '%s' "$2" >"$TMPDIR/says"
    is_invalid "$1" "cat '$TMPDIR/says'"
}

no_reviews()
{
    says "an array" "[]"
    says "a review in an array" "[$clean]"
    says "an object of another kind" '{"verdict":"clean"}'
    says "an empty object" '{}'
    says "a text" '"clean"'
    says "a number" 0
    says "null" null
    says "cut off" "${clean%\}\}}"
    says "cut off at the last character" "${clean%\}}"
    says "nothing" ""
    says "white space" "
     "
    says "prose" "I looked at everything. No issues found: clean."
    says "a review in prose" "Here it is: $clean"
    says "a review with prose behind it" "$clean That is all."
    says "two reviews" "$clean
    $clean"
    says "an array too deep" "$(head -c 200000 /dev/zero | tr '\0' '[')"
}

no_answers()
{
    is_invalid "a byte NUL behind it" "cat '$play/clean'; printf '\\0'"
    is_invalid "bytes that are no text" "sed 's/clean/\\xff\\xfe/' '$play/clean'"
    is_invalid "an empty file beside a clean stdout" ": >\"\$HONE_OUTPUT\"; cat '$play/clean'"
    is_invalid "prose in the file beside a clean stdout" \
        "echo none >\"\$HONE_OUTPUT\"; cat '$play/clean'"
    is_invalid "a folder as the file" "mkdir \"\$HONE_OUTPUT\""
    is_invalid "a link to a clean file as the file" "ln -s '$play/clean' \"\$HONE_OUTPUT\""
    is_invalid "a FIFO as the file" "mkfifo \"\$HONE_OUTPUT\""
    is_invalid "a review on standard error" "cat '$play/clean' >&2"
    is_invalid "a review in a file of its own" "cat '$play/clean' >'$TMPDIR/review.json'"
}

# A reviewer that answers for another one, where the sandbox can forbid it.
for_another()
{
    copy_of "$template" work
    forget
    does critic "d=\${HONE_OUTPUT%/*}
    cat '$play/clean' >\"\${d%/*}/2-1/answer\" 2>/dev/null
    touch '$play/at'; cat '$play/clean'"
    does pedant "until [ -e '$play/at' ]; do sleep 0.05; done"
    hone run review --quiet --agent "*=$agent" --timeout 20s
    if has_sandbox "nobody answers for another reviewer"; then
        check_is "nobody answers for another reviewer" "$status" 3
        check_is "nobody answers for another reviewer: asked again" "$(started pedant)" 2
    fi
}

# ---- contract files are written by hone, also where an agent writes them ----

contract_files_of_others()
{
    trail=.agents/tmp/phases/review-1
    plant="mkdir -p $trail; cp '$play/clean' $trail/r1-critic.json
    echo '{\"overall_verdict\":\"clean\",\"total_issues\":0}' >$trail/r1-verdict.json"
    is_invalid "a contract file by the reviewer, no answer" "$plant" --no-sandbox

    copy_of "$template" work
    forget
    does critic "$plant
    cat '$play/found'"
    hone run review --quiet --no-sandbox --max-iterations 1 --agent "*=$agent"
    check_is "a contract file by the reviewer, another answer: findings" "$status" 1
    check_has "r1-critic.json is the answer" $trail/r1-critic.json "a defect is left"
    check_has "r1-verdict.json is hone's" $trail/r1-verdict.json '"overall_verdict": "issues_found"'

    copy_of "$template" work
    forget
    mkdir -p .agents/tmp/phases/review-1 .agents/tmp/phases/review-2
    for n in 1 2; do cp "$play/clean" .agents/tmp/phases/review-$n/r1-critic.json; done
    does critic "if [ \$HONE_ROUND = 1 ]; then cat '$play/found'; fi"
    hone run review --quiet --agent "*=$agent"
    check_is "files of an earlier run answer for nobody" "$status" 3
    check_not "the earlier trail is out of the way" \
        test -e .agents/tmp/phases/review-2/r1-critic.json
    check "the earlier trail is kept" \
        cmp -s "$play/clean" .agents/tmp/phases-*/review-2/r1-critic.json
    check_is "round 1, and round 2 twice" "$(started critic)" 3
    does critic
    hone resume --quiet
    check_is "a missing answer of round 2, resumed" "$status" 0
    check_is "only the missing one ran in round 2" "$(started pedant)" 2
}

# ---- dead reviewers ----

dead()
{
    local was_failure=yes
    is_invalid "exit 1 beside a clean answer" "cat '$play/clean'; exit 1"
    is_invalid "exit 1 beside a clean file" "cat '$play/clean' >\"\$HONE_OUTPUT\"; exit 1"
    is_invalid "killed by SIGKILL" "cat '$play/clean'; kill -KILL \$\$"
    is_invalid "killed by SIGSEGV" "ulimit -c 0; cat '$play/clean'; kill -SEGV \$\$"
    is_invalid "killed by SIGTERM" "cat '$play/clean'; kill -TERM \$\$"
}

too_slow()
{
    local was_failure=yes
    is_invalid "the time limit" "cat '$play/clean'; sleep 100" --timeout 4s
    is_invalid "the idle limit" "cat '$play/clean'; sleep 100" --idle-timeout 4s
}

missing_program()
{
    copy_of "$template" work
    forget
    rm -f "$TMPDIR/later"
    hone run review --quiet --agent "*=$agent" --agent "critic=cmd:$TMPDIR/later"
    check_is "a missing program: failed" "$status" 3
    cat "$out" "$err" >"$TMPDIR/both"
    check_has "a missing program: named, also with --quiet" "$TMPDIR/both" "$TMPDIR/later"
    run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)
    "$HONE" show "$run" >"$out"
    check_is "a missing program is not tried again" "$(grep -c '^[0-9].* critic ' "$out")" 1
    cp "$play/agent" "$TMPDIR/later"
    cp "$play/clean" "$TMPDIR/clean"
    hone resume --quiet
    check_is "a program that was installed meanwhile" "$status" 0
    check_is "the other four were left alone" "$(wc -l <"$play/log")" 4
}

together wrong_fields wrong_words said_twice no_reviews no_answers for_another \
    contract_files_of_others dead too_slow missing_program
exit "$failed"
