/* SPDX-License-Identifier: Apache-2.0
 *
 * members.h - the plain members of a struct as JSON, by a table that writer and reader share.
 *
 * For format's own files. What one of the two knows the other knows. A member that is 0, false or
 * empty is left out, unless the table marks it as `always`: those the reader demands, and the
 * others are 0 where they are missing. A member of another type or range is refused, by its name;
 * a member that the table does not have is ignored. */
#ifndef HONE_FORMAT_JSON_MEMBERS_H
#define HONE_FORMAT_JSON_MEMBERS_H

#include "format/json/json.h"

enum member_type { MEMBER_U32, MEMBER_U64, MEMBER_BOOL, MEMBER_TEXT };

/* One plain member of a struct. */
struct member {
    const char *key; /* NULL ends a table */
    enum member_type type;
    size_t offset;
    uint32_t always; /* kinds of struct that always have it, as bits */
};

void members_write(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct member *member,
                   const void *from, uint32_t kind_bit);

/* Texts live in arena. */
int members_read(yyjson_val *object, const struct member *member, struct arena *arena, void *into,
                 uint32_t kind_bit, struct err *err);

/* One member of type MEMBER_U32 or MEMBER_U64. */
int member_number(yyjson_val *value, const struct member *member, void *at, struct err *err);

/* A member that holds one of some fixed words. Missing and not needed: *out has data NULL. */
int member_word(yyjson_val *object, const char *key, bool needed, struct str *out, struct err *err);

/* A member that must be there, and holds a hash: 16 hexadecimal digits. */
int member_hash(yyjson_val *object, const char *key, uint64_t *out, struct err *err);

/* An optional list: *list is NULL when it is missing or empty, and *count its length. */
int member_list(yyjson_val *root, const char *key, yyjson_val **list, uint32_t *count,
                struct err *err);

/* ERR_FORMAT: what the member must be; which word it cannot be. */
int member_bad_type(const char *key, const char *wanted, struct err *err);
int member_bad_word(const char *key, struct str word, struct err *err);

#endif
