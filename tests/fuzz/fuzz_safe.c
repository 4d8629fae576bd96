/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_safe.c - what was made safe has no control byte, is valid UTF-8, keeps its bound, and does
 * not change when it is made safe again. The first byte says whether it is for one line, and the
 * bound. */
#include "format/text/safe.h"
#include "format/text/utf8.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct str text, bool one_line)
{
    while (text.size) {
        uint32_t code = 0;
        size_t bytes = utf8_next(text, &code);

        assert(bytes > 0);
        assert(code >= 0x20 || (!one_line && (code == '\n' || code == '\t')));
        assert(code < 0x7f || code > 0x9f);
        assert(code < 0x200b || code > 0x200f);
        assert(code < 0x2028 || code > 0x202e);
        assert(code < 0x2060 || code > 0x206f);
        assert(code != 0xfeff && code != 0x61c && code != 0xad);
        text = str_skip(text, bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf once, twice;
    bool one_line;
    size_t bytes_max;

    if (size == 0) return 0;
    one_line = data[0] & 1;
    bytes_max = data[0] >> 1;
    buf_init(&once, 16 * size + 64);
    buf_init(&twice, 16 * size + 64);
    safe_text(&once, (struct str){ (const char *)data + 1, size - 1 }, one_line, bytes_max);
    assert(!once.overflow);
    assert(bytes_max == 0 || once.size <= bytes_max);
    check(buf_str(&once), one_line);
    safe_text(&twice, buf_str(&once), one_line, bytes_max);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    buf_release(&once);
    buf_release(&twice);
    return 0;
}
