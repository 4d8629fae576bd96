/* SPDX-License-Identifier: Apache-2.0
 *
 * test_waits.c - when a service is asked again that could not serve, and when hone stops
 * waiting. */
#include "run/waits.h"

#include "test.h"

enum { SECOND = 1000, HOUR = 3600 * SECOND };

static const uint64_t t0 = UINT64_C(1800000000000);

TEST(what_the_service_says_counts)
{
    struct waits waits = { 0 };

    assert_int_equal(waits_until(&waits, 1, t0 + HOUR, 6 * HOUR, t0), t0 + HOUR);
    assert_int_equal(waits_until(&waits, 1, t0 + 2 * HOUR, 6 * HOUR, t0 + HOUR), t0 + 2 * HOUR);
    waits_release(&waits);
}

TEST(without_a_word_the_pauses_grow_to_a_quarter_of_an_hour)
{
    static const uint64_t pauses[] = { 5, 5, 10, 20, 40, 80, 160, 320, 640, 900, 900 };
    struct waits waits = { 0 };
    uint64_t now_ms = t0;

    for (uint32_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        uint64_t at_ms = waits_until(&waits, 1, 0, 6 * HOUR, now_ms);

        assert_int_equal(at_ms - now_ms, pauses[i] * SECOND);
        now_ms = at_ms;
    }
    waits_release(&waits);
}

TEST(a_time_that_has_passed_is_no_word)
{
    struct waits waits = { 0 };

    assert_int_equal(waits_until(&waits, 1, t0, HOUR, t0), t0 + 5 * SECOND);
    assert_int_equal(waits_until(&waits, 2, t0 - 1, HOUR, t0), t0 + 5 * SECOND);
    waits_release(&waits);
}

TEST(nobody_waits_longer_than_allowed)
{
    struct waits waits = { 0 };
    uint64_t now_ms = t0, at_ms;
    uint32_t asked = 0;

    assert_int_equal(waits_until(&waits, 1, t0 + HOUR, HOUR, t0), t0 + HOUR);
    assert_int_equal(waits_until(&waits, 2, t0 + HOUR + 1, HOUR, t0), 0);
    assert_int_equal(waits_until(&waits, 3, UINT64_MAX, HOUR, t0), 0);
    while ((at_ms = waits_until(&waits, 4, 0, HOUR, now_ms)) != 0) {
        assert_true(at_ms <= t0 + HOUR);
        now_ms = at_ms;
        assert_true(++asked < 100);
    }
    assert_int_equal(asked, 11);
    waits_release(&waits);
}

TEST(without_a_bound_nobody_gives_up)
{
    struct waits waits = { 0 };

    assert_int_equal(waits_until(&waits, 1, t0 + 1000 * (uint64_t)HOUR, 0, t0),
                     t0 + 1000 * (uint64_t)HOUR);
    assert_int_equal(waits_until(&waits, 1, 0, 0, t0 + 2000 * (uint64_t)HOUR),
                     t0 + 2000 * (uint64_t)HOUR + 900 * SECOND);
    waits_release(&waits);
}

TEST(whoever_was_served_or_given_up_begins_anew)
{
    struct waits waits = { 0 };

    (void)waits_until(&waits, 1, 0, HOUR, t0);
    (void)waits_until(&waits, 2, 0, HOUR, t0);
    waits_forget(&waits, 1);
    waits_forget(&waits, 9); /* no such job */
    assert_int_equal(waits_until(&waits, 1, 0, HOUR, t0 + HOUR), t0 + HOUR + 5 * SECOND);
    assert_int_equal(waits_until(&waits, 2, 0, HOUR, t0 + HOUR), 0);
    assert_int_equal(waits_until(&waits, 2, 0, HOUR, t0 + HOUR), t0 + HOUR + 5 * SECOND);
    waits_release(&waits);
}

TEST(a_clock_that_goes_back_breaks_nothing)
{
    struct waits waits = { 0 };

    (void)waits_until(&waits, 1, 0, HOUR, t0);
    assert_int_equal(waits_until(&waits, 1, 0, HOUR, t0 - HOUR), t0 - HOUR + 5 * SECOND);
    waits_release(&waits);
}

TEST(only_what_is_asked_again_then_waits)
{
    struct result result = { .verdict = VERDICT_FAILED, .failure = FAILURE_RATE,
                             .retry_at_ms = t0 };

    assert_true(result_waits(&result));
    result.permanent = true;
    assert_false(result_waits(&result));
    result = (struct result){ .verdict = VERDICT_FAILED, .failure = FAILURE_RATE };
    assert_false(result_waits(&result));
}
