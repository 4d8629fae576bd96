/* SPDX-License-Identifier: Apache-2.0
 *
 * relay.c - the carrier that a worker behind ssh is for itself.
 *
 *   driver   -- job -->  queue -- free slots -->  job --> worker
 *            <- taken --  a name in claims/  <-- begin --
 *            <- ended --  the outbox, on the disk <-- ended --
 *
 * There is no server: the queue is in memory and ends with the line; what was begun and what came
 * of it is on the disk, and there for the driver that follows.
 *
 * 1. An attempt is begun by making its name in claims/, which one process can do once. It is never
 *    begun again when the driver sends it again: it has ended, or it is lost.
 * 2. Of two drivers of a run the one with the larger epoch counts. It is written before the newer
 *    one waits for the folder, so the older one sees it.
 * 3. What waits is bounded: a job that finds no room is refused.
 * 4. Each run has a process, and none knows of the others. So each writes down what is at work and
 *    waits in it, as the line that it would tell of itself, with each beat and soon after a change;
 *    who asks without a run is told what all processes have written that live.
 *
 * Not here: how an attempt is played (tasks.c), the line's end (worker.c). */
#include "worker/relay.h"

#include "base/mem.h"
#include "carry/carry.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/lock.h"
#include "io/file/peek.h"
#include "io/file/piece.h"
#include "io/file/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    JOBS_MAX = 10000, GETS_MAX = 10000, WHY_BYTES_MAX = 1024, TOLD_MAX = 200, TELL_MS = 500,
};
#define JOB_BYTES_MAX (UINT64_C(256) << 20)

struct relay_job {
    char k[FLEET_KEY_BYTES], role[FLEET_ROLE_BYTES];
    char *text;
    size_t bytes;
    uint64_t since_ms; /* steady clock */
};

struct relay_given {
    char k[FLEET_KEY_BYTES], role[FLEET_ROLE_BYTES];
    uint64_t since_ms; /* steady clock: when it was given to the worker, or was claimed */
    bool claimed;
};

struct relay_get {
    char k[FLEET_KEY_BYTES], id[FLEET_BLOB_ID_BYTES];
    char *path;
    uint64_t bytes, at;
};

static void say(struct relay *relay, const struct fleet_line *line)
{
    wire_say(relay->wire, line);
}

static void say_why(struct relay *relay, enum fleet_kind kind, struct str k, const char *why)
{
    say(relay, &(struct fleet_line){ .kind = kind, .k = k, .why = str_of(why) });
}

/* ---- the run ---- */

static uint64_t epoch_read(const struct relay *relay)
{
    struct arena arena = { 0 };
    struct str text;
    struct err none;
    uint64_t epoch = 0;

    if (scratch_text(relay->run_folder, "epoch", 64, &arena, &text, &none) == 0) {
        (void)str_number(str_trim(text), &epoch);
    }
    arena_release(&arena);
    return epoch;
}

bool relay_is_fenced(const struct relay *relay)
{
    return relay->run[0] && epoch_read(relay) > relay->epoch;
}

static void fenced_say(struct relay *relay)
{
    say_why(relay, FLEET_FENCED, (struct str){ "", 0 }, "another driver has the run");
    relay->over = true;
}

