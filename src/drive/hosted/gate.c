/* SPDX-License-Identifier: Apache-2.0
 *
 * gate.c - before a tool is used: may this agent be started now, may this file be changed?
 *
 * A gate is asked at every such call of every session, and nearly always has nothing to say: it
 * reads the session's notes, and opens a run only where another tool began one and no notes are
 * there yet. Silence allows.
 *
 *   agent of ours     only one that is wanted now, and in this work tree
 *   any other agent   always: what it may do the edit gate decides
 *   contract file     only the answer file of an agent that is wanted, and by that agent alone
 *   file of the tree  only by an agent that is wanted now and may write: neither the main thread
 *                     nor a reviewer nor any other agent
 *   outside           always: that is the host's business
 *   closing an agent  when its answer was taken; else at the second try
 *
 * Which agent calls a tool the host says, by its type or by the id that it gave at the agent's
 * start. A call of which it says neither counts as one of the main thread and may change nothing in
 * the tree. Every refusal of an edit names the way out: the user can stop the run.
 *
 * What a shell does cannot be seen here; the tree and the answers are compared later. */
#include "drive/hosted/parts.h"

#include "io/file/file.h"

#include <string.h>

static void deny(struct hosted *hosted, struct str words)
{
    hook_deny(&hosted->reply->out, words);
}

/* "critic, pedant" of those that are wanted, or only of those of them that write; "": no agent. */
static const char *names_of(struct hosted *hosted, bool writers)
{
    const struct host_notes *notes = &hosted->notes;
    struct buf names;
    const char *out;

    buf_init(&names, 4096);
    for (uint32_t i = 0; i < notes->wanted_count; i++) {
        bool known = writers && !notes->wanted[i].writes;

        for (uint32_t k = 0; k < i; k++) {
            known = known || strcmp(notes->wanted[k].role, notes->wanted[i].role) == 0;
        }
        if (!known) buf_printf(&names, "%s%s", names.size ? ", " : "", notes->wanted[i].role);
    }
    out = arena_cstr(&hosted->arena, buf_str(&names));
    buf_release(&names);
    return out;
}

static const struct host_wanted *wanted_role(const struct hosted *hosted, struct str role)
{
    for (uint32_t i = 0; i < hosted->notes.wanted_count; i++) {
        if (str_is(role, hosted->notes.wanted[i].role)) return &hosted->notes.wanted[i];
    }
    return NULL;
}

/* Whether an agent's name is one of ours: by its plugin, or as a role of the dialect. */
static bool is_ours(const struct hosted *hosted, struct str type)
{
    const struct dialect *dialect = dialect_find(str_of(hosted->notes.dialect));
    struct str plugin = hook_plugin(type), role = hook_role(type);
    struct settings none = { 0 };
    struct arena arena = { 0 };
    struct plan plan;
    struct err err;
    bool ours = dialect_knows_plugin(plugin) || str_starts(type, STR("hone-"));

    if (!dialect && plugin.size == 0) ours = ours || wanted_role(hosted, role);

    if (!ours && plugin.size == 0 && dialect &&
        dialect->plan(&none, &arena, &plan, &err) == 0) {
        for (uint32_t i = 1; i < plan.role_count + plan.checker_count && !ours; i++) {
            ours = str_is(role, plan.roles[i].name);
        }
    }
    arena_release(&arena);
    return ours || (plugin.size == 0 && wanted_role(hosted, role)); /* a role of the user's */
}

struct str hosted_role(const struct hosted *hosted, struct str type)
{
    return is_ours(hosted, type) ? hook_role(type) : (struct str){ "", 0 };
}

/* The role of the agent that calls the tool; empty: the main thread, or an agent of others. */
static struct str caller_role(const struct hosted *hosted)
{
    const struct host_agent *agent = NULL;

    if (hosted->in->agent_type.size > 0) return hosted_role(hosted, hosted->in->agent_type);
    if (hosted->in->agent_id.size > 0) agent = host_agent_find(&hosted->notes,
                                                               hosted->in->agent_id);
    return str_of(agent ? agent->role : "");
}

/* Codex: agents that have ended are closed before others are started. Newer models cannot close
 * any, and say so by giving names to theirs. */
static bool must_close(struct hosted *hosted)
{
    struct host_notes *notes = &hosted->notes;
    struct hosted_page page = hosted_page(hosted);
    struct buf names;

    if (hosted->in->tool.task_name.size > 0) {
        if (notes->unclosable || hosted->in->host != HOOK_CODEX) return false;
        if (hosted_lock(hosted) != 0) return true; /* an error is a refusal */
        notes->unclosable = true;
        notes->ended_count = 0;
        (void)host_notes_write(notes, hosted->drive.run.repo.hone_dir, &hosted->err);
        return false;
    }
    buf_init(&names, 1 << 20);
    hosted_put_closing(hosted, &names);
    page.closing = slot_part(&names);
    if (names.size > 0) {
        deny(hosted, hosted_words(hosted_page_close_first, &page, &hosted->arena));
    }
    buf_release(&names);
    return hosted->reply->out.size > 0;
}

static void gate_agent(struct hosted *hosted)
{
    struct str type = hosted->in->tool.agent_type;
    struct hosted_page page = hosted_page(hosted);

    if (type.size == 0 || !is_ours(hosted, type)) return;
    if (wanted_role(hosted, hook_role(type))) {
        if (must_close(hosted) || hosted->in->tool.isolation.size == 0) return;
        deny(hosted, str_of(hosted_text_isolated));
        return;
    }
    page.asked = slot_text(hook_role(type), SHOWN_BYTES_MAX);
    page.wanted = slot_word(names_of(hosted, false));
    deny(hosted, hosted_words(hosted_page_not_wanted, &page, &hosted->arena));
}

