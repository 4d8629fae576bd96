#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A new dialect, backend, analyzer or verb is one row of a table and one file; the analyzer's file
# says its language, too, which may be a new one. An analyzer that writes what another one writes is
# one row alone. A copy of the tree gets one of each, is built, and each of them is used. The copy
# has the objects of the build, so that only what the five rows concern is compiled again.
. "${TOP:?}/tests/support/story.sh"

build=${HONE%/*}
copy=$TMPDIR/copy

# add_row LIST NAME: a row at the end of the first list of a file.
add_row()
{
    awk -v name="$2" '
        /^    ROW\(/ && !/\\$/ && !done++ { print $0 " \\"; print "    ROW(" name ")"; next }
        { print }' "$1" >"$1.new"
    mv "$1.new" "$1"
}

mkdir -p "$copy/build/obj"
cp -a "$TOP/Makefile" "$TOP/packaging" "$TOP/src" "$TOP/prompts" "$TOP/loops" "$TOP/tools" "$copy"
cp -a "$build/flags" "$build/list" "$build/gen" "$build/tools" "$build"/lib*.a "$copy/build"
cp -a "$build/obj/src" "$build/obj/gen" "$build/obj/tools" "$copy/build/obj"
cd "$copy" || exit 1
git init -q . && printf '/build/\n' >.gitignore && git add -A && git commit -q -m 'the tree'

cp "$TOP/tests/additions/duet.c" src/dialect/duet.c
cp "$TOP/tests/additions/parrot.c" src/agent/parrot.c
cp "$TOP/tests/additions/mutter.c" src/analyze/mutter.c
cp "$TOP/tests/additions/greet.c" src/cmd/greet.c
add_row src/dialect/dialects.h duet
add_row src/agent/backends.h parrot
add_row src/analyze/analyzers.h mutter
add_row src/cmd/verbs.h greet
sed -i '/^    { .name = NULL },/i\
    { .name = "murmur", .program = "murmur", .package = "murmur", .batch = 8,\
      .languages = LANGUAGES(\&python), .words = LIST("murmur", "{files}"),\
      .status = STATUS_FINDINGS, .lines = \&line_form_gcc },' src/analyze/tools.c
git add -A
check_is "four files are new" "$(git diff --cached --name-only --diff-filter=A | wc -l)" 4
check_is "a row each in four lists, and nothing else" \
    "$(git diff --cached --diff-filter=M -U0 | grep -c '^+    ROW([a-z]*)$')
$(git diff --cached --name-only --diff-filter=M | grep -vcx src/analyze/tools.c)
$(git diff --cached --numstat -- src/analyze/tools.c | tr '\t' ' ')" '4
4
3 0 src/analyze/tools.c'

make QUIET=1 >make.log 2>&1
check_is "it is built" "$?" 0
sed 's/^/    /' make.log
hone=$copy/build/hone
[ -x "$hone" ] || exit 1
tools/lint layers rooms dialects purity names calls man >lint.log 2>&1
check_is "lint has nothing to say" "$?" 0
sed 's/^/    /' lint.log

# The verb.
check_is "the verb answers" "$("$hone" greet Ann)" 'hello, Ann'
"$hone" --help >"$TMPDIR/help.txt"
check_has "the verb stands in hone --help" "$TMPDIR/help.txt" 'say hello'
check "the verb has a manual page" test -s build/man/hone-greet.1

# The dialect, by a script; and its words in the help, in hone.json and for models.
new_repo "$TMPDIR/repo"
"$hone" run --help >"$TMPDIR/help.txt"
check_has "the dialect stands in the help" "$TMPDIR/help.txt" 'one listens and one speaks'
check_has "so does its option" "$TMPDIR/help.txt" 'at most N reviews; 3 by default'
check_has "so does the backend" "$TMPDIR/help.txt" 'parrot:WORDS'
check_has "so does the analyzer" "$TMPDIR/help.txt" 'secrets, mutter'
check_has "so does the analyzer that is a row alone" "$TMPDIR/help.txt" 'or murmur'
"$hone" config set dialects.duet.legs 2 >"$TMPDIR/set.txt" 2>&1
check_is "its option is a key of hone.json" "$("$hone" config get dialects.duet.legs)" 2
"$hone" config set dialects.duet.agents.listner script:x >"$TMPDIR/set.txt" 2>&1
check_has "its roles are known there" "$TMPDIR/set.txt" \
    "did you mean 'dialects.duet.agents.listener'?"
git add -A && git commit -q -m settings
cat >"$TMPDIR/play.jsonl" <<'EOF'
{"role":"listener","round":1,"answer":"it is too quiet"}
{"role":"speaker","answer":"louder now"}
{"role":"listener","round":2,"answer":"clean"}
EOF
"$hone" run duet --agent "*=script:$TMPDIR/play.jsonl" 'say it' >"$TMPDIR/run.txt" 2>&1
check_is "a run of the dialect comes to its end" "$?" 0
cat "$TMPDIR/run.txt"
check_has "with a finding that was repaired" "$TMPDIR/run.txt" 'found 1, fixed 1, left 0'
"$hone" status >"$TMPDIR/status.txt" 2>&1
check_has "hone status knows it" "$TMPDIR/status.txt" duet

# The backend plays a role.
"$hone" run duet --agent 'listener=parrot:clean' --agent 'speaker=cmd:false' 'say it' \
    >"$TMPDIR/run.txt" 2>&1
check_is "the backend plays a role" "$?" 0
cat "$TMPDIR/run.txt"

# The analyzer reports a finding.
mkdir -p "$TMPDIR/bin"
cat >"$TMPDIR/bin/mutter" <<'EOF'
#!/bin/sh
printf '{"comments":[{"file":"%s","line":2,"endLine":2,"column":1,"endColumn":2,' "$1"
printf '"level":"warning","code":7,"message":"too quiet"}]}\n'
exit 1
EOF
chmod +x "$TMPDIR/bin/mutter"
printf 'a rose\nis a rose\n' >hello.verse
mv hone.json "$TMPDIR"
"$hone" init --yes >"$TMPDIR/init.txt" 2>&1
mv "$TMPDIR/hone.json" .
check_has "the analyzer's language is known: hone init counts it" "$TMPDIR/init.txt" \
    'verse (1 file)'
check_has "and says which analyzer reads it and is not installed" "$TMPDIR/init.txt" \
    'mutter (verse)'
PATH=$TMPDIR/bin:$PATH "$hone" run review --all --max-iterations 1 \
    --agent 'critic=analyzer:mutter' --agent '*=analyzer:none' \
    --agent review-fixer=cmd:false >"$TMPDIR/run.txt" 2>&1
cat "$TMPDIR/run.txt"
"$hone" findings >"$TMPDIR/findings.txt" 2>&1
check_has "the analyzer reports a finding" "$TMPDIR/findings.txt" 'too quiet'
check_has "where it is" "$TMPDIR/findings.txt" 'hello.verse:2'

# The one that is a row alone, too.
cat >"$TMPDIR/bin/murmur" <<'EOF'
#!/bin/sh
for file; do echo "$file:1:1: warning: too low [soft]"; done
exit 1
EOF
chmod +x "$TMPDIR/bin/murmur"
printf 'print(1)\n' >song.py
PATH=$TMPDIR/bin:$PATH "$hone" run review --all --max-iterations 1 \
    --agent 'critic=analyzer:murmur' --agent '*=analyzer:none' \
    --agent review-fixer=cmd:false >"$TMPDIR/run.txt" 2>&1
"$hone" findings >"$TMPDIR/findings.txt" 2>&1
check_has "an analyzer that is one row reports a finding" "$TMPDIR/findings.txt" 'song.py:1'
check_has "in its words" "$TMPDIR/findings.txt" 'too low'

exit "$failed"