bool relay_greet(struct relay *relay, const struct fleet_line *hello)
{
    struct arena arena = { 0 };
    struct err err = { 0 };
    struct fleet_line ready = { .kind = FLEET_READY, .v = FLEET_V,
                                .lease_ms = relay->tasks->shared.lease_ms };
    const char *why;

    ready.carrier = str_of(arena_printf(&arena, "hone %s at %s", relay->settings->version,
                                        relay->settings->host));
    relay->greeted = true;
    say(relay, &ready);
    if (hello->v != FLEET_V) {
        why = arena_printf(&arena, "hone %.40s speaks lines of version %u; hone %s at %s knows "
                           "version %d: install the same on both machines", hello->version.data,
                           hello->v, relay->settings->version, relay->settings->host, FLEET_V);
        say_why(relay, FLEET_FENCED, (struct str){ "", 0 }, why);
        worker_tell("%s", why);
        relay->over = true;
    } else if (hello->run.size > 0) {
        memcpy(relay->run, hello->run.data, hello->run.size);
        snprintf(relay->host, sizeof relay->host, "%.*s", STR_ARG(hello->host));
        relay->epoch = hello->epoch;
        relay->run_folder = mem_copy(arena_printf(&arena, "%s/runs/%s", relay->settings->folder,
                                                    relay->run), strlen(relay->settings->folder) +
                                       strlen("/runs/") + strlen(relay->run));
        if (file_make_folder(relay->run_folder, false, &err) != 0) {
            worker_tell("%s", err.text);
            relay->over = true;
        } else if (relay_is_fenced(relay)) {
            fenced_say(relay);
        } else {
            const char *epoch = arena_printf(&arena, "%" PRIu64 "\n", relay->epoch);

            (void)scratch_replace(relay->run_folder, "epoch", str_of(epoch), &err);
        }
    }
    arena_release(&arena);
    return relay->run[0] && !relay->over;
}

void relay_open(struct relay *relay)
{
    relay->beat_ms = now_steady_ms();
}

static void job_free(struct relay *relay, uint32_t at)
{
    free(relay->jobs[at].text);
    relay->job_count--;
    memmove(&relay->jobs[at], &relay->jobs[at + 1],
            (relay->job_count - at) * sizeof *relay->jobs);
}

static void get_free(struct relay *relay, uint32_t at)
{
    free(relay->gets[at].path);
    relay->get_count--;
    memmove(&relay->gets[at], &relay->gets[at + 1],
            (relay->get_count - at) * sizeof *relay->gets);
}

void relay_close(struct relay *relay)
{
    while (relay->job_count) job_free(relay, relay->job_count - 1);
    while (relay->get_count) get_free(relay, relay->get_count - 1);
    free(relay->jobs);
    free(relay->gets);
    free(relay->given);
    free(relay->run_folder);
    relay->jobs = NULL;
    relay->gets = NULL;
    relay->given = NULL;
    relay->run_folder = NULL;
}

/* ---- attempts ---- */

static uint32_t job_find(const struct relay *relay, struct str k)
{
    uint32_t at = 0;

    while (at < relay->job_count && !str_is(k, relay->jobs[at].k)) at++;
    return at;
}

static bool was_begun(const struct relay *relay, struct str k)
{
    struct arena arena = { 0 };
    bool begun = file_exists(arena_printf(&arena, "%s/%.*s", relay->claims, STR_ARG(k)));

    arena_release(&arena);
    return begun;
}

static bool is_at_work(const struct relay *relay, struct str k)
{
    return tasks_have(relay->tasks, k);
}

/* Says a result that is on the disk; false: there is none. */
static bool ended_say(struct relay *relay, struct str k)
{
    struct arena arena = { 0 };
    struct str result;
    bool there = outbox_result(relay->tasks->outbox, k, &arena, &result);

    if (there) say(relay, &(struct fleet_line){ .kind = FLEET_ENDED, .k = k, .result = result });
    arena_release(&arena);
    return there;
}

static uint64_t jobs_bytes(const struct relay *relay)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < relay->job_count; i++) bytes += relay->jobs[i].bytes;
    return bytes;
}

