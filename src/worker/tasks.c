/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.c - attempts of a worker, as its carrier and their processes tell of them.
 *
 *      job          blobs there         "ready"         go            "ended"        kept
 *   -----> FETCHING ---------> PREPARING -----> ASKING ----> WORKING -------> SENDING ----> GONE
 *              |                  |                |            |
 *              |  blob is none,   | "skip"         | gone       | stop, the line is mute
 *              '------------------+----------------+-----> ENDING --- process has ended --> GONE
 *
 * 1. begin is said once for a key, and go is taken once: an attempt whose folder is in the outbox
 *    is not begun again, also after a restart.
 * 2. A slot is in use from FETCHING until the attempt's process has ended. free is said for each
 *    that becomes free.
 * 3. A stopped attempt's process reads the end of its input at once, and ends its agent; where that
 *    takes longer than STOP_MS it is killed, and its supervisor ends the agent.
 * 4. A worker that heard nothing for a lease ends its agents before it reads on: what they were
 *    about may be another's. Their results are never said. Agents of a worker that is stopped
 *    itself are ended by their supervisors, which it tells that it lives.
 * 5. What a task holds in memory is bounded; slots bound how many there are. Results that are on
 *    the disk and not kept yet are as many as were played.
 *
 * Not here: the process (play.c), lines as text (wire.c), the carrier (hone-link, relay.c). */
#include "worker/tasks.h"

#include "base/mem.h"
#include "carry/carry.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/piece.h"
#include "io/process/program.h"
#include "worker/play.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(x) (UINT32_C(1) << (x))

enum {
    WANTS_MAX = FLEET_FILES_MAX + FLEET_CONTRACT_MAX + 1,
    HEARD_BYTES_MAX = 64 << 10, UNSENT_BYTES_MAX = 4096,
    SAID_EVERY_MS = 500, SAID_PIECE_BYTES = 64 << 10, SAID_LAG_BYTES = 1 << 20,
    FETCH_MS = 120 * 1000, STOP_MS = 1500, REAP_MS = 500, AGAIN_MS = 10 * 1000,
    ARGV_MAX = 64,
};

struct task {
    enum task_state state;
    char k[FLEET_KEY_BYTES];
    struct arena arena;
    const char *folder;
    struct fleet_job job;
    struct str wants[WANTS_MAX]; /* blobs that are not here yet */
    uint32_t want_count;
    bool wants_base;
    uint64_t wanted_ms;      /* steady clock: when they were asked for */
    bool held;               /* a slot is in use */
    bool running;            /* its process was started, and not reaped */
    struct talk talk;
    struct buf heard;
    uint64_t kill_ms;        /* steady clock: when its process is killed; 0: never */
    const char *output;      /* what its agent says on standard output */
    uint64_t said_at, said_ms;
    struct fleet_result result;
    struct str result_text;
    struct str *sends;       /* blobs of the result */
    uint32_t send_count, send_next;
    uint64_t send_at, sent_ms;
    bool told;               /* ended was said to this carrier */
};

static const uint32_t task_next[TASK_STATE_COUNT] = {
    [TASK_FETCHING] = BIT(TASK_PREPARING) | BIT(TASK_GONE),
    [TASK_PREPARING] = BIT(TASK_ASKING) | BIT(TASK_ENDING) | BIT(TASK_GONE),
    [TASK_ASKING] = BIT(TASK_WORKING) | BIT(TASK_ENDING) | BIT(TASK_GONE),
    [TASK_WORKING] = BIT(TASK_SENDING) | BIT(TASK_ENDING) | BIT(TASK_GONE),
    [TASK_ENDING] = BIT(TASK_GONE),
    [TASK_SENDING] = BIT(TASK_GONE),
    [TASK_GONE] = 0,
};

static void task_move(struct task *task, enum task_state next)
{
    assert(task_next[task->state] & BIT(next));
    task->state = next;
}

