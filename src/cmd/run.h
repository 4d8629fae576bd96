/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h - what a command line of hone run comes to: for hone run, and for prompts in a host that
 * ask for the same. */
#ifndef HONE_CMD_RUN_H
#define HONE_CMD_RUN_H

#include "cmd/own.h"
#include "cmd/parse.h"

#include "core/plan.h"
#include "settings/settings.h"

struct run_request {
    const struct dialect *dialect;
    const struct config_text *loop; /* of a loop of one's own: LOOP_FILES files; else NULL */
    const char *task;             /* NULL: the command line says it */
    const struct run_settings *before; /* of a run that looked at the same; NULL: there is none */
    const struct str *project;    /* the hone.json that counts (settings/hone_files.h); NULL: the
                                     one of the folder */
    bool previews;                /* nothing is started: nothing may be written, and ... */
    const char *problem;          /* ... this is why it could not be: its task is missing; NULL */
    const struct backend *const *backends; /* that are chosen from; NULL: all */
    struct hone_own own;          /* what files say: flags are put over it */
    struct run_settings settings;
    struct plan plan;
};

/* The dialect that the word names, or the loop of one's own; suggests the nearest. */
int run_find_dialect(struct call *call, const char *word, struct run_request *request,
                     struct err *err);
/* Reads everything but the agents of roles that no SPEC was named for. call->cwd must be set.
 * The caller calls run_request_release(), also after a failure. */
int run_take(struct call *call, struct run_request *request, struct err *err);
void run_request_release(struct run_request *request);

/* The same in three steps, of a request whose dialect is known. What files and the command line
 * say, the latter last; the user agrees to what settings files would run; agents for the roles that
 * were given none: they become part of what was asked for. */
int run_take_all(struct call *call, struct run_request *request, struct err *err);
int run_agree(struct call *call, struct run_request *request, struct err *err);
int run_choose_rest(struct call *call, struct run_request *request, struct err *err);

/* Who would play, as run_choose_rest() chooses: *cast is what was asked for, with what files of the
 * dialect say and the agents that were chosen; where it fails, with those that were named. Says
 * nothing and leaves the request as it is. ERR_MISSING where the choice is by files and, by make,
 * there is no repository. */
int run_cast(struct call *call, const struct run_request *request, enum repo_make make,
             struct run_settings *cast, struct selection *chosen, struct err *err);

/* Whether hone run has an option of this name (which may go on with "=VALUE") for the dialect;
 * *wants: it has an argument. */
bool run_knows_option(const struct dialect *dialect, struct str name, bool *wants);

#endif