static void hear_job(struct relay *relay, const struct fleet_line *line)
{
    struct relay_job *job;

    if (is_at_work(relay, line->k) || job_find(relay, line->k) < relay->job_count) return;
    if (ended_say(relay, line->k)) return;
    if (was_begun(relay, line->k)) { /* 1 */
        say_why(relay, FLEET_LOST, line->k, "it was begun, and its worker died");
        return;
    }
    if (relay->job_count >= JOBS_MAX ||
        jobs_bytes(relay) + line->job.size > JOB_BYTES_MAX) { /* 3 */
        say_why(relay, FLEET_REFUSED, line->k, "too many jobs wait at this worker");
        return;
    }
    relay->jobs = mem_grow(relay->jobs, relay->job_count, &relay->job_cap, sizeof *relay->jobs);
    job = &relay->jobs[relay->job_count++];
    *job = (struct relay_job){ .text = mem_copy(line->job.data, line->job.size),
                               .bytes = line->job.size, .since_ms = now_steady_ms() };
    memcpy(job->k, line->k.data, line->k.size);
    (void)fleet_line_role(line->job, job->role);
    relay->changed = true;
    say(relay, &(struct fleet_line){ .kind = FLEET_QUEUED, .k = line->k });
}

static struct relay_given *given_find(const struct relay *relay, struct str k)
{
    for (uint32_t i = 0; i < relay->given_count; i++) {
        if (str_is(k, relay->given[i].k)) return &relay->given[i];
    }
    return NULL;
}

static void given_add(struct relay *relay, const struct relay_job *job)
{
    struct relay_given *given;

    relay->given = mem_grow(relay->given, relay->given_count, &relay->given_cap,
                            sizeof *relay->given);
    given = &relay->given[relay->given_count++];
    *given = (struct relay_given){ .since_ms = now_steady_ms() };
    memcpy(given->k, job->k, sizeof given->k);
    memcpy(given->role, job->role, sizeof given->role);
    relay->changed = true;
}

static void given_claim(struct relay *relay, struct str k)
{
    struct relay_given *given = given_find(relay, k);

    if (!given) return;
    given->claimed = true;
    given->since_ms = now_steady_ms();
    relay->changed = true;
}

static void given_drop(struct relay *relay, struct str k)
{
    struct relay_given *given = given_find(relay, k);

    if (!given) return;
    *given = relay->given[--relay->given_count];
    relay->changed = true;
}

static void jobs_hand_out(struct relay *relay)
{
    while (relay->free > 0 && relay->job_count > 0) {
        struct relay_job job = relay->jobs[0];

        job.text = NULL;
        relay->free--;
        given_add(relay, &job);
        tasks_hear(relay->tasks, &(struct fleet_line){
                                     .kind = FLEET_JOB, .k = str_of(job.k),
                                     .job = { relay->jobs[0].text, relay->jobs[0].bytes } });
        job_free(relay, 0);
    }
}

static void hear_stop(struct relay *relay, const struct fleet_line *line)
{
    uint32_t at = job_find(relay, line->k);

    relay->changed = true;
    if (at < relay->job_count) {
        job_free(relay, at);
        return;
    }
    given_drop(relay, line->k);
    tasks_hear(relay->tasks, &(struct fleet_line){ .kind = FLEET_STOP, .k = line->k,
                                                   .stop = FLEET_CANCEL });
}

static void hear_ask(struct relay *relay, const struct fleet_line *line)
{
    struct fleet_line known = { .kind = FLEET_KNOWN, .k = line->k };
    struct arena arena = { 0 };
    struct str result;

    if (job_find(relay, line->k) < relay->job_count) known.state = FLEET_IS_QUEUED;
    else if (outbox_result(relay->tasks->outbox, line->k, &arena, &result)) {
        known.state = FLEET_HAS_ENDED;
    } else if (is_at_work(relay, line->k)) known.state = FLEET_IS_TAKEN;
    say(relay, &known);
    if (known.state == FLEET_HAS_ENDED) (void)ended_say(relay, line->k);
    arena_release(&arena);
}

