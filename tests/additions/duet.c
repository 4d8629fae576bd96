/* SPDX-License-Identifier: Apache-2.0
 *
 * duet.c - a dialect for tests/e2e/additions.sh: one reviewer and one fixer, until the reviewer
 * says "clean". It has a word of its own, a key of hone.json and no files. */
#include "dialect/dialects.h"

extern const struct dialect dialect_duet; /* as its row says */

enum { NOBODY = ROLE_NONE, LISTENER, SPEAKER, ROLES };

static const struct role roles[ROLES] = {
    [NOBODY] = { .name = "" },
    [LISTENER] = { .name = "listener", .invalid_max = 1 },
    [SPEAKER] = { .name = "speaker", .writes = true },
};

static const uint16_t reviewers[] = { LISTENER };

static const struct dialect_option options[] = {
    { .name = "legs", .argument = "N", .help = "at most N reviews; 3 by default",
      .key = { .kind = KEY_NUMBER, .max = 9, .builtin = "3", .consent = CONSENT_NEVER } },
    { .name = NULL },
};

static int duet_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                      struct err *err)
{
    struct phase *phase = arena_alloc(arena, sizeof *phase);
    uint32_t legs;
    int rc = settings_check(settings, &dialect_duet, err);

    if (rc == 0) rc = setting_number(settings, "legs", 3, 9, &legs, err);
    if (rc != 0) return rc;
    *phase = (struct phase){
        .name = "duet",
        .gate = { .reviewers = reviewers, .reviewer_count = 1, .on_fail = FAIL_REPAIR,
                  .repair = { .role = SPEAKER }, .repair_max = legs - 1,
                  .at_bound = BOUND_STOP },
    };
    *out = (struct plan){ .roles = roles, .role_count = ROLES, .phases = phase, .phase_count = 1,
                          .iteration_max = 1 };
    return 0;
}

static void duet_prompt(const struct run_view *run, const struct prompt_request *request,
                         struct buf *out)
{
    buf_printf(out, "%s: %s\n", roles[request->action->role].name, run->task);
}

static void duet_judge(const struct run_view *run, const struct action *action, struct str answer,
                        struct arena *arena, struct result *out)
{
    struct finding *finding = arena_alloc(arena, sizeof *finding);
    struct str said = str_trim(answer);

    (void)run;
    *out = (struct result){ .verdict = VERDICT_CLEAN };
    if (action->role != LISTENER || str_is(said, "clean")) return;
    *finding = (struct finding){ .severity = SEVERITY_HIGH, .source = STR("listener"),
                                 .text = arena_copy(arena, said) };
    finding->fingerprint = finding_fingerprint(finding);
    *out = (struct result){ .verdict = VERDICT_FINDINGS, .findings = finding, .finding_count = 1 };
}

static void duet_record(const struct run_view *run, struct contract *out)
{
    (void)run;
    (void)out;
}

const struct dialect dialect_duet = {
    .name = "duet",
    .summary = "one listens and one speaks, until nothing is left to say",
    .options = options,
    .plan = duet_plan,
    .prompt = duet_prompt,
    .judge = duet_judge,
    .record = duet_record,
};
