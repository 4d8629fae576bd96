/* SPDX-License-Identifier: Apache-2.0
 *
 * hosted_open.c - the run of a session: found, opened under its lock, left for the next hook.
 *
 *   session --notes--> run --journal--> engine --> what is wanted --> notes
 *      '--no notes, but a state file that is its own--> restore() --> a new run in the journal
 *
 * 1. A session is told by its own id alone. One without an id has no run, and one that has no notes
 *    and no state file of its own is never touched.
 * 2. The contract files are the truth: where the dialect's state file is not as this run wrote it,
 *    the run is made anew from the files.
 * 3. Everything that changes is read and written under the workspace's lock, so that of several
 *    hooks at the same instant each sees what the one before did. */
#include "drive/hosted_parts.h"

#include "drive/place.h"
#include "io/host.h"
#include "io/peek.h"
#include "io/scratch.h"

#include <stdio.h>
#include <string.h>

enum { STATE_BYTES_MAX = 16 << 20 };

/* ---- looking ---- */

int hosted_look(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    const char *cwd = arena_cstr(&hosted->arena, hosted->in->cwd);
    int rc;

    drive->lock.fd = drive->supervisor.fd = drive->signals.fd = drive->signals.write_fd = -1;
    drive->report = (struct report){ .quiet = true, .mute = true };
    hosted->found = repo_find(&drive->repo, *cwd ? cwd : ".");
    if (!hosted->found) return 0;
    rc = host_notes_read(&hosted->notes, drive->repo.hone_dir, hosted->in->session_id,
                         &hosted->err);
    if (rc == ERR_MISSING) {
        hosted->err = (struct err){ .code = ERR_NONE };
        return 0;
    }
    hosted->bound = rc == 0;
    return rc;
}

/* ---- opening ---- */

void hosted_dress(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;

    drive->session = arena_cstr(&hosted->arena, hosted->in->session_id);
    drive->says = hosted->in->host == HOOK_CODEX; /* its sandbox keeps hidden folders from agents */
    mask_learn(&drive->mask, host_environment());
    random_word(drive->fence, FENCE_LETTERS);
    snprintf(drive->owner, sizeof drive->owner, "%ld", hosted->notes.owner);
}

/* Whatever the engine waits for is an attempt that is not over; nobody has started any here. */
static void drive_lives(struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct batch *now = &engine->lanes[i].now;

        for (uint32_t k = 0; k < now->count; k++) {
            const struct job *job = &now->jobs[k];

            if (job->state != JOB_RUNNING) continue;
            attempt_start(drive, &(struct action){ .kind = ACT_START, .job = job->id,
                .attempt = job->attempt, .lane = i, .role = job->role, .purpose = job->purpose,
                .phase = now->phase, .iteration = now->iteration, .round = now->round,
                .copy = job->copy });
        }
    }
}

int hosted_journal(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    const char *runs = arena_printf(&hosted->arena, "%s/runs", drive->repo.hone_dir);
    int rc = file_make_folder(runs, false, &drive->err);

    if (rc == 0) {
        rc = file_make_folder(host_notes_folder(drive->repo.hone_dir, &hosted->arena), false,
                              &drive->err);
    }
    if (rc == 0) {
        rc = journal_open(&drive->journal, place_journal(&drive->repo, &hosted->arena),
                          &drive->err);
    }
    return rc;
}

/* A hook has died between its events and its files: they follow from the events. */
static int make_good(struct drive *drive)
{
    int rc = drive_record(drive);

    return rc == 0 && drive->run.engine.state == ENGINE_ENDED ? drive_finish(drive) : rc;
}

static int open_run(struct hosted *hosted, const struct journal_run *row)
{
    struct drive *drive = &hosted->drive;
    int rc = replay_init(&drive->run, row, &drive->err);

    if (rc == 0) run_private(drive);
    if (rc == 0) rc = run_replay(drive);
    if (rc == 0) rc = cast_agents(drive);
    if (rc != 0) return rc;
    drive_lives(drive);
    drive->recorded = drive->run.engine.steps;
    return row->event_count == hosted->notes.events ? 0 : make_good(drive);
}

/* ---- another tool's files ---- */

