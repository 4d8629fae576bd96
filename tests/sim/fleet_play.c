/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_play.c - what happens to the ends of a fleet, in the order of its time, and what goes wrong
 * between them.
 *
 * A pipe keeps order: a line comes behind all that were said before it. The network keeps it too
 * while nothing is rough. What is under way to a process that dies is lost; what it had said before
 * is not. */
#include "fleet_play.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { TICKS_PER_LEASE = 24, LOST_1 = 3, LOST_2 = 15, DOUBLED = 5 };

void play_trace(const struct fleet_play *play, const char *format, ...)
{
    va_list list;

    if (!play->verbose) return;
    printf("[%7" PRIu64 "] ", play->now_ms);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    fflush(stdout);
}

static const char *end_name(uint32_t end)
{
    static const char *const names[] = { "server", "driver", "driver's link", "worker 0",
                                         "worker 1", "worker 2", "link 0", "link 1", "link 2" };

    return names[end];
}

static void show_workers(const struct fleet_play *play, uint32_t key)
{
    for (uint32_t i = 0; i < PLAY_WORKERS; i++) {
        const struct play_worker *worker = &play->workers[i];

        if (play->links[i].known[key]) {
            printf(", link %u holds %d", i, play->links[i].at[key].state);
        }
        if (worker->at[key].state == TASK_NEW && !worker->folders[key]) continue;
        printf(", worker %u %d%s", i, worker->at[key].state, worker->kept[key] ? " kept" : "");
    }
}

static void show_server(const struct fleet_server *server, uint32_t key)
{
    const struct fs_claim *claim = &server->claims[key];

    for (uint32_t i = 0; i < server->job_count; i++) {
        const struct fs_job *job = &server->jobs[i];

        if (job->key != key) continue;
        printf(", job %" PRIu64 " (%u times, out until %" PRIu64 ")", job->seq, job->deliveries,
               job->out_until_ms);
    }
    if (claim->seq) printf(", claim %" PRIu64 "%s", claim->seq, claim->dead ? " dead" : "");
    if (server->results[key].seq) printf(", result");
}

void play_show(const struct fleet_play *play)
{
    for (uint32_t key = 0; key < play->run.attempt_count; key++) {
        printf("%u:", key);
        if (play->sent_there[key]) printf(" sent %d", play->sent[key].state);
        if (play->driver_link.known[key]) {
            printf(", carried %d", play->driver_link.at[key].state);
        }
        show_server(&play->server, key);
        show_workers(play, key);
        printf("\n");
    }
    for (uint32_t i = 0; i < END_COUNT; i++) {
        printf("%s %s%s, ", end_name(i), play->processes[i].up ? "up" : "down",
               play->processes[i].away ? " away" : "");
    }
    for (uint32_t i = 0; i < PLAY_WORKERS; i++) {
        printf("worker %u holds %u, link counts %u free; ", i, play->workers[i].shared.held,
               play->links[i].free);
    }
    printf("floor %" PRIu64 "\n", play->server.floor_seq);
    fflush(stdout);
}

/* ---- the heap ---- */

