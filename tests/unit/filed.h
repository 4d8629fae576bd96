/* SPDX-License-Identifier: Apache-2.0
 *
 * filed.h - a session file that a test reads, changes and writes again. */
#ifndef HONE_TESTS_UNIT_FILED_H
#define HONE_TESTS_UNIT_FILED_H

#include "dialect/session/file.h"

struct filed {
    struct session_file file;
    struct buf written; /* as it was written last */
};

extern struct filed filed; /* of the test that runs */

int filed_open(void **state); /* cmocka set-up: an empty file */
int filed_close(void **state);
/* The text must be one that can be read. */
void filed_read(const char *text);
/* The file as it would be written now; good until the next call. */
const char *filed_now(void);

#endif
