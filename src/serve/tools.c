/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/tools.h"

#include "base/path.h"
#include "format/text/safe.h"
#include "prompts/serve.h"

#include <assert.h>
#include <stdlib.h>

enum { TOOLS_MAX = 32, RUNS_SHOWN_MAX = 8, LIST_BYTES_MAX = 600, PATH_SHOWN_MAX = 120 };

const char *const tools_instructions = serve_text_instructions;

const struct mcp_tool *const *tools_all(struct arena *arena)
{
    static const struct mcp_tool *const looking[] = {
        &tool_next_action, &tool_run_status, &tool_list_findings, NULL,
    };
    static const struct mcp_tool *const acting[] = {
        &tool_report_result, &tool_start_run, &tool_resume_run, &tool_answer_question, NULL,
    };
    const struct mcp_tool **all = arena_alloc(arena, TOOLS_MAX * sizeof(struct mcp_tool *)), *tool;
    uint32_t count = 0;

    for (uint32_t i = 0; looking[i]; i++) all[count++] = looking[i];
    for (uint32_t i = 0; (tool = tool_of_dialects(i, arena)); i++) all[count++] = tool;
    for (uint32_t i = 0; acting[i]; i++) all[count++] = acting[i];
    assert(count < TOOLS_MAX); /* the last one is NULL */
    return all;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

struct world world_here(const char *cwd)
{
    return (struct world){
        .cwd = cwd,
        .run = variable("HONE_RUN"),
        .dialect = variable("HONE_DIALECT"),
        .role = variable("HONE_ROLE"),
        .lane = variable("HONE_LANE"),
        .phase = variable("HONE_PHASE"),
        .round = variable("HONE_ROUND"),
        .task_id = variable("HONE_TASK_ID"),
        .output = variable("HONE_OUTPUT"),
    };
}

bool world_is_attempt(const struct world *world)
{
    return world->run[0] && world->output[0] == '/' && *path_leaf_text(world->output);
}

struct serve_page world_page(const struct mcp_call *call)
{
    const struct world *world = call->world;
    struct serve_page page = serve_page(call);

    page.run = slot_text(str_of(world->run), SERVE_NAME_BYTES_MAX);
    page.dialect = slot_text(str_of(world->dialect), SERVE_NAME_BYTES_MAX);
    page.role = slot_text(str_of(world->role), SERVE_NAME_BYTES_MAX);
    page.phase = slot_text(str_of(world->phase), SERVE_NAME_BYTES_MAX);
    page.round = slot_text(str_of(world->round), SERVE_NAME_BYTES_MAX);
    page.task_id = slot_text(str_of(world->task_id), SERVE_NAME_BYTES_MAX);
    return page;
}

/* ---- runs ---- */

struct roll {
    struct journal_run runs[RUNS_SHOWN_MAX];
    uint32_t count;
};

static bool collect(void *context, const struct journal_run *run)
{
    struct roll *roll = context;

    roll->runs[roll->count++] = *run;
    return roll->count < RUNS_SHOWN_MAX;
}

static void list_runs(struct look *look, bool alive_only, struct buf *out)
{
    struct roll roll = { 0 };
    struct err err;
    uint32_t shown = 0;

    if (journal_runs(look->journal, &look->arena, collect, &roll, &err) != 0) return;
    for (uint32_t i = 0; i < roll.count; i++) {
        bool alive = false;
        if (look_alive(look, &roll.runs[i], &alive, &err) != 0) continue;
        if (alive_only && !alive) continue;
        buf_printf(out, "%s%s (%s, %s", shown++ ? ", " : "", roll.runs[i].id,
                   roll.runs[i].dialect, standing_word(&roll.runs[i], alive));
        if (alive_only) {
            buf_text(out, ", in ");
            safe_text(out, str_of(roll.runs[i].workspace), true, PATH_SHOWN_MAX);
        }
        buf_byte(out, ')');
    }
}

void tool_list_alive(const struct world *world, struct buf *out)
{
    size_t before = out->size;
    struct look look;
    struct err err;

    if (look_open(&look, world->cwd, &err) == 0) list_runs(&look, true, out);
    if (out->size == before) buf_text(out, "none");
    look_close(&look);
}

int tool_look(const struct mcp_call *call, struct look *look, struct err *err)
{
    const struct world *world = call->world;
    const char *run = mcp_text(call, "run");
    struct serve_page page = serve_page(call);
    struct buf list;
    int rc;

    if (!run || !run[0]) run = world->run;
    rc = look_open(look, world->cwd, err);
    if (rc == ERR_MISSING && look_is_empty(look)) {
        return err_set(err, rc, "%s", serve_text_next_start);
    }
    if (rc != 0) return rc;
    rc = look_run(look, run, err);
    if (rc != ERR_MISSING && rc != ERR_USAGE) return rc;
    buf_init(&list, LIST_BYTES_MAX);
    list_runs(look, false, &list);
    page.asked = slot_text(str_of(run), SERVE_SHOWN_BYTES_MAX);
    page.runs = slot_part(&list);
    rc = err_set(err, rc, "%s", serve_words(serve_page_no_such_run, &page, &look->arena).data);
    buf_release(&list);
    return rc;
}
