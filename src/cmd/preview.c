/* SPDX-License-Identifier: Apache-2.0
 *
 * preview.c - hone run without a dialect: what `hone run review` would do here, and how to choose.
 *
 * The same functions as for a run decide, in the same order; nothing is started and nothing is
 * written. The user asked and is answered: it goes to standard output, and is no failure. */
#include "cmd/preview.h"

#include "analyze/analyzer.h"
#include "cmd/own.h"
#include "cmd/say.h"
#include "io/process/program.h"
#include "io/terminal/terminal.h"
#include "settings/scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TERM_COLUMNS = 10, WAY_COLUMNS = 44, PATH_BYTES_MAX = 300,
       HERE_BYTES_MAX = 1 << 16 };

/* What was found out. */
struct here {
    struct repo repo;
    struct run_settings settings;
    struct selection selection;
    bool told;      /* the agents are given what to look at ... */
    uint32_t files; /* ... which is so many files */
};

/* A list from column `indent` on, broken behind a comma or a semicolon to fit lines to fd; and a
 * line end. */
static void put_list(struct buf *out, const char *text, size_t indent, int fd)
{
    struct str rest = str_of(text);
    size_t column = indent, columns_max = text_columns(fd);

    while (rest.size > 0) {
        size_t size = 0;
        while (size < rest.size && !(size > 0 && rest.data[size] == ' ' &&
                                     strchr(",;", rest.data[size - 1]))) {
            size++;
        }
        if (column > indent && column + 1 + size > columns_max) {
            buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            buf_byte(out, ' ');
            column++;
        }
        buf_add(out, (struct str){ rest.data, size });
        column += size;
        rest = str_skip(rest, size + (size < rest.size));
    }
    buf_byte(out, '\n');
}

void preview_choice(const struct call *call, const struct selection *selection)
{
    static const char term[] = "agents: ";
    struct buf out;

    buf_init(&out, HERE_BYTES_MAX);
    if (*selection->summary && !call->quiet) {
        buf_text(&out, term);
        if (terminal_can_move(TERMINAL_ERR_FD)) {
            put_list(&out, selection->summary, sizeof term - 1, TERMINAL_ERR_FD);
        } else {
            buf_printf(&out, "%s\n", selection->summary);
        }
    }
    if (selection->warning) buf_printf(&out, "hone: %s\n", selection->warning);
    fputs(buf_cstr(&out), stderr);
    buf_release(&out);
}

static void put_line(struct buf *out, const char *term, const char *text)
{
    buf_printf(out, "  %-*s", (int)TERM_COLUMNS, term);
    add_wrapped(out, text, TERM_COLUMNS + 2, TERM_COLUMNS + 2, text_columns(TERMINAL_OUT_FD));
}

/* Whether an agent looks at a source. Of a tool that is no analyzer only the tool knows. */
static bool is_read(const struct run_settings *settings, const struct source *source)
{
    for (uint32_t i = 0; i < settings->agent_count; i++) {
        struct str names = str_of(settings->agents[i].spec);
        const struct analyzer *analyzer;
        struct err none;

        if (!str_starts(names, STR("analyzer:"))) {
            if (str_starts(names, STR("sarif:")) || str_starts(names, STR("rdjson:"))) return true;
            continue;
        }
        names = str_skip(names, strlen("analyzer:"));
        while (analyzer_next(&names, &analyzer, &none)) {
            if (analyzer && analyzer_reads(analyzer, source)) return true;
        }
    }
    return false;
}

static int find_out(const struct preview *preview, struct here *here, struct err *err)
{
    struct arena *arena = &preview->call->arena;
    struct choose_request request = {
        .dialect = preview->dialect, .plan = preview->plan, .settings = preview->settings,
        .backends = backends,
    };
    struct project project = { 0 };
    struct scope scope;
    int rc;

    here->settings = *preview->settings;
    rc = choose_in(&here->repo, &request, arena, &here->selection, err);
    if (rc != 0) return rc;
    selection_add(&here->selection, &here->settings, arena);
    rc = scope_pin(&here->repo, preview->dialect, &here->settings, arena, err);
    here->told = scope_must_be_told(&here->settings, arena);
    if (rc != 0 || !here->told) return rc;
    scope = scope_of(&here->settings, arena);
    rc = project_open(&project, here->repo.workspace, &scope, preview->dialect->private_paths, err);
    for (uint32_t i = 0; rc == 0 && i < project.count; i++) {
        here->files += project.sources[i].changed && is_read(&here->settings, &project.sources[i]);
    }
    project_release(&project);
    return rc;
}

