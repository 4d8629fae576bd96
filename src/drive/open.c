/* SPDX-License-Identifier: Apache-2.0
 *
 * open.c - a run is opened: a new one, or one that was left.
 *
 *   workspace --> lock --> supervisor (inherits the lock) --> journal --> engine --> first event
 *
 * 1. Nothing is read or written before the lock is held (claim.c), except to find the run to
 *    resume.
 * 2. The supervisor is forked before the engine has grown.
 * 3. Resume is the same code as the run: replay with nobody performing; take what had ended
 *    unnoticed; tell the engine whether the tree drifted; EV_RESUME. */
#include "drive/drive.h"

#include "drive/spending.h"
#include "format/text/budget_text.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/process/host.h"
#include "io/process/sandbox.h"
#include "run/place.h"
#include "settings/config.h"
#include "settings/scope.h"
#include "settings/test_command.h"

#include <string.h>

enum { SETTINGS_BYTES_MAX = 16 << 20 };

/* A guess, before the agents are known: right or wrong, it only costs time. */
static bool may_want_sandbox(const struct run_settings *settings)
{
    for (uint32_t i = 0; i < settings->agent_count; i++) {
        if (!str_starts(str_of(settings->agents[i].spec), STR("script:"))) {
            return !settings->sandbox_off;
        }
    }
    return false;
}

/* Whether anybody is a process that could be held by a sandbox. */
static bool wants_sandbox(const struct drive *drive)
{
    for (uint32_t i = 1; i < drive->run.plan.role_count; i++) {
        const struct role *role = &drive->run.plan.roles[i];
        if (role->builtin || drive->agents[i].backend->play) continue;
        return !drive->run.settings.sandbox_off;
    }
    return false;
}

static void drive_sandbox(struct drive *drive)
{
    const char *problem = wants_sandbox(drive) ? sandbox_problem() : NULL;
    const struct run_settings *settings = &drive->run.settings;
    bool lost = settings->network_off || settings->home_private || settings->tmp_private;

    drive->sandboxed = wants_sandbox(drive) && !problem;
    if (problem) {
        report_warning(&drive->report, "agents run without a sandbox (%s): what reviewers change, "
                       "and what nobody may change, is found and put back%s", problem,
                       lost ? "; rights.network, rights.home and rights.tmp are not kept" : "");
    }
}

static int drive_engines(struct drive *drive, const char *run)
{
    const char *runs = arena_printf(&drive->run.arena, "%s/runs", drive->run.repo.hone_dir);
    int rc = file_make_folder(runs, false, &drive->err);

    if (rc == 0) rc = scratch_folder(runs, run, &drive->err);
    if (rc == 0) rc = signals_open(&drive->signals, &drive->err);

    if (rc == 0) rc = supervisor_start(&drive->supervisor, drive->lock.fd, &drive->err);
    if (rc == 0) {
        rc = journal_open(&drive->run.journal, place_journal(&drive->run.repo, &drive->run.arena),
                          &drive->err);
    }
    return rc;
}

/* The dialects' own files, those of all of them: one loop's trail is no change to another. And the
 * folder that an option names for them. */
void run_private(struct drive *drive)
{
    const struct dialect *dialect = drive->run.dialect;
    uint32_t count = 0, options = 0;

    for (uint32_t i = 0; dialects[i]; i++) {
        const char *const *path = dialects[i]->private_paths;
        while (path && *path) path++, count++;
    }
    while (dialect->options && dialect->options[options].name) options++;
    drive->run.private_paths = arena_alloc(&drive->run.arena,
                                       (count + options + 1) * sizeof *drive->run.private_paths);
    count = 0;
    for (uint32_t i = 0; dialects[i]; i++) {
        const char *const *path = dialects[i]->private_paths;
        while (path && *path) drive->run.private_paths[count++] = *path++;
    }
    for (uint32_t i = 0; i < options; i++) {
        struct str folder = str_of(setting_value(&drive->run.settings.options,
                                                 dialect->options[i].name));
        if (!dialect->options[i].is_folder || folder.size == 0) continue;
        if (str_ends(folder, STR("/"))) folder.size--;
        drive->run.private_paths[count++] = arena_printf(&drive->run.arena, "%.*s/", STR_ARG(folder));
    }
}

