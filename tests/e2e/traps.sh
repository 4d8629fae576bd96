#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Traps on the way to an end: what makes loops go on for ever, or end clean for the wrong reason.
# Each scene has the typed end that it must reach.
#
# A scene is a folder: ROUND.ROLE (or ROUND.any, or always) is what that reviewer finds in that
# round, a line "SEVERITY FILE LINE TEXT" each; ROUND.fix is what the fixer does then, and says is
# its report.
. "${TOP:?}/tests/support/story.sh"

cat >"$TMPDIR/eye" <<'AGENT'
for name in "$HONE_ROUND.$HONE_ROLE" "$HONE_ROUND.any" always /dev/null; do
    case $name in /*) found=$name ;; *) found=$SCENE/$name ;; esac
    [ ! -e "$found" ] || break
done
git ls-files -co --exclude-standard >>"${HONE_EVIDENCE:-/dev/null}"
awk '
    { severity = $1; file = $2; line = $3; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "") }
    { count[severity]++
      text = text (NR > 1 ? "," : "") "{\"severity\":\"" severity "\",\"category\":\"logic\"," \
          "\"file\":\"" file "\",\"line\":" line ",\"description\":\"" $0 "\"," \
          "\"evidence\":\"\",\"suggestion\":\"mend it\"}" }
    END { printf "{\"issues\":[%s],\"summary\":{\"critical\":%d,\"warning\":%d,\"info\":%d," \
          "\"verdict\":\"%s\"}}\n", text, count["critical"], count["warning"], count["info"], \
          NR ? "issues_found" : "clean" }' "$found"
AGENT
cat >"$TMPDIR/fixer" <<'END'
fix=$SCENE/$HONE_ROUND.fix
[ ! -e "$fix" ] || bash -e "$fix" >&2 || exit 1
if [ -e "$SCENE/says" ]; then cat "$SCENE/says"; else echo "looked at a.c, b.c, a.h and b.h"; fi
END

# scene NAME: a repository with some files of 60 lines, and an empty scene.
scene()
{
    new_repo "$TMPDIR/$1" || exit 1
    for file in a.c b.c a.h; do seq 1 60 | sed "s/^/line of $file /" >"$file"; done
    git add . && git commit -q -m files
    echo "int change;" >>a.c
    export SCENE=$TMPDIR/$1.scene
    mkdir -p "$SCENE"
}

# play POLICY: runs it, two eyes in turn.
play()
{
    "$HONE" run review --until "$1" --agent "*=cmd:bash $TMPDIR/eye" --require-proof \
        --agent "review-fixer=cmd:bash $TMPDIR/fixer" --eyes "cmd:SECOND=1 bash $TMPDIR/eye" \
        --json >"$TMPDIR/run.json" 2>"$TMPDIR/run.err"
    status=$?
    reason=$("$HONE" status --json | "$SUPPORT/is_json" whole reason)
}

ends() # NAME REASON EXIT
{
    check_is "$1: the end" "$reason" "$2"
    check_is "$1: exit" "$status" "$3"
}

# states: each finding's state and place, in one line.
states()
{
    "$HONE" findings --json >"$TMPDIR/found.json"
    "$SUPPORT/is_json" whole findings <"$TMPDIR/found.json" >/dev/null
    awk -F'"' '/^      "file"/ { file = $4 } /^      "line"/ { gsub(/[^0-9]/, ""); line = $0 }
        /^      "state"/ { printf "%s %s:%s;", $4, file, line }' "$TMPDIR/found.json"
}

voters() # how many roles have a vote
{
    "$HONE" findings --json | grep -c '^          "role"'
}

# ---- one fault, five wordings ----

scene wordings
echo "critical a.c 20 the result of malloc is not checked and may be NULL" >"$SCENE/1.critic"
echo "warning a.c 21 malloc can fail, its result is never checked" >"$SCENE/1.pedant"
echo "critical a.c 20 unchecked malloc result: NULL is used when it fails" >"$SCENE/1.witness"
echo "critical a.c 20 NULL result of malloc is used without a check" >"$SCENE/1.security-reviewer"
echo "warning a.c 20 a failed malloc goes unnoticed: result not checked" \
    >"$SCENE/1.silent-failure-hunter"
echo "sed -i '20s/.*/checked/' a.c" >"$SCENE/1.fix"
play settled
ends "five wordings" converged 0
check_is "five wordings: one fault" "$(states)" "fixed a.c:20;"
check_is "five wordings: five votes" "$(voters)" 5

# ---- the same, round after round, in other words, and each repair misses it ----

