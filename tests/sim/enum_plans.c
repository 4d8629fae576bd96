/* SPDX-License-Identifier: Apache-2.0
 *
 * enum_plans.c - everything that can happen to small plans, not a sample of it.
 *
 *   enum_plans [NAME [PATH]]      all plans; one; one path of it, as a trace
 *
 * From the start every move of moves.h is made, and from where it leads every move again. Two
 * histories that led to the same engine and the same world have the same future, so each pair is
 * gone on from once: with ids, attempts and the clock left aside (copy.h, world.h) there are only
 * finitely many, and the search ends when it has seen them all. Every sequence of moves, of any
 * length, is then a walk through what was seen.
 *
 * What bounds it: the plans are small (setups.c), and a sequence holds at most so many changes of
 * the tree, so many grants of more repairs (`continue`, or a resume after stuck), so many attempts
 * that are lost and so many tasks. Stops, crashes, resumes, stale events and every other end of
 * every attempt, in any order, are not bounded.
 *
 * 1. Safety and meaning: world_step() holds every step against the list in world.h.
 * 2. An event that must be ignored leaves the engine as it was.
 * 3. Liveness: from every state, with the faults off, the run is over within GOOD_STEPS_MAX steps,
 *    whether questions are answered with accept or with stop; or it is stuck, and all grants are
 *    spent.
 *
 * The search goes by breadth: a path that fails is as short as any. */
#include "copy.h"
#include "moves.h"
#include "setups.h"
#include "trace.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 2, PATH_MAX_MOVES = 512, GOOD_STEPS_MAX = 80, NO_STATE = UINT32_MAX };

/* A state that was seen: how it was reached first, and where the moves without a fault lead. */
struct state {
    uint64_t hash;
    uint32_t parent, depth;
    struct move move;
    uint32_t good[2]; /* NO_STATE: it is over */
};

/* A state that was not gone on from yet. */
struct front {
    struct engine engine;
    struct world world;
    uint32_t state;
};

struct search {
    const struct setup *setup;
    struct fixture fixture;
    struct state *states;
    uint32_t state_count, state_cap;
    uint32_t *slots; /* hash table of indexes into states, plus one */
    uint32_t slot_count;
    struct front **fronts;
    uint32_t front_count, front_cap, front_first;
    uint64_t steps;
    struct actions actions;
    struct path *path;
};

/* Where the search is, for the message of a failure. */
struct path {
    uint32_t setup, count;
    struct move moves[PATH_MAX_MOVES];
    uint64_t setups, states, steps; /* so far */
};

static void world_begin(struct world *world, const struct setup *setup, const struct plan *plan)
{
    const struct tasks *first = world_tasks(setup->first);

    world_init(world, plan, setup->tasks + (first ? first->sum : 0));
    world->tasks_first = setup->first;
    world->drifts_left = setup->drifts;
    world->grants_left = setup->grants;
    world->losts_left = setup->losts;
    world->tasks_max = setup->tasks;
    world->budget_first = setup->budget;
}

static void slots_grow(struct search *search)
{
    free(search->slots);
    search->slot_count = search->slot_count ? search->slot_count * 2 : 1 << 16;
    search->slots = mem_alloc(search->slot_count * sizeof *search->slots);
    for (uint32_t i = 0; i < search->state_count; i++) {
        uint32_t at = (uint32_t)search->states[i].hash & (search->slot_count - 1);

        while (search->slots[at]) at = (at + 1) & (search->slot_count - 1);
        search->slots[at] = i + 1;
    }
}

/* The state with this hash; it is new when *fresh. */
static uint32_t state_find(struct search *search, uint64_t hash, bool *fresh)
{
    uint32_t at;

    if (search->state_count * 2 >= search->slot_count) slots_grow(search);
    at = (uint32_t)hash & (search->slot_count - 1);
    while (search->slots[at]) {
        uint32_t found = search->slots[at] - 1;

        if (search->states[found].hash == hash) {
            *fresh = false;
            return found;
        }
        at = (at + 1) & (search->slot_count - 1);
    }
    *fresh = true;
    search->states = mem_grow(search->states, search->state_count, &search->state_cap,
                              sizeof *search->states);
    search->states[search->state_count] =
        (struct state){ .hash = hash, .parent = NO_STATE, .good = { NO_STATE, NO_STATE } };
    search->slots[at] = search->state_count + 1;
    return search->state_count++;
}

static void front_add(struct search *search, struct front *front)
{
    search->fronts = mem_grow(search->fronts, search->front_count, &search->front_cap,
                              sizeof(struct front *));
    search->fronts[search->front_count++] = front;
}

static void front_free(struct front *front)
{
    engine_release(&front->engine);
    world_release(&front->world);
    free(front);
}