/* A folder for the dialect's own files, where an option could have named one and did not. */
static void choose_folder(struct drive *drive, const struct headless_request *request,
                          struct settings *settings)
{
    const struct dialect_option *option = request->dialect->options;
    struct setting *items;
    char stamp[HOST_STAMP_BYTES];
    const char *folder;
    uint32_t nth = 0;

    while (option && option->name && !option->is_folder) option++;
    if (!option || !option->name || !request->dialect->folder) return;
    if (setting_value(settings, option->name)) return;
    host_stamp(stamp);
    do {
        folder = request->dialect->folder(request->task, settings, stamp, nth++, &drive->run.arena);
    } while (file_exists(arena_printf(&drive->run.arena, "%s/%s", drive->run.repo.workspace, folder)));
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
static void name_files(struct drive *drive, const struct headless_request *request,
                       struct settings *settings)
{
    struct str top = str_of(arena_printf(&drive->run.arena, "%s/", drive->run.repo.workspace));
    struct setting *items = arena_alloc(&drive->run.arena, (settings->count + 1) * sizeof *items);

    for (uint32_t i = 0; i < settings->count; i++) {
        const struct dialect_option *option = request->dialect->options;
        const char *path = settings->items[i].value;

        items[i] = settings->items[i];
        while (option && option->name && strcmp(option->name, items[i].name) != 0) option++;
        if (!option || !option->name || !option->is_file) continue;
        if (path[0] != '/') path = arena_printf(&drive->run.arena, "%s/%s", request->start, path);
        path = straight(path, &drive->run.arena);
        items[i].value = str_starts(str_of(path), top) ? path + top.size : path;
    }
    settings->items = items;
}

/* Everything the run will go by, as it is now: what changes later changes other runs. */
static int settings_pin(struct drive *drive, const struct headless_request *request,
                        struct run_settings *out)
{
    struct warnings warnings = { 0 };
    struct plan plan;
    int rc;

    *out = *request->settings;
    rc = scope_pin(&drive->run.repo, request->dialect, out, &drive->run.arena, &drive->err);
    if (rc != 0) return rc;
    out->options.warnings = &warnings;
    config_load(request->dialect, drive->run.repo.workspace, &out->options, &drive->run.arena);
    name_files(drive, request, &out->options);
    choose_folder(drive, request, &out->options);
    rc = continue_pin(drive, request->dialect, &out->options);
    if (rc != 0) return rc;
    out->uuid = random_uuid(arena_alloc(&drive->run.arena, UUID_BYTES));
    if (out->test && *out->test) {
        if (!out->test_from || !*out->test_from) out->test_from = "--test";
    } else if (request->dialect->wants_test) {
        struct test_command found = test_command_find(drive->run.repo.workspace, &drive->run.arena);
        out->test = found.command;
        out->test_from = found.from;
    }
    rc = request->dialect->plan(&out->options, &drive->run.arena, &plan, &drive->err);
    for (uint32_t i = 0; i < warnings.count; i++) {
        report_warning(&drive->report, "%s", warnings.items[i]);
    }
    out->options.warnings = NULL;
    warnings_release(&warnings);
    return rc;
}

/* The first event, with what the dialect finds at the beginning. */
int run_start(struct drive *drive)
{
    struct pending first = { .event = { .kind = EV_START, .now_ms = now_wall_ms() } };
    struct event *event = &first.event;
    struct run_view view = drive_view(drive, 0);
    struct round_tree tree = { 0 };
    int rc = 0;

    event->budget = spending_budget(drive->run.settings.budget);
    event->has_budget = budget_has_limit(&event->budget);
    if (drive->run.dialect->start && drive->run.dialect->wants_tree) {
        rc = tree_view_take(drive, &tree);
        view.tree = &tree.view;
    }
    if (rc == 0 && drive->run.dialect->start) {
        rc = drive->run.dialect->start(&view, &first.arena, &event->result, &drive->err);
    }
    round_release(&tree);
    if (rc != 0) {
        arena_release(&first.arena);
        return rc;
    }
    drive_queue(drive, &first);
    report_run(drive, false);
    drive_tick(drive, &drive->run.row);
    return 0;
}

static bool reviews_first(const struct drive *drive)
{
    return drive->run.plan.phases[0].work.role == ROLE_NONE && !drive->run.dialect->commits;
}

/* The row of a new run, and everything that it will go by. */
int run_make(struct drive *drive, const struct headless_request *request,
                    struct restored *past)
{
    char id[RUN_ID_LETTERS + 1];
    uint64_t now_ms = now_wall_ms();
    struct journal_run row = { .id = id, .dialect = request->dialect->name, .task = request->task,
                               .created_ms = now_ms, .updated_ms = now_ms };
    struct run_settings pinned;
    struct buf settings;
    int rc = settings_pin(drive, request, &pinned);

