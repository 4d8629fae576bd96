/* SPDX-License-Identifier: Apache-2.0
 *
 * notation.c - a loop file to a plan, with everything that is wrong with it.
 *
 * The tree of the file (format/text/yaml_tree.h) is walked once, in four steps: the roles, so that
 * phases can name them; the phases; the tasks; and then what only shows in the whole: who does
 * what, which gate cannot pass, which phase cannot be reached, what lanes cannot have. Each mistake
 * is a problem with its line; what could not be read counts as not said, so that one mistake is
 * told once.
 *
 * 1. Every key is known, or refused with the nearest one that is.
 * 2. Every loop has a bound: a gate that repairs says how often, or the file says until what all
 *    gates go on; a gate that restarts wants `restarts`.
 * 3. Where no problem was added plan_problem() has none either: what it would say and this file
 *    does not say better is added as a problem of the phases.
 * 4. Nothing here depends on options: what these add is the settings' business.
 * 5. Lanes begin at the commit that the run began at, and are merged when they have passed. So
 *    nothing before them writes, and no gate behind them has them look again. */
#include "dialect/custom/custom.h"

#include "base/byte.h"
#include "core/budget.h"
#include "format/text/budget_text.h"
#include "format/text/safe.h"
#include "format/text/yaml_tree.h"

#include <assert.h>
#include <string.h>

enum { RETRY_PAUSE_MS = 1000, SHOWN_BYTES_MAX = 60, LINE_BYTES_MAX = 200, FOLDER_BYTES_MAX = 200,
       REMIT_BYTES_MAX = 32 << 10 };

const char *const custom_reader_words[CUSTOM_READER_COUNT] = {
    [CUSTOM_FINDINGS] = "findings", [CUSTOM_GRADE] = "grade", [CUSTOM_VERDICT] = "verdict",
    [CUSTOM_TEXT] = "text", [CUSTOM_EXIT] = "exit",
};

/* What a role is asked to do in the phases. */
enum job_bit {
    DOES_WORK = 1, DOES_REVIEW = 2, DOES_REPAIR = 4, DOES_THEN = 8, DOES_CHECK = 16,
    DOES_CHECKPOINT = 32, DOES_MERGE = 64,
    DOES_LOOK = DOES_REVIEW | DOES_CHECK | DOES_CHECKPOINT,
};

enum { NO_PHASE = UINT32_MAX };

struct loop_reader {
    struct arena *arena;
    struct check_report *report;
    struct loop *loop;
    struct role *roles;            /* of the plan, in the order of the file; 0 is none */
    uint32_t role_count;
    uint32_t jobs[LOOP_ROLES_MAX + 1]; /* bits of enum job_bit */
    bool writes_said[LOOP_ROLES_MAX + 1];
    struct phase *phases;
    uint32_t phase_count;
    uint32_t *phase_lines;
    const char *stages[LOOP_STAGES_MAX + 1];
    uint32_t stage_count;
    bool until;
    uint32_t restarts_line;        /* 0: the file does not say it */
    uint32_t fan;                  /* the phase that has lanes; NO_PHASE: none has */
};

/* ---- values ---- */

static const char *shown(const struct loop_reader *reader, struct str word)
{
    return safe_copy(reader->arena, word, SHOWN_BYTES_MAX);
}

/* The nearest of some words; NULL: none is near. */
static const char *nearest(struct str word, const char *const *words)
{
    uint32_t best = word.size > 5 ? 4 : word.size > 2 ? 3 : (uint32_t)word.size;
    const char *found = NULL;

    for (; word.size <= SHOWN_BYTES_MAX && *words; words++) {
        uint32_t distance = str_distance(word, str_of(*words));

        if (distance >= best) continue;
        best = distance;
        found = *words;
    }
    return found;
}

static const char *list_words(const char *const *words, struct arena *arena)
{
    const char *list = "";

    for (uint32_t i = 0; words[i]; i++) {
        list = arena_printf(arena, "%s%s%s", list, !i ? "" : words[i + 1] ? ", " : " and ",
                            words[i]);
    }
    return list;
}

/* What there is in place of a word that is not known: "did you mean 'gate'?". */
static const char *instead(const struct loop_reader *reader, struct str word,
                           const char *const *words)
{
    const char *near = nearest(word, words);

    if (near) return arena_printf(reader->arena, "did you mean '%s'?", near);
    return arena_printf(reader->arena, "there are %s", list_words(words, reader->arena));
}

/* Whether the node is a mapping, and tells of its keys that are not known. */
static bool is_map(struct loop_reader *reader, const struct yaml_node *node, const char *what,
                   const char *const *keys)
{
    if (node->kind != YAML_MAP) {
        check_report_add(reader->report, "not-a-mapping", node->line,
                         "%s is a mapping: %s", what, list_words(keys, reader->arena));
        return false;
    }
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t k = 0;

        while (keys[k] && !str_is(node->keys[i], keys[k])) k++;
        if (keys[k]) continue;
        check_report_add(reader->report, "unknown-key", node->key_lines[i],
                         "%s has no key '%s'; %s", what, shown(reader, node->keys[i]),
                         instead(reader, node->keys[i], keys));
    }
    return true;
}

/* One line of text that says something; NULL: the key is not there, or it is told. */
static const char *text_at(struct loop_reader *reader, const struct yaml_node *map,
                           const char *key, size_t bytes_max)
{
    const struct yaml_node *node = yaml_get(map, key);
    bool lines = bytes_max > LINE_BYTES_MAX;

    if (!node) return NULL;
    if (node->kind != YAML_TEXT || str_trim(node->text).size == 0) {
        check_report_add(reader->report, "bad-value", node->line, "%s is a text that is not empty",
                         key);
    } else if (node->text.size > bytes_max) {
        check_report_add(reader->report, "too-long", node->line, "%s has more than %zu bytes", key,
                         bytes_max);
    } else if (!lines && str_has(str_trim(node->text), '\n')) {
        check_report_add(reader->report, "bad-value", node->line, "%s is one line", key);
    } else {
        return arena_cstr(reader->arena, lines ? node->text : str_trim(node->text));
    }
    return NULL;
}

/* The number of the word; otherwise where the key is not there, or told. */
static uint32_t word_at(struct loop_reader *reader, const struct yaml_node *map, const char *key,
                        const char *const *words, uint32_t otherwise)
{
    const struct yaml_node *node = yaml_get(map, key);

    if (!node) return otherwise;
    for (uint32_t i = 0; node->kind == YAML_TEXT && words[i]; i++) {
        if (str_is(node->text, words[i])) return i;
    }
    if (node->kind == YAML_TEXT) {
        check_report_add(reader->report, "bad-value", node->line, "%s: '%s' is none of its words; "
                         "%s", key, shown(reader, node->text), instead(reader, node->text, words));
    } else {
        check_report_add(reader->report, "bad-value", node->line, "%s is one word: %s", key,
                         list_words(words, reader->arena));
    }
    return otherwise;
}

static uint32_t number_at(struct loop_reader *reader, const struct yaml_node *map,
                          const char *key, uint32_t least, uint32_t most, uint32_t otherwise)
{
    const struct yaml_node *node = yaml_get(map, key);
    uint64_t number;

    if (!node) return otherwise;
    if (node->kind == YAML_TEXT && node->plain && str_number(node->text, &number) &&
        number >= least && number <= most) {
        return (uint32_t)number;
    }
    check_report_add(reader->report, "bad-value", node->line,
                     "%s is a whole number from %u to %u%s%s", key, (unsigned)least, (unsigned)most,
                     node->kind == YAML_TEXT ? ", not " : "",
                     node->kind == YAML_TEXT ? shown(reader, node->text) : "");
    return otherwise;
}

