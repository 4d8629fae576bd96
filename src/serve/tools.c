/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/tools.h"

#include "base/path.h"
#include "format/text/safe.h"

#include <stdlib.h>

enum { RUNS_SHOWN_MAX = 8, LIST_BYTES_MAX = 600, PATH_SHOWN_MAX = 120 };

const char tools_instructions[] =
    "hone runs review-fix loops over coding agents in a git repository until the work is clean. "
    "An agent inside a run reports what it has found or done with the tool that next_action "
    "names. Any other client looks at runs with run_status and list_findings, starts them with "
    "start_run, and asks next_action what to do. Runs go on by themselves: run_status with "
    "waitSeconds waits for one.";

const struct mcp_tool *const *tools_all(struct arena *arena)
{
    static const struct mcp_tool *const looking[] = {
        &tool_next_action, &tool_run_status, &tool_list_findings, NULL,
    };
    static const struct mcp_tool *const acting[] = {
        &tool_report_result, &tool_start_run, &tool_resume_run, &tool_answer_question, NULL,
    };
    const struct mcp_tool **all, *tool;
    uint32_t count = 0, own = 0;

    while (tool_of_dialects(own, arena)) own++;
    all = arena_alloc(arena, (sizeof looking + sizeof acting) + own * sizeof *all);
    for (uint32_t i = 0; looking[i]; i++) all[count++] = looking[i];
    for (uint32_t i = 0; (tool = tool_of_dialects(i, arena)); i++) all[count++] = tool;
    for (uint32_t i = 0; acting[i]; i++) all[count++] = acting[i];
    all[count] = NULL;
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
    struct buf list;
    int rc;

    if (!run || !run[0]) run = world->run;
    rc = look_open(look, world->cwd, err);
    if (rc == ERR_MISSING && look_is_empty(look)) {
        return err_set(err, rc, "There is no run in this repository yet: start_run starts one.");
    }
    if (rc != 0) return rc;
    rc = look_run(look, run, err);
    if (rc != ERR_MISSING && rc != ERR_USAGE) return rc;
    buf_init(&list, LIST_BYTES_MAX);
    list_runs(look, false, &list);
    rc = err_set(err, rc, "No single run is called '%.60s'. The newest ones are: %s.", run,
                 buf_cstr(&list));
    buf_release(&list);
    return rc;
}
