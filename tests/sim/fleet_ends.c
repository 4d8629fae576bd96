/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_ends.c - the driver and the workers of a fleet as programs: what src/carry's steps say is
 * done. The disk of each outlives its process: a journal, folders of attempts, an outbox.
 *
 * It is a second telling of what drive/fleet and worker/tasks.c do around the same steps. */
#include "fleet_play.h"

#include "world.h"

#include <inttypes.h>

enum {
    STEP_MS = 5,      /* what is done at once takes so long */
    AGAIN_MS = 250,   /* before a link is started again */
    LEFT_LEASES = 2,  /* a resume waits so long to hear of an attempt */
    MUTE_LEASES = 2,  /* a link that says nothing for so long is started again */
    KILLED_MS = 500,  /* an agent whose worker was killed is dead after this */
};

/* Words of an attempt's process. */
enum player_word { PLAYER_READY, PLAYER_ENDED, PLAYER_OVER, PLAYER_BLOBS };

/* ---- the driver ---- */

static void sent_do(struct fleet_play *play, uint32_t key, struct sent_event event);

static void link_tell(struct fleet_play *play, enum fleet_kind kind, uint32_t key, bool flag)
{
    struct thing line = play_thing(play, THING_LINE, END_DRIVER, END_DRIVER_LINK, 1);

    line.line = kind;
    line.key = key;
    line.flag = flag;
    play_say(play, &line);
}

static void run_left(struct fleet_play *play)
{
    play->driver_leaves = true;
    for (uint32_t i = 0; i < play->run.attempt_count; i++) {
        if (play->sent_there[i]) sent_do(play, i, (struct sent_event){ .kind = SENT_LEAVE });
    }
}

/* What the engine asks for is sent; where the run has ended, the process leaves it. */
static void run_go_on(struct fleet_play *play)
{
    uint32_t key;

    while ((key = fleet_run_next(&play->run)) < FS_KEYS) {
        if (play->run.attempts[key].stop) world_fail("the engine stops what it asked for");
        play->sent[key] = (struct sent_at){ .state = SENT_NEW };
        play->sent_there[key] = play->was_sent[key] = true;
        sent_do(play, key, (struct sent_event){ .kind = SENT_PACKED });
    }
    if (play->run.ended && !play->driver_leaves) run_left(play);
}

/* Its end is in the journal; or of a run that was left, the resume asks for another. */
static void attempt_ends(struct fleet_play *play, uint32_t key, bool lost)
{
    if (lost) play->lost++;
    if (lost && play->recovering) return;
    play_trace(play, "%" PRIu32 " %s", key, lost ? "is lost" : "has ended");
    fleet_run_end(&play->run, key, lost, play->now_ms);
}

static void sent_act(struct fleet_play *play, uint32_t key, const struct sent_act *act)
{
    switch (act->kind) {
    case SENT_SAYS:
        if (act->line == FLEET_STOP) play->truth[key].stopped = true;
        link_tell(play, act->line, key, play->sent[key].state != SENT_QUEUED);
        break;
    case SENT_SETTLES: attempt_ends(play, key, false); break;
    case SENT_ENDS: attempt_ends(play, key, true); break;
    case SENT_DROPS: play->sent_there[key] = false; break;
    case SENT_BEGINS:
    case SENT_WRITES:
    case SENT_WARNS:
    case SENT_ACT_COUNT: break;
    }
}

static void sent_do(struct fleet_play *play, uint32_t key, struct sent_event event)
{
    struct sent_acts acts;

    event.now_ms = play->now_ms;
    event.there = play->link_ready;
    sent_step(&play->sent[key], &event, &acts);
    for (uint32_t i = 0; i < acts.count; i++) sent_act(play, key, &acts.list[i]);
}

static void sent_all(struct fleet_play *play, enum sent_event_kind kind)
{
    for (uint32_t i = 0; i < play->run.attempt_count; i++) {
        if (play->sent_there[i]) sent_do(play, i, (struct sent_event){ .kind = kind });
    }
}

