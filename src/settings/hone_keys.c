/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_keys.c - the keys of hone.json.
 *
 * A key is a row. Rows of dialects are added when the list is first needed, and stay as long as the
 * process: the keys that every dialect has, and those of the options that may stand in a file
 * (dialect_option.key).
 *
 * 1. No part of a path has a dot in it, so that a path names one place.
 * 2. Roles are those of the plans: there is no second list of them. A dialect that makes no plan
 *    without input is given a small file for one of its options.
 *
 * A right under "rights" that would have no effect is refused: its author would rely on it, and
 * find out when an agent fails. These are refused: a path that agents may write to anyway, a path
 * that no setting opens, a pattern where none is understood, a name that no variable can have.
 * Whether a path exists is not checked: the file may be meant for another machine.
 *
 * Not here: reading a file (hone_json.c), which file wins (hone_files.c). */
#include "settings/hone_keys.h"

#include "agent/agent.h"
#include "base/byte.h"
#include "base/path.h"
#include "dialect/role_file.h"
#include "format/fleet/fleet_name.h"
#include "settings/places.h"
#include "settings/settings.h"

#include <assert.h>
#include <string.h>

enum { SLIP_MAX = 3, WANTED_BYTES_MAX = 512, ROLES_MAX = 128, KEYS_MAX = 512 };

static const char *const when_spent[] = { "wait", "stop", NULL };
static const char *const fix_words[] = { "safe", "all", NULL };

static const char *const notify_words[] = { "ended", "waiting", "failed", NULL };

static const char *const own_fix_words[] = { "none", "risky", "safe", NULL };

static const char agents_help[] = "the agent that plays a role in this dialect, before what "
                                  "\"agents\" says; \"*\" for all others";

static const char efforts_help[] = "how hard the model of a role thinks in this dialect, before "
                                   "what \"efforts\" says; \"*\" for all others";

static const char until_help[] = "until what this dialect's gates go on, before what \"until\" "
                                 "says";

/* In front of the dialects' own, and behind them. */
static const struct hone_key keys_first[] = {
    { .path = "$schema", .kind = HONE_TEXT, .consent = CONSENT_NEVER,
      .help = "where the schema is, for editors; hone does not look" },
    { .path = "agents.ROLE", .kind = HONE_AGENT, .consent = CONSENT_AGENT,
      .help = "the agent that plays a role, as --agent names one; \"*\" for all others" },
    { .path = "until", .kind = HONE_WORD, .words = until_words, .builtin = "\"seed\"",
      .consent = CONSENT_LESS,
      .help = "until what a gate goes on: \"seed\", all its reviewers again after each repair; "
              "\"settled\", \"lean\", \"thorough\" or \"clean\", see --until" },
    { .path = "eyes", .kind = HONE_AGENTS, .builtin = "[]", .consent = CONSENT_AGENT,
      .help = "agents that look in turn with those that play the reviewers, where \"until\" names "
              "a policy; [] for the models that are installed" },
    { .path = NULL },
};

