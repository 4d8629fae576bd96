/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics.c - the text format of Prometheus.
 *
 *     # HELP hone_run_rounds_total Rounds of the newest run.
 *     # TYPE hone_run_rounds_total counter
 *     hone_run_rounds_total{workspace="/home/me/shop"} 3
 *
 * 1. In a value of a label the backslash, the quote and the line end are escaped, and nothing else;
 *    every other character stands as it is. So a value cannot end its line or its quote.
 * 2. Numbers have no exponent and no blank: a value of millionths keeps all its digits. */
#include "format/observe/metrics.h"

#include "format/text/utf8.h"

#include <assert.h>
#include <inttypes.h>

/* quote: within quotes, where a quote is escaped, too. */
static void put_escaped(struct buf *out, struct str text, bool quote)
{
    uint32_t code;

    while (text.size > 0) {
        size_t size = utf8_next(text, &code);

        if (size == 0) {
            buf_text(out, "\xef\xbf\xbd");
            text = str_skip(text, 1);
            continue;
        }
        if (code == '\n') buf_text(out, "\\n");
        else if (code == '\\' || (quote && code == '"')) buf_printf(out, "\\%c", (int)code);
        else buf_add(out, (struct str){ text.data, size });
        text = str_skip(text, size);
    }
}

void metric_head(struct buf *out, const struct metric *metric)
{
    buf_printf(out, "# HELP %s ", metric->name);
    put_escaped(out, str_of(metric->help), false);
    buf_printf(out, "\n# TYPE %s %s\n", metric->name, metric->type);
}

static void put_number(struct buf *out, uint64_t value, uint32_t digits)
{
    uint64_t unit = 1;

    for (uint32_t i = 0; i < digits; i++) unit *= 10;
    buf_printf(out, "%" PRIu64, value / unit);
    if (digits > 0) buf_printf(out, ".%0*" PRIu64, (int)digits, value % unit);
}

void metric_sample(struct buf *out, const struct metric *metric, const struct metric_label *labels,
                   uint64_t value, uint32_t digits)
{
    uint32_t count = 0;

    assert(digits <= 9);
    buf_text(out, metric->name);
    for (; labels && labels[count].name; count++) {
        assert(count < METRIC_LABELS_MAX);
        buf_printf(out, "%s%s=\"", count == 0 ? "{" : ",", labels[count].name);
        put_escaped(out, labels[count].value, true);
        buf_byte(out, '"');
    }
    if (count > 0) buf_byte(out, '}');
    buf_byte(out, ' ');
    put_number(out, value, digits);
    buf_byte(out, '\n');
}