/* One blob at a time, of those that a result names. */
static void blobs_fetch(struct fleet_play *play)
{
    for (uint32_t i = 0; i < play->run.attempt_count; i++) {
        if (play->sent_there[i] && play->sent[i].fetching) return;
    }
    for (uint32_t i = 0; i < play->run.attempt_count && play->link_ready; i++) {
        bool here = i % 3 != 0 || play->has_blob[i];

        if (!play->sent_there[i] || !sent_wants_blob(&play->sent[i])) continue;
        sent_do(play, i, (struct sent_event){ .kind = here ? SENT_ALL_HERE : SENT_NEEDS_BLOB });
        if (!here) return;
    }
}

/* Attempts whose end is in the journal are forgotten; and the run goes on. */
static void driver_turn(struct fleet_play *play)
{
    bool left = false;

    blobs_fetch(play);
    for (uint32_t i = 0; i < play->run.attempt_count; i++) left = left || (play->sent_there[i] &&
                                                          play->sent[i].state == SENT_ASKED);
    for (uint32_t i = 0; i < play->run.attempt_count; i++) {
        left = left || (play->recovering && play->sent_there[i] &&
                        play->sent[i].state == SENT_ENDED);
    }
    if (play->recovering && !left) {
        play->recovering = false;
        play_trace(play, "the run is resumed");
        for (uint32_t i = 0; i < play->run.attempt_count; i++) play->truth[i].stopped = true;
        fleet_run_resume(&play->run, play->now_ms);
    }
    if (play->recovering) return;
    run_go_on(play);
    for (uint32_t i = 0; i < play->run.attempt_count; i++) {
        if (play->sent_there[i] && play->sent[i].state == SENT_OVER) {
            sent_do(play, i, (struct sent_event){ .kind = SENT_JOURNALED });
        }
    }
    if (!play->driver_leaves) return;
    link_tell(play, FLEET_BYE, 0, !play->run.left);
    play->over = !play->run.left;
    play_trace(play, "the driver says bye%s", play->over ? ": the run is over" : "");
    play_start_later(play, END_DRIVER_LINK, 0); /* nothing, where it is there */
    play_kill(play, END_DRIVER);
}

static void driver_line(struct fleet_play *play, const struct thing *thing)
{
    struct sent_event event = { .judged = SENT_GOOD, .known = thing->state };

    play->heard_ms = play->now_ms;
    if (thing->line != FLEET_BEAT) {
        play_trace(play, "the driver hears %s of %" PRIu32 " (%d)", fleet_kind_word(thing->line),
                   thing->key, (int)thing->state);
    }
    switch ((unsigned)thing->line) {
    case FLEET_READY:
        play->link_ready = true;
        sent_all(play, SENT_READY);
        return;
    case FLEET_TAKEN: event.kind = SENT_IS_TAKEN; break;
    case FLEET_ENDED:
        event.kind = SENT_HAS_ENDED;
        if (thing->number != thing->key + 1) world_fail("2: a result of another attempt");
        break;
    case FLEET_LOST: event.kind = SENT_IS_LOST; break;
    case FLEET_REFUSED: event.kind = SENT_IS_REFUSED; break;
    case FLEET_KNOWN: event.kind = SENT_IS_KNOWN; break;
    case FLEET_BLOB:
        event.kind = SENT_BLOB_WHOLE;
        if (!play->sent_there[thing->key] || !play->sent[thing->key].fetching) return;
        play->has_blob[thing->key] = true;
        break;
    default: return;
    }
    if (play->recovering) play->asked_ms = play->now_ms;
    if (play->sent_there[thing->key]) {
        sent_do(play, thing->key, event);
    } else if (thing->line == FLEET_ENDED) {
        link_tell(play, FLEET_FORGET, thing->key, false);
    }
}

