/* SPDX-License-Identifier: Apache-2.0
 *
 * flat_config.h - settings as `key: value` lines.
 *
 *     # a comment
 *     soft_limit_plan: 3          # also behind a value
 *     docs_file: "CHANGELOG.md"   # in quotes a # is a #; \" \\ \n \t in double ones, '' in single
 *     review_focus: |             # lines that are indented more, without that indentation
 *       what to look at
 *
 * Nothing in it is an error that ends reading: a line that is none of these is kept as a problem,
 * and reading goes on behind it. A key that comes twice has its last value. */
#ifndef HONE_FORMAT_JSON_FLAT_CONFIG_H
#define HONE_FORMAT_JSON_FLAT_CONFIG_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct flat_value {
    struct str key, text;
    uint32_t line;  /* of the key, from 1 */
    bool replaced;  /* the key comes again further down */
};

struct flat_problem {
    uint32_t line;
    const char *text; /* what is wrong, half a sentence */
};

struct flat_config {
    struct flat_value *values;
    uint32_t count, cap;
    struct flat_problem *problems;
    uint32_t problem_count, problem_cap;
};

/* Everything lives in arena. */
void flat_config_read(struct str text, struct arena *arena, struct flat_config *out);
/* The value that counts; NULL: the key is not there. */
const struct flat_value *flat_config_find(const struct flat_config *config, const char *key);

#endif
