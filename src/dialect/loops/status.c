/* SPDX-License-Identifier: Apache-2.0
 *
 * status.c - the loops of a run, as `hone status` shows them.
 *
 * There is a row for each loop and each task (record.c). What is shown is made of the same rows, so
 * that it is what the tables have, also of a run that was killed before it could write them. */
#include "dialect/loops/loops.h"

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

static struct lane_status loop_of(const struct contract_row *row, struct arena *arena)
{
    return (struct lane_status){
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
                      struct lanes_status *out)
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

void loops_status(const struct run_view *run, struct arena *arena, struct lanes_status *out)
{
    struct contract contract = { 0 };

    *out = (struct lanes_status){ 0 };
    loops_record(run, &contract);
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
