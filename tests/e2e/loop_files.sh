#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Loops as files: the three that come with hone, played by scripted agents; one of the repository;
# what is refused; what is agreed to; a run that is killed goes on, is replayed, shown and listed.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/host.sh"
. "$TOP/tests/support/models.sh"

template=$TMPDIR/template
new_repo "$template"
mends="sed -i /defect/d notes.txt; echo '## Fixed: notes.txt:2, the word'"

run_of()
{
    "$HONE" status --json | "$SUPPORT/is_json" whole run
}

# ---- quick ----

quick()
{
    forget
    copy_of "$template" work
    does reviewer "$sees"
    does fixer "$mends"
    hone run quick --agent "*=$agent"
    check_is "quick: a finding, a fix, clean" "$status" 0
    check_is "quick: one reviewer, one fix, one look" "$(cut -d' ' -f1,2 "$play/log" | tr '\n' ,)" \
        "reviewer 1,fixer 1,reviewer 2,"
    check_is "quick: the fix stays" "$(cat notes.txt)" "hello"
    files=.hone/runs/$(run_of)/files
    check_is "quick: its files" "$(cd "$files" && echo *)" \
        "1-review-1-fixer.md 1-review-1-reviewer.json 1-review-2-reviewer.json state.json"
    check_has "quick: state.json says how it ended" "$files/state.json" '"end": "clean"'
    check "quick: a review is one of the review dialect's" "$HONE" check r1 \
        "$files/1-review-1-reviewer.json"
    check_has "quick: the remit stands in the prompt" "$play/prompt.fixer.1.1" \
        "Fix every issue that the reviewer found"
    check_has "quick: and that of a role that hone knows" "$play/prompt.reviewer.1.1" \
        "Silent failures: errors that are dropped"
    check_has "quick: what was found is quoted" "$play/prompt.fixer.1.1" "a defect is left"
    check_is "quick: nothing of it shows in git" "$(git status --porcelain)" ""
    hone list
    check_has "quick: the list has its name" "$out" quick
    hone status
    check_has "quick: so has the status" "$out" quick
    does reviewer "cat '$play/found'"
    printf 'defect\n' >>notes.txt
    hone run quick --agent "*=$agent"
    check_is "quick: what one fix does not mend is left" "$status" 1
}

# What a look alone has found is repaired later, by the same loop.
looked_first()
{
    forget
    copy_of "$template" work
    does reviewer "$sees"
    does fixer "$mends"
    hone run quick --no-fix --agent "*=$agent"
    check_is "quick --no-fix: findings are left" "$status" 1
    hone fix --all --agent "*=$agent"
    check_is "hone fix: goes on with the same loop" "$status" 0
    check_is "hone fix: its fixer, its reviewer" "$(cut -d' ' -f1 "$play/log" | tr '\n' ,)" \
        "reviewer,fixer,reviewer,"
}

# ---- panel ----

# issue TEXT EVIDENCE LINE
issue()
{
    printf '{"severity":"warning","category":"text","file":"notes.txt","line":%s,' "$3"
    printf '"description":"%s","evidence":"%s","suggestion":"remove it"}' "$1" "$2"
}

review_of()
{
    local count=$1
    shift
    printf '{"issues":[%s],"summary":{"critical":0,"warning":%s,"info":0,' "$*" "$count"
    printf '"verdict":"issues_found"}}\n'
}

panel()
{
    forget
    copy_of "$template" work
    seq 1 200 >numbers.txt
    both=$(issue "a defect is left in the notes" "" 2)
    review_of 2 "$both,$(issue "the number of the beast is wrong" "" 66)" |
        sed 's/"notes.txt","line":66/"numbers.txt","line":66/' >"$play/first"
    review_of 2 "$both,$(issue "the last line cannot be parsed" "parse: line 200: too long" 200)" |
        sed 's/"notes.txt","line":200/"numbers.txt","line":200/' >"$play/second"
    does first "if grep -q defect notes.txt; then cat '$play/first'; else cat '$play/clean'; fi"
    does second "if grep -q defect notes.txt; then cat '$play/second'; else cat '$play/clean'; fi"
    does fixer "$mends; echo 'numbers.txt:200 as well'; sed -i 200d numbers.txt"
    hone run panel --agent "*=$agent"
    check_is "panel: it ends well" "$status" 0
    check_is "panel: two look, one fixes, two look" "$(wc -l <"$play/log")" 5
    check_has "panel: what both report is fixed" "$play/prompt.fixer.1.1" "a defect is left"
    check_has "panel: what one proves is fixed" "$play/prompt.fixer.1.1" "cannot be parsed"
    check_not "panel: what one suspects is not" grep -q "the beast" "$play/prompt.fixer.1.1"
    check_has "panel: reviewers are told of the votes" "$play/prompt.first.1.1" "2 of you report it"
    hone findings --json
    check_has "panel: it is noted" "$out" "the beast"
    review_of 1 "$(issue "the number of the beast is wrong" "" 1)" >"$play/first"
    does first "cat '$play/first'"
    does second "cat '$play/clean'"
    : >"$play/log"
    hone run panel --agent "*=$agent"
    check_is "panel: with a suspicion alone it ends" "$status" 0
    check_is "panel: and nothing is repaired" "$(started fixer)" 0
}

