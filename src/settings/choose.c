/* SPDX-License-Identifier: Apache-2.0
 *
 * choose.c - chooses an agent for each role that no SPEC was named for.
 *
 * In this order:
 *   the dialect's own choice for the role, if its program is installed. Where it is not and the
 *     dialect wants no other in its place (no_stand_in), the run does not begin: the message says
 *     how to name another agent;
 *   the first backend of the table that plays by default, has its program on the PATH and can do
 *     what the role does (review or repair);
 *   for roles that review: the analyzers, shared out. Each that is installed and fits a source of
 *     the project goes to the role that the dialect names for it, else to the first free role; when
 *     no role is free, the first one takes the rest. A tool of mere style is chosen only where the
 *     repository has settings for it, and one that runs code of the repository only where there is
 *     a cage to run it in.
 *
 * 1. An analyzer reviews in one role only, so that each finding is found once. An analyzer that was
 *    named by hand is not chosen again.
 * 2. A reviewing role that is left without an agent is given analyzer:none, which looks at
 *    nothing: it counts as not played. At least one role must have a real reviewer.
 * 3. The choice depends on what is in the repository, not on what changed in it.
 * 4. Where a gate has a policy and a model plays one of its reviewers, the other models that are
 *    installed look in turn with it, in the order of the table.
 *
 * Not here: whether an analyzer's program works (analyze/run.c finds out when it runs it). */
#include "settings/choose.h"

#include "analyze/analyzer.h"
#include "base/path.h"
#include "format/text/safe.h"
#include "io/process/program.h"
#include "settings/away.h"

#include <string.h>

enum { TEXT_BYTES_MAX = 4096 };

/* MISSED: not installed, and that is worth a word. UNCAGED: it would run code of the repository. */
enum seen { SEEN_NOT_FITTING, SEEN_MISSING, SEEN_MISSED, SEEN_UNCAGED, SEEN_READY, SEEN_TAKEN };

/* A choice in the making: one agent per role, NULL where there is none yet. */
struct choosing {
    const struct choose_request *request;
    struct arena *arena;
    const char **specs;              /* by role, all of them */
    enum seen seen[ANALYZERS_MAX];   /* by analyzer */
};

bool role_is_played(const struct plan *plan, uint32_t role)
{
    return role != ROLE_NONE && !plan->roles[role].builtin;
}

/* What the dialect would have where no agent was named; NULL: it leaves that to hone. */
static const char *default_of(const struct choose_request *request, const char *role,
                              uint32_t copy, struct arena *arena)
{
    const struct dialect_casting *casting = request->dialect->casting;

    if (!casting) return NULL;
    return casting->agent_default(&request->settings->options, role, copy, arena);
}

/* The same, if it is installed. */
static const char *default_for(const struct choose_request *request, const char *role,
                               uint32_t copy, struct arena *arena)
{
    const char *spec = default_of(request, role, copy, arena);
    struct agent agent;
    struct err none;

    if (!spec || agent_parse(spec, arena, &agent, &none) != 0) return NULL;
    return away_check(request->settings, role, &agent, &none) == 0 ? spec : NULL;
}

/* The SPEC that was named for a role (by hand, by the dialect's configuration or by hone's own), or
 * the dialect's own choice; NULL: none. */
static const char *named_for(const struct choose_request *request, uint32_t role, uint32_t copy,
                             struct arena *arena)
{
    const char *name = request->plan->roles[role].name;
    const char *spec = settings_spec(request->settings, request->dialect, name, copy, arena);

    return spec ? spec : default_for(request, name, copy, arena);
}

static bool is_free(const struct choose_request *request, uint32_t role)
{
    struct arena arena = { 0 };
    bool free = role_is_played(request->plan, role) &&
                (!named_for(request, role, 0, &arena) || !named_for(request, role, 1, &arena));

    arena_release(&arena);
    return free;
}

/* Where the dialect wants its own choice for this role and no other, and its program is not there:
 * how the user names an agent. NULL for any other role. */
static const char *stand_in_ways(const struct choose_request *request, uint32_t role)
{
    const struct dialect_insisting *insisting = request->dialect->insisting;

    if (!insisting || !is_free(request, role)) return NULL;
    return insisting->no_stand_in(request->plan->roles[role].name);
}

