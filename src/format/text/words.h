/* SPDX-License-Identifier: Apache-2.0
 *
 * words.h - words as people and models write them: in any case, with marks around them. */
#ifndef HONE_FORMAT_TEXT_WORDS_H
#define HONE_FORMAT_TEXT_WORDS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* Whether a text is that word, or begins with it; in any case. */
bool word_is(struct str text, const char *word);
bool starts_with_word(struct str text, const char *word);

/* Whether it is one of some words, NULL ends them: as they are, or in any case. */
bool text_is_one_of(struct str text, const char *const *words);
bool word_is_one_of(struct str text, const char *const *words);
/* Its place among so many words, exactly; count: it is none of them. */
uint32_t word_index(struct str text, const char *const *words, uint32_t count);

/* The text without these bytes in front, and behind it. */
struct str text_skip(struct str text, const char *front);
struct str text_bare(struct str text, const char *front, const char *behind);

/* How many digits it begins with. */
size_t text_digits(struct str text);

bool text_has(struct str text, const char *part);

#endif