static const char *scope_text(const struct preview *preview, const struct here *here)
{
    struct arena *arena = &preview->call->arena;
    const char *given = preview->settings->since;
    const char *files = !here->told ? "" : here->files == 0 ? ": no file that they read"
                      : arena_printf(arena, ": %" PRIu32 " file%s", here->files,
                                     here->files == 1 ? "" : "s");

    if (here->settings.since && *here->settings.since) {
        return arena_printf(arena, "what changed since %s%s", given && *given ? given : "HEAD",
                            files);
    }
    if (preview->settings->scope_given) return arena_printf(arena, "everything%s", files);
    if (!here->told) return "what differs from HEAD; where nothing does, the newest commit";
    return arena_printf(arena, "everything, since nothing has changed%s", files);
}

/* hone's own folder, as seen from the workspace where it is inside. */
static const char *folder_text(const struct preview *preview, const struct here *here)
{
    const char *top = arena_printf(&preview->call->arena, "%s/", here->repo.workspace);
    struct str folder = str_of(here->repo.hone_dir);
    struct buf safe;

    if (str_starts(folder, str_of(top))) folder = str_skip(folder, strlen(top));
    buf_init(&safe, HERE_BYTES_MAX);
    add_safe(&safe, arena_cstr(&preview->call->arena, folder), PATH_BYTES_MAX);
    return arena_take_cstr(&preview->call->arena, &safe);
}

/* A command and what it does, beside it or below. */
static void put_way(struct buf *out, const char *command, const char *text)
{
    if (WAY_COLUMNS + strlen(text) <= line_columns(TERMINAL_OUT_FD)) {
        buf_printf(out, "  %-*s%s\n", WAY_COLUMNS - 2, command, text);
    } else {
        buf_printf(out, "  %s\n      %s\n", command, text);
    }
}

static void put_preview(const struct preview *preview, const struct here *here, struct buf *out)
{
    struct arena *arena = &preview->call->arena;
    const char *name = preview->dialect->name;

    buf_printf(out, "Nothing was started. 'hone run %s' would do this here:\n\n", name);
    buf_printf(out, "  %-*s", (int)TERM_COLUMNS, "agents");
    put_list(out, own_agents_text(preview->settings, &here->selection, arena), TERM_COLUMNS + 2,
             TERMINAL_OUT_FD);
    if (here->selection.warning) put_line(out, "missing", here->selection.warning);
    put_line(out, "scope", scope_text(preview, here));
    put_line(out, "writes", arena_printf(arena, "repairs to the work tree (no commit), %s/, %s/",
                                         preview->dialect->trail, folder_text(preview, here)));
    buf_byte(out, '\n');
    put_way(out, arena_printf(arena, "hone run %s", name), "start it");
    put_way(out, arena_printf(arena, "hone run %s --all | --since REV", name),
            "look at more, or at less");
    put_way(out, arena_printf(arena, "hone run %s --agent '*=cmd:COMMAND'", name),
            "another agent (see hone run --help)");
    put_way(out, "hone doctor", "what is there, what is missing");
}

int preview_show(const struct preview *preview)
{
    struct here here = { 0 };
    struct buf out;
    struct err err;
    int rc = repo_open(&here.repo, preview->call->cwd, false, &err);

    buf_init(&out, HERE_BYTES_MAX);
    if (rc == ERR_MISSING && program_exists("git")) {
        rc = err_set(&err, ERR_USAGE, "this folder is not in a git repository: go to one, make "
                     "one of it with 'git init', or start here all the same with 'hone run %s'",
                     preview->dialect->name);
    }
    if (rc == 0) rc = find_out(preview, &here, &err);
    if (rc == 0) {
        put_preview(preview, &here, &out);
        say_out(&out);
        rc = CODE_DONE;
    } else {
        rc = say_err(&err);
    }
    buf_release(&out);
    repo_release(&here.repo);
    return rc;
}
