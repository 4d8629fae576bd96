/* SPDX-License-Identifier: Apache-2.0
 *
 * custom.c - a loop file as a dialect like the others.
 *
 * dialect_custom is the row for all of them, and in no table: custom_dialect() makes a copy of it
 * for one loop, with the loop's name and what its file says of task, files, policy and budget.
 *
 * Not here: the notation (notation.c), prompts (prompt.c), answers (judge.c), files (record.c), a
 * loop that fans (lanes.c). */
#include "dialect/custom/custom.h"

#include "dialect/panel.h"
#include "format/json/json.h"

#include <string.h>

#define RUNS_FOLDER ".hone/runs/" /* where files go that the loop names no folder for */

/* The tasks of --tasks, where a loop that fans was given some. */
static int tasks_replace(const struct settings *settings, struct arena *arena, struct loop *loop,
                         struct err *err)
{
    if (!loop->fans || !setting_value(settings, "tasks")) return 0;
    return tasks_given(settings, arena, &loop->tasks, &loop->waves, &loop->wave_count, err);
}

bool custom_loop(const struct settings *settings, struct arena *arena, struct loop *out)
{
    struct str text = settings_file(settings, LOOP_FILE);
    struct check_report report = { 0 };
    bool good = text.size > 0 && loop_read(text, arena, &report, out);
    struct err none;

    check_report_release(&report);
    return good && tasks_replace(settings, arena, out, &none) == 0;
}

/* What options and files of the user's add to what the text alone says. */
static int loop_check(const struct settings *settings, struct arena *arena, struct loop *loop,
                      struct err *err)
{
    for (uint32_t i = 1; i < loop->plan.role_count + loop->plan.checker_count; i++) {
        if (loop->plan.roles[i].builtin) continue;
        if (custom_remit(settings, &loop->roles[i], arena).size > 0) continue;
        return err_set(err, ERR_USAGE, "the loop file, line %u: unknown-role: there is no role "
                       "'%s' to take the remit of", (unsigned)loop->roles[i].line,
                       loop->roles[i].text);
    }
    if (tasks_replace(settings, arena, loop, err) != 0) return (int)err->code;
    if (!loop->fans || loop->tasks.count > 0) return 0;
    return err_set(err, ERR_USAGE, "it has lanes and no task to open one for: name some with "
                   "--tasks FILE, or as tasks in the loop file");
}

static int custom_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                       struct err *err)
{
    struct str text = settings_file(settings, LOOP_FILE);
    struct check_report report = { 0 };
    struct loop loop;
    int rc;

    if (loop_read(text, arena, &report, &loop)) {
        rc = loop_check(settings, arena, &loop, err);
        *out = loop.plan;
    } else {
        const struct check_problem *first = &report.problems[0];

        rc = err_set(err, ERR_USAGE, "the loop file, line %u: %s: %s; 'hone check loop FILE' lists "
                     "all that is wrong", (unsigned)first->line, first->code, first->message);
    }
    check_report_release(&report);
    return rc;
}

static bool is_builtin_role(const char *name)
{
    struct arena arena = { 0 };
    bool known = role_remit(name, false, &arena).size > 0;

    arena_release(&arena);
    return known;
}

struct str custom_remit(const struct settings *settings, const struct custom_role *role,
                        struct arena *arena)
{
    struct own_role own;
    struct err none;
    struct buf text;
    bool found;

    if (role->kind == CUSTOM_REMIT) return str_of(role->text);
    if (own_role_find(settings, role->text, is_builtin_role, arena, &found, &own, &none) != 0) {
        return STR("");
    }
    if (!found) return role_remit(role->text, false, arena);
    buf_init(&text, 2 * ROLE_REMIT_BYTES_MAX);
    if (own.base) buf_add(&text, str_trim(role_remit(own.base, false, arena)));
    for (uint32_t i = 0; i < own.body_count; i++) {
        if (text.size > 0) buf_text(&text, "\n\n");
        buf_add(&text, own.bodies[i]);
    }
    return arena_take(arena, &text);
}