static const struct hone_key keys_last[] = {
    { .path = "limits.time", .kind = HONE_DURATION, .consent = CONSENT_NEVER, .builtin = "\"1h\"",
      .help = "an agent is ended after so long; \"0\" for never" },
    { .path = "limits.idle", .kind = HONE_DURATION, .consent = CONSENT_NEVER, .builtin = "\"15m\"",
      .help = "an agent that has written nothing for so long is ended; \"0\" for never" },
    { .path = "limits.start", .kind = HONE_DURATION, .consent = CONSENT_NEVER, .builtin = "\"2m\"",
      .help = "a model's program that has not begun its stream after so long is ended; \"0\" for "
              "never" },
    { .path = "limits.first", .kind = HONE_DURATION, .consent = CONSENT_NEVER, .builtin = "\"10m\"",
      .help = "a model's program that has begun, and whose model has not answered after so long, "
              "is ended; \"0\" for never" },
    { .path = "limits.wait", .kind = HONE_DURATION, .consent = CONSENT_NEVER, .builtin = "\"6h\"",
      .help = "how long an agent waits in all for a service that is asked too often or overloaded; "
              "\"0\" for as long as it takes" },
    { .path = "limits.calls_per_hour", .kind = HONE_NUMBER, .consent = CONSENT_NEVER,
      .max = 100000, .only_less = true,
      .help = "how many agents all runs of yours together may start within an hour; at the ceiling "
              "an agent waits until it may begin. A repository's file can only lower it" },
    { .path = "budget.usd", .kind = HONE_AMOUNT, .consent = CONSENT_NEVER,
      .help = "dollars that a run may cost in all, resumes included: 5, or \"0.50\"" },
    { .path = "budget.tokens", .kind = HONE_AMOUNT, .consent = CONSENT_NEVER,
      .help = "tokens that its agents may read and write: 2000000, or \"2M\"" },
    { .path = "budget.time", .kind = HONE_AMOUNT, .consent = CONSENT_NEVER,
      .help = "how long it may be at work: \"2h\"" },
    { .path = "budget.calls", .kind = HONE_AMOUNT,
      .consent = CONSENT_NEVER, .help = "how many agents it may start" },
    { .path = "budget.when_spent", .kind = HONE_WORD,
      .consent = CONSENT_NEVER, .words = when_spent, .builtin = "\"wait\"",
      .help = "what then becomes of agents that run: they are waited for, or ended" },
    { .path = "sandbox", .kind = HONE_SWITCH, .consent = CONSENT_FALSE, .builtin = "true",
      .help = "whether the system keeps reviewers from writing to the tree, and fixers from "
              "writing elsewhere" },
    { .path = "isolate", .kind = HONE_SWITCH, .consent = CONSENT_NEVER,
      .builtin = "false", .only_on = true,
      .help = "whether a fixer works in a disposable work tree, as with --isolate. A repository's "
              "file can only switch it on" },
    { .path = "requireProof", .kind = HONE_SWITCH, .consent = CONSENT_NEVER,
      .builtin = "false", .only_on = true,
      .help = "whether a review counts only with proof of reading: its agent tells which files it "
              "looked at (HONE_EVIDENCE of a command). A repository's file can only switch it on" },
    { .path = "keepRuns", .kind = HONE_NUMBER, .consent = CONSENT_ANY, .max = 100000,
      .builtin = "200",
      .help = "how many runs that have ended are kept when a new one begins; what can still go on "
              "is always kept" },
    { .path = "rights.network", .kind = HONE_SWITCH, .consent = CONSENT_TRUE, .builtin = "true",
      .help = "whether agents have a network; models need it. Enforced by the sandbox" },
    { .path = "rights.home", .kind = HONE_SWITCH, .consent = CONSENT_TRUE, .builtin = "true",
      .help = "whether agents see your home folder; else only their own state in it. "
              "Enforced by the sandbox" },
    { .path = "rights.tmp", .kind = HONE_SWITCH, .consent = CONSENT_TRUE, .builtin = "false",
      .help = "whether agents share /tmp and /dev/shm with other programs; else each attempt has "
              "empty ones of its own, in memory. Enforced by the sandbox" },
    { .path = "rights.write", .kind = HONE_LIST, .consent = CONSENT_ANY, .builtin = "[]",
      .help = "paths outside of the workspace that agents may write to, also sockets of your "
              "session that they may use; ~/ is your home folder" },
    { .path = "rights.change", .kind = HONE_LIST, .consent = CONSENT_ANY, .builtin = "[]",
      .help = "protected paths of the workspace that fixers may change, such as "
              "\".github/workflows\"; \".git\" for commits, branches and tags, \"*\" for all" },
    { .path = "rights.env", .kind = HONE_LIST, .consent = CONSENT_ANY, .builtin = "[]",
      .help = "credentials that agents find in their environment, by name; \"AWS_*\" for all that "
              "begin so, \"*\" for all" },
    { .path = "test", .kind = HONE_TEXT, .consent = CONSENT_ANY,
      .help = "the command that runs the project's tests, by sh -c at its top" },
    { .path = "analyzers.NAME.files", .kind = HONE_LIST, .consent = CONSENT_NEVER,
      .help = "an analyzer of your own (analyzer:NAME): the files that it looks at, as lines of "
              ".gitignore" },
    { .path = "analyzers.NAME.command", .kind = HONE_TEXT, .consent = CONSENT_ANY,
      .help = "its command, run by sh -c at the top of the repository; \"$@\" are the files" },
    { .path = "analyzers.NAME.format", .kind = HONE_TEXT, .consent = CONSENT_NEVER,
      .help = "what it writes to standard output: sarif, rdjson, checkstyle, gcc, diff, or a line "
              "such as \"{file}:{line}:{column}: {severity}: {text} [{rule}]\"" },
    { .path = "analyzers.NAME.fixes", .kind = HONE_WORD, .words = own_fix_words,
      .consent = CONSENT_ANY,
      .help = "whether the fixes in its report can change what a program does (\"risky\") or not "
              "(\"safe\"); else they are not used" },
    { .path = "fixes", .kind = HONE_WORD, .consent = CONSENT_ANY, .words = fix_words,
      .builtin = "\"safe\"",
      .help = "which fixes of the analyzers fixits makes: those that cannot change what the "
              "program does, and the others only where a test passes before and after; or all" },
    { .path = "includeGenerated", .kind = HONE_SWITCH, .consent = CONSENT_NEVER,
      .builtin = "false",
      .help = "whether generated, minified and vendored files are reviewed and fixed, too" },
    /* Not asked about: a rule adds to what reviewers look for, is quoted, and makes nothing clean;
     * and the list counts as the commit has it that the change is measured against. */
    { .path = "guidelines", .kind = HONE_PATTERNS, .consent = CONSENT_NEVER, .builtin = "[]",
      .help = "files with the project's rules beside REVIEW.md, as lines of .gitignore, such as "
              "[\"AGENTS.md\", \"docs/rules/\"]: reviewers hold a change against them" },
    { .path = "notify.when", .kind = HONE_WORDS, .words = notify_words, .consent = CONSENT_NEVER,
      .builtin = "[\"ended\",\"waiting\",\"failed\"]",
      .help = "when you are notified: a run has \"ended\", it is \"waiting\" for a person, or it "
              "has \"failed\" since an agent or hone itself could not go on" },
    { .path = "notify.command", .kind = HONE_COMMAND, .consent = CONSENT_ANY, .builtin = "[]",
      .help = "a program of yours and its arguments that is started then, with what happened as "
              "JSON at its standard input and in HONE_EVENT, HONE_RUN and so on" },
    { .path = "notify.desktop", .kind = HONE_SWITCH, .consent = CONSENT_TRUE, .builtin = "false",
      .help = "whether your desktop shows it, by notify-send" },
    { .path = "notify.webhook", .kind = HONE_ADDRESS, .consent = CONSENT_ANY,
      .help = "an address that the same JSON is posted to" },
    { .path = "notify.secret_file", .kind = HONE_TEXT, .consent = CONSENT_ANY,
      .help = "a file with the secret that signs what is posted; ~/ is your home folder" },
    { .path = "notify.secret_env", .kind = HONE_VARIABLE, .consent = CONSENT_ANY,
      .help = "the name of the variable that holds this secret, where no file does" },
    { .path = "fleet.url", .kind = HONE_TEXT, .consent = CONSENT_ANY,
      .help = "where agents play instead of here, as --fleet names it: ssh:HOST, or nats://HOST" },
    { .path = "fleet.pools", .kind = HONE_LIST, .consent = CONSENT_ANY, .builtin = "[]",
      .help = "which workers play what, as ROLE=POOL, LANE=POOL or *=POOL, such as "
              "[\"*=big\", \"fixer=local\"]: a role before a lane before *; \"local\" is this "
              "machine; nothing said: the pool \"default\"" },
    { .path = "fleet.setup", .kind = HONE_TEXT, .consent = CONSENT_ANY,
      .help = "the command that makes a new work tree ready on a worker, such as \"npm ci\"; by "
              "sh -c at its top, in the sandbox of agents" },
    { .path = "fleet.carry", .kind = HONE_PATTERNS, .consent = CONSENT_ANY, .builtin = "[]",
      .help = "ignored files that go along with the work tree, as lines of .gitignore" },
    { .path = "exclude", .kind = HONE_PATTERNS, .consent = CONSENT_ANY, .builtin = "[]",
      .help = "files that no agent looks at, as lines of .gitignore; patterns of all settings "
              "files count together" },
    { .path = NULL },
};

