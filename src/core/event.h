/* SPDX-License-Identifier: Apache-2.0
 *
 * event.h - the two things that cross the engine's border: what it is told, what it asks for.
 *
 * Plain data: no process, no descriptor, no clock. Texts in an event are borrowed for the step;
 * the engine copies what it keeps. */
#ifndef HONE_CORE_EVENT_H
#define HONE_CORE_EVENT_H

#include "base/str.h"
#include "core/budget.h"
#include "core/identity.h"

#include <stdbool.h>
#include <stdint.h>

/* The first four are ordered: the verdict of several is the worst of them. Only clean is clean. */
enum verdict {
    VERDICT_CLEAN,
    VERDICT_FINDINGS,
    VERDICT_INVALID,    /* it answered, and broke its contract */
    VERDICT_FAILED,     /* it could not answer */
    VERDICT_NOT_PLAYED, /* of a review: it looked at nothing, and so says nothing for or against */
    VERDICT_COUNT
};

enum failure {
    FAILURE_NONE,
    FAILURE_START,   /* could not be started */
    FAILURE_EXIT,    /* ended with a status other than 0 */
    FAILURE_SIGNAL,  /* was killed, and not by hone */
    FAILURE_TIME,    /* ran into the time limit */
    FAILURE_IDLE,    /* said nothing for too long */
    FAILURE_OUTPUT,  /* said more than we keep */
    FAILURE_STOPPED, /* we ended it because the run stops */
    FAILURE_BUDGET,  /* it ended itself at what was left of the run's budget for it */
    FAILURE_SILENT,  /* was started, and said nothing at all */
    FAILURE_FIRST,   /* had begun, and its model did not answer */
    FAILURE_MISSING, /* its program is not there, or cannot be run */
    FAILURE_LOGIN,   /* its program is not logged in */
    FAILURE_RATE,    /* its service has been asked too often */
    FAILURE_OVERLOAD, /* its service is there and cannot serve now */
    FAILURE_NETWORK, /* its service could not be reached */
    FAILURE_CREDIT,  /* the account of its service is empty */
    FAILURE_MODEL,   /* its service does not know the model that it was told */
    FAILURE_CAGE,    /* a sandbox kept it from what it needs: it lacks a right */
    FAILURE_CEILING, /* it was not started: the user's ceiling of calls is reached */
    FAILURE_LOST,    /* it was sent to another machine, and nothing comes back: no agent's fault */
    FAILURE_COUNT
};

/* On what an attempt was judged. All but its answer stand before what it said. */
enum basis {
    BASIS_ANSWER,       /* what it said, or how it failed */
    BASIS_TREE_CHANGED, /* a reviewer changed the tree, which was put back */
    BASIS_TREE_DRIFTED, /* another program or person changed the tree under a reviewer */
    BASIS_TREE_WILD,    /* that happened again and again */
    BASIS_TREE_GONE,    /* its work tree was deleted */
    BASIS_GUARD,        /* it changed what it may not change */
    BASIS_UNREAD,       /* nothing shows that a reviewer looked at all of the change */
    BASIS_COUNT
};

/* What an attempt that was invalid or failed lacks, where verdict, failure and basis do not say
 * it. Words are made of it where it is told. */
enum miss {
    MISS_PLAIN,  /* they say it; and a journal of before */
    MISS_EMPTY,  /* there was no answer */
    MISS_TREE,   /* the tree it was about is not there, or not the same */
    MISS_UNREAD, /* nothing shows that the change was read */
    MISS_STREAM, /* its stream is not what it should be */
    MISS_COUNT
};

/* Whether a review is backed by what shows that the change was read. */
enum proof_kind {
    PROOF_NONE,    /* not known: no review, hone's own work, or a journal of before */
    PROOF_READ,    /* each file of the change was looked at */
    PROOF_MISSING, /* the reviewer does not tell what it read */
    PROOF_COUNT
};

/* Why a finding counts as unresolved after a repair, though the fixer's report says no such thing.
 * Nothing is done on a report's word. */
enum doubt {
    DOUBT_NONE,
    DOUBT_UNNAMED,   /* the report does not name it */
    DOUBT_UNTOUCHED, /* nothing changed near its place, and the report does not name it, or says
                        that it is fixed */
    DOUBT_DECLINED,  /* likewise, and the report names it: the fixer says why not */
    DOUBT_COUNT
};

/* A file that a reviewer was to look at and could not. */
struct unlooked {
    struct str file;
    struct str tool; /* what could not look at it */
    struct str why;
};

