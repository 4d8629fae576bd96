/* SPDX-License-Identifier: Apache-2.0
 *
 * continue.c - a run that goes on from a contract file: one that another tool wrote, or a run of
 * another clone; and the lock file by which such tools keep out of each other's way.
 *
 *   options --> the file, pinned with the settings --> events --> journal, engine
 *           --> the tree is as the file left it, or a person accepts it --> EV_RESUME
 *
 * 0. A file is ours where it is, byte for byte, what a run of this workspace made of it, and that
 *    run carries this user's word (owner.c). Of any other no approval counts (the dialect's
 *    restore), and that is said.
 * 1. The file is read once. From then on the journal is the truth, as in any run.
 * 2. The events of the past are not performed: no agent starts, no file is written, nothing is
 *    reported. The first record follows the resume.
 * 3. A tree that is not as the file left it is never taken silently: it is accepted by option, or
 *    at the terminal, or the run is refused with nothing written.
 * 4. A lock file whose process lives is respected; one whose process is gone is taken over, and
 *    that is said.
 * 5. If another program changed the file after the run wrote it, a resume does not write over it.
 *    A file that the run itself wrote can be told: it is what the journal, up to one of its events,
 *    makes of it.
 * 6. A run is the only writer of its file while it is at work. What another program writes there
 *    meanwhile is not read; it is kept with the run, and said. (A hook knows only what it wrote
 *    itself: between two hooks this is not seen.) */
#include "drive/continue.h"

#include "base/path.h"
#include "drive/ask.h"
#include "drive/open.h"
#include "drive/rounds.h"
#include "drive/spending.h"
#include "drive/watch.h"
#include "io/file/scratch.h"
#include "io/process/signals.h"
#include "run/place.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT_BYTES_MAX = 64 << 20, LOCK_BYTES_MAX = 64 << 10 };

/* The contract file that a run goes on from; NULL: it is a new one. */
static const char *continued_path(const struct dialect *dialect, const struct settings *settings,
                                  struct arena *arena)
{
    return dialect->continuing ? dialect->continuing->file(settings, arena) : NULL;
}

int continue_pin(struct drive *drive, const struct dialect *dialect, struct settings *settings)
{
    const char *path = continued_path(dialect, settings, &drive->run.arena);
    struct config_text *files;
    struct str text;
    int rc;

    if (!path) return 0;
    rc = file_text(arena_printf(&drive->run.arena, "%s/%s", drive->run.repo.workspace, path),
                   TEXT_BYTES_MAX, &drive->run.arena, &text, &drive->err);
    if (rc == ERR_MISSING) rc = err_set(&drive->err, ERR_USAGE, "there is no %s", path);
    if (rc != 0) return err_wrap(&drive->err, "continue from a file");
    files = arena_alloc(&drive->run.arena, (settings->file_count + 1) * sizeof *files);
    for (uint32_t i = 0; i < settings->file_count; i++) files[i] = settings->files[i];
    files[settings->file_count++] = (struct config_text){ path, text };
    settings->files = files;
    return 0;
}

/* ---- whose file it is ---- */

/* A run that may have written the file, searched for among all of a workspace. */
struct author {
    const struct drive *drive;
    const struct dialect *dialect;
    struct journal *journal;
    const char *path, *word; /* word: this user's */
    struct str text;
    bool found;
};

static bool author_wrote(void *context, const struct run *replay, uint64_t sequence,
                         const struct event *event, const struct actions *actions)
{
    struct author *author = context;
    struct run_view view = run_view(replay, 0);
    struct contract contract = { 0 };

    (void)sequence, (void)event, (void)actions;
    replay->dialect->record(&view, &contract);
    author->found = contract.file_count > 0 && strcmp(contract.files[0].path, author->path) == 0 &&
                    str_eq(contract.files[0].content, author->text);
    contract_release(&contract);
    return !author->found;
}

/* Whether the row is a run of this user that works on the file: by its name, as it is new, or as
 * it was continued. */
