/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_swap.c - a text is looked through once; at each slash or backslash each spelling of each
 * path is tried.
 *
 * 1. What is put in is not looked at again: a path that holds another cannot go round.
 * 2. "/a/b" is not replaced in "/a/bc" or "/a/b.git", but in "/a/b/c", "/a/b:7" and "/a/b.". */
#include "format/fleet/fleet_swap.h"

#include "base/byte.h"
#include "base/err.h"

#include <assert.h>
#include <string.h>

enum { SPELLED_BYTES_MAX = 64 << 10 };

enum spelling { PLAIN, AS_JSON, AS_JSON_SLASHED, SPELLING_COUNT };

/* A path as a string of JSON has it. */
static void path_spell(struct str path, enum spelling spelling, struct buf *out)
{
    for (size_t i = 0; i < path.size; i++) {
        unsigned char byte = (unsigned char)path.data[i];

        if (spelling == PLAIN) buf_byte(out, (char)byte);
        else if (byte == '"' || byte == '\\') buf_printf(out, "\\%c", byte);
        else if (byte == '/' && spelling == AS_JSON_SLASHED) buf_text(out, "\\/");
        else if (byte == '\n') buf_text(out, "\\n");
        else if (byte == '\t') buf_text(out, "\\t");
        else if (byte < 0x20) buf_printf(out, "\\u%04x", byte);
        else buf_byte(out, (char)byte);
    }
}

/* Whether a name could go on here. */
static bool goes_on(struct str rest)
{
    char byte = rest.size ? rest.data[0] : ' ';

    if (byte == '.') {
        char next = rest.size > 1 ? rest.data[1] : ' ';

        return byte_is_alnum(next) || next == '_' || next == '-';
    }
    return byte_is_alnum(byte) || byte == '_' || byte == '-' || (unsigned char)byte >= 0x80;
}

/* One spelling of one path. */
struct spelled {
    struct buf from, to;
};

/* The longest that fits at the beginning of rest; NULL: none does. */
static const struct spelled *spelled_find(const struct spelled *all, uint32_t count,
                                          struct str rest)
{
    const struct spelled *best = NULL;

    for (uint32_t i = 0; i < count; i++) {
        struct str from = buf_str(&all[i].from);

        if (from.size == 0 || all[i].from.overflow || !str_starts(rest, from)) continue;
        if (goes_on(str_skip(rest, from.size))) continue;
        if (!best || from.size > best->from.size) best = &all[i];
    }
    return best;
}

int fleet_swap_write(struct str text, const struct fleet_swap *swaps, uint32_t count,
                     struct buf *out)
{
    struct spelled all[FLEET_SWAPS_MAX * SPELLING_COUNT];
    size_t kept = 0, at = 0;

    assert(count <= FLEET_SWAPS_MAX);
    for (uint32_t i = 0; i < count * SPELLING_COUNT; i++) {
        buf_init(&all[i].from, SPELLED_BYTES_MAX);
        buf_init(&all[i].to, SPELLED_BYTES_MAX);
        path_spell(swaps[i / SPELLING_COUNT].from, i % SPELLING_COUNT, &all[i].from);
        path_spell(swaps[i / SPELLING_COUNT].to, i % SPELLING_COUNT, &all[i].to);
    }
    while (at < text.size) {
        const struct spelled *found = NULL;

        if (text.data[at] == '/' || text.data[at] == '\\') {
            found = spelled_find(all, count * SPELLING_COUNT, str_skip(text, at));
        }
        if (!found) {
            at++;
            continue;
        }
        (void)buf_add(out, (struct str){ text.data + kept, at - kept });
        (void)buf_add(out, buf_str(&found->to));
        at += found->from.size;
        kept = at;
    }
    (void)buf_add(out, str_skip(text, kept));
    for (uint32_t i = 0; i < count * SPELLING_COUNT; i++) {
        buf_release(&all[i].from);
        buf_release(&all[i].to);
    }
    return out->overflow ? ERR_LIMIT : 0;
}
