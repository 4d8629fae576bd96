/* SPDX-License-Identifier: Apache-2.0
 *
 * gc.c - hone gc: removes old runs that cannot go on; and hone rm: removes one run.
 *
 * What is removed is hone's own record of a run, in the journal and in its folder. Nothing of the
 * work tree changes. */
#include "cmd/parse.h"
#include "cmd/say.h"

#include "cmd/verbs.h"
#include "run/look.h"
#include "run/place.h"
#include "run/remove.h"
#include "settings/settings.h"

#include <inttypes.h>
#include <stdio.h>

/* To write to. */
static int open_journal(struct look *look, struct journal **out, struct err *err)
{
    return journal_open(out, place_journal(&look->repo, &look->arena), err);
}

static void show_gc(const struct call *call, uint32_t removed, uint64_t keep)
{
    if (call->json) {
        yyjson_mut_doc *doc = json_new();
        yyjson_mut_val *root = json_object(doc);

        yyjson_mut_obj_add_uint(doc, root, "removed", removed);
        say_json(doc, true);
    } else if (!call->quiet) {
        printf("%" PRIu32 " run%s removed; the newest %" PRIu64 " that have ended, and all that "
               "can go on, are kept\n", removed, removed == 1 ? "" : "s", keep);
    }
}

static int handle_gc(struct call *call)
{
    const char *said = call_value(call, "keep");
    uint64_t keep = RUNS_KEPT;
    struct journal *journal = NULL;
    struct look look = { 0 };
    uint32_t removed = 0;
    struct err err;
    int rc = 0, code = CODE_DONE;

    if (said && (!str_number(str_of(said), &keep) || keep > UINT32_MAX)) {
        rc = err_set(&err, ERR_USAGE, "--keep wants how many runs are kept, such as 20, not "
                     "'%.60s'", said);
    }
    if (rc == 0) rc = look_open(&look, call->cwd, &err);
    if (rc == ERR_MISSING && look_is_empty(&look)) {
        show_gc(call, 0, keep);
    } else {
        if (rc == 0) rc = open_journal(&look, &journal, &err);
        if (rc == 0) rc = runs_prune(&look.repo, journal, (uint32_t)keep, &removed, &err);
        if (rc == 0 && removed > 0) journal_shrink(journal);
        if (rc == 0) show_gc(call, removed, keep);
        else code = say_err(&err);
    }
    look_close(&look);
    journal_close(journal); /* the last one that is open: what it wrote ahead is worked in */
    return code;
}

static int handle_rm(struct call *call)
{
    struct journal *journal = NULL;
    struct look look;
    struct err err;
    int rc = look_open(&look, call->cwd, &err), code = CODE_DONE;

    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = open_journal(&look, &journal, &err);
    if (rc == 0) {
        rc = run_remove(&look.repo, journal, &look.run, call_has(call, "force"), &err);
    }
    if (rc != 0) {
        code = say_err(&err);
    } else if (call->json) {
        yyjson_mut_doc *doc = json_new();

        json_add(doc, json_object(doc), "removed", look.run.id);
        say_json(doc, true);
    } else if (!call->quiet) {
        printf("run %s is removed\n", look.run.id);
    }
    look_close(&look);
    journal_close(journal); /* the last one that is open: what it wrote ahead is worked in */
    return code;
}

const struct verb verb_gc = {
    .name = "gc",
    .summary = "remove old runs that cannot go on",
    .text = {
        "Removes what hone keeps of old runs: their events and the folders of their attempts. The "
        "newest of those that have ended are kept, and every run that can still go on (stuck, "
        "waiting, to decide, budget spent, interrupted, failed or crashed) is kept, however old "
        "it is. Nothing of the work tree changes. A new run does the same by itself, with the "
        "number that keepRuns in hone.json says.",
    },
    .options = {
        { .name = "keep", .argument = "N",
          .help = "how many ended runs are kept; 200 by default" },
    },
    .codes = {
        { CODE_DONE, "they are removed; there may have been none" },
        { CODE_USAGE, "there is no repository here" },
        { CODE_FAILED, "the journal could not be written" },
    },
    .examples = { "hone gc", "hone gc --keep 20" },
    .handle = handle_gc,
};

const struct verb verb_rm = {
    .name = "rm",
    .summary = "remove a run",
    .text = {
        "Removes what hone keeps of one run: its events and the folders of its attempts. Nothing "
        "of the work tree changes. A run at work must be stopped first; one that can still go on "
        "is removed only with --force.",
    },
    .arguments = {
        { .name = "RUN", .help = "the run, or the beginning of its name" },
    },
    .options = {
        { .name = "force", .help = "also where the run could still go on" },
    },
    .codes = {
        { CODE_DONE, "it is removed" },
        { CODE_USAGE, "there is no such run, it is at work, or it can still go on" },
        { CODE_FAILED, "the journal could not be written" },
    },
    .examples = { "hone rm 7k2m", "hone rm 7k2m --force" },
    .handle = handle_rm,
};
