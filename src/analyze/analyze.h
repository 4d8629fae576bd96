/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze.h - one review by analyzers, from the environment to the answer.
 *
 *     analyze.c  what is asked for, and the answer
 *     run.c      one analyzer over its units
 *     read.c     one program's end and report, made findings
 *     key.c      what a unit's findings depend on
 *     cache.c    findings that are kept from run to run
 *     tool.c     sarif:COMMAND and rdjson:COMMAND */
#ifndef HONE_ANALYZE_ANALYZE_H
#define HONE_ANALYZE_ANALYZE_H

#include "analyze/analyzer.h"
#include "analyze/cache.h"
#include "analyze/locate.h"
#include "analyze/made_look.h"
#include "analyze/project.h"
#include "io/process/crew.h"

enum {
    REPORT_BYTES_MAX = 256 << 20,
    SAID_BYTES_MAX = 1 << 20,     /* of standard error, where the report is not */
    PATH_SHOWN_MAX = 200, LINE_SHOWN_MAX = 300,
};

struct review {
    struct arena arena;
    const char *workspace, *folder, *output; /* folder: of the output, for reports */
    const char *cache;                       /* NULL: none */
    const char *since;                       /* "": everything */
    const char *const *exclude;              /* NULL ends */
    const char *const *private_paths;        /* the same */
    struct project project;
    struct locator locator;
    bool by_people;           /* findings in generated and vendored files are left out */
    struct made_look made;    /* for files that are no sources */
    struct str made_path;     /* the last of them that was asked about ... */
    bool made_by_people;      /* ... and the answer */
    struct findings findings; /* what is answered; lists by mem_grow */
    uint32_t left_out;        /* findings in files that are not in the scope */
    uint32_t today;           /* in days since 1970 */
    uint64_t told_ms;         /* when there was a word about the progress last */
};

/* One unit before one analyzer. */
struct unit {
    const struct source *source;
    uint64_t key;
    bool keyed;          /* its findings may be kept */
    bool configured;     /* the repository has settings for it */
    bool known;          /* the cache knew it */
    bool looked;         /* the program did, or cannot */
    bool refused;        /* it cannot: its problem stays */
    bool kept;           /* what it found is in the cache */
    const char *problem; /* why the program could not; NULL: it could */
    struct findings findings; /* list by mem_grow, texts in the review's arena */
};

/* ---- analyze.c ---- */

void review_note(struct review *review, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* By a pattern, or since people did not make the file. */
bool review_excludes(struct review *review, struct str path);
/* Counts it as left out where its file is not in the scope; severe ones are always taken. */
void review_add(struct review *review, const struct finding *finding);

/* ---- run.c ---- */

/* What it found goes into the review. ERR_MISSING: its program is not there. ERR_FAILED: it could
 * not look at some unit; the message names it, and what to do. */
int analyze_units(struct review *review, const struct analyzer *analyzer, struct err *err);

/* ---- read.c ---- */

/* The units of one call, whose program has ended: their findings, or why there are none. report:
 * the file it may have written. */
void analyze_read(struct review *review, const struct analyzer *analyzer, struct unit **units,
                  uint32_t count, const struct crew_job *job, const char *report);

/* ---- key.c ---- */

/* Sets key, keyed and configured of units that are in the order of their paths. */
void analyze_keys(struct review *review, const struct analyzer *analyzer, struct unit *units,
                  uint32_t count);

/* ---- tool.c ---- */

int analyze_tool(struct review *review, const char *format, const char *command, struct err *err);

#endif
