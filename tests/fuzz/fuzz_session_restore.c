/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_session_restore.c - any bytes as a session file that is continued. What must hold for all
 * of them:
 *
 * 1. It is refused by the plan, or restored: events that an engine takes, and a task.
 * 2. Until something happens a file of ours is recorded byte for byte.
 * 3. No stage holds that the file does not name; of a file that is not ours no stage does.
 * 4. Each job that is asked for has a prompt, and an answer to it is recorded in a file that holds
 *    what the old one's history said. */
#include "dialect/session/session.h"

#include "dialect/session/file.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PATH SESSION_FOLDER "/x.md"

static struct str recorded(const struct run_view *run, struct arena *arena)
{
    struct contract contract = { 0 };
    struct str text = { "", 0 };

    session_record(run, &contract);
    for (uint32_t i = 0; i < contract.file_count; i++) {
        if (strcmp(contract.files[i].path, PATH) == 0) {
            text = arena_copy(arena, contract.files[i].content);
        }
    }
    contract_release(&contract);
    return text;
}

static uint32_t stages_of(struct str text)
{
    struct session_metadata metadata;
    struct session_file file;
    struct err none;
    uint32_t stages = 0;

    if (session_file_read(&file, text, &none) != 0) return 0;
    session_file_metadata(&file, &metadata);
    stages = metadata.completed_stages;
    session_file_release(&file);
    return stages;
}

/* The agent that is asked first gives no answer that could be taken. */
static void go_on(struct run_view *run, struct engine *engine, struct arena *arena)
{
    const struct batch *now = &engine->lanes[0].now;
    const struct job *job = now->count ? &now->jobs[0] : NULL;
    struct event event = { .kind = EV_ENDED };
    struct actions actions = { 0 };
    struct action action;
    struct buf prompt;

    if (!job || job->state != JOB_RUNNING) return;
    action = (struct action){ .kind = ACT_START, .job = job->id, .attempt = job->attempt,
                              .role = job->role, .purpose = job->purpose, .phase = now->phase,
                              .iteration = now->iteration, .round = now->round };
    buf_init(&prompt, 16 << 20);
    session_prompt(run, &(struct prompt_request){ .action = &action, .output = "/o" }, &prompt);
    assert(prompt.size > 0 && !prompt.overflow);
    buf_release(&prompt);
    event.job = job->id;
    event.attempt = job->attempt;
    session_judge(run, &action, STR("what?"), arena, &event.result);
    engine_step(engine, &event, &actions);
    actions_release(&actions);
    assert(recorded(run, arena).size > 0);
}

static void continue_it(const struct settings *settings, const struct plan *plan,
                        const struct restored *restored, struct str text, bool ours)
{
    struct arena arena = { 0 };
    struct engine engine;
    struct run_view run = { .engine = &engine, .id = "r", .task = restored->task,
                            .workspace = "/w", .owner = "1", .settings = settings,
                            .fence = "fence", .backend = "cmd" };

    engine_init(&engine, plan);
    for (uint32_t i = 0; i < restored->count; i++) {
        struct actions actions = { 0 };

        engine_step(&engine, &restored->events[i], &actions);
        assert(actions.count > 0);
        actions_release(&actions);
    }
    assert(!ours || str_eq(recorded(&run, &arena), text));
    assert((engine.lanes[0].mints & ~stages_of(text)) == 0);
    assert(ours || engine.lanes[0].mints == 0);
    go_on(&run, &engine, &arena);
    engine_release(&engine);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct setting item = { "session", "x" };
    struct config_text file = { PATH, { (const char *)data, size } };
    struct settings settings = { .items = &item, .count = 1, .files = &file, .file_count = 1 };
    struct contract files = { 0 };
    struct arena arena = { 0 };
    struct restored restored;
    struct plan plan;
    struct err err = { 0 };

    if (size > 1 << 18) return 0;
    if (session_make_plan(&settings, &arena, &plan, &err) == 0 && size > 0) {
        contract_file_add(&files, PATH, file.text);
        for (int ours = 0; ours < 2; ours++) {
            if (session_restore(&files, &settings, ours, &restored, &err) != 0) continue;
            assert(restored.count > 0 && *restored.task);
            continue_it(&settings, &plan, &restored, file.text, ours);
            arena_release(&restored.arena);
        }
        contract_release(&files);
    }
    arena_release(&arena);
    return 0;
}