/* How much a reviewer that is a program has looked at. {0}: it does not say. */
struct coverage {
    uint32_t files;    /* that it was to look at */
    uint32_t unlooked_count;
    const struct unlooked *unlooked; /* those that it could not, by file */
    uint32_t unbuilt;  /* files that the project's build does not compile: left out */
    uint32_t generated; /* files that people did not write here: likewise */
    struct str hint;   /* what the user can do to have more looked at; may be empty */
    uint32_t older;    /* findings that were there before the change: counted, not listed */
    uint32_t baseline; /* findings that the repository's baseline lists: likewise */
};

struct doubtful {
    uint64_t fingerprint; /* of the finding, and */
    uint32_t line;        /* its line */
    enum doubt why;
};

/* What an attempt used, as far as its backend tells; 0 where it does not. */
struct usage {
    uint64_t cost_micros; /* millionths of a dollar */
    uint64_t tokens_in, tokens_out;
};

/* One agent's answer, judged by its dialect. A worker's or fixer's good answer is clean. */
struct result {
    enum verdict verdict;
    enum failure failure;  /* of VERDICT_FAILED */
    enum basis basis;    /* of invalid and failed */
    bool permanent;        /* of invalid and failed: it is not asked again */
    bool complete;         /* of repeated work: it says the task is done */
    bool stuck;            /* of work and repair: it says it cannot go on */
    uint32_t fix_groups;   /* of a review: groups of findings; 0 counts as 1. They are independent
                              of each other ... */
    bool fix_alone;        /* ... but for the last: it is repaired when all others have been */
    uint64_t retry_at_ms;  /* of VERDICT_FAILED: not before; 0 where the plan's pause will do */
    const struct finding *findings;
    uint32_t finding_count;
    const struct finding *notes; /* of a review: what is too small to fail it */
    uint32_t note_count;
    const uint32_t *groups; /* new tasks: how many in each parallel group */
    uint32_t group_count;
    bool broken;            /* of a review: what it looked at does not even build */
    bool unchanged;         /* of a repair: it left the tree as it was */
    struct line_map moved;  /* of a repair: how it moved lines, since the tree of its review */
    bool taken_back;        /* of a proof, and of the repair before it: that made things worse, the
                               tree is as it was, and problem says what got worse */
    const struct doubtful *doubts; /* of a repair: the findings that it leaves unresolved */
    uint32_t doubt_count;
    struct coverage coverage; /* of a review */
    enum miss miss;         /* of invalid and failed: result_miss() */
    enum proof_kind proof;  /* of a review that answered */
    struct str doc;         /* what the dialect keeps of the answer for its files and prompts */
    struct str problem;     /* what is wrong: of invalid for the agent, else for the user */
    struct usage usage;     /* of the attempt */
    struct str by;          /* the backend that was asked: "claude"; empty where none was */
};

/* Adds what one attempt used, without ever going over the top. */
void usage_add(struct usage *sum, const struct usage *part);

/* Copies whose texts and lists live in arena. */
struct coverage coverage_copy(const struct coverage *coverage, struct arena *arena);
struct result result_copy(const struct result *result, struct arena *arena);

/* Whether hone itself kept the attempt from an answer: it says nothing of its agent. */
bool result_is_stopped(const struct result *result);

/* What the result lacks, by its basis where it has one. */
enum miss result_miss(const struct result *result);

/* A finding that a person has decided to leave. Only those that hold now are told. */
struct waiver {
    struct finding finding; /* as it was when it was waived */
    struct str id;          /* its name in the file of waivers */
    bool grave;             /* it holds for a grave finding as well: a person said so */
};

enum choice { CHOICE_CONTINUE, CHOICE_ACCEPT, CHOICE_RESTART, CHOICE_STOP, CHOICE_COUNT };

enum event_kind {
    EV_START,  /* the run begins; groups, where the tasks are known from the start; findings, where
                  the first gate begins with their repair */
    EV_ENDED,  /* an attempt ended: job, attempt, result */
    EV_STOP,   /* the user wants the run to stop, and to be resumable */
    EV_RESUME, /* what was in flight is gone; go on. A fresh allowance of retries */
    EV_ANSWER, /* the user chose: lane, choice */
    EV_DRIFT,  /* no agent of the run changed the lane's tree: lane. What was judged is void */
    EV_SPENT,  /* the time of the budget is over: engine_deadline_ms() */
    EV_WORD,   /* a person had paused the run and lets it go on: result.doc is what they say to the
                  agents that follow, or empty */
    EV_COUNT
};

struct event {
    enum event_kind kind;
    uint64_t now_ms; /* the only clock the engine sees */
    uint32_t job, attempt;
    uint32_t lane;
    enum choice choice;
    struct result result;
    bool late;            /* no driver was there since the event before: that time does not count */
    const struct waiver *waivers; /* of EV_START and EV_RESUME: all that hold now */
    uint32_t waiver_count;
    bool has_budget;      /* of EV_START and EV_RESUME: */
    struct budget budget; /* what the whole run may use, from its start on */
};

