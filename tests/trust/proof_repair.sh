#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Nothing is done on a report's word: what a fixer's report does not name, or what has no change
# near it, is unresolved; a repair that left the tree as it was is said so. Trees are compared alike
# with and without a cage: each user is tried once.
#
# row: proof.repair | a fixer reports "Fixed all of it." or changes nothing | a finding that the report does not name, or with no change near its place, is unresolved in `hone findings` and in the next prompts; end line, view and JSON say in which rounds the fixer changed nothing | rounds and verdicts stay the plan's
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare)

setup()
{
    with_play
    template=$TMPDIR/template
    new_repo "$template"
    for i in $(seq 100); do echo "line $i"; done >>notes.txt
}

# repaired NAME COMMANDS: critic reports line 2 of notes.txt, twice; the fixer does that.
repaired()
{
    copy_of "$template" work
    forget
    # shellcheck disable=SC2016 # for the agent's shell
    does critic 'cat "$play/found"'
    does review-fixer "$2"
    hone run review --max-iterations 2 --agent "*=$agent"
    check_is "proof.repair: $1: the bound stays as it is" "$status" 1
    check_is "proof.repair: $1: and so do the rounds" \
        "$(started critic),$(started review-fixer)" 2,1
}

unresolved()
{
    "$HONE" findings --json | grep -o '"unresolved": "[a-z]*"' | head -1
}

nothing()
{
    repaired "nothing changed" 'echo "Fixed all of it: notes.txt:2."'
    check_has "proof.repair: nothing changed: the end line says so" "$out" \
        "the fixer changed nothing in round 1"
    check_has "proof.repair: nothing changed: the view, too" "$err" "changed nothing"
    check_is "proof.repair: nothing changed: hone findings" "$(unresolved)" \
        '"unresolved": "untouched"'
    "$HONE" findings >"$out"
    check_has "proof.repair: nothing changed: its table" "$out" "unresolved"
    check_has "proof.repair: nothing changed: the next reviewer is told" "$play/prompt.critic.2.1" \
        "a defect is left: nothing changed near it"
}

elsewhere()
{
    repaired "not named" 'sed -i 2d notes.txt; echo "Fixed all of it."'
    check_is "proof.repair: not named: hone findings" "$(unresolved)" '"unresolved": "unnamed"'
    check_not "proof.repair: not named: but something changed" grep -q "changed nothing" "$out"

    repaired "far away" 'sed -i 90d notes.txt; echo "Fixed notes.txt:2."'
    check_is "proof.repair: far away: hone findings" "$(unresolved)" '"unresolved": "untouched"'

    repaired "another file" 'echo >>main.c; echo "Fixed notes.txt:2."'
    check_is "proof.repair: another file: hone findings" "$(unresolved)" '"unresolved": "untouched"'

    repaired "named and near" 'sed -i 3d notes.txt; echo "Fixed notes.txt:2."'
    check_is "proof.repair: named and near: no doubt" "$(unresolved)" ""
}

for_each_way nothing elsewhere