/* ---- the list ---- */

/* The list in the making; its texts live as long as the process, as it does. */
struct key_list {
    struct hone_key items[KEYS_MAX + 1];
    uint32_t count;
    struct arena arena;
};

static void list_add(struct key_list *list, struct hone_key key)
{
    assert(list->count < KEYS_MAX);
    list->items[list->count++] = key;
}

static void list_add_rows(struct key_list *list, const struct hone_key *rows)
{
    for (; rows->path; rows++) list_add(list, *rows);
}

/* The help names the programs that can be told: those of backends with a list of efforts. */
static void list_add_efforts(struct key_list *list)
{
    const char *names = "";

    for (uint32_t i = 0; backends[i]; i++) {
        if (!backends[i]->efforts || backends[i]->hosted) continue;
        names = arena_printf(&list->arena, "%s%s%s", names, *names ? ", " : "", backends[i]->name);
    }
    list_add(list, (struct hone_key){
        .path = "efforts.ROLE", .kind = HONE_WORD, .words = agent_efforts,
        .consent = CONSENT_NEVER,
        .help = arena_printf(&list->arena, "how hard the model of a role thinks, where its program "
                             "can be told (%s); \"*\" for all others", names),
    });
}

static void list_add_option(struct key_list *list, const char *dialect,
                            const struct dialect_option *option)
{
    static const enum hone_kind kinds[] = {
        [KEY_SWITCH] = HONE_SWITCH, [KEY_NUMBER] = HONE_NUMBER, [KEY_WORD] = HONE_WORD,
        [KEY_ROLES] = HONE_ROLES,
    };
    const struct option_key *key = &option->key;

    if (key->kind == KEY_NONE) return;
    list_add(list, (struct hone_key){
        .path = arena_printf(&list->arena, "dialects.%s.%s", dialect, option->name),
        .kind = kinds[key->kind], .max = key->max, .words = key->words, .builtin = key->builtin,
        .help = option->help, .consent = key->consent,
    });
}

