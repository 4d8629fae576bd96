/* SPDX-License-Identifier: Apache-2.0 */
#include "format/text/progress.h"

#include "base/byte.h"

#include <inttypes.h>
#include <string.h>

static bool copy_name(struct str text, char *out, size_t bytes, bool small_only)
{
    if (text.size == 0 || text.size >= bytes) return false;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if (small_only ? !byte_is_small((char)byte) : byte < ' ' || byte == 127) return false;
    }
    memcpy(out, text.data, text.size);
    out[text.size] = '\0';
    return true;
}

/* "12 of 93 files" */
static bool read_part(struct str text, struct progress *out)
{
    struct str done, of, total;
    uint32_t at = out->count;

    if (at == PROGRESS_PARTS_MAX || !str_cut(&text, ' ', &done) || !str_cut(&text, ' ', &of) ||
        !str_cut(&text, ' ', &total) || !str_is(of, "of")) {
        return false;
    }
    if (!str_number(done, &out->parts[at].done) || !str_number(total, &out->parts[at].total)) {
        return false;
    }
    if (out->parts[at].total == 0 || out->parts[at].done > out->parts[at].total) return false;
    out->count++;
    return copy_name(text, out->parts[at].things, PROGRESS_THINGS_BYTES, true);
}

bool progress_read(struct str line, struct progress *out)
{
    struct str who, part;

    *out = (struct progress){ 0 };
    if (!str_cut(&line, ':', &who) || !copy_name(who, out->who, PROGRESS_WHO_BYTES, false)) {
        return false;
    }
    while (str_cut(&line, ',', &part)) {
        if (part.size == 0 || part.data[0] != ' ' || !read_part(str_skip(part, 1), out)) {
            return false;
        }
    }
    return out->count > 0;
}

bool progress_last(struct str tail, struct progress *out)
{
    while (tail.size > 0) {
        size_t begin = --tail.size; /* of a line end, or of the beginning of a line */

        if (tail.data[begin] != '\n') continue;
        while (begin > 0 && tail.data[begin - 1] != '\n') begin--;
        if (begin == 0) return progress_read((struct str){ tail.data, tail.size }, out);
        if (progress_read((struct str){ tail.data + begin, tail.size - begin }, out)) return true;
        tail.size = begin;
    }
    *out = (struct progress){ 0 };
    return false;
}

bool progress_eq(const struct progress *a, const struct progress *b)
{
    if (a->count != b->count || strcmp(a->who, b->who) != 0) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->parts[i].done != b->parts[i].done || a->parts[i].total != b->parts[i].total ||
            strcmp(a->parts[i].things, b->parts[i].things) != 0) {
            return false;
        }
    }
    return true;
}

void progress_words(const struct progress *progress, struct buf *out)
{
    for (uint32_t i = 0; i < progress->count; i++) {
        buf_printf(out, "%s%" PRIu64 " of %" PRIu64 " %s", i ? ", " : "", progress->parts[i].done,
                   progress->parts[i].total, progress->parts[i].things);
    }
}

void progress_bar(const struct progress *progress, uint32_t columns, struct buf *out)
{
    double part = (double)progress->parts[0].done / (double)progress->parts[0].total;
    uint32_t room = columns > 2 ? columns - 2 : 0, full = (uint32_t)(part * room);

    buf_byte(out, '[');
    for (uint32_t i = 0; i < room; i++) buf_byte(out, i < full ? '#' : ' ');
    buf_byte(out, ']');
}
