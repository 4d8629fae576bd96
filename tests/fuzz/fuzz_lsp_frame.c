/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_lsp_frame.c - the same messages however the stream is cut into chunks; no more is kept than
 * came. The first byte says how it is cut. */
#include "format/json/jsonrpc.h"
#include "format/lsp/frame.h"

#include "shared/prng.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void note(struct buf *out, char kind, struct str text)
{
    int rc = buf_printf(out, "%c%zu:", kind, text.size);

    if (rc == 0) rc = buf_add(out, text);
    assert(rc == 0);
}

/* Broken: the rest is not looked at. */
static bool take_chunk(struct frames *frames, struct str chunk, struct buf *out)
{
    for (;;) {
        struct rpc_message message;

        switch (frames_next(frames, &chunk)) {
        case FRAME_NOTHING:
            assert(chunk.size == 0);
            return true;
        case FRAME_MESSAGE:
            note(out, 'm', buf_str(&frames->body));
            rpc_read_in_place(&frames->body, &message);
            assert(message.kind < RPC_KIND_COUNT);
            rpc_release(&message);
            break;
        case FRAME_SKIPPED:
            note(out, 's', STR(""));
            break;
        case FRAME_BROKEN:
            assert(frames->problem);
            note(out, 'b', str_of(frames->problem));
            return false;
        }
    }
}

static void feed(struct str text, uint64_t seed, struct buf *out)
{
    struct prng prng = { .state = seed };
    struct frames frames;
    bool good = true;

    frames_init(&frames);
    while (good && text.size > 0) {
        size_t size = seed ? 1 + prng_below(&prng, 9) : text.size;
        struct str chunk = { text.data, size < text.size ? size : text.size };
        char *block = malloc(chunk.size);

        assert(block);
        memcpy(block, chunk.data, chunk.size);
        text = str_skip(text, chunk.size);
        good = take_chunk(&frames, (struct str){ block, chunk.size }, out);
        assert(frames.head.size <= FRAME_HEAD_BYTES_MAX);
        free(block);
    }
    if (good) note(out, frames_are_whole(&frames) ? 'w' : 'h', STR(""));
    frames_release(&frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf whole, cut;

    if (size < 1) return 0;
    buf_init(&whole, 32 * size + 256);
    buf_init(&cut, 32 * size + 256);
    feed((struct str){ (const char *)data + 1, size - 1 }, 0, &whole);
    feed((struct str){ (const char *)data + 1, size - 1 }, data[0] + 1u, &cut);
    assert(str_eq(buf_str(&whole), buf_str(&cut)));
    buf_release(&whole);
    buf_release(&cut);
    return 0;
}