static void hear_get(struct relay *relay, const struct fleet_line *line)
{
    struct arena arena = { 0 };
    const char *at = outbox_path(relay->tasks->outbox, line->k, &arena), *path = NULL;
    struct fleet_result result;
    struct relay_get get = { .at = 0 };
    struct str text;
    struct err none;
    uint64_t unused_ms;

    if (line->k.size && relay->get_count < GETS_MAX &&
        outbox_result(relay->tasks->outbox, line->k, &arena, &text) &&
        fleet_result_read(text, &arena, &result, &none) == 0) {
        path = outbox_blob(at, &result, line->id, &arena);
    }
    if (!path || !file_unused(path, &get.bytes, &unused_ms)) {
        say(relay, &(struct fleet_line){ .kind = FLEET_NONE, .id = line->id, .k = line->k });
    } else {
        relay->gets = mem_grow(relay->gets, relay->get_count, &relay->get_cap,
                               sizeof *relay->gets);
        memcpy(get.k, line->k.data, line->k.size);
        memcpy(get.id, line->id.data, line->id.size);
        get.path = mem_copy(path, strlen(path));
        relay->gets[relay->get_count++] = get;
    }
    arena_release(&arena);
}

/* Pieces of what the driver wants, as far as it reads them. */
static void gets_turn(struct relay *relay)
{
    while (relay->get_count > 0 && wire_has_room(relay->wire)) {
        struct relay_get *get = &relay->gets[0];
        struct fleet_line line = { .kind = FLEET_BLOB, .id = str_of(get->id), .k = str_of(get->k),
                                   .bytes = get->bytes, .at = get->at };
        struct err none;
        struct buf piece;
        bool good;

        buf_init(&piece, FLEET_PIECE_BYTES_MAX);
        good = file_piece_read(get->path, get->at, FLEET_PIECE_BYTES_MAX, &piece, &none) == 0 &&
               (piece.size > 0 || get->bytes == 0);
        line.data = buf_str(&piece);
        if (good) say(relay, &line);
        else say(relay, &(struct fleet_line){ .kind = FLEET_NONE, .id = line.id, .k = line.k });
        get->at += piece.size;
        if (!good || get->at >= get->bytes) get_free(relay, 0);
        buf_release(&piece);
    }
}

static void hear_forget(struct relay *relay, const struct fleet_line *line)
{
    for (uint32_t i = relay->get_count; i-- > 0;) {
        if (str_is(line->k, relay->gets[i].k)) get_free(relay, i);
    }
    tasks_hear(relay->tasks, &(struct fleet_line){ .kind = FLEET_FORGET, .k = line->k });
}

/* ---- who is at work here ---- */

/* What is told of one process. */
struct told {
    struct fleet_worker worker;
    struct fleet_pool pool;
    struct fleet_shown *attempts;
    uint32_t count;
};

static void told_begin(const struct relay *relay, struct told *told, struct arena *arena)
{
    const struct worker_settings *settings = relay->settings;

    *told = (struct told){ .worker = {
        .id = str_of(settings->name), .host = str_of(settings->host),
        .pool = str_of(settings->pool), .version = str_of(settings->version),
        .labels = settings->labels, .label_count = settings->label_count,
        .slots = settings->slots, .since_ms = now_wall_ms(),
    } };
    told->pool = (struct fleet_pool){ .name = told->worker.pool, .workers = 1 };
    told->attempts = arena_alloc(arena, FLEET_ATTEMPTS_MAX * sizeof *told->attempts);
}

static void told_line(struct told *told, struct fleet_line *line)
{
    *line = (struct fleet_line){
        .kind = FLEET_WORKERS, .workers = &told->worker, .worker_count = 1, .pools = &told->pool,
        .pool_count = 1, .attempts = told->attempts, .attempt_count = told->count,
    };
}

