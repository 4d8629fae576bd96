/* SPDX-License-Identifier: Apache-2.0 */
#include "report/status.h"

#include "run/place.h"
#include "run/waits.h"

void status_findings(const struct lane *lane, uint32_t counts[SEVERITY_COUNT])
{
    for (uint32_t i = 0; i < SEVERITY_COUNT; i++) counts[i] = 0;
    for (uint32_t i = 0; i < lane->review.count; i++) {
        const struct result *result = &lane->review.jobs[i].result;
        for (uint32_t k = 0; k < result->finding_count; k++) counts[result->findings[k].severity]++;
    }
}

const char *status_phase(const struct plan *plan, const struct lane *lane)
{
    const struct phase *phase = &plan->phases[lane->phase];

    return lane->state == LANE_REPAIRING && phase->repair_name ? phase->repair_name : phase->name;
}

bool status_waits(const struct job *job, uint64_t now_ms)
{
    return job->state == JOB_RUNNING && job->attempt > 1 && result_waits(&job->result) &&
           job->result.retry_at_ms > now_ms;
}

bool status_progress(const struct repo *repo, const char *run, const struct job *job,
                     struct progress *out)
{
    struct arena arena = { 0 };
    bool said;

    said = progress_said(place_attempt(repo, run, job->id, job->attempt, &arena), out);
    arena_release(&arena);
    return said;
}

void status_played(const struct status *status, const struct job *job, struct arena *arena,
                   struct played *out)
{
    place_played(place_attempt(&status->look->repo, status->look->run.id, job->id, job->attempt,
                               arena), arena, out);
}

uint32_t status_round_max(const struct plan *plan, const struct lane *lane)
{
    uint32_t most = gate_review_max(&plan->phases[lane->phase].gate);

    return most == 0 ? 0 : most + lane->tallies[lane->phase].granted;
}

/* ---- the lanes of a run whose plan fans ---- */

bool status_has_lanes(const struct status *status)
{
    return status->replay->plan.lane_max > 0 && status->replay->dialect->lanes;
}

void status_lanes(const struct status *status, struct arena *arena, struct lanes_status *out)
{
    const struct run *run = status->replay;
    struct run_view view = {
        .engine = &run->engine,
        .id = run->row.id,
        .task = run->row.task,
        .workspace = run->row.workspace,
        .settings = &run->settings.options,
        .worktrees = place_worktrees(&status->look->repo, arena),
    };

    *out = (struct lanes_status){ 0 };
    if (status_has_lanes(status)) run->dialect->lanes->status(&view, arena, out);
}

uint64_t status_more_ms(const struct status *status)
{
    uint64_t last_ms = status->replay->engine.now_ms;

    return status->look->alive && status->now_ms > last_ms ? status->now_ms - last_ms : 0;
}
