/* SPDX-License-Identifier: Apache-2.0
 *
 * schema_check.h - a JSON value against a JSON Schema, in words for the client that sent it.
 *
 * For schemas of our own. Of JSON Schema it knows type (a word), properties, required,
 * additionalProperties (false), items, enum (of texts), minimum, maximum, minLength,
 * maxLength (in bytes) and maxItems; words that only describe are passed over. Pure.
 *
 * dialect/shape checks JSON, too, against tables in C: aliases, words with codes of their own, a
 * line for each problem, for files that people wrote. A schema here is a document that clients are
 * given as well: what is told and what is checked must be one text. */
#ifndef HONE_SERVE_SCHEMA_CHECK_H
#define HONE_SERVE_SCHEMA_CHECK_H

#include "format/json/json.h"

enum { SCHEMA_PROBLEMS_MAX = 8 };

/* Appends what is wrong, a line "- PATH ..." each, SCHEMA_PROBLEMS_MAX at most; nothing where the
 * value fits. value NULL counts as an empty object. */
void schema_check(yyjson_val *schema, yyjson_val *value, struct buf *problems);

#endif