    if (rc == 0) rc = continue_restore(drive, request->dialect, &pinned.options, past);
    if (rc != 0) return rc;
    if (past->task && *past->task) row.task = past->task;
    pinned.owner = owner_word(&drive->run.arena);
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
    if (rc == 0 && reviews_first(drive) && scope_is_void(&drive->run.repo, &drive->run.arena)) {
        rc = err_set(&drive->err, ERR_USAGE, "there is nothing to review: %s has no file, and no "
                     "commit", drive->run.repo.workspace);
    }
    return rc;
}

int run_begin(struct drive *drive, const struct headless_request *request)
{
    struct restored past = { 0 };
    int rc;

    if (may_want_sandbox(request->settings)) sandbox_ask(); /* beside what follows */
    rc = repo_open(&drive->run.repo, request->start, true, &drive->err);
    if (rc == 0) rc = run_make(drive, request, &past);
    if (rc == 0) run_private(drive);
    if (rc == 0) rc = cast_agents(drive, true);
    if (rc == 0) rc = run_claim(drive, drive->run.row.id);
    if (rc == 0) rc = claim_lock_file(drive);
    /* A large tree takes git some time, and nobody else writes there: it may begin at once. */
    if (rc == 0 && reviews_first(drive) && seal_is_large(&drive->run.repo)) {
        tree_ahead_begin(&drive->run.repo, &drive->ahead);
    }
    if (rc == 0) rc = drive_engines(drive, drive->run.row.id);
    if (rc == 0) rc = run_trail(drive);
    if (rc == 0 && drive->run.dialect->commits) rc = commit_begin(drive);
    if (rc == 0) rc = lanes_begin(drive);
    if (rc == 0) {
        drive_sandbox(drive);
        if (drive->run.repo.quieted) {
            report_warning(&drive->report, "programs that only the configuration of this "
                           "repository names do not run in hone: %s", drive->run.repo.quieted);
        }
        report_no_test(drive);
        if (past.count > 0) continue_task(drive, request->task);
        rc = past.count > 0 ? continue_run(drive, &past) : run_start(drive);
    }
    arena_release(&past.arena);
    return rc;
}

static int run_find(struct drive *drive, const char *prefix, struct journal_run *row)
{
    struct journal *journal = NULL;
    int rc = journal_open_readonly(&journal, place_journal(&drive->run.repo, &drive->run.arena),
                                   &drive->err);

    if (rc == ERR_MISSING) {
        return err_set(&drive->err, ERR_USAGE, "there are no runs in this repository yet: "
                       "hone run DIALECT starts one");
    }
    if (rc != 0) return rc;
    rc = journal_find(journal, prefix, drive->run.repo.workspace, &drive->run.arena, row, &drive->err);
    journal_close(journal);
    return rc;
}

/* A lane that rests on stages which hold for one tree: is it still that one? */
static int stages_drifted(struct drive *drive, const struct lane *lane, bool *drifted)
{
    const char *what = "";
    bool same = true;
    int rc;

    if (lane->mints == 0 || lane->state == LANE_REVIEWING || lane->state == LANE_OVER) return 0;
    /* Whoever repairs changes it, and no stage holds afterwards. */
    if (lane->state == LANE_REPAIRING || lane->state == LANE_FINISHING) return 0;
    rc = watch_still(drive, lane, &drive->run.arena, &same, &what);
    if (rc != 0) return rc;
    *drifted = !same;
    if (!same) {
        report_warning(&drive->report, "the work tree changed since it was checked (%s): it is "
                       "checked again", what);
    }
    return 0;
}

/* What the engine must know before it goes on: ends nobody noticed, a tree that moved. */
static int run_recover(struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        bool drifted;
        int rc = watch_resume(drive, &engine->lanes[i], &drifted);

        if (rc == 0 && !drifted) rc = stages_drifted(drive, &engine->lanes[i], &drifted);
        if (rc != 0) return rc;
        if (drifted) {
            drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms(),
                                              .lane = i });
        } else {
            attempt_recover(drive, &engine->lanes[i]);
        }
    }
    drive->recovering = true;
    while (drive->queue_count > 0 && !drive->broken) drive_tick(drive, NULL);
    drive->recovering = false;
    drive->finished = false;
    return 0;
}