/* An agent is closed when its answer was taken, and judged: such a close is counted. One that
 * failed or hangs must go all the same: by a second try, and then another one is asked for. */
static void gate_close(struct hosted *hosted)
{
    struct host_notes *notes = &hosted->notes;
    struct str target = hosted->in->tool.target;
    struct hosted_page page = hosted_page(hosted);
    struct host_agent *agent;

    if (notes->agent_count + notes->ended_count == 0 || hosted_lock(hosted) != 0) return;
    agent = host_agent_find(notes, target);
    if (!agent && !host_agent_close(notes, target)) return;
    if (!agent) {
        notes->blocks = 0;
    } else if (agent->closing) {
        host_agent_remove(notes, target);
        notes->blocks = 0;
    } else {
        agent->closing = true;
        page.role = slot_word(agent->role);
        deny(hosted, hosted_words(hosted_page_not_yet, &page, &hosted->arena));
    }
    (void)host_notes_write(notes, hosted->drive.run.repo.hone_dir, &hosted->err);
}

/* ---- files ---- */

/* Where a path really leads, all links followed as far as it is there; NULL where what is not there
 * yet would be reached through "..". */
static const char *real_path(struct hosted *hosted, struct str path)
{
    struct arena *arena = &hosted->arena;
    struct str whole = str_of(path.data[0] == '/'
        ? arena_printf(arena, "%.*s", STR_ARG(path))
        : arena_printf(arena, "%.*s/%.*s", STR_ARG(hosted->in->cwd), STR_ARG(path)));
    size_t there = whole.size;
    const char *out = NULL;

    while (there > 0 && !out) {
        struct str rest = str_skip(whole, there);
        const char *real = file_real(arena_printf(arena, "%.*s", (int)there, whole.data), arena);

        if (real) {
            out = arena_printf(arena, "%s%.*s", strcmp(real, "/") == 0 ? "" : real, STR_ARG(rest));
        } else if (str_ends((struct str){ whole.data, there }, STR("/..")) ||
                   str_ends((struct str){ whole.data, there }, STR("/."))) {
            break;
        } else {
            do there--;
            while (there > 0 && whole.data[there] != '/');
        }
    }
    /* Not even its first folder is there: it is outside. */
    return out || there > 0 ? out : arena_printf(arena, "%.*s", STR_ARG(whole));
}

static bool is_private(const struct hosted *hosted, const char *relative)
{
    const struct dialect *dialect = dialect_find(str_of(hosted->notes.dialect));

    return dialect && file_is_private(dialect->private_paths, str_of(relative));
}

/* The one whose answer file this is. */
static const struct host_wanted *wanted_output(const struct hosted *hosted, const char *path)
{
    for (uint32_t i = 0; i < hosted->notes.wanted_count; i++) {
        if (strcmp(hosted->notes.wanted[i].output, path) == 0) return &hosted->notes.wanted[i];
    }
    return NULL;
}

/* Why the file may not be written; NULL: it may. */
static const char *refusal(struct hosted *hosted, struct str path)
{
    struct hosted_page page = hosted_page(hosted);
    const char *top = hosted->notes.workspace, *real = path.size ? real_path(hosted, path) : NULL;
    struct str role = caller_role(hosted);
    const struct host_wanted *wanted;
    size_t size = strlen(top);

    if (!real) return hosted_text_no_path;
    wanted = wanted_output(hosted, real);
    if (wanted && str_is(role, wanted->role)) return NULL;
    if (wanted) {
        page.role = slot_word(wanted->role);
        return hosted_words(hosted_page_not_its_answer, &page, &hosted->arena).data;
    }
    if (strncmp(real, top, size) != 0 || (real[size] != '/' && real[size] != '\0')) return NULL;
    if (is_private(hosted, real + size + 1)) return hosted_text_own_file;
    wanted = role.size ? wanted_role(hosted, role) : NULL;
    if (wanted && wanted->writes) return NULL;
    page.main = hosted->in->agent_id.size == 0 && hosted->in->agent_type.size == 0;
    page.writers = slot_word(names_of(hosted, true));
    page.wanted = slot_word(names_of(hosted, false));
    return hosted_words(hosted_page_no_edit, &page, &hosted->arena).data;
}

static void gate_edit(struct hosted *hosted)
{
    const char *reason = NULL;
    struct hook_paths paths = { 0 };
    bool any = false;
    struct str path;

    while (!reason && hook_path_next(hosted->in, &paths, &path)) {
        any = true;
        reason = refusal(hosted, path);
    }
    if (!any) reason = hosted_text_no_file;
    if (reason) deny(hosted, str_of(reason));
}

void hosted_gate(struct hosted *hosted)
{
    enum hook_tool_kind kind = hosted->in->tool.kind;

    if (kind != HOOK_TOOL_AGENT && kind != HOOK_TOOL_EDIT && kind != HOOK_TOOL_CLOSE) return;
    if (hosted_look(hosted) != 0) return;
    if (!hosted->bound && !hosted_adopt(hosted)) return;
    if (hosted->stale && hosted_open(hosted) != 0) return;
    if (hosted->opened && hosted_leave(hosted) != 0) return;
    if (hosted->notes.state != HOST_RUNNING) return;
    if (kind == HOOK_TOOL_AGENT) gate_agent(hosted);
    else if (kind == HOOK_TOOL_EDIT) gate_edit(hosted);
    else gate_close(hosted);
}
