/* SPDX-License-Identifier: Apache-2.0
 *
 * nine_scene.h - an iterate run without agents: the real plan, the real engine, answers by hand.
 *
 * The configuration is one project file, as JSON; ' stands for ". */
#ifndef HONE_TESTS_NINE_SCENE_H
#define HONE_TESTS_NINE_SCENE_H

#include "dialect/iterate/iterate.h"

#define NINE_FENCE "fence7f3a"
#define NINE_CLEAN "{\"issues\":[]}"

struct nine {
    struct arena arena;
    struct config_text files[3];
    struct setting options[3];
    struct settings settings;
    struct plan plan;
    struct engine engine;
    struct actions actions; /* of the last step */
    struct run_view run;
    uint64_t now_ms;        /* a second more with each step, from 2026-01-02T03:04:05Z on */
};

/* One agent each in phases 1 and 2; every gate repairs, at most ten times, and then stops. */
#define NINE_SIMPLE "{'phases':{'1':{'parallel':false},'2':{'parallel':false}," \
                    "'3':{'onFailure':'mini-loop'},'6':{'onFailure':'mini-loop'}," \
                    "'8':{'onFailure':'mini-loop'}}}"

struct nine_setup {
    const char *config;         /* NULL: no file */
    const char *max_iterations; /* NULL: the default */
    bool lite;
    const char *reviewers;      /* NULL: the default */
    const char *role;           /* the file of the role perf; NULL: it has none */
    const char *fixer;          /* and of the fixer */
};

void nine_prepare(struct nine *nine, struct nine_setup setup); /* everything but the start */
void nine_open(struct nine *nine, struct nine_setup setup);
void nine_close(struct nine *nine);

void nine_step(struct nine *nine, struct event event); /* a second later */

/* What the engine asks of a role now; fails the test where it asks nothing. */
struct action nine_action(const struct nine *nine, const char *role);
/* The first running job of the role answers, by the dialect's own judge. */
void nine_answer(struct nine *nine, const char *role, const char *answer);
/* Every phase up to this one passes at the first try; so that it is the one at work. */
void nine_reach(struct nine *nine, uint32_t number);
void nine_choose(struct nine *nine, enum choice choice);

/* A review with one issue in each of these places, HIGH MEDIUM LOW in turn: "a.c:1 b.c:2". Lives
 * as long as the scene, as do all texts here. */
const char *nine_issues(struct nine *nine, const char *places);
const char *nine_state(struct nine *nine); /* the state file */
const char *nine_json(struct nine *nine, const char *text); /* ' becomes " */

#endif
