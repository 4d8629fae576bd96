/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/xml_write.h"

#include "format/text/safe.h"

#include <inttypes.h>

/* The front of text, which is harmless already, escaped; how many bytes that was. U+FFFE and U+FFFF
 * are characters of UTF-8, and none of XML. */
static size_t add_escaped(struct buf *out, struct str text)
{
    switch (text.data[0]) {
    case '&': buf_text(out, "&amp;"); return 1;
    case '<': buf_text(out, "&lt;"); return 1;
    case '>': buf_text(out, "&gt;"); return 1;
    case '"': buf_text(out, "&quot;"); return 1;
    }
    if (str_starts(text, STR("\xef\xbf\xbe")) || str_starts(text, STR("\xef\xbf\xbf"))) {
        buf_text(out, text.data[2] == '\xbe' ? "\\u{fffe}" : "\\u{ffff}");
        return 3;
    }
    buf_byte(out, text.data[0]);
    return 1;
}

static void add_text(struct buf *out, struct str text, bool one_line, size_t bytes_max)
{
    struct buf safe;
    struct str rest;

    buf_init(&safe, SIZE_MAX / 4);
    safe_text(&safe, text, one_line, bytes_max);
    rest = buf_str(&safe);
    while (rest.size > 0) rest = str_skip(rest, add_escaped(out, rest));
    buf_release(&safe);
}

void xml_add_attribute(struct buf *out, const char *name, struct str value, size_t bytes_max)
{
    buf_printf(out, " %s=\"", name);
    add_text(out, value, true, bytes_max);
    buf_byte(out, '"');
}

void xml_add_number(struct buf *out, const char *name, uint64_t number)
{
    buf_printf(out, " %s=\"%" PRIu64 "\"", name, number);
}

void xml_add_text(struct buf *out, struct str text, size_t bytes_max)
{
    add_text(out, text, false, bytes_max);
}