static bool is_candidate(const struct author *author, const struct journal_run *row,
                         struct arena *arena)
{
    struct str name = str_of(path_leaf_text(author->path));
    struct run_settings settings;
    const char *continued;
    struct err none;

    if (strcmp(row->dialect, author->dialect->name) != 0) return false;
    if (strcmp(row->workspace, author->drive->run.repo.workspace) != 0) return false;
    if (settings_read(str_of(row->settings), arena, &settings, &none) != 0) return false;
    if (strcmp(settings.owner, author->word) != 0) return false;
    name.size = strcspn(name.data, ".");
    continued = setting_value(&settings.options, author->dialect->continuing->option);
    return str_is(name, continued ? continued : settings.uuid ? settings.uuid : "");
}

static bool ask_author(void *context, const struct journal_run *row)
{
    struct author *author = context;
    struct arena arena = { 0 };

    if (is_candidate(author, row, &arena)) {
        struct run run = { 0 };
        struct err none;

        if (run_load(&run, row, &none) == 0) {
            (void)run_replay(&run, author->journal, author_wrote, author, &none);
        }
        run_release(&run);
    }
    arena_release(&arena);
    return !author->found;
}

static bool is_ours(struct drive *drive, const struct dialect *dialect, const char *path,
                    struct str text)
{
    struct author author = { .drive = drive, .dialect = dialect, .path = path, .text = text,
                             .word = owner_word(&drive->run.arena) };
    struct arena arena = { 0 };
    struct err none;

    if (*author.word &&
        journal_open_readonly(&author.journal, place_journal(&drive->run.repo, &arena),
                              &none) == 0) {
        (void)journal_runs(author.journal, &arena, ask_author, &author, &none);
        journal_close(author.journal);
    }
    arena_release(&arena);
    return author.found;
}

int continue_restore(struct drive *drive, const struct dialect *dialect,
                     const struct settings *settings, struct restored *out)
{
    const char *path = continued_path(dialect, settings, &drive->run.arena);
    struct contract contract = { 0 };
    bool ours = false;
    int rc = 0;

    if (!path) return 0;
    for (uint32_t i = 0; i < settings->file_count; i++) {
        if (strcmp(settings->files[i].path, path) != 0) continue;
        contract_file_add(&contract, path, settings->files[i].text);
        ours = is_ours(drive, dialect, path, settings->files[i].text);
    }
    rc = dialect->continuing->restore(&contract, settings, ours, out, &drive->err);
    contract_release(&contract);
    if (rc == 0 && out->doubted) {
        drive_warn(drive, "%s is not as a run of yours in this workspace left it: what it calls "
                   "passed is reviewed again", path);
    }
    for (uint32_t i = 0; rc == 0 && i < out->count; i++) {
        if (out->events[i].now_ms == 0) out->events[i].now_ms = now_wall_ms(); /* it is not known */
    }
    if (rc == ERR_FORMAT) drive->err.code = ERR_USAGE; /* it is the user's file, and named so */
    return rc == 0 ? 0 : (int)drive->err.code;
}

/* Whether the person at the run takes the tree as it is. */
static bool person_accepts(struct drive *drive, const char *what)
{
    enum { ACCEPT, STOP };
    const struct dialog dialog = {
        .text = arena_printf(&drive->run.arena, "\n%s.\n", what), .hint = "", .count = 2,
        .rows = { { "accept", "take the work tree as it is; what was checked is checked again",
                    ACCEPT },
                  { "stop", "end here; nothing is changed", STOP } },
    };
    uint32_t chosen = STOP;

    return drive->hands->ask(drive, &dialog, &chosen) && chosen == ACCEPT;
}

