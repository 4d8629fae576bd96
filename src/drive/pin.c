/* SPDX-License-Identifier: Apache-2.0
 *
 * pin.c - everything that a new run will go by, as it is now: what changes later changes other
 * runs.
 *
 *   options, hone.json, the dialect's configuration, the files that options name, the scope, the
 *   project's rules, the test command, the file that is continued, what looks have missed so far
 *                                              -->   settings   -->   the row, and its plan
 *
 * Nothing of the repository is written here. A setting that is wrong ends the opening before
 * anything is touched. */
#include "drive/open.h"

#include "drive/continue.h"
#include "io/file/file.h"
#include "io/process/host.h"
#include "run/place.h"
#include "run/reviewers.h"
#include "settings/config.h"
#include "settings/guidelines.h"
#include "settings/scope.h"
#include "settings/test_command.h"

#include <inttypes.h>
#include <string.h>

enum { SETTINGS_BYTES_MAX = 16 << 20, RUN_ID_LETTERS = 8, MEASURED_RUNS_MAX = 100 };

/* A folder for the dialect's own files, where an option could have named one and did not. */
static void choose_folder(struct drive *drive, const struct run_asked *asked,
                          struct settings *settings)
{
    const struct dialect_option *option = asked->dialect->options;
    struct setting *items;
    char stamp[HOST_STAMP_BYTES];
    const char *folder;
    uint32_t nth = 0;

    while (option && option->name && !option->folder) option++;
    if (!option || !option->name) return;
    if (setting_value(settings, option->name)) return;
    host_stamp(stamp);
    do {
        folder = option->folder(asked->task, settings, stamp, nth++, &drive->run.arena);
    } while (file_exists(arena_printf(&drive->run.arena, "%s/%s", drive->run.repo.workspace,
                                      folder)));
    items = arena_alloc(&drive->run.arena, (settings->count + 1) * sizeof *items);
    for (uint32_t i = 0; i < settings->count; i++) items[i] = settings->items[i];
    items[settings->count++] = (struct setting){ .name = option->name, .value = folder };
    settings->items = items;
}

/* The path without links and dots in its folder; a link of its own keeps its name. */
static const char *straight(const char *path, struct arena *arena)
{
    size_t size = (size_t)(strrchr(path, '/') - path);
    const char *folder = file_real(arena_cstr(arena, (struct str){ path, size + 1 }), arena);

    return folder && folder[1] ? arena_printf(arena, "%s%s", folder, path + size) : path;
}

/* Files that options name, as they are called from the top of the workspace. */
static void name_files(struct drive *drive, const struct run_asked *asked,
                       struct settings *settings)
{
    struct str top = str_of(arena_printf(&drive->run.arena, "%s/", drive->run.repo.workspace));
    struct setting *items = arena_alloc(&drive->run.arena, (settings->count + 1) * sizeof *items);

    for (uint32_t i = 0; i < settings->count; i++) {
        const struct dialect_option *option = asked->dialect->options;
        const char *path = settings->items[i].value;

        items[i] = settings->items[i];
        while (option && option->name && strcmp(option->name, items[i].name) != 0) option++;
        if (!option || !option->name || !option->is_file) continue;
        if (path[0] != '/') path = arena_printf(&drive->run.arena, "%s/%s", asked->start, path);
        path = straight(path, &drive->run.arena);
        items[i].value = str_starts(str_of(path), top) ? path + top.size : path;
    }
    settings->items = items;
}

/* Whether an agent runs the test by itself. */
static bool test_is_run(const struct run_settings *settings, struct arena *arena)
{
    for (uint32_t i = 0; i < settings->agent_count; i++) {
        struct agent agent;
        struct err none;

        if (agent_parse(settings->agents[i].spec, arena, &agent, &none) != 0) continue;
        if (agent.backend->runs_test) return true;
    }
    return false;
}

/* Everything the run will go by, as it is now: what changes later changes other runs. */
static int settings_pin(struct drive *drive, const struct run_asked *asked,
                        struct run_settings *out)
{
    struct warnings warnings = { 0 };
    struct plan plan;
    int rc;

