/* SPDX-License-Identifier: Apache-2.0
 *
 * custom_scene.h - a run of a loop file without agents: the plan that the file makes, the real
 * engine, answers by hand. */
#ifndef HONE_TESTS_CUSTOM_SCENE_H
#define HONE_TESTS_CUSTOM_SCENE_H

#include "dialect/custom/custom.h"

#define CUSTOM_FENCE "f3nc3"

/* What a reviewer says who finds nothing. */
#define CUSTOM_CLEAN \
    "{\"issues\":[],\"summary\":{\"critical\":0,\"warning\":0,\"info\":0,\"verdict\":\"clean\"}}"

struct custom_scene {
    struct arena arena;
    struct config_text file;
    struct settings settings;
    const struct dialect *dialect;
    struct plan plan;
    struct engine engine;
    struct actions actions; /* of the last step */
    struct run_view run;
    uint64_t now_ms;
};

/* A run of the file that is to be started. */
void custom_open(struct custom_scene *scene, const char *text);
void custom_close(struct custom_scene *scene);
void custom_step(struct custom_scene *scene, struct event event);

/* What is asked of that role in the lane; fails the test where nothing is. */
struct action custom_asked(const struct custom_scene *scene, uint32_t lane, uint16_t role);
/* What the dialect makes of an answer to that. */
struct result custom_judged(struct custom_scene *scene, struct action action, const char *answer);
void custom_answer(struct custom_scene *scene, uint32_t lane, uint16_t role, const char *answer);
/* Its prompt. */
const char *custom_told(struct custom_scene *scene, uint32_t lane, uint16_t role);

#endif
