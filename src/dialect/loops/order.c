/* SPDX-License-Identifier: Apache-2.0
 *
 * order.c - which task is built when.
 *
 *     group 1, wave 1 | group 1, wave 2 | group 2, wave 1 | ...
 *
 * A task's wave is one behind the latest it depends on in its group. Tasks that are done, and
 * those of an earlier group, are merged before it begins anyway.
 *
 * 1. Every task that is not done gets a lane; lanes count up over waves, and in a wave in the
 *    order of the list.
 * 2. No task is in a wave with one it depends on, or before it.
 * 3. Work is linear in tasks and dependencies, and no call goes deeper for a longer chain. */
#include "dialect/loops/loops.h"

#include "base/text_map.h"

#include <assert.h>
#include <stdlib.h>

enum { CIRCLE_SHOWN_MAX = 8 };

/* What ordering knows of a task. */
struct place {
    uint32_t left;  /* tasks it depends on that have no place yet */
    uint32_t wave;  /* in its group, from 0 */
    uint32_t head;  /* of the list of those that depend on it, among edges; 0: none */
    bool settled;
};

struct edge {
    uint32_t task; /* that waits */
    uint32_t next;
};

struct ordering {
    struct loops_tasks *tasks;
    uint32_t first;
    struct text_map ids;   /* to their indexes */
    struct place *places;
    struct edge *edges;    /* from 1 */
    uint32_t edge_count;
    struct arena *arena;
};

/* "login", with the line where it has one. */
static const char *shown(const struct loops_task *task, struct arena *arena)
{
    if (task->line == 0) return task->id;
    return arena_printf(arena, "%s (line %u)", task->id, (unsigned)task->line);
}

/* MAP_NONE: there is no such task. */
static uint32_t index_of(struct ordering *order, const char *id)
{
    return *text_map_put(&order->ids, str_of(id), NULL);
}

static int take_ids(struct ordering *order, struct err *err)
{
    struct loops_tasks *tasks = order->tasks;

    for (uint32_t i = 0; i < tasks->count; i++) {
        const struct loops_task *task = &tasks->items[i];
        uint32_t *index = text_map_put(&order->ids, str_of(task->id), NULL);

        if (*index != MAP_NONE) {
            return err_set(err, ERR_FORMAT, "two tasks are called %s%s", task->id,
                           task->line ? arena_printf(order->arena, ": lines %u and %u",
                                                     (unsigned)tasks->items[*index].line,
                                                     (unsigned)task->line) : "");
        }
        *index = i;
    }
    return 0;
}

/* Whether a task is merged before any of this list begins. */
static bool is_behind(const struct ordering *order, uint32_t index)
{
    return index < order->first || order->tasks->items[index].done;
}

static int take_need(struct ordering *order, uint32_t index, const char *need, struct err *err)
{
    const struct loops_task *task = &order->tasks->items[index];
    uint32_t found = index_of(order, need);
    struct edge *edge;

    if (found == MAP_NONE) {
        return err_set(err, ERR_FORMAT, "%s depends on %s, which is not in the list",
                       shown(task, order->arena), need);
    }
    if (is_behind(order, found)) return 0;
    edge = &order->edges[++order->edge_count];
    *edge = (struct edge){ .task = index, .next = order->places[found].head };
    order->places[found].head = order->edge_count;
    order->places[index].left++;
    return 0;
}

static int take_needs(struct ordering *order, struct err *err)
{
    const struct loops_tasks *tasks = order->tasks;
    uint32_t edges = 0;
    int rc = 0;

    for (uint32_t i = order->first; i < tasks->count; i++) edges += tasks->items[i].need_count;
    order->places = arena_alloc(order->arena, (tasks->count + 1) * sizeof *order->places);
    order->edges = arena_alloc(order->arena, (edges + 1) * sizeof *order->edges);
    for (uint32_t i = order->first; i < tasks->count && rc == 0; i++) {
        const struct loops_task *task = &tasks->items[i];

        if (task->done) continue;
        for (uint32_t k = 0; k < task->need_count && rc == 0; k++) {
            rc = take_need(order, i, task->needs[k], err);
        }
    }
    return rc;
}

/* Tasks whose dependencies all have a place get theirs, until none is left; how many got one. */
static uint32_t settle(struct ordering *order)
{
    const struct loops_tasks *tasks = order->tasks;
    uint32_t *queue = arena_alloc(order->arena, (tasks->count + 1) * sizeof *queue);
    uint32_t count = 0;

    for (uint32_t i = order->first; i < tasks->count; i++) {
        if (!tasks->items[i].done && order->places[i].left == 0) queue[count++] = i;
    }
    for (uint32_t at = 0; at < count; at++) {
        struct place *place = &order->places[queue[at]];

        place->settled = true;
        for (uint32_t e = place->head; e != 0; e = order->edges[e].next) {
            uint32_t next = order->edges[e].task;
            struct place *later = &order->places[next];

            if (tasks->items[next].group_number == tasks->items[queue[at]].group_number &&
                later->wave <= place->wave) {
                later->wave = place->wave + 1;
            }
            if (--later->left == 0) queue[count++] = next;
        }
    }
    return count;
}

