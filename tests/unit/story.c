/* SPDX-License-Identifier: Apache-2.0 */
#include "story.h"

#include "../sim/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FINDINGS_MAX = 8, GROUPS_MAX = 8, TRACE_BYTES_MAX = 1 << 20, TICK_MS = 10 };

/* What an event points to while it is told. */
struct told {
    struct finding findings[FINDINGS_MAX];
    uint32_t groups[GROUPS_MAX];
};

void story_begin(struct story *story, enum plan_kind kind, struct plan_size size)
{
    *story = (struct story){ .now_ms = 0 };
    plans_make(&story->fixture, kind, &size);
    engine_init(&story->engine, &story->fixture.plan);
    buf_init(&story->trace, TRACE_BYTES_MAX);
}

void story_begin_within(struct story *story, enum plan_kind kind, struct plan_size size,
                        const struct budget *budget)
{
    story_begin(story, kind, size);
    story->budget = budget;
}

struct budget story_budget(enum budget_part part, uint64_t limit)
{
    struct budget budget = { 0 };

    budget.limit.of[part] = limit;
    return budget;
}

void story_end(struct story *story)
{
    engine_release(&story->engine);
    actions_release(&story->actions);
    buf_release(&story->trace);
}

static void tell(struct story *story, const struct event *event)
{
    struct event stamped = *event;

    stamped.now_ms = story->now_ms;
    stamped.late = story->late;
    if (event->kind == EV_ENDED) stamped.result.usage = story->usage;
    if (story->budget && (event->kind == EV_START || event->kind == EV_RESUME)) {
        stamped.has_budget = true;
        stamped.budget = *story->budget;
        story->budget = NULL;
    }
    story->now_ms += TICK_MS;
    trace_event(&story->engine, &stamped, &story->trace);
    engine_step(&story->engine, &stamped, &story->actions);
    if (story->actions.count > 0) assert_int_equal(story->actions.item[0].kind, ACT_RECORD);
    trace_actions(&story->fixture.plan, &story->actions, &story->trace);
    assert_false(story->trace.overflow);
}

/* The next word of a sentence; empty at its end. */
static struct str word(struct str *rest)
{
    struct str piece = { "", 0 };

    *rest = str_trim(*rest);
    str_cut(rest, ' ', &piece);
    return piece;
}

static uint32_t number(struct str text, uint32_t otherwise)
{
    uint64_t value = otherwise;

    if (text.size > 0 && !str_number(text, &value)) {
        fail_msg("not a number: %.*s", STR_ARG(text));
    }
    return (uint32_t)value;
}

static void read_groups(struct result *result, struct str rest, struct told *told)
{
    for (struct str size = word(&rest); size.size > 0; size = word(&rest)) {
        assert_true(result->group_count < GROUPS_MAX);
        told->groups[result->group_count++] = number(size, 0);
    }
    result->groups = told->groups;
}

static void add_finding(struct result *result, struct told *told, struct finding finding)
{
    finding.fingerprint = finding_fingerprint(&finding);
    assert_true(result->finding_count < FINDINGS_MAX);
    told->findings[result->finding_count++] = finding;
    result->findings = told->findings;
    result->verdict = VERDICT_FINDINGS;
}

static void read_findings(struct result *result, struct str how, struct str rest,
                          struct told *told)
{
    struct finding finding = { .severity = SEVERITY_LOW, .file = STR("a.c"), .text = STR("odd") };
    uint32_t count = 1;

    if (str_is(how, "high")) {
        finding.severity = SEVERITY_HIGH;
        finding.text = word(&rest);
    } else if (str_is(how, "fix")) {
        result->fix_groups = number(word(&rest), 1);
        result->fix_alone = str_is(word(&rest), "alone");
    } else {
        count = number(word(&rest), 1);
    }
    for (uint32_t i = 0; i < count; i++) add_finding(result, told, finding);
}

static const struct unlooked story_unlooked; /* of no name: the engine does not look */

static struct result read_result(struct str rest, struct told *told)
{
    struct result result = { .verdict = VERDICT_CLEAN };
    struct str how = word(&rest);

