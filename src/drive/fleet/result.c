/* SPDX-License-Identifier: Apache-2.0
 *
 * result.c - what came back of an attempt, as the files that one which played here leaves.
 *
 *   the result's line --judged--> blobs, one by one --> stdout, stderr, answer ...
 *                                                   --> the tree's change, brought
 *                                                   --> who played it
 *                                                   --> status, last
 *
 * 1. Everything comes from another machine: a result counts with the attempt's own nonce, and names
 *    no file but those of fleet_result_files.
 * 2. The status file is written when all else is there: a resume that finds it judges the attempt
 *    as one that had ended here; one that does not asks for the result again, and does all of this
 *    again. Each step can be done twice.
 * 3. A writer's change comes to the tree when its process ended with status 0, as a whole, by
 *    files, three ways: bring.c. What failed leaves nothing in the tree.
 * 4. What an agent here may not change no result changes: places that are protected (rights.change
 *    opens them), and HEAD of a role that does not commit. An answer of one that tried does not
 *    count. What to tell it are hone's own words, not the worker's.
 * 5. In what it said, the worker's paths become the driver's. */
#include "drive/fleet/parts.h"

#include "base/path.h"
#include "drive/bring.h"
#include "drive/outcome.h"
#include "format/fleet/fleet_swap.h"
#include "io/file/file.h"
#include "io/file/piece.h"
#include "io/file/scratch.h"
#include "run/cast.h"
#include "run/site.h"
#include "settings/places.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { SWAP_PIECE_BYTES = 1 << 20, RESULT_BYTES_MAX_LOG2 = 32, NOTICE_BYTES = 128 };

/* ---- the line ---- */

int back_take(struct sent *sent, const char *run, struct str text, struct err *err)
{
    struct fleet_result result = { .v = 0 };
    int rc = fleet_result_read(text, &sent->arena, &result, err);

    sent->result.nonce = result.nonce;
    if (rc != 0) return rc;
    if (!str_is(result.nonce, sent->nonce) || !str_is(result.run, run)) {
        return err_set(err, ERR_FORMAT, "a result for %s has another nonce: it does not count",
                       sent->k);
    }
    sent->result = result;
    sent->next = 0;
    sent->gather = (struct blob_gather){ .begun = false };
    return 0;
}

/* ---- blobs ---- */

/* The place of a blob among those of the result: its files, then its tree. */
static struct fleet_file wanted_at(const struct sent *sent, uint32_t index)
{
    const struct fleet_result *result = &sent->result;

    if (index < result->file_count) return result->files[index];
    return (struct fleet_file){ .name = STR(BACK_BUNDLE), .id = result->tree.bundle };
}

static uint32_t wanted_count(const struct sent *sent)
{
    return sent->result.file_count + (sent->result.tree.bundle.size > 0 ? 1 : 0);
}

static const char nothing_id[] =
    "sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/* Files without bytes need no carrier. */
static int empty_make(struct sent *sent, struct err *err)
{
    int rc = 0;

    while (rc == 0 && sent->next < wanted_count(sent)) {
        struct fleet_file file = wanted_at(sent, sent->next);

        if (!str_is(file.id, nothing_id) || str_is(file.name, BACK_BUNDLE)) break;
        rc = scratch_write(sent->dir, arena_cstr(&sent->arena, file.name), STR(""), err);
        sent->next++;
    }
    return rc;
}

const char *back_wants(struct sent *sent, struct err *err)
{
    struct fleet_file file;

    if (sent->result.problem.size > 0 || empty_make(sent, err) != 0) return NULL;
    if (sent->next >= wanted_count(sent)) return NULL;
    file = wanted_at(sent, sent->next);
    if (sent->gather.id[0] && str_is(file.id, sent->gather.id) && !sent->gather.whole) {
        return sent->gather.id;
    }
    if (blob_gather_init(&sent->gather, file.id, err) != 0) return NULL;
    return sent->gather.id;
}

/* The worker's paths become ours. A line is looked at whole; one that is longer than a piece is cut
 * there. */
static int text_settle(struct sent *sent, const char *name, struct err *err)
{
    const struct fleet_result *result = &sent->result;
    const struct fleet_swap swaps[] = {
        { result->workspace, str_of(sent->workspace) },
        { path_folder(result->answer), str_of(sent->dir) },
    };
    const char *fetched = arena_printf(&sent->arena, "%s/" BACK_FETCHED, sent->dir);
    const char *made = arena_printf(&sent->arena, "%s.new", name);
    uint32_t first = result->workspace.size > 1 ? 0 : 1;
    uint32_t count = (swaps[1].from.size > 1 ? 2 : 1) - first;
    uint64_t at = 0, put = 0;
    int rc = scratch_write(sent->dir, made, STR(""), err);

    while (rc == 0) {
        struct buf piece, swapped;
        struct str text;

        buf_init(&piece, SWAP_PIECE_BYTES);
        buf_init(&swapped, (size_t)64 * SWAP_PIECE_BYTES);
        rc = file_piece_read(fetched, at, SWAP_PIECE_BYTES, &piece, err);
        text = buf_str(&piece);
        if (rc == 0 && text.size == SWAP_PIECE_BYTES) {
            while (text.size > 0 && text.data[text.size - 1] != '\n') text.size--;
            if (text.size == 0) text.size = SWAP_PIECE_BYTES;
        }
        if (rc == 0 && fleet_swap_write(text, swaps + first, count, &swapped) != 0) {
            rc = err_set(err, ERR_LIMIT, "%s: a piece is too long", name);
        }
        if (rc == 0) rc = file_piece_write(sent->dir, made, put, buf_str(&swapped), err);
        at += text.size;
        put += swapped.size;
        buf_release(&piece);
        buf_release(&swapped);
        if (text.size == 0) break;
    }
    return rc == 0 ? file_rename_in(sent->dir, made, name, err) : rc;
}

