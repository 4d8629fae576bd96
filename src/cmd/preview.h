/* SPDX-License-Identifier: Apache-2.0
 *
 * preview.h - what a run would do here, said instead of done. */
#ifndef HONE_CMD_PREVIEW_H
#define HONE_CMD_PREVIEW_H

#include "cmd/parse.h"
#include "settings/choose.h"

/* What the command line comes to, without the word that would start it. */
struct preview {
    struct call *call;
    const struct dialect *dialect;
    const struct plan *plan; /* NULL: it could not be compiled */
    const struct run_settings *settings;
    const char *task;    /* NULL: none was said */
    const char *problem; /* why it cannot be started as it was asked for; NULL: nothing known */
};

/* On standard output, in some lines or as JSON; nothing is started and nothing is written. */
int preview_show(const struct preview *preview);

/* Before a run begins: the agents that were chosen, in one line (on a terminal broken between
 * words), and what is not installed but would help. */
void preview_choice(const struct call *call, const struct selection *selection);

/* And until what its gates go on, where they have a policy: one line, and one more of who looks in
 * turn. A run that is given findings to repair has no looks. Nothing with --quiet. */
void preview_policy(const struct call *call, const struct run_settings *settings,
                    const struct plan *plan, bool given);

#endif
