/* SPDX-License-Identifier: Apache-2.0
 *
 * html.h - text from outside as text of a page: nothing of it is markup.
 *
 * What html_text() appends is good between tags, and between double quotes as the value of an
 * attribute. It is never good as a tag, as the name of an attribute, as an address, as style or as
 * script: no text from outside goes there. */
#ifndef HONE_FORMAT_TEXT_HTML_H
#define HONE_FORMAT_TEXT_HTML_H

#include "base/buf.h"
#include "base/str.h"

/* As safe_text(): what cannot be seen is shown by its number. Beside that & < > " ' are written as
 * references, and what no page may hold (U+FFFE and the like) is shown by its number, too. */
void html_text(struct buf *out, struct str text, bool one_line, size_t bytes_max);

#endif
