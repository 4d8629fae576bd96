#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone run --until: looks by different eyes in turn, rechecks of the last repair by one reviewer,
# and the ends that follow. Two small programs are the eyes; each is one of play.sh.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"

# The second eye: the same agent, which says that it is another.
eye_two()
{
    printf '#!/bin/sh\nEYE=two exec "%s/agent"\n' "$play" >"$play/two"
    chmod +x "$play/two"
    two="cmd:$play/two"
    sed -i 's|^echo "\$HONE_ROLE .*|echo "$HONE_ROLE $HONE_ROUND $HONE_ATTEMPT" >>"$play/log"\
echo "$HONE_ROUND $HONE_ROLE ${EYE:-one} ${HONE_RECHECK:-look}" >>"$play/order"|' "$play/agent"
    : >"$play/order"
}

# looks ROUND: who looked in it: roles, eye, kind.
looks()
{
    grep "^$1 " "$play/order" | grep -v review-fixer | cut -d' ' -f2- | sort | paste -sd, -
}

panel()
{
    for role in critic pedant security-reviewer silent-failure-hunter witness; do
        echo "$role $1 look"
    done | paste -sd, -
}

issue() # SEVERITY LINE TEXT
{
    printf '{"issues":[{"severity":"%s","category":"x","file":"notes.txt","line":%s,' "$1" "$2"
    printf '"description":"%s","evidence":"e","suggestion":"s"}],"summary":{"critical":%d,' \
        "$3" "$([ "$1" = critical ] && echo 1 || echo 0)"
    printf '"warning":%d,"info":%d,"verdict":"issues_found"}}\n' \
        "$([ "$1" = warning ] && echo 1 || echo 0)" "$([ "$1" = info ] && echo 1 || echo 0)"
}

# ---- two looks by two eyes, then rechecks by one reviewer ----

settled()
{
    eye_two
    copy_of "$template" settled
    printf 'hello\ndefect\nsecond fault\n' >notes.txt
    issue warning 2 "the word defect stands in the notes" >"$play/first"
    issue warning 3 "the second eye sees that a fault is left in line three" >"$play/second"
    does critic 'if grep -q defect notes.txt; then cat "$play/first";
        elif [ "${EYE:-}" = two ] && grep -q second notes.txt; then cat "$play/second";
        else cat "$play/clean"; fi'
    does review-fixer 'if grep -q defect notes.txt; then sed -i s/defect/fine/ notes.txt;
        else sed -i s/second.fault/third/ notes.txt; fi; echo "# Fixed notes.txt:2 notes.txt:3"'
    hone run review --until settled --eyes "$two" --agent "*=$agent"
    check_is "settled: exit" "$status" 0
    check_is "settled: the first look is the panel's, by the cast" "$(looks 1)" "$(panel one)"
    check_is "settled: the second look is the panel's, by the other eye" "$(looks 2)" \
        "$(panel two)"
    check_is "settled: then one reviewer rechecks, by the first eye" "$(looks 3)" \
        "checker one true"
    check_is "settled: nothing follows" "$(looks 4)" ""
    check_is "settled: calls" "$(grep -c . "$play/log")" 13
    check_has "settled: says until what" "$err" "until settled: 2 looks at the whole change"
    check_has "settled: and who looks" "$err" "eyes: those that play, then $two"

    prompt=$play/prompt.checker.3.1
    check_has "recheck: said" "$prompt" "## This is a recheck"
    check_has "recheck: what was open" "$prompt" "the second eye sees that a fault is left"
    check_has "recheck: what the repair changed" "$prompt" "+third"
    check_not "recheck: not the change" grep -qF "git diff HEAD" "$prompt"
    check_has "recheck: what the fixer says" "$prompt" "# Fixed notes.txt:2"
    check_has "fixer: what is not listed is left" "$play/prompt.review-fixer.2.1" \
        "not in the list below is"
    check_not "fixer: five are not spoken of" \
        grep -q "Five reviewers" "$play/prompt.review-fixer.2.1"
    check_has "look: what is known" "$play/prompt.critic.2.1" "## Known already"
    check_not "look: nothing is known before the first" grep -qF "Known already" \
        "$play/prompt.critic.1.1"

    check "files: the checker's" test -e .agents/tmp/phases/review-3/r1-checker.json
    check_has "files: its verdict" .agents/tmp/phases/review-3/r1-verdict.json '"checker"'
    check_not "files: no others" test -e .agents/tmp/phases/review-3/r1-critic.json
    check_has "files: complete" .agents/tmp/state.json '"status": "complete"'
    "$HONE" show --json >"$out" 2>"$err"
    check_has "show: which eye" "$out" '"eye": 1'
    check_has "show: a recheck" "$out" '"recheck": true'
    "$HONE" show >"$out" 2>"$err"
    check_has "show: who looked" "$out" "critic by cmd"
    check "show: and that it was a recheck" grep -q "checker by cmd *recheck" "$out"
}

