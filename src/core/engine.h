/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.h - a run as a pure machine: events in, an ordered list of actions out.
 *
 * The structs are open to read: drivers and dialects look at them for prompts, files and
 * displays. Only engine_step() changes them.
 *
 * Room: the decisions. Events go in, ordered actions come out. No clock, no file, no process, and
 * no name of a dialect or a role. */
#ifndef HONE_CORE_ENGINE_H
#define HONE_CORE_ENGINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "core/event.h"
#include "core/ledger.h"
#include "core/plan.h"

enum { NO_LANE = UINT32_MAX };

enum job_state {
    JOB_RUNNING, /* an attempt was asked for and has not ended */
    JOB_DONE,    /* result holds its answer */
    JOB_DEAD,    /* it used up its allowance; result says why */
    JOB_HALTED,  /* ended by us, or not started for want of budget; the resume starts it */
};

/* One answer that is wanted, over one or more attempts. */
struct job {
    uint32_t id;      /* counts up over the whole run, from 1 */
    uint32_t attempt; /* the newest; counts up over resumes too, from 1. 0: none was started */
    uint16_t role;
    enum purpose purpose;
    uint32_t copy;    /* 1..n; 0 for the one that joins */
    enum job_state state;
    uint32_t invalid_left, failed_left, lost_left;
    uint64_t started_ms, ended_ms; /* of the newest attempt: asked for, and ended */
    struct amounts reserved; /* of the budget, while it runs: spend.c */
    bool told;        /* to end */
    struct result result; /* of JOB_DONE and JOB_DEAD, and of the attempt before this one; where
                             that was lost, of an invalid one before it */
};

/* Jobs that were asked for together and end together. */
struct batch {
    struct job *jobs;
    uint32_t count, cap;
    uint32_t phase, iteration, round;
    uint32_t eye;       /* of a review where the gate has a policy: whose look it is, ... */
    bool held;          /* ... only those were asked that look first, ... */
    bool recheck;       /* ... that of the checker at the last repair and what is open, and ... */
    uint8_t floor;      /* ... what is less grave is noted */
    struct arena arena; /* the texts of their results */
};

enum lane_state {
    LANE_WAITING,     /* for a place among lane_max */
    LANE_WORKING,
    LANE_JOINING,
    LANE_HELD,        /* between two iterations, until a checkpoint can begin */
    LANE_CHECKING,    /* the checkpoint itself */
    LANE_REVIEWING,
    LANE_REPAIRING,
    LANE_FINISHING,   /* what follows a repair */
    LANE_FANNING,     /* the main lane, while its tasks' lanes walk */
    LANE_PASSED,      /* waits for its group */
    LANE_INTEGRATING,
    LANE_MERGED,
    LANE_STUCK,
    LANE_ASKING,      /* the user has a question to answer */
    LANE_OVER,        /* the main lane, after its last phase or at a stop */
    LANE_STATE_COUNT
};

/* What a task's lane is doing, as census.c counts it. A lane can be several of these. */
enum census {
    CENSUS_ACTIVE,  /* it holds one of lane_max places */
    CENSUS_WRITING, /* and an iteration of it is going on, for which a checkpoint waits */
    CENSUS_LATE,    /* likewise; but it began while the checkpoint was due, and is not waited for */
    CENSUS_QUEUED,  /* it waits for a place: to begin, or to start again what was cut off */
    CENSUS_HELD,
    CENSUS_PASSED,
    CENSUS_MERGED,
    CENSUS_INTEGRATING,
    CENSUS_COUNT
};

/* How often a phase was tried by a lane in this iteration. */
struct tally {
    uint32_t rounds;  /* reviews begun */
    uint32_t repairs; /* repairs completed */
    uint32_t granted; /* repairs the user allowed beyond the bound */
    bool partial;     /* it passed, and there are files that its review could not look at */

    /* Where the gate has a policy: policy.c. */
    uint32_t looked;  /* looks begun */
    uint32_t looked_here; /* of these at the tree as it is now */
    uint32_t broken;  /* reviews that ended with those that look first: it did not build */
    bool look_more;   /* one more look is owed ... */
    uint32_t looks_more; /* ... so many were: reviews that no repair lies before */
    bool given;       /* it began with findings that were given: what follows is rechecked */
    uint32_t grave;   /* grave findings that were accepted so far */
    uint32_t weight;  /* of what the newest review left open */
    uint32_t rising;  /* reviews running in which it did not get less, by the repairs' doing */
    uint32_t unreviewed; /* repairs that no review was of: taken back, or they changed nothing */
    enum reason end;  /* of the newest time it passed; REASON_NONE: as reviewers said */
};

/* What a gate's test says of a tree. */
enum proof_state { PROOF_UNKNOWN, PROOF_HOLDS, PROOF_FAILS };
enum { PROOF_BEFORE = 1, PROOF_AFTER = 2 }; /* the copy of its job: before a repair, after it */

