/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what the documents share among themselves. */
#ifndef HONE_DOCUMENT_PARTS_H
#define HONE_DOCUMENT_PARTS_H

#include "document/document.h"
#include "format/secret/mask.h"

/* tokens_in, tokens_out and cost, which is null where none was told. */
void usage_json(const struct usage *usage, yyjson_mut_doc *doc, yyjson_mut_val *object);
/* Milliseconds since 1970; null where it has not been. */
void time_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, uint64_t ms);

/* old_first, old_count, new_first, new_count and lines, at most lines_max of them, each with its
 * mark in front. */
void hunk_json(const struct story_hunk *hunk, uint32_t lines_max, yyjson_mut_doc *doc,
               yyjson_mut_val *object);

/* A text that a transcript is read from; it may grow. */
struct transcript_text {
    uint64_t bytes; /* when it was opened */
    int (*read)(const void *context, uint64_t at, size_t bytes, struct buf *out, struct err *err);
    const void *context;
};

/* transcript.c, of any texts: from is a byte of all of them together. */
struct transcript_request {
    const struct transcript_text *texts;
    uint32_t count;
    const struct stream_kind *kind; /* NULL: they are no stream of events */
    const struct mask *mask;
    bool ended;                     /* nothing is added to them any more */
    uint64_t from;
};
int transcript_json(const struct transcript_request *request, yyjson_mut_doc *doc,
                    yyjson_mut_val *root, struct err *err);

#endif
