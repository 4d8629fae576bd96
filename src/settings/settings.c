/* SPDX-License-Identifier: Apache-2.0
 *
 * settings.c - how a run was asked for, as JSON:
 *
 *     {"options":[["max-iterations","3"]],"agents":[["critic","cmd:x"],["*","claude"]],
 *      "chosen":[["fixer","codex"]],"efforts":[["*","high"]],
 *      "time_ms":3600000,"idle_ms":900000,"start_ms":120000,"first_ms":600000,
 *      "wait_ms":21600000,"sandbox":"auto","scope_given":true,
 *      "since":"COMMIT","exclude":"*.gen.c","test":"make check","until":"settled","eyes":"codex",
 *      "files":[["~/.claude/iterate-config.json","{...}"]]}
 *
 * Options, agents, efforts and files are lists of pairs, not objects: their order matters (a later
 * one wins), and the same name may come twice.
 *
 * Not here: which options a dialect knows (its plan function says so). */
#include "settings/settings.h"

#include "base/duration.h"
#include "format/json/json.h"

#include <inttypes.h>
#include <string.h>

static void add_pair(yyjson_mut_doc *doc, yyjson_mut_val *list, const char *name, const char *value)
{
    yyjson_mut_val *pair = yyjson_mut_arr_add_arr(doc, list);

    yyjson_mut_arr_append(pair, json_text(doc, str_of(name)));
    yyjson_mut_arr_append(pair, json_text(doc, str_of(value)));
}

static void add_agents(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                       const struct run_settings *settings, bool chosen)
{
    yyjson_mut_val *list = chosen ? NULL : yyjson_mut_obj_add_arr(doc, root, key);

    for (uint32_t i = 0; i < settings->agent_count; i++) {
        const struct agent_setting *agent = &settings->agents[i];
        if (agent->chosen != chosen) continue;
        if (!list) list = yyjson_mut_obj_add_arr(doc, root, key);
        add_pair(doc, list, agent->role, agent->spec);
    }
}

const struct limit_about limits_about[LIMIT_COUNT] = {
    [LIMIT_TIME] = { "limits.time", "timeout", "time_ms", LIMIT_TIME_MS },
    [LIMIT_IDLE] = { "limits.idle", "idle-timeout", "idle_ms", LIMIT_IDLE_MS },
    [LIMIT_START] = { "limits.start", NULL, "start_ms", LIMIT_START_MS },
    [LIMIT_FIRST] = { "limits.first", NULL, "first_ms", LIMIT_FIRST_MS },
    [LIMIT_WAIT] = { "limits.wait", NULL, "wait_ms", LIMIT_WAIT_MS },
};

uint64_t *limit_of(struct run_settings *settings, enum limit limit)
{
    uint64_t *const places[LIMIT_COUNT] = {
        [LIMIT_TIME] = &settings->time_ms_max, [LIMIT_IDLE] = &settings->idle_ms_max,
        [LIMIT_START] = &settings->start_ms_max, [LIMIT_FIRST] = &settings->first_ms_max,
        [LIMIT_WAIT] = &settings->wait_ms_max,
    };

    return places[limit];
}

const char *limit_text(const struct run_settings *settings, enum limit limit, struct arena *arena)
{
    const struct limit_about *about = &limits_about[limit];
    struct run_settings copy = *settings;
    char span[DURATION_BYTES];

    duration_text(*limit_of(&copy, limit), span);
    if (!about->option) return arena_printf(arena, "%s (%s in hone.json)", span, about->path);
    return arena_printf(arena, "%s (--%s, or %s in hone.json)", span, about->option, about->path);
}