# ---- test-first ----

test_first()
{
    forget
    copy_of "$template" work
    printf 'test:\n\t@sh ./test.sh\n' >Makefile
    printf '#!/bin/sh\nexit 0\n' >test.sh
    git add . && git commit -qm base
    # The first test passes at once, which is no test of what is missing.
    does tester 'if [ "$HONE_ROUND" = 1 ] && [ ! -e tried ]; then touch tried
else echo "grep -q greeting notes.txt" >test.sh; fi; echo "a test"'
    does builder 'echo greeting >>notes.txt; echo built'
    does reviewer 'cat "$play/clean"'
    hone run test-first "add a greeting" --agent "*=$agent"
    check_is "test-first: it ends well" "$status" 0
    check_is "test-first: in this order" "$(cut -d' ' -f1 "$play/log" | tr '\n' ,)" \
        "tester,tester,builder,reviewer,"
    check_has "test-first: the test that passed was told of" \
        "$play/prompt.tester.1.1" "it was wanted to fail"
    check_has "test-first: the builder reads what was done before" \
        "$play/prompt.builder.1.1" "a test"
    : >"$play/log"
    hone run test-first --agent "*=$agent"
    check_is "test-first: it wants a task" "$status" 2
    check_has "test-first: and says so" "$err" "needs a task"
}

# ---- one of the repository ----

own_loop()
{
    forget
    copy_of "$template" work
    mkdir -p .hone/loops
    cat >.hone/loops/deep.yaml <<'END'
about: a review with a grade, then a verdict
task: look at it
files: out/deep
roles:
  grader: {remit: "Hold it against the task.", answers: grade}
  judge: {remit: "Say yes or no.", answers: verdict}
  mender: {remit: "Mend it."}
  probe: {run: "grep -q hello notes.txt"}
phases:
  - name: graded
    gate: {reviewers: [grader, probe], pass: {grade: WARN}, repair: mender, repairs: 2}
  - name: judged
    gate: {reviewers: [judge], repair: mender, repairs: 1, recheck: graded}
END
    check "the loop is valid" "$HONE" check loop .hone/loops/deep.yaml
    does grader 'if grep -q defect notes.txt; then
printf "## Issues\n- [HIGH] notes.txt:2 - a defect\n\n## Grade: FAIL\n"
else printf "Fine.\n\n## Issues\n- [LOW] notes.txt:1 - short\n\n## Grade: WARN\n"; fi'
    does judge 'printf "### VERDICT: APPROVE\n\n### Strengths\nShort.\n"'
    does mender "$mends"
    hone run deep --agent "*=$agent"
    check_is "a loop that no commit has is not run" "$status" 2
    check_has "and why is said" "$err" "Commit it first, or look at it and start once with --trust"
    git add .hone/loops/deep.yaml && git commit -qm "a loop"
    hone run deep --agent "*=$agent"
    check_is "nor by the commit that brings it" "$status" 2
    echo more >>notes.txt
    sed -i 's/grep -q hello/grep -q never/' .hone/loops/deep.yaml
    hone run deep --agent "*=$agent"
    check_has "what the change makes of it does not count" "$err" \
        ".hone/loops/deep.yaml: the change alters it; this run goes by it as commit "
    git checkout -q .hone
    hone run deep --agent "*=$agent"
    check_is "a command of the repository is asked about" "$status" 2
    check_has "and shown" "$err" "grep -q hello notes.txt"
    check_is "nothing was started" "$(wc -l <"$play/log")" 0
    hone run deep --trust --agent "*=$agent"
    check_is "agreed to, it runs" "$status" 0
    check_is "in its order" "$(cut -d' ' -f1 "$play/log" | tr '\n' ,)" "grader,mender,grader,judge,"
    check_is "its files are where it says" "$(cd out/deep && echo *)" \
        "1-graded-1-grader.md 1-graded-1-mender.md 1-graded-1-probe.md 1-graded-2-grader.md \
1-graded-2-probe.md 1-judged-1-judge.md state.json"
    check_has "the form of a grade is told" "$play/prompt.grader.1.1" "## Grade: WARN"
    check_has "the form of a verdict is told" "$play/prompt.judge.1.1" "### VERDICT:"
    run=$(run_of)
    hone replay "$run"
    check_is "it is replayed" "$status" 0
    rm .hone/loops/deep.yaml
    hone show "$run"
    check_is "it is shown without its file" "$status" 0
}

