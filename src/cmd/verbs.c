/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/verbs.h"

#include "cmd/suggest.h"

#include "dialect/dialect.h"

#define VERB_POINTER(name) &verb_##name,
const struct verb *const verbs[] = { VERB_ROWS(VERB_POINTER) NULL };
static const struct verb *const hidden[] = { VERB_ROWS_HIDDEN(VERB_POINTER) NULL };

const struct option common_options[] = {
    { .name = "json", .help = "machine-readable output on standard output" },
    { .name = "quiet", .help = "no progress messages; errors are still shown" },
    { .name = "no-pager", .help = "no pager on a terminal" },
    { .name = "no-color", .help = "no colours; the same as the environment variable NO_COLOR" },
    { .name = "", .letter = 'C', .argument = "DIR",
      .help = "work as if hone had been started in DIR" },
    { .name = "help", .letter = 'h', .help = "show help and exit" },
    { .name = "version", .help = "show the version and exit" },
    { .name = NULL },
};

/* The verb of hone for a word that other programs use; NULL: none. */
static const char *other_name(struct str word)
{
    static const struct {
        const char *word, *instead;
    } others[] = {
        { "version", "hone --version" }, { "start", "hone run" },  { "ls", "hone list" },
        { "ps", "hone list" },           { "kill", "hone stop" },  { "cancel", "hone stop" },
        { "continue", "hone resume" },   { "retry", "hone resume" },
        { "remove", "hone rm" },         { "delete", "hone rm" },  { "prune", "hone gc" },
    };

    for (uint32_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (str_is(word, others[i].word)) return others[i].instead;
    }
    return NULL;
}

int verb_find(const char *word, const struct verb **out, struct err *err)
{
    struct suggest suggest;
    const char *near;

    suggest_init(&suggest, str_of(word));
    for (uint32_t i = 0; hidden[i]; i++) {
        if (!str_is(suggest.word, hidden[i]->name)) continue;
        *out = hidden[i];
        return 0;
    }
    for (uint32_t i = 0; verbs[i]; i++) {
        if (str_is(suggest.word, verbs[i]->name)) {
            *out = verbs[i];
            return 0;
        }
        suggest_offer(&suggest, verbs[i]->name);
    }
    if (dialect_find(suggest.word)) {
        return err_set(err, ERR_USAGE, "unknown verb '%s'; did you mean 'hone run %s'?", word,
                       word);
    }
    near = other_name(suggest.word);
    if (!near) near = suggest.best;
    if (near) {
        return err_set(err, ERR_USAGE, "unknown verb '%.60s'; did you mean '%s'?", word, near);
    }
    return err_set(err, ERR_USAGE, "unknown verb '%.60s'; 'hone --help' lists them", word);
}