/* *drifted: the tree is not as the file left it, and that was accepted. */
static int check_drift(struct drive *drive, const struct tree_view *tree, bool *drifted)
{
    const struct dialect_continuing *continuing = drive->run.dialect->continuing;
    struct run_view view = drive_view(drive, 0);
    const char *what, *note = NULL;

    *drifted = false;
    if (!continuing) return 0;
    view.tree = tree;
    what = continuing->drifted(&view, &note, &drive->run.arena);
    if (note) drive_warn(drive, "%s", note);
    if (!what) return 0;
    *drifted = true;
    if (setting_value(&drive->run.settings.options, continuing->accept_option)) {
        drive_warn(drive, "%s: taken as it is, and checked again", what);
        return 0;
    }
    if (person_accepts(drive, what)) return 0;
    return err_set(&drive->err, ERR_USAGE, "%s: look at it; --%s takes the work tree as it is",
                   what, continuing->accept_option);
}

void continue_task(struct drive *drive, const char *task)
{
    if (task == drive->run.dialect->task_default) return;
    drive_warn(drive, "the task is not taken: what is asked for stands in the file "
               "that is continued");
}

void past_step(struct drive *drive, const struct restored *past)
{
    for (uint32_t i = 0; i < past->count; i++) {
        struct actions ignored = { 0 };
        engine_step(&drive->run.engine, &past->events[i], &ignored);
        actions_release(&ignored);
    }
}

int past_put(struct drive *drive, const struct restored *past)
{
    struct run *run = &drive->run;
    int rc = journal_put_run(run->journal, &run->row, &drive->err);

    for (uint32_t i = 0; i < past->count && rc == 0; i++) {
        rc = journal_put_event(run->journal, run->row.id, &past->events[i], &drive->err);
    }
    run->event_count = past->count;
    return rc;
}

/* The past, with the tree that it begins with where the file does not say; and whether that tree
 * may be gone on with. */
static int restore_past(struct drive *drive, const struct restored *restored, bool *drifted)
{
    const struct dialect *dialect = drive->run.dialect;
    struct run_view view = drive_view(drive, 0);
    struct round_tree tree = { 0 };
    int rc = tree_view_take(drive, &tree);

    view.tree = &tree.view;
    if (rc == 0 && dialect->framing) {
        rc = dialect->framing->start(&view, &drive->run.arena, &restored->events[0].result,
                                     &drive->err);
    }
    /* The budget is this run's: neither time nor calls of the past count. */
    for (uint32_t i = 0; i < restored->count; i++) restored->events[i].late = true;
    if (rc == 0) past_step(drive, restored);
    if (rc == 0) drive->used_before = drive->run.engine.usage;
    if (rc == 0) rc = check_drift(drive, &tree.view, drifted);
    round_release(&tree);
    return rc;
}

int continue_run(struct drive *drive, const struct restored *restored)
{
    const struct engine *engine = &drive->run.engine;
    bool drifted = false;
    int rc = restore_past(drive, restored, &drifted);

    if (rc == 0 && !drifted) rc = watch_adopt(drive, &engine->lanes[0]);
    if (rc == 0) rc = journal_begin(drive->run.journal, &drive->err);
    if (rc == 0) rc = past_put(drive, restored);
    if (rc == 0) rc = journal_commit(drive->run.journal, &drive->err);
    if (rc != 0) return rc;
    drive_tell(drive, &(struct news){ .kind = NEWS_RUN });
    if (drifted) {
        drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms() });
    }
    if (engine_can_resume(engine)) {
        struct budget budget = spending_budget(drive->run.settings.budget);

        drive_push(drive, (struct event){ .kind = EV_RESUME, .now_ms = now_wall_ms(),
                                          .has_budget = budget_has_limit(&budget),
                                          .budget = budget });
        return 0;
    }
    return drive_finish(drive);
}

/* ---- what another program did to the file meanwhile ---- */

struct search {
    const struct drive *drive;
    struct str text; /* as the file is now */
    bool found;
};

/* The contract file that other tools go on with, as the run has it when the engine stands there. */
static void record_at(const struct drive *drive, const struct engine *engine, struct contract *out)
{
    struct run_view view = drive_view(drive, 0);

    view.engine = engine;
    drive->run.dialect->record(&view, out);
}

