/* SPDX-License-Identifier: Apache-2.0
 *
 * project_search.c - the folders in which a unit's includes are looked for.
 *
 * "x" is looked for beside the file that includes it (that is not here), then in the folders of
 * -iquote; both "x" and <x> in those of -I, -isystem, the system's own, and -idirafter. Folders
 * that are not there are left out: a compiler does not mind, and nobody has to look again. */
#include "analyze/project_parts.h"
#include "base/mem.h"
#include "io/file/peek.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* /usr/local/include, /usr/include and the machine's own part of it. */
void searches_init(struct searches *searches, struct arena *arena)
{
    const char *const *names = folder_names("/usr/include", "", arena);
    uint32_t count = 2;

    *searches = (struct searches){ .arena = arena };
    for (uint32_t i = 0; names[i]; i++) count++;
    searches->standard = arena_alloc(arena, count * sizeof *searches->standard);
    searches->standard[searches->standard_count++] = "/usr/local/include";
    for (; *names; names++) {
        if (!strstr(*names, "-linux-")) continue;
        searches->standard[searches->standard_count++] = arena_printf(arena, "/usr/include/%s",
                                                                      *names);
    }
    searches->standard[searches->standard_count++] = "/usr/include";
}

void searches_release(struct searches *searches)
{
    text_map_release(&searches->by_flags);
    text_map_release(&searches->by_folders);
    free(searches->items);
    *searches = (struct searches){ 0 };
}

static void add_folder(struct searches *searches, const struct source *unit, const char *path,
                       struct search *search)
{
    const char *folder = path_joined(unit->folder, str_of(path), searches->arena);
    struct arena scratch = { 0 };

    if (real_folder(folder, &scratch)) search->folders[search->count++] = folder;
    arena_release(&scratch);
}

/* The folders of one flag, which is "-I" with the folder joined to it, or a word of its own. */
static void add_folders(struct searches *searches, const struct source *unit, const char *name,
                        struct search *search)
{
    bool joined = strcmp(name, "-I") == 0;

    for (const char *const *flag = unit->flags; *flag; flag++) {
        if (joined && str_starts(str_of(*flag), STR("-I")))
            add_folder(searches, unit, *flag + 2, search);
        else if (strcmp(*flag, name) == 0 && flag[1])
            add_folder(searches, unit, *++flag, search);
    }
}

static struct search make_search(struct searches *searches, const struct source *unit)
{
    struct search search = { .folder = unit->folder };
    bool standard = true;
    uint32_t most = 0;

    assert(unit->flags && unit->folder); /* project_find_flags() was called */
    while (unit->flags[most]) most++;
    search.folders = arena_alloc(searches->arena,
                                 (most + searches->standard_count) * sizeof *search.folders);
    search.forced = arena_alloc(searches->arena, most * sizeof *search.forced);
    for (const char *const *flag = unit->flags; *flag; flag++) {
        if (strcmp(*flag, "-nostdinc") == 0) standard = false;
        if (flag[1] && (strcmp(*flag, "-include") == 0 || strcmp(*flag, "-imacros") == 0))
            search.forced[search.forced_count++] = *++flag;
    }
    add_folders(searches, unit, "-iquote", &search);
    search.quoted = search.count;
    add_folders(searches, unit, "-I", &search);
    add_folders(searches, unit, "-isystem", &search);
    for (uint32_t i = 0; standard && i < searches->standard_count; i++)
        search.folders[search.count++] = searches->standard[i];
    add_folders(searches, unit, "-idirafter", &search);
    return search;
}

static void add_word(struct buf *out, const char *word)
{
    buf_text(out, word);
    buf_byte(out, '\0');
}

/* All that makes two searches different. */
static void describe_search(const struct search *search, struct buf *out)
{
    for (uint32_t i = 0; i < search->count; i++) {
        if (i == search->quoted) add_word(out, "");
        add_word(out, search->folders[i]);
    }
    if (search->forced_count) add_word(out, "");
    if (search->forced_count) add_word(out, search->folder);
    for (uint32_t i = 0; i < search->forced_count; i++) add_word(out, search->forced[i]);
}

/* The number of the search, which is new or known under another set of flags. */
static uint32_t add_search(struct searches *searches, const struct source *unit)
{
    struct search search = make_search(searches, unit);
    uint32_t *number;
    struct buf key;

    buf_init(&key, SIZE_MAX / 4);
    describe_search(&search, &key);
    number = text_map_put(&searches->by_folders, buf_str(&key), searches->arena);
    buf_release(&key);
    if (*number == MAP_NONE) {
        searches->items = mem_grow(searches->items, searches->count, &searches->cap,
                                   sizeof *searches->items);
        *number = searches->count;
        searches->items[searches->count++] = search;
    }
    return *number;
}

uint32_t searches_find(struct searches *searches, const struct source *unit)
{
    /* Units that are compiled alike have the same pointer (project.h). */
    const struct str key = { (const char *)&unit->flags, sizeof unit->flags };
    uint32_t *number = text_map_put(&searches->by_flags, key, searches->arena);

    if (*number == MAP_NONE) *number = add_search(searches, unit);
    return *number;
}