/* A blob is whole: it gets its name. */
static int blob_settle(struct sent *sent, struct err *err)
{
    const char *name = arena_cstr(&sent->arena, wanted_at(sent, sent->next).name);
    int rc;

    if (strcmp(name, BACK_BUNDLE) == 0) {
        rc = file_rename_in(sent->dir, BACK_FETCHED, BACK_BUNDLE, err);
    } else {
        rc = text_settle(sent, name, err);
    }
    if (rc != 0) {
        sent->gather.whole = false; /* it may come again */
        return rc;
    }
    sent->gather = (struct blob_gather){ .begun = false };
    sent->next++;
    return 0;
}

int back_piece(struct sent *sent, const struct blob_piece *piece, bool *whole, struct err *err)
{
    int rc;

    *whole = false;
    if (piece->at == 0) rc = scratch_write(sent->dir, BACK_FETCHED, STR(""), err);
    else rc = 0;
    if (rc != 0) return rc;
    rc = blob_take(&sent->gather, piece, UINT64_C(1) << RESULT_BYTES_MAX_LOG2, err);
    if (rc != 0) return ERR_FORMAT;
    rc = file_piece_write(sent->dir, BACK_FETCHED, piece->at, piece->data, err);
    if (rc != 0 || !sent->gather.whole) return rc;
    *whole = true;
    return blob_settle(sent, err);
}

/* ---- the tree ---- */

static void take_oid(char out[OID_BYTES], struct str oid)
{
    size_t size = oid.size < OID_BYTES ? oid.size : 0;

    memcpy(out, oid.data, size);
    out[size] = '\0';
}

static void notes_warn(struct drive *drive, const struct buf *notes)
{
    struct str rest = buf_str(notes), line;

    while (str_cut(&rest, '\n', &line)) {
        if (line.size > 0) drive_warn(drive, "%.*s", STR_ARG(line));
    }
}

/* What it may not change, as guard_begin() remembers it of an agent that plays here. */
static const char *const *closed_paths(const struct drive *drive, struct arena *arena)
{
    const char **closed = NULL, *path;
    uint32_t count = 0, cap = 0;

    for (uint32_t i = 0; (path = guard_workspace(i)); i++) {
        if (guard_allows(drive->run.settings.change, path)) continue;
        closed = arena_grow(arena, closed, count, &cap, sizeof *closed);
        closed[count++] = path;
    }
    closed = arena_grow(arena, closed, count, &cap, sizeof *closed);
    closed[count] = NULL;
    return closed;
}

/* The change as two saved trees, then by files; then HEAD, where commits come along. */
static int change_bring(struct drive *drive, struct live *live, struct sent *sent)
{
    const struct repo *repo = &site_at(&drive->run, &live->action)->repo;
    struct travel_made made = { .commit = "" };
    struct travel_applied applied = { 0 };
    struct tree from = { 0 };
    struct travel_apply order = {
        .repo = repo, .ids = &sent->ids, .from = &from, .made = &made,
        .bundle = arena_printf(&sent->arena, "%s/" BACK_BUNDLE, sent->dir),
        .private_paths = drive->run.private_paths, .closed = closed_paths(drive, &sent->arena),
        .folder = sent->dir, .from_name = BRING_FROM, .to_name = BRING_TO,
    };
    const char *kept = arena_printf(&drive->run.arena, "%s/kept", sent->dir), *left = "";
    struct err why = { 0 };
    int rc;

    take_oid(made.commit, sent->result.tree.snapshot);
    take_oid(made.tree, sent->result.tree.tree);
    take_oid(made.head, sent->result.tree.head);
    if (!made.commit[0]) return 0;
    rc = tree_load(&from, arena_printf(&sent->arena, "%s/" SENT_TREE, sent->dir), &drive->err);
    if (rc == 0) rc = travel_apply(&order, &applied, &why);
    if (fleet_is_full(&why)) {
        drive->err = why;
    } else if (rc == ERR_FORMAT || rc == ERR_LIMIT || rc == ERR_FAILED) { /* the worker's fault */
        live->failed = FAILURE_START;
        live->failed_why = arena_printf(&drive->run.arena, "what came back of its work tree does "
                                        "not count: %s", why.text);
        rc = 0;
    } else if (rc != 0) {
        if (why.code) drive->err = why;
    } else {
        notes_warn(drive, &applied.notes);
        rc = bring_aim(drive, sent->dir, repo);
        if (rc == 0 && applied.changed > 0) rc = bring_run(drive, live, sent->dir, kept, &left);
        if (rc == 0 && *left) {
            drive_warn(drive, "you changed what a fixer changed, too (%s): yours stays, the "
                       "fixer's is in %s", left, kept);
        }
        if (rc == 0 && applied.moved && sent->commits &&
            travel_forward(repo, &sent->ids, &made, "hone: commits of an agent", &why) != 0) {
            drive_warn(drive, "the commits of an agent did not come, what it changed did: %s",
                       why.text);
        }
    }
    travel_applied_release(&applied);
    tree_release(&from);
    return rc;
}