static bool lacks_default(const struct choose_request *request)
{
    for (uint32_t i = 0; i < request->plan->role_count; i++) {
        if (stand_in_ways(request, i)) return true;
    }
    return false;
}

/* Whether the role does nothing but repair what a gate found. */
static bool only_repairs(const struct plan *plan, uint32_t role)
{
    bool repairs = false;

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].work.role == role) return false;
        repairs = repairs || plan->phases[i].gate.repair.role == role;
    }
    return repairs;
}

/* The backend that plays by default and can play this role; NULL: none. One without a program is
 * no model: it repairs what analyzers found and can do no other work. */
static const struct backend *backend_for(const struct choose_request *request, uint32_t role)
{
    bool writes = request->plan->roles[role].writes;

    for (uint32_t i = 0; request->backends[i]; i++) {
        const struct backend *backend = request->backends[i];
        if (!backend->by_default || backend->argument_needed) continue;
        if (writes ? backend->cannot_repair : backend->cannot_review) continue;
        if (backend->program ? program_exists(backend->program)
                             : request->dialect->found && only_repairs(request->plan, role)) {
            return backend;
        }
    }
    return NULL;
}

bool choose_wants_project(const struct choose_request *request)
{
    if (lacks_default(request)) return false; /* no run begins */
    for (uint32_t i = 0; i < request->plan->role_count; i++) {
        if (!is_free(request, i) || request->plan->roles[i].writes) continue;
        return request->dialect->found && !backend_for(request, i);
    }
    return false;
}

/* ---- analyzers ---- */

/* Whether a SPEC has this analyzer in it: analyzer:gcc,cppcheck. */
static bool spec_has(const char *spec, const struct analyzer *analyzer)
{
    struct str names = str_of(spec), name;

    if (!str_starts(names, STR("analyzer:"))) return false;
    names = str_skip(names, strlen("analyzer:"));
    while (str_cut(&names, ',', &name)) {
        if (str_is(name, analyzer->name)) return true;
    }
    return false;
}

static bool is_named(const struct choose_request *request, const struct analyzer *analyzer)
{
    const struct plan *plan = request->plan;
    struct arena arena = { 0 };
    bool found = false;

    for (uint32_t i = 0; i < plan->role_count; i++) {
        if (!role_is_played(plan, i)) continue;
        found = found || spec_has(named_for(request, i, 0, &arena), analyzer);
    }
    arena_release(&arena);
    return found;
}

/* Whether a tool was named that looks: an analyzer, or any that writes a report. */
static bool is_tool_named(const struct choose_request *request)
{
    const struct plan *plan = request->plan;
    struct arena arena = { 0 };
    bool found = false;

    for (uint32_t i = 0; i < plan->role_count; i++) {
        const char *spec = role_is_played(plan, i) ? named_for(request, i, 0, &arena) : NULL;
        struct agent agent;
        struct err none;
        if (!spec || agent_parse(spec, &arena, &agent, &none) != 0) continue;
        found = found || (agent.backend->answers_findings && !agent_is_idle(&agent));
    }
    arena_release(&arena);
    return found;
}

/* What is to be said of one that nothing names. */
static enum seen analyzer_seen(const struct choosing *choosing, const struct analyzer *analyzer)
{
    const struct project *project = choosing->request->project;
    bool own;

    if (!project || !analyzer_fits(analyzer, project)) return SEEN_NOT_FITTING;
    if (analyzer->only_configured && !analyzer_is_configured(analyzer, project)) {
        return SEEN_NOT_FITTING;
    }
    if (analyzer_uncaged(analyzer, project->workspace, choosing->arena)) return SEEN_UNCAGED;
    return analyzer_program(analyzer, project->workspace, choosing->arena, &own) ? SEEN_READY
                                                                                 : SEEN_MISSING;
}

/* Whether one that is there looks at a file that this one would look at. */
static bool is_stood_in(const struct choosing *choosing, const struct analyzer *missing)
{
    const struct project *project = choosing->request->project;

    for (uint32_t i = 0; i < project->count; i++) {
        bool read = !analyzer_takes(missing, &project->sources[i]);

        for (uint32_t k = 0; !read && analyzer_at(k); k++) {
            read = choosing->seen[k] == SEEN_READY &&
                   analyzer_takes(analyzer_at(k), &project->sources[i]);
        }
        if (!read) return false;
    }
    return true;
}

