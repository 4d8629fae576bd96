/* SPDX-License-Identifier: Apache-2.0
 *
 * project_flags.c - how each unit is compiled.
 *
 * Three sources, the first that names one of our units wins: compile_commands.json, make, and the
 * folders that hold headers. All of them come from the repository and are not trusted: only what
 * format/source/compile_flags.h lets through is used.
 *
 * 1. A unit's folder is there, and a real path.
 * 2. Of two commands for one unit the first counts.
 * 3. A unit that is not named (it is new, or only tests build it) is compiled as the one nearest to
 *    it is: in the same folder, or in the nearest one.
 *    It is marked: a build that is known and does not name it does not compile it.
 * 4. To ask make is to run the project's code: `make -n` runs $(shell ...), recursive lines and
 *    rules for makefiles. So it gets the closed cage (sandbox.h), a bounded time and an environment
 *    with nothing of the user's in it. That it fails means only that it tells less. Where there is
 *    no cage it is not asked, and that is said. */
#include "analyze/project.h"
#include "base/path.h"
#include "base/text_map.h"
#include "format/source/build_units.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/process/crew.h"
#include "io/process/sandbox.h"

#include <stdlib.h>
#include <string.h>

enum { DB_BYTES_MAX = 256 << 20, MAKE_BYTES_MAX = 64 << 20, MAKE_ERR_BYTES_MAX = 4096 };

struct finder {
    struct project *project;
    struct arena arena;      /* for as long as it takes */
    struct text_map folders; /* as the build names them, to index of real */
    const char **real;       /* NULL: is not there */
    uint32_t real_count;
    struct text_map alike;   /* flags and folder, to the first unit that has them */
    uint32_t named;          /* units that the build named */
};

/* ---- what a build says ---- */

static const char *find_folder(struct finder *finder, const char *folder, uint32_t most)
{
    uint32_t *number = text_map_put(&finder->folders, str_of(folder), &finder->arena);

    if (*number == MAP_NONE) {
        const char *path = folder[0] == '/' ? folder
                                            : path_joined(finder->project->workspace,
                                                          str_of(folder), &finder->arena);

        if (!finder->real) finder->real = arena_alloc(&finder->arena, most * sizeof *finder->real);
        *number = finder->real_count;
        finder->real[finder->real_count++] = real_folder(path, &finder->project->arena);
    }
    return finder->real[*number];
}

/* The unit a build names: by its text, or else by what is really there. */
static struct source *find_unit(struct finder *finder, const char *folder, const char *file)
{
    const char *path = path_joined(folder, str_of(file), &finder->arena);
    const struct source *found = project_source(finder->project,
                                                path_inside(finder->project, path));

    if (!found && (path = real_file(path, &finder->arena)))
        found = project_source(finder->project, path_inside(finder->project, path));
    if (!found || !source_is_unit(found)) return NULL;
    return &finder->project->sources[found - finder->project->sources];
}

/* One copy for all units that are compiled alike. */
static void set_flags(struct finder *finder, struct source *unit, const char *const *flags,
                      const char *folder)
{
    struct project *project = finder->project;
    uint32_t index = (uint32_t)(unit - project->sources);
    uint32_t count = 0, *first;
    const char **copy;
    struct buf key;

    buf_init(&key, SIZE_MAX / 4);
    buf_add(&key, (struct str){ folder, strlen(folder) + 1 });
    for (; flags[count]; count++)
        buf_add(&key, (struct str){ flags[count], strlen(flags[count]) + 1 });
    first = text_map_put(&finder->alike, buf_str(&key), &finder->arena);
    buf_release(&key);
    if (*first != MAP_NONE) {
        unit->flags = project->sources[*first].flags;
        unit->folder = project->sources[*first].folder;
        return;
    }
    *first = index;
    copy = arena_alloc(&project->arena, (count + 1) * sizeof *copy);
    for (uint32_t i = 0; i < count; i++) copy[i] = arena_cstr(&project->arena, str_of(flags[i]));
    unit->flags = copy;
    unit->folder = arena_cstr(&project->arena, str_of(folder));
}

