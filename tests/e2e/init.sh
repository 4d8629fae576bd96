#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone init: a hone.json from what is found, that nothing overwrites and that a run takes.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"

export HOME=$TMPDIR/home
unset XDG_CONFIG_HOME XDG_STATE_HOME HONE_CONFIG
mkdir -p "$HOME" "$TMPDIR/bin"
new_repo "$TMPDIR/repo"
printf 'test:\n\ttrue\n' >Makefile
mkdir -p third_party below

# The programs of this story and no others, so that what is found does not depend on the machine.
for program in git sh make; do ln -s "$(command -v $program)" "$TMPDIR/bin/$program"; done
for program in claude codex; do
    printf '#!/bin/sh\nexit 1\n' >"$TMPDIR/bin/$program"
    chmod +x "$TMPDIR/bin/$program"
done
path=$PATH
export PATH=$TMPDIR/bin

hone -C below init
PATH=$path
check_is "init: exit" "$status" 0
check_has "init: says what it did" "$out" "Wrote hone.json."
check_has "init: the next command" "$out" "hone run review"
check_has "init: the sources" "$out" "C (1 file)"
check_has "init: the agent" hone.json '"*": "claude"'
check_has "init: the tests" hone.json '"test": "make test"'
check_has "init: other people's code" hone.json '"third_party/"'
check "init: it can be read" "$HONE" config get test
check "init: asks nothing where nobody is" test ! -s "$err"

before=$(cat hone.json)
hone init
check_is "again: exit" "$status" 2
check_has "again: the way out" "$err" "hone init --force"
check_is "again: untouched" "$(cat hone.json)" "$before"

rm "$TMPDIR/bin/claude"
PATH=$TMPDIR/bin hone init --force --json
check "force: json" "$SUPPORT/is_json" whole <"$out"
check_has "force: replaced" "$out" '"replaced": true'
check_has "force: the other model" hone.json '"*": "codex"'
check_is "force: what was there is kept" "$(cat hone.json.backup)" "$before"

echo '{"broken":' >hone.json
rm "$TMPDIR/bin/codex"
PATH=$TMPDIR/bin hone init --force
check_is "over a broken one: exit" "$status" 0
check_has "over a broken one: said" "$out" "hone.json.backup"
check "no model: none is named" sh -c '! grep -q agents hone.json'

# Where nothing is found there is nothing to write, and that is said.
mv Makefile Makefile.away
rmdir third_party
rm hone.json
PATH=$TMPDIR/bin hone init
check_is "nothing found: exit" "$status" 0
check_has "nothing found: said, and why" "$out" "Wrote nothing: with no model and no test command"
check_has "nothing found: what to do" "$out" "hone config set test 'COMMAND'"
check_has "nothing found: the loops that come with hone" "$out" "one reviewer, one fix, one look"
check "nothing found: no empty file" test ! -e hone.json
PATH=$TMPDIR/bin hone init --json
check_has "nothing found: json" "$out" '"written": false'
ln -s "$(command -v gcc)" "$TMPDIR/bin/gcc"
PATH=$TMPDIR/bin hone init
check_has "nothing found: who plays" "$out" "chosen at each run; now critic gcc"
rm "$TMPDIR/bin/gcc"
echo '{"test":"x"}' >hone.json
PATH=$TMPDIR/bin hone init --force
check_is "nothing found, --force: begins anew" "$(cat hone.json)" "{}"
check_has "nothing found, --force: what was there is kept" hone.json.backup '"test":"x"'
mv Makefile.away Makefile
mkdir third_party
PATH=$TMPDIR/bin hone init --force

# What it wrote needs no question: the test command was just shown.
hone run review --no-sandbox --agent "*=cmd:echo '$clean'"
check_is "a run takes it: exit" "$status" 0
check_has "a run takes it" "$err" "hone.json: test make test"

# Questions, at a terminal.
rm hone.json
printf '#!/bin/sh\nexit 1\n' >"$TMPDIR/bin/claude"
chmod +x "$TMPDIR/bin/claude"
printf 'codex:o3\nmake quick\n\n' |
    timeout 60 script -qec "env PATH=$TMPDIR/bin $HONE init" /dev/null >"$out" 2>&1
check_has "asked: who" "$out" "Who plays the roles"
check_has "asked: the answer" hone.json '"*": "codex:o3"'
check_has "asked: the tests" hone.json '"test": "make quick"'
check_has "asked: until what, and what it means" "$out" "settled: half the calls, other models"
check_has "asked: an empty answer takes what is offered" hone.json '"until": "settled"'
rm hone.json
printf 'claud\n\n\n' |
    timeout 60 script -qec "env PATH=$TMPDIR/bin $HONE init" /dev/null >"$out" 2>&1
check_has "asked: an answer that does not fit" "$out" "did you mean 'claude'?"
check "asked: nothing was written" test ! -e hone.json
printf '\n-\nseed\n' |
    timeout 60 script -qec "env PATH=$TMPDIR/bin $HONE init" /dev/null >"$out" 2>&1
check_has "asked: an empty answer takes what was found" hone.json '"*": "claude"'
check "asked: a dash is none" sh -c '! grep -q test hone.json'
check_has "asked: until the seed" hone.json '"until": "seed"'
rm hone.json
timeout 60 script -qec "env PATH=$TMPDIR/bin $HONE init --yes" /dev/null >"$out" 2>&1 </dev/null
check_has "--yes asks nothing" hone.json '"test": "make test"'

# Links are not followed.
rm hone.json && ln -s "$TMPDIR/elsewhere" hone.json
hone init --force
check "a link is not written through" test ! -e "$TMPDIR/elsewhere"

exit $failed
