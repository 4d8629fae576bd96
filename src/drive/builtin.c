/* SPDX-License-Identifier: Apache-2.0
 *
 * builtin.c - roles that no agent plays: a command of the project's own, a commit, or an answer
 * that needs nobody.
 *
 * They are attempts like all others, with a folder, limits and a transcript. A command that fails
 * has answered: its exit status is what the dialect asks for. Only one that could not be run at
 * all has failed. */
#include "drive/drive.h"

#include "io/program.h"
#include "io/scratch.h"

enum { SAID_BYTES_MAX = 256 << 10, STATUS_NOT_RUN = 126 };

static struct builtin builtin_of(const struct drive *drive, const struct action *action,
                                 struct arena *arena)
{
    struct run_view view = drive_view(drive, action->lane);
    struct builtin builtin = { 0 };

    drive->run.dialect->builtin(&view, action, arena, &builtin);
    return builtin;
}

bool is_builtin(const struct drive *drive, const struct action *action)
{
    return drive->run.plan.roles[action->role].builtin;
}

bool builtin_is_command(const struct drive *drive, const struct action *action)
{
    struct arena arena = { 0 };
    bool command = is_builtin(drive, action) &&
                   builtin_of(drive, action, &arena).kind == BUILTIN_COMMAND;

    arena_release(&arena);
    return command;
}

/* Whether what it does is for good: a delivery, or the integration of a lane. */
static bool delivers(const struct drive *drive, const struct action *action)
{
    if (action->purpose == FOR_INTEGRATE) return !lane_was_merged(drive, action->lane);
    return action->purpose == FOR_WORK && drive->run.plan.phases[action->phase].needs != 0;
}

/* Delivered is what was reviewed: whoever changed it since is told, and it is reviewed again. */
static bool is_stale(struct drive *drive, struct live *live)
{
    const struct lane *lane = &drive->run.engine.lanes[live->action.lane];
    const char *what;
    bool same;

    if (!delivers(drive, &live->action)) return false;
    if (watch_still(drive, lane, &drive->arena, &same, &what) != 0) {
        drive_break(drive);
        return true;
    }
    if (same) return false;
    report_warning(&drive->report, "the work tree changed since it was reviewed (%s): it is "
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
        attempt_judge(drive, live, str_of(builtin.text), false);
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
            attempt_judge(drive, live, STR("nothing\n"), false);
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

/* The last part of what a command said, behind its status. */
static void answer_of(const char *dir, int status, struct buf *out)
{
    struct err ignored;
    struct buf said;

    buf_init(&said, 64 << 20);
    if (scratch_read(dir, "stdout", &said, &ignored) != 0 && said.size == 0) {
        buf_text(&said, "(it said more than can be kept)\n");
    }
    buf_printf(out, "exit %d\n", status);
    buf_add(out, str_tail(buf_str(&said), SAID_BYTES_MAX));
    buf_release(&said);
}

/* What its failure is called; the transcript that says why. */
static const struct {
    const char *text, *transcript;
} failures[] = {
    [BUILTIN_ANSWER] = { "", "stderr" },
    [BUILTIN_COMMAND] = { "the command could not be run", "stdout" },
    [BUILTIN_COMMIT] = { "the commit could not be made", "stderr" },
    [BUILTIN_SCAN] = { "the files could not be scanned", "stderr" },
    [BUILTIN_INTEGRATE] = { "it could not be integrated", "stderr" },
};

void builtin_exited(struct drive *drive, struct live *live, int status)
{
    struct arena arena = { 0 };
    struct builtin builtin = builtin_of(drive, &live->action, &arena);
    uint32_t lane = live->action.lane;
    struct err err = { 0 };
    struct buf answer, last;

    buf_init(&answer, ANSWER_BYTES_MAX);
    buf_init(&last, 1024);
    if (builtin.kind == BUILTIN_COMMAND && status != STATUS_NOT_RUN &&
        status != STATUS_NOT_RUN + 1) {
        answer_of(live->dir, status, &answer);
        attempt_judge(drive, live, buf_str(&answer), false);
    } else if (status != 0) {
        scratch_last_line(live->dir, failures[builtin.kind].transcript, 500, &last);
        attempt_fail(drive, live, FAILURE_EXIT, true,
                     arena_printf(&arena, "%s: %s", failures[builtin.kind].text,
                                  buf_cstr(&last)));
    } else if (scratch_read(live->dir, "stdout", &answer, &err) != 0) {
        attempt_fail(drive, live, FAILURE_OUTPUT, false, err.text);
    } else {
        bool merged = builtin.kind == BUILTIN_INTEGRATE &&
                      !str_starts(buf_str(&answer), STR("conflict"));
        if (builtin.kind == BUILTIN_COMMIT) commit_step_end(drive, live);
        attempt_judge(drive, live, buf_str(&answer), builtin.kind == BUILTIN_SCAN);
        if (merged) site_forget(drive, lane);
    }
    buf_release(&last);
    buf_release(&answer);
    arena_release(&arena);
}