static const struct {
    const char *key;
    size_t offset;
} texts[] = {
    { "since", offsetof(struct run_settings, since) },
    { "exclude", offsetof(struct run_settings, exclude) },
    { "paths", offsetof(struct run_settings, paths) },
    { "fail_on", offsetof(struct run_settings, fail_on) },
    { "analyzers", offsetof(struct run_settings, analyzers) },
    { "test", offsetof(struct run_settings, test) },
    { "missing", offsetof(struct run_settings, missing) },
    { "test_from", offsetof(struct run_settings, test_from) },
    { "until", offsetof(struct run_settings, until) },
    { "eyes", offsetof(struct run_settings, eyes) },
    { "missed", offsetof(struct run_settings, missed) },
    { "fixes", offsetof(struct run_settings, fixes) },
    { "generated", offsetof(struct run_settings, generated) },
    { "baseline", offsetof(struct run_settings, baseline) },
    { "budget", offsetof(struct run_settings, budget) },
    { "uuid", offsetof(struct run_settings, uuid) },
    { "fleet", offsetof(struct run_settings, fleet) },
    { "fleet_pools", offsetof(struct run_settings, fleet_pools) },
    { "fleet_setup", offsetof(struct run_settings, fleet_setup) },
    { "fleet_carry", offsetof(struct run_settings, fleet_carry) },
    { "write", offsetof(struct run_settings, write) },
    { "change", offsetof(struct run_settings, change) },
    { "pass", offsetof(struct run_settings, pass) },
    { "owner", offsetof(struct run_settings, owner) },
};

enum { TEXT_COUNT = sizeof texts / sizeof *texts, MISSED_MAX = 1000 };

static const char *const *text_of(const struct run_settings *settings, uint32_t index)
{
    const char *at = (const char *)settings + texts[index].offset;

    return (const char *const *)(const void *)at;
}

void settings_write(const struct run_settings *settings, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    struct run_settings copy = *settings;
    yyjson_mut_val *list;

    yyjson_mut_doc_set_root(doc, root);
    list = yyjson_mut_obj_add_arr(doc, root, "options");
    for (uint32_t i = 0; i < settings->options.count; i++) {
        const struct setting *item = &settings->options.items[i];
        add_pair(doc, list, item->name, item->value);
    }
    add_agents(doc, root, "agents", settings, false);
    add_agents(doc, root, "chosen", settings, true);
    if (settings->effort_count) list = yyjson_mut_obj_add_arr(doc, root, "efforts");
    for (uint32_t i = 0; i < settings->effort_count; i++) {
        add_pair(doc, list, settings->efforts[i].role, settings->efforts[i].effort);
    }
    if (settings->options.file_count) list = yyjson_mut_obj_add_arr(doc, root, "files");
    for (uint32_t i = 0; i < settings->options.file_count; i++) {
        const struct config_text *file = &settings->options.files[i];
        yyjson_mut_val *pair = yyjson_mut_arr_add_arr(doc, list);
        yyjson_mut_arr_append(pair, json_text(doc, str_of(file->path)));
        yyjson_mut_arr_append(pair, json_text(doc, file->text));
    }
    for (uint32_t i = 0; i < LIMIT_COUNT; i++) {
        yyjson_mut_obj_add_uint(doc, root, limits_about[i].key, *limit_of(&copy, (enum limit)i));
    }
    yyjson_mut_obj_add_str(doc, root, "sandbox", settings->sandbox_off ? "off"
                           : settings->sandbox_asked ? "on" : "auto");
    if (settings->allow_partial) yyjson_mut_obj_add_bool(doc, root, "allow_partial", true);
    if (settings->no_fix) yyjson_mut_obj_add_bool(doc, root, "no_fix", true);
    if (settings->runs_kept) yyjson_mut_obj_add_uint(doc, root, "runs_kept", settings->runs_kept);
    if (settings->isolate) yyjson_mut_obj_add_bool(doc, root, "isolate", true);
    if (settings->require_proof) yyjson_mut_obj_add_bool(doc, root, "require_proof", true);
    if (settings->test_found) yyjson_mut_obj_add_bool(doc, root, "test_found", true);
    if (settings->network_off) yyjson_mut_obj_add_bool(doc, root, "network_off", true);
    if (settings->home_private) yyjson_mut_obj_add_bool(doc, root, "home_private", true);
    if (settings->tmp_private) yyjson_mut_obj_add_bool(doc, root, "tmp_private", true);
    yyjson_mut_obj_add_bool(doc, root, "scope_given", settings->scope_given);
    for (uint32_t i = 0; i < TEXT_COUNT; i++) {
        const char *text = *text_of(settings, i);
        if (text && *text) yyjson_mut_obj_add_val(doc, root, texts[i].key,
                                                  json_text(doc, str_of(text)));
    }
    json_write(doc, false, out);
    yyjson_mut_doc_free(doc);
}

