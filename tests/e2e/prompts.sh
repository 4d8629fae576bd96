#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Prompts are made into C when hone is built. Here small ones are, in a folder of their own: what is
# written is what stands there, and where a prompt and the program do not fit, the build fails and
# says where.
. "${TOP:?}/tests/support/story.sh"

tool=${HONE%/hone}/tools/prompts
mkdir -p "$TMPDIR/tree/prompts/hut"
cd "$TMPDIR/tree" || exit 1
out=$TMPDIR/out err=$TMPDIR/err

# page NAME TEXT: a file of prompts/.
page()
{
    printf '%b' "$2" >"prompts/$1.md"
}

# code TEXT: the C that fills the slots.
code()
{
    printf '#include "prompts/hut.h"\n#include <stdio.h>\nint main(void)\n{\n%s\n}\n' "
    struct buf out;
    struct str names[] = { STR(\"a\"), STR(\"b\") };
    struct hut_page page = { .fence = \"F\" };
    (void)names; buf_init(&out, 1 << 20); $1
    hut_page_door(&out, &page); fputs(buf_cstr(&out), stdout); return 0;" >fill.c
}

made()
{
    mkdir -p gen/prompts
    "$tool" hut gen/prompts/hut.h gen/prompts/hut.c fill.c >"$out" 2>"$err"
}

# With the sources themselves: the archives may be another compiler's.
compiled()
{
    gcc -std=c11 -D_GNU_SOURCE -Werror -Wall -Wextra -I"$TOP/src" -Igen -o door fill.c \
        gen/prompts/hut.c "$TOP"/src/dialect/slots.c "$TOP"/src/dialect/quote.c \
        "$TOP"/src/base/{buf,str,mem,arena,err}.c "$TOP"/src/format/text/{safe,utf8}.c \
        >"$out" 2>"$err"
}

# fails NAME WORDS: the build does, and says so.
fails()
{
    check_not "$1: fails" made
    check_has "$1: where and why" "$err" "$2"
}

# ---- what stands there is what is written ----

page hut/door '{{! A door. }}\nHello {{who}}, {{count}} of {{line path}}.
{{#if told}}\nYou said:\n\n{{quote told}}\n{{else}}\nNothing.\n{{/if}}
{{#if late}}late{{else}}early{{/if}} "x" \\ ??)\n{{> hut/_wall}}
{{names files}}\nend {{> hut/_wall}}\n'
page hut/_wall '{{! A wall. }}\na wall of {{who}}\n{{part list}}\n'
filled='page.who = slot_word("you"); page.count = slot_number(3);
page.path = slot_text(STR("a\nb"), 99);
page.told = slot_text(STR("one\nF two"), 99); page.late = true;
page.files = slot_names(names, 2); buf_text(&out, ""); struct buf list; buf_init(&list, 99);
buf_text(&list, "- x\n"); page.list = slot_part(&list);'
code "$filled"
check "a prompt is made" made
check "and compiled" compiled
cat >"$TMPDIR/wanted" <<'END'
Hello you, 3 of a b.
You said:

===== data F =====
one
*** two
===== end of data F =====
late "x" \ ??)
a wall of you
- x
===== data F =====
a
b
===== end of data F =====
end a wall of you
- x
END
check "what stands there is written" ./door
./door >"$out"
check "byte for byte" cmp "$out" "$TMPDIR/wanted"
code "${filled/page.told = *99); page.late/page.told = slot_text(STR(\"\"), 99); page.late}"
check "another filling is made" made
check "and compiled" compiled
./door >"$out"
check_has "the other way" "$out" "Nothing."

# ---- a line that goes on ----

page hut/window '{{! A window. }}\nOne \\\nsentence\\\n, {{who}}\\\n{{#if late}}
 and late\\\n{{else}}\n and early\\\n{{/if}}\n. a\\b\n{{> hut/_sill}}\nbehind it\n'
page hut/_sill '{{! A sill, which does not end its line. }}\na sill, \\\n'
code "$filled hut_page_window(&out, &page);"
check "lines that go on are made" made
check "and compiled" compiled
./door >"$out"
check_is "a line that ends in a backslash goes on with the next one" "$(head -n 2 "$out")" \
    'One sentence, you and late. a\b
a sill, behind it'
"$tool" --show hut/window >"$out" 2>"$err"
check_has "shown as it stands" "$out" 'One \'
rm prompts/hut/window.md prompts/hut/_sill.md
code "$filled"

page hut/stone '{{! A stone: nothing is filled. }}\nA "stone" \\\nlies\nhere.\n'
code "$filled buf_text(&out, hut_text_stone);"
check "a prompt in which nothing is filled is made" made
check "and compiled" compiled
./door >"$out"
check_is "it is a constant, without the last line end" "$(head -n 2 "$out")" 'A "stone" lies
here.Hello you, 3 of a b.'
rm prompts/hut/stone.md
code "$filled"

# ---- what does not fit ----

code "${filled/page.count = slot_number(3);/}"
fails "a slot that is not filled" "prompts/hut/door.md:2: nothing fills count"
code "$filled page.window = slot_number(1);"
check "a slot that no prompt has is not this program's business" made
check_not "but the compiler's" compiled
check_has "a slot that no prompt has: named" "$err" "window"
code "${filled/slot_word(\"you\")/slot_text(STR(\"you\"), 9)}"
check "a text from outside" made
check_not "does not compile where no quote stands around it" compiled
code "$filled"
page hut/_floor '{{! A floor. }}\n'
fails "a piece that no prompt has" "prompts/hut/_floor.md:1: no prompt has this piece"
rm prompts/hut/_floor.md

# broken NAME TEXT WORDS
broken()
{
    page hut/window "$2"
    fails "$1" "prompts/hut/window.md:$3"
    rm prompts/hut/window.md
}

broken "a tag without an end" 'one\n{{who\n' "2: a tag has no end"
broken "a condition without an end" '{{#if late}}\nx\n' "3: a condition has no end"
broken "an end without a condition" '{{/if}}\n' "1: no condition is open"
broken "two other ways" '{{#if late}}x{{else}}y{{else}}z{{/if}}\n' "1: no condition is open"
broken "a quote inside a line" 'see {{quote told}}\n' "1: a quote stands alone on its line"
broken "a piece inside a line" '{{> hut/_wall}} and more\n' "1: a piece ends its line"
broken "a prompt as a piece" '{{> hut/door}}\n' "1: hut/door is no piece"
broken "one name, two types" '{{told}}\n' "1: told is something else in prompts/hut/door.md"
broken "a blank behind a backslash" 'one \\ \ntwo\n' "1: a blank stands behind the \\"
broken "no name" '{{Who are you}}\n' '1: "Who are you" is no name of a slot'
page hut/window '{{> hut/_gone}}\n'
fails "a piece that is not there" "prompts/hut/_gone.md: No such file"
rm prompts/hut/window.md

# ---- every folder is looked at ----

for folder in "$TOP"/prompts/*/; do
    folder=${folder%/}
    folder=${folder##*/}
    case $folder in
    common | plugin) continue ;; # pieces, and texts without slots
    esac
    check "test_prompts.c writes the prompts of $folder" \
        grep -q "^FOLDER($folder, " "$TOP/tests/unit/test_prompts.c"
done

# ---- texts ----

page hut/_plain '{{! Plain. }}\nplain words\n'
page hut/text 'before\n{{> hut/_plain}}\nafter\n'
"$tool" --text hut/text >"$out" 2>"$err"
check_is "a text of pieces" "$(cat "$out")" "before
plain words
after"
page hut/text '{{who}}\n'
check_not "a text with a slot: fails" "$tool" --text hut/text 2>"$err"
"$tool" --text hut/text >"$out" 2>"$err"
check_has "a text with a slot: why" "$err" "hut/text.md:1: a text without slots was asked for"
check_is "a text with a slot: nothing is written" "$(cat "$out")" ""

page hut/text '{{! Not shown. }}\n{{#if told}}\n{{quote told}}\n{{/if}}\n{{> hut/_plain}}\n'
"$tool" --show hut/text >"$out" 2>"$err"
check_is "a prompt is shown with its pieces, its tags as they are" "$(cat "$out")" "{{#if told}}
{{quote told}}
{{/if}}
plain words"
exit "$failed"