# ---- what models found is no analyzer's to recheck: another looks, and is named ----

program_as_checker()
{
    eye_two
    copy_of "$template" program_as_checker
    issue warning 1 "the first word is wrong" >"$play/first"
    issue warning 2 "a line is missing at the end" >"$play/second"
    does critic 'case $HONE_ROUND in 1) cat "$play/first" ;; 2) cat "$play/second" ;;
        *) cat "$play/clean" ;; esac'
    does review-fixer 'printf "%s\n%s\n" "$HONE_ROUND" "$HONE_ROUND" >notes.txt
        echo "# Fixed notes.txt:1 notes.txt:2"'
    hone run review --until settled --eyes "$two" --agent "*=$agent" --agent checker=analyzer:gcc
    check_is "a program as checker: exit" "$status" 0
    check_is "a program as checker: who rechecks" "$(looks 3)" "critic one true"
    check "a program as checker: the end names who did" \
        sh -c 'tr "\n" " " <"$1" | grep -q "; critic by cmd rechecked 1 repair;"' sh "$out"
}

# ---- until the seed: as if there were no policies ----

seed()
{
    eye_two
    copy_of "$template" seed
    does critic "$sees"
    does review-fixer 'sed -i /defect/d notes.txt; echo "# Fixed notes.txt:2"'
    hone run review --until seed --agent "*=$agent"
    check_is "seed: exit" "$status" 0
    check_is "seed: all look" "$(looks 1)" "$(panel one)"
    check_is "seed: and all look again" "$(looks 2)" "$(panel one)"
    check_has "seed: clean" "$out" "clean: the last review found nothing"
    check_not "seed: nothing of a policy is said" grep -q "until\|eyes" "$err"
    check_not "seed: nor at the end" grep -q "one more look" "$out"
    check_not "seed: no prompt has it" grep -qE "## (Known already|This is a recheck)" \
        "$play"/prompt.*
    check_not "seed: there is no checker" "$HONE" run review --agent "checker=$agent" </dev/null
    cp -R .agents "$TMPDIR/seed.files"
    copy_of "$template" seed
    hone run review --agent "*=$agent"
    check_is "seed: nothing said is the same" \
        "$(cat .agents/tmp/phases/review-2/*)" "$(cat "$TMPDIR"/seed.files/tmp/phases/review-2/*)"
    rm -rf "$TMPDIR/seed.files"
}

# ---- the other policies ----

# finds_new: a reviewer that has something new in each round, at one place.
# shellcheck disable=SC2016 # for the agent's shell
finds_new='case $HONE_ROUND in
1) text="the first sum is wrong" ;; 2) text="the handle stays open" ;;
3) text="an empty list is read" ;; 4) text="two threads write here" ;; *) text="keys leak" ;;
esac
printf "{\"issues\":[{\"severity\":\"critical\",\"category\":\"x\",\"file\":\"notes.txt\","
printf "\"line\":2,"
printf "\"description\":\"%s\",\"evidence\":\"e\",\"suggestion\":\"s\"}]," "$text"
printf "\"summary\":{\"critical\":1,\"warning\":0,\"info\":0,\"verdict\":\"issues_found\"}}"'

