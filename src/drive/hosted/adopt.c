/* SPDX-License-Identifier: Apache-2.0
 *
 * adopt.c - a state file that another tool wrote, or changed: whose it is, and the run that
 * it tells of.
 *
 *   sessionId is this session's, or ownerPpid started us   mine: restored, and ours from then on
 *   ownerPpid is gone, or has left that session            an orphan: left alone. A repository can
 *                                                          bring such a file; a new run takes its
 *                                                          place
 *   ownerPpid lives                                        foreign: never touched
 *
 * A restored run is a new one of the journal, with the past that the files tell. They tell how far
 * it is, and what was found; no file tells that anything is clean (the dialect's restore), and an
 * answer that lies there already is removed: its reviewer is asked, and seen to answer. */
#include "drive/hosted/parts.h"

#include "drive/continue.h"
#include "drive/watch.h"
#include "io/file/peek.h"
#include "io/process/host.h"
#include "run/look.h"

#include <string.h>

enum { STATE_BYTES_MAX = 16 << 20 };

static bool read_file(struct hosted *hosted, const char *path, struct buf *out)
{
    struct err none;

    buf_init(out, STATE_BYTES_MAX);
    return file_read_in(hosted->drive.run.repo.workspace, path, out, &none) == 0;
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
    const char *top = hosted->drive.run.repo.workspace;
    const char *const *folders, *const *names;

    add_file(hosted, dialect->adopting->state_file, out);
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

static const struct agent_setting all_by_host = { .role = "*", .spec = "host" };

int hosted_know_files(struct hosted *hosted, const struct dialect *dialect,
                      struct restored *past)
{
    struct drive *drive = &hosted->drive;
    struct run_settings settings = { .agents = &all_by_host, .agent_count = 1 };
    struct run_asked asked = { .start = drive->run.repo.workspace, .dialect = dialect,
                               .settings = &settings };
    struct restored none = { 0 };
    struct contract files = { 0 };
    int rc;

    read_contract(hosted, dialect, &files);
    rc = dialect->adopting->settings_of(&files, &hosted->arena, &settings.options, &drive->err);
    if (rc == 0) rc = dialect->adopting->restore(&files, &settings.options, past, &drive->err);
    asked.task = past->task ? past->task : dialect->task_default;
    if (rc == 0) rc = run_pin(drive, &asked, &none);
    arena_release(&none.arena);
    contract_release(&files);
    return rc;
}

/* In one transaction: the run whose files these were goes on no more, and this one begins. */
static int journal_past(struct hosted *hosted, const struct restored *past)
{
    struct drive *drive = &hosted->drive;
    struct run *run = &drive->run;
    int rc = journal_begin(run->journal, &drive->err);

    if (rc == 0 && *hosted->notes.run) {
        rc = journal_put_reason(run->journal, hosted->notes.run, REASON_INTERRUPTED, &drive->err);
    }
    if (rc == 0) rc = past_put(drive, past);
    if (rc == 0 && run->engine.state == ENGINE_ENDED) {
        rc = journal_put_reason(run->journal, run->row.id, run->engine.reason, &drive->err);
        drive->finished = true;
    }
    if (rc == 0) rc = watch_adopt(drive, &run->engine.lanes[0]);
    return rc == 0 ? journal_commit(run->journal, &drive->err) : rc;
}

int hosted_begin_past(struct hosted *hosted, const struct restored *past)
{
    struct drive *drive = &hosted->drive;
    uint64_t now_ms = now_wall_ms();
    int rc;

    for (uint32_t i = 0; i < past->count; i++) {
        struct event *event = &past->events[i];
        if (event->now_ms == 0 || event->now_ms > now_ms) event->now_ms = now_ms;
    }
    past_step(drive, past);
    rc = journal_past(hosted, past);
    if (rc != 0) return rc;
    hosted->notes.run = arena_cstr(&hosted->notes.arena, str_of(drive->run.row.id));
    hosted->notes.wanted_count = hosted->notes.blocks = 0;
    return 0;
}

int hosted_drop_answers(struct hosted *hosted)
{
    struct drive *drive = &hosted->drive;
    int rc = 0;

    hosted_note(hosted);
    for (uint32_t i = 0; i < hosted->notes.wanted_count && rc == 0; i++) {
        const struct host_wanted *wanted = &hosted->notes.wanted[i];

        if (wanted->writes || !*wanted->file) continue;
        rc = file_remove_in(drive->run.repo.workspace, wanted->file, &drive->err);
    }
    return rc;
}

enum owned { OWNED_NOT, OWNED_MINE, OWNED_ORPHAN, OWNED_FOREIGN };

/* Whether a name is that of a host's session: we have notes of it, or it looks like one. */
static bool is_session(const struct hosted *hosted, struct str name)
{
    struct host_notes notes;
    struct err none;

    if (name.size == UUID_BYTES - 1 && str_has(name, '-')) return true;
    if (host_notes_read(&notes, hosted->drive.run.repo.hone_dir, name, &none) != 0) return false;
    host_notes_release(&notes);
    return true;
}

/* Whether the session of that name has ended, though the process that hosted it may live on. */
static bool has_left(const struct hosted *hosted, struct str name)
{
    struct host_notes notes;
    struct err none;
    bool left;

    if (host_notes_read(&notes, hosted->drive.run.repo.hone_dir, name, &none) != 0) return false;
    left = notes.owner <= 0;
    host_notes_release(&notes);
    return left;
}

/* What a state file says of whose it is. */
static enum owned owner_of(const struct hosted *hosted, yyjson_val *root)
{
    struct str session = json_str(root, "sessionId");
    uint64_t pid = 0;

    if (session.size && str_eq(session, hosted->in->session_id)) return OWNED_MINE;
    if (!str_number(json_str(root, "ownerPpid"), &pid) || pid <= 1 || pid > INT32_MAX) {
        return OWNED_NOT;
    }
    if (!process_exists((long)pid) || has_left(hosted, session)) return OWNED_ORPHAN;
    /* Another session's is not ours, even where one process hosts both. */
    return !is_session(hosted, session) && host_is_ancestor((long)pid) ? OWNED_MINE
                                                                       : OWNED_FOREIGN;
}

/* The same of a dialect's state file; OWNED_NOT where it tells of no run at work. */
static enum owned state_owner(struct hosted *hosted, const struct dialect *dialect)
{
    enum owned owned = OWNED_NOT;
    yyjson_doc *doc = NULL;
    struct err none;
    struct buf text;

    if (!dialect->adopting) return OWNED_NOT;
    if (read_file(hosted, dialect->adopting->state_file, &text) &&
        json_read(buf_str(&text), &doc, &none) == 0) {
        yyjson_val *root = yyjson_doc_get_root(doc);

        if (str_is(json_str(root, "plugin"), dialect->adopting->plugin) &&
            str_is(json_str(root, "pipeline"), dialect->name) &&
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

uint64_t hosted_state_sum(struct hosted *hosted)
{
    const struct dialect_adopting *adopting = hosted->drive.run.dialect->adopting;
    struct buf text;
    uint64_t sum;

    if (!adopting) return 0;
    sum = read_file(hosted, adopting->state_file, &text) ? host_sum(buf_str(&text)) : 0;
    buf_release(&text);
    return sum;
}

/* What a power cut may leave of a file that was written and not synced. */
static bool is_blank(struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '\0') return false;
    }
    return true;
}

enum host_change hosted_changed(struct hosted *hosted)
{
    const struct dialect *dialect = dialect_find(str_of(hosted->notes.dialect));
    enum host_change change = HOST_SAME;
    struct buf text;

    if (!dialect || !dialect->adopting || hosted->notes.state_sum == 0) return HOST_SAME;
    if (!read_file(hosted, dialect->adopting->state_file, &text) || is_blank(buf_str(&text))) {
        change = HOST_GONE;
    } else if (host_sum(buf_str(&text)) != hosted->notes.state_sum) {
        enum owned owned = state_owner(hosted, dialect);
        change = owned == OWNED_FOREIGN || owned == OWNED_ORPHAN ? HOST_TAKEN : HOST_OTHER;
    }
    buf_release(&text);
    return change;
}

void hosted_inherit(struct hosted *hosted, const struct dialect *dialect)
{
    const char *hone_dir = hosted->drive.run.repo.hone_dir;
    struct look look = { 0 };
    struct err none;
    bool mine;

    if (!hosted->found || hosted_is_foreign(hosted, dialect)) return;
    mine = look_open(&look, hosted->drive.run.repo.workspace, &none) == 0 &&
           look_run(&look, NULL, &none) == 0 && !look.alive &&
           strcmp(look.run.dialect, dialect->name) == 0 &&
           host_notes_inherit(hone_dir, look.run.id, hosted->in->session_id, &hosted->arena);
    look_close(&look);
    if (mine) {
        hosted->bound = hosted->inherited =
            host_notes_read(&hosted->notes, hone_dir, hosted->in->session_id, &hosted->err) == 0;
    }
}

bool hosted_adopt(struct hosted *hosted)
{
    const struct dialect *dialect = NULL;
    bool mine = false;

    if (!hosted->found || !*host_notes_name(hosted->in->session_id, &hosted->arena)) return false;
    for (uint32_t i = 0; dialects[i] && !mine; i++) {
        mine = state_owner(hosted, dialects[i]) == OWNED_MINE;
        dialect = dialects[i];
    }
    return mine && hosted_open_file(hosted, dialect) == 0;
}
