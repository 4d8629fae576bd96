/* SPDX-License-Identifier: Apache-2.0
 *
 * open.c - the run of a session: found, opened under its lock, left for the next hook.
 *
 *   session --notes--> run --journal--> engine --> what is wanted --> notes
 *      '--no notes, but a state file that is its own--> adopt.c
 *
 * 1. A session is told by its own id alone. One without an id has no run, and one that has no notes
 *    and no state file of its own is never touched.
 * 2. Where the state file of a dialect is not as this run wrote it, the run is made anew from files
 *    (adopt.c): they tell how far it is, and what was found. No file makes anything clean.
 * 3. Everything that changes is read and written under the workspace's lock, so that of several
 *    hooks at the same instant each sees what the one before did. */
#include "drive/hosted/parts.h"

#include "io/file/file.h"
#include "io/process/host.h"
#include "run/place.h"

#include <stdio.h>
#include <string.h>

/* ---- looking ---- */

/* The value of a variable that the host has set; "": it has not. */
static const char *variable(const char *name)
{
    const char *const *env = host_environment();
    size_t size = strlen(name);

    for (; *env; env++) {
        if (strncmp(*env, name, size) == 0 && (*env)[size] == '=') return *env + size + 1;
    }
    return "";
}

/* The repository around a folder, and in it the notes of the session. */
static int look_at(struct hosted *hosted, const char *folder)
{
    struct drive *drive = &hosted->drive;

    repo_release(&drive->run.repo);
    hosted->err = (struct err){ .code = ERR_NONE };
    hosted->found = repo_find(&drive->run.repo, *folder ? folder : ".");
    if (!hosted->found) return ERR_MISSING;
    return host_notes_read(&hosted->notes, drive->run.repo.hone_dir, hosted->in->session_id,
                           &hosted->err);
}

/* A shell of the session, or an agent with a work tree of its own, may be elsewhere by now: the run
 * is where it began. */
static int find_notes(struct hosted *hosted)
{
    const char *cwd = arena_cstr(&hosted->arena, hosted->in->cwd);
    const char *project = variable("CLAUDE_PROJECT_DIR");
    int rc = look_at(hosted, cwd);

    if (rc == ERR_MISSING && *project && strcmp(project, cwd) != 0) {
        rc = look_at(hosted, project);
        if (rc == ERR_MISSING) rc = look_at(hosted, cwd);
    }
    if (rc == 0 && strcmp(hosted->notes.workspace, hosted->drive.run.repo.workspace) != 0) {
        const char *place = arena_cstr(&hosted->arena, str_of(hosted->notes.workspace));

        host_notes_release(&hosted->notes);
        rc = look_at(hosted, place);
    }
    return rc;
}

int hosted_look(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    int rc;

    drive->run.debt.waived = true;
    rc = find_notes(hosted);
    if (rc == ERR_MISSING) {
        hosted->err = (struct err){ .code = ERR_NONE };
        return 0;
    }
    hosted->bound = rc == 0;
    hosted->stale = hosted->bound && hosted_changed(hosted) != HOST_SAME;
    return rc;
}

/* ---- opening ---- */

static long owner_of_host(void)
{
    uint64_t pid;

    if (str_number(str_of(variable("CLAUDE_PID")), &pid) && pid > 1) return (long)pid;
    return host_parent();
}

void hosted_notes(struct hosted *hosted, const struct dialect *dialect)
{
    struct host_notes *notes = &hosted->notes;

    host_notes_release(notes);
    *notes = (struct host_notes){ .state = HOST_RUNNING, .phase = "" };
    notes->session = arena_cstr(&notes->arena, hosted->in->session_id);
    notes->dialect = dialect->name;
    notes->workspace = arena_cstr(&notes->arena, str_of(hosted->drive.run.repo.workspace));
    notes->owner = owner_of_host();
    notes->run = "";
}

/* Not before the turn ends: then the host is told, or hone itself starts it (take.c). */
static void hosted_start(struct drive *drive, struct live *live)
{
    (void)drive;
    live->due_ms = 1;
}

/* The person at the host is asked by the model that leads there (text.c), not by a hook. */
static bool hosted_ask(struct drive *drive, const struct dialog *dialog, uint32_t *chosen)
{
    (void)drive, (void)dialog, (void)chosen;
    return false;
}

