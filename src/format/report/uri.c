/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/uri.h"

#include "base/byte.h"
#include "base/path.h"

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

static int hex_digit(char byte)
{
    return byte_is_digit(byte) ? byte - '0' : byte_small(byte) - 'a' + 10;
}

static bool decode(struct str text, struct buf *out)
{
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];

        if (byte == '%') {
            if (text.size - i < 3 || !byte_is_hex(text.data[i + 1]) ||
                !byte_is_hex(text.data[i + 2])) {
                return false;
            }
            byte = (char)(hex_digit(text.data[i + 1]) << 4 | hex_digit(text.data[i + 2]));
            i += 2;
        } else if (byte == '?' || byte == '#') {
            return false;
        }
        if (byte == '\0' || buf_byte(out, byte) != 0) return false;
    }
    return true;
}

/* "/c:/x" */
static bool has_drive(struct str path)
{
    return path.size >= 3 && byte_is_letter(path.data[1]) && path.data[2] == ':' &&
           (path.size == 3 || path.data[3] == '/');
}

static bool is_scheme(struct str uri)
{
    struct str scheme = STR("file://");

    if (uri.size < scheme.size) return false;
    for (size_t i = 0; i < scheme.size; i++) {
        if (byte_small(uri.data[i]) != scheme.data[i]) return false;
    }
    return true;
}

bool uri_file(struct str uri, const char *host, struct buf *out)
{
    struct str named;

    if (!is_scheme(uri)) return false;
    uri = str_skip(uri, 7);
    if (!str_has(uri, '/')) return false;
    for (named = (struct str){ uri.data, 0 }; uri.data[named.size] != '/';) named.size++;
    if (named.size > 0 && !str_is(named, "localhost") && !str_is(named, host)) return false;
    uri = str_skip(uri, named.size);
    return decode(uri, out) && !path_goes_up(buf_str(out)) && !has_drive(buf_str(out));
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
