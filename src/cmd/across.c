/* SPDX-License-Identifier: Apache-2.0
 *
 * across.c - hone findings --across: findings followed over the runs of a repository
 * (run/across.h), in lines or as JSON. The last line says how many events were read for it, how
 * long that took, and what was left out. */
#include "cmd/findings.h"

#include "base/clock.h"
#include "cmd/say.h"
#include "document/document.h"
#include "format/json/finding_json.h"
#include "format/text/safe.h"
#include "run/across.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT_SHOWN_MAX = 200, LINE_BYTES_MAX = 8192, INDENT = 4 };

/* "5c3f0a1b list.c:3: medium: the sum may overflow" */
static void put_finding(const struct finding *finding, const char *id, uint32_t columns,
                        struct buf *out)
{
    char shown[LISTING_ID_BYTES];
    struct buf line;

    buf_init(&line, LINE_BYTES_MAX);
    buf_printf(&line, "%s ", finding_id_short(str_of(id), shown));
    if (finding->file.size > 0) safe_text(&line, finding->file, true, TEXT_SHOWN_MAX);
    else buf_text(&line, "about no file");
    if (finding->file.size > 0 && finding->line > 0) buf_printf(&line, ":%" PRIu32, finding->line);
    buf_printf(&line, ": %s: ", severity_word(finding->severity));
    safe_text(&line, str_trim(finding->text), true, TEXT_SHOWN_MAX);
    add_wrapped(out, buf_cstr(&line), 0, INDENT, columns);
    buf_release(&line);
}

/* "2026-11-16 run k2v8: fixed, line 9, as d364681a": line and ID where they are others now. */
static void put_sighting(const struct across *across, const struct trace *trace,
                         const struct sighting *seen, uint32_t columns, struct buf *out)
{
    const struct journal_run *run = &across->runs[seen->run];
    char day[CLOCK_DAY_BYTES], shown[LISTING_ID_BYTES];
    struct buf line;

    buf_init(&line, LINE_BYTES_MAX);
    buf_printf(&line, "%s run %s: %s", clock_day(run->created_ms, day), run->id,
               finding_state_word(seen->state));
    if (seen->line > 0 && seen->line != trace->finding.line) {
        buf_printf(&line, ", line %" PRIu32, seen->line);
    }
    if (strcmp(seen->id, trace_last(trace)->id) != 0) {
        buf_printf(&line, ", as %s", finding_id_short(str_of(seen->id), shown));
    }
    buf_printf(out, "%*s", INDENT, "");
    add_wrapped(out, buf_cstr(&line), INDENT, 2 * INDENT, columns);
    buf_release(&line);
}

static void put_trace(const struct across *across, const struct trace *trace, uint32_t columns,
                      struct buf *out)
{
    put_finding(&trace->finding, trace_last(trace)->id, columns, out);
    for (uint32_t i = 0; i < trace->count; i++) {
        put_sighting(across, trace, &trace->seen[i], columns, out);
    }
}

static void put_cost(const struct across *across, uint32_t columns, struct buf *out)
{
    char span[CLOCK_SPAN_BYTES];
    struct buf line;

    buf_init(&line, LINE_BYTES_MAX);
    buf_printf(&line,
               "%" PRIu32 " finding%s over %" PRIu32 " run%s; all their events were read (%s)",
               across->count, across->count == 1 ? "" : "s", across->run_count,
               across->run_count == 1 ? "" : "s", clock_span(across->took_ms, span));
    if (across->left_out > 0) {
        buf_printf(&line, "; %" PRIu32 " older runs were left out", across->left_out);
    }
    if (across->unread > 0) {
        buf_printf(&line, "; %" PRIu32 " could not be read", across->unread);
    }
    if (across->unfollowed > 0) {
        buf_printf(&line, "; %" PRIu32 " findings more were not followed", across->unfollowed);
    }
    add_wrapped(out, buf_cstr(&line), 0, INDENT, columns);
    buf_release(&line);
}

static int show_text(const struct across *across, uint32_t columns)
{
    struct buf out;
    int code = CODE_DONE;

    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < across->count; i++) {
        put_trace(across, &across->traces[i], columns, &out);
    }
    put_cost(across, columns, &out);
    if (out.overflow) {
        code = say_fail(CODE_FAILED, "the findings take more than %d MB; choose some of them, as "
                        "with --severity high", SAY_BYTES_MAX >> 20);
    } else {
        say_out(&out);
    }
    buf_release(&out);
    return code;
}

static int check_options(const struct call *call, struct err *err)
{
    static const char *const others[] = { "format", "role", "rule", "round", "by", "cause",
                                          "min-votes" };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!call_has(call, others[i])) continue;
        return err_set(err, ERR_USAGE, "--across follows findings over runs, and takes --state, "
                       "--severity, --file and --json; --%s is about one run", others[i]);
    }
    return 0;
}

int findings_across(struct call *call, const struct finding_filter *filter)
{
    struct across across = { .count = 0 };
    struct look look = { 0 };
    int rc, code = CODE_DONE;
    struct err err;

    rc = check_options(call, &err);
    if (rc == 0) rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = across_read(look.journal, filter, call_argument(call, 0), &across, &err);
    if (rc != 0) {
        code = say_err(&err);
    } else if (call->json) {
        yyjson_mut_doc *doc = json_new();

        document_across(&across, doc, json_object(doc));
        say_json(doc, true);
    } else {
        code = show_text(&across, table_columns(call));
    }
    across_release(&across);
    look_close(&look);
    return code;
}
