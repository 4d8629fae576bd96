/* SPDX-License-Identifier: Apache-2.0
 *
 * top.h - runs on the whole terminal: a list of them, one of them, one of its attempts.
 *
 * Room: the full screen: what is known of runs (model.h) and what a person chose (choose.h) as
 * lines (layout.h) on a terminal (canvas.h). Nothing here changes a run: keys that do start verbs.
 * Not here: the block of lines that a run at work draws (view), and the page in a browser. */
#ifndef HONE_TOP_TOP_H
#define HONE_TOP_TOP_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct top_request {
    const char *const *folders; /* repositories */
    uint32_t folder_count;
    bool read_only;
    bool color;
};

/* Returns when the person has quit, with the terminal as it was found; *asked: a signal asked for
 * it. ERR_USAGE: this is no terminal for it, or there is no repository. */
int top_show(const struct top_request *request, bool *asked, struct err *err);

#endif
