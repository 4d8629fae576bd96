/* SPDX-License-Identifier: Apache-2.0
 *
 * acts.h - verbs of hone that a page wants: each is a process of its own. */
#ifndef HONE_SERVE_UI_ACTS_H
#define HONE_SERVE_UI_ACTS_H

#include <stdint.h>

enum { ACTS_MAX = 16, ACT_OUT_BYTES_MAX = 16 << 20 };

struct site;
struct act;

/* Those that are at work. {0} is empty. */
struct acts {
    struct act *first;
    uint32_t count;
};

/* Answers those that are done. */
void acts_step(struct site *site, uint64_t now_ms);
int64_t acts_due_in_ms(const struct acts *acts, uint64_t now_ms); /* -1: none is at work */
/* The client is gone: a question is taken back, an act goes on. */
void acts_gone(struct acts *acts, uint64_t client);
void acts_release(struct acts *acts);

#endif