static bool switch_at(struct loop_reader *reader, const struct yaml_node *map, const char *key,
                      bool otherwise)
{
    static const char *const words[] = { "false", "true", NULL };

    return word_at(reader, map, key, words, otherwise) == 1;
}

bool loop_name_ok(struct str name)
{
    if (name.size == 0 || name.size > LOOP_NAME_BYTES_MAX || name.data[0] == '-') return false;
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.data[i];

        if (!byte_is_small(byte) && !byte_is_digit(byte) && byte != '-') return false;
    }
    return true;
}

/* A phase may be called as dialects call theirs: R1, 3, planning. */
static bool phase_name_ok(struct str name)
{
    if (name.size == 0 || name.size > LOOP_NAME_BYTES_MAX || name.data[0] == '-') return false;
    for (size_t i = 0; i < name.size; i++) {
        if (!byte_is_alnum(name.data[i]) && name.data[i] != '-') return false;
    }
    return true;
}

/* ---- roles ---- */

static const char *const role_keys[] = {
    "remit", "role", "run", "commit", "merge", "answers", "writes", "commits", "confined",
    "ask-when-dead", "retries", "agent", "effort", NULL,
};
static const char *const kind_keys[CUSTOM_KIND_COUNT + 1] = {
    [CUSTOM_REMIT] = "remit", [CUSTOM_NAMED] = "role", [CUSTOM_RUN] = "run",
    [CUSTOM_COMMIT] = "commit", [CUSTOM_MERGE] = "merge",
};
static const char *const reader_list[CUSTOM_READER_COUNT + 1] = { "findings", "grade", "verdict",
                                                               "text", "exit" };

/* What plays it: one of five keys, and no more. */
static void kind_read(struct loop_reader *reader, const struct yaml_node *node, const char *name,
                      struct custom_role *own)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < CUSTOM_KIND_COUNT; i++) {
        bool is_text = i == CUSTOM_REMIT;
        const char *text = text_at(reader, node, kind_keys[i],
                                   is_text ? REMIT_BYTES_MAX : LINE_BYTES_MAX);

        count += yaml_get(node, kind_keys[i]) != NULL;
        if (!text) continue;
        own->kind = (enum custom_kind)i;
        own->text = text;
    }
    if (count == 0) {
        check_report_add(reader->report, "missing-key", own->line, "role %s: say what plays it: "
                         "remit (a text for an agent), role (a role's name), run (a command), "
                         "commit or merge (a message)", name);
    } else if (count > 1) {
        check_report_add(reader->report, "too-many-keys", own->line, "role %s: remit, role, "
                         "run, commit and merge exclude each other", name);
    } else if (own->text && own->kind == CUSTOM_NAMED && !loop_name_ok(str_of(own->text))) {
        check_report_add(reader->report, "bad-name", own->line, "role %s: '%s' cannot be the name "
                         "of a role: small letters, digits and '-', at most %d", name,
                         shown(reader, str_of(own->text)), LOOP_NAME_BYTES_MAX);
    }
}

static void rights_read(struct loop_reader *reader, const struct yaml_node *node, uint32_t index)
{
    static const char *const retry_keys[] = { "invalid", "failed", NULL };
    const struct custom_role *own = &reader->loop->roles[index];
    const struct yaml_node *retries = yaml_get(node, "retries");
    struct role *role = &reader->roles[index];
    bool agent = own->kind == CUSTOM_REMIT || own->kind == CUSTOM_NAMED;

    role->builtin = !agent;
    role->writes = !agent || switch_at(reader, node, "writes", false);
    reader->writes_said[index] = yaml_get(node, "writes") != NULL;
    role->commits = switch_at(reader, node, "commits", false);
    role->confined = switch_at(reader, node, "confined", false);
    role->ask_when_dead = switch_at(reader, node, "ask-when-dead", false);
    role->invalid_max = role->failed_max = agent;
    if (!retries || !is_map(reader, retries, "retries", retry_keys)) return;
    role->invalid_max = number_at(reader, retries, "invalid", 0, LOOP_RETRIES_MAX, agent);
    role->failed_max = number_at(reader, retries, "failed", 0, LOOP_RETRIES_MAX, agent);
}

/* What only agents have, and what does not fit together. */
static void role_check(struct loop_reader *reader, const struct yaml_node *node, uint32_t index)
{
    static const char *const of_agents[] = { "answers", "writes", "commits", "confined", "agent",
                                             "effort", NULL };
    const struct custom_role *own = &reader->loop->roles[index];
    const struct role *role = &reader->roles[index];

    if (role->builtin) {
        for (uint32_t i = 0; of_agents[i]; i++) {
            bool fits = i == 0 && own->kind == CUSTOM_RUN && own->reader == CUSTOM_EXIT;

            if (!yaml_get(node, of_agents[i]) || fits) continue;
            check_report_add(reader->report, "no-agent", own->line, "role %s: hone does this "
                             "itself, so there is no %s", role->name, of_agents[i]);
        }
    } else if (own->reader == CUSTOM_EXIT) {
        check_report_add(reader->report, "bad-value", own->line, "role %s: an agent has no exit "
                         "code that is judged; answers is findings, grade, verdict or text",
                         role->name);
    }
    if (role->commits && !role->builtin && reader->writes_said[index] && !role->writes) {
        check_report_add(reader->report, "bad-value", own->line, "role %s: it cannot commit and "
                         "not write", role->name);
    }
}

static void role_read(struct loop_reader *reader, struct str key, const struct yaml_node *node,
                      uint32_t line)
{
    uint32_t index = reader->role_count;
    struct custom_role *own = &reader->loop->roles[index];
    const char *name = shown(reader, key);

    if (!loop_name_ok(key)) {
        check_report_add(reader->report, "bad-name", line, "'%s' cannot be the name of a role: "
                         "small letters, digits and '-', at most %d", name, LOOP_NAME_BYTES_MAX);
    }
    reader->roles[index].name = arena_cstr(reader->arena, key);
    own->line = line;
    reader->role_count++;
    if (!is_map(reader, node, "a role", role_keys)) {
        own->text = "";
        return;
    }
    kind_read(reader, node, name, own);
    own->reader = (enum custom_reader)word_at(reader, node, "answers", reader_list,
                                           own->kind == CUSTOM_RUN ? CUSTOM_EXIT : CUSTOM_TEXT);
    own->agent = text_at(reader, node, "agent", LINE_BYTES_MAX);
    own->effort = text_at(reader, node, "effort", SHOWN_BYTES_MAX);
    rights_read(reader, node, index);
    role_check(reader, node, index);
    if (!own->text) own->text = "";
}

static void roles_read(struct loop_reader *reader, const struct yaml_node *node)
{
    if (node->kind != YAML_MAP || node->count == 0) {
        check_report_add(reader->report, "not-a-mapping", node->line, "roles is a mapping: the "
                         "name of each role, and what it is");
        return;
    }
    if (node->count > LOOP_ROLES_MAX) {
        check_report_add(reader->report, "too-many", node->line, "there are more than %d roles",
                         LOOP_ROLES_MAX);
        return;
    }
    for (uint32_t i = 0; i < node->count; i++) {
        role_read(reader, node->keys[i], node->items[i], node->key_lines[i]);
    }
}