/* What this process has. */
static void told_own(const struct relay *relay, struct told *told)
{
    uint64_t now_ms = now_steady_ms();

    told->worker.busy = relay->tasks->outbox ? tasks_busy(relay->tasks) : 0;
    told->pool.queued = relay->job_count;
    for (uint32_t i = 0; i < relay->given_count && told->count < TOLD_MAX; i++) {
        const struct relay_given *given = &relay->given[i];

        told->attempts[told->count++] = (struct fleet_shown){
            .told = given->claimed ? FLEET_TOLD_TAKEN : FLEET_TOLD_OFFERED, .k = str_of(given->k),
            .role = str_of(given->role), .worker = told->worker.id, .pool = told->worker.pool,
            .from = str_of(relay->host), .age_ms = now_ms - given->since_ms,
        };
    }
    for (uint32_t i = 0; i < relay->job_count && i < TOLD_MAX; i++) {
        const struct relay_job *job = &relay->jobs[i];

        told->attempts[told->count++] = (struct fleet_shown){
            .told = FLEET_TOLD_QUEUED, .k = str_of(job->k), .role = str_of(job->role),
            .pool = told->worker.pool, .from = str_of(relay->host),
            .why = STR("all slots of its run are busy"), .age_ms = now_ms - job->since_ms,
        };
    }
}

/* Invariant 4. */
static void told_write(struct relay *relay)
{
    struct arena arena = { 0 };
    struct fleet_line line;
    struct told told;
    struct buf text;
    struct err none;

    for (uint32_t i = relay->given_count; i-- > 0;) { /* ended without a word */
        if (!tasks_have(relay->tasks, str_of(relay->given[i].k))) {
            relay->given[i] = relay->given[--relay->given_count];
        }
    }
    buf_init(&text, FLEET_LINE_BYTES_MAX + 1);
    told_begin(relay, &told, &arena);
    told_own(relay, &told);
    told_line(&told, &line);
    if (fleet_line_write(&line, &text) == 0) {
        (void)scratch_replace(relay->run_folder, "told", str_trim(buf_str(&text)), &none);
    }
    relay->changed = false;
    relay->told_ms = now_steady_ms();
    buf_release(&text);
    arena_release(&arena);
}

/* What another process of this folder has written; old_ms ago. */
static void told_add(struct told *told, const struct fleet_line *line, uint64_t old_ms)
{
    told->worker.busy += line->workers[0].busy;
    told->worker.slots += line->workers[0].slots;
    if (line->workers[0].since_ms < told->worker.since_ms) {
        told->worker.since_ms = line->workers[0].since_ms;
    }
    told->pool.queued += line->pools[0].queued;
    for (uint32_t i = 0; i < line->attempt_count && told->count < FLEET_ATTEMPTS_MAX; i++) {
        struct fleet_shown *attempt = &told->attempts[told->count++];

        *attempt = line->attempts[i];
        attempt->age_ms += old_ms;
        if (attempt->told == FLEET_TOLD_TAKEN) attempt->silent_ms += old_ms;
    }
}

static void told_others(const struct relay *relay, struct told *told, struct arena *arena)
{
    const char *folder = arena_printf(arena, "%s/runs", relay->settings->folder);
    const char *const *names = folder_names(folder, "", arena);
    uint32_t own_slots = told->worker.slots;

    told->worker.slots = 0;
    for (; names && *names; names++) {
        const char *run = arena_printf(arena, "%s/%s", folder, *names);
        uint64_t bytes, old_ms = 0;
        struct lock_owner owner;
        struct fleet_line line;
        struct str text;
        struct err none;

        if (!lock_is_held(arena_printf(arena, "%s/lock", run), &owner)) continue;
        if (scratch_text(run, "told", FLEET_LINE_BYTES_MAX, arena, &text, &none) != 0) continue;
        (void)file_unused(arena_printf(arena, "%s/told", run), &bytes, &old_ms);
        if (fleet_line_read(text, FLEET_TO_DRIVER, arena, &line, &none) == 0 &&
            line.kind == FLEET_WORKERS && line.worker_count == 1 && line.pool_count == 1) {
            told_add(told, &line, old_ms);
        }
    }
    if (told->worker.slots == 0) told->worker.slots = own_slots;
}

static void hear_who(struct relay *relay)
{
    struct arena arena = { 0 };
    struct fleet_line line;
    struct told told;

    told_begin(relay, &told, &arena);
    if (relay->run[0]) told_own(relay, &told);
    else told_others(relay, &told, &arena);
    told_line(&told, &line);
    say(relay, &line);
    arena_release(&arena);
}

