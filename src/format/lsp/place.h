/* SPDX-License-Identifier: Apache-2.0
 *
 * place.h - places in a text as editors count them: a line from 0, and a character from 0 in units
 * of the encoding that both sides agreed on.
 *
 * hone counts bytes, and lines by line feeds alone. An editor takes CR LF and a lone CR for line
 * ends, too. So both kinds of place are turned into offsets of bytes, and compared there. */
#ifndef HONE_FORMAT_LSP_PLACE_H
#define HONE_FORMAT_LSP_PLACE_H

#include "base/str.h"

enum encoding { ENCODING_UTF8, ENCODING_UTF16, ENCODING_UTF32, ENCODING_COUNT };

const char *encoding_word(enum encoding encoding); /* "utf-16", as the protocol has it */
bool encoding_from_word(struct str word, enum encoding *out);

struct place {
    uint32_t line, character;
};

/* Where the lines of a text begin. {0} is that of an empty text. */
struct line_starts {
    size_t *items;
    uint32_t count, cap;
};

void line_starts_read(struct line_starts *starts, struct str text); /* anew, memory kept */
void line_starts_release(struct line_starts *starts);

/* The place of an offset. Bytes that are no UTF-8 count as one character each, as an editor shows
 * them. */
struct place place_of(struct str text, const struct line_starts *starts, size_t offset,
                      enum encoding encoding);

/* The offset of a place. One behind the end of its line is that end, and one behind the last line
 * is the end of the text; one inside a character is the character's beginning. */
size_t place_offset(struct str text, const struct line_starts *starts, struct place place,
                    enum encoding encoding);

/* The offset of a line and a column as hone has them: both from 1, columns are bytes, lines end at
 * line feeds. Column 0 is the beginning of the line. False where there is no such line. */
bool offset_of_line(struct str text, uint32_t line, uint32_t column, size_t *out);

/* What of the text is on the line of that offset, without its end and the blanks around it. */
struct str content_around(struct str text, size_t offset);

#endif
