/* SPDX-License-Identifier: Apache-2.0
 *
 * play_ready.c - everything that must be there before an agent of another machine's run is.
 *
 * The run is made of the job's row by the same code as anywhere (run_load(), cast_agents()); the
 * agent gets the same command, environment and sandbox as it would get at the driver.
 *
 * 1. What a driver's settings open on its own machine stays closed here: paths elsewhere that
 *    fixers may write to, credentials that are passed on, the machine's temporary folders, agents
 *    without a sandbox. What they take away is taken away, and so is what this user's own settings
 *    take away.
 * 2. Numbers of a job are looked at before they are an index.
 * 3. A command of the job's runs in a cage, where this machine has one; where it has none and the
 *    job takes a right away that only a cage sees to, another worker has to play it. A setup
 *    command needs a cage, unless the worker's user said that agents go without one and named none
 *    that alone may play: then the driver could name that command as an agent, too.
 *
 * Not here: what a job's texts may be (format/fleet), what a bundle may hold (io/travel). */
#include "worker/play.h"

#include "agent/env.h"
#include "base/path.h"
#include "format/fleet/fleet_swap.h"
#include "io/file/file.h"
#include "io/file/piece.h"
#include "io/file/scratch.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "io/process/sandbox.h"
#include "run/place.h"
#include "worker/blobs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_BYTES_MAX = 256 << 20, /* of a prompt, of findings */
    LANES_MAX = 100000, SETUP_ID = 1, SETUP_MS_MAX = 1800 * 1000, SAID_BYTES = 300,
};

/* ---- the run ---- */

/* Invariant 2. */
static int action_check(struct play *play)
{
    const struct action *action = &play->job.action;
    const struct plan *plan = &play->run.plan;

    if (action->role == ROLE_NONE || action->role >= plan->role_count ||
        action->phase >= plan->phase_count || action->lane >= LANES_MAX ||
        (action->eye > 0 && action->eye >= plan->eyes)) {
        return err_set(&play->err, ERR_FORMAT, "the job is of another plan than hone makes of its "
                       "settings here");
    }
    return 0;
}

/* Who plays, and whether it may and can play here. */
static int agent_check(struct play *play)
{
    const struct action *action = &play->job.action;
    const struct agent *agent;

    if (is_builtin(&play->run, action)) {
        return err_set(&play->err, ERR_USAGE, "%s is played by hone itself, where the run is",
                       play->run.plan.roles[action->role].name);
    }
    agent = agent_of(&play->run, action);
    if (agent->backend->hosted) {
        return err_set(&play->err, ERR_USAGE, "%s plays inside its host alone", agent->spec);
    }
    if (!worker_allows(play->settings->agents, str_of(agent->backend->name))) {
        return err_set(&play->err, ERR_USAGE, "this worker does not play %s (--agents)",
                       agent->backend->name);
    }
    if (!worker_allows(play->settings->repos, play->job.tree.repo)) {
        return err_set(&play->err, ERR_USAGE, "this worker takes no work for repository %s "
                       "(--repo)", play->job.tree.repo.data);
    }
    play->missing = agent->backend->program && !program_exists(agent->backend->program);
    return agent->backend->check ? agent->backend->check(agent, &play->err) : 0;
}

/* Invariant 3. */
static int sandbox_choose(struct play *play)
{
    const struct run_settings *settings = &play->run.settings;
    bool asked = settings->sandbox_asked || settings->network_off || settings->home_private ||
                 run_rights(&play->run, &play->job.action, &play->arena).from;
    const char *problem = play->settings->sandbox_off ? "this worker runs agents without a sandbox"
                                                      : sandbox_problem();

    play->run.sandboxed = !problem;
    if (problem && play->job.setup.size > 0 &&
        (!play->settings->sandbox_off || (play->settings->agents && *play->settings->agents))) {
        return err_set(&play->err, ERR_USAGE, "the run has a setup command, and %s%s", problem,
                       play->settings->sandbox_off ? ", but only those of --agents" : "");
    }
    if (!problem || !asked) return 0;
    return err_set(&play->err, ERR_USAGE, "the run wants a sandbox around its agents, and %s",
                   problem);
}

