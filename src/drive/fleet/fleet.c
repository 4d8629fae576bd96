/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet.c - a run's fleet: what the hands call, its carrier's process, and its turns.
 *
 *   fleet_send, fleet_stop --> sent.c --> carrier
 *   fleet_turn: carrier_turn --> hear.c --> sent.c --> sent_sweep
 *
 * 1. What the carrier was told may be lost with its process. The next one is asked for each attempt
 *    (carry/sent.c).
 * 2. A fleet that cannot be reached while an attempt waits for it is waited for as long as
 *    reach.c says. Then the drive breaks, and the run is resumable. That holds for a carrier that
 *    ends, that never is ready, and that says that its server is away. One that was never ready,
 *    and whose end says that no other start will make it so, breaks the drive at once.
 * 3. A program that could not travel is not tried again: its role plays here from then on.
 * 4. Where the disk of this machine is full the drive breaks, at any file: what came back is
 *    fetched again by the resume.
 *
 * Not here: the process and its lines (carrier.c), what it says (hear.c), what is sent (job.c),
 * what comes back (result.c), which attempts (route.c), a run that was left (left.c), how long a
 * fleet is waited for (reach.c). */
#include "drive/fleet/parts.h"

#include "base/duration.h"
#include "base/mem.h"
#include "carry/carry.h"
#include "drive/attempt.h"
#include "drive/fleet/who.h"
#include "io/file/file.h"
#include "io/process/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLOSE_SEND_MS = 3000,
    TROUBLE_BYTES_MAX = 300,
    RESULT_WAIT_MS = 60 * 1000, /* for the result of an agent that has ended */
};

/* ---- what its files share ---- */

/* git says so in its own words, which end in the system's. */
bool fleet_is_full(const struct err *err)
{
    return err->code != ERR_NONE && (strstr(err->text, strerror(ENOSPC)) ||
                                     strstr(err->text, strerror(EDQUOT)));
}

void fleet_break(struct drive *drive)
{
    if (drive->broken) return;
    if (fleet_is_full(&drive->err)) {
        err_wrap(&drive->err, "the disk of %s is full", drive->run.repo.workspace);
    }
    drive_break(drive);
}

void fleet_want(struct fleet *fleet)
{
    fleet->wanted = true;
    if (!fleet->carrier.wire.up && fleet->again_ms == 0) fleet->again_ms = now_steady_ms();
}

void fleet_trouble(struct fleet *fleet, struct str why)
{
    fleet->trouble = arena_cstr(&fleet->arena, str_head(why, TROUBLE_BYTES_MAX));
}

void fleet_tell_once(struct fleet *fleet, struct drive *drive, struct str sentence)
{
    for (uint32_t i = 0; i < fleet->sentence_count; i++) {
        if (str_is(sentence, fleet->sentences[i])) return;
    }
    fleet->sentences = mem_grow(fleet->sentences, fleet->sentence_count, &fleet->sentence_cap,
                                sizeof *fleet->sentences);
    fleet->sentences[fleet->sentence_count] = arena_cstr(&fleet->arena, sentence);
    drive_tell(drive, &(struct news){ .kind = NEWS_NOTE,
                                      .text = fleet->sentences[fleet->sentence_count++] });
}

void fleet_leaves(struct fleet *fleet, const char *name)
{
    for (uint32_t i = 0; i < fleet->left_count; i++) {
        if (strcmp(fleet->left[i], name) == 0) return;
    }
    fleet->left = mem_grow(fleet->left, fleet->left_count, &fleet->left_cap, sizeof *fleet->left);
    fleet->left[fleet->left_count++] = arena_cstr(&fleet->arena, str_of(name));
}

/* ---- opening ---- */

int fleet_open(struct fleet *fleet, struct drive *drive, const char *url, const char *version)
{
    const struct run *run = &drive->run;
    char host[HOST_NAME_BYTES];
    int rc;

    if (!url || !*url || strcmp(url, "local") == 0) return 0;
    rc = fleet_command(url, &fleet->arena, &fleet->carrier.argv, &drive->err);
    if (rc != 0) return rc;
    fleet->url = arena_cstr(&fleet->arena, str_of(url));
    fleet->version = version;
    fleet->run = fleet_name_is(str_of(run->settings.uuid))
                     ? arena_cstr(&fleet->arena, str_of(run->settings.uuid))
                     : arena_printf(&fleet->arena, "%s-%" PRIu64, run->row.id, run->row.created_ms);
    fleet->carrier.lease_ms = carrier_lease_ms();
    fleet->carrier.hello = (struct fleet_line){
        .kind = FLEET_HELLO, .v = FLEET_V, .version = str_of(version), .run = str_of(fleet->run),
        .epoch = now_wall_ms(), .host = str_of(arena_cstr(&fleet->arena, str_of(host_name(host)))),
        .lease_ms = fleet->carrier.lease_ms,
    };
    return 0;
}