/* The role that a node names, for a job; ROLE_NONE where that is told. */
static uint16_t role_named(struct loop_reader *reader, const struct yaml_node *node,
                           enum job_bit job)
{
    const char **names;

    if (node->kind != YAML_TEXT) {
        check_report_add(reader->report, "bad-value", node->line, "this is the name of a role");
        return ROLE_NONE;
    }
    for (uint32_t i = 1; i < reader->role_count; i++) {
        if (!str_is(node->text, reader->roles[i].name)) continue;
        reader->jobs[i] |= job;
        return (uint16_t)i;
    }
    if (reader->role_count == 1) return ROLE_NONE; /* that there are none is told */
    names = arena_alloc(reader->arena, reader->role_count * sizeof *names);
    for (uint32_t i = 1; i < reader->role_count; i++) names[i - 1] = reader->roles[i].name;
    check_report_add(reader->report, "unknown-role", node->line, "there is no role '%s'; %s",
                     shown(reader, node->text), instead(reader, node->text, names));
    return ROLE_NONE;
}

static uint16_t role_at(struct loop_reader *reader, const struct yaml_node *map, const char *key,
                        enum job_bit job)
{
    const struct yaml_node *node = yaml_get(map, key);

    return node ? role_named(reader, node, job) : ROLE_NONE;
}

/* ---- stages ---- */

/* Bits of the stages that a list names; mint: it makes them. */
static uint32_t stages_at(struct loop_reader *reader, const struct yaml_node *map,
                          const char *key, bool mint)
{
    const struct yaml_node *list = yaml_get(map, key);
    uint32_t bits = 0;

    if (!list) return 0;
    if (list->kind != YAML_LIST || list->count == 0) {
        check_report_add(reader->report, "bad-value", list->line, "%s is a list of names", key);
        return 0;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        struct str name = list->items[i]->text;
        uint32_t at = 0;

        while (at < reader->stage_count && !str_is(name, reader->stages[at])) at++;
        if (!loop_name_ok(name) || (at == LOOP_STAGES_MAX && mint)) {
            check_report_add(reader->report, "bad-name", list->items[i]->line, "'%s' cannot be the "
                             "name of a stage, or there are more than %d", shown(reader, name),
                             LOOP_STAGES_MAX);
        } else if (at == reader->stage_count && !mint) {
            check_report_add(reader->report, "unknown-stage", list->items[i]->line, "no gate "
                             "before this phase mints '%s'", shown(reader, name));
        } else {
            if (at == reader->stage_count) {
                reader->stages[reader->stage_count++] = arena_cstr(reader->arena, name);
            }
            bits |= UINT32_C(1) << at;
        }
    }
    return bits;
}

/* ---- gates ---- */

static const char *const gate_keys[] = {
    "reviewers", "pass", "votes", "or", "on-fail", "repair", "repairs", "at-bound", "recheck",
    "mints", "checker", "repeats", NULL,
};
static const char *const fail_words[] = {
    [FAIL_REPAIR] = "repair", [FAIL_RESTART] = "restart", [FAIL_PROCEED] = "proceed",
    [FAIL_STOP] = "stop", NULL,
};
static const char *const bound_words[] = {
    [BOUND_STOP] = "stop", [BOUND_ASK] = "ask", [BOUND_ESCALATE] = "escalate",
    [BOUND_RESTART] = "restart", [BOUND_PROCEED] = "proceed", [BOUND_STUCK] = "stuck", NULL,
};
static const char *const stuck_words[] = {
    [STUCK_REPAIRED] = "repaired", [STUCK_ASK] = "ask", [STUCK_REST] = "rest", NULL,
};

static void gate_reviewers_read(struct loop_reader *reader, const struct yaml_node *node,
                                struct gate *gate)
{
    const struct yaml_node *list = yaml_get(node, "reviewers");
    uint16_t *reviewers;

    if (!list || list->kind != YAML_LIST || list->count == 0 ||
        list->count > LOOP_REVIEWERS_MAX) {
        check_report_add(reader->report, list ? "bad-value" : "missing-key",
                         list ? list->line : node->line, "a gate has reviewers: a list of 1 to %d "
                         "roles", LOOP_REVIEWERS_MAX);
        return;
    }
    reviewers = arena_alloc(reader->arena, list->count * sizeof *reviewers);
    for (uint32_t i = 0; i < list->count; i++) {
        uint16_t role = role_named(reader, list->items[i], DOES_REVIEW);

        for (uint32_t k = 0; role != ROLE_NONE && k < gate->reviewer_count; k++) {
            if (reviewers[k] != role) continue;
            check_report_add(reader->report, "twice", list->items[i]->line, "%s reviews here "
                             "already", reader->roles[role].name);
            role = ROLE_NONE;
        }
        if (role != ROLE_NONE) reviewers[gate->reviewer_count++] = role;
    }
    gate->reviewers = reviewers;
}

/* Whether one of the reviewers answers so. */
static bool gate_has_reader(const struct loop_reader *reader, const struct gate *gate,
                            enum custom_reader wanted)
{
    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        if (reader->loop->roles[gate->reviewers[i]].reader == wanted) return true;
    }
    return false;
}

static void pass_read(struct loop_reader *reader, const struct yaml_node *node,
                      const struct gate *gate, struct custom_pass *pass)
{
    static const char *const keys[] = { "severity", "grade", "verdict", "exit", NULL };
    static const enum custom_reader readers[] = { CUSTOM_FINDINGS, CUSTOM_GRADE, CUSTOM_VERDICT,
                                                  CUSTOM_EXIT };
    static const char *const severities[] = { "low", "medium", "high", NULL };
    static const char *const grades[] = { "PASS", "WARN", NULL };
    static const char *const verdicts[] = { "APPROVE", NULL };
    static const char *const exits[] = { "zero", "nonzero", NULL };
    const struct yaml_node *rule = yaml_get(node, "pass");

    if (!rule || !is_map(reader, rule, "pass", keys)) return;
    for (uint32_t i = 0; keys[i]; i++) {
        if (!yaml_get(rule, keys[i]) || gate->reviewer_count == 0) continue;
        if (gate_has_reader(reader, gate, readers[i])) continue;
        check_report_add(reader->report, "cannot-pass", rule->line, "pass asks for %s, and no "
                         "reviewer here answers with %s", keys[i], reader_list[readers[i]]);
    }
    pass->severity = (enum severity)word_at(reader, rule, "severity", severities, SEVERITY_LOW);
    pass->grade = (enum grade)word_at(reader, rule, "grade", grades, GRADE_PASS);
    (void)word_at(reader, rule, "verdict", verdicts, 0);
    pass->nonzero = word_at(reader, rule, "exit", exits, 0) == 1;
}

static void repair_read(struct loop_reader *reader, const struct yaml_node *node,
                        struct phase *phase)
{
    static const char *const keys[] = { "role", "name", "then", "when-stuck", NULL };
    const struct yaml_node *rule = yaml_get(node, "repair");
    struct repair *repair = &phase->gate.repair;

