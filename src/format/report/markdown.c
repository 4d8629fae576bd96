/* SPDX-License-Identifier: Apache-2.0
 *
 * markdown.c - Markdown that no text inside it can change.
 *
 * An agent wrote the texts, and a service shows them on a page that people trust, and obeys what it
 * reads there: it notifies people, links issues and closes them. So:
 *
 * 1. No text opens anything: markup is escaped, a text stays one line, controls and marks that
 *    cannot be seen are shown (safe_text).
 * 2. No text notifies a person or refers to anything: "@name", "#12", "GH-12", and what GitLab
 *    knows beside them ("!12", "~label", "%12", "&12", "$12"), are cut by a character of no width.
 *    So is "://": addresses are not recognised as such.
 * 3. Code spans have fences longer than any within.
 *
 * Services look for references in the text that is left when escapes are gone, so an escape alone
 * does not cut one: the character of no width does. */
#include "format/report/markdown.h"

#include "base/byte.h"
#include "format/text/safe.h"
#include "format/text/words.h"


enum { TEXT_SHOWN_MAX = 1000, NAME_SHOWN_MAX = 200, ROW_BYTES_MAX = 32 * 1024 };

#define CUT "&#8203;" /* it has no width */

static bool is_word(char byte)
{
    char lower = (char)(byte | 32);

    return byte_is_digit(byte) || byte_is_small(lower);
}

/* Whether a service takes the mark and what follows for a reference. */
static bool is_reference(char mark, char next)
{
    if (mark == '@' || mark == '~') return is_word(next);
    return str_has(STR("#!%&$"), mark) && byte_is_digit(next);
}

static void add_mark(struct buf *out, char byte)
{
    if (byte == '&') {
        buf_text(out, "&amp;");
    } else if (byte == '<') {
        buf_text(out, "&lt;");
    } else if (byte == '>') {
        buf_text(out, "&gt;");
    } else {
        if (str_has(STR("\\`*_[]|~$#!"), byte)) buf_byte(out, '\\');
        buf_byte(out, byte);
    }
}

/* The first byte of rest, which is harmless already, as Markdown. Returns how many were taken. */
static size_t add_escaped(struct buf *out, struct str rest)
{
    char next = rest.size > 1 ? rest.data[1] : '\0';

    if (str_starts(rest, STR("://"))) {
        buf_text(out, "&#58;" CUT);
    } else if (starts_with_word(rest, "www.") || starts_with_word(rest, "gh-")) {
        size_t word = str_has((struct str){ rest.data, 3 }, '-') ? 2 : 3;

        buf_add(out, (struct str){ rest.data, word });
        buf_text(out, CUT);
        return word;
    } else {
        add_mark(out, rest.data[0]);
        if (is_reference(rest.data[0], next)) buf_text(out, CUT);
    }
    return 1;
}

void markdown_text(struct buf *out, struct str text)
{
    struct buf safe;
    struct str rest;

    buf_init(&safe, ROW_BYTES_MAX);
    safe_text(&safe, text, true, TEXT_SHOWN_MAX);
    rest = str_trim(buf_str(&safe));
    while (rest.size > 0) rest = str_skip(rest, add_escaped(out, rest));
    buf_release(&safe);
}

static size_t longest_fence(struct str text)
{
    size_t longest = 0, run = 0;

    for (size_t i = 0; i < text.size; i++) {
        run = text.data[i] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

/* A "|" ends a cell even in code; a "\|" there is shown as "|". */
void markdown_code(struct buf *out, struct str text, bool in_table)
{
    struct buf safe;
    struct str code;
    size_t fence;

    if (text.size == 0) return;
    buf_init(&safe, ROW_BYTES_MAX);
    safe_text(&safe, text, true, NAME_SHOWN_MAX);
    code = buf_str(&safe);
    fence = longest_fence(code) + 1;
    for (size_t i = 0; i < fence; i++) buf_byte(out, '`');
    if (fence > 1) buf_byte(out, ' ');
    for (size_t i = 0; i < code.size; i++) {
        if (in_table && code.data[i] == '|') buf_byte(out, '\\');
        buf_byte(out, code.data[i]);
    }
    if (fence > 1) buf_byte(out, ' ');
    for (size_t i = 0; i < fence; i++) buf_byte(out, '`');
    buf_release(&safe);
}
