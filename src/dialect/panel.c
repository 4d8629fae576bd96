/* SPDX-License-Identifier: Apache-2.0
 *
 * panel.c - a list of reviewers, read and checked.
 *
 *   "code-reviewer,perf" --> names, each built in or with a file --> roles of a plan
 *
 * 1. Who repairs, works or rechecks is no reviewer: how that is done is the loop's. A file may add
 *    to such a role, and not replace it.
 * 2. A reviewer changes nothing: a file that says otherwise is refused. It takes its remit from a
 *    role that reviews, of any dialect.
 * 3. All that one role is told by its files has a bound, so that prompts have one.
 *
 * Not here: roles in plans, prompts and file names (each dialect). */
#include "dialect/panel.h"

#include "dialect/quote.h"

#include <string.h>

static bool is_listed(const char *const *names, const char *name)
{
    for (; names && *names; names++) {
        if (strcmp(*names, name) == 0) return true;
    }
    return false;
}

/* ---- the list ---- */

static bool panel_has(const struct panel *panel, const char *name)
{
    for (uint32_t i = 0; i < panel->count; i++) {
        if (strcmp(panel->names[i], name) == 0) return true;
    }
    return false;
}

struct role panel_role(const char *name)
{
    return (struct role){ .name = name, .invalid_max = 1, .failed_max = 1 };
}

/* Why a role cannot review here; NULL: it can. */
static const char *name_problem(const struct settings *settings, const struct panel_rule *rule,
                                const char *name, struct arena *arena)
{
    const char *problem = role_name_problem(name, arena);
    struct own_role own;
    struct err err;
    bool found;

    if (problem) return problem;
    if (is_listed(rule->taken, name)) {
        return arena_printf(arena, "no role can be called %s: the verdict over all reviewers has "
                            "that name", name);
    }
    if (is_listed(rule->reviewers, name)) return NULL;
    if (rule->is_builtin(name)) {
        return arena_printf(arena, "%s has another part in this loop: name those who look at the "
                            "change", name);
    }
    if (own_role_find(settings, name, rule->is_builtin, arena, &found, &own, &err) != 0) {
        return arena_cstr(arena, str_of(err.text));
    }
    if (found) return NULL;
    return arena_printf(arena, "there is no role '%s': 'hone roles' lists them; a role of your own "
                        "is a file .hone/roles/%s.md", name, name);
}

int panel_read(const struct settings *settings, const struct panel_rule *rule, struct arena *arena,
               struct panel *out, struct err *err)
{
    const char *value = setting_value(settings, "reviewers");
    struct str rest = str_of(value), name;

    *out = (struct panel){ .count = 0 };
    if (!value) return 0;
    while (str_cut(&rest, ',', &name)) {
        const char *role = arena_cstr(arena, str_trim(name));
        const char *problem = name_problem(settings, rule, role, arena);

        if (!problem && panel_has(out, role)) {
            problem = arena_printf(arena, "%s stands there twice", role);
        }
        if (!problem && out->count == PANEL_MAX) {
            problem = arena_printf(arena, "a review has at most %d reviewers", PANEL_MAX);
        }
        if (problem) return err_set(err, ERR_USAGE, "reviewers: %s", problem);
        out->names[out->count++] = role;
    }
    if (out->count == 0) return err_set(err, ERR_USAGE, "reviewers: name at least one");
    return 0;
}

const uint16_t *panel_join(const struct panel *panel, uint16_t place, struct arena *arena,
                           struct plan *plan)
{
    struct role *roles = arena_alloc(arena, (plan->role_count + (size_t)panel->count) *
                                                sizeof *roles);
    uint16_t *reviewers = arena_alloc(arena, panel->count * sizeof *reviewers);
    const char *own = plan->roles[place].name;
    const char *first = panel_has(panel, own) ? own : panel->names[0];

    for (uint32_t i = 0; i < plan->role_count; i++) roles[i] = plan->roles[i];
    for (uint32_t i = 0; i < panel->count; i++) {
        bool is_first = strcmp(panel->names[i], first) == 0;

        reviewers[i] = is_first ? place : (uint16_t)plan->role_count++;
        roles[reviewers[i]] = panel_role(panel->names[i]);
    }
    plan->roles = roles;
    return reviewers;
}

