/* SPDX-License-Identifier: Apache-2.0
 *
 * loops_scene.h - a loops run without agents: the real plan, the real engine, answers by hand. */
#ifndef HONE_TESTS_LOOPS_SCENE_H
#define HONE_TESTS_LOOPS_SCENE_H

#include "dialect/loops/loops.h"

#define LOOPS_FENCE "fence7f3a"

/* Two groups; in the first b waits for a. */
#define LOOPS_TASKS \
    "{\"tasks\":[{\"id\":\"a\",\"title\":\"Add a\",\"description\":\"All of a.\"," \
    "\"group\":\"one\"}," \
    "{\"id\":\"b\",\"title\":\"Add b\",\"group\":\"one\",\"depends_on\":[\"a\"]}," \
    "{\"id\":\"c\",\"title\":\"Add c\",\"group\":\"one\"}," \
    "{\"id\":\"d\",\"title\":\"Add d\",\"group\":\"two\"}]}"

#define LOOPS_PASS "{\"passed\":true,\"intentSatisfied\":true,\"issues\":[]}"
#define LOOPS_FAIL \
    "{\"passed\":false,\"interpretedIntent\":\"to be of use\",\"intentSatisfied\":false," \
    "\"issues\":[{\"file\":\"a.c\",\"line\":3,\"type\":\"dead-code\"," \
    "\"description\":\"nobody calls it\",\"suggestion\":\"remove it\"}]}"

struct loops_scene {
    struct arena arena;
    struct setting items[8];
    struct config_text files[2];
    struct settings settings;
    struct plan plan;
    struct engine engine;
    struct actions actions; /* of the last step */
    struct run_view run;
    uint64_t now_ms;        /* a second more with each step, from 2026-01-02T03:04:05Z on */
};

/* Opens a run of these files (NULL: not given) with an effort (NULL: none named) and starts it. */
void loops_open(struct loops_scene *scene, const char *tasks, const char *spec,
                const char *effort);
void loops_close(struct loops_scene *scene);
void loops_event(struct loops_scene *scene, struct event event);

/* What is asked of the lane now; fails the test where it is not asked of this role. */
struct action loops_action(const struct loops_scene *scene, uint32_t lane, const char *role);
/* That lane's agent answers, by the dialect's own judge. */
struct result loops_answer(struct loops_scene *scene, uint32_t lane, const char *role,
                           const char *answer);
/* The builder completes and the review passes. */
void loops_build(struct loops_scene *scene, uint32_t lane);
void loops_merge(struct loops_scene *scene, uint32_t lane);

/* What is asked for now: "1 builder, 2 loop-reviewer", lanes in order. */
const char *loops_asked(struct loops_scene *scene);

/* The rows of a table that the dialect puts now, a line each: "column=value column=value". */
const char *loops_rows(struct loops_scene *scene, const char *table);
const char *loops_text(struct loops_scene *scene, uint32_t lane, const char *role,
                       const char *problem); /* the prompt */

#endif
