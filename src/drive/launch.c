/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c - what it takes to start an attempt: its folder, its tree, its prompt, its process.
 *
 * A failure here is hone's (a full disk), not the agent's: it breaks the drive. That a program
 * cannot be started is said by the supervisor, in its notice: then the attempt has failed. */
#include "drive/attempt.h"

#include "base/mem.h"
#include "base/path.h"
#include "drive/builtin.h"
#include "drive/commit.h"
#include "drive/facts.h"
#include "drive/isolate.h"
#include "drive/lanes.h"
#include "drive/process.h"
#include "drive/proof.h"
#include "drive/prove.h"
#include "drive/repairs.h"
#include "drive/rounds.h"
#include "drive/spending.h"
#include "drive/transcript.h"
#include "drive/undo.h"
#include "drive/watch.h"
#include "dialect/role_file.h"
#include "format/json/finding_json.h"
#include "format/observe/otlp.h"
#include "io/file/file.h"
#include "io/file/scratch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROMPT_BYTES_MAX = 16 << 20,
    FINDINGS_BYTES_MAX = 256 << 20, /* of what a fixer is given */
};

static struct attempt attempt_about(struct drive *drive, const struct live *live)
{
    struct attempt about = process_about(&drive->run, &live->action,
                                         site_at(&drive->run, &live->action));

    about.iteration = run_iteration(&drive->run, &live->action);
    return about;
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
    about->cache = arena_printf(arena, "%s/cache", drive->run.repo.hone_dir);
    return file_make_folder(about->cache, false, &drive->err);
}

/* ---- the prompt, for those who read it from a file ---- */

const char *prompt_file_of(const struct drive *drive, const struct action *action,
                           struct arena *arena)
{
    struct run_view view = drive_view_of(drive, action);
    const char *path;

    if (!drive->run.dialect->sharing || is_builtin(&drive->run, action)) return NULL;
    view.backend = agent_of(&drive->run, action)->backend->name;
    path = drive->run.dialect->sharing->prompt_file(&view, action, arena);
    return path ? arena_cstr(arena, str_of(path)) : NULL;
}

static int prompt_file_write(struct drive *drive, const struct action *action, struct str prompt)
{
    struct arena arena = { 0 };
    const char *path = prompt_file_of(drive, action, &arena);
    const char *top = site_at(&drive->run, action)->repo.workspace;
    int rc = 0;

    if (path && strchr(path, '/')) {
        rc = file_make_folder_in(top, path_folder_text(path, &arena), &drive->err);
    }
    if (rc == 0 && path) rc = scratch_write(top, path, prompt, &drive->err);
    arena_release(&arena);
    return rc;
}

void prompt_file_remove(struct drive *drive, const struct action *action)
{
    const struct site *site = site_seen(&drive->run, action);
    struct arena arena = { 0 };
    const char *path = site ? prompt_file_of(drive, action, &arena) : NULL;
    struct err err = { 0 };

    if (path && file_remove_in(site->repo.workspace, path, &err) != 0) {
        drive_warn(drive, "%s", err.text);
    }
    arena_release(&arena);
}

/* The form of the answer, for backends that read a stream: they hold their model to it. */
static int attempt_schema(struct drive *drive, const struct live *live, struct attempt *about,
                          struct arena *arena)
{
    const struct dialect_answering *answering = drive->run.dialect->answering;

    if (!answering || !answering->schema) return 0;
    if (!agent_of(&drive->run, &live->action)->backend->stream) return 0;
    about->schema = answering->schema(about->role);
    if (!about->schema) return 0;
    about->schema_file = arena_printf(arena, "%s/schema", live->dir);
    return scratch_write(live->dir, "schema", str_of(about->schema), &drive->err);
}

/* Leaves with the attempt which files of the change its prompt holds whole: they count as read
 * (proof.c). A diff that is cut, or altered to be harmless, holds none. */
static int prompt_held(struct drive *drive, const struct live *live, const struct tree_view *tree,
                       struct str prompt)
{
    struct str diff = str_trim(tree->diff);
    struct buf names;
    int rc;

    if (diff.size == 0 || tree->diff_cut) return 0;
    if (!memmem(prompt.data, prompt.size, diff.data, diff.size)) return 0;
    buf_init(&names, PROMPT_BYTES_MAX);
    for (uint32_t i = 0; i < tree->delta_count; i++) {
        buf_printf(&names, "%.*s\n", STR_ARG(tree->delta[i].path));
    }
    rc = scratch_write(live->dir, "held", buf_str(&names), &drive->err);
    buf_release(&names);
    return rc;
}

