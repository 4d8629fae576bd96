/* SPDX-License-Identifier: Apache-2.0
 *
 * test_measure.c - what a look misses, by counts of earlier runs. */
#include "core/measure.h"
#include "core/plan.h"

#include "test.h"

/* "at least 30 accepted findings and 10 runs with two looks" */
TEST(too_little_measures_nothing)
{
    static const struct measure few[] = {
        { .runs = 0 },
        { .runs = 9, .first = 400, .later_other = 100 },
        { .runs = 10, .first = 29 },
        { .runs = 10, .first = 20, .later_same = 5, .later_other = 4 },
    };
    uint32_t missed[MEASURE_LOOKS];

    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        assert_false(measure_missed(&few[i], missed));
    }
    assert_true(measure_missed(&(struct measure){ .runs = 10, .first = 30 }, missed));
    assert_true(measure_missed(&(struct measure){ .runs = 10, .first = 20, .later_same = 5,
                                                  .later_other = 5 }, missed));
}

/* A second look finds a share of what the first missed: so much more is hidden than it found. */
TEST(what_a_second_look_adds_says_what_the_first_missed)
{
    const struct measure other = { .runs = 20, .first = 71, .later_other = 29 };
    const struct measure same = { .runs = 20, .first = 86, .later_same = 14 };
    uint32_t missed[MEASURE_LOOKS];

    assert_true(measure_missed(&other, missed)); /* 100 were hidden of 171 */
    assert_int_equal(missed[0], 584);
    assert_true(measure_missed(&same, missed)); /* 100 of 186 */
    assert_int_equal(missed[0], 537);
}

/* The prior's own counts give the prior back: 64 of 100 found at once, 29 of 100 of the rest. */
TEST(the_counts_of_the_guess_give_the_guess)
{
    const struct measure counts = { .runs = 99, .first = 640, .later_other = 104 };
    uint32_t missed[MEASURE_LOOKS];

    assert_true(measure_missed(&counts, missed));
    for (uint32_t i = 0; i < MEASURE_LOOKS; i++) {
        assert_in_range(missed[i], policy_missed(i + 1) - 3, policy_missed(i + 1) + 3);
    }
}

TEST(more_looks_miss_less_and_no_count_makes_it_certain)
{
    static const struct measure odd[] = {
        { .runs = 10, .first = 1000 },
        { .runs = 10, .first = 0, .later_same = 1000 },
        { .runs = UINT32_MAX, .first = UINT32_MAX, .later_same = UINT32_MAX,
          .later_other = UINT32_MAX },
    };
    uint32_t missed[MEASURE_LOOKS];

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_true(measure_missed(&odd[i], missed));
        assert_in_range(missed[0], 50, 800);
        for (uint32_t k = 1; k < MEASURE_LOOKS; k++) {
            assert_true(missed[k] > 0 && missed[k] < missed[k - 1]);
        }
    }
}
