#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone inside the real Claude Code without any permission given: reviewers read, and write their
# answers, and the user is not asked; what else they try is refused by the host.
. "${TOP:?}/tests/real/stage/stage.sh"
client=claude
. "$TOP/tests/real/stage/hosted.sh"

# asks_bare PROMPT: a session in which everything that needs permission is refused.
asks_bare()
{
    TMPDIR=$TMPDIR/tmp claude -p "$1" --plugin-dir "$TOP/plugin" --output-format stream-json \
        --verbose --permission-mode default >"$out" 2>"$err" </dev/null &
    runs=$!
}

answers()
{
    begin "no permissions" "\"agents\":{$all_clean}"
    asks_bare /hone:review
    leads_to DONE 1 0
    check_has "$name: nothing was refused" "$out" '"permission_denials":[]'
    stop_model

    begin "no permissions, and a command" "\"agents\":{$all_clean,\"critic\":[$(acts "$reads" \
        "$(runs 'rm notes.txt')" "$(answer "$clean")" "$done_")]}"
    asks_bare /hone:review
    leads_to DONE 1 0
    check "$name: another command is refused" test -e notes.txt
    stop_model
}

has_client claude && answers
exit "$failed"