# ---- killed, and resumed ----

killed()
{
    forget
    copy_of "$template" work
    does reviewer "$sees"
    does fixer 'touch "$play/at"; sleep 30'
    "$HONE" run quick --agent "*=$agent" >"$out" 2>"$err" &
    pid=$!
    check "the fixer is at work" until_true 20 test -e "$play/at"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    does fixer "$mends"
    : >"$play/log"
    hone resume
    check_is "a run that was killed goes on" "$status" 0
    check_is "and asks no reviewer again that has answered" \
        "$(cut -d' ' -f1,2 "$play/log" | tr '\n' ,)" "fixer 1,reviewer 2,"
}

# ---- inside a host ----

hosted()
{
    forget
    rm -rf "$TMPDIR/w" && new_repo "$TMPDIR/w"
    does reviewer "$sees"
    does fixer "$mends"
    host_prompt "/hone:loop quick remove what is wrong"
    check_is "hosted: the turns" "$(cut -d' ' -f1,2 "$play/log" | tr '\n' ,)" \
        "reviewer 1,fixer 1,reviewer 2,"
    check_has "hosted: the person is told" "$hook_out" "clean after 2 reviews"
    "$HONE" list >"$out"
    check_has "hosted: the list has its name" "$out" quick
    event UserPromptSubmit '"prompt":"/hone:loop quik"'
    check_has "hosted: a name that is not there is told" "$hook_out" "there is no loop"
}

# Its roles are played by agents that the host has: those of the plugin, and installed ones.
hosted_roles()
{
    forget
    rm -rf "$TMPDIR/w" && new_repo "$TMPDIR/w"
    mkdir -p .hone/loops .hone/roles
    printf -- '---\nextends: critic\n---\nA query in a loop.\n' >.hone/roles/perf.md
    cat >.hone/loops/speed.yaml <<'END'
about: one who looks for what is slow
task: look at it
roles:
  perf: {role: perf, answers: findings}
  fixer: {remit: "Mend it."}
phases: [{name: review, gate: {reviewers: [perf], repair: fixer, repairs: 1}}]
END
    sed 's/perf: {role: perf,/sql: {remit: "SQL.",/; s/\[perf\]/[sql]/' .hone/loops/speed.yaml \
        >.hone/loops/sql.yaml
    git add .hone && git commit -qm "a role and two loops" .hone
    does perf "$sees"
    does sql "$sees"
    does fixer "$mends"
    host_prompt "/hone:loop speed"
    check_has "hosted: no such agent" "$TMPDIR/first.out" "Claude Code has no agent perf: \
'hone roles install perf' makes one; then start Claude Code anew"
    host_prompt "/hone:loop sql"
    check_has "hosted: no such role either" "$TMPDIR/first.out" "Claude Code has no agent sql: \
name a program that plays it ('--agent sql=claude', or 'agent: claude' in the loop)"
    host_kind=codex
    event UserPromptSubmit "\"prompt\":\"\$hone-loop speed\",$(
        )\"transcript_path\":\"$TMPDIR/codex/sessions/1.jsonl\""
    host_kind=claude
    check_has "hosted: nor has Codex" "$hook_out" "Codex has no agent hone-perf: \
'hone roles install perf --codex' makes one; then start Codex anew"
    check_is "hosted: nothing was started" "$(wc -l <"$play/log")" 0
    hone roles install perf
    host_prompt "/hone:loop speed"
    check_is "hosted: an installed agent plays" "$(cut -d' ' -f1,2 "$play/log" | tr '\n' ,)" \
        "perf 1,fixer 1,perf 2,"
    check_has "hosted: by its own name" "$TMPDIR/first.out" "- subagent_type: perf\\n"
    check_has "hosted: to its end" "$hook_out" "clean after 2 reviews"
}

