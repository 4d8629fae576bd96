/* SPDX-License-Identifier: Apache-2.0
 *
 * host_notes.h - what one hook leaves for the next: a small file per session of a host, in
 * <hone folder>/hosted.
 *
 * It binds a session to its run, and says what the run wants of the host now, so that a gate can
 * answer without opening the run. What it says about the run can be made again from the journal;
 * only counts and sightings are its own. */
#ifndef HONE_RUN_HOST_NOTES_H
#define HONE_RUN_HOST_NOTES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "io/file/file.h"
#include "io/tree/seal.h"

#include <stdbool.h>
#include <stdint.h>

enum host_state {
    HOST_RUNNING, /* agents of the host are wanted, or hone has something to do */
    HOST_WAITING, /* the user has a question to answer */
    HOST_STOPPED, /* by the user, or as nothing went on; can be continued */
    HOST_OVER,    /* it has ended */
    HOST_STATE_COUNT
};

/* An agent that the run wants, and whose answer has not been taken yet. */
struct host_wanted {
    uint32_t job, attempt;
    const char *role;
    const char *output;  /* where its answer goes, absolute */
    const char *file;    /* the same relative to the workspace, where it is a contract file; "" */
    bool writes;         /* it may change the tree */
    bool given;          /* its prompt is written: the host was told, or can be */
    bool plain;          /* that prompt holds nothing to mask */
    bool seen;           /* such an agent was started since */
    uint32_t back;       /* how often one was sent back */
};

/* A sub-agent of the host: one that has started and not ended, or one that has ended and is not
 * closed. */
struct host_agent {
    const char *id, *role;
    bool closing; /* at work: the model tried to close it before its answer was taken; ended: the
                     model was told to close it */
};

struct host_notes {
    struct arena arena; /* holds everything below */
    const char *session, *run, *dialect, *workspace;
    const char *phase;   /* R1, planning ... */
    enum host_state state;
    uint32_t blocks;     /* stops that were blocked since something went on */
    uint64_t blocked_ms; /* when the first of these was */
    struct wall_mark clock; /* as the last hook left it: what passes between two of them */
    bool told;           /* the person knows how it ended */
    long owner;          /* the host's process; 0: it has left the session */
    uint64_t events;     /* of the run, in the journal: with more of them a hook has died */
    uint64_t state_sum;  /* of the dialect's state file as it was recorded; 0: it has none */
    uint32_t drifts;     /* how often a review was void since the tree had changed */
    struct seal seal;    /* of the tree that is reviewed */
    struct host_wanted *wanted;
    uint32_t wanted_count;
    struct host_agent *agents; /* at work */
    uint32_t agent_count;
    struct host_agent *ended;  /* their answers are taken, and the model has not closed them: Codex,
                                  whose agents count until they are closed */
    uint32_t ended_count;
    uint32_t closed;           /* of these, since the model was last told how many */
    bool unclosable;           /* this model has no tool that closes agents */
    uint32_t rounds_told;      /* reviews whose outcome the model was told of */
};

/* The folder of all of them; and the file of one session, "" where its name cannot be one. */
const char *host_notes_folder(const char *hone_dir, struct arena *arena);
const char *host_notes_name(struct str session, struct arena *arena);

/* ERR_MISSING where there are none; ERR_FORMAT names the file. */
int host_notes_read(struct host_notes *out, const char *hone_dir, struct str session,
                    struct err *err);
int host_notes_write(const struct host_notes *notes, const char *hone_dir, struct err *err);
void host_notes_release(struct host_notes *notes);

/* A run at work in a workspace whose host lives: its name, in arena; NULL: there is none. Not of
 * the session that is named, and only this run where one is (both may be NULL). around_us: of a
 * host that this process was started by, though the run rests. */
struct host_search {
    const char *workspace, *run;
    const char *but_session;
    bool around_us;
};
const char *host_run_at_work(const char *hone_dir, const struct host_search *search,
                             struct arena *arena);

/* The notes of a run whose host is gone become those of another session; its own session has none
 * any more. False: there are none, or its host lives, or it is over. */
bool host_notes_inherit(const char *hone_dir, const char *run, struct str session,
                        struct arena *arena);

/* A text, to be told from others. Never 0. */
uint64_t host_sum(struct str text);

void host_agent_add(struct host_notes *notes, struct str id, struct str role);
void host_agent_remove(struct host_notes *notes, struct str id);
struct host_agent *host_agent_find(const struct host_notes *notes, struct str id); /* or NULL */
/* It has ended, and its answer is taken; it is closed: whether it was one of those. */
void host_agent_end(struct host_notes *notes, struct str id, struct str role);
bool host_agent_close(struct host_notes *notes, struct str id);
/* The model is told to close those that have ended. With forget, those that it was told before and
 * did not close are forgotten, so that a model that cannot close is not held up. */
void host_agents_tell(struct host_notes *notes, bool forget);
/* The host's agents are gone with it. */
void host_agents_forget(struct host_notes *notes);
/* Of each role the newest stay, at most as many as are wanted: where the model started one again,
 * the older one is lost. */
void host_agents_trim(struct host_notes *notes);

#endif
