/* SPDX-License-Identifier: Apache-2.0
 *
 * project_compiles.c - whether units still compile, or scripts parse.
 *
 * Each unit is read by a compiler with the flags it is built with, all warnings off, and nothing
 * is written; a script by its own shell with -n, which runs nothing. Several at once.
 *
 * 1. A unit is named by its absolute path: no name is an option.
 * 2. A shell that is not installed cannot be asked: its scripts count as parsing.
 * 3. A compiler that could not be started, or that a signal ended, is an error of ours and no
 *    answer about the unit. */
#include "analyze/project.h"
#include "format/text/safe.h"
#include "io/process/crew.h"
#include "io/process/program.h"

#include <string.h>

enum { SAID_BYTES_MAX = 64 << 10, LINE_BYTES_MAX = 300, PROBLEMS_MAX = 5, PATH_BYTES_MAX = 4096 };

struct check {
    const struct project *project;
    struct arena arena;
    uint32_t *units; /* indexes of sources */
    struct crew_job *jobs;
    uint32_t count;
};

/* ---- which units ---- */

/* given: by index of source; others: what was given and is none, NULL ends. */
static bool depends_on(const struct source *unit, const bool *given, const char *const *others)
{
    for (uint32_t i = 0; i < unit->include_count; i++) {
        if (given[unit->includes[i]]) return true;
    }
    for (; *others; others++) {
        for (const char *const *other = unit->others; other && *other; other++) {
            if (strcmp(*other, *others) == 0) return true;
        }
    }
    return false;
}

static void choose(struct check *check, const char *const *files, uint32_t count)
{
    const struct project *project = check->project;
    bool *given = arena_alloc(&check->arena, project->count * sizeof *given);
    const char **others = arena_alloc(&check->arena, (count + 1) * sizeof *others);
    uint32_t other_count = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct source *source = project_source(project, str_of(files[i]));

        if (source) given[source - project->sources] = true;
        else others[other_count++] = files[i];
    }
    check->units = arena_alloc(&check->arena, project->count * sizeof *check->units);
    for (uint32_t i = 0; i < project->count; i++) {
        const struct source *source = &project->sources[i];

        if (source->header || source->broken) continue;
        if (given[i] || depends_on(source, given, others)) check->units[check->count++] = i;
    }
}

/* ---- what is run ---- */

/* The first of these that is installed; NULL when none is. */
static const char *choose_compiler(const struct language *language)
{
    static const char *const c[] = { "gcc", "cc", "clang", NULL };
    static const char *const cxx[] = { "g++", "c++", "clang++", NULL };

    for (const char *const *name = language == &language_c ? c : cxx; *name; name++) {
        if (program_exists(*name)) return *name;
    }
    return NULL;
}

static const char *const *compile_command(struct check *check, const struct source *unit,
                                          const char *compiler)
{
    uint32_t count = 0, at = 0;
    const char **argv;

    while (unit->flags && unit->flags[count]) count++;
    argv = arena_alloc(&check->arena, (count + 5) * sizeof *argv);
    argv[at++] = compiler;
    for (uint32_t i = 0; i < count; i++) argv[at++] = unit->flags[i];
    argv[at++] = "-w";
    argv[at++] = "-fsyntax-only";
    argv[at++] = arena_printf(&check->arena, "%s/%s", check->project->workspace, unit->path);
    return argv;
}

static const char *const *parse_command(struct check *check, const struct source *script)
{
    const char **argv = arena_alloc(&check->arena, 4 * sizeof *argv);

    argv[0] = script->shell;
    argv[1] = "-n";
    argv[2] = arena_printf(&check->arena, "%s/%s", check->project->workspace, script->path);
    return argv;
}