/* Invariant 1. */
static void settings_narrow(const struct worker_settings *own, struct run_settings *settings)
{
    settings->write = settings->pass = "";
    settings->isolate = false;
    settings->tmp_private = !own->tmp_shared;
    if (own->network_off) settings->network_off = true;
    if (own->home_private) settings->home_private = true;
}

/* Keys of the fleet, and what other attempts got and said. */
static const char *secrets_of(struct play *play)
{
    const char *folder = play->settings->folder;

    return arena_printf(&play->run.arena, "%s/workers\n%s/runs\n%s/blobs\n%s", folder,
                        folder, folder, play->settings->secrets);
}

/* What a worker of another version does not know is told with both. */
static int version_told(struct play *play)
{
    const char *theirs = play->job.version.data, *ours = play->settings->version;
    struct err why = play->err;

    if (strcmp(theirs, ours) == 0) return (int)why.code;
    return err_set(&play->err, why.code, "this worker's hone is %s, and the driver's hone %.40s: "
                   "%.300s", ours, theirs, why.text);
}

int play_load(struct play *play)
{
    const struct fleet_row *from = &play->job.row;
    struct journal_run row = { .id = from->id.data, .dialect = from->dialect.data,
                               .task = from->task.data, .workspace = play->job.workspace.data,
                               .settings = from->settings.data };
    int rc = run_load(&play->run, &row, &play->err);

    if (rc == 0) {
        settings_narrow(play->settings, &play->run.settings);
        play->run.secrets = secrets_of(play);
        rc = action_check(play);
    }
    if (rc == 0) rc = cast_agents(&play->run, false, &play->err);
    if (rc != 0) return version_told(play);
    rc = agent_check(play);
    return rc == 0 ? sandbox_choose(play) : rc;
}

/* ---- the work tree ---- */

static void id_copy(char *to, size_t bytes, struct str from)
{
    if (from.size < bytes) memcpy(to, from.data, from.size);
}

static void ids_take(struct play *play)
{
    const struct fleet_tree *tree = &play->job.tree;

    play->ids = (struct travel_ids){ .head = "" };
    id_copy(play->ids.head, sizeof play->ids.head, tree->head);
    id_copy(play->ids.snapshot, sizeof play->ids.snapshot, tree->snapshot);
    id_copy(play->ids.tree, sizeof play->ids.tree, tree->tree);
    id_copy(play->ids.since, sizeof play->ids.since, tree->since);
    id_copy(play->ids.carry, sizeof play->ids.carry, tree->carry);
    id_copy(play->ids.branch, sizeof play->ids.branch, tree->branch);
}

/* The path of a blob that the worker has fetched. */
static const char *blob_path(struct play *play, struct str id)
{
    struct blobs blobs = { .folder = arena_printf(&play->arena, "%s/blobs",
                                                  play->settings->folder) };
    const char *path = blobs_find(&blobs, id, &play->arena);

    if (!path) (void)err_set(&play->err, ERR_FAILED, "blob %.20s... is gone", id.data);
    return path;
}

int play_place(struct play *play)
{
    struct travel_unpack order = { .store = &play->store, .repository = play->job.tree.repo.data,
                                   .run = play->job.run.data, .ids = &play->ids };
    int rc;

    play->store.path = arena_printf(&play->arena, "%s/store", play->settings->folder);
    ids_take(play);
    rc = travel_ids_check(&play->ids, &play->err);
    if (rc != 0) return rc;
    order.bundle = blob_path(play, play->job.tree.bundle);
    if (!order.bundle) return (int)play->err.code;
    rc = travel_unpack(&order, &play->place, &play->err);
    play->placed = rc == 0;
    return rc;
}

int play_learn(struct play *play)
{
    const char *id = arena_printf(&play->arena, "base-%s", play->job.tree.base.data);
    const char *path = blob_path(play, str_of(id));

    if (!path) return (int)play->err.code;
    return travel_learn(&play->store, play->job.tree.repo.data, &play->ids, path, &play->err);
}

/* ---- the attempt ---- */

__attribute__((format(printf, 2, 3)))
static void warn_for_guard(void *context, const char *format, ...)
{
    (void)context, (void)format; /* the driver tells its user by the result */
}

struct guarded play_guarded(struct play *play)
{
    return (struct guarded){
        .run = &play->run, .action = &play->job.action, .dir = play->dir,
        .memory = &play->memory, .warn = warn_for_guard, .err = &play->err,
    };
}