static int attempt_prompt(struct drive *drive, struct live *live, const char *output)
{
    struct run_view view = drive_view_of(drive, &live->action);
    const struct job *job = engine_job(&drive->run.engine, live->action.job, NULL);
    struct prompt_request request = { .action = &live->action, .output = output };
    struct round_tree tree = { 0 };
    struct buf prompt;
    int rc = 0;

    assert(job);
    if (job->attempt > 1 && job->result.verdict == VERDICT_INVALID) {
        request.problem = job->result.problem;
    }
    view.backend = agent_of(&drive->run, &live->action)->backend->name;
    if (is_reviewer(&drive->run, &live->action)) rc = round_look(drive, live, &tree);
    if (rc != 0) return rc;
    if (tree.known) view.tree = &tree.view;
    buf_init(&prompt, PROMPT_BYTES_MAX);
    if (live->action.purpose != FOR_PROOF) drive->run.dialect->prompt(&view, &request, &prompt);
    rc = scratch_write(live->dir, "prompt", buf_str(&prompt), &drive->err);
    if (rc == 0) rc = prompt_file_write(drive, &live->action, buf_str(&prompt));
    if (rc == 0 && tree.known) rc = prompt_held(drive, live, &tree.view, buf_str(&prompt));
    if (prompt.size <= TRANSCRIPT_BYTES_MAX && !mask_text(&drive->mask, buf_str(&prompt), NULL)) {
        live->plain |= FILE_BIT(FILE_PROMPT);
    }
    buf_release(&prompt);
    round_release(&tree);
    return rc;
}

static int attempt_spawn(struct drive *drive, const struct live *live, const char *const *argv,
                         const struct attempt *about, struct arena *arena)
{
    struct guarded guarded = attempt_guarded(drive, live);
    struct spawn spawn;
    int rc = process_make(&guarded, about, argv, arena, &spawn);

    if (rc != 0) return rc;
    if (live->action.purpose == FOR_INTEGRATE) spawn.cwd = drive->run.repo.workspace;
    return supervisor_spawn(&drive->supervisor, &spawn, &drive->err);
}

/* A backend that answers by itself: no process, the same folder. */
static void attempt_play(struct drive *drive, struct live *live, const struct attempt *about)
{
    struct gathered gathered;
    struct buf answer;
    struct err err = { 0 };
    int status = 0;

    buf_init(&answer, ANSWER_BYTES_MAX);
    if (process_play(agent_of(&drive->run, &live->action), about, live->dir, &answer, &status,
                     &err) != 0) {
        attempt_fail(drive, live, FAILURE_START, true, err.text);
    } else {
        facts_begin(&gathered, drive, live, &(struct notice){ .by = ENDED_EXIT, .value = status });
        facts_say(&gathered, buf_str(&answer), false);
        live->files = scratch_holds(live->dir, attempt_files);
        if (facts_proof(&gathered, drive, live, NULL) == 0 &&
            facts_repair(&gathered, drive, live) == 0) {
            attempt_end(drive, live, &gathered);
        } else {
            facts_release(&gathered);
            drive_break(drive);
        }
    }
    buf_release(&answer);
}

/* A review has one tree for all, also for what hone looks at itself. */
static bool is_watched(const struct drive *drive, const struct lane *lane,
                       const struct action *action)
{
    if (is_reviewer(&drive->run, action)) return true;
    return lane->state == LANE_REVIEWING && has_reader(drive, &lane->now);
}

/* Everything that must be there before the agent is. */
static int attempt_prepare(struct drive *drive, struct live *live, struct attempt *about,
                           struct arena *arena)
{
    const struct lane *lane = &drive->run.engine.lanes[live->action.lane];
    struct guarded guarded = attempt_guarded(drive, live);
    int rc = scratch_folder(run_folder(&drive->run, arena), path_leaf_text(live->dir), &drive->err);

    if (rc == 0 && is_watched(drive, lane, &live->action)) rc = watch_begin(drive, lane);
    if (!live->away && is_reviewer(&drive->run, &live->action)) {
        site_of(&drive->run, live->action.lane)->watch.here = true;
    }
    if (rc == 0 && live->action.purpose == FOR_REPAIR) rc = watch_given(drive, lane);
    if (rc == 0) rc = round_begin(drive, live);
    if (rc == 0) rc = prove_begin(drive, live);
    if (rc == 0) rc = isolate_begin(drive, live);
    if (rc == 0) rc = commit_step_begin(drive, live);
    if (rc == 0 && !live->away) rc = guard_begin(&guarded);
    if (rc == 0) rc = attempt_prompt(drive, live, about->output);
    if (rc == 0 && live->action.purpose == FOR_REPAIR) {
        about->findings = arena_printf(arena, "%s/findings", live->dir);
        rc = attempt_findings(drive, live);
    }
    if (rc == 0 && agent_of(&drive->run, &live->action)->backend->wants_cache) {
        rc = attempt_cache(drive, about, arena);
    }
    return rc == 0 ? attempt_schema(drive, live, about, arena) : rc;
}

