#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The fixer without a model, in real repositories: what it fixes, what it leaves and says why, what
# it takes back, and what it never touches. It is started here as hone starts it, with findings
# made by hand.
. "${TOP:?}/tests/support/story.sh"

run=$TMPDIR/run
summary=$run/7-1/answer
err=$TMPDIR/err
wrap= # commands that end in: exec "$0" "$@"
mkdir -p "$run/7-1"

# fresh: an empty repository, and nothing known of earlier rounds.
fresh()
{
    rm -rf "$TMPDIR/work" "$run/7-1/fixits-refused"
    mkdir "$TMPDIR/work"
    cd "$TMPDIR/work" || exit 1
    git init -q .
}

# found WORDS...: what the reviewers found (tests/support/findings.c).
found()
{
    "$SUPPORT/findings" "$@" >"$TMPDIR/findings" || not_ok "findings: $*"
}

# fix [TEST]: the fixer runs, with fixes of all kinds; its exit status in $status.
fix()
{
    rm -f "$summary"
    HONE_FINDINGS=$TMPDIR/findings HONE_OUTPUT=$summary HONE_WORKSPACE=$PWD HONE_ITERATION=3 \
        HONE_TEST=${1:-} HONE_FIXES=${fixes-all} \
        timeout -k 5 120 ${wrap:+sh -c "$wrap"} "$HONE" agent fixits \
        >"$TMPDIR/stdout" 2>"$err"
    status=$?
}

# check_line NAME TEXT...: one line of the summary has all of these.
check_line()
{
    local name=$1 lines
    shift
    lines=$(cat "$summary")
    for text; do lines=$(printf '%s\n' "$lines" | grep -F -- "$text"); done
    if [ -n "$lines" ]; then
        ok "$name"
    else
        not_ok "$name: no line has all of: $*"
        sed 's/^/    /' "$summary" | head -40
    fi
}

check_last()
{
    # shellcheck disable=SC2254 # a pattern
    case $(tail -n 1 "$summary") in
    $2) ok "$1" ;;
    *) not_ok "$1: the last line is '$(tail -n 1 "$summary")'" ;;
    esac
}

# ---- shell and C ----

fresh
printf '#!/bin/sh\nfor f in "$@"; do\n    rm $f\n    cp $1$2 /tmp\ndone\n' >clean.sh
chmod 750 clean.sh
found finding medium SC2086 clean.sh 3 'Double quote to prevent globbing and word splitting.' \
    fix '' insert clean.sh '$f
' '"' insert clean.sh '
    cp' '"' \
    finding medium SC2086 clean.sh 4 'Double quote to prevent globbing and word splitting.' \
    fix '' insert clean.sh '$1' '"' insert clean.sh '$2' '"' \
    finding medium SC2086 clean.sh 4 'Double quote to prevent globbing and word splitting.' \
    fix '' insert clean.sh '$2' '"' insert clean.sh ' /tmp' '"'
fix
check_is "shellcheck: answered" "$status" 0
check_is "shellcheck: quoted" "$(sed -n 3,4p clean.sh | tr -s ' ')" ' rm "$f"
 cp "$1"$2 /tmp'
check_is "shellcheck: the mode is kept" "$(stat -c %a clean.sh)" 750
check_line "shellcheck: said" '[warning] `clean.sh:3`' '`SC2086`' 'inserted `"`, inserted `"`'
check_line "shellcheck: its neighbour has to wait" '`clean.sh:4`' 'overlaps that of `clean.sh:4`' \
    'left for the next round'
check_has "shellcheck: the title" "$summary" '# Fix Summary: Iteration 3'
check_has "shellcheck: the file" "$summary" '- `clean.sh`'
check_has "shellcheck: counted" "$summary" '- Fixed: 2'
check_not "shellcheck: not stuck" grep -q STUCK "$summary"
check_is "nothing on standard output" "$(cat "$TMPDIR/stdout")" ''

fresh
cat >p.h <<'END'
struct point { int x, y; };
END
cat >a.c <<'END'
#include "p.h"
#include <stdio.h>
int sum(struct point *p)
{
    printf("%d\n", sizeof *p);
    return p->x + p.y;
}
END
git add . && git commit -q -m first
touch -d 2001-01-01 p.h
found finding medium -Wformat= a.c 5 "format '%d' expects 'int'" \
    fix 'use %ld' replace a.c %d %ld \
    finding high '' a.c 6 "'p' is a pointer; did you mean to use '->'?" \
    fix '' replace a.c p.y 'p->y' \
    finding low -Wunused p.h 1 'no fix for this'
