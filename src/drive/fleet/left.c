/* SPDX-License-Identifier: Apache-2.0
 *
 * left.c - a run that was left while attempts of it were away goes on.
 *
 *   fleet_left       each attempt whose folder says that it was sent is asked for
 *   fleet_fetch      one of them is waited for: then its folder tells, or nothing came of it
 *   fleet_left_end   what was not waited for is stopped
 *
 * 1. The engine does not go on before it is known what became of them: else an agent would play
 *    twice.
 * 2. A fleet that says nothing for 2 L breaks the drive, and nothing is stopped: the next resume
 *    asks again.
 *
 * Not here: what is asked, and what an answer means (carry/sent.c). */
#include "drive/fleet/parts.h"

#include "drive/attempt.h"
#include "io/file/file.h"
#include "run/place.h"

enum { WAIT_LEASES = 2, LOOK_MS = 1000 };

/* One that was at work when the run was left. */
static void job_left(struct fleet *fleet, struct drive *drive, struct live *live)
{
    struct sent *sent;
    struct err none;

    if (!fleet_was_sent(live)) return;
    if (file_exists(arena_printf(&drive->run.arena, "%s/status", live->dir))) return;
    sent = sent_new(fleet, live);
    if (sent_read(sent, &none) != 0) { /* nothing can be asked: the resume asks for another */
        sent->dropped = true;
        return;
    }
    fleet_want(fleet);
    sent_do(fleet, drive, sent, (struct sent_event){ .kind = SENT_LEFT }, NULL);
}

void fleet_left(struct fleet *fleet, struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;

    if (!fleet->url) return;
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];

        for (uint32_t k = 0; k < lane->now.count; k++) {
            const struct job *job = &lane->now.jobs[k];
            struct live live = { .action = job_action(lane, job) };

            if (job->state != JOB_RUNNING) continue;
            live.dir = place_attempt(&drive->run.repo, drive->run.row.id, job->id, job->attempt,
                                     &drive->run.arena);
            job_left(fleet, drive, &live);
        }
    }
}

static void left_wait(const struct fleet *fleet, const struct drive *drive)
{
    struct awaited awaited[CARRIER_AWAITED + 1];
    uint32_t count = fleet_awaited(fleet, awaited);
    int64_t due = fleet_due_in(fleet);

    awaited[count++] = (struct awaited){ .fd = drive->signals.fd };
    wait_for_any(awaited, count, due < 0 || due > LOOK_MS ? LOOK_MS : due);
}

bool fleet_was_sent(const struct live *live)
{
    struct arena arena = { 0 };
    bool sent = file_exists(arena_printf(&arena, "%s/" PLACE_SENT, live->dir));

    arena_release(&arena);
    return sent;
}

static bool is_silent(const struct fleet *fleet, const struct sent *sent, uint64_t since_ms)
{
    uint64_t heard_ms = sent->heard_ms > since_ms ? sent->heard_ms : since_ms;

    return now_steady_ms() > heard_ms + WAIT_LEASES * fleet->carrier.lease_ms;
}

void fleet_fetch(struct fleet *fleet, struct drive *drive, struct live *live)
{
    struct sent *sent = sent_by_id(fleet, live_id(&live->action));
    bool before = drive->recovering;
    uint64_t since_ms = now_steady_ms();

    live->strayed = back_strayed(live->dir, &drive->run.arena);
    live->broke = back_broke(live->dir, &drive->run.arena);
    if (!sent || sent->dropped) return;
    drive->recovering = true;
    while (!drive->broken && sent->at.state != SENT_OVER) {
        fleet_turn(fleet, drive);
        if (drive->broken || sent->at.state == SENT_OVER) break;
        if (signals_waiting() || is_silent(fleet, sent, since_ms)) {
            err_set(&drive->err, ERR_FAILED, "the fleet %s did not say what became of attempts "
                    "that were sent there; hone resume asks again, and hone resume --fleet local "
                    "goes on without them", fleet->url); /* 2 */
            fleet_break(drive);
            break;
        }
        left_wait(fleet, drive);
    }
    drive->recovering = before;
}

void fleet_left_end(struct fleet *fleet, struct drive *drive)
{
    sent_do_all(fleet, drive, SENT_STOP);
}
