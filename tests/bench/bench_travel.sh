#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A work tree's way to a worker and back: a repository of 20,000 files and 138 MB (BENCH_FILES says
# how many files) that is made up and packed, as a clone is, and changes of 1 MB in 150 of them. Two
# runs of a reviewer and a fixer play on one worker, first when it has nothing of the repository,
# then when it has. This is done behind `hone worker --lines`, as ssh starts it, and through a
# nats-server where one is here.
#
#   there     from the journal's word that the run begins to the first line of its first agent. The
#             same without a fleet is in it: what hone looks at before any run
#   back      from the last line of the fixer to its status file at the driver, which is written
#             when the change is in the work tree
#   sent      what a driver says to a worker: blobs, by what they say of their size
#
# What the agents see is compared with what the driver has, by the ids of whole trees, and the
# user's index, HEAD and refs are byte by byte what they were.
set -eu

files=${BENCH_FILES:-20000}
link=$(dirname "${HONE:?}")/hone-link
work=$(mktemp -d "${TMPDIR:-/tmp}/hone-bench.XXXXXX")
repo=$work/repo
play=$work/play
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
export GIT_AUTHOR_NAME=b GIT_AUTHOR_EMAIL=b@localhost
export GIT_COMMITTER_NAME=b GIT_COMMITTER_EMAIL=b@localhost
if [ "$(df -Pk "$work" | awk 'NR == 2 { print $4 }')" -lt 2000000 ]; then
    echo "travel: 2 GB of disk are not free in ${TMPDIR:-/tmp}; 2,000 files are sent instead"
    files=2000
fi

# contents SEED FROM TO: files of these numbers are written: words, and numbers that no file shares.
contents()
{
    awk -v seed="$1" -v from="$2" -v to="$3" 'BEGIN {
        srand(seed)
        for (i = from; i < to; i++) {
            file = "src/" int(i / 100) "/file" i ".txt"
            for (line = 0; line < 97; line++) {
                printf "%08x%08x a line of words that are the same in all of the files\n",
                    rand() * 2147483648, rand() * 2147483648 >file
            }
            close(file)
        }
    }'
}

mkdir -p "$repo" "$play" "$work/bin"
ln -s "$HONE" "$work/bin/hone"
cd "$repo"
git init -q -b main .
for folder in $(seq 0 $(((files - 1) / 100))); do mkdir -p "src/$folder"; done
contents 1 0 "$files"
cat >tree_id <<'END_OF'
# The id of the tree around: each file is read; what git keeps is not written to.
git=$(git rev-parse --absolute-git-dir)
rm -rf "$1" && mkdir "$1"
GIT_OBJECT_DIRECTORY=$1 GIT_ALTERNATE_OBJECT_DIRECTORIES=$git/objects GIT_INDEX_FILE=$1/index
export GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_INDEX_FILE
git add -A . && git write-tree
END_OF
cat >player <<END_OF
date +%s%3N >"$play/begun.\$HONE_ROLE.\$HONE_ROUND"
if [ "\$HONE_ROLE" = critic ] && [ -e defect ]; then
    sh tree_id "$play/objects" >"$play/seen"
    echo '{"issues":[{"severity":"warning","category":"text","file":"defect","line":1,
        "description":"it is there","evidence":"it is","suggestion":"remove it"}],
        "summary":{"critical":0,"warning":1,"info":0,"verdict":"issues_found"}}'
elif [ "\$HONE_ROLE" = critic ]; then
    echo '{"issues":[],"summary":{"critical":0,"warning":0,"info":0,"verdict":"clean"}}'
