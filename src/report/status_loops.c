/* SPDX-License-Identifier: Apache-2.0
 *
 * status_loops.c - the loops of a run, for those who show it.
 *
 * A dialect whose plan fans keeps a row for each loop and each task. The same rows are made of the
 * replayed run, so that what is shown is what the tables have, also of a run that was killed
 * before it could write them. */
#include "report/status.h"

#include "run/place.h"

#include <string.h>

static const struct contract_cell *cell_find(const struct contract_row *row, const char *column)
{
    for (uint32_t i = 0; i < row->count; i++) {
        if (strcmp(row->cells[i].column, column) == 0) return &row->cells[i];
    }
    return NULL;
}

/* NULL where the cell is. */
static const char *text_of(const struct contract_row *row, const char *column,
                           struct arena *arena)
{
    const struct contract_cell *cell = cell_find(row, column);

    return cell && cell->kind == CELL_TEXT ? arena_cstr(arena, cell->text) : NULL;
}

static uint32_t number_of(const struct contract_row *row, const char *column)
{
    const struct contract_cell *cell = cell_find(row, column);

    return cell && cell->kind == CELL_INTEGER ? (uint32_t)cell->integer : 0;
}

static struct status_loop loop_of(const struct contract_row *row, struct arena *arena)
{
    return (struct status_loop){
        .id = text_of(row, "id", arena),
        .group = text_of(row, "group_name", arena),
        .status = text_of(row, "status", arena),
        .phase = text_of(row, "phase", arena),
        .review_status = text_of(row, "review_status", arena),
        .last_review_id = text_of(row, "last_review_id", arena),
        .worktree = text_of(row, "worktree_path", arena),
        .iteration = number_of(row, "iteration"),
        .iteration_max = number_of(row, "max_iterations"),
        .revisions = number_of(row, "revision_attempts"),
    };
}

/* A task's row names its loop; one without a loop waits for its group. */
static void take_task(const struct contract_row *row, struct arena *arena,
                      struct status_loops *out)
{
    const char *loop = text_of(row, "loop_id", arena);
    const char *status = text_of(row, "status", arena);

    if (!loop) {
        out->waiting += status && strcmp(status, "pending") == 0;
        return;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        if (strcmp(out->items[i].id, loop) != 0) continue;
        out->items[i].task = text_of(row, "id", arena);
        out->items[i].title = text_of(row, "title", arena);
        return;
    }
}

void status_loops(const struct status *status, struct arena *arena, struct status_loops *out)
{
    const struct run *replay = status->replay;
    struct run_view view = {
        .engine = &replay->engine,
        .id = replay->row.id,
        .task = replay->row.task,
        .workspace = replay->row.workspace,
        .settings = &replay->settings.options,
        .worktrees = place_worktrees(&status->look->repo, arena),
    };
    struct contract contract = { 0 };

    *out = (struct status_loops){ 0 };
    if (replay->plan.lane_max == 0) return;
    replay->dialect->record(&view, &contract);
    out->items = arena_alloc(arena, (contract.row_count + 1) * sizeof *out->items);
    for (uint32_t i = 0; i < contract.row_count; i++) {
        const struct contract_row *row = &contract.rows[i];
        if (strcmp(row->table, "loops") == 0) out->items[out->count++] = loop_of(row, arena);
    }
    for (uint32_t i = 0; i < contract.row_count; i++) {
        const struct contract_row *row = &contract.rows[i];
        if (strcmp(row->table, "tasks") == 0) take_task(row, arena, out);
    }
    contract_release(&contract);
}

static void add_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                     const char *text)
{
    if (text) json_add(doc, object, key, text);
    else yyjson_mut_obj_add_null(doc, object, key);
}

void status_loops_json(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    struct arena arena = { 0 };
    struct status_loops loops;
    yyjson_mut_val *list;

    if (status->replay->plan.lane_max == 0) return;
    status_loops(status, &arena, &loops);
    list = yyjson_mut_obj_add_arr(doc, root, "loops");
    for (uint32_t i = 0; i < loops.count; i++) {
        const struct status_loop *loop = &loops.items[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        add_text(doc, object, "id", loop->id);
        add_text(doc, object, "group", loop->group);
        add_text(doc, object, "task", loop->task);
        add_text(doc, object, "title", loop->title);
        add_text(doc, object, "status", loop->status);
        add_text(doc, object, "state", loop->phase);
        yyjson_mut_obj_add_uint(doc, object, "iteration", loop->iteration);
        yyjson_mut_obj_add_uint(doc, object, "iteration_max", loop->iteration_max);
        add_text(doc, object, "reviewStatus", loop->review_status);
        add_text(doc, object, "lastReviewId", loop->last_review_id);
        yyjson_mut_obj_add_uint(doc, object, "revisionAttempts", loop->revisions);
        add_text(doc, object, "worktree", loop->worktree);
    }
    yyjson_mut_obj_add_uint(doc, root, "tasks_waiting", loops.waiting);
    arena_release(&arena);
}
