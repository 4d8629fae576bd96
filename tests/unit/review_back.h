/* SPDX-License-Identifier: Apache-2.0
 *
 * review_back.h - contract files of review back to a run, and what it would record. */
#ifndef HONE_TESTS_REVIEW_BACK_H
#define HONE_TESTS_REVIEW_BACK_H

#include "review_scene.h"

struct review_back {
    struct arena arena;
    struct plan plan;
    struct engine engine;
    struct restored restored;
    struct contract record; /* of the run that was restored */
};

/* By the settings that the files name; fails the test where they are refused. Of the view all but
 * engine and task counts. */
void review_back_open(struct review_back *back, const struct contract *files,
                      struct run_view view);
void review_back_close(struct review_back *back);

/* Where the run stands, and who has still to answer: "reviewing critic witness". */
const char *review_back_left(const struct engine *engine, struct arena *arena);

#endif