static void list_add_dialect(struct key_list *list, const struct dialect *dialect)
{
    const struct dialect_option *option = dialect->options;

    list_add(list, (struct hone_key){
        .path = arena_printf(&list->arena, "dialects.%s.agents.ROLE", dialect->name),
        .kind = HONE_AGENT, .help = agents_help, .consent = CONSENT_AGENT,
    });
    list_add(list, (struct hone_key){
        .path = arena_printf(&list->arena, "dialects.%s.efforts.ROLE", dialect->name),
        .kind = HONE_WORD, .words = agent_efforts, .help = efforts_help,
        .consent = CONSENT_NEVER,
    });
    list_add(list, (struct hone_key){
        .path = arena_printf(&list->arena, "dialects.%s.until", dialect->name),
        .kind = HONE_WORD, .words = until_words, .help = until_help, .consent = CONSENT_LESS,
        .builtin = "\"seed\"",
    });
    for (; option && option->name; option++) list_add_option(list, dialect->name, option);
}

const struct hone_key *hone_keys(void)
{
    static struct key_list list;

    if (list.count > 0) return list.items;
    list_add_rows(&list, keys_first);
    list_add_efforts(&list);
    for (uint32_t i = 0; dialects[i]; i++) list_add_dialect(&list, dialects[i]);
    list_add_rows(&list, keys_last);
    return list.items;
}

bool hone_key_is_list(const struct hone_key *key)
{
    return key->kind == HONE_PATTERNS || key->kind == HONE_LIST || key->kind == HONE_AGENTS ||
           key->kind == HONE_ROLES || key->kind == HONE_WORDS || key->kind == HONE_COMMAND;
}

const char *hone_key_name(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot ? dot + 1 : path;
}

const struct dialect *hone_key_dialect(struct str path)
{
    struct str part;

    if (!str_starts(path, STR("dialects."))) return NULL;
    path = str_skip(path, strlen("dialects."));
    return str_cut(&path, '.', &part) ? dialect_find(part) : NULL;
}

bool hone_key_has_role(const struct hone_key *key)
{
    return str_ends(str_of(key->path), STR(".ROLE"));
}

bool hone_key_has_name(const struct hone_key *key)
{
    return strstr(key->path, ".NAME.");
}

/* Whether a path is that of a key with a name in it, or the beginning of one (whole false). */
static bool fits_named(const struct hone_key *key, struct str path, bool whole)
{
    struct str known = str_of(key->path), want, part;

    if (!hone_key_has_name(key)) return false;
    while (str_cut(&path, '.', &part)) {
        if (!str_cut(&known, '.', &want)) return false;
        if (str_is(want, "NAME") ? part.size == 0 : !str_eq(want, part)) return false;
    }
    return whole == (known.size == 0);
}