    if (!rule) return;
    if (rule->kind == YAML_TEXT) { /* the role alone */
        repair->role = role_named(reader, rule, DOES_REPAIR);
        return;
    }
    if (!is_map(reader, rule, "repair", keys)) return;
    if (!yaml_get(rule, "role")) {
        check_report_add(reader->report, "missing-key", rule->line, "repair wants a role");
    }
    repair->role = role_at(reader, rule, "role", DOES_REPAIR);
    repair->then = role_at(reader, rule, "then", DOES_THEN);
    repair->on_stuck = (enum on_stuck)word_at(reader, rule, "when-stuck", stuck_words,
                                              STUCK_REPAIRED);
    phase->repair_name = text_at(reader, rule, "name", LOOP_NAME_BYTES_MAX);
    if (phase->repair_name && !phase_name_ok(str_of(phase->repair_name))) {
        check_report_add(reader->report, "bad-name", rule->line, "'%s' cannot be the name of a "
                         "repair: letters, digits and '-'", shown(reader,
                                                                  str_of(phase->repair_name)));
        phase->repair_name = NULL;
    }
}

/* How often it repairs: said, or bounded by the policy. */
static void repairs_read(struct loop_reader *reader, const struct yaml_node *node,
                         struct gate *gate)
{
    const struct yaml_node *said = yaml_get(node, "repairs");

    if (said && said->kind == YAML_TEXT && str_is(said->text, "none")) {
        check_report_add(reader->report, "endless", said->line, "a gate that repairs without a "
                         "bound may never end: say how often, from 0 to %d", LOOP_REPAIRS_MAX);
        return;
    }
    gate->repair_max = number_at(reader, node, "repairs", 0, LOOP_REPAIRS_MAX, 0);
    gate->bound_said = said != NULL;
    if (gate->on_fail == FAIL_REPAIR && !said && !reader->until) {
        check_report_add(reader->report, "missing-bound", node->line, "this gate repairs and does "
                         "not say how often: add repairs: 3");
    }
    if (gate->on_fail != FAIL_REPAIR && said) {
        check_report_add(reader->report, "bad-value", said->line, "this gate does not repair, so "
                         "it has no repairs");
    }
}

static void votes_read(struct loop_reader *reader, const struct yaml_node *node, struct gate *gate)
{
    static const char *const words[] = { "evidence", NULL };
    const struct yaml_node *votes = yaml_get(node, "votes"), *other = yaml_get(node, "or");

    gate->votes_min = number_at(reader, node, "votes", 2, LOOP_REVIEWERS_MAX, 0);
    gate->votes_or_evidence = word_at(reader, node, "or", words, 1) == 0;
    if (other && !votes) {
        check_report_add(reader->report, "bad-value", other->line, "or goes with votes");
        gate->votes_or_evidence = false;
    }
    if (votes && gate->votes_min > gate->reviewer_count && gate->reviewer_count > 0) {
        check_report_add(reader->report, "cannot-fail", votes->line, "there are fewer reviewers "
                         "than votes, so nothing would ever be repaired");
        gate->votes_min = 0;
    }
    if (votes && reader->until) {
        check_report_add(reader->report, "bad-value", votes->line, "votes and until exclude each "
                         "other: a policy has one reviewer look again");
        gate->votes_min = 0;
    }
}

/* The phase that looks again: the last of that name, up to this one. */
static uint32_t recheck_at(struct loop_reader *reader, const struct yaml_node *node,
                           uint32_t index)
{
    const struct yaml_node *name = yaml_get(node, "recheck");

    if (!name) return index;
    for (uint32_t i = index + 1; name->kind == YAML_TEXT && i-- > 0;) {
        if (reader->phases[i].name && str_is(name->text, reader->phases[i].name)) return i;
    }
    check_report_add(reader->report, "unknown-phase", name->line, "recheck names a phase before "
                     "this one, or this one; there is none that is called '%s'",
                     shown(reader, name->text));
    return index;
}

static void gate_read(struct loop_reader *reader, const struct yaml_node *node, uint32_t index)
{
    struct phase *phase = &reader->phases[index];
    struct gate *gate = &phase->gate;

    if (!is_map(reader, node, "a gate", gate_keys)) return;
    gate_reviewers_read(reader, node, gate);
    pass_read(reader, node, gate, &reader->loop->passes[index]);
    repair_read(reader, node, phase);
    gate->on_fail = (enum on_fail)word_at(reader, node, "on-fail", fail_words,
                                          yaml_get(node, "repair") ? FAIL_REPAIR : FAIL_STOP);
    gate->at_bound = (enum at_bound)word_at(reader, node, "at-bound", bound_words,
                                            phase->fan ? BOUND_STUCK : BOUND_STOP);
    if (gate->at_bound == BOUND_STUCK && !phase->fan) {
        check_report_add(reader->report, "bad-value", yaml_get(node, "at-bound")->line, "at-bound: "
                         "only the lane of a task can be left stuck, and this phase has no lanes");
    }
    repairs_read(reader, node, gate);
    votes_read(reader, node, gate);
    gate->recheck = recheck_at(reader, node, index);
    gate->mints = stages_at(reader, node, "mints", true);
    gate->checker = role_at(reader, node, "checker", DOES_CHECK);
    gate->repeat_max = number_at(reader, node, "repeats", 2, LOOP_REPAIRS_MAX, 0);
    if (gate->on_fail == FAIL_REPAIR && !yaml_get(node, "repair")) {
        check_report_add(reader->report, "missing-key", node->line, "this gate repairs: say who, "
                         "as in repair: fixer");
    }
}

/* ---- phases ---- */

static const char *const phase_keys[] = { "name", "work", "gate", "needs", "lanes", NULL };

/* How often it is done until it says that it is complete, and who looks meanwhile. */
static void again_read(struct loop_reader *reader, const struct yaml_node *node,
                       struct phase *phase)
{
    static const char *const keys[] = { "role", "every", NULL };
    const struct yaml_node *again = yaml_get(node, "again");
    const struct yaml_node *point = yaml_get(node, "checkpoint");
    uint32_t line = again ? again->line : node->line;
    struct work *work = &phase->work;

    work->run_max = number_at(reader, node, "again", 1, LOOP_AGAIN_MAX, 0);
    if ((again || point) && !phase->fan) {
        check_report_add(reader->report, "no-lanes", line, "only the lane of a task repeats its "
                         "work: say lanes at this phase, or leave %s out",
                         again ? "again" : "checkpoint");
        work->run_max = 0;
    } else if (work->run_max > 0 && work->copies > 1) {
        check_report_add(reader->report, "bad-value", line, "again and copies exclude each other: "
                         "what is repeated is done by one agent");
    } else if (work->run_max > 0 && work->role != ROLE_NONE && reader->roles[work->role].builtin) {
        check_report_add(reader->report, "no-agent", line, "hone does '%s' itself, once: "
                         "again is for agents, which say when a task is complete",
                         reader->roles[work->role].name);
    }
    if (!point || !is_map(reader, point, "checkpoint", keys)) return;
    work->checkpoint_role = role_at(reader, point, "role", DOES_CHECKPOINT);
    work->checkpoint_every = number_at(reader, point, "every", 1, LOOP_AGAIN_MAX, 1);
    if (!yaml_get(point, "role")) {
        check_report_add(reader->report, "missing-key", point->line, "checkpoint wants a role");
    }
    if (!again) {
        check_report_add(reader->report, "missing-key", point->line, "a checkpoint looks between "
                         "two runs of the work: say how often it is done, as in again: 10");
    }
}

