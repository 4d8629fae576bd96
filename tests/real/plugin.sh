#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The plugin in the real Claude Code and the real Codex, put there by hone install: it is valid, it
# loads whole, its hooks call hone, and after hone uninstall nothing of it is left. A stand-in hone
# writes down which events it hears.
. "${TOP:?}/tests/real/stage/stage.sh"

mkdir -p "$TMPDIR/bin" "$TMPDIR/share/hone" "$TMPDIR/work"
cp -r "$TOP/plugin" "$TMPDIR/share/hone/plugin"
cp "$HONE" "$TMPDIR/bin/hone"
heard=$TMPDIR/heard
mkdir "$TMPDIR/stand-in"
cat >"$TMPDIR/stand-in/hone" <<END
#!/bin/sh
echo "\$* \$(sed 's/.*"hook_event_name": *"\([A-Za-z]*\)".*/\1/')" >>"$heard"
END
chmod +x "$TMPDIR/stand-in/hone"

# wires ARGUMENTS...: hone itself, which is then on no PATH.
wires()
{
    PATH=$TMPDIR/bin:$PATH "$TMPDIR/bin/hone" "$@" >"$out" 2>"$err"
    check_is "hone $*: exit" "$?" 0
}

# hears NAME EVENT: the stand-in was called for it.
hears()
{
    check "$1 calls hone for $2" grep -qx "hook $2" "$heard"
}

in_claude()
{
    local init=$TMPDIR/init
    claude plugin validate --strict "$TMPDIR/share/hone/plugin" >"$out" 2>&1
    check_is "claude: the marketplace is valid" "$?" 0
    cp -r "$TOP/plugin" "$TMPDIR/alone"
    rm "$TMPDIR/alone/.claude-plugin/marketplace.json"
    claude plugin validate --strict "$TMPDIR/alone" >"$out" 2>&1
    check_is "claude: the plugin is valid" "$?" 0

    wires install claude --yes
    PATH=$TMPDIR/stand-in:$PATH timeout "$limit" claude -p '/hone:review the change' \
        --output-format stream-json --verbose </dev/null >"$out" 2>"$err"
    check_is "claude: exit" "$?" 0
    grep '"subtype":"init"' "$out" >"$init"
    check_has "claude: the plugin is loaded from where hone is" "$init" \
        "\"path\":\"$TMPDIR/share/hone/plugin\""
    check "claude: without an error" sh -c '! grep -q plugin_errors "$1"' - "$init"
    for file in "$TOP"/plugin/agents/*.md; do
        check_has "claude: the agent $(basename "$file" .md)" "$init" \
            "\"hone:$(basename "$file" .md)\""
    done
    for file in "$TOP"/plugin/commands/*.md; do
        check_has "claude: the command $(basename "$file" .md)" "$init" \
            "\"hone:$(basename "$file" .md)\""
    done
    for event in SessionStart UserPromptSubmit Stop SessionEnd; do hears claude "$event"; done

    : >"$heard"
    timeout "$limit" claude -p 'hello' --output-format stream-json --verbose --include-hook-events \
        </dev/null >"$out" 2>"$err"
    check_has "claude: where hone is missing the user is told" "$out" "is not on the PATH"

    wires uninstall claude --yes
    PATH=$TMPDIR/stand-in:$PATH timeout "$limit" claude -p 'hello' --output-format stream-json \
        --verbose </dev/null >"$out" 2>"$err"
    check "claude: nothing of it is left" sh -c '! grep -q hone: "$1"' - "$out"
    check_is "claude: and no hook is called" "$(cat "$heard")" ""
    claude plugin marketplace list >"$out" 2>&1
    check "claude: it has forgotten the marketplace" sh -c '! grep -q share/hone "$1"' - "$out"
}

# asks ARGUMENTS...: a turn of Codex in the repository.
asks()
{
    local path=$TMPDIR/stand-in:$PATH
    : >"$heard"
    TMPDIR=$TMPDIR/tmp PATH=$path timeout "$limit" codex exec --json "$@" \
        </dev/null >"$out" 2>"$err"
    check_is "codex: exit" "$?" 0
}

in_codex()
{
    wires install codex --yes
    asks '$hone-review the change'
    check_is "codex: hooks that nobody trusts are not called" "$(cat "$heard")" ""
    asks --dangerously-bypass-hook-trust '$hone-review the change'
    for event in SessionStart UserPromptSubmit Stop SessionEnd; do hears codex "$event"; done
    check "codex: no file of ours is refused" sh -c '! grep -qi "hone" "$1"' - "$err"
    wires uninstall codex --yes
    asks --dangerously-bypass-hook-trust 'hello'
    check_is "codex: nothing of it is left" "$(cat "$heard")" ""
}

# as_plugin: Codex takes the folder as a marketplace, and the plugin from it: its skills and hooks.
# Agents it cannot have from there; hone install adds those, and no more.
as_plugin()
{
    local list=$TMPDIR/list
    sed -i 's/^plugins = false/plugins = true/' "$CODEX_HOME/config.toml"
    codex plugin marketplace add "$TMPDIR/share/hone/plugin" >"$list" 2>&1
    check_is "codex: it takes the marketplace" "$?" 0
    codex plugin add hone@hone >>"$list" 2>&1
    check_is "codex: and its plugin" "$?" 0
    asks --dangerously-bypass-hook-trust '$hone-review the change'
    for event in SessionStart UserPromptSubmit Stop; do hears "codex, as a plugin," "$event"; done
    wires install codex --yes
    check_has "codex, plugin: only agents are put in" "$out" "as a plugin"
    asks --dangerously-bypass-hook-trust '$hone-review the change'
    check_is "codex, plugin: nothing is called twice" "$(grep -c UserPromptSubmit "$heard")" 1
    check "codex, plugin: no file of ours is refused" sh -c '! grep -qi "hone" "$1"' - "$err"
    codex plugin remove hone@hone >>"$list" 2>&1
    wires uninstall codex --yes
    asks --dangerously-bypass-hook-trust 'hello'
    check_is "codex, plugin: nothing of it is left" "$(cat "$heard")" ""
}

new_repo "$TMPDIR/work"
start_model "[[$(says 'Hello.')],[$(says 'Hello.')],[$(says 'Hello.')],[$(says 'Hello.')]]"
has_client claude && in_claude
stop_model
start_model "[[$(says 'Hello.')],[$(says 'Hello.')],[$(says 'Hello.')]]"
has_client codex && in_codex
stop_model
start_model "[[$(says 'Hello.')],[$(says 'Hello.')],[$(says 'Hello.')]]"
has_client codex && as_plugin
stop_model
exit "$failed"
