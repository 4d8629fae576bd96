/* SPDX-License-Identifier: Apache-2.0
 *
 * process.c - what an attempt's agent is told, and the process that it is.
 *
 * Not here: what must be there before it starts (launch.c), what it may touch (guard/). */
#include "drive/process.h"

#include "drive/attempt.h"
#include "io/file/scratch.h"

enum {
    FILE_MS_MAX = 5 * 60 * 1000, /* for one file, of an analyzer */
    OUTPUT_BYTES_MAX_LOG2 = 32,  /* 4 GiB of transcript: more is a runaway */
};

/* Half of what an attempt may take, or be silent: a file that takes longer must not end it. */
static uint64_t file_ms_max(const struct run_settings *settings)
{
    uint64_t least = FILE_MS_MAX;

    if (settings->time_ms_max && settings->time_ms_max / 2 < least) {
        least = settings->time_ms_max / 2;
    }
    if (settings->idle_ms_max && settings->idle_ms_max / 2 < least) {
        least = settings->idle_ms_max / 2;
    }
    return least ? least : 1;
}

struct attempt process_about(const struct run *run, const struct action *action,
                             const struct site *site)
{
    const struct phase *phase = &run->plan.phases[action->phase];
    bool repair = action->purpose == FOR_REPAIR && phase->repair_name;

    return (struct attempt){
        .run = run->row.id,
        .dialect = run->dialect->name,
        .role = run->plan.roles[action->role].name,
        .lane = site->about.name,
        .phase = repair ? phase->repair_name : phase->name,
        .round = action->round,
        .attempt = action->attempt,
        .copy = action->copy,
        .eye = action->eye,
        .recheck = action->recheck,
        .writes = run->plan.roles[action->role].writes,
        .workspace = site->repo.workspace,
        .task = site->about.task,
        .task_id = site->about.task_id,
        .since = site->since ? site->since : run->settings.since,
        .paths = run->settings.paths,
        .exclude = run->settings.exclude,
        .analyzers = run->settings.analyzers,
        .test = run_test_is_used(run) ? run->settings.test : "",
        .fixes = run->settings.fixes,
        .generated = run->settings.generated,
        .baseline = run->settings.baseline,
        .file_ms_max = file_ms_max(&run->settings),
    };
}

int process_make(const struct guarded *guarded, const struct attempt *about,
                 const char *const *argv, struct arena *arena, struct spawn *out)
{
    const struct run_settings *settings = &guarded->run->settings;
    const char *const *env;
    int rc = guard_env(guarded, about, arena, &env);

    if (rc == 0) rc = guard_own(guarded, arena);
    if (rc != 0) return rc;
    *out = (struct spawn){
        .id = live_id(guarded->action),
        .argv = guard_wrap(guarded, about, argv, arena),
        .env = env,
        .cwd = site_at(guarded->run, guarded->action)->repo.workspace,
        .in = arena_printf(arena, "%s/prompt", guarded->dir),
        .out = arena_printf(arena, "%s/stdout", guarded->dir),
        .err = arena_printf(arena, "%s/stderr", guarded->dir),
        .status = arena_printf(arena, "%s/status", guarded->dir),
        .tag = arena_printf(arena, "HONE_OUTPUT=%s", about->output),
        .time_ms_max = settings->time_ms_max,
        .idle_ms_max = settings->idle_ms_max,
        .output_bytes_max = UINT64_C(1) << OUTPUT_BYTES_MAX_LOG2,
        .grace_ms = GRACE_MS,
    };
    return 0;
}

int process_play(const struct agent *agent, const struct attempt *about, const char *dir,
                 struct buf *answer, int *status, struct err *err)
{
    struct attempt played = *about;
    struct buf shown;
    int rc;

    buf_init(&shown, ANSWER_BYTES_MAX);
    played.shown = &shown;
    rc = agent->backend->play(agent, &played, answer, status, err);
    if (rc == 0) rc = scratch_write(dir, "answer", buf_str(answer), err);
    if (rc == 0 && shown.size) rc = scratch_write(dir, "evidence", buf_str(&shown), err);
    buf_release(&shown);
    return rc;
}