policies()
{
    eye_two
    copy_of "$template" lean
    does critic 'if [ $HONE_ROUND = 1 ]; then cat "$play/found"; else cat "$play/clean"; fi'
    does review-fixer 'echo more >>notes.txt; sed -i s/defect/fine/ notes.txt
        echo "# Fixed notes.txt:2"'
    hone run review --until lean --eyes "$two" --agent "*=$agent"
    check_is "lean: exit" "$status" 0
    check_is "lean: the first look is the panel's" "$(looks 1)" "$(panel one)"
    check_is "lean: the second is the checker's, by the other eye" "$(looks 2)" "checker two look"
    check_has "lean: a look is of the whole change" "$play/prompt.checker.2.1" "git diff HEAD"
    check_has "lean: who looked" "$out" "5 reviewers by cmd, checker by cmd"
    check_has "lean: one more look is the checker's" "$out" "one more look: 1 call"
    check_has "lean: what is left, rounded, and how often that is wrong" "$out" \
        "expected to be left: 0.3 grave, by simulation: in about 4 of 10 such ends there is one"
    copy_of "$template" lean
    hone run review --until lean --agent "*=$agent"
    check_has "lean with one eye: who looked" "$out" "5 reviewers by cmd, checker by cmd"

    copy_of "$template" place
    does critic "$finds_new"
    does checker "$finds_new"
    does review-fixer 'sed -i "2s/.*/fix $HONE_ROUND/" notes.txt; echo "# Fixed notes.txt:2"'
    hone run review --until settled --agent "*=$agent"
    check_is "oscillating: exit" "$status" 1
    check_has "oscillating: said" "$out" "oscillating: each repair of one place"
    check_has "oscillating: the place, and the advice" "$out" \
        "notes.txt:2 had something new in 4 reviews running: cut there"
    check_has "oscillating: what is left comes to what is open" "$out" \
        "expected to be left beside what is open: 0.8 grave"
    check_has "oscillating: stopped" .agents/tmp/state.json '"status": "stopped"'
    check_has "one eye: it is said that a second would find more" "$err" \
        "a second backend finds more"

    copy_of "$template" bound
    hone run review --until settled --max-iterations 2 --agent "*=$agent"
    check_is "bound: exit" "$status" 1
    check_has "bound: the one that was said" "$out" "all rounds that were allowed are used up"
    check_has "bound: shown before" "$err" "at most 2 reviews"
    hone run review --until settled --max-iterations 1 --agent "*=$agent"
    check "bound: of one" grep -q "at most 1 review$" "$err"
    hone run review --until settled --max-iterations 2 --agent "*=$agent"
    check_has "bound: in the files" .agents/tmp/state.json '"maxIterations": 2'

    copy_of "$template" json
    does critic
    does checker
    hone run review --until settled --eyes "$two" --agent "*=$agent" --json
    check_has "json: who looks" "$out" '"by":"cmd","eye":0,"recheck":false'
    check_has "json: the policy at the end" "$out" '"until":{"policy":"settled"'
    check_has "json: what is expected to be left" "$out" '"expected_left":0.4'
    check_has "json: converged" "$out" '"reason":"converged"'
    check_has "json: what one more look costs" "$out" '"look_calls":5'
}

# ---- settings: files, trust, what is kept ----

