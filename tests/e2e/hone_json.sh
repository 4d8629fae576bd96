#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone.json and the user's settings: who wins, what is refused, what a cloned repository may run,
# and how they are shown and changed.
#
# row: repository.settings | settings of the repository name commands, switch the sandbox off, widen rights or weaken a gate | asked about, by its text, in this workspace; remembered in your own folder | scripts that an agreed command names may change later | `hone_json.sh: set does not agree: it did not run`, `sandbox.sh: rights that came with a repository are asked about`
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"

export HOME=$TMPDIR/home
unset XDG_CONFIG_HOME XDG_STATE_HOME HONE_CONFIG
user=$HOME/.config/hone/config.json
state=$HOME/.local/state/hone/trusted.jsonl
mkdir -p "$HOME/.config/hone"
new_repo "$TMPDIR/repo"
mkdir below

# refused NAME TEXT ARGUMENTS...: with what is asked about, in lines of its own.
refused()
{
    local name=$1 text=$2
    shift 2
    hone "$@"
    check_is "$name: exit" "$status" 2
    check_has "$name: words" "$err" "$text"
}

# from KEY: value and origin, as show lists them.
from()
{
    "$HONE" config show | awk -v path="$1" '$1 == path { print $2, $3 }'
}

# Outside of the workspace: a reviewer that changes the tree has not reviewed it.
ran=$TMPDIR/ran
agent="cmd:touch $ran; echo '$clean'"
json_agent=$(printf '%s' "$agent" | sed 's/\\/\\\\/g; s/"/\\"/g')

# ---- the schema, and that it is the one of the documents ----

hone config schema
check_is "schema: exit" "$status" 0
check "schema: as published" cmp -s "$out" "$TOP/docs/hone.schema.json"

# ---- who plays is listed, too, where no agent was named ----

check_is "agents: listed" "$(from 'agents.*')" "null built-in"
check_is "efforts: listed" "$(from 'efforts.*')" "null built-in"
echo '{"agents":{"critic":"claude"},"efforts":{"*":"high"}}' >hone.json
check_is "an agent for one role: listed" "$(from agents.critic)" '"claude" hone.json'
check_is "an agent for one role: the others" "$(from 'agents.*')" "null built-in"
check_is "an effort for all: listed once" "$(from 'efforts.*')" '"high" hone.json'
rm hone.json

# ---- what is wrong is an error, before anything starts ----

echo '{"limts":{"time":"1h"}}' >hone.json
refused "a slip" "hone.json: limts: there is no such setting; did you mean 'limits'?" run review
check "a slip: nothing began" test ! -e .git/hone
refused "a slip, from below" "hone.json: limts" -C below run review
refused "a slip, shown" "hone.json: limts" config show
echo '{"name":"their tool","version":3}' >hone.json
refused "another tool's file" "hone.json: name: there is no such setting" run review
echo '{"limits":{"time":3}}' >hone.json
refused "a wrong type" "hone.json: limits.time: it must be a duration" run review
printf '{"test":"a",\n"test":"b"}' >hone.json
refused "twice" "hone.json: test: it is there twice, the second time in line 2" run review
echo '{"efforts":{"critic":"hihg"}}' >hone.json
refused "an effort nobody knows" 'hone.json: efforts.critic: it must be one of' run review
check_has "an effort nobody knows: what was meant" "$err" 'did you mean "high"?'
echo '{"rights":{"change":["src/main.c"]}}' >hone.json
refused "a right to what is open" "rights.change: 'src/main.c': that is not protected" run review
echo '{"rights":{"network":false}}' >hone.json
refused "a right that only the sandbox keeps" "the sandbox is off: leave it on" \
    run review --no-sandbox
printf '{"test":"a\\u001b[31m","x":' >hone.json
refused "broken off" "hone.json: line 1" run review
printf '{"\\u001b[31mred":1}' >hone.json
refused "an escape in a key" "there is no such setting" run review
check "an escape in a key: harmless" sh -c "! grep -q '$(printf '\033')' '$err'"
rm hone.json && ln -s /etc/passwd hone.json
refused "a link" "hone.json" run review
check "a link: nothing of it is said" sh -c "! grep -q root: '$err'"
rm hone.json

# ---- what came with a repository is asked about ----

