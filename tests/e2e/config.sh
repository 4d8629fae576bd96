#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a dialect's settings are, and which file says so: hone config.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"

export HOME=$TMPDIR/home
user=$HOME/.claude/iterate-config.json
tilde='~'/.claude/iterate-config.json # as it is named
mkdir -p "$HOME/.claude"
new_repo "$TMPDIR/repo"
mkdir -p .claude below
project=$PWD/.claude/iterate-config.local.json

# setting NAME PATH VALUE FROM: the line that show has for it.
setting()
{
    local got
    got=$(awk -v path="$2" '$1 == path { print $2, $3 }' "$out")
    check_is "$1" "$got" "$3 $4"
}

# ---- show ----

hone config show iterate
check_is "nothing configured: exit" "$status" 0
check "nothing configured: no warning" test ! -s "$err"
setting "a default" phases.5.onFailure '"mini-loop"' built-in
setting "a limit" phases.6.maxRetries 10 built-in
setting "no model for the tests" phases.6.model null built-in
check_is "every setting of every phase" "$(grep -c built-in "$out")" 37
check_is "aligned" \
    "$(awk '/built-in/ { print index($0, "built-in") }' "$out" | uniq | wc -l)" 1
check_has "the files" "$out" "iterate-config.local.json"
check_is "both are not there" "$(grep -c 'not there' "$out")" 2

echo '{"reviewDefaults":{"maxRetries":4},"phases":{"3":{"onFailure":"stop"}}}' >"$user"
echo '{"version":2,"phases":{"3":{"maxRetries":null},"1":{"model":"opus"}}}' >"$project"
hone -C below config show
check_is "two files: exit" "$status" 0
setting "the user's default" phases.5.maxRetries 4 "$tilde"
setting "the user's phase" phases.3.onFailure '"stop"' "$tilde"
setting "the project wins" phases.3.maxRetries null ".claude/iterate-config.local.json"
setting "a model" phases.1.model '"opus"' ".claude/iterate-config.local.json"
check_is "both are there" "$(grep -c ' exists' "$out")" 2

hone config show iterate --json
check "one JSON document" "$SUPPORT/is_json" whole <"$out"
check_has "json: values are values" "$out" '"value": null'
check_has "json: where from" "$out" '"from": ".claude/iterate-config.local.json"'
check "json: nothing on stderr" test ! -s "$err"

# ---- what is wrong with a file ----

printf '{"phases":{"3":{"onFailure":"\\u001b[31mgo"}},"phasses":{}}' >"$project"
hone config show iterate
check_is "odd file: exit" "$status" 0
check_is "odd file: two warnings" "$(wc -l <"$err")" 2
check_has "odd file: what is allowed" "$err" "allowed: mini-loop, restart, proceed, stop"
check_has "odd file: which was meant" "$err" "did you mean phases?"
check "odd file: harmless" sh -c "! grep -q '$(printf '\033')' '$err'"
setting "odd file: what is below stays" phases.3.onFailure '"stop"' "$tilde"
hone config show --json
check "odd file: json" "$SUPPORT/is_json" whole <"$out"
check_has "odd file: the warnings are in it" "$out" "did you mean phases?"
check "odd file: json says it once" test ! -s "$err"

echo '{"phases":' >"$user"
hone config show iterate
check_has "not JSON" "$err" "$tilde: it is not JSON (line 2"
rm "$user" && mkdir "$user"
hone config show iterate
check_is "a folder for a file: exit" "$status" 0
check_has "a folder for a file" "$err" "it is left out"
rmdir "$user"

# ---- a run goes by it, says the same and goes on ----

echo '{"phases":{"3":{"onFailure":"never"},"1":{"parallel":false},"6":{}}}' >"$project"
hone run iterate "do it" --lite --agent "*=cmd:echo LGTM" --test true --no-sandbox
check_is "a run: exit" "$status" 0
check_has "a run: the warning" "$err" "phases.3.onFailure: \"never\" cannot be used"
check_is "a run: one brainstormer" "$(grep -c 'brainstormer *starts' "$err")" 1
check_is "a run: two planners and a join" "$(grep -c 'planner *starts' "$err")" 3

# ---- get and path ----

echo '{"phases":{"8":{"maxRetries":null,"parallelFixes":false}}}' >"$project"
hone config get iterate phases.3.onFailure
check_is "get a word" "$(cat "$out")" restart
hone config get iterate phases.8.maxRetries
check_is "get null" "$(cat "$out")" null
hone config get iterate phases.8.parallelFixes --json
check "get: json" "$SUPPORT/is_json" whole <"$out"
check_has "get: the value" "$out" '"value": false'
hone config path
check_is "path: exit" "$status" 0
check_has "path: user" "$out" "$user  (iterate, not there)"
check_has "path: project" "$out" "$project  (iterate, exists)"
HOME='' hone config show iterate
check_is "without a home: exit" "$status" 0
check_has "without a home" "$out" "no home folder"
mkdir "$TMPDIR/plain"
hone -C "$TMPDIR/plain" config show iterate
check_is "outside a repository" "$status" 0
check "outside a repository nothing is made" test -z "$(ls -A "$TMPDIR/plain")"

refused "no action" "ACTION is missing" config
refused "another action" "show, get, set, unset, path or schema" config sett test make
refused "a dialect's own" "hone configure" config set iterate phases.3.onFailure
refused "a dialect without files" "review has no configuration" config show review
refused "an unknown dialect" "did you mean 'iterate'?" config show itrate
refused "a mistyped setting" "did you mean 'phases.3.onFailure'?" config get iterate phases.3.onFail
refused "no such setting" "hone config show" config get iterate nonsense
refused "get without a setting" "phases.3.onFailure" config get iterate
refused "show with a setting" "one argument too many" config show iterate phases.3.onFailure

exit $failed