/* A task that this one waits for and that has no place. */
static uint32_t waits_for(struct ordering *order, uint32_t index)
{
    const struct loops_task *task = &order->tasks->items[index];

    for (uint32_t i = 0; i < task->need_count; i++) {
        uint32_t need = index_of(order, task->needs[i]);
        if (!is_behind(order, need) && !order->places[need].settled) return need;
    }
    assert(!"a task without a place waits for one without");
    return index;
}

/* A task without a place waits for another one without: the way ends in a circle. */
static int circle(struct ordering *order, struct err *err)
{
    const struct loops_tasks *tasks = order->tasks;
    uint32_t *seen = arena_alloc(order->arena, (tasks->count + 1) * sizeof *seen);
    uint32_t at = order->first, count = 0;
    struct buf names;
    int rc;

    while (tasks->items[at].done || order->places[at].settled) at++;
    for (; seen[at] == 0; at = waits_for(order, at)) seen[at] = 1;
    buf_init(&names, ERR_TEXT_BYTES);
    for (uint32_t start = at; count == 0 || at != start; at = waits_for(order, at), count++) {
        if (count == CIRCLE_SHOWN_MAX) buf_text(&names, "... -> ");
        if (count < CIRCLE_SHOWN_MAX) {
            buf_printf(&names, "%s -> ", shown(&tasks->items[at], order->arena));
        }
    }
    buf_text(&names, tasks->items[at].id);
    rc = err_set(err, ERR_FORMAT, "tasks depend on each other in a circle: %s",
                 buf_cstr(&names));
    buf_release(&names);
    return rc;
}

/* A dependency on a task of a later group would never be met. */
static int check_groups(struct ordering *order, struct err *err)
{
    const struct loops_tasks *tasks = order->tasks;

    for (uint32_t i = order->first; i < tasks->count; i++) {
        const struct loops_task *task = &tasks->items[i];

        for (uint32_t k = 0; k < task->need_count && !task->done; k++) {
            uint32_t index = index_of(order, task->needs[k]);
            const struct loops_task *need = &tasks->items[index];

            if (is_behind(order, index) || need->group_number <= task->group_number) continue;
            return err_set(err, ERR_FORMAT, "%s depends on %s, whose group '%s' is built after its "
                           "own: put that group first", shown(task, order->arena),
                           shown(need, order->arena), need->group);
        }
    }
    return 0;
}

struct sorted {
    uint32_t group, wave, index;
};

static int compare_sorted(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;

    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->wave != b->wave) return a->wave < b->wave ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static uint32_t give_lanes(const struct ordering *order, uint32_t lane, uint32_t *waves)
{
    struct loops_tasks *tasks = order->tasks;
    struct sorted *all = arena_alloc(order->arena, (tasks->count + 1) * sizeof *all);
    uint32_t count = 0, wave_count = 0;

    for (uint32_t i = order->first; i < tasks->count; i++) {
        tasks->items[i].lane = 0;
        if (tasks->items[i].done) continue;
        all[count++] = (struct sorted){ tasks->items[i].group_number, order->places[i].wave, i };
    }
    if (count > 0) qsort(all, count, sizeof *all, compare_sorted);
    for (uint32_t i = 0; i < count; i++) {
        bool same = i > 0 && all[i].group == all[i - 1].group && all[i].wave == all[i - 1].wave;

        if (!same) waves[wave_count++] = 0;
        waves[wave_count - 1]++;
        tasks->items[all[i].index].lane = lane++;
    }
    return wave_count;
}

int tasks_order(struct loops_tasks *tasks, uint32_t first, uint32_t lane_first,
                struct arena *arena, const uint32_t **waves, uint32_t *wave_count,
                struct err *err)
{
    struct ordering order = { .tasks = tasks, .first = first, .arena = arena };
    uint32_t open = 0, *sizes;
    int rc = take_ids(&order, err);

    for (uint32_t i = first; i < tasks->count; i++) open += !tasks->items[i].done;
    if (rc == 0) rc = take_needs(&order, err);
    if (rc == 0 && settle(&order) < open) rc = circle(&order, err);
    if (rc == 0) rc = check_groups(&order, err);
    text_map_release(&order.ids);
    if (rc != 0) return rc;
    sizes = arena_alloc(arena, (open + 1) * sizeof *sizes);
    *wave_count = give_lanes(&order, lane_first, sizes);
    *waves = sizes;
    return 0;
}
