/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger_scene.h - findings over rounds, with the real engine saying who is asked when.
 *
 * What a reviewer finds is written as "[low |med |note ]FILE:LINE TEXT [EVIDENCE", with a semicolon
 * between two of them; "" is a clean review. What nothing is said of is grave. */
#ifndef HONE_TESTS_UNIT_LEDGER_SCENE_H
#define HONE_TESTS_UNIT_LEDGER_SCENE_H

#include "../sim/plans.h"
#include "core/engine.h"

struct scene {
    struct fixture fixture;
    struct engine engine;
    struct actions actions;
    struct arena arena;   /* of lists, and of the plan's phases where it has a policy */
    const char *by;       /* the backend of what is told from now on */
};

/* The review plan with so many reviewers: critic, pedant, witness; not started. */
void rounds_begin(struct scene *scene, uint32_t reviewers);
/* The same, and going on until what the policy says; not started, and started. */
void rounds_until_waiting(struct scene *scene, uint32_t reviewers, const char *policy,
                          uint32_t eyes);
void rounds_until(struct scene *scene, uint32_t reviewers, const char *policy, uint32_t eyes);
/* The same with waivers: findings, as a review has them; "grave " in front of what holds for a
 * grave one as well. They are told with the start, or with a resume. */
void rounds_until_waived(struct scene *scene, const char *policy, const char *waivers);
void rounds_resume(struct scene *scene, const char *waivers);
void rounds_end(struct scene *scene);

void rounds_tell(struct scene *scene, struct event event);
/* An attempt at a review ends. Its texts are gone after the call, as an event's are. */
void rounds_tell_review(struct scene *scene, uint32_t job, uint32_t attempt, enum verdict verdict,
                       const char *findings);
/* The first attempt of that job does. */
void rounds_review(struct scene *scene, uint32_t job, const char *findings);
/* The newest attempt of the nth that is asked now, from 0. */
void rounds_answer(struct scene *scene, uint32_t nth, const char *findings);
/* All that are asked now, in turn; those behind the last answer say that it is clean. */
void rounds_round(struct scene *scene, const char *first, const char *second);

/* What a fixer did. */
struct rounds_repair {
    struct line_map moved;
    const char *declined, *untouched; /* findings, as a review has them */
    bool unchanged;
};

/* The fixer that is asked now ends so. */
void rounds_repair(struct scene *scene, struct rounds_repair repair);
/* Moves of one file by one hunk; they live in the scene. */
struct line_map rounds_moved(struct scene *scene, const char *old_path, const char *new_path,
                            struct line_hunk hunk);

/* The findings of the text, in arena; how many. */
uint32_t rounds_findings(const char *text, struct arena *arena, struct finding **out);

/* The nth entry as they were first reported; it must be there. */
const struct ledger_entry *rounds_entry(struct scene *scene, uint32_t nth);
uint32_t rounds_count(struct scene *scene);
/* "STATE ROLE FILE:LINE TEXT FIRST-LAST\n" of each: FIRST and LAST are rounds. */
void rounds_expect(struct scene *scene, const char *expected);
/* All that the ledger holds, as text: a difference in it is a difference here. */
struct buf rounds_print(struct scene *scene);
/* "STATE STATE ...": of each entry. */
void rounds_states(struct scene *scene, const char *expected);

#endif
