/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline.c - hone baseline: what a run found and left becomes what the repository knows of.
 *
 * The file is for the user to commit. What an older one lists stays listed, since the run that used
 * it has not reported that. Findings of models are not listed: their words are others each time. */
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/verbs.h"
#include "format/report/baseline.h"
#include "format/report/listing.h"
#include "io/file/file.h"
#include "run/finding_filter.h"
#include "run/look.h"
#include "run/run.h"

#include <inttypes.h>

/* What the run left. */
static void collect(const struct run *replay, struct arena *arena, struct baseline *out)
{
    struct listing listing = { .plan = &replay->plan };
    const struct ledger_entry *const *entries;
    uint32_t count = ledger_list(&replay->engine.ledger, arena, &entries);

    for (uint32_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = entries[i];
        struct buf rule;

        if (entry->state == FINDING_FIXED || entry->finding.tool.size == 0) continue;
        buf_init(&rule, LISTING_RULE_BYTES_MAX);
        listing_rule(&listing, entry, &rule);
        baseline_add(out, &entry->finding, arena_take(arena, &rule));
    }
}

/* The file that is there; none is an empty one. */
static int read_old(const char *workspace, struct arena *arena, struct baseline *out,
                    struct err *err)
{
    struct str text = { "", 0 };
    int rc = file_text_in(workspace, BASELINE_PATH, BASELINE_BYTES_MAX, arena, &text, err);

    if (rc == ERR_MISSING) return 0;
    if (rc == 0) rc = baseline_read(text, arena, out, err);
    return rc == 0 ? 0 : err_wrap(err, "%s; mend it, or remove it to begin anew", BASELINE_PATH);
}

static int write_new(const char *workspace, struct baseline *baseline, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, BASELINE_BYTES_MAX);
    baseline_write(baseline, &text);
    buf_byte(&text, '\n');
    rc = text.overflow ? err_set(err, ERR_LIMIT, "%s would take more than %d MB", BASELINE_PATH,
                                 BASELINE_BYTES_MAX >> 20)
                       : file_write(workspace, BASELINE_PATH, buf_str(&text), err);
    buf_release(&text);
    return rc;
}

static uint32_t count_all(const struct baseline *baseline)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < baseline->count; i++) count += baseline->items[i].count;
    return count;
}

static void tell(const struct baseline *baseline, uint32_t found)
{
    uint32_t count = count_all(baseline);
    struct buf out;

    buf_init(&out, 1024);
    buf_printf(&out, "%s lists %" PRIu32 " finding%s, %" PRIu32 " of this run; commit it, and runs "
               "count these and do not list them\n", BASELINE_PATH, count, count == 1 ? "" : "s",
               found);
    say_out(&out);
    buf_release(&out);
}

static int handle(struct call *call)
{
    struct baseline now = { 0 }, old = { 0 };
    struct run replay = { 0 };
    struct look look = { 0 };
    struct arena arena = { 0 };
    uint32_t found = 0;
    struct err err;
    int rc;

    rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = run_load(&replay, &look.run, &err);
    if (rc == 0) rc = run_replay(&replay, look.journal, NULL, NULL, &err);
    if (rc == 0) rc = read_old(look.run.workspace, &arena, &old, &err);
    if (rc == 0) {
        collect(&replay, &arena, &now);
        found = count_all(&now);
        baseline_join(&now, &old);
        rc = write_new(look.run.workspace, &now, &err);
    }
    if (rc == 0) tell(&now, found);
    baseline_release(&now);
    baseline_release(&old);
    run_release(&replay);
    look_close(&look);
    arena_release(&arena);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

const struct verb verb_baseline = {
    .name = "baseline",
    .summary = "list what a run found as known, in a file to commit",
    .text = {
        "Writes " BASELINE_PATH " at the top of the workspace: the findings of analyzers that the "
        "run left. Later runs count them and do not list them, and say so at the end. A finding is "
        "known by its file, its text and the line that it quotes, wherever that line has moved to; "
        "another one of the same kind is not known.",
        "What the file lists already stays. To begin anew, remove it first. Agents cannot change "
        "it while they work.",
    },
    .arguments = { ARGUMENT_RUN },
    .codes = {
        { CODE_DONE, "the file was written" },
        { CODE_USAGE, "there is no such run" },
        { CODE_FAILED, "the file could not be written, or the one that is there cannot be read" },
    },
    .examples = {
        "hone run review --all --no-fix; hone baseline && git add .hone/baseline.json",
    },
    .handle = handle,
};