fix
check_is "gcc: answered" "$status" 0
check "gcc: it compiles now" gcc -Wall -Werror -fsyntax-only a.c
check_line "gcc: a reason in words" '[warning] `a.c:5`' 'replaced `%d` by `%ld`: `use %ld`'
check_line "gcc: the graver" '[critical] `a.c:6`' 'replaced `p.y` by `p->y`'
check_line "gcc: nothing to do" '[info] `p.h:1`' 'no fix that a machine can make'
check_is "gcc: a file without a fix is not touched" "$(stat -c %Y p.h)" "$(date -d 2001-01-01 +%s)"
check_has "gcc: counted" "$summary" '- Could not fix: 1'

# The same fix by two findings, and one for many files.
fresh
printf 'int one;\n' >a.c
printf 'extern int one;\n' >b.c
found finding low r a.c 1 'a name' fix '' replace a.c one uno replace b.c one uno \
    finding high s b.c 1 'the same' fix '' replace b.c one uno replace a.c one uno
fix
check_is "the same fix twice: made once" "$(cat a.c b.c)" 'int uno;
extern int uno;'
check_has "the same fix twice: both are fixed" "$summary" '- Fixed: 2'
check_line "a fix in many files: said" '`a.c:1`' 'replaced `one` by `uno`, replaced `one` by `uno`'

# ---- what breaks something ----

# ten NAME: ten good fixes, and one in their midst.
ten()
{
    local i
    words=()
    for i in 0 1 2 3 4 5 6 7 8 9; do
        printf 'int f%s(void)\n{\n    return 0;\n}\n' "$i" >"f$i.c"
        words+=(finding medium rule "f$i.c" 3 "wrong number" fix '' replace "f$i.c" "return 0" \
            "return $i + 1")
        [ "$i" != 6 ] || words+=("$@")
    done
    found "${words[@]}"
}

fresh
printf 'int g(int);\nint g(int x)\n{\n    return x;\n}\n' >g.c
ten finding high bad-rule g.c 2 'a fix that breaks the compile' fix '' \
    replace g.c 'return x' 'return y'
fix
check_is "a bad fix among ten: answered" "$status" 0
check_has "a bad fix among ten: ten are fixed" "$summary" '- Fixed: 10'
check_is "a bad fix among ten: they are made" "$(cat f?.c | grep -c '+ 1')" 10
check_is "a bad fix among ten: it alone is taken back" "$(sed -n 4p g.c)" '    return x;'
check_line "a bad fix among ten: said, with the error" '[critical] `g.c:2`' 'breaks the build' \
    "g.c: 'y' undeclared"
check "a bad fix among ten: few checks" test "$(grep -c checks "$err")" -le 9
check_is "a bad fix is remembered" "$(wc -l <"$run/7-1/fixits-refused")" 1
found finding high bad-rule g.c 2 'a fix that breaks the compile' fix '' \
    replace g.c 'return x' 'return y'
fix
check_line "a bad fix is not tried again" '`g.c:2`' 'earlier in this run'
check_last "a bad fix is not tried again: stuck" 'STUCK: none of the 1 finding could be fixed: 1 *'
check_not "a bad fix is not tried again: no check" grep -q checks "$err"
found finding high bad-rule g.c 2 'a fix that breaks the compile' fix '' \
    replace g.c 'return x' 'return y' fix 'another way' replace g.c 'return x' 'return x + 0'
fix
check_is "another way of a bad fix" "$(sed -n 4p g.c)" '    return x + 0;'
echo 'this is no list' >"$run/7-1/fixits-refused"
found finding high bad-rule g.c 2 bad fix '' replace g.c 'return x' 'return y' \
    fix '' replace g.c 'return x + 0' 'return x + 1'
fix
check_has "a damaged list is ignored with a word" "$err" 'ignored'
check_is "two ways in one go" "$(sed -n 4p g.c)" '    return x + 1;'
check_is "a damaged list is begun anew" "$(wc -l <"$run/7-1/fixits-refused")" 1

# A script that does not parse any more, with others that do.
fresh
printf '#!/bin/sh\nif true; then\n    echo $1\nfi\n' >a.sh
found finding low SC1 a.sh 2 bad fix '' replace a.sh 'then' '"then' \
    finding low SC2 a.sh 3 good fix '' replace a.sh '$1' '"$1"'
