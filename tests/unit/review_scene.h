/* SPDX-License-Identifier: Apache-2.0
 *
 * review_scene.h - a review run without agents: the real plan, the real engine, answers by hand. */
#ifndef HONE_TESTS_REVIEW_SCENE_H
#define HONE_TESTS_REVIEW_SCENE_H

#include "dialect/dialect.h"

#define SCENE_FENCE "fence7f3a"
#define SCENE_CLEAN \
    "{\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,\"info\":0,\"verdict\":\"clean\"}}"

struct scene {
    struct arena arena;
    struct plan plan;
    struct engine engine;
    struct actions actions; /* of the last step */
    struct run_view run;
    uint64_t now_ms;        /* a second more with each step, from 2026-01-02T03:04:05Z on */
};

/* Opens the run and starts it. */
void scene_open(struct scene *scene, const char *max_iterations);
/* The same; it begins with the repair of these. */
void scene_open_given(struct scene *scene, const struct finding *findings, uint32_t count);
/* The same with these reviewers, and with the files of roles. */
void scene_open_panel(struct scene *scene, const char *reviewers, const struct config_text *files,
                      uint32_t count);
void scene_close(struct scene *scene);

/* What the engine asks of a role now; fails the test where it asks nothing. */
struct action scene_action(const struct scene *scene, const char *role);

/* The role answers, by the dialect's own judge. */
void scene_answer(struct scene *scene, const char *role, const char *answer);
/* All five reviewers give this answer. */
void scene_review(struct scene *scene, const char *answer);
/* A run of the seed's plan that has not begun; the engine is only looked at. */
struct run_view scene_seed(struct arena *arena, struct engine *engine);
/* What the judge says of an answer, without a run. */
struct result scene_judged(struct arena *arena, uint16_t role, struct str answer);
/* The role's attempt fails for good. */
void scene_fail(struct scene *scene, const char *role);
void scene_event(struct scene *scene, enum event_kind kind);

/* A review with so many issues of each severity. Lives as long as the scene. */
const char *scene_issues(struct scene *scene, uint32_t critical, uint32_t warning, uint32_t info);

/* The content of a file of the contract, or NULL data. */
struct str scene_file(const struct contract *contract, const char *path);

#endif
