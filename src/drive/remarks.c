/* SPDX-License-Identifier: Apache-2.0
 *
 * remarks.c - what fixers said in passing that a person should know, found in what they said.
 *
 * 1. Nothing is decided by it: a run goes the same way whatever stands there.
 * 2. It is taken from events, live or from a journal: a resumed run knows it, too.
 * 3. Only hone's own fixer is believed about the test, and only in the line where it says so:
 *    findings and file names stand in other lines. */
#include "drive/drive.h"

#include "agent/analyzer.h"
#include "agent/fixits.h"
#include "dialect/answer.h"

static bool says_test_is_useless(struct str summary)
{
    struct str line;

    while (str_cut(&summary, '\n', &line)) {
        if (!str_starts(line, STR(FIXITS_TEST_LINE))) continue;
        return str_ends(line, STR(FIXITS_TEST_USELESS));
    }
    return false;
}

bool remark_note(struct drive *drive, const struct event *event)
{
    if (drive->test_useless || event->kind != EV_ENDED) return false;
    if (!str_is(event->result.by, backend_fixits.name)) return false;
    drive->test_useless = says_test_is_useless(event->result.doc);
    return drive->test_useless;
}

static struct str reason_in(const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct result *result = &batch->jobs[i].result;

        if (!result->stuck) continue;
        return result->problem.size ? result->problem : answer_stuck_reason(result->doc);
    }
    return STR("");
}

struct str stuck_reason(const struct lane *lane)
{
    struct str reason = reason_in(&lane->repair);

    if (lane->state != LANE_STUCK && lane->question != ASK_STUCK) return STR("");
    return reason.size ? reason : reason_in(&lane->work);
}
