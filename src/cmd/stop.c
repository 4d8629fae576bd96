/* SPDX-License-Identifier: Apache-2.0
 *
 * stop.c - hone stop: asks a run's engine to end, and waits until it and its agents are gone.
 *
 * The process that owns the workspace's lock gets a SIGTERM, and no other process can
 * (io/file/lock.c). The last process of the run releases the lock: once hone stop can take it for
 * a moment, all of them are gone. A run inside Claude Code or Codex has no process of hone: its end
 * is written to the journal at once, and the host learns of it at its next hook. */
#include "cmd/parse.h"
#include "cmd/say.h"

#include "cmd/verbs.h"
#include "drive/hosted/hosted.h"
#include "run/look.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { WAIT_MS_MAX = 30 * 1000 };

/* Waits for the lock. *gone is false when the run still has it in the end. */
static int wait_gone(const struct look *look, bool *gone, struct err *err)
{
    struct lock lock = { .fd = -1 };
    struct lock_owner owner;
    int rc = lock_open(&lock, look->lock, "stop", WAIT_MS_MAX, &owner, err);

    lock_close(&lock);
    *gone = rc == 0 || (rc == ERR_BUSY && strcmp(owner.note, look->run.id) != 0);
    return rc == ERR_BUSY ? 0 : rc;
}

static int look_again(struct look *look, struct err *err)
{
    return journal_find(look->journal, look->run.id, NULL, &look->arena, &look->run, err);
}

static int stop(struct look *look, bool *stopped, struct err *err)
{
    const char *hosted;
    int rc;

    *stopped = true;
    if (!look->alive) return 0;
    rc = hosted_stop(look->run.workspace, &look->arena, &hosted, err);
    if (rc != 0 || hosted) return rc != 0 ? rc : look_again(look, err);
    rc = lock_signal(look->lock, SIGTERM, err);
    if (rc == ERR_MISSING) rc = 0; /* it has just ended; its agents may still be ending */
    if (rc == 0) rc = wait_gone(look, stopped, err);
    if (rc != 0 || !*stopped) return rc;
    return look_again(look, err);
}

/* One sentence about a run that does not run any more. */
static void say_end(const struct look *look, bool was_alive)
{
    const struct journal_run *run = &look->run;
    const char *begin = was_alive ? "" : "nothing to stop: ";

    if (run->reason == REASON_NONE || (was_alive && run->reason == REASON_INTERRUPTED)) {
        printf("%srun %s %s\n", begin, run->id, standing_text(run, false));
    } else {
        printf("%srun %s has ended: %s\n", begin, run->id, standing_word(run, false));
    }
}

static void show_end(const struct call *call, const struct look *look, bool was_alive)
{
    if (call->json) {
        yyjson_mut_doc *doc = json_new();
        yyjson_mut_val *root = json_object(doc);

        yyjson_mut_doc_set_root(doc, root);
        look_describe(doc, root, &look->run, false);
        yyjson_mut_obj_add_bool(doc, root, "was_running", was_alive);
        say_json(doc, true);
    } else if (!call->quiet) {
        say_end(look, was_alive);
    }
}

static int handle(struct call *call)
{
    struct look look;
    struct err err;
    bool stopped = false, was_alive;
    int rc, code = CODE_DONE;

    rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    was_alive = look.alive;
    if (rc == 0) rc = stop(&look, &stopped, &err);
    if (rc != 0) {
        code = say_err(&err);
    } else if (!stopped) {
        code = say_fail(CODE_FAILED, "run %s has not ended within %d s; 'hone status' shows what "
                        "it waits for, and 'hone stop' may be tried again", look.run.id,
                        WAIT_MS_MAX / 1000);
    } else {
        show_end(call, &look, was_alive);
    }
    look_close(&look);
    return code;
}

const struct verb verb_stop = {
    .name = "stop",
    .summary = "stop a run, so that it can be resumed",
    .text = {
        "Asks a run to stop, and waits until its agents are gone, for at most 30 seconds. "
        "Agents that have not answered are ended; 'hone resume' starts them again. A run "
        "that does not run any more is left as it is, and that is no error.",
    },
    .arguments = { ARGUMENT_RUN },
    .codes = {
        { CODE_DONE, "the run does not run any more" },
        { CODE_USAGE, "there is no such run" },
        { CODE_FAILED, "it has not ended in time, or may not be signalled" },
    },
    .examples = { "hone stop" },
    .handle = handle,
};
