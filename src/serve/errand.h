/* SPDX-License-Identifier: Apache-2.0
 *
 * errand.h - a verb of hone as a process of its own, for a server: in a session of its own, so that
 * what it begins outlives the server and its client. */
#ifndef HONE_SERVE_ERRAND_H
#define HONE_SERVE_ERRAND_H

#include "base/arena.h"
#include "io/process/background.h"

enum { ERRAND_ARGUMENTS_MAX = 96, ERRAND_LOOK_MS = 50 };

/* {0} is empty. */
struct errand {
    struct background process;
    struct arena arena;
    const char *cwd;
    const char *run;  /* "" until it is known; NULL: it is no matter of a run that goes on */
    uint64_t before;  /* events that run had */
};

enum errand_state {
    ERRAND_WAITS,
    ERRAND_GOES_ON, /* the journal shows that the run goes on: it may be left alone */
    ERRAND_ENDED,
};

/* arguments: those of hone, without its name; NULL ends. run: as in struct errand. errand_leave()
 * is due in any case. */
int errand_begin(struct errand *errand, const char *const *arguments, const char *cwd,
                 const char *run, uint64_t before, size_t out_bytes_max, struct err *err);
/* *status: of ERRAND_ENDED, its exit status. */
enum errand_state errand_look(struct errand *errand, int *status);
void errand_stop(const struct errand *errand); /* it is asked to end */
void errand_leave(struct errand *errand);      /* it goes on without us; empty afterwards */

/* The last line of what it said about its end, without hone's name in front. */
struct str errand_last_words(const struct errand *errand);

#endif
