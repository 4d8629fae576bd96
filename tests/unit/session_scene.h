/* SPDX-License-Identifier: Apache-2.0
 *
 * session_scene.h - a session without agents: the real plan, the real engine, answers and trees by
 * hand. */
#ifndef HONE_TESTS_SESSION_SCENE_H
#define HONE_TESTS_SESSION_SCENE_H

#include "dialect/dialect.h"

#define SESSION_FENCE "fence7f3a"
#define SESSION_UUID "0b9c6a4e-1111-4222-8333-444455556666"
#define SESSION_MD ".review-loop/sessions/" SESSION_UUID ".md"

#define SESSION_TASK \
    "# Lock the queue\n\nTwo writers may lose an entry.\n\n" \
    "## Context\n\nsrc/queue.c\n\n## Acceptance Criteria\n\n- no entry is lost\n"

#define PLAN_ANSWER(title) \
    "## Solution Plan: " title "\n\n### Problem Analysis\nTwo writers race.\n\n" \
    "### Proposed Approach\nTake a lock.\n\n### Implementation Steps\n1. Lock.\n2. Test.\n\n" \
    "### Files to Modify / Create\n- `src/queue.c` - the lock\n- `src/main.c` - calls it\n\n" \
    "### Risks & Assumptions\n- None beyond the lock.\n\n### Open Questions\n- None\n"
#define EXEC_ANSWER(title, path) \
    "## Implementation Complete: " title "\n\n### Changes Made\nA lock is taken.\n\n" \
    "### Files Modified / Created / Deleted\n- `" path "` - takes the lock\n\n" \
    "### Deviations from Plan\nNone\n\n### Notes for Reviewer\nLook at the order.\n"
#define NOOP_ANSWER \
    "## Implementation Complete: nothing to do\n\n### Changes Made\n" \
    "No code changes were required for this round.\n\n" \
    "### Files Modified / Created / Deleted\nNone\n\n### Deviations from Plan\nNone\n\n" \
    "### Notes for Reviewer\n" \
    "No-op round. The approved plan and current code already satisfy this step.\n"
#define APPROVE_ANSWER "### VERDICT: APPROVE\n\n### Strengths\n- small\n"
#define MINOR_ANSWER \
    "### VERDICT: APPROVE\n\n### Issues\n- [MINOR] the name is vague - recommended improvement\n" \
    "  File: `src/queue.c`, around line 3\n\n### Strengths\n- small\n"
#define CHANGES_ANSWER(what) \
    "### VERDICT: REQUEST_CHANGES\n\n### Issues\n" \
    "- [CRITICAL] " what " - must be resolved before proceeding\n" \
    "  File: `src/queue.c`, around line 12\n\n### Strengths\n- small\n"

struct session_scene {
    struct arena arena;
    struct setting items[8];
    struct config_text files[4];
    struct settings settings;
    struct warnings warnings;
    struct plan plan;
    struct engine engine;
    struct actions actions; /* of the last step */
    struct run_view run;
    struct tree_view tree;
    struct tree_file delta[8], dirty[8];
    uint64_t now_ms; /* a second more with each step, from 2026-01-02T03:04:05Z on */
};

/* Options as "name=value", separated by blanks; "" for none. config: text of config.md or NULL. */
void session_open(struct session_scene *scene, const char *options, const char *config);
/* The same with the text of the file that --plan or --session names. */
void session_open_file(struct session_scene *scene, const char *options, const char *config,
                       const char *name, const char *text);
/* Without EV_START. */
int session_prepare(struct session_scene *scene, const char *options, const char *config,
                    const char *name, const char *text, struct err *err);
/* A scene of its own that continues a session file. */
void session_continue(struct session_scene *scene, const char *text, const char *options,
                      const char *config);
/* The same from a file that no run of this user wrote so. */
void session_continue_other(struct session_scene *scene, const char *text);
void session_close(struct session_scene *scene);

/* What the engine asks for now; fails the test where it asks nothing of that role. */
struct action session_action(const struct session_scene *scene, const char *role);
/* The tree: what the round changed, as "path:change", separated by blanks. Deltas stay dirty. */
void session_change(struct session_scene *scene, const char *changes);
/* The role answers, by the dialect's own judge; the verdict. */
enum verdict session_answer(struct session_scene *scene, const char *role, const char *answer);
/* The executor changes src/queue.c and says so. */
void session_execute(struct session_scene *scene, const char *title);
void session_plan_it(struct session_scene *scene); /* a plan, approved */
void session_scan(struct session_scene *scene, const char *secret); /* NULL: finds nothing */
void session_fail(struct session_scene *scene, const char *role, const char *by,
                  const char *problem);
/* The same of a kind: an empty result, a broken stream. */
void session_miss(struct session_scene *scene, const char *role, const char *by,
                  const char *problem, enum miss miss);
void session_event(struct session_scene *scene, struct event event);
void session_choose(struct session_scene *scene, enum choice choice);
/* From execution's approval to the end. */
void session_deliver(struct session_scene *scene);

/* Where its lane is; fails the test where it is not there. */
void session_stands(const struct session_scene *scene, enum lane_state state, const char *phase,
                    uint32_t rounds, uint32_t mints);

/* The session file as it is now; the prompt of what is asked for. */
const char *session_text(struct session_scene *scene);
const char *session_file_at(struct session_scene *scene, const char *path); /* NULL: not listed */
const char *session_prompt_text(struct session_scene *scene, const char *role);

#endif