/* A NUL inside would end a C string early and so mean something else. */
static bool is_text(yyjson_val *value)
{
    return yyjson_is_str(value) && !memchr(yyjson_get_str(value), '\0', yyjson_get_len(value));
}

struct pair {
    const char *first;
    struct str second; /* with a NUL behind it */
};

/* An optional list of pairs, each called `what` in messages. free: the second may hold a NUL. */
static int read_pairs(yyjson_val *root, const char *key, const char *what, bool free,
                      struct arena *arena, struct pair **out, uint32_t *count, struct err *err)
{
    yyjson_val *list = yyjson_obj_get(root, key), *pair;
    yyjson_arr_iter items = yyjson_arr_iter_with(list);

    *count = 0;
    if (list && (!yyjson_is_arr(list) || yyjson_arr_size(list) > UINT32_MAX)) {
        return err_set(err, ERR_FORMAT, "\"%s\" must be a list", key);
    }
    *out = arena_alloc(arena, (yyjson_arr_size(list) + 1) * sizeof **out);
    for (; (pair = yyjson_arr_iter_next(&items)); ++*count) {
        yyjson_val *one = yyjson_arr_get(pair, 0), *two = yyjson_arr_get(pair, 1);

        if (yyjson_arr_size(pair) != 2 || !is_text(one) ||
            !(free ? yyjson_is_str(two) : is_text(two))) {
            return err_set(err, ERR_FORMAT, "%s %" PRIu32 ": it must be a pair of strings", what,
                           *count + 1);
        }
        (*out)[*count] = (struct pair){
            .first = arena_cstr(arena, (struct str){ yyjson_get_str(one), yyjson_get_len(one) }),
            .second = arena_copy(arena, (struct str){ yyjson_get_str(two), yyjson_get_len(two) }),
        };
    }
    return 0;
}

static int read_options(yyjson_val *root, struct arena *arena, struct settings *out,
                        struct err *err)
{
    struct pair *options, *files;
    struct config_text *kept;
    struct setting *items;
    int rc = read_pairs(root, "options", "option", false, arena, &options, &out->count, err);

    if (rc == 0) rc = read_pairs(root, "files", "file", true, arena, &files, &out->file_count, err);
    if (rc != 0) return rc;
    items = arena_alloc(arena, (out->count + 1) * sizeof *items);
    kept = arena_alloc(arena, (out->file_count + 1) * sizeof *kept);
    for (uint32_t i = 0; i < out->count; i++) {
        items[i] = (struct setting){ .name = options[i].first, .value = options[i].second.data };
    }
    for (uint32_t i = 0; i < out->file_count; i++) {
        kept[i] = (struct config_text){ files[i].first, files[i].second };
    }
    out->items = items;
    out->files = kept;
    return 0;
}

static int read_agents(yyjson_val *root, struct arena *arena, struct run_settings *out,
                       struct err *err)
{
    struct pair *named, *chosen, *efforts;
    uint32_t count, chosen_count;
    struct agent_setting *agents;
    struct effort_setting *list;
    int rc = read_pairs(root, "agents", "agent", false, arena, &named, &count, err);

    if (rc == 0) {
        rc = read_pairs(root, "chosen", "agent", false, arena, &chosen, &chosen_count, err);
    }
    if (rc == 0) {
        rc = read_pairs(root, "efforts", "effort", false, arena, &efforts, &out->effort_count, err);
    }
    if (rc != 0) return rc;
    agents = arena_alloc(arena, ((size_t)count + chosen_count + 1) * sizeof *agents);
    for (uint32_t i = 0; i < count + chosen_count; i++) {
        const struct pair *pair = i < count ? &named[i] : &chosen[i - count];
        agents[i] = (struct agent_setting){ pair->first, pair->second.data, i >= count };
    }
    list = arena_alloc(arena, (out->effort_count + 1) * sizeof *list);
    for (uint32_t i = 0; i < out->effort_count; i++) {
        list[i] = (struct effort_setting){ efforts[i].first, efforts[i].second.data };
    }
    out->agents = agents;
    out->agent_count = count + chosen_count;
    out->efforts = list;
    return 0;
}