static const char *amount_wanted(const char *part)
{
    if (strcmp(part, "usd") == 0) return "dollars such as 5 or \"0.50\", or \"none\"";
    if (strcmp(part, "tokens") == 0) return "a number such as 500000 or \"2M\", or \"none\"";
    if (strcmp(part, "time") == 0) return "a duration such as \"15m\" or \"2h\", or \"none\"";
    return "a whole number such as 40, or \"none\"";
}

static const char *list_wanted(const struct hone_key *key, struct arena *arena)
{
    static const struct {
        const char *path, *example;
    } rows[] = {
        { "rights.write", "~/.local/share/tool" }, { "rights.change", ".github/workflows" },
        { "rights.env", "GITHUB_TOKEN" }, { "fleet.pools", "*=big" },
    };

    if (hone_key_has_name(key)) return "a list of patterns of one line each, such as [\"*.md\"]";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].path, key->path) != 0) continue;
        return arena_printf(arena, "a list of texts of one line each, such as [\"%s\"]",
                            rows[i].example);
    }
    return "a list of texts of one line each";
}

const char *hone_key_wanted(const struct hone_key *key, struct arena *arena)
{
    struct buf list;

    switch (key->kind) {
    case HONE_TEXT:
        return "a text of one line";
    case HONE_SWITCH:
        return "true or false";
    case HONE_NUMBER:
        return arena_printf(arena, "a whole number from 1 to %u", (unsigned)key->max);
    case HONE_DURATION:
        return "a duration such as \"90s\", \"15m\" or \"2h\" (\"0\": none)";
    case HONE_AMOUNT:
        return amount_wanted(hone_key_name(key->path));
    case HONE_PATTERNS:
        return "a list of patterns of one line each, such as [\"third_party/\"]";
    case HONE_LIST:
        return list_wanted(key, arena);
    case HONE_AGENTS:
        return "a list of agents that are models or commands, such as [\"codex\"]";
    case HONE_ROLES:
        return "a list of roles such as [\"critic\"], each in small letters, digits and '-'";
    case HONE_AGENT:
        return "an agent such as \"claude\" or \"cmd:COMMAND\"";
    case HONE_COMMAND:
        return "a program and its arguments, such as [\"mail\", \"-s\", \"hone\", \"me\"]";
    case HONE_ADDRESS:
        return "an address such as \"https://HOST/PATH\", without a user's name in it";
    case HONE_VARIABLE:
        return "the name of a variable, such as \"HOOK_SECRET\"";
    case HONE_WORDS:
    case HONE_WORD:
    case HONE_KIND_COUNT:
        break;
    }
    buf_init(&list, WANTED_BYTES_MAX);
    buf_text(&list, key->kind == HONE_WORDS ? "a list of" : "one of");
    for (uint32_t i = 0; key->words[i]; i++) {
        buf_printf(&list, "%s\"%s\"", i ? ", " : " ", key->words[i]);
    }
    return arena_take_cstr(arena, &list);
}

/* ---- roles ---- */

static bool has_name(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) return true;
    }
    return false;
}

/* A plan of the dialect, for the names in it. */
static bool any_plan(const struct dialect *dialect, struct arena *arena, struct plan *out)
{
    const struct dialect_option *option = dialect->options;
    struct settings none = { 0 };
    struct err err;

    if (dialect->plan(&none, arena, out, &err) == 0) return true;
    for (; option && option->name; option++) {
        struct setting item = { .name = option->name, .value = option->name };
        struct config_text file = { .path = arena_printf(arena, "--%s", option->name),
                                    .text = STR("# any\n") };
        struct settings one = { .items = &item, .count = 1, .files = &file, .file_count = 1 };

        if (option->is_file && dialect->plan(&one, arena, out, &err) == 0) return true;
    }
    return false;
}

const char *const *hone_roles(const struct dialect *dialect, struct arena *arena)
{
    const char **names = arena_alloc(arena, (ROLES_MAX + 1) * sizeof *names);
    uint32_t count = 0;

    for (uint32_t i = 0; dialects[i]; i++) {
        struct plan plan;

        if ((dialect && dialects[i] != dialect) || !any_plan(dialects[i], arena, &plan)) continue;
        plan.role_count += plan.checker_count;
        for (uint32_t k = 0; k < plan.role_count && count < ROLES_MAX; k++) {
            const struct role *role = &plan.roles[k];
            if (k == ROLE_NONE || role->builtin || has_name(names, count, role->name)) continue;
            names[count++] = role->name;
        }
    }
    return names;
}

/* ---- paths ---- */

