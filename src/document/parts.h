/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what the documents share among themselves. */
#ifndef HONE_DOCUMENT_PARTS_H
#define HONE_DOCUMENT_PARTS_H

#include "document/document.h"

/* tokens_in, tokens_out and cost, which is null where none was told. */
void usage_json(const struct usage *usage, yyjson_mut_doc *doc, yyjson_mut_val *object);
/* Milliseconds since 1970; null where it has not been. */
void time_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, uint64_t ms);

/* old_first, old_count, new_first, new_count and lines, at most lines_max of them, each with its
 * mark in front. */
void hunk_json(const struct story_hunk *hunk, uint32_t lines_max, yyjson_mut_doc *doc,
               yyjson_mut_val *object);

#endif
