/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.c - a worker from its start to its end: what it keeps, its carrier, and one loop.
 *
 *   <folder>/store/            clones and work trees (io/travel)
 *   <folder>/blobs/            blobs of jobs, by id
 *   <folder>/looked/           what analyzers keep, by repository
 *   <folder>/name, swept       the name of its worker; when the folder was tidied last
 *   <folder>/workers/NAME/     the outbox of a worker with a carrier: lock, attempts/
 *   <folder>/runs/RUN/         of one behind ssh: lock, epoch, told, claims/, attempts/
 *
 * With a carrier it joins a pool until it is told to end. Behind ssh it serves one run of one
 * driver: the relay makes the driver's lines those of a carrier, and all else is the same.
 *
 * 1. Of a folder of workers/ or runs/ only its holder of the lock writes.
 * 2. The first signal drains a worker: it takes no new attempt, and ends when those that it has
 *    are over and said. The second ends their agents at once, and leaves results that no carrier
 *    takes to the next start. Behind ssh the first one does.
 * 3. The end of a driver's line is the driver's death: agents are ended, results stay for the
 *    driver that follows. A carrier that ends is started again, a little later each time;
 *    agents go on for a lease. One that ends with WIRE_FOR_GOOD (wrong keys) ends the worker.
 * 4. Between two turns nothing waits: one that comes a lease after the one before was asleep, and
 *    ends its agents before it reads a line.
 *
 * Not here: attempts (tasks.c), lines of a driver (relay.c). */
#include "worker/worker.h"

#include "base/mem.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/lock.h"
#include "io/file/peek.h"
#include "io/file/piece.h"
#include "io/file/scratch.h"
#include "io/file/uptime.h"
#include "io/process/program.h"
#include "io/process/sandbox.h"
#include "io/travel/travel.h"
#include "worker/relay.h"
#include "worker/tasks.h"
#include "drive/fleet/wire.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_LETTERS = 6, LOCK_WAIT_MS = 8000, CLOSE_MS = 3000, GREET_MS = 60 * 1000,
    RESTART_MS = 1000, RESTART_MS_MAX = 30 * 1000, SWEEP_FIRST_MS = 1000,
    SWEEP_LOOK_MS = 60 * 1000, SWEEP_EVERY_MS = 3600 * 1000, SWEEP_BYTES_MAX = 64 << 10,
    TELL_BYTES_MAX = 2000,
};
#define UNUSED_MS (UINT64_C(7) * 24 * 3600 * 1000)

struct worker {
    struct worker_settings settings;
    struct arena arena;
    struct lock lock;
    struct signals signals;
    struct wire wire;
    struct tasks tasks;
    struct relay relay;
    bool lines;              /* behind ssh */
    bool opened;             /* tasks are */
    bool over;
    int code;
    uint32_t told;           /* signals */
    uint64_t turn_ms;        /* uptime: of the last turn */
    uint64_t restart_ms;     /* steady clock: when the carrier is started again; 0: it is there */
    uint64_t pause_ms;
    uint64_t sweep_ms;       /* steady clock: when what is not used is looked for */
    const char *swept;       /* a file: when that was done last, by any worker of the folder */
    struct talk sweeper;     /* that does so */
    struct err err;
};

void worker_tell(const char *format, ...)
{
    char text[TELL_BYTES_MAX];
    struct buf line;
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buf_init(&line, 4 * TELL_BYTES_MAX);
    safe_text(&line, str_of(text), true, TELL_BYTES_MAX);
    fprintf(stderr, "hone: %s\n", buf_cstr(&line));
    buf_release(&line);
}

bool worker_allows(const char *lines, struct str name)
{
    struct str rest = str_of(lines ? lines : ""), line;

    if (rest.size == 0) return true;
    while (str_cut(&rest, '\n', &line)) {
        if (str_eq(line, name)) return true;
    }
    return false;
}

/* ---- what is kept ---- */

