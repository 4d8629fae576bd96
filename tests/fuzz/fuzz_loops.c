/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_loops.c - any bytes as a list of tasks and as answers in the loops dialect. What must hold
 * for all of them:
 *
 * 1. A list that is taken has ids that are valid and unique, titles in one line, and an order in
 *    which no task stands before or beside one it depends on; every task that is not done has a
 *    lane, and lanes have no gap.
 * 2. A list that is written and read again is the same. So is a review.
 * 3. A review is clean exactly where it says passed and its intent is not said to be missed;
 *    else there are findings, or it is invalid and nothing is kept.
 * 4. A builder is never both complete and stuck, and either only by its last line. */
#include "dialect/dialects.h"
#include "dialect/loops/loops.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const char *line)
{
    assert(utf8_prefix(str_of(line)) == strlen(line));
    for (; *line; line++) assert((unsigned char)*line >= ' ' && *line != 0x7f);
}

static void check_text(struct loops_tasks *tasks, struct arena *arena)
{
    struct loops_tasks again;
    struct buf one, two;
    struct err err;

    buf_init(&one, 64 << 20);
    buf_init(&two, 64 << 20);
    tasks_write(tasks, &one);
    assert(tasks_read_json(buf_str(&one), arena, &again, &err) == 0);
    tasks_write(&again, &two);
    assert(str_eq(buf_str(&one), buf_str(&two)));
    buf_release(&one);
    buf_release(&two);
}

/* The wave of each lane. */
static uint32_t wave_of(const uint32_t *waves, uint32_t count, uint32_t lane)
{
    for (uint32_t i = 0; i < count; i++) {
        if (lane <= waves[i]) return i;
        lane -= waves[i];
    }
    assert(!"every lane is in a wave");
    return 0;
}

static void check_order(const struct loops_tasks *tasks, const uint32_t *waves, uint32_t count)
{
    uint32_t lanes = 0;

    for (uint32_t i = 0; i < tasks->count; i++) {
        const struct loops_task *task = &tasks->items[i];

        assert(task_id_is_valid(str_of(task->id)) && *task->title);
        check_line(task->title);
        check_line(task->group);
        assert(tasks_find(tasks, str_of(task->id)) == task);
        assert((task->lane == 0) == task->done);
        lanes += !task->done;
        for (uint32_t k = 0; k < task->need_count && !task->done; k++) {
            const struct loops_task *need = tasks_find(tasks, str_of(task->needs[k]));

            assert(need && need != task);
            assert(need->done || wave_of(waves, count, need->lane) <
                                     wave_of(waves, count, task->lane));
        }
    }
    for (uint32_t lane = 1; lane <= lanes; lane++) assert(tasks_of_lane(tasks, lane));
}

static void check_list(struct str text)
{
    struct arena arena = { 0 };
    struct loops_tasks tasks;
    const uint32_t *waves;
    uint32_t count;
    struct err err = { 0 };

    if (tasks_read(text, &arena, &tasks, &err) == 0 && tasks.count < 300) {
        if (tasks_order(&tasks, 0, 1, &arena, &waves, &count, &err) == 0) {
            check_order(&tasks, waves, count);
        } else {
            assert(err.text[0]);
        }
        check_text(&tasks, &arena);
    }
    arena_release(&arena);
}

/* ---- answers ---- */

static struct result judge(uint16_t role, struct str answer, struct arena *arena)
{
    static const struct setting item = { "tasks", "t.md" };
    static const struct config_text file = { "--tasks", STR("- [ ] a: A\n") };
    static const struct settings settings = { .items = &item, .count = 1, .files = &file,
                                              .file_count = 1 };
    struct action action = { .kind = ACT_START, .role = role, .lane = 1, .job = 2, .attempt = 3 };
    struct plan plan = { 0 };
    struct engine engine = { 0 };
    struct run_view run = { .engine = &engine, .id = "r", .settings = &settings };
    struct result result;
    struct err err;

    assert(dialect_loops.plan(&settings, arena, &plan, &err) == 0);
    engine_init(&engine, &plan);
    dialect_loops.judge(&run, &action, answer, arena, &result);
    engine_release(&engine);
    assert(utf8_prefix(result.doc) == result.doc.size);
    assert(result.verdict != VERDICT_INVALID || result.problem.size > 0);
    assert((result.finding_count > 0) == (result.verdict == VERDICT_FINDINGS));
    return result;
}

static void check_review(struct str answer)
{
    struct arena arena = { 0 };
    struct result result = judge(LOOPS_REVIEWER, answer, &arena), again;
    struct loops_review review;
    struct err err;

    if (result.verdict != VERDICT_INVALID) {
        assert(loops_review_read(result.doc, &arena, &review, &err) == 0);
        assert(loops_review_passes(&review, false) == (result.verdict == VERDICT_CLEAN));
        assert(str_is(review.id, "r-1-2-3"));
        again = judge(LOOPS_REVIEWER, result.doc, &arena);
        assert(again.verdict == result.verdict && str_eq(again.doc, result.doc));
        for (uint32_t i = 0; i < result.finding_count; i++) {
            assert(result.findings[i].text.size > 0);
        }
    }
    arena_release(&arena);
}

static void check_builder(struct str answer)
{
    struct arena arena = { 0 };
    struct result result = judge(LOOPS_BUILDER, answer, &arena);
    struct buf text;

    assert(!result.complete || !result.stuck);
    assert(!result.complete || str_ends(str_trim(answer), STR("TASK_COMPLETE")));
    buf_init(&text, 4 << 20);
    buf_add(&text, answer);
    buf_text(&text, "\nnot yet\n");
    result = judge(LOOPS_BUILDER, buf_str(&text), &arena);
    assert(!result.complete && !result.stuck && result.verdict == VERDICT_CLEAN);
    buf_text(&text, "\nTASK_COMPLETE\n");
    assert(judge(LOOPS_BUILDER, buf_str(&text), &arena).complete);
    buf_release(&text);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct arena arena = { 0 };

    if (size > 1 << 20) return 0;
    check_list(text);
    check_review(text);
    check_builder(text);
    (void)judge(LOOPS_ENUMERATOR, text, &arena);
    (void)judge(LOOPS_REVISER, text, &arena);
    (void)judge(LOOPS_INTEGRATOR, text, &arena);
    arena_release(&arena);
    return 0;
}
