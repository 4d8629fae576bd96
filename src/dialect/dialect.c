/* SPDX-License-Identifier: Apache-2.0
 *
 * dialect.c - what is asked of the table of dialects (dialects.c), and of a run as they see it. */
#include "dialect/dialect.h"

#include "dialect/custom/custom.h"

#include <string.h>

const struct dialect *dialect_find(struct str name)
{
    for (size_t i = 0; dialects[i]; i++) {
        if (str_is(name, dialects[i]->name)) return dialects[i];
    }
    return NULL;
}

const struct dialect *dialect_of(const char *name, const struct settings *settings,
                                 struct arena *arena)
{
    const struct dialect *dialect = dialect_find(str_of(name));

    return dialect ? dialect : custom_dialect(name, settings, arena);
}

bool dialect_knows_plugin(struct str name)
{
    for (size_t i = 0; dialects[i]; i++) {
        const struct dialect_adopting *adopting = dialects[i]->adopting;
        if (adopting && str_is(name, adopting->plugin)) return true;
    }
    return str_is(name, "hone");
}

const char *const *dialect_folders(const char *behind, struct arena *arena)
{
    uint32_t count = 0;
    const char **list;

    while (dialects[count]) count++;
    list = arena_alloc(arena, (count + 3) * sizeof *list);
    count = 0;
    list[count++] = arena_printf(arena, ".git%s", behind);
    list[count++] = arena_printf(arena, ".hone%s", behind);
    for (size_t i = 0; dialects[i]; i++) {
        const char *name = dialects[i]->top_folder;
        if (name) list[count++] = arena_printf(arena, "%s%s", name, behind);
    }
    list[count] = NULL;
    return list;
}

bool view_is_hosted(const struct run_view *run)
{
    return run->answers != ANSWERS_TO_HONE;
}

bool view_leaves_answer(const struct run_view *run, const struct job *job)
{
    bool asked_now = job->state == JOB_RUNNING && job->started_ms == run->engine->now_ms;

    return view_is_hosted(run) && !asked_now;
}

const char *word_pair_find(const struct word_pair *pairs, const char *of)
{
    for (; pairs && pairs->of; pairs++) {
        if (strcmp(pairs->of, of) == 0) return pairs->is;
    }
    return NULL;
}
