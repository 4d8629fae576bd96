/* SPDX-License-Identifier: Apache-2.0
 *
 * world.h - what the engine's wishes would do outside, and what they ought to be.
 *
 * The world keeps the attempts that are really alive, and of each lane what is due next by the
 * rules of the plan. world_step() holds the engine's actions against both. It is a second telling
 * of the rules, from the outside: it sees events and actions and nothing of the engine's state,
 * but for one look at which jobs the engine counts as running.
 *
 * What must hold, in every step of every run:
 *
 *   safety
 *    1. An event that does not fit is ignored; every other one is answered, and the first action
 *       is to record.
 *    2. Nothing starts before the start, while stopping, or after the finish.
 *    3. The attempts alive are those the engine counts. A job has at most one; attempts count up.
 *    4. A run that finished has nothing alive; exactly one finish, and it comes last.
 *    5. A stop reaches every attempt that is alive, and nothing else is ever stopped.
 *    6. Repairs stay within the bound and what users granted; iterations within theirs.
 *    7. Only good answers complete a batch: nothing follows a dead reviewer but a resume.
 *    8. At most lane_max lanes of tasks are active; one at most integrates, in order of the tasks,
 *       when all of the group have passed; a group begins when the one before is merged. No lane
 *       is reviewed in the iteration that it was in when a checkpoint became due.
 *    9. A delivery starts only while every stage it needs was minted after the last change.
 *   meaning
 *   10. What a batch's answers call for is what starts, is asked, or ends the run: no more, no
 *       less, by the right role, in the right phase, round and iteration.
 *   11. An invalid or failed attempt is tried again exactly within its allowance, not too early.
 *   12. A resume starts what was not done, and nothing that was, unless its tree has changed.
 *   13. A lane that may start does start while there is a place for it, the first that waits first;
 *       and a checkpoint begins as soon as the iterations that it waits for have ended.
 *   14. The reason of the end is the right one: clean only if the last gate passed.
 *   15. An agent starts only while the budget has room for it, and an agent that is due and does
 *       not start had none: used, reserved and expected are counted here again. After that no agent
 *       starts until a resume or an answer opens the run again. Calls never pass their limit.
 *   16. When it is used up, what waits for its time is told to end, and where the budget says so,
 *       what runs; no other agent.
 *   17. An attempt that was lost says nothing of its agent. It is asked for again in the same step
 *       and at once, whatever is left of its allowance, and uses up none of it. Only the fifth
 *       running that is lost leaves the job dead; any other end of an attempt, and a resume, begin
 *       that count anew. It is asked for again only where 15 has room for it, and not where it was
 *       told to end or the run stops: then a resume does that. What is known of its costs counts as
 *       used, and changes nothing of what an agent is expected to use.
 *
 * What breaks one of them ends the process, with a message. */
#ifndef HONE_TESTS_SIM_WORLD_H
#define HONE_TESTS_SIM_WORLD_H

#include "core/engine.h"
#include "plans.h"

enum { WORLD_TASKS = 64, WORLD_JOBS = 8, TASKS_GROUPS = 4 };
enum { WORLD_LOSTS = 5 }; /* so many running that are lost leave a job dead */

/* Lists of tasks that a run may begin with or be given: the sizes of their groups. */
struct tasks {
    uint32_t sizes[TASKS_GROUPS];
    uint32_t count, sum;
};

enum wjob_state { WJOB_LIVE, WJOB_DONE, WJOB_DEAD, WJOB_HALTED };

struct wjob {
    uint32_t id, attempt;
    uint16_t role;
    uint8_t state;
    uint8_t verdict;
    uint8_t invalid_left, failed_left;
    uint8_t losts;   /* attempts of it that were lost running, up to the newest */
    uint8_t again;   /* it must be started again */
    uint8_t told;    /* it was told to end */
    uint8_t tainted; /* its tree was changed while it read: its answer must not count */
    uint8_t complete, stuck, grave;
    uint8_t fix_groups, fix_alone;
    uint8_t tasks;   /* new groups of tasks: 0, or the number of their list */
    uint32_t held_cost, held_tokens; /* expected of it, while it lives */
    uint64_t begins_ms;              /* not before this */
};

enum due_kind {
    DUE_NOTHING,
    DUE_JOBS, /* a new batch: purpose, phase, count */
    DUE_AGAIN /* jobs of the batch there is: those marked */
};

struct wlane {
    struct wjob jobs[WORLD_JOBS]; /* the batch asked for last */
    uint8_t count, purpose, phase, round;
    uint8_t acted;                /* what it led to has happened */
    uint8_t due, due_purpose, due_phase, due_count, due_done;
    uint8_t ask_due;              /* a question that must be put in this step */
    uint8_t question;
    uint8_t mints, noted;
    uint8_t stale;                /* its tree was changed since its last review began */
    uint8_t passed, merged, resting, held, worked, fanning;
    uint8_t runs, checked;
    uint8_t iterating;            /* it works, or repairs */
    uint8_t awaited;              /* by the checkpoint that is due, until its iteration ends */
    uint8_t looked;               /* a checkpoint was due since that ended: its review counts */
    uint8_t fix_groups;           /* of its newest review or integration ... */
    uint8_t fix_alone;            /* ... and how many of them wait for all others */
    uint8_t fixed;                /* those that the repair at work is behind, or at */
    uint8_t grave[FIXTURE_PHASES]; /* rounds running with the finding that is always the same */
    uint8_t rounds[FIXTURE_PHASES], repairs[FIXTURE_PHASES];
    uint8_t granted[FIXTURE_PHASES];
};

/* What attempts have used, of one role or of all agents. */
struct wcosts {
    uint32_t ends, cost, tokens;
};

struct wspend {
    uint64_t cost, tokens, active_ms, calls;
    uint64_t held_cost, held_tokens;
    struct wcosts by_role[FIXTURE_ROLES]; /* of ROLE_NONE those of all */
};

struct world {
    const struct plan *plan;
    uint64_t now_ms;
    struct budget budget;
    struct wspend spend;
    uint32_t job_last;
    uint32_t retry_id;       /* must be tried again in this step, ... */
    uint64_t retry_at_ms;    /* ... not before this */
    uint8_t state, reason, over;
    uint8_t spent, cut;      /* no agent starts; something is used up */
    uint8_t iteration;
    uint8_t checkpoint_due;
    uint8_t lane_count, lane_cap;
    uint8_t drifts_left, grants_left; /* for who explores: such moves that may still be made */
    uint8_t losts_left;               /* likewise */
    uint8_t tasks_max;                /* likewise: tasks of all groups together that are named */
    uint8_t tasks_first;              /* and the list it begins with, as in wjob */
    struct budget budget_first;       /* likewise its budget */
    uint8_t group, group_count, groups[WORLD_TASKS];
    struct wlane *lanes;              /* lane_cap of them */
};

/* A world in which nothing has begun, with room for `tasks` tasks. */
void world_init(struct world *world, const struct plan *plan, uint32_t tasks);
void world_release(struct world *world);

/* Whether the engine must ignore the event. */
bool world_ignores(const struct world *world, const struct event *event);

/* The step the engine has just done: it must be right, and so must the world be after it. */
void world_step(struct world *world, const struct engine *engine, const struct event *event,
                const struct actions *actions);

/* The list of that number, from 1 on, or NULL; and back: 0 where the result names no tasks. */
const struct tasks *world_tasks(uint32_t number);
uint8_t world_tasks_number(const struct result *result);

uint32_t world_live(const struct world *world);
struct wjob *world_job(struct world *world, uint32_t id, struct wlane **lane);

_Noreturn void world_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