static void tasks_check(const struct tasks *tasks)
{
    uint32_t held = 0;

    for (uint32_t i = 0; i < tasks->count; i++) {
        const struct task *task = tasks->list[i];

        if (task->held) held++;
        assert(task->running == (task->talk.pid > 0));
        assert(task->state != TASK_SENDING || task->result_text.size > 0);
        assert(task->running || task->state == TASK_FETCHING || task->state == TASK_SENDING ||
               task->state == TASK_GONE);
    }
    assert(held == tasks->held && held <= tasks->settings->slots); /* 2 */
}

static struct task *task_find(const struct tasks *tasks, struct str k)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->list[i]->state != TASK_GONE && str_is(k, tasks->list[i]->k)) {
            return tasks->list[i];
        }
    }
    return NULL;
}

static struct task *task_new(struct tasks *tasks, struct str k)
{
    struct task *task = mem_alloc(sizeof *task);

    tasks->list = mem_grow(tasks->list, tasks->count, &tasks->cap, sizeof(void *));
    tasks->list[tasks->count++] = task;
    assert(k.size < sizeof task->k);
    memcpy(task->k, k.data, k.size);
    task->talk = (struct talk){ .pid_fd = -1, .in_fd = -1, .out_fd = -1 };
    task->folder = outbox_path(tasks->outbox, k, &task->arena);
    buf_init(&task->heard, HEARD_BYTES_MAX);
    return task;
}

static void task_free(struct task *task)
{
    buf_release(&task->heard);
    arena_release(&task->arena);
    free(task);
}

/* ---- what is said ---- */

static void say(struct tasks *tasks, const struct fleet_line *line)
{
    tasks->say(tasks->carrier, line);
}

static void say_k(struct tasks *tasks, enum fleet_kind kind, const char *k, const char *why)
{
    say(tasks, &(struct fleet_line){ .kind = kind, .k = str_of(k), .why = str_of(why) });
}

static void free_say(struct tasks *tasks, uint32_t n)
{
    if (n == 0 || !tasks->ready || tasks->draining) return;
    say(tasks, &(struct fleet_line){ .kind = FLEET_FREE, .n = n });
}

static void slot_free(struct tasks *tasks, struct task *task)
{
    if (!task->held) return;
    task->held = false;
    tasks->held--;
    free_say(tasks, 1);
}

/* ---- the process ---- */

static int process_start(struct tasks *tasks, struct task *task, struct err *err)
{
    const struct worker_settings *settings = tasks->settings;
    const char *argv[ARGV_MAX] = { program_self(), "play", task->folder, "--folder",
                                   settings->folder, "--name", settings->name };
    uint32_t count = 7;
    int rc;

    for (const char *const *again = settings->again; again && *again; again++) {
        assert(count < ARGV_MAX - 1);
        argv[count++] = *again;
    }
    rc = talk_start(&task->talk, argv, true, UNSENT_BYTES_MAX, err);
    task->running = rc == 0;
    return rc;
}

static void word_say(struct task *task, const char *word)
{
    struct arena arena = { 0 };
    struct err none;

    (void)talk_send(&task->talk, str_of(arena_printf(&arena, "%s\n", word)), &none);
    arena_release(&arena);
}

/* Its agent goes on for a lease without another such word. */
static void live_say(const struct tasks *tasks, struct task *task)
{
    struct arena arena = { 0 };

    word_say(task, arena_printf(&arena, PLAY_LIVE "%" PRIu64, tasks->lease_ms));
    arena_release(&arena);
}

/* Its process is gone: reaped, and its slot is free. */
static void process_over(struct tasks *tasks, struct task *task)
{
    if (task->running) (void)talk_stop(&task->talk, REAP_MS);
    task->running = false;
    slot_free(tasks, task);
}

/* Nothing of it is wanted: its folder goes. */
static void task_drop(struct tasks *tasks, struct task *task)
{
    process_over(tasks, task);
    task_move(task, TASK_GONE);
    outbox_remove(tasks->outbox, str_of(task->k));
}

/* Its agent has no result: its driver has not to wait until the claim runs out. */
static void lost_say(struct tasks *tasks, const struct task *task, const char *why)
{
    if (tasks->ready && task->state == TASK_WORKING) say_k(tasks, FLEET_LOST, task->k, why);
}

