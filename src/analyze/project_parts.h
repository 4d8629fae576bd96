/* SPDX-License-Identifier: Apache-2.0
 *
 * project_parts.h - what the files of project.h share. Private to src/agent/project*.c. */
#ifndef HONE_ANALYZE_PROJECT_PARTS_H
#define HONE_ANALYZE_PROJECT_PARTS_H

#include "analyze/project.h"

#define MAP_NONE UINT32_MAX /* a macro: an enum has no room for it */

/* Texts (any bytes) to numbers. {0} is empty; texts are borrowed. */
struct text_map {
    struct text_slot *slots;
    uint32_t count, cap;
};

/* The place of its number, which is MAP_NONE when the text is new; valid until the next call. The
 * text must live as long as the map: copy it into arena where it does not (copy). */
uint32_t *text_map_put(struct text_map *map, struct str text, struct arena *copy);
void text_map_release(struct text_map *map);

/* folder and path joined (path alone when it is absolute), without ".", ".." and double slashes:
 * by its text, links are not resolved. folder is absolute. path_join replaces what out holds. */
const char *path_joined(const char *folder, struct str path, struct arena *arena);
void path_join(struct str folder, struct str path, struct buf *out);

/* The part of an absolute path below the workspace; empty when it is not below it. */
struct str path_inside(const struct project *project, const char *path);

/* Where the compiler of a unit looks for what it includes, in its order. */
struct search {
    const char **folders;   /* absolute, and there */
    uint32_t count, quoted; /* the first ones are for "x" alone */
    const char **forced;    /* what -include names */
    uint32_t forced_count;
    const char *folder;     /* where forced ones are looked for first */
};

struct searches {
    struct arena *arena;
    struct search *items;
    uint32_t count, cap;
    struct text_map by_flags, by_folders;
    const char **standard; /* folders that every compiler looks in */
    uint32_t standard_count;
};

/* What is found lives in arena. */
void searches_init(struct searches *searches, struct arena *arena);
void searches_release(struct searches *searches);
/* The number of a unit's search: the same for units that look in the same places. */
uint32_t searches_find(struct searches *searches, const struct source *unit);

bool source_is_unit(const struct source *source); /* C or C++, no header */

/* A path as a message may hold it. */
const char *path_shown(struct str path, struct arena *arena);

#endif
