/* SPDX-License-Identifier: Apache-2.0
 *
 * json.h - what --json prints: one object per event on standard output, nothing else. */
#ifndef HONE_REPORT_JSON_H
#define HONE_REPORT_JSON_H

#include "format/text/progress.h"
#include "run/run.h"

/* What a run came to, as both ends of it are told. */
struct ending {
    uint32_t found, fixed, left, noted, waived; /* each thing once */
    uint32_t noted_grave;        /* of those that are noted */
    uint32_t findings_left;      /* of the last review */
    struct coverage coverage;    /* how much was looked at */
    uint64_t took_ms;
    const char *files;           /* folder, absolute */
    struct str summary;          /* what the dialect says at the end; may be empty */
};

/* Results, to standard output at once. What cannot be written is lost: report_problem() says so. */
void report_out(struct str text);

void report_json_run(const struct run *run, bool resumed);
void report_json_start(const struct run *run, const struct action *action);
/* Behind the end of an attempt that is asked again when its service can serve. */
void report_json_waiting(const struct run *run, const struct action *action,
                         const struct result *result);
void report_json_progress(const struct run *run, const struct action *action,
                          const struct progress *progress);
void report_json_ended(const struct run *run, const struct action *action,
                       const struct result *result, uint64_t took_ms);
void report_json_round(const struct run *run, const struct round *round);
void report_json_ask(const struct action *action, const char *escalation); /* or NULL */
void report_json_warning(const char *text);
void report_json_finish(const struct run *run, const struct ending *ending);

#endif
