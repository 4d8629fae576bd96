/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_play.h - a fleet in one process: a driver, workers, the links of each and a server, with a
 * clock that is an event's time.
 *
 *      driver == link of the driver -- server -- links of workers == workers
 *
 * `==` is a pipe: in order, whole, and gone with either end. `--` is a network: what goes over it
 * is lost, doubled, late and overtaken, as `rough` says. The ends are src/carry's own steps; this
 * performs what they say, as drive/fleet, link and worker do. The driver's run is a real engine
 * (fleet_run.h).
 *
 * What goes wrong: each process is killed, and started again; each is stopped, and wakes; the
 * server is killed, loses what a power cut takes, and has no room for results for a while; a link
 * is cut off from it.
 *
 * What must hold:
 *
 *   safety
 *    1. An attempt is begun at most once.
 *    2. An attempt ends at most once for its driver, and not by a result that another one's end
 *       stands in the journal for.
 *    3. An agent is dead when its driver asks for another attempt in place of a lost one, unless a
 *       power cut took its claim.
 *    4. No agent lives longer than 2 L and what it takes to see it after its driver has died.
 *    5. A worker never has more attempts than slots.
 *   liveness, when nothing goes wrong any more
 *    6. The run ends within a time that follows from its attempts.
 *    7. It ends as it does on one machine.
 *    8. When the driver has said bye, no worker holds a slot, and no agent lives.
 *
 * What breaks one of them ends the process, with a message. */
#ifndef HONE_TESTS_SIM_FLEET_PLAY_H
#define HONE_TESTS_SIM_FLEET_PLAY_H

#include "carry/carried.h"
#include "carry/carry.h"
#include "carry/held.h"
#include "carry/sent.h"
#include "carry/task.h"
#include "fleet_run.h"
#include "fleet_server.h"

enum { PLAY_WORKERS = 3, PLAY_SLOTS = 2 };

enum play_end {
    END_SERVER,
    END_DRIVER,
    END_DRIVER_LINK,
    END_WORKERS,                             /* the first of them */
    END_LINKS = END_WORKERS + PLAY_WORKERS,  /* theirs, in the same order */
    END_COUNT = END_LINKS + PLAY_WORKERS
};

/* A process. */
struct play_process {
    uint32_t life;          /* how often it was started */
    bool up;
    uint64_t stopped_ms;    /* it does nothing before; 0: it is not stopped */
    uint64_t cut_ms;        /* of a link: nothing goes over its network before */
    bool away;              /* of a link: it knows that the server is not there */
    uint64_t piped_ms;      /* no line comes to it before the one that was said last */
};

/* Something that will happen to an end. */
enum thing_kind {
    THING_LINE,    /* a line of a pipe */
    THING_ASK,     /* a request at the server */
    THING_ANSWER,  /* ... and its answer */
    THING_HINT,    /* at the link of the driver: a claim or a result was said */
    THING_POISON,  /* ... the server gives a job up */
    THING_CAST,    /* at a link of a worker: its driver says cancel, or forget */
    THING_JOB,     /* ... a job is handed out */
    THING_PULL,    /* at the server: a link can take so many jobs */
    THING_WORD,    /* ... a word about a job: hand it out later; wait */
    THING_AWAY,    /* at a link */
    THING_BACK,
    THING_TICK,
    THING_UP,      /* the process is started again */
    THING_PROCESS, /* at a worker: an attempt's own process has a word */
    THING_SEND,    /* at the driver: an attempt is due */
    THING_KIND_COUNT
};

struct thing {
    uint64_t at_ms, order;
    enum thing_kind kind;
    uint8_t to, from;
    uint32_t life;          /* of `to`: of another life it is nothing */
    uint32_t key;
    uint64_t number;        /* of a question; of a job; how many; a value */
    struct fs_ask ask;
    uint32_t ask_life;      /* of who asked */
    struct fs_answer answer;
    enum fleet_kind line;
    enum fleet_state state;
    enum fleet_stop why;
    bool flag;
    uint64_t keys[FS_KEYS / 64]; /* of a beat */
};

/* What a link asked the server, until it has an answer. */
struct play_question {
    bool used, forever, told; /* told: an end waits for the answer */
    uint64_t number, asked_ms;
    struct fs_ask ask;
    uint32_t about;         /* carried_ask, held_ask; of the driver's record PLAY_RECORD */
    uint32_t times;
};

enum { QUESTIONS_MAX = 4096, PLAY_RECORD = 1000 };

struct play_questions {
    struct play_question list[QUESTIONS_MAX];
    uint32_t count;
    uint64_t last;
};

struct play_driver_link {
    struct play_questions questions;
    struct carried_at at[FS_KEYS];
    bool known[FS_KEYS];
    bool over[FS_KEYS];          /* it was known, and is over: nothing else is kept of it */
    uint64_t values[FS_KEYS];    /* of results that were read */
    uint64_t driver_seq, ready_ms;
    uint64_t token;              /* of the claim that the step is about */
    bool ready, beating;
};