settings()
{
    eye_two
    copy_of "$template" settings
    printf '{"until":"settled"}\n' >hone.json
    hone run review --agent "*=$agent" </dev/null
    check_is "a repository's policy: refused where it was not agreed to" "$status" 2
    check_has "a repository's policy: which" "$err" "until  settled"
    hone run review --agent "*=$agent" --trust
    check_is "agreed: exit" "$status" 0
    check_has "agreed: shown" "$err" "until settled: 2 looks"
    hone run review --until seed --agent "*=$agent"
    check_not "a flag wins over the file" grep -q "2 looks" "$err"
    hone config show
    check "what holds for all is shown of each dialect" \
        grep -qE 'dialects.review.until +"settled" +hone.json' "$out"
    printf '{"until":"clean","dialects":{"review":{"until":"seed"}}}\n' >hone.json
    hone run review --agent "*=$agent"
    check_not "the dialect's own wins over all" grep -q "until clean:" "$err"
    printf '{"until":"clean","eyes":["cmd:true"]}\n' >hone.json
    hone run review --agent "*=$agent" </dev/null
    check_is "a repository's eye that is a command is asked about" "$status" 2
    rm hone.json

    hone run review --until setled
    one_line "a policy that there is not" 2 "did you mean 'settled'?"
    hone run review --eyes codex
    one_line "eyes without a policy" 2 "--eyes is for --until"
    hone run review --until settled --agent "*=$agent" --eyes analyzer:gcc
    one_line "an analyzer is no eye" 2 "name a model"
    hone run review --until settled --agent "*=$agent" --eyes script:/nowhere
    check_is "an eye that is not there: before anything starts" "$status" 2

    # A resume means the same: the look that was cut off is by the same eye.
    copy_of "$template" resumed
    : >"$play/order"
    does critic 'case "$HONE_ROUND ${EYE:-one}" in "1 one") cat "$play/found" ;;
        "2 two") if [ -e "$play/again" ]; then cat "$play/clean"; else exit 1; fi ;; esac'
    does review-fixer 'sed -i s/defect/fine/ notes.txt; echo "# Fixed notes.txt:2"'
    hone run review --until settled --eyes "$two" --agent "*=$agent"
    check_is "interrupted: exit" "$status" 3
    check_has "interrupted: a look that was not completed is no look" "$out" \
        "looked: 5 reviewers by cmd; one more look"
    touch "$play/again"
    hone resume
    check_is "resumed: exit" "$status" 0
    check_has "resumed: by the same eye" "$play/order" "2 critic two look"
    check_not "resumed: and no other" grep -q "^2 critic one" "$play/order"
}

# ---- what would be done, and hone init ----

offered()
{
    copy_of "$template" offered
    hone run --agent "*=$agent"
    check_has "preview: settled is offered" "$out" "hone run review [--until settled]"
    check_has "preview: and what it means" "$out" "start it [with half the calls]"
    hone run --until settled --agent "*=$agent" --eyes "$agent again"
    check_has "preview: looks" "$out" "settled: 2 looks at the whole change"
    check_has "preview: rechecks" "$out" "checker rechecks each"
    check_has "preview: floors" "$out" "medium in a"
    check_has "preview: bound" "$out" "at most 5 reviews"
    check_has "preview: eyes" "$out" "those that play, then"
    hone init --yes
    check_has "init: settled is offered" "$out" "hone config set until settled"
    check_not "init: and not chosen for the user" grep -qs until hone.json
}

# ---- analyzers first ----

# The fixer mends what the compiler says first; the models are asked when it builds.
analyzers()
{
    command -v gcc >/dev/null || { skip analyzers "there is no gcc"; return; }
    eye_two
    copy_of "$template" analyzers
    printf 'int main(void)\n{\n    return 1\n}\n' >main.c
    does review-fixer 'sed -i "s/return 1$/return 1;/" main.c; echo "# Fixed main.c:3"'
    hone run review --until settled --agent "*=$agent" --agent critic=analyzer:gcc
    check_is "analyzers: exit" "$status" 0
    check_is "analyzers: no model is asked while the build is broken" "$(looks 1)" ""
    check_is "analyzers: the models look when it builds" "$(looks 2)" \
        "$(panel one | sed 's/critic one look,//')"
    check_has "analyzers: said" "$out" "1 review by analyzers alone, for it did not build"
    check_has "analyzers: who looked" "$out" "critic by analyzer, 4 reviewers by cmd"
    hone run review --until settled --agent critic=analyzer:gcc --agent '*=analyzer:none' \
        --agent review-fixer=fixits
    check_has "analyzers alone: who was not played did not look" "$out" \
        "looked: critic by analyzer;"
    check_has "analyzers alone: the guess is of models" "$out" "only analyzers have"
    check_has "analyzers alone: they recheck" "$err" "then the analyzers recheck each repair"
    check_has "analyzers alone: no other eyes are offered" "$err" "eyes: analyzers alone"
    git checkout -q main.c
    hone run review --until settled --agent critic=analyzer:gcc --agent '*=analyzer:none' \
        --agent review-fixer=fixits
    check_is "nothing that they look at: exit" "$status" 2
    check_not "nothing that they look at: no guess" grep -q "expected to be left" "$out"
}

