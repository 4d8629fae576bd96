/* SPDX-License-Identifier: Apache-2.0
 *
 * analyzer.c - backends analyzer:NAME, sarif:COMMAND, rdjson:COMMAND and fixits.
 *
 * The command of each is hone itself, as `hone agent ...`: an analyzer runs under the same
 * supervisor, limits and sandbox as any other agent. COMMAND is the user's own text and is handed
 * to a shell as it is; nothing of a run is ever put into it.
 *
 * Not here: the work itself (src/analyze). */
#include "analyze/analyzer.h"

#include "agent/backends.h"
#include "io/process/program.h"

static bool is_blank(struct str text)
{
    return str_trim(text).size == 0;
}

static int program_check(const struct analyzer *analyzer, struct err *err)
{
    struct arena arena = { 0 };
    int rc = 0;

    /* A project's own copy is looked for where the project is known: when it is run. */
    if (analyzer->program && !analyzer->own && !analyzer_on_path(analyzer)) {
        rc = err_set(err, ERR_MISSING, "analyzer:%s: %s is not installed; '%s' brings it, and "
                     "'hone doctor' lists what there is", analyzer->name, analyzer->program,
                     analyzer_install(analyzer, &arena));
    }
    arena_release(&arena);
    return rc;
}

static int command_check(struct str command, const char *spec, const char *format, struct err *err)
{
    if (!is_blank(command)) return 0;
    return err_set(err, ERR_USAGE, "agent '%s' has no command: write %s:COMMAND", spec, format);
}

static int analyzer_check(const struct agent *agent, struct err *err)
{
    struct str list = str_of(agent->argument), format;
    const struct analyzer *analyzer;
    struct err why;
    int rc = 0;

    if (str_starts(list, STR("sarif:")) || str_starts(list, STR("rdjson:"))) {
        str_cut(&list, ':', &format);
        return command_check(list, agent->spec, format.data[0] == 's' ? "sarif" : "rdjson", err);
    }
    while (rc == 0 && analyzer_next(&list, &analyzer, &why)) {
        if (why.code != 0) rc = err_set(err, why.code, "%s", why.text);
        else if (analyzer) rc = program_check(analyzer, err);
    }
    return rc;
}

static int report_check(const struct agent *agent, struct err *err)
{
    return command_check(str_of(agent->argument), agent->spec, agent->backend->name, err);
}

/* "--" in front: an argument may begin with anything. */
static const char *const *own_command(const struct agent *agent, const struct attempt *attempt,
                                      struct arena *arena)
{
    const char **argv = arena_alloc(arena, 6 * sizeof *argv);

    (void)attempt;
    argv[0] = program_self();
    argv[1] = "agent";
    argv[2] = agent->backend->name;
    argv[3] = "--";
    argv[4] = agent->argument;
    return argv;
}

static const char *analyzer_help(struct arena *arena)
{
    const char *names = "";

    for (uint32_t i = 0; analyzer_at(i); i++) {
        const char *between = i == 0 ? "" : analyzer_at(i + 1) ? ", " : " or ";
        names = arena_printf(arena, "%s%s%s", names, between, analyzer_at(i)->name);
    }
    return arena_printf(arena, "a compiler or linter as a reviewer: %s, or several with commas "
                        "between; it looks at the files of its languages that changed, and at what "
                        "depends on them", names);
}

const struct backend backend_analyzer = {
    .name = "analyzer",
    .argument = "NAME",
    .argument_needed = true,
    .cannot_repair = true,
    .broken = analyzer_says_broken,
    .answers_findings = true,
    .closed = true,
    .wants_cache = true,
    .help_of = analyzer_help,
    .check = analyzer_check,
    .command = own_command,
};

const struct backend backend_sarif = {
    .name = "sarif",
    .argument = "COMMAND",
    .argument_needed = true,
    .cannot_repair = true,
    .answers_findings = true,
    .help = "any tool that writes SARIF to standard output, run by sh -c in the workspace",
    .check = report_check,
    .command = own_command,
};

const struct backend backend_rdjson = {
    .name = "rdjson",
    .argument = "COMMAND",
    .argument_needed = true,
    .cannot_repair = true,
    .answers_findings = true,
    .help = "any tool that writes rdjson or rdjsonl (reviewdog's format) to standard output, run "
            "by sh -c in the workspace",
    .check = report_check,
    .command = own_command,
};

static const char *const *fixits_command(const struct agent *agent, const struct attempt *attempt,
                                         struct arena *arena)
{
    const char **argv = arena_alloc(arena, 4 * sizeof *argv);

    (void)agent;
    (void)attempt;
    argv[0] = program_self();
    argv[1] = "agent";
    argv[2] = "fixits";
    return argv;
}

const struct backend backend_fixits = {
    .name = "fixits",
    .cannot_review = true,
    .by_default = true,
    .runs_test = true,
    .help = "a fixer without a model: makes the fixes that analyzers propose (--fixes says which), "
            "keeps those after which the project still compiles and its test (--test) passes, and "
            "says of all others why they were left",
    .command = fixits_command,
    .undo = fixits_undo,
};
