/* SPDX-License-Identifier: Apache-2.0 */
#include "format/text/html.h"

#include "format/text/safe.h"
#include "format/text/utf8.h"

static const char *reference_of(char byte)
{
    switch (byte) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    }
    return NULL;
}

/* Code points that stand for no character: a parser calls them an error. */
static bool is_no_character(uint32_t code)
{
    return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

/* The front of a text that is safe already; how many bytes of it were taken. */
static size_t add_piece(struct buf *out, struct str text)
{
    const char *reference = reference_of(text.data[0]);
    uint32_t code = 0;
    size_t size = utf8_next(text, &code);

    if (reference) {
        buf_text(out, reference);
    } else if (size > 1 && is_no_character(code)) {
        buf_printf(out, "\\u{%x}", (unsigned)code);
    } else {
        if (size == 0) size = 1;
        buf_add(out, str_head(text, size));
    }
    return size;
}

void html_text(struct buf *out, struct str text, bool one_line, size_t bytes_max)
{
    struct buf safe;
    struct str rest;

    buf_init(&safe, SIZE_MAX / 4);
    safe_text(&safe, text, one_line, bytes_max);
    rest = buf_str(&safe);
    while (rest.size > 0 && !out->overflow) rest = str_skip(rest, add_piece(out, rest));
    buf_release(&safe);
}