/* Looks at every analyzer; whether any tool is there to review with, chosen or named. */
static bool look_around(struct choosing *choosing)
{
    const struct choose_request *request = choosing->request;
    bool any = is_tool_named(request);

    for (uint32_t i = 0; analyzer_at(i); i++) {
        enum seen *seen = &choosing->seen[i];

        *seen = is_named(request, analyzer_at(i)) ? SEEN_TAKEN
                                                  : analyzer_seen(choosing, analyzer_at(i));
        any = any || *seen == SEEN_READY;
    }
    for (uint32_t i = 0; analyzer_at(i); i++) {
        const struct analyzer *analyzer = analyzer_at(i);

        if (choosing->seen[i] != SEEN_MISSING) continue;
        if (!analyzer->missed && (analyzer_is_aside(analyzer, request->project) ||
                                  is_stood_in(choosing, analyzer))) continue;
        choosing->seen[i] = SEEN_MISSED;
    }
    return any;
}

/* The role that an analyzer suits best, where the dialect has one for it. */
static const char *role_suiting(const struct choosing *choosing, const struct analyzer *analyzer)
{
    const char *role = word_pair_find(choosing->request->dialect->analyzer_roles, analyzer->name);

    return role ? role : "";
}

/* Whether the role is in no gate's panel and looks again for one: in each recheck the analyzers of
 * the panel look, too, so that it has no need of its own. */
static bool only_rechecks(const struct plan *plan, uint32_t role)
{
    bool rechecks = false;

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct gate *gate = &plan->phases[i].gate;

        for (uint32_t k = 0; k < gate->reviewer_count; k++) {
            if (gate->reviewers[k] == role) return false;
        }
        rechecks = rechecks || (gate->policy && gate->checker == role);
    }
    return rechecks;
}

/* The role of that name, or with NULL the first, that reviews and has no agent; ROLE_NONE. With all
 * also one that only looks again. */
static uint32_t role_open(const struct choosing *choosing, const char *name, bool all)
{
    const struct plan *plan = choosing->request->plan;

    for (uint32_t i = 0; i < plan->role_count; i++) {
        if (!is_free(choosing->request, i) || plan->roles[i].writes) continue;
        if (choosing->specs[i] || (name && strcmp(plan->roles[i].name, name) != 0)) continue;
        if (!all && only_rechecks(plan, i)) continue;
        return i;
    }
    return ROLE_NONE;
}

static void give_analyzer(struct choosing *choosing, uint32_t analyzer, uint32_t role)
{
    const char *before = choosing->specs[role];

    choosing->specs[role] = arena_printf(choosing->arena, "%s%s%s", before ? before : "analyzer:",
                                         before ? "," : "", analyzer_at(analyzer)->name);
    choosing->seen[analyzer] = SEEN_TAKEN;
}

/* Called first for analyzers that suit a role, so that no other takes their place. */
static void share_out(struct choosing *choosing, bool suiting)
{
    for (uint32_t i = 0; analyzer_at(i); i++) {
        uint32_t role;
        if (choosing->seen[i] != SEEN_READY) continue;
        role = role_open(choosing, suiting ? role_suiting(choosing, analyzer_at(i)) : NULL,
                         false);
        if (role != ROLE_NONE) give_analyzer(choosing, i, role);
    }
}

/* More of them than roles: the first role takes the rest, too. */
static void share_rest(struct choosing *choosing)
{
    uint32_t first = ROLE_NONE;

    for (uint32_t i = choosing->request->plan->role_count; i-- > 0;) {
        if (str_starts(str_of(choosing->specs[i]), STR("analyzer:"))) first = i;
    }
    for (uint32_t i = 0; analyzer_at(i); i++) {
        if (choosing->seen[i] != SEEN_READY || first == ROLE_NONE) continue;
        give_analyzer(choosing, i, first);
    }
}

/* ---- words ---- */

