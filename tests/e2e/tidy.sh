#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What hone leaves behind: its files in the work tree are hidden from git, runs can be removed, old
# ones go by themselves, and a kill in the middle leaves no half run.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/play.sh"

template=$TMPDIR/template
new_repo "$template"
git -C "$template" commit -q -a -m all

# runs: the names of the runs that are listed, the oldest first.
runs()
{
    "$HONE" list --json | jq -r '[.runs[].run] | reverse | join(" ")'
}

# ---- git does not show them ----

forget
copy_of "$template" hidden
printf '# mine\nbuild' >.git/info/exclude
hone run review --agent "*=$agent"
check_has "hidden: said" "$err" "git does not show hone's own files here any more"
check_is "hidden: git shows nothing" "$(git status --porcelain)" ""
check_is "hidden: what was there stays" "$(head -2 .git/info/exclude | tr '\n' ' ')" "# mine build "
check_is "hidden: whole paths, from the top" \
    "$(sed 1,2d .git/info/exclude | grep -cv '^/\.agents/tmp/')" 0
mkdir -p .agents/own && echo x >.agents/own/file
check_is "hidden: nothing else" "$(git status --porcelain -uall)" "?? .agents/own/file"
rm -r .agents/own
cp .git/info/exclude "$TMPDIR/exclude"
hone run review --agent "*=$agent"
check_not "hidden: said once" grep -q "info/exclude" "$err"
check "hidden: written once" cmp -s .git/info/exclude "$TMPDIR/exclude"
check_is "hidden: an earlier run's files neither" "$(git status --porcelain)" ""
rm .git/info/exclude
hone run review --agent "*=$agent" --json
check "hidden: JSON stays JSON" jq -e . "$out"

# ---- the list ----

does critic "$sees"
echo defect >>notes.txt
hone run review --max-iterations 1 --all --agent "*=$agent"
hone list
check_has "list: what it has" "$out" "FOUND  FIXED  LEFT  COST"
check "list: of a run" grep -qE 'rounds used up +1 +0 +1 +- +[0-9.]+ m?s +everything ' "$out"
hone list --json
check_is "list: for programs" \
    "$(jq -c '.runs[0] | [.found, .fixed, .left, .cost, .scope, .reason]' "$out")" \
    '[1,0,1,null,"everything","bound"]'

# ---- rm ----

first=$(runs)
first=${first%% *}
hone rm "$first"
check_is "rm: exit" "$status" 0
check_is "rm: it is not listed" "$(runs | grep -c "$first")" 0
check_not "rm: its folder is gone" test -e ".git/hone/runs/$first"
hone rm "$first"
check_is "rm: it is no run any more" "$status" 2
does review-fixer 'echo "STUCK: no key"'
hone run review --agent "*=$agent"
check_is "a stuck run: exit" "$status" 1
stuck=$("$HONE" status --json | jq -r .run)
hone rm "$stuck"
check_is "rm: what can go on stays: exit" "$status" 2
check_has "rm: what can go on stays: why" "$err" "run $stuck can still go on (stuck)"
hone gc --keep 0
check_is "gc: only what can go on is left" "$(runs)" "$stuck"
check_is "gc: the folders too" "$(ls .git/hone/runs)" "$stuck"
hone rm "$stuck" --force
check_is "rm --force: exit" "$status" 0
check_is "rm --force: gone" "$(runs)" ""

# ---- a run at work ----

forget
does critic 'while [ ! -e "$play/go" ]; do sleep 0.05; done; cat "$play/clean"'
"$HONE" run review --agent "*=$agent" >/dev/null 2>&1 &
pid=$!
until [ -n "$(started critic | grep -v '^0')" ]; do sleep 0.05; done
live=$("$HONE" status --json | jq -r .run)
hone rm "$live" --force
check_is "rm: a run at work: exit" "$status" 2
check_has "rm: a run at work: why" "$err" "run $live is at work: 'hone stop $live' ends it first"
hone gc --keep 0
check_is "gc: a run at work stays" "$(runs)" "$live"
touch "$play/go"
wait "$pid"
check_is "it went on undisturbed" "$?" 0

# ---- by themselves ----

does critic
for _ in 1 2 3; do hone run review --quiet --agent "*=$agent"; done
mkdir -p "$HOME/.config/hone"
before=$(runs)
echo '{"keepRuns": 2}' >"$TMPDIR/keep.json"
HONE_CONFIG=$TMPDIR/keep.json hone run review --agent "*=$agent" --trust
check_has "old runs go: said" "$err" \
    "2 old runs were removed: the newest 2 that have ended are kept"
check_is "old runs go: how many are left" "$(runs | wc -w)" 3
check_not "old runs go: the oldest" grep -q "${before%% *}" <<<"$(runs)"

# ---- a kill at any write of gc ----

copy_of "$PWD" source
all=$(runs)
n=1
while :; do
    copy_of "$TMPDIR/source" swept
    rm -f "$TMPDIR/fired"
    HONE_FAULT_MODE=kill HONE_FAULT_CALLS=write HONE_FAULT_NTH=$n \
        HONE_FAULT_FIRED=$TMPDIR/fired LD_PRELOAD=$SUPPORT/fault_preload.so \
        "$HONE" gc --keep 1 >/dev/null 2>&1
    [ -e "$TMPDIR/fired" ] || break
    for run in $(runs); do
        [ -d ".git/hone/runs/$run" ] || not_ok "kill $n: run $run is listed and has no folder"
        "$HONE" findings "$run" >/dev/null 2>&1 || not_ok "kill $n: run $run cannot be shown"
    done
    hone gc --keep 1
    [ "$(runs)" = "${all##* }" ] || not_ok "kill $n: the next gc leaves '$(runs)'"
    [ "$(ls .git/hone/runs)" = "${all##* }" ] || not_ok "kill $n: a folder is left"
    n=$((n + 7))
done
check "kills were tried" test "$n" -gt 7
exit "$failed"