static bool compare_record(void *context, const struct run *replay, uint64_t sequence,
                           const struct event *event, const struct actions *actions)
{
    struct search *search = context;
    struct contract contract = { 0 };

    (void)sequence, (void)event, (void)actions;
    record_at(search->drive, &replay->engine, &contract);
    search->found = contract.file_count > 0 && str_eq(contract.files[0].content, search->text);
    contract_release(&contract);
    return !search->found;
}

/* A run that died may have written an older version last: then one of its events led to it. */
static int search_past(struct drive *drive, const char *path, struct str text)
{
    struct search search = { .drive = drive, .text = text };
    const char *name = path_leaf_text(path);
    struct run past = { 0 };
    int rc = run_load(&past, &drive->run.row, &drive->err);

    if (rc == 0) rc = run_replay(&past, drive->run.journal, compare_record, &search, &drive->err);
    run_release(&past);
    if (rc != 0 || search.found) return rc;
    return err_set(&drive->err, ERR_USAGE, "%s is not as this run left it, and would be written "
                   "over: 'hone run %s --%s %.*s' goes on from it as it is; to go on without "
                   "those changes, move it away first", path, drive->run.row.dialect,
                   drive->run.dialect->continuing->option, (int)strcspn(name, "."), name);
}

int continue_untouched(struct drive *drive)
{
    struct contract contract = { 0 };
    struct err ignored;
    struct buf text;
    int rc = 0;

    if (!drive->run.dialect->continuing) return 0;
    buf_init(&text, TEXT_BYTES_MAX);
    record_at(drive, &drive->run.engine, &contract);
    if (contract.file_count > 0 &&
        file_read(arena_printf(&drive->run.arena, "%s/%s", drive->run.repo.workspace,
                               contract.files[0].path), &text, &ignored) == 0 &&
        !str_eq(contract.files[0].content, buf_str(&text))) {
        rc = search_past(drive, contract.files[0].path, buf_str(&text));
    }
    contract_release(&contract);
    buf_release(&text);
    return rc;
}

int continue_keep_other(struct drive *drive, const struct contract *contract)
{
    struct arena arena = { 0 };
    const char *folder, *path, *name;
    struct err ignored;
    struct buf text;
    int rc = 0;

    if (!drive->run.dialect->continuing || contract->file_count == 0) return 0;
    path = contract->files[0].path;
    folder = run_folder(&drive->run, &arena);
    name = arena_printf(&arena, "other-%" PRIu64, drive->run.engine.steps);
    buf_init(&text, TEXT_BYTES_MAX);
    if (drive->continued.size > 0 &&
        file_read_in(drive->run.repo.workspace, path, &text, &ignored) == 0 &&
        !str_eq(buf_str(&text), buf_str(&drive->continued))) {
        rc = scratch_write(folder, name, buf_str(&text), &drive->err);
        drive_warn(drive, "another program changed %s while this run works on it: "
                   "hone writes it anew, and that version is in %s/%s", path, folder, name);
    }
    buf_release(&text);
    buf_release(&drive->continued);
    buf_init(&drive->continued, TEXT_BYTES_MAX);
    buf_add(&drive->continued, contract->files[0].content);
    arena_release(&arena);
    return rc;
}

int claim_lock_file(struct drive *drive)
{
    const struct dialect_sharing *sharing = drive->run.dialect->sharing;
    struct run_view view = drive_view(drive, 0);
    const char *path;
    struct err ignored;
    struct str text;
    long owner = 0;

    if (!sharing) return 0;
    path = sharing->lock_file(&view, &drive->run.arena);
    if (file_text(arena_printf(&drive->run.arena, "%s/%s", drive->run.repo.workspace, path),
                  LOCK_BYTES_MAX, &drive->run.arena, &text, &ignored) == 0) {
        owner = sharing->lock_owner(text);
    }
    if (owner <= 0 || owner == process_id()) return 0;
    if (process_exists(owner)) {
        return err_set(&drive->err, ERR_BUSY, "process %ld works on this %s (%s): let it end, or "
                       "stop it", owner, sharing->called, path);
    }
    drive_warn(drive, "process %ld, which left %s, is gone: the %s is taken over",
               owner, path, sharing->called);
    return 0;
}