static void take_units(struct finder *finder, const struct build_units *units)
{
    uint32_t most = 2 * units->count;

    text_map_release(&finder->folders);
    finder->real = NULL;
    finder->real_count = 0;
    for (uint32_t i = 0; i < units->count; i++) {
        const struct build_unit *built = &units->items[i];
        const char *folder = find_folder(finder, built->folder, most);
        struct source *unit = folder ? find_unit(finder, folder, built->file) : NULL;

        if (!unit && built->perhaps && (folder = find_folder(finder, built->perhaps, most)))
            unit = find_unit(finder, folder, built->file);
        if (!unit || unit->flags) continue;
        set_flags(finder, unit, built->flags, folder);
        finder->named++;
    }
}

/* ---- compile_commands.json ---- */

static int try_database(struct finder *finder, const char *folder, struct err *err)
{
    const char *top = finder->project->workspace;
    const char *path = arena_printf(&finder->arena, "%s%s/compile_commands.json", top, folder);
    struct build_units units;
    struct buf text;
    int rc;

    buf_init(&text, DB_BYTES_MAX);
    rc = file_read(path, &text, err);
    if (rc == 0) {
        rc = compile_db_read(buf_str(&text), arena_printf(&finder->arena, "%s%s", top, folder),
                             &finder->arena, &units, err);
        if (rc != 0) err_wrap(err, "%s: mend it or remove it", path);
    }
    buf_release(&text);
    if (rc == ERR_MISSING) return 0;
    if (rc != 0) return rc;
    take_units(finder, &units);
    if (finder->named) {
        finder->project->flags_from = arena_printf(
            &finder->project->arena, "%s%scompile_commands.json",
            *folder ? path_shown(str_of(folder + 1), &finder->arena) : "", *folder ? "/" : "");
    }
    return 0;
}

static int try_databases(struct finder *finder, struct err *err)
{
    static const char *const usual[] = { "", "/build", "/out" };
    const char *const *others = folder_names(finder->project->workspace, "cmake-build-",
                                             &finder->arena);
    int rc = 0;

    for (size_t i = 0; rc == 0 && !finder->named && i < sizeof usual / sizeof usual[0]; i++)
        rc = try_database(finder, usual[i], err);
    for (; rc == 0 && !finder->named && *others; others++)
        rc = try_database(finder, arena_printf(&finder->arena, "/%s", *others), err);
    return rc;
}

/* ---- make ---- */

static bool has_makefile(struct finder *finder)
{
    static const char *const names[] = { "GNUmakefile", "makefile", "Makefile" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (file_exists(arena_printf(&finder->arena, "%s/%s", finder->project->workspace,
                                     names[i])))
            return true;
    }
    return false;
}

static int try_make(struct finder *finder, struct err *err)
{
    const char *path = getenv("PATH");
    const char *const command[] = {
        "env", "-i", arena_printf(&finder->arena, "PATH=%s", path ? path : "/usr/bin:/bin"),
        "HOME=/nonexistent", "LC_ALL=C", "MAKELEVEL=0", "timeout", "--kill-after=2", "20", "make",
        "-n", "-B", "-k", "-w", "V=1", NULL };
    struct sandbox sandbox = { 0 };
    struct crew_job job = { .cwd = finder->project->workspace,
                            .out_bytes_max = MAKE_BYTES_MAX, .err_bytes_max = MAKE_ERR_BYTES_MAX };
    const char *problem = sandbox_problem();
    struct build_units units;
    int rc;

    if (problem || !sandbox_close(&sandbox, finder->project->workspace, &finder->arena)) {
        finder->project->unasked = problem ? problem : "its folder is not there";
        return 0;
    }
    job.argv = sandbox_command(&sandbox, command, &finder->arena);
    rc = crew_run(&job, 1, 1, NULL, NULL, err);
    if (rc == 0 && job.started) {
        make_text_read(buf_str(&job.out), finder->project->workspace, &finder->arena, &units);
        take_units(finder, &units);
        if (finder->named) finder->project->flags_from = "the Makefile";
    }
    crew_release(&job, 1);
    return rc;
}

/* ---- what no build names ---- */

/* How many bytes two paths begin with alike. */
static size_t nearness(const struct source *a, const struct source *b)
{
    size_t bytes = 0;

    if (!b) return 0;
    while (a->path[bytes] && a->path[bytes] == b->path[bytes]) bytes++;
    return bytes + 1;
}

