/* SPDX-License-Identifier: Apache-2.0
 *
 * remarks.c - what a person should know of texts that were written for others: what fixers said in
 * passing, and what an agent was told that broke its contract.
 *
 * 1. Nothing is decided by it: a run goes the same way whatever stands there.
 * 2. It is taken from events, live or from a journal: a resumed run knows it, too.
 * 3. Only hone's own fixer is believed about the test, and only in the line where it says so:
 *    findings and file names stand in other lines. */
#include "drive/drive.h"

#include "agent/analyzer.h"
#include "agent/fixits.h"
#include "dialect/answer.h"

#include <string.h>

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

struct str problem_core(const struct result *result)
{
    static const struct str mark = STR("What is wrong");
    struct str problem = result->problem, rest, head;
    const char *found = NULL;

    if (result->verdict == VERDICT_INVALID && problem.size > 0) {
        found = memmem(problem.data, problem.size, mark.data, mark.size);
    }
    if (!found) return problem;
    rest = str_skip(problem, (size_t)(found - problem.data));
    if (!str_cut(&rest, ':', &head)) return problem;
    rest = str_trim(rest);
    if (str_starts(rest, STR("- "))) rest = str_skip(rest, 2);
    return rest.size ? rest : problem;
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
