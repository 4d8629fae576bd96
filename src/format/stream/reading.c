/* SPDX-License-Identifier: Apache-2.0
 *
 * reading.c - streams of JSON lines: cut into lines, read, and summed up at the end.
 *
 *    chunk --> lines --> an object --> kind->event() --> reading, answer, evidence
 *                 |          '-- else: malformed
 *                 '-- too long: skipped
 *
 * 1. What is kept is bounded: one answer, one message, one model, READING_PATHS_MAX paths,
 *    READING_SIGHTS_MAX sights, READING_CALLS_MAX calls. Everything else is numbers.
 * 2. A stream is READING_OK only if it said so itself and its program ended with 0.
 * 3. Without a result there is no answer, even if text had come before.
 * 4. Counts never overflow: a sum that would stays at the largest number.
 *
 * Not here: what an event means (claude_stream.c, codex_stream.c, gemini_stream.c,
 * acp_stream.c). */
#include "format/stream/reading_parts.h"

#include "base/hash.h"
#include "base/mem.h"
#include "format/text/safe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Text that is made safe may grow before it is cut. */
enum { TEXT_ROOM_BYTES = 16 * READING_TEXT_BYTES_MAX };

void stream_init(struct stream *stream, const struct stream_kind *kind)
{
    *stream = (struct stream){ .kind = kind };
    lines_init(&stream->lines, READING_LINE_BYTES_MAX);
    buf_init(&stream->answer, READING_ANSWER_BYTES_MAX);
    buf_init(&stream->message, TEXT_ROOM_BYTES);
    buf_init(&stream->model, TEXT_ROOM_BYTES);
    buf_init(&stream->odd, TEXT_ROOM_BYTES);
}

void stream_release(struct stream *stream)
{
    lines_release(&stream->lines);
    buf_release(&stream->answer);
    buf_release(&stream->message);
    buf_release(&stream->model);
    buf_release(&stream->odd);
    arena_release(&stream->arena);
    free(stream->paths);
    for (uint32_t i = 0; i < stream->call_count; i++) free(stream->calls[i].command);
    free(stream->calls);
    *stream = (struct stream){ 0 };
}

/* ---- what readers do ---- */

void stream_add(uint64_t *sum, uint64_t more)
{
    *sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
}

void stream_text(struct buf *buf, struct str text)
{
    text = str_trim(text);
    if (text.size > 2 * READING_TEXT_BYTES_MAX) text.size = 2 * READING_TEXT_BYTES_MAX;
    buf_clear(buf);
    safe_text(buf, text, true, READING_TEXT_BYTES_MAX);
}

void stream_fails(struct stream *stream, enum reading_end end, struct str message)
{
    assert(end != READING_OK);
    stream->reading.has_result = stream->reading.answered = true;
    stream->reading.end = end;
    stream->reading.permanent = end == READING_LOGIN || end == READING_BUDGET ||
                                end == READING_CREDIT || end == READING_MODEL;
    stream_text(&stream->message, message);
}

void stream_succeeds(struct stream *stream)
{
    stream->reading.has_result = stream->reading.answered = true;
    stream->reading.end = READING_OK;
    stream->reading.permanent = false;
    stream->trouble = READING_OK;
    buf_clear(&stream->message);
}

enum reading_end stream_http(uint64_t status)
{
    switch (status) {
    case 401: case 403: return READING_LOGIN;
    case 402: return READING_CREDIT;
    case 404: return READING_MODEL;
    case 408: return READING_NETWORK;
    case 429: return READING_RATE;
    default: return status >= 500 && status <= 599 ? READING_OVERLOAD : READING_OTHER;
    }
}

bool stream_http_is_final(uint64_t status)
{
    return status == 401 || status == 402 || status == 403 || status == 404 || status == 413;
}

bool stream_micros(yyjson_val *number, uint64_t *out)
{
    double value = yyjson_get_num(number);

    if (!yyjson_is_num(number) || !(value >= 0)) return false;
    if (value > 1e12) value = 1e12; /* more than there is, and never nothing */
    *out = (uint64_t)(value * 1e6 + 0.5);
    return true;
}

bool stream_take(struct stream *stream, yyjson_val *event, const struct stream_type *types)
{
    struct str type = json_str(event, "type");

    while (types->type && !str_is(type, types->type)) types++;
    if (types->type && types->take) types->take(stream, event);
    return types->type;
}

/* ---- evidence ---- */

static void list_path(struct stream *stream, struct str path, bool written)
{
    struct reading *reading = &stream->reading;

    if (path.size == 0) return;
    for (uint32_t i = 0; i < reading->path_count; i++) {
        if (!str_eq(stream->paths[i].path, path)) continue;
        stream->paths[i].written |= written;
        return;
    }
    if (reading->path_count == READING_PATHS_MAX || path.size > READING_PATH_BYTES_MAX) {
        reading->paths_cut = true;
        return;
    }
    if (!stream->paths) stream->paths = mem_alloc(READING_PATHS_MAX * sizeof *stream->paths);
    stream->paths[reading->path_count++] =
        (struct reading_path){ arena_copy(&stream->arena, path), written };
}

