#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A role and loops of one's own with the real Codex: started by hone, and inside of it.
. "${TOP:?}/tests/real/stage/stage.sh"
client=codex
. "$TOP/tests/real/stage/hosted.sh"
. "$TOP/tests/real/stage/codex.sh"
. "$TOP/tests/real/stage/own.sh"
# shellcheck disable=SC2034 # for own.sh
review='$hone-review' loop='$hone-loop' plugin_name=hone- agent_name=hone-
install_by="'hone roles install perf --codex' makes one; then start Codex anew"
# An agent's last message is its answer.
mender=$(acts "$reads" "$(runs "$mends")" "$(answer '# Fixed')")

# install ROLE: into the home that Codex has here.
install()
{
    "$HONE" roles install "$1" --codex >"$TMPDIR/installed" 2>&1 || cat "$TMPDIR/installed"
}

has_client codex && together a_role a_loop no_agent hosted_role hosted_loops
exit "$failed"
