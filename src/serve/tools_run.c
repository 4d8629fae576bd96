/* SPDX-License-Identifier: Apache-2.0
 *
 * tools_run.c - tools that set a run going: start_run, resume_run, answer_question.
 *
 * Each is `hone run`, `hone resume` or `hone answer` as a process of its own, in a session of its
 * own: the run outlives this server and its client. The call is over when the journal shows that
 * the run goes on, or when the process has ended before that and said why.
 *
 *   begin --started--> waits, a look at a time --journal has it--> left alone, answered
 *                        |  |--ended before--> answered with its words
 *                        |  '--too long-----> told to stop, answered
 *                        '--cancelled-------> told to stop; the run can be resumed
 *
 * 1. An agent inside an attempt is refused: a run does not judge or start itself.
 * 2. Nothing that a model says chooses a program, a role's agent or a sandbox: those come from the
 *    user's configuration. Texts go to the process as single arguments, and never through a shell.
 * 3. A model cannot raise a run's budget: of the budget that the call names and the user's own, the
 *    lower limit counts.
 * 4. Where a run is at work in the workspace, the call is refused before anything is started.
 * 5. A run that is begun here goes on beside a person at work (beside.h). */
#include "serve/tools.h"

#include "base/mem.h"
#include "dialect/dialect.h"
#include "drive/spending.h"
#include "format/text/budget_text.h"
#include "prompts/serve.h"
#include "run/place.h"
#include "serve/beside.h"
#include "serve/errand.h"
#include "settings/hone_files.h"
#include "settings/hone_use.h"
#include "settings/loop_file.h"

#include <stdlib.h>
#include <string.h>

enum {
    BEGIN_MS_MAX = 60 * 1000,
    ARGUMENTS_MAX = 12,
    LIST_BYTES_MAX = 512,
    RULES_BYTES_MAX = 4096,
    BUDGET_BYTES_MAX = 256,
    WORDS_BYTES_MAX = 600,
};

#define BEGUN                                                                                    \
    "{\"type\":\"object\",\"properties\":{\"run\":{\"type\":\"string\"},\"message\":{"             \
    "\"type\":\"string\"}},\"required\":[\"run\",\"message\"]}"

static void drop(struct mcp_call *call, bool cancelled)
{
    struct errand *errand = call->state;

    if (!errand) return;
    if (cancelled) errand_stop(errand);
    errand_leave(errand);
    free(errand);
    call->state = NULL;
}

/* ---- before ---- */

static bool is_outside(struct mcp_call *call)
{
    struct serve_page page = world_page(call);

    if (!world_is_attempt(call->world)) return true;
    mcp_say(call, serve_page_inside, &page);
    return false;
}

/* Whether no run is at work in this workspace; else the call is answered with an error. */
static bool is_free(struct mcp_call *call)
{
    const struct world *world = call->world;
    struct serve_page page = serve_page(call);
    struct lock_owner owner = { 0 };
    struct look look;
    struct err err;
    const char *lock;
    bool held = false;

    (void)look_open(&look, world->cwd, &err); /* without a journal the place is still known */
    if (look.repo.hone_dir &&
        place_lock_path(&look.repo, look.repo.workspace, &look.arena, &lock, &err) == 0) {
        held = lock_is_held(lock, &owner);
    }
    look_close(&look);
    if (!held) return true;
    page.run = slot_text(str_of(owner.note), SERVE_NAME_BYTES_MAX);
    mcp_say(call, serve_page_busy, &page);
    return false;
}

/* ---- the process ---- */

static enum mcp_state begin(struct mcp_call *call, const char *const *arguments, const char *run,
                            uint64_t before)
{
    const struct world *world = call->world;
    struct errand *errand = mem_alloc(sizeof *errand);
    struct serve_page page = serve_page(call);
    struct err err;

    call->state = errand;
    if (errand_begin(errand, arguments, world->cwd, run, before, 0, &err) != 0) {
        page.why = slot_words(err.text);
        return mcp_say(call, serve_page_not_started, &page);
    }
    call->wake_ms = call->now_ms + ERRAND_LOOK_MS;
    return MCP_LATER;
}

static enum mcp_state put_begun(struct mcp_call *call, const char *run)
{
    yyjson_mut_val *result = yyjson_mut_obj(call->doc);
    struct serve_page page = serve_page(call);
    struct arena arena = { 0 };

    page.run = slot_text(str_of(run), SERVE_NAME_BYTES_MAX);
    json_add(call->doc, result, "run", run);
    json_add(call->doc, result, "message",
             serve_words(serve_page_begun, &page, &arena).data);
    arena_release(&arena);
    return mcp_done(call, result);
}

static enum mcp_state put_ended(struct mcp_call *call, const struct errand *errand, int status)
{
    struct serve_page page = serve_page(call);

