/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_telling.c - any bytes as a stream of any kind: what is told ends with a line end, and is no
 * longer than a few bytes for each line that came. */
#include "format/stream/telling.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct stream_kind *const kinds[] = { &claude_stream, &codex_stream,
                                                       &gemini_stream, &acp_stream };

    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct str rest = { size ? (const char *)data : "", size }, line;
        struct telling telling = { 0 };
        struct buf out;

        buf_init(&out, 16 * size + 64);
        telling.out = &out;
        while (str_cut(&rest, '\n', &line)) telling_line(&telling, kinds[i], line);
        telling_end(&telling);
        assert(!out.overflow && !telling.open);
        assert(out.size == 0 || out.data[out.size - 1] == '\n');
        buf_release(&out);
    }
    return 0;
}
