/* SPDX-License-Identifier: Apache-2.0
 *
 * file_parts.h - what the readers and writers of single sections share. For session_*.c. */
#ifndef HONE_DIALECT_SESSION_FILE_PARTS_H
#define HONE_DIALECT_SESSION_FILE_PARTS_H

#include "dialect/session/file.h"

#define SESSION_TIMING_HEAD "| Phase | Round | Role | Duration |\n|---|---|---|---|"

struct session_part {
    enum session_section section; /* SESSION_SECTION_COUNT: none that we know */
    struct str title;
    struct str text;   /* with its heading */
    size_t head_bytes; /* of the heading's line */
    uint32_t line;     /* of the heading, in the text that was read; 0: it was put in */
    bool own;          /* set since the file was read */
};

struct session_part *session_part_find(const struct session_file *file,
                                       enum session_section section);
struct str session_part_body(const struct session_part *part);
/* body: as it is to be written, without blank lines around it. Puts the section in where it is
 * missing; the same body changes nothing. */
void session_part_set(struct session_file *file, enum session_section section, struct str body);

bool session_is_word(struct str text, const char *word); /* in whatever case */
struct str session_unmarked(struct str text); /* without blanks, quotes, ` and * around it */
/* One line without control characters; lives in the file's arena. */
struct str session_one_line(struct session_file *file, struct str text);

/* A walk over lines with their indentation. { .rest = text } begins one. */
struct session_lines {
    struct str rest;
    struct str raw;    /* the line, without its line end */
    struct str text;   /* without blanks around it */
    uint32_t indent;   /* columns; a tab counts as four */
    uint32_t number;   /* from 1 */
};

/* The word that Approved Plan says as its source; data NULL: it says none. */
struct str session_plan_source(const struct session_file *file);

bool session_lines_next(struct session_lines *lines);
/* Whether a line is "- text" or "* text"; the text. */
bool session_is_bullet(struct str line, struct str *text);

/* One key of the metadata and what follows it. */
struct session_item {
    struct str key;   /* empty: lines in front of the first key */
    struct str value; /* behind the colon, without blanks around it */
    struct str raw;   /* all its lines */
    uint32_t line;    /* in the section's body, from 1 */
};

/* The items of a metadata section's body; *count of them; the first may have no key. */
const struct session_item *session_items(struct session_file *file, uint32_t *count);
enum { SESSION_KEY_COUNT = 14 };
/* The place of a key in the order of writing; SESSION_KEY_COUNT: nobody knows it. */
uint32_t session_key_rank(struct str key);
/* Adds "- key: value" with a line end; nothing where the metadata has no such key. */
void session_key_write(struct session_file *file, const struct session_metadata *metadata,
                       uint32_t rank, struct buf *out);
bool session_is_null(struct str value); /* nothing, "null" or "none" */
/* False, and the map unknown, where it cannot be read; a null is no map, and true. */
bool session_map_read(struct session_file *file, struct str text, struct session_dirty_map *out);
void session_map_write(const struct session_dirty_map *map, struct buf *out);
/* What is wrong with an item's value; NULL: nothing. */
const char *session_item_wrong(struct session_file *file, const struct session_item *item);

#endif