static bool read_file(struct hosted *hosted, const char *path, struct buf *out)
{
    struct err none;

    buf_init(out, STATE_BYTES_MAX);
    return file_read_in(hosted->drive.repo.workspace, path, out, &none) == 0;
}

static void add_file(struct hosted *hosted, const char *path, struct contract *out)
{
    struct buf text;

    if (read_file(hosted, path, &text)) contract_file_add(out, path, buf_str(&text));
    buf_release(&text);
}

/* The state file and everything in the folders of the trail. */
static void read_contract(struct hosted *hosted, const struct dialect *dialect,
                          struct contract *out)
{
    const char *top = hosted->drive.repo.workspace;
    const char *const *folders, *const *names;

    add_file(hosted, dialect->state_file, out);
    folders = folder_names(arena_printf(&hosted->arena, "%s/%s", top, dialect->trail), "",
                           &hosted->arena);
    for (; *folders; folders++) {
        const char *folder;

        if ((*folders)[0] == '.') continue;
        folder = arena_printf(&hosted->arena, "%s/%s", dialect->trail, *folders);

        names = folder_names(arena_printf(&hosted->arena, "%s/%s", top, folder), "",
                             &hosted->arena);
        for (; *names; names++) {
            if ((*names)[0] == '.') continue;
            add_file(hosted, arena_printf(&hosted->arena, "%s/%s", folder, *names), out);
        }
    }
}

/* The past, as a run of the journal. Nobody performs it. */
static int take_past(struct hosted *hosted, const struct restored *past)
{
    struct drive *drive = &hosted->drive;
    uint64_t now_ms = now_wall_ms();
    int rc = journal_begin(drive->journal, &drive->err);

    if (rc == 0) rc = journal_put_run(drive->journal, &drive->run.row, &drive->err);
    for (uint32_t i = 0; i < past->count && rc == 0; i++) {
        struct event *event = &past->events[i];
        struct actions ignored = { 0 };

        if (event->now_ms == 0 || event->now_ms > now_ms) event->now_ms = now_ms;
        rc = journal_put_event(drive->journal, drive->run.row.id, event, &drive->err);
        engine_step(&drive->run.engine, event, &ignored);
        ledger_note(&drive->ledger, event, &ignored);
        actions_release(&ignored);
    }
    if (rc == 0 && drive->run.engine.state == ENGINE_ENDED) {
        rc = journal_put_reason(drive->journal, drive->run.row.id, drive->run.engine.reason,
                                &drive->err);
        drive->finished = true;
    }
    drive->run.event_count = past->count;
    return rc == 0 ? journal_commit(drive->journal, &drive->err) : rc;
}

static const struct agent_setting all_by_host = { .role = "*", .spec = "host" };

/* Its files are there already, and they are ours from now on. */
static int own_trail(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;

    return scratch_replace(drive->locks, drive->trail_note, str_of(drive->run.row.id),
                           &drive->err);
}

static int restore_run(struct hosted *hosted, const struct dialect *dialect)
{
    struct drive *drive = &hosted->drive;
    struct run_settings settings = { .agents = &all_by_host, .agent_count = 1 };
    struct headless_request request = { .start = drive->repo.workspace, .dialect = dialect,
                                        .settings = &settings };
    struct restored past = { 0 }, none = { 0 };
    struct contract files = { 0 };
    int rc;

    read_contract(hosted, dialect, &files);
    rc = dialect->settings_of(&files, &hosted->arena, &settings.options, &drive->err);
    if (rc == 0) rc = dialect->restore(&files, &settings.options, &past, &drive->err);
    request.task = past.task ? past.task : dialect->task_default;
    if (rc == 0) rc = run_init(drive, &request, &none);
    if (rc == 0) run_private(drive);
    if (rc == 0) rc = cast_agents(drive);
    if (rc == 0) rc = own_trail(hosted);
    if (rc == 0) rc = take_past(hosted, &past);
    if (rc == 0) drive_lives(drive);
    arena_release(&past.arena);
    contract_release(&files);
    if (rc != 0) return rc;
    hosted->notes.run = arena_cstr(&hosted->notes.arena, str_of(drive->run.row.id));
    hosted->notes.trusting = true;
    hosted->notes.wanted_count = hosted->notes.blocks = 0;
    return drive_record(drive); /* from now on the file says whose it is */
}

