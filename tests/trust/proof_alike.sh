#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# All reviewers fail the same way: the first failure of a kind that will not heal by itself stops
# the others' starts and retries; one line says what to do.
#
# row: proof.alike | five reviewers without a login, without credit, by a broken client, by a program that is not there | starts and retries of that program end with the first failure that will not heal, or the second that is alike; agents of other programs go on | those that were started at the same moment end by themselves
# shellcheck disable=SC2154 # what is not assigned here is of tests/support
. "${TOP:?}/tests/trust/lib.sh"

trust_ways=(user root-bare) # each user, and each kind of cage, once

setup()
{
    with_play models
    template=$TMPDIR/template
    new_repo "$template"
}

# alike NAME COMMANDS LINE: claude does that, for all five; each is started once.
alike()
{
    copy_of "$template" work
    forget
    program claude "echo \"\$HONE_ROLE\" >>$play/log; cat >/dev/null; $2"
    hone run review --agent '*=claude'
    check_is "proof.alike: $1: exit" "$status" 3
    check_is "proof.alike: $1: none is started again" "$(grep -c . "$play/log")" 5
    check_is "proof.alike: $1: one line says what to do" "$(grep -c 'hone resume' "$err")" 1
    check_has "proof.alike: $1: and why" "$err" "$3"
}

result='{"type":"result","is_error":true,"terminal_reason":"api_error","result":"no"'
same()
{
    alike "no login" "echo '$result,\"api_error_status\":401}'; exit 1" "is not logged in"
    alike "no credit" "echo '$result,\"api_error_status\":402}'; exit 1" "has no credit left"
    alike "an unknown model" \
        "echo '$result,\"api_error_status\":404}'; exit 1" "does not know its model"
    alike "a broken client" 'echo "Cannot find module x" >&2; exit 1' "Cannot find module x"
    alike "a program that cannot run" 'exit 127' "status 127"
}

# Agents of another program go on; a later step of the broken one is not started.
others()
{
    copy_of "$template" others
    forget
    program claude \
        "echo \"\$HONE_ROLE\" >>$play/log; echo '$result,\"api_error_status\":401}'; exit 1"
    stand_in_codex "$TMPDIR/bin/codex" "cat $play/clean"
    hone run review --agent '*=codex' --agent critic=claude
    check_is "proof.alike: others go on: exit" "$status" 3
    check_is "proof.alike: others go on: claude once" "$(grep -c . "$play/log")" 1
    "$HONE" show >"$out"
    check_is "proof.alike: others go on: codex answers" "$(grep -c ' clean' "$out")" 4
    # A resume tries again: the user has logged in.
    stand_in_claude "$TMPDIR/bin/claude" "cat $play/clean"
    hone resume
    check_is "proof.alike: a resume tries again" "$status" 0
}

for_each_way same others
