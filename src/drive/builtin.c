/* SPDX-License-Identifier: Apache-2.0
 *
 * builtin.c - roles that no agent plays: a command of the project's own, a commit, or an answer
 * that needs nobody.
 *
 * They are attempts like all others, with a folder, limits and a transcript. A command that fails
 * has answered: its exit status is what the dialect asks for. Only one that could not be run at
 * all has failed. */
#include "drive/drive.h"

#include "io/crew.h"
#include "io/scratch.h"

#include <assert.h>

enum { SAID_BYTES_MAX = 256 << 10, STATUS_NOT_RUN = 126 };

static struct builtin builtin_of(const struct drive *drive, const struct action *action,
                                 struct arena *arena)
{
    struct run_view view = drive_view(drive);
    struct builtin builtin = { 0 };

    drive->run.dialect->builtin(&view, action, arena, &builtin);
    return builtin;
}

bool is_builtin(const struct drive *drive, const struct action *action)
{
    return drive->run.plan.roles[action->role].builtin;
}

const char *const *builtin_command(struct drive *drive, struct live *live, struct arena *arena)
{
    struct builtin builtin = builtin_of(drive, &live->action, arena);
    const char **argv = arena_alloc(arena, 5 * sizeof *argv);
    uint32_t count;

    switch (builtin.kind) {
    case BUILTIN_ANSWER:
        attempt_judge(drive, live, str_of(builtin.text), 0, "");
        return NULL;
    case BUILTIN_COMMAND:
        argv[0] = "sh";
        argv[1] = "-c";
        argv[2] = arena_printf(arena, "exec 2>&1\n%s", builtin.text);
        return argv;
    case BUILTIN_COMMIT:
        if (commit_prepare(drive, live, builtin.text, &count) != 0) {
            drive_break(drive);
            return NULL;
        }
        if (count == 0) {
            attempt_judge(drive, live, STR("nothing\n"), 0, "");
            return NULL;
        }
        argv[0] = program_self();
        argv[1] = "agent";
        argv[2] = "commit";
        argv[3] = live->dir;
        return argv;
    case BUILTIN_SCAN:
        argv[0] = program_self();
        argv[1] = "agent";
        argv[2] = "scan";
        return argv;
    case BUILTIN_INTEGRATE:
        attempt_fail(drive, live, FAILURE_START, true, "lanes cannot be integrated");
        return NULL;
    }
    return NULL;
}

/* The last part of what a command said, behind its status. */
static void answer_of(const char *dir, int status, struct buf *out)
{
    struct err ignored;
    struct buf said;
    struct str text;

    buf_init(&said, 64 << 20);
    if (scratch_read(dir, "stdout", &said, &ignored) != 0 && said.size == 0) {
        buf_text(&said, "(it said more than can be kept)\n");
    }
    text = buf_str(&said);
    if (text.size > SAID_BYTES_MAX) text = str_skip(text, text.size - SAID_BYTES_MAX);
    while (text.size && ((unsigned char)text.data[0] & 0xc0) == 0x80) text = str_skip(text, 1);
    buf_printf(out, "exit %d\n", status);
    buf_add(out, text);
    buf_release(&said);
}

void builtin_exited(struct drive *drive, struct live *live, int status)
{
    struct arena arena = { 0 };
    struct builtin builtin = builtin_of(drive, &live->action, &arena);
    struct buf answer, last;

    buf_init(&answer, SAID_BYTES_MAX + 64);
    buf_init(&last, 512);
    if (builtin.kind == BUILTIN_COMMAND && status != STATUS_NOT_RUN &&
        status != STATUS_NOT_RUN + 1) {
        answer_of(live->dir, status, &answer);
        attempt_judge(drive, live, buf_str(&answer), 0, "");
    } else if (status == 0) {
        struct err err = { 0 };
        int rc = scratch_read(live->dir, "stdout", &answer, &err);
        attempt_judge(drive, live, buf_str(&answer), rc, err.text);
    } else {
        bool commit = builtin.kind == BUILTIN_COMMIT;
        scratch_last_line(live->dir, commit ? "stderr" : "stdout", 300, &last);
        attempt_fail(drive, live, FAILURE_EXIT, true,
                     arena_printf(&drive->arena, "%s: %s", commit ? "the commit could not be made"
                                  : "the command could not be run", buf_cstr(&last)));
    }
    buf_release(&last);
    buf_release(&answer);
    arena_release(&arena);
}
