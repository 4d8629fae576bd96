/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/suggest.h"

#include <stdio.h>

/* A short word has few letters that could be right by accident. */
static uint32_t slips_max(size_t bytes)
{
    if (bytes <= 2) return 0;
    return bytes == 3 ? 1 : bytes <= 8 ? 2 : 3;
}

void suggest_init(struct suggest *suggest, struct str word)
{
    *suggest = (struct suggest){ .word = word, .distance = slips_max(word.size) + 1 };
}

void suggest_offer(struct suggest *suggest, const char *candidate)
{
    struct str known = str_of(candidate);
    uint32_t distance = str_distance(suggest->word, known);
    size_t used = suggest->offered_bytes, room = sizeof suggest->offered - used;

    if (known.size + sizeof ", " <= room) {
        suggest->offered_bytes += (size_t)snprintf(suggest->offered + used, room, "%s%s",
                                                   used ? ", " : "", candidate);
    }
    /* The beginning of a word is meant as that word. */
    if (suggest->word.size >= 2 && str_starts(known, suggest->word)) distance = 0;
    if (distance >= suggest->distance || distance >= known.size) return;
    suggest->distance = distance;
    suggest->best = candidate;
}

int suggest_refuse(const struct suggest *suggest, const char *what, const char *lead,
                   struct err *err)
{
    struct str word = str_head(suggest->word, 60);

    if (suggest->best) {
        return err_set(err, ERR_USAGE, "unknown %s '%.*s'; did you mean '%s'?", what,
                       STR_ARG(word), suggest->best);
    }
    return err_set(err, ERR_USAGE, "unknown %s '%.*s'; %s: %s", what, STR_ARG(word), lead,
                   suggest->offered);
}