    page.status = slot_number((uint32_t)status);
    page.said = slot_text(errand_last_words(errand), WORDS_BYTES_MAX);
    return mcp_say(call, serve_page_not_begun, &page);
}

static enum mcp_state go_on(struct mcp_call *call)
{
    struct errand *errand = call->state;
    struct serve_page page = serve_page(call);
    int status = 0;

    switch (errand_look(errand, &status)) {
    case ERRAND_GOES_ON: return put_begun(call, errand->run);
    case ERRAND_ENDED: return put_ended(call, errand, status);
    case ERRAND_WAITS: break;
    }
    if (call->now_ms - call->begun_ms > BEGIN_MS_MAX) {
        errand_stop(errand);
        page.seconds = slot_number(BEGIN_MS_MAX / 1000);
        return mcp_say(call, serve_page_begun_late, &page);
    }
    call->wake_ms = call->now_ms + ERRAND_LOOK_MS;
    return MCP_LATER;
}

/* ---- start_run ---- */

/* A dialect, or a loop of the user's own by its name: a path would be a file that the model chose.
 * NULL: there is none. It lives in arena. */
static const struct dialect *dialect_here(const struct world *world, const char *name,
                                          struct arena *arena)
{
    const struct dialect *dialect = dialect_find(str_of(name));
    struct config_text files[LOOP_FILES];
    struct loop_source source;
    struct loop_query query = { .word = name, .cwd = world->cwd, .shown = true };
    struct repo repo = { 0 };
    struct err none;

    if (dialect || strpbrk(name, "/.")) return dialect;
    if (repo_open(&repo, world->cwd, REPO_FIND, &none) == 0) query.repo = &repo;
    if (loop_find(&query, arena, &source, &none) == 0) {
        loop_keep(&source, files);
        dialect = dialect_of(source.name, &(struct settings){ .files = files,
                                                              .file_count = LOOP_FILES }, arena);
    }
    repo_release(&repo);
    return dialect;
}

static bool is_dialect(struct mcp_call *call, const char *name)
{
    struct serve_page page = serve_page(call);
    struct arena arena = { 0 };
    bool known = dialect_here(call->world, name, &arena) != NULL;
    struct buf list;

    arena_release(&arena);
    if (known) return true;
    buf_init(&list, LIST_BYTES_MAX);
    for (uint32_t i = 0; dialects[i]; i++) {
        buf_printf(&list, "%s%s", i ? ", " : "", dialects[i]->name);
    }
    page.dialect = slot_text(str_of(name), SERVE_SHOWN_BYTES_MAX);
    page.names_known = slot_word(buf_cstr(&list));
    mcp_say(call, serve_page_no_dialect, &page);
    buf_release(&list);
    return false;
}

/* What the run may use: as it was said, and no more than the user's own files allow. "" where
 * neither names a limit. */
static int narrow_budget(const struct world *world, const char *name, const char *said,
                         struct arena *arena, const char **out, struct err *err)
{
    const struct dialect *dialect = dialect_here(world, name, arena);
    struct run_settings settings = { 0 };
    struct budget budget = { 0 }, own;
    struct hone_own files = { 0 };
    struct buf text;
    int rc = budget_read(str_of(said), &budget, err);

    if (rc != 0) return err_wrap(err, "budget");
    rc = hone_own_open(&files, world->cwd, false, err);
    if (rc == 0) {
        hone_prefill(&files.values, dialect, &settings, arena);
        own = spending_budget(settings.budget);
        budget = budget_within(&budget, &own);
        buf_init(&text, BUDGET_BYTES_MAX);
        budget_write(&budget, &text);
        *out = arena_take_cstr(arena, &text);
    }
    hone_own_close(&files);
    return rc;
}

static enum mcp_state start_run(struct mcp_call *call)
{
    const char *dialect = mcp_text(call, "dialect");
    const char *task = mcp_text(call, "task");
    const char *since = mcp_text(call, "since");
    const char *said = mcp_text(call, "budget"), *budget = "";
    bool all = yyjson_is_true(yyjson_obj_get(call->arguments, "all"));
    const char *argv[ARGUMENTS_MAX] = { "run", "--json", "--quiet" };
    struct serve_page page = serve_page(call);
    struct arena arena = { 0 };
    enum mcp_state state;
    uint32_t count = 3;
    struct err err;

    if (call->turn > 0) return go_on(call);
    if (!is_outside(call) || !is_dialect(call, dialect) || !is_free(call)) return MCP_DONE;
    if (said && narrow_budget(call->world, dialect, said, &arena, &budget, &err) != 0) {
        arena_release(&arena);
        page.why = slot_words(err.text);
        return mcp_say(call, serve_page_bad_budget, &page);
    }
    if (*budget) argv[count++] = arena_printf(&arena, "--budget=%s", budget);
    if (since) argv[count++] = arena_printf(&arena, "--since=%s", since);
    if (all) argv[count++] = "--all";
    if (beside_isolates(((const struct world *)call->world)->cwd)) argv[count++] = "--isolate";
    argv[count++] = "--";
    argv[count++] = dialect;
    if (task) argv[count++] = task;
    state = begin(call, argv, "", 0);
    arena_release(&arena);
    return state;
}

