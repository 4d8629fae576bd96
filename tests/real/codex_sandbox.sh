#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone as a command of the real Codex: how Codex's sandbox is known (src/drive/guard/cage.c), and
# what hone says where that sandbox keeps it from its work.
. "${TOP:?}/tests/real/stage/stage.sh"

template=$TMPDIR/template
new_repo "$template"
# shellcheck disable=SC2016 # for Codex's shell
marks='echo "thread=${CODEX_THREAD_ID:+set} closed=${CODEX_SANDBOX_NETWORK_DISABLED:-}'
marks+=' confined=$(sed -n "s/^NoNewPrivs:.//p" /proc/self/status)"'
whose="hone itself runs in Codex's sandbox; start hone outside of it"

# in_codex NAME COMMAND OPTIONS...: Codex runs it, with these options; what the command said, as the
# model was told it, is in $said. (Codex's own lines leave out a command that ends at once.)
in_codex()
{
    name="codex, sandbox: $1"
    start_model "[[$(runs "$marks; $2"),$(says Done.)]]"
    copy_of "$template" work
    shift 2
    TMPDIR=$TMPDIR/tmp codex exec --json "$@" "Do it." >"$out" 2>"$err" </dev/null &
    runs=$!
    await "$name" 0
    stop_model
    said=$asked.results
}

marks()
{
    local try="$HONE run review --agent '*=cmd:true' 2>&1"

    in_codex "workspace-write" "$try" --sandbox workspace-write
    check_has "$name: its marks" "$said" "thread=set closed=1 confined=1"
    check_has "$name: hone says whose it is" "$said" "$whose"
    in_codex "read-only" "$try" --sandbox read-only
    check_has "$name: its marks" "$said" "thread=set closed=1 confined=1"
    check_has "$name: hone says whose it is" "$said" "$whose"
    in_codex "with a network" "$try" --sandbox workspace-write \
        -c sandbox_workspace_write.network_access=true
    check_has "$name: its marks" "$said" "thread=set closed= confined=1"
    check_has "$name: hone says whose it is" "$said" "$whose"
    in_codex "danger-full-access" "$try" --sandbox danger-full-access
    check_has "$name: its marks" "$said" "thread=set closed= confined=0"
    check_not "$name: no sandbox is named" grep -q "Codex's sandbox" "$said"
}

# With a git folder that can be written a run begins, also without a network.
closed_network()
{
    local calls='echo "connect EPERM 192.0.2.1:443" >&2; exit 1'

    in_codex "no network" \
        "$HONE run session x --agent '*=cmd:cat >/dev/null; $calls' 2>&1" \
        --sandbox workspace-write \
        -c "sandbox_workspace_write.writable_roots=[\"$TMPDIR/work/.git\"]"
    check_has "$name: the agent was started, and is told apart" "$said" \
        "has no network, since $whose"
}

has_client codex && together marks closed_network
exit "$failed"
