#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a run leaves on the disk: runs of review over one hundred files whose five reviewers answer
# at once. At most 200 KiB per run below the git folder; and nothing more after hone gc than before.
set -eu

hone=${HONE:?}
runs=${BENCH_RUNS:-10}
work=$(mktemp -d "${TMPDIR:-/tmp}/hone-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export HOME=$work
cd "$work"
git init -q tree && cd tree
for i in $(seq 100); do seq 100 >"file$i.txt"; done
git add . && git -c user.name=b -c user.email=b@localhost commit -q -m tree
answer='{"issues":[],"summary":{"critical":0,"warning":0,"info":0,"verdict":"clean"}}'

# review N: so many runs, each after a change.
review()
{
    for _ in $(seq "$1"); do
        echo more >>file1.txt
        "$hone" run review --agent "*=cmd:echo '$answer'" >/dev/null 2>&1
    done
}

# size: KiB of hone's folder.
size()
{
    du -sk .git/hone | cut -f 1
}

review 1
first=$(size)
review "$runs"
awk -v kept=$((($(size) - first) / runs)) 'BEGIN {
    printf "%-63s %d KiB      (wanted: at most 200)%s\n", "growth of the disk, per run", kept,
        (kept > 200) ? "  <-- over" : "" }'
"$hone" gc --keep 1 --quiet
awk -v ratio="$(awk -v a="$(size)" -v b="$first" 'BEGIN { print a / b }')" 'BEGIN {
    printf "%-63s %.2f times  (wanted: at most 1.5)%s\n", "the disk after hone gc --keep 1", ratio,
        (ratio > 1.5) ? "  <-- over" : "" }'
