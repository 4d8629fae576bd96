#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A clean is earned by looking: a role that looks at nothing is not played, and a gate at which no
# one looked ends with 2.
# row: earned.none | hone.json of a repository gives analyzer:none to every reviewer | the run does not begin (exit 2); a role that looks at nothing is "not played", never clean | -
# row: earned.unfit | analyzers that read no file of the change; patterns that leave out all of it | the gate does not pass: the run ends as unseen, with 2 | -
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare) # each user, and each kind of cage, once

setup()
{
    with_play
    template=$TMPDIR/template
    new_repo "$template"
}

none_for_all()
{
    forget
    copy_of "$template" none
    printf '{"agents":{"*":"analyzer:none","review-fixer":"fixits"}}\n' >hone.json
    hone run review
    check_is "earned.none: not agreed to: exit" "$status" 2
    check_has "earned.none: not agreed to: shown" "$err" "agents.*  analyzer:none"
    hone run review --trust
    check_is "earned.none: agreed to: exit" "$status" 2
    check_has "earned.none: why, and the way on" "$err" \
        "all of them are analyzer:none; name one that looks with --agent 'critic=SPEC'"
    check_not "earned.none: no file of a run" test -e .agents/tmp/state.json
    rm hone.json
    hone run review --agent '*=analyzer:none' --agent review-fixer=fixits
    check_is "earned.none: by option, too" "$status" 2
}

# Some look, others do not: the first earn the clean, the others are named.
some_look()
{
    forget
    copy_of "$template" some
    hone run review --agent '*=analyzer:none' --agent "critic=$agent" --agent review-fixer=fixits
    check_is "earned.none: one looks: exit" "$status" 0
    check_has "earned.none: one looks: the others are named" "$out" \
        "not played, for there was nothing that they look at: pedant, witness, security-reviewer"
    check_not "earned.none: they are not called clean" grep -q "pedant *clean" "$out"
    check_has "earned.none: said when it happens" "$err" "not played"
    check_not "earned.none: no file says clean" test -e .agents/tmp/phases/review-1/r1-pedant.json
    check_is "earned.none: the verdict file" "$(jq -c '[.critic.verdict,.pedant.verdict,
        .overall_verdict]' .agents/tmp/phases/review-1/r1-verdict.json)" \
        '["clean","not_played","clean"]'
    hone resume --json
    check_is "earned.none: for programs" "$(jq -r '.not_played | length' "$out")" 4
    hone show
    check_has "earned.none: show" "$out" "not played"
    hone log --json
    check_is "earned.none: log" "$(grep -c '"not played"' "$out")" 4
    check_not "earned.none: log: pedant is not clean" \
        grep -q '"role":"pedant".*"verdict":"clean"' "$out"
}

unfit()
{
    command -v gcc >/dev/null || { echo "skipped earned.unfit: gcc is not installed"; return; }
    forget
    copy_of "$template" unfit
    hone run review --agent '*=analyzer:gcc' --agent review-fixer=fixits
    check_is "earned.unfit: no file that it reads: exit" "$status" 2
    check_has "earned.unfit: said" "$out" "not reviewed: no reviewer looked at anything"
    check_not "earned.unfit: not clean" grep -qw clean "$out"
    check_is "earned.unfit: state.json" "$(jq -r .status .agents/tmp/state.json)" stopped
    check_not "earned.unfit: no verdict" test -e .agents/tmp/phases/review-1/r1-verdict.json
    hone status
    check_has "earned.unfit: status" "$out" "not reviewed"
    hone resume --json
    check_is "earned.unfit: for programs" "$(jq -r '.reason, .exit_code' "$out" | xargs)" \
        "unseen 2"
    echo 'int more;' >>main.c
    hone run review --agent '*=analyzer:gcc' --agent review-fixer=fixits --exclude '*.c'
    check_is "earned.unfit: all is left out: exit" "$status" 2
    hone run review --agent '*=analyzer:gcc' --agent review-fixer=fixits
    check_is "earned.unfit: looked at: clean" "$status" 0
}

for_each_way none_for_all some_look unfit