static void driver_tick(struct fleet_play *play)
{
    if (play->now_ms >= play->beat_ms + carry_beat_ms(play->lease_ms)) {
        play->beat_ms = play->now_ms;
        link_tell(play, FLEET_BEAT, 0, false);
    }
    sent_all(play, SENT_TICK);
    if (play->now_ms > play->heard_ms + MUTE_LEASES * play->lease_ms) {
        play->heard_ms = play->now_ms;
        play_kill(play, END_DRIVER_LINK);
    }
    if (play->recovering && play->now_ms > play->asked_ms + LEFT_LEASES * play->lease_ms) {
        play_trace(play, "the fleet does not say what became of attempts");
        play_kill(play, END_DRIVER);
    }
}

void driver_begin(struct fleet_play *play)
{
    play->epoch++;
    play->link_ready = play->driver_leaves = false;
    play->died_ms = 0;
    play->beat_ms = play->heard_ms = play->asked_ms = play->now_ms;
    for (uint32_t i = 0; i < play->run.attempt_count; i++) {
        play->sent_there[i] = play->has_blob[i] = false;
    }
    play_start_later(play, END_DRIVER_LINK, STEP_MS);
    if (play->run.journal_count == 0) {
        fleet_run_start(&play->run, play->now_ms);
        return;
    }
    play->recovering = true;
    fleet_run_replay(&play->run);
    for (uint32_t i = 0; i < play->run.attempt_count; i++) {
        if (!play->was_sent[i] || !fleet_run_has(&play->run, i)) continue;
        play->sent[i] = (struct sent_at){ .state = SENT_NEW };
        play->sent_there[i] = true;
        sent_do(play, i, (struct sent_event){ .kind = SENT_LEFT });
    }
}

void driver_dies(struct fleet_play *play)
{
    play->died_ms = play->calm_ms = play->now_ms;
    play->recovering = false;
    if (!play->over) play_start_later(play, END_DRIVER, 1 + play->lease_ms / 2);
}

void driver_take(struct fleet_play *play, const struct thing *thing)
{
    if (thing->kind == THING_LINE) driver_line(play, thing);
    if (thing->kind == THING_TICK) driver_tick(play);
    if (thing->kind == THING_AWAY) {
        play->link_ready = false;
        play->heard_ms = play->now_ms;
        sent_all(play, SENT_GONE);
        play_start_later(play, END_DRIVER_LINK, AGAIN_MS);
    }
    if (play->processes[END_DRIVER].up) driver_turn(play);
}

/* ---- agents ---- */

uint32_t play_agents(const struct fleet_play *play)
{
    uint32_t alive = 0;

    for (uint32_t i = 0; i < PLAY_WORKERS; i++) {
        for (uint32_t k = 0; k < play->run.attempt_count; k++) {
            alive += play->workers[i].players[k].agent;
        }
    }
    return alive;
}

/* A worker that sleeps, or has just woken, has not seen yet that its agents are to end. */
static bool was_asleep(const struct fleet_play *play, uint32_t number)
{
    return play->now_ms <= play->processes[END_WORKERS + number].stopped_ms + play->lease_ms / 8;
}

/* Law 3. */
static void others_check(const struct fleet_play *play, uint32_t key)
{
    const struct action *action = &play->run.attempts[key].action;

    for (uint32_t i = 0; i < PLAY_WORKERS; i++) {
        for (uint32_t k = 0; k < key; k++) {
            const struct play_player *player = &play->workers[i].players[k];

            if (!player->agent || player->ending || was_asleep(play, i)) continue;
            if (play->run.attempts[k].action.job != action->job || play->power_ms > 0) continue;
            if (play->truth[k].stopped) continue;
            world_fail("3: agent %" PRIu32 " is alive at worker %" PRIu32 " when %" PRIu32
                       " begins", k, i, key);
        }
    }
}