const char *panel_names(const struct plan *plan, const struct gate *gate, struct arena *arena)
{
    const char *names = "";

    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "",
                             plan->roles[gate->reviewers[i]].name);
    }
    return names;
}

/* ---- files ---- */

static size_t told_bytes(const struct own_role *role)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < role->body_count; i++) bytes += role->bodies[i].size;
    return bytes;
}

/* What a file cannot be of a reviewer. */
static int check_reviewer(const struct own_role *own, struct arena *arena, struct err *err)
{
    if (own->file.writes) {
        return err_set(err, ERR_USAGE, "%s: it says 'writes: true', and a reviewer changes "
                       "nothing", own->file.path);
    }
    if (!own->base || role_remit(own->base, true, arena).size > 0) return 0;
    return err_set(err, ERR_USAGE, "%s: it reviews, and '%s' is no role whose remit it can have: "
                   "extend one that reviews", own->file.path, own->base);
}

/* What it cannot be of a role whose way of working is the loop's. */
static int check_other(const struct own_role *own, const struct role *role, struct err *err)
{
    if (own->file.writes && !role->writes) {
        return err_set(err, ERR_USAGE, "%s: it says 'writes: true', and %s changes nothing",
                       own->file.path, role->name);
    }
    if (!own->file.replaces && (!own->base || strcmp(own->base, role->name) == 0)) return 0;
    return err_set(err, ERR_USAGE, "%s: how %s works is a part of the loop: say 'extends: %s' to "
                   "add to it", own->file.path, role->name, role->name);
}

int panel_check(const struct settings *settings, const struct panel_rule *rule,
                const struct plan *plan, struct arena *arena, struct err *err)
{
    for (uint32_t i = 1; i < plan->role_count + plan->checker_count; i++) {
        const struct role *role = &plan->roles[i];
        bool reviews = is_listed(rule->reviewers, role->name) || !rule->is_builtin(role->name);
        struct own_role own;
        bool found;
        int rc;

        if (role->builtin) continue;
        rc = own_role_find(settings, role->name, rule->is_builtin, arena, &found, &own, err);
        if (rc != 0) return rc;
        if (!found) continue;
        if (told_bytes(&own) > PANEL_TOLD_BYTES_MAX) {
            return err_set(err, ERR_USAGE, "%s: with what it extends it tells the agent more than "
                           "%d KiB", own.file.path, PANEL_TOLD_BYTES_MAX >> 10);
        }
        rc = reviews ? check_reviewer(&own, arena, err) : check_other(&own, role, err);
        if (rc != 0) return rc;
    }
    return 0;
}

bool panel_own(const struct settings *settings, const char *role, role_is_builtin *is_builtin,
               struct arena *arena, struct own_role *out)
{
    struct err none;
    bool found;

    return own_role_find(settings, role, is_builtin, arena, &found, out, &none) == 0 && found;
}

const struct role_file *panel_file(const struct settings *settings, const char *role,
                                   role_is_builtin *is_builtin, struct arena *arena)
{
    struct own_role *own = arena_alloc(arena, sizeof *own);

    return panel_own(settings, role, is_builtin, arena, own) ? &own->file : NULL;
}

const char *panel_agent(const struct role_file *file)
{
    return file ? file->agent : NULL;
}

const char *panel_effort(const struct role_file *file, bool by_default)
{
    return file && !by_default ? file->effort : NULL;
}

const char *panel_no_agent(const struct settings *settings, const char *role, uint32_t copy,
                           struct arena *arena)
{
    (void)settings, (void)role, (void)copy, (void)arena;
    return NULL;
}

const char *panel_model(const struct role_file *file, const char *backend)
{
    return file && strcmp(backend, "claude") == 0 ? file->model : NULL;
}

void panel_base(const struct own_role *role, struct arena *arena, struct buf *out)
{
    struct str remit = role->base ? str_trim(role_remit(role->base, true, arena)) : STR("");

    if (remit.size == 0) return;
    buf_add(out, remit);
    buf_byte(out, '\n');
}

void panel_told(const struct own_role *role, const char *fence, struct buf *out)
{
    for (uint32_t i = 0; i < role->body_count; i++) {
        if (i > 0) buf_byte(out, '\n');
        quote_block(out, fence, role->bodies[i], PANEL_TOLD_BYTES_MAX);
    }
}
