/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.c - performs what the attempts of a worker do.
 *
 *   carrier's line   --.                                    .-->  a line for the carrier
 *   word of a process --+-->  task_step (carry/task.c)  ----+-->  its process: start, word, end
 *   the clock        --'      says what follows             '-->  its folder in the outbox
 *
 * An act may be answered while it is performed: a worker behind ssh is its own carrier (relay.c).
 * Such an act stands last in its list, and its answer is a step of its own.
 *
 * 1. Only task_step changes how far an attempt is. Here is what it has in memory, on the disk and
 *    as a process: its job, the blobs that it waits for, the pieces of its result.
 * 2. What an attempt holds in memory is bounded; slots bound how many there are. Results that are
 *    on the disk and not kept yet are as many as were played. Those that were kept and are to be
 *    said again are names, until it is their turn (task_worker_says_again). A carrier of the
 *    worker's own (relay.c) reads the outbox itself: it has lost none.
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

enum {
    WANTS_MAX = FLEET_FILES_MAX + FLEET_CONTRACT_MAX + 1,
    HEARD_BYTES_MAX = 64 << 10, UNSENT_BYTES_MAX = 4096,
    SAID_EVERY_MS = 500, SAID_PIECE_BYTES = 64 << 10, SAID_LAG_BYTES = 1 << 20,
    CLOSE_MS = 1500, REAP_MS = 500, ARGV_MAX = 64, TOKEN_LETTERS = 16,
};

struct task {
    struct task_at at;
    char k[FLEET_KEY_BYTES];
    struct arena arena;
    const char *folder;
    struct str job_text;     /* while its line is heard */
    struct fleet_job job;
    struct str wants[WANTS_MAX]; /* blobs that are not here yet */
    uint32_t want_count;
    struct talk talk;
    char token[TOKEN_LETTERS + 1]; /* of its claim: the same at each carrier */
    struct buf heard;
    struct err err;          /* what could not be read, or started */
    const char *skip;        /* why its process cannot do it */
    bool missing;            /* as the agent's program is not here */
    const char *output;      /* what its agent says on standard output */
    uint64_t said_at, said_ms;
    struct fleet_result result;
    struct str result_text;  /* {0}: none was read */
    struct str *sends;       /* blobs of the result */
    uint32_t send_count, send_next;
    uint64_t send_at;
};

static void tasks_check(const struct tasks *tasks)
{
    uint32_t held = 0;

    for (uint32_t i = 0; i < tasks->count; i++) {
        const struct task *task = tasks->list[i];

        if (task_holds_slot(&task->at)) held++;
        assert(task->at.running == (task->talk.pid > 0));
        assert(task->at.state != TASK_SENDING || task->result_text.size > 0);
    }
    assert(held == tasks->shared.held);
}

