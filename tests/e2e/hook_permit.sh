#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A host asks whether a command may run. An agent that writes its answer, and nothing else, may;
# about everything else hone says nothing, and the host asks its user.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"
. "$TOP/tests/support/host.sh"

new_repo "$TMPDIR/work"
folder=.agents/tmp/phases/review-1
event UserPromptSubmit '"prompt":"/hone:review"'
check "a review has begun" test -d "$folder"

# asks TYPE COMMAND: the host is about to ask, for an agent of that type ("": the session itself).
asks()
{
    local who=
    [ -z "$1" ] || who="\"agent_id\":\"a1\",\"agent_type\":\"$1\","
    event PermissionRequest "$who\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$(
        printf '%s' "$2" | json_text)\"}"
    check_is "$3: exit" "$status" 0
}

# The command that writes to a file.
writes()
{
    printf "cat > %s <<'END_OF_ANSWER'\n%s\nEND_OF_ANSWER" "$1" '{"a": "$(b)"}'
}

check_yes() { check "$1" grep -q '"behavior":"allow"' "$hook_out"; }
check_silence() { check_is "$1" "$(cat "$hook_out" "$hook_err")" ""; }

asks hone:critic "$(writes $folder/r1-critic.json)" "its own answer"
check_yes "its own answer may be written"
check_is "and that is all that is said" "$(wc -l <"$hook_out")" 0
asks hone:critic "$(writes "$PWD/$folder/r1-critic.json")" "by its whole path"
check_yes "by its whole path"
asks minions:critic "$(writes ./$folder/../review-1/r1-critic.json)" "by a way around"
check_yes "by an older name, and by a way around"
asks hone:critic "$(writes $folder/r1-pedant.json)" "another's answer"
check_silence "another's answer may not"
asks hone:critic "$(writes $folder/r1-verdict.json)" "the verdict"
check_silence "nor the verdict"
asks hone:critic "$(writes main.c)" "a file of the tree"
check_silence "nor a file of the tree"
asks hone:critic "$(writes $folder/r1-critic.json); rm main.c" "something behind"
check_silence "nor with something behind it"
asks hone:critic "rm main.c" "another command"
check_silence "nor another command"
asks hone:review-fixer "$(writes $folder/r1-critic.json)" "another agent"
check_silence "nor by another agent"
asks "" "$(writes $folder/r1-critic.json)" "the session"
check_silence "nor by the session itself"
ln -s "$PWD/main.c" $folder/r1-critic.json
asks hone:critic "$(writes $folder/r1-critic.json)" "through a link"
check_silence "nor through a link"
rm $folder/r1-critic.json
host_session=another asks hone:critic "$(writes $folder/r1-critic.json)" "another session"
check_silence "nor in another session"
event UserPromptSubmit '"prompt":"/hone:stop"'
asks hone:critic "$(writes $folder/r1-critic.json)" "a stopped run"
check_silence "nor when the run is stopped"

exit "$failed"