/* "gcc (C, C++), shellcheck (shell)": those that were seen so. */
static void put_analyzers(const struct choosing *choosing, enum seen seen, struct buf *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; analyzer_at(i); i++) {
        const struct language *const *languages = analyzer_at(i)->languages;

        if (choosing->seen[i] != seen || analyzer_at(i)->look) continue;
        buf_printf(out, "%s%s", count++ ? ", " : "", analyzer_at(i)->name);
        for (uint32_t k = 0; languages[k]; k++) {
            buf_printf(out, "%s%s", k ? ", " : " (", languages[k]->name);
        }
        buf_byte(out, ')');
    }
}

/* "sudo apt install gcc clang-tidy; npm install ...": what brings those that are missed. */
static void put_install(const struct choosing *choosing, struct buf *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; analyzer_at(i); i++) {
        if (choosing->seen[i] != SEEN_MISSED || !analyzer_at(i)->package) continue;
        buf_printf(out, "%s %s", count++ ? "" : "sudo apt install", analyzer_at(i)->package);
    }
    for (uint32_t i = 0; analyzer_at(i); i++) {
        if (choosing->seen[i] != SEEN_MISSED || analyzer_at(i)->package) continue;
        buf_printf(out, "%s%s", count++ ? "', '" : "", analyzer_at(i)->install);
    }
}

static bool misses_one(const struct choosing *choosing)
{
    for (uint32_t i = 0; analyzer_at(i); i++) {
        if (choosing->seen[i] == SEEN_MISSED) return true;
    }
    return false;
}

/* "no model's program is on the PATH (claude, codex); ": nothing where no backend has one. */
static void put_models(const struct choose_request *request, struct buf *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; request->backends[i]; i++) {
        const struct backend *backend = request->backends[i];
        if (!backend->by_default || !backend->program) continue;
        buf_printf(out, "%s%s", count++ ? ", " : "no model's program is on the PATH (",
                   backend->program);
    }
    if (count) buf_text(out, "); ");
}

/* "critic, pedant": the roles that review and have no agent. */
static void put_open_roles(const struct choosing *choosing, struct buf *out)
{
    const struct plan *plan = choosing->request->plan;
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->role_count; i++) {
        if (!is_free(choosing->request, i) || choosing->specs[i]) continue;
        if (i > 0 && strcmp(plan->roles[i].name, plan->roles[i - 1].name) == 0) continue;
        buf_printf(out, "%s%s", count++ ? ", " : "", plan->roles[i].name);
    }
}

/* The error: roles whose only choice is not installed, its program, and what the user can do. */
static int default_is_missing(const struct choose_request *request, struct err *err)
{
    const struct plan *plan = request->plan;
    const char *ways = "", *problem = "";
    struct arena arena = { 0 };
    struct err missing = { 0 };
    struct buf roles;
    int rc;

    buf_init(&roles, TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < plan->role_count; i++) {
        const char *way = stand_in_ways(request, i);
        struct agent agent;

        if (!way) continue;
        ways = way;
        buf_printf(&roles, "%s%s", roles.size ? ", " : "", plan->roles[i].name);
        if (agent_parse(default_of(request, plan->roles[i].name, 0, &arena), &arena, &agent,
                        &missing) == 0) {
            (void)away_check(request->settings, plan->roles[i].name, &agent, &missing);
        }
        problem = missing.text;
    }
    rc = err_set(err, ERR_USAGE, "no agent for %s: %s; %s", buf_cstr(&roles), problem, ways);
    buf_release(&roles);
    arena_release(&arena);
    return rc;
}

/* ".lua" of "src/a.lua"; the whole name where it has no end. */
static struct str ending_of(const char *path)
{
    struct str name = str_of(path_leaf_text(path));

    for (size_t i = name.size; i > 1; i--) {
        if (name.data[i - 1] == '.') return str_skip(name, i - 1);
    }
    return name;
}

