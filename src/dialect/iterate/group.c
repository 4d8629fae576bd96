/* SPDX-License-Identifier: Apache-2.0
 *
 * group.c - findings that can be repaired side by side.
 *
 * Two agents must not edit one file at the same time, and findings in different files are taken as
 * independent. So a file is a group. What names no file may touch any: it is independent of none of
 * them, and is one group more, which is repaired by itself when the others have been. A very long
 * list does not start as many agents: beyond GROUPS_MAX the files are dealt out in turn, and each
 * still belongs to one group alone.
 *
 * Findings about the plan are one group: all of them amend one document (plan.c). */
#include "dialect/iterate/iterate.h"

#include "base/mem.h"

#include <stdlib.h>

struct place {
    struct str file;
    uint32_t index;
};

/* "./a.c" is "a.c". */
static struct str file_of(const struct finding *finding)
{
    struct str file = str_trim(finding->file);

    while (str_starts(file, STR("./"))) file = str_skip(file, 2);
    return file;
}

static int by_file(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if ((x->file.size == 0) != (y->file.size == 0)) return x->file.size == 0 ? 1 : -1;
    return str_compare(x->file, y->file);
}

struct iterate_groups iterate_groups(const struct finding *findings, uint32_t count,
                                     uint32_t *group_of)
{
    struct place *places = mem_alloc((count + 1) * sizeof *places);
    struct iterate_groups groups = { 0 };
    uint32_t files = 0;

    for (uint32_t i = 0; i < count; i++) {
        places[i] = (struct place){ .file = file_of(&findings[i]), .index = i };
    }
    qsort(places, count, sizeof *places, by_file);
    for (uint32_t i = 0; i < count && places[i].file.size > 0; i++) {
        if (i == 0 || !str_eq(places[i].file, places[i - 1].file)) files++;
        group_of[places[i].index] = (files - 1) % GROUPS_MAX + 1;
    }
    groups.count = files < GROUPS_MAX ? files : GROUPS_MAX;
    groups.alone = count > 0 && places[count - 1].file.size == 0;
    if (groups.alone) groups.count++;
    for (uint32_t i = count; i-- > 0 && places[i].file.size == 0;) {
        group_of[places[i].index] = groups.count;
    }
    free(places);
    return groups;
}
