/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_use.c - hone's own settings, put to use in a run.
 *
 * A file that came with a repository must not run a command on the user's machine just by being
 * there, nor make a review worth less. So the user is asked about these before they count
 * (settings/trust.h), where the project's file has them; the key's row says which values (consent):
 *
 * 1. An agent that is a command of the file's own (cmd, acp, sarif, rdjson), and one that plays
 *    answers from a file (script): the first runs code, the second could bring its own verdict.
 *    Models, analyzers and fixits are programs of the user, by name; they are shown.
 * 2. A sandbox that is off, and rights that are more than none: the file could undo what the user's
 *    own says.
 * 3. The test command: it runs code, and "true" would be a test that passes.
 * 4. The command of an analyzer, and that its fixes are safe.
 * 5. What weakens a gate: an agent that looks at nothing, patterns that hide files from agents, a
 *    switch that leaves a reviewer out or changes aside, the least effort, a policy that lets it
 *    pass with less than all its reviewers again.
 *
 * 6. A fleet: the code goes to other machines, and what its setup says runs there.
 *
 * Limits, budgets and bounds on rounds run nothing, and end a run earlier but not cleaner. They are
 * shown.
 *
 * Not here: asking (cmd/own.c), what was agreed to (trust.c). */
#include "settings/hone_use.h"

#include "agent/agent.h"
#include "analyze/analyzer.h"
#include "base/duration.h"
#include "format/json/json.h"
#include "format/text/budget_text.h"
#include "settings/away.h"

#include <string.h>

enum { BUDGET_BYTES_MAX = 256 };

static void fill_limits(const struct hone_values *values, struct run_settings *settings)
{
    for (uint32_t i = 0; i < LIMIT_COUNT; i++) {
        const struct hone_value *value = hone_find(values, limits_about[i].path);
        uint64_t *ms = limit_of(settings, (enum limit)i);

        *ms = limits_about[i].builtin_ms;
        if (value) (void)duration_read(str_of(value->text), ms);
    }
}

/* As --budget would say it; "" where no file says anything of it. */
static const char *fill_budget(const struct hone_values *values, struct arena *arena)
{
    struct budget budget = { 0 };
    struct buf text;
    struct err none;

    for (uint32_t i = 0; i < values->count; i++) {
        const struct hone_value *value = &values->items[i];
        if (!str_starts(str_of(value->path), STR("budget."))) continue;
        (void)budget_read_part(str_of(hone_key_name(value->path)), str_of(value->text), &budget,
                               &none);
    }
    buf_init(&text, BUDGET_BYTES_MAX);
    budget_write(&budget, &text);
    return arena_take_cstr(arena, &text);
}

/* Lines as an option takes them. */
static const char *with_commas(const char *lines, struct arena *arena)
{
    struct str rest = str_of(lines), line;
    const char *out = "";

    while (str_cut(&rest, '\n', &line)) {
        out = arena_printf(arena, "%s%s%.*s", out, *out ? "," : "", STR_ARG(line));
    }
    return out;
}

static void fill_options(const struct hone_values *values, const struct dialect *dialect,
                         struct settings *options, struct arena *arena)
{
    struct setting *items = arena_alloc(arena, (values->count + 1) * sizeof *items);

    options->items = items;
    options->count = 0;
    for (uint32_t i = 0; i < values->count; i++) {
        const struct hone_value *value = &values->items[i];
        bool off = value->key->kind == HONE_SWITCH && strcmp(value->text, "true") != 0;

        if (hone_key_dialect(str_of(value->path)) != dialect) continue;
        if (hone_key_has_role(value->key) || off) continue; /* an option is on by being there */
        if (value->key->words == until_words) continue; /* of every dialect, and no option of it */
        items[options->count++] = (struct setting){
            .name = hone_key_name(value->path),
            .value = hone_key_is_list(value->key) ? with_commas(value->text, arena) : value->text,
        };
    }
}

