/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c - the settings of a session as a plan.
 *
 *     planning    executor plans, reviewer judges                 until APPROVE
 *     execution   executor works, reviewer judges                 mints exec
 *     polish      its reviewer                                    mints polish
 *     docs        its reviewer                                    mints docs
 *     security    hone's own scan, and its reviewer               mints security
 *     delivery    hone, while all four hold for the tree as it is
 *
 * A repair behind execution goes back to execution's gate, and every later stage follows again.
 *
 * 1. A limit of n lets n reviews take place: n - 1 repairs.
 * 2. At a limit the user is asked; handsfree stops. Blocking issues are never passed over by the
 *    plan itself.
 * 3. --plan and a session that is past planning have no planning phase; --review-only has no work
 *    before the first review.
 * 4. --stop-after leaves out the phases behind it; exec-round allows one review. */
#include "dialect/dialects.h"
#include "dialect/session/session.h"

#include "dialect/session/config.h"
#include "dialect/session/file.h"

#include <assert.h>
#include <string.h>

enum { REPEAT_MAX = 3, RETRY_PAUSE_MS = 1000, UUID_BYTES_MAX = 128, PHASES_MAX = 6 };

static const struct role roles[SESSION_ROLE_COUNT] = {
    [SESSION_NOBODY] = { .name = "" },
    [SESSION_PLANNER] = { .name = "executor", .confined = true, .invalid_max = 1,
                          .failed_max = 1 },
    [SESSION_EXECUTOR] = { .name = "executor", .writes = true, .invalid_max = 1,
                           .failed_max = 1 },
    [SESSION_REVIEWER] = { .name = "reviewer", .invalid_max = 1, .failed_max = 1 },
    [SESSION_POLISHER] = { .name = "polish", .invalid_max = 1, .failed_max = 1 },
    [SESSION_DOCUMENTER] = { .name = "docs", .invalid_max = 1, .failed_max = 1 },
    [SESSION_GUARD] = { .name = "security", .invalid_max = 1, .failed_max = 1 },
    [SESSION_SCAN] = { .name = "scan", .builtin = true, .failed_max = 1 },
    [SESSION_SKIP] = { .name = "skip", .builtin = true },
    [SESSION_DELIVER] = { .name = "deliver", .builtin = true },
};

static const uint16_t reviewers[] = { SESSION_REVIEWER };
static const uint16_t polishers[] = { SESSION_POLISHER };
static const uint16_t skippers[] = { SESSION_SKIP };
static const uint16_t documenters[] = { SESSION_DOCUMENTER };
static const uint16_t guards[] = { SESSION_SCAN, SESSION_GUARD };

/* Where a session may stop, and how many of its phases are left out at the end for that. */
static const struct {
    const char *word;
    uint32_t left_out;
} stops[] = {
    { "exec-round", 4 },      { "before-polish", 4 },   { "before-docs", 3 },
    { "before-security", 2 }, { "before-delivery", 1 }, { "delivery", 0 },
};

const char *session_role_name(uint16_t role)
{
    assert(role != SESSION_NOBODY && role < SESSION_ROLE_COUNT);
    return roles[role].name;
}

bool session_is_reviewer(uint16_t role)
{
    return role == SESSION_REVIEWER || role == SESSION_POLISHER || role == SESSION_DOCUMENTER ||
           role == SESSION_GUARD;
}

bool session_is_executor(uint16_t role)
{
    return role == SESSION_PLANNER || role == SESSION_EXECUTOR;
}

/* ---- settings ---- */

enum session_opening session_opening_of(const struct settings *settings)
{
    if (setting_value(settings, "session")) return OPEN_CONTINUED;
    if (setting_value(settings, "plan")) return OPEN_PLANNED;
    if (setting_value(settings, "review-only")) return OPEN_REVIEW_ONLY;
    return OPEN_FRESH;
}

