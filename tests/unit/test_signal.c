/* SPDX-License-Identifier: Apache-2.0
 *
 * test_signal.c - signals as text and back, their names and their order. */
#include "base/clock.h"
#include "dialect/check.h"
#include "format/signal.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

TESTS_ARENA

static struct signal read_good(const char *text)
{
    struct signal signal;
    struct err err = { 0 };

    if (signal_read(str_of(text), &arena, &signal, &err) != 0) fail_msg("%s: %s", text, err.text);
    return signal;
}

static void read_bad(const char *text, const char *words)
{
    struct signal signal = { .success = true };
    struct err err = { 0 };

    assert_int_equal(signal_read(str_of(text), &arena, &signal, &err), ERR_FORMAT);
    assert_false(signal.success);
    if (!strstr(err.text, words)) fail_msg("'%s' is not in: %s", words, err.text);
}

TEST(a_signal_is_lines_of_key_and_value)
{
    struct signal signal = {
        .path = STR("tmp/mux/x/reviews/phase-1-review-2.md"),
        .size = 1204,
        .success = true,
        .created_at = STR("2026-01-15T08:40:00Z"),
        .grade = STR("PASS"),
    };
    struct buf text;

    buf_init(&text, SIGNAL_BYTES_MAX);
    signal_write(&signal, &text);
    assert_string_equal(buf_cstr(&text), "path: tmp/mux/x/reviews/phase-1-review-2.md\n"
                                         "size: 1204\n"
                                         "status: success\n"
                                         "created_at: 2026-01-15T08:40:00Z\n"
                                         "grade: PASS\n");
    buf_release(&text);
}

TEST(what_is_not_said_is_left_out_and_a_failure_says_why)
{
    struct signal signal = { .created_at = STR("2026-01-15T08:40:00Z"),
                             .error = STR(" it died:\n\x1b[31mtwice \n") };
    struct buf text;

    buf_init(&text, SIGNAL_BYTES_MAX);
    signal_write(&signal, &text);
    assert_string_equal(buf_cstr(&text), "size: 0\n"
                                         "status: fail\n"
                                         "created_at: 2026-01-15T08:40:00Z\n"
                                         "error: it died: \\x1b[31mtwice\n");
    buf_release(&text);
}

TEST(what_was_written_is_read_back)
{
    struct signal signal;

    signal = read_good("path: a b/c: d.md\nsize: 12\nstatus: success\n"
                       "created_at: 2026-01-15T08:40:00Z\ngrade: WARN\n");
    assert_true(str_is(signal.path, "a b/c: d.md"));
    assert_true(signal.has_size && signal.size == 12);
    assert_true(signal.success);
    assert_true(str_is(signal.created_at, "2026-01-15T08:40:00Z"));
    assert_true(str_is(signal.grade, "WARN"));
    assert_int_equal(signal.error.size, 0);
}

TEST(keys_of_others_are_left_alone)
{
    struct signal signal;

    signal = read_good("trace_id: 00ff\nversion: 1\nversion: 2\nsome words\n\nstatus: success\r\n"
                       "previous: x");
    assert_true(signal.success);
    assert_false(signal.has_size);
}

TEST(only_success_is_success)
{
    assert_false(read_good("status: fail\n").success);
    assert_false(read_good("status: Success\n").success);
    assert_false(read_good("status: success!\n").success);
    assert_false(read_good("status:\n").success);
    assert_true(read_good("status:success\n").success);
    assert_false(read_good("{\"status\":\"failed\"}").success);
    assert_false(read_good("{\"status\":\"skipped\"}").success);
    assert_true(read_good("{\"status\":\"success\"}").success);
}

