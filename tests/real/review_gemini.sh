#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone run review with the real Gemini CLI as critic and fixer. Each start of it takes seconds, and
# what it does when its service refuses takes minutes: the least is shown.
. "${TOP:?}/tests/real/stage/stage.sh"
client=gemini:gemini-2.5-pro
. "$TOP/tests/real/stage/review.sh"

rounds()
{
    case_of "two rounds" 0 2 "[[$look,$says_found],[$look,$fix],[$look,$says_clean]]"
    check_is "$name: it is repaired" "$(grep -c defect notes.txt)" 0
    used "$name" 1
}

faults()
{
    case_of "malformed, then corrected" 0 2 "[[$look,$(says 'It looks fine.')],[$look,$says_clean]]"
    it_is_killed
}

has_client gemini && together rounds faults
exit "$failed"