const char *session_path(const char *uuid, const char *end, struct arena *arena)
{
    return arena_printf(arena, SESSION_FOLDER "/%s.%s", uuid, end);
}

struct str session_continued(const struct settings *settings)
{
    const char *uuid = setting_value(settings, "session");
    struct arena arena = { 0 };
    struct str text = { "", 0 };

    if (uuid) text = settings_file(settings, session_path(uuid, "md", &arena));
    arena_release(&arena);
    return text;
}

static int check_openings(const struct settings *settings, struct err *err)
{
    static const char *const openings[] = { "plan", "review-only", "session" };
    const char *given = NULL;

    for (uint32_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        if (!setting_value(settings, openings[i])) continue;
        if (given) {
            return err_set(err, ERR_USAGE, "--%s and --%s exclude each other: a session begins "
                           "with a plan of yours, with a review of what is there, or where another "
                           "session stopped", given, openings[i]);
        }
        given = openings[i];
    }
    return 0;
}

static bool is_uuid(const char *value)
{
    size_t size = strlen(value);
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789-_.";

    return size > 0 && size <= UUID_BYTES_MAX && value[0] != '.' && value[0] != '-' &&
           strspn(value, letters) == size;
}

static int check_values(const struct settings *settings, struct err *err)
{
    const char *uuid = setting_value(settings, "session");
    enum session_opening opening = session_opening_of(settings);
    struct str continued = session_continued(settings);

    if (uuid && !is_uuid(uuid)) {
        return err_set(err, ERR_USAGE, "session: '%.200s' is no name of a session: it is that of a "
                       "file in " SESSION_FOLDER ", without its .md", uuid);
    }
    if (uuid && continued.size && str_trim(continued).size == 0) {
        return err_set(err, ERR_USAGE, "session: " SESSION_FOLDER "/%s.md is empty", uuid);
    }
    if (opening == OPEN_PLANNED &&
        str_trim(settings_file(settings, SESSION_PLAN_FILE)).size == 0) {
        return err_set(err, ERR_USAGE, "plan: '%.200s' is empty", setting_value(settings, "plan"));
    }
    return 0;
}

/* How many phases are left out at the end; *once: one round of execution. */
static int read_stop(const struct settings *settings, uint32_t *left_out, bool *once,
                     struct err *err)
{
    const char *value = setting_value(settings, "stop-after");

    *left_out = 0;
    *once = value && strcmp(value, "exec-round") == 0;
    if (!value) return 0;
    for (uint32_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        if (strcmp(value, stops[i].word) != 0) continue;
        *left_out = stops[i].left_out;
        return 0;
    }
    return err_set(err, ERR_USAGE, "stop-after: '%.200s' is not one of exec-round, before-polish, "
                   "before-docs, before-security, before-delivery, delivery", value);
}

/* What of the plan is behind a session that is continued. Settings can be looked at before the
 * file is: then nothing is. */
static int read_continued(const struct settings *settings, bool *planned, bool *worked,
                          struct err *err)
{
    struct session_metadata metadata;
    struct session_file file;
    struct session_plan plan;
    int rc = session_file_read(&file, session_continued(settings), err);

    if (rc != 0) return rc;
    session_file_plan(&file, &plan);
    session_file_metadata(&file, &metadata);
    *planned = session_file_phase(&file) == SESSION_EXECUTION ||
               (session_file_phase(&file) == SESSION_NO_PHASE && plan.source != SOURCE_NONE);
    *worked = plan.source == SOURCE_REVIEW_ONLY || str_is(metadata.entry_point, "review-only");
    session_file_release(&file);
    return 0;
}

/* ---- the plan ---- */

static struct gate gate_of(const uint16_t *list, uint32_t count, uint32_t limit, bool handsfree)
{
    return (struct gate){
        .reviewers = list,
        .reviewer_count = count,
        .on_fail = FAIL_REPAIR,
        .repair = { .role = SESSION_EXECUTOR, .on_stuck = STUCK_REPAIRED },
        .repair_max = limit - 1,
        .at_bound = handsfree ? BOUND_STOP : BOUND_ASK,
        .repeat_max = REPEAT_MAX,
    };
}

