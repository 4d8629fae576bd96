/* SPDX-License-Identifier: Apache-2.0
 *
 * journey.h - a work tree that travels: a driver in the ground's work, a worker in its store.
 *
 * Paths below .agents/ are private. */
#ifndef HONE_TESTS_JOURNEY_H
#define HONE_TESTS_JOURNEY_H

#include "ground.h"
#include "io/travel/travel.h"

struct journey {
    struct ground *ground;
    struct repo repo;
    char store_path[GROUND_PATH_BYTES];
    struct travel_store store;
    const char *known[3]; /* what the next pack stands on */
    const char *carry[4];
    const char *since, *run;
    struct travel_packed packed;
    struct travel_place place;
    struct travel_made made;
    const char *const *closed; /* what no result may change */
    struct travel_applied applied;
    char *user; /* what must stay as it is, as text */
};

void journey_begin(struct journey *journey, void **state);
void journey_end(struct journey *journey);

/* Each must work. */
void journey_pack(struct journey *journey);
void journey_unpack(struct journey *journey);
void journey_go(struct journey *journey);     /* both, and the two trees are the same */
void journey_result(struct journey *journey);
void journey_apply(struct journey *journey);
void journey_return(struct journey *journey); /* both, and the files are brought */

/* Calls that may fail. */
int journey_try_unpack(struct journey *journey, struct err *err);
int journey_try_apply(struct journey *journey, struct err *err);

/* A path in the place's work tree. */
const char *there(const struct journey *journey, const char *path);

/* All that is in a folder, but for .git at its top: kinds, modes, contents; a line each. free() */
char *picture(const char *folder);
void expect_same(const char *one, const char *other); /* two folders */

/* The user's index, HEAD, refs and configuration are as at journey_begin() or journey_mark(). */
void journey_mark(struct journey *journey);
void expect_untouched(struct journey *journey);

/* Both sides' git say the same. */
void expect_git_agrees(struct journey *journey, const char *const *argv);

#endif
