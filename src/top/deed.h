/* SPDX-License-Identifier: Apache-2.0
 *
 * deed.h - a verb that a key asks for: `hone stop`, `hone resume`, `hone answer`, as a process of
 * its own that outlives the screen. */
#ifndef HONE_TOP_DEED_H
#define HONE_TOP_DEED_H

#include "io/process/background.h"
#include "top/model.h"

/* {0}: nothing is under way. */
struct deed {
    struct background process;
    bool at_work;
    enum top_act act;
    char run[TOP_ID_BYTES];
    uint64_t since_ms;
};

/* Does state->act to a run of the repository in that folder; what cannot be done is said. */
void deed_begin(struct deed *deed, struct top_state *state, const struct top_model *model,
                const char *folder);
/* Looks how it is; whether there is something to say, which then stands in the state. */
bool deed_step(struct deed *deed, struct top_state *state);
void deed_leave(struct deed *deed); /* it goes on without us */

#endif