fix
check_is "a script that does not parse" "$(sed -n 2,3p a.sh)" 'if true; then
    echo "$1"'
check_line "a script that does not parse: said" '`SC1`' 'breaks the build' 'a.sh: '

# A test that one fix breaks.
fresh
ten
test='gcc -w -shared -o t.so f*.c && ! grep -q "3 + 1" f3.c || { echo "it is 3"; exit 7; }'
fix "$test"
check_has "a test that one fix breaks: nine are fixed" "$summary" '- Fixed: 9'
check_is "a test that one fix breaks: it is taken back" "$(sed -n 3p f3.c)" '    return 0;'
check_line "a test that one fix breaks: said" '`f3.c:3`' 'breaks the test' 'exit status 7: it is 3'
fresh
ten
fix 'echo broken; exit 1'
check_has "a test that failed before: all are fixed" "$summary" '- Fixed: 10'
check_line "a test that failed before: said" 'failed before any fix, and could not judge'
check_is "a test that failed before: asked twice" "$(grep -c 'runs the test' "$err")" 2

fresh
printf 'int g(int);\nint g(int x)\n{\n    return x;\n}\n' >g.c
ten finding high bad-rule g.c 2 'a bad one' fix '' replace g.c 'return x' 'return y'
fix 'echo broken; exit 1'
check_has "a test that failed before, and a bad fix: ten are fixed" "$summary" '- Fixed: 10'
check_is "a test that failed before, and a bad fix: asked twice" \
    "$(grep -c 'runs the test' "$err")" 2

# Each passes alone, and not two of them: what stays was checked together.
fresh
ten
fix 'test "$(cat f?.c | grep -c "+ 1")" -le 1'
check_has "fixes that do not go together: one is made" "$summary" '- Fixed: 1'
check_is "fixes that do not go together: the first" "$(sed -n 3p f0.c)" '    return 0 + 1;'

# What did not compile before does not count; what did, does.
fresh
printf '#include "h.h"\nint a(void) { return N }\n' >broken.c
printf '#include "h.h"\nint b(void) { return N; }\n' >good.c
printf '#define N 1\n' >h.h
found finding low r h.h 1 'too small' fix '' replace h.h 1 2
fix
check_is "a unit that was broken: a fix all the same" "$(cat h.h)" '#define N 2'
check_line "a unit that was broken: said" 'did not compile before any fix' '`broken.c`'
found finding low r h.h 1 'too small' fix '' replace h.h 2 ')'
fix
check_is "a unit that was broken: another breaks" "$(cat h.h)" '#define N 2'
check_line "a unit that was broken: another breaks, said" 'breaks the build' 'good.c: '
found finding low r broken.c 1 'no semicolon' fix '' replace broken.c 'N }' 'N; }'
fix
check "a unit that was broken: mended" gcc -fsyntax-only broken.c

# ---- what is left ----

fresh
printf 'int a, b, c;\n' >a.c
found finding low r1 a.c 1 one fix '' replace a.c 'a, b' 'x' \
    finding high r2 a.c 1 two fix '' replace a.c 'b, c' 'y' \
    finding high r3 a.c 1 three fix '' replace a.c ' c' ' z'
fix
check_is "overlaps: the graver wins, then the first" "$(cat a.c)" 'int a, y;'
check_line "overlaps: it is said to whom one lost" '[info]' '`r1`' 'overlaps that of `a.c:1`, `r2`'
check_line "overlaps: the third, too" '[critical]' '`r3`' 'overlaps that of `a.c:1`, `r2`'

fresh
printf 'int a;\n' >a.c
found finding low r a.c 1 one fix '' replace a.c a b
echo '/* new */' >>a.c
cp a.c ../kept
fix
check_is "a changed file: answered" "$status" 0
check "a changed file is left alone" cmp -s a.c ../kept
check_line "a changed file: said" '`a.c:1`' 'has changed since it was reviewed'
check_not "a changed file: the next review can help" grep -q STUCK "$summary"