/* Invariant 3. */
static void task_end(struct tasks *tasks, struct task *task)
{
    if (!task->running) {
        task_drop(tasks, task);
        return;
    }
    talk_deafen(&task->talk);
    task->kill_ms = now_steady_ms() + STOP_MS;
    task_move(task, TASK_ENDING);
}

static void task_skip(struct tasks *tasks, struct task *task, const char *why)
{
    say_k(tasks, FLEET_SKIP, task->k, why);
    worker_tell("%s: not played here: %s", task->k, why);
    task_drop(tasks, task);
}

static void task_prepare(struct tasks *tasks, struct task *task)
{
    struct err err = { 0 };

    if (process_start(tasks, task, &err) != 0) task_skip(tasks, task, err.text);
    else task_move(task, TASK_PREPARING);
}

/* ---- blobs of a job ---- */

static void want(struct tasks *tasks, struct task *task, struct str id)
{
    if (id.size == 0 || blobs_find(&tasks->blobs, id, &task->arena)) return;
    for (uint32_t i = 0; i < task->want_count; i++) {
        if (str_eq(task->wants[i], id)) return;
    }
    assert(task->want_count < WANTS_MAX);
    task->wants[task->want_count++] = id;
}

static void wants_say(struct tasks *tasks, struct task *task)
{
    task->wanted_ms = now_steady_ms();
    for (uint32_t i = 0; i < task->want_count; i++) {
        say(tasks, &(struct fleet_line){ .kind = FLEET_GET, .id = task->wants[i],
                                         .run = task->job.run });
    }
}

static struct str base_id(struct task *task)
{
    return str_of(arena_printf(&task->arena, "base-%s", task->job.tree.base.data));
}

static void wants_fill(struct tasks *tasks, struct task *task)
{
    for (uint32_t i = 0; i < task->job.file_count; i++) want(tasks, task, task->job.files[i].id);
    for (uint32_t i = 0; i < task->job.contract_count; i++) {
        want(tasks, task, task->job.contract[i].id);
    }
    want(tasks, task, task->job.tree.bundle);
}

/* A blob is there, or cannot be had. */
static void blob_settle(struct tasks *tasks, struct task *task, struct str id, bool there)
{
    uint32_t kept = 0;
    bool mine = false;

    for (uint32_t i = 0; i < task->want_count; i++) {
        if (str_eq(task->wants[i], id)) mine = true;
        else task->wants[kept++] = task->wants[i];
    }
    task->want_count = kept;
    if (!mine) return;
    if (task->wants_base) {
        task->wants_base = false;
        word_say(task, there ? PLAY_BASE : PLAY_NOBASE);
    } else if (!there) {
        task_skip(tasks, task, "a blob of the job is not to be had");
    } else if (kept == 0) {
        task_prepare(tasks, task);
    }
}

static void blob_tell(struct tasks *tasks, struct str id, bool there)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        struct task *task = tasks->list[i];

        if (task->state == TASK_FETCHING || task->wants_base) blob_settle(tasks, task, id, there);
    }
}

/* What does not come, though no piece of anything came for long, cannot be had. */
static void wants_turn(struct tasks *tasks, struct task *task)
{
    uint64_t since_ms = task->wanted_ms > tasks->piece_ms ? task->wanted_ms : tasks->piece_ms;

    if (task->want_count == 0 || now_steady_ms() - since_ms < FETCH_MS) return;
    blob_settle(tasks, task, task->wants[0], false);
}

static void hear_blob(struct tasks *tasks, const struct fleet_line *line)
{
    struct blob_piece piece = fleet_line_piece(line);
    struct err err = { 0 };
    bool whole;

    tasks->piece_ms = now_steady_ms();
    if (blobs_take(&tasks->blobs, &piece, &whole, &err) != 0) {
        worker_tell("%s", err.text);
        blob_tell(tasks, line->id, false);
    } else if (whole) {
        blob_tell(tasks, line->id, true);
    }
}

/* ---- the result ---- */