/* In the order of paths the nearest one is the nearest before or the nearest behind. */
static void borrow_flags(struct project *project, const struct language *language)
{
    const struct source **behind = arena_alloc(&project->arena,
                                               (project->count + 1) * sizeof(struct source *));
    const struct source *before = NULL;

    for (uint32_t i = project->count; i-- > 0;) {
        const struct source *source = &project->sources[i];
        bool named = source->language == language && source_is_unit(source) && source->flags;

        behind[i] = named ? source : behind[i + 1];
    }
    for (uint32_t i = 0; i < project->count; i++) {
        struct source *source = &project->sources[i];
        const struct source *nearest;

        if (behind[i] == source) before = source;
        if (source->language != language || !source_is_unit(source) || source->flags) continue;
        nearest = nearness(source, behind[i]) > nearness(source, before) ? behind[i] : before;
        if (!nearest) continue;
        source->flags = nearest->flags;
        source->folder = nearest->folder;
    }
}

/* Whether a folder ("" or ending in a slash) holds a header: anywhere below, or in itself. */
static bool has_headers(const struct project *project, struct str folder, bool below)
{
    for (uint32_t i = 0; i < project->count; i++) {
        struct str path = str_of(project->sources[i].path);

        if (!project->sources[i].header || !str_starts(path, folder)) continue;
        if (below || !str_has(str_skip(path, folder.size), '/')) return true;
    }
    return false;
}

/* The folders a compiler would have to be told of. */
static void guess_flags(struct finder *finder)
{
    static const char *const usual[] = { "", "include/", "src/" };
    struct project *project = finder->project;
    const char *flags[5];
    uint32_t count = 0;
    struct text_map own = { 0 }; /* folders with units, to whether they hold headers */

    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (!has_headers(project, str_of(usual[i]), true)) continue;
        flags[count++] = i == 0 ? "-I." : arena_printf(&finder->arena, "-I%s", usual[i]);
    }
    for (uint32_t i = 0; i < project->count; i++) {
        struct source *unit = &project->sources[i];
        struct str folder = str_of(unit->path);
        uint32_t *holds;
        uint32_t more = 0;

        if (!source_is_unit(unit) || unit->flags) continue;
        while (folder.size && folder.data[folder.size - 1] != '/') folder.size--;
        holds = text_map_put(&own, folder, NULL);
        if (*holds == MAP_NONE) *holds = has_headers(project, folder, false);
        if (*holds && folder.size && !str_is(folder, "include/") && !str_is(folder, "src/")) {
            flags[count] = arena_printf(&finder->arena, "-I%.*s", STR_ARG(folder));
            more = 1;
        }
        flags[count + more] = NULL;
        set_flags(finder, unit, flags, project->workspace);
    }
    text_map_release(&own);
}

/* Units that the build, which names others, does not. */
static void mark_unbuilt(struct project *project)
{
    for (uint32_t i = 0; i < project->count; i++) {
        struct source *source = &project->sources[i];

        source->unbuilt = source_is_unit(source) && !source->flags;
    }
}

/* What would make a build, where there are files for one; NULL: there are none. */
static const char *configure_command(struct finder *finder)
{
    static const struct { const char *file, *command; } ways[] = {
        { "CMakeLists.txt", "cmake -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON" },
        { "meson.build", "meson setup build" },
        { "configure", "./configure" },
        { "autogen.sh", "./autogen.sh && ./configure" },
        { "configure.ac", "autoreconf -i && ./configure" },
    };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (file_exists(arena_printf(&finder->arena, "%s/%s", finder->project->workspace,
                                     ways[i].file)))
            return ways[i].command;
    }
    return NULL;
}

int project_find_flags(struct project *project, struct err *err)
{
    struct finder finder = { .project = project };
    int rc = 0;

    project->flags_from = "nothing";
    if (project_has(project, &language_c) || project_has(project, &language_cxx)) {
        rc = try_databases(&finder, err);
        if (rc == 0 && !finder.named && has_makefile(&finder)) rc = try_make(&finder, err);
        if (rc == 0 && finder.named) mark_unbuilt(project);
        if (rc == 0 && !finder.named && !has_makefile(&finder)) {
            project->configure = configure_command(&finder);
        }
        if (rc == 0) {
            borrow_flags(project, &language_c);
            borrow_flags(project, &language_cxx);
            guess_flags(&finder);
        }
    }
    text_map_release(&finder.folders);
    text_map_release(&finder.alike);
    arena_release(&finder.arena);
    return rc == 0 ? 0 : err_wrap(err, "find the flags of the compiler");
}