static bool comes_first(const struct thing *a, const struct thing *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

static void things_swap(struct fleet_play *play, uint32_t a, uint32_t b)
{
    struct thing kept = play->things[a];

    play->things[a] = play->things[b];
    play->things[b] = kept;
}

static void things_add(struct fleet_play *play, const struct thing *thing)
{
    uint32_t at = play->thing_count;

    play->things = mem_grow(play->things, play->thing_count, &play->thing_cap,
                            sizeof *play->things);
    play->things[play->thing_count++] = *thing;
    while (at > 0 && comes_first(&play->things[at], &play->things[(at - 1) / 2])) {
        things_swap(play, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static struct thing things_take(struct fleet_play *play)
{
    struct thing first = play->things[0];
    uint32_t at = 0;

    play->things[0] = play->things[--play->thing_count];
    for (;;) {
        uint32_t next = 2 * at + 1;

        if (next + 1 < play->thing_count &&
            comes_first(&play->things[next + 1], &play->things[next])) next++;
        if (next >= play->thing_count || !comes_first(&play->things[next], &play->things[at])) {
            return first;
        }
        things_swap(play, at, next);
        at = next;
    }
}

/* ---- pipes and the network ---- */

struct thing play_thing(struct fleet_play *play, enum thing_kind kind, uint32_t from, uint32_t to,
                        uint64_t after_ms)
{
    return (struct thing){
        .at_ms = play->now_ms + after_ms, .order = ++play->order, .kind = kind,
        .from = (uint8_t)from, .to = (uint8_t)to, .life = play->processes[to].life,
    };
}

void play_later(struct fleet_play *play, const struct thing *thing)
{
    things_add(play, thing);
}

void play_say(struct fleet_play *play, const struct thing *line)
{
    struct thing thing = *line;
    struct play_process *to = &play->processes[thing.to];

    if (!to->up) return;
    if (thing.at_ms < to->piped_ms) thing.at_ms = to->piped_ms;
    to->piped_ms = thing.at_ms;
    things_add(play, &thing);
}

static bool is_cut(const struct fleet_play *play, const struct thing *thing)
{
    return play->now_ms < play->processes[thing->from].cut_ms ||
           play->now_ms < play->processes[thing->to].cut_ms;
}

static uint64_t network_ms(struct fleet_play *play)
{
    uint64_t lease_ms = play->lease_ms;

    if (play->rough == 0) return 1;
    if (prng_chance(&play->prng, 2)) return prng_below(&play->prng, (uint32_t)(3 * lease_ms));
    return 1 + prng_below(&play->prng, (uint32_t)(lease_ms / (play->rough == 1 ? 60 : 10)) + 1);
}

void play_send(struct fleet_play *play, const struct thing *sent)
{
    uint32_t copies = 1;

    if (is_cut(play, sent)) return;
    if (play->rough > 0 && prng_chance(&play->prng, play->rough == 1 ? LOST_1 : LOST_2)) return;
    if (play->rough > 0 && prng_chance(&play->prng, DOUBLED)) copies = 2;
    while (copies-- > 0) {
        struct thing thing = *sent;

        thing.order = ++play->order;
        thing.at_ms = play->now_ms + network_ms(play);
        things_add(play, &thing);
    }
}

/* ---- processes ---- */

/* The other end of its pipe. */
static uint32_t other_end(uint32_t end)
{
    if (end == END_DRIVER) return END_DRIVER_LINK;
    if (end == END_DRIVER_LINK) return END_DRIVER;
    return end < END_LINKS ? end + PLAY_WORKERS : end - PLAY_WORKERS;
}

static bool is_link(uint32_t end)
{
    return end == END_DRIVER_LINK || end >= END_LINKS;
}

static void tick_soon(struct fleet_play *play, uint32_t end)
{
    struct thing tick = play_thing(play, THING_TICK, end, end,
                                   play->lease_ms / TICKS_PER_LEASE + 1);

    things_add(play, &tick);
}

/* Each link is told that the server is not there, or is again. */
static void links_tell(struct fleet_play *play, enum thing_kind kind)
{
    for (uint32_t end = 0; end < END_COUNT; end++) {
        struct thing thing = play_thing(play, kind, END_SERVER, end, 2);

        if (is_link(end) && play->processes[end].up) things_add(play, &thing);
    }
}

void play_start_later(struct fleet_play *play, uint32_t end, uint64_t after_ms)
{
    struct thing up = play_thing(play, THING_UP, end, end, after_ms);

    things_add(play, &up);
}

/* A link is started by its driver or worker; false: that one is not there, or sleeps. */
static bool can_start(struct fleet_play *play, uint32_t end)
{
    const struct play_process *owner = &play->processes[other_end(end)];

    if (!is_link(end)) return true;
    if (owner->up && owner->stopped_ms > play->now_ms) {
        play_start_later(play, end, owner->stopped_ms - play->now_ms);
    }
    return owner->up && owner->stopped_ms <= play->now_ms;
}

void play_start(struct fleet_play *play, uint32_t end)
{
    struct play_process *process = &play->processes[end];

    if (process->up || !can_start(play, end)) return;
    *process = (struct play_process){ .up = true, .life = process->life + 1 };
    play_trace(play, "%s starts", end_name(end));
    tick_soon(play, end);
    if (end == END_SERVER) links_tell(play, THING_BACK);
    else if (end == END_DRIVER) driver_begin(play);
    else if (end == END_DRIVER_LINK) driver_link_begin(play);
    else if (end >= END_LINKS) {
        link_begin(play, end - END_LINKS);
        worker_linked(play, end - END_LINKS);
    } else worker_begin(play, end - END_WORKERS);
}

void play_kill(struct fleet_play *play, uint32_t end)
{
    struct play_process *process = &play->processes[end];
    struct thing eof;

    if (!process->up) return;
    play_trace(play, "%s is killed", end_name(end));
    process->up = false;
    process->life++;
    if (end == END_SERVER) {
        links_tell(play, THING_AWAY);
        return;
    }
    if (end == END_DRIVER) driver_dies(play);
    if (end >= END_WORKERS && end < END_LINKS) worker_dies(play, end - END_WORKERS);
    eof = play_thing(play, THING_AWAY, end, other_end(end), 1);
    play_say(play, &eof);
}

void play_stop(struct fleet_play *play, uint32_t end, uint64_t for_ms)
{
    struct play_process *process = &play->processes[end];

    if (!process->up) return;
    play_trace(play, "%s is stopped for %" PRIu64 " ms", end_name(end), for_ms);
    process->stopped_ms = play->now_ms + for_ms;
}

void play_cut(struct fleet_play *play, uint32_t link, uint64_t for_ms)
{
    play_trace(play, "%s is cut off for %" PRIu64 " ms", end_name(link), for_ms);
    play->processes[link].cut_ms = play->now_ms + for_ms;
}

void play_fill(struct fleet_play *play, uint64_t for_ms)
{
    play_trace(play, "the server takes no results for %" PRIu64 " ms", for_ms);
    play->full_ms = play->now_ms + for_ms;
}

void play_power_cut(struct fleet_play *play)
{
    play_trace(play, "a power cut");
    play_kill(play, END_SERVER);
    fs_power_cut(&play->server, &play->saved);
    play->power_ms = play->now_ms;
}

/* ---- the server ---- */

static void hint(struct fleet_play *play, const struct fs_ask *ask)
{
    struct thing thing = play_thing(play, THING_HINT, END_SERVER, END_DRIVER_LINK, 0);

    if (ask->kind == FS_PUT_CLAIM && ask->claim.dead) return;
    if (ask->kind != FS_PUT_CLAIM && ask->kind != FS_PUT_RESULT) return;
    thing.key = ask->key;
    thing.flag = ask->kind == FS_PUT_RESULT;
    thing.ask = *ask;
    if (play->processes[END_DRIVER_LINK].up) play_send(play, &thing);
}

static void hand_out(struct fleet_play *play)
{
    for (uint32_t i = 0; i < PLAY_WORKERS; i++) {
        uint32_t link = END_LINKS + (i + (uint32_t)play->now_ms) % PLAY_WORKERS;
        uint32_t number = link - END_LINKS;

        while (play->pulls[number] > 0 && play->now_ms < play->pulls_until_ms[number]) {
            const struct fs_job *job = fs_hand_out(&play->server, play->now_ms);
            struct thing thing = play_thing(play, THING_JOB, END_SERVER, link, 0);

            if (!job) return;
            play->pulls[number]--;
            thing.key = job->key;
            thing.number = job->seq;
            play_send(play, &thing);
        }
    }
}

static void server_tick(struct fleet_play *play)
{
    const struct fs_job *poison;

    while ((poison = fs_poison(&play->server, play->now_ms))) {
        struct thing thing = play_thing(play, THING_POISON, END_SERVER, END_DRIVER_LINK, 0);

        thing.key = poison->key;
        thing.number = poison->seq;
        play_send(play, &thing);
    }
    hand_out(play);
    if (prng_chance(&play->prng, 5)) play->saved = play->server;
}

static void server_take(struct fleet_play *play, const struct thing *thing)
{
    struct thing answer = play_thing(play, THING_ANSWER, END_SERVER, thing->from, 0);

    play->server.full = play->now_ms < play->full_ms;
    if (thing->kind == THING_TICK) server_tick(play);
    if (thing->kind == THING_PULL) {
        play->pulls[thing->from - END_LINKS] = thing->number;
        play->pulls_until_ms[thing->from - END_LINKS] = play->now_ms + play->lease_ms / 2;
    }
    if (thing->kind == THING_WORD && thing->flag) {
        fs_wait(&play->server, thing->number, play->now_ms);
    } else if (thing->kind == THING_WORD) {
        fs_nak(&play->server, thing->number, play->now_ms + thing->ask.value);
    }
    if (thing->kind == THING_ASK) {
        answer.answer = fs_do(&play->server, &thing->ask);
        answer.number = thing->number;
        answer.life = thing->ask_life;
        hint(play, &thing->ask);
        play_send(play, &answer);
    }
    hand_out(play);
}

/* ---- what happens ---- */

static void take(struct fleet_play *play, const struct thing *thing)
{
    uint32_t end = thing->to;

    if (thing->kind == THING_TICK) tick_soon(play, end);
    if (thing->from == END_SERVER && thing->kind == THING_AWAY) play->processes[end].away = true;
    if (thing->from == END_SERVER && thing->kind == THING_BACK) play->processes[end].away = false;
    if (end == END_SERVER) server_take(play, thing);
    else if (end == END_DRIVER) driver_take(play, thing);
    else if (end == END_DRIVER_LINK) driver_link_take(play, thing);
    else if (end >= END_LINKS) link_take(play, end - END_LINKS, thing);
    else worker_take(play, end - END_WORKERS, thing);
}

bool play_step(struct fleet_play *play)
{
    struct thing thing;
    const struct play_process *process;

    if (play->thing_count == 0) return false;
    thing = things_take(play);
    process = &play->processes[thing.to];
    if (thing.at_ms > play->now_ms) play->now_ms = thing.at_ms;
    play->steps++;
    if (thing.kind == THING_UP) {
        play_start(play, thing.to);
    } else if (process->up && thing.to == END_SERVER && thing.kind != THING_TICK) {
        if (!is_cut(play, &thing)) take(play, &thing);
    } else if (process->up && thing.life == process->life) {
        if (play->now_ms >= process->stopped_ms) {
            take(play, &thing);
        } else { /* it reads this when it wakes, in the same order */
            thing.at_ms = process->stopped_ms;
            things_add(play, &thing);
        }
    }
    return true;
}

void play_init(struct fleet_play *play, uint64_t seed)
{
    static const uint64_t leases_ms[] = { 300, 3000, 30000 };

    *play = (struct fleet_play){ .prng = { seed }, .now_ms = 1000000 };
    play->lease_ms = leases_ms[prng_below(&play->prng, 3)];
    play->rough = prng_below(&play->prng, 3);
    play->work_ms = 1 + play->lease_ms * (1 + prng_below(&play->prng, 30)) / 10;
    fs_init(&play->server, play->lease_ms);
    play->saved = play->server;
    fleet_run_init(&play->run, seed);
}

void play_release(struct fleet_play *play)
{
    fleet_run_release(&play->run);
    free(play->things);
}