static void sends_fill(struct tasks *tasks, struct task *task)
{
    const struct fleet_result *result = &task->result;

    task->sends = arena_alloc(&task->arena, (result->file_count + 1) * sizeof *task->sends);
    task->send_count = task->send_next = 0;
    task->send_at = 0;
    task->told = false;
    if (!tasks->says_blobs) return;
    for (uint32_t i = 0; i < result->file_count; i++) {
        task->sends[task->send_count++] = result->files[i].id;
    }
    if (result->tree.bundle.size) task->sends[task->send_count++] = result->tree.bundle;
}

/* Its result is on the disk; false: it is none. */
static bool result_take(struct tasks *tasks, struct task *task)
{
    struct str text;
    struct err err = { 0 };

    if (!outbox_result(tasks->outbox, str_of(task->k), &task->arena, &text)) return false;
    if (fleet_result_read(text, &task->arena, &task->result, &err) != 0) {
        worker_tell("%s: its result cannot be read: %s", task->k, err.text);
        return false;
    }
    task->result_text = text;
    sends_fill(tasks, task);
    return true;
}

/* One piece of a blob. */
static void piece_say(struct tasks *tasks, struct task *task)
{
    struct fleet_line line = { .kind = FLEET_BLOB, .k = str_of(task->k),
                               .id = task->sends[task->send_next] };
    struct arena arena = { 0 };
    const char *path = outbox_blob(task->folder, &task->result, line.id, &arena);
    uint64_t unused_ms;
    struct err err = { 0 };
    struct buf piece;

    buf_init(&piece, FLEET_PIECE_BYTES_MAX);
    line.at = task->send_at;
    if (!path || !file_unused(path, &line.bytes, &unused_ms) ||
        file_piece_read(path, line.at, FLEET_PIECE_BYTES_MAX, &piece, &err) != 0 ||
        (piece.size == 0 && line.bytes > 0)) {
        worker_tell("%s: %s", task->k, err.text[0] ? err.text : "a file of its result is gone");
        task->send_next++;
        task->send_at = 0;
    } else {
        line.data = buf_str(&piece);
        say(tasks, &line);
        task->send_at += piece.size;
        if (task->send_at >= line.bytes) {
            task->send_next++;
            task->send_at = 0;
        }
    }
    buf_release(&piece);
    arena_release(&arena);
}

static void result_send(struct tasks *tasks, struct task *task)
{
    uint64_t now_ms = now_steady_ms();

    if (!tasks->ready) return;
    if (task->told && now_ms - task->sent_ms > AGAIN_MS + tasks->lease_ms) sends_fill(tasks, task);
    while (task->send_next < task->send_count && tasks->has_room(tasks->carrier)) {
        piece_say(tasks, task);
    }
    if (task->told || task->send_next < task->send_count) return;
    task->told = true;
    task->sent_ms = now_ms;
    say(tasks, &(struct fleet_line){ .kind = FLEET_ENDED, .k = str_of(task->k),
                                     .result = task->result_text });
}

/* ---- lines of the carrier ---- */

static void hear_job(struct tasks *tasks, const struct fleet_line *line)
{
    struct err err = { 0 };
    struct task *task;

    if (task_find(tasks, line->k)) return;
    if (tasks->held >= tasks->settings->slots || tasks->draining) {
        say(tasks, &(struct fleet_line){ .kind = FLEET_SKIP, .k = line->k,
                                         .why = STR("this worker has no room now") });
        return;
    }
    task = task_new(tasks, line->k);
    task->held = true;
    tasks->held++;
    if (fleet_job_read(line->job, &task->arena, &task->job, &err) == 0 &&
        outbox_add(tasks->outbox, line->k, line->job, &err) == 0) {
        task->output = arena_printf(&task->arena, "%s/runs/%s/%" PRIu32 "-%" PRIu32 "/stdout",
                                    task->folder, task->job.row.id.data, task->job.action.job,
                                    task->job.action.attempt);
        wants_fill(tasks, task);
        if (task->want_count > 0) wants_say(tasks, task);
        else task_prepare(tasks, task);
        return;
    }
    say_k(tasks, FLEET_SKIP, task->k, err.text);
    worker_tell("%s: not played here: %s", task->k, err.text);
    slot_free(tasks, task);
    task_move(task, TASK_GONE); /* its folder is another's, or was not made */
}