static void path_note(struct search *search, uint32_t state, struct move last)
{
    struct path *path = search->path;
    uint32_t count = search->states[state].depth;

    if (count + 1 >= PATH_MAX_MOVES) world_fail("a path of %" PRIu32 " moves", count);
    path->count = count + 1;
    path->moves[count] = last;
    for (uint32_t i = state; count > 0; i = search->states[i].parent) {
        path->moves[--count] = search->states[i].move;
    }
}

static uint64_t hash_of(const struct engine *engine, const struct world *world)
{
    return world_hash(world, engine_hash(engine, 1));
}

/* Makes the move; the state it leads to. */
static uint32_t search_move(struct search *search, const struct front *from, struct move move)
{
    struct front *to = mem_alloc(sizeof *to);
    struct event event = move_event(&from->world, move);
    uint32_t found;
    bool fresh;

    search->path->moves[search->path->count - 1] = move;
    engine_copy(&to->engine, &from->engine);
    world_copy(&to->world, &from->world);
    engine_step(&to->engine, &event, &search->actions);
    search->steps++;
    moves_spend(&to->world, move);
    world_step(&to->world, &to->engine, &event, &search->actions);
    found = state_find(search, hash_of(&to->engine, &to->world), &fresh);
    if (fresh) {
        search->states[found].parent = from->state;
        search->states[found].depth = search->states[from->state].depth + 1;
        search->states[found].move = move;
        to->state = found;
        front_add(search, to);
    } else {
        front_free(to);
    }
    return found;
}

/* Events that must be ignored are tried on the engine itself: it must stay as it is. */
static void search_noise(struct search *search, struct front *from)
{
    struct move list[MOVES_MAX];
    uint32_t count = moves_noise(&from->world, 0, list);

    for (uint32_t i = 0; i < count; i++) {
        struct event event = move_event(&from->world, list[i]);

        search->path->moves[search->path->count - 1] = list[i];
        engine_step(&from->engine, &event, &search->actions);
        search->steps++;
        world_step(&from->world, &from->engine, &event, &search->actions);
    }
    if (hash_of(&from->engine, &from->world) != search->states[from->state].hash) {
        world_fail("1: an ignored event changed something");
    }
}

static void search_state(struct search *search, struct front *from)
{
    struct move list[MOVES_MAX], good;
    uint32_t count = moves_list(&from->world, list);

    path_note(search, from->state, (struct move){ .kind = MOVE_START });
    for (uint32_t i = 0; i < count; i++) search_move(search, from, list[i]);
    for (uint32_t i = 0; i < 2; i++) {
        if (!moves_good(&from->world, i == 0, &good)) continue;
        search->states[from->state].good[i] = search_move(search, from, good);
    }
    search_noise(search, from);
}

/* Every state's way without a fault must end, and soon. */
static uint32_t search_liveness(struct search *search, uint32_t which)
{
    uint32_t longest = 0;

    for (uint32_t i = 0; i < search->state_count; i++) {
        uint32_t steps = 0;

        for (uint32_t at = i; search->states[at].good[which] != NO_STATE; steps++) {
            if (steps == GOOD_STEPS_MAX) {
                path_note(search, i, (struct move){ .kind = MOVE_RESUME });
                search->path->count--;
                world_fail("no end in %" PRIu32 " steps without a fault", steps);
            }
            at = search->states[at].good[which];
        }
        if (steps > longest) longest = steps;
    }
    return longest;
}

static void search_begin(struct search *search, const struct setup *setup, struct path *path)
{
    struct front *first = mem_alloc(sizeof *first);
    bool fresh;

    *search = (struct search){ .setup = setup, .path = path };
    plans_make(&search->fixture, setup->kind, &setup->size);
    engine_init(&first->engine, &search->fixture.plan);
    world_begin(&first->world, setup, &search->fixture.plan);
    first->state = state_find(search, hash_of(&first->engine, &first->world), &fresh);
    front_add(search, first);
}

static void search_end(struct search *search)
{
    actions_release(&search->actions);
    free(search->fronts);
    free(search->states);
    free(search->slots);
}

static void run_setup(uint32_t index, struct path *path)
{
    struct search *search = mem_alloc(sizeof *search);
    uint32_t longest, depth;

    path->setup = index;
    search_begin(search, &setups[index], path);
    for (; search->front_first < search->front_count; search->front_first++) {
        search_state(search, search->fronts[search->front_first]);
        front_free(search->fronts[search->front_first]);
    }
    depth = search->states[search->state_count - 1].depth;
    longest = search_liveness(search, 0);
    if (search_liveness(search, 1) > longest) longest = search_liveness(search, 1);
    printf("%-24s %8" PRIu32 " states, %9" PRIu64 " steps, all sequences; the farthest state is "
           "%" PRIu32 " moves away, the end at most %" PRIu32 "\n", setups[index].name,
           search->state_count, search->steps, depth, longest);
    fflush(stdout);
    path->setups++;
    path->states += search->state_count;
    path->steps += search->steps;
    search_end(search);
    free(search);
}

