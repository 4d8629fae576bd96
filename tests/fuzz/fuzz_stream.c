/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_stream.c - a stream tells the same however it is cut, and what it tells keeps its promises.
 * The first byte is the kind of stream (a to d), the second how it is cut, the third the exit
 * status. */
#include "format/stream/reading.h"
#include "format/text/safe.h"

#include "shared/prng.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_all(const struct stream_kind *kind, struct str text, uint64_t seed,
                    int exit_status, struct arena *arena, struct reading *out)
{
    struct prng prng = { .state = seed };
    struct stream stream;
    struct err err = { 0 };
    int rc;

    stream_init(&stream, kind);
    while (text.size) {
        size_t bytes = seed ? 1 + prng_below(&prng, 40) : text.size;
        char *block;

        if (bytes > text.size) bytes = text.size;
        block = malloc(bytes); /* of its own, so that a look past its end is seen */
        assert(block);
        memcpy(block, text.data, bytes);
        stream_feed(&stream, (struct str){ block, bytes });
        free(block);
        text = str_skip(text, bytes);
    }
    rc = stream_end(&stream, exit_status, arena, out, &err);
    assert(rc == 0 || rc == ERR_LIMIT);
    stream_release(&stream);
    return rc;
}

/* Made safe once more, it is what it was. */
static void check_safe(struct str text)
{
    struct buf again;

    buf_init(&again, 1 << 20);
    safe_text(&again, text, true, 0);
    assert(str_eq(buf_str(&again), text));
    buf_release(&again);
}

static void check(const struct reading *reading, int exit_status)
{
    assert(reading->end < READING_END_COUNT);
    assert(reading->end != READING_OK || (reading->has_result && exit_status == 0));
    assert(reading->end != READING_OK || !reading->permanent);
    assert((reading->end == READING_OK) == (reading->message.size == 0));
    assert(reading->end == READING_OK || reading->answer.size == 0);
    assert(reading->retry_at_ms == 0 || reading->end == READING_RATE ||
           reading->end == READING_OVERLOAD);
    assert(reading->unknown <= reading->events);
    assert(reading->path_count <= READING_PATHS_MAX);
    assert(reading->path_count <= reading->reads + reading->writes);
    for (uint32_t i = 0; i < reading->path_count; i++) {
        assert(reading->paths[i].path.size > 0);
        assert(reading->paths[i].path.size <= READING_PATH_BYTES_MAX);
    }
    check_safe(reading->model);
    if (reading->has_result) check_safe(reading->message);
}

static void check_same(const struct reading *a, const struct reading *b)
{
    assert(a->end == b->end && a->permanent == b->permanent && a->has_result == b->has_result);
    assert(str_eq(a->answer, b->answer) && str_eq(a->message, b->message));
    assert(str_eq(a->model, b->model) && a->structured == b->structured);
    assert(a->tool_calls == b->tool_calls && a->commands == b->commands);
    assert(a->reads == b->reads && a->writes == b->writes && a->path_count == b->path_count);
    assert(a->usage.cost_micros == b->usage.cost_micros && a->events == b->events);
    assert(a->usage.tokens_in == b->usage.tokens_in && a->malformed == b->malformed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct stream_kind *const kinds[] = { &claude_stream, &codex_stream,
                                                       &gemini_stream, &acp_stream };
    static char whole[1 << 20];
    const struct stream_kind *kind;
    struct arena arena = { 0 };
    struct reading once, again;
    int exit_status;
    struct str text;

    if (size < 3 || size > sizeof whole) return 0;
    kind = kinds[(data[0] - 'a') & 3];
    exit_status = data[2] == 'x' ? -1 : data[2] == '0' ? 0 : data[2];
    memcpy(whole, data + 3, size - 3);
    text = (struct str){ whole, size - 3 };
    assert(read_all(kind, text, 0, exit_status, &arena, &once) ==
           read_all(kind, text, 1 + (uint64_t)data[1], exit_status, &arena, &again));
    check(&once, exit_status);
    check_same(&once, &again);
    arena_release(&arena);
    return 0;
}