enum purpose {
    FOR_WORK,
    FOR_JOIN,       /* one answer out of several copies of work */
    FOR_REVIEW,
    FOR_REPAIR,
    FOR_PROOF,      /* before a repair, and after it: whether it made things worse */
    FOR_THEN,       /* what follows a repair: a commit */
    FOR_CHECKPOINT, /* a review for feedback only */
    FOR_INTEGRATE,
    FOR_COUNT
};

enum reason {
    REASON_NONE,
    REASON_CLEAN,
    REASON_CONVERGED,   /* of a policy: nothing accepted is open, little is expected to be left */
    REASON_SETTLED,     /* likewise; but more is expected to be left */
    REASON_NOTED,       /* the last gate's findings were noted and passed over */
    REASON_BOUND,       /* findings remain, and no more rounds are allowed */
    REASON_OSCILLATING, /* each repair of one place leads to the next finding there */
    REASON_DIVERGING,   /* the repairs add as much as they resolve */
    REASON_STUCK,       /* a lane cannot go on by itself */
    REASON_WAITING,     /* for the user's answer */
    REASON_ESCALATED,   /* likewise; findings remain until the user decides */
    REASON_BUDGET,      /* an agent is wanted, and the budget has no room for it */
    REASON_INTERRUPTED, /* the user stopped it */
    REASON_FAILED,      /* an agent could not run, or kept breaking its contract */
    REASON_UNSEEN,      /* a gate's reviewers looked at nothing: nothing was judged */
    REASON_PARTIAL,     /* clean, but for files that a reviewer could not look at */
    REASON_COUNT
};

enum question {
    ASK_NOTHING,
    ASK_BOUND,  /* the bound is reached and findings remain */
    ASK_REPEAT, /* the same finding came back too often */
    ASK_STUCK,  /* a fixer says it is stuck */
    ASK_DEAD,   /* a fixer failed for good */
    ASK_COUNT
};

enum action_kind {
    ACT_RECORD, /* write the contract files as they are now */
    ACT_START,  /* start an attempt; exactly one EV_ENDED must follow */
    ACT_STOP,   /* end that attempt; its EV_ENDED still follows */
    ACT_ASK,    /* show the user a question */
    ACT_FINISH, /* the run has ended, for now or for good: reason */
};

struct action {
    enum action_kind kind;
    uint32_t job, attempt;     /* ACT_START, ACT_STOP */
    uint32_t lane;             /* ACT_START, ACT_STOP, ACT_ASK */
    uint16_t role;             /* from here to not_before_ms: ACT_START */
    enum purpose purpose;
    uint32_t phase, iteration, round, copy;
    uint32_t eye;              /* of a review: which of the plan's eyes looks, from 0 */
    bool recheck;              /* of a review: it looks at the last repair and what is open alone */
    uint64_t not_before_ms;    /* 0: at once */
    enum question question;    /* ACT_ASK */
    enum reason reason;        /* ACT_FINISH */
};

struct actions {
    struct action *item;
    uint32_t count, cap;
};

void actions_release(struct actions *actions);

/* The fixed words, as messages and files have them; and back (false: no such word). */
const char *verdict_word(enum verdict verdict);
const char *failure_word(enum failure failure);
const char *basis_word(enum basis basis);
const char *proof_word(enum proof_kind proof);
const char *miss_word(enum miss miss);
const char *doubt_word(enum doubt doubt);
const char *choice_word(enum choice choice);
const char *event_word(enum event_kind kind);
const char *purpose_word(enum purpose purpose);
const char *reason_word(enum reason reason);
bool reason_is_final(enum reason reason); /* nothing can go on after it */
const char *question_word(enum question question);
/* Why the repair left this finding unresolved; NULL: there is no doubt about it. */
const struct doubtful *doubt_find(const struct result *repair, const struct finding *finding);
/* Whether an attempt with that verdict is done, and not asked again. */
bool verdict_is_done(enum verdict verdict);
bool verdict_from_word(struct str word, enum verdict *out);
bool failure_from_word(struct str word, enum failure *out);
bool basis_from_word(struct str word, enum basis *out);
bool proof_from_word(struct str word, enum proof_kind *out);
bool miss_from_word(struct str word, enum miss *out);
bool doubt_from_word(struct str word, enum doubt *out);
bool choice_from_word(struct str word, enum choice *out);
bool event_from_word(struct str word, enum event_kind *out);
bool reason_from_word(struct str word, enum reason *out);

#endif
