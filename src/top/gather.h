/* SPDX-License-Identifier: Apache-2.0
 *
 * gather.h - fills the model: from the repositories that are followed, and from what an attempt
 * says while it is looked at. */
#ifndef HONE_TOP_GATHER_H
#define HONE_TOP_GATHER_H

#include "base/err.h"
#include "top/model.h"

struct gather;

/* ERR_MISSING, ERR_USAGE: nothing can be shown of any of these folders. */
int gather_open(struct gather **out, const char *const *folders, uint32_t count, struct err *err);
void gather_close(struct gather *gather); /* NULL is accepted */

/* To wait for: a descriptor (-1: none), and how long at most. */
int gather_fd(const struct gather *gather);
int64_t gather_due_in_ms(const struct gather *gather);

/* Takes what is new. Whether there was something; the model's texts may be gone then: fill it. */
bool gather_step(struct gather *gather);
void gather_fill(struct gather *gather, const struct top_state *state, struct top_model *model);

/* The folder of a repository, to start a verb in; NULL: there is none. */
const char *gather_folder(const struct gather *gather, uint32_t repository);

#endif