    if (str_is(how, "findings") || str_is(how, "high") || str_is(how, "fix")) {
        read_findings(&result, how, rest, told);
    } else if (str_is(how, "invalid") || str_is(how, "broken")) {
        result.verdict = VERDICT_INVALID;
        result.permanent = str_is(how, "broken");
    } else if (str_is(how, "failed") || str_is(how, "dead") || str_is(how, "wait")) {
        result.verdict = VERDICT_FAILED;
        result.failure = FAILURE_EXIT;
        result.permanent = str_is(how, "dead");
        if (str_is(how, "wait")) result.retry_at_ms = number(word(&rest), 0);
    } else if (str_is(how, "stopped") || str_is(how, "paid") || str_is(how, "lost")) {
        result.verdict = VERDICT_FAILED;
        result.failure = str_is(how, "paid") ? FAILURE_BUDGET
                         : str_is(how, "lost") ? FAILURE_LOST : FAILURE_STOPPED;
        result.permanent = str_is(how, "paid");
    } else if (str_is(how, "complete")) {
        result.complete = true;
    } else if (str_is(how, "stuck")) {
        result.stuck = true;
    } else if (str_is(how, "worse")) {
        result.verdict = VERDICT_FINDINGS;
        result.taken_back = true;
        result.problem = STR("it broke");
    } else if (str_is(how, "tasks")) {
        read_groups(&result, rest, told);
    } else if (str_is(how, "unplayed")) {
        result.verdict = VERDICT_NOT_PLAYED;
    } else if (str_is(how, "partial")) {
        result.coverage = (struct coverage){ .files = 2, .unlooked = &story_unlooked,
                                             .unlooked_count = 1 };
    } else if (!str_is(how, "clean")) {
        fail_msg("no such end: %.*s", STR_ARG(how));
    }
    return result;
}

/* "7", "7.1" or "1-5", and how they ended. */
static void read_ended(struct story *story, struct str who, struct str rest, struct told *told)
{
    struct str first, attempt = who, last;
    bool range = str_has(who, '-');

    str_cut(&attempt, '.', &first);
    if (range) {
        last = who;
        str_cut(&last, '-', &first);
    } else {
        last = first;
    }
    for (uint32_t id = number(first, 0); id <= number(last, 0); id++) {
        const struct job *job = engine_job(&story->engine, id, NULL);
        struct event event = { .kind = EV_ENDED, .job = id };

        *told = (struct told){ .groups = { 0 } };
        event.attempt = number(range ? (struct str){ "", 0 } : attempt, job ? job->attempt : 1);
        event.result = read_result(rest, told);
        tell(story, &event);
    }
}

static void read_event(struct story *story, struct str rest)
{
    struct told told = { .groups = { 0 } };
    struct event event = { .kind = EV_START };
    struct str first = word(&rest);

    if (str_is(first, "at")) {
        story->now_ms = number(word(&rest), 0);
        return;
    }
    if (first.data[0] >= '0' && first.data[0] <= '9') {
        read_ended(story, first, rest, &told);
        return;
    }
    if (!event_from_word(first, &event.kind)) fail_msg("no such event: %.*s", STR_ARG(first));
    if (event.kind == EV_START && str_starts(rest, STR("given "))) {
        (void)word(&rest);
        read_findings(&event.result, STR("findings"), rest, &told);
        event.result.verdict = VERDICT_CLEAN;
    } else if (event.kind == EV_START) {
        read_groups(&event.result, rest, &told);
    }
    if (event.kind == EV_ANSWER && !choice_from_word(word(&rest), &event.choice)) {
        fail_msg("no such choice: %.*s", STR_ARG(rest));
    }
    if (event.kind == EV_ANSWER || event.kind == EV_DRIFT) event.lane = number(word(&rest), 0);
    tell(story, &event);
}

void story_skip(struct story *story, const char *script)
{
    struct str rest = str_of(script), sentence;

    while (str_cut(&rest, ',', &sentence)) read_event(story, sentence);
    buf_clear(&story->trace);
}

void story_play(struct story *story, const char *script, const char *expected)
{
    struct str rest = str_of(script), sentence;

    while (str_cut(&rest, ',', &sentence)) read_event(story, sentence);
    if (strcmp(buf_cstr(&story->trace), expected) != 0) {
        print_error("---- expected\n%s---- told\n%s", expected, buf_cstr(&story->trace));
        fail_msg("the story went another way after: %s", script);
    }
    buf_clear(&story->trace);
}
