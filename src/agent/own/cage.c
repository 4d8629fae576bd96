/* SPDX-License-Identifier: Apache-2.0
 *
 * cage.c - the cage of what hone's own commits and merges run: hooks, filters, merge drivers. */
#include "agent/own/own.h"

#include "io/file/scratch.h"
#include "io/process/program.h"

enum { CAGE_BYTES_MAX = 1 << 20 };

int own_cage_read(struct own_cage *cage, const char *folder, struct arena *arena, struct err *err)
{
    struct str text, rest, word;
    const char **words;
    uint32_t count = 0;
    int rc = scratch_text(folder, "cage", CAGE_BYTES_MAX, arena, &text, err);

    *cage = (struct own_cage){ 0 };
    if (rc == ERR_MISSING) return 0;
    if (rc != 0) return rc;
    rest = text;
    while (str_cut(&rest, '\0', &word)) count++;
    words = arena_alloc(arena, (count + 1) * sizeof *words);
    rest = text;
    for (uint32_t i = 0; i < count && str_cut(&rest, '\0', &word); i++) {
        words[i] = arena_cstr(arena, word);
    }
    *cage = (struct own_cage){ .words = words, .count = count };
    return 0;
}

const char *const *own_caged(const struct own_cage *cage, const char *const *argv,
                             struct arena *arena)
{
    const char *program = program_path(argv[0]);
    uint32_t count = 0;
    const char **all;

    if (cage->count == 0) return argv;
    while (argv[count]) count++;
    all = arena_alloc(arena, ((size_t)cage->count + count + 1) * sizeof *all);
    for (uint32_t i = 0; i < cage->count; i++) all[i] = cage->words[i];
    for (uint32_t i = 0; i < count; i++) all[cage->count + i] = argv[i];
    if (program) all[cage->count] = program;
    return all;
}