static struct task *task_find(const struct tasks *tasks, struct str k)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (!task_is_over(&tasks->list[i]->at) && str_is(k, tasks->list[i]->k)) {
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

/* ---- blobs of a job ---- */

static void say(struct tasks *tasks, const struct fleet_line *line)
{
    tasks->say(tasks->carrier, line);
}

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

/* ---- the result ---- */

static void sends_fill(struct tasks *tasks, struct task *task)
{
    const struct fleet_result *result = &task->result;

    if (!task->sends) {
        task->sends = arena_alloc(&task->arena, (result->file_count + 1) * sizeof *task->sends);
    }
    task->send_count = task->send_next = 0;
    task->send_at = 0;
    if (!tasks->says_blobs) return;
    for (uint32_t i = 0; i < result->file_count; i++) {
        task->sends[task->send_count++] = result->files[i].id;
    }
    if (result->tree.bundle.size) task->sends[task->send_count++] = result->tree.bundle;
}

/* Whether its result is on the disk, and can be read. */
static bool result_take(struct tasks *tasks, struct task *task)
{
    struct str text;
    struct err err = { 0 };

    if (task->result_text.size > 0) return true;
    if (!outbox_result(tasks->outbox, str_of(task->k), &task->arena, &text)) return false;
    if (fleet_result_read(text, &task->arena, &task->result, &err) != 0) {
        worker_tell("%s: its result cannot be read: %s", task->k, err.text);
        return false;
    }
    task->result_text = text;
    return true;
}

/* ---- what an attempt does ---- */

static void task_event(struct tasks *tasks, struct task *task, struct task_event event);

static void task_hears(struct tasks *tasks, struct task *task, enum task_event_kind kind)
{
    task_event(tasks, task, (struct task_event){ .kind = kind });
}

static void job_take(struct tasks *tasks, struct task *task)
{
    struct str k = str_of(task->k);

    if (fleet_job_read(task->job_text, &task->arena, &task->job, &task->err) != 0 ||
        outbox_add(tasks->outbox, k, task->job_text, &task->err) != 0) {
        task_hears(tasks, task, TASK_NOT_TAKEN);
        return;
    }
    task->output = arena_printf(&task->arena, "%s/runs/%s/%" PRIu32 "-%" PRIu32 "/stdout",
                                task->folder, task->job.row.id.data, task->job.action.job,
                                task->job.action.attempt);
    wants_fill(tasks, task);
    task_event(tasks, task, (struct task_event){ .kind = TASK_TAKEN,
                                                 .wants = task->want_count > 0 });
}

static void process_start(struct tasks *tasks, struct task *task)
{
    const struct worker_settings *settings = tasks->settings;
    const char *argv[ARGV_MAX] = { program_self(), "play", task->folder, "--folder",
                                   settings->folder, "--name", settings->name };
    uint32_t count = 7;

    random_word(task->token, TOKEN_LETTERS);
    for (const char *const *again = settings->again; again && *again; again++) {
        assert(count < ARGV_MAX - 1);
        argv[count++] = *again;
    }
    if (talk_start(&task->talk, argv, true, UNSENT_BYTES_MAX, &task->err) != 0) {
        task_hears(tasks, task, TASK_NOT_STARTED);
    }
}

/* Its agent goes on for a lease without another such word. */
static void live_say(const struct tasks *tasks, struct task *task)
{
    struct arena arena = { 0 };
    struct err none;

    (void)talk_send(&task->talk, str_of(arena_printf(&arena, PLAY_LIVE "%" PRIu64 "\n",
                                                     task_lease_ms(&task->at, &tasks->shared))),
                    &none);
    arena_release(&arena);
}

static void process_tell(const struct tasks *tasks, struct task *task, enum task_word word)
{
    static const char *const words[] = { [TASK_WORD_GO] = PLAY_GO "\n",
                                         [TASK_WORD_BASE] = PLAY_BASE "\n",
                                         [TASK_WORD_NOBASE] = PLAY_NOBASE "\n" };
    struct err none;

    (void)talk_send(&task->talk, str_of(words[word]), &none);
    if (word == TASK_WORD_GO) live_say(tasks, task);
}

static const char *why_text(const struct task *task, enum task_why why)
{
    static const char *const texts[TASK_WHY_COUNT] = {
        [TASK_NOT_SAID] = "",
        [TASK_NO_ROOM] = "this worker has no room now",
        [TASK_ENDS_STILL] = "this worker still ends an earlier try of it",
        [TASK_NO_BLOB] = "a blob of the job is not to be had",
        [TASK_UNREADY_DIED] = "the process that makes it ready died",
        [TASK_AGENT_DIED] = "the process that watched over its agent died",
        [TASK_FENCED] = "its worker did not hear of its carrier for too long",
        [TASK_WORKER_ENDS] = "its worker was told to end",
        [TASK_NOT_AT_WORK] = "its worker had ended it before it could begin",
    };

    if (why == TASK_NOT_READ || why == TASK_NO_PROCESS) return task->err.text;
    return why == TASK_PROCESS_SKIPS ? task->skip : texts[why];
}

static void task_say(struct tasks *tasks, struct task *task, const struct task_act *act)
{
    struct fleet_line line = { .kind = act->line, .n = act->line == FLEET_FREE,
                               .why = str_of(why_text(task, act->why)) };

    if (act->line != FLEET_FREE) line.k = str_of(task->k);
    if (act->line == FLEET_BEGIN) {
        line.nonce = task->job.nonce;
        line.token = str_of(task->token);
        line.begun = task->at.state == TASK_WORKING;
        line.lease_ms = task->at.lease_ms;
    }
    if (act->line == FLEET_ENDED) line.result = task->result_text;
    if (act->why == TASK_PROCESS_SKIPS) line.missing = task->missing;
    if (act->line == FLEET_SKIP && act->why != TASK_NO_ROOM) {
        worker_tell("%s: not played here: %s", task->k, line.why.data);
    }
    say(tasks, &line);
}

static void task_act(struct tasks *tasks, struct task *task, const struct task_act *act)
{
    switch (act->kind) {
    case TASK_TAKES: job_take(tasks, task); break;
    case TASK_SAYS: task_say(tasks, task, act); break;
    case TASK_ASKS: wants_say(tasks, task); break;
    case TASK_STARTS: process_start(tasks, task); break;
    case TASK_TELLS: process_tell(tasks, task, act->word); break;
    case TASK_DEAFENS: talk_deafen(&task->talk); break;
    case TASK_KILLS: talk_kill(&task->talk); break;
    case TASK_REAPS: (void)talk_stop(&task->talk, REAP_MS); break;
    case TASK_SENDS: sends_fill(tasks, task); break;
    case TASK_KEEPS: outbox_keep(task->folder); break;
    case TASK_REMOVES: outbox_remove(tasks->outbox, str_of(task->k)); break;
    case TASK_NOTES: worker_tell("%s: ended: %s", task->k, why_text(task, act->why)); break;
    case TASK_ACT_COUNT: break;
    }
}

/* now_ms is filled in here. */
static void task_event(struct tasks *tasks, struct task *task, struct task_event event)
{
    struct task_acts acts;

    event.now_ms = now_steady_ms();
    task_step(&task->at, &tasks->shared, &event, &acts);
    for (uint32_t i = 0; i < acts.count; i++) task_act(tasks, task, &acts.list[i]);
}

static void tasks_event(struct tasks *tasks, struct task_event event)
{
    for (uint32_t i = 0; i < tasks->count; i++) task_event(tasks, tasks->list[i], event);
}

/* An attempt that is not here is a new one. It stays where something of it is held then. */
static void key_event(struct tasks *tasks, const struct fleet_line *line, struct task_event event)
{
    struct task *known = task_find(tasks, line->k);
    struct task *task = known ? known : task_new(tasks, line->k);

    task->job_text = line->job;
    if (event.kind == TASK_JOB) {
        event.lease_ms = line->lease_ms;
        event.has_result = !known && result_take(tasks, task);
    }
    task_event(tasks, task, event);
    task->job_text = (struct str){ 0 };
    if (known || task->at.state != TASK_NEW) return;
    assert(tasks->list[tasks->count - 1] == task);
    tasks->count--;
    task_free(task);
}

/* ---- lines of the carrier ---- */

/* A blob is there, or cannot be had. */
static void blob_settle(struct tasks *tasks, struct task *task, struct str id, bool there)
{
    uint32_t kept = 0, before = task->want_count;

    for (uint32_t i = 0; i < before; i++) {
        if (!str_eq(task->wants[i], id)) task->wants[kept++] = task->wants[i];
    }
    task->want_count = kept;
    if (kept == before) return;
    if (!there) task_hears(tasks, task, TASK_BLOB_NONE);
    else if (kept == 0) task_hears(tasks, task, TASK_BLOBS_THERE);
}

static void blob_tell(struct tasks *tasks, struct str id, bool there)
{
    for (uint32_t i = 0; i < tasks->count; i++) blob_settle(tasks, tasks->list[i], id, there);
}

static void hear_blob(struct tasks *tasks, const struct fleet_line *line)
{
    struct blob_piece piece = fleet_line_piece(line);
    struct err err = { 0 };
    bool whole;

    tasks->shared.piece_ms = now_steady_ms();
    if (blobs_take(&tasks->blobs, &piece, &whole, &err) != 0) {
        worker_tell("%s", err.text);
        blob_tell(tasks, line->id, false);
    } else if (whole) {
        blob_tell(tasks, line->id, true);
    }
}

/* All that were kept are looked for: the carrier may have lost them. */
static void again_look(struct tasks *tasks)
{
    if (!tasks->says_blobs) return; /* 2 */
    arena_release(&tasks->again_texts);
    tasks->again = outbox_keys(tasks->outbox, true, &tasks->again_texts);
}

static void hear_ready(struct tasks *tasks, const struct fleet_line *line)
{
    bool another = !tasks->shared.ready;
    uint32_t n = task_worker_ready(&tasks->shared, line->lease_ms);

    if (another) again_look(tasks);
    if (n > 0) say(tasks, &(struct fleet_line){ .kind = FLEET_FREE, .n = n });
}

void tasks_hear(struct tasks *tasks, const struct fleet_line *line)
{
    switch (line->kind) {
    case FLEET_READY:
        hear_ready(tasks, line);
        break;
    case FLEET_JOB:
        key_event(tasks, line, (struct task_event){ .kind = TASK_JOB });
        break;
    case FLEET_BLOB:
        hear_blob(tasks, line);
        break;
    case FLEET_NONE:
        blob_tell(tasks, line->id, false);
        break;
    case FLEET_GO:
        key_event(tasks, line, (struct task_event){ .kind = TASK_GO });
        break;
    case FLEET_GONE:
        key_event(tasks, line, (struct task_event){ .kind = TASK_IS_GONE });
        break;
    case FLEET_STOP:
        key_event(tasks, line, (struct task_event){ .kind = TASK_STOP, .why = line->stop });
        break;
    case FLEET_KEPT:
        key_event(tasks, line, (struct task_event){ .kind = TASK_IS_KEPT });
        break;
    case FLEET_FORGET:
        key_event(tasks, line, (struct task_event){ .kind = TASK_FORGET });
        break;
    case FLEET_BACK:
        again_look(tasks);
        break;
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
    task_worker_disconnect(&tasks->shared);
    tasks_event(tasks, (struct task_event){ .kind = TASK_DISCONNECT });
}

void tasks_reconnect(struct tasks *tasks)
{
    tasks_event(tasks, (struct task_event){ .kind = TASK_RECONNECT });
}

/* ---- words of a process ---- */

static void hear_word(struct tasks *tasks, struct task *task, struct str word)
{
    static const struct str skip = STR(PLAY_SKIP), missing = STR(PLAY_MISSING);

    if (str_is(word, PLAY_NEED)) {
        task->want_count = 0;
        want(tasks, task, base_id(task));
        task_event(tasks, task, (struct task_event){ .kind = TASK_NEEDS_BASE,
                                                     .wants = task->want_count > 0 });
    } else if (str_is(word, PLAY_READY)) {
        task_hears(tasks, task, TASK_IS_READY);
    } else if (str_starts(word, skip) || str_starts(word, missing)) {
        task->missing = str_starts(word, missing);
        word = str_skip(word, task->missing ? missing.size : skip.size);
        task->skip = safe_copy(&task->arena, word, FLEET_WORD_BYTES_MAX);
        task_hears(tasks, task, TASK_SKIPS);
    } else if (str_is(word, PLAY_ENDED)) {
        task_event(tasks, task, (struct task_event){ .kind = TASK_HAS_ENDED,
                                                     .has_result = result_take(tasks, task) });
    }
}

static void process_turn(struct tasks *tasks, struct task *task)
{
    uint32_t came = talk_wait(&task->talk, -1, 0, &task->heard);

    for (;;) {
        struct str rest = buf_str(&task->heard), word;

        if (!str_has(rest, '\n')) break;
        (void)str_cut(&rest, '\n', &word);
        hear_word(tasks, task, word);
        task->heard.size = rest.size;
        memmove(task->heard.data, rest.data, rest.size);
    }
    if (!(came & TALK_ENDED)) return;
    task_event(tasks, task, (struct task_event){ .kind = TASK_PROCESS_OVER,
                                                 .has_result = result_take(tasks, task) });
}

/* What its agent has said since, at a bounded rate; what is far behind is left out. */
static void said_turn(struct tasks *tasks, struct task *task)
{
    struct fleet_line line = { .kind = FLEET_SAID, .k = str_of(task->k) };
    uint64_t now_ms = now_steady_ms(), bytes, unused_ms;
    struct err none;
    struct buf piece;

    if (now_ms - task->said_ms < SAID_EVERY_MS) return;
    task->said_ms = now_ms;
    if (!tasks->has_room(tasks->carrier)) return;
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

/* ---- its result, in pieces ---- */

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

static void result_turn(struct tasks *tasks, struct task *task)
{
    while (task->send_next < task->send_count && tasks->has_room(tasks->carrier)) {
        piece_say(tasks, task);
    }
    if (task->send_next == task->send_count) task_hears(tasks, task, TASK_SENT);
}

/* The next of those that were kept; one whose record is there is said by that, or was forgotten. */
static void again_turn(struct tasks *tasks)
{
    while (tasks->again && *tasks->again && task_worker_says_again(&tasks->shared)) {
        struct str k = str_of(*tasks->again++);
        struct task *task;

        if (task_find(tasks, k)) continue;
        task = task_new(tasks, k);
        if (result_take(tasks, task)) {
            task_event(tasks, task, (struct task_event){ .kind = TASK_FOUND, .kept = true });
        }
    }
}

/* ---- the clock ---- */

static uint64_t least_lease_ms(const struct tasks *tasks)
{
    uint64_t least_ms = tasks->shared.lease_ms;

    for (uint32_t i = 0; i < tasks->count; i++) {
        uint64_t lease_ms = task_lease_ms(&tasks->list[i]->at, &tasks->shared);

        if (lease_ms < least_ms) least_ms = lease_ms;
    }
    return least_ms;
}

static void beat_turn(struct tasks *tasks)
{
    struct fleet_line line = { .kind = FLEET_BEAT };
    struct str *beats;

    tasks->shared.least_ms = least_lease_ms(tasks);
    if (!task_worker_beats(&tasks->shared, now_steady_ms())) return;
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->list[i]->at.state == TASK_WORKING) live_say(tasks, tasks->list[i]);
    }
    if (!tasks->shared.ready) return;
    beats = mem_alloc((tasks->count + 1) * sizeof *beats);
    for (uint32_t i = 0; i < tasks->count && line.beat_count < FLEET_BEATS_MAX; i++) {
        const struct task *task = tasks->list[i];

        if (task_is_named(&task->at)) beats[line.beat_count++] = str_of(task->k);
    }
    line.beats = beats;
    say(tasks, &line);
    free(beats);
}

void tasks_stop(struct tasks *tasks, enum fleet_stop why)
{
    tasks_event(tasks, (struct task_event){ .kind = TASK_HALT, .why = why });
}

void tasks_slept(struct tasks *tasks, uint64_t slept_ms)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (slept_ms <= task_lease_ms(&tasks->list[i]->at, &tasks->shared)) continue;
        task_event(tasks, tasks->list[i], (struct task_event){ .kind = TASK_HALT,
                                                               .why = FLEET_STOP_FENCED });
    }
}

