#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone install and uninstall: what is shown, what is written, what is kept, what comes back. The
# laws over many files are in tests/unit/test_wiring.c.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

unset CODEX_HOME CLAUDE_CONFIG_DIR
export HOME=$TMPDIR/home PATH=$TMPDIR/bin:$PATH
mkdir -p "$HOME" "$TMPDIR/bin" "$TMPDIR/work" "$TMPDIR/usr/bin" "$TMPDIR/usr/share/hone"
# As it is installed, beside its plugin: a build may lie outside of the tree.
cp "$HONE" "$TMPDIR/usr/bin/hone"
ln -s "$TOP/plugin" "$TMPDIR/usr/share/hone/plugin"
HONE=$TMPDIR/usr/bin/hone
ln -s "$HONE" "$TMPDIR/bin/hone"
cd "$TMPDIR/work" || exit 1
settings=$HOME/.claude/settings.json
hooks=$HOME/.codex/hooks.json

# anew: no settings of any host.
anew()
{
    rm -rf "${HOME:?}/.claude" "$HOME/.codex"
    mkdir -p "$HOME/.claude" "$HOME/.codex"
}

# Everything below a folder, as one text.
tree_of()
{
    (cd "$1" && find . -type f ! -name '*.hone-backup' | LC_ALL=C sort |
        while read -r file; do
            echo "== $file"
            cat "$file"
        done)
}

# ---- Claude Code ----

anew
printf '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [ {"hooks":[]} ]\n\t}\n}' >"$settings"
cp "$settings" "$TMPDIR/before"
hone install claude --dry-run
check_is "claude: --dry-run: exit" "$status" 0
check_has "claude: --dry-run shows the file" "$out" "change  $settings"
check "claude: --dry-run changes nothing" cmp "$settings" "$TMPDIR/before"
hone install claude </dev/null
check_is "claude: without a terminal and --yes: exit" "$status" 2
check_has "claude: and says what to add" "$err" "--yes"
check "claude: and changes nothing" cmp "$settings" "$TMPDIR/before"
printf 'n\n' | timeout 60 script -qec "$HONE install claude" /dev/null >"$out" 2>&1
check_has "claude: on a terminal it asks" "$out" "Go on? [y/N]"
check "claude: no is no" cmp "$settings" "$TMPDIR/before"
printf 'y\n' | timeout 60 script -qec "$HONE install claude" /dev/null >"$out" 2>&1
check_has "claude: yes is yes" "$settings" hone@hone
hone uninstall claude --yes
check "claude: and out again" cmp "$settings" "$TMPDIR/before"
hone install claude --yes
check_is "claude: exit" "$status" 0
check_has "claude: the marketplace is the plugin's folder" "$settings" "\"path\": \"$TOP/plugin\""
check_has "claude: the plugin is on" "$settings" '"hone@hone": true'
check_has "claude: the next step is said" "$out" "/hone:review"
check "claude: what was there is kept" cmp "$settings.hone-backup" "$TMPDIR/before"
check "claude: the user's lines are as they were" \
    test "$(head -n 4 "$settings")" = "$(head -n 4 "$TMPDIR/before")"
cp "$settings" "$TMPDIR/after"
hone install claude --yes
check_has "claude: a second time there is nothing to do" "$out" "Nothing to do"
check "claude: and nothing is done" cmp "$settings" "$TMPDIR/after"
check "claude: the first backup stays" cmp "$settings.hone-backup" "$TMPDIR/before"
mkdir -p "$HOME/.claude/plugins" # what the client notes at its next start
printf '{\n  "hone": {\n    "source": {\n      "source": "directory"\n    }\n  },\n  "x": 1\n}' \
    >"$HOME/.claude/plugins/known_marketplaces.json"
hone uninstall claude --yes
check_is "claude: out again: exit" "$status" 0
check "claude: it is as it was, byte for byte" cmp "$settings" "$TMPDIR/before"
check_is "claude: the client has forgotten it" \
    "$(cat "$HOME/.claude/plugins/known_marketplaces.json")" '{
  "x": 1
}'
hone uninstall claude --yes
check_has "claude: out twice: nothing to do" "$out" "Nothing to do"

