#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Budgets of dollars and tokens bind only agents that report them: that is said at the start,
# before there is a cage: each user is tried once.
#
# row: proof.budget | `--budget usd=5` with agents that report no cost | the run says at its start which agents the limit does not bind, and is refused where none reports it | a command's cost: it is not known, which is said
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare)

setup()
{
    with_play models
}

budget()
{
    new_repo "$TMPDIR/work"
    mkdir -p "$TMPDIR/bin"
    stand_in_claude "$TMPDIR/bin/claude" "cat $play/clean"
    stand_in_codex "$TMPDIR/bin/codex" "cat $play/clean"
    PATH=$TMPDIR/bin:$plain_path
    words="does not bind agents that report none"

    forget
    hone run review --budget usd=5 --agent '*=codex'
    check_is "proof.budget: none reports dollars: refused" "$status" 2
    check_has "proof.budget: with the reason" "$err" "a budget of usd binds nothing here"
    check_is "proof.budget: in one line" "$(grep -vc "rights.tmp" "$err")" 1
    hone run review --budget tokens=2M --agent '*=codex'
    check_is "proof.budget: it reports tokens" "$status" 0
    check_not "proof.budget: so nothing is to be said" grep -q "$words" "$err"
    hone run review --budget usd=5,tokens=2M --agent '*=claude' --agent critic=codex
    check_is "proof.budget: some report it" "$status" 0
    check_has "proof.budget: which do not is said" "$err" "the budget of usd $words: codex;"
    check_not "proof.budget: of what they do report nothing" grep -q "of tokens $words" "$err"
    hone run review --budget usd=5 --agent "*=$agent"
    check_is "proof.budget: a command may start a run that reports" "$status" 0
    check_has "proof.budget: but does not itself" "$err" "the budget of usd $words: cmd:"
    hone run review --budget usd=5,calls=40 --agent '*=script:/dev/null'
    check_not "proof.budget: what costs nothing needs no word" grep -q "$words" "$err"
}

for_each_way budget
