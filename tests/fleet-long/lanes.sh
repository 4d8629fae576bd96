#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# 200 lanes (FLEET_LANES) over 8 workers: a run of loops ends as it does on one machine, and what a
# lane costs does not grow with how many there are. Two groups, so that lanes begin at two commits;
# the reviewer of one task wants it again, and has it.
#
# What is counted: how often the driver calls git for a lane; packs, which every git looks through.
export HONE_FLEET_LEASE_MS=10000
. "${TOP:?}/tests/fleet/lib.sh"
. "$TOP/tests/fleet/whole_lib.sh"

LANES=${FLEET_LANES:-200}
FEW=20
AT_ONCE=48
limit=420

# lanes_list NUMBER: so many tasks, three quarters of them in the first group.
lanes_list()
{
    local i
    echo '# one'
    for i in $(seq "$1"); do
        [ "$i" != $(($1 * 3 / 4 + 1)) ] || echo '# two'
        if [ "$i" = 7 ]; then echo '- [ ] b: Add b'; else echo "- [ ] t$i: Add $i"; fi
    done
}

# A git that counts how often it is called.
mkdir "$TMPDIR/bin"
cat >"$TMPDIR/bin/git" <<END
#!/bin/sh
echo >>'$TMPDIR/gits'
PATH=\${PATH#*:} exec git "\$@"
END
chmod +x "$TMPDIR/bin/git"

# lanes_run NUMBER [OPTION...]: in a repository of its own; sets status, took_ms and per_lane.
lanes_run()
{
    local number=$1 since_ms
    shift
    lanes_list "$number" >"$TMPDIR/lanes.md"
    copy_of "$TMPDIR/loops" work
    : >"$TMPDIR/gits"
    since_ms=$(now_ms)
    PATH=$TMPDIR/bin:$PATH begin run loops --tasks "$TMPDIR/lanes.md" --no-sandbox \
        --agent "$player" --max-loops $AT_ONCE "$@"
    finish
    took_ms=$(($(now_ms) - since_ms))
    per_lane=$(($(wc -l <"$TMPDIR/gits") / number))
    echo "$number lanes ${1:-here}: $took_ms ms, $per_lane calls of git a lane"
    check_is "$number lanes ${1:-here}: exit" "$status" 0
    [ "$status" = 0 ] || tail -n 40 "$err"
}

# All that the run leaves, in its order.
lanes_files()
{
    loops_files
    git log --reverse --first-parent --format=%s main | sed 's/^Merge [^:]*: //'
    git ls-files -s
    "$SUPPORT/sql" .git/hone/journal.db \
        "select task_id || ' ' || description from review_issues order by task_id"
    findings_alike
}

# packs FOLDER...: how many there are in the one that has most.
packs()
{
    local folder most=0 count
    for folder in "$@"; do
        count=$(find "$folder" -name '*.pack' | wc -l)
        [ "$count" -le "$most" ] || most=$count
    done
    echo "$most"
}

# agents_left: numbers of agents that are alive. Numbers come again, so what they run is looked at.
agents_left()
{
    local pid
    for pid in $(cut -d' ' -f5 "$play/begun"); do
        ! tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q '^sh player' || echo "$pid"
    done
}

server_start
for number in 1 2 3 4 5 6 7 8; do worker "w$number" --slots 6; done

lanes_run "$LANES"
lanes_files >"$TMPDIR/lanes.here"
cut -d' ' -f3 "$play/begun" | sort | uniq -c >"$TMPDIR/begun.here"
check_is "here: all lanes are merged" "$("$SUPPORT/sql" .git/hone/journal.db \
    "select count(*) from tasks where status = 'completed'")" "$LANES"

lanes_run $FEW --fleet "$url"
few=$per_lane
lanes_run "$LANES" --fleet "$url"
lanes_files >"$TMPDIR/lanes.files"
check "tree, index, refs, ledger and tasks are as here" \
    diff "$TMPDIR/lanes.here" "$TMPDIR/lanes.files"
check_is "none was begun twice" "$(begun_more)" ''
cut -d' ' -f3 "$play/begun" | sort | uniq -c >"$TMPDIR/begun.there"
check "as many attempts of each role as here" diff "$TMPDIR/begun.here" "$TMPDIR/begun.there"
check_is "none played here" "$(grep -c ' home ' "$play/begun")" 0
check_is "every worker played" "$(cut -d' ' -f4 "$play/begun" | sort -u | wc -l)" 8
check_is "no agent is left" "$(agents_left)" ''
for stream in HONE_JOBS KV_HONE_CLAIMS HONE_RESULTS HONE_BLOBS KV_HONE_DRIVERS; do
    check_is "nothing stays in $stream" "$(stream_counts $stream)" 0
done
check "git is called as often for a lane as with $FEW" [ "$per_lane" -le $((few + 2)) ]
check_is "the driver keeps no pack of an attempt" "$(packs .git/hone/objects)" 0
check "a worker keeps histories alone as packs" [ "$(packs "$TMPDIR"/w*/.local/state/hone)" -le 6 ]
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