/* Which dialects there are, and which can begin with nothing but their name. */
static void explain_start(yyjson_mut_doc *doc, yyjson_mut_val *properties)
{
    struct buf rules, task;

    buf_init(&rules, RULES_BYTES_MAX);
    buf_init(&task, RULES_BYTES_MAX);
    buf_text(&rules, "The loop's rules: ");
    buf_text(&task, "What the agents are to do");
    for (uint32_t i = 0; dialects[i]; i++) {
        const struct dialect *dialect = dialects[i];
        buf_printf(&rules, "%s%s", i == 0 ? "" : dialects[i + 1] ? ", " : " or ", dialect->name);
        if (dialect->gist) buf_printf(&rules, " (%s)", dialect->gist);
        if (dialect->task_default && !dialect->task_options && !dialect->lanes) {
            buf_printf(&task, "; %s needs none", dialect->name);
        }
    }
    json_add(doc, yyjson_mut_obj_get(properties, "dialect"), "description", buf_cstr(&rules));
    json_add(doc, yyjson_mut_obj_get(properties, "task"), "description", buf_cstr(&task));
    buf_release(&rules);
    buf_release(&task);
}

const struct mcp_tool tool_start_run = {
    .name = "start_run",
    .title = "Start a run",
    .description = serve_text_about_start_run,
    .input = "{\"type\":\"object\",\"properties\":{"
             "\"dialect\":{\"type\":\"string\"},"
             "\"task\":{\"type\":\"string\",\"maxLength\":65536},"
             "\"since\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":250,\"description\":"
             "\"Look at what has changed since this commit\"},"
             "\"all\":{\"type\":\"boolean\",\"description\":\"Look at everything\"},"
             "\"budget\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":250,\"description\":"
             "\"What the run may use in all: usd=5,tokens=2M,time=2h,calls=40, or some of these. "
             "It cannot raise a limit that the user has set\"}},"
             "\"required\":[\"dialect\"],\"additionalProperties\":false}",
    .explain = explain_start,
    .output = BEGUN,
    .destroys = true,
    .open_world = true,
    .call = start_run,
    .drop = drop,
};

/* ---- resume_run, answer_question ---- */

/* The run that the call names, which must not be at work: false when that is the result. */
static bool find_resting(struct mcp_call *call, struct look *look)
{
    struct serve_page page = serve_page(call);
    struct err err;

    if (tool_look(call, look, &err) != 0) {
        mcp_error(call, err.text);
        return false;
    }
    if (!look->alive) return true;
    page.run = slot_text(str_of(look->run.id), SERVE_NAME_BYTES_MAX);
    mcp_say(call, serve_page_at_work, &page);
    return false;
}

/* resume_run goes on, answer_question with a choice. */
static enum mcp_state go_on_with(struct mcp_call *call)
{
    const char *choice = mcp_text(call, "choice");
    enum mcp_state state = MCP_DONE;
    struct look look = { 0 };

    if (call->turn > 0) return go_on(call);
    if (!is_outside(call)) return MCP_DONE;
    if (find_resting(call, &look)) {
        const char *const argv[] = { choice ? "answer" : "resume", "--json", "--quiet",
                                     look.run.id, choice, NULL };
        state = begin(call, argv, look.run.id, look.run.event_count);
    }
    look_close(&look);
    return state;
}

const struct mcp_tool tool_resume_run = {
    .name = "resume_run",
    .title = "Resume a run",
    .description = serve_text_about_resume_run,
    .input = "{\"type\":\"object\",\"properties\":{\"run\":{\"type\":\"string\",\"description\":"
             "\"The run, or the beginning of its name; by default the newest of this "
             "workspace\"}},\"additionalProperties\":false}",
    .output = BEGUN,
    .destroys = true,
    .open_world = true,
    .call = go_on_with,
    .drop = drop,
};

const struct mcp_tool tool_answer_question = {
    .name = "answer_question",
    .title = "Answer the question of a run",
    .description = serve_text_about_answer_question,
    .input = "{\"type\":\"object\",\"properties\":{\"run\":{\"type\":\"string\",\"description\":"
             "\"The run, or the beginning of its name; by default the newest of this "
             "workspace\"},"
             "\"choice\":{\"type\":\"string\",\"enum\":[\"continue\",\"accept\",\"restart\","
             "\"stop\"],\"description\":\"continue: one more round, then it asks again; accept: "
             "take the work as it is; restart: begin a new iteration; stop: end the run\"}},"
             "\"required\":[\"choice\"],\"additionalProperties\":false}",
    .output = BEGUN,
    .destroys = true,
    .open_world = true,
    .call = go_on_with,
    .drop = drop,
};
