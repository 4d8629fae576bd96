/* SPDX-License-Identifier: Apache-2.0
 *
 * json.h - JSON by yyjson, with our bounds: strict, of limited depth, errors with a line.
 *
 * Readers use yyjson's own typed getters (they answer NULL or 0 for another type, never crash);
 * never the unsafe_ ones.
 *
 * Room: JSON over yyjson with bounds, and what hone keeps as JSON: events, findings, flat
 * settings. */
#ifndef HONE_FORMAT_JSON_JSON_H
#define HONE_FORMAT_JSON_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <yyjson.h>

enum { JSON_DEPTH_MAX = 64 };

/* The whole text must be one JSON value. ERR_FORMAT says what is wrong and in which line.
 * Free *out with yyjson_doc_free(). *out is NULL on failure. */
int json_read(struct str text, yyjson_doc **out, struct err *err);

/* The same for what another program writes in great amounts: text is read in place, so that its
 * bytes change and the document lives on them; any depth is taken, so that callers must not recurse
 * over it; strings may hold bytes that are no UTF-8, and half a pair (a lone \ud800) is U+FFFD.
 * ERR_LIMIT: the buffer has no room for the few bytes that the parser wants behind the text. */
int json_read_in_place(struct buf *text, yyjson_doc **out, struct err *err);

/* Whether a value that was read in place has more than JSON_DEPTH_MAX levels. */
bool json_is_too_deep(yyjson_val *value);

/* Whether the object itself (not the objects in it) has two members of one name, however they are
 * escaped. All readers here take the first; a reader elsewhere may take the last. Where the author
 * of a text could gain by that, ask this and refuse the text. */
bool json_has_duplicates(yyjson_val *object);
/* The same; *name is then one of the names that are there twice. */
bool json_find_duplicate(yyjson_val *object, struct str *name);

/* A string member as a view of the document, or an empty view with data NULL when it is missing
 * or something else than a string. */
struct str json_str(yyjson_val *object, const char *key);

/* The same of a value itself. */
struct str json_value(yyjson_val *value);

/* A member that is a whole number of 0 or more; false for anything else (1.5, -1, "1"). */
bool json_uint(yyjson_val *object, const char *key, uint64_t *out);

/* An empty document to build. Memory that is not there ends the program, so that yyjson_mut_
 * functions cannot fail on it. Free it with yyjson_mut_doc_free(). */
yyjson_mut_doc *json_new(void);

/* An object that the whole document is. */
yyjson_mut_val *json_object(yyjson_mut_doc *doc);

/* A string that is valid UTF-8, made of any bytes: bad ones become U+FFFD. Copies into the
 * document, so the bytes need not live on. */
yyjson_mut_val *json_text(yyjson_mut_doc *doc, struct str bytes);

/* Adds such a string as a member; json_add_some() only where there is something in it. */
void json_add_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, struct str bytes);
void json_add(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, const char *text);
void json_add_some(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, struct str bytes);

/* A time as 2026-11-15T08:40:00Z. */
void json_add_time(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, uint64_t ms);

/* Appends the document: in one line, or with two blanks of indent and a final line end. What is
 * written is valid UTF-8 and holds nothing that a terminal obeys, though a text in it went round
 * json_text(). */
void json_write(yyjson_mut_doc *doc, bool pretty, struct buf *out);
/* The same, and the document is freed; or as a text that lives in arena. */
void json_finish(yyjson_mut_doc *doc, bool pretty, struct buf *out);
struct str json_keep(yyjson_mut_doc *doc, bool pretty, struct arena *arena);

#endif