static bool sight_is(const struct sight *a, const struct sight *b)
{
    return a->kind == b->kind && str_eq(a->path, b->path) && str_eq(a->at, b->at) &&
           a->except_count == 0 && b->except_count == 0;
}

static void list_sight(struct stream *stream, const struct sight *sight)
{
    struct sights *sights = &stream->reading.sights;
    struct sight copy = *sight;

    if (sights->count == READING_SIGHTS_MAX || sight->at.size > READING_PATH_BYTES_MAX) return;
    for (uint32_t i = 0; i < sights->count; i++) {
        if (sight_is(&sights->items[i], sight)) return;
    }
    copy.at = arena_copy(&stream->arena, sight->at);
    copy.path = arena_copy(&stream->arena, sight->path);
    for (uint32_t i = 0; i < sight->except_count; i++) {
        copy.except[i] = arena_copy(&stream->arena, sight->except[i]);
    }
    sights_add(sights, &copy, &stream->arena);
}

void stream_touched(struct stream *stream, struct str path, bool written)
{
    stream_add(written ? &stream->reading.writes : &stream->reading.reads, 1);
    list_path(stream, path, written);
    stream->reading.sights.busy = true;
}

void stream_shown(struct stream *stream, struct str path)
{
    if (path.size == 0 || path.size > READING_PATH_BYTES_MAX) return;
    list_sight(stream, &(struct sight){ .kind = SIGHT_FILE, .at = { "", 0 }, .path = path });
    stream->reading.sights.busy = true;
}

void stream_ran(struct stream *stream, struct str command)
{
    struct arena arena = { 0 };
    struct sights sights = { 0 };

    if (command.size <= READING_COMMAND_BYTES_MAX) sights_command(command, &arena, &sights);
    for (uint32_t i = 0; i < sights.count; i++) list_sight(stream, &sights.items[i]);
    stream->reading.sights.busy |= sights.busy;
    arena_release(&arena);
}

bool stream_status_ran(uint64_t status)
{
    enum { NOT_RUN = 126 };

    return status < NOT_RUN;
}

/* Room for one more call. The oldest gives way: its result will not come any more. */
static struct reading_call *call_new(struct stream *stream)
{
    if (!stream->calls) stream->calls = mem_alloc(READING_CALLS_MAX * sizeof *stream->calls);
    if (stream->call_count == READING_CALLS_MAX) {
        free(stream->calls[0].command);
        stream->call_count--;
        memmove(stream->calls, stream->calls + 1, stream->call_count * sizeof *stream->calls);
    }
    return &stream->calls[stream->call_count++];
}

static char *command_copy(struct str command)
{
    char *copy;

    if (command.size == 0 || command.size > READING_COMMAND_BYTES_MAX) return NULL;
    copy = mem_alloc(command.size + 1);
    memcpy(copy, command.data, command.size);
    copy[command.size] = '\0';
    return copy;
}

void stream_call(struct stream *stream, struct str id, enum call_kind kind, struct str about)
{
    bool runs = kind == CALL_COMMAND || kind == CALL_EXECUTE;
    struct reading_call *call;

    if (kind == CALL_ANSWER) return;
    stream_add(&stream->reading.tool_calls, 1);
    if (kind == CALL_COMMAND) stream_add(&stream->reading.commands, 1);
    if (!runs && about.size > READING_PATH_BYTES_MAX) {
        stream->reading.paths_cut = true;
        about.size = 0;
    }
    call = call_new(stream);
    call->id = hash_text(HASH_START, id);
    call->kind = kind;
    call->command = runs ? command_copy(about) : NULL;
    call->path_bytes = runs ? 0 : (uint32_t)about.size;
    if (call->path_bytes) memcpy(call->path, about.data, about.size);
}

static struct reading_call *call_find(const struct stream *stream, struct str id)
{
    uint64_t wanted = hash_text(HASH_START, id);

    for (uint32_t i = 0; i < stream->call_count; i++) {
        if (stream->calls[i].id == wanted) return &stream->calls[i];
    }
    return NULL;
}

bool stream_has_call(const struct stream *stream, struct str id)
{
    return call_find(stream, id) != NULL;
}

void stream_call_text(struct stream *stream, struct str id, struct str command)
{
    struct reading_call *call = call_find(stream, id);

    if (!call || call->kind != CALL_EXECUTE || command.size == 0) return;
    free(call->command);
    call->command = command_copy(command);
}

static void call_counts(struct stream *stream, const struct reading_call *call)
{
    struct str path = { call->path, call->path_bytes };
    bool runs = call->kind == CALL_COMMAND || call->kind == CALL_EXECUTE;

    if (call->kind == CALL_EXECUTE) stream_add(&stream->reading.commands, 1);
    if (runs && call->command) stream_ran(stream, str_of(call->command));
    if (runs || call->kind == CALL_OTHER) return;
    stream_touched(stream, path, call->kind == CALL_WRITE);
    if (call->kind == CALL_READ) stream_shown(stream, path);
}