/* A value as it stands in a file: a list, or a text. */
static yyjson_mut_val *json_value_of(yyjson_mut_doc *doc, const struct hone_value *value)
{
    struct str rest = str_of(value->text), line;
    yyjson_mut_val *list;

    if (value->key->kind != HONE_LIST) return json_text(doc, rest);
    list = yyjson_mut_arr(doc);
    while (str_cut(&rest, '\n', &line)) yyjson_mut_arr_append(list, json_text(doc, line));
    return list;
}

static const char *list_of(const struct hone_values *values, const char *path)
{
    const struct hone_value *value = hone_find(values, path);

    return value ? value->text : "";
}

static bool is_false(const struct hone_values *values, const char *path)
{
    const struct hone_value *value = hone_find(values, path);

    return value && strcmp(value->text, "false") == 0;
}

static bool is_true(const struct hone_values *values, const char *path)
{
    const struct hone_value *value = hone_find(values, path);

    return value && strcmp(value->text, "true") == 0;
}

static uint32_t number_of(const struct hone_values *values, const char *path)
{
    const struct hone_value *value = hone_find(values, path);
    uint64_t number;

    return value && str_number(str_of(value->text), &number) ? (uint32_t)number : 0;
}

void hone_rights(const struct hone_values *values, struct run_settings *settings)
{
    const struct hone_value *tmp = hone_find(values, "rights.tmp");

    settings->network_off = is_false(values, "rights.network");
    settings->home_private = is_false(values, "rights.home");
    settings->tmp_private = !tmp || is_false(values, "rights.tmp");
    settings->tmp_said = tmp && settings->tmp_private;
    settings->write = list_of(values, "rights.write");
    settings->change = list_of(values, "rights.change");
    settings->pass = list_of(values, "rights.env");
}

/* What stands below "analyzers", as one line of JSON; "" where no file has any. */
static const char *fill_analyzers(const struct hone_values *values, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *one;
    bool any = false;
    struct str json;

    for (uint32_t i = 0; i < values->count; i++) {
        const struct hone_value *value = &values->items[i];
        struct str rest = str_of(value->path), part, name;

        if (!hone_key_has_name(value->key)) continue;
        str_cut(&rest, '.', &part);
        str_cut(&rest, '.', &name);
        one = yyjson_mut_obj_getn(root, name.data, name.size);
        if (!one) {
            one = yyjson_mut_obj(doc);
            yyjson_mut_obj_put(root, json_text(doc, name), one);
        }
        yyjson_mut_obj_put(one, json_text(doc, rest), json_value_of(doc, value));
        any = true;
    }
    json = json_keep(doc, false, arena);
    return any ? json.data : "";
}

int hone_define(const struct run_settings *settings, struct err *err)
{
    return analyzers_define(str_of(settings->analyzers), err);
}

static const char *fill_until(const struct hone_values *values, const struct dialect *dialect,
                              struct arena *arena)
{
    const char *own = list_of(values, arena_printf(arena, "dialects.%s.until", dialect->name));

    if (!*own) own = list_of(values, "until");
    return !*own && dialect->until ? dialect->until : own;
}

void hone_prefill(const struct hone_values *values, const struct dialect *dialect,
                  struct run_settings *settings, struct arena *arena)
{
    const struct hone_value *sandbox = hone_find(values, "sandbox");
    const struct hone_value *test = hone_find(values, "test");
    const struct hone_value *exclude = hone_find(values, "exclude");
    struct err none;