    *out = *asked->settings;
    rc = scope_pin(&drive->run.repo, asked->dialect, out, &drive->run.arena, &drive->err);
    if (rc != 0) return rc;
    out->options.warnings = &warnings;
    config_load(asked->dialect, drive->run.repo.workspace, &out->options, &drive->run.arena);
    rc = guidelines_pin(&(struct guidelines_of){ .repo = &drive->run.repo,
                                                 .dialect = asked->dialect,
                                                 .start = asked->start },
                        out, &drive->run.arena, &drive->err);
    if (rc != 0) return rc;
    rc = config_check(asked->dialect, drive->run.repo.workspace, &out->options, &drive->run.arena,
                      &drive->err);
    if (rc != 0) return rc;
    name_files(drive, asked, &out->options);
    choose_folder(drive, asked, &out->options);
    rc = continue_pin(drive, asked->dialect, &out->options);
    if (rc != 0) return rc;
    out->uuid = random_uuid(arena_alloc(&drive->run.arena, UUID_BYTES));
    if (out->test && *out->test) {
        if (!out->test_from || !*out->test_from) out->test_from = "--test";
    } else if (asked->dialect->wants_test || (!out->test && test_is_run(out, &drive->run.arena))) {
        struct test_command found = test_command_find(drive->run.repo.workspace, &drive->run.arena);
        out->test = found.command;
        out->test_from = found.from;
        out->test_found = *found.command && !asked->dialect->wants_test;
    }
    rc = asked->dialect->plan(&out->options, &drive->run.arena, &plan, &drive->err);
    for (uint32_t i = 0; i < warnings.count; i++) drive_warn(drive, "%s", warnings.items[i]);
    out->options.warnings = NULL;
    warnings_release(&warnings);
    return rc;
}

/* What looks have missed in this repository so far, where its newest runs say enough of it; else
 * the guess of core/policy.c holds. Costs a replay of these runs. */
static void pin_missed(struct drive *drive, struct run_settings *settings)
{
    const struct reviewers_bounds bounds = { .runs_max = MEASURED_RUNS_MAX };
    struct reviewers reviewers = { .count = 0 };
    uint32_t missed[MEASURE_LOOKS];
    struct journal *journal = NULL;
    struct err none;

    settings->missed = "";
    if (!policy_find(str_of(settings->until))) return;
    if (journal_open_readonly(&journal, place_journal(&drive->run.repo, &drive->run.arena),
                              &none) == 0 &&
        reviewers_read(journal, &bounds, &reviewers, &none) == 0 &&
        measure_missed(&reviewers.measure, missed)) {
        settings->missed = arena_printf(&drive->run.arena, "%" PRIu32 " %" PRIu32 " %" PRIu32
                                        " %" PRIu32, missed[0], missed[1], missed[2], missed[3]);
    }
    reviewers_release(&reviewers);
    journal_close(journal);
}

bool run_reviews_first(const struct drive *drive)
{
    return drive->run.plan.phases[0].work.role == ROLE_NONE && !drive->run.dialect->commits;
}

/* The row of a new run, and everything that it will go by. */
int run_pin(struct drive *drive, const struct run_asked *asked, struct restored *past)
{
    char id[RUN_ID_LETTERS + 1];
    uint64_t now_ms = now_wall_ms();
    struct journal_run row = { .id = id, .dialect = asked->dialect->name, .task = asked->task,
                               .created_ms = now_ms, .updated_ms = now_ms };
    struct run_settings pinned;
    struct buf settings;
    int rc = settings_pin(drive, asked, &pinned);

    if (rc == 0) rc = continue_restore(drive, asked->dialect, &pinned.options, past);
    if (rc != 0) return rc;
    if (past->task && *past->task) row.task = past->task;
    pinned.owner = owner_word(&drive->run.arena);
    pin_missed(drive, &pinned);
    random_word(id, RUN_ID_LETTERS);
    buf_init(&settings, SETTINGS_BYTES_MAX);
    settings_write(&pinned, &settings);
    row.settings = buf_cstr(&settings);
    row.workspace = drive->run.repo.workspace;
    if (settings.overflow) {
        rc = err_set(&drive->err, ERR_USAGE, "options and files are longer than %d MiB in all",
                     SETTINGS_BYTES_MAX >> 20);
    } else {
        rc = run_load(&drive->run, &row, &drive->err);
    }
    buf_release(&settings);
    if (rc == 0 && run_reviews_first(drive) && scope_is_void(&drive->run.repo, &drive->run.arena)) {
        rc = err_set(&drive->err, ERR_USAGE, "there is nothing to review: %s has no file, and no "
                     "commit", drive->run.repo.workspace);
    }
    return rc;
}
