/* SPDX-License-Identifier: Apache-2.0
 *
 * job.c - a job made of an attempt that is prepared.
 *
 *   the attempt's folder   prompt, findings, schema --> blobs
 *   contract files         as the dialect says them now --> blobs
 *   the work tree          travel_pack() --> ids, and a bundle as a blob
 *   the run's row, the action, the limits ----------> the job's line
 *
 * 1. The file PLACE_SENT is there before the job is handed to a carrier: after a kill hone knows
 *    what to ask for.
 * 2. Blobs are files of the attempt's folder and are read when their turn comes. They stay until
 *    the attempt has ended: a carrier that was started again gets them again.
 * 3. Texts are not changed: they name the driver's paths, and the worker puts its own in their
 *    place. */
#include "drive/fleet/parts.h"

#include "base/mem.h"
#include "drive/attempt.h"
#include "drive/spending.h"
#include "io/file/file.h"
#include "io/file/piece.h"
#include "io/file/scratch.h"
#include "run/cast.h"
#include "run/site.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SENT_BYTES_MAX = 8192,
    CONTENT_BYTES_MAX = 64 << 20,
    OUTPUT_BYTES_MAX_LOG2 = 32,
    BUNDLE_BYTES_MAX_LOG2 = 32,
};

/* ---- the file that says that it was sent ---- */

static const struct {
    const char *key;
    size_t offset, bytes;
} sent_ids[] = {
    { "head", offsetof(struct travel_ids, head), OID_BYTES },
    { "snapshot", offsetof(struct travel_ids, snapshot), OID_BYTES },
    { "tree", offsetof(struct travel_ids, tree), OID_BYTES },
    { "since", offsetof(struct travel_ids, since), OID_BYTES },
    { "carry", offsetof(struct travel_ids, carry), OID_BYTES },
    { "branch", offsetof(struct travel_ids, branch), TRAVEL_BRANCH_BYTES },
};

enum { SENT_ID_COUNT = sizeof sent_ids / sizeof *sent_ids };

static int sent_write(const struct sent *sent, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, SENT_BYTES_MAX);
    buf_printf(&text, "k %s\nnonce %s\npool %s\nworkspace %s\n", sent->k, sent->nonce, sent->pool,
               sent->workspace);
    if (sent->reads) buf_text(&text, "reads 1\n");
    if (sent->commits) buf_text(&text, "commits 1\n");
    for (uint32_t i = 0; i < SENT_ID_COUNT; i++) {
        buf_printf(&text, "%s %s\n", sent_ids[i].key,
                   (const char *)&sent->ids + sent_ids[i].offset);
    }
    rc = text.overflow ? err_set(err, ERR_LIMIT, "its paths are too long")
                       : scratch_replace(sent->dir, PLACE_SENT, buf_str(&text), err);
    buf_release(&text);
    return rc;
}

static void take_text(char *out, size_t bytes, struct str text)
{
    if (text.size >= bytes) text.size = 0;
    memcpy(out, text.data, text.size);
    out[text.size] = '\0';
}

int sent_read(struct sent *sent, struct err *err)
{
    struct str text, line, key;
    int rc = scratch_text(sent->dir, PLACE_SENT, SENT_BYTES_MAX, &sent->arena, &text, err);

    while (rc == 0 && str_cut(&text, '\n', &line)) {
        if (!str_cut(&line, ' ', &key)) continue;
        if (str_is(key, "k")) take_text(sent->k, sizeof sent->k, line);
        if (str_is(key, "nonce")) take_text(sent->nonce, sizeof sent->nonce, line);
        if (str_is(key, "pool")) sent->pool = arena_cstr(&sent->arena, line);
        if (str_is(key, "workspace")) sent->workspace = arena_cstr(&sent->arena, line);
        if (str_is(key, "reads")) sent->reads = true;
        if (str_is(key, "commits")) sent->commits = true;
        for (uint32_t i = 0; i < SENT_ID_COUNT; i++) {
            if (!str_is(key, sent_ids[i].key)) continue;
            take_text((char *)&sent->ids + sent_ids[i].offset, sent_ids[i].bytes, line);
        }
    }
    if (rc != 0) return rc;
    if (!sent->workspace) sent->workspace = "";
    if (fleet_key_is(str_of(sent->k)) && fleet_nonce_is(str_of(sent->nonce)) &&
        travel_ids_check(&sent->ids, err) == 0) return 0;
    return err_set(err, ERR_FORMAT, "%s/%s: not what hone wrote there", sent->dir, PLACE_SENT);
}

