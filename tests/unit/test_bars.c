/* SPDX-License-Identifier: Apache-2.0
 *
 * test_bars.c - failures that will not heal by themselves, as a table: what is not started any
 * more. */
#include "drive/bars.h"

#include "test.h"

static const struct backend claude = { .name = "claude" }, codex = { .name = "codex" };
static const struct backend cmd = { .name = "cmd", .argument_needed = true };
static const struct agent opus = { .backend = &claude, .spec = "claude:opus" };
static const struct agent haiku = { .backend = &claude, .spec = "claude:haiku" };
static const struct agent other = { .backend = &codex, .spec = "codex" };
static const struct agent one = { .backend = &cmd, .spec = "cmd:one" };
static const struct agent two = { .backend = &cmd, .spec = "cmd:two" };

static bool fails(struct bars *bars, const struct agent *agent, uint32_t job, enum failure failure,
                  const char *problem, struct arena *arena)
{
    struct result result = { .verdict = VERDICT_FAILED, .failure = failure,
                             .problem = str_of(problem) };

    return bars_note(bars, agent, job, &result, arena);
}

TEST(the_first_failure_that_will_not_heal_stops_its_program)
{
    static const enum failure kinds[] = { FAILURE_MISSING, FAILURE_LOGIN, FAILURE_CREDIT,
                                          FAILURE_CAGE };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct arena arena = { 0 };
        struct bars bars = { 0 };

        assert_true(fails(&bars, &opus, 1, kinds[i], "why", &arena));
        assert_non_null(bars_find(&bars, &opus));
        assert_non_null(bars_find(&bars, &haiku)); /* the same program, the same account */
        assert_null(bars_find(&bars, &other));     /* other agents go on */
        assert_false(fails(&bars, &haiku, 2, kinds[i], "why", &arena)); /* said once */
        assert_string_equal(bars_find(&bars, &haiku)->problem, "why");
        bars_release(&bars);
        assert_true(fails(&bars, &one, 1, kinds[i], "why", &arena));
        assert_null(bars_find(&bars, &two)); /* another command is another program */
        bars_release(&bars);
        arena_release(&arena);
    }
}

TEST(a_model_that_is_not_known_stops_those_of_that_model)
{
    struct arena arena = { 0 };
    struct bars bars = { 0 };

    assert_true(fails(&bars, &opus, 1, FAILURE_MODEL, "no such model", &arena));
    assert_non_null(bars_find(&bars, &opus));
    assert_null(bars_find(&bars, &haiku));
    bars_release(&bars);
    arena_release(&arena);
}

TEST(what_may_heal_stops_nothing)
{
    static const enum failure kinds[] = { FAILURE_TIME, FAILURE_IDLE, FAILURE_RATE,
        FAILURE_OVERLOAD, FAILURE_NETWORK, FAILURE_STOPPED, FAILURE_BUDGET, FAILURE_SILENT };
    struct arena arena = { 0 };
    struct bars bars = { 0 };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_false(fails(&bars, &opus, 1, kinds[i], "why", &arena));
        assert_false(fails(&bars, &opus, 2, kinds[i], "why", &arena));
        assert_null(bars_find(&bars, &opus));
    }
    bars_release(&bars);
    arena_release(&arena);
}

TEST(a_broken_client_is_one_that_fails_alike_twice_and_never_answered)
{
    struct result good = { .verdict = VERDICT_INVALID };
    struct arena arena = { 0 };
    struct bars bars = { 0 };

    assert_false(fails(&bars, &opus, 1, FAILURE_EXIT, "status 1: boom", &arena));
    assert_false(fails(&bars, &opus, 1, FAILURE_EXIT, "status 1: boom", &arena)); /* the same job */
    assert_false(fails(&bars, &opus, 2, FAILURE_EXIT, "status 1: bang", &arena)); /* another way */
    assert_null(bars_find(&bars, &opus));
    assert_true(fails(&bars, &opus, 3, FAILURE_EXIT, "status 1: boom", &arena));
    assert_non_null(bars_find(&bars, &opus));
    assert_null(bars_find(&bars, &haiku));
    bars_release(&bars);

    bars_note(&bars, &opus, 1, &good, &arena);
    assert_false(fails(&bars, &opus, 2, FAILURE_EXIT, "status 1: boom", &arena));
    assert_false(fails(&bars, &opus, 3, FAILURE_EXIT, "status 1: boom", &arena));
    assert_null(bars_find(&bars, &opus)); /* it has answered: it is not broken */
    bars_release(&bars);
    arena_release(&arena);
}

/* A hook of a host is a process of its own: what it knows of failures is in the journal. */
TEST(bars_follow_from_a_journal)
{
    static const struct result login = { .verdict = VERDICT_FAILED, .failure = FAILURE_LOGIN,
                                         .problem = STR("no login") };
    static const struct result lost = { .verdict = VERDICT_FAILED, .failure = FAILURE_EXIT,
                                        .problem = STR("lost") };
    struct arena arena = { 0 };
    struct bars bars = { 0 };

    bars_cast(&bars, 3, &opus); /* 1 and 2 were hone's own work */
    bars_cast(&bars, 4, &one);
    bars_cast(&bars, 5, &one);
    bars_again(&bars, 1, &login, &arena);
    bars_again(&bars, 9, &login, &arena); /* a job that was never asked for */
    assert_null(bars_find(&bars, &opus));
    bars_again(&bars, 3, &login, &arena);
    assert_string_equal(bars_find(&bars, &haiku)->problem, "no login");
    bars_again(&bars, 4, &lost, &arena);
    assert_null(bars_find(&bars, &one)); /* once may heal */
    bars_again(&bars, 5, &lost, &arena);
    assert_non_null(bars_find(&bars, &one));
    bars_lift(&bars, EV_ENDED);
    assert_non_null(bars_find(&bars, &one));
    bars_lift(&bars, EV_ANSWER);
    assert_null(bars_find(&bars, &one));
    bars_cast(&bars, 6, &opus);
    bars_again(&bars, 6, &login, &arena);
    bars_lift(&bars, EV_RESUME);
    assert_null(bars_find(&bars, &opus));
    bars_release(&bars);
    arena_release(&arena);
}