static void hear_go(struct tasks *tasks, const struct fleet_line *line)
{
    struct task *task = task_find(tasks, line->k);

    if (!task || task->state != TASK_ASKING) return;
    word_say(task, PLAY_GO);
    live_say(tasks, task);
    task_move(task, TASK_WORKING);
}

static void hear_stop(struct tasks *tasks, const struct fleet_line *line)
{
    struct task *task = task_find(tasks, line->k);

    if (!task || task->state == TASK_ENDING) return;
    if (task->state == TASK_SENDING) { /* an orphan's result is kept for the next driver */
        if (line->kind == FLEET_STOP && line->stop == FLEET_ORPHAN) return;
        task_drop(tasks, task);
    } else {
        task_end(tasks, task);
    }
}

/* The disk keeps it until it is forgotten. */
static void hear_kept(struct tasks *tasks, const struct fleet_line *line)
{
    struct task *task = task_find(tasks, line->k);

    if (!task || task->state != TASK_SENDING) return;
    outbox_keep(task->folder);
    task_move(task, TASK_GONE);
}

static void hear_forget(struct tasks *tasks, const struct fleet_line *line)
{
    if (task_find(tasks, line->k)) hear_stop(tasks, line);
    else outbox_remove(tasks->outbox, line->k);
}

static void hear_ready(struct tasks *tasks, const struct fleet_line *line)
{
    if (line->lease_ms) tasks->lease_ms = line->lease_ms;
    if (tasks->ready) return;
    tasks->ready = true;
    free_say(tasks, tasks->settings->slots - tasks->held);
}

void tasks_hear(struct tasks *tasks, const struct fleet_line *line)
{
    switch (line->kind) {
    case FLEET_READY:
        hear_ready(tasks, line);
        break;
    case FLEET_JOB:
        hear_job(tasks, line);
        break;
    case FLEET_BLOB:
        hear_blob(tasks, line);
        break;
    case FLEET_NONE:
        blob_tell(tasks, line->id, false);
        break;
    case FLEET_GO:
        hear_go(tasks, line);
        break;
    case FLEET_GONE:
    case FLEET_STOP:
        hear_stop(tasks, line);
        break;
    case FLEET_KEPT:
        hear_kept(tasks, line);
        break;
    case FLEET_FORGET:
        hear_forget(tasks, line);
        break;
    case FLEET_BACK:
    case FLEET_AWAY:
    case FLEET_BEAT:
    case FLEET_HELLO: case FLEET_ASK: case FLEET_GET: case FLEET_WHO: case FLEET_BYE:
    case FLEET_QUEUED: case FLEET_TAKEN: case FLEET_SAID: case FLEET_ENDED: case FLEET_LOST:
    case FLEET_REFUSED: case FLEET_KNOWN: case FLEET_NEED: case FLEET_WORKERS: case FLEET_FENCED:
    case FLEET_FREE: case FLEET_BEGIN: case FLEET_SKIP: case FLEET_KIND_COUNT:
        break;
    }
}

void tasks_disconnect(struct tasks *tasks)
{
    tasks->ready = false;
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->list[i]->state == TASK_SENDING) sends_fill(tasks, tasks->list[i]);
    }
}

void tasks_reconnect(struct tasks *tasks)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        struct task *task = tasks->list[i];

        if (task->state == TASK_FETCHING || task->wants_base) wants_say(tasks, task);
        if (task->state == TASK_ASKING) {
            say(tasks, &(struct fleet_line){ .kind = FLEET_BEGIN, .k = str_of(task->k),
                                             .nonce = task->job.nonce });
        }
    }
}

/* ---- words of a process ---- */

