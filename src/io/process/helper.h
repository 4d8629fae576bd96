/* SPDX-License-Identifier: Apache-2.0
 *
 * helper.h - a short program that is run to its end for what it says: git, mostly. */
#ifndef HONE_IO_PROCESS_HELPER_H
#define HONE_IO_PROCESS_HELPER_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

/* Takes its standard output; stderr's last line goes into err. ERR_FAILED when it exits with
 * another status than 0, ERR_MISSING when there is no such program, ERR_LIMIT when it says more
 * than out may hold. ERR_SYSTEM when it did not end: a signal to stop came, something is in its
 * way, or it took ten minutes; it is ended then. input may be empty. */
int helper_run(const char *const *argv, const char *const *env, const char *cwd, struct str input,
               struct buf *out, struct err *err);

/* The same for a program that is no git, with bounds of its own. */
struct helper_call {
    const char *const *argv, *const *env; /* as above; env may be NULL */
    const char *cwd;                      /* NULL: our own folder */
    struct str input;
    uint64_t limit_ms; /* then it is ended */
};

/* What it says is in out also where it failed (ERR_FAILED). */
int helper_ask(const struct helper_call *call, struct buf *out, struct err *err);

/* As helper_run(), but what it says goes behind what is in an open file: ERR_LIMIT where that were
 * more than bytes_max. *bytes: how many; on every error some may be there. */
struct helper_sink {
    int fd;
    uint64_t bytes_max, bytes;
};
int helper_pour(const char *const *argv, const char *const *env, const char *cwd,
                struct str input, struct helper_sink *sink, struct err *err);

/* The same in two halves, without input: in between it works beside us. NULL when it could not be
 * started. Each one that was begun must be finished; cwd must live until then. */
struct helper;
struct helper *helper_begin(const char *const *argv, const char *const *env, const char *cwd,
                            struct err *err);
int helper_finish(struct helper *helper, struct buf *out, struct err *err);

#endif
