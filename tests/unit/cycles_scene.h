/* SPDX-License-Identifier: Apache-2.0
 *
 * cycles_scene.h - a cycles run without agents: the real plan, the real engine, answers by hand. */
#ifndef HONE_TESTS_CYCLES_SCENE_H
#define HONE_TESTS_CYCLES_SCENE_H

#include "dialect/dialect.h"

#define CYCLES_FENCE "fence7f3a"
#define CYCLES_SPEC_PATH "specs/042-login.md"
#define CYCLES_SPEC \
    "# Login form\n\n" \
    "| ID | Behaviour | Phase |\n" \
    "|----|-----------|-------|\n" \
    "| SC-001 | refuses an empty name | 1 |\n" \
    "| SC-002 | greets by name | 2 |\n"

struct cycles_scene {
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

/* Opens a run of that spec (NULL: none) with so many cycles and starts it. Its session is in
 * "out/s". */
void cycles_open(struct cycles_scene *scene, const char *spec, const char *cycles);
/* The same with reviewers and the file of the role perf. */
void cycles_open_panel(struct cycles_scene *scene, const char *reviewers, const char *role);
void cycles_close(struct cycles_scene *scene);

/* What the engine asks for now; fails the test where it asks nothing of that role. */
struct action cycles_action(const struct cycles_scene *scene, const char *role);
/* The role answers, by the dialect's own judge. */
void cycles_answer(struct cycles_scene *scene, const char *role, const char *answer);
/* The role's attempt fails, for good. */
void cycles_fail(struct cycles_scene *scene, const char *role, const char *problem);
/* The implementer and the commit behind it. */
void cycles_implement(struct cycles_scene *scene);
/* The fixer and the commit behind it. */
void cycles_fix(struct cycles_scene *scene);
void cycles_event(struct cycles_scene *scene, struct event event);

/* Every file of the contract, with its path above it; lives as long as the scene. */
const char *cycles_files(struct cycles_scene *scene);

#endif
