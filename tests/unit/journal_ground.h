/* SPDX-License-Identifier: Apache-2.0
 *
 * journal_ground.h - a journal in a folder of its own, gone when the test is over. */
#ifndef HONE_TESTS_UNIT_JOURNAL_GROUND_H
#define HONE_TESTS_UNIT_JOURNAL_GROUND_H

#include "store/journal.h"

enum { JOURNAL_PATH_BYTES = 600 };

/* Where it is to be; tests may choose another name in the folder. */
extern char journal_folder[], journal_path[JOURNAL_PATH_BYTES];

int journal_ground_open(void **state); /* cmocka set-up */
int journal_ground_close(void **state);

struct journal *open_journal(void); /* made where there is none; fails the test */

/* SQL from outside, as another program would do it. */
void sql_by_hand(const char *sql);

/* The first column of all rows, with commas; valid until the next call. */
const char *sql_says(const char *sql);

#endif
