#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A role and loops of one's own with the real Claude Code: started by hone, and inside of it.
. "${TOP:?}/tests/real/stage/stage.sh"
client=claude
. "$TOP/tests/real/stage/hosted.sh"
. "$TOP/tests/real/stage/own.sh"
# shellcheck disable=SC2034 # for own.sh
review=/hone:review loop=/hone:loop plugin_name=hone: agent_name=
install_by="'hone roles install perf' makes one; then start Claude Code anew"

# install ROLE: as a part of the repository, not of the change.
install()
{
    "$HONE" roles install "$1" >"$TMPDIR/installed" 2>&1 || cat "$TMPDIR/installed"
    git add .claude
    git commit -q -m "An agent" -- .claude
}

has_client claude && together a_role a_loop no_agent hosted_role hosted_loops
exit "$failed"
