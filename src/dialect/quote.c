/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/quote.h"

#include "format/text/safe.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { PATH_BYTES_MAX = 4096, NAMES_MAX = 400, NAME_BYTES_MAX = 512 };

void quote_open(struct buf *out, const char *fence)
{
    buf_printf(out, "===== data %s =====\n", fence);
}

void quote_close(struct buf *out, const char *fence)
{
    buf_printf(out, "===== end of data %s =====\n", fence);
}

/* Adds text, which is safe already, with every fence in it altered. */
static void add_unfenced(struct buf *out, const char *fence, struct str text)
{
    size_t size = strlen(fence);

    assert(size > 0);
    while (text.size) {
        const char *found = memmem(text.data, text.size, fence, size);
        struct str before = { text.data, found ? (size_t)(found - text.data) : text.size };

        buf_add(out, before);
        if (!found) return;
        buf_text(out, "***");
        text = str_skip(text, before.size + size);
    }
}

void quote_line(struct buf *out, const char *fence, struct str text, size_t bytes_max)
{
    struct buf safe;

    buf_init(&safe, bytes_max + 16);
    safe_text(&safe, text, true, bytes_max);
    add_unfenced(out, fence, buf_str(&safe));
    buf_release(&safe);
}

void quote_text(struct buf *out, const char *fence, struct str text, const char *indent,
                size_t bytes_max)
{
    enum { PIECE_BYTES_MAX = 20 }; /* by which safe_text() may stay below its bound */
    struct str rest = text, line;
    size_t left = bytes_max;
    bool first = true, cut = false;
    struct buf safe;

    while (rest.size && (rest.data[rest.size - 1] == '\n' || rest.data[rest.size - 1] == '\r')) {
        rest.size--;
    }
    buf_init(&safe, SIZE_MAX / 2);
    while (!cut && str_cut(&rest, '\n', &line)) {
        if (str_ends(line, STR("\r"))) line.size--;
        buf_clear(&safe);
        safe_text(&safe, line, false, left);
        if (!first) buf_printf(out, "\n%s", indent);
        first = false;
        add_unfenced(out, fence, buf_str(&safe));
        if (safe.size + strlen(indent) + PIECE_BYTES_MAX >= left) {
            cut = rest.size > 0 || str_ends(buf_str(&safe), STR("..."));
            break;
        }
        left -= safe.size + strlen(indent) + 1;
    }
    if (cut) buf_printf(out, "\n%s[cut: %zu bytes in all]", indent, text.size);
    buf_release(&safe);
}

void quote_block(struct buf *out, const char *fence, struct str text, size_t bytes_max)
{
    quote_open(out, fence);
    quote_text(out, fence, text, "", bytes_max);
    buf_byte(out, '\n');
    quote_close(out, fence);
}

void quote_path(struct buf *out, const char *fence, const char *path)
{
    buf_byte(out, '`');
    quote_line(out, fence, str_of(path), PATH_BYTES_MAX);
    buf_byte(out, '`');
}

void quote_names(struct buf *out, const char *fence, const struct str *names, uint32_t count)
{
    uint32_t shown = count < NAMES_MAX ? count : NAMES_MAX;

    quote_open(out, fence);
    for (uint32_t i = 0; i < shown; i++) {
        quote_line(out, fence, names[i], NAME_BYTES_MAX);
        buf_byte(out, '\n');
    }
    quote_close(out, fence);
    if (shown < count) buf_printf(out, "%u more are left out here.\n", (unsigned)(count - shown));
}