/* What a hook writes is read by the host: all that is to be said stands in its reply. */
static void hosted_tell(struct drive *drive, const struct news *news)
{
    (void)drive, (void)news;
}

const struct hands hosted_hands = {
    .start = hosted_start, .stop = attempt_cancel, .ask = hosted_ask, .tell = hosted_tell,
};

void hosted_dress(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;

    drive->session = arena_cstr(&hosted->arena, hosted->in->session_id);
    drive->host = hosted->in->host == HOOK_CODEX ? "codex-subagent" : "claude-subagent";
    drive->answers = hosted->in->host == HOOK_CODEX ? ANSWERS_SPOKEN : ANSWERS_IN_FILE;
    mask_learn(&drive->mask, host_environment(), file_exists);
    snprintf(drive->owner, sizeof drive->owner, "%ld", hosted->notes.owner);
}

/* What the engine waits for is an attempt that is not over; no agent was started by this hook. */
static void know_lives(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    const struct engine *engine = &drive->run.engine;

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct batch *now = &engine->lanes[i].now;

        for (uint32_t k = 0; k < now->count; k++) {
            struct action action = job_action(&engine->lanes[i], &now->jobs[k]);
            const struct host_wanted *wanted;
            struct live *live;

            if (now->jobs[k].state != JOB_RUNNING) continue;
            live = attempt_know(drive, &action);
            wanted = hosted_wanted(hosted, live);
            live->begun = wanted && wanted->seen;
        }
    }
}

int hosted_journal(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    const char *runs = arena_printf(&hosted->arena, "%s/runs", drive->run.repo.hone_dir);
    int rc = file_make_folder(runs, false, &drive->err);

    if (rc == 0) {
        rc = file_make_folder(host_notes_folder(drive->run.repo.hone_dir, &hosted->arena), false,
                              &drive->err);
    }
    /* At SubagentStop hone starts nothing, so it holds the journal for a moment only. */
    if (rc == 0) {
        rc = (hosted->in->event == HOOK_SUBAGENT_STOP ? journal_open_alone : journal_open)(
            &drive->run.journal, place_journal(&drive->run.repo, &hosted->arena), &drive->err);
    }
    if (rc == 0) rc = journal_hurry(drive->run.journal, &drive->err);
    return rc;
}

int hosted_lock(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    int rc = workspace_lock(drive, hosted->notes.run, HOOK_WAIT_MS);

    if (rc == 0) {
        host_notes_release(&hosted->notes);
        rc = host_notes_read(&hosted->notes, drive->run.repo.hone_dir, hosted->in->session_id,
                             &drive->err);
    }
    if (rc != 0) hosted->err = drive->err;
    return rc;
}

/* The run of a session, while it is opened. */
struct session {
    struct hosted *hosted;
    const struct dialect *dialect; /* its files tell of the run: of a session without notes, or
                                      where another tool changed them; NULL: the journal does */
    bool died; /* a hook has died between its events and its files: they follow from the events */
};

static struct session *session_of(const struct opening *opening)
{
    return opening->context;
}

static int session_lock(struct drive *drive, struct opening *opening)
{
    struct session *session = session_of(opening);
    struct hosted *hosted = session->hosted;
    struct err none;
    int rc;

    if (!session->dialect) {
        rc = hosted_lock(hosted);
        /* A session that goes on may have another process than the one that began. */
        if (rc == 0 && hosted->in->event != HOOK_OTHER) hosted->notes.owner = owner_of_host();
        return rc;
    }
    rc = workspace_lock(drive, "adopt", HOOK_WAIT_MS);
    if (rc == 0 && host_notes_read(&hosted->notes, drive->run.repo.hone_dir,
                                   hosted->in->session_id, &none) == 0) {
        session->dialect = NULL; /* another hook was quicker: the session has notes by now */
        return 0;
    }
    hosted_notes(hosted, session->dialect);
    return rc;
}

static int session_equip(struct drive *drive, struct opening *opening)
{
    struct hosted *hosted = session_of(opening)->hosted;

    (void)drive;
    hosted_dress(hosted);
    return hosted_journal(hosted);
}

