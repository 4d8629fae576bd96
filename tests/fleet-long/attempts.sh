#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# FLEET_ATTEMPTS attempts (3,000 by default; 10,000 take some 15 minutes on two cores) of agents
# that are real processes, through 16 workers: four drivers at a time, each in a repository of its
# own, play runs of review with many rounds and runs of loops with many tasks, until so many
# attempts were begun. Every run ends as it should, none of its attempts is lost and none begun
# twice, and nothing stays on the server.
export HONE_FLEET_LEASE_MS=10000
. "${TOP:?}/tests/fleet/lib.sh"
. "$TOP/tests/fleet/whole_lib.sh"

ATTEMPTS=${FLEET_ATTEMPTS:-3000}
DRIVERS=4
DEFECTS=40 # of a review: a round each, and one that finds nothing
TASKS=60   # of loops: a builder and a reviewer each, and a reviewer of all
RUN_S=420
REVIEW_ATTEMPTS=$((DEFECTS * 6 + 5))
LOOPS_ATTEMPTS=$((TASKS * 2 + 1))

for number in $(seq $TASKS); do echo "- [ ] t$number: Add $number"; done >"$TMPDIR/many.md"
for number in $(seq 2 $DEFECTS); do echo defect; done >>"$TMPDIR/review/notes.txt"

# one_run NUMBER KIND: in the background. Says what is wrong with its end.
one_run()
{
    local folder=$TMPDIR/run-$1 code wanted
    rm -rf "$folder"
    cp -R "$TMPDIR/$2" "$folder" && cd "$folder" || exit 1
    case $2 in
    review) set -- "$1" "$2" "${review[@]}" --max-iterations 60 ;;
    loops) set -- "$1" "$2" loops --tasks "$TMPDIR/many.md" --no-sandbox --agent "$player" \
        --max-loops 16 ;;
    esac
    timeout -k 5 $RUN_S "$HONE" run "${@:3}" --fleet "$url" >out 2>err
    code=$?
    [ "$code" = 0 ] || { echo "$2 $1 ended with $code: $(tail -n 1 err)" && return; }
    ! grep -E 'is lost|asked for again' err || echo "$2 $1: an attempt was lost"
    if [ "$2" = review ]; then
        wanted=$REVIEW_ATTEMPTS
        ! grep -q defect notes.txt || echo "$2 $1: a defect is left"
    else
        wanted=$LOOPS_ATTEMPTS
        [ "$(git ls-files 't*.txt' | wc -l)" = $TASKS ] || echo "$2 $1: a task is not merged"
    fi
    code=$(grep -c "^$("$SUPPORT/sql" .git/hone/journal.db 'select id from runs') " "$play/begun")
    [ "$code" = $wanted ] || echo "$2 $1: $code attempts began, and not $wanted"
    cd "$TMPDIR" && rm -rf "$folder"
}

# drives_on FIRST: that run and every fourth behind it, one after the other.
drives_on()
{
    local number kind
    for number in $(seq "$1" $DRIVERS $RUNS); do
        kind=review
        [ $((number % 2)) = 1 ] || kind=loops
        one_run "$number" $kind
    done
}

server_start
for number in $(seq 16); do worker "w$number" --slots 2; done
: >"$play/begun"
RUNS=$((ATTEMPTS * 2 / (REVIEW_ATTEMPTS + LOOPS_ATTEMPTS) + 2))
since_ms=$(now_ms)
drivers=()
for number in $(seq $DRIVERS); do
    drives_on "$number" >"$TMPDIR/driver-$number.log" 2>&1 &
    drivers+=($!)
done
wait "${drivers[@]}"
took_ms=$(($(now_ms) - since_ms))
begun=$(wc -l <"$play/begun")
echo "$begun attempts of $RUNS runs in $((took_ms / 1000)) s: $((begun * 1000 / took_ms)) a second"
check "so many began" [ "$begun" -ge "$ATTEMPTS" ]
check_is "every run ends as it should, with all of its attempts" \
    "$(cat "$TMPDIR"/driver-*.log)" ''
check_is "none was begun twice" "$(begun_more)" ''
check_is "every worker played" "$(cut -d' ' -f4 "$play/begun" | sort -u | grep -c '^w')" 16
check_is "none played here" "$(grep -c ' home ' "$play/begun")" 0
for stream in HONE_JOBS KV_HONE_CLAIMS HONE_RESULTS HONE_BLOBS KV_HONE_DRIVERS; do
    check_is "nothing stays in $stream" "$(stream_counts $stream)" 0
done
kept='.local/state/hone/worker/workers/*/attempts'
# shellcheck disable=SC2086 # a pattern
check_is "no worker keeps a result" \
    "$(cd "$TMPDIR" && find w*/$kept -mindepth 1 -maxdepth 1 | wc -l)" 0
# shellcheck disable=SC2154 # of story.sh
exit "$failed"
