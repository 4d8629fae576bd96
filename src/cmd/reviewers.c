/* SPDX-License-Identifier: Apache-2.0
 *
 * reviewers.c - hone reviewers: which role and which backend finds what, and at what price, by the
 * ledgers of all runs (run/reviewers.h). */
#include "base/clock.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/table.h"

#include "cmd/verbs.h"
#include "document/document.h"
#include "run/look.h"
#include "run/reviewers.h"

#include <inttypes.h>
#include <string.h>

static int read_bounds(const struct call *call, struct reviewers_bounds *out, struct err *err)
{
    const char *since = call_value(call, "since"), *runs = call_value(call, "runs");
    uint64_t count = 0;

    *out = (struct reviewers_bounds){ .since = since };
    if (since && !clock_is_day(str_of(since))) {
        return err_set(err, ERR_USAGE, "--since wants a day such as 2026-11-16, not '%.60s'",
                       since);
    }
    if (runs && (!str_number(str_of(runs), &count) || count == 0 || count > UINT32_MAX)) {
        return err_set(err, ERR_USAGE, "--runs wants a number from 1 on, not '%.60s'", runs);
    }
    out->runs_max = (uint32_t)count;
    return 0;
}

/* ---- text ---- */

static const struct table_column columns[] = {
    { .title = "ROLE" }, { .title = "BY" },
    { .title = "LOOKED", .right = true, .spare = 8 }, { .title = "FOUND", .right = true },
    { .title = "ALONE", .right = true, .spare = 4 },
    { .title = "CONFIRMED", .right = true, .spare = 3 },
    { .title = "DECLINED", .right = true, .spare = 5 },
    { .title = "FIXED", .right = true, .spare = 6 },
    { .title = "REGRESSED", .right = true, .spare = 2 },
    { .title = "COST", .right = true, .spare = 1 },
    { .title = "EACH", .right = true, .spare = 7 }, { .title = NULL },
};

enum { NUMBERS = 7 };

static const char *dollars(uint64_t micros, struct arena *arena)
{
    if (micros == 0) return "-";
    return arena_printf(arena, "$%" PRIu64 ".%02" PRIu64, micros / 1000000,
                        micros % 1000000 / 10000);
}

static void fill_row(const struct reviewer *reviewer, struct arena *arena, const char **cells)
{
    const uint32_t numbers[NUMBERS] = { reviewer->looked,   reviewer->found, reviewer->alone,
                                        reviewer->confirmed, reviewer->declined, reviewer->fixed,
                                        reviewer->regressed };

    cells[0] = reviewer->role;
    cells[1] = reviewer->by;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        cells[2 + i] = arena_printf(arena, "%" PRIu32, numbers[i]);
    }
    cells[2 + NUMBERS] = dollars(reviewer->usage.cost_micros, arena);
    cells[3 + NUMBERS] = dollars(reviewer->accepted > 0
                                     ? reviewer->usage.cost_micros / reviewer->accepted : 0, arena);
}

/* What new runs go by is said of all runs, and not of some of them. */
static void say_measure(const struct measure *measure, bool bounded, struct buf *out)
{
    uint32_t missed[MEASURE_LOOKS];

    if (measure_missed(measure, missed)) {
        buf_printf(out, "One look misses %" PRIu32 " %% of what is grave, two miss %" PRIu32 " %%, "
                   "by %" PRIu32 " runs that looked twice%s.", (missed[0] + 5) / 10,
                   (missed[1] + 5) / 10, measure->runs,
                   bounded ? "" : ": new runs expect so much to be left");
    } else {
        uint32_t grave = measure->first + measure->later_same + measure->later_other;

        buf_printf(out, "%" PRIu32 " run%s looked twice, with %" PRIu32 " grave finding%s: too few "
                   "to say what a look misses%s.", measure->runs, measure->runs == 1 ? "" : "s",
                   grave, grave == 1 ? "" : "s", bounded ? "" : ", so new runs go by a guess");
    }
}

/* How many runs that is of, and what they show of looks. */
static void say_runs(const struct reviewers *reviewers, bool bounded, uint32_t columns_max,
                     struct buf *out)
{
    struct buf line;