static int prepare(struct check *check, struct err *err)
{
    static const char *const env[] = { "LC_ALL=C", "LANGUAGE=", NULL };
    const char *compilers[2] = { 0 }; /* of C, of C++ */
    uint32_t kept = 0;

    check->jobs = arena_alloc(&check->arena, check->count * sizeof *check->jobs);
    for (uint32_t i = 0; i < check->count; i++) {
        const struct source *unit = &check->project->sources[check->units[i]];
        struct crew_job job = { .env = env, .cwd = check->project->workspace,
                                .out_bytes_max = SAID_BYTES_MAX, .err_bytes_max = SAID_BYTES_MAX };

        if (unit->language == &language_shell) {
            if (!program_exists(unit->shell)) continue;
            job.argv = parse_command(check, unit);
        } else if (source_is_unit(unit)) {
            const char **compiler = &compilers[unit->language == &language_cxx];

            if (!*compiler) *compiler = choose_compiler(unit->language);
            if (!*compiler) {
                return err_set(err, ERR_MISSING, "there is no %s compiler: apt-get install %s",
                               unit->language->name,
                               unit->language == &language_c ? "gcc" : "g++");
            }
            if (unit->folder) job.cwd = unit->folder;
            job.argv = compile_command(check, unit, *compiler);
        } else {
            continue;
        }
        check->units[kept] = check->units[i];
        check->jobs[kept++] = job;
    }
    check->count = kept;
    return 0;
}

/* ---- what they said ---- */

/* The first line that names an error, without the path in front; else the first line. */
static struct str first_error(struct str said)
{
    struct str first = { "", 0 }, line;

    while (str_cut(&said, '\n', &line)) {
        const char *at = memmem(line.data, line.size, "error: ", 7);

        if (at) return str_skip(line, (size_t)(at - line.data) + 7);
        if (first.size == 0) first = str_trim(line);
    }
    return first;
}

static void describe(const struct check *check, uint32_t at, struct buf *problem)
{
    const struct crew_job *job = &check->jobs[at];

    safe_text(problem, str_of(check->project->sources[check->units[at]].path), true,
              LINE_BYTES_MAX);
    buf_text(problem, ": ");
    safe_text(problem, first_error(buf_str(&job->err)), true, LINE_BYTES_MAX);
    buf_byte(problem, '\n');
}

static int judge(const struct check *check, uint32_t at, bool *good, struct err *err)
{
    const struct crew_job *job = &check->jobs[at];

    if (!job->started) return err_system(err, job->error, "start %s", job->argv[0]);
    if (job->signal)
        return err_set(err, ERR_FAILED, "%s was ended by signal %d", job->argv[0], job->signal);
    *good = job->status == 0;
    return 0;
}

/* Runs them; good tells for each of check->units. */
static int check_run(struct check *check, const char *const *files, uint32_t count, bool **good,
                     struct err *err)
{
    int rc;

    choose(check, files, count);
    rc = prepare(check, err);
    if (rc == 0) rc = crew_run(check->jobs, check->count, processor_count(), NULL, NULL, err);
    *good = arena_alloc(&check->arena, check->count * sizeof **good);
    for (uint32_t i = 0; rc == 0 && i < check->count; i++) rc = judge(check, i, &(*good)[i], err);
    return rc == 0 ? 0 : err_wrap(err, "see whether it still compiles");
}

static void check_release(struct check *check)
{
    if (check->jobs) crew_release(check->jobs, check->count);
    arena_release(&check->arena);
}

int project_compiles(const struct project *project, const char *const *files, uint32_t count,
                     bool *ok, struct buf *problem, struct err *err)
{
    struct check check = { .project = project };
    bool *good;
    uint32_t bad = 0;
    int rc = check_run(&check, files, count, &good, err);

    *ok = true;
    for (uint32_t i = 0; rc == 0 && i < check.count; i++) {
        if (good[i]) continue;
        *ok = false;
        if (bad++ < PROBLEMS_MAX) describe(&check, i, problem);
    }
    if (bad > PROBLEMS_MAX) buf_printf(problem, "and %u more\n", bad - PROBLEMS_MAX);
    check_release(&check);
    return rc;
}

int project_find_broken(struct project *project, const char *const *files, uint32_t count,
                        struct err *err)
{
    struct check check = { .project = project };
    bool *good;
    int rc = check_run(&check, files, count, &good, err);

    for (uint32_t i = 0; rc == 0 && i < check.count; i++) {
        if (!good[i]) project->sources[check.units[i]].broken = true;
    }
    check_release(&check);
    return rc;
}
