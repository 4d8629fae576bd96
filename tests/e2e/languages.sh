#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Languages: the examples that tools of Debian look at, each from findings to clean; what a file is
# known by; which tools are chosen, and which are said to be missing; tools that a project brings
# along; tools that a user defines in hone.json; and tools whose output was recorded.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/look.sh"
. "$TOP/tests/support/languages.sh"

log=$TMPDIR/log
real_path=$PATH

# From now on programs of fake() come first; until unfake.
fakes()
{
    rm -rf "$TMPDIR/fake"
    PATH=$TMPDIR/fake:$real_path
}

unfake()
{
    PATH=$real_path
}

# ---- the examples ----

examples()
{
    if tried flake8; then
        example python flake8 3 cmd:./fixer
        check_is "python: the program works" "$(python3 average.py 1 2 6)" 3.0
    fi
    ! tried yamllint || example yaml yamllint 4 cmd:./fixer
    if tried codespell; then
        example spelling codespell 3 fixits
        check_is "spelling: the words are right" \
            "$(grep -c 'Separate\|addressed.*receive' notes.txt)" 2
    fi
    if tried shfmt; then
        example shell shfmt 1 fixits
        check_is "shell: as the settings of the repository say" "$(grep -c '^    cp' backup.sh)" 1
    fi
}

# ---- what a file is known by ----

known_by()
{
    fakes
    new_work
    printf '#!/usr/bin/env python3\nimport os\n' >tool
    printf '#!/usr/bin/python3.11\nimport os\n' >other
    printf '#!/usr/bin/env node\nvar a\n' >third
    printf 'import os\n' >notes
    chmod +x tool other third
    mkdir -p .github/workflows
    printf 'on: push\n' >.github/workflows/ci.yml
    printf 'FROM scratch\n' >Dockerfile
    git add . && git commit -q -m first
    # shellcheck disable=SC2016 # for the program
    fake flake8 'for f; do case $f in -*) ;; *) echo "$f:1:1: F1 here" ;; esac; done; exit 1'
    # shellcheck disable=SC2016
    fake yamllint 'for f; do case $f in /*) echo "$f:1:1: [error] here (x)" ;; esac; done; exit 1'
    # shellcheck disable=SC2016
    fake actionlint 'for f; do case $f in /*) echo "$f:1:1: here [y]" ;; esac; done; exit 1'
    look analyzer flake8
    check_is "Python by first line, and nothing else" "$(found | tr '\n' ' ')" \
        "F1 other:1 F1 tool:1"
    look analyzer yamllint,actionlint
    check_is "a workflow by its place; and it is YAML, too" "$(found | tr '\n' ' ')" \
        "x .github/workflows/ci.yml:1 y .github/workflows/ci.yml:1"
    fake hadolint "cat '$TMPDIR/docker.sarif'; exit 1"
    cat >"$TMPDIR/docker.sarif" <<'END'
{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Hadolint","version":"2.12.0"}},"results":[
{"ruleId":"DL3006","level":"warning","message":{"text":"Always tag the version of an image"},
"locations":[{"physicalLocation":{"artifactLocation":{"uri":"Dockerfile"},
"region":{"startLine":1,"startColumn":1,"endLine":1,"endColumn":1}}}]}]}]}
END
    look analyzer hadolint
    finds "a Dockerfile by its name" DL3006 Dockerfile:1
    unfake
}

# ---- which are chosen ----