    buf_init(&line, SAY_BYTES_MAX);
    buf_printf(&line, "Of %" PRIu32 " run%s", reviewers->runs, reviewers->runs == 1 ? "" : "s");
    if (reviewers->unread > 0) {
        buf_printf(&line, "; %" PRIu32 " more could not be read", reviewers->unread);
    }
    buf_text(&line, ". ");
    say_measure(&reviewers->measure, bounded, &line);
    add_wrapped(out, buf_cstr(&line), 0, 0, columns_max);
    buf_release(&line);
}

static void show_text(const struct reviewers *reviewers, bool bounded, struct arena *arena,
                      uint32_t columns_max)
{
    const char *(*cells)[TABLE_COLUMNS_MAX] = arena_alloc(arena, (reviewers->count + (size_t)1) *
                                                                     sizeof *cells);
    struct table table = { .columns = columns, .rows = cells, .count = reviewers->count };
    struct buf out;

    for (uint32_t i = 0; i < reviewers->count; i++) {
        fill_row(&reviewers->items[i], arena, cells[i]);
    }
    buf_init(&out, SAY_BYTES_MAX);
    if (reviewers->count > 0) {
        table_put(&table, columns_max, &out);
        buf_byte(&out, '\n');
        say_runs(reviewers, bounded, columns_max, &out);
    } else if (reviewers->runs + reviewers->unread > 0) {
        buf_text(&out, "no reviewer has looked in these runs\n");
        say_runs(reviewers, bounded, columns_max, &out);
    } else if (bounded) {
        buf_text(&out, "there are no such runs; 'hone list' shows all\n");
    } else {
        buf_text(&out, "no reviewer has looked yet; 'hone run review' starts a run\n");
    }
    say_take(&out);
}

static int handle(struct call *call)
{
    struct reviewers reviewers = { .count = 0 };
    struct reviewers_bounds bounds;
    struct look look = { 0 };
    struct err err;
    int rc = read_bounds(call, &bounds, &err), code = CODE_DONE;

    if (rc == 0) rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = reviewers_read(look.journal, &bounds, &reviewers, &err);
    if (rc != 0 && !(rc == ERR_MISSING && look_is_empty(&look))) {
        code = say_err(&err);
    } else if (call->json) {
        yyjson_mut_doc *doc = json_new();

        document_reviewers(&reviewers, doc, json_object(doc));
        say_json(doc, true);
    } else {
        show_text(&reviewers, bounds.since || bounds.runs_max > 0, &look.arena,
                  table_columns(call));
    }
    reviewers_release(&reviewers);
    look_close(&look);
    return code;
}

const struct verb verb_reviewers = {
    .name = "reviewers",
    .summary = "say what each reviewer has found so far, and at what price",
    .text = {
        "Goes through the runs of this repository and says of each role, as each backend played "
        "it: how often it looked; how many faults it found, how many of them alone, and how many "
        "that another reviewer confirmed; how many the fixer declined with a reason, how many were "
        "fixed, and how many of these came back; what its calls cost, where its agent tells that, "
        "and what that is for each finding that was accepted (EACH): neither noted nor waived.",
        "It replays every run that counts, which takes as long as reading the whole journal: "
        "--since and --runs bound it.",
        "The last line says how much of what is grave a look misses, once 10 runs have looked at "
        "the whole change twice and 30 grave findings were accepted in them. From then on runs "
        "with --until go by this, and not by a guess, when they say what is expected to be left.",
    },
    .options = {
        { .name = "since", .argument = "DATE",
          .help = "only runs that began on this day or later, such as 2026-11-16 (UTC)" },
        { .name = "runs", .argument = "N", .help = "only the newest N runs" },
    },
    .codes = {
        { CODE_DONE, "it was said; there may be nothing to say yet" },
        { CODE_USAGE, "there is no repository here, or a bound is wrong" },
    },
    .examples = { "hone reviewers", "hone reviewers --since 2026-10-01 --json" },
    .handle = handle,
};
