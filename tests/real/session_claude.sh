#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone run session with the real Claude Code as executor and reviewer.
. "${TOP:?}/tests/real/stage/stage.sh"
client=claude
. "$TOP/tests/real/stage/session.sh"
has_client "$client" && together answers service deaths
exit "$failed"
