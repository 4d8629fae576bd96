/* SPDX-License-Identifier: Apache-2.0
 *
 * headless.h - a run from its start, or from where it was left, to its end: hone starts the
 * agents itself.
 *
 * Room: the driver of `hone run`: one process that starts the agents and waits for them. */
#ifndef HONE_DRIVE_HEADLESS_HEADLESS_H
#define HONE_DRIVE_HEADLESS_HEADLESS_H

#include "core/event.h"
#include "dialect/dialect.h"
#include "settings/settings.h"

struct headless_request {
    const char *start;             /* a folder inside the workspace */
    const char *version;           /* of hone */
    const struct dialect *dialect; /* of a new run, as what follows */
    const char *task;
    const struct run_settings *settings;
    const struct finding *findings; /* that it begins with the repair of; none: with a look */
    uint32_t finding_count;
    const char *resume; /* a run's id or the beginning of one, "" for the newest; NULL: new */
    const char *budget; /* of a resume: new limits, format/text/budget_text.h; NULL: as they are */
    const enum choice *answer; /* of a resume: to the question that is open; NULL: none */
    bool record_only;          /* the answer is journaled, and the run left to a later resume */
    const char *fleet; /* of a resume: where agents play from now on; NULL: where they did */
    bool trust; /* of a resume: the run may be another user's */
    struct buf *run;           /* gets the name of the run, where one is opened; may be NULL */
    bool json, quiet;
    bool mute;  /* the caller says how it ended, unless an agent failed */
    bool color; /* standard error may be coloured; on a terminal, then, there is a view */
};

/* Prints what happens, and returns the exit code (run/exit_code.h). */
int headless_run(const struct headless_request *request);

#endif
