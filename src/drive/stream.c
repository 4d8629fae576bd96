/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c - the end of an attempt whose backend tells in a stream of events what it did.
 *
 *    how it ended         what follows
 *    ok                   the answer is judged; of a reviewer only if it looked at something
 *    login, budget        failed for good; but where it stopped at what was left for it of the
 *                         run's budget, that is spent, and a resume starts it again
 *    rate, overload       asked again when the service said, or after pauses that grow (waits.c):
 *                         no failure is counted. Failed for good where limits.wait ends before
 *    anything else        failed, as any program that failed; for good where a sandbox kept it from
 *                         what it needs (cage.c)
 *    ended by a limit     failed by that limit; but where the program was waiting for its service
 *                         to serve, that is the reason
 *
 * JSON that the program held against the schema is the answer, in place of what was put into
 * HONE_OUTPUT. Else the text of the result stands where other programs have their standard output:
 * in the file "said".
 *
 * What an attempt used counts however it ended. */
#include "drive/drive.h"

#include "base/clock.h"
#include "io/scratch.h"

/* How each kind of end is kept and told: behind the agent's name and before what it said. */
static const struct {
    enum failure failure;
    const char *text;
} kinds[READING_END_COUNT] = {
    [READING_LOGIN] = { FAILURE_LOGIN, " is not logged in, or may not do this" },
    [READING_RATE] = { FAILURE_RATE, " has been asked too often" },
    [READING_OVERLOAD] = { FAILURE_OVERLOAD, "'s service is overloaded" },
    [READING_NETWORK] = { FAILURE_NETWORK, " cannot reach its service (is there a network?)" },
};

static bool is_waited_for(const struct reading *reading)
{
    return reading->end == READING_RATE || reading->end == READING_OVERLOAD;
}

/* Ended by a limit while its service could not serve: that is why it was slow. */
static bool is_held_up(const struct reading *reading, const struct notice *notice)
{
    bool late = notice->by == ENDED_TIME || notice->by == ENDED_IDLE || notice->by == ENDED_FIRST;

    return late && !reading->has_result &&
           (is_waited_for(reading) || reading->end == READING_NETWORK);
}

static void stream_failed(struct drive *drive, struct live *live, const struct reading *reading,
                          const struct notice *notice)
{
    const struct agent *agent = agent_of(drive, &live->action);
    const char *kind = kinds[reading->end].text;
    const char *said = arena_cstr(&drive->arena, reading->message);
    const char *cage = cage_words(drive, live, said, reading->end == READING_NETWORK);
    const char *problem = agent->spec;
    uint64_t at_ms = 0;
    char when[CLOCK_ISO_BYTES];

    if (notice->by != ENDED_EXIT) said = ended_text(drive, live, notice);
    else if (!reading->has_result && *last_words(drive, live)) said = last_words(drive, live);
    if (cage && !is_waited_for(reading)) {
        attempt_fail(drive, live, FAILURE_CAGE, true,
                     arena_printf(&drive->arena, "%s %s: %s", agent->spec, cage, said));
        return;
    }
    if (kind) problem = arena_printf(&drive->arena, "%s%s", problem, kind);
    if (reading->end == READING_LOGIN && agent->backend->login) {
        problem = arena_printf(&drive->arena, "%s (log in: %s)", problem, agent->backend->login);
    }
    if (is_waited_for(reading)) {
        at_ms = waits_until(&drive->waits, live->action.job, reading->retry_at_ms,
                            drive->run.settings.wait_ms_max, notice->ended_ms);
    }
    if (is_waited_for(reading) && reading->retry_at_ms > notice->ended_ms) {
        problem = arena_printf(&drive->arena, "%s, until %s", problem,
                               clock_iso(reading->retry_at_ms, when));
    }
    if (is_waited_for(reading) && at_ms == 0) {
        problem = arena_printf(&drive->arena, "%s; hone waits at most %s", problem,
                               limit_text(drive, LIMIT_WAIT));
    }
    attempt_fail_until(drive, live, kind ? kinds[reading->end].failure : FAILURE_EXIT,
                       reading->permanent || (is_waited_for(reading) && at_ms == 0), at_ms,
                       arena_printf(&drive->arena, "%s: %s", problem, said));
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
    if (!is_waited_for(&reading)) waits_forget(&drive->waits, live->action.job);
    if (!exited && is_held_up(&reading, notice)) {
        stream_failed(drive, live, &reading, notice);
    } else if (!exited) {
        attempt_cut(drive, live, notice);
    } else if (rc != 0) {
        attempt_void(drive, live, true,
                     arena_printf(&drive->arena, "The answer could not be read: %s.", err.text));
    } else if (reading.end == READING_OK) {
        stream_answered(drive, live, &reading);
    } else if (reading.end == READING_BUDGET && spending_was_all(drive, live)) {
        attempt_fail(drive, live, FAILURE_BUDGET, true,
                     arena_printf(&drive->arena, "%s stopped at what was left of the budget: %.*s",
                                  agent->spec, STR_ARG(reading.message)));
    } else if (!reading.has_result && notice->value != 0 && !known) {
        attempt_exited(drive, live, notice->value); /* what it wrote to stderr says more */
    } else {
        stream_failed(drive, live, &reading, notice);
    }
    arena_release(&arena);
}
