/* SPDX-License-Identifier: Apache-2.0
 *
 * test_metrics.c - the text format of Prometheus: heads, labels and numbers. */
#include "format/observe/metrics.h"

#include "test.h"

static const struct metric money = { "hone_run_cost_usd_total", "counter", "Dollars\\\nspent." };

static void expect_sample(const struct metric_label *labels, uint64_t value, uint32_t digits,
                          const char *text)
{
    struct buf out;

    buf_init(&out, 4096);
    metric_sample(&out, &money, labels, value, digits);
    assert_string_equal(buf_cstr(&out), text);
    buf_release(&out);
}

TEST(a_head_is_two_lines_whatever_the_help_holds)
{
    struct buf out;

    buf_init(&out, 4096);
    metric_head(&out, &money);
    assert_string_equal(buf_cstr(&out), "# HELP hone_run_cost_usd_total Dollars\\\\\\nspent.\n"
                                        "# TYPE hone_run_cost_usd_total counter\n");
    buf_release(&out);
}

TEST(numbers_keep_all_their_digits)
{
    expect_sample(NULL, 0, 0, "hone_run_cost_usd_total 0\n");
    expect_sample(NULL, 1, 6, "hone_run_cost_usd_total 0.000001\n");
    expect_sample(NULL, 12345678, 6, "hone_run_cost_usd_total 12.345678\n");
    expect_sample(NULL, UINT64_MAX, 0, "hone_run_cost_usd_total 18446744073709551615\n");
    expect_sample(NULL, UINT64_MAX, 6, "hone_run_cost_usd_total 18446744073709.551615\n");
}

TEST(a_label_can_end_neither_its_quote_nor_its_line)
{
    const struct metric_label labels[] = {
        { "workspace", STR("/tmp/a\"} 1\nb\\") }, { "state", STR("clean") }, { .name = NULL },
    };

    expect_sample(labels, 3, 0, "hone_run_cost_usd_total{workspace=\"/tmp/a\\\"} 1\\nb\\\\\","
                                "state=\"clean\"} 3\n");
}

TEST(bytes_that_are_no_utf8_are_replaced_one_by_one)
{
    const struct metric_label labels[] = { { "w", STR("a\xff\xc3z\xc3\xa9") }, { .name = NULL } };

    expect_sample(labels, 1, 0, "hone_run_cost_usd_total{w=\"a\xef\xbf\xbd\xef\xbf\xbdz\xc3\xa9\""
                                "} 1\n");
}
