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

#include "base/path.h"
#include "format/text/pattern.h"
#include "format/text/safe.h"

enum { SLIP_MAX = 2, NAME_SHOWN_MAX = 60 };

#define ANALYZER_POINTER(name) &analyzer_##name,
static const struct analyzer *const with_files[] = { ANALYZER_ROWS(ANALYZER_POINTER) NULL };

const struct analyzer *analyzer_at(uint32_t nth)
{
    for (uint32_t i = 0; with_files[i]; i++) {
        if (nth-- == 0) return with_files[i];
    }
    for (const struct analyzer *row = tools; row->name; row++) {
        if (nth-- == 0) return row;
    }
    return analyzer_defined(nth);
}

const struct analyzer *analyzer_find(struct str name)
{
    for (uint32_t i = 0; analyzer_at(i); i++) {
        if (str_is(name, analyzer_at(i)->name)) return analyzer_at(i);
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
    buf_init(&list, 4096);
    safe_text(&shown, name, true, NAME_SHOWN_MAX);
    for (uint32_t i = 0; analyzer_at(i); i++) {
        const struct analyzer *row = analyzer_at(i);
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

/* Whether a list of rules, NULL or ending in NULL, has this one. */
static bool has_rule(const char *const *rows, struct str rule)
{
    for (; rows && *rows; rows++) {
        struct str row = str_of(*rows);

        if (str_ends(row, STR("*")) ? row.size--, str_starts(rule, row) : str_eq(rule, row)) {
            return true;
        }
    }
    return false;
}

bool analyzer_rule_is_safe(const struct analyzer *analyzer, struct str rule)
{
    return has_rule(analyzer->safe, rule);
}

bool analyzer_says_broken(const struct finding *finding)
{
    struct str rest = finding->tool, tool;

    if (finding->severity != SEVERITY_HIGH) return false;
    while (str_cut(&rest, ',', &tool)) {
        const struct analyzer *analyzer = analyzer_find(str_trim(tool));
        if (analyzer && has_rule(analyzer->breaks, finding->kind)) return true;
    }
    return false;
}

bool analyzer_reads(const struct analyzer *analyzer, const struct source *source)
{
    for (const char *const *file = analyzer->files; file && *file; file++) {
        if (pattern_matches(str_of(*file), str_of(source->path))) return true;
    }
    for (const struct language *const *known = analyzer->languages; known && *known; known++) {
        if (language_is(source->language, *known)) return true;
    }
    return false;
}

static bool reads_any(const struct analyzer *analyzer)
{
    for (const struct language *const *known = analyzer->languages; known && *known; known++) {
        if (*known == &language_any) return true;
    }
    return false;
}

bool analyzer_takes(const struct analyzer *analyzer, const struct source *source)
{
    return (!source->header || reads_any(analyzer)) && analyzer_reads(analyzer, source);
}

bool analyzer_fits(const struct analyzer *analyzer, const struct project *project)
{
    for (uint32_t i = 0; i < project->count; i++) {
        if (analyzer_takes(analyzer, &project->sources[i])) return true;
    }
    return analyzer->look && project->other_count > 0;
}

bool analyzer_is_aside(const struct analyzer *analyzer, const struct project *project)
{
    for (uint32_t i = 0; !reads_any(analyzer) && i < project->count; i++) {
        const struct source *source = &project->sources[i];

        if (analyzer_takes(analyzer, source) && !source->language->aside) return false;
    }
    return true;
}

bool analyzer_is_configured(const struct analyzer *analyzer, const struct project *project)
{
    struct str last = { NULL, 0 };

    for (uint32_t i = 0; analyzer->config && project->workspace && i < project->count; i++) {
        struct str folder = path_folder(str_of(project->sources[i].path));

        if (!analyzer_reads(analyzer, &project->sources[i])) continue;
        if (last.data && str_eq(folder, last)) continue;
        last = folder;
        for (;; folder = path_folder(folder)) {
            if (analyzer_settings(analyzer, project->workspace, folder, NULL)) return true;
            if (folder.size == 0) break;
        }
    }
    return false;
}

const char *analyzer_install(const struct analyzer *analyzer, struct arena *arena)
{
    if (!analyzer->package) return analyzer->install ? analyzer->install : "";
    return arena_printf(arena, "sudo apt install %s", analyzer->package);
}

/* Whether one of the first `count` analyzers names it. */
static bool is_named_before(uint32_t count, const struct language *language)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct language *const *known = analyzer_at(i)->languages;

        while (known && *known && *known != language) known++;
        if (known && *known) return true;
    }
    return false;
}

const struct language *analyzers_language(uint32_t nth)
{
    const struct analyzer *analyzer;

    for (uint32_t i = 0; (analyzer = analyzer_at(i)); i++) {
        for (const struct language *const *known = analyzer->languages; known && *known; known++) {
            if (!is_named_before(i, *known) && nth-- == 0) return *known;
        }
    }
    return NULL;
}
