/* SPDX-License-Identifier: Apache-2.0
 *
 * tools.h - the tools of `hone mcp`, and the world they work in. */
#ifndef HONE_SERVE_TOOLS_H
#define HONE_SERVE_TOOLS_H

#include "run/look.h"
#include "serve/mcp.h"

/* Where the server was started: in a folder, and perhaps by an agent inside an attempt, as the
 * environment says (agent/agent.h). Texts are borrowed, and never NULL. */
struct world {
    const char *cwd;
    const char *run, *dialect, *role, *lane, *phase, *round, *task_id;
    const char *output; /* HONE_OUTPUT: its folder is where reports go */
};

/* The world as our own environment tells it. */
struct world world_here(const char *cwd);
bool world_is_attempt(const struct world *world);
struct serve_page world_page(const struct mcp_call *call); /* it knows the attempt, too */

/* What the model that is given the tools should know beforehand. */
extern const char *const tools_instructions;

/* All of them, those of dialects among them; NULL ends. What is not constant lives in arena. */
const struct mcp_tool *const *tools_all(struct arena *arena);

/* ---- what the tools share: tools.c ---- */

/* Opens the run that the call names in "run"; where it names none, the attempt's own, or the
 * newest of this workspace. On failure err is for the agent, and lists the runs there are.
 * The caller calls look_close(), also after a failure. */
int tool_look(const struct mcp_call *call, struct look *look, struct err *err);

/* The runs that are alive in this repository: "7k2m (review, in /x)", or that there are none. */
void tool_list_alive(const struct world *world, struct buf *out);

extern const struct mcp_tool tool_report_result, tool_run_status, tool_list_findings,
    tool_next_action, tool_start_run, tool_resume_run, tool_answer_question;

/* The nth tool that agents of a dialect report with; NULL: there are no more. */
const struct mcp_tool *tool_of_dialects(uint32_t nth, struct arena *arena);

/* What the agent of this role reports its result with. */
const char *tool_for_role(const struct world *world);

#endif