static void tasks_sweep(struct tasks *tasks)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < tasks->count; i++) {
        if (task_is_over(&tasks->list[i]->at)) task_free(tasks->list[i]);
        else tasks->list[kept++] = tasks->list[i];
    }
    tasks->count = kept;
}

void tasks_turn(struct tasks *tasks)
{
    tasks_event(tasks, (struct task_event){ .kind = TASK_TICK });
    again_turn(tasks);
    for (uint32_t i = 0; i < tasks->count; i++) {
        struct task *task = tasks->list[i];

        if (task->at.running) process_turn(tasks, task);
        if (task->at.state == TASK_WORKING) said_turn(tasks, task);
        if (task->at.sending) result_turn(tasks, task);
    }
    beat_turn(tasks);
    tasks_sweep(tasks);
    tasks_check(tasks);
}

int64_t tasks_due_in(const struct tasks *tasks)
{
    uint64_t now_ms = now_steady_ms();
    uint64_t due_ms = task_worker_due_ms(&tasks->shared);

    for (uint32_t i = 0; i < tasks->count; i++) {
        const struct task *task = tasks->list[i];
        uint64_t at_ms = task_due_ms(&task->at, &tasks->shared);

        if (at_ms < due_ms) due_ms = at_ms;
        at_ms = task->said_ms + SAID_EVERY_MS;
        if (task->at.state == TASK_WORKING && at_ms < due_ms) due_ms = at_ms;
    }
    return due_ms > now_ms ? (int64_t)(due_ms - now_ms) : 0;
}

