/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_fleet.c - whole runs over a fleet, by the thousand, each made from a seed.
 *
 *   sim_fleet [-v] [COUNT] [FIRST_SEED]
 *
 * A seed chooses a run, a lease, how rough the network is, and what goes wrong and when. The run is
 * played on one machine first. Then it is played over the fleet; after a while nothing goes wrong
 * any more, and it must come to the same end (fleet_play.h has all that must hold). */
#include "fleet_play.h"
#include "seeds.h"
#include "world.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAOS_LEASES = 20, CALM_LEASES = 40, END_LEASES = 8, TEXT_BYTES_MAX = 1 << 16 };

enum mishap {
    MISHAP_KILL,
    MISHAP_KILL_AGAIN, /* it is twice as likely */
    MISHAP_SLEEP,
    MISHAP_CUT,
    MISHAP_POWER,
    MISHAP_COUNT
};

struct fleet_tally {
    uint64_t runs, begun, lost, steps, filled, acts[MISHAP_COUNT];
};

static void server_returns(struct fleet_play *play)
{
    play_start_later(play, END_SERVER, 1 + prng_below(&play->prng, (uint32_t)play->lease_ms));
}

/* One thing that goes wrong. */
static enum mishap mishap(struct fleet_play *play)
{
    struct prng *prng = &play->prng;
    enum mishap what = (enum mishap)prng_below(prng, MISHAP_COUNT);
    uint32_t end = prng_below(prng, END_COUNT);
    uint64_t for_ms = prng_below(prng, (uint32_t)(4 * play->lease_ms));

    if (what == MISHAP_POWER && !prng_chance(prng, 30)) what = MISHAP_KILL;
    switch (what) {
    case MISHAP_KILL:
    case MISHAP_KILL_AGAIN:
        play_kill(play, end);
        if (end != END_SERVER) break;
        fs_killed(&play->server, prng, play->now_ms);
        server_returns(play);
        break;
    case MISHAP_SLEEP: play_stop(play, end, for_ms); break;
    case MISHAP_CUT: play_cut(play, END_LINKS + prng_below(prng, PLAY_WORKERS), for_ms); break;
    case MISHAP_POWER:
        play_power_cut(play);
        server_returns(play);
        break;
    case MISHAP_COUNT: break;
    }
    return what;
}

static void calm(struct fleet_play *play)
{
    play_trace(play, "nothing goes wrong any more");
    play->rough = 0;
    play->full_ms = 0;
    for (uint32_t i = 0; i < END_COUNT; i++) play->processes[i].cut_ms = 0;
    play_start_later(play, END_SERVER, 1);
}

static void step(struct fleet_play *play)
{
    if (!play_step(play)) world_fail("6: nothing happens any more");
    play_agents_check(play);
}

static void chaos(struct fleet_play *play, struct fleet_tally *tally)
{
    struct prng filling = { play->prng.state };
    uint64_t until_ms = play->now_ms +
                        prng_below(&play->prng, (uint32_t)(CHAOS_LEASES * play->lease_ms));
    uint64_t next_ms = play->now_ms;

    while (play->now_ms < until_ms && !play->over) {
        step(play);
        if (play->now_ms < next_ms) continue;
        tally->acts[mishap(play)]++;
        if (prng_chance(&filling, 15)) {
            play_fill(play, prng_below(&filling, (uint32_t)(4 * play->lease_ms)));
            tally->filled++;
        }
        next_ms = play->now_ms + prng_below(&play->prng, (uint32_t)(2 * play->lease_ms));
    }
}

/* Law 6: something comes to the journal again and again. */
static void to_the_end(struct fleet_play *play)
{
    uint64_t patience_ms = CALM_LEASES * play->lease_ms + 2 * play->work_ms + 20000;
    uint64_t last_ms = play->now_ms;
    uint32_t count = play->run.journal_count;

    while (!play->over) {
        step(play);
        if (play->run.journal_count != count) {
            count = play->run.journal_count;
            last_ms = play->now_ms;
        }
        if (play->now_ms <= last_ms + patience_ms) continue;
        play_show(play);
        world_fail("6: the run does not go on");
    }
}

/* Law 8. */
static void rest(struct fleet_play *play)
{
    uint64_t until_ms = play->now_ms + END_LEASES * play->lease_ms + 10000;

    while (play->now_ms < until_ms) step(play);
    if (play_agents(play) > 0) world_fail("8: an agent outlives the run");
    for (uint32_t i = 0; i < PLAY_WORKERS; i++) {
        if (play->workers[i].shared.held > 0) world_fail("8: a slot is held");
    }
}

static void run_seed(struct fleet_play *play, uint64_t seed, bool verbose,
                     struct fleet_tally *tally)
{
    struct fleet_run *here = mem_alloc(sizeof *here);
    struct buf there, expected;

    buf_init(&there, TEXT_BYTES_MAX);
    buf_init(&expected, TEXT_BYTES_MAX);
    memset(here, 0, sizeof *here);
    fleet_run_init(here, seed);
    fleet_run_here(here);
    fleet_run_print(here, &expected);
    play_init(play, seed);
    play->verbose = verbose;
    play_start(play, END_SERVER);
    play_start(play, END_DRIVER);
    for (uint32_t i = 0; i < PLAY_WORKERS; i++) play_start(play, END_WORKERS + i);
    chaos(play, tally);
    calm(play);
    to_the_end(play);
    rest(play);
    fleet_run_print(&play->run, &there);
    if (strcmp(buf_cstr(&there), buf_cstr(&expected)) != 0) {
        world_fail("7: here\n%sthere\n%s", buf_cstr(&expected), buf_cstr(&there));
    }
    tally->runs++;
    tally->begun += play->begun;
    tally->lost += play->lost;
    tally->steps += play->steps;
    buf_release(&there);
    buf_release(&expected);
    play_release(play);
    fleet_run_release(here);
    free(here);
}

static void run(void *tally, uint64_t *seed, uint64_t first, uint64_t count, uint64_t stride,
                bool verbose)
{
    struct fleet_play *play = mem_alloc(sizeof *play);

    for (uint64_t i = 0; i < count; i += stride) {
        *seed = first + i;
        run_seed(play, *seed, verbose, tally);
    }
    free(play);
}

static void say(const void *counts)
{
    const struct fleet_tally *tally = counts;

    printf("%" PRIu64 " runs, %" PRIu64 " agents begun, %" PRIu64 " attempts lost, %" PRIu64
           " steps; %" PRIu64 " processes killed, %" PRIu64 " stopped, %" PRIu64
           " links cut, %" PRIu64 " power cuts, %" PRIu64 " times full\n", tally->runs,
           tally->begun, tally->lost,
           tally->steps, tally->acts[MISHAP_KILL] + tally->acts[MISHAP_KILL_AGAIN],
           tally->acts[MISHAP_SLEEP], tally->acts[MISHAP_CUT], tally->acts[MISHAP_POWER],
           tally->filled);
}

int main(int argc, char **argv)
{
    return seeds_main(&(struct seeds){ .tally_bytes = sizeof(struct fleet_tally), .run = run,
                                       .say = say, .count = 20000, .count_short = 1000 },
                      argc, argv);
}