    fill_limits(values, settings);
    hone_rights(values, settings);
    fill_options(values, dialect, &settings->options, arena);
    settings->runs_kept = number_of(values, "keepRuns");
    settings->isolate = is_true(values, "isolate");
    settings->require_proof = is_true(values, "requireProof");
    settings->sandbox_off = sandbox && strcmp(sandbox->text, "false") == 0;
    settings->sandbox_asked = sandbox && !settings->sandbox_off;
    settings->test = test ? test->text : NULL;
    settings->test_from = test ? test->from->name : "";
    settings->exclude = exclude ? exclude->text : "";
    settings->until = fill_until(values, dialect, arena);
    settings->eyes = list_of(values, "eyes");
    settings->fixes = list_of(values, "fixes");
    settings->fleet = list_of(values, "fleet.url");
    settings->fleet_pools = list_of(values, "fleet.pools");
    settings->fleet_setup = list_of(values, "fleet.setup");
    settings->fleet_carry = list_of(values, "fleet.carry");
    settings->generated = is_true(values, "includeGenerated") ? "true" : "";
    settings->budget = fill_budget(values, arena);
    if (!*settings->budget && dialect->budget) settings->budget = dialect->budget;
    settings->analyzers = fill_analyzers(values, arena);
    (void)hone_define(settings, &none); /* what is wrong hone_cast() says */
}

static int check_agent(const struct hone_value *value, const struct run_settings *settings,
                       const char *role, struct arena *arena, struct err *err)
{
    struct agent agent;
    int rc = agent_parse(value->text, arena, &agent, err);

    if (rc == 0) rc = away_check(settings, role, &agent, err);
    return rc == 0 ? 0 : err_wrap(err, "%s: %s", value->from->name, value->path);
}

static void cast_efforts(const struct hone_values *values, const struct dialect *dialect,
                         const struct plan *plan, struct run_settings *settings,
                         struct arena *arena)
{
    uint32_t count = settings->effort_count;
    struct effort_setting *efforts = arena_alloc(arena, (count + plan->role_count + 1) *
                                                            sizeof *efforts);

    if (count) memcpy(efforts, settings->efforts, count * sizeof *efforts);
    settings->efforts = efforts;
    for (uint32_t i = 0; i < plan->role_count; i++) {
        const char *role = plan->roles[i].name;
        const struct hone_value *value;

        if (i == ROLE_NONE || plan->roles[i].builtin || settings_effort(settings, role)) continue;
        value = hone_find_effort(values, dialect, role, arena);
        if (!value) continue;
        efforts[settings->effort_count++] = (struct effort_setting){ role, value->text };
    }
}

int hone_cast(const struct hone_values *values, const struct dialect *dialect,
              const struct plan *plan, struct run_settings *settings, struct arena *arena,
              struct err *err)
{
    uint32_t count = settings->agent_count;
    struct agent_setting *agents = arena_alloc(arena, (count + plan->role_count + 1) *
                                                          sizeof *agents);

    if (hone_define(settings, err) != 0) return err_wrap(err, "hone.json");
    cast_efforts(values, dialect, plan, settings, arena);
    if (count) memcpy(agents, settings->agents, count * sizeof *agents);
    settings->agents = agents;
    for (uint32_t i = 0; i < plan->role_count; i++) {
        const char *role = plan->roles[i].name;
        const struct hone_value *value;
        int rc;

        if (i == ROLE_NONE || plan->roles[i].builtin || settings_agent(settings, role) ||
            settings_chosen(settings, role)) {
            continue;
        }
        value = hone_find_agent(values, dialect, role, arena);
        if (!value) continue;
        rc = check_agent(value, settings, role, arena, err);
        if (rc != 0) return rc;
        agents[settings->agent_count++] = (struct agent_setting){
            .role = role, .spec = value->text, .chosen = true,
        };
    }
    return 0;
}

/* ---- what counts ---- */

bool agent_is_asked(const char *spec)
{
    struct arena arena = { 0 };
    struct agent agent;
    struct err none;
    bool asked = agent_parse(spec, &arena, &agent, &none) != 0 ||
                 agent.backend->argument_is_file || agent_is_idle(&agent) ||
                 (agent.backend->argument && strcmp(agent.backend->argument, "COMMAND") == 0);

    arena_release(&arena);
    return asked;
}