static void work_read(struct loop_reader *reader, const struct yaml_node *node,
                      struct phase *phase)
{
    static const char *const keys[] = { "role", "copies", "again", "checkpoint", NULL };
    struct work *work = &phase->work;

    work->copies = 1;
    if (node->kind == YAML_TEXT) { /* the role alone */
        work->role = role_named(reader, node, DOES_WORK);
        return;
    }
    if (!is_map(reader, node, "work", keys)) return;
    if (!yaml_get(node, "role")) {
        check_report_add(reader->report, "missing-key", node->line, "work wants a role");
    }
    work->role = role_at(reader, node, "role", DOES_WORK);
    work->copies = number_at(reader, node, "copies", 1, LOOP_COPIES_MAX, 1);
    again_read(reader, node, phase);
}

/* The phase has a lane for each task. */
static void lanes_read(struct loop_reader *reader, const struct yaml_node *node, uint32_t index)
{
    static const char *const keys[] = { "at-once", "integrate", NULL };
    struct plan *plan = &reader->loop->plan;

    reader->phases[index].fan = true;
    if (reader->fan != NO_PHASE) {
        check_report_add(reader->report, "twice", node->line, "the phase '%s' has lanes already, "
                         "and a loop has them once", reader->phases[reader->fan].name);
        return;
    }
    reader->fan = index;
    plan->lane_max = LOOP_LANES_USUAL;
    if (node->kind == YAML_TEXT) { /* the role alone */
        plan->integrate = role_named(reader, node, DOES_MERGE);
        return;
    }
    if (!is_map(reader, node, "lanes", keys)) return;
    plan->lane_max = number_at(reader, node, "at-once", 1, LOOP_LANES_MAX, LOOP_LANES_USUAL);
    plan->integrate = role_at(reader, node, "integrate", DOES_MERGE);
    if (!yaml_get(node, "integrate")) {
        check_report_add(reader->report, "missing-key", node->line, "lanes want a role that merges "
                         "them: integrate: merger, and merger: {merge: a message} among the roles");
    }
}

/* Two phases of one name are one step in two: the first has no gate, the second is right behind. */
static void phase_name_read(struct loop_reader *reader, const struct yaml_node *node,
                            uint32_t index)
{
    const char *name = text_at(reader, node, "name", LOOP_NAME_BYTES_MAX);
    struct phase *phase = &reader->phases[index];

    if (!yaml_get(node, "name")) {
        check_report_add(reader->report, "missing-key", node->line, "a phase wants a name");
    }
    phase->name = "";
    if (!name) return;
    if (!phase_name_ok(str_of(name))) {
        check_report_add(reader->report, "bad-name", node->line, "'%s' cannot be the name of a "
                         "phase: letters, digits and '-', at most %d",
                         shown(reader, str_of(name)), LOOP_NAME_BYTES_MAX);
        return;
    }
    for (uint32_t i = 0; i < index; i++) {
        bool one_step = i + 1 == index && reader->phases[i].gate.reviewer_count == 0;

        if (strcmp(reader->phases[i].name, name) != 0 || one_step) continue;
        check_report_add(reader->report, "twice", node->line, "there is a phase '%s' already",
                         name);
        return;
    }
    phase->name = name;
}

static void phase_read(struct loop_reader *reader, const struct yaml_node *node, uint32_t index)
{
    struct phase *phase = &reader->phases[index];
    const struct yaml_node *work, *gate, *lanes;

    phase->name = "";
    phase->gate.recheck = index;
    reader->phase_lines[index] = node->line;
    if (!is_map(reader, node, "a phase", phase_keys)) return;
    phase_name_read(reader, node, index);
    work = yaml_get(node, "work");
    gate = yaml_get(node, "gate");
    lanes = yaml_get(node, "lanes");
    phase->needs = stages_at(reader, node, "needs", false);
    if (lanes) lanes_read(reader, lanes, index);
    if (work) work_read(reader, work, phase);
    if (gate) gate_read(reader, gate, index);
    if (!work && !gate) {
        check_report_add(reader->report, "empty-phase", node->line, "a phase has work, a gate, or "
                         "both");
    }
}

static void phases_read(struct loop_reader *reader, const struct yaml_node *node)
{
    if (node->kind != YAML_LIST || node->count == 0 || node->count > LOOP_PHASES_MAX) {
        check_report_add(reader->report, "bad-value", node->line, "phases is a list of 1 to %d",
                         LOOP_PHASES_MAX);
        return;
    }
    reader->phase_count = node->count;
    for (uint32_t i = 0; i < node->count; i++) phase_read(reader, node->items[i], i);
}

/* ---- the whole ---- */

static bool is_done_by_git(const struct custom_role *own)
{
    return own->kind == CUSTOM_COMMIT || own->kind == CUSTOM_MERGE;
}

/* Lanes are merged by hone, and a role that merges does nothing else. */
static void merges_check(struct loop_reader *reader, uint32_t index)
{
    const struct custom_role *own = &reader->loop->roles[index];
    const char *name = reader->roles[index].name;
    uint32_t others = reader->jobs[index] & ~(uint32_t)(DOES_MERGE | DOES_LOOK);

    if ((reader->jobs[index] & DOES_MERGE) && own->kind != CUSTOM_MERGE) {
        check_report_add(reader->report, "bad-value", own->line, "the role '%s' integrates lanes, "
                         "which hone does itself: %s: {merge: a message}", name, name);
    } else if (own->kind == CUSTOM_MERGE && others) {
        check_report_add(reader->report, "bad-value", own->line, "the role '%s' merges lanes, and "
                         "does nothing else: name it as integrate", name);
    }
}

/* A role that reviews only reads; one that works or repairs writes, unless the file says no. */
static void jobs_check(struct loop_reader *reader, uint32_t index)
{
    uint32_t jobs = reader->jobs[index];
    const struct custom_role *own = &reader->loop->roles[index];
    struct role *role = &reader->roles[index];
    bool looks = jobs & DOES_LOOK, makes = jobs & ~(uint32_t)DOES_LOOK;

    if (jobs == 0) {
        check_report_add(reader->report, "unused-role", own->line, "no phase has a job for the "
                         "role '%s'", role->name);
    } else if (looks && makes && !role->builtin) {
        check_report_add(reader->report, "two-jobs", own->line, "the role '%s' reviews, and works "
                         "or repairs as well: a role that reviews may not write, so give each job "
                         "a role", role->name);
    } else if (looks && !role->builtin && role->writes) {
        check_report_add(reader->report, "writes", own->line, "the role '%s' reviews, so it may "
                         "not write", role->name);
    }
    merges_check(reader, index);
    if (looks && own->reader == CUSTOM_TEXT && !is_done_by_git(own)) {
        check_report_add(reader->report, "cannot-pass", own->line, "the role '%s' reviews, and a "
                         "text says neither yes nor no: answers is findings, grade or verdict",
                         role->name);
    }
    if (looks && is_done_by_git(own)) {
        check_report_add(reader->report, "cannot-pass", own->line, "the role '%s' %s: it cannot "
                         "review", role->name, own->kind == CUSTOM_COMMIT ? "commits" : "merges");
    }
    if ((jobs & DOES_CHECK) && role->builtin) {
        check_report_add(reader->report, "bad-value", own->line, "the role '%s' is a command: it "
                         "cannot look again for others", role->name);
    }
    if (makes && !looks && !role->builtin && own->reader != CUSTOM_TEXT) {
        check_report_add(reader->report, "bad-value", own->line, "the role '%s' does not review: "
                         "what it answers is text", role->name);
    }
    if (makes && !looks && !role->builtin && !reader->writes_said[index]) role->writes = true;
    if ((jobs & DOES_REPAIR) && !role->writes) {
        check_report_add(reader->report, "writes", own->line, "the role '%s' repairs, so it must "
                         "be allowed to write", role->name);
    }
    if ((jobs & (DOES_REPAIR | DOES_WORK)) == DOES_REPAIR && own->kind == CUSTOM_COMMIT) {
        check_report_add(reader->report, "bad-value", own->line, "the role '%s' commits, which "
                         "repairs nothing: name it as then", role->name);
    }
    if (role->commits && !role->writes) {
        check_report_add(reader->report, "writes", own->line, "the role '%s' commits and may not "
                         "write", role->name);
    }
}