/* The phases from execution on; at is execution's place. */
static uint32_t add_stages(struct phase *phases, uint32_t at, const struct session_config *config,
                           bool worked)
{
    const struct {
        const char *name;
        const uint16_t *list;
        uint32_t count;
        enum session_mint mint;
    } stages[] = {
        { "execution", reviewers, 1, MINT_EXEC },
        { "polish", config->skip_quality_polish ? skippers : polishers, 1, MINT_POLISH },
        { "docs", documenters, 1, MINT_DOCS },
        { "security", guards, 2, MINT_SECURITY },
    };
    uint32_t count = at;

    for (uint32_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        struct phase *phase = &phases[count++];

        *phase = (struct phase){ .name = stages[i].name };
        phase->gate = gate_of(stages[i].list, stages[i].count, config->soft_limit_exec,
                              config->handsfree);
        phase->gate.mints = 1U << stages[i].mint;
        phase->gate.recheck = at;
    }
    if (!worked) phases[at].work = (struct work){ .role = SESSION_EXECUTOR, .copies = 1 };
    phases[count++] = (struct phase){ .name = "delivery",
                                      .work = { .role = SESSION_DELIVER, .copies = 1 },
                                      .needs = MINT_ALL };
    return count;
}

static void add_phases(struct phase *phases, const struct session_config *config, bool planned,
                       bool worked, struct plan *out)
{
    uint32_t count = 0;

    if (!planned) {
        phases[count] = (struct phase){ .name = "planning" };
        phases[count].work = (struct work){ .role = SESSION_PLANNER, .copies = 1 };
        phases[count].gate = gate_of(reviewers, 1, config->soft_limit_plan, config->handsfree);
        phases[count].gate.repair.role = SESSION_PLANNER;
        phases[count].gate.of_text = true;
        phases[count].gate.recheck = count;
        count++;
    }
    out->phases = phases;
    out->phase_count = add_stages(phases, count, config, worked);
}

int session_make_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                      struct err *err)
{
    enum session_opening opening = session_opening_of(settings);
    bool planned = opening == OPEN_PLANNED || opening == OPEN_REVIEW_ONLY;
    bool worked = opening == OPEN_REVIEW_ONLY, once;
    struct session_config config;
    struct phase *phases;
    uint32_t left_out;
    int rc = settings_check(settings, &dialect_session, err);

    if (rc == 0) rc = check_openings(settings, err);
    if (rc == 0) rc = read_stop(settings, &left_out, &once, err);
    if (rc == 0) rc = check_values(settings, err);
    if (rc == 0 && opening == OPEN_CONTINUED) rc = read_continued(settings, &planned, &worked, err);
    if (rc != 0) return rc;
    session_config_read(settings, arena, &config);
    config.handsfree = config.handsfree || setting_value(settings, "handsfree");
    phases = arena_alloc(arena, PHASES_MAX * sizeof *phases);
    *out = (struct plan){
        .roles = roles,
        .role_count = SESSION_ROLE_COUNT,
        .iteration_max = 1,
        .retry_pause_ms = RETRY_PAUSE_MS,
        .keeps_diary = true,
    };
    add_phases(phases, &config, planned, worked, out);
    if (once) phases[planned ? 0 : 1].gate.on_fail = FAIL_STOP;
    out->phase_count -= left_out;
    return 0;
}

bool session_phase_is(const struct plan *plan, uint32_t phase, const char *name)
{
    return phase < plan->phase_count && strcmp(plan->phases[phase].name, name) == 0;
}

bool session_has_planning(const struct plan *plan)
{
    return session_phase_is(plan, 0, "planning");
}
