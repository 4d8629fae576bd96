/* SPDX-License-Identifier: Apache-2.0
 *
 * test_budget.c - the arithmetic of a budget, and how people write one. */
#include "core/budget.h"

#include "format/text/budget_text.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* ---- arithmetic ---- */

static struct amounts usd(uint64_t micros)
{
    return (struct amounts){ .of = { [BUDGET_USD] = micros } };
}

static bool allows(uint64_t limit, uint64_t used, uint64_t reserved, uint64_t estimate)
{
    struct budget budget = { .limit = usd(limit) };
    struct amounts u = usd(used), r = usd(reserved), e = usd(estimate);

    return budget_allows(&budget, &u, &r, &e);
}

TEST(what_fits_exactly_is_allowed)
{
    assert_true(allows(10, 3, 4, 3));
    assert_false(allows(10, 3, 4, 4));
    assert_false(allows(10, 4, 4, 3));
    assert_true(allows(0, 1000, 1000, 1000)); /* no limit */
}

TEST(what_costs_nothing_starts_as_long_as_anything_is_left)
{
    assert_true(allows(10, 9, 0, 0));
    assert_true(allows(10, 9, 1, 0));
    assert_false(allows(10, 10, 0, 0));
    assert_false(allows(10, 11, 0, 0));
}

TEST(every_limit_counts)
{
    struct amounts none = { 0 }, one = { .of = { 1, 1, 0, 1 } };

    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        struct budget budget = { .limit = { .of = { 9, 9, 9, 9 } } };
        struct amounts used = { 0 };

        assert_true(budget_allows(&budget, &used, &none, &one));
        used.of[i] = 9;
        assert_false(budget_allows(&budget, &used, &none, &one));
        assert_int_equal(budget_is_over(&budget, &used), i != BUDGET_CALLS);
        budget.limit.of[i] = 0;
        assert_true(budget_allows(&budget, &used, &none, &one));
        assert_false(budget_is_over(&budget, &used));
    }
}

TEST(an_estimate_is_the_mean_rounded_up_and_one_call)
{
    struct costs costs = { 0 };
    struct amounts estimate = costs_estimate(&costs);

    assert_int_equal(estimate.of[BUDGET_USD], 0);
    assert_int_equal(estimate.of[BUDGET_CALLS], 1);
    costs_add(&costs, 10, 100);
    costs_add(&costs, 11, 100);
    estimate = costs_estimate(&costs);
    assert_int_equal(estimate.of[BUDGET_USD], 11);
    assert_int_equal(estimate.of[BUDGET_TOKENS], 100);
    assert_int_equal(estimate.of[BUDGET_TIME], 0);
}

