/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c - the words of an analyzer's command. */
#include "analyze/words.h"

#include "base/mem.h"

#include <stdlib.h>

const struct language *const language_c_family[] = { &language_c, &language_cxx, NULL };

void word_add(struct words *words, const char *word)
{
    words->items = mem_grow(words->items, words->count, &words->cap, sizeof *words->items);
    words->items[words->count++] = word;
}

void word_add_list(struct words *words, const char *const *list)
{
    for (; list && *list; list++) word_add(words, *list);
}

void word_add_units(struct words *words, const struct analyzer_call *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        word_add(words, arena_printf(words->arena, "%s/%s", call->workspace, call->units[i]->path));
    }
}

const char *const *words_take(struct words *words)
{
    const char **out = arena_alloc(words->arena, (words->count + 1) * sizeof *out);

    for (uint32_t i = 0; i < words->count; i++) out[i] = words->items[i];
    free(words->items);
    return out;
}

bool call_is_cxx(const struct analyzer_call *call)
{
    return call->units[0]->language == &language_cxx;
}
