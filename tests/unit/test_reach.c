/* SPDX-License-Identifier: Apache-2.0
 *
 * test_reach.c - how long a fleet that cannot be reached is waited for.
 *
 * A case is a text of times and what holds from then on, at a lease of one second: "is" it can be
 * reached; "away" it cannot, and an attempt waits for it; "idle" it cannot, and nothing waits;
 * "ends" its carrier has ended. It is looked at each tenth of a lease: what waits then has waited
 * since the look before. */
#include "base/str.h"
#include "drive/fleet/reach.h"
#include "test.h"

enum { L = 1000, LOOK = L / 10, LONG = 30 * L };

static const struct {
    const char *what;
    const char *course; /* in tenths of a lease */
    uint32_t over;      /* when it is given up; 0: never */
} cases[] = {
    { "it is there", "0 is", 0 },
    { "it never was: two leases", "0 away", 20 },
    { "each start ends at once", "0 away 1 ends 2 ends 5 ends 9 ends", 20 },
    { "it goes and stays away: ten leases", "0 is 50 away", 150 },
    { "it comes back in time, and stays", "0 is 50 away 140 is", 0 },
    { "two outages that are far apart are two", "0 is 50 away 140 is 151 away", 251 },
    { "less than a lease between them: they are one", "0 is 50 away 140 is 149 away", 159 },
    { "it goes again and again", "0 is 10 away 40 is 45 away 75 is 80 away 110 is 115 away", 125 },
    { "nothing waits for it", "0 is 50 idle", 0 },
    { "only while something waits", "0 is 50 idle 90 away", 189 },
    { "nothing waits for one that never was", "0 idle 90 away", 109 },
};

/* The next word of a course; 0 where there is none. */
static bool word_next(struct str *rest, struct str *word)
{
    return str_cut(rest, ' ', word) && word->size > 0;
}

TEST(a_fleet_is_given_up_when_its_time_is_over_and_not_before)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str rest = str_of(cases[i].course), word;
        struct reach reach = { .looked_ms = 0 };
        struct reach_look look = { .lease_ms = L };
        uint64_t next = 0, over = 0;

        assert_true(word_next(&rest, &word) && str_number(word, &next));
        for (uint64_t now = 0; now <= LONG / LOOK && over == 0; now++) {
            look.now_ms = 5000 + now * LOOK;
            if (now == next) {
                assert_true(word_next(&rest, &word));
                if (str_is(word, "ends")) (void)reach_pause_ms(&reach, L);
                else look.is = str_is(word, "is");
                look.wanted = !str_is(word, "idle");
                if (word_next(&rest, &word)) assert_true(str_number(word, &next));
            }
            reach_step(&reach, &look);
            if (reach_is_over(&reach, L)) over = now;
        }
        if (over != cases[i].over) fail_msg("%s: %u", cases[i].what, (unsigned)over);
    }
}

TEST(a_driver_that_did_not_look_has_missed_one_lease)
{
    struct reach reach = { .looked_ms = 0 };
    struct reach_look look = { .now_ms = 5000, .lease_ms = L, .is = true, .wanted = true };

    reach_step(&reach, &look);
    look.is = false;
    reach_step(&reach, &look);
    look.now_ms += 100 * L; /* hone was stopped, and goes on */
    reach_step(&reach, &look);
    assert_int_equal(reach.missed_ms, L);
    assert_false(reach_is_over(&reach, L));
}

TEST(the_pause_doubles_to_half_a_lease_and_begins_anew_when_the_fleet_was_there_for_one)
{
    static const uint64_t pauses[] = { 500, 1000, 2000, 4000, 8000, 15000, 15000 };
    struct reach reach = { .looked_ms = 0 };
    struct reach_look look = { .now_ms = 5000, .lease_ms = 30 * L, .is = true };

    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        assert_int_equal(reach_pause_ms(&reach, look.lease_ms), pauses[i]);
    }
    reach_step(&reach, &look);
    look.now_ms += 30 * L - 1;
    reach_step(&reach, &look);
    assert_int_equal(reach_pause_ms(&reach, look.lease_ms), 15000);
    look.now_ms += 1;
    reach_step(&reach, &look);
    assert_int_equal(reach_pause_ms(&reach, look.lease_ms), 500);
    for (uint32_t i = 0; i < 100; i++) (void)reach_pause_ms(&reach, look.lease_ms);
    assert_int_equal(reach_pause_ms(&reach, look.lease_ms), 15000);
}