TEST(sums_that_do_not_fit_stay_at_the_largest_number)
{
    struct costs costs = { 0 };

    assert_true(amount_sum(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(amount_sum(UINT64_MAX - 1, 1) == UINT64_MAX);
    costs_add(&costs, UINT64_MAX, UINT64_MAX);
    costs_add(&costs, UINT64_MAX, 1);
    assert_true(costs.cost_micros == UINT64_MAX);
    assert_true(costs_estimate(&costs).of[BUDGET_USD] == UINT64_C(1) << 40);
    assert_false(allows(10, 5, UINT64_MAX, UINT64_MAX));
}

TEST(what_is_left_is_neither_used_nor_reserved)
{
    struct budget budget = { .limit = usd(10) };
    struct amounts used = usd(4), reserved = usd(5), much = usd(UINT64_MAX);

    assert_int_equal(budget_left(&budget, BUDGET_USD, &used, &reserved), 1);
    assert_int_equal(budget_left(&budget, BUDGET_USD, &used, &much), 0);
    assert_int_equal(budget_left(&budget, BUDGET_TOKENS, &used, &reserved), 0);
}

TEST(a_bound_narrows_and_never_widens)
{
    struct budget own = { .limit = { .of = { 5, 0, 7, 3 } } };
    struct budget bound = { .limit = { .of = { 9, 4, 6, 0 } }, .stop = true };
    struct budget narrow = budget_within(&own, &bound);

    assert_int_equal(narrow.limit.of[0], 5);
    assert_int_equal(narrow.limit.of[1], 4);
    assert_int_equal(narrow.limit.of[2], 6);
    assert_int_equal(narrow.limit.of[3], 3);
    assert_true(narrow.stop);
}

/* ---- as people write it ---- */

static void assert_reads(const char *text, const char *as)
{
    struct budget budget = { 0 };
    struct err err = { 0 };
    struct buf out;

    assert_int_equal(budget_read(str_of(text), &budget, &err), 0);
    buf_init(&out, 256);
    budget_write(&budget, &out);
    assert_string_equal(buf_cstr(&out), as);
    buf_release(&out);
}

TEST(any_parts_in_any_order)
{
    assert_reads("usd=5,tokens=2M,time=2h,calls=40", "usd=5,tokens=2000000,time=2h,calls=40");
    assert_reads("calls=40,usd=0.50", "usd=0.5,calls=40");
    assert_reads("tokens=500k", "tokens=500000");
    assert_reads("tokens=7", "tokens=7");
    assert_reads("time=90", "time=90s");
    assert_reads("time=90s", "time=90s");
    assert_reads("time=15m", "time=15m");
    assert_reads("usd=0.000001", "usd=0.000001");
    assert_reads("usd=12.345678", "usd=12.345678");
    assert_reads("usd=1000000000.0", "usd=1000000000");
    assert_reads("when_spent=stop,calls=1", "calls=1,when_spent=stop");
    assert_reads("when_spent=wait,calls=1", "calls=1");
    assert_reads("none", "");
    assert_reads("calls=none", "");
}

TEST(a_wrong_part_is_named_with_what_it_may_be)
{
    static const struct {
        const char *text, *words;
    } wrong[] = {
        { "usd=", "usd must be dollars" },
        { "usd", "usd must be dollars" },
        { "usd=0", "usd must be dollars" },
        { "usd=0.0000001", "usd must be dollars" },
        { "usd=.5", "usd must be dollars" },
        { "usd=5.", "usd must be dollars" },
        { "usd=1.2.3", "usd must be dollars" },
        { "usd=1.-2", "usd must be dollars" },
        { "usd=-5", "not '-5'" },
        { "usd=5e3", "usd must be dollars" },
        { "usd=1000000001", "usd must be dollars" },
        { "usd=99999999999999999999999", "usd must be dollars" },
        { "tokens=2m", "tokens must be a whole number" },
        { "tokens=k", "tokens must be a whole number" },
        { "tokens=2kk", "tokens must be a whole number" },
        { "tokens=1.5M", "tokens must be a whole number" },
        { "tokens=18446744073709551615k", "tokens must be a whole number" },
        { "time=2d", "time must be a duration" },
        { "time=0", "time must be a duration" },
        { "calls=2k", "calls must be a whole number" },
        { "calls=0", "calls must be a whole number" },
        { "calls=1,calls=2", "calls is there twice" },
        { "when_spent=later", "when_spent must be wait" },
        { "euro=5", "not 'euro'" },
        { "usd=5,,calls=1", "a budget has usd" },
        { "usd=5,", "a budget has usd" },
        { ",usd=5", "a budget has usd" },
        { "", "a budget has usd" },
        { "usd =5", "not 'usd '" },
        { "none,usd=5", "not 'none'" },
    };

    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct budget budget = { .limit = usd(77), .stop = true };
        struct err err = { 0 };

        assert_int_equal(budget_read(str_of(wrong[i].text), &budget, &err), ERR_USAGE);
        if (!strstr(err.text, wrong[i].words)) fail_msg("%s: %s", wrong[i].text, err.text);
        assert_int_equal(budget.limit.of[BUDGET_USD], 77);
        assert_true(budget.stop);
    }
}

TEST(a_part_that_is_not_named_stays)
{
    struct budget budget = { .limit = { .of = { 5, 6, 7000, 8 } }, .stop = true };
    struct err err = { 0 };

    assert_int_equal(budget_read(STR("calls=9,usd=none"), &budget, &err), 0);
    assert_int_equal(budget.limit.of[BUDGET_USD], 0);
    assert_int_equal(budget.limit.of[BUDGET_TOKENS], 6);
    assert_int_equal(budget.limit.of[BUDGET_TIME], 7000);
    assert_int_equal(budget.limit.of[BUDGET_CALLS], 9);
    assert_true(budget.stop);
}

TEST(amounts_are_written_for_people)
{
    static const struct {
        enum budget_part part;
        uint64_t amount;
        const char *text;
    } shown[] = {
        { BUDGET_USD, 0, "$0.00" },
        { BUDGET_USD, 1500000, "$1.50" },
        { BUDGET_USD, 1234567, "$1.234567" },
        { BUDGET_TOKENS, 1, "1 token" },
        { BUDGET_TOKENS, 999, "999 tokens" },
        { BUDGET_TOKENS, 1002003, "1,002,003 tokens" },
        { BUDGET_CALLS, 0, "0 calls" },
    };

    for (uint32_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        struct buf out;

        buf_init(&out, 64);
        amount_write(shown[i].part, shown[i].amount, true, &out);
        assert_string_equal(buf_cstr(&out), shown[i].text);
        buf_release(&out);
    }
}