/* A finding that keeps coming back. */
struct repeat {
    uint32_t phase; /* whose gate it is */
    uint64_t fingerprint;
    uint32_t rounds; /* of that gate, running, the newest included */
};

struct lane {
    uint32_t id;    /* 0 is the main lane; a task's lane is its task's number, from 1 */
    uint32_t group; /* of a task's lane */
    enum lane_state state;
    uint32_t phase;
    uint32_t runs;    /* of repeated work that ended */
    uint32_t granted; /* runs that a resume allowed beyond the bound */
    uint32_t checked; /* its iterations that the newest checkpoint looked at: fan.c */
    uint32_t begun;   /* engine.checkpoints when its newest iteration began */
    uint32_t mints;
    bool noted;   /* findings were passed over and no gate has passed since */
    bool partial; /* a task's lane that was merged has passed a gate that is partial */
    enum reason merged_end; /* the worst tally.end of the tasks' lanes that were merged */
    bool drifted; /* its tree was changed from outside of the run since the last review began */
    bool conflict; /* what it repairs is a conflict of integration, not a review's finding */
    bool parked;   /* it has jobs to start again, and waits for a place */
    bool moved;    /* something of it changed in the step at work ... */
    uint32_t moved_next; /* ... and likewise of this one; NO_LANE ends the chain */
    uint8_t census; /* bits of enum census, as they were counted last */
    uint64_t touched; /* the newest step that changed something of it: see engine.steps */
    enum question question;
    enum proof_state proof; /* of the tree, as it was when that was last looked at */
    struct tally *tallies;  /* one per phase */
    struct batch now;       /* what is asked for; the last of each kind that completed: */
    struct batch work, review, repair;
    struct batch known;     /* what those that look first said of the tree as it is; empty: none */
    struct repeat *repeats;
    uint32_t repeat_count, repeat_cap;
    uint32_t round_last;    /* number in engine.rounds of its newest review, and one; 0: none */
    struct kept_doc *docs;  /* what was said in its phases: keep.c */
    uint32_t doc_count, doc_cap;
};

/* A line of the run's history: one review and what came of it. */
struct round {
    uint32_t lane, phase, iteration, number;
    uint64_t started_ms, ended_ms, repaired_ms; /* 0: not yet, or not at all */
    uint64_t iteration_ms; /* when its iteration began */
    enum verdict verdict;
    uint32_t finding_count;
    bool untouched; /* its repair left the tree as it was */
};

/* What one agent said in a phase: keep.c. */
struct kept_doc {
    uint32_t iteration, phase;
    enum purpose purpose; /* FOR_WORK, FOR_REVIEW, FOR_REPAIR */
    uint16_t role;
    bool shared;          /* others have reviewed at the same time */
    char *text;           /* it is never empty */
    size_t bytes;
};

/* One thing that happened, of a plan that keeps a diary: diary.c. */
enum entry_kind {
    ENTRY_START,  /* the run began; text is the document of EV_START */
    ENTRY_ANSWER, /* an agent's answer was taken: clean or findings */
    ENTRY_MISS,   /* an attempt failed, or its answer broke the contract */
    ENTRY_CHOICE, /* the user chose */
    ENTRY_DRIFT,  /* the tree was changed from outside of the run */
    ENTRY_COUNT
};

struct diary_entry {
    enum entry_kind kind;
    uint32_t lane, iteration, phase, round;
    uint64_t started_ms, ended_ms; /* of an attempt; else both are when it happened */
    uint32_t job, attempt;         /* from here to by: ENTRY_ANSWER, ENTRY_MISS */
    uint16_t role;
    enum purpose purpose;
    enum verdict verdict;
    enum failure failure;
    enum miss miss;                /* ENTRY_MISS */
    char by[16];                   /* the backend that was asked; cut where it is longer */
    enum question question;        /* ENTRY_CHOICE: what was asked, and what was chosen */
    enum choice choice;
    char *text;                    /* the document of an answer, the problem of a miss; or NULL */
    size_t bytes;
    char *kept;                    /* ENTRY_MISS: the document of what was not taken; or NULL */
    size_t kept_bytes;
};

/* What a person said to the agents that follow, in a pause. */
struct said_word {
    char *text;
    size_t bytes;
};

enum { SAID_WORDS_MAX = 8, SAID_WORD_BYTES_MAX = 4096 }; /* that are kept; of one */

enum engine_state {
    ENGINE_IDLE,
    ENGINE_RUNNING,
    ENGINE_STOPPING,
    ENGINE_ENDED,
    ENGINE_STATE_COUNT
};

