/* SPDX-License-Identifier: Apache-2.0
 *
 * remarks.c - what the user should know of texts that were written for agents or for contract
 * files: what fixers and analyzers said in passing, what an agent was told that broke its contract,
 * and what reviewers found, while it is news.
 *
 * 1. Nothing is decided by it: a run goes the same way with other words.
 * 2. It is taken from events, live or from a journal: a resumed run knows it, too.
 * 3. Only hone's own fixer is believed about the test, and only in the line where it says so:
 *    findings and file names stand in other lines. */
#include "report/remarks.h"

#include "agent/backends.h"

#include "agent/agent.h"
#include "analyze/fixits.h"
#include "dialect/answer.h"
#include "format/json/finding_json.h"
#include "format/text/safe.h"

#include <inttypes.h>
#include <string.h>

enum { FINDINGS_MAX = 10, FINDING_BYTES_MAX = 160 };

enum remark remark_note(struct run *run, const struct event *event)
{
    bool useless = run->test_useless, unverified = run->unverified;
    struct str summary = event->result.doc, line;

    if (event->kind != EV_ENDED || !str_is(event->result.by, backend_fixits.name)) {
        return REMARK_NONE;
    }
    if (summary.size > 0) run->held_back = 0;
    while (str_cut(&summary, '\n', &line)) {
        if (str_starts(line, STR(FIXITS_TEST_LINE)) && str_ends(line, STR(FIXITS_TEST_USELESS))) {
            run->test_useless = true;
        } else if (str_starts(line, STR(FIXITS_UNVERIFIED_LINE))) {
            run->unverified = true;
        } else if (str_starts(line, STR(FIXITS_HELD_LINE))) {
            (void)str_number(str_skip(line, sizeof FIXITS_HELD_LINE - 1), &run->held_back);
        }
    }
    if (run->test_useless && !useless) return REMARK_USELESS_TEST;
    return run->unverified && !unverified ? REMARK_UNVERIFIED : REMARK_NONE;
}

void unverified_words(const struct run *run, struct buf *out)
{
    if (run_test_is_used(run)) {
        buf_text(out, "nothing verified the fixes but the compiler: no test command was found "
                      "here; --test COMMAND names one, or 'test' in hone.json");
        return;
    }
    buf_text(out, "nothing verified the fixes but the compiler: a test that was only found is not "
                  "run without a sandbox; to run it: --test '");
    safe_text(out, str_of(run->settings.test), true, FINDING_BYTES_MAX);
    buf_byte(out, '\'');
}

struct str problem_core(const struct result *result)
{
    static const struct str mark = STR("What is wrong");
    struct str problem = result->problem, rest, head;
    const char *found = NULL, *end;

    if (result->verdict == VERDICT_INVALID && problem.size > 0) {
        found = memmem(problem.data, problem.size, mark.data, mark.size);
    }
    if (!found) return problem;
    rest = str_skip(problem, (size_t)(found - problem.data));
    if (!str_cut(&rest, ':', &head)) return problem;
    rest = str_trim(rest);
    if (str_starts(rest, STR("- "))) rest = str_skip(rest, 2);
    end = rest.size ? memmem(rest.data, rest.size, "\n\n", 2) : NULL;
    if (end) rest.size = (size_t)(end - rest.data); /* the form that it is to be written in */
    return rest.size ? rest : problem;
}

void found_lines(const struct result *result, const char *run, struct buf *out)
{
    if (result->verdict != VERDICT_FINDINGS) return;
    for (uint32_t i = 0; i < result->finding_count && i < FINDINGS_MAX; i++) {
        const struct finding *finding = &result->findings[i];

        buf_printf(out, "\n    %s ", severity_word(finding->severity));
        safe_text(out, finding->file, true, FINDING_BYTES_MAX);
        if (finding->line) buf_printf(out, ":%" PRIu32, finding->line);
        if (finding->file.size) buf_text(out, ": ");
        safe_text(out, finding->text, true, FINDING_BYTES_MAX);
    }
    if (result->finding_count > FINDINGS_MAX) {
        buf_printf(out, "\n    and %" PRIu32 " more: hone findings %s",
                   result->finding_count - FINDINGS_MAX, run);
    }
}

static struct str reason_in(const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct result *result = &batch->jobs[i].result;

        if (!result->stuck) continue;
        return result->problem.size ? result->problem : answer_stuck_reason(result->doc);
    }
    return STR("");
}

struct str stuck_reason(const struct lane *lane)
{
    struct str reason = reason_in(&lane->repair);

    if (lane->state != LANE_STUCK && lane->question != ASK_STUCK) return STR("");
    return reason.size ? reason : reason_in(&lane->work);
}

void not_played_words(const struct run *run, struct buf *out)
{
    const struct batch *review = &run->engine.lanes[0].review;

    for (uint32_t i = 0; i < review->count; i++) {
        if (review->jobs[i].result.verdict != VERDICT_NOT_PLAYED) continue;
        buf_printf(out, "%s%s", out->size ? ", " : "", run->plan.roles[review->jobs[i].role].name);
    }
}

void untouched_words(const struct engine *engine, struct buf *out)
{
    for (uint32_t i = 0; i < engine->round_count; i++) {
        if (!engine->rounds[i].untouched) continue;
        buf_printf(out, "%s%" PRIu32, out->size ? ", " : "", engine->rounds[i].number);
    }
}

/* ---- questions ---- */

/* Half a sentence each. */
static const char *const question_texts[ASK_COUNT] = {
    [ASK_NOTHING] = "",
    [ASK_BOUND] = "findings remain, and all rounds that were allowed are used up",
    [ASK_REPEAT] = "the same finding came back too often",
    [ASK_STUCK] = "the fixer says that it cannot go on",
    [ASK_DEAD] = "an agent failed for good",
};

static const char *const choice_texts[CHOICE_COUNT] = {
    [CHOICE_CONTINUE] = "one more round, then you are asked again",
    [CHOICE_ACCEPT] = "take the work as it is and go on",
    [CHOICE_RESTART] = "begin a new iteration at the first phase",
    [CHOICE_STOP] = "end the run here",
};

const char *question_text(enum question question)
{
    return question_texts[question];
}

const char *question_escalation(const struct run *run, uint32_t lane, enum question question)
{
    const struct gate *gate = &run->plan.phases[run->engine.lanes[lane].phase].gate;

    return question == ASK_BOUND && gate->at_bound == BOUND_ESCALATE ? run->dialect->escalation
                                                                     : NULL;
}

const char *choice_text(enum choice choice)
{
    return choice_texts[choice];
}

bool choice_is_open(const struct engine *engine, enum choice choice)
{
    return choice != CHOICE_RESTART || engine->iteration < engine->plan->iteration_max;
}

/* ---- how far ---- */

void json_progress(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct progress *progress)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, object, "progress");

    json_add(doc, object, "who", progress->who);
    for (uint32_t i = 0; i < progress->count; i++) {
        yyjson_mut_val *part = yyjson_mut_arr_add_obj(doc, list);

        yyjson_mut_obj_add_uint(doc, part, "done", progress->parts[i].done);
        yyjson_mut_obj_add_uint(doc, part, "total", progress->parts[i].total);
        json_add(doc, part, "of", progress->parts[i].things);
    }
}