/* Which of the two tells where the run is: the journal, or a file that another tool changed. */
static int session_know(struct drive *drive, struct opening *opening)
{
    struct session *session = session_of(opening);
    struct hosted *hosted = session->hosted;
    struct journal_run *row = &opening->row;
    enum host_change change = HOST_SAME;
    int rc;

    if (session->dialect) return hosted_know_files(hosted, session->dialect, &opening->past);
    rc = journal_find(drive->run.journal, hosted->notes.run, NULL, &hosted->arena, row,
                      &drive->err);
    if (rc != 0) return rc;
    session->died = row->event_count != hosted->notes.events;
    if (!session->died) change = hosted_changed(hosted);
    switch (change) {
    case HOST_GONE:
        session->died = true;
        break;
    case HOST_OTHER:
        session->dialect = dialect_find(str_of(hosted->notes.dialect));
        return hosted_know_files(hosted, session->dialect, &opening->past);
    case HOST_TAKEN:
        hosted->bound = false; /* not this session's any more: let it be */
        return ERR_BUSY;
    case HOST_SAME:
        break;
    }
    return run_load(&drive->run, row, &drive->err);
}

static int session_cast(struct drive *drive, struct opening *opening)
{
    (void)opening;
    return cast_agents(&drive->run, false, &drive->err);
}

static int session_catch_up(struct drive *drive, struct opening *opening)
{
    const struct session *session = session_of(opening);

    now_wall_go_on(&session->hosted->notes.clock);
    return session->dialect ? 0 : drive_replay(drive);
}

/* Files that tell of the run are there already, and they are ours from now on. */
static int session_own(struct drive *drive, struct opening *opening)
{
    return session_of(opening)->dialect ? workspace_keep(drive) : 0;
}

static int session_go_on(struct drive *drive, struct opening *opening)
{
    const struct session *session = session_of(opening);
    int rc = 0;

    if (session->dialect) {
        rc = hosted_begin_past(session->hosted, &opening->past);
        if (rc != 0) return rc;
        know_lives(session->hosted);
        rc = hosted_drop_answers(session->hosted);
        return rc == 0 ? drive_record(drive) : rc; /* from now on the file says whose it is */
    }
    know_lives(session->hosted);
    drive->run.recorded = drive->run.engine.steps;
    if (!session->died) return 0;
    rc = drive_record(drive);
    return rc == 0 && drive->run.engine.state == ENGINE_ENDED ? drive_finish(drive) : rc;
}

static const struct opening_way hosted_session = {
    .find = opening_nothing, .know = session_know, .cast = session_cast, .lock = session_lock,
    .equip = session_equip, .catch_up = session_catch_up, .own = session_own,
    .go_on = session_go_on,
};

static int open_session(struct hosted *hosted, const struct dialect *dialect)
{
    struct session session = { .hosted = hosted, .dialect = dialect };
    struct opening opening = { .way = &hosted_session, .context = &session };
    int rc = run_open(&hosted->drive, &opening);

    hosted->opened = rc == 0;
    if (rc == 0) hosted->bound = true;
    if (rc == 0) hosted_note(hosted);
    else if (hosted->bound || session.dialect) hosted->err = hosted->drive.err;
    return rc;
}

int hosted_open(struct hosted *hosted)
{
    return open_session(hosted, NULL);
}

int hosted_open_file(struct hosted *hosted, const struct dialect *dialect)
{
    return open_session(hosted, dialect);
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
    const struct live *live;
    uint32_t count = 0;

    for (uint32_t at = 0; (live = live_next(drive, &at));) {
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
    int rc;

    if (!hosted->opened) return 0;
    hosted_note(hosted);
    host_agents_trim(notes);
    notes->state = state_of(&drive->run.engine);
    notes->phase = phase_word(drive);
    notes->state_sum = hosted_state_sum(hosted);
    notes->clock = now_wall_mark();
    if (!drive->broken) notes->events = drive->run.event_count;
    rc = host_notes_write(notes, drive->run.repo.hone_dir, &hosted->err);
    if (rc == 0 && drive->broken) hosted->err = drive->err;
    if (hosted->in->event != HOOK_SUBAGENT_STOP) journal_work_in(drive->run.journal);
    return drive->broken ? (int)drive->err.code : rc;
}

void hosted_close(struct hosted *hosted)
{
    drive_close(&hosted->drive);
    host_notes_release(&hosted->notes);
    arena_release(&hosted->arena);
}
