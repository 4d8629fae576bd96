/* SPDX-License-Identifier: Apache-2.0
 *
 * mutter.c - an analyzer for tests/e2e/additions.sh: a program that complains, in shellcheck's
 * format, about files in a language that no other analyzer reads. */
#include "analyze/analyzers.h"

static const struct language verse = {
    .name = "verse",
    .ends = (const char *const[]){ ".verse", NULL },
};

const struct analyzer analyzer_mutter = {
    .name = "mutter",
    .program = "mutter",
    .package = "mutter",
    .languages = (const struct language *const[]){ &verse, NULL },
    .batch = 1,
    .words = (const char *const[]){ "mutter", "{files}", NULL },
    .status = STATUS_FINDINGS,
    .read = shellcheck_json_read,
};
