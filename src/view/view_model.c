/* SPDX-License-Identifier: Apache-2.0
 *
 * view_model.c - the agents at work, as rows for the view.
 *
 * A row is an agent in a place of the plan: its lane, its purpose, its role, its copy. It shows the
 * newest attempt of that agent; news of an older attempt is ignored. Lanes of tasks may be many:
 * each has one row, which shows the agent that began or ended last. */
#include "view/view_render.h"

#include "base/byte.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool row_is_live(const struct view_row *row)
{
    return row->state == ROW_RUNNING || row->state == ROW_WAITING;
}

static bool is_same_agent(const struct view_row *a, const struct view_row *b)
{
    return a->lane == b->lane && a->purpose == b->purpose && a->copy == b->copy &&
           strcmp(a->role, b->role) == 0;
}

/* The lane of a task has one row: a new attempt takes it when the one before has ended. */
static bool is_next_in_lane(const struct view_row *row, const struct view_row *next)
{
    return next->lane > 0 && row->lane == next->lane && !row_is_live(row);
}

/* What the lane does now belongs to the same piece of work. */
static bool is_same_work(const struct view_row *a, const struct view_row *b)
{
    return a->phase == b->phase && a->iteration == b->iteration && a->round == b->round;
}

static bool follows(enum purpose purpose)
{
    return purpose == FOR_REPAIR || purpose == FOR_THEN || purpose == FOR_JOIN;
}

/* Whether a row tells of something that is over when `next` begins. */
static bool is_over(const struct view_row *row, const struct view_row *next)
{
    if (row->lane != next->lane || row_is_live(row)) return false;
    if (is_same_agent(row, next) || next->lane > 0) return false;
    return !is_same_work(row, next) || (follows(row->purpose) && !follows(next->purpose));
}

void view_model_start(struct view_model *model, const struct view_row *row)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < model->row_count; i++) {
        if (!is_over(&model->rows[i], row)) model->rows[kept++] = model->rows[i];
    }
    model->row_count = kept;
    for (uint32_t i = 0; i < kept; i++) {
        if (is_same_agent(&model->rows[i], row) || is_next_in_lane(&model->rows[i], row)) {
            model->rows[i] = *row;
            return;
        }
    }
    model->rows = mem_grow(model->rows, kept, &model->row_cap, sizeof *model->rows);
    model->rows[model->row_count++] = *row;
}

enum row_state row_state_of(enum purpose purpose, const struct result *result)
{
    switch (result->verdict) {
    case VERDICT_CLEAN:
        return purpose == FOR_REVIEW || purpose == FOR_CHECKPOINT ? ROW_CLEAN : ROW_DONE;
    case VERDICT_FINDINGS:
        return ROW_FINDINGS;
    case VERDICT_NOT_PLAYED:
        return ROW_NOT_PLAYED;
    case VERDICT_INVALID:
        return ROW_INVALID;
    case VERDICT_FAILED:
    case VERDICT_COUNT:
        break;
    }
    return result_is_stopped(result) || result->failure == FAILURE_BUDGET ? ROW_STOPPED
                                                                          : ROW_FAILED;
}

void view_model_ended(struct view_model *model, uint32_t job, const struct result *result,
                      uint64_t took_ms)
{
    for (uint32_t i = 0; i < model->row_count; i++) {
        struct view_row *row = &model->rows[i];
        if (row->job != job) continue;
        if (row->purpose == FOR_INTEGRATE && result->verdict == VERDICT_CLEAN) {
            memmove(row, row + 1, (--model->row_count - i) * sizeof *row);
            return;
        }
        row->state = row_state_of(row->purpose, result);
        row->took_ms = took_ms;
        row->finding_count = result->finding_count;
    }
}

bool view_model_progress(struct view_model *model, uint32_t job, const struct progress *progress)
{
    for (uint32_t i = 0; i < model->row_count; i++) {
        struct view_row *row = &model->rows[i];

        if (row->job != job || row->state != ROW_RUNNING) continue;
        row->progress = *progress;
        return true;
    }
    return false;
}

void view_model_waits(struct view_model *model, uint32_t job, const char *waits_for,
                      uint64_t until_ms)
{
    for (uint32_t i = 0; i < model->row_count; i++) {
        struct view_row *row = &model->rows[i];
        if (row->job != job) continue;
        row->state = ROW_WAITING;
        row->waits_for = waits_for;
        row->until_ms = until_ms;
    }
}

void view_model_release(struct view_model *model)
{
    free(model->rows);
    buf_release(&model->word);
    *model = (struct view_model){ 0 };
}

bool phase_is_number(const char *phase)
{
    return byte_is_digit(phase[0]);
}