static uint32_t dots(struct str path)
{
    uint32_t count = 0;

    for (size_t i = 0; i < path.size; i++) count += path.data[i] == '.';
    return count;
}

/* Which path was meant: offered one after the other, those of the same depth. */
struct nearest {
    struct str path;
    uint32_t distance;
    const char *best;
};

static void offer(struct nearest *nearest, struct str known, struct arena *arena)
{
    uint32_t depth = dots(nearest->path), distance;
    struct str whole = known;

    known.size = 0;
    for (uint32_t seen = 0; known.size < whole.size; known.size++) {
        if (whole.data[known.size] == '.' && seen++ == depth) break;
    }
    if (dots(known) != depth) return;
    distance = str_distance(nearest->path, known);
    if (distance >= nearest->distance || distance >= known.size) return;
    nearest->distance = distance;
    nearest->best = arena_cstr(arena, known);
}

/* The rest of a path where this key has a role. */
static bool role_of(const struct hone_key *key, struct str path, struct str *role)
{
    struct str front = { key->path, strlen(key->path) - strlen("ROLE") };

    if (!hone_key_has_role(key) || !str_starts(path, front)) return false;
    *role = str_skip(path, front.size);
    return role->size > 0 && !str_has(*role, '.');
}

static void offer_roles(struct nearest *nearest, const struct hone_key *key, struct arena *arena)
{
    const char *const *roles = hone_roles(hone_key_dialect(str_of(key->path)), arena);
    int front = (int)(strlen(key->path) - strlen("ROLE"));

    for (uint32_t i = 0; roles[i]; i++) {
        offer(nearest, str_of(arena_printf(arena, "%.*s%s", front, key->path, roles[i])), arena);
    }
}

/* A short word has few letters that could be right by accident. */
static uint32_t slips_of(struct str path)
{
    size_t bytes = path.size;

    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] == '.') bytes = path.size - i - 1; /* of the last part */
    }
    return bytes <= 3 ? 1 : bytes <= 8 ? 2 : SLIP_MAX;
}

/* A role of the user's own (role_file.h) may have any name that is no slip of a known one; of which
 * dialect it is, only its file can say. */
static bool is_role(const struct hone_key *key, struct str role, struct arena *arena)
{
    const struct dialect *dialect = hone_key_dialect(str_of(key->path));
    const char *const *roles = hone_roles(dialect, arena);
    bool own = !dialect && !role_name_problem(arena_cstr(arena, role), arena);

    for (uint32_t i = 0; roles[i]; i++) {
        if (str_is(role, roles[i])) return true;
        own = own && str_distance(role, str_of(roles[i])) > slips_of(role);
    }
    return own || str_is(role, "*");
}

static const char *path_near(struct str path, struct arena *arena)
{
    struct nearest nearest = { .path = path, .distance = slips_of(path) + 1 };

    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        if (hone_key_has_role(key)) offer_roles(&nearest, key, arena);
        offer(&nearest, str_of(key->path), arena);
    }
    if (nearest.best && nearest.distance == 1) return nearest.best;
    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        if (str_is(path, hone_key_name(key->path))) return key->path;
    }
    return nearest.best;
}

const struct hone_key *hone_key_find(struct str path, struct arena *arena, const char **near)
{
    struct str role;

    if (near) *near = NULL;
    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        if (role_of(key, path, &role)) {
            if (is_role(key, role, arena)) return key;
        } else if (hone_key_has_name(key) ? fits_named(key, path, true)
                                          : !hone_key_has_role(key) && str_is(path, key->path)) {
            return key;
        }
    }
    if (near) *near = path_near(path, arena);
    return NULL;
}

bool hone_key_is_group(struct str path)
{
    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        struct str known = str_of(key->path);
        if (path.size == 0 || fits_named(key, path, false)) return true;
        if (str_starts(known, path) && known.size > path.size && known.data[path.size] == '.') {
            return true;
        }
    }
    return false;
}

/* ---- rights ---- */

enum { LINE_SHOWN_MAX = 60, SLIPS_MAX = 3 };

static bool is_pattern(struct str line)
{
    return str_has(line, '*') || str_has(line, '?');
}

/* ---- rights.write ---- */

