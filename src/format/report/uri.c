/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/uri.h"

#include "base/byte.h"

static bool is_plain(char byte)
{
    return byte_is_alnum(byte) || (byte != '\0' && str_has(STR("-._~/"), byte));
}

void uri_path(struct buf *out, struct str path)
{
    for (size_t i = 0; i < path.size; i++) {
        if (is_plain(path.data[i])) buf_byte(out, path.data[i]);
        else buf_printf(out, "%%%02X", (unsigned char)path.data[i]);
    }
}

bool path_below(struct str path)
{
    struct str part;
    bool named = false;

    if (str_starts(path, STR("/")) || str_has(path, '\0')) return false;
    while (str_cut(&path, '/', &part)) {
        if (str_is(part, "..")) return false;
        named = named || (part.size > 0 && !str_is(part, "."));
    }
    return named;
}

bool uri_below(struct buf *out, struct str path)
{
    const char *between = "";
    struct str part;

    if (!path_below(path)) return false;
    while (str_cut(&path, '/', &part)) {
        if (part.size == 0 || str_is(part, ".")) continue;
        buf_text(out, between);
        uri_path(out, part);
        between = "/";
    }
    return true;
}