/* ".lua (12 files), .hs (1 file)": the kinds of files that there are most of. */
static void put_endings(const struct choosing *choosing, struct buf *out)
{
    enum { SHOWN_COUNT = 3, ENDINGS_MAX = 64, ENDING_SHOWN_MAX = 40 };
    const struct project *project = choosing->request->project;
    struct { struct str end; uint32_t count; } kinds[ENDINGS_MAX];
    uint32_t count = 0;
    uint32_t all = project ? project->other_count + project->count : 0;

    for (uint32_t i = 0; i < all; i++) {
        struct str end = ending_of(i < project->other_count
                                       ? project->others[i]
                                       : project->sources[i - project->other_count].path);
        uint32_t k = 0;

        while (k < count && !str_eq(kinds[k].end, end)) k++;
        if (k == count && count == ENDINGS_MAX) continue;
        if (k == count) kinds[count++].count = 0;
        kinds[k].end = end;
        kinds[k].count++;
    }
    for (uint32_t shown = 0; shown < SHOWN_COUNT; shown++) {
        uint32_t most = 0;

        for (uint32_t k = 0; k < count; k++) {
            if (kinds[k].count > kinds[most].count) most = k;
        }
        if (count == 0 || kinds[most].count == 0) break;
        buf_text(out, shown ? ", " : "");
        safe_text(out, kinds[most].end, true, ENDING_SHOWN_MAX);
        buf_printf(out, " (%u file%s)", kinds[most].count, kinds[most].count == 1 ? "" : "s");
        kinds[most].count = 0;
    }
    if (count == 0) buf_text(out, "there are none");
}

static void put_uncaged(const struct choosing *choosing, struct buf *out)
{
    const struct project *project = choosing->request->project;

    for (uint32_t i = 0; analyzer_at(i); i++) {
        if (choosing->seen[i] != SEEN_UNCAGED) continue;
        buf_printf(out, "%s%s", out->size ? "; " : "",
                   analyzer_uncaged(analyzer_at(i), project->workspace, choosing->arena));
    }
}

static int nobody_reviews(const struct choosing *choosing, struct err *err)
{
    struct buf text, uncaged;
    int rc;

    buf_init(&text, TEXT_BYTES_MAX);
    buf_init(&uncaged, TEXT_BYTES_MAX);
    buf_text(&text, "no agent for ");
    put_open_roles(choosing, &text);
    buf_text(&text, ": ");
    put_models(choosing->request, &text);
    put_uncaged(choosing, &uncaged);
    if (uncaged.size > 0) {
        buf_add(&text, buf_str(&uncaged));
        buf_text(&text, "; ways out: install bubblewrap");
    } else if (misses_one(choosing)) {
        put_analyzers(choosing, SEEN_MISSED, &text);
        buf_text(&text, " would fit but are not installed; ways out: '");
        put_install(choosing, &text);
        buf_text(&text, "' brings them");
    } else {
        buf_text(&text, "no tool that hone knows looks at these files: ");
        put_endings(choosing, &text);
        buf_text(&text, "; ways out: install a model's program");
    }
    rc = err_set(err, ERR_USAGE, "%s; name a tool of your own in hone.json ('analyzers'); or any "
                 "agent with --agent '*=SPEC' ('hone run --help' lists them)", buf_cstr(&text));
    buf_release(&uncaged);
    buf_release(&text);
    return rc;
}

static const char *put_warning(const struct choosing *choosing)
{
    struct buf text;

    buf_init(&text, TEXT_BYTES_MAX);
    put_uncaged(choosing, &text);
    if (misses_one(choosing)) {
        buf_printf(&text, "%snot installed, and so not used: ", text.size ? "; " : "");
        put_analyzers(choosing, SEEN_MISSED, &text);
        buf_text(&text, "; '");
        put_install(choosing, &text);
        buf_text(&text, "' brings them");
    }
    if (text.size == 0) {
        buf_release(&text);
        return NULL;
    }
    return arena_take_cstr(choosing->arena, &text);
}

static const char *spec_shown(const char *spec)
{
    struct str text = str_of(spec);

    return str_starts(text, STR("analyzer:")) ? spec + strlen("analyzer:") : spec;
}

/* The SPEC of a role that no --agent names: by a file, by the dialect's choice or by hone's; NULL.
 * A role that stands in the plan twice is named once. */
static const char *spec_unnamed(const struct choosing *choosing, uint32_t role)
{
    const struct choose_request *request = choosing->request;
    const char *name = request->plan->roles[role].name;

    if (!role_is_played(request->plan, role)) return NULL;
    if (role > 0 && strcmp(name, request->plan->roles[role - 1].name) == 0) return NULL;
    if (choosing->specs[role]) return choosing->specs[role];
    if (settings_agent(request->settings, name)) return NULL;
    return named_for(request, role, 0, choosing->arena);
}