/* ---- blobs ---- */

/* A file as a blob of the job; returns its id. */
static const char *blob_add(struct sent *sent, const char *path, struct err *err)
{
    unsigned char sum[SHA256_BYTES];
    char id[FLEET_BLOB_ID_BYTES];
    uint64_t bytes;

    if (file_sum(path, sum, &bytes, err) != 0) return NULL;
    sent->blobs[sent->blob_count].id = arena_cstr(&sent->arena, str_of(fleet_blob_id(sum, id)));
    sent->blobs[sent->blob_count].path = path;
    return sent->blobs[sent->blob_count++].id;
}

static int file_add(struct sent *sent, struct fleet_file *list, uint32_t *count, const char *name,
                    const char *path, struct err *err)
{
    const char *id = blob_add(sent, path, err);

    if (!id) return (int)err->code;
    list[(*count)++] = (struct fleet_file){ .name = str_of(name), .id = str_of(id) };
    return 0;
}

/* A text that is in no file yet, as one of the attempt's folder. */
static int text_add(struct sent *sent, struct fleet_job *job, const char *path, struct str text,
                    struct err *err)
{
    const char *name = arena_printf(&sent->arena, "contract-%" PRIu32, job->contract_count);
    int rc;

    if (job->contract_count == FLEET_CONTRACT_MAX) {
        return err_set(err, ERR_LIMIT, "it needs more than %d contract files", FLEET_CONTRACT_MAX);
    }
    rc = scratch_write(sent->dir, name, text, err);
    if (rc != 0) return rc;
    return file_add(sent, job->contract, &job->contract_count, path,
                    arena_printf(&sent->arena, "%s/%s", sent->dir, name), err);
}

static int contract_add(const struct drive *drive, struct sent *sent, struct fleet_job *job,
                        struct err *err)
{
    struct run_view view = drive_view(drive, 0);
    const char *prompt = prompt_file_of(drive, &sent->action, &sent->arena);
    struct contract contract = { 0 };
    struct str text;
    int rc = 0;

    if (sent->action.lane == 0) drive->run.dialect->record(&view, &contract);
    for (uint32_t i = 0; i < contract.file_count && rc == 0; i++) {
        const char *path = arena_cstr(&sent->arena, str_of(contract.files[i].path));

        if (prompt && strcmp(path, prompt) == 0) continue;
        rc = text_add(sent, job, path, contract.files[i].content, err);
    }
    contract_release(&contract);
    if (rc != 0 || !prompt) return rc;
    rc = scratch_text(sent->dir, "prompt", CONTENT_BYTES_MAX, &sent->arena, &text, err);
    return rc == 0 ? text_add(sent, job, prompt, text, err) : rc;
}

/* ---- the tree ---- */

static const char *const *lines_of(const char *lines, struct arena *arena)
{
    struct str rest = str_of(lines), line;
    uint32_t count = 0, most = 1;
    const char **out;

    for (const char *at = lines; *at; at++) most += *at == '\n';
    out = arena_alloc(arena, (most + (size_t)1) * sizeof *out);
    while (str_cut(&rest, '\n', &line)) out[count++] = arena_cstr(arena, line);
    out[count] = NULL;
    return count > 0 ? out : NULL;
}

/* What does not travel. */
static void notes_tell(struct fleet *fleet, struct drive *drive, const struct buf *notes)
{
    struct str rest = buf_str(notes), line;

    while (str_cut(&rest, '\n', &line)) {
        if (line.size > 0) fleet_tell_once(fleet, drive, line);
    }
}