hone install claude --yes
sed -i 's/"opus"/"sonnet"/' "$settings"
hone uninstall claude --yes
check_is "claude: what the user changed since stays" "$(cat "$settings")" \
    "$(sed 's/"opus"/"sonnet"/' "$TMPDIR/before")"

anew
rmdir "$HOME/.claude"
hone install claude --yes
check "claude: settings that were not there are made" test -s "$settings"
hone uninstall claude --yes
check "claude: and go again" test ! -e "$settings"

anew
mkdir "$HOME/dotfiles"
echo '{}' >"$HOME/dotfiles/settings"
ln -s "$HOME/dotfiles/settings" "$settings"
hone install claude --yes
check "claude: a link stays one" test -L "$settings"
check_has "claude: the file behind it is changed" "$HOME/dotfiles/settings" hone@hone
hone uninstall claude --yes
check_is "claude: and is as it was" "$(cat "$HOME/dotfiles/settings")" '{}'

anew
echo '{ "model": "opus", }' >"$settings"
hone install claude --yes
check_is "claude: a broken file: exit" "$status" 2
check_has "claude: a broken file is named" "$err" "$settings"
check_is "claude: and left alone" "$(cat "$settings")" '{ "model": "opus", }'
hone install claude --project --yes
check_is "claude: --project is refused" "$status" 2

anew
CLAUDE_CONFIG_DIR=$TMPDIR/elsewhere hone install claude --yes
check "claude: CLAUDE_CONFIG_DIR counts" test -s "$TMPDIR/elsewhere/settings.json"
PATH=/usr/bin:/bin hone install claude --yes
check_has "claude: hone that is not on the PATH is said" "$err" "not on the PATH"

# ---- Codex ----

anew
printf '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}' >"$hooks"
mkdir -p "$HOME/.codex/agents"
echo 'name = "mine"' >"$HOME/.codex/agents/hone-mine.toml"
tree_of "$HOME/.codex" >"$TMPDIR/before"
hone install codex --yes
check_is "codex: exit" "$status" 0
check_has "codex: trust is explained" "$out" "/hooks"
check_has "codex: each file is shown" "$out" "make    $HOME/.codex/agents/hone-critic.toml"
check_has "codex: an agent has its name" "$HOME/.codex/agents/hone-critic.toml" \
    'name = "hone-critic"'
check_is "codex: an agent for each of the plugin" \
    "$(find "$HOME/.codex/agents" -name '*.toml' | wc -l)" \
    "$(($(find "$TOP/plugin/agents" -name '*.md' | wc -l) + 1))"
check_has "codex: a skill" "$HOME/.codex/skills/hone-session/SKILL.md" "close_agent"
check_has "codex: the user's hook stays" "$hooks" '{"type":"command","command":"mine"}'
check_has "codex: ours calls hone from the PATH" "$hooks" '"command":"hone hook"'
check "codex: nothing of hone says that it is trusted" test ! -e "$HOME/.codex/config.toml"
tree_of "$HOME/.codex" >"$TMPDIR/after"
hone install codex --yes
check_has "codex: a second time there is nothing to do" "$out" "Nothing to do"
tree_of "$HOME/.codex" | cmp -s - "$TMPDIR/after"
check "codex: and nothing is done" test "$?" = 0
echo 'model = "x"' >>"$HOME/.codex/agents/hone-pedant.toml"
hone uninstall codex --yes
check_is "codex: out again: exit" "$status" 0
check_is "codex: all is as it was" "$(tree_of "$HOME/.codex")" "$(cat "$TMPDIR/before")"
check "codex: no folder of ours is left" test ! -e "$HOME/.codex/skills"
check_has "codex: an agent that the user changed is kept" \
    "$HOME/.codex/agents/hone-pedant.toml.hone-backup" 'model = "x"'