TEST(json_signals_of_others_are_read)
{
    struct signal signal;

    signal = read_good("{\"phase\":\"review\",\"phase_num\":1,\"status\":\"completed\","
                       "\"grade\":\"PASS\",\"size\":7,\"artifacts\":[\"reviews/a.md\",\"b\"],"
                       "\"created_at\":\"2026-01-15T08:40:00Z\"}\n");
    assert_true(signal.success);
    assert_true(str_is(signal.path, "reviews/a.md"));
    assert_true(signal.has_size && signal.size == 7);
    assert_true(str_is(signal.grade, "PASS"));
    signal = read_good("{\"status\":\"completed\",\"artifacts\":[{\"path\":\"c.md\"}]}");
    assert_true(str_is(signal.path, "c.md"));
    signal = read_good("{\"status\":\"failed\",\"error\":\"a\\nb\",\"size\":-1,\"path\":3}");
    assert_true(str_is(signal.error, "a b"));
    assert_false(signal.has_size);
    assert_int_equal(signal.path.size, 0);
}

TEST(what_is_unclear_is_refused)
{
    char *huge = calloc(1, SIGNAL_BYTES_MAX + 2);

    read_bad("", "empty");
    read_bad(" \n\n", "empty");
    read_bad("path: x\nsize: 3\n", "no status");
    read_bad("hello\n", "no status");
    read_bad("status: success\nstatus: fail\n", "line 2: status stands here twice");
    read_bad("{\"status\":\"success\"", "line 1");
    read_bad("{\"path\":\"x\"}", "no status");
    read_bad("{\"status\":1}", "no status");
    read_bad("{\"status\":\"success\",\"st\\u0061tus\":\"fail\"}", "twice");
    memset(huge, 'x', SIGNAL_BYTES_MAX + 1);
    read_bad(huge, "longer than");
    free(huge);
}

static void check_name(const char *name, enum signal_step step, uint32_t phase, uint32_t cycle)
{
    struct signal_name read;

    assert_true(signal_name_read(str_of(name), &read));
    assert_int_equal(read.step, step);
    assert_int_equal(read.phase, phase);
    assert_int_equal(read.cycle, cycle);
    assert_int_equal(read.failed, strstr(name, ".fail") != NULL);
}

TEST(a_name_says_which_step_it_was)
{
    struct signal_name name;

    check_name("phase-1-review-2.done", SIGNAL_REVIEW, 1, 2);
    check_name("phase-12-fix-34.fail", SIGNAL_FIX, 12, 34);
    check_name("phase-1-review-2-perf.done", SIGNAL_REVIEW, 1, 2);
    check_name("phase-1-review-2-a-2.fail", SIGNAL_REVIEW, 1, 2);
    check_name("phase-1-review-2-.done", SIGNAL_OTHER, 1, 0);
    check_name("phase-1-review-2-Perf.done", SIGNAL_OTHER, 1, 0);
    check_name("phase-1-fix-2-perf.done", SIGNAL_OTHER, 1, 0);
    check_name("phase-3-implement.done", SIGNAL_OTHER, 3, 0);
    check_name("phase-3.done", SIGNAL_OTHER, 3, 0);
    check_name("phase-3b.done", SIGNAL_OTHER, 0, 0);
    check_name("test.fail", SIGNAL_OTHER, 0, 0);
    check_name("phase-1-review-.done", SIGNAL_OTHER, 1, 0);
    check_name("phase-1-review-2x.done", SIGNAL_OTHER, 1, 0);
    check_name("phase-1-review-0.done", SIGNAL_OTHER, 1, 0);
    check_name("phase-1-review-01.done", SIGNAL_OTHER, 1, 0);
    check_name("phase-0-review-1.done", SIGNAL_OTHER, 0, 0);
    check_name("phase-1-review-99999999999999999999.done", SIGNAL_OTHER, 1, 0);
    assert_false(signal_name_read(STR("phase-1-review-2.md"), &name));
    assert_false(signal_name_read(STR(".done"), &name));
    assert_false(signal_name_read(STR(""), &name));
    assert_false(signal_name_read(STR("phase-1-review-2.done.tmp"), &name));
}

static int compare(const void *a, const void *b)
{
    return signal_name_compare(str_of(*(const char *const *)a), str_of(*(const char *const *)b));
}