static int tree_pack(struct fleet *fleet, struct drive *drive, const struct attempt *about,
                     struct sent *sent, struct travel_file file, struct fleet_pack *out,
                     struct err *err)
{
    const struct repo *repo = &site_at(&drive->run, &sent->action)->repo;
    struct travel_packed packed = { 0 };
    struct err none;
    const char *head = repo_commit(repo, "HEAD", &sent->arena, &none);
    const char *const known[] = { head, NULL };
    struct travel_pack order = {
        .repo = repo, .private_paths = drive->run.private_paths,
        .carry = lines_of(drive->run.settings.fleet_carry, &sent->arena),
        .known = head ? known : NULL, .since = about->since, .file = file,
        .tell = sent->action.lane == 0 || !fleet->lane_told,
        .own = dialect_folders("/", &sent->arena),
    };
    int rc = travel_pack(&order, &packed, err);

    if (rc == 0) {
        *out = (struct fleet_pack){ .ids = packed.ids, .bytes = packed.bytes,
                                    .thin = packed.thin };
        notes_tell(fleet, drive, &packed.notes);
        if (sent->action.lane != 0) fleet->lane_told = true; /* they are checkouts, all alike */
    }
    if (rc == 0 && !sent->reads) rc = tree_save(&packed.from, sent->dir, SENT_TREE, err);
    travel_packed_release(&packed);
    return rc;
}

/* The reviewers of one review look at one tree, which is watched: it is packed once. */
static int tree_pack_shared(struct fleet *fleet, struct drive *drive, const struct attempt *about,
                            struct sent *sent, const char **path, struct fleet_pack *out,
                            struct err *err)
{
    struct fleet_pack *shared = &fleet->shared;
    const struct watch *watch = &site_of(&drive->run, sent->action.lane)->watch;
    const char *folder = run_folder(&drive->run, &fleet->arena);
    const char *name = arena_printf(&fleet->arena, "fleet-tree-%" PRIu32 "-%" PRIu32, watch->job,
                                    watch->drifts);
    struct travel_file file = { folder, name, UINT64_C(1) << BUNDLE_BYTES_MAX_LOG2 };
    int rc = 0;

    *path = arena_printf(&fleet->arena, "%s/%s", folder, name);
    if (shared->job != watch->job || shared->drifts != watch->drifts || watch->job == 0 ||
        !file_exists(*path)) {
        fleet_leaves(fleet, name);
        rc = tree_pack(fleet, drive, about, sent, file, shared, err);
        shared->job = rc == 0 ? watch->job : 0;
        shared->drifts = watch->drifts;
    }
    *out = *shared;
    return rc;
}

static int tree_add(struct fleet *fleet, struct drive *drive, const struct attempt *about,
                    struct sent *sent, struct fleet_job *job, struct err *err)
{
    struct travel_file file = { sent->dir, SENT_BUNDLE, UINT64_C(1) << BUNDLE_BYTES_MAX_LOG2 };
    const char *path = arena_printf(&sent->arena, "%s/%s", sent->dir, SENT_BUNDLE);
    const char *id = NULL;
    struct fleet_pack packed = { .bytes = 0 };
    int rc;

    if (!fleet->repository) { /* all lanes are of one */
        fleet->repository = travel_repository(&drive->run.repo, &fleet->arena, err);
    }
    if (!fleet->repository) return (int)err->code;
    if (sent->reads) rc = tree_pack_shared(fleet, drive, about, sent, &path, &packed, err);
    else rc = tree_pack(fleet, drive, about, sent, file, &packed, err);
    if (rc != 0) return rc;
    sent->ids = packed.ids;
    if (packed.bytes > 0 && !(id = blob_add(sent, path, err))) return (int)err->code;
    job->tree = (struct fleet_tree){
        .repo = str_of(fleet->repository), .base = str_of(packed.thin ? sent->ids.head : ""),
        .head = str_of(sent->ids.head), .branch = str_of(sent->ids.branch),
        .snapshot = str_of(sent->ids.snapshot), .tree = str_of(sent->ids.tree),
        .since = str_of(sent->ids.since), .carry = str_of(sent->ids.carry),
        .bundle = str_of(id ? id : ""),
    };
    return 0;
}

/* ---- the job ---- */

static struct fleet_about about_of(const struct attempt *about)
{
    return (struct fleet_about){
        .role = str_of(about->role), .lane = str_of(about->lane), .phase = str_of(about->phase),
        .iteration = about->iteration, .task = str_of(about->task),
        .task_id = str_of(about->task_id), .since = str_of(about->since),
        .budget = str_of(about->budget), .budget_micros = about->budget_micros,
        .traceparent = str_of(about->traceparent),
    };
}