scene again
echo "critical a.c 20 the result of malloc is not checked and may be NULL" >"$SCENE/1.critic"
echo "critical a.c 20 malloc can fail, its result is never checked" >"$SCENE/2.pedant"
echo "critical a.c 20 unchecked malloc result: NULL is used when it fails" >"$SCENE/3.checker"
echo "critical a.c 20 NULL result of malloc is used without a check" >"$SCENE/4.checker"
echo "critical a.c 20 a failed malloc goes unnoticed: result not checked" >"$SCENE/5.checker"
for round in 1 2 3 4; do echo "sed -i '20s/.*/try $round/' a.c" >"$SCENE/$round.fix"; done
play settled
ends "again and again" stuck 1
check_is "again and again: one fault, and no repair is tried any more" "$(states)" "parked a.c:20;"

# ---- two faults one line apart ----

scene neighbours
{
    echo "warning a.c 20 the loop runs one element too far"
    echo "warning a.c 21 the file is never closed after reading"
} >"$SCENE/1.critic"
echo "sed -i '20,21s/.*/mended/' a.c" >"$SCENE/1.fix"
play settled
ends "one line apart" converged 0
check_is "one line apart: they are two" "$(states)" "fixed a.c:20;fixed a.c:21;"

# ---- a file renamed and edited ----

scene renamed
echo "warning b.c 20 the size is computed as int and can overflow" >"$SCENE/1.critic"
echo "mv b.c c.c; sed -i '1i one\\ntwo\\nthree' c.c; sed -i '23s/.*/try/' c.c" >"$SCENE/1.fix"
echo "warning c.c 23 int overflow when the size is computed" >"$SCENE/2.pedant"
echo "sed -i '23s/.*/mended/' c.c" >"$SCENE/2.fix"
play settled
ends "renamed" converged 0
check_is "renamed: it is the same" "$(states)" "fixed c.c:23;"

# ---- from a header to its copy ----

scene copied
echo "warning a.h 20 the macro evaluates its argument twice" >"$SCENE/1.critic"
echo "cp a.h b.h; sed -i '20s/.*/mended/' a.h" >"$SCENE/1.fix"
echo "warning b.h 20 the macro evaluates its argument twice" >"$SCENE/2.critic"
echo "sed -i '20s/.*/mended/' b.h" >"$SCENE/2.fix"
play settled
ends "to a copy" converged 0
check_is "to a copy: it is another, and the repair brought it" "$(states)" \
    "fixed a.h:20;fixed b.h:20;"
check_is "to a copy: by the repair of round 1" \
    "$("$HONE" findings --json --file b.h | grep -A1 '"cause": {' | tr -d ' \n')" \
    '"cause":{"round":1'

# ---- A, B, A, B ----

scene seesaw
echo "warning a.c 20 the lock is held while the callback runs" >"$SCENE/1.critic"
echo "warning a.c 22 the counter is read without protection" >"$SCENE/2.critic"
echo "warning a.c 20 the lock is held while the callback runs" >"$SCENE/3.checker"
echo "warning a.c 22 the counter is read without protection" >"$SCENE/4.checker"
for round in 1 2 3 4; do echo "sed -i '20,22s/.*/side $round/' a.c" >"$SCENE/$round.fix"; done
play settled
ends "A, B, A, B" oscillating 1
check_has "A, B, A, B: the place is named" "$TMPDIR/run.json" "a.c:2"

# ---- each repair adds one ----

scene adding
words=(alpha "bravo charlie" "delta echo" "foxtrot golf" "hotel india" "juliett kilo" "lima mike")
for round in 1 2 3 4 5 6; do
    line=$((round * 10000))
    echo "warning a.c $((round * 100)) ${words[round]} is wrong there" >"$SCENE/$round.any"
    echo "seq $line $((line + 99)) >>a.c; sed -i '$((round * 100))s/.*/mended/' a.c" \
        >"$SCENE/$round.fix"
done
seq 1 100 >>a.c
play clean
ends "each repair adds one" diverging 1

# ---- always one new thing ----

scene always
for round in 1 2 3 4 5 6; do
    echo "warning f$round.c 5 ${words[round]} is wrong there" >"$SCENE/$round.any"
    seq 1 20 >"f$round.c"
    echo "sed -i '5s/.*/mended/' f$round.c" >"$SCENE/$round.fix"
done
play settled
ends "always one new thing" bound 1
check_is "always one new thing: five reviews" \
    "$(grep -c '"event":"round"' "$TMPDIR/run.json")" 5

scene small
for round in 1 2 3 4 5 6; do
    echo "info f$round.c 5 ${words[round]} is wrong there" >"$SCENE/$round.any"
    seq 1 20 >"f$round.c"
    echo "sed -i '5s/.*/mended/' f$round.c" >"$SCENE/$round.fix"
