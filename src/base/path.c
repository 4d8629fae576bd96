/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

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
