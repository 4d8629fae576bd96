# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # not assigned here: of play.sh, stage.sh, hosted.sh
#
# codex.sh - Codex as the host, and its agents, which count until they are closed. Sourced after
# hosted.sh.
model_name= # other than the usual one

# asks WORDS...: Codex, in the background; its hooks are trusted for this once, and one of this
# story's own writes down of each agent that is to be closed whether hone has taken its answer.
asks()
{
    hone install codex --yes >"$TMPDIR/installed" 2>&1 || cat "$TMPDIR/installed"
    cat >"$TMPDIR/closing" <<'END_OF_HOOK'
#!/bin/sh
target=$(sed 's/.*"target":"\([^"]*\)".*/\1/')
at_work=$(jq -r '.agents[].id' .git/hone/hosted/*.json)
case $at_work in *"$target"*) echo early ;; *) echo taken ;; esac >>"$0.log"
END_OF_HOOK
    chmod +x "$TMPDIR/closing"
    : >"$TMPDIR/closing.log"
    cat >>"$CODEX_HOME/config.toml" <<END_OF_CONFIG
[[hooks.PreToolUse]]
matcher = "close_agent$"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "$TMPDIR/closing"
END_OF_CONFIG
    TMPDIR=$TMPDIR/tmp codex exec --json --dangerously-bypass-hook-trust --sandbox workspace-write \
        ${model_name:+-m "$model_name"} "$@" >"$out" 2>"$err" </dev/null &
    runs=$!
}

# Each is closed after it has ended and hone has taken its answer, and all of them before others
# are started.
closes_in_order()
{
    check_is "$name: each was judged before" "$(sort "$TMPDIR/closing.log" | uniq -c | xargs)" \
        "$(sed -n 's/^leader .* starts //p' "$asked" | wc -w) taken"
    check_is "$name: all are closed" "$(sed -n 's/^leader .* closes //p' "$asked" |
        awk '{ sum += $1 } END { print sum }')" \
        "$(sed -n 's/^leader .* starts //p' "$asked" | wc -w)"
    check_not "$name: none is refused for too many" grep -q 'agent thread limit' "$out"
}