# ---- eyes that were not named: the models that are installed ----

models()
{
    local name
    . "$TOP/tests/support/models.sh"
    mkdir -p "$TMPDIR/bin"
    for name in claude codex; do
        printf '#!/bin/sh\necho "$HONE_ROUND $HONE_ROLE %s" >>"%s/order"\nexec "%s/agent"\n' \
            "$name" "$play" "$play" >"$TMPDIR/bin/$name-says"
        chmod +x "$TMPDIR/bin/$name-says"
        "stand_in_$name" "$TMPDIR/bin/$name" "$TMPDIR/bin/$name-says \"\$@\""
    done
    : >"$play/order"
    copy_of "$template" models
    does critic "$sees"
    does review-fixer 'sed -i s/defect/fine/ notes.txt; echo "# Fixed notes.txt:2"'
    PATH=$TMPDIR/bin:$plain_path hone run review --until settled
    check_is "models: exit" "$status" 0
    check_has "models: who looks in turn" "$err" "eyes: those that play, then codex, in turn"
    check_has "models: the first look" "$play/order" "1 critic claude"
    check_has "models: the second, by the other model" "$play/order" "2 critic codex"
    check_has "models: the fixer stays" "$play/order" "1 review-fixer claude"
    check_has "models: who looked" "$out" "5 reviewers by claude, 5 reviewers by codex"
    rm "$TMPDIR/bin/codex"
    copy_of "$template" models
    PATH=$TMPDIR/bin:$plain_path hone run review --until settled
    check_is "one model: exit" "$status" 0
    check_has "one model: who looked, and how often" "$out" "looked: 5 reviewers by claude 2 times;"
    check_has "one model: it is said that a second would find more" "$err" \
        "a second backend finds more"
}

# ---- another dialect: its own first reviewer rechecks ----

cycles()
{
    . "$TOP/tests/support/cycles.sh"
    begin_story
    # shellcheck disable=SC2016 # for the agent's shell
    does spec-reviewer 'case $HONE_ROUND in
1) printf "## Issues\n\n- [HIGH] phase-1.txt:1 - the first is missing\n\n## Grade: FAIL\n" ;;
2) printf "## Issues\n\n- [HIGH] phase-1.txt:2 - other words\n\n## Grade: FAIL\n" ;;
*) printf "All met.\n\n## Grade: PASS\n" ;; esac'
    # shellcheck disable=SC2154 # of cycles.sh
    hone run cycles --spec "$spec" --phases 1 --until settled --eyes "$agent" \
        --agent "*=$agent"
    check_is "cycles: exit" "$status" 0
    check_is "cycles: two looks and a recheck" "$(started spec-reviewer)" 3
    check_has "cycles: the recheck says so" "$play/prompt.spec-reviewer.3.1" \
        "## This is a recheck"
    check_not "cycles: a look does not" grep -q "This is a recheck" \
        "$play/prompt.spec-reviewer.2.1"
    check_has "cycles: a look is told what is known" "$play/prompt.spec-reviewer.2.1" \
        "the first is missing"
}

together settled program_as_checker seed policies settings offered analyzers models cycles
exit $failed