echo "{\"agents\":{\"*\":\"$json_agent\"}}" >hone.json
refused "a command of the repository" "start once with --trust" run review --no-sandbox
check_has "a command: it is shown whole" "$err" "  agents.*  $agent"
check "a command: it did not run" test ! -e "$ran"
check "a command: nothing is remembered" test ! -e "$state"
hone run review --no-sandbox --agent "*=cmd:echo '$clean'"
check_is "agents by flags: nothing to ask" "$status" 0
check "agents by flags: the other did not run" test ! -e "$ran"
hone run review --no-sandbox --trust
check_is "trusted: exit" "$status" 0
check "trusted: it ran" test -e "$ran"
check_has "trusted: it is said" "$err" "hone.json: agents.* cmd:touch"
hone run review --no-sandbox
check_is "trusted once, and later" "$status" 0
sed -i 's/"cmd:touch/"cmd:touch other/' hone.json
refused "another command" "start once with --trust" run review --no-sandbox
check "another command: it did not run" test ! -e other
git clone -q . "$TMPDIR/clone"
sed 's/touch other/touch/' hone.json >"$TMPDIR/clone/hone.json"
refused "the same elsewhere" "start once with --trust" -C "$TMPDIR/clone" run review --no-sandbox
mkdir -p .git/hone && printf '["%s","agents.*","%s"]\n' "$PWD" "x" >.git/hone/trusted.jsonl
refused "a repository's own word for it" "start once with --trust" run review --no-sandbox
rm -f "$ran"

echo '{"sandbox":false}' >hone.json
refused "no sandbox" "  sandbox  false" run review --agent "*=cmd:echo '$clean'"
hone run review --agent "*=cmd:echo '$clean'" --no-sandbox
check_is "no sandbox by flag" "$status" 0
hone run review --agent "*=cmd:echo '$clean'" --sandbox
check_is "a sandbox by flag" "$status" 0
echo '{"test":"touch tested"}' >hone.json
refused "a test where none would run" "  test  touch tested" run review \
    --agent "*=cmd:echo '$clean'"
hone run review --agent "*=cmd:echo '$clean'" --test true --no-sandbox
check_is "another test by flag" "$status" 0
check "the file's test did not run" test ! -e tested
refused "a test where tests run anyway: it could be one that passes" "  test  touch tested" \
    run iterate "do it" --lite --agent "*=cmd:echo LGTM" --no-sandbox
hone run iterate "do it" --lite --agent "*=cmd:echo LGTM" --no-sandbox --trust
check_is "tests of a dialect that tests: exit" "$status" 0
check "tests of a dialect that tests: the file's" test -e tested
check_has "tests of a dialect that tests: said" "$err" "hone.json: test touch tested"
rm -f tested

# At a terminal the user is asked.
echo "{\"agents\":{\"*\":\"$json_agent\"}}" >hone.json
rm -f "$state"
echo n | timeout 60 script -qec "$HONE run review --no-sandbox" /dev/null >"$out" 2>&1
check_is "asked, no: exit" "$?" 2
check_has "asked, no" "$out" "Take it so, now and from now on? [y/N]"
check "asked, no: it did not run" test ! -e "$ran"
echo y | timeout 60 script -qec "$HONE run review --no-sandbox" /dev/null >"$out" 2>&1
check_is "asked, yes: exit" "$?" 0
check "asked, yes: it ran" test -e "$ran"
rm -f "$ran"

# ---- the user's file needs no question; the project's wins, then HONE_CONFIG, then flags ----

