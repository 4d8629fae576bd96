#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What is here, and what would happen here: hone doctor, and hone run without a dialect. Each scene
# has a PATH of its own.
. "${TOP:?}/tests/support/story.sh"

out=$TMPDIR/out
err=$TMPDIR/err
bin=$TMPDIR/bin

# hone ARGUMENTS...: the program, with its two outputs in files; its exit status in $status.
hone()
{
    env PATH="${path:-$PATH}" "$HONE" "$@" >"$out" 2>"$err"
    status=$?
}

# only PROGRAM...: from now on hone finds these programs and no others.
only()
{
    rm -rf "$bin"
    mkdir "$bin"
    for program in "$@"; do ln -s "$(command -v "$program")" "$bin/$program"; done
    path=$bin
}

# stub NAME COMMANDS: a program of that name that does this.
stub()
{
    rm -f "$bin/$1"
    printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

# line NAME: what the doctor says of it, in one line.
line()
{
    awk -v name="$1" '
        /^  [^ ]/ { mine = $2 == name; if (mine) { printf "%s", $0; next } }
        /^                        / && mine { sub(/^ +/, " "); printf "%s", $0; next }
        { mine = 0 }' "$out"
}

# says NAME TEXT WANTED: the doctor's line for TEXT has WANTED in it.
says()
{
    case $(line "$2") in
    *"$3"*) ok "$1" ;;
    *) not_ok "$1: '$3' is not in '$(line "$2")'" ;;
    esac
}

# ---- a machine that has everything ----

new_repo "$TMPDIR/repo"
hone doctor
check_is "a whole machine: exit" "$status" 0
says "git has a version" git "ok       git          2."
for tool in gcc clang-tidy cppcheck shellcheck; do
    check "$tool has a version" grep -qE "^  ok +$tool +[0-9]+\.[0-9.]+$" "$out"
done
says "the repository" repository "$TMPDIR/repo"
says "the folder" folder "free"
says "no journal yet" journal "none yet"
says "who would review" agents "critic gcc, pedant clang-tidy, witness cppcheck"
check_has "the last word" "$out" "'hone run review' can work here"
check "narrow lines" sh -c '! grep -v / "$1" | grep -q ".\{81\}"' - "$out"
check "no control characters in a pipe" sh -c '! grep -q "[[:cntrl:]]" "$1"' - "$out"
check "nothing was left behind" test ! -e .git/hone
hone doctor --json
check "as JSON" "$SUPPORT/is_json" whole <"$out"
check_has "as JSON: the whole" "$out" '"ok": true'
FORCE_COLOR=1 hone doctor
check_has "colours where they are wanted" "$out" "$(printf '\033[32mok')"
NO_COLOR=1 FORCE_COLOR=1 hone doctor
check "no colours where they are not" sh -c '! grep -q "[[:cntrl:]]" "$1"' - "$out"

# ---- programs that are not there, or do not work ----

only git timeout gcc
hone doctor
check_is "one analyzer is enough" "$status" 0
says "a tool is missing" cppcheck \
    "missing  cppcheck     not on the PATH; it would look at the C here"
says "and how to get it" cppcheck "sudo apt install cppcheck"
says "so is the sandbox" sandbox "sudo apt install bubblewrap"
says "nobody else reviews" agents "critic gcc, review-fixer fixits; pedant, witness"

only git timeout
stub gemini 'exit 1'
hone doctor
check_is "no analyzer is not enough" "$status" 1
says "what would help" agents "sudo apt install gcc clang-tidy cppcheck"
says "a model that does not work" gemini "problem  gemini       $bin/gemini does not work: it says"
says "another is not there" codex "missing  codex"
says "how to get it" codex "npm install --global @openai/codex"
check_has "the last word of that" "$out" "cannot work here as it is"

stub gcc 'echo "it is broken" >&2; exit 3'
stub cppcheck 'echo no number'
hone doctor
says "a broken tool" gcc "problem  gcc          $bin/gcc does not work: it is broken"
says "a tool without a version" cppcheck "ok       cppcheck     $bin/cppcheck"
stub timeout 'exit 124'
hone doctor
says "a tool that hangs" gcc "it does not answer"