static void hear_word(struct tasks *tasks, struct task *task, struct str word)
{
    static const struct str skip = STR(PLAY_SKIP);

    if (task->state == TASK_PREPARING && str_is(word, PLAY_NEED)) {
        task->wants_base = true;
        want(tasks, task, base_id(task));
        if (task->want_count > 0) {
            wants_say(tasks, task);
        } else {
            task->wants_base = false;
            word_say(task, PLAY_BASE);
        }
    } else if (task->state == TASK_PREPARING && str_is(word, PLAY_READY)) {
        task_move(task, TASK_ASKING);
        say(tasks, &(struct fleet_line){ .kind = FLEET_BEGIN, .k = str_of(task->k),
                                         .nonce = task->job.nonce });
    } else if (task->state == TASK_PREPARING && str_starts(word, skip)) {
        task_skip(tasks, task, safe_copy(&task->arena, str_skip(word, skip.size),
                                         FLEET_WORD_BYTES_MAX));
    } else if (task->state == TASK_WORKING && str_is(word, PLAY_ENDED) &&
               result_take(tasks, task)) {
        task_move(task, TASK_SENDING);
    }
}

/* Its process has ended, with a result or without. */
static void process_ended(struct tasks *tasks, struct task *task)
{
    if (task->state == TASK_SENDING) {
        process_over(tasks, task);
    } else if (task->state == TASK_PREPARING) {
        task_skip(tasks, task, "the process that makes it ready died");
    } else if (task->state != TASK_GONE) {
        if (task->state != TASK_ENDING) worker_tell("%s: its process died", task->k);
        lost_say(tasks, task, "the process that watched over its agent died");
        task_drop(tasks, task);
    }
}

static void process_turn(struct tasks *tasks, struct task *task)
{
    uint32_t came = talk_wait(&task->talk, -1, 0, &task->heard);

    for (;;) {
        struct str rest = buf_str(&task->heard), word;

        if (!task->running || !str_has(rest, '\n')) break;
        (void)str_cut(&rest, '\n', &word);
        hear_word(tasks, task, word);
        task->heard.size = rest.size;
        memmove(task->heard.data, rest.data, rest.size);
    }
    if (task->running && (came & TALK_ENDED)) process_ended(tasks, task);
    if (task->running && task->kill_ms && now_steady_ms() >= task->kill_ms) {
        talk_kill(&task->talk);
        task->kill_ms = 0;
    }
}

/* What its agent has said since, at a bounded rate; what is far behind is left out. */
static void said_turn(struct tasks *tasks, struct task *task)
{
    struct fleet_line line = { .kind = FLEET_SAID, .k = str_of(task->k) };
    uint64_t now_ms = now_steady_ms(), bytes, unused_ms;
    struct err none;
    struct buf piece;

    if (now_ms - task->said_ms < SAID_EVERY_MS || !tasks->has_room(tasks->carrier)) return;
    task->said_ms = now_ms;
    if (!file_unused(task->output, &bytes, &unused_ms) || bytes <= task->said_at) return;
    if (bytes - task->said_at > SAID_LAG_BYTES) task->said_at = bytes - SAID_PIECE_BYTES;
    buf_init(&piece, SAID_PIECE_BYTES);
    line.at = task->said_at;
    if (file_piece_read(task->output, line.at, SAID_PIECE_BYTES, &piece, &none) == 0 &&
        piece.size > 0) {
        line.data = buf_str(&piece);
        task->said_at += piece.size;
        say(tasks, &line);
    }
    buf_release(&piece);
}

/* ---- the clock ---- */

static void beat_turn(struct tasks *tasks)
{
    struct fleet_line line = { .kind = FLEET_BEAT };
    uint64_t now_ms = now_steady_ms();
    struct str *beats;

    if (now_ms - tasks->beat_ms < carry_beat_ms(tasks->lease_ms)) return;
    tasks->beat_ms = now_ms;
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->list[i]->state == TASK_WORKING) live_say(tasks, tasks->list[i]);
    }
    if (!tasks->ready) return;
    beats = mem_alloc((tasks->count + 1) * sizeof *beats);
    for (uint32_t i = 0; i < tasks->count && line.beat_count < FLEET_BEATS_MAX; i++) {
        const struct task *task = tasks->list[i];

        if (task->state == TASK_WORKING || task->state == TASK_SENDING) {
            beats[line.beat_count++] = str_of(task->k);
        }
    }
    line.beats = beats;
    say(tasks, &line);
    free(beats);
}

