/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline.h - findings that a repository knows of, in a file that is committed:
 *
 *     {"version":1,"findings":[{"file":"a.c","rule":"gcc/-Wformat","text":"...",
 *      "fingerprint":"00c0ffee00c0ffee","evidence":"00c0ffee00c0ffee","count":2}]}
 *
 * A finding is known by its file, its text and the line that it quotes, not by the number of that
 * line: it stays known where lines have moved. It hides what it lists, as often as it lists it, and
 * nothing else. */
#ifndef HONE_FORMAT_REPORT_BASELINE_H
#define HONE_FORMAT_REPORT_BASELINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/finding.h"

#define BASELINE_PATH ".hone/baseline.json"

enum { BASELINE_BYTES_MAX = 64 << 20 };

struct baseline_item {
    struct str file, rule, text; /* rule and text are for people */
    uint64_t fingerprint, evidence;
    uint32_t count;
};

/* {0} is an empty one. Texts are borrowed. */
struct baseline {
    struct baseline_item *items; /* by mem_grow */
    uint32_t count, cap;
};

void baseline_release(struct baseline *baseline);
/* Texts live in arena. ERR_FORMAT says what is wrong; the baseline is empty then. */
int baseline_read(struct str text, struct arena *arena, struct baseline *out, struct err *err);
/* One more of it. rule: with its tool, as people read it. */
void baseline_add(struct baseline *baseline, const struct finding *finding, struct str rule);
/* Lists what the other lists and this one does not, or not as often. */
void baseline_join(struct baseline *baseline, const struct baseline *other);
/* Whether it is listed; it is then listed once less. */
bool baseline_takes(struct baseline *baseline, const struct finding *finding);
/* In the order of files, rules and texts: what is committed changes where findings do. */
void baseline_write(struct baseline *baseline, struct buf *out);

#endif