/* The run is at home in the place that was made for it; what hone keeps of it lies with the
 * attempt. */
static int site_make(struct play *play)
{
    const struct fleet_about *about = &play->job.about;
    struct run *run = &play->run;
    struct site_given given = { .repo = &run->repo, .since = about->since.data };

    run->repo = play->place.repo;
    run->repo.arena = (struct arena){ 0 };
    run->repo.hone_dir = play->folder;
    run->worktrees = place_worktrees(&run->repo, &run->arena);
    given.about = (struct lane_about){ .name = about->lane.data, .task = about->task.data,
                                       .task_id = about->task_id.size ? about->task_id.data
                                                                      : NULL };
    (void)site_give(run, play->job.action.lane, &given);
    play->dir = place_attempt(&run->repo, run->row.id, play->job.action.job,
                              play->job.action.attempt, &run->arena);
    assert(str_starts(str_of(play->dir), str_of(play->folder)));
    return file_make_folder_in(play->folder, play->dir + strlen(play->folder) + 1, &play->err);
}

static int about_make(struct play *play)
{
    const struct fleet_about *from = &play->job.about;
    const struct agent *agent = agent_of(&play->run, &play->job.action);
    struct arena *arena = &play->run.arena;

    play->about = process_about(&play->run, &play->job.action,
                                site_at(&play->run, &play->job.action));
    play->about.iteration = from->iteration;
    play->about.output = arena_printf(arena, "%s/answer", play->dir);
    if (play->job.action.purpose == FOR_REVIEW) {
        play->about.evidence = arena_printf(arena, "%s/evidence", play->dir);
    }
    play->about.budget = from->budget.size ? from->budget.data : NULL;
    play->about.budget_micros = from->budget_micros;
    play->about.traceparent = from->traceparent.size ? from->traceparent.data : NULL;
    if (!agent->backend->wants_cache) return 0;
    play->about.cache = arena_printf(arena, "%s/looked/%s", play->settings->folder,
                                     play->job.tree.repo.data);
    return file_make_folder(play->about.cache, false, &play->err);
}

/* A text of the job, with our paths in place of the driver's. */
static int text_ours(struct play *play, const struct fleet_file *file, struct buf *out)
{
    const struct fleet_job *job = &play->job;
    const struct fleet_swap swaps[] = {
        { job->workspace, str_of(play->place.repo.workspace) },
        { path_folder(job->answer), str_of(play->dir) },
    };
    const char *path = blob_path(play, file->id);
    struct buf text;
    int rc;

    if (!path) return (int)play->err.code;
    buf_init(&text, TEXT_BYTES_MAX);
    rc = file_read(path, &text, &play->err);
    if (rc == 0 && fleet_swap_write(buf_str(&text), swaps, 2, out) != 0) {
        rc = err_set(&play->err, ERR_LIMIT, "%s is too long", file->name.data);
    }
    buf_release(&text);
    return rc;
}

static int file_fill(struct play *play, const struct fleet_file *file)
{
    struct buf ours;
    int rc;

    buf_init(&ours, TEXT_BYTES_MAX);
    rc = text_ours(play, file, &ours);
    if (rc == 0) rc = scratch_write(play->dir, file->name.data, buf_str(&ours), &play->err);
    if (rc == 0 && str_is(file->name, "findings")) {
        play->about.findings = arena_printf(&play->run.arena, "%s/findings", play->dir);
    }
    if (rc == 0 && str_is(file->name, "schema")) {
        play->about.schema = arena_cstr(&play->run.arena, buf_str(&ours));
        play->about.schema_file = arena_printf(&play->run.arena, "%s/schema", play->dir);
    }
    buf_release(&ours);
    return rc;
}

/* Waits for no disk: the driver has it. */
static int contract_fill(struct play *play, const struct fleet_file *file)
{
    struct file_debt waived = { .waived = true };
    struct buf ours;
    int rc;

    buf_init(&ours, TEXT_BYTES_MAX);
    rc = text_ours(play, file, &ours);
    if (rc == 0) {
        const struct file_item item = { file->name.data, buf_str(&ours) };

        rc = file_write_owing(play->place.repo.workspace, &item, 1, &waived, &play->err);
    }
    buf_release(&ours);
    return rc;
}