chosen()
{
    new_work
    printf 'import os\n' >a.py
    printf 'let a = 1;\n' >a.js
    printf 'a: 1\n' >a.yml
    printf 'a\n' >a.txt
    git add . && git commit -q -m first
    mkdir -p "$TMPDIR/few"
    for program in git sh env bwrap timeout; do
        ln -sf "$(command -v "$program")" "$TMPDIR/few/$program"
    done
    printf '#!/bin/sh\nexit 0\n' | tee "$TMPDIR/few/flake8" "$TMPDIR/few/yamllint" \
        "$TMPDIR/few/eslint" >"$TMPDIR/few/codespell"
    chmod +x "$TMPDIR"/few/[fyec]*
    PATH=$TMPDIR/few "$HONE" run >"$log" 2>&1
    check_has "what fits the files and is installed" "$log" "critic flake8, pedant yamllint,"
    check_not "a tool of style without settings is not" grep -q "codespell" "$log"
    check_not "nor a tool that cannot work without" grep -q "eslint" "$log"
    touch .codespellrc eslint.config.js
    PATH=$TMPDIR/few "$HONE" run >"$log" 2>&1
    check_has "with settings it is: eslint" "$log" eslint
    check_has "with settings it is: codespell" "$log" codespell
    PATH=$TMPDIR/few "$HONE" doctor >"$log" 2>&1
    check_has "hone doctor names what would fit" "$log" \
        "missing  ruff         not on the PATH; it would look at the Python here"
    check_has "with what brings it" "$log" "pipx install ruff"
    check_not "and nothing that would not" grep -q "staticcheck\|clippy\|hadolint" "$log"
    PATH=$TMPDIR/few "$HONE" run review --all --json >"$log" 2>"$TMPDIR/err"
    check_has "a tool that would fit and does not look is said at the start" "$TMPDIR/err" \
        "hone: eslint would run code of this repository"
    check "and at the end, which is clean without it" \
        grep -q '"reason":"clean".*"missing":"eslint would run code' "$log"
    rm "$TMPDIR/few/bwrap"
    PATH=$TMPDIR/few "$HONE" run >"$log" 2>&1
    tr -s '\n ' '  ' <"$log" >"$log.line"
    check_has "without a sandbox no code of the repository runs, and that is said" "$log.line" \
        "eslint would run code of this repository, and there is no sandbox to run it in"
}

# ---- the project's own, and settings that would run something ----

own()
{
    command -v bwrap >/dev/null && bwrap --ro-bind / / true 2>/dev/null || {
        echo "skipped: there is no sandbox for a project's own tools"
        return
    }
    fakes
    new_work
    mkdir -p .venv/bin
    printf 'import os\n' >a.py
    git add . && git commit -q -m first
    printf '#!/bin/sh\necho "a.py:1:1: OWN the copy of the project"\nexit 1\n' >.venv/bin/flake8
    chmod +x .venv/bin/flake8
    fake flake8 'echo "a.py:1:1: PATH the copy of the PATH"; exit 1'
    look analyzer flake8
    finds "the project's own version wins" OWN a.py:1
    "$HONE" doctor >"$log" 2>&1
    check_has "hone doctor says so" "$log" ".venv/bin/flake8: the project's own"
    rm -r .venv
    look analyzer flake8
    finds "else that of the PATH" PATH a.py:1
    # shellcheck disable=SC2016 # for the program
    fake flake8 'echo "a.py:1:1: WORDS $*"; exit 1'
    printf '[flake8]\nmax-line-length = 100\n' >setup.cfg
    look analyzer flake8
    check_not "settings of the repository count" grep -q -- --isolated "$answer"
    printf '[flake8:local-plugins]\nextension = X1 = plugin:run\n' >setup.cfg
    look analyzer flake8
    check_has "but not where they would run its code" "$answer" "--isolated"
    check_has "which is said" "$answer" "would have it run code of the repository"
    unfake
}

# ---- the second time ----

again()
{
    fakes
    new_work
    printf 'import b\n' >a.py
    git add . && git commit -q -m first
    fake flake8 "echo flake8 >>'$calls'"
    fake mypy "echo mypy >>'$calls'"
    : >"$calls"
    cache=$TMPDIR/cache
    mkdir -p "$cache"
    look analyzer flake8,mypy
    look analyzer flake8,mypy
    cache=
    check_is "what depends on its file alone is kept, what depends on others is not" \
        "$(sort "$calls" | uniq -c | tr -s ' \n' ' ')" " 1 flake8 2 mypy "
    unfake
}

# ---- those of a user ----

