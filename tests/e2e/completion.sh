#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The words of hone at the press of a key: what `hone completion words` says, and what bash, zsh and
# fish make of it in a terminal that tmux plays.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"

tab=$(printf '\t')

# words: the candidates of the answer, in one line, without what they mean.
words()
{
    sed 1d "$out" | cut -f 1 | tr '\n' ' '
}

# offers NAME WANTED WORD...: the candidates are these and no others.
offers()
{
    local name=$1 wanted=$2
    shift 2
    hone completion words -- "$@"
    check_is "$name" "$(words)" "$wanted"
    check_is "$name: no error" "$status:$(cat "$err")" "0:"
}

# ---- verbs, options, values ----

new_repo "$TMPDIR/repo"
hone completion words -- ''
check_is "all verbs" "$(words | wc -w)" "$("$HONE" --help | sed -n '/^Verbs:/,/^$/p' |
    grep -c '^  [a-z]')"
offers "a verb" "resume replay reviewers " re
check_has "with what it does" "$out" "resume${tab}go on with a run that was interrupted"
offers "nothing fits" "" nonsense
offers "an option of the verb" "--until " run --unt
offers "an option of a dialect" "--max-iterations " run --max-i
offers "of the dialect that is named" "" run cycles --max-i
offers "an option of the verb that it is like" "--until " plan --unt
offers "a common option" "--json " list --js
offers "values that its row lists" "low medium high " findings --severity ''
offers "behind an equals sign" "--severity=medium " findings --severity=m
offers "values that the page lists" "table text " findings --format t
offers "values with a file behind them" "junit " export --format ju
offers "behind an equals sign, with a file behind them" "--format=sarif " export --format=sa
hone completion words -- export --format sarif=
check_is "the file behind them" "$(cat "$out")" files
offers "several with commas" "open,new open,noted " findings --state open,n
offers "policies" "settled seed " run --until se
offers "the role of an agent" "critic= " run --agent cri
offers "its backend" "critic=claude critic=codex critic=cmd: " run --agent critic=c
offers "its analyzer" "critic=analyzer:cppcheck " run --agent=x --agent critic=analyzer:cp
offers "roles of a list" "critic,pedant " run review --reviewers critic,ped
offers "hosts" "claude codex " install ''
offers "shells" "bash fish zsh " completion ''
offers "an argument that may be left out, and the next" "continue " answer con
hone completion words -- -C ''
check_is "folders" "$(cat "$out")" folders
hone completion words -- run --agent "*=cmd:true" review --exclude ''
check_is "files" "$(cat "$out")" files
offers "behind --: no option" "" run -- --unt

# ---- of the repository ----

mkdir -p .hone/loops .hone/roles
cp "$TOP/loops/quick.yaml" .hone/loops/own-loop.yaml
: >.hone/roles/perf.md
: >".hone/roles/\$(touch bad).md"
: >".hone/roles/a b;touch bad.md"
: >".hone/loops/\`touch bad\`.yaml"
offers "a loop of your own" "own-loop " run own
offers "a role of your own" "perf= " run --agent per
hone completion words -- run --agent ''
check_not "no name that a shell would read otherwise" grep -q bad "$out"
hone completion words -- run ''
check_not "nor of a loop" grep -q bad "$out"
"$HONE" run review "$(printf 'look\tat\n\033[31mthis $(touch bad)')" --agent "*=$reviewer" \
    --agent "review-fixer=$fixer" --quiet >"$out" 2>&1
run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)
offers "a run" "$run " status ''
check_not "its task is harmless" grep -q "$(printf '\033')" "$out"
check_is "and in its line" "$(wc -l <"$out")" 2
offers "a run by its beginning" "$run " show "${run%????}"
mkdir below
cd / || exit 1
offers "a run elsewhere" "$run " -C "$TMPDIR/repo/below" show ''
offers "no repository" "" show ''
cd "$TMPDIR/repo" || exit 1
cp .git/hone/journal.db "$TMPDIR/kept.db"
echo nonsense >.git/hone/journal.db
offers "a journal that cannot be read" "" show ''
rm .git/hone/journal.db && mkdir .git/hone/journal.db
offers "one that is a folder" "" show ''
rmdir .git/hone/journal.db && mv "$TMPDIR/kept.db" .git/hone/journal.db
before=$(find . -newer "$TMPDIR/kept.db" 2>/dev/null | wc -l)
hone completion words -- show ''
check_is "nothing was written" "$(find . -newer "$TMPDIR/kept.db" 2>/dev/null | wc -l)" "$before"
refused "another shell" "there are: bash, zsh, fish" completion tcsh

# ---- in the real shells ----

term()
{
    LC_ALL=C.UTF-8 tmux -u -S "$TMPDIR/tmux" -f /dev/null "$@"
}

