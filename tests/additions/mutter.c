/* SPDX-License-Identifier: Apache-2.0
 *
 * mutter.c - an analyzer for tests/e2e/additions.sh: a program that complains, in shellcheck's
 * format, about files in a language that no other analyzer reads. */
#include "analyze/analyzers.h"
#include "analyze/words.h"

static const struct language verse = {
    .name = "verse",
    .ends = (const char *const[]){ ".verse", NULL },
};

static const char *const *mutter_command(const struct analyzer_call *call, struct arena *arena)
{
    struct words words = { .arena = arena };

    word_add(&words, "mutter");
    word_add_units(&words, call);
    return words_take(&words);
}

const struct analyzer analyzer_mutter = {
    .name = "mutter",
    .program = "mutter",
    .package = "mutter",
    .languages = (const struct language *const[]){ &verse, NULL },
    .batch = 1,
    .command = mutter_command,
    .status = STATUS_FINDINGS,
    .read = shellcheck_json_read,
};
