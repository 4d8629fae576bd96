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
#include "document/document.h"
#include "format/json/finding_json.h"
#include "io/file/lock.h"
#include "io/process/program.h"
#include "io/terminal/terminal.h"
#include "run/place.h"
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
    bool found;     /* all below is known */
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

/* ---- until what ---- */

static const struct gate *policy_gate(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].gate.policy) return &plan->phases[i].gate;
    }
    return NULL;
}

static const char *checker_name(const struct plan *plan, const struct gate *gate)
{
    return plan->roles[gate_checker(plan, gate)].name;
}

/* Whether the SPEC is of a tool, whose report hone reads. */
static bool is_tool(const char *spec)
{
    return spec && (str_starts(str_of(spec), STR("analyzer:")) ||
                    str_starts(str_of(spec), STR("sarif:")) ||
                    str_starts(str_of(spec), STR("rdjson:")));
}

static bool only_tools(const struct run_settings *settings, const struct plan *plan,
                       const struct gate *gate)
{
    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        const char *role = plan->roles[gate->reviewers[i]].name;
        const char *spec = settings_agent(settings, role);

        if (!is_tool(spec ? spec : settings_chosen(settings, role))) return false;
    }
    return true;
}

/* "checker rechecks each repair" */
static const char *recheck_text(const struct run_settings *settings, const struct plan *plan,
                                const struct gate *gate, struct arena *arena)
{
    if (only_tools(settings, plan, gate)) return "the analyzers recheck each repair";
    return arena_printf(arena, "%s rechecks each repair", checker_name(plan, gate));
}

static const char *looks_text(const struct run_settings *settings, const struct plan *plan,
                              const struct gate *gate, struct arena *arena)
{
    const struct policy *policy = gate->policy;
    const char *more = "", *who = "";

    if (policy->to_clean) {
        return "looks at the whole change until one finds nothing";
    }
    if (policy->grave_min > 0) {
        more = arena_printf(arena, " (%u where %u grave findings came up)", policy->looks_grave,
                            policy->grave_min);
    }
    if (policy->panel_once && !only_tools(settings, plan, gate)) {
        who = arena_printf(arena, ", the later ones by %s alone", checker_name(plan, gate));
    }
    return arena_printf(arena, "%u looks%s at the whole change%s, then %s", policy->looks, more,
                        who, recheck_text(settings, plan, gate, arena));
}

/* What each kind of review lets be repaired; nothing where that is everything. */
static const char *floors_text(const struct policy *policy, struct arena *arena)
{
    const char *first = severity_word(policy->floor_first);
    const char *look = severity_word(policy->floor_look);
    const char *recheck = severity_word(policy->floor_recheck);

    if (policy->to_clean) return "";
    if (policy->floor_first == policy->floor_look) {
        return arena_printf(arena, "; repaired is what is at least %s in a look, %s in a recheck",
                            look, recheck);
    }
    return arena_printf(arena, "; repaired is what is at least %s in the first look, %s in a later "
                        "one, %s in a recheck", first, look, recheck);
}

/* "settled: 2 looks at the whole change, then checker rechecks each repair; ..." */
static const char *policy_text(const struct run_settings *settings, const struct plan *plan,
                               struct arena *arena)
{
    const struct gate *gate = policy_gate(plan);

    return arena_printf(arena, "%s: %s%s; at most %u review%s", gate->policy->name,
                        looks_text(settings, plan, gate, arena), floors_text(gate->policy, arena),
                        gate->policy->review_max, gate->policy->review_max == 1 ? "" : "s");
}

/* "those that play, then codex": who looks in turn. */
static const char *eyes_text(const struct run_settings *settings, const struct plan *plan,
                             struct arena *arena)
{
    const char *text = "", *eye;
    struct buf safe;

    if (only_tools(settings, plan, policy_gate(plan))) {
        return "analyzers alone, which find the same in every look";
    }

    buf_init(&safe, HERE_BYTES_MAX);
    for (uint32_t i = 1; (eye = settings_eye(settings, i, arena)); i++) {
        text = arena_printf(arena, "%s, then %s", text, eye);
    }
    add_safe(&safe, *text ? arena_printf(arena, "those that play%s, in turn", text)
                          : "those that play alone; a second backend finds more than one more "
                            "round of the same: --eyes SPEC", PATH_BYTES_MAX);
    return arena_take_cstr(arena, &safe);
}

/* Of a run that begins with a repair: "settled: checker rechecks each repair; ..." */
static const char *rechecks_text(const struct run_settings *settings, const struct plan *plan,
                                 struct arena *arena)
{
    const struct gate *gate = policy_gate(plan);
    const struct policy *policy = gate->policy;

    return arena_printf(arena, "%s: %s; then repaired is what is at least %s; at most %u review%s",
                        policy->name, recheck_text(settings, plan, gate, arena),
                        severity_word(policy->floor_recheck), policy->review_max,
                        policy->review_max == 1 ? "" : "s");
}