/* Whether no review can ever pass the gate: then nothing behind it is reached. */
static bool cannot_pass(const struct loop_reader *reader, const struct gate *gate)
{
    for (uint32_t i = 0; i < gate->reviewer_count; i++) {
        const struct custom_role *own = &reader->loop->roles[gate->reviewers[i]];

        if (own->reader == CUSTOM_TEXT || is_done_by_git(own)) return true;
    }
    return false;
}

static bool gate_can_proceed(const struct gate *gate)
{
    return gate->on_fail == FAIL_PROCEED || gate->at_bound == BOUND_PROCEED ||
           gate->at_bound == BOUND_ASK || gate->at_bound == BOUND_ESCALATE;
}

static void reach_check(struct loop_reader *reader)
{
    for (uint32_t i = 0; i + 1 < reader->phase_count; i++) {
        const struct gate *gate = &reader->phases[i].gate;

        if (!cannot_pass(reader, gate) || gate_can_proceed(gate)) continue;
        check_report_add(reader->report, "unreachable", reader->phase_lines[i + 1], "the phase "
                         "'%s' is never reached: the gate of '%s' cannot pass",
                         reader->phases[i + 1].name, reader->phases[i].name);
        return;
    }
}

static void restarts_check(struct loop_reader *reader)
{
    bool restarts = false;

    for (uint32_t i = 0; i < reader->phase_count; i++) {
        const struct gate *gate = &reader->phases[i].gate;

        if (gate->on_fail != FAIL_RESTART && gate->at_bound != BOUND_RESTART) continue;
        restarts = true;
        if (reader->loop->plan.iteration_max > 1) continue;
        check_report_add(reader->report, "missing-bound", reader->phase_lines[i], "the phase '%s' "
                         "restarts the loop, and nothing says how often: add restarts: 2",
                         reader->phases[i].name);
    }
    if (restarts || reader->loop->plan.iteration_max == 1) return;
    check_report_add(reader->report, "unused-restarts", reader->restarts_line, "no gate restarts "
                     "the loop: leave restarts out, or say on-fail: restart");
}

static uint16_t role_moved(const uint16_t *to, uint16_t role)
{
    return role == ROLE_NONE ? ROLE_NONE : to[role];
}

/* Roles that only look again under a policy stand behind the others, which is where the plan wants
 * them. */
static void checkers_last(struct loop_reader *reader)
{
    struct custom_role *own = arena_alloc(reader->arena, reader->role_count * sizeof *own);
    struct role *roles = arena_alloc(reader->arena, reader->role_count * sizeof *roles);
    uint16_t to[LOOP_ROLES_MAX + 1] = { 0 }, next = 0;
    uint32_t plain = 0;

    for (uint32_t last = 0; last < 2; last++) {
        for (uint32_t i = 0; i < reader->role_count; i++) {
            if ((i > 0 && reader->jobs[i] == DOES_CHECK) != last) continue;
            own[next] = reader->loop->roles[i];
            roles[next] = reader->roles[i];
            to[i] = next++;
        }
        if (last == 0) plain = next;
    }
    for (uint32_t i = 0; i < reader->phase_count; i++) {
        struct phase *phase = &reader->phases[i];
        uint16_t *reviewers = arena_alloc(reader->arena, (phase->gate.reviewer_count + 1) *
                                                             sizeof *reviewers);

        for (uint32_t k = 0; k < phase->gate.reviewer_count; k++) {
            reviewers[k] = to[phase->gate.reviewers[k]];
        }
        phase->gate.reviewers = reviewers;
        phase->work.role = role_moved(to, phase->work.role);
        phase->work.checkpoint_role = role_moved(to, phase->work.checkpoint_role);
        phase->gate.repair.role = role_moved(to, phase->gate.repair.role);
        phase->gate.repair.then = role_moved(to, phase->gate.repair.then);
        phase->gate.checker = role_moved(to, phase->gate.checker);
    }
    reader->loop->plan.integrate = role_moved(to, reader->loop->plan.integrate);
    reader->loop->roles = own;
    reader->loop->plan.roles = roles;
    reader->loop->plan.role_count = plain;
    reader->loop->plan.checker_count = reader->role_count - plain;
}

/* ---- tasks ---- */

/* Its first line is its title. */
static void task_text_read(struct loop_reader *reader, const struct yaml_node *node,
                           struct loops_task *task)
{
    struct str rest = str_trim(node->text), line = { "", 0 };

    if (node->kind != YAML_TEXT) {
        check_report_add(reader->report, "bad-value", node->line, "a task is a text: what is to be "
                         "done");
        return;
    }
    (void)str_cut(&rest, '\n', &line);
    task->title = task_line(line, TASK_TITLE_BYTES_MAX, reader->arena);
    task->text = str_trim(rest);
    if (!*task->title) {
        check_report_add(reader->report, "bad-value", node->line, "a task says what is to be done");
    } else if (str_trim(line).size > TASK_TITLE_BYTES_MAX) {
        check_report_add(reader->report, "too-long", node->line, "the first line of a task is its "
                         "title, and has more than %d bytes: begin with a short one",
                         TASK_TITLE_BYTES_MAX);
    } else if (task->text.size > REMIT_BYTES_MAX) {
        check_report_add(reader->report, "too-long", node->line, "a task has more than %d bytes",
                         REMIT_BYTES_MAX);
    }
}

static void task_id_read(struct loop_reader *reader, const struct yaml_node *node,
                         struct loops_task *task)
{
    const struct yaml_node *id = yaml_get(node, "id");

    if (!id) return;
    if (id->kind == YAML_TEXT && task_id_is_valid(id->text)) {
        task->id = arena_cstr(reader->arena, id->text);
        return;
    }
    check_report_add(reader->report, "bad-name", id->line, "'%s' cannot be the id of a task: at "
                     "most %d letters, digits, '-', '_' and '.', with a letter or a digit in front",
                     id->kind == YAML_TEXT ? shown(reader, id->text) : "", TASK_ID_BYTES_MAX);
}

/* Ids; whether there are such tasks is seen when all are read. */
static void task_after_read(struct loop_reader *reader, const struct yaml_node *node,
                            struct loops_task *task)
{
    const struct yaml_node *list = yaml_get(node, "after");

