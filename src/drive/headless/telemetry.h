/* SPDX-License-Identifier: Apache-2.0
 *
 * telemetry.h - a run as spans of OpenTelemetry, where the environment names a collector. */
#ifndef HONE_DRIVE_HEADLESS_TELEMETRY_H
#define HONE_DRIVE_HEADLESS_TELEMETRY_H

#include "drive/drive.h"
#include "format/observe/otlp.h"
#include "observe/courier.h"

struct round_span;

/* {0} is one that sends nothing. */
struct telemetry {
    struct arena arena;
    struct otlp_setup setup;
    bool begun;     /* the run is known: ids are */
    bool told;      /* ... and it was told of: there is a span of it */
    bool resumed;
    const char *run; /* what ids come from */
    char trace[TRACE_ID_BYTES], root[SPAN_ID_BYTES];
    uint64_t opened; /* events that it had when this process went on with it */
    uint64_t begun_ms;
    struct usage used_before;
    struct otlp_span *spans; /* that have ended and were not sent */
    uint32_t span_count, span_cap;
    struct round_span *rounds;
    uint32_t round_count, round_cap;
    struct couriers couriers;
    uint64_t due_ms;   /* when to send, by the steady clock */
    uint64_t lost;     /* spans that had no room */
    char problem[256]; /* the first that was in the way; "": none */
};

/* What the environment says. Before the run is opened. version: of hone. */
void telemetry_open(struct telemetry *telemetry, const char *version);
/* To be told all news of the run, before they are reported. */
void telemetry_tell(struct telemetry *telemetry, struct drive *drive, const struct news *news);
/* Sends what is due; never waits. */
void telemetry_tick(struct telemetry *telemetry);
/* The process leaves the run: its span ends, and all that is left is sent. Never waits. Returns
 * what was in the way, for one remark; NULL: nothing. */
const char *telemetry_close(struct telemetry *telemetry, const struct run *run, int code);

#endif
