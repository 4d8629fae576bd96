# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# story.sh - what end-to-end stories and sweeps share: small repositories, small agents, checks.
# Sourced; HONE is the program, TMPDIR a folder of the story's own.
set -u

failed=0

ok()
{
    echo "ok $1"
}

not_ok()
{
    echo "not ok $1"
    failed=1
}

# check NAME COMMAND...: passes when the command does.
check()
{
    local name=$1
    shift
    if "$@"; then ok "$name"; else not_ok "$name: $*"; fi
}

# check_not NAME COMMAND...: passes when the command does not.
check_not()
{
    local name=$1
    shift
    if "$@"; then not_ok "$name: not wanted: $*"; else ok "$name"; fi
}

# check_is NAME GOT WANTED
check_is()
{
    if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: got '$2', wanted '$3'"; fi
}

# check_has NAME FILE TEXT
check_has()
{
    if grep -qF -- "$3" "$2"; then
        ok "$1"
    else
        not_ok "$1: '$3' is not in $2:"
        sed 's/^/    /' "$2" | head -20
    fi
}

# free_port: one that no program listens on, below those that the system gives to connections.
free_port()
{
    local number
    for _ in 1 2 3 4 5 6 7 8 9; do
        number=$((20000 + ${SRANDOM:-$RANDOM} % 12000))
        (exec 3<>"/dev/tcp/127.0.0.1/$number") 2>/dev/null || break
    done
    echo "$number"
}

# A repository with two committed files and one change in it.
new_repo()
{
    mkdir -p "$1" && cd "$1" || exit 1
    git init -q .
    printf 'int main(void)\n{\n    return 0;\n}\n' >main.c
    printf 'hello\n' >notes.txt
    git add . && git commit -q -m first
    printf 'defect\n' >>notes.txt
}

# hidden_already: hone's own files are in info/exclude, as a run of review leaves it: a later run
# writes nothing there.
hidden_already()
{
    printf '/.agents/tmp/state.json\n/.agents/tmp/phases\n' >>.git/info/exclude
}

# What a reviewer says who finds nothing, and one who finds something.
clean='{"issues":[],"summary":{"critical":0,"warning":0,"info":0,"verdict":"clean"}}'
found='{"issues":[{"severity":"warning","category":"text","file":"notes.txt","line":2,'
found+='"description":"a defect is left","evidence":"line 2 says defect",'
found+='"suggestion":"remove it"}],'
found+='"summary":{"critical":0,"warning":1,"info":0,"verdict":"issues_found"}}'

# A reviewer that reports the word "defect" in notes.txt, and a fixer that removes one.
reviewer="cmd:if grep -q defect notes.txt; then echo '$found'; else echo '$clean'; fi"
fixer="cmd:sed -i '0,/defect/{/defect/d}' notes.txt; echo '# Fixed: notes.txt'"

# The files of a finished run without what differs from run to run.
contract_files()
{
    (cd "$1" && find .agents/tmp/state.json .agents/tmp/phases -type f | LC_ALL=C sort |
        while read -r file; do
            echo "== $file"
            sed -e 's/"\(startedAt\|updatedAt\)": "[^"]*"/"\1": "T"/' \
                -e 's/"\(ownerPpid\|sessionId\)": "[^"]*"/"\1": "X"/' "$file"
        done)
}

# findings_alike: the findings of the last run without what differs from run to run.
findings_alike()
{
    "$HONE" findings --json 2>/dev/null |
        sed -e 's/"\(run\|uuid\|id\|fingerprint\)": *"[^"]*"/"\1": "X"/' \
            -e 's/"\([a-z_]*_ms\|started\|ended\|at\)": *[0-9]*/"\1": 0/'
}