/* Law 4. */
void play_agents_check(const struct fleet_play *play)
{
    uint64_t since_ms = play->died_ms > play->calm_ms ? play->died_ms : play->calm_ms;

    if (play->died_ms == 0) return;
    for (uint32_t i = 0; i < PLAY_WORKERS; i++) {
        for (uint32_t k = 0; k < play->run.attempt_count; k++) {
            const struct play_player *player = &play->workers[i].players[k];

            if (!player->agent || player->ending || was_asleep(play, i) ||
                was_asleep(play, i + PLAY_WORKERS)) continue;
            if (play->now_ms <= since_ms + 3 * play->lease_ms) continue;
            world_fail("4: agent %" PRIu32 " is alive at worker %" PRIu32 ", %" PRIu64
                       " ms after its driver died", k, i, play->now_ms - since_ms);
        }
    }
}

static void agent_begins(struct fleet_play *play, uint32_t number, uint32_t key)
{
    struct play_player *player = &play->workers[number].players[key];
    struct play_truth *truth = &play->truth[key];
    struct thing end = play_thing(play, THING_PROCESS, END_WORKERS + number, END_WORKERS + number,
                                  1 + prng_below(&play->prng, (uint32_t)play->work_ms));

    play_trace(play, "agent %" PRIu32 " begins at worker %" PRIu32, key, number);
    if (truth->begun > 0) world_fail("1: %" PRIu32 " is begun twice", key);
    others_check(play, key);
    truth->begun++;
    play->begun++;
    player->agent = true;
    end.key = key;
    end.number = PLAYER_ENDED;
    end.ask_life = player->life;
    play_later(play, &end);
}

/* ---- a worker ---- */

static void task_do(struct fleet_play *play, uint32_t number, uint32_t key,
                    struct task_event event);

static void player_word(struct fleet_play *play, uint32_t number, uint32_t key,
                        enum player_word word, uint64_t after_ms)
{
    uint32_t end = END_WORKERS + number;
    struct thing thing = play_thing(play, THING_PROCESS, end, end, after_ms);

    thing.key = key;
    thing.number = word;
    thing.ask_life = play->workers[number].players[key].life;
    play_later(play, &thing);
}

static void carrier_tell(struct fleet_play *play, uint32_t number, enum fleet_kind kind,
                         uint32_t key, uint64_t n, bool begun)
{
    struct thing line = play_thing(play, THING_LINE, END_WORKERS + number, END_LINKS + number, 1);

    line.line = kind;
    line.key = key;
    line.number = n;
    line.flag = begun;
    play_say(play, &line);
}

static void job_take(struct fleet_play *play, uint32_t number, uint32_t key)
{
    struct play_worker *worker = &play->workers[number];
    bool there = worker->folders[key];

    worker->folders[key] = true;
    task_do(play, number, key, (struct task_event){
        .kind = there ? TASK_NOT_TAKEN : TASK_TAKEN, .wants = prng_chance(&play->prng, 50) });
}

static void process_start(struct fleet_play *play, uint32_t number, uint32_t key)
{
    struct play_player *player = &play->workers[number].players[key];

    *player = (struct play_player){ .life = player->life + 1, .token = ++play->order };
    player_word(play, number, key, PLAYER_READY,
                1 + prng_below(&play->prng, (uint32_t)play->lease_ms / 4));
}

