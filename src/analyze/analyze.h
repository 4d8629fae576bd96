/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze.h - one review by analyzers, from the environment to the answer.
 *
 *     analyze.c  what is asked for, and the answer
 *     run.c      one analyzer over its units
 *     base.c     what a change brings: changed lines, and the project as it was before
 *     read.c     one program's end and report, made findings
 *     key.c      what a unit's findings depend on
 *     cache.c    findings that are kept from run to run
 *     tool.c     sarif:COMMAND and rdjson:COMMAND
 *     program.c  where programs are, and the cage of those that run code of the repository
 *     define.c   analyzers of the user */
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
    const char *baseline;                    /* the commit whose baseline counts; "": the
                                                workspace's does */
    const char *paths;                       /* only these, a line each; "": all */
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
    struct unlooked *unlooked; /* files that could not be looked at: by mem_grow */
    uint32_t unlooked_count, unlooked_cap;
    uint64_t file_ms_max;     /* how long one call of a program may take */
    uint32_t today;           /* in days since 1970 */
    uint64_t told_ms;         /* when there was a word about the progress last */
    struct base *base;        /* base.c; NULL: everything is looked at, or none asked yet */
    struct review *now;       /* of a review of the project as it was: that of what it is */
    struct findings older;    /* what was there before the change: by mem_grow */
};

/* One unit before one analyzer. */
struct unit {
    const struct source *source;
    const char *folder;  /* where the program runs: absolute */
    uint64_t key;
    bool keyed;          /* its findings may be kept */
    bool configured;     /* the repository has settings for it */
    bool known;          /* the cache knew it */
    bool looked;         /* the program did, or cannot */
    bool refused;        /* it cannot: its problem stays */
    bool own;            /* its problem is one of this file, not of the program */
    bool crashed;        /* the program did, on this file and perhaps others */
    const char *missing; /* the header that it needs and that is not there; or NULL */
    bool kept;           /* what it found is in the cache */
    uint64_t base_key;   /* the same of the unit as it was before the change */
    const char *problem; /* why the program could not; NULL: it could */
    struct findings findings; /* list by mem_grow, texts in the review's arena */
};

/* ---- analyze.c ---- */

void review_note(struct review *review, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* By a pattern, or since people did not make the file. */
bool review_excludes(struct review *review, struct str path);
/* Counts it as left out where its file is not in the scope; severe ones are always taken. */
void review_add_scoped(struct review *review, const struct finding *finding);
void review_add(struct review *review, const struct finding *finding);

/* A file that tool could not look at. */
void review_unlooked(struct review *review, const char *file, const char *tool, const char *why);
/* Whether the file is one of a change that is looked at, and not of a look at everything. */
bool review_is_changed(const struct review *review, const struct source *source);

/* Whether it is a unit that is not looked at by itself: the build does not compile it, and it is in
 * no change; or it is a part of another one. */
bool source_is_left_out(const struct review *review, const struct source *source);

/* ---- run.c ---- */

/* What it found goes into the review, and so do the files that it could not look at. ERR_MISSING:
 * its program is not there. ERR_FAILED: it could look at none of its units; the message names the
 * first, and what to do. */
int analyze_units(struct review *review, const struct analyzer *analyzer, struct err *err);

/* ---- base.c ---- */

/* Asks git what has changed, once, where the review is of a change. */
void base_open(struct review *review);
void base_close(struct review *review);
/* Whether the finding stands on a line that has changed, or everything is looked at. */
bool base_has_changed(const struct review *review, const struct finding *finding);
/* The review of the project as it was, made with the first call; NULL: it cannot be compared with.
 * Lives as long as the review. */
struct review *base_review(struct review *review);
/* Whether there was such a unit. */
bool base_had(const struct review *review, const struct source *unit);
/* A word of a command for the work tree, as one for the project as it was; of any other review the
 * word itself. */
const char *base_path(const struct review *review, const char *word, struct arena *arena);
/* Whether the same finding is in the list, of which it is then taken out. */
bool base_takes(struct findings *before, const struct finding *finding);

/* ---- read.c ---- */

/* The units of one call, whose program has ended: their findings, or why there are none. report:
 * the file it may have written. */
void analyze_read(struct review *review, const struct analyzer *analyzer, struct unit **units,
                  uint32_t count, const struct crew_job *job, const char *report);

/* ---- key.c ---- */

/* Sets key, keyed and configured of units that are in the order of their paths. path: of the
 * program, where it is not the one of its name on the PATH; NULL: it is. */
void analyze_keys(struct review *review, const struct analyzer *analyzer, const char *path,
                  struct unit *units, uint32_t count);

/* ---- tool.c ---- */

int analyze_tool(struct review *review, const char *format, const char *command, struct err *err);

#endif