static bool note_again(void *context, const struct run *replay, uint64_t sequence,
                       const struct event *event, const struct actions *actions)
{
    struct drive *drive = context;

    (void)replay, (void)sequence;
    ledger_note(&drive->run.ledger, event, actions);
    (void)remark_note(drive, event);
    return true;
}

int drive_replay(struct drive *drive)
{
    return run_replay(&drive->run, drive->run.journal, note_again, drive, &drive->err);
}

/* The answer is journaled; what follows from it is left to a resume. */
static int answer_record(struct drive *drive)
{
    drive->recovering = true;
    while (drive->queue_count > 0 && !drive->broken) drive_tick(drive, NULL);
    drive->recovering = false;
    drive->answered = true;
    return drive->broken ? (int)drive->err.code : 0;
}

/* With the limits that are named; the others stay. */
static struct event resume_event(const struct drive *drive, const struct headless_request *request)
{
    struct event event = { .kind = EV_RESUME, .now_ms = now_wall_ms() };
    struct err none;

    if (!request->budget) return event;
    event.budget = drive->run.engine.budget;
    event.has_budget = budget_read(str_of(request->budget), &event.budget, &none) == 0;
    return event;
}

/* It works in another work tree of this repository. In a copy of the repository the journal still
 * names the original's: there nothing is touched. */
static int run_elsewhere(struct drive *drive, const struct journal_run *row)
{
    const char *here = arena_cstr(&drive->run.arena, str_of(drive->run.repo.hone_dir));
    int rc;

    if (!file_exists(row->workspace)) {
        return err_set(&drive->err, ERR_USAGE, "run %s works in %s, which is not there any more: "
                       "move the repository back, or begin a new run here", row->id,
                       row->workspace);
    }
    repo_release(&drive->run.repo);
    rc = repo_open(&drive->run.repo, row->workspace, false, &drive->err);
    if (rc != 0 || strcmp(drive->run.repo.hone_dir, here) == 0) return rc;
    return err_set(&drive->err, ERR_USAGE, "run %s belongs to %s, and this is a copy of that: "
                   "resume it there, or begin a new run here", row->id, row->workspace);
}

int run_resume(struct drive *drive, const struct headless_request *request)
{
    struct journal_run row = { .workspace = "" };
    int rc = repo_open(&drive->run.repo, request->start, false, &drive->err);

    if (rc == 0) rc = run_find(drive, request->resume, &row);
    if (rc == 0) rc = owner_check(drive, &row, request->trust);
    if (rc == 0 && strcmp(row.workspace, drive->run.repo.workspace) != 0) {
        rc = run_elsewhere(drive, &row);
    }
    if (rc == 0) rc = run_claim(drive, row.id);
    if (rc == 0) commit_unlock(drive, row.created_ms);
    if (rc == 0) rc = drive_engines(drive, row.id);
    if (rc == 0) rc = run_load(&drive->run, &row, &drive->err);
    if (rc == 0) run_private(drive);
    if (rc == 0) rc = claim_lock_file(drive);
    if (rc == 0) rc = drive_replay(drive);
    if (rc == 0) rc = continue_untouched(drive);
    if (rc == 0 && request->answer) rc = ask_check(drive, *request->answer);
    if (rc == 0) rc = run_trail(drive);
    drive->used_before = drive->run.engine.usage;
    if (rc != 0) return rc;
    if (!engine_can_resume(&drive->run.engine)) {
        rc = drive_record(drive); /* it may have died between its last event and its files */
        return rc == 0 ? drive_finish(drive) : rc;
    }
    rc = cast_agents(drive, true);
    if (rc != 0) return rc;
    drive_sandbox(drive);
    report_run(drive, true);
    rc = run_recover(drive);
    if (rc == 0 && request->answer) {
        rc = ask_answer(drive, *request->answer);
        if (rc == 0 && request->record_only) rc = answer_record(drive);
    } else if (rc == 0 && engine_can_resume(&drive->run.engine)) {
        drive_push(drive, resume_event(drive, request));
    } else if (rc == 0) {
        drive->finished = true; /* what had ended unnoticed was the last that was missing */
    }
    return rc;
}
