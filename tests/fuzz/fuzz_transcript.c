/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_transcript.c - any bytes as what an attempt wrote, read in answers from next to next: each
 * answer is JSON of a bounded size, goes on where the one before ended, and comes to the end. */
#include "document/parts.h"

#include <assert.h>
#include <string.h>

enum { ANSWER_BYTES_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_bytes(const void *context, uint64_t at, size_t bytes, struct buf *out,
                      struct err *err)
{
    const struct str *text = context;
    size_t left = at < text->size ? text->size - (size_t)at : 0;

    (void)err;
    buf_add(out, (struct str){ left ? text->data + at : "", left < bytes ? left : bytes });
    return 0;
}

/* One answer; the byte to ask again from. */
static uint64_t answer(struct transcript_request *request, bool *more)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);
    struct buf out;
    struct err err;
    uint64_t next;

    assert(transcript_json(request, doc, root, &err) == 0);
    next = yyjson_mut_get_uint(yyjson_mut_obj_get(root, "next"));
    *more = yyjson_mut_get_bool(yyjson_mut_obj_get(root, "more"));
    buf_init(&out, ANSWER_BYTES_MAX);
    json_finish(doc, false, &out);
    assert(!out.overflow);
    buf_release(&out);
    return next;
}

static void read_all(struct transcript_request *request, uint64_t bytes)
{
    bool more = true;

    request->from = 0;
    while (more) {
        uint64_t next = answer(request, &more);

        assert(next >= request->from && next <= bytes);
        assert(!more || next > request->from);
        request->from = next;
    }
    assert(!request->ended || request->from == bytes);
    assert(answer(request, &more) == request->from && !more);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct stream_kind *const kinds[] = { NULL, &claude_stream, &codex_stream,
                                                       &gemini_stream, &acp_stream };
    size_t cut = size / 3;
    struct str parts[] = { { size ? (const char *)data : "", cut },
                           { size ? (const char *)data + cut : "", size - cut } };
    struct str whole = { size ? (const char *)data : "", size };
    struct mask mask = { .known = NULL };
    const struct transcript_text both[] = { { cut, read_bytes, &parts[0] },
                                            { size - cut, read_bytes, &parts[1] } };
    const struct transcript_text one = { size, read_bytes, &whole };

    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct transcript_request request = { .texts = &one, .count = 1, .kind = kinds[i],
                                              .mask = &mask, .ended = true };
        bool more;

        read_all(&request, size);
        request.ended = false;
        read_all(&request, size);
        request.from = size ? data[0] * (uint64_t)7 : 0; /* from anywhere: it is told anew */
        (void)answer(&request, &more);
        if (kinds[i]) continue;
        request = (struct transcript_request){ .texts = both, .count = 2, .mask = &mask,
                                               .ended = true };
        read_all(&request, size);
    }
    return 0;
}
