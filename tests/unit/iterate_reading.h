/* SPDX-License-Identifier: Apache-2.0
 *
 * iterate_reading.h - iterate's configuration, read from texts in which ' stands for ". */
#ifndef HONE_TESTS_ITERATE_READING_H
#define HONE_TESTS_ITERATE_READING_H

#include "dialect/iterate/iterate.h"

#define READING_USER "~/.claude/iterate-config.json"
#define READING_PROJECT ".claude/iterate-config.local.json"

struct reading {
    struct arena arena;
    struct iterate_config config;
    struct warnings warnings;
};

/* NULL: the file is not there. */
void reading_open(struct reading *reading, const char *user, const char *project);
void reading_close(struct reading *reading);

/* The effective value as JSON; "-" where the phase has no such field. */
const char *reading_value(struct reading *reading, uint32_t number, enum iterate_field field);

/* Fails the test unless both have the same value everywhere. */
void reading_same(struct reading *a, struct reading *b);

/* A copy with " for '. */
const char *reading_quoted(struct arena *arena, const char *text);

#endif
