/* SPDX-License-Identifier: Apache-2.0 */
#include "stream_scene.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

int scene_release(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

static int read_once(const struct stream_kind *kind, struct str text, size_t chunk_bytes,
                     int exit_status, struct reading *out)
{
    struct stream stream;
    struct err err = { 0 };
    int rc;

    stream_init(&stream, kind);
    while (text.size > 0) {
        size_t size = text.size < chunk_bytes ? text.size : chunk_bytes;
        char *block = malloc(size); /* of its own: a look outside is seen */

        assert_non_null(block);
        memcpy(block, text.data, size);
        stream_feed(&stream, (struct str){ block, size });
        free(block);
        text = str_skip(text, size);
    }
    rc = stream_end(&stream, exit_status, &arena, out, &err);
    stream_release(&stream);
    assert_true(rc == 0 || (rc == ERR_LIMIT && err.text[0]));
    return rc;
}

static const char *end_word(enum reading_end end)
{
    static const char *const words[READING_END_COUNT] = {
        [READING_OK] = "ok", [READING_LOGIN] = "login", [READING_RATE] = "rate",
        [READING_OVERLOAD] = "overload", [READING_NETWORK] = "network",
        [READING_BUDGET] = "budget", [READING_CREDIT] = "credit",
        [READING_MODEL] = "model", [READING_REFUSED] = "refused",
        [READING_PROTOCOL] = "protocol", [READING_MISSING] = "missing", [READING_OTHER] = "other",
    };

    return words[end];
}

/* Everything a reading tells, as text. */
static const char *told(const struct reading *r)
{
    struct buf text;
    const char *kept;

    buf_init(&text, 40 << 20);
    buf_printf(&text, "%s permanent %d result %d structured %d cost %d cut %d answered %d\n",
               end_word(r->end), r->permanent, r->has_result, r->structured,
               r->cost_known, r->paths_cut, r->answered);
    for (uint32_t i = 0; i < r->path_count; i++) {
        buf_printf(&text, "%d ", r->paths[i].written);
        buf_add(&text, r->paths[i].path);
        buf_byte(&text, '\n');
    }
    {
        const uint64_t numbers[] = {
            r->retry_at_ms, r->usage.cost_micros, r->usage.tokens_in, r->usage.tokens_out,
            r->tokens_cached, r->turns, r->duration_ms, r->tool_calls, r->commands, r->reads,
            r->writes, r->events, r->unknown, r->malformed, r->skipped,
        };
        for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            buf_printf(&text, "%" PRIu64 "\n", numbers[i]);
        }
    }
    buf_printf(&text, "%.*s\n%.*s\n", STR_ARG(r->message), STR_ARG(r->model));
    kept = arena_cstr(&arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

static void expect_same(const struct reading *a, const struct reading *b)
{
    assert_string_equal(told(a), told(b));
    assert_true(str_eq(a->answer, b->answer));
}

struct reading scene_read_bytes(const struct stream_kind *kind, struct str text, int exit_status)
{
    static const size_t sizes[] = { 1, 2, 3, 7, 64, 1000, 65536 };
    struct reading whole, again;
    int rc = read_once(kind, text, text.size + 1, exit_status, &whole);

    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (text.size / sizes[i] > 200000) continue;
        assert_int_equal(read_once(kind, text, sizes[i], exit_status, &again), rc);
        expect_same(&whole, &again);
    }
    return whole;
}

struct reading scene_read(const struct stream_kind *kind, const char *text, int exit_status)
{
    return scene_read_bytes(kind, str_of(text), exit_status);
}

void scene_expect_end(const struct reading *reading, enum reading_end end, const char *words)
{
    if (reading->end != end) {
        fail_msg("it ended as %s, not as %s: %.*s", end_word(reading->end),
                 end_word(end), STR_ARG(reading->message));
    }
    if (end != READING_OK) assert_true(reading->message.size > 0);
    if (end != READING_OK) assert_int_equal(reading->answer.size, 0);
    if (!strstr(reading->message.data, words)) {
        fail_msg("'%s' is not in: %.*s", words, STR_ARG(reading->message));
    }
}