struct play_link {
    struct play_questions questions;
    struct held_at at[FS_KEYS];
    bool known[FS_KEYS];
    uint32_t numbers[FS_KEYS];   /* one a record: an answer to an older one is nothing */
    uint64_t tokens[FS_KEYS];
    uint64_t job_seqs[FS_KEYS], values[FS_KEYS];
    struct held_driver driver;
    uint32_t free;
    uint64_t said_ms, pulled_ms;
};

/* An attempt's own process at a worker, with its agent. */
struct play_player {
    uint32_t life;          /* which start of it; words of another one are nothing */
    uint64_t token;         /* of its claim */
    bool agent;             /* it is alive */
    bool ending;            /* and was told to end */
    uint64_t begun_ms;
};

struct play_worker {
    struct task_worker shared;
    struct task_at at[FS_KEYS];
    struct play_player players[FS_KEYS];
    bool folders[FS_KEYS], results[FS_KEYS], kept[FS_KEYS]; /* on the disk */
    bool again[FS_KEYS];    /* it was kept, and is to be said again */
};

/* What is true of an attempt, as one sees it who sees all. */
struct play_truth {
    uint32_t begun;         /* how often */
    bool stopped;           /* its driver did not want it any more */
};

struct fleet_play {
    struct prng prng;
    bool verbose;
    uint64_t now_ms, order, lease_ms;
    uint32_t rough;         /* 0: nothing is lost; 1, 2: more and more is */
    uint64_t work_ms;       /* an agent takes so long at most */
    struct thing *things;   /* a heap: the next one first */
    uint32_t thing_count, thing_cap;
    struct play_process processes[END_COUNT];
    struct fleet_server server, saved; /* saved: what a power cut leaves */
    uint64_t power_ms;         /* the newest power cut; 0: none */
    uint64_t full_ms;          /* the server takes no results before */
    uint64_t pulls[PLAY_WORKERS], pulls_until_ms[PLAY_WORKERS];
    struct play_driver_link driver_link;
    struct play_link links[PLAY_WORKERS];
    struct play_worker workers[PLAY_WORKERS];
    struct fleet_run run;
    struct sent_at sent[FS_KEYS];
    bool sent_there[FS_KEYS], was_sent[FS_KEYS]; /* the second: on the disk */
    bool has_blob[FS_KEYS];                /* what its result names is here */
    uint64_t epoch, beat_ms, heard_ms, asked_ms;
    bool link_ready, recovering, driver_leaves, over;
    uint64_t died_ms;                      /* when its process died; 0: it lives */
    uint64_t calm_ms;                      /* when a worker's clock for that began anew last */
    struct play_truth truth[FS_KEYS];
    uint64_t begun, lost, steps;
};

/* ---- fleet_play.c: what happens, and to whom ---- */

void play_init(struct fleet_play *play, uint64_t seed);
void play_release(struct fleet_play *play);
/* The next thing; false: there is none. */
bool play_step(struct fleet_play *play);
void play_start(struct fleet_play *play, uint32_t end);
void play_start_later(struct fleet_play *play, uint32_t end, uint64_t after_ms);
/* kill -9. */
void play_kill(struct fleet_play *play, uint32_t end);
/* It does nothing for so long, and then all that came meanwhile. */
void play_stop(struct fleet_play *play, uint32_t end, uint64_t for_ms);
/* Nothing goes between a link and the server. */
void play_cut(struct fleet_play *play, uint32_t link, uint64_t for_ms);
/* The server has no room for results. */
void play_fill(struct fleet_play *play, uint64_t for_ms);
/* The server is killed, and its disk is as it was some time ago. */
void play_power_cut(struct fleet_play *play);

/* One for the end `to`, as it lives now, so much later. */
struct thing play_thing(struct fleet_play *play, enum thing_kind kind, uint32_t from, uint32_t to,
                        uint64_t after_ms);
void play_later(struct fleet_play *play, const struct thing *thing);
/* Over a pipe: behind all that was said there before. */
void play_say(struct fleet_play *play, const struct thing *line);
/* Over the network: it comes, or does not. */
void play_send(struct fleet_play *play, const struct thing *thing);

/* How far each attempt is at each end. */
void play_show(const struct fleet_play *play);
void play_trace(const struct fleet_play *play, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- fleet_links.c ---- */

void driver_link_begin(struct fleet_play *play);
void driver_link_take(struct fleet_play *play, const struct thing *thing);
void link_begin(struct fleet_play *play, uint32_t number);
void link_take(struct fleet_play *play, uint32_t number, const struct thing *thing);

/* ---- fleet_ends.c ---- */

void driver_begin(struct fleet_play *play);
void driver_take(struct fleet_play *play, const struct thing *thing);
void worker_begin(struct fleet_play *play, uint32_t number);
/* Its link was started again. */
void worker_linked(struct fleet_play *play, uint32_t number);
void worker_take(struct fleet_play *play, uint32_t number, const struct thing *thing);
/* The worker died: its agents have, shortly after. */
void worker_dies(struct fleet_play *play, uint32_t number);
void driver_dies(struct fleet_play *play);
uint32_t play_agents(const struct fleet_play *play); /* that are alive */
void play_agents_check(const struct fleet_play *play); /* law 4 */

#endif
