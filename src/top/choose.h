/* SPDX-License-Identifier: Apache-2.0
 *
 * choose.h - what a key does to what is chosen. Pure. */
#ifndef HONE_TOP_CHOOSE_H
#define HONE_TOP_CHOOSE_H

#include "top/canvas.h"
#include "top/model.h"

enum top_step {
    TOP_STAY,
    TOP_QUIT,
    TOP_PERFORM, /* state->act on state->run, with state->choice */
};

enum top_step top_key(struct top_state *state, const struct top_model *model, struct top_key key);

/* The model was filled again: the marked rows are those that were marked, wherever they are now. */
void top_settle(struct top_state *state, const struct top_model *model);

/* What a filter is called. */
const char *top_filter_word(enum top_filter filter);

/* What is shown of a list: the rows in `out`, which has room for all; returns how many. */
uint32_t top_runs_shown(const struct top_state *state, const struct top_model *model,
                        uint32_t *out);
uint32_t top_attempts_shown(const struct top_state *state, const struct top_model *model,
                            uint32_t *out);
/* Whether a text holds what was typed for the page, in any case. */
bool top_holds(const struct top_state *state, struct str text);

/* Whether it can be done with that run; false: *why says why not. */
bool top_may(const struct top_state *state, const struct top_model *model, enum top_act act,
             const char **why);
/* The run that is marked, or looked at; NULL: none. */
const struct top_run *top_chosen(const struct top_state *state, const struct top_model *model);

#endif
