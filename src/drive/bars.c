/* SPDX-License-Identifier: Apache-2.0
 *
 * bars.c - the first failure that will not heal by itself stops starts and retries of its program.
 *
 *    not there, not logged in, no credit, a sandbox in its way   all agents of that program
 *    a model that its service does not know                      all agents of that SPEC
 *    any other way to fail, twice alike, by two jobs, while no    all agents of that SPEC
 *    agent of the SPEC has answered: a broken client
 *
 * The engine is told of each start that is refused as of any attempt that failed for good, so it
 * knows nothing new. Agents of other programs go on. A resume or an answer of the user begins with
 * no bar: the user may have logged in meanwhile. Until then bars follow from the journal, since
 * inside a host each hook is a process of its own. Pure. */
#include "drive/bars.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void bars_release(struct bars *bars)
{
    free(bars->items);
    free(bars->good);
    free(bars->players);
    *bars = (struct bars){ 0 };
}

/* The name of what fails with the agent; NULL: the failure is this attempt's own. */
static const char *name_of(const struct agent *agent, enum failure failure)
{
    bool program = !agent->backend->argument_needed; /* else the argument names the program */

    switch (failure) {
    case FAILURE_MISSING:
    case FAILURE_LOGIN:
    case FAILURE_CREDIT:
    case FAILURE_CAGE: return program ? agent->backend->name : agent->spec;
    case FAILURE_MODEL:
    case FAILURE_START:
    case FAILURE_EXIT:
    case FAILURE_SIGNAL: return agent->spec;
    case FAILURE_NONE:
    case FAILURE_TIME:
    case FAILURE_IDLE:
    case FAILURE_OUTPUT:
    case FAILURE_STOPPED:
    case FAILURE_BUDGET:
    case FAILURE_SILENT:
    case FAILURE_FIRST:
    case FAILURE_RATE:
    case FAILURE_OVERLOAD:
    case FAILURE_NETWORK:
    case FAILURE_CEILING:
    case FAILURE_LOST:
    case FAILURE_COUNT: break;
    }
    return NULL;
}

static bool heals(enum failure failure)
{
    return failure == FAILURE_START || failure == FAILURE_EXIT || failure == FAILURE_SIGNAL;
}

static bool has_answered(const struct bars *bars, const char *spec)
{
    for (uint32_t i = 0; i < bars->good_count; i++) {
        if (strcmp(bars->good[i], spec) == 0) return true;
    }
    return false;
}

static void note_good(struct bars *bars, const char *spec)
{
    if (has_answered(bars, spec)) return;
    bars->good = mem_grow(bars->good, bars->good_count, &bars->good_cap, sizeof *bars->good);
    bars->good[bars->good_count++] = spec;
}

/* The bar of that name that says the same of another job. */
static struct bar *find_alike(struct bars *bars, const char *name, uint32_t job,
                              const struct result *result)
{
    for (uint32_t i = 0; i < bars->count; i++) {
        struct bar *bar = &bars->items[i];

        if (strcmp(bar->of, name) != 0 || bar->failure != result->failure) continue;
        if (bar->job != job && str_is(result->problem, bar->problem)) return bar;
    }
    return NULL;
}

bool bars_note(struct bars *bars, const struct agent *agent, uint32_t job,
               const struct result *result, struct arena *arena)
{
    const char *name = name_of(agent, result->failure);
    struct bar *alike;

    if (result->verdict != VERDICT_FAILED) {
        note_good(bars, agent->spec);
        return false;
    }
    if (!name || bars_find(bars, agent)) return false;
    alike = find_alike(bars, name, job, result);
    if (alike) {
        alike->shut = !has_answered(bars, agent->spec);
        return alike->shut;
    }
    bars->items = mem_grow(bars->items, bars->count, &bars->cap, sizeof *bars->items);
    bars->items[bars->count++] = (struct bar){
        .of = name, .job = job, .shut = !heals(result->failure), .failure = result->failure,
        .problem = arena_cstr(arena, result->problem),
    };
    return !heals(result->failure);
}

void bars_cast(struct bars *bars, uint32_t job, const struct agent *agent)
{
    while (bars->player_count < job) {
        bars->players = mem_grow(bars->players, bars->player_count, &bars->player_cap,
                                 sizeof(void *));
        bars->players[bars->player_count++] = NULL;
    }
    bars->players[job - 1] = agent;
}

void bars_again(struct bars *bars, uint32_t job, const struct result *result, struct arena *arena)
{
    const struct agent *agent = job <= bars->player_count ? bars->players[job - 1] : NULL;

    if (agent) (void)bars_note(bars, agent, job, result, arena);
}

void bars_lift(struct bars *bars, enum event_kind kind)
{
    if (kind == EV_RESUME || kind == EV_ANSWER) bars_release(bars);
}

const struct bar *bars_find(const struct bars *bars, const struct agent *agent)
{
    for (uint32_t i = 0; i < bars->count; i++) {
        const struct bar *bar = &bars->items[i];

        if (!bar->shut) continue;
        if (strcmp(bar->of, agent->spec) == 0 || strcmp(bar->of, agent->backend->name) == 0) {
            return bar;
        }
    }
    return NULL;
}