static const char *write_problem(struct str line, struct arena *arena)
{
    (void)arena;
    if (is_pattern(line)) return "patterns are not understood here; name the folder itself";
    if (str_has(line, '$')) return "variables are not looked up here; write the path, or ~/...";
    if (str_starts(line, STR("/")) || str_starts(line, STR("~/"))) return NULL;
    if (str_starts(line, STR("~"))) return "write ~/ for your home folder, or the whole path";
    if (path_goes_up(line)) return NULL;
    return "that is in the workspace, where fixers can write anyway; name a path elsewhere, such "
           "as \"~/.local/share/tool\"";
}

/* ---- rights.change ---- */

static const char *change_near(struct str line)
{
    uint32_t least = SLIPS_MAX + 1;
    const char *best = NULL, *path;

    for (uint32_t i = 0; (path = guard_workspace(i)); i++) {
        uint32_t distance = str_distance(line, str_of(path));

        if (distance >= least || distance * 2 >= strlen(path)) continue;
        least = distance;
        best = path;
    }
    return best;
}

static const char *change_problem(struct str line, struct arena *arena)
{
    const char *path = arena_cstr(arena, line), *near, *closed;

    if (str_is(line, "*")) return NULL;
    if (is_pattern(line)) {
        return "patterns are not understood here; name the path itself, or \"*\" for all that is "
               "protected";
    }
    if (str_starts(line, STR("/")) || str_starts(line, STR("~")) || path_goes_up(line)) {
        return "that is no path of the workspace; paths elsewhere are for rights.write";
    }
    for (uint32_t i = 0; (closed = guard_workspace(i)); i++) {
        if (guard_allows(path, closed)) return NULL;
    }
    if (str_is(line, ".git") || str_is(line, ".git/")) return NULL; /* commits, branches, tags */
    if (str_starts(line, STR(".git/"))) {
        return "no agent may change git's settings and hooks; \".git\" allows commits, "
               "branches and tags";
    }
    near = change_near(line);
    if (near) {
        return arena_printf(arena, "that is not protected, and fixers can change it anyway; did "
                            "you mean '%s'?", near);
    }
    return "that is not protected, and fixers can change it anyway; protected are '.claude', "
           "'.github/workflows' and the like";
}

/* ---- rights.env ---- */

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool letter = byte_is_letter(c) || c == '_';

        if (!letter && !(i > 0 && byte_is_digit(c))) return false;
    }
    return name.size > 0;
}

static const char *env_problem(struct str line, struct arena *arena)
{
    struct str name = line;

    (void)arena;
    if (str_is(line, "*")) return NULL;
    if (str_ends(name, STR("*"))) name.size--;
    if (is_name(name)) return NULL;
    if (str_starts(line, STR("$"))) return "write the name without '$'";
    if (str_has(line, '=')) return "write the name alone; the value comes from your environment";
    if (str_has(name, '*')) return "a '*' can stand at the end only, as in \"AWS_*\"";
    return "that is no name of a variable, such as \"GITHUB_TOKEN\" or \"AWS_*\"";
}

/* ---- fleet ---- */

static const char *url_problem(struct str url, struct arena *arena)
{
    (void)arena;
    return fleet_way_of(url) == FLEET_NO_WAY ? FLEET_WAYS_TEXT : NULL;
}

static const char *pool_problem(struct str line, struct arena *arena)
{
    struct str pool = line, whose;

    (void)arena;
    (void)str_cut(&pool, '=', &whose);
    if (whose.size == line.size || whose.size == 0) {
        return "say who plays where, such as \"critic=big\" or \"*=local\"";
    }
    if (fleet_name_is(pool)) return NULL;
    return "behind '=' comes a pool's name, of letters, digits, '-' and '_', or local";
}

const char *hone_lines_problem(const struct hone_key *key, const char *lines, struct arena *arena)
{
    static const struct {
        const char *path;
        const char *(*problem)(struct str line, struct arena *arena);
    } rows[] = {
        { "rights.write", write_problem },
        { "rights.change", change_problem },
        { "rights.env", env_problem },
        { "fleet.pools", pool_problem },
        { "fleet.url", url_problem },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str rest = str_of(lines), line;

        if (strcmp(rows[i].path, key->path) != 0) continue;
        while (str_cut(&rest, '\n', &line)) {
            const char *problem = rows[i].problem(line, arena);
            int shown = line.size > LINE_SHOWN_MAX ? LINE_SHOWN_MAX : (int)line.size;

            if (problem) return arena_printf(arena, "'%.*s': %s", shown, line.data, problem);
        }
    }
    return NULL;
}
