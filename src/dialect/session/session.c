/* SPDX-License-Identifier: Apache-2.0
 *
 * session.c - a work item from a plan to its delivery, by an executor and a reviewer that do not
 * know each other; the row of the dialect, and what is too small for a file of its own.
 *
 * Everything that happened stands in one Markdown file, .review-loop/sessions/{uuid}.md, which
 * other tools read and continue. hone alone writes it; a lock beside it keeps others out while a
 * run lives.
 *
 * Not here: the plan (plan.c), prompts (prompt.c), answers (judge.c, answers.h), what is kept of
 * them (story.c), files (record.c, file.h) and the way back from them (restore.c), the end
 * (conclude.c). */
#include "dialect/session/session.h"

#include "dialect/dialects.h"
#include "dialect/session/config.h"
#include "dialect/session/file.h"

#include <limits.h>
#include <string.h>

const char *session_uuid(const struct run_view *run)
{
    const char *uuid = setting_value(run->settings, "session");

    if (uuid) return uuid;
    return run->uuid && *run->uuid ? run->uuid : run->id;
}

bool session_asked_once(const char *backend, const char *role)
{
    if (strcmp(backend, "claude") != 0) return false;
    for (uint32_t i = SESSION_NOBODY + 1; i < SESSION_ROLE_COUNT; i++) {
        if (!session_is_reviewer((uint16_t)i)) continue;
        if (strcmp(role, session_role_name((uint16_t)i)) == 0) return true;
    }
    return false;
}

/* ---- who plays ---- */

static bool is_review_role(const char *role)
{
    return session_asked_once("claude", role);
}

static const char *agent_spec(const struct settings *settings, const char *role, uint32_t copy,
                              struct arena *arena)
{
    struct session_config config;

    (void)copy;
    if (!is_review_role(role)) return NULL;
    session_config_read(settings, arena, &config);
    if (config.local_reviewer) {
        if (!*config.codex_reviewer_model) return "codex";
        return arena_printf(arena, "codex:%s", config.codex_reviewer_model);
    }
    if (!*config.reviewer_model && !*config.judgment_model) return NULL;
    return arena_printf(arena, "claude:%s", session_config_model(&config));
}

/* Two programs, so that the reviewer has not written what it reviews: Codex works, Claude Code
 * reviews. Where Codex is not installed any model that is may work; Claude Code as well. */
static const char *default_spec(const struct settings *settings, const char *role, uint32_t copy,
                                struct arena *arena)
{
    (void)settings, (void)copy, (void)arena;
    return is_review_role(role) ? "claude" : "codex";
}

/* Without Claude Code the user must name the reviewer: codex would review its own work. */
static const char *ways_to_name(const char *role)
{
    if (!is_review_role(role)) return NULL;
    return "no other takes its place unasked; to let codex review its own work: "
           "'codex_reviewer_backend: codex' in " SESSION_CONFIG_FILE "; to name another: "
           "--agent 'ROLE=SPEC', or dialects.session.agents in hone.json";
}

/* Inside a host the host's agents do the work, also where another program is installed. The
 * reviewer is the same as outside. */
static const char *hosted_spec_of(const struct settings *settings, const char *host,
                                  const char *role, struct arena *arena)
{
    (void)settings;
    return is_review_role(role) ? NULL : arena_cstr(arena, str_of(host));
}

static const char *model_of(const struct settings *settings, const char *backend,
                            const char *role, struct arena *arena)
{
    struct session_config config;

    if (!is_review_role(role)) return NULL;
    session_config_read(settings, arena, &config);
    if (strcmp(backend, "claude") == 0) return session_config_model(&config);
    if (strcmp(backend, "codex") != 0 || !*config.codex_reviewer_model) return NULL;
    return config.codex_reviewer_model;
}

/* ---- what hone does itself ---- */

static void builtin_of(const struct run_view *run, const struct action *action,
                       struct arena *arena, struct builtin *out)
{
    (void)run, (void)arena;
    *out = (struct builtin){ .kind = BUILTIN_ANSWER, .text = "delivered" };
    if (action->role == SESSION_SCAN) *out = (struct builtin){ .kind = BUILTIN_SCAN, .text = "" };
    if (action->role == SESSION_SKIP) {
        out->text = "skipped: skip_quality_polish is set in " SESSION_CONFIG_FILE;
    }
}

