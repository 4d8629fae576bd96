#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone run review with real agents that speak the Agent Client Protocol, one after another.
. "${TOP:?}/tests/real/stage/stage.sh"
client=
. "$TOP/tests/real/stage/review.sh"

# by_acp PROGRAM COMMAND
by_acp()
{
    has_client "$1" || return
    client=acp:$2
    case_of "clean" 0 1 "[[$look,$says_clean]]"
    used "$name" 1
    case_of "two rounds" 0 2 "[[$look,$says_found],[$look,$fix],[$look,$says_clean]]"
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    case_of "no tool, then one" 0 2 "[[$says_clean],[$look,$says_clean]]"
    it_hangs
}

claude_code()
{
    by_acp claude-agent-acp claude-agent-acp
}

codex()
{
    by_acp codex-acp codex-acp
}

gemini()
{
    by_acp gemini "gemini --acp --skip-trust --model gemini-2.5-pro"
}

together claude_code codex gemini # which takes seconds to start
exit "$failed"