static void task_act(struct fleet_play *play, uint32_t number, uint32_t key,
                     const struct task_act *act)
{
    struct play_worker *worker = &play->workers[number];
    struct play_player *player = &worker->players[key];

    switch (act->kind) {
    case TASK_TAKES: job_take(play, number, key); break;
    case TASK_SAYS:
        carrier_tell(play, number, act->line, key, act->line == FLEET_FREE ? 1
                     : act->line == FLEET_BEGIN ? player->token : key + 1,
                     worker->at[key].state == TASK_WORKING);
        break;
    case TASK_ASKS: player_word(play, number, key, PLAYER_BLOBS, STEP_MS); break;
    case TASK_STARTS: process_start(play, number, key); break;
    case TASK_TELLS:
        if (act->word == TASK_WORD_GO) agent_begins(play, number, key);
        break;
    case TASK_DEAFENS:
        player->ending = true;
        player_word(play, number, key, PLAYER_OVER,
                    1 + prng_below(&play->prng, 2 * KILLED_MS));
        break;
    case TASK_KILLS: player_word(play, number, key, PLAYER_OVER, STEP_MS); break;
    case TASK_REAPS:
        player->life++;
        player->agent = false;
        break;
    case TASK_SENDS: task_do(play, number, key, (struct task_event){ .kind = TASK_SENT }); break;
    case TASK_KEEPS: worker->kept[key] = true; break;
    case TASK_REMOVES:
        worker->folders[key] = worker->results[key] = worker->kept[key] = false;
        break;
    case TASK_NOTES:
    case TASK_ACT_COUNT: break;
    }
}

static void task_do(struct fleet_play *play, uint32_t number, uint32_t key,
                    struct task_event event)
{
    struct play_worker *worker = &play->workers[number];
    struct task_acts acts;

    event.now_ms = play->now_ms;
    if (event.kind == TASK_JOB && worker->at[key].state == TASK_NEW) {
        event.has_result = worker->results[key];
    }
    task_step(&worker->at[key], &worker->shared, &event, &acts);
    for (uint32_t i = 0; i < acts.count; i++) task_act(play, number, key, &acts.list[i]);
    if (task_is_over(&worker->at[key])) worker->at[key] = (struct task_at){ .state = TASK_NEW };
}

static void tasks_all(struct fleet_play *play, uint32_t number, enum task_event_kind kind)
{
    for (uint32_t key = 0; key < play->run.attempt_count; key++) {
        if (play->workers[number].at[key].state == TASK_NEW) continue;
        task_do(play, number, key, (struct task_event){ .kind = kind });
    }
}

static void worker_process(struct fleet_play *play, uint32_t number, const struct thing *thing)
{
    struct play_worker *worker = &play->workers[number];
    struct play_player *player = &worker->players[thing->key];
    struct task_event event = { .kind = TASK_BLOBS_THERE };

    if ((enum player_word)thing->number == PLAYER_BLOBS) {
        task_do(play, number, thing->key, event);
        return;
    }
    if (player->life != thing->ask_life) return;
    switch ((enum player_word)thing->number) {
    case PLAYER_READY: event.kind = TASK_IS_READY; break;
    case PLAYER_ENDED:
        player->agent = false;
        if (!player->ending) worker->results[thing->key] = true;
        event.kind = TASK_HAS_ENDED;
        player_word(play, number, thing->key, PLAYER_OVER, STEP_MS);
        break;
    case PLAYER_OVER:
        player->agent = false;
        event.kind = TASK_PROCESS_OVER;
        break;
    case PLAYER_BLOBS: return;
    }
    event.has_result = worker->results[thing->key];
    task_do(play, number, thing->key, event);
}

/* The carrier may have lost them. */
static void again_look(struct fleet_play *play, uint32_t number)
{
    struct play_worker *worker = &play->workers[number];

    for (uint32_t key = 0; key < play->run.attempt_count; key++) {
        worker->again[key] = worker->results[key] && worker->kept[key];
    }
}

static void again_turn(struct fleet_play *play, uint32_t number)
{
    struct play_worker *worker = &play->workers[number];

    for (uint32_t key = 0; key < play->run.attempt_count; key++) {
        if (!worker->again[key] || !task_worker_says_again(&worker->shared)) continue;
        worker->again[key] = false;
        if (worker->at[key].state != TASK_NEW || !worker->results[key]) continue;
        task_do(play, number, key, (struct task_event){ .kind = TASK_FOUND, .kept = true });
    }
}