void stream_result(struct stream *stream, struct str id, bool ok)
{
    struct reading_call *call = call_find(stream, id);

    if (!call) return;
    if (ok) call_counts(stream, call);
    free(call->command);
    stream->call_count--;
    memmove(call, call + 1, (size_t)(stream->calls + stream->call_count - call) * sizeof *call);
}

/* ---- lines ---- */

static void stream_line(struct stream *stream, struct str line)
{
    struct reading *reading = &stream->reading;
    yyjson_doc *doc = NULL;
    struct err none;

    if (str_trim(line).size == 0) return;
    if (json_read(line, &doc, &none) != 0 || !yyjson_is_obj(yyjson_doc_get_root(doc))) {
        reading->malformed++;
        if (stream->odd.size == 0) stream_text(&stream->odd, line);
    } else {
        reading->events++;
        if (!stream->kind->event(stream, yyjson_doc_get_root(doc))) reading->unknown++;
    }
    yyjson_doc_free(doc);
}

void stream_feed(struct stream *stream, struct str chunk)
{
    struct str line;

    while (lines_next(&stream->lines, &chunk, &line)) stream_line(stream, line);
}

/* ---- the end ---- */

/* Whether a program that has told nothing ended for want of a login. */
static bool is_login_status(const struct stream *stream, int exit_status)
{
    bool permanent;

    return stream->kind->by_status && exit_status > 0 &&
           stream->kind->by_status(exit_status, &permanent) == READING_LOGIN;
}

/* There was no result: why, as far as it can be told. */
static void end_without_result(struct stream *stream, int exit_status, struct arena *arena,
                               struct reading *out)
{
    const char *program = stream->kind->program;

    if (stream->trouble != READING_OK) {
        out->end = stream->trouble;
        out->message = str_of(arena_printf(arena, "%s ended while it waited to try again",
                                           program));
    } else if (is_login_status(stream, exit_status)) {
        out->end = READING_LOGIN;
        out->message = str_of(arena_printf(arena, "%s ended with status %d", program,
                                           exit_status));
    } else if (out->malformed > 0) {
        out->end = READING_PROTOCOL;
        out->message = str_of(arena_printf(arena, "%s wrote a line that is no event: %s", program,
                                           buf_cstr(&stream->odd)));
    } else if (out->skipped > 0) {
        out->end = READING_PROTOCOL;
        out->message = str_of(arena_printf(arena, "%s wrote a line of more than %d MiB", program,
                                           READING_LINE_BYTES_MAX >> 20));
    } else {
        out->end = READING_MISSING;
        out->message = str_of(exit_status > 0
            ? arena_printf(arena, "%s ended with status %d and without a result", program,
                           exit_status)
            : arena_printf(arena, "%s ended without a result", program));
    }
    out->permanent = out->end == READING_LOGIN;
}

int stream_end(struct stream *stream, int exit_status, struct arena *arena, struct reading *out,
               struct err *err)
{
    struct reading_path *paths;
    struct str line;

    if (lines_last(&stream->lines, &line)) stream_line(stream, line);
    stream->reading.skipped = stream->lines.skipped;
    *out = stream->reading;
    out->model = arena_copy(arena, buf_str(&stream->model));
    out->message = arena_copy(arena, buf_str(&stream->message));
    out->answer = (struct str){ "", 0 };
    paths = arena_alloc(arena, (out->path_count + 1) * sizeof *paths);
    for (uint32_t i = 0; i < out->path_count; i++) {
        paths[i] = stream->paths[i];
        paths[i].path = arena_copy(arena, paths[i].path);
    }
    out->paths = paths;
    out->sights = (struct sights){ .busy = stream->reading.sights.busy };
    for (uint32_t i = 0; i < stream->reading.sights.count; i++) {
        struct sight sight = stream->reading.sights.items[i];

        sight.at = arena_copy(arena, sight.at);
        sight.path = arena_copy(arena, sight.path);
        for (uint32_t k = 0; k < sight.except_count; k++) {
            sight.except[k] = arena_copy(arena, sight.except[k]);
        }
        sights_add(&out->sights, &sight, arena);
    }
    if (!out->has_result) {
        end_without_result(stream, exit_status, arena, out);
    } else if (out->end == READING_OK && exit_status != 0) {
        out->end = READING_OTHER;
        out->message = str_of(arena_printf(arena, "%s gave a result and then ended badly (status "
                                           "%d)", stream->kind->program, exit_status));
    }
    if (stream->reading.end == READING_OTHER && out->has_result && stream->kind->by_status) {
        out->end = stream->kind->by_status(exit_status, &out->permanent);
    }
    if (out->end == READING_RATE || out->end == READING_OVERLOAD) {
        out->retry_at_ms = stream->reset_at_ms;
    }
    if (out->end != READING_OK) return 0;
    if (stream->answer.overflow) {
        return err_set(err, ERR_LIMIT, "its answer has more than %d MiB",
                       READING_ANSWER_BYTES_MAX >> 20);
    }
    out->answer = arena_copy(arena, buf_str(&stream->answer));
    return 0;
}