done
play settled
ends "always one small thing" converged 0
check_is "always one small thing: the last is noted" "$(states)" \
    "noted f3.c:5;fixed f1.c:5;fixed f2.c:5;"
"$HONE" findings --format table | tr -s '\n ' '  ' >"$TMPDIR/table"
check_has "always one small thing: why is said" "$TMPDIR/table" "noted: too small to fail"
check_has "always one small thing: and counted" "$TMPDIR/table" "0 open, 1 noted, 2 fixed"

scene declined
echo "warning a.c 20 the result of malloc is not checked" >"$SCENE/1.critic"
echo "sed -i '60s/.*/mended/' a.c" >"$SCENE/1.fix"
seq 1 100 >>a.c
play settled
ends "declined with a reason" converged 0
check_is "declined with a reason: noted" "$(states)" "noted a.c:20;"
"$HONE" findings --format table | tr -s '\n ' '  ' >"$TMPDIR/table"
check_has "declined with a reason: which is not said to be small" "$TMPDIR/table" \
    "noted: the fixer gave a reason to leave it"

# ---- never anything ----

scene nothing
play settled
ends "never anything" converged 0
check_is "never anything: one look" "$(grep -c '"event":"round"' "$TMPDIR/run.json")" 1

# ---- nothing changes, whatever is found ----

scene idle
echo "critical a.c 20 the result of malloc is not checked" >"$SCENE/1.critic"
play settled
ends "a fixer that only declines" stuck 1
check_is "a fixer that only declines: it waits for a person" "$(states)" "parked a.c:20;"

# ---- said to be fixed, and nothing changed near it; reported once, and never again ----

scene said
echo "warning a.c 20 the result of malloc is not checked" >"$SCENE/1.critic"
for round in 1 2 3; do echo "sed -i '60s/.*/elsewhere $round/' a.c" >"$SCENE/$round.fix"; done
printf '## Issues Fixed\n\n- [warning] a.c:20 -- malloc: added a check\n' >"$SCENE/says"
play settled
ends "said to be fixed" stuck 1
check_is "said to be fixed: it is open" "$(states)" "parked a.c:20;"
check_has "said to be fixed: and said so" "$TMPDIR/found.json" '"unresolved": "untouched"'
check_not "said to be fixed: that is no reason" grep -q '"declined"' "$TMPDIR/found.json"

scene reasoned
echo "warning a.c 20 the result of malloc is not checked" >"$SCENE/1.critic"
echo "sed -i '60s/.*/elsewhere/' a.c" >"$SCENE/1.fix"
printf '## Could Not Fix\n\n- [warning] a.c:20 -- malloc: the caller checks\n' >"$SCENE/says"
play settled
ends "left with a reason" converged 0
check_is "left with a reason: it is noted" "$(states)" "noted a.c:20;"

# ---- one backend under two roles ----

scene two_roles
echo "warning a.c 20 the result of malloc is not checked" >"$SCENE/1.critic"
echo "warning a.c 20 malloc is called and its result not checked" >"$SCENE/1.witness"
echo "sed -i '20s/.*/mended/' a.c" >"$SCENE/1.fix"
play settled
ends "one backend under two roles" converged 0
check_is "one backend under two roles: two votes" "$(voters)" 2
check_is "one backend under two roles: of one backend" \
    "$("$HONE" findings --json | grep '^          "by"' | sort -u | wc -l)" 1

# ---- a waiver whose code changed, and one that has expired ----

scene waivers
echo "critical a.c 20 the result of malloc is not checked" >"$SCENE/always"
play settled
ends "what no repair resolves" stuck 1
"$HONE" waive "$("$HONE" findings --json | sed -n 's/^ *"id": "\(.*\)",$/\1/p')" \
    --reason "the program ends then" --grave >/dev/null 2>&1
check_is "waived" $? 0
play settled
ends "waived" converged 0
check_is "waived: and said so" "$(states)" "waived a.c:20;"
sed -i '19,21s/$/ changed/' a.c
play settled
ends "a waiver whose code changed" stuck 1
git checkout -q a.c
echo "int change;" >>a.c
play settled
ends "its code is as it was" converged 0
# Committed: what a change brings along does not count, whatever its day is.
for until in 2999-01-31 2020-01-31; do
    sed -i -e '/^  until: /d' -e "s/^\(- id: .*\)$/\1\n  until: $until/" .hone/waivers.yaml
    git add .hone && git commit -q -m "until $until"
    play settled
    case $until in
    2999*) ends "a waiver that has not expired" converged 0 ;;
    *) ends "a waiver that has expired" stuck 1 ;;
    esac
done

exit "$failed"
