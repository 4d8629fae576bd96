/* SPDX-License-Identifier: Apache-2.0
 *
 * test_run.c - an engine fed from the journal is the engine that wrote it. */
#include "shared/engine_print.h"
#include "journal_ground.h"
#include "run/run.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct err err;

static struct journal_run row(const char *dialect, const char *settings)
{
    return (struct journal_run){ .id = "r1", .dialect = dialect, .task = "look",
                                 .workspace = "/w", .settings = settings, .created_ms = 1 };
}

/* A live run: journals the event, then steps. */
static void live(struct run *replay, struct journal *journal, const struct event *event,
                 struct actions *actions)
{
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_event(journal, "r1", event, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
    engine_step(&replay->engine, event, actions);
}

/* Begins a run and lets two agents answer, one of them with a finding; what is asked for then is
 * left open. */
static void play(struct run *replay, struct journal *journal)
{
    struct finding finding = { .severity = SEVERITY_HIGH, .source = STR("critic"),
                               .file = STR("a.c"), .line = 3, .text = STR("wrong") };
    struct event event = { .kind = EV_START, .now_ms = 10 };
    struct actions actions = { 0 };
    uint32_t jobs[2] = { 0 };
    uint32_t found = 0;

    finding.fingerprint = finding_fingerprint(&finding);
    live(replay, journal, &event, &actions);
    for (uint32_t i = 0; i < actions.count && found < COUNT(jobs); i++) {
        if (actions.item[i].kind == ACT_START) jobs[found++] = actions.item[i].job;
    }
    assert_int_equal(found, COUNT(jobs));
    event = (struct event){ .kind = EV_ENDED, .now_ms = 20, .job = jobs[0], .attempt = 1,
                            .result = { .verdict = VERDICT_FINDINGS, .findings = &finding,
                                        .finding_count = 1, .doc = STR("{\"issues\":[1]}") } };
    live(replay, journal, &event, &actions);
    event = (struct event){ .kind = EV_ENDED, .now_ms = 30, .job = jobs[1], .attempt = 1,
                            .result = { .verdict = VERDICT_INVALID,
                                        .problem = STR("line 1: not JSON") } };
    live(replay, journal, &event, &actions);
    actions_release(&actions);
}

struct steps {
    uint64_t count, stop_at, actions;
};

static bool on_step(void *context, const struct run *replay, uint64_t sequence,
                    const struct event *event, const struct actions *actions)
{
    struct steps *steps = context;

    assert_int_equal(sequence, ++steps->count);
    assert_true(replay->engine.now_ms == event->now_ms);
    assert_int_equal(replay->event_count, sequence);
    steps->actions += actions->count;
    return sequence != steps->stop_at;
}

TEST_WITH(a_replay_ends_where_the_run_was, journal_ground_open, journal_ground_close)
{
    struct journal_run begun = row("review", "{\"options\":[[\"max-iterations\",\"3\"]]}");
    struct journal *journal = open_journal();
    struct run first = { 0 }, again = { 0 };
    struct steps steps = { 0 };
    struct buf one, two;

    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_run(journal, &begun, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
    if (run_load(&first, &begun, &err) != 0) fail_msg("%s", err.text);
    play(&first, journal);

    assert_int_equal(run_load(&again, &begun, &err), 0);
    if (run_replay(&again, journal, on_step, &steps, &err) != 0) fail_msg("%s", err.text);
    assert_int_equal(steps.count, 3);
    assert_true(steps.actions >= 3);
    assert_int_equal(again.event_count, 3);
    buf_init(&one, 1 << 20);
    buf_init(&two, 1 << 20);
    engine_print(&first.engine, &one);
    engine_print(&again.engine, &two);
    assert_true(one.size > 0);
    assert_string_equal(buf_cstr(&one), buf_cstr(&two));
    run_release(&again);

    /* Replay works without a callback; a callback may stop it. */
    assert_int_equal(run_load(&again, &begun, &err), 0);
    assert_int_equal(run_replay(&again, journal, NULL, NULL, &err), 0);
    assert_int_equal(again.event_count, 3);
    run_release(&again);
    steps = (struct steps){ .stop_at = 2 };
    assert_int_equal(run_load(&again, &begun, &err), 0);
    assert_int_equal(run_replay(&again, journal, on_step, &steps, &err), 0);
    assert_int_equal(again.event_count, 2);
    run_release(&again);

    buf_release(&one);
    buf_release(&two);
    run_release(&first);
    journal_close(journal);
}

TEST(the_row_is_copied)
{
    char dialect[] = "review";
    char settings[] = "{\"agents\":[[\"*\",\"cmd:x\"]],\"sandbox\":\"off\"}";
    struct journal_run begun = row(dialect, settings);
    struct run replay = { 0 };

    if (run_load(&replay, &begun, &err) != 0) fail_msg("%s", err.text);
    memset(dialect, 'x', strlen(dialect));
    memset(settings, 'x', strlen(settings));
    assert_string_equal(replay.row.dialect, "review");
    assert_string_equal(settings_agent(&replay.settings, "critic"), "cmd:x");
    assert_true(replay.settings.sandbox_off);
    assert_int_equal(replay.engine.state, ENGINE_IDLE);
    run_release(&replay);
}

TEST(what_cannot_be_begun_is_refused)
{
    static const struct {
        const char *dialect, *settings, *words;
        int code;
    } cases[] = {
        { "revue", "{}", "no dialect \"revue\"", ERR_USAGE },
        { "review", "{\"options\":[[\"max-iterations\",\"many\"]]}", "max-iterations", ERR_USAGE },
        { "review", "{\"options\":1}", "settings: \"options\"", ERR_FORMAT },
        { "review", "", "settings: line 1", ERR_FORMAT },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct journal_run begun = row(cases[i].dialect, cases[i].settings);
        struct run replay = { 0 };

        assert_int_equal(run_load(&replay, &begun, &err), cases[i].code);
        if (!strstr(err.text, cases[i].words)) fail_msg("case %zu: %s", i, err.text);
        run_release(&replay);
    }
}
