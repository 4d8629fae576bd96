/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_review_restore.c - any bytes as state.json and as the files of its iterations, which
 * another tool wrote. What must hold for all of them:
 *
 * 1. They are refused in words, or restored: events that an engine takes one by one, and a task.
 * 2. Restored and recorded once, the files lead to themselves: doing both again changes no byte.
 * 3. No files make a run clean.
 *
 * Pieces are separated by the byte 0x1e. The first is state.json; of the others the first two bytes
 * say where it lies: the iteration and the role, 6 for the fixer's summary and 7 for a verdict. */
#include "dialect/dialects.h"
#include "dialect/review/review.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct ground {
    struct arena arena;
    struct contract files;
    struct settings settings;
    struct plan plan;
    struct engine engine;
    struct run_view run;
};

static const char *path_of(struct arena *arena, uint32_t iteration, uint32_t role)
{
    static const char *const names[REVIEW_ROLE_COUNT] = {
        [REVIEW_CRITIC] = "critic", [REVIEW_PEDANT] = "pedant", [REVIEW_WITNESS] = "witness",
        [REVIEW_SECURITY] = "security-reviewer",
        [REVIEW_SILENT_FAILURE] = "silent-failure-hunter",
    };

    if (role == REVIEW_CHECKER) { /* which no plan here has */
        return arena_printf(arena, "%s/r1-verdict.json", review_folder(arena, iteration));
    }
    if (role == REVIEW_FIXER) return review_r2_path(arena, iteration);
    return review_r1_path(arena, iteration, names[role]);
}

static void files_read(struct str data, struct contract *out)
{
    struct arena arena = { 0 };
    struct str piece;

    for (uint32_t count = 0; str_cut(&data, 0x1e, &piece); count++) {
        uint32_t iteration, role;

        if (count == 0) {
            contract_file_add(out, REVIEW_STATE_PATH, piece);
            continue;
        }
        if (piece.size < 2) continue;
        iteration = (uint32_t)(unsigned char)piece.data[0] % 8 + 1;
        role = (uint32_t)(unsigned char)piece.data[1] % 8;
        piece = str_skip(piece, 2);
        if (role == REVIEW_NOBODY) continue;
        contract_file_add(out, path_of(&arena, iteration, role), piece);
    }
    arena_release(&arena);
}

/* The newest file of that name. */
static const struct contract_file *file_find(const struct contract *files, const char *path)
{
    for (uint32_t i = files->file_count; i-- > 0;) {
        if (strcmp(files->files[i].path, path) == 0) return &files->files[i];
    }
    return NULL;
}

/* False: they were refused. */
static bool restore(struct ground *ground)
{
    struct restored restored;
    struct actions actions = { 0 };
    struct err err = { 0 };

    if (review_settings_of(&ground->files, &ground->arena, &ground->settings, &err) != 0 ||
        review_restore(&ground->files, &ground->settings, &restored, &err) != 0) {
        assert(err.code == ERR_FORMAT && strstr(err.text, REVIEW_STATE_PATH));
        return false;
    }
    assert(restored.count > 0 && *restored.task);
    assert(dialect_review.plan(&ground->settings, &ground->arena, &ground->plan, &err) == 0);
    engine_init(&ground->engine, &ground->plan);
    for (uint32_t i = 0; i < restored.count; i++) {
        engine_step(&ground->engine, &restored.events[i], &actions);
        assert(actions.count > 0);
    }
    actions_release(&actions);
    ground->run = (struct run_view){ .engine = &ground->engine, .id = "r", .workspace = "/w",
                                     .task = arena_cstr(&ground->arena, str_of(restored.task)),
                                     .owner = "1", .settings = &ground->settings, .fence = "f" };
    arena_release(&restored.arena);
    assert(ground->engine.reason != REASON_CLEAN);
    return true;
}

static bool is_among(const char *path, const char *const *paths, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(paths[i], path) == 0) return true;
    }
    return false;
}

/* The files as they are once this was recorded. */
static void overlay(const struct contract *files, const struct contract *record,
                    struct contract *out)
{
    for (uint32_t i = 0; i < files->file_count; i++) {
        const char *path = files->files[i].path;

        if (is_among(path, record->absent, record->absent_count)) continue;
        if (file_find(record, path)) continue;
        contract_file_add(out, path, files->files[i].content);
    }
    for (uint32_t i = 0; i < record->file_count; i++) {
        contract_file_add(out, record->files[i].path, record->files[i].content);
    }
}

static void ground_release(struct ground *ground)
{
    engine_release(&ground->engine);
    contract_release(&ground->files);
    arena_release(&ground->arena);
}

static void check_again(const struct ground *first)
{
    struct ground second = { .files = { .file_count = 0 } };
    struct contract record = { 0 }, again = { 0 };
    bool restored;

    review_record(&first->run, &record);
    overlay(&first->files, &record, &second.files);
    restored = restore(&second);
    assert(restored);
    review_record(&second.run, &again);
    assert(record.file_count == again.file_count);
    for (uint32_t i = 0; i < record.file_count; i++) {
        assert(strcmp(record.files[i].path, again.files[i].path) == 0);
        assert(str_eq(record.files[i].content, again.files[i].content));
    }
    contract_release(&record);
    contract_release(&again);
    ground_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ground ground = { .files = { .file_count = 0 } };

    if (size > 1 << 16) return 0;
    files_read((struct str){ (const char *)data, size }, &ground.files);
    if (restore(&ground)) check_again(&ground);
    ground_release(&ground);
    return 0;
}
