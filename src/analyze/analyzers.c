/* SPDX-License-Identifier: Apache-2.0
 *
 * analyzers.c - the table of analyzers (analyzers.h), and what is asked of it.
 *
 * A unit's flags have passed a list of what cannot run, load or write anything
 * (format/source/compile_flags.c). An analyzer's own file cuts them down to what its program
 * understands.
 *
 * Not here: running them (analyze.c), backends (agent/analyzer.c). */
#include "analyze/analyzers.h"

#include "format/text/safe.h"

enum { SLIP_MAX = 2, NAME_SHOWN_MAX = 60 };

#define ANALYZER_POINTER(name) &analyzer_##name,
const struct analyzer *const analyzers[] = { ANALYZER_ROWS(ANALYZER_POINTER) NULL };

const struct analyzer *analyzer_find(struct str name)
{
    for (uint32_t i = 0; analyzers[i]; i++) {
        if (str_is(name, analyzers[i]->name)) return analyzers[i];
    }
    return NULL;
}

static int name_unknown(struct str name, struct err *err)
{
    const struct analyzer *near = NULL;
    uint32_t least = SLIP_MAX + 1;
    struct buf shown, list;
    int rc;

    buf_init(&shown, 4 * NAME_SHOWN_MAX);
    buf_init(&list, 256);
    safe_text(&shown, name, true, NAME_SHOWN_MAX);
    for (uint32_t i = 0; analyzers[i]; i++) {
        const struct analyzer *row = analyzers[i];
        uint32_t distance = str_distance(name, str_of(row->name));

        if (distance < least && distance < str_of(row->name).size) {
            least = distance;
            near = row;
        }
        buf_printf(&list, "%s%s", list.size ? ", " : "", row->name);
    }
    if (near) {
        rc = err_set(err, ERR_USAGE, "unknown analyzer '%s'; did you mean '%s'?",
                     buf_cstr(&shown), near->name);
    } else {
        rc = err_set(err, ERR_USAGE, "unknown analyzer '%s'; there are: %s; any other tool that "
                     "writes SARIF or rdjson is sarif:COMMAND or rdjson:COMMAND",
                     buf_cstr(&shown), buf_cstr(&list));
    }
    buf_release(&list);
    buf_release(&shown);
    return rc;
}

bool analyzer_next(struct str *list, const struct analyzer **out, struct err *err)
{
    struct str name;

    *out = NULL;
    *err = (struct err){ 0 };
    if (!str_cut(list, ',', &name)) return false;
    if (str_is(name, "none")) return true;
    *out = analyzer_find(name);
    if (!*out) name_unknown(name, err);
    return true;
}

bool analyzer_rule_is_safe(const struct analyzer *analyzer, struct str rule)
{
    for (const char *const *row = analyzer->safe; row && *row; row++) {
        struct str safe = str_of(*row);

        if (str_ends(safe, STR("*")) ? safe.size--, str_starts(rule, safe) : str_eq(rule, safe)) {
            return true;
        }
    }
    return false;
}

bool analyzer_reads(const struct analyzer *analyzer, const struct language *language)
{
    const struct language *const *known = analyzer->languages;

    while (*known && *known != language) known++;
    return *known != NULL;
}

bool analyzer_fits(const struct analyzer *analyzer, const struct project *project)
{
    for (const struct language *const *known = analyzer->languages; *known; known++) {
        if (project_has(project, *known)) return true;
    }
    return false;
}

/* Whether one of the first `count` analyzers reads it. */
static bool is_read_before(uint32_t count, const struct language *language)
{
    for (uint32_t i = 0; i < count; i++) {
        if (analyzer_reads(analyzers[i], language)) return true;
    }
    return false;
}

const struct language *analyzers_language(uint32_t nth)
{
    for (uint32_t i = 0; analyzers[i]; i++) {
        for (const struct language *const *known = analyzers[i]->languages; *known; known++) {
            if (!is_read_before(i, *known) && nth-- == 0) return *known;
        }
    }
    return NULL;
}