/* Whether one of them is, of a list with one in a line. */
static bool is_asked_list(const char *specs)
{
    struct str rest = str_of(specs), line;
    struct arena arena = { 0 };
    bool asked = false;

    while (!asked && str_cut(&rest, '\n', &line)) asked = agent_is_asked(arena_cstr(&arena, line));
    arena_release(&arena);
    return asked;
}

static bool is_less(const struct hone_value *value)
{
    const struct hone_key *key = value->key;
    struct str builtin = str_of(key->builtin);

    builtin = (struct str){ builtin.data + 1, builtin.size - 2 }; /* without its quotes */
    for (uint32_t i = 0; key->words[i] && !str_is(builtin, key->words[i]); i++) {
        if (strcmp(value->text, key->words[i]) == 0) return true;
    }
    return false;
}

bool hone_is_asked(const struct hone_value *value)
{
    if (!value->from->foreign) return false;
    switch (value->key->consent) {
    case CONSENT_UNSAID:
    case CONSENT_NEVER:
        break;
    case CONSENT_ANY:
        return value->text[0] != '\0';
    case CONSENT_TRUE:
        return strcmp(value->text, "true") == 0;
    case CONSENT_FALSE:
        return strcmp(value->text, "false") == 0;
    case CONSENT_LEAST:
        return strcmp(value->text, value->key->words[0]) == 0;
    case CONSENT_LESS:
        return is_less(value);
    case CONSENT_AGENT:
        return is_asked_list(value->text);
    }
    return false;
}

static bool is_cast(const struct hone_use *use, const struct hone_value *value, struct arena *arena)
{
    for (uint32_t i = 0; i < use->settings->agent_count; i++) {
        const struct agent_setting *agent = &use->settings->agents[i];
        if (!agent->chosen) continue;
        if (hone_find_agent(use->values, use->dialect, agent->role, arena) == value) return true;
    }
    return false;
}

static bool is_effort(const struct hone_use *use, const struct hone_value *value,
                      struct arena *arena)
{
    for (uint32_t i = 0; i < use->settings->effort_count; i++) {
        const struct effort_setting *item = &use->settings->efforts[i];
        if (item->effort != value->text) continue; /* a flag has a text of its own */
        if (hone_find_effort(use->values, use->dialect, item->role, arena) == value) return true;
    }
    return false;
}

static bool counts(const struct hone_use *use, const struct hone_value *value, struct arena *arena)
{
    const struct dialect *of = hone_key_dialect(str_of(value->path));

    if (of && of != use->dialect) return false;
    if (value->key->kind == HONE_AGENT) return is_cast(use, value, arena);
    if (hone_key_has_role(value->key)) return is_effort(use, value, arena);
    if (strcmp(value->path, "test") == 0) {
        return use->settings->test == value->text; /* a flag has a text of its own */
    }
    if (value->key->words == until_words) return use->settings->until == value->text;
    if (value->key->kind == HONE_AGENTS) {
        return use->settings->eyes == value->text && policy_find(str_of(use->settings->until));
    }
    if (value->key->kind == HONE_ROLES) { /* a flag names others */
        const char *said = setting_value(&use->settings->options, hone_key_name(value->path));

        return said && strcmp(said, with_commas(value->text, arena)) == 0;
    }
    if (strcmp(value->path, "sandbox") == 0) return !use->sandbox_said;
    if (hone_key_has_name(value->key)) return use->dialect->found;
    return strcmp(value->path, "$schema") != 0;
}

uint32_t hone_effects(const struct hone_use *use, struct arena *arena,
                      const struct hone_effect **out)
{
    const struct hone_values *values = use->values;
    struct hone_effect *effects = arena_alloc(arena, (values->count + 1) * sizeof *effects);
    uint32_t count = 0;

    for (uint32_t i = 0; i < values->count; i++) {
        const struct hone_value *value = &values->items[i];

        if (!counts(use, value, arena)) continue;
        effects[count++] = (struct hone_effect){ .value = value, .asked = hone_is_asked(value) };
    }
    *out = effects;
    return count;
}
