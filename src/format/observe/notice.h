/* SPDX-License-Identifier: Apache-2.0
 *
 * notice.h - what a person is told when a run has ended or waits: facts as JSON, as variables, and
 * as a title with a line below. Pure. */
#ifndef HONE_FORMAT_OBSERVE_NOTICE_H
#define HONE_FORMAT_OBSERVE_NOTICE_H

#include "base/arena.h"
#include "base/buf.h"

/* Nothing of it is what an agent said. Texts are borrowed. */
struct run_notice {
    const char *event;  /* "ended", "waiting" or "failed" */
    const char *run, *uuid, *dialect, *workspace;
    const char *reason; /* a fixed word: "clean" */
    const char *line;   /* what that means, half a sentence of hone's */
    const char *next;   /* what to do next, likewise; "": nothing */
    int exit_code;
    uint32_t rounds, found, fixed, open;
    uint64_t cost_micros, tokens_in, tokens_out, active_ms;
    uint64_t now_ms;
    const char *version;
};

/* One object in one line, with its line end. */
void notice_json(const struct run_notice *notice, struct buf *out);

/* "NAME=value" each; NULL ends. Line ends in a value are blanks. Lives in arena. */
const char *const *notice_env(const struct run_notice *notice, struct arena *arena);

/* "hone: review is clean", and "shop, run 7k2m: 2 found, 2 fixed, 0 left". The line below is free
 * of what a desktop would take for markup. Both live in arena. */
const char *notice_title(const struct run_notice *notice, struct arena *arena);
const char *notice_text(const struct run_notice *notice, struct arena *arena);

#endif
