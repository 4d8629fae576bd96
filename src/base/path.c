/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

#include <string.h>

enum { PART_BYTES_MAX = 255 }; /* NAME_MAX, on any system */

bool path_is_clean(struct str path)
{
    struct str part;

    if (path.size == 0 || path.data[path.size - 1] == '/' || str_has(path, '\0')) return false;
    while (str_cut(&path, '/', &part)) {
        if (part.size == 0 || part.size > PART_BYTES_MAX) return false;
        if (str_is(part, ".") || str_is(part, "..")) return false;
    }
    return true;
}

bool path_goes_up(struct str path)
{
    struct str part;

    while (str_cut(&path, '/', &part)) {
        if (str_is(part, "..")) return true;
    }
    return false;
}

/* Where the last part begins. */
static size_t leaf_at(struct str path)
{
    size_t at = path.size;

    while (at > 0 && path.data[at - 1] != '/') at--;
    return at;
}

struct str path_folder(struct str path)
{
    size_t at = leaf_at(path);

    return (struct str){ path.data, at > 0 ? at - 1 : 0 };
}

struct str path_leaf(struct str path)
{
    return str_skip(path, leaf_at(path));
}

const char *path_folder_text(const char *path, struct arena *arena)
{
    struct str folder = path_folder(str_of(path));

    if (folder.size) return arena_cstr(arena, folder);
    return path[0] == '/' ? "/" : ".";
}

const char *path_leaf_text(const char *path)
{
    return path + leaf_at(str_of(path));
}

/* Appends the parts of a path behind a slash each; ".." takes one back. */
static void parts_add(struct buf *out, struct str path)
{
    struct str part;

    while (str_cut(&path, '/', &part)) {
        if (part.size == 0 || str_is(part, ".")) continue;
        if (str_is(part, "..")) {
            while (out->size && out->data[out->size - 1] != '/') out->size--;
            if (out->size) out->size--;
            continue;
        }
        buf_byte(out, '/');
        buf_add(out, part);
    }
}

void path_join(struct str folder, struct str path, struct buf *out)
{
    buf_clear(out);
    if (!str_starts(path, STR("/"))) parts_add(out, folder);
    parts_add(out, path);
    if (out->size == 0) buf_byte(out, '/');
    out->data[out->size] = '\0'; /* ".." took bytes back */
}

const char *path_joined(const char *folder, struct str path, struct arena *arena)
{
    const char *joined;
    struct buf out;

    buf_init(&out, strlen(folder) + path.size + 2);
    path_join(str_of(folder), path, &out);
    joined = arena_cstr(arena, buf_str(&out));
    buf_release(&out);
    return joined;
}

bool path_is_among(struct str path, struct str lines)
{
    struct str line;

    while (str_cut(&lines, '\n', &line)) {
        if (str_is(line, ".")) return true;
        if (line.size == 0 || !str_starts(path, line)) continue;
        if (path.size == line.size || path.data[line.size] == '/') return true;
    }
    return false;
}