# shown TEXT: whether the screen shows it, within a time that only a broken shell takes.
shown()
{
    local tries
    for ((tries = 0; tries < 300; tries++)); do
        term capture-pane -p -t shell | grep -qF -- "$1" && return
        sleep 0.1
    done
    term capture-pane -p -t shell | sed 's/^/    /'
    return 1
}

# pressed NAME TYPED SHOWN: in the shell, the key behind TYPED leads to SHOWN.
pressed()
{
    term send-keys -t shell C-u
    term send-keys -t shell -l "$2"
    term send-keys -t shell Tab
    check "$1" shown "$3"
}

# in_shell NAME COMMAND...: the shell is started, and its completion is tried.
in_shell()
{
    local name=$1
    shift
    term new-session -d -s shell -x 150 -y 40 env -i HOME="$TMPDIR/$name" PATH="$bin:$PATH" \
        TERM=screen LC_ALL=C.UTF-8 "$@"
    check "$name: begins" shown '>>>'
    pressed "$name: a verb" "hone comple" ">>> hone completion"
    pressed "$name: an option" "hone findings --seve" ">>> hone findings --severity"
    pressed "$name: a value" "hone findings --severity med" ">>> hone findings --severity medium"
    pressed "$name: behind an equals sign" "hone findings --format=mark" \
        ">>> hone findings --format=markdown"
    pressed "$name: a role, and on" "hone run --agent crit" ">>> hone run --agent critic="
    pressed "$name: its backend" "hone run --agent critic=gem" ">>> hone run --agent critic=gemini"
    pressed "$name: a run" "hone show ${run%????????}" ">>> hone show $run"
    pressed "$name: a file" "hone check r1 notes" ">>> hone check r1 notes.txt"
    pressed "$name: a file with a blank" "hone check r1 odd" '>>> hone check r1 odd\ name.txt'
    pressed "$name: a folder" "hone -C belo" ">>> hone -C below/"
    term send-keys -t shell C-u
    term send-keys -t shell -l 'echo still "here"'
    term send-keys -t shell Enter
    check "$name: goes on" shown "still here"
    check_is "$name: nothing else was written" "$(term capture-pane -p -t shell -S - |
        grep -ciE 'error:|not found|no such|usage|segfault')" 0
    term kill-session -t shell
}

command -v tmux >/dev/null || {
    echo "skip completion.shells: tmux is not installed"
    exit "$failed"
}
: >'odd name.txt'
bin=$TMPDIR/bin
mkdir "$bin" "$TMPDIR/bash" "$TMPDIR/zsh" "$TMPDIR/fish"
ln -s "$HONE" "$bin/hone"
term new-session -d -s stays "exec sleep 600"
trap 'term kill-server 2>/dev/null' EXIT

# bash, with and without the package bash-completion: the same script.
printf 'PS1=">>> "\nsource <(hone completion bash)\n' >"$TMPDIR/bash/rc"
in_shell bash bash --noprofile --rcfile "$TMPDIR/bash/rc" -i
if [ -e /usr/share/bash-completion/bash_completion ]; then
    mkdir -p "$TMPDIR/bash/.local/share/bash-completion/completions"
    "$HONE" completion bash >"$TMPDIR/bash/.local/share/bash-completion/completions/hone"
    printf 'PS1=">>> "\n. /usr/share/bash-completion/bash_completion\n' >"$TMPDIR/bash/rc"
    in_shell bash bash --noprofile --rcfile "$TMPDIR/bash/rc" -i
else
    echo "skip completion.bash-completion: it is not installed"
fi

if command -v zsh >/dev/null; then
    mkdir "$TMPDIR/zsh/functions"
    "$HONE" completion zsh >"$TMPDIR/zsh/functions/_hone"
    printf '%s\n' 'PS1=">>> "' 'fpath=($HOME/functions $fpath)' 'autoload -Uz compinit' \
        'compinit -u -d $HOME/dump' 'bindkey -e' >"$TMPDIR/zsh/.zshrc"
    in_shell zsh zsh -d -i
else
    echo "skip completion.zsh: it is not installed"
fi

if command -v fish >/dev/null; then
    mkdir -p "$TMPDIR/fish/.config/fish/completions"
    "$HONE" completion fish >"$TMPDIR/fish/.config/fish/completions/hone.fish"
    printf '%s\n' 'function fish_prompt' 'echo -n ">>> "' 'end' 'set -g fish_greeting' \
        'set -g fish_autosuggestion_enabled 0' >"$TMPDIR/fish/.config/fish/config.fish"
    in_shell fish fish -i
else
    echo "skip completion.fish: it is not installed"
fi

check "nothing of what was offered was run" test ! -e bad
exit "$failed"
