#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# One finding once: what gcc, clang-tidy and cppcheck all report is one, with the tools named. The
# rule belongs to the tool, not to the role.
. "${TOP:?}/tests/support/story.sh"
. "$TOP/tests/support/look.sh"

new_work
cat >a.c <<'END'
#include <stdio.h>

int f(int n);
int f(int n)
{
    int *q = 0;
    printf("%d\n", "text");
    if (n) return 1 / 0;
    return *q;
}
END
git add . && git commit -q -m first
hone run review --max-iterations 1 --agent critic=analyzer:gcc --agent pedant=analyzer:clang-tidy \
    --agent witness=analyzer:cppcheck --agent '*=analyzer:none' --agent review-fixer=fixits
check_is "three faults fail it" "$status" 1
check_has "three tools, three faults" "$TMPDIR/out" "found 3, fixed 0, left 3"
hone findings --format text
check_is "a line for each" "$(grep -c . "$TMPDIR/out")" 3
check_has "with the tools named" "$TMPDIR/out" \
    "[gcc/-Wanalyzer-null-dereference, clang-tidy, cppcheck]"
hone findings --json
check_is "once in JSON" "$(grep -c '"fingerprint"' "$TMPDIR/out")" 3
check_has "JSON has the tools" "$TMPDIR/out" '"tool": "cppcheck, gcc, clang-tidy"'
hone findings --format sarif
check_is "once in SARIF" "$(grep -c '"ruleIndex"' "$TMPDIR/out")" 3
check_has "SARIF: the rule is the tool's" "$TMPDIR/out" '"ruleId": "gcc/-Wformat="'
check_not "and not the role's" grep -q '"ruleId": "critic/' "$TMPDIR/out"
hone findings --format markdown
check_has "Markdown names them" "$TMPDIR/out" \
    "gcc/-Wanalyzer-null-dereference, clang-tidy, cppcheck"
hone findings --format text --rule 'gcc/*'
check_has "a filter by tool and rule" "$TMPDIR/out" "gcc/-Wformat="
id=$(sed -n 's/.*(\([0-9a-f]*\).*/\1/p' <<<"$("$HONE" findings | grep 'NULL')")
hone waive "$id" --grave --reason 'never called so'
check_is "what three tools say is waived at once" "$(grep -c '^- id:' .hone/waivers.yaml)" 3
hone run review --max-iterations 1 --agent critic=analyzer:gcc --agent pedant=analyzer:clang-tidy \
    --agent witness=analyzer:cppcheck --agent '*=analyzer:none' --agent review-fixer=fixits
hone findings --format text --state waived
check_is "and is one that is waived" "$(grep -c . "$TMPDIR/out")" 1
hone findings --format text --state open
check_is "the others are open" "$(grep -c . "$TMPDIR/out")" 2
exit "$failed"