/* "codex-final codex (effort high)" */
static void put_agent(const struct choosing *choosing, uint32_t role, const char *spec,
                      struct buf *out)
{
    const struct choose_request *request = choosing->request;
    const char *name = request->plan->roles[role].name;
    const char *effort = settings_effort(request->settings, name);

    if (!effort && !choosing->specs[role]) {
        effort = settings_own_effort(request->settings, request->dialect, name, 0, choosing->arena);
    }
    buf_printf(out, "%s%s %s", out->size ? ", " : "", name, spec_shown(spec));
    if (effort) buf_printf(out, " (effort %s)", effort);
}

static const char *put_summary(const struct choosing *choosing)
{
    const struct plan *plan = choosing->request->plan;
    const char *none = "analyzer:none";
    uint32_t idle = 0;
    struct buf text;

    buf_init(&text, TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < plan->role_count; i++) {
        const char *spec = spec_unnamed(choosing, i);
        if (!spec || strcmp(spec, none) == 0) continue;
        put_agent(choosing, i, spec, &text);
    }
    for (uint32_t i = 0; i < plan->role_count; i++) {
        const char *spec = spec_unnamed(choosing, i);
        if (!spec || strcmp(spec, none) != 0) continue;
        buf_printf(&text, "%s%s", idle++ ? ", " : text.size ? "; " : "", plan->roles[i].name);
    }
    if (idle) buf_printf(&text, " %s none", idle == 1 ? "has" : "have");
    return arena_take_cstr(choosing->arena, &text);
}

/* ---- who looks in turn ---- */

/* A program with a model behind it, that can review. */
static bool is_model(const struct backend *backend)
{
    return backend->program && !backend->cannot_review && !backend->answers_findings;
}

/* The SPEC of a role that looks, with its agent; NULL: the role does not look, or none is known. */
static const char *looker(const struct choosing *choosing, uint32_t role, struct agent *agent)
{
    const struct choose_request *request = choosing->request;
    const char *spec = choosing->specs[role];
    struct err none;

    if (!role_is_played(request->plan, role) || !plan_role_looks(request->plan, role)) return NULL;
    if (!spec) spec = named_for(request, role, 0, choosing->arena);
    return spec && agent_parse(spec, choosing->arena, agent, &none) == 0 ? spec : NULL;
}

/* Whether this model plays a role that looks; NULL: whether any does. */
static bool model_looks(const struct choosing *choosing, const struct backend *model)
{
    for (uint32_t i = 0; i < choosing->request->plan->role_count; i++) {
        struct agent agent;

        if (!looker(choosing, i, &agent)) continue;
        if (model ? agent.backend == model : is_model(agent.backend)) return true;
    }
    return false;
}

/* Whether all that look, but for analyzers, are this agent already. */
static bool looks_already(const struct choosing *choosing, struct str eye)
{
    bool any = false;

    for (uint32_t i = 0; i < choosing->request->plan->role_count; i++) {
        struct agent agent;
        const char *spec = looker(choosing, i, &agent);

        if (!spec || agent.backend->answers_findings) continue;
        if (!str_is(eye, spec)) return false;
        any = true;
    }
    return any;
}

/* Those that were named, each once, and without the one that plays: a second look by it would not
 * be one by other eyes. */
static const char *named_eyes(const struct choosing *choosing)
{
    struct str rest = str_of(choosing->request->settings->eyes), eye;
    const char *eyes = "";

    while (str_cut(&rest, '\n', &eye)) {
        struct str before = str_of(eyes), known;
        bool twice = false;

        while (!twice && str_cut(&before, '\n', &known)) twice = str_eq(known, eye);
        if (twice || looks_already(choosing, eye)) continue;
        eyes = arena_printf(choosing->arena, "%s%s%.*s", eyes, *eyes ? "\n" : "", STR_ARG(eye));
    }
    return eyes;
}

