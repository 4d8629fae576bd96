#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The plugin's words and the program agree: what its files call is there. And a host that starts its
# hooks: with hone on the PATH, and without.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

plugin=$TOP/plugin
cd "$TMPDIR" || exit 1

# ---- what the texts name ----

words=$(grep -rhoE '`hone [a-z]+' "$plugin" | sed 's/`hone //' | grep -vx hook | sort -u)
check "the texts name verbs" test "$(wc -w <<<"$words")" -gt 5
for word in $words; do
    hone help "$word"
    check_is "hone $word is there" "$status" 0
done

hone run --help
for option in $(grep -rhoE '^argument-hint: .*' "$plugin/commands" | grep -oE -- '--[a-z-]+' |
    sort -u); do
    check_has "$option is there" "$out" "$option"
done

for role in $(grep -rhoE '`hone-[a-z-]+`' "$plugin/codex" "$plugin/skills" | tr -d '`' |
    sed 's/^hone-//' | sort -u); do
    check "hone-$role is there" test -e "$plugin/agents/$role.md"
done
for name in $(grep -rhoE '\$hone-[a-z]+' "$plugin" | sed 's/^.hone-//' | sort -u); do
    check "\$hone-$name is there" test -e "$plugin/codex/skills/hone-$name/SKILL.md"
done
for name in $(grep -rhoE '/hone:[a-z]+' "$plugin" | sed 's/^.hone://' | sort -u); do
    check "/hone:$name is there" test -e "$plugin/commands/$name.md"
done

# ---- a host that starts the hooks ----

# The shell line of SessionStart, out of JSON.
line=$(sed -n 's/^ *"command": "\(.*exec hone hook.*\)",$/\1/p' "$plugin/hooks/hooks.json" |
    sed 's/\\"/"/g; s/\\\\/\\/g')
check "SessionStart is a line for a shell" test -n "$line"
PATH=$TMPDIR/none /bin/sh -c "$line" </dev/null >"$out" 2>"$err"
check_is "without hone: exit" "$?" 0
check_has "without hone: the user is told" "$out" '{"systemMessage": "hone: the program hone is not'
check_is "without hone: nothing but that" "$(wc -l <"$out") $(cat "$err")" "0 "

mkdir bin
cat >bin/hone <<'END'
#!/bin/sh
echo "$* $(cat)"
echo reason >&2
exit 2
END
chmod +x bin/hone
echo '{"hook_event_name":"SessionStart"}' | PATH=$TMPDIR/bin:$PATH sh -c "$line" >"$out" 2>"$err"
check_is "with hone: its exit status is the hook's" "$?" 2
check_is "with hone: it hears the event" "$(cat "$out")" 'hook {"hook_event_name":"SessionStart"}'
check_is "with hone: its words are the hook's" "$(cat "$err")" reason

exit "$failed"
