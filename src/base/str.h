/* SPDX-License-Identifier: Apache-2.0
 *
 * str.h - a borrowed run of bytes. A view: it never owns, never changes, need not end in NUL. */
#ifndef HONE_BASE_STR_H
#define HONE_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
    const char *data;
    size_t size;
};

/* For printf("%.*s", STR_ARG(x)); messages only: a view may hold NUL or control bytes. */
#define STR_ARG(s) (int)((s).size > 65536 ? 65536 : (s).size), (s).data ? (s).data : ""
#define STR(literal) ((struct str){ "" literal "", sizeof(literal) - 1 })

struct str str_of(const char *text); /* NULL is empty */
bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *text);
int str_compare(struct str a, struct str b); /* by bytes, as memcmp and then by length */
int str_order(const void *a, const void *b); /* the same, for qsort of struct str */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
bool str_has(struct str s, char byte);
struct str str_trim(struct str s); /* blanks, tabs, line ends on both sides */
struct str str_skip(struct str s, size_t bytes);

/* Its beginning and its end, at most so many bytes: no character of UTF-8 is cut in two. */
struct str str_head(struct str s, size_t bytes_max);
struct str str_tail(struct str s, size_t bytes_max);

/* Cuts the next piece off *rest, up to `byte` or the end; false when nothing is left.
 * "a\n" is one piece, "" is none. */
bool str_cut(struct str *rest, char byte, struct str *piece);

/* The last line that says something, trimmed; empty: none does. */
struct str str_last_line(struct str s);

/* A whole decimal number from 0 to UINT64_MAX in at most 20 digits, nothing else around it: every
 * number that PRIu64 writes is read back. */
bool str_number(struct str s, uint64_t *out);

/* A hash as it is written: 16 hexadecimal digits, nothing else, the letters small. */
bool str_hash(struct str s, uint64_t *out);

/* The number of single-byte changes and of swapped neighbours between two short words; for "did
 * you mean". */
uint32_t str_distance(struct str a, struct str b);

#endif
