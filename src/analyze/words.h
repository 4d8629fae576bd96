/* SPDX-License-Identifier: Apache-2.0
 *
 * words.h - the words of an analyzer's command, one after the other. Private to analyze/. */
#ifndef HONE_ANALYZE_WORDS_H
#define HONE_ANALYZE_WORDS_H

#include "analyze/analyzer.h"

struct words {
    const char **items;
    uint32_t count, cap;
    struct arena *arena;
};

void word_add(struct words *words, const char *word);
void word_add_list(struct words *words, const char *const *list); /* NULL ends; may be NULL */
/* The paths of the call's units, absolute, so that no name is read as an option. */
void word_add_units(struct words *words, const struct analyzer_call *call);
/* The list, which lives in the arena then; NULL ends. */
const char *const *words_take(struct words *words);

bool call_is_cxx(const struct analyzer_call *call);

extern const struct language *const language_c_family[]; /* C and C++ */

#endif