/* Whether a reviewer has ended here: its file names paths, and the change touches none of them. It
 * was not played, as an analyzer that finds no file of its own. */
static bool attempt_untouched(struct drive *drive, struct live *live, struct arena *arena)
{
    const struct role_file *role = live->action.purpose == FOR_REVIEW
                                       ? run_role_file(&drive->run, &live->action, arena) : NULL;
    struct str note = STR("the change touches none of its paths");
    struct findings none = { .notes = &note, .note_count = 1, .unseen = true };
    struct gathered gathered;
    struct buf answer;
    bool touched;

    if (!role || !role->paths) return false;
    if (change_touches(drive, live, role->paths, &touched) != 0) {
        drive_break(drive);
        return true;
    }
    if (touched) return false;
    buf_init(&answer, ANSWER_BYTES_MAX);
    findings_write(&none, &answer);
    facts_begin(&gathered, drive, live, &(struct notice){ .by = ENDED_EXIT });
    facts_say(&gathered, buf_str(&answer), true);
    attempt_end(drive, live, &gathered);
    buf_release(&answer);
    return true;
}

/* ---- agents of a host ---- */

const char *attempt_output(const struct drive *drive, const struct live *live,
                           const char **file, struct arena *arena)
{
    const struct dialect_answering *answering = drive->run.dialect->answering;
    struct run_view view = drive_view_of(drive, &live->action);

    *file = answering && answering->file ? answering->file(&view, &live->action, arena) : NULL;
    if (*file) return arena_printf(arena, "%s/%s", view.workspace, *file);
    *file = "";
    return arena_printf(arena, "%s/answer", live->dir);
}

int attempt_give(struct drive *drive, struct live *live, bool *over)
{
    struct arena arena = { 0 };
    struct attempt about = attempt_about(drive, live);
    const char *file;
    int rc = 0;

    about.output = attempt_output(drive, live, &file, &arena);
    if (*file) rc = file_remove_in(about.workspace, file, &drive->err); /* of an attempt before */
    if (rc == 0) rc = attempt_prepare(drive, live, &about, &arena);
    if (rc == 0) *over = attempt_untouched(drive, live, &arena);
    if (rc == 0 && drive->broken) rc = (int)drive->err.code;
    arena_release(&arena);
    return rc;
}

/* What spans that its processes send hang below. */
static const char *attempt_traceparent(const struct drive *drive, const struct action *action,
                                       struct arena *arena)
{
    char span[SPAN_ID_BYTES];

    return trace_parent_write(drive->trace,
                              attempt_span_id(drive->trace_run, action->job, action->attempt, span),
                              arena_alloc(arena, TRACEPARENT_BYTES));
}

void attempt_launch(struct drive *drive, struct live *live)
{
    const struct agent *agent = agent_of(&drive->run, &live->action);
    struct arena arena = { 0 };
    const char *const *argv = NULL;
    struct attempt about;

    assert(!agent->backend->hosted);
    if (drive->held) { /* it begins when the run goes on */
        live->due_ms = now_wall_ms();
        return;
    }
    live->due_ms = 0;
    if (!site_enter(drive, live)) return;
    live->started_ms = now_wall_ms();
    about = attempt_about(drive, live);
    about.output = arena_printf(&arena, "%s/answer", live->dir);
    if (live->action.purpose == FOR_REVIEW) {
        about.evidence = arena_printf(&arena, "%s/evidence", live->dir);
    }
    spending_tell(drive, live, &about, &arena);
    if (drive->trace) about.traceparent = attempt_traceparent(drive, &live->action, &arena);
    drive_tell(drive, &(struct news){ .kind = NEWS_START, .action = &live->action });
    if (attempt_prepare(drive, live, &about, &arena) != 0) {
        drive_break(drive); /* it is our disk that failed, not the agent */
    } else if (attempt_untouched(drive, live, &arena)) {
        argv = NULL;
    } else if (live->away) {
        drive->hands->send(drive, live, &about);
    } else if (agent->backend->play) {
        attempt_play(drive, live, &about);
    } else if (is_builtin(&drive->run, &live->action)) {
        argv = builtin_command(drive, live, &arena);
    } else {
        argv = agent->backend->command(agent, &about, &arena);
    }
    if (argv && (undo_begin(drive, live) != 0 ||
                 attempt_spawn(drive, live, argv, &about, &arena) != 0)) drive_break(drive);
    else if (argv) limits_begin(drive, live);
    arena_release(&arena);
}
