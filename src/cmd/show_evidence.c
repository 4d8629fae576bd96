/* SPDX-License-Identifier: Apache-2.0
 *
 * show_evidence.c - what an agent did for its answer, as its own stream tells: tools, commands,
 * files, time, tokens, money.
 *
 *     evidence: 3 tool calls, 1 command, 2 files read, 1 written; 41 s; model x; effort high
 *               12000 tokens in (9000 cached), 800 out; $0.0421
 *       read  src/sum.c */
#include "cmd/show.h"

#include "cmd/say.h"

#include "base/clock.h"
#include "format/stream/telling.h"
#include "format/text/safe.h"
#include "io/process/supervisor.h"

#include <inttypes.h>

/* False where there is nothing to read. */
static bool read_evidence(const struct shown *shown, struct arena *arena, struct reading *out)
{
    struct notice notice;
    struct err none;
    bool exited;
    int rc;

    if (!shown->stream) return false;
    exited = notice_read(arena_printf(arena, "%s/status", shown->folder), &notice, &none) == 0 &&
             notice.by == ENDED_EXIT;
    rc = agent_read(&shown->agent, shown->folder, exited ? notice.value : -1, arena, out, &none);
    return (rc == 0 || rc == ERR_LIMIT) && out->events > 0;
}

static void add_count(struct buf *out, uint64_t count, const char *one, const char *many)
{
    buf_printf(out, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

static void add_paths(struct buf *out, const struct reading *reading)
{
    for (uint32_t i = 0; i < reading->path_count; i++) {
        buf_text(out, reading->paths[i].written ? "  wrote " : "  read  ");
        safe_text(out, reading->paths[i].path, true, 0);
        buf_byte(out, '\n');
    }
    if (reading->paths_cut) buf_text(out, "  and more files\n");
}

void evidence_text(const struct shown *shown, struct buf *out)
{
    struct arena arena = { 0 };
    struct reading reading;
    char span[CLOCK_SPAN_BYTES];

    if (!read_evidence(shown, &arena, &reading)) goto out;
    buf_text(out, "evidence: ");
    add_count(out, reading.tool_calls, "tool call, ", "tool calls, ");
    add_count(out, reading.commands, "command, ", "commands, ");
    add_count(out, reading.reads, "file read, ", "files read, ");
    buf_printf(out, "%" PRIu64 " written", reading.writes);
    if (reading.duration_ms) buf_printf(out, "; %s", clock_span(reading.duration_ms, span));
    if (reading.model.size) {
        buf_text(out, "; model ");
        safe_text(out, reading.model, true, 0);
    }
    if (shown->agent.effort) buf_printf(out, "; effort %s", shown->agent.effort);
    buf_printf(out, "\n          %" PRIu64 " tokens in (%" PRIu64 " cached), %" PRIu64 " out; ",
               reading.usage.tokens_in, reading.tokens_cached, reading.usage.tokens_out);
    if (reading.cost_known) {
        buf_printf(out, "$%" PRIu64 ".%06" PRIu64 "\n", reading.usage.cost_micros / 1000000,
                   reading.usage.cost_micros % 1000000);
    } else {
        buf_text(out, "cost not told\n");
    }
    add_paths(out, &reading);

out:
    arena_release(&arena);
}

static void add_files(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                      const struct reading *reading, bool written)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, object, key);

    for (uint32_t i = 0; i < reading->path_count; i++) {
        if (reading->paths[i].written != written) continue;
        yyjson_mut_arr_append(list, json_text(doc, reading->paths[i].path));
    }
}

void evidence_json(const struct shown *shown, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    struct arena arena = { 0 };
    struct reading reading;
    yyjson_mut_val *object;

    if (read_evidence(shown, &arena, &reading)) {
        object = yyjson_mut_obj_add_obj(doc, root, "evidence");
        yyjson_mut_obj_add_val(doc, object, "model", json_text(doc, reading.model));
        if (shown->agent.effort) json_add(doc, object, "effort", shown->agent.effort);
        yyjson_mut_obj_add_uint(doc, object, "tool_calls", reading.tool_calls);
        yyjson_mut_obj_add_uint(doc, object, "commands", reading.commands);
        yyjson_mut_obj_add_uint(doc, object, "reads", reading.reads);
        yyjson_mut_obj_add_uint(doc, object, "writes", reading.writes);
        add_files(doc, object, "files_read", &reading, false);
        add_files(doc, object, "files_written", &reading, true);
        yyjson_mut_obj_add_uint(doc, object, "turns", reading.turns);
        yyjson_mut_obj_add_uint(doc, object, "duration_ms", reading.duration_ms);
        yyjson_mut_obj_add_uint(doc, object, "tokens_in", reading.usage.tokens_in);
        yyjson_mut_obj_add_uint(doc, object, "tokens_cached", reading.tokens_cached);
        yyjson_mut_obj_add_uint(doc, object, "tokens_out", reading.usage.tokens_out);
        if (reading.cost_known) {
            yyjson_mut_obj_add_real(doc, object, "cost_usd",
                                    (double)reading.usage.cost_micros / 1e6);
        } else {
            yyjson_mut_obj_add_null(doc, object, "cost_usd");
        }
    }
    arena_release(&arena);
}

void stream_text_of(const struct shown *shown, struct str stream, struct buf *out)
{
    struct telling telling = { .out = out };
    struct str line;

    while (str_cut(&stream, '\n', &line)) telling_line(&telling, shown->stream, line);
    telling_end(&telling);
}