static void worker_line(struct fleet_play *play, uint32_t number, const struct thing *thing)
{
    struct play_worker *worker = &play->workers[number];
    struct task_event event = { .kind = TASK_JOB, .why = thing->why };
    uint32_t n;

    worker->shared.heard_ms = play->now_ms;
    switch ((unsigned)thing->line) {
    case FLEET_BACK: again_look(play, number); return;
    case FLEET_READY:
        if (!worker->shared.ready) again_look(play, number);
        n = task_worker_ready(&worker->shared, play->lease_ms);
        if (n > 0) carrier_tell(play, number, FLEET_FREE, 0, n, false);
        return;
    case FLEET_JOB: event.kind = TASK_JOB; break;
    case FLEET_GO: event.kind = TASK_GO; break;
    case FLEET_GONE: event.kind = TASK_IS_GONE; break;
    case FLEET_STOP: event.kind = TASK_STOP; break;
    case FLEET_KEPT: event.kind = TASK_IS_KEPT; break;
    case FLEET_FORGET: event.kind = TASK_FORGET; break;
    default: return;
    }
    task_do(play, number, thing->key, event);
}

static void worker_tick(struct fleet_play *play, uint32_t number)
{
    struct play_worker *worker = &play->workers[number];
    struct thing beat = play_thing(play, THING_LINE, END_WORKERS + number, END_LINKS + number, 1);

    tasks_all(play, number, TASK_TICK);
    again_turn(play, number);
    if (!task_worker_beats(&worker->shared, play->now_ms) || !worker->shared.ready) return;
    beat.line = FLEET_BEAT;
    for (uint32_t key = 0; key < play->run.attempt_count; key++) {
        if (task_is_named(&worker->at[key])) beat.keys[key / 64] |= UINT64_C(1) << key % 64;
    }
    play_say(play, &beat);
}

void worker_begin(struct fleet_play *play, uint32_t number)
{
    struct play_worker *worker = &play->workers[number];

    worker->shared = (struct task_worker){ .lease_ms = play->lease_ms, .slots = PLAY_SLOTS,
                                           .heard_ms = play->now_ms, .beat_ms = play->now_ms };
    for (uint32_t key = 0; key < play->run.attempt_count; key++) {
        worker->at[key] = (struct task_at){ .state = TASK_NEW };
        worker->players[key].life++;
        worker->players[key].agent = false;
        if (worker->results[key] && !worker->kept[key]) {
            task_do(play, number, key, (struct task_event){ .kind = TASK_FOUND });
        } else if (!worker->results[key]) {
            worker->folders[key] = false;
        }
    }
    play_start_later(play, END_LINKS + number, STEP_MS);
}

void worker_linked(struct fleet_play *play, uint32_t number)
{
    tasks_all(play, number, TASK_RECONNECT);
}

/* It is started again when its agents are dead: outbox_settle() sees to that. */
void worker_dies(struct fleet_play *play, uint32_t number)
{
    for (uint32_t key = 0; key < play->run.attempt_count; key++) {
        struct play_player *player = &play->workers[number].players[key];

        player->life++;
        player->agent = false;
    }
    play_start_later(play, END_WORKERS + number, KILLED_MS);
}

void worker_take(struct fleet_play *play, uint32_t number, const struct thing *thing)
{
    struct play_worker *worker = &play->workers[number];

    if (play->now_ms > worker->shared.heard_ms + play->lease_ms) { /* before it reads on */
        tasks_all(play, number, TASK_TICK);
    }
    if (thing->kind == THING_LINE) worker_line(play, number, thing);
    if (thing->kind == THING_PROCESS) worker_process(play, number, thing);
    if (thing->kind == THING_TICK) worker_tick(play, number);
    if (thing->kind != THING_AWAY) return;
    task_worker_disconnect(&worker->shared);
    tasks_all(play, number, TASK_DISCONNECT);
    play_start_later(play, END_LINKS + number, AGAIN_MS);
}