/* "0.0.0.0,1.0.0.2": the moves of a path, as a failure prints them. */
static void path_write(const struct path *path, struct buf *out)
{
    for (uint32_t i = 0; i < path->count; i++) {
        const struct move *move = &path->moves[i];
        buf_printf(out, "%s%u.%u.%u.%u", i ? "," : "", move->kind, move->lane, move->job,
                   move->how);
    }
}

static struct move move_read(struct str text)
{
    struct str number;
    uint64_t part[4] = { 0 };

    for (uint32_t i = 0; i < 4 && str_cut(&text, '.', &number); i++) str_number(number, &part[i]);
    return (struct move){ (uint8_t)part[0], (uint8_t)part[1], (uint8_t)part[2], (uint8_t)part[3] };
}

static void show(struct buf *out)
{
    fputs(buf_cstr(out), stdout);
    fflush(stdout);
    buf_clear(out);
}

static void path_play(const struct setup *setup, const char *text)
{
    static struct fixture fixture;
    static struct world world;
    struct engine engine;
    struct actions actions = { .item = NULL };
    struct str rest = str_of(text), piece;
    struct buf out;

    plans_make(&fixture, setup->kind, &setup->size);
    engine_init(&engine, &fixture.plan);
    world_begin(&world, setup, &fixture.plan);
    buf_init(&out, 1 << 20);
    while (str_cut(&rest, ',', &piece)) {
        struct move move = move_read(piece);
        struct event event = move_event(&world, move);

        trace_event(&engine, &event, &out);
        show(&out);
        engine_step(&engine, &event, &actions);
        trace_actions(&fixture.plan, &actions, &out);
        show(&out);
        moves_spend(&world, move);
        world_step(&world, &engine, &event, &actions);
    }
    buf_release(&out);
    actions_release(&actions);
    engine_release(&engine);
    world_release(&world);
}

/* How to repeat it, and its trace; it ends as it did before, in a process of its own. */
static void path_tell(const char *program, const struct path *path)
{
    const struct setup *setup = &setups[path->setup];
    struct buf out;
    pid_t child;

    buf_init(&out, 1 << 20);
    path_write(path, &out);
    fprintf(stderr, "repeat it with: %s %s %s\n", program, setup->name, buf_cstr(&out));
    child = fork();
    if (child == 0) {
        path_play(setup, buf_cstr(&out));
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
    buf_release(&out);
}

/* Under the sanitizers: the large ones, and three of four of the rest. */
static bool is_left_out(uint32_t setup)
{
    return getenv("HONE_TEST_SHORT") && (setups[setup].large || setup % 4);
}

/* Each process takes the next setup that no other has. */
static bool run_all(struct path *paths, uint32_t first, uint32_t end, const char *program)
{
    uint32_t *next = &paths[PROCESSES].setup;
    pid_t child[PROCESSES];
    bool good = true;

    *next = first;

    for (uint32_t i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] < 0) return false;
        if (child[i] > 0) continue;
        for (uint32_t mine; (mine = __atomic_fetch_add(next, 1, __ATOMIC_SEQ_CST)) < end;) {
            if (is_left_out(mine)) continue;
            run_setup(mine, &paths[i]);
        }
        _exit(0);
    }
    for (uint32_t i = 0; i < PROCESSES; i++) {
        int status;

        if (waitpid(child[i], &status, 0) == child[i] && status == 0) continue;
        path_tell(program, &paths[i]);
        good = false;
    }
    return good;
}

int main(int argc, char **argv)
{
    struct path *paths = mmap(NULL, (PROCESSES + 1) * sizeof *paths, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint32_t count = 0, named;

    if (paths == MAP_FAILED) return 1;
    while (setups[count].name) count++;
    named = count;
    for (uint32_t i = 0; argc > 1 && i < count; i++) {
        if (strcmp(argv[1], setups[i].name) == 0) named = i;
    }
    if (argc > 1 && named == count) {
        fprintf(stderr, "%s: no such plan: %s\n", argv[0], argv[1]);
        return 2;
    }
    if (argc > 2) {
        path_play(&setups[named], argv[2]);
        return 0;
    }
    if (!run_all(paths, argc > 1 ? named : 0, argc > 1 ? named + 1 : count, argv[0])) {
        return 1;
    }
    printf("%" PRIu64 " plans, %" PRIu64 " states, %" PRIu64 " steps: every sequence of events\n",
           paths[0].setups + paths[1].setups, paths[0].states + paths[1].states,
           paths[0].steps + paths[1].steps);
    return 0;
}