/* The worker's own name, made once: the machine's, and a word. */
static const char *name_of(struct worker *worker)
{
    char word[NAME_LETTERS + 1], host[FLEET_NAME_BYTES_MAX - NAME_LETTERS];
    struct str kept;
    struct err none;
    size_t used = 0;

    if (worker->settings.name) return worker->settings.name;
    if (scratch_text(worker->settings.folder, "name", FLEET_NAME_BYTES_MAX, &worker->arena, &kept,
                     &none) == 0 && fleet_name_is(str_trim(kept))) {
        return arena_cstr(&worker->arena, str_trim(kept));
    }
    for (const char *byte = worker->settings.host; *byte && used < sizeof host - 1; byte++) {
        if (fleet_name_is((struct str){ byte, 1 }) || (*byte == '-' && used)) host[used++] = *byte;
    }
    host[used] = '\0';
    random_word(word, NAME_LETTERS);
    (void)scratch_once(worker->settings.folder, "name",
                       str_of(arena_printf(&worker->arena, "%s%s%s", host, used ? "-" : "", word)),
                       &none);
    if (scratch_text(worker->settings.folder, "name", FLEET_NAME_BYTES_MAX, &worker->arena, &kept,
                     &none) != 0) {
        kept = str_of(word);
    }
    return arena_cstr(&worker->arena, str_trim(kept));
}

static int folder_make(struct worker *worker, const char *name)
{
    return file_make_folder(arena_printf(&worker->arena, "%s/%s", worker->settings.folder, name),
                            false, &worker->err);
}

static int folders_make(struct worker *worker)
{
    static const char *const names[] = { "store", "blobs", "looked", "workers", "runs" };
    int rc = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names && rc == 0; i++) {
        rc = folder_make(worker, names[i]);
    }
    return rc;
}

/* What was not used for long goes, by a process of its own: git may take its time. */
static void sweep_turn(struct worker *worker)
{
    const char *const argv[] = { program_self(), "play", "--sweep", "--folder",
                                 worker->settings.folder, NULL };
    const char *swept = worker->swept;
    uint64_t bytes, unused_ms;
    struct err err = { 0 };
    struct buf said;

    if (worker->sweeper.pid > 0) {
        buf_init(&said, SWEEP_BYTES_MAX);
        if (talk_wait(&worker->sweeper, -1, 0, &said) & TALK_ENDED) {
            (void)talk_stop(&worker->sweeper, CLOSE_MS);
        }
        buf_release(&said);
    } else if (now_steady_ms() >= worker->sweep_ms) {
        worker->sweep_ms = now_steady_ms() + SWEEP_LOOK_MS;
        if (file_unused(swept, &bytes, &unused_ms) && unused_ms < SWEEP_EVERY_MS) return;
        if (talk_start(&worker->sweeper, argv, true, 0, &err) != 0) worker_tell("%s", err.text);
    }
}

/* Of workers/ or runs/: results that no driver has fetched; and of runs/ a folder that no process
 * has, of a run whose last driver began long ago and never said that it is over. */
static void boxes_sweep(const char *folder, bool of_runs)
{
    struct arena arena = { 0 };
    const char *const *names = folder_names(folder, "", &arena);
    uint64_t bytes, unused_ms;
    struct lock_owner owner;
    struct err none;

    for (; names && *names; names++) {
        const char *box = arena_printf(&arena, "%s/%s", folder, *names);

        outbox_expire(arena_printf(&arena, "%s/attempts", box));
        if (of_runs && file_unused(arena_printf(&arena, "%s/epoch", box), &bytes, &unused_ms) &&
            unused_ms > UNUSED_MS && !lock_is_held(arena_printf(&arena, "%s/lock", box), &owner)) {
            (void)folder_erase(box, &none);
        }
    }
    arena_release(&arena);
}

int worker_sweep(const struct worker_settings *settings)
{
    struct arena arena = { 0 };
    struct blobs blobs = { .folder = arena_printf(&arena, "%s/blobs", settings->folder) };
    struct travel_store store = { .path = arena_printf(&arena, "%s/store", settings->folder) };
    struct err err = { 0 };
    uint64_t freed;
    int rc;

    blobs_sweep(&blobs);
    boxes_sweep(arena_printf(&arena, "%s/workers", settings->folder), false);
    boxes_sweep(arena_printf(&arena, "%s/runs", settings->folder), true);
    rc = travel_sweep(&store, now_wall_ms() - UNUSED_MS, &freed, &err);
    if (rc == 0) rc = scratch_write(settings->folder, "swept", STR(""), &err);
    if (rc != 0) worker_tell("%s", err.text);
    arena_release(&arena);
    return rc == 0 ? 0 : 1;
}

/* Invariant 1. Behind ssh an older process of the run is told to end first: it has no driver any
 * more, or another one than the newest. */