/* ---- the carrier's process ---- */

/* Its process is not there: the next one is due after a pause. */
static void carrier_later(struct fleet *fleet, const char *why)
{
    fleet->again_ms = now_steady_ms() + reach_pause_ms(&fleet->reach, fleet->carrier.lease_ms);
    if (why) fleet_trouble(fleet, str_of(why));
}

static void carrier_start(struct fleet *fleet, struct drive *drive)
{
    struct err why = { 0 };

    fleet->again_ms = 0;
    if (carrier_begin(&fleet->carrier, &why) == 0) return;
    carrier_later(fleet, why.text);
    fleet_tell_once(fleet, drive, str_of(arena_printf(&drive->run.arena, "the fleet's carrier "
                    "could not be started: %s", why.text)));
}

/* One that was never ready, and that no other start would make so: 2 */
static bool is_hopeless(const struct fleet *fleet, int status)
{
    return !fleet->reach.was && (status == WIRE_FOR_GOOD || status == WIRE_NO_PROGRAM);
}

static void carrier_hopeless(struct fleet *fleet, struct drive *drive, int status)
{
    const char *why = status == WIRE_NO_PROGRAM ? "its program is not there" : "it said why above";

    err_set(&drive->err, ERR_FAILED, "the fleet %s cannot be used: %s; 'hone fleet doctor %s' "
            "tries it, and hone resume --fleet local goes on here", fleet->url, why, fleet->url);
    fleet_break(drive);
}

static void carrier_lost(struct fleet *fleet, struct drive *drive, const char *how)
{
    bool was_ready = fleet->carrier.ready;
    int status = carrier_drop(&fleet->carrier);
    char wait[DURATION_BYTES];

    if (is_hopeless(fleet, status)) {
        carrier_hopeless(fleet, drive, status);
        return;
    }
    if (was_ready) {
        drive_warn(drive, "the fleet's carrier %s: it is started again, and attempts that are away "
                   "are asked for", how);
    } else if (!fleet->unready_told) {
        fleet->unready_told = true;
        (void)duration_text(reach_patience_ms(&fleet->reach, fleet->carrier.lease_ms), wait);
        drive_warn(drive, "the fleet's carrier %s before it was ready: it is started again and "
                   "again for %s", how, wait);
    }
    sent_do_all(fleet, drive, SENT_GONE);
    carrier_later(fleet, NULL);
}

/* 2 */
static void fleet_give_up(struct fleet *fleet, struct drive *drive)
{
    uint64_t lease_ms = fleet->carrier.lease_ms;
    const char *said = fleet->trouble ? fleet->trouble
                       : fleet->reach.ends > 0 ? "its carrier ends again and again"
                                               : "its carrier is not ready";
    char wait[DURATION_BYTES];

    err_set(&drive->err, ERR_FAILED, "the fleet %s could not be reached for %s: %s; 'hone fleet "
            "doctor %s' tries it, hone resume goes on when it is back, and hone resume --fleet "
            "local goes on here", fleet->url,
            duration_text(reach_patience_ms(&fleet->reach, lease_ms), wait), said, fleet->url);
    fleet_break(drive);
}

static void fleet_reach(struct fleet *fleet, struct drive *drive)
{
    const struct carrier *carrier = &fleet->carrier;
    struct reach_look look = { .now_ms = now_steady_ms(), .lease_ms = carrier->lease_ms,
                               .is = carrier->ready && !fleet->far };

    for (uint32_t i = 0; i < fleet->sent_count && !look.wanted; i++) {
        look.wanted = fleet->sent[i]->at.state != SENT_OVER;
    }
    reach_step(&fleet->reach, &look);
    if (look.wanted && reach_is_over(&fleet->reach, look.lease_ms)) fleet_give_up(fleet, drive);
}

/* ---- what the hands call ---- */

bool fleet_takes(struct fleet *fleet, struct drive *drive, struct live *live)
{
    const char *why, *pool;

    live->away = false;
    if (!fleet->url) return false;
    pool = route_pool(fleet, drive, live, &why);
    if (why) fleet_tell_once(fleet, drive, str_of(why));
    live->away = pool != NULL;
    return live->away;
}

/* A worker ends its agent at its time limit by itself. One that does not, and says nothing of it,
 * is waited for no longer than its word of that may take. */
