/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.h - what is to be built, as a list of tasks: read, checked, put in order.
 *
 * A list comes from a file of the user, or from an agent:
 *
 *     {"tasks":[{"id":"login","title":"Add the form","description":"...","group":"web",
 *                "depends_on":["db"]}]}
 *
 *     ## web
 *     - [ ] login: Add the form - with a test for an empty name
 *       depends_on: db
 *     - [x] db: this one is done
 *
 * Groups are built one after the other, in the order they first appear in. A task that depends on
 * another of its group begins when that one is merged: a group is split into waves, and a wave is
 * what the engine calls a group. */
#ifndef HONE_DIALECT_LOOPS_TASKS_H
#define HONE_DIALECT_LOOPS_TASKS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    TASKS_MAX = 10000,
    TASK_ID_BYTES_MAX = 100,
    TASK_TITLE_BYTES_MAX = 300,
    TASK_NEEDS_MAX = 1000, /* of one task */
    TASK_TEXT_BYTES_MAX = 256 * 1024,
};

struct loops_task {
    const char *id;
    const char *title;        /* one line */
    struct str text;          /* what it says beyond its title; may be empty */
    const char *group;        /* as it is called, for people; "" where it has no name */
    uint32_t group_number;    /* which of the groups, from 1 */
    const char **needs;       /* ids */
    uint32_t need_count;
    uint32_t line;            /* of a checklist; else 0 */
    bool done;                /* ticked: nothing is to be built */
    uint32_t lane;            /* its number in the run, from 1; 0: none yet, or done */
};

/* Everything lives in the arena it was made with. */
struct loops_tasks {
    struct loops_task *items;
    uint32_t count, cap;
};

/* A user's file: JSON where it begins with a brace, else a checklist. ERR_FORMAT names what is
 * wrong by its path or line; ERR_LIMIT. Tasks without an id get one. */
int tasks_read(struct str text, struct arena *arena, struct loops_tasks *out, struct err *err);

/* One of the two. */
int tasks_read_json(struct str text, struct arena *arena, struct loops_tasks *out,
                    struct err *err);
int tasks_read_checklist(struct str text, struct arena *arena, struct loops_tasks *out,
                         struct err *err);

/* For readers: an empty task behind the others, or NULL with ERR_LIMIT. */
struct loops_task *tasks_add(struct loops_tasks *tasks, struct arena *arena, struct err *err);
/* A text as a title, a group or the like: one line, no control characters, valid, bounded. */
const char *task_line(struct str text, size_t bytes_max, struct arena *arena);
bool task_id_is_valid(struct str id);
/* Gives ids to the tasks that have none, made of their titles. */
void tasks_name(struct loops_tasks *tasks, struct arena *arena);

/* Puts tasks[first..] into groups and waves and gives them lanes from lane_first on; those before
 * `first` count as done. *waves are the sizes, in order. ERR_FORMAT for two tasks with one id, a
 * task that depends on one that is not there, or on one of a later group, and for a circle. */
int tasks_order(struct loops_tasks *tasks, uint32_t first, uint32_t lane_first,
                struct arena *arena, const uint32_t **waves, uint32_t *wave_count,
                struct err *err);

/* The task with that id or lane; NULL: none. */
const struct loops_task *tasks_find(const struct loops_tasks *tasks, struct str id);
const struct loops_task *tasks_of_lane(const struct loops_tasks *tasks, uint32_t lane);

/* The list as tasks_read_json() takes it, with lanes and what is done. */
void tasks_write(const struct loops_tasks *tasks, struct buf *out);

#endif
