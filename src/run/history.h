/* SPDX-License-Identifier: Apache-2.0
 *
 * history.h - every attempt of a run, with its begin and its end, collected while a journal is
 * replayed. */
#ifndef HONE_RUN_HISTORY_H
#define HONE_RUN_HISTORY_H

#include "base/arena.h"
#include "format/json/json.h"
#include "run/chronicle.h"
#include "run/run.h"

struct entry {
    struct action start;   /* the ACT_START that asked for it */
    uint64_t asked_ms;     /* when the engine asked for it ... */
    uint64_t started_ms;   /* ... and not before which it was to start */
    uint64_t ended_ms;     /* 0: it has not ended, or died with its engine */
    enum verdict verdict;  /* this and all below: once ended */
    enum failure failure;
    uint32_t finding_count;
    bool unchanged;        /* of a repair: it left the tree as it was */
    uint32_t doubt_count;  /* of a repair: findings that it left unresolved */
    enum proof_kind proof; /* of a review that answered */
    struct usage usage;    /* what it used, as far as it told */
    const char *by;        /* the backend that was asked; "" where that is not known */
    const char *problem;   /* "" where there is none */
};

struct history {
    struct arena arena;
    struct entry *entries; /* in the order they were asked for */
    uint32_t count, cap;
    uint32_t job_last;     /* the highest number of a job in there */
    struct chronicle *chronicle; /* after history_keep(); else NULL */
};

/* From now on history_visit() notes what was true between events as well (run/chronicle.h): to be
 * called before the first event. */
void history_keep(struct history *history);

void history_note(struct history *history, const struct event *event,
                  const struct actions *actions);
void history_release(struct history *history);

/* attempt 0: the job's newest. NULL when there is none. */
const struct entry *history_find(const struct history *history, uint32_t job, uint32_t attempt);

/* A run_visit that does nothing but note; context is the history. Also the only one that keeps the
 * chronicle. */
bool history_visit(void *context, const struct run *replay, uint64_t sequence,
                   const struct event *event, const struct actions *actions);

/* The dialect's own name for what an attempt was about: R1, and R2 for its repair. */
const char *entry_phase(const struct entry *entry, const struct plan *plan);

/* JOB-ATTEMPT, as people write it; returns out. */
enum { ENTRY_NAME_BYTES = 24 };
const char *entry_name(const struct entry *entry, char out[ENTRY_NAME_BYTES]);

/* How it ended: "clean", "done", "no change", "findings (2)", "failed (exit)". */
void entry_result(const struct entry *entry, struct buf *out);

void entry_json(const struct entry *entry, const struct plan *plan, yyjson_mut_doc *doc,
                yyjson_mut_val *object);

#endif