/* Whether the state file is as the run left it; a dialect without one has nothing to doubt. */
static bool is_as_left(struct hosted *hosted, const struct dialect *dialect)
{
    struct buf text;
    bool same;

    if (!dialect || !dialect->state_file || hosted->notes.state_sum == 0) return true;
    same = read_file(hosted, dialect->state_file, &text) &&
           host_sum(buf_str(&text)) == hosted->notes.state_sum;
    buf_release(&text);
    return same;
}

int hosted_open(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    const struct dialect *dialect;
    struct journal_run row;
    int rc = run_lock(drive, hosted->notes.run);

    if (rc != 0) goto out;
    host_notes_release(&hosted->notes);
    rc = host_notes_read(&hosted->notes, drive->repo.hone_dir, hosted->in->session_id,
                         &drive->err);
    if (rc != 0) goto out;
    dialect = dialect_find(str_of(hosted->notes.dialect));
    hosted_dress(hosted);
    rc = hosted_journal(hosted);
    if (rc == 0) {
        rc = journal_find(drive->journal, hosted->notes.run, NULL, &hosted->arena, &row,
                          &drive->err);
    }
    if (rc == 0) {
        rc = row.event_count != hosted->notes.events || is_as_left(hosted, dialect)
                 ? open_run(hosted, &row)
                 : restore_run(hosted, dialect);
    }
    hosted->opened = rc == 0;
    if (rc == 0) hosted_note(hosted);

out:
    if (rc != 0) hosted->err = drive->err;
    return rc;
}

/* ---- taking over ---- */

enum owned { OWNED_NOT, OWNED_MINE, OWNED_ORPHAN, OWNED_FOREIGN };

/* What a state file says of whose it is. */
static enum owned owner_of(const struct hosted *hosted, yyjson_val *root)
{
    struct str session = json_str(root, "sessionId");
    bool ours = session.size == UUID_BYTES - 1 && str_has(session, '-');
    uint64_t pid = 0;

    if (session.size && str_eq(session, hosted->in->session_id)) return OWNED_MINE;
    if (!str_number(json_str(root, "ownerPpid"), &pid) || pid <= 1 || pid > INT32_MAX) {
        return OWNED_NOT;
    }
    if (!process_exists((long)pid)) return OWNED_ORPHAN;
    /* A session's name is somebody else's, even where the same host has both. */
    return !ours && host_is_ancestor((long)pid) ? OWNED_MINE : OWNED_FOREIGN;
}

/* The same of a dialect's state file; OWNED_NOT where it tells of no run at work. */
static enum owned state_owner(struct hosted *hosted, const struct dialect *dialect)
{
    enum owned owned = OWNED_NOT;
    yyjson_doc *doc = NULL;
    struct err none;
    struct buf text;

    if (!dialect->state_file || !dialect->restore || !dialect->settings_of) return OWNED_NOT;
    if (read_file(hosted, dialect->state_file, &text) &&
        json_read(buf_str(&text), &doc, &none) == 0) {
        yyjson_val *root = yyjson_doc_get_root(doc);

        if (str_is(json_str(root, "pipeline"), dialect->name) &&
            str_is(json_str(root, "status"), "in_progress")) {
            owned = owner_of(hosted, root);
        }
        yyjson_doc_free(doc);
    }
    buf_release(&text);
    return owned;
}

bool hosted_is_foreign(struct hosted *hosted, const struct dialect *dialect)
{
    return hosted->found && state_owner(hosted, dialect) == OWNED_FOREIGN;
}

static long owner_of_host(void)
{
    const char *const *env = host_environment();
    uint64_t pid;

    for (; *env; env++) {
        struct str word = str_of(*env);
        if (!str_starts(word, STR("CLAUDE_PID="))) continue;
        if (str_number(str_skip(word, strlen("CLAUDE_PID=")), &pid) && pid > 1) return (long)pid;
    }
    return host_parent();
}

