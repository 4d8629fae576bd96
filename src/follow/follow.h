/* SPDX-License-Identifier: Apache-2.0
 *
 * follow.h - the runs of some repositories, kept as they stand while others write them.
 *
 * Nothing is written, and no run notices. What is new is found by the system's word that a journal
 * was written (io/file/watcher.h), by SQLite's that something was committed, and, for what neither
 * tells (a killed run: its workspace's lock is free), by a look each second.
 *
 * Room: journals that are followed, and runs that are kept replayed while they go on: for what
 * shows runs and stays. A verb that shows one and ends has run/look.h. */
#ifndef HONE_FOLLOW_FOLLOW_H
#define HONE_FOLLOW_FOLLOW_H

#include "run/history.h"
#include "run/look.h"
#include "run/sums.h"

enum {
    FOLLOW_REPOSITORIES_MAX = 64,
    FOLLOW_WORKING_MAX = 32, /* runs at work that are kept replayed ... */
    FOLLOW_RESTING_MAX = 8,  /* ... and others that were asked for last, ... */
    FOLLOW_RESTING_EVENTS_MAX = 30000, /* ... of so many events in all, or one */
    FOLLOW_GREW_MS = 100,    /* between two news that the output of one attempt grew */
};

struct follow;

/* A repository that is looked at. Numbers count from 0, as the folders were named. */
struct follow_place {
    const char *folder;       /* as it was named, absolute */
    const struct look *look;  /* its repository and journal, no run; NULL: there is none now */
    const char *problem;      /* why its runs cannot be shown; NULL: they can, or there are none */
};

/* A run that is replayed to its newest event: as struct status (report/status.h) wants it. */
struct follow_run {
    uint32_t repo;
    const struct run_row *row;
    const struct look *look;
    const struct run *replay;
    const struct history *history;
};

enum follow_news_kind {
    FOLLOW_ADDED,   /* a run */
    FOLLOW_CHANGED, /* a run: it has new events, an end, or no process any more */
    FOLLOW_GONE,    /* a run */
    FOLLOW_GREW,    /* the output of an attempt that runs */
    FOLLOW_PLACE,   /* a repository: its problem is another one, or it has none any more */
};

struct follow_news {
    enum follow_news_kind kind;
    uint32_t repo;
    const char *run;               /* its id; NULL of FOLLOW_PLACE */
    const struct follow_run *whole; /* of an added or changed run; NULL: it cannot be read */
    const struct run_row *row;     /* likewise, and never NULL */
    const uint32_t *entries;       /* attempts that are new or changed, as places in the history */
    uint32_t entry_count;
    const uint32_t *rounds;        /* likewise, in the engine's rounds */
    uint32_t round_count;
    uint32_t job, attempt;         /* of FOLLOW_GREW */
    uint64_t bytes;                /* its output has now */
};

typedef void follow_visit(void *context, const struct follow_news *news);

/* A folder where nothing can be shown is no error: its place says why, and is looked at again. Of
 * folders of one repository the first counts. ERR_LIMIT: they are too many. */
int follow_open(struct follow **out, const char *const *folders, uint32_t count, struct err *err);
void follow_close(struct follow *follow); /* accepts NULL */

uint32_t follow_count(const struct follow *follow);
struct follow_place follow_place(const struct follow *follow, uint32_t repo);
/* Its workspace, or the folder where there is none. And what a person calls it: the last part of
 * that; the whole where another one ends so, too. */
const char *follow_workspace(const struct follow *follow, uint32_t repo);
const char *follow_name(const struct follow *follow, uint32_t repo);

/* To wait for: a descriptor (-1: there is none), and how long at most. */
int follow_fd(const struct follow *follow);
int64_t follow_due_in_ms(const struct follow *follow);

/* Brings everything up to date, and tells what is new. Never waits. Pointers of earlier calls are
 * not good any more; those of the news are good for the visit. */
void follow_step(struct follow *follow, follow_visit *visit, void *context);

/* The next step looks at all that it would look at within a second: a verb was played, and who asks
 * next is to see what it did. */
void follow_hurry(struct follow *follow);

/* The row of the run that begins with that prefix; "" is the newest. ERR_MISSING: there is none,
 * nor such a repository; ERR_USAGE: several fit. Good until the next follow_step(). */
int follow_row(struct follow *follow, uint32_t repo, const char *prefix,
               const struct run_row **out, struct err *err);

/* Whether follow_run() would answer at once: else the run is read by the steps that follow. */
bool follow_is_read(struct follow *follow, uint32_t repo, const char *prefix);

/* The run, replayed to its newest event. Good until the next call of this or follow_step(). */
int follow_run(struct follow *follow, uint32_t repo, const char *prefix, struct follow_run *out,
               struct err *err);

/* All runs, the newest first, and the repository of each. Sums of a run that is not read yet are
 * not known; news of it come when they are. Good until the next follow_step(). */
struct follow_rows {
    const struct run_row **rows;
    uint32_t *repos;
    uint32_t count;
    uint32_t unread; /* so many of them */
};
void follow_rows(struct follow *follow, struct follow_rows *out);

#endif
