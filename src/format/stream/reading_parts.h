/* SPDX-License-Identifier: Apache-2.0
 *
 * reading_parts.h - what the readers of streams have in common. For format's own files. */
#ifndef HONE_FORMAT_STREAM_READING_PARTS_H
#define HONE_FORMAT_STREAM_READING_PARTS_H

#include "format/stream/reading.h"

/* What a call does. A command counts when it begins, but CALL_EXECUTE only with a good result.
 * CALL_SEARCH reads, and shows lines or names out of several files: no file counts as looked at.
 * CALL_ANSWER is no work but the answer itself. */
enum call_kind { CALL_OTHER, CALL_COMMAND, CALL_EXECUTE, CALL_READ, CALL_SEARCH, CALL_WRITE,
                 CALL_ANSWER };

/* Puts text into buf, in place of what was there, as one line that is safe to show. */
void stream_text(struct buf *buf, struct str text);

/* The stream has said how it ended. A later word replaces an earlier one. */
void stream_fails(struct stream *stream, enum reading_end end, struct str message);
void stream_succeeds(struct stream *stream);

/* A class by the status of HTTP: 401, 429, 529 ... READING_OTHER for what says nothing more. */
enum reading_end stream_http(uint64_t status);
/* Whether asking again with the same request cannot help. */
bool stream_http_is_final(uint64_t status);

/* A call begins; its path is kept where it has one, of a command its text. And its result: ok where
 * it went well, or of a command where it ran. */
void stream_call(struct stream *stream, struct str id, enum call_kind kind, struct str about);
void stream_call_text(struct stream *stream, struct str id, struct str command); /* told later */
void stream_result(struct stream *stream, struct str id, bool ok);
bool stream_has_call(const struct stream *stream, struct str id); /* that waits for its result */

/* A file was read or written: counted, and listed once. */
void stream_touched(struct stream *stream, struct str path, bool written);
/* The contents of a file were shown: no more is known, and nothing is counted. */
void stream_shown(struct stream *stream, struct str path);
/* A command ran: what it shows is looked at. */
void stream_ran(struct stream *stream, struct str command);
/* Whether a status is that of a command that ran: not of one that was not found, or could not. */
bool stream_status_ran(uint64_t status);

/* What a kind of event is for; take NULL: nothing. A type NULL ends a list. */
struct stream_type {
    const char *type;
    void (*take)(struct stream *stream, yyjson_val *event);
};

/* Takes an event by its "type"; false: the list does not have it. */
bool stream_take(struct stream *stream, yyjson_val *event, const struct stream_type *types);

/* A number of 0 or more, whole or not, as millionths; false for anything else. */
bool stream_micros(yyjson_val *number, uint64_t *out);

/* Adds to a sum without going round. */
void stream_add(uint64_t *sum, uint64_t more);

#endif