else
    rm defect
    for file in src/2/* src/3/file3[0-4]?.txt; do sed -i "s/\$/ \$HONE_RUN/" "\$file"; done
    sh tree_id "$play/objects" >"$play/made"
    echo '# Fixed: defect'
    date +%s%3N >"$play/ended"
fi
END_OF
git add . && git commit -q -m first && git repack -a -d -q && git prune-packed
bytes=$(du -sb src | cut -f 1)

kept() # the user's index, HEAD and refs: by their bytes; hone's own are not the user's
{
    cat .git/index .git/HEAD .git/packed-refs 2>/dev/null || true
    find .git/refs -path .git/refs/hone -prune -o -type f -exec cat {} +
}

# plays WHERE [OPTION...]: a run. Sets there_ms and back_ms.
plays()
{
    local name=$1 run status
    shift
    rm -f "$play"/begun.* "$play/ended"
    contents "$RANDOM" 0 150
    echo defect >defect
    sh tree_id "$work/objects" >"$work/sent"
    kept >"$work/kept.before"
    "$HONE" run review "a task" --reviewers critic --no-sandbox --agent '*=cmd:sh player' "$@" \
        >"$work/out" 2>&1 || { cat "$work/out" && exit 1; }
    kept >"$work/kept.after"
    run=$(ls -td .git/hone/runs/*/ | head -n 1)
    there_ms=$(("$(cat "$play/begun.critic.1")" - $("$SUPPORT/sql" .git/hone/journal.db \
        "select at_ms from events where kind = 'start' order by at_ms desc limit 1")))
    status=$(stat -c %.3Y "$run/2-1/status")
    back_ms=$((${status/./} - $(cat "$play/ended")))
    sh tree_id "$work/objects" >"$work/got"
    cmp -s "$work/sent" "$play/seen" || { echo "$name: the agent saw another tree"; exit 1; }
    cmp -s "$play/made" "$work/got" || { echo "$name: another tree came back"; exit 1; }
    cmp -s "$work/kept.before" "$work/kept.after" ||
        { echo "$name: index, HEAD or refs changed"; exit 1; }
}

line() # WHAT FIGURE UNIT [MOST]
{
    awk -v what="$1" -v is="$2" -v unit="$3" -v most="${4:-}" 'BEGIN {
        printf "%-63s %s %s%s%s\n", what, is, unit,
            (most == "" ? "" : "     (wanted: at most " most ")"),
            (most != "" && is > most + 0 ? "  <-- over" : "") }'
}

# shows NAME URL: both runs of a worker that is new.
shows()
{
    plays "$1, cold" --fleet "$2"
    line "$1: to the agent's start, cold" "$there_ms" ms
    line "$1: from the fixer's end to applied, cold" "$back_ms" ms 2000
    [ ! -e "$work/to" ] || sent "$1" cold
    plays "$1, warm" --fleet "$2"
    line "$1: to the agent's start, warm" "$there_ms" ms 2000
    line "$1: from the fixer's end to applied, warm" "$back_ms" ms 2000
    [ ! -e "$work/to" ] || sent "$1" warm
}

# sent NAME WHEN: blobs by their names' beginning, each once, in kB.
sent()
{
    grep -ao '"id":"[^"]*","bytes":[0-9]*' "$work/to" | sort -u | tr -d '"' |
        awk -F '[:,]' -v name="$1" -v when="$2" '{ sum[$2 ~ /^base-/] += $4 } END {
            printf "%-63s %d kB\n", name ": sent of the history, " when, sum[1] / 1000
            printf "%-63s %d kB\n", name ": sent of three attempts, " when, sum[0] / 1000 }'
}

echo "travel: $files files, $((bytes / 1000000)) MB; ids of trees, index and refs are compared"
plays here
line "here, without a fleet: to the agent's start" "$there_ms" ms
mkdir "$work/lines"
PATH=$work/bin:$PATH shows lines "cmd:tee $work/to |
    hone worker --lines --no-sandbox --folder $work/lines"
rm -f "$work/to"
rm -rf "$work/lines"
if ! command -v nats-server >/dev/null || [ ! -x "$link" ]; then
    echo "nats: nats-server or hone-link is not here"
    exit 0
fi
port=$((20000 + RANDOM % 12000))
printf 'listen: "127.0.0.1:%s"\njetstream { store_dir: "%s/store", max_file_store: 1GB }\n' \
    "$port" "$work" >"$work/server.conf"
nats-server -c "$work/server.conf" >/dev/null 2>&1 &
started+=("$!")
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.05; done
"$HONE" worker "nats://127.0.0.1:$port" --no-sandbox --folder "$work/nats" >"$work/worker" 2>&1 &
started+=("$!")
until grep -q 'is in pool' "$work/worker" 2>/dev/null; do sleep 0.05; done
shows nats "nats://127.0.0.1:$port"