/* ---- files beside the session's ---- */

static const char *continued_file(const struct settings *settings, struct arena *arena)
{
    const char *uuid = setting_value(settings, "session");

    /* A name that cannot be one is refused by the plan; no path is made of it. */
    if (!uuid || strchr(uuid, '/')) return NULL;
    return session_path(uuid, "md", arena);
}

static const char *lock_of(const struct run_view *run, struct arena *arena)
{
    return session_path(session_uuid(run), "lock", arena);
}

static long lock_owner_of(struct str text)
{
    struct arena arena = { 0 };
    struct session_lock lock;
    struct err none;
    long pid = 0;

    if (session_lock_read(text, &arena, &lock, &none) == 0 && lock.pid <= INT_MAX) {
        pid = (long)lock.pid;
    }
    arena_release(&arena);
    return pid;
}

static const char *prompt_path(const struct run_view *run, const struct action *action,
                               struct arena *arena)
{
    if (!session_is_reviewer(action->role)) return NULL;
    return arena_printf(arena, ".review-loop/tmp/%s-reviewer-prompt.txt", session_uuid(run));
}

/* ---- the row ---- */

static const char *const private_paths[] = { SESSION_FOLDER "/", ".review-loop/tmp/", NULL };

static const char *const task_options[] = { "review-only", "session", "plan", NULL };

static const char accept_option[] = "accept-external-state";

static const struct dialect_option options[] = {
    { .name = "plan", .argument = "FILE", .is_file = true,
      .help = "begin with this plan: nothing is planned, and where the work deviates from it is "
              "advice" },
    { .name = "review-only",
      .help = "begin with a review of what is there, and repair what it finds" },
    { .name = "session", .argument = "UUID",
      .help = "go on with .review-loop/sessions/UUID.md, of hone or another tool" },
    { .name = "stop-after", .argument = "STAGE",
      .help = "exec-round, before-polish, before-docs, before-security, before-delivery or "
              "delivery" },
    { .name = "handsfree",
      .help = "never ask you: where a limit is reached and blocking issues are left, the run stops",
      .key = { .kind = KEY_SWITCH, .builtin = "false", .consent = CONSENT_NEVER } },
    { .name = accept_option,
      .help = "with --session: go on although the tree was changed meanwhile; every stage is "
              "earned again" },
    { .name = NULL },
};

static const struct dialect_casting casting = {
    .agent = agent_spec,
    .agent_default = default_spec,
};

static const struct dialect_insisting insisting = {
    .no_stand_in = ways_to_name,
    .hosted_agent = hosted_spec_of,
    .asked_once = session_asked_once,
};

static const struct dialect_configuring configuring = {
    .files = session_config_files,
    .list = session_config_list,
};

static const struct dialect_framing framing = {
    .start = session_start,
    .conclude = session_conclude,
};

static const struct dialect_continuing continuing = {
    .file = continued_file,
    .restore = session_restore,
    .drifted = session_drifted,
    .option = "session",
    .accept_option = accept_option,
};

static const struct dialect_sharing sharing = {
    .called = "session",
    .lock_file = lock_of,
    .lock_owner = lock_owner_of,
    .prompt_file = prompt_path,
};

static const struct dialect_notation notation = {
    .beyond = "its stages are judged by the tree and by claims in its reports, and "
              "its files carry a session from one tool to the next",
};

const struct dialect dialect_session = {
    .notation = &notation,
    .name = "session",
    .summary = "a work item from a plan to its delivery: an executor and an independent reviewer, "
               "stage by stage",
    .task_default = "No work item was given: the plan, or what is there, says what is wanted",
    .task_options = task_options,
    .private_paths = private_paths,
    .top_folder = ".review-loop",
    .options = options,
    .wants_tree = true,
    .plan = session_make_plan,
    .prompt = session_prompt,
    .judge = session_judge,
    .found = session_found,
    .record = session_record,
    .model = model_of,
    .builtin = builtin_of,
    .casting = &casting,
    .insisting = &insisting,
    .configuring = &configuring,
    .framing = &framing,
    .continuing = &continuing,
    .sharing = &sharing,
};