TEST(names_sort_by_phase_cycle_and_step)
{
    static const char *const wanted[] = {
        "phase-1-implement.done",  "phase-1-review-1.done", "phase-1-fix-1.done",
        "phase-1-review-2.done",   "phase-1-fix-2.fail",    "phase-1-review-10.done",
        "phase-2-review-1.done",   "phase-10-review-1.done", "sentinel.done", "test.done",
    };
    enum { COUNT = sizeof wanted / sizeof *wanted };
    const char *names[COUNT];

    for (int i = 0; i < COUNT; i++) names[i] = wanted[(i * 7 + 3) % COUNT];
    qsort(names, COUNT, sizeof *names, compare);
    for (int i = 0; i < COUNT; i++) assert_string_equal(names[i], wanted[i]);
}

TEST(times_are_read_as_they_are_written)
{
    uint64_t ms = 0;

    for (uint64_t day = 0; day < 100000; day += 13) {
        uint64_t wanted = day * 86400000 + day % 86400 * 1000;
        char iso[CLOCK_ISO_BYTES];

        assert_true(signal_time(str_of(clock_iso(wanted, iso)), &ms));
        assert_int_equal(ms, wanted);
    }
    assert_true(signal_time(STR("2026-01-15T08:40:00.25Z"), &ms));
    assert_int_equal(ms % 1000, 250);
    assert_true(signal_time(STR("2024-02-29T23:59:59+00:00"), &ms));
    assert_false(signal_time(STR("2026-02-29T08:40:00Z"), &ms));
    assert_false(signal_time(STR("2026-13-01T08:40:00Z"), &ms));
    assert_false(signal_time(STR("2026-01-15T24:00:00Z"), &ms));
    assert_false(signal_time(STR("2026-01-15T08:40:00"), &ms));
    assert_false(signal_time(STR("2026-01-15T08:40:00.Z"), &ms));
    assert_false(signal_time(STR("2026-01-15 08:40:00Z"), &ms));
    assert_false(signal_time(STR("yesterday"), &ms));
    assert_false(signal_time(STR(""), &ms));
}

static void check_one(const char *text, const char *code, uint32_t line)
{
    struct check_report report = { 0 };

    check_find(STR("signal"))->run(str_of(text), &report);
    if (!code) {
        assert_int_equal(report.count, 0);
    } else {
        assert_int_equal(report.count, 1);
        assert_string_equal(report.problems[0].code, code);
        assert_int_equal(report.problems[0].line, line);
    }
    check_report_release(&report);
}

TEST(the_check_is_stricter_than_the_reader)
{
    check_one("path: x\nsize: 1\nstatus: success\ncreated_at: 2026-01-15T08:40:00Z\n", NULL, 0);
    check_one("path: x\nsize: 1\nstatus: fail\ncreated_at: 2026-01-15T08:40:00Z\n"
              "error: a: b\n", NULL, 0);
    check_one("{\"path\":\"x\",\"size\":1,\"status\":\"completed\","
              "\"created_at\":\"2026-01-15T08:40:00Z\"}", NULL, 0);
    check_one("path: x\nsize: 1\nsize: 2\nstatus: fail\n", "bad-signal", 3);
    check_one("size: 1\nstatus: fail\ncreated_at: 2026-01-15T08:40:00Z\n", "no-path", 0);
    check_one("path: x\nsize: -1\nstatus: fail\ncreated_at: 2026-01-15T08:40:00Z\n",
              "bad-size", 0);
    check_one("path: x\nsize: 1\nstatus: fail\ncreated_at: now\n", "bad-time", 0);
    check_one("path: x\nsize: 1\nstatus: done\ncreated_at: 2026-01-15T08:40:00Z\n",
              "bad-status", 3);
    check_one("path: x\nsize: 1\nstatus: fail\ncreated_at: 2026-01-15T08:40:00Z\ngrade: B\n",
              "bad-grade", 0);
    check_one("path: x\nsize: 1\nstatus: fail\nwords\ncreated_at: 2026-01-15T08:40:00Z\n",
              "bad-line", 4);
}

TESTS_WITHIN(NULL, release)