static const char *choose_eyes(const struct choosing *choosing)
{
    const struct choose_request *request = choosing->request;
    const char *eyes = "";

    if (!policy_find(str_of(request->settings->until))) return NULL;
    if (str_of(request->settings->eyes).size > 0) return named_eyes(choosing);
    if (!model_looks(choosing, NULL)) return "";
    for (uint32_t i = 0; request->backends[i]; i++) {
        const struct backend *backend = request->backends[i];

        if (!backend->by_default || !is_model(backend)) continue;
        if (!program_exists(backend->program)) continue;
        if (model_looks(choosing, backend)) continue;
        eyes = arena_printf(choosing->arena, "%s%s%s", eyes, *eyes ? "\n" : "", backend->name);
    }
    return eyes;
}

/* ---- the choice ---- */

static int choose_reviewers(struct choosing *choosing, struct err *err)
{
    uint32_t role;

    if (!look_around(choosing)) return nobody_reviews(choosing, err);
    share_out(choosing, true);
    share_out(choosing, false);
    share_rest(choosing);
    while ((role = role_open(choosing, NULL, true)) != ROLE_NONE) {
        choosing->specs[role] = "analyzer:none";
    }
    return 0;
}

int choose_agents(const struct choose_request *request, struct arena *arena,
                  struct selection *out, struct err *err)
{
    const struct plan *plan = request->plan;
    struct choosing choosing = { .request = request, .arena = arena };
    struct agent_setting *agents = arena_alloc(arena, (plan->role_count + 1) * sizeof *agents);

    *out = (struct selection){ .agents = agents, .summary = "" };
    if (lacks_default(request)) return default_is_missing(request, err);
    choosing.specs = arena_alloc(arena, (plan->role_count + 1) * sizeof *choosing.specs);
    for (uint32_t i = 0; i < plan->role_count; i++) {
        const struct backend *backend = is_free(request, i) ? backend_for(request, i) : NULL;
        if (backend) choosing.specs[i] = backend->name;
    }
    if (choose_wants_project(request)) {
        int rc = choose_reviewers(&choosing, err);
        if (rc != 0) return rc;
    }
    for (uint32_t i = 0; i < plan->role_count; i++) {
        if (!is_free(request, i)) continue;
        if (!choosing.specs[i]) {
            return err_set(err, ERR_USAGE, "no agent for %s; name one with --agent '%s=SPEC' "
                           "('hone run --help' lists them)", plan->roles[i].name,
                           plan->roles[i].name);
        }
        agents[out->count++] = (struct agent_setting){ .role = plan->roles[i].name,
                                                        .spec = choosing.specs[i] };
    }
    out->summary = put_summary(&choosing);
    out->eyes = choose_eyes(&choosing);
    out->warning = put_warning(&choosing);
    return 0;
}

/* ---- in a repository ---- */

struct scope scope_of(const struct run_settings *settings, struct arena *arena)
{
    bool all = !settings->since || !*settings->since;

    return (struct scope){ .since = all ? NULL : settings->since,
                           .exclude = arena_lines(arena, str_of(settings->exclude)) };
}

int choose_in(const struct repo *repo, const struct choose_request *request, struct arena *arena,
              struct selection *out, struct err *err)
{
    struct choose_request asked = *request;
    struct project project = { 0 };
    struct scope scope = scope_of(request->settings, arena);
    int rc = 0;

    asked.project = NULL;
    scope.since = NULL;
    if (choose_wants_project(request)) {
        rc = project_open(&project, repo->workspace, &scope, request->dialect->private_paths, err);
        asked.project = &project;
    }
    if (rc == 0) rc = choose_agents(&asked, arena, out, err);
    project_release(&project);
    return rc;
}

void selection_add(const struct selection *selection, struct run_settings *settings,
                   struct arena *arena)
{
    uint32_t count = settings->agent_count;
    struct agent_setting *agents = arena_alloc(arena, (count + selection->count + 1) *
                                                          sizeof *agents);

    if (count) memcpy(agents, settings->agents, count * sizeof *agents);
    if (selection->count) {
        memcpy(agents + count, selection->agents, selection->count * sizeof *agents);
    }
    for (uint32_t i = 0; i < selection->count; i++) agents[count + i].chosen = true;
    settings->agents = agents;
    settings->agent_count = count + selection->count;
    settings->missing = selection->warning;
    if (selection->eyes) settings->eyes = selection->eyes;
}
