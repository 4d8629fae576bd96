/* SPDX-License-Identifier: Apache-2.0
 *
 * parse.h - a command line read against the tables of verbs and dialects. Pure. */
#ifndef HONE_CMD_PARSE_H
#define HONE_CMD_PARSE_H

#include "cmd/verb.h"

struct dialect;

/* An option as it was given. */
struct given {
    const char *name;
    const char *value; /* NULL for a switch */
    bool of_dialect;   /* not the verb's own, but one of its dialects' */
    uint32_t behind;   /* so many arguments stand in front of it */
};

/* One command line. Texts are borrowed from argv. */
struct call {
    struct arena arena;
    const struct verb *verb; /* NULL: none was named */
    bool json, quiet, no_color, no_pager, help, version;
    const char *folder;      /* -C; NULL: here */
    const char **arguments;
    uint32_t argument_count;
    uint32_t plain_count;    /* those of them that stand in front of "--" */
    struct given *given;     /* in order; the common options are not among them */
    uint32_t given_count;
    bool color;              /* set by main: standard error may be coloured */
    bool out_terminal;       /* set by main: standard output is a terminal */
    bool out_color;          /* set by main: standard output may be coloured */
    const char *cwd;         /* set by main: absolute, after -C */
    const char *index;       /* set by main: git's index by its environment, as a hook has it; or
                                NULL */
};

/* ERR_USAGE says in one line what is wrong and what may have been meant. With help or version
 * set nothing is missing: `hone run --help` is fine. */
int call_parse(struct call *call, int argc, const char *const *argv, struct err *err);
void call_release(struct call *call);

/* The nth argument, or NULL. */
const char *call_argument(const struct call *call, uint32_t nth);

/* The value of an option of the verb's own, the last one given; NULL when it was not given. */
const char *call_value(const struct call *call, const char *name);
bool call_has(const struct call *call, const char *name);

/* The option of that name that a dialect has; NULL: none. */
const struct dialect_option *dialect_option_in(const struct dialect *dialect, struct str name);

/* 90s, 15m, 2h, or seconds without a unit; 0 is allowed. ERR_USAGE names the option. */
int duration_parse(const char *option, const char *text, uint64_t *ms, struct err *err);

/* --from and --count of a verb that shows a part of a long list; ERR_USAGE names the option. */
int call_slice(const struct call *call, uint32_t *from, uint32_t *count, struct err *err);

#endif