/* ---- lines of the driver ---- */

void relay_hear(struct relay *relay, const struct fleet_line *line)
{
    if (line->kind == FLEET_BYE) {
        relay->over = true;
        relay->ended = line->ended;
    }
    if (line->kind == FLEET_WHO) hear_who(relay);
    if (!relay->run[0] || relay->over) return;
    if (line->kind == FLEET_JOB) hear_job(relay, line);
    if (line->kind == FLEET_STOP) hear_stop(relay, line);
    if (line->kind == FLEET_ASK) hear_ask(relay, line);
    if (line->kind == FLEET_GET) hear_get(relay, line);
    if (line->kind == FLEET_FORGET) hear_forget(relay, line);
    if (line->kind == FLEET_BLOB || line->kind == FLEET_NONE) tasks_hear(relay->tasks, line);
}

/* ---- the worker ---- */

static void hear_begin(struct relay *relay, const struct fleet_line *line)
{
    struct arena arena = { 0 };
    struct err err = { 0 };
    bool first = !was_begun(relay, line->k) &&
                 scratch_folder(relay->claims, arena_cstr(&arena, line->k), &err) == 0;

    if (first) {
        given_claim(relay, line->k);
        say(relay, &(struct fleet_line){ .kind = FLEET_TAKEN, .k = line->k,
                                         .worker = str_of(relay->settings->name) });
    } else {
        say_why(relay, FLEET_LOST, line->k, err.text[0] ? err.text : "it was begun before");
    }
    tasks_hear(relay->tasks, &(struct fleet_line){ .kind = first ? FLEET_GO : FLEET_GONE,
                                                   .k = line->k });
    arena_release(&arena);
}

/* There is no other worker that could play it. */
static void hear_skip(struct relay *relay, const struct fleet_line *line)
{
    say(relay, &(struct fleet_line){ .kind = FLEET_REFUSED, .k = line->k, .why = line->why,
                                     .missing = line->missing });
}

void relay_say(void *context, const struct fleet_line *line)
{
    struct relay *relay = context;

    if (line->kind == FLEET_SKIP || line->kind == FLEET_LOST || line->kind == FLEET_ENDED) {
        given_drop(relay, line->k);
    }
    if (line->kind == FLEET_FREE) relay->free += line->n;
    if (line->kind == FLEET_BEGIN) hear_begin(relay, line);
    if (line->kind == FLEET_SKIP) hear_skip(relay, line);
    if (line->kind == FLEET_SAID || line->kind == FLEET_LOST) say(relay, line);
    if (line->kind == FLEET_GET) {
        say(relay, &(struct fleet_line){ .kind = FLEET_NEED, .id = line->id });
    }
    if (line->kind == FLEET_ENDED) {
        say(relay, line);
        tasks_hear(relay->tasks, &(struct fleet_line){ .kind = FLEET_KEPT, .k = line->k });
    }
}

bool relay_has_room(void *context)
{
    const struct relay *relay = context;

    return wire_has_room(relay->wire);
}

void relay_turn(struct relay *relay)
{
    uint64_t now_ms = now_steady_ms();

    jobs_hand_out(relay);
    gets_turn(relay);
    if (relay->changed && now_ms - relay->told_ms >= TELL_MS) told_write(relay);
    if (now_ms - relay->wire->heard_ms > carry_dead_ms(relay->tasks->shared.lease_ms)) {
        worker_tell("the driver says nothing any more");
        relay->over = true;
    }
    if (now_ms - relay->beat_ms < carry_beat_ms(relay->tasks->shared.lease_ms)) return;
    relay->beat_ms = now_ms;
    say(relay, &(struct fleet_line){ .kind = FLEET_BEAT });
    told_write(relay);
    if (relay_is_fenced(relay)) fenced_say(relay); /* 2 */
}
