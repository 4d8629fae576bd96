#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the cage costs per start of an agent: runs of review whose five reviewers answer at once,
# with the sandbox and without. At most 8 ms per start.
set -eu

hone=${HONE:?}
runs=${BENCH_RUNS:-10}
work=$(mktemp -d "${TMPDIR:-/tmp}/hone-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export HOME=$work
cd "$work"
git init -q tree && cd tree
echo one >notes.txt && git add . &&
    git -c user.name=b -c user.email=b@localhost commit -q -m tree && echo two >>notes.txt
answer='{"issues":[],"summary":{"critical":0,"warning":0,"info":0,"verdict":"clean"}}'

# took OPTION: microseconds of the quickest run.
took()
{
    local begin one best=
    for _ in $(seq "$runs"); do
        begin=$(date +%s%N)
        "$hone" run review "$1" --agent "*=cmd:echo '$answer'" >/dev/null 2>&1
        one=$((($(date +%s%N) - begin) / 1000))
        if [ -z "$best" ] || [ "$one" -lt "$best" ]; then best=$one; fi
    done
    echo "$best"
}

awk -v bare="$(took --no-sandbox)" -v caged="$(took --sandbox)" 'BEGIN {
    each = (caged - bare) / 5 / 1000
    printf "%-63s %.2f ms     (wanted: at most 8)%s\n", "the cage, per start of an agent", each,
        (each > 8) ? "  <-- over" : "" }'
