#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# hone export: what was found in a run, in several forms at once, to files that are there whole or
# as they were; and no form in which a run that could not look reads as clean. What is in each form
# is judged in tests/validate.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/verb.sh"

lacks()
{
    ! grep -qF -- "$2" "$1"
}

new_repo "$TMPDIR/repo"
refused "no runs yet" "no runs" export --format sarif

# ---- a run: one thing is mended, one has a fix, one is about nothing in the tree ----

git remote add origin https://ada:secret@git.example.org/o/r.git
issue='{"severity":"critical","category":null,"file":"../away.c","line":3,"description":"far away",'
issue+='"evidence":"seen","suggestion":"mend it"}'
count='"summary":{"critical":1,"warning":0,"info":0,"verdict":"issues_found"}'
printf '{"role":"pedant","answer":{"issues":[%s],%s}}\n{"answer":%s}\n' "$issue" "$count" "$clean" \
    >"$TMPDIR/agents.jsonl"
fix='{"artifactChanges":[{"artifactLocation":{"uri":"main.c"},"replacements":[{"deletedRegion":'
fix+='{"startLine":3,"startColumn":12,"endLine":3,"endColumn":13},'
fix+='"insertedContent":{"text":"1"}}]}]}'
printf '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[%s]}]}' \
    '{"ruleId":"no-zero","level":"error","message":{"text":"returns 0"},"locations":[
      {"physicalLocation":{"artifactLocation":{"uri":"main.c"},"region":{"startLine":3}}}],
      "fixes":['"$fix"']}' >"$TMPDIR/tool.sarif"
"$HONE" run review --quiet --max-iterations 2 --agent "*=script:$TMPDIR/agents.jsonl" \
    --agent "witness=$reviewer" --agent "critic=sarif:cat '$TMPDIR/tool.sarif'" \
    --agent 'review-fixer=cmd:sed -i /defect/d notes.txt; echo "# Fixed"' >"$TMPDIR/run" 2>&1
check_is "findings remain" "$?" 1
run=$("$HONE" status --json | "$SUPPORT/is_json" whole run)

# ---- several at once ----

hone export "${run:0:4}" --format sarif="$TMPDIR/a.sarif" --format junit="$TMPDIR/a.xml" \
    --format gitlab="$TMPDIR/a.json" --format text
check_is "several: exit" "$status" 0
check_is "several: nothing on stderr" "$(cat "$err")" ""
check_has "several: one to standard output" "$out" \
    "main.c:3: error: unresolved: returns 0 [t/no-zero]"
check_has "several: SARIF" "$TMPDIR/a.sarif" '"version": "2.1.0"'
check "several: hone reads it" "$HONE" check sarif --quiet "$TMPDIR/a.sarif"
check_has "several: JUnit" "$TMPDIR/a.xml" '<testsuites name="hone"'
check_has "several: code quality" "$TMPDIR/a.json" '"fingerprint"'
mkdir -p below
(cd below && "$HONE" export --format checkstyle=../c.xml)
check_has "a path is from where you are" c.xml '<checkstyle version="4.3">'
rm -r c.xml below
check_is "a file is readable as others are" "$(stat -c %a "$TMPDIR/a.sarif")" \
    "$(touch "$TMPDIR/plain" && stat -c %a "$TMPDIR/plain")"

refused "no form" "say in which form" export
refused "no such form" "did you mean 'junit'?" export --format junti
refused "no file behind the =" "names no file" export --format sarif=
refused "two to standard output" "only one form" export --format sarif --format json
refused "two to one file" "two forms" export --format sarif="$TMPDIR/x" --format "json=$TMPDIR/./x"
refused "no such run" "no run begins with" export zzz --format sarif
refused "no such state" "noted, waived, fixed and all" export --format sarif --state closed
check "what is refused writes nothing" test ! -e "$TMPDIR/x"
hone export --format text --severity high --file main.c
check_is "filters" "$(wc -l <"$out")" 1

# ---- what each has, where nothing is said ----

for form in rdjson checkstyle gitlab github; do
    hone export --format $form
    check "$form: what is fixed is not there" lacks "$out" "a defect is left"
    check_has "$form: what is open is" "$out" "returns 0"
    check_has "$form: what is about no file names it" "$out" "../away.c:3: far away"
done
for form in junit github-summary markdown; do
    hone export --format $form
    check_has "$form: has what is fixed" "$out" "a defect is left"
done

# ---- what mends them ----

hone export --format rdjson
check_has "a fix that fits is a suggestion" "$out" '"suggestions"'
check_has "with its text" "$out" '"text": "1"'
hone export --format sarif --state all
check_has "what the repair did is told" "$out" "What the fix of round 1 did here"
check_has "by lines" "$out" '"endLine": 3'
check_has "the repository is told" "$out" '"repositoryUri": "https://git.example.org/o/r.git"'
check "without who may read it" lacks "$out" secret
check_has "and the commit" "$out" "\"revisionId\": \"$(git rev-parse HEAD)\""
printf '// a line\n' >"$TMPDIR/main" && cat main.c >>"$TMPDIR/main" && cp "$TMPDIR/main" main.c
hone export --format rdjson
check "a fix that fits no more is none" lacks "$out" '"suggestions"'
git checkout -q main.c
rm -f .git/hone/runs/"$run"/tree-*
hone export --format sarif --state all
check_is "trees that are gone: exit" "$status" 0
check "and nothing is made up" lacks "$out" "did here"
check "likewise of the commit" lacks "$out" revisionId