struct engine {
    const struct plan *plan; /* borrowed */
    enum engine_state state;
    enum reason reason; /* of ENGINE_ENDED */
    uint32_t iteration; /* from 1 */
    uint64_t started_ms, now_ms; /* the first and the newest event */
    uint64_t iteration_ms;       /* when this iteration began */
    uint64_t steps;      /* events that changed something */
    struct usage usage;  /* of all attempts */
    uint64_t calls;      /* starts of agents; what hone does itself is none, nor a proof */
    uint64_t unproven;   /* reviews that counted without proof of reading */
    uint64_t active_ms;  /* between its events while it was at work */
    struct budget budget;
    struct amounts reserved;  /* by the jobs that run */
    struct costs *costs; /* by role; of ROLE_NONE those of all agents */
    bool spent;          /* no agent is started any more */
    bool cut;            /* money, tokens or time are used up, and that was acted upon */
    uint32_t job_next;
    uint32_t running;    /* jobs in JOB_RUNNING, over all lanes */
    uint32_t checkpoints; /* that were due so far ... */
    bool checkpoint_due;  /* ... and the newest has not begun */
    struct lane *lanes;  /* lanes[id]; task lanes of all groups so far */
    uint32_t lane_count, lane_cap;
    uint32_t *groups;    /* sizes of all groups so far */
    uint32_t group_count, group_cap;
    uint32_t group;      /* the one at work while the main lane is fanning */
    uint32_t group_lane; /* its first lane, whether or not that is there yet */
    uint32_t census[CENSUS_COUNT];      /* how many of its lanes are each of these ... */
    uint32_t census_from[CENSUS_COUNT]; /* ... and a lane below which none of them is */
    uint32_t *job_lanes; /* job_lanes[id - 1]: the lane of a job, of all so far */
    uint32_t job_cap;
    uint32_t moved_first; /* the chain of lanes that the step at work changed something of */
    struct round *rounds;
    uint32_t round_count, round_cap;
    struct ledger ledger; /* what was found */
    struct diary_entry *diary; /* in the order of the events */
    uint32_t entry_count, entry_cap;
    struct said_word words[SAID_WORDS_MAX]; /* the newest last; an older one makes room */
    uint32_t word_count;
};

/* The plan must have passed plan_problem(); it is borrowed until release. */
void engine_init(struct engine *engine, const struct plan *plan);
void engine_release(struct engine *engine);

/* Takes one event; out is emptied and then holds what must be done, in order. An event that no
 * longer fits (an older attempt, an answer that no job waits for) changes nothing. */
void engine_step(struct engine *engine, const struct event *event, struct actions *out);

/* Asserts that every invariant of engine.c holds, over all lanes. A step looks at what it changed;
 * this is for tests. */
void engine_check(const struct engine *engine);

/* Iterations of a task's lane that ended: runs of its work, and repairs. */
uint32_t lane_iterations(const struct lane *lane);

/* Whether EV_RESUME would make it go on. */
bool engine_can_resume(const struct engine *engine);

/* The running or newest job with this id, or NULL; and the lane it belongs to. */
/* What the engine asked for when it started the job's newest attempt; the job is of lane->now. */
struct action job_action(const struct lane *lane, const struct job *job);
const struct job *engine_job(const struct engine *engine, uint32_t id, const struct lane **lane);

/* The document of a phase as it was judged last: of its work (joined, where there were copies), of
 * its review in that iteration, of its repair; empty where several agents share it, or there is
 * none. Good until the next step. */
struct str engine_doc(const struct engine *engine, uint32_t lane, uint32_t iteration,
                      uint32_t phase, enum purpose purpose);
/* What each reviewer of a phase of the main lane said in its newest review of that iteration: the
 * nth that said something, from 0; NULL behind the last. Good until the next step. */
const struct kept_doc *engine_review_doc(const struct engine *engine, uint32_t iteration,
                                         uint32_t phase, uint32_t nth);

/* What was used so far; and by when the time of the budget is over if nothing happens (0: never, or
 * it was acted upon): the driver owes EV_SPENT then. */
struct amounts engine_used(const struct engine *engine);
uint64_t engine_deadline_ms(const struct engine *engine);

/* What a job may use: of each limit what is neither used nor reserved by others; 0 where there is
 * no limit, or nothing left. */
struct amounts engine_share(const struct engine *engine, uint32_t id);

/* Whether its findings were given when the run began: no reviewer was asked for them. */
bool batch_is_given(const struct batch *review);
/* What a role that looks first said of the lane's tree as it was before the repair; NULL: that is
 * not known. */
const struct job *lane_known(const struct lane *lane, uint16_t role);

/* How many grave faults are expected to be left in what the lane's phase has reviewed, in
 * thousandths. A guess (policy.c), only where its gate has a policy. */
uint32_t policy_left(const struct engine *engine, uint32_t lane, uint32_t phase);
/* The entry at whose place something came up in the most rounds running; NULL: none. */
const struct ledger_entry *policy_place(const struct engine *engine, uint32_t lane, uint32_t phase);

const char *lane_state_word(enum lane_state state);

#endif
