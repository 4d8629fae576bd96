/* SPDX-License-Identifier: Apache-2.0
 *
 * builtin.c - roles that no agent plays: a command of the project's own, a commit, or an answer
 * that needs no agent.
 *
 * They are attempts like all others, with a folder, limits and a transcript. */
#include "drive/builtin.h"

#include "drive/attempt.h"
#include "drive/commit.h"
#include "drive/lanes.h"
#include "drive/prove.h"
#include "drive/watch.h"
#include "io/process/program.h"

static struct builtin builtin_of(const struct drive *drive, const struct action *action,
                                 struct arena *arena)
{
    struct run_view view = drive_view(drive, action->lane);
    struct builtin builtin = { .kind = BUILTIN_ANSWER, .text = "" };

    if (action->purpose == FOR_PROOF) {
        if (!prove_command(drive)) return builtin;
        return (struct builtin){ .kind = BUILTIN_COMMAND, .text = prove_command(drive) };
    }
    builtin = (struct builtin){ 0 };
    drive->run.dialect->builtin(&view, action, arena, &builtin);
    return builtin;
}

enum builtin_kind builtin_kind_of(const struct drive *drive, const struct action *action)
{
    struct arena arena = { 0 };
    enum builtin_kind kind = builtin_of(drive, action, &arena).kind;

    arena_release(&arena);
    return kind;
}

bool builtin_is_command(const struct drive *drive, const struct action *action)
{
    return is_builtin(&drive->run, action) && builtin_kind_of(drive, action) == BUILTIN_COMMAND;
}

/* Whether what it does is for good: a delivery, or the integration of a lane. */
static bool delivers(const struct drive *drive, const struct action *action)
{
    if (action->purpose == FOR_INTEGRATE) return !lane_was_merged(drive, action->lane);
    return action->purpose == FOR_WORK && drive->run.plan.phases[action->phase].needs != 0;
}

/* Delivered is what was reviewed: a tree that changed since is reviewed again, and that is said. */
static bool is_stale(struct drive *drive, struct live *live)
{
    const struct lane *lane = &drive->run.engine.lanes[live->action.lane];
    const char *what;
    bool same;

    if (!delivers(drive, &live->action)) return false;
    if (watch_still(drive, lane, &drive->run.arena, &same, &what) != 0) {
        drive_break(drive);
        return true;
    }
    if (same) return false;
    drive_warn(drive, "the work tree changed since it was reviewed (%s): it is "
               "reviewed again before it is delivered", what);
    drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms(),
                                      .lane = lane->id });
    attempt_fail(drive, live, FAILURE_STOPPED, false, "the work tree changed since its review");
    return true;
}

const char *const *builtin_command(struct drive *drive, struct live *live, struct arena *arena)
{
    struct builtin builtin;
    const char **argv = arena_alloc(arena, 5 * sizeof *argv);
    const char *keep;
    uint32_t count;

    if (is_stale(drive, live)) return NULL;
    builtin = builtin_of(drive, &live->action, arena);
    argv[0] = program_self();
    argv[1] = "agent";
    argv[3] = live->dir;
    switch (builtin.kind) {
    case BUILTIN_ANSWER:
        attempt_answer(drive, live, str_of(builtin.text));
        return NULL;
    case BUILTIN_COMMAND:
        argv[0] = "sh";
        argv[1] = "-c";
        argv[2] = arena_printf(arena, "exec 2>&1\n%s", builtin.text);
        argv[3] = NULL;
        return argv;
    case BUILTIN_COMMIT:
        if (commit_list(drive, live, builtin.text, &count, &keep, arena) != 0) {
            drive_break(drive);
            return NULL;
        }
        if (count == 0) {
            commit_step_end(drive, live);
            attempt_answer(drive, live, STR("nothing\n"));
            return NULL;
        }
        argv[2] = "commit";
        return argv;
    case BUILTIN_SCAN:
        argv[2] = "scan";
        argv[3] = NULL;
        return argv;
    case BUILTIN_INTEGRATE:
        if (integrate_prepare(drive, live, builtin.text) != 0) {
            drive_break(drive);
            return NULL;
        }
        argv[2] = "integrate";
        return argv;
    }
    return NULL;
}

bool builtin_made(const struct facts *facts, enum builtin_kind kind)
{
    if (!facts->builtin || facts->builtin_kind != kind) return false;
    if (!notice_is_answer(&facts->notice) || facts->said.rc != 0) return false;
    return kind != BUILTIN_INTEGRATE || !str_starts(facts->said.text, STR("conflict"));
}
