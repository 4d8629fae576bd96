/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - an answer by the reader that its role names, and by the pass rule of its gate.
 *
 *     findings   a review as JSON (dialect/review): what is less grave than the rule says is noted
 *     grade      a review with a grade (dialect/cycles): PASS, or WARN where the rule lets it pass
 *     verdict    a review with a verdict section (dialect/session): APPROVE
 *     exit       a command's exit code: zero, or any other where the rule wants it to fail
 *     text       anything that is not empty; a last line "STUCK: reason" says that it cannot go
 *                on, and of work that is repeated a last line "COMPLETE" that it is done
 *
 * What came of the merge of a lane is read as the dialect loops reads it.
 *
 * 1. A review that passes lists no finding: what it found all the same is a note.
 * 2. Findings are never none where a review does not pass. */
#include "dialect/custom/custom.h"

#include "dialect/answer.h"
#include "dialect/review/review.h"
#include "dialect/session/answers.h"
#include "prompts/custom.h"

#include <string.h>

enum { REPORT_BYTES_MAX = 1 << 20, TAIL_BYTES_MAX = 4000, OUTPUT_BYTES_MAX = 64 << 10 };

/* Findings below the least severity that fails become notes; all of them where that is
 * SEVERITY_COUNT. */
static void findings_split(struct result *out, enum severity least, struct arena *arena)
{
    struct finding *fail = arena_alloc(arena, (out->finding_count + 1) * sizeof *fail);
    struct finding *notes = arena_alloc(arena, (out->finding_count + 1) * sizeof *notes);
    uint32_t fail_count = 0, note_count = 0;

    for (uint32_t i = 0; i < out->finding_count; i++) {
        const struct finding *finding = &out->findings[i];

        if (finding->severity >= least) fail[fail_count++] = *finding;
        else notes[note_count++] = *finding;
    }
    out->findings = fail;
    out->finding_count = fail_count;
    out->notes = notes;
    out->note_count = note_count;
    if (fail_count == 0) out->verdict = VERDICT_CLEAN;
}

static void judge_grade(struct str answer, const struct custom_pass *pass, const char *role,
                        struct arena *arena, struct result *out)
{
    struct grading grading;

    cycles_judge_review(answer, role, arena, out);
    if (out->verdict != VERDICT_FINDINGS) return;
    grading_read(out->doc, &grading);
    if (grading.found && grading.grade <= pass->grade) findings_split(out, SEVERITY_COUNT, arena);
}

static void judge_verdict(struct str answer, const char *role, struct arena *arena,
                          struct result *out)
{
    struct check_report report = { 0 };
    struct session_review_text review;
    struct anchor_rule anchors = { .changed = NULL };

    if (session_review_text_read(answer, &anchors, arena, &report, &review)) {
        bool approved = review.verdict == SESSION_APPROVE;

        out->verdict = approved ? VERDICT_CLEAN : VERDICT_FINDINGS;
        session_review_findings(&review, role, arena, out);
        if (approved) findings_split(out, SEVERITY_COUNT, arena);
        out->doc = answer_short(answer_mended(review.text, arena), REPORT_BYTES_MAX, arena);
    } else {
        out->problem = session_correction(SESSION_FORM_CODE_REVIEW, &report, arena);
    }
    check_report_release(&report);
}

/* ---- commands ---- */

static void exit_finding(const struct custom_role *own, const char *role, uint64_t status,
                         struct str said, struct arena *arena, struct result *out)
{
    struct finding *finding = arena_alloc(arena, sizeof *finding);
    const char *wanted = status ? "" : ", and it was wanted to fail";

    said = str_trim(str_tail(said, TAIL_BYTES_MAX));
    *finding = (struct finding){
        .severity = SEVERITY_HIGH,
        .source = str_of(role),
        .kind = STR("command"),
        .text = str_of(arena_printf(arena, "`%s` ended with status %llu%s%s%.*s", own->text,
                                    (unsigned long long)status, wanted,
                                    said.size ? "; the last it said:\n" : "", STR_ARG(said))),
        .suggestion = str_of(arena_printf(arena, "Make `%s` %s", own->text,
                                          status ? "pass" : "fail, for the reason the task gives")),
    };
    finding->fingerprint = finding_fingerprint(finding);
    out->verdict = VERDICT_FINDINGS;
    out->findings = finding;
    out->finding_count = 1;
}

