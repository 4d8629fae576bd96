/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c - what it takes to start an attempt: its folder, its tree, its prompt, its process.
 *
 * What fails here is ours (a full disk), not the agent's: it breaks the drive. Whether a program
 * can be started at all the supervisor says, in its notice. */
#include "drive/drive.h"

#include "base/mem.h"
#include "drive/place.h"
#include "format/finding_json.h"
#include "io/file.h"
#include "io/sandbox.h"
#include "io/scratch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct attempt attempt_about(const struct drive *drive, const struct live *live)
{
    const struct action *action = &live->action;
    const struct phase *phase = &drive->run.plan.phases[action->phase];
    bool repair = action->purpose == FOR_REPAIR && phase->repair_name;

    return (struct attempt){
        .run = drive->run.row.id,
        .dialect = drive->run.dialect->name,
        .role = drive->run.plan.roles[action->role].name,
        .lane = "main",
        .phase = repair ? phase->repair_name : phase->name,
        .iteration = drive_iteration(drive, action),
        .round = action->round,
        .attempt = action->attempt,
        .copy = action->copy,
        .writes = drive->run.plan.roles[action->role].writes,
        .workspace = drive->repo.workspace,
        .task = drive->run.row.task,
        .since = drive->run.settings.since,
        .exclude = drive->run.settings.exclude,
        .test = drive->run.settings.test,
    };
}

/* What is to be repaired, as data: for fixers that are no models. */
static int attempt_findings(struct drive *drive, const struct live *live)
{
    const struct batch *review = &drive->run.engine.lanes[live->action.lane].review;
    struct findings all = { 0 };
    struct buf text;
    int rc;

    for (uint32_t i = 0; i < review->count; i++) {
        const struct result *result = &review->jobs[i].result;
        for (uint32_t k = 0; k < result->finding_count; k++) {
            all.items = mem_grow(all.items, all.count, &all.cap, sizeof *all.items);
            all.items[all.count++] = result->findings[k];
        }
    }
    buf_init(&text, FINDINGS_BYTES_MAX);
    findings_write(&all, &text);
    rc = scratch_write(live->dir, "findings", buf_str(&text), &drive->err);
    buf_release(&text);
    free(all.items);
    return rc;
}

/* A folder of our own that reviewers may write to, where their backend has use for one. */
static int attempt_cache(struct drive *drive, struct attempt *about, struct arena *arena)
{
    about->cache = arena_printf(arena, "%s/cache", drive->repo.hone_dir);
    return file_make_folder(about->cache, false, &drive->err);
}

static int attempt_prompt(struct drive *drive, const struct live *live, const char *output)
{
    struct run_view view = drive_view(drive);
    const struct job *job = engine_job(&drive->run.engine, live->action.job, NULL);
    struct prompt_request request = { .action = &live->action, .output = output };
    struct buf prompt;
    int rc;

    assert(job);
    if (job->attempt > 1 && job->result.verdict == VERDICT_INVALID) {
        request.problem = job->result.problem;
    }
    buf_init(&prompt, PROMPT_BYTES_MAX);
    drive->run.dialect->prompt(&view, &request, &prompt);
    rc = scratch_write(live->dir, "prompt", buf_str(&prompt), &drive->err);
    buf_release(&prompt);
    return rc;
}

static int attempt_spawn(struct drive *drive, const struct live *live, const char *const *argv,
                         struct attempt *about, struct arena *arena)
{
    const struct repo *repo = &drive->repo;
    const char *const read_only[] = { repo->workspace, repo->common_dir, repo->git_dir, NULL };
    const char *const writable[] = { live->dir, about->cache, NULL };
    struct spawn spawn;

    if (drive->sandboxed && is_reviewer(drive, &live->action)) {
        argv = sandbox_wrap(arena, argv, read_only, writable);
    }
    spawn = (struct spawn){
        .id = live_id(&live->action),
        .argv = argv,
        .env = agent_env(about, arena),
        .cwd = repo->workspace,
        .in = arena_printf(arena, "%s/prompt", live->dir),
        .out = arena_printf(arena, "%s/stdout", live->dir),
        .err = arena_printf(arena, "%s/stderr", live->dir),
        .status = arena_printf(arena, "%s/status", live->dir),
        .tag = arena_printf(arena, "HONE_OUTPUT=%s", about->output),
        .time_ms_max = drive->run.settings.time_ms_max,
        .idle_ms_max = drive->run.settings.idle_ms_max,
        .output_bytes_max = UINT64_C(1) << OUTPUT_BYTES_MAX_LOG2,
        .grace_ms = GRACE_MS,
    };
    return supervisor_spawn(&drive->supervisor, &spawn, &drive->err);
}

/* A backend that answers by itself: no process, the same folder. */
static void attempt_play(struct drive *drive, struct live *live, const struct attempt *about)
{
    const struct agent *agent = agent_of(drive, &live->action);
    struct buf answer;
    struct err err = { 0 };
    int status = 0;
    int rc;

    buf_init(&answer, ANSWER_BYTES_MAX);
    rc = agent->backend->play(agent, about, &answer, &status, &err);
    if (rc == 0) rc = scratch_write(live->dir, "answer", buf_str(&answer), &err);
    if (rc != 0) {
        attempt_fail(drive, live, FAILURE_START, true, err.text);
    } else if (status != 0) {
        attempt_exited(drive, live, status);
    } else {
        attempt_judge(drive, live, buf_str(&answer), 0, "");
    }
    buf_release(&answer);
}

void attempt_launch(struct drive *drive, struct live *live)
{
    const struct agent *agent = agent_of(drive, &live->action);
    struct attempt about = attempt_about(drive, live);
    struct arena arena = { 0 };
    const struct lane *lane = &drive->run.engine.lanes[live->action.lane];
    const char *const *argv = NULL;
    int rc;

    live->due_ms = 0;
    live->started_ms = now_wall_ms();
    about.output = arena_printf(&arena, "%s/answer", live->dir);
    report_start(drive, &live->action);
    rc = scratch_folder(place_run(&drive->repo, drive->run.row.id, &arena),
                        strrchr(live->dir, '/') + 1, &drive->err);
    if (rc == 0 && is_reviewer(drive, &live->action)) rc = watch_begin(drive, lane);
    if (rc == 0) rc = attempt_prompt(drive, live, about.output);
    if (rc == 0 && live->action.purpose == FOR_REPAIR) {
        about.findings = arena_printf(&arena, "%s/findings", live->dir);
        rc = attempt_findings(drive, live);
    }
    if (rc == 0 && agent->backend->wants_cache) rc = attempt_cache(drive, &about, &arena);
    if (rc != 0) {
        drive_break(drive); /* it is our disk that failed, not the agent */
    } else if (agent->backend->play) {
        attempt_play(drive, live, &about);
    } else if (is_builtin(drive, &live->action)) {
        argv = builtin_command(drive, live, &arena);
    } else {
        argv = agent->backend->command(agent, &about, &arena);
    }
    if (argv && attempt_spawn(drive, live, argv, &about, &arena) != 0) drive_break(drive);
    arena_release(&arena);
}