rm -f hone.json "$state"
cat >"$user" <<END
{"agents":{"*":"$json_agent"},"limits":{"time":"2h"},"exclude":["a"]}
END
hone run review --no-sandbox
check_is "the user's agent: exit" "$status" 0
check "the user's agent: it ran" test -e "$ran"
check "the user's agent: nothing to agree to" test ! -e "$state"
rm -f "$ran"
cat >hone.json <<'END'
{"limits":{"time":"1h"},"exclude":["b"],"dialects":{"review":{"max-iterations":7}}}
END
check_is "the project wins" "$(from limits.time)" '"1h" hone.json'
check_is "patterns add up" "$(from exclude)" "[\"a\",\"b\"] ~/.config/hone/config.json,"
check_is "an option" "$(from dialects.review.max-iterations)" "7 hone.json"
check_is "built in" "$(from limits.idle)" '"15m" built-in'
echo '{"limits":{"time":"3m"}}' >"$TMPDIR/ci.json"
export HONE_CONFIG=$TMPDIR/ci.json
check_is "HONE_CONFIG wins" "$(from limits.time)" "\"3m\" $TMPDIR/ci.json"
HONE_CONFIG=$TMPDIR/no.json refused "HONE_CONFIG names nothing" "is not there" run review
refused "patterns of a repository could hide a file" "  exclude  " run review --no-sandbox
hone run review --no-sandbox --max-iterations 2 --trust
check_is "a run by all of them: exit" "$status" 0
unset HONE_CONFIG
XDG_CONFIG_HOME=$TMPDIR/xdg hone config path
check_has "XDG_CONFIG_HOME" "$out" "$TMPDIR/xdg/hone/config.json  (hone, not there)"

# They are what the run goes by.
cat >"$TMPDIR/finder" <<'END'
echo "$HONE_EXCLUDE,$HONE_TEST" >"${0%/*}/said"
echo "$FOUND"
END
export FOUND=$found
cat >"$user" <<END
{"agents":{"*":"cmd:sh $TMPDIR/finder"},"exclude":["a"],"test":"true"}
END
echo '{"exclude":["b"],"dialects":{"review":{"max-iterations":2}}}' >hone.json
hone run review --no-sandbox --exclude c --trust
check_is "by files: bounded" "$status" 1
check_has "by files: by the file's bound" "$out" "2 rounds"
check_is "by files: patterns and test" "$(tr '\n' ' ' <"$TMPDIR/said")" "a b c,true "
hone run review --no-sandbox --max-iterations 1
check_has "by flags: another bound" "$out" "1 round,"
echo '{"limits":{"time":"1s"},"agents":{"*":"cmd:sleep 60"}}' >"$user"
hone run review --no-sandbox --trust
check_is "a limit by file: exit" "$status" 3
check_has "a limit by file: it holds" "$err" "ran into its time limit"

# What a run goes by is kept with it: a resume does not look again.
cat >agent.sh <<'END'
[ -e stop ] && exit 1
echo "$ANSWER"
END
chmod +x agent.sh
export ANSWER=$clean
echo '{"agents":{"*":"cmd:./agent.sh"}}' >hone.json
touch stop
hone run review --no-sandbox --trust
check_is "it fails" "$status" 3
echo '{"agents":{"*":"cmd:touch changed"}}' >hone.json
rm stop
hone resume
check_is "a resume goes by what it was: exit" "$status" 0
check "a resume goes by what it was" test ! -e changed
rm -f agent.sh "$user" hone.json

# ---- get, set, unset ----

hone -C below config set limits.time 30m
check_is "set: exit" "$status" 0
check_has "set: at the top" hone.json '"time": "30m"'
hone config get limits.time
check_is "get" "$(cat "$out")" 30m
hone config get test
check_is "get what nobody set" "$(cat "$out")" null
hone config get limits.time --json
check_has "get: json" "$out" '"from": "hone.json"'
refused "set: no such key" "did you mean 'limits.time'?" config set limits.tim 1h
refused "set: a wrong value" "it must be a duration" config set limits.time soon
check_has "set: the file is as it was" hone.json '"time": "30m"'
hone config set limits.time 5m --user
check_has "set --user" "$user" '"time": "5m"'
check_has "set --user: it does not win" "$out" "by hone.json, which wins"
hone config unset limits.time
check_is "unset" "$(from limits.time)" '"5m" ~/.config/hone/config.json'
refused "set without a value" "a setting and its value are needed" config set limits.time
refused "--user with show" "--user goes with set" config show --user
hone config set 'agents.*' "$agent"
hone run review --no-sandbox
check_is "what I set myself is not asked about" "$status" 0
echo '{"agents":{"*":"cmd:touch theirs"},"other":1}' >hone.json
refused "set in a file that is wrong" "hone.json: other" config set test true
echo '{"agents":{"*":"cmd:touch theirs"}}' >hone.json
hone config set test true
refused "set does not agree to what was there" "start once with --trust" run review --no-sandbox
check "set does not agree: it did not run" test ! -e theirs
hone config show --json
check "show: json" "$SUPPORT/is_json" whole <"$out"

exit $failed