uint32_t tasks_awaited(const struct tasks *tasks, struct awaited *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tasks->count && count < WORKER_SLOTS_MAX; i++) {
        if (!tasks->list[i]->at.running) continue;
        out[count++] = (struct awaited){ .fd = tasks->list[i]->talk.out_fd };
    }
    return count;
}

bool tasks_have(const struct tasks *tasks, struct str k)
{
    const struct task *task = task_find(tasks, k);

    return task && task->at.state != TASK_KEPT;
}

uint32_t tasks_busy(const struct tasks *tasks)
{
    return tasks->shared.held;
}

uint32_t tasks_unsaid(const struct tasks *tasks)
{
    uint32_t unsaid = 0;

    for (uint32_t i = 0; i < tasks->count; i++) {
        if (task_is_unsaid(&tasks->list[i]->at)) unsaid++;
    }
    return unsaid;
}

/* ---- open and close ---- */

void tasks_open(struct tasks *tasks)
{
    struct arena arena = { 0 };
    const char *const *keys;

    outbox_settle(tasks->outbox);
    tasks->shared.heard_ms = tasks->shared.beat_ms = now_steady_ms();
    for (keys = outbox_keys(tasks->outbox, false, &arena); *keys; keys++) {
        struct task *task = task_new(tasks, str_of(*keys));

        if (result_take(tasks, task)) task_hears(tasks, task, TASK_FOUND);
    }
    arena_release(&arena);
}

void tasks_close(struct tasks *tasks)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->list[i]->at.running) talk_deafen(&tasks->list[i]->talk);
    }
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->list[i]->at.running) (void)talk_stop(&tasks->list[i]->talk, CLOSE_MS);
        task_free(tasks->list[i]);
    }
    free(tasks->list);
    arena_release(&tasks->again_texts);
    tasks->again = NULL;
    tasks->list = NULL;
    tasks->count = tasks->cap = 0;
}
