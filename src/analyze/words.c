/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c - the words of an analyzer's command: of a row that is data, and for functions that put
 * them together. */
#include "analyze/words.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

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

const char *const *analyzer_command(const struct analyzer *analyzer,
                                    const struct analyzer_call *call, struct arena *arena)
{
    struct words words = { .arena = arena };
    const char *const *list = analyzer->words;

    if (analyzer->command) list = analyzer->command(call, arena);
    for (uint32_t i = 0; list[i]; i++) {
        if (analyzer->command) {
            word_add(&words, list[i]);
        } else if (strcmp(list[i], "{files}") == 0) {
            word_add_units(&words, call);
        } else if (strcmp(list[i], "{settings}") == 0) {
            word_add_list(&words, call->configured ? analyzer->configured : analyzer->bare);
        } else {
            word_add(&words, list[i]);
        }
    }
    if (call->program && words.count > 0) words.items[0] = call->program;
    return words_take(&words);
}

bool call_is_cxx(const struct analyzer_call *call)
{
    return call->units[0]->language == &language_cxx;
}