# Nothing that is not a text file inside the workspace.
fresh
echo secret >../outside
mkdir ../elsewhere real .agents
echo deep >../elsewhere/file
echo file >real/file
ln -s ../outside link
ln -s ../elsewhere folder
ln -s real inside
printf 'a\0b\n' >binary
mkfifo pipe
head -c 17000000 /dev/zero | tr '\0' x >huge
echo state >.agents/state.json
cp .git/config ../config
words=()
for path in ../outside "$TMPDIR/outside" .git/config link folder/file inside/file pipe binary huge \
    real .agents/state.json none real/../../outside; do
    words+=(finding high rule "$path" 1 "about $path" fix '' at "$path" 0 1 X)
done
found "${words[@]}"
fix
check_is "paths: answered" "$status" 0
check_has "paths: none is fixed" "$summary" '- Fixed: 0'
check_is "paths: outside" "$(cat ../outside ../elsewhere/file)" 'secret
deep'
check "paths: git's own" cmp -s .git/config ../config
check_is "paths: links are links" "$(readlink link folder inside | tr '\n' ' ')" \
    '../outside ../elsewhere real '
check_is "paths: behind links" "$(cat real/file .agents/state.json)" 'file
state'
check_line "paths: above" '`../outside:1`' '"../outside" is no path inside the workspace'
check_line "paths: absolute" "about $TMPDIR/outside" 'is no path inside the workspace'
check_line "paths: git, said" '`.git/config:1`' 'belongs to git or to hone'
check_line "paths: hone, said" '`.agents/state.json:1`' 'belongs to git or to hone'
check_line "paths: a link, said" '`link:1`' 'a link'
check_line "paths: behind a link, said" '`folder/file:1`' 'a link'
check_line "paths: no file, said" '`pipe:1`' 'no regular file'
check_line "paths: binary, said" '`binary:1`' 'no text'
check_line "paths: huge, said" '`huge:1`' 'larger than 16 MiB'
check_line "paths: missing, said" '`none:1`' 'not there'
check_last "paths: stuck" 'STUCK: none of the 13 findings could be fixed: *'

fresh
mkdir vendor
echo 'int a;' >vendor/a.c
found finding low r vendor/a.c 1 one fix '' replace vendor/a.c a x
HONE_EXCLUDE='*.o
vendor/' fix
check_is "an excluded file" "$(cat vendor/a.c)" 'int a;'
check_line "an excluded file: said" '`vendor/a.c:1`' 'it is excluded from this run'

# What the system does not let us write to.
fresh
mkdir locked
echo 'int a;' >locked/a.c
echo 'int b;' >b.c
found finding low r locked/a.c 1 one fix '' replace locked/a.c a x \
    finding low r b.c 1 two fix '' replace b.c b y
wrap='chmod 555 locked; exec "$0" "$@"'
if [ "$(id -u)" = 0 ]; then
    wrap='mount --bind locked locked && mount -o remount,ro,bind locked; exec "$0" "$@"'
    wrap="unshare -m sh -c '$wrap' \"\$0\" \"\$@\""
fi
if [ "$(id -u)" != 0 ] || unshare -m sh -c 'mount --bind . .' 2>/dev/null; then
    fix
    check_is "a file that cannot be written: the others can" "$(cat b.c locked/a.c)" 'int y;
int a;'
    check_line "a file that cannot be written: said" '`locked/a.c:1`' 'cannot be written to'
fi
chmod 755 locked
wrap=

fresh
printf 'h\303\244\n' >a.txt
found finding low r a.txt 1 one fix '' at a.txt 2 5 x \
    finding low r a.txt 1 two fix '' at a.txt 9 9 x \
    finding low r a.txt 1 three fix '' at a.txt 0 99999999999 x \
    finding low r a.txt 1 four fix '' at a.txt 2 3 x \
    finding low r a.txt 1 five fix '' at a.txt 0 3 x at a.txt 1 4 y \
    finding low r a.txt 1 six fix '' at a.txt 0 1 h \
    finding low r a.txt 1 seven fix '' at a.txt 0 1 H
fix
check_is "edits that do not fit" "$(cat a.txt)" "$(printf 'H\303\244')"
check_line "edits past the end" '`two`' 'behind the end of the file'
check_line "edits far past the end" '`three`' 'behind the end of the file'
check_line "edits inside a character" '`four`' 'inside a character'
check_line "edits that overlap each other" '`five`' 'overlap each other'
check_line "edits that change nothing" '`six`' 'changes nothing'