void preview_policy(const struct call *call, const struct run_settings *settings,
                    const struct plan *plan, bool given)
{
    const struct gate *gate = policy_gate(plan);
    uint32_t columns = terminal_can_move(TERMINAL_ERR_FD) ? line_columns(TERMINAL_ERR_FD) : 0;
    struct arena arena = { 0 };
    struct buf out;

    buf_init(&out, HERE_BYTES_MAX);
    if (!call->quiet && gate && given && !gate->policy->to_clean) {
        add_wrapped(&out, arena_printf(&arena, "until %s", rechecks_text(settings, plan, &arena)),
                    0, 0, columns);
    } else if (!call->quiet && gate) {
        add_wrapped(&out, arena_printf(&arena, "until %s", policy_text(settings, plan, &arena)),
                    0, 0, columns);
        add_wrapped(&out, arena_printf(&arena, "eyes: %s", eyes_text(settings, plan, &arena)),
                    0, 0, columns);
    }
    fputs(buf_cstr(&out), stderr);
    buf_release(&out);
    arena_release(&arena);
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
            if (is_tool(settings->agents[i].spec)) return true;
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
    if (policy_gate(preview->plan)) {
        put_line(out, "until", policy_text(&here->settings, preview->plan, arena));
        put_line(out, "eyes", eyes_text(&here->settings, preview->plan, arena));
    }
    put_line(out, "writes", arena_printf(arena, "repairs to the work tree (no commit), %s/, %s/",
                                         preview->dialect->trail, folder_text(preview, here)));
    buf_byte(out, '\n');
    if (policy_gate(preview->plan)) {
        put_way(out, arena_printf(arena, "hone run %s --until %s", name,
                                  policy_gate(preview->plan)->policy->name), "start it");
    } else {
        put_way(out, arena_printf(arena, "hone run %s [--until settled]", name),
                "start it [with half the calls]");
    }
    put_way(out, arena_printf(arena, "hone run %s --all | --since REV", name),
            "look at more, or at less");
    put_way(out, arena_printf(arena, "hone run %s --agent '*=cmd:COMMAND'", name),
            "another agent (see hone run --help)");
    put_way(out, "hone doctor", "what is there, what is missing");
}

static const char *busy_text(const struct preview *preview, const struct here *here)
{
    struct arena *arena = &preview->call->arena;
    struct lock_owner owner;
    const char *lock;
    struct err none;

    if (place_lock_path(&here->repo, here->repo.workspace, arena, &lock, &none) != 0) return NULL;
    if (!lock_is_held(lock, &owner)) return NULL;
    return arena_printf(arena, "run %s works in this workspace; 'hone stop' ends it", owner.note);
}

static void show_json(const struct preview *preview, const struct here *here, const char *problem)
{
    struct arena *arena = &preview->call->arena;
    const char *writes[] = { "repairs to the work tree (no commit)",
                             arena_printf(arena, "%s/", preview->dialect->trail),
                             here->repo.hone_dir ? arena_printf(arena, "%s/",
                                                                folder_text(preview, here))
                                                 : NULL, NULL };
    bool until = here->found && policy_gate(preview->plan);
    struct preview_facts facts = {
        .dialect = preview->dialect,
        .plan = preview->plan,
        .settings = here->found ? &here->settings : preview->settings,
        .task = preview->task,
        .missing = here->selection.warning,
        .scope = here->found ? scope_text(preview, here) : NULL,
        .counted = here->found && here->told,
        .files = here->files,
        .until = until ? policy_text(&here->settings, preview->plan, arena) : NULL,
        .eyes = until ? eyes_text(&here->settings, preview->plan, arena) : NULL,
        .writes = writes,
        .problem = problem,
    };
    yyjson_mut_doc *doc = json_new();

    document_preview(&facts, doc, json_object(doc));
    say_json(doc, true);
}

static int show_text(const struct preview *preview, const struct here *here, const char *problem)
{
    struct buf out;

    buf_init(&out, HERE_BYTES_MAX);
    put_preview(preview, here, &out);
    if (problem) {
        buf_byte(&out, '\n');
        put_line(&out, "but", problem);
    }
    say_take(&out);
    return CODE_DONE;
}

int preview_show(const struct preview *preview)
{
    struct here here = { 0 };
    const char *problem = preview->problem;
    struct err err;
    int rc = repo_open(&here.repo, preview->call->cwd, false, &err);

    if (rc == ERR_MISSING && program_exists("git")) {
        rc = err_set(&err, ERR_USAGE, "this folder is not in a git repository: go to one, make "
                     "one of it with 'git init', or start here all the same with 'hone run %s'",
                     preview->dialect->name);
    }
    if (rc == 0 && preview->plan) rc = find_out(preview, &here, &err);
    here.found = rc == 0 && preview->plan;
    if (here.found && !problem) problem = busy_text(preview, &here);
    if (preview->call->json) {
        show_json(preview, &here, problem ? problem : rc != 0 ? err.text : NULL);
        rc = CODE_DONE;
    } else if (here.found) {
        rc = show_text(preview, &here, problem);
    } else {
        rc = rc != 0 ? say_err(&err) : say_fail(CODE_USAGE, "%s", problem);
    }
    repo_release(&here.repo);
    return rc;
}