only timeout
hone doctor
check_is "no git: exit" "$status" 1
says "no git" git "sudo apt install git"

# ---- the programs of models ----

# model NAME LOGIN: a client that is logged in where LOGIN is 0; it writes down what it is asked.
model()
{
    stub "$1" "echo \"$1 \$*\" >>'$TMPDIR/asked'; echo \"\$PWD\" >>'$TMPDIR/where'
case \"\$*\" in
--version) echo '$1-cli 1.2.3 (of a model)' ;;
'auth --help' | 'login --help') echo 'Commands:'; echo '  status  whether it is logged in' ;;
'auth status' | 'login status') exit $2 ;;
*) echo 'a model was asked' >>'$TMPDIR/asked' ;;
esac"
}

only git timeout sh gcc
model claude 0
model codex 1
model gemini 0
hone doctor
check_is "models: exit" "$status" 0
says "one that is logged in" claude "ok       claude       1.2.3, logged in"
says "one that is not" codex "problem  codex        1.2.3, not logged in: codex login"
says "one that cannot say" gemini "problem  gemini       1.2.3, no login was found: gemini"
check_not "nothing is asked of a model" grep -q "a model was asked" "$TMPDIR/asked"
check_is "they are started at home" "$(sort -u "$TMPDIR/where")" "$HOME"
hone doctor --json
check "models as JSON" "$SUPPORT/is_json" whole <"$out"
check_has "models as JSON: version" "$out" '"version": "1.2.3"'
check_has "models as JSON: login" "$out" '"login": "no"'
mkdir -p "$HOME/.gemini" && touch "$HOME/.gemini/oauth_creds.json"
CODEX_API_KEY=secret hone doctor
says "a key stands for a login" codex "ok       codex        1.2.3, logged in by CODEX_API_KEY"
check_not "and is not shown" grep -q secret "$out"
says "so does a file" gemini "ok       gemini       1.2.3, logged in"
rm -r "$HOME/.gemini"
model claude 1
hone doctor
check_is "the model that would review is not logged in: exit" "$status" 1
says "the way out" claude "problem  claude       1.2.3, not logged in: claude auth login"

: >"$TMPDIR/asked"
stub claude "echo \"\$*\" >>'$TMPDIR/asked'; [ \"\$1\" = --version ] && echo 1.0.0 && exit
echo 'Usage: claude [prompt]; --status shows the status'"
hone doctor
says "an old client" claude "ok       claude       1.0.0, it cannot say whether it is logged in"
check_not "an old client is not asked what it would take for a prompt" \
    grep -qx "auth status" "$TMPDIR/asked"

stub claude 'kill -SEGV $$'
stub codex 'head -c 100000 /dev/urandom; printf "\033[2J\0\0"'
stub gemini 'echo "one
two" >&2; exit 3'
ln -sf "$(command -v head)" "$bin/head"
hone doctor
says "one that crashes is one line" claude "does not work: it was killed by signal 11"
says "one that fails is one line" gemini "$bin/gemini does not work: one npm install"
check "nonsense is made harmless" sh -c '! tr -d "\n" <"$1" | grep -q "[[:cntrl:]]"' - "$out"
hone doctor --json
check "nonsense as JSON" "$SUPPORT/is_json" whole <"$out"
stub timeout 'exit 124'
hone doctor
says "one that hangs" claude "does not work: it does not answer"

# ---- agents of ACP ----

# speaks ANSWERS: an agent that answers to each line with the next of these.
speaks()
{
    printf '%s\n' "$1" >"$TMPDIR/answers"
    stub speaker "exec 3<'$TMPDIR/answers'
while read -r answer <&3; do read -r line; echo \"\$line\" >>'$TMPDIR/got'; echo \"\$answer\"; done"
}

