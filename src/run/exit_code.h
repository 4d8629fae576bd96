/* SPDX-License-Identifier: Apache-2.0
 *
 * exit_code.h - the exit status of hone, and what scripts may rely on. */
#ifndef HONE_RUN_EXIT_CODE_H
#define HONE_RUN_EXIT_CODE_H

#include "base/err.h"
#include "core/event.h"

enum exit_code {
    CODE_DONE = 0,
    CODE_FINDINGS = 1, /* findings remain; of check: invalid */
    CODE_USAGE = 2,    /* the command line, the configuration, or nothing there to work on */
    CODE_FAILED = 3,   /* an agent could not run or kept breaking its contract; or hone could not */
    CODE_BUDGET = 4,
    CODE_WAITING = 5,
    CODE_INTERRUPTED = 130,
};

/* Why a run ended. */
enum exit_code exit_code_of(enum reason reason);

/* Why hone itself did not go on: usage and missing things are 2, the rest is 3. */
enum exit_code exit_code_of_err(const struct err *err);

#endif