static int box_lock(struct worker *worker, const char *box)
{
    const char *path = arena_printf(&worker->arena, "%s/lock", box);
    struct lock_owner owner;
    struct err none;

    if (worker->lines && lock_is_held(path, &owner)) (void)lock_signal(path, SIGTERM, &none);
    if (lock_open(&worker->lock, path, worker->settings.name, worker->lines ? LOCK_WAIT_MS : 0,
                  &owner, &worker->err) == 0) return 0;
    if (worker->err.code != ERR_BUSY) return (int)worker->err.code;
    return err_set(&worker->err, ERR_BUSY, "another process (%ld) is worker %s: name this one "
                   "with --name", (long)owner.pid, worker->settings.name);
}

/* Everything but the carrier. name: of the box below the folder. */
static int box_open(struct worker *worker, const char *kind, const char *name)
{
    const char *box = arena_printf(&worker->arena, "%s/%s/%s", worker->settings.folder, kind, name);
    int rc = file_make_folder(arena_printf(&worker->arena, "%s/attempts", box), false,
                              &worker->err);

    if (rc == 0 && worker->lines) {
        worker->relay.claims = arena_printf(&worker->arena, "%s/claims", box);
        rc = file_make_folder(worker->relay.claims, false, &worker->err);
    }
    if (rc == 0) rc = box_lock(worker, box);
    if (rc != 0) return rc;
    worker->tasks.outbox = arena_printf(&worker->arena, "%s/attempts", box);
    worker->tasks.blobs.folder = arena_printf(&worker->arena, "%s/blobs",
                                              worker->settings.folder);
    tasks_open(&worker->tasks);
    worker->opened = true;
    worker->swept = arena_printf(&worker->arena, "%s/swept", worker->settings.folder);
    worker->sweep_ms = now_steady_ms() + SWEEP_FIRST_MS;
    return 0;
}

/* The run is over: nothing of it is wanted any more. */
static void box_erase(struct worker *worker)
{
    struct err none;

    (void)folder_erase(arena_printf(&worker->arena, "%s/runs/%s", worker->settings.folder,
                                    worker->relay.run), &none);
}

/* ---- the carrier ---- */

static void wire_tell(void *context, const struct fleet_line *line)
{
    struct worker *worker = context;

    if (!wire_say(&worker->wire, line) && worker->wire.up && !worker->wire.talk.deaf) {
        worker_tell("a line \"%s\" is too long to be said", fleet_kind_word(line->kind));
    }
}

static bool wire_room(void *context)
{
    const struct worker *worker = context;

    return wire_has_room(&worker->wire);
}

static void link_greet(struct worker *worker)
{
    const struct worker_settings *settings = &worker->settings;

    wire_say(&worker->wire, &(struct fleet_line){
        .kind = FLEET_HELLO, .v = FLEET_V, .version = str_of(settings->version),
        .worker = str_of(settings->name), .host = str_of(settings->host),
        .pool = str_of(settings->pool), .labels = settings->labels,
        .label_count = settings->label_count, .slots = settings->slots });
}

static int link_start(struct worker *worker)
{
    int rc = wire_open(&worker->wire, worker->settings.link, FLEET_WORKER, &worker->err);

    worker->restart_ms = 0;
    if (rc == 0) link_greet(worker);
    return rc;
}

/* Invariant 3. */
static void link_gone(struct worker *worker)
{
    if (worker->restart_ms == 0) {
        if (wire_close(&worker->wire, 0, WIRE_END_MS) == WIRE_FOR_GOOD) {
            worker->over = true;
            worker->code = 1;
            return;
        }
        tasks_disconnect(&worker->tasks);
        worker->pause_ms = worker->pause_ms ? worker->pause_ms * 2 : RESTART_MS;
        if (worker->pause_ms > RESTART_MS_MAX) worker->pause_ms = RESTART_MS_MAX;
        worker->restart_ms = now_steady_ms() + worker->pause_ms;
        worker_tell("the carrier has ended: it is started again");
        return;
    }
    if (now_steady_ms() < worker->restart_ms) return;
    if (link_start(worker) != 0) {
        worker_tell("%s", worker->err.text);
        worker->restart_ms = now_steady_ms() + worker->pause_ms;
        return;
    }
    tasks_reconnect(&worker->tasks);
}