defined()
{
    new_work
    printf 'x = 1\n-- LATER\n' >a.lua
    cat >hone.json <<'END'
{"analyzers": {"later": {
    "files": ["*.lua"],
    "command": "grep -nH LATER \"$@\" | sed 's/^\\([^:]*:[0-9]*\\):.*/\\1: work is left/'",
    "format": "{file}:{line}: {text}"}}}
END
    git add . && git commit -q -m first
    "$HONE" run review --all >"$log" 2>&1 </dev/null
    check_is "a command of a repository's hone.json needs consent" "$?" 2
    check_has "it is shown" "$log" "analyzers.later.command"
    "$HONE" run review --all --trust >"$log" 2>&1 </dev/null
    check_is "then it looks" "$?" 1
    check_has "it was chosen for its files" "$log" "agents: critic later,"
    "$HONE" findings >"$log" 2>&1
    check_has "and finds" "$log" "a.lua:2: warning: unresolved: work is left"
    "$HONE" config set analyzers.later.format '{line}: {text}' >"$log" 2>&1
    "$HONE" run review --all --trust >"$log" 2>&1 </dev/null
    check_is "a definition that is wrong: exit" "$?" 2
    check_has "a definition that is wrong: why" "$log" "analyzers.later: format is sarif, rdjson"
    cat >hone.json <<'END'
{"analyzers": {"tabs": {"files": ["*.lua"], "command": "./tabs \"$@\"", "format": "diff",
    "fixes": "safe"}}}
END
    printf 'x = 1\n\ty = 2\n' >a.lua
    cat >./tabs <<'END'
#!/bin/sh
for f; do expand -t 4 "$f" | diff -u "$f" - | sed "2s|-|$f|"; done
END
    chmod +x tabs
    git add . && git commit -q -m tabs
    "$HONE" run review --all --trust >"$log" 2>&1 </dev/null
    check_is "fixes of a tool of one's own: clean" "$?" 0
    check_is "fixes of a tool of one's own: made" "$(sed -n 2p a.lua)" "    y = 2"
}

# ---- by recorded output ----

recorded()
{
    fakes
    new_work
    printf 'import os\nprint(1)\n' >a.py
    printf 'module x\n' >go.mod
    printf 'package main\n' >main.go
    printf 'rules: []\n' >.semgrep.yml
    touch .golangci.yml
    git add . && git commit -q -m first
    mkdir "$TMPDIR/fake"
    cat >"$TMPDIR/fake/ruff.json" <<'END'
[{"code":"F401","message":"`os` imported but unused","filename":"a.py","url":null,
"location":{"row":1,"column":8},"end_location":{"row":1,"column":10},"fix":{"applicability":"safe",
"message":"Remove unused import","edits":[{"content":"","location":{"row":1,"column":1},
"end_location":{"row":2,"column":1}}]}}]
END
    fake ruff "if grep -q os a.py; then cat '$TMPDIR/fake/ruff.json'; exit 1; fi; echo '[]'"
    "$HONE" run review --all --agent 'critic=analyzer:ruff' --agent '*=analyzer:none' \
        --agent review-fixer=fixits >"$log" 2>&1
    check_is "ruff: from findings to clean" "$?" 0
    check_is "ruff: by its own fix" "$(cat a.py)" "print(1)"
    fake golangci-lint 'echo "main.go:1:1: nothing here (unused)"; exit 1'
    look analyzer golangci-lint
    finds "golangci-lint" unused main.go:1
    cat >"$TMPDIR/semgrep.sarif" <<'END'
{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"semgrep"}},"results":[
{"ruleId":"print","level":"note","message":{"text":"no print"},"locations":[{"physicalLocation":
{"artifactLocation":{"uri":"a.py"},"region":{"startLine":1}}}]}]}]}
END
    fake semgrep "cat '$TMPDIR/semgrep.sarif'"
    look analyzer semgrep
    finds "semgrep" print a.py:1
    fake semgrep 'echo "no rules" >&2; exit 2'
    look analyzer semgrep
    failed_look "a tool that could not look is not clean" "semgrep could not look at" "no rules"
    unfake
}

secrets()
{
    local key=AKIA
    key+=IOSFODNN7ABCDEFG
    new_work
    printf 'key = "%s"\n' "$key" >settings.ini
    git add . && git commit -q -m first
    look analyzer secrets
    finds "secrets: in any file, without a program" secret settings.ini:1
    check_not "secrets: none is in the answer" grep -q "$key" "$answer"
}

examples
known_by
chosen
own
again
defined
recorded
secrets
exit "$failed"