# ---- files ----

echo before >"$TMPDIR/kept"
hone export --format "sarif=$TMPDIR/none/x" --format "text=$TMPDIR/other"
check_is "no folder: exit" "$status" 2
check_has "no folder: named" "$err" "$TMPDIR/none: there is no such folder"
check "the others are written" test -s "$TMPDIR/other"
mkfifo "$TMPDIR/pipe"
refused "a pipe is not replaced" "is no regular file" export --format "sarif=$TMPDIR/pipe"
check "it is one still" test -p "$TMPDIR/pipe"
refused "nor a device" "is no regular file" export --format sarif=/dev/full
check "it is one still" test -c /dev/full
ln -s /proc/self/fd/1 "$TMPDIR/stdout"
"$HONE" export --format sarif="$TMPDIR/stdout" 2>"$err" | cat >"$out"
check_has "nor a link to a pipe, as /dev/stdout is one" "$err" "is no regular file"
check "it is a link still" test -L "$TMPDIR/stdout"
refused "nor a folder" "is no regular file" export --format "sarif=$TMPDIR"
ln -s kept "$TMPDIR/link"
hone export --format "text=$TMPDIR/link"
check "a link stays one" test -L "$TMPDIR/link"
check_has "and its file is written" "$TMPDIR/kept" "returns 0"
"$HONE" export --format sarif >/dev/full 2>"$err"
check_is "standard output is full: exit" "$?" 3
check_has "standard output is full: said" "$err" "No space left"
for _ in 1 2 3 4; do
    "$HONE" export --format "sarif=$TMPDIR/both" --state all 2>>"$TMPDIR/both.err" &
done
wait
check "four at once" "$HONE" check sarif --quiet "$TMPDIR/both"
check "none of them complains" test ! -s "$TMPDIR/both.err"
if [ "$(id -u)" != 0 ]; then
    mkdir -m 555 "$TMPDIR/closed"
    hone export --format "json=$TMPDIR/closed/x"
    check_is "a folder that is not written to: exit" "$status" 3
    check_has "a folder that is not written to: said" "$err" "Permission denied"
else
    mkdir "$TMPDIR/small" && mount -t tmpfs -o size=16k tmpfs "$TMPDIR/small" 2>"$TMPDIR/said" && {
        echo before >"$TMPDIR/small/kept"
        head -c 12000 /dev/zero >"$TMPDIR/small/fill"
        hone export --format "json=$TMPDIR/small/kept" --state all
        check_is "a small disk: exit" "$status" 3
        check_has "a small disk: said" "$err" "No space left"
        check_is "a small disk: the file is as it was" "$(cat "$TMPDIR/small/kept")" before
        check_is "a small disk: nothing else is left" "$(find "$TMPDIR/small" -type f | wc -l)" 2
        mount -o remount,ro "$TMPDIR/small"
        hone export --format "json=$TMPDIR/small/kept"
        check_is "a disk that is not written to: exit" "$status" 3
        check_has "a disk that is not written to: said" "$err" "Read-only file system"
        umount "$TMPDIR/small"
    }
fi

# ---- ends that are not clean ----

# unclean NAME WORDS: the newest run; every form says so.
unclean()
{
    local name=$1 words=$2 form
    for form in text json sarif rdjson junit checkstyle gitlab github github-summary markdown; do
        hone export --format $form
        check_is "$name: $form: exit" "$status" 0
        check_has "$name: $form says so" "$out" "$words"
    done
    hone export --format sarif
    check_has "$name: SARIF was no success" "$out" '"executionSuccessful": false'
    hone export --format junit
    check_not "$name: JUnit has an error" grep -q 'errors="0">' "$out"
}

printf '{"answer":%s}\n' "$clean" >"$TMPDIR/clean.jsonl"
"$HONE" run review --quiet --agent "*=script:$TMPDIR/clean.jsonl" --agent "witness=cmd:exit 1" \
    >"$TMPDIR/run" 2>&1
check_is "a dead reviewer: exit" "$?" 3
unclean "a dead reviewer" "failed: an agent could not run"
"$HONE" run review --quiet --agent '*=analyzer:none' --agent critic=analyzer:shellcheck \
    --agent review-fixer=fixits >"$TMPDIR/run" 2>&1
unclean "nothing was looked at" "not reviewed: no reviewer looked at anything"

mkfifo "$TMPDIR/go"
"$HONE" run review --quiet --agent "*=script:$TMPDIR/clean.jsonl" \
    --agent "critic=cmd:echo >'$TMPDIR/go'; sleep 1000" >"$TMPDIR/run" 2>&1 &
hone_pid=$!
read -r _ <"$TMPDIR/go"
unclean "at work" "running"
kill -9 $hone_pid
wait $hone_pid 2>"$TMPDIR/said"
for _ in $(seq 600); do # its agents are ended first
    "$HONE" status | grep -q crashed && break
    sleep 0.05
done
unclean "killed" "was interrupted (crashed)"

"$HONE" run review --quiet --agent "*=script:$TMPDIR/clean.jsonl" >"$TMPDIR/run" 2>&1
check_is "a clean run: exit" "$?" 0
hone export --format gitlab
check_is "clean: nothing for GitLab" "$(cat "$out")" "[]"
hone export --format github
check_is "clean: no annotation" "$(cat "$out")" ""
hone export --format junit
check "clean: no error" grep -q 'failures="0" errors="0">' "$out"
hone export --format markdown
check_is "clean: said" "$(cat "$out")" "### hone: no findings"
exit "$failed"