void tasks_stop(struct tasks *tasks, enum fleet_stop why)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        struct task *task = tasks->list[i];

        if (task->state >= TASK_ENDING) continue;
        worker_tell("%s: ended (%s)", task->k, fleet_stop_word(why));
        lost_say(tasks, task, why == FLEET_STOP_FENCED
                                  ? "its worker did not hear of its carrier for too long"
                                  : "its worker was told to end");
        task_end(tasks, task);
    }
}

static void tasks_sweep(struct tasks *tasks)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->list[i]->state == TASK_GONE && !tasks->list[i]->running) {
            task_free(tasks->list[i]);
        } else {
            tasks->list[kept++] = tasks->list[i];
        }
    }
    tasks->count = kept;
}

void tasks_turn(struct tasks *tasks)
{
    if (tasks->ready && now_steady_ms() - tasks->heard_ms > tasks->lease_ms) { /* 4 */
        tasks_stop(tasks, FLEET_STOP_FENCED);
    }
    for (uint32_t i = 0; i < tasks->count; i++) {
        struct task *task = tasks->list[i];

        if (task->state == TASK_FETCHING || task->wants_base) wants_turn(tasks, task);
        if (task->running) process_turn(tasks, task);
        if (task->state == TASK_WORKING) said_turn(tasks, task);
        if (task->state == TASK_SENDING) result_send(tasks, task);
        if (task->state == TASK_GONE && task->running) process_over(tasks, task);
    }
    beat_turn(tasks);
    tasks_sweep(tasks);
    tasks_check(tasks);
}

int64_t tasks_due_in(const struct tasks *tasks)
{
    uint64_t now_ms = now_steady_ms();
    uint64_t due_ms = tasks->beat_ms + carry_beat_ms(tasks->lease_ms);

    for (uint32_t i = 0; i < tasks->count; i++) {
        const struct task *task = tasks->list[i];
        uint64_t at_ms = task->kill_ms ? task->kill_ms
                         : task->state == TASK_WORKING ? task->said_ms + SAID_EVERY_MS : due_ms;

        if (at_ms < due_ms) due_ms = at_ms;
    }
    return due_ms > now_ms ? (int64_t)(due_ms - now_ms) : 0;
}

uint32_t tasks_awaited(const struct tasks *tasks, struct awaited *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tasks->count && count < WORKER_SLOTS_MAX; i++) {
        if (!tasks->list[i]->running) continue;
        out[count++] = (struct awaited){ .fd = tasks->list[i]->talk.out_fd };
    }
    return count;
}

bool tasks_have(const struct tasks *tasks, struct str k)
{
    return task_find(tasks, k) != NULL;
}

uint32_t tasks_busy(const struct tasks *tasks)
{
    return tasks->held;
}

bool tasks_are_idle(const struct tasks *tasks)
{
    if (tasks->held > 0) return false;
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->list[i]->state == TASK_SENDING) return false;
    }
    return true;
}

/* ---- open and close ---- */

void tasks_open(struct tasks *tasks)
{
    struct arena arena = { 0 };
    const char *const *keys;

    outbox_settle(tasks->outbox);
    tasks->heard_ms = tasks->beat_ms = now_steady_ms();
    for (keys = outbox_keys(tasks->outbox, &arena); *keys; keys++) {
        struct task *task = task_new(tasks, str_of(*keys));

        task->state = result_take(tasks, task) ? TASK_SENDING : TASK_GONE;
    }
    arena_release(&arena);
}

void tasks_close(struct tasks *tasks)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->list[i]->running) talk_deafen(&tasks->list[i]->talk);
    }
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->list[i]->running) (void)talk_stop(&tasks->list[i]->talk, STOP_MS);
        task_free(tasks->list[i]);
    }
    free(tasks->list);
    tasks->list = NULL;
    tasks->count = tasks->cap = 0;
}