static void link_hear(struct worker *worker, const struct fleet_line *line)
{
    worker->tasks.shared.heard_ms = now_steady_ms();
    if (line->kind == FLEET_READY && line->v != FLEET_V) {
        worker_tell("the carrier speaks lines of version %u, hone %s knows version %d", line->v,
                    worker->settings.version, FLEET_V);
        worker->over = true;
        worker->code = 1;
        return;
    }
    if (line->kind == FLEET_READY && !worker->tasks.shared.ready) {
        worker->pause_ms = 0;
        worker_tell("worker %s is in pool %s (%.*s)", worker->settings.name, worker->settings.pool,
                    STR_ARG(line->carrier));
    }
    if (line->kind == FLEET_AWAY || line->kind == FLEET_BACK) {
        worker_tell("%s: %.*s", fleet_kind_word(line->kind), STR_ARG(line->why));
    }
    tasks_hear(&worker->tasks, line);
}

/* ---- a driver's lines ---- */

static void lines_end(struct worker *worker)
{
    worker->over = true;
    if (worker->opened) tasks_stop(&worker->tasks, FLEET_ORPHAN);
}

static void lines_greet(struct worker *worker, const struct fleet_line *line)
{
    struct fleet_line ready = { .kind = FLEET_READY, .v = FLEET_V };

    if (line->kind != FLEET_HELLO) return;
    worker->tasks.shared.lease_ms = line->lease_ms ? line->lease_ms : FLEET_LEASE_MS;
    if (!relay_greet(&worker->relay, line)) return;
    if (box_open(worker, "runs", worker->relay.run) != 0) {
        worker_tell("%s", worker->err.text);
        worker->code = 1;
        lines_end(worker);
        return;
    }
    relay_open(&worker->relay);
    ready.lease_ms = worker->tasks.shared.lease_ms;
    tasks_hear(&worker->tasks, &ready);
}

static void lines_hear(struct worker *worker, const struct fleet_line *line)
{
    if (!worker->relay.greeted) lines_greet(worker, line);
    else relay_hear(&worker->relay, line);
}

/* ---- the loop ---- */

static void worker_read(struct worker *worker)
{
    while (!worker->over && !worker->relay.over) {
        struct arena arena = { 0 };
        struct err err = { 0 };
        struct fleet_line line;
        int rc = wire_next(&worker->wire, &arena, &line, &err);

        if (rc < 0) worker_tell("a line that was not understood: %s", err.text);
        if (rc > 0 && line.kind != FLEET_UNKNOWN) {
            if (worker->lines) lines_hear(worker, &line);
            else link_hear(worker, &line);
        }
        arena_release(&arena);
        if (rc == 0) return;
    }
}

/* Invariant 4. */
static void worker_wake(struct worker *worker)
{
    uint64_t now_ms = uptime_ms();
    uint64_t slept_ms = now_ms - worker->turn_ms;

    if (worker->opened && slept_ms > worker->tasks.shared.lease_ms) {
        worker_tell("this worker was asleep for %llu s", (unsigned long long)(slept_ms / 1000));
    }
    if (worker->opened) tasks_slept(&worker->tasks, slept_ms);
    worker->turn_ms = now_ms;
}

static void drain_tell(const struct tasks *tasks)
{
    uint32_t busy = tasks_busy(tasks), unsaid = tasks_unsaid(tasks);

    if (busy > 0) {
        worker_tell("no new attempts are taken; %u at work: again to end them", busy);
    } else if (unsaid > 0) {
        worker_tell("the carrier has not taken all results yet (%u): again to leave them to the "
                    "next start", unsaid);
    }
}

/* Invariant 2. */
static bool worker_is_drained(const struct worker *worker)
{
    const struct tasks *tasks = &worker->tasks;

    if (worker->lines || !tasks->shared.draining) return false;
    if (worker->told > 2) return true;
    return tasks_busy(tasks) == 0 && (tasks_unsaid(tasks) == 0 || worker->told > 1);
}

/* Invariant 2. */
static void worker_signals(struct worker *worker)
{
    uint32_t came = signals_take(&worker->signals);

    if (came == 0) return;
    worker->told += came;
    if (worker->lines) {
        lines_end(worker);
        return;
    }
    if (!worker->tasks.shared.draining && worker->told == 1) drain_tell(&worker->tasks);
    worker->tasks.shared.draining = true;
    if (worker->told > 1) tasks_stop(&worker->tasks, FLEET_CANCEL);
}

static void lines_turn(struct worker *worker)
{
    worker->tasks.shared.heard_ms = now_steady_ms();
    if (worker->relay.run[0] && worker->opened) relay_turn(&worker->relay);
    if (!worker->relay.greeted && now_steady_ms() - worker->wire.heard_ms > GREET_MS) {
        worker_tell("no hello came: this is for a driver, behind ssh");
        worker->over = true;
    }
    if (worker->relay.over || !worker->wire.up) lines_end(worker);
}

