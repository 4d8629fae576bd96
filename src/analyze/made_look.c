/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/made_look.h"

#include "io/file/file.h"

enum { ATTRIBUTES_BYTES_MAX = 1 << 20 };

static void attributes_look(struct made_look *look, struct str folder)
{
    uint32_t *seen = text_map_put(&look->folders, folder, &look->arena);
    struct str text;
    struct err none;

    if (*seen != MAP_NONE) return;
    *seen = 0;
    if (file_text_in(look->workspace,
                     arena_printf(&look->arena, "%.*s%s.gitattributes", STR_ARG(folder),
                                  folder.size ? "/" : ""),
                     ATTRIBUTES_BYTES_MAX, &look->arena, &text, &none) != 0) return;
    made_rules_add(&look->rules, arena_copy(&look->arena, folder), text, &look->arena);
}

enum made made_look(struct made_look *look, struct str path, struct str head)
{
    attributes_look(look, (struct str){ "", 0 });
    for (size_t i = 1; i < path.size; i++) {
        if (path.data[i] == '/') attributes_look(look, (struct str){ path.data, i });
    }
    return made_of(&look->rules, path, head);
}

void made_look_release(struct made_look *look)
{
    text_map_release(&look->folders);
    arena_release(&look->arena);
}
