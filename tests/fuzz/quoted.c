/* SPDX-License-Identifier: Apache-2.0 */
#include "quoted.h"

void add_marked(struct buf *out, const char *mark, struct str text)
{
    struct str line;

    while (str_cut(&text, '\n', &line)) {
        buf_text(out, mark);
        buf_add(out, line);
        buf_byte(out, '\n');
    }
}

static void add_fence(struct buf *out, size_t length)
{
    for (size_t i = 0; i < length; i++) buf_byte(out, '~');
    buf_byte(out, '\n');
}

void add_fenced(struct buf *out, struct str text)
{
    size_t longest = 3, run = 0;

    for (size_t i = 0; i < text.size; i++) {
        run = text.data[i] == '~' ? run + 1 : 0;
        if (run >= longest) longest = run + 1;
    }
    add_fence(out, longest);
    buf_add(out, text);
    buf_byte(out, '\n');
    add_fence(out, longest);
}
