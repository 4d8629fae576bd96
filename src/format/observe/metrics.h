/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics.h - numbers as Prometheus reads them: its text format, version 0.0.4.
 *
 * Room: what hone tells programs that watch over many others: metrics, traces, and the facts of a
 * notification. Texts from plain data; nothing is sent from here. */
#ifndef HONE_FORMAT_OBSERVE_METRICS_H
#define HONE_FORMAT_OBSERVE_METRICS_H

#include "base/buf.h"
#include "base/str.h"

/* A label of a sample. Its value may hold anything: it is escaped, and bytes that are no UTF-8
 * become U+FFFD. */
struct metric_label {
    const char *name;
    struct str value;
};

enum { METRIC_LABELS_MAX = 8 };

/* A family: samples of one name. All of them follow its head before the next one begins. */
struct metric {
    const char *name; /* one that counts up ends in _total */
    const char *type; /* "counter" or "gauge" */
    const char *help;
};

void metric_head(struct buf *out, const struct metric *metric);

/* One sample: value divided by 10 to the power of `digits` (0: a whole number). The label with name
 * NULL ends the list. */
void metric_sample(struct buf *out, const struct metric *metric, const struct metric_label *labels,
                   uint64_t value, uint32_t digits);

#endif
