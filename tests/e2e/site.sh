#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The documents as a site: every page is in it, every link leads somewhere, and nothing in it comes
# from elsewhere.
. "${TOP:?}/tests/support/story.sh"

if ! command -v lowdown >/dev/null; then
    echo "site: lowdown is not installed: not tried"
    ok "not tried"
    exit "$failed"
fi
site=$TMPDIR/site

# lacks FILE PATTERN
lacks()
{
    ! grep -iE "$2" "$1"
}

"$TOP/tools/site" "$site" >"$TMPDIR/log" 2>&1
check_is "it is made, and says nothing" "$?$(cat "$TMPDIR/log")" 0
pages=$(find "$site" -name '*.html')
# shellcheck disable=SC2046 # names of ours
check_is "each page of docs/ is one" "$(find "$TOP/docs" -name '*.md' | wc -l)" \
    "$(for page in $(cd "$TOP/docs" && find . -name '*.md'); do
        test -e "$site/${page%.md}.html" && echo yes
    done | wc -l)"
for page in $pages; do
    name=${page#"$site"/}
    check "$name: no script, no frame, nothing from elsewhere" lacks "$page" \
        '<(script|iframe|object|embed|form)|(src|srcset)="?(https?:)?//|@import|url\('
    check "$name: one heading above all" [ "$(grep -c '<h1' "$page")" = 1 ]
    check "$name: it says where the reader is" [ "$(grep -c 'aria-current' "$page")" = 1 ]
done
check "the sheet brings nothing from elsewhere" lacks "$site/site.css" 'url\(|@import'
# Where a relative link leads there is a file.
missing=$(for page in $pages; do
    sed 's/<a /\n<a /g' "$page" | sed -n 's/.*href="\([^"#]*\)[^"]*".*/\1/p' |
        grep -v '^https\?:' | grep . | sort -u | while read -r link; do
            test -e "${page%/*}/$link" || echo "$page: $link"
        done
done)
check_is "every link leads to a file" "$missing" ""
missing=$(for page in $pages; do
    sed 's/<img /\n<img /g' "$page" | sed -n 's/^<img src="\([^"]*\)".*/\1/p' |
        while read -r picture; do
            test -s "${page%/*}/$picture" || echo "$page: $picture"
        done
done)
check_is "every picture is there" "$missing" ""

# ---- what is refused ----

(cd "$TOP" && tar -cf - tools docs examples loops prompts src ./*.md LICENSE) |
    tar -xf - -C "$TMPDIR"
echo "[gone](nowhere.md)" >>"$TMPDIR/docs/roles.md"
"$TMPDIR/tools/site" "$site" >"$TMPDIR/log" 2>&1
check "a link to no page is refused" [ "$?" = 1 ]
check_has "and which it is, is said" "$TMPDIR/log" \
    "docs/roles.md: a link leads to docs/nowhere.md, which is no page"
cp "$TOP/docs/roles.md" "$TMPDIR/docs/roles.md"
echo "[gone](loops.md#no-such-heading)" >>"$TMPDIR/docs/roles.md"
"$TMPDIR/tools/site" "$site" >"$TMPDIR/log" 2>&1
check_has "an anchor that is not there is refused" "$TMPDIR/log" "no such heading"
cp "$TOP/docs/roles.md" "$TMPDIR/docs/roles.md"
echo "# New" >"$TMPDIR/docs/new.md"
"$TMPDIR/tools/site" "$site" >"$TMPDIR/log" 2>&1
check_has "a page that is not in the list is refused" "$TMPDIR/log" "docs/new.md is a page"
exit "$failed"