static struct fleet_job job_of(const struct fleet *fleet, const struct drive *drive,
                               const struct attempt *about, const struct sent *sent)
{
    const struct journal_run *row = &drive->run.row;
    const struct run_settings *settings = &drive->run.settings;
    struct fleet_job job = {
        .v = FLEET_V, .run = str_of(fleet->run), .nonce = str_of(sent->nonce),
        .version = str_of(fleet->version), .epoch = fleet->carrier.hello.epoch,
        .deadline_ms = engine_deadline_ms(&drive->run.engine),
        .row = { str_of(row->id), str_of(row->dialect), str_of(row->task),
                 str_of(row->settings) },
        .action = sent->action, .about = about_of(about), .reads = sent->reads,
        .commits = sent->commits, .answer = str_of(sent->answer),
        .workspace = str_of(sent->workspace), .setup = str_of(settings->fleet_setup),
        .limits = { settings->time_ms_max, settings->idle_ms_max,
                    UINT64_C(1) << OUTPUT_BYTES_MAX_LOG2 },
    };

    job.action.kind = ACT_START;
    job.action.not_before_ms = 0;
    return job;
}

/* Its key, and a nonce that no other machine can guess. */
static void sent_name(const struct fleet *fleet, struct sent *sent)
{
    struct fleet_key key = { .run = str_of(fleet->run), .job = sent->action.job,
                             .attempt = sent->action.attempt };
    unsigned char bits[16];

    fleet_key_write(&key, sent->k);
    random_bytes(bits, sizeof bits);
    fleet_nonce_write(bits, sent->nonce);
}

/* The job as JSON, if the line that it is said with is not too long. */
static int job_text(struct sent *sent, const struct fleet_job *job, struct err *err)
{
    struct fleet_line said = { .kind = FLEET_JOB, .k = str_of(sent->k),
                               .pool = str_of(sent->pool) };
    struct buf text, line;
    bool fits;

    buf_init(&text, FLEET_LINE_BYTES_MAX);
    buf_init(&line, FLEET_LINE_BYTES_MAX + 1);
    fleet_job_write(job, &text);
    said.job = buf_str(&text);
    fits = !text.overflow && fleet_line_write(&said, &line) == 0;
    if (fits) sent->job = arena_copy(&sent->arena, buf_str(&text));
    buf_release(&line);
    buf_release(&text);
    return fits ? 0 : err_set(err, ERR_LIMIT, "its task and settings are too long for a line");
}

int job_make(struct fleet *fleet, struct drive *drive, struct live *live,
             const struct attempt *about, struct sent *sent, struct err *err)
{
    struct fleet_file files[3], contract[FLEET_CONTRACT_MAX + 1];
    struct fleet_job job;
    int rc;

    sent->reads = is_reviewer(&drive->run, &live->action);
    sent->commits = drive->run.plan.roles[live->action.role].commits;
    sent->answer = arena_cstr(&sent->arena, str_of(about->output));
    sent->workspace = arena_cstr(&sent->arena, str_of(about->workspace));
    sent->blobs = arena_alloc(&sent->arena, (FLEET_CONTRACT_MAX + 8) * sizeof *sent->blobs);
    sent_name(fleet, sent);
    job = job_of(fleet, drive, about, sent);
    job.files = files;
    job.contract = contract;
    rc = file_add(sent, files, &job.file_count, "prompt",
                  arena_printf(&sent->arena, "%s/prompt", sent->dir), err);
    if (rc == 0 && about->findings) {
        rc = file_add(sent, files, &job.file_count, "findings",
                      arena_cstr(&sent->arena, str_of(about->findings)), err);
    }
    if (rc == 0 && about->schema_file) {
        rc = file_add(sent, files, &job.file_count, "schema",
                      arena_cstr(&sent->arena, str_of(about->schema_file)), err);
    }
    if (rc == 0) rc = contract_add(drive, sent, &job, err);
    if (rc == 0) rc = tree_add(fleet, drive, about, sent, &job, err);
    if (rc == 0) rc = job_text(sent, &job, err);
    return rc == 0 ? sent_write(sent, err) : rc;
}
