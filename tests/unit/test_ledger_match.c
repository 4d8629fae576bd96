/* SPDX-License-Identifier: Apache-2.0
 *
 * test_ledger_match.c - random sides, so small that much is equal, against the rules. */
#include "core/ledger.h"

#include "shared/prng.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 12, SEEDS = 200000 };

static uint32_t make_side(struct prng *prng, struct match_side *out)
{
    uint32_t count = prng_below(prng, SIDE_MAX + 1);

    for (uint32_t i = 0; i < count; i++) {
        out[i] = (struct match_side){ .fingerprint = prng_below(prng, 2),
                                      .evidence = prng_below(prng, 4),
                                      .line = prng_below(prng, 8), .index = i };
    }
    return count;
}

static bool conflicts(const struct match_side *a, const struct match_side *b)
{
    return a->line != b->line && a->line != 0 && b->line != 0 && a->evidence != b->evidence &&
           a->evidence != 0 && b->evidence != 0;
}

static void check_pairs(const struct match_sides *sides, const struct match *out)
{
    bool used[SIDE_MAX] = { false };
    uint32_t same[2] = { 0 };
    bool numbers[2][2 * SIDE_MAX] = { { false } };

    for (uint32_t i = 0; i < sides->known_count; i++) same[sides->known[i].fingerprint]++;
    for (uint32_t i = 0; i < sides->reported_count; i++) {
        const struct match_side *reported = &sides->reported[i];
        const struct match_side *known;

        if (out[i].entry == NO_ENTRY) {
            assert_true(out[i].ordinal >= same[reported->fingerprint]);
            assert_false(numbers[reported->fingerprint][out[i].ordinal]);
            numbers[reported->fingerprint][out[i].ordinal] = true;
            continue;
        }
        assert_true(out[i].entry < sides->known_count);
        assert_false(used[out[i].entry]);
        used[out[i].entry] = true;
        known = &sides->known[out[i].entry];
        assert_int_equal(known->fingerprint, reported->fingerprint);
        assert_false(conflicts(known, reported));
    }
    for (uint32_t i = 0; i < 2; i++) { /* new ones are numbered without a gap */
        bool ended = false;
        for (uint32_t k = same[i]; k < 2 * SIDE_MAX; k++) {
            assert_false(ended && numbers[i][k]);
            ended = ended || !numbers[i][k];
        }
    }
}

/* On both sides nothing is left alone that has the same evidence, or the same line. */
static void check_left(const struct match_sides *sides, const struct match *out)
{
    bool used[SIDE_MAX] = { false };

    for (uint32_t i = 0; i < sides->reported_count; i++) {
        if (out[i].entry != NO_ENTRY) used[out[i].entry] = true;
    }
    for (uint32_t i = 0; i < sides->reported_count; i++) {
        for (uint32_t k = 0; k < sides->known_count && out[i].entry == NO_ENTRY; k++) {
            const struct match_side *x = &sides->known[k], *y = &sides->reported[i];

            if (used[k] || x->fingerprint != y->fingerprint) continue;
            assert_false(x->evidence == y->evidence && x->evidence != 0);
            assert_false(x->line == y->line);
            assert_false(x->evidence == 0 && y->evidence == 0);
        }
    }
}

TEST(whatever_is_on_the_sides_the_rules_hold)
{
    struct prng prng = { .state = 7 };

    for (uint32_t i = 0; i < SEEDS; i++) {
        struct match_side known[SIDE_MAX], reported[SIDE_MAX];
        struct match_side known_lost[SIDE_MAX], reported_lost[SIDE_MAX];
        struct match_sides sides = { .known = known, .reported = reported }, lost;
        struct match out[SIDE_MAX];

        sides.known_count = make_side(&prng, known);
        sides.reported_count = make_side(&prng, reported);
        memcpy(known_lost, known, sizeof known);
        memcpy(reported_lost, reported, sizeof reported);
        lost = sides;
        lost.known = known_lost;
        lost.reported = reported_lost;
        ledger_match(&lost, out);
        check_pairs(&sides, out);
        check_left(&sides, out);
    }
}

TEST(lines_that_moved_together_are_paired_in_their_order)
{
    struct match_side known[] = { { .fingerprint = 1, .line = 10, .index = 0 },
                                  { .fingerprint = 1, .line = 20, .index = 1 } };
    struct match_side reported[] = { { .fingerprint = 1, .line = 18, .index = 0 },
                                     { .fingerprint = 1, .line = 28, .index = 1 } };
    struct match out[2];

    ledger_match(&(struct match_sides){ known, reported, 2, 2 }, out);
    assert_int_equal(out[0].entry, 0);
    assert_int_equal(out[1].entry, 1);
}

TEST(of_many_the_nearest_is_taken)
{
    struct match_side known[] = { { .fingerprint = 1, .line = 1, .index = 0 },
                                  { .fingerprint = 1, .line = 50, .index = 1 },
                                  { .fingerprint = 1, .line = 90, .index = 2 } };
    struct match_side reported[] = { { .fingerprint = 1, .line = 88, .index = 0 } };
    struct match out[1];

    ledger_match(&(struct match_sides){ known, reported, 3, 1 }, out);
    assert_int_equal(out[0].entry, 2);
}
