#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a lane costs: 1, 10, 100 and 1000 tasks (BENCH_LANES) in one group, four at once, with agents
# that do nothing. Each has a work tree, a builder, a reviewer and an integration. What is wanted is
# that the cost of a lane, in time and in memory, does not grow with their number.
set -eu

lanes=$(dirname "${HONE:?}")/tests/support/lanes
work=$(mktemp -d "${TMPDIR:-/tmp}/hone-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export GIT_AUTHOR_NAME=b GIT_AUTHOR_EMAIL=b@localhost
export GIT_COMMITTER_NAME=b GIT_COMMITTER_EMAIL=b@localhost
first_us=0 first_kib=0

for count in ${BENCH_LANES:-1 10 100 1000}; do
    mkdir "$work/$count"
    cd "$work/$count"
    git init -q . && echo text >file && git add . && git commit -q -m first
    begin=$(date +%s%N)
    LANES_USED="$work/used" "$lanes" run "$count" 4 'cmd:echo done' 'cmd:echo pass' \
        >/dev/null 2>&1
    each_us=$((($(date +%s%N) - begin) / 1000 / count))
    kib=$(cat "$work/used")
    [ "$count" = 10 ] && first_us=$each_us first_kib=$kib
    printf '%-58s %9s %-6s (%s KiB in all)\n' "a lane of $count" \
        "$((each_us / 1000))" ms "$kib"
    if [ "$count" -gt 10 ] && [ "$first_us" -gt 0 ]; then
        over=
        [ $((each_us * 100 / first_us)) -gt 150 ] && over='  <-- over'
        printf '%-58s %9s %-6s (wanted: at most 1.5)%s\n' "  against a lane of 10" \
            "$(awk "BEGIN { printf \"%.2f\", $each_us / $first_us }")" times "$over"
        over=
        [ $((kib - first_kib)) -gt $(((count - 10) * 32)) ] && over='  <-- over'
        printf '%-58s %9s %-6s (wanted: at most 32)%s\n' "  memory for each more than 10" \
            "$(awk "BEGIN { printf \"%.1f\", ($kib - $first_kib) / ($count - 10) }")" KiB "$over"
    fi
    cd "$work" && rm -rf "${work:?}/$count"
done
