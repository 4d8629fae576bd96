/* SPDX-License-Identifier: Apache-2.0
 *
 * shape.h - JSON against tables of what its objects must have, with a line for each problem.
 *
 * For reports of other tools (reports.h). A table says less than a schema, and in words.
 *
 * Room: JSON against tables of what must be there, for `hone check`. */
#ifndef HONE_DIALECT_SHAPE_SHAPE_H
#define HONE_DIALECT_SHAPE_SHAPE_H

#include "dialect/check.h"
#include "format/json/json.h"
#include "format/report/diagnostic.h"

enum field_kind {
    FIELD_TEXT,
    FIELD_NUMBER,  /* whole, from `least` */
    FIELD_FLAG,
    FIELD_WORD,    /* one of `words` */
    FIELD_OBJECT,  /* of `shape` */
    FIELD_LIST,    /* of objects of `shape` */
    FIELD_TEXTS,   /* a list of texts */
    FIELD_MAP,     /* an object whose members all are objects of `shape` */
};

struct shape;
struct field {
    const char *key;   /* NULL ends a table */
    const char *alias; /* another name for it, or NULL */
    enum field_kind kind;
    bool needed;
    bool or_null;
    int least;
    const char *const *words;  /* NULL ends */
    const struct shape *shape;
    const char *code;  /* of a word that is not one of them; NULL: bad-word */
};

struct shape {
    const struct field *fields;
    const char *const *one_of; /* at least one of these must be there; or NULL */
    /* Looks at an object whose members are right; what is wrong with it, or NULL. */
    const char *(*wrong)(yyjson_val *object);
    bool protobuf; /* null is missing, numbers may be texts, words numbers; no other members */
};

/* For tables: the fields of a shape, and words. */
#define FIELDS(...) .fields = (const struct field[]){ __VA_ARGS__, { .key = NULL } }
#define WORDS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* The content without a byte order mark, which is a problem of its own. */
struct str shape_content(struct str content, struct check_report *report);

/* Adds what is wrong with text, which must be one JSON value; lines are counted on from before. */
void shape_check(const struct shape *shape, struct str text, uint32_t before,
                 struct check_report *report);

/* Where there is no problem yet: what a reader has to say that tables cannot. */
void shape_check_read(int (*read)(struct str, struct diagnostics *, struct err *),
                      struct str content, struct check_report *report);

/* A member that is a number, or 0. */
uint64_t shape_number(yyjson_val *object, const char *key);

/* From where to where, as far as it is said. */
struct stretch {
    uint64_t line, column, end_line, end_column;
};
const char *stretch_wrong(const struct stretch *stretch); /* for struct shape's wrong() */

#endif