/* Keeps *out where there is no such member. */
static int read_limit(yyjson_val *root, const char *key, uint64_t *out, struct err *err)
{
    if (!yyjson_obj_get(root, key) || json_uint(root, key, out)) return 0;
    return err_set(err, ERR_FORMAT, "\"%s\" must be a whole number of milliseconds", key);
}

static int read_sandbox(yyjson_val *root, struct run_settings *out, struct err *err)
{
    struct str word = json_str(root, "sandbox");

    out->sandbox_off = str_is(word, "off");
    out->sandbox_asked = str_is(word, "on");
    if (out->sandbox_off || out->sandbox_asked || str_is(word, "auto")) return 0;
    if (!yyjson_obj_get(root, "sandbox")) return 0;
    return err_set(err, ERR_FORMAT, "\"sandbox\" must be \"auto\", \"on\" or \"off\"");
}

static int read_texts(yyjson_val *root, struct arena *arena, struct run_settings *out,
                      struct err *err)
{
    for (uint32_t i = 0; i < TEXT_COUNT; i++) {
        yyjson_val *value = yyjson_obj_get(root, texts[i].key);
        struct str text = { yyjson_get_str(value), yyjson_get_len(value) };

        if (value && !is_text(value)) {
            return err_set(err, ERR_FORMAT, "\"%s\" must be a string", texts[i].key);
        }
        *(const char **)(void *)((char *)out + texts[i].offset) =
            value ? arena_cstr(arena, text) : "";
    }
    return 0;
}

static int read_settings(yyjson_val *root, struct arena *arena, struct run_settings *out,
                         struct err *err)
{
    int rc;

    if (!yyjson_is_obj(root)) return err_set(err, ERR_FORMAT, "settings must be an object");
    rc = read_options(root, arena, &out->options, err);
    if (rc == 0) rc = read_agents(root, arena, out, err);
    for (uint32_t i = 0; rc == 0 && i < LIMIT_COUNT; i++) {
        rc = read_limit(root, limits_about[i].key, limit_of(out, (enum limit)i), err);
    }
    if (rc == 0) rc = read_sandbox(root, out, err);
    if (rc == 0) rc = read_texts(root, arena, out, err);
    out->allow_partial = yyjson_get_bool(yyjson_obj_get(root, "allow_partial"));
    out->no_fix = yyjson_get_bool(yyjson_obj_get(root, "no_fix"));
    out->runs_kept = (uint32_t)yyjson_get_uint(yyjson_obj_get(root, "runs_kept"));
    out->isolate = yyjson_get_bool(yyjson_obj_get(root, "isolate"));
    out->require_proof = yyjson_get_bool(yyjson_obj_get(root, "require_proof"));
    out->test_found = yyjson_get_bool(yyjson_obj_get(root, "test_found"));
    out->network_off = yyjson_get_bool(yyjson_obj_get(root, "network_off"));
    out->home_private = yyjson_get_bool(yyjson_obj_get(root, "home_private"));
    out->tmp_private = yyjson_get_bool(yyjson_obj_get(root, "tmp_private"));
    out->scope_given = yyjson_get_bool(yyjson_obj_get(root, "scope_given"));
    return rc;
}

int settings_read(struct str json, struct arena *arena, struct run_settings *out, struct err *err)
{
    yyjson_doc *doc;
    int rc;

    *out = (struct run_settings){ 0 };
    for (uint32_t i = 0; i < LIMIT_COUNT; i++) {
        *limit_of(out, (enum limit)i) = limits_about[i].builtin_ms;
    }
    rc = json_read(json, &doc, err);
    if (rc != 0) return rc;
    rc = read_settings(yyjson_doc_get_root(doc), arena, out, err);
    yyjson_doc_free(doc);
    return rc;
}