# One that the host does not have is played by the program that is named, which hone starts.
hosted_started()
{
    forget
    rm -rf "$TMPDIR/w" && new_repo "$TMPDIR/w"
    mkdir "$TMPDIR/bin"
    stand_in_claude "$TMPDIR/bin/claude" "echo \$HONE_ROLE >>$play/by_hone; $play/agent"
    does tester 'echo "grep -q greeting notes.txt" >test.sh; echo "a test"'
    does builder 'echo greeting >>notes.txt; echo built'
    printf 'test:\n\tsh test.sh\n' >Makefile
    git add Makefile && git commit -qm make Makefile
    PATH=$TMPDIR/bin:$PATH host_prompt \
        "/hone:loop test-first --agent tester=claude add a greeting"
    check_is "started: all of them" "$(cut -d' ' -f1 "$play/log" | tr '\n' ,)" \
        "tester,builder,reviewer,"
    check_is "started: by hone, what the host does not have" "$(cat "$play/by_hone")" tester
    check_has "started: to its end" "$hook_out" "clean"
}

# ---- refused ----

refused()
{
    copy_of "$template" work
    hone run quik --agent "*=$agent"
    check_is "a name that is not there" "$status" 2
    check_has "has one that is near" "$err" "quick"
    mkdir -p .hone/loops
    cp "$TOP/loops/quick.yaml" .hone/loops/review.yaml
    hone run .hone/loops/review.yaml --agent "*=$agent"
    check_is "no loop has the name of a dialect" "$status" 2
    check_has "and that is said" "$err" "is the name of a dialect"
    printf 'about: x\nroles: {a: {remit: x, answers: findings}}\nphases: [{name: p, gate: {}}]\n' \
        >bad.yaml
    hone run bad.yaml --agent "*=$agent"
    check_is "a loop that is wrong does not run" "$status" 2
    check_has "the first problem is told" "$err" "line 2: unused-role"
    hone check loop bad.yaml
    check_is "check tells of all of them" "$status" 1
    check_has "with file, line and code" "$out" "bad.yaml:3: missing-key: "
    ln -s /etc/passwd .hone/loops/link.yaml
    hone run link --agent "*=$agent"
    check_is "a link is not followed" "$status" 2
}

# ---- drawn ----

drawn()
{
    copy_of "$template" work
    hone plan quick
    check_is "a plan is drawn" "$status" 0
    check_has "with its gate" "$out" "fixer repairs, at most 1 time"
    check_has "and its bounds" "$out" "at most 9 agents started, 2 rounds"
    check_has "and says what it cannot know" "$out" "no earlier runs"
    check_is "nothing was started" "$(git status --porcelain)" " M notes.txt"
    hone plan quick --agent reviewer=cmd:true
    check_has "and who would play: who was named" "$out" "reads; cmd:true"
    mkdir "$TMPDIR/models" && printf '#!/bin/sh\n' >"$TMPDIR/models/codex"
    chmod +x "$TMPDIR/models/codex"
    PATH=$TMPDIR/models:$PATH hone plan quick
    check_has "who would be chosen" "$out" "reads; codex"
    check_has "and that it is a choice" "$out" "where you name no agent"
    hone plan review --max-iterations 2 --json
    check_has "as JSON" "$out" '"rounds_max": 2'
    hone plan review --yaml
    mkdir -p .hone/loops
    cp "$out" .hone/loops/mine.yaml
    check "what it prints is a loop" "$HONE" check loop .hone/loops/mine.yaml
    forget
    for role in $reviewers; do does "$role" 'cat "$play/clean"'; done
    does critic "$sees"
    does review-fixer "$mends"
    hone run mine --trust --agent "*=$agent"
    check_is "which runs as review does" "$status" 0
    check_is "with as many agents" "$(wc -l <"$play/log")" 11
    hone plan mine
    check_has "with runs to measure there is an estimate" "$out" "by 1 earlier run of mine here"
    hone plan quick
    check_has "by those of other loops where it has had none" "$out" \
        "by 1 earlier run of other loops here"
    hone plan session --yaml
    check_is "what the notation cannot say is refused" "$status" 2
    check_has "with the reason" "$err" "cannot say all of session"
}

drawn
quick
looked_first
panel
test_first
own_loop
killed
hosted
hosted_roles
hosted_started
refused
exit "$failed"