void hosted_notes(struct hosted *hosted, const struct dialect *dialect)
{
    struct host_notes *notes = &hosted->notes;

    host_notes_release(notes);
    *notes = (struct host_notes){ .state = HOST_RUNNING, .phase = "" };
    notes->session = arena_cstr(&notes->arena, hosted->in->session_id);
    notes->dialect = dialect->name;
    notes->workspace = arena_cstr(&notes->arena, str_of(hosted->drive.repo.workspace));
    notes->owner = owner_of_host();
    notes->run = "";
}

bool hosted_adopt(struct hosted *hosted, bool orphan)
{
    const struct dialect *dialect = NULL;
    bool mine = false;
    int rc;

    if (!hosted->found || !*host_notes_name(hosted->in->session_id, &hosted->arena)) return false;
    for (uint32_t i = 0; dialects[i] && !mine; i++) {
        enum owned owned = state_owner(hosted, dialects[i]);

        mine = owned == OWNED_MINE || (orphan && owned == OWNED_ORPHAN);
        dialect = dialects[i];
    }
    if (!mine) return false;
    hosted_notes(hosted, dialect);
    rc = run_lock(&hosted->drive, "adopt");
    if (rc == 0) {
        hosted_dress(hosted);
        rc = hosted_journal(hosted);
    }
    if (rc == 0) rc = restore_run(hosted, dialect);
    hosted->bound = hosted->opened = rc == 0;
    if (rc == 0) hosted_note(hosted);
    if (rc != 0) hosted->err = hosted->drive.err;
    return rc == 0;
}

/* ---- leaving ---- */

static enum host_state state_of(const struct engine *engine)
{
    if (engine->state != ENGINE_ENDED) return HOST_RUNNING;
    if (engine->reason == REASON_WAITING || engine->reason == REASON_ESCALATED) return HOST_WAITING;
    return engine_can_resume(engine) ? HOST_STOPPED : HOST_OVER;
}

void hosted_note(struct hosted *hosted)
{
    struct host_notes *notes = &hosted->notes;
    struct drive *drive = &hosted->drive;
    struct host_wanted *list = arena_alloc(&notes->arena, (drive->live_count + 1) * sizeof *list);
    uint32_t count = 0;

    for (uint32_t i = 0; i < drive->live_count; i++) {
        const struct live *live = &drive->live[i];
        const struct role *role = &drive->run.plan.roles[live->action.role];
        const struct host_wanted *old = hosted_wanted(hosted, live);
        struct host_wanted wanted = { .job = live->action.job, .attempt = live->action.attempt };

        if (!hosted_is_played(drive, live)) continue;
        if (old) wanted = *old;
        wanted.role = role->name;
        wanted.writes = role->writes;
        wanted.output = attempt_output(drive, live, &wanted.file, &notes->arena);
        list[count++] = wanted;
    }
    notes->wanted = list;
    notes->wanted_count = count;
}

static const char *phase_word(const struct drive *drive)
{
    const struct lane *lane = &drive->run.engine.lanes[0];
    const struct phase *phase = &drive->run.plan.phases[lane->phase];
    bool repairs = lane->state == LANE_REPAIRING || lane->state == LANE_FINISHING;

    return repairs && phase->repair_name ? phase->repair_name : phase->name;
}

int hosted_leave(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    struct host_notes *notes = &hosted->notes;
    struct buf text;
    int rc;

    if (!hosted->opened) return 0;
    hosted_note(hosted);
    notes->state = state_of(&drive->run.engine);
    notes->phase = phase_word(drive);
    notes->state_sum = 0;
    if (drive->run.dialect->state_file) {
        if (read_file(hosted, drive->run.dialect->state_file, &text)) {
            notes->state_sum = host_sum(buf_str(&text));
        }
        buf_release(&text);
    }
    if (!drive->broken) notes->events = drive->run.event_count;
    rc = host_notes_write(notes, drive->repo.hone_dir, &hosted->err);
    if (rc == 0 && drive->broken) hosted->err = drive->err;
    return drive->broken ? (int)drive->err.code : rc;
}

void hosted_close(struct hosted *hosted)
{
    drive_close(&hosted->drive);
    host_notes_release(&hosted->notes);
    arena_release(&hosted->arena);
}