only git timeout sh gcc
mkdir -p "$HOME/.config/hone"
printf '{"agents":{"critic":"acp:%s/speaker"}}\n' "$bin" >"$HOME/.config/hone/config.json"
hello='{"id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"a\u001b[2Jb","version":"7.1"}}}'
speaks "$hello
{\"id\":2,\"result\":{\"sessionId\":\"s\"}}"
hone doctor
says "an agent of ACP" acp "ok       acp          $bin/speaker: a"
says "an agent of ACP: its version" acp "7.1"
check_not "nothing is asked of its model" grep -q "session/prompt" "$TMPDIR/got"
check_not "its name is made harmless" grep -q "$(printf '\033')" "$out"
speaks "$hello
{\"id\":2,\"error\":{\"code\":-32000,\"message\":\"no key\"}}"
hone doctor
says "one that wants a login" acp "problem  acp          $bin/speaker: the agent wants a login"
hone doctor --json
check_has "one that wants a login, as JSON" "$out" '"login": "no"'
stub speaker 'exit 0'
hone doctor
says "one that ends" acp "problem  acp          $bin/speaker: the agent ended"
rm -r "$HOME/.config/hone"
printf '{"agents":{"critic":"acp:touch %s/ran"}}\n' "$TMPDIR" >hone.json
hone doctor
says "one that came with the repository" acp "you have not agreed to it: not started"
check "and is not started" test ! -e "$TMPDIR/ran"
rm hone.json

# ---- a repository that does not work ----

path=
mkdir -p .git/hone
head -c 5000 /dev/urandom >.git/hone/journal.db
hone doctor
check_is "a damaged journal: exit" "$status" 1
says "a damaged journal" journal "problem"
rm -rf .git/hone
hone run review "look" --agent "*=cmd:echo '$clean'"
hone doctor
check_is "after a run: exit" "$status" 0
says "after a run" journal "1 run"

mkdir "$TMPDIR/plain"
hone -C "$TMPDIR/plain" doctor
check_is "without git: exit" "$status" 0
says "without git" repository "git init"
check_has "without git: who reviews is not promised" "$out" "missing  agents "
check_is "without git: nothing was left behind" "$(ls -A "$TMPDIR/plain")" ""

# ---- hone run alone ----

hone run
check_is "run alone: exit" "$status" 0
check "run alone: nothing on stderr" test ! -s "$err"
check "run alone: fifteen lines" test "$(wc -l <"$out")" -le 15
check "run alone: narrow lines" sh -c '! grep -q ".\{90\}" "$1"' - "$out"
check_has "run alone: who" "$out" "critic gcc, pedant clang-tidy, witness cppcheck,"
check_has "run alone: no C file has changed" "$out" "since HEAD: no file that they read"
check_has "run alone: where" "$out" ".git/hone/"
check_has "run alone: how to choose" "$out" "--agent '*=cmd:COMMAND'"
echo >>main.c
hone run
check_has "run alone: one has" "$out" "what changed since HEAD: 1 file"
hone run --all
check_has "run alone: everything" "$out" "everything: 1 file"
hone run --exclude main.c --all
check_is "run alone: nothing is left" "$status" 2
check_has "run alone: nothing is left, and why" "$err" \
    "no tool that hone knows looks at these files: .txt (1 file)"
check_has "run alone: three ways out" "$err" "ways out: install a model's program;"
check_has "run alone: a tool of one's own" "$err" \
    "name a tool of your own in hone.json ('analyzers')"
check_has "run alone: any agent" "$err" "--agent '*=SPEC'"
git checkout -q main.c notes.txt
hone run
check_has "run alone: nothing has changed" "$out" "everything, since nothing has changed: 1 file"
hone list
check "run alone: no run" test "$(wc -l <"$out")" = 2
hone -C "$TMPDIR/plain" run
check_is "run alone without git: exit" "$status" 2
check_has "run alone without git" "$err" "not in a git repository"
check_is "run alone without git: nothing was left" "$(ls -A "$TMPDIR/plain")" ""
only git gcc
echo 'echo $1' >x.sh
hone run
check_has "run alone: what is missing" "$out" "shellcheck (shell)"
check "run alone: still fifteen lines" test "$(wc -l <"$out")" -le 15
only git
hone run
check_is "run alone: nobody to review: exit" "$status" 2
check_has "run alone: nobody to review" "$err" "sudo apt install gcc clang-tidy cppcheck"
hone run review
check_is "nobody to review: exit" "$status" 2
check_is "nobody to review: short lines" "$(awk 'length > 140' "$err")" ""
check_has "nobody to review: how to go on" "$err" "--agent '*=SPEC'"

exit "$failed"
