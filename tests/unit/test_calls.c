/* SPDX-License-Identifier: Apache-2.0
 *
 * test_calls.c - the calls of an hour: counted, forgotten, damaged, under clocks that are set. */
#include "run/calls.h"

#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t t0 = UINT64_C(1800000000000);
static const uint64_t hour = CALLS_HOUR_MS;

struct scene {
    struct buf record, next;
    uint64_t until_ms;
    bool damaged;
};

static void begin(struct scene *scene)
{
    *scene = (struct scene){ .until_ms = 0 };
    buf_init(&scene->record, CALLS_BYTES_MAX);
    buf_init(&scene->next, CALLS_BYTES_MAX);
}

static void end(struct scene *scene)
{
    buf_release(&scene->record);
    buf_release(&scene->next);
}

/* One call at that time; whether it may begin. */
static bool call_at(struct scene *scene, uint32_t ceiling, struct wall_mark now)
{
    struct buf old = scene->record;
    struct str record = old.size ? buf_str(&old) : (struct str){ NULL, 0 };

    buf_clear(&scene->next);
    calls_judge(record, ceiling, &now, &scene->next, &scene->until_ms, &scene->damaged);
    scene->record = scene->next;
    scene->next = old;
    return scene->until_ms == 0;
}

static struct wall_mark wall(uint64_t ms)
{
    return (struct wall_mark){ .ms = ms };
}

TEST(so_many_may_begin_and_the_next_waits_for_the_oldest)
{
    struct scene scene;

    begin(&scene);
    assert_true(call_at(&scene, 2, wall(t0)));
    assert_true(call_at(&scene, 2, wall(t0 + 1000)));
    assert_false(call_at(&scene, 2, wall(t0 + 2000)));
    assert_int_equal(scene.until_ms, t0 + hour);
    assert_false(call_at(&scene, 2, wall(t0 + hour - 1)));
    assert_true(call_at(&scene, 2, wall(t0 + hour)));
    assert_false(call_at(&scene, 2, wall(t0 + hour)));
    assert_int_equal(scene.until_ms, t0 + 1000 + hour);
    end(&scene);
}

TEST(a_lower_ceiling_waits_until_enough_are_forgotten)
{
    struct scene scene;

    begin(&scene);
    for (uint64_t i = 0; i < 5; i++) assert_true(call_at(&scene, 10, wall(t0 + i)));
    assert_false(call_at(&scene, 2, wall(t0 + 10)));
    assert_int_equal(scene.until_ms, t0 + 3 + hour);
    end(&scene);
}

TEST(a_clock_that_was_set_back_holds_for_an_hour_at_most)
{
    struct scene scene;
    uint64_t before = t0 - 24 * hour;

    begin(&scene);
    assert_true(call_at(&scene, 1, wall(t0)));
    assert_false(call_at(&scene, 1, wall(before)));
    assert_int_equal(scene.until_ms, before + hour);
    assert_false(call_at(&scene, 1, wall(before + hour - 1)));
    assert_true(call_at(&scene, 1, wall(before + hour)));
    end(&scene);
}

TEST(within_a_boot_the_uptime_counts_whatever_the_clock_says)
{
    struct scene scene;

    begin(&scene);
    assert_true(call_at(&scene, 1, (struct wall_mark){ t0, 5000, 7 }));
    assert_false(call_at(&scene, 1, (struct wall_mark){ t0 + 9 * hour, 6000, 7 }));
    assert_int_equal(scene.until_ms, t0 + 10 * hour - 1000);
    assert_true(call_at(&scene, 1, (struct wall_mark){ t0 - hour, 5000 + hour, 7 }));
    assert_true(call_at(&scene, 1, (struct wall_mark){ t0 + hour, 10, 8 })); /* another boot */
    end(&scene);
}

/* A boot is a hash: on half of all machines it is a number of 20 digits. */
TEST(every_number_that_a_record_can_hold_is_read_back)
{
    struct wall_mark mark = { t0, 5000, UINT64_MAX };
    struct scene scene;

    begin(&scene);
    assert_true(call_at(&scene, 2, mark));
    assert_true(call_at(&scene, 2, mark));
    assert_false(call_at(&scene, 2, mark));
    assert_false(scene.damaged);
    end(&scene);
}

TEST(a_damaged_record_counts_as_full_and_then_heals)
{
    static const char *const records[] = {
        "", "\n", "hone calls 1", "hone calls 2\n", "hone calls 1\nx\n", "hone calls 1\n1 2\n",
        "hone calls 1\n1 2 3 4\n", "hone calls 1\n-1 0 0\n", "hone calls 1\n\n",
        "hone calls 1\n1800000000000 9 7\n", "{}", "hone calls 1\n1 0 0",
    };

    for (uint32_t i = 0; i < sizeof records / sizeof *records; i++) {
        struct wall_mark now = { t0, 8, 7 };
        uint64_t until_ms;
        struct buf out, next;
        bool damaged;

        buf_init(&out, CALLS_BYTES_MAX);
        buf_init(&next, CALLS_BYTES_MAX);
        calls_judge(str_of(records[i]), 3, &now, &out, &until_ms, &damaged);
        assert_true(damaged);
        assert_int_equal(until_ms, t0 + hour);
        now = (struct wall_mark){ t0 + hour, 8 + hour, 7 };
        calls_judge(buf_str(&out), 3, &now, &next, &until_ms, &damaged);
        assert_false(damaged);
        assert_int_equal(until_ms, 0);
        buf_release(&out);
        buf_release(&next);
    }
}

TEST(what_is_forgotten_is_written_no_more)
{
    struct scene scene;

    begin(&scene);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_true(call_at(&scene, 100000, wall(t0 + i * (hour / 100))));
        assert_true(scene.record.size < 101 * 32 + 32);
    }
    end(&scene);
}
