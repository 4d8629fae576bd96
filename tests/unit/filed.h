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

void filed_begin(struct filed *filed);
void filed_end(struct filed *filed);
/* The text must be one that can be read. */
void filed_read(struct filed *filed, const char *text);
/* The file as it would be written now; good until the next call. */
const char *filed_now(struct filed *filed);

#endif
