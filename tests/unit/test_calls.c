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
    struct calls calls = { 0 };

    buf_clear(&scene->next);
    calls.damaged = old.size > 0 && !calls_read(&calls, buf_str(&old), true, &now);
    calls_judge(&calls, ceiling, &now, NULL, &scene->next, &scene->until_ms);
    scene->damaged = calls.damaged;
    calls_release(&calls);
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
        struct calls calls = { 0 };
        struct scene scene;

        begin(&scene);
        assert_false(calls_read(&calls, str_of(records[i]), true, &now));
        calls.damaged = true;
        calls_judge(&calls, 3, &now, NULL, &scene.record, &scene.until_ms);
        assert_int_equal(scene.until_ms, t0 + hour);
        calls_release(&calls);
        assert_true(call_at(&scene, 3, (struct wall_mark){ t0 + hour, 8 + hour, 7 }));
        assert_false(scene.damaged);
        end(&scene);
    }
}

/* What runs have called that an agent started stands in another record, and is not copied. */
TEST(the_calls_of_other_records_count_and_are_not_written)
{
    static const char own[] = "hone calls 1\n1800000000000 0 0 /run/3-1\n";
    static const char child[] = "hone calls 1\n1800000001000 0 0 /inner/1-1\n"
                                "1800000002000 0 0\n";
    struct wall_mark now = wall(t0 + 3000);
    struct calls calls = { 0 };
    struct scene scene;

    begin(&scene);
    assert_true(calls_read(&calls, str_of(own), true, &now));
    assert_true(calls_read(&calls, str_of(child), false, &now));
    assert_int_equal(calls.count, 3);
    assert_true(str_is(calls.items[1].folder, "/inner/1-1"));
    calls_judge(&calls, 3, &now, "/run/4-1", &scene.record, &scene.until_ms);
    assert_int_equal(scene.until_ms, t0 + hour);
    assert_string_equal(buf_cstr(&scene.record), own);
    buf_clear(&scene.record);
    calls_judge(&calls, 4, &now, "/run/4-1", &scene.record, &scene.until_ms);
    assert_int_equal(scene.until_ms, 0);
    assert_string_equal(buf_cstr(&scene.record), "hone calls 1\n1800000000000 0 0 /run/3-1\n"
                                                 "1800000003000 0 0 /run/4-1\n");
    calls_release(&calls);
    end(&scene);
}

/* An attempt that is at work leads to what its runs call: its line stays for a day, and counts for
 * an hour. */
TEST(the_line_of_an_attempt_at_work_stays_when_its_hour_is_over)
{
    static const char own[] = "hone calls 1\n1800000000000 0 0 /run/3-1\n1800000000000 0 0\n";
    struct wall_mark now = wall(t0 + 2 * hour);
    struct calls calls = { 0 };
    struct scene scene;

    begin(&scene);
    assert_true(calls_read(&calls, str_of(own), true, &now));
    assert_int_equal(calls.count, 1);
    calls_judge(&calls, 1, &now, NULL, &scene.record, &scene.until_ms);
    assert_int_equal(scene.until_ms, 0);
    assert_string_equal(buf_cstr(&scene.record), "hone calls 1\n1800007200000 0 0\n");
    buf_clear(&scene.record);
    calls.items[0].at_work = true;
    calls_judge(&calls, 1, &now, NULL, &scene.record, &scene.until_ms);
    assert_int_equal(scene.until_ms, 0);
    assert_string_equal(buf_cstr(&scene.record), "hone calls 1\n1800000000000 0 0 /run/3-1\n"
                                                 "1800007200000 0 0\n");
    calls_release(&calls);
    now = wall(t0 + 24 * hour);
    assert_true(calls_read(&calls, str_of(own), true, &now));
    assert_int_equal(calls.count, 0);
    calls_release(&calls);
    end(&scene);
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