/* ---- the setup command ---- */

/* It ran well in this place for this run: the place's own note says so. */
static bool setup_is_done(struct play *play, const char *note)
{
    struct str done;
    struct err none;

    return scratch_text(play->place.folder, "setup", 64 << 10, &play->arena, &done, &none) == 0 &&
           str_is(done, note);
}

static void setup_explain(struct play *play, const struct notice *notice)
{
    struct buf last;
    struct err none;

    buf_init(&last, SAID_BYTES + 1);
    scratch_last_line(play->dir, "stderr", SAID_BYTES, &last);
    if (last.size == 0) scratch_last_line(play->dir, "stdout", SAID_BYTES, &last);
    if (notice->by == ENDED_TIME) buf_text(&last, " (it took too long)");
    (void)err_set(&play->err, ERR_FAILED, "the setup command failed (%s %d): %s: %s",
                  ended_word(notice->by) ? ended_word(notice->by) : "not started", notice->value,
                  play->job.setup.data, buf_cstr(&last));
    buf_release(&last);
    (void)file_remove_in(play->dir, "stdout", &none);
    (void)file_remove_in(play->dir, "stderr", &none);
}

static int setup_run(struct play *play)
{
    const char *const argv[] = { "sh", "-c", play->job.setup.data, NULL };
    struct env_request request = { .environment = host_environment(), .exists = file_exists };
    struct guarded guarded = play_guarded(play);
    struct arena *arena = &play->arena;
    struct spawn spawn = {
        .id = SETUP_ID,
        .argv = guard_ready(&guarded, argv, arena),
        .env = agent_env(&play->about, env_withheld(&request, arena), arena),
        .cwd = play->place.repo.workspace,
        .in = "/dev/null",
        .out = arena_printf(arena, "%s/stdout", play->dir),
        .err = arena_printf(arena, "%s/stderr", play->dir),
        .status = arena_printf(arena, "%s/status", play->dir),
        .tag = arena_printf(arena, "HONE_OUTPUT=%s", play->about.output),
        .time_ms_max = SETUP_MS_MAX,
        .output_bytes_max = UINT64_C(1) << 30,
        .grace_ms = 5000,
    };
    struct notice notice;
    struct err none;
    int rc = supervisor_spawn(&play->supervisor, &spawn, &play->err);

    if (rc != 0) return rc;
    if (!play_wait(play, SETUP_ID, &notice)) return err_set(&play->err, ERR_FAILED, "it is over");
    (void)file_remove_in(play->dir, "status", &none);
    if (notice.by == ENDED_EXIT && notice.value == 0) return 0;
    setup_explain(play, &notice);
    return ERR_FAILED;
}

static int play_setup(struct play *play)
{
    const char *note;
    int rc;

    if (play->job.setup.size == 0) return 0;
    note = arena_printf(&play->arena, "%s\n%s\n", play->job.run.data, play->job.setup.data);
    if (play->place.warm && setup_is_done(play, note)) return 0;
    rc = setup_run(play);
    return rc == 0 ? scratch_write(play->place.folder, "setup", str_of(note), &play->err) : rc;
}

/* Every program that may be started: found now, before the first one of the job's begins. */
static int agents_ready(struct play *play)
{
    static const char *const own[] = { "git", "sh", "make", "timeout", "env", "node", NULL };
    int rc;

    programs_settle(own);
    sandbox_settle();
    for (uint32_t i = 0; backends[i]; i++) {
        if (backends[i]->program) (void)program_path(backends[i]->program);
    }
    rc = supervisor_start(&play->supervisor, play->place.lock.fd, &play->err);
    if (rc != 0) return rc;
    return scratch_write(play->folder, "mark", str_of(play->supervisor.mark), &play->err);
}

int play_fill(struct play *play)
{
    int rc = site_make(play);

    if (rc == 0) rc = about_make(play);
    for (uint32_t i = 0; i < play->job.file_count && rc == 0; i++) {
        rc = file_fill(play, &play->job.files[i]);
    }
    if (rc == 0) rc = agents_ready(play);
    if (rc == 0) rc = play_setup(play);
    for (uint32_t i = 0; i < play->job.contract_count && rc == 0; i++) {
        rc = contract_fill(play, &play->job.contract[i]);
    }
    return rc;
}
