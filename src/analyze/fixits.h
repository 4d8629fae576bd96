/* SPDX-License-Identifier: Apache-2.0
 *
 * fixits.h - what the files of the fixer without a model share. For them and their tests. */
#ifndef HONE_ANALYZE_FIXITS_H
#define HONE_ANALYZE_FIXITS_H

#include "analyze/project.h"
#include "format/json/finding_json.h"
#include "format/report/patch.h"

enum { WHY_BYTES_MAX = 1024 }; /* of a reason, one line */

/* What a change did to the project. */
enum fixits_fate {
    FATE_NONE, FATE_BUILD, FATE_TEST,
    FATE_GROUP,   /* it or another one of its group breaks the test: which is not known */
    FATE_UNTRIED, /* the round's test runs were used up */
};

/* A file that some fix is for: three contents, and which of them is on disk. */
struct fixits_file {
    struct buf old;  /* as it was when we came */
    struct buf now;  /* as we made it, where ours */
    struct buf next; /* as we were about to make it, where unsure */
    bool ours, unsure;
    bool kept;       /* its old bytes are in the attempt's folder (fixits_undo.c) */
    bool lost;       /* another process changed it: it is not touched any more */
};

/* What became of a finding whose fix was tried. */
struct fixits_item {
    enum fixits_fate fate;
    const char *why;   /* the first error, one line */
    uint32_t line;     /* where it is fixed now; 0: nowhere */
};

enum fixits_test {
    TEST_NONE,    /* there is no command */
    TEST_UNTRIED, /* it was not run without our fixes yet */
    TEST_JUDGES,  /* it passed without them */
    TEST_USELESS, /* it failed without them, too */
};

struct fixits {
    struct arena arena;
    const char *workspace, *test, *output, *since; /* as the environment has them; NULL: not */
    const char *attempt;       /* the folder of the answer, which it can write to; NULL: none */
    const char *folder;        /* the run's own, with the attempts before; NULL: none */
    const char *const *exclude;
    const char *const *private_paths; /* prefixes; NULL ends, or none */
    struct findings findings;
    struct patch patch;
    struct fixits_file *files; /* one for each of patch.files */
    struct fixits_item *items; /* one for each of patch.items */
    bool by_people;            /* generated and vendored files are not touched */
    bool fixes_all;            /* risky fixes are made also without a test */
    uint32_t tests_run;
    bool *good;                /* by change: it is made, and nothing broke */

    uint64_t *refused;         /* ascending */
    uint32_t refused_count, refused_cap;
    bool refused_damaged;

    struct project project;
    bool project_opened;
    bool base_known;           /* project.sources[].broken says what did not compile before */
    enum fixits_test test_state;
    enum fixits_fate fate;     /* of the last check that failed */
    struct buf why;            /* its first error */
};

/* ---- fixits.c ---- */

/* Whether items first to first + count - 1 are good on top of all that good[] says so far. */
struct bisect {
    int (*passes)(void *context, uint32_t first, uint32_t count, bool *ok, struct err *err);
    void (*bad)(void *context, uint32_t item); /* may be NULL; called behind the failed check */
    /* Whether so many more checks may be made; NULL: any number. With it drop is set, too: for
     * items about which nothing more may be asked. fails: together they fail. */
    bool (*may_ask)(void *context, uint32_t asks);
    void (*drop)(void *context, uint32_t first, uint32_t count, bool fails);
    const uint32_t *ends; /* of each item, where its group ends: groups are cut apart first; NULL:
                             each is one */
    void *context;
    bool *good; /* all false at first */
};
int fixits_bisect(const struct bisect *bisect, uint32_t count, struct err *err);

/* Fixes that broke something, for the rest of the run. */
void fixits_recall(struct fixits *fixits);
void fixits_refuse(struct fixits *fixits, uint64_t identity);
void fixits_remember(struct fixits *fixits); /* to disk; a failure is said and no harm */

/* ---- fixits_undo.c; all do nothing where there is no folder of the attempt ---- */

#define UNDO_NAME "undo"
#define UNDO_MADE_NAME "undo-made"

/* Before the first edit: the files as they are. */
int fixits_keep(struct fixits *fixits, struct err *err);
/* Before next of the files in list[] (ascending) is written. */
int fixits_intend(struct fixits *fixits, const uint32_t *list, uint32_t count, struct err *err);
/* What is in the tree now stays. */
int fixits_settle(const char *attempt, struct err *err);

/* ---- fixits_report.c ---- */

/* The line of the summary that says that the test could not judge begins and ends so. */
#define FIXITS_TEST_LINE "- Whether the test passes: "
#define FIXITS_TEST_USELESS ". It failed before any fix, and could not judge."
/* So begin the line that says that nothing but the compiler has judged the fixes, and the one with
 * the number of findings whose fix is risky and was not made. */
#define FIXITS_UNVERIFIED_LINE "- Nothing verified the fixes: "
#define FIXITS_HELD_LINE "- Held back as risky: "

/* The summary, in Markdown. */
void fixits_report(struct fixits *fixits, struct buf *out);
/* Text from outside as a code span of one line, at most about bytes_max bytes. */
void fixits_quote(struct buf *out, struct str text, size_t bytes_max);

#endif
