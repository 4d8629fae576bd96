/* SPDX-License-Identifier: Apache-2.0
 *
 * dialect.c - the table of dialects: one row each. */
#include "dialect/dialect.h"

#include <string.h>

const struct dialect *const dialects[] = { &dialect_review, &dialect_iterate, &dialect_cycles,
                                         &dialect_session, &dialect_loops, NULL };

const struct dialect *dialect_find(struct str name)
{
    for (size_t i = 0; dialects[i]; i++) {
        if (str_is(name, dialects[i]->name)) return dialects[i];
    }
    return NULL;
}

bool view_is_hosted(const struct run_view *run)
{
    return run->answers != ANSWERS_TO_HONE;
}

const char *word_pair_find(const struct word_pair *pairs, const char *of)
{
    for (; pairs && pairs->of; pairs++) {
        if (strcmp(pairs->of, of) == 0) return pairs->is;
    }
    return NULL;
}
