/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_lines.c - the same lines however the stream is cut into chunks, and the same as a plain
 * loop over the bytes finds. The first byte is the bound, the second how the stream is cut. */
#include "format/stream/lines.h"

#include "shared/prng.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void note(struct buf *out, struct str line)
{
    int rc = buf_printf(out, "%zu:", line.size);

    if (rc == 0) rc = buf_add(out, line);
    assert(rc == 0);
}

/* The definition: cut at every "\n", drop what is too long, cut one "\r". */
static uint64_t model(struct str text, size_t line_bytes_max, struct buf *out)
{
    struct str line;
    uint64_t skipped = 0;

    while (str_cut(&text, '\n', &line)) {
        if (line.size > line_bytes_max) {
            skipped++;
            continue;
        }
        if (line.size && line.data[line.size - 1] == '\r') line.size--;
        note(out, line);
    }
    return skipped;
}

static uint64_t feed(struct str text, size_t line_bytes_max, uint64_t seed, struct buf *out)
{
    struct prng prng = { .state = seed };
    struct lines lines;
    struct str line;
    uint64_t skipped;

    lines_init(&lines, line_bytes_max);
    while (text.size) {
        size_t size = seed ? prng_below(&prng, 9) : text.size;
        struct str chunk = { text.data, size < text.size ? size : text.size };
        /* A block of its own, so that a look past the end or back is seen. */
        char *block = malloc(chunk.size + 1);

        assert(block);
        memcpy(block, chunk.data, chunk.size);
        text = str_skip(text, chunk.size);
        chunk.data = block;
        while (lines_next(&lines, &chunk, &line)) note(out, line);
        assert(chunk.size == 0);
        free(block);
    }
    if (lines_last(&lines, &line)) note(out, line);
    skipped = lines.skipped;
    lines_release(&lines);
    return skipped;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf expected, found;
    uint64_t skipped;

    if (size < 2) return 0;
    buf_init(&expected, 32 * size + 64);
    skipped = model((struct str){ (const char *)data + 2, size - 2 }, data[0], &expected);
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct str text = { (const char *)data + 2, size - 2 };

        buf_init(&found, 32 * size + 64);
        assert(feed(text, data[0], seed ? data[1] + 1u : 0, &found) == skipped);
        assert(str_eq(buf_str(&expected), buf_str(&found)));
        buf_release(&found);
    }
    buf_release(&expected);
    return 0;
}