static void judge_command(const struct custom_role *own, const char *role,
                          const struct custom_pass *pass, bool reviews, struct str answer,
                          struct arena *arena, struct result *out)
{
    struct str rest = answer_mended(answer, arena), line = { "", 0 }, word = STR("exit ");
    uint64_t status;

    (void)str_cut(&rest, '\n', &line);
    if (!str_starts(line, word) || !str_number(str_skip(line, word.size), &status)) {
        out->problem = STR("the command was run and its exit status is not known");
        return;
    }
    out->doc = str_of(arena_printf(arena, "exit %llu\n%.*s\n", (unsigned long long)status,
                                   STR_ARG(str_trim(str_tail(rest, OUTPUT_BYTES_MAX)))));
    out->verdict = VERDICT_CLEAN;
    if (reviews && (status == 0) == pass->nonzero) {
        exit_finding(own, role, status, rest, arena, out);
    } else if (!reviews && status != 0) {
        out->verdict = VERDICT_INVALID;
        out->permanent = true;
        out->problem = str_of(arena_printf(arena, "`%s` ended with status %llu", own->text,
                                           (unsigned long long)status));
    }
}

static void judge_commit(struct str answer, struct arena *arena, struct result *out)
{
    if (str_is(str_trim(answer), "nothing")) {
        out->problem = STR("nothing was changed, so there is no commit");
    } else if (!str_starts(answer, STR("commit "))) {
        out->problem = STR("the commit could not be understood");
        return;
    }
    out->verdict = VERDICT_CLEAN;
    out->doc = answer_short(answer_mended(str_trim(answer), arena), REPORT_BYTES_MAX, arena);
}

/* ---- texts ---- */

static void judge_text(struct str answer, bool repeats, struct arena *arena, struct result *out)
{
    review_judge_summary(answer, arena, out);
    if (out->verdict == VERDICT_INVALID) out->problem = str_of(custom_text_answer_empty);
    out->complete = repeats && str_is(str_last_line(out->doc), "COMPLETE");
}

/* ---- the dialect ---- */

void custom_found(const struct run_view *run, const struct action *action,
                  const struct found *found, struct arena *arena, struct result *out)
{
    struct loop loop;

    review_found_as(run->engine->plan->roles[action->role].name, found, arena, out);
    if (!custom_loop(run->settings, arena, &loop)) return;
    findings_split(out, loop.passes[action->phase].severity, arena);
}

void custom_judge(const struct run_view *run, const struct action *action, struct str answer,
                  struct arena *arena, struct result *out)
{
    const char *role = run->engine->plan->roles[action->role].name;
    bool reviews = action->purpose == FOR_REVIEW || action->purpose == FOR_CHECKPOINT;
    const struct custom_role *own;
    struct loop loop;

    *out = (struct result){ .verdict = VERDICT_INVALID };
    if (!custom_loop(run->settings, arena, &loop)) return;
    own = &loop.roles[action->role];
    if (own->kind == CUSTOM_COMMIT) {
        judge_commit(answer, arena, out);
        return;
    }
    if (own->kind == CUSTOM_MERGE) {
        judge_integration(answer, role, arena, out);
        return;
    }
    switch (own->reader) {
    case CUSTOM_FINDINGS:
        review_judge_r1(answer, &(struct r1_rule){ .source = role, .status = true }, arena, out);
        if (out->verdict == VERDICT_FINDINGS) {
            findings_split(out, loop.passes[action->phase].severity, arena);
        }
        break;
    case CUSTOM_GRADE:
        judge_grade(answer, &loop.passes[action->phase], role, arena, out);
        break;
    case CUSTOM_VERDICT:
        judge_verdict(answer, role, arena, out);
        break;
    case CUSTOM_EXIT:
        judge_command(own, role, &loop.passes[action->phase], reviews, answer, arena, out);
        break;
    case CUSTOM_TEXT:
        judge_text(answer, action->purpose == FOR_WORK &&
                           run->engine->plan->phases[action->phase].work.run_max > 0, arena, out);
        break;
    case CUSTOM_READER_COUNT:
        break;
    }
}