const char *custom_folder(const struct run_view *run, const struct loop *loop, struct arena *arena)
{
    if (loop->files) return loop->files;
    return arena_printf(arena, RUNS_FOLDER "%s/files", run->id);
}

/* ---- who plays ---- */

static const struct custom_role *role_find(const struct loop *loop, const char *name)
{
    uint32_t count = loop->plan.role_count + loop->plan.checker_count;

    for (uint32_t i = 1; i < count; i++) {
        if (strcmp(loop->plan.roles[i].name, name) == 0) return &loop->roles[i];
    }
    return NULL;
}

static const struct role_file *custom_role_file(const struct settings *settings, const char *role,
                                                struct arena *arena)
{
    const struct custom_role *named;
    struct loop loop;

    if (!custom_loop(settings, arena, &loop)) return NULL;
    named = role_find(&loop, role);
    if (!named || named->kind != CUSTOM_NAMED) return NULL;
    return panel_file(settings, named->text, is_builtin_role, arena);
}

static const char *const *custom_named(const struct settings *settings, struct arena *arena)
{
    const char **names;
    struct loop loop;
    uint32_t count = 0;

    if (!custom_loop(settings, arena, &loop)) loop.plan.role_count = loop.plan.checker_count = 0;
    names = arena_alloc(arena, (loop.plan.role_count + loop.plan.checker_count + 1) *
                                   sizeof *names);
    for (uint32_t i = 1; i < loop.plan.role_count + loop.plan.checker_count; i++) {
        if (loop.roles[i].kind == CUSTOM_NAMED) names[count++] = loop.roles[i].text;
    }
    return names;
}

/* What the loop says comes before what the role's file says. */
static const char *custom_agent(const struct settings *settings, const char *role, uint32_t copy,
                                struct arena *arena)
{
    const struct role_file *file = custom_role_file(settings, role, arena);
    const struct custom_role *found;
    struct loop loop;

    (void)copy;
    if (!custom_loop(settings, arena, &loop)) return NULL;
    found = role_find(&loop, role);
    return found && found->agent ? found->agent : panel_agent(file);
}

static const char *custom_model(const struct settings *settings, const char *backend,
                                const char *role, struct arena *arena)
{
    return panel_model(custom_role_file(settings, role, arena), backend);
}

static const char *custom_effort(const struct settings *settings, const char *role, uint32_t copy,
                                 bool by_default, struct arena *arena)
{
    const struct role_file *file = custom_role_file(settings, role, arena);
    const struct custom_role *found;
    struct loop loop;

    (void)copy;
    if (by_default || !custom_loop(settings, arena, &loop)) return NULL;
    found = role_find(&loop, role);
    return found && found->effort ? found->effort : panel_effort(file, by_default);
}

static const struct dialect_casting casting = {
    .agent = custom_agent,
    .agent_default = panel_no_agent,
    .effort = custom_effort,
};

/* ---- what hone does itself ---- */

static void custom_builtin(const struct run_view *run, const struct action *action,
                           struct arena *arena, struct builtin *out)
{
    const struct custom_role *own;
    struct loop loop;

    *out = (struct builtin){ .kind = BUILTIN_ANSWER, .text = "" };
    if (!custom_loop(run->settings, arena, &loop)) return;
    own = &loop.roles[action->role];
    out->kind = own->kind == CUSTOM_MERGE ? BUILTIN_INTEGRATE
              : own->kind == CUSTOM_COMMIT ? BUILTIN_COMMIT : BUILTIN_COMMAND;
    out->text = own->kind == CUSTOM_MERGE ? custom_merge_message(run, &loop, action, arena)
                                          : own->text;
}

/* ---- what the user must agree to ---- */

static const char *const no_files[] = { NULL };

static const char *as_json(const char *text, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();

    yyjson_mut_doc_set_root(doc, json_text(doc, str_of(text)));
    return arena_cstr(arena, str_trim(json_keep(doc, false, arena)));
}

