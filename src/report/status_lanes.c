/* SPDX-License-Identifier: Apache-2.0
 *
 * status_lanes.c - the lanes of a run whose plan fans, as its dialect tells them. */
#include "report/status.h"

#include "run/place.h"

static bool has_lanes(const struct status *status)
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
    if (has_lanes(status)) run->dialect->lanes->status(&view, arena, out);
}

static void add_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                     const char *text)
{
    if (text) json_add(doc, object, key, text);
    else yyjson_mut_obj_add_null(doc, object, key);
}

void status_lanes_json(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    struct arena arena = { 0 };
    struct lanes_status lanes;
    yyjson_mut_val *list;

    if (!has_lanes(status)) return;
    status_lanes(status, &arena, &lanes);
    list = yyjson_mut_obj_add_arr(doc, root, status->replay->dialect->lanes->called);
    for (uint32_t i = 0; i < lanes.count; i++) {
        const struct lane_status *lane = &lanes.items[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        add_text(doc, object, "id", lane->id);
        add_text(doc, object, "group", lane->group);
        add_text(doc, object, "task", lane->task);
        add_text(doc, object, "title", lane->title);
        add_text(doc, object, "status", lane->status);
        add_text(doc, object, "state", lane->phase);
        yyjson_mut_obj_add_uint(doc, object, "iteration", lane->iteration);
        yyjson_mut_obj_add_uint(doc, object, "iteration_max", lane->iteration_max);
        add_text(doc, object, "reviewStatus", lane->review_status);
        add_text(doc, object, "lastReviewId", lane->last_review_id);
        yyjson_mut_obj_add_uint(doc, object, "revisionAttempts", lane->revisions);
        add_text(doc, object, "worktree", lane->worktree);
    }
    yyjson_mut_obj_add_uint(doc, root, "tasks_waiting", lanes.waiting);
    arena_release(&arena);
}