anew
mkdir "$TMPDIR/it's here"
cp "$HONE" "$TMPDIR/it's here/hone"
mkdir -p "$TMPDIR/share/hone"
cp -r "$TOP/plugin" "$TMPDIR/share/hone/plugin"
HONE="$TMPDIR/it's here/hone" hone install codex --yes
check_is "codex: another hone than that on the PATH: exit" "$status" 0
check_has "codex: is called by its path" "$hooks" "it'\\\\''s here/hone' hook"
hone install codex --yes
check_is "codex: then by the one on the PATH: no old entry is left" \
    "$(grep -c "it's" "$hooks")$(grep -c '"hone hook"' "$hooks")" "08"

anew
for text in '{"hooks":[]}' '{"hooks":{"Stop":{}}}' '[]' '{' '{"a":1,"a":2}'; do
    printf '%s' "$text" >"$hooks"
    hone install codex --yes
    check_is "codex: $text is refused" "$status$(cat "$hooks")" "2$text"
    check_has "codex: $text: the file is named" "$err" "$hooks"
    check "codex: $text: nothing else is written" test ! -e "$HOME/.codex/agents"
done

anew
new_repo "$TMPDIR/project"
hone install codex --project --yes
check "codex: --project writes there" test -s "$TMPDIR/project/.codex/hooks.json"
check "codex: and not to the user's" test ! -e "$hooks"
hone uninstall codex --project --yes
check_is "codex: --project: out again" "$(git -C "$TMPDIR/project" status --short | grep codex)" ""
ln -s "$TMPDIR/elsewhere" "$TMPDIR/project/.codex.new"
mkdir -p "$TMPDIR/project/.codex"
rmdir "$TMPDIR/project/.codex"
mv -T "$TMPDIR/project/.codex.new" "$TMPDIR/project/.codex"
hone install codex --project --yes
check "codex: a project's link is not followed" test ! -e "$TMPDIR/elsewhere/hooks.json"
check_is "codex: and refused" "$((status != 0))" 1

# ---- both ----

cd "$TMPDIR/work" || exit 1
anew
hone install emacs
check_is "an unknown host: exit" "$status" 2
check_has "an unknown host: those that are known" "$err" "claude, codex and git"
hone install codex --dry-run --json
check_has "--json lists the files" "$out" '"change": "make"'
check "--json --dry-run writes nothing" test ! -e "$hooks"
hone install claude --yes --quiet
check_is "--quiet says nothing" "$(cat "$out" "$err")" ""
# ---- Codex, with hone as a plugin ----

anew
printf '[plugins."other@x"]\nenabled = true\n[plugins."hone@hone"]\nenabled = false\n' \
    >"$HOME/.codex/config.toml"
hone install codex --yes
check "a plugin that is switched off is none" test -e "$hooks"
sed -i 's/enabled = false/enabled = true/' "$HOME/.codex/config.toml"
hone install codex --yes
check_is "codex, as a plugin: exit" "$status" 0
check_not "codex, as a plugin: nothing is called twice" grep -q 'hone hook' "$hooks"
anew
printf '[plugins."hone@market"]\n' >"$HOME/.codex/config.toml"
hone install codex --yes
check_has "codex, as a plugin: it is said" "$out" "as a plugin"
check "codex, as a plugin: the agents" test -e "$HOME/.codex/agents/hone-critic.toml"
check_is "codex, as a plugin: and nothing else" "$(ls "$HOME/.codex" | tr '\n' ' ')" \
    "agents config.toml "
hone install codex --yes
check_has "codex, as a plugin: a second time" "$out" "Nothing to do"
hone uninstall codex --yes
check_is "codex, as a plugin: out again" "$(ls "$HOME/.codex" | tr '\n' ' ')" "config.toml "

anew
chmod 500 "$HOME/.codex"
if [ "$(id -u)" != 0 ]; then
    hone install codex --yes
    check_is "a folder that cannot be written to: exit" "$status" 3
fi
chmod 700 "$HOME/.codex"

exit "$failed"
