/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml_reader.h - YAML of a known form, event by event: lists of mappings with known keys.
 *
 * 1. Anchors, aliases and tags are refused, so what is read is never larger than what is there.
 *    Depth is bounded.
 * 2. A key that stands twice in one mapping is refused.
 * 3. Every error names its line. */
#ifndef HONE_FORMAT_TEXT_YAML_READER_H
#define HONE_FORMAT_TEXT_YAML_READER_H

#include "base/err.h"
#include "base/str.h"

#include <yaml.h>

struct yaml_reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the one that was read last */
    bool has_event;
    uint32_t depth;
    const char *file;   /* errors begin "FILE:LINE: "; NULL: "line LINE: " */
    uint32_t *line;     /* or the line is put here, and errors have their words alone; or NULL */
    const char *strict; /* a key that is not known is refused, and these are said to be there; NULL:
                           it is skipped */
    struct err *err;
};

enum { YAML_KEY_END = -1, YAML_KEYS_MAX = 32 };

/* The text must live as long as the reader. yaml_close() is due. */
void yaml_open(struct yaml_reader *reader, struct str text, struct err *err);
void yaml_close(struct yaml_reader *reader);

/* ERR_FORMAT, about the event that was read last; or about a line, from 1. */
int yaml_bad(struct yaml_reader *reader, const char *what);
int yaml_bad_line(struct yaml_reader *reader, size_t line, const char *what);

/* The next event; with expect it must be of this type. */
int yaml_next(struct yaml_reader *reader);
int yaml_expect(struct yaml_reader *reader, yaml_event_type_t type, const char *otherwise);
/* The text of the scalar that was read last; good until the next event. */
struct str yaml_scalar(const struct yaml_reader *reader);

/* The next key of a mapping whose beginning was read: its index in keys (at most YAML_KEYS_MAX,
 * NULL ends), or YAML_KEY_END. The value is to be read next. seen: a bit for each key so far. */
int yaml_next_key(struct yaml_reader *reader, const char *const *keys, uint32_t *seen, int *out);
/* To the next item of a sequence of mappings; *more is false at its end. */
int yaml_next_item(struct yaml_reader *reader, bool *more);

#endif
