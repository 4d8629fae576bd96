/* SPDX-License-Identifier: Apache-2.0
 *
 * verb.h - a verb of the command line, as data: parsing, help and man pages all read this.
 *
 * A verb is a row of verbs.h and a file of its own.
 *
 * Room: one verb, one file, one row; help and manual pages come from the same tables. */
#ifndef HONE_CMD_VERB_H
#define HONE_CMD_VERB_H

#include "cmd/version.h"
#include "run/exit_code.h"

struct call;
struct page;

struct option {
    const char *name;     /* without the dashes; "" where there is only a letter */
    char letter;          /* -C; 0: none */
    const char *argument; /* "DURATION"; NULL for a switch */
    const char *help;
    const char *words;    /* its values, "low, medium or high", for shells; NULL: no list */
};

struct argument {
    const char *name; /* as the synopsis shows it */
    bool many;        /* the last one: there may be several */
    bool optional;    /* where words are missing, this one is left out before those that are not */
    const char *help;
    const char *words; /* its values, listed where the user left it out; NULL: no list */
};

struct code_help {
    enum exit_code code;
    const char *help;
};

struct verb {
    const char *name;
    const char *summary;               /* half a sentence, small letter, no final point */
    /* Tables: the first empty row ends each, and the last row is one (page.c asserts it). */
    const char *text[6];               /* paragraphs */
    struct argument arguments[4];
    struct option options[32];
    const struct verb *like;           /* its options are options of this verb, too, but for those
                                          of the same name; may be NULL */
    bool dialect_options;              /* the options of every dialect are options of this verb */
    struct code_help codes[9];
    const char *examples[6];           /* command lines */
    void (*extend)(struct page *page); /* sections of its own; may be NULL */
    int (*handle)(struct call *call);  /* does it; the exit code */
};

extern const struct verb *const verbs[]; /* those of verbs.h; NULL ends */

/* ERR_USAGE with a suggestion. */
int verb_find(const char *word, const struct verb **out, struct err *err);

/* Accepted before and behind every verb; name NULL ends. */
extern const struct option common_options[];

/* The argument that names a run. */
#define ARGUMENT_RUN \
    { .name = "RUN", .optional = true, .help = "the run, or the beginning of its name; the " \
      "newest of this workspace by default" }

/* The options that show a part of a long list (call_slice()). */
#define OPTIONS_SLICE(things)                                                        \
    { .name = "from", .argument = "N",                                               \
      .help = "leave out the first N " things },                                     \
    { .name = "count", .argument = "N", .help = "at most N " things }

#endif