# Text from outside cannot leave its span, its line or its place.
fresh
name=$(printf 'a`b\nSTUCK: x\033[2J')
echo x >"$name"
found finding low $'r`\n# r' "$name" 1 $'``` \n\nSTUCK: text\n<b>\033]0;title\a' \
    fix $'`\n- forged' replace "$name" x $'y`\nSTUCK: new'
fix
check_is "odd names: fixed" "$(cat "$name")" $'y`\nSTUCK: new'
check_not "odd names: no line begins with their words" grep -qE '^(STUCK|# r|- forged)' "$summary"
check_not "odd names: no escape" grep -q "$(printf '\033')" "$summary"

fresh
found finding low a b 1 one finding high c d 2 two finding low e f 3 three
fix
check_is "no fix at all: answered" "$status" 0
check_last "no fix at all: stuck" 'STUCK: none of the 3 findings has a fix that a machine can make'
found
fix
check_last "no finding at all: stuck" 'STUCK: there are no findings to fix'
found finding low a b 1 one
fix
check_last "one finding: stuck" 'STUCK: the finding has no fix that a machine can make'

# ---- what goes wrong ----

fresh
echo '{"findings":' >"$TMPDIR/findings"
fix
check_is "findings that are none: failed" "$status" 1
check_has "findings that are none: words" "$err" "read the findings in $TMPDIR/findings: line 2"
check_not "findings that are none: no answer" test -e "$summary"
rm "$TMPDIR/findings"
fix
check_is "no findings: failed" "$status" 1
check_has "no findings: words" "$err" 'there is no such file'

# Another process changes a file while it is being fixed: that file is left alone.
fresh
printf 'int a;\n' >a.c
printf 'int b;\n' >b.c
found finding low r a.c 1 one fix '' replace a.c a x finding low r b.c 1 two fix '' replace b.c b y
fix 'grep -q theirs a.c || echo "/* theirs */" >>a.c; false'
check_is "a file of somebody else" "$(cat a.c)" 'int x;
/* theirs */'
check_is "a file of somebody else: the other" "$(cat b.c)" 'int y;'
check_line "a file of somebody else: said" '`a.c:1`' 'another process changed it'

# Killed at, or in the middle of, any write: whole files. No room at some write: all as it was.
template()
{
    fresh
    for i in 1 2; do seq "$i"000 "$i"999 >"$i.txt"; done
    cp ?.txt ../
    found finding low r 1.txt 1 one fix '' replace 1.txt 1500 eins \
        finding low r 2.txt 1 two fix '' replace 2.txt 2500 zwei
}

# whole: each file is the old or the new one.
whole()
{
    local n
    for n in 1:1500:eins 2:2500:zwei; do
        IFS=: read -r n from to <<<"$n"
        cmp -s "$n.txt" "../$n.txt" && continue
        sed "s/^$from\$/$to/" "../$n.txt" | cmp -s "$n.txt" - || return 1
    done
}

# at MODE N: false when there is no N-th write.
at()
{
    template
    rm -f "$TMPDIR/fired"
    HONE_FAULT_MODE=$1 HONE_FAULT_CALLS=write HONE_FAULT_NTH=$2 HONE_FAULT_FIRED=$TMPDIR/fired \
        HONE_FAULT_ERRNO=28 LD_PRELOAD=$SUPPORT/fault_preload.so \
        fix '! grep -q zwei 2.txt' 2>/dev/null
    [ -e "$TMPDIR/fired" ]
}

step=1
[ -z "${HONE_TEST_SHORT:-}" ] || step=7
for mode in kill tear fail fail-on; do
    bad=
    for ((n = 1; n < 300; n += step)); do
        at $mode $n || break
        whole || bad="$bad $n"
        case $mode in
        fail*)
            # Where there is no answer, nothing is left of it; where nothing works, whole files.
            [ "$status" = 0 ] || [ -s "$err" ] || bad="$bad $n-silent"
            [ "$status" = 0 ] || [ $mode = fail-on ] || cat ?.txt | cmp -s - <(cat ../?.txt) ||
                bad="$bad $n-left"
            ;;
        *)
            HONE_ATTEMPT=2 fix '! grep -q zwei 2.txt'
            [ "$status" = 0 ] && whole || bad="$bad $n-again"
            ;;
        esac
    done
    check_is "$mode at any write: nothing is half done" "$bad" ''
    check "$mode at any write: there were some ($n)" test "$n" -gt 5
done

# shellcheck disable=SC2154 # of story.sh
exit "$failed"
