/* SPDX-License-Identifier: Apache-2.0
 *
 * secret_parts.h - what the rules for secrets share. For secret*.c. */
#ifndef HONE_FORMAT_SECRET_SECRET_PARTS_H
#define HONE_FORMAT_SECRET_SECRET_PARTS_H

#include "format/secret/secret.h"

bool secret_is_word_byte(char byte); /* a letter, a digit or _ */

/* Whether a token's letters and digits are nobody's: one and the same again and again, in the order
 * of the alphabet, or with words such as example in them. */
bool secret_is_placeholder(struct str value);
/* Whether it is words and numbers between dots and dashes: a name, a version, a date. */
bool secret_is_name(struct str value);

/* A token or a PEM block that begins at `at`, which is the beginning of a word or a dash. */
bool secret_token(struct str text, size_t at, struct secret *out);
/* What is assigned by the = or : at `at`. */
bool secret_assigned(struct str text, size_t at, struct secret *out);
/* The password of an address whose "://" begins at `at`. */
bool secret_in_address(struct str text, size_t at, struct secret *out);

/* Sets what is shown of a secret whose place is known: bytes that are none, unless they repeat it,
 * and stars. */
void secret_show(struct secret *secret, struct str text, struct str open, const char *stars);

#endif