const char *settings_agent(const struct run_settings *settings, const char *role)
{
    const char *others = NULL;

    for (uint32_t i = settings->agent_count; i-- > 0;) {
        const struct agent_setting *agent = &settings->agents[i];

        if (agent->chosen) continue;
        if (strcmp(agent->role, role) == 0) return agent->spec;
        if (!others && strcmp(agent->role, "*") == 0) others = agent->spec;
    }
    return others;
}

const char *settings_chosen(const struct run_settings *settings, const char *role)
{
    for (uint32_t i = 0; i < settings->agent_count; i++) {
        const struct agent_setting *agent = &settings->agents[i];
        if (agent->chosen && strcmp(agent->role, role) == 0) return agent->spec;
    }
    return NULL;
}

const char *settings_key(const struct run_settings *settings, const char *role, uint32_t copy,
                         struct arena *arena)
{
    const char *copies = copy > 0 ? arena_printf(arena, "%s copies", role) : role;

    for (uint32_t i = 0; i < settings->agent_count; i++) {
        if (strcmp(settings->agents[i].role, copies) == 0) return copies;
    }
    return role;
}

const char *settings_spec(const struct run_settings *settings, const struct dialect *dialect,
                          const char *role, uint32_t copy, struct arena *arena)
{
    const struct dialect_casting *casting = dialect->casting;
    const char *spec = settings_agent(settings, settings_key(settings, role, copy, arena));

    if (!spec && casting) spec = casting->agent(&settings->options, role, copy, arena);
    return spec ? spec : settings_chosen(settings, role);
}

const char *settings_own_effort(const struct run_settings *settings, const struct dialect *dialect,
                                const char *role, uint32_t copy, struct arena *arena)
{
    const struct dialect_casting *casting = dialect->casting;
    bool file;

    if (!casting || !casting->effort || settings_agent(settings, role)) return NULL;
    file = casting->agent(&settings->options, role, copy, arena);
    if (!file && settings_chosen(settings, role)) return NULL;
    return casting->effort(&settings->options, role, copy, !file, arena);
}

const char *settings_effort(const struct run_settings *settings, const char *role)
{
    const char *others = NULL;

    for (uint32_t i = settings->effort_count; i-- > 0;) {
        const struct effort_setting *item = &settings->efforts[i];

        if (strcmp(item->role, role) == 0) return item->effort;
        if (!others && strcmp(item->role, "*") == 0) others = item->effort;
    }
    return others;
}

/* ---- until what ---- */

const char *const until_words[] = { "lean", "settled", "thorough", "seed", "clean", NULL };

const char *settings_eye(const struct run_settings *settings, uint32_t nth, struct arena *arena)
{
    struct str rest = str_of(settings->eyes), line;

    while (nth > 0 && str_cut(&rest, '\n', &line)) {
        if (--nth == 0) return arena_cstr(arena, line);
    }
    return NULL;
}

/* A number for each look; what is no such number leaves the guess. */
static void read_missed(struct str text, struct plan *out)
{
    struct str word;
    uint64_t share;

    for (uint32_t i = 0; i < MEASURE_LOOKS && str_cut(&text, ' ', &word); i++) {
        if (str_number(word, &share) && share <= MISSED_MAX) out->missed[i] = (uint32_t)share;
    }
}

int settings_plan(const struct run_settings *settings, const struct dialect *dialect,
                  struct arena *arena, struct plan *out, struct err *err)
{
    struct str until = str_of(settings->until);
    const struct policy *policy = policy_find(until);
    uint32_t eyes = 1;
    int rc = dialect->plan(&settings->options, arena, out, err);

    if (rc != 0) return rc;
    if (until.size > 0 && !policy && !str_is(until, "seed")) {
        return err_set(err, ERR_USAGE, "until: there is no policy '%.60s'", settings->until);
    }
    while (settings_eye(settings, eyes, arena)) eyes++;
    read_missed(str_of(settings->missed), out);
    if (settings->no_fix) plan_leave(out, arena);
    else if (policy) plan_until(out, policy, eyes, arena);
    if (!settings->no_fix && policy && settings->test && *settings->test) {
        plan_prove(out, "prover", arena);
    }
    return 0;
}