static bool ended_well(const struct fleet_result *result)
{
    return result->problem.size == 0 && str_is(result->by, "exit") && result->value == 0;
}

static const char *note_of(const char *dir, const char *name, struct arena *arena)
{
    struct str text;
    struct err none;

    if (scratch_text(dir, name, NOTICE_BYTES, arena, &text, &none) != 0) return NULL;
    return arena_cstr(arena, str_trim(text));
}

const char *back_strayed(const char *dir, struct arena *arena)
{
    return note_of(dir, BACK_STRAYED, arena);
}

const char *back_broke(const char *dir, struct arena *arena)
{
    return note_of(dir, BACK_BROKE, arena);
}

/* It changed what it may not change: the worker has put it back, and said so. */
static int broke_keep(struct drive *drive, struct live *live, struct sent *sent)
{
    const struct fleet_result *result = &sent->result;
    int rc = scratch_write(sent->dir, BACK_BROKE, STR("on a worker\n"), &drive->err);

    if (rc != 0) return rc;
    drive_warn(drive, "%s changed what it may not change on worker %.64s, which has put it back: "
               "%.600s", drive->run.plan.roles[live->action.role].name, result->worker.data,
               result->guard.data);
    live->broke = back_broke(sent->dir, &drive->run.arena);
    return 0;
}

/* ---- the end ---- */

/* Checked by the code that reads such files, before it has its name. */
static int status_write(struct sent *sent, struct err *err)
{
    const struct fleet_result *result = &sent->result;
    char text[NOTICE_BYTES];
    struct notice notice;
    int rc;

    snprintf(text, sizeof text, "%.20s %" PRIu32 " %" PRIu64 "\n", result->by.data, result->value,
             now_wall_ms());
    rc = scratch_write(sent->dir, "ended", str_of(text), err);
    if (rc == 0) {
        rc = notice_read(arena_printf(&sent->arena, "%s/ended", sent->dir), &notice, err);
    }
    if (rc == 0) rc = file_rename_in(sent->dir, "ended", "status", err);
    return rc;
}

/* It could not be started there: no process has ended, so there is no status. */
static void unstarted_keep(struct drive *drive, struct live *live, const struct sent *sent)
{
    const struct fleet_result *result = &sent->result;
    const struct agent *agent = agent_of(&drive->run, &live->action);

    live->failed_for_good = result->value == ENOENT;
    live->failed = live->failed_for_good ? FAILURE_MISSING : FAILURE_START;
    live->failed_why = arena_printf(&drive->run.arena, "worker %.64s: %s", result->worker.data,
                                    unstarted_text(agent, (int)result->value, &drive->run.arena));
}

int back_settle(struct drive *drive, struct live *live, struct sent *sent)
{
    const struct fleet_result *result = &sent->result;
    struct err why = { 0 };
    struct buf who;
    int rc = 0;

    buf_init(&who, NOTICE_BYTES * 4);
    buf_printf(&who, "%.64s %.256s\n", result->worker.data, result->host.data);
    (void)scratch_write(sent->dir, PLACE_WORKER, buf_str(&who), &why);
    buf_release(&who);
    if (result->problem.size > 0) {
        live->failed = FAILURE_START;
        live->failed_why = arena_printf(&drive->run.arena, "worker %.64s: %.2000s",
                                        result->worker.data, result->problem.data);
        return 0;
    }
    if (str_is(result->by, FLEET_BY_START)) {
        unstarted_keep(drive, live, sent);
        return 0;
    }
    if (sent->reads && result->tree.changed) {
        rc = scratch_write(sent->dir, BACK_STRAYED, STR("its copy on a worker\n"), &drive->err);
        live->strayed = "its copy on a worker";
    } else if (!sent->reads && result->tree.changed && ended_well(result)) {
        rc = change_bring(drive, live, sent);
    }
    if (rc == 0 && !live->failed && result->guard.size > 0) rc = broke_keep(drive, live, sent);
    if (rc != 0 || live->failed) return rc;
    rc = status_write(sent, &why);
    if (rc == ERR_FORMAT) {
        live->failed = FAILURE_START;
        live->failed_why = arena_printf(&drive->run.arena, "worker %.64s: how it ended cannot be "
                                        "read: %s", result->worker.data, why.text);
        return 0;
    }
    if (rc != 0) drive->err = why;
    return rc;
}
