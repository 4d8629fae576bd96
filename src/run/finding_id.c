/* SPDX-License-Identifier: Apache-2.0
 *
 * finding_id.c - the finding that a person's word means.
 *
 *   5c3f0a1b2c3d4e5f-2    the whole name (format/report/listing.h)
 *   5c3f0a1b-2            as it is shown
 *   5c3f                  the beginning of a fingerprint, with or without "-N" behind it
 *
 * 1. A word that fits several names alike is refused, never guessed at.
 * 2. A better fit hides the others: the whole name, then one without a number, then one with. */
#include "run/finding_id.h"

#include "base/str.h"

#include <stdio.h>

const char *finding_id_short(struct str id, char out[LISTING_ID_BYTES])
{
    struct str number = id, print = { "", 0 };

    (void)str_cut(&number, '-', &print);
    (void)snprintf(out, LISTING_ID_BYTES, "%.*s%s%.*s", STR_ARG(str_head(print, LISTING_ID_SHOWN)),
                   number.size > 0 ? "-" : "", STR_ARG(number));
    return out;
}

/* "PREFIX-N" is the beginning of "FINGERPRINT-N": what follows the first letters of a fingerprint
 * need not be written. */
bool finding_id_fits(struct str id, struct str word)
{
    struct str id_rest = id, word_rest = word, id_print, word_print;

    if (word.size == 0 || str_starts(id, word)) return word.size > 0;
    (void)str_cut(&id_rest, '-', &id_print);
    (void)str_cut(&word_rest, '-', &word_print);
    return word_print.size > 0 && word_rest.size > 0 && str_starts(id_print, word_print) &&
           str_eq(id_rest, word_rest);
}

/* How well the word names the name: whole, as one without a number, as one with. */
enum { NAMED_NOT, NAMED_NUMBERED, NAMED_PLAIN, NAMED_WHOLE };

static uint32_t rank_of(struct str id, struct str word)
{
    if (!finding_id_fits(id, word)) return NAMED_NOT;
    if (str_eq(id, word)) return NAMED_WHOLE;
    return str_has(word, '-') || !str_has(id, '-') ? NAMED_PLAIN : NAMED_NUMBERED;
}

bool finding_choose(struct finding_choice *choice, struct str id)
{
    uint32_t rank = rank_of(id, choice->word);

    if (rank == NAMED_NOT || rank < choice->rank) return false;
    if (rank == choice->rank && str_is(id, choice->found)) return false;
    choice->count = rank > choice->rank ? 1 : 2;
    choice->rank = rank;
    (void)snprintf(choice->found, sizeof choice->found, "%.*s", STR_ARG(id));
    return choice->count == 1;
}

int finding_find(const struct ledger *ledger, const char *word, const char *run,
                 const struct ledger_entry **out, struct err *err)
{
    const struct ledger_entry *const *entries;
    struct arena arena = { 0 };
    uint32_t total = ledger_list(ledger, &arena, &entries);
    struct finding_choice choice = { .word = str_of(word) };

    for (uint32_t i = 0; i < total; i++) {
        char name[LISTING_ID_BYTES];

        if (finding_choose(&choice, str_of(listing_id(entries[i], true, name)))) *out = entries[i];
    }
    arena_release(&arena);
    if (choice.count == 1) return 0;
    if (choice.count > 1) {
        return err_set(err, ERR_USAGE, "'%.60s' is the beginning of several findings of run %s: "
                       "write more of it", word, run);
    }
    return err_set(err, ERR_USAGE, "no finding of run %s begins with '%.60s'; 'hone findings %s' "
                   "shows their names", run, word, run);
}
