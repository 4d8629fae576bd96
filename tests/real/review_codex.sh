#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone run review with the real Codex as critic and fixer.
. "${TOP:?}/tests/real/stage/stage.sh"
client=codex
. "$TOP/tests/real/stage/review.sh"
has_client "$client" && together answers service deaths
exit "$failed"
