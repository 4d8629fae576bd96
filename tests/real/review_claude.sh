#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone run review with the real Claude Code as critic and fixer.
. "${TOP:?}/tests/real/stage/stage.sh"
client=claude
. "$TOP/tests/real/stage/review.sh"
has_client "$client" && together answers service deaths
exit "$failed"
