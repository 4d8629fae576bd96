/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c - the end of an attempt whose backend tells in a stream of events what it did.
 *
 *    how it ended         what follows
 *    ok                   the answer is judged; of a reviewer only if it looked at something
 *    login, budget        failed for good
 *    rate, overload       asked again when the service said, or after pauses that grow: no failure
 *                         is counted. Failed where that would be too far away or too often
 *    anything else        failed, as any program that failed
 *
 * JSON that the program held against the schema is the answer, in place of what was put into
 * HONE_OUTPUT. Else the text of the result stands where other programs have their standard output:
 * in the file "said".
 *
 * What an attempt used counts however it ended. */
#include "drive/drive.h"

#include "base/clock.h"
#include "io/scratch.h"

enum {
    PAUSE_MS = 5000, PAUSE_MS_MAX = 15 * 60 * 1000,
    PAUSE_COUNT_MAX = 10,              /* about an hour in all */
    RESET_MS_MAX = 6 * 60 * 60 * 1000, /* longer than this nobody waits: resume later */
};

/* When to ask again; 0: not by waiting. */
static uint64_t retry_at_ms(const struct reading *reading, uint32_t attempt, uint64_t now_ms)
{
    uint64_t pause_ms = PAUSE_MS;

    if (reading->end != READING_RATE && reading->end != READING_OVERLOAD) return 0;
    if (reading->retry_at_ms > now_ms) {
        return reading->retry_at_ms - now_ms <= RESET_MS_MAX ? reading->retry_at_ms : 0;
    }
    if (attempt > PAUSE_COUNT_MAX) return 0;
    for (uint32_t i = 1; i < attempt && pause_ms < PAUSE_MS_MAX; i++) pause_ms *= 2;
    return now_ms + (pause_ms < PAUSE_MS_MAX ? pause_ms : PAUSE_MS_MAX);
}

static void stream_failed(struct drive *drive, struct live *live, const struct reading *reading)
{
    uint64_t now_ms = now_wall_ms();
    uint64_t at_ms = retry_at_ms(reading, live->action.attempt, now_ms);
    bool told = reading->retry_at_ms > now_ms;
    const char *spec = agent_of(drive, &live->action)->spec;
    const char *problem = arena_printf(&drive->arena, "%s: %.*s", spec, STR_ARG(reading->message));
    char when[CLOCK_ISO_BYTES];

    if (told) {
        problem = arena_printf(&drive->arena, "%s (its limit ends at %s)", problem,
                               clock_iso(reading->retry_at_ms, when));
    }
    attempt_fail_until(drive, live, FAILURE_EXIT, reading->permanent || (told && at_ms == 0),
                       at_ms, problem);
}

/* What a reviewer is told that answered out of its prompt alone. */
static const char unproven[] =
    "You used no tool: nothing shows that you looked at what you judge. Read the files, or run "
    "commands that show them, and review again.";

static void stream_answered(struct drive *drive, struct live *live, const struct reading *reading)
{
    const char *name = reading->structured ? "answer" : "said";

    if (live->action.purpose == FOR_REVIEW && !reading_has_looked(reading)) {
        attempt_void(drive, live, true, unproven);
    } else if (!drive->counted &&
               scratch_write(live->dir, name, reading->answer, &drive->err) != 0) {
        drive_break(drive); /* it is our disk that failed, not the agent */
    } else {
        attempt_answered(drive, live);
    }
}

void attempt_used(struct drive *drive, struct live *live)
{
    const struct agent *agent = agent_of(drive, &live->action);
    struct arena arena = { 0 };
    struct reading reading;
    struct err none;

    if (!agent->backend->stream || is_builtin(drive, &live->action)) return;
    (void)agent_read(agent, live->dir, -1, &arena, &reading, &none);
    live->usage = reading.usage;
    arena_release(&arena);
}

void attempt_streamed(struct drive *drive, struct live *live, const struct notice *notice)
{
    const struct agent *agent = agent_of(drive, &live->action);
    bool exited = notice->by == ENDED_EXIT;
    struct arena arena = { 0 };
    struct reading reading;
    struct err err = { 0 };
    int rc = agent_read(agent, live->dir, exited ? notice->value : -1, &arena, &reading, &err);
    bool known = reading.end == READING_RATE || reading.end == READING_OVERLOAD ||
                 reading.end == READING_NETWORK || reading.end == READING_LOGIN;

    live->usage = reading.usage;
    if (!exited) {
        attempt_cut(drive, live, notice);
    } else if (rc != 0) {
        attempt_void(drive, live, true,
                     arena_printf(&drive->arena, "The answer could not be read: %s.", err.text));
    } else if (reading.end == READING_OK) {
        stream_answered(drive, live, &reading);
    } else if (!reading.has_result && notice->value != 0 && !known) {
        attempt_exited(drive, live, notice->value); /* what it wrote to stderr says more */
    } else {
        stream_failed(drive, live, &reading);
    }
    arena_release(&arena);
}