    if (!list) return;
    if (list->kind != YAML_LIST || list->count > TASK_NEEDS_MAX) {
        check_report_add(reader->report, "bad-value", list->line, "after is a list of at most %d "
                         "ids of tasks", TASK_NEEDS_MAX);
        return;
    }
    task->needs = arena_alloc(reader->arena, (list->count + 1) * sizeof *task->needs);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i]->kind == YAML_TEXT) {
            task->needs[task->need_count++] = arena_cstr(reader->arena, list->items[i]->text);
        } else {
            check_report_add(reader->report, "bad-value", list->items[i]->line, "after: this is "
                             "the id of a task");
        }
    }
}

static void task_read(struct loop_reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = { "id", "task", "group", "after", NULL };
    struct loops_task *task;
    const char *group;
    struct err none;

    task = tasks_add(&reader->loop->tasks, reader->arena, &none);
    assert(task);
    task->line = node->line;
    if (node->kind == YAML_TEXT) { /* what is to be done alone */
        task_text_read(reader, node, task);
        return;
    }
    if (!is_map(reader, node, "a task", keys)) return;
    if (yaml_get(node, "task")) {
        task_text_read(reader, yaml_get(node, "task"), task);
    } else {
        check_report_add(reader->report, "missing-key", node->line, "a task says what is to be "
                         "done: task: ...");
    }
    task_id_read(reader, node, task);
    group = text_at(reader, node, "group", LINE_BYTES_MAX);
    if (group) task->group = task_line(str_of(group), TASK_TITLE_BYTES_MAX, reader->arena);
    task_after_read(reader, node, task);
}

/* Two of one name; and what comes after a task that is not there. */
static void tasks_check(struct loop_reader *reader)
{
    const struct loops_tasks *tasks = &reader->loop->tasks;
    const char **ids = arena_alloc(reader->arena, (tasks->count + 1) * sizeof *ids);

    for (uint32_t i = 0; i < tasks->count; i++) ids[i] = tasks->items[i].id;
    for (uint32_t i = 0; i < tasks->count; i++) {
        const struct loops_task *task = &tasks->items[i], *first = tasks_find(tasks,
                                                                              str_of(task->id));

        if (first != task) {
            check_report_add(reader->report, "twice", task->line, "there is a task '%s' already, "
                             "in line %u", task->id, (unsigned)first->line);
        }
        for (uint32_t k = 0; k < task->need_count; k++) {
            struct str need = str_of(task->needs[k]);

            if (tasks_find(tasks, need)) continue;
            check_report_add(reader->report, "unknown-task", task->line, "there is no task '%s'; "
                             "%s", shown(reader, need), instead(reader, need, ids));
        }
    }
}

static void tasks_read_node(struct loop_reader *reader, const struct yaml_node *node)
{
    struct loop *loop = reader->loop;
    uint32_t before = reader->report->count;
    struct err err;

    if (node->kind != YAML_LIST || node->count == 0 || node->count > LOOP_TASKS_MAX) {
        check_report_add(reader->report, "bad-value", node->line, "tasks is a list of 1 to %d; a "
                         "longer one is a file of its own: --tasks FILE", LOOP_TASKS_MAX);
        return;
    }
    if (reader->fan == NO_PHASE) {
        check_report_add(reader->report, "unused-tasks", node->line, "no phase has lanes, so "
                         "nothing is done for each task: say lanes at the phase that is for each");
    }
    for (uint32_t i = 0; i < node->count; i++) task_read(reader, node->items[i]);
    if (reader->report->count > before) return;
    tasks_name(&loop->tasks, reader->arena);
    tasks_check(reader);
    if (reader->report->count > before) return;
    if (tasks_order(&loop->tasks, 0, 1, reader->arena, &loop->waves, &loop->wave_count,
                    &err) != 0) {
        check_report_add(reader->report, "bad-order", node->line, "%s", err.text);
    }
}

/* ---- lanes ---- */

/* What the gate of a lane cannot have. */
static void lane_gate_check(struct loop_reader *reader, const struct gate *gate)
{
    uint32_t line = reader->phase_lines[reader->fan];

    if (gate->reviewer_count == 0) return;
    if (gate->on_fail == FAIL_STOP || gate->on_fail == FAIL_RESTART) {
        check_report_add(reader->report, "in-lanes", line, "one task neither stops nor restarts "
                         "the run: give the gate a repair (with repairs: 0 and at-bound: stuck the "
                         "task rests at once), or say on-fail: proceed");
    }
    if (gate->at_bound == BOUND_STOP || gate->at_bound == BOUND_RESTART) {
        check_report_add(reader->report, "in-lanes", line, "one task neither stops nor restarts "
                         "the run: at-bound is stuck, ask, escalate or proceed");
    }
    if (gate->recheck != reader->fan) {
        check_report_add(reader->report, "in-lanes", line, "a lane walks this phase alone: leave "
                         "recheck out");
    }
    if (gate->mints) {
        check_report_add(reader->report, "in-lanes", line, "a stage is of the whole, and a lane is "
                         "of one task: mint it in a phase behind the lanes");
    }
}

/* Lanes begin at the commit that the run began at. */
static void before_lanes_check(struct loop_reader *reader, uint32_t index)
{
    const struct phase *phase = &reader->phases[index];
    bool works = phase->work.role != ROLE_NONE && reader->roles[phase->work.role].writes;

    if (!works && phase->gate.repair.role == ROLE_NONE) return;
    check_report_add(reader->report, "before-lanes", reader->phase_lines[index], "the phase '%s' "
                     "writes, and lanes begin at the commit that the run began at: they would not "
                     "see it. Let its role only answer (writes: false), or put it behind the "
                     "lanes", phase->name);
}

static void lanes_check(struct loop_reader *reader)
{
    const struct phase *fan = &reader->phases[reader->fan];
    uint32_t line = reader->phase_lines[reader->fan];

    if (fan->work.role == ROLE_NONE) {
        check_report_add(reader->report, "in-lanes", line, "a lane does the work of its task: the "
                         "phase '%s' has no work", fan->name);
    }
    if (fan->needs) {
        check_report_add(reader->report, "in-lanes", line, "a lane delivers nothing: leave needs "
                         "to a phase behind the lanes");
    }
    lane_gate_check(reader, &fan->gate);
    for (uint32_t i = 0; i < reader->fan; i++) before_lanes_check(reader, i);
    if (reader->loop->plan.iteration_max > 1) {
        check_report_add(reader->report, "in-lanes", reader->restarts_line, "what is merged cannot "
                         "begin again: a loop with lanes has no restarts");
    }
    for (uint32_t i = 0; i < reader->phase_count; i++) {
        const struct gate *gate = &reader->phases[i].gate;
        bool restarts = gate->on_fail == FAIL_RESTART || gate->at_bound == BOUND_RESTART;

        if (restarts && i != reader->fan) {
            check_report_add(reader->report, "in-lanes", reader->phase_lines[i], "the phase '%s' "
                             "restarts the loop, and what lanes have merged cannot begin again",
                             reader->phases[i].name);
        }
        if (i <= reader->fan || gate->recheck != reader->fan) continue;
        check_report_add(reader->report, "in-lanes", reader->phase_lines[i], "the lanes are merged "
                         "when the gate of '%s' looks, and do not look again: recheck another "
                         "phase", reader->phases[i].name);
    }
}

static const char *const top_keys[] = { "about", "task", "tasks", "roles", "phases", "restarts",
                                        "until", "budget", "files", NULL };

