/* SPDX-License-Identifier: Apache-2.0 */
#include "by_hand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void hand_step(struct engine *engine, struct actions *actions, uint64_t *now_ms,
               struct event event)
{
    *now_ms += 1000;
    event.now_ms = *now_ms;
    engine_step(engine, &event, actions);
}

struct action hand_action(const struct engine *engine, uint32_t lane, const char *role)
{
    const struct batch *now = lane < engine->lane_count ? &engine->lanes[lane].now : NULL;

    for (uint32_t i = 0; now && i < now->count; i++) {
        const struct job *job = &now->jobs[i];

        if (job->state != JOB_RUNNING) continue;
        if (strcmp(engine->plan->roles[job->role].name, role) != 0) continue;
        return (struct action){ .kind = ACT_START, .job = job->id, .attempt = job->attempt,
                                .lane = lane, .role = job->role, .purpose = job->purpose,
                                .phase = now->phase, .iteration = now->iteration,
                                .round = now->round, .copy = job->copy };
    }
    fail_msg("nothing is asked of %s in lane %u", role, (unsigned)lane);
    return (struct action){ .kind = ACT_START };
}

struct event hand_answer(const struct dialect *dialect, const struct run_view *run,
                         const struct action *action, const char *answer, struct arena *arena)
{
    struct event event = { .kind = EV_ENDED, .job = action->job, .attempt = action->attempt,
                           .lane = action->lane };

    dialect->judge(run, action, str_of(answer), arena, &event.result);
    return event;
}

struct event hand_failure(const struct action *action, enum failure failure, const char *problem)
{
    return (struct event){ .kind = EV_ENDED, .job = action->job, .attempt = action->attempt,
                           .lane = action->lane,
                           .result = { .verdict = VERDICT_FAILED, .permanent = true,
                                       .failure = failure, .problem = str_of(problem) } };
}