/* Commands that the file names: those that hone runs, and agents, which may be commands. */
static void custom_list(const struct settings *settings, struct arena *arena,
                        struct config_list *out)
{
    const char *from = arena_cstr(arena, settings_file(settings, LOOP_FROM));
    struct loop loop;

    if (!custom_loop(settings, arena, &loop)) return;
    for (uint32_t i = 1; i < loop.plan.role_count + loop.plan.checker_count; i++) {
        const struct custom_role *role = &loop.roles[i];
        const char *name = loop.plan.roles[i].name;

        if (role->kind == CUSTOM_RUN) {
            config_list_add(out, arena, (struct config_item){
                .path = arena_printf(arena, "roles.%s.run", name), .from = from, .asked = true,
                .value = as_json(role->text, arena) });
        }
        if (role->agent) {
            config_list_add(out, arena, (struct config_item){
                .path = arena_printf(arena, "roles.%s.agent", name), .from = from, .asked = true,
                .is_agent = true,
                .value = as_json(role->agent, arena) });
        }
    }
}

static const struct dialect_configuring configuring = {
    .files = no_files,
    .list = custom_list,
};

/* ---- the row ---- */

static const char dirty_option[] = "allow-dirty";

#define DIRTY_OPTION                                                                             \
    { .name = dirty_option,                                                                      \
      .help = "start although there are changes that are not committed; they stay out of the "   \
              "run's commits" }

static const struct dialect_option options[] = { DIRTY_OPTION, { .name = NULL } };

/* Of a loop that fans. */
static const struct dialect_option lane_options[] = {
    { .name = "tasks", .argument = "FILE", .is_file = true,
      .help = "what is to be done, a lane for each: JSON, or a checklist in Markdown with a "
              "heading for each group; in place of the tasks of the loop file. The run keeps it as "
              "it is now" },
    DIRTY_OPTION,
    { .name = NULL },
};

static const char *const private_paths[] = { RUNS_FOLDER, NULL };

static const struct dialect dialect_custom = {
    .summary = "a loop of your own",
    .private_paths = private_paths,
    .notes_pass = true,
    .options = options,
    .plan = custom_plan,
    .prompt = custom_prompt,
    .judge = custom_judge,
    .found = custom_found,
    .record = custom_record,
    .builtin = custom_builtin,
    .role_file = custom_role_file,
    .named_roles = custom_named,
    .model = custom_model,
    .casting = &casting,
    .configuring = &configuring,
    .escalation = "ESCALATED",
};

const struct dialect *custom_dialect(const char *name, const struct settings *settings,
                                     struct arena *arena)
{
    struct str text = settings_file(settings, LOOP_FILE);
    struct check_report report = { 0 };
    struct dialect *dialect;
    const char **paths;
    struct loop loop;
    bool good;

    if (text.size == 0) return NULL;
    dialect = arena_alloc(arena, sizeof *dialect);
    *dialect = dialect_custom;
    dialect->name = arena_cstr(arena, str_of(name));
    good = loop_read(text, arena, &report, &loop);
    check_report_release(&report);
    if (!good) return dialect; /* plan() says what is wrong */
    dialect->summary = loop.about;
    dialect->task_default = loop.task;
    dialect->until = loop.until;
    dialect->budget = loop.budget;
    dialect->commits = loop.commits;
    dialect->judges_newest = plan_only_reviews(&loop.plan);
    if (loop.commits) dialect->dirty_option = dirty_option;
    if (loop.fans) {
        if (!loop.task) dialect->task_default = "Do the tasks";
        dialect->options = lane_options;
        dialect->framing = &custom_framing;
        dialect->lanes = &custom_lanes;
    }
    if (loop.files) {
        paths = arena_alloc(arena, 2 * sizeof *paths);
        paths[0] = arena_printf(arena, "%s/", loop.files);
        dialect->private_paths = paths;
        dialect->trail = loop.files;
    }
    return dialect;
}