/* A folder inside the repository, named part by part. */
static bool is_folder(struct str folder)
{
    struct str rest = folder, part;
    bool first = true;

    if (str_ends(folder, STR("/"))) return false;
    while (str_cut(&rest, '/', &part)) {
        if (part.size == 0 || part.data[0] == '.' || (first && str_is(part, ".git"))) return false;
        for (size_t i = 0; i < part.size; i++) {
            if (!byte_is_alnum(part.data[i]) && !str_has(STR("._-"), part.data[i])) return false;
        }
        first = false;
    }
    return folder.size > 0;
}

static void budget_at(struct loop_reader *reader, const struct yaml_node *map)
{
    const struct yaml_node *node = yaml_get(map, "budget");
    static const char *const keys[] = { "usd", "tokens", "time", "calls", "when_spent", NULL };
    struct budget budget = { .stop = false };
    struct err err;
    struct buf text;

    if (!node || !is_map(reader, node, "budget", keys)) return;
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->items[i]->kind == YAML_TEXT &&
            budget_read_part(node->keys[i], node->items[i]->text, &budget, &err) == 0) {
            continue;
        }
        check_report_add(reader->report, "bad-value", node->items[i]->line, "budget: %s",
                         node->items[i]->kind == YAML_TEXT ? err.text : "an amount is a number");
    }
    buf_init(&text, LINE_BYTES_MAX);
    budget_write(&budget, &text);
    reader->loop->budget = arena_take_cstr(reader->arena, &text);
}

static void head_read(struct loop_reader *reader, const struct yaml_node *tree)
{
    static const char *const policies[] = { "lean", "settled", "thorough", "clean", NULL };
    struct loop *loop = reader->loop;

    if (!yaml_get(tree, "about")) {
        check_report_add(reader->report, "missing-key", 1, "say in one line what the loop is for: "
                         "about: ...");
    }
    loop->about = text_at(reader, tree, "about", LINE_BYTES_MAX);
    loop->task = text_at(reader, tree, "task", REMIT_BYTES_MAX);
    loop->files = text_at(reader, tree, "files", FOLDER_BYTES_MAX);
    if (loop->files && !is_folder(str_of(loop->files))) {
        check_report_add(reader->report, "bad-value", yaml_get(tree, "files")->line, "files: '%s' "
                         "is not a folder inside the repository, named from its top with plain "
                         "letters: out/loop, not /out, ./out or .git", loop->files);
        loop->files = NULL;
    }
    if (yaml_get(tree, "until")) {
        reader->until = true;
        loop->until = policies[word_at(reader, tree, "until", policies, 1)];
    }
    budget_at(reader, tree);
    if (yaml_get(tree, "restarts")) reader->restarts_line = yaml_get(tree, "restarts")->line;
    loop->plan.iteration_max = 1 + number_at(reader, tree, "restarts", 0, LOOP_RESTARTS_MAX, 0);
    loop->plan.retry_pause_ms = RETRY_PAUSE_MS;
}

static void tree_walk(struct loop_reader *reader, const struct yaml_node *tree)
{
    const struct yaml_node *roles = yaml_get(tree, "roles"), *phases = yaml_get(tree, "phases");
    const struct yaml_node *tasks = yaml_get(tree, "tasks");

    head_read(reader, tree);
    if (!roles || !phases) {
        check_report_add(reader->report, "missing-key", 1, "a loop has roles and phases%s",
                         roles ? ": phases are missing" : phases ? ": roles are missing" : "");
    }
    if (roles) roles_read(reader, roles);
    if (phases) phases_read(reader, phases);
    if (!roles || !phases) return;
    if (tasks) tasks_read_node(reader, tasks);
    for (uint32_t i = 1; i < reader->role_count; i++) jobs_check(reader, i);
    reach_check(reader);
    if (reader->fan != NO_PHASE) lanes_check(reader);
    else restarts_check(reader);
}

/* What the plan as a whole says: the last word, so that nothing gets past it. */
static void plan_check(struct loop_reader *reader)
{
    struct plan *plan = &reader->loop->plan;
    struct plan with_policy = *plan;
    const char *wrong = plan_problem(plan);

    if (!wrong && reader->until) {
        plan_until(&with_policy, policy_find(str_of(reader->loop->until)), 1, reader->arena);
        wrong = plan_problem(&with_policy);
    }
    if (wrong) {
        check_report_add(reader->report, "plan", reader->phase_lines[0], "the phases make no plan "
                         "that can work: %s", wrong);
    } else if (!plan_most(reader->until ? &with_policy : plan, reader->loop->tasks.count).bounded) {
        check_report_add(reader->report, "endless", reader->phase_lines[0], "the bounds multiply "
                         "to more than can be counted: make them smaller");
    }
}

/* By line: a person mends a file from its top. */
static void problems_sort(struct check_report *report)
{
    for (uint32_t i = 1; i < report->count; i++) {
        struct check_problem moved = report->problems[i];
        uint32_t k = i;

        for (; k > 0 && report->problems[k - 1].line > moved.line; k--) {
            report->problems[k] = report->problems[k - 1];
        }
        report->problems[k] = moved;
    }
}

bool loop_read(struct str text, struct arena *arena, struct check_report *report,
               struct loop *out)
{
    struct loop_reader reader = { .arena = arena, .report = report, .loop = out,
                                  .role_count = 1, .fan = NO_PHASE };
    const char **stages;
    struct yaml_node *tree;
    struct err err;
    uint32_t line;

    *out = (struct loop){ .about = "" };
    if (yaml_tree_read(text, arena, &tree, &line, &err) != 0) {
        check_report_add(report, "not-yaml", line, "%s", err.text);
        return false;
    }
    out->roles = arena_alloc(arena, (LOOP_ROLES_MAX + 1) * sizeof *out->roles);
    out->passes = arena_alloc(arena, LOOP_PHASES_MAX * sizeof *out->passes);
    reader.roles = arena_alloc(arena, (LOOP_ROLES_MAX + 1) * sizeof *reader.roles);
    reader.roles[0].name = "";
    reader.phases = arena_alloc(arena, LOOP_PHASES_MAX * sizeof *reader.phases);
    reader.phase_lines = arena_alloc(arena, LOOP_PHASES_MAX * sizeof *reader.phase_lines);
    if (!is_map(&reader, tree, "a loop file", top_keys)) return false;
    tree_walk(&reader, tree);
    out->plan.phases = reader.phases;
    out->plan.phase_count = reader.phase_count;
    if (report->count > 0) {
        problems_sort(report);
        return false;
    }
    checkers_last(&reader);
    plan_check(&reader);
    stages = arena_alloc(arena, (LOOP_STAGES_MAX + 1) * sizeof *stages);
    for (uint32_t i = 0; i < reader.stage_count; i++) stages[i] = reader.stages[i];
    out->stages = stages;
    out->fans = out->commits = reader.fan != NO_PHASE;
    for (uint32_t i = 1; i < reader.role_count; i++) {
        out->commits = out->commits || out->roles[i].kind == CUSTOM_COMMIT ||
                       out->plan.roles[i].commits;
    }
    return report->count == 0;
}

void check_loop(struct str content, struct check_report *report)
{
    struct arena arena = { 0 };
    struct loop loop;

    (void)loop_read(content, &arena, report, &loop);
    arena_release(&arena);
}