static uint64_t time_limit_ms(const struct fleet *fleet, const struct drive *drive)
{
    uint64_t time_ms = drive->run.settings.time_ms_max;

    if (time_ms == 0 || time_ms > UINT64_MAX / 2) return 0;
    return time_ms + carry_lost_ms(fleet->carrier.lease_ms) + RESULT_WAIT_MS;
}

void fleet_send(struct fleet *fleet, struct drive *drive, struct live *live,
                const struct attempt *about)
{
    struct sent *sent = sent_new(fleet, live);
    const char *none, *what;
    struct err why = { 0 };
    int rc;

    sent->pool = arena_cstr(&sent->arena, str_of(route_pool(fleet, drive, live, &none)));
    rc = job_make(fleet, drive, live, about, sent, &why);
    if (rc == 0) {
        fleet_want(fleet);
        sent_do(fleet, drive, sent, (struct sent_event){
            .kind = SENT_PACKED, .limit_ms = time_limit_ms(fleet, drive) }, NULL);
        return;
    }
    if (fleet_is_full(&why)) {
        drive->err = why;
        fleet_break(drive);
        return;
    }
    if (rc != ERR_BUSY) { /* 3 */
        fleet->homebound = mem_grow(fleet->homebound, fleet->homebound_count, &fleet->homebound_cap,
                                    sizeof *fleet->homebound);
        fleet->homebound[fleet->homebound_count++] = live->action.role;
    }
    what = arena_printf(&sent->arena, "%s%s", why.text, rc == ERR_BUSY ? "" : "; it plays here");
    sent_do(fleet, drive, sent, (struct sent_event){ .kind = SENT_CANNOT },
            &(struct sent_about){ .why = str_of(what) });
}

void fleet_stop(struct fleet *fleet, struct drive *drive, struct live *live)
{
    struct sent *sent = sent_by_id(fleet, live_id(&live->action));

    if (sent) sent_do(fleet, drive, sent, (struct sent_event){ .kind = SENT_STOP }, NULL);
}

/* ---- turns ---- */

static void carrier_look(struct fleet *fleet, struct drive *drive)
{
    struct carrier *carrier = &fleet->carrier;
    enum carrier_state state;

    if (!carrier->wire.up && fleet->again_ms != 0 && fleet->again_ms <= now_steady_ms()) {
        carrier_start(fleet, drive);
    }
    if (!carrier->wire.up) return;
    state = carrier_turn(carrier);
    fleet_hear(fleet, drive);
    if (drive->broken) return;
    if (state == CARRIER_ENDED) carrier_lost(fleet, drive, "has ended");
    if (state == CARRIER_MUTE) carrier_lost(fleet, drive, "says nothing any more");
}

void fleet_turn(struct fleet *fleet, struct drive *drive)
{
    if (!fleet->url || !fleet->wanted || fleet->fenced || drive->broken) return;
    carrier_look(fleet, drive);
    if (drive->broken) return;
    sent_sweep(fleet, drive);
    if (fleet->reach.is) sent_do_all(fleet, drive, SENT_TICK); /* else no worker can say anything */
    fleet_reach(fleet, drive);
}

int64_t fleet_due_in(const struct fleet *fleet)
{
    uint64_t now_ms = now_steady_ms();

    if (!fleet->url || !fleet->wanted) return -1;
    if (fleet->carrier.wire.up && fleet->behind) return 0;
    if (fleet->carrier.wire.up) return carrier_due_in(&fleet->carrier);
    if (fleet->again_ms == 0) return -1;
    return fleet->again_ms > now_ms ? (int64_t)(fleet->again_ms - now_ms) : 0;
}

uint32_t fleet_awaited(const struct fleet *fleet, struct awaited out[CARRIER_AWAITED])
{
    if (fleet->url) return carrier_awaited(&fleet->carrier, out);
    return 0;
}

/* ---- the end ---- */

void fleet_close(struct fleet *fleet, struct drive *drive, bool ended)
{
    if (!fleet->fenced) sent_do_all(fleet, drive, SENT_LEAVE);
    if (!drive->broken) sent_sweep(fleet, drive);
    if (fleet->carrier.wire.up && !fleet->fenced) {
        (void)carrier_say(&fleet->carrier, &(struct fleet_line){ .kind = FLEET_BYE,
                                                                 .ended = ended });
    }
    carrier_end(&fleet->carrier, CLOSE_SEND_MS);
    sent_free_all(fleet);
    for (uint32_t i = 0; i < fleet->left_count; i++) {
        struct err none;

        (void)file_remove_in(run_folder(&drive->run, &fleet->arena), fleet->left[i], &none);
    }
    free(fleet->left);
    free(fleet->sentences);
    free(fleet->homebound);
    arena_release(&fleet->arena);
    *fleet = (struct fleet){ .url = NULL };
}