static void worker_turn(struct worker *worker)
{
    worker_wake(worker);
    worker_signals(worker);
    if (worker->restart_ms == 0) (void)wire_turn(&worker->wire);
    worker_read(worker);
    if (worker->opened) tasks_turn(&worker->tasks);
    if (worker->lines) lines_turn(worker);
    else if (!worker->wire.up || worker->restart_ms) link_gone(worker);
    if (worker->opened) tasks_turn(&worker->tasks);
    if (worker->opened) sweep_turn(worker);
    if (worker_is_drained(worker)) worker->over = true;
}

static void worker_wait(const struct worker *worker)
{
    struct awaited awaited[WORKER_SLOTS_MAX + WIRE_AWAITED + 1];
    uint32_t count = 0;
    int64_t due_ms = worker->opened ? tasks_due_in(&worker->tasks) : RESTART_MS;

    awaited[count++] = (struct awaited){ .fd = worker->signals.fd };
    if (worker->restart_ms == 0) {
        wire_awaited(&worker->wire, &awaited[count]);
        count += WIRE_AWAITED;
    }
    if (worker->opened) count += tasks_awaited(&worker->tasks, &awaited[count]);
    if (worker->restart_ms && due_ms > RESTART_MS) due_ms = RESTART_MS;
    wait_for_any(awaited, count, due_ms);
}

static int worker_open(struct worker *worker)
{
    int rc = file_make_folder(worker->settings.folder, false, &worker->err);

    if (rc == 0) rc = folders_make(worker);
    if (rc == 0) rc = folder_enter(worker->settings.folder, &worker->err);
    if (rc != 0) return rc;
    worker->settings.name = name_of(worker);
    rc = signals_open(&worker->signals, &worker->err);
    if (rc == 0 && !worker->settings.sandbox_off && sandbox_problem()) {
        worker_tell("agents run without a sandbox here: %s", sandbox_problem());
    }
    if (rc != 0) return rc;
    if (worker->lines) return wire_open(&worker->wire, NULL, FLEET_TO_DRIVER, &worker->err);
    rc = box_open(worker, "workers", worker->settings.name);
    return rc == 0 ? link_start(worker) : rc;
}

static void worker_close(struct worker *worker)
{
    if (!worker->lines) {
        wire_say(&worker->wire, &(struct fleet_line){ .kind = FLEET_BYE });
    }
    if (worker->lines && relay_is_fenced(&worker->relay)) {
        wire_say(&worker->wire, &(struct fleet_line){
                                    .kind = FLEET_FENCED,
                                    .why = STR("another driver has the run") });
    }
    tasks_close(&worker->tasks);
    (void)talk_stop(&worker->sweeper, 0);
    if (worker->lines && worker->relay.ended && worker->opened) box_erase(worker);
    (void)wire_close(&worker->wire, CLOSE_MS, CLOSE_MS);
    relay_close(&worker->relay);
    lock_close(&worker->lock);
    signals_close(&worker->signals);
    arena_release(&worker->arena);
}

int worker_run(const struct worker_settings *settings)
{
    struct worker worker = { .settings = *settings, .lock = { .fd = -1 },
                             .signals = { .fd = -1, .write_fd = -1 }, .lines = !settings->link };
    int rc;

    worker.tasks = (struct tasks){
        .settings = &worker.settings, .says_blobs = !worker.lines, .carrier = &worker,
        .say = wire_tell, .has_room = wire_room,
        .shared = { .lease_ms = FLEET_LEASE_MS, .slots = worker.settings.slots },
    };
    worker.relay = (struct relay){ .settings = &worker.settings, .wire = &worker.wire,
                                   .tasks = &worker.tasks };
    if (worker.lines) {
        worker.tasks.say = relay_say;
        worker.tasks.has_room = relay_has_room;
        worker.tasks.carrier = &worker.relay;
    }
    worker.wire.talk = (struct talk){ .pid_fd = -1, .in_fd = -1, .out_fd = -1 };
    worker.sweeper = worker.wire.talk;
    worker.turn_ms = uptime_ms();
    rc = worker_open(&worker);
    if (rc != 0) {
        worker_tell("%s", worker.err.text);
        worker.code = 1;
    }
    while (rc == 0 && !worker.over) {
        worker_turn(&worker);
        if (!worker.over) worker_wait(&worker);
    }
    worker_close(&worker);
    return worker.code;
}
