/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what the files of the hosted driver share; no other room includes it.
 *
 * hosted.c is the door. prompt.c answers a prompt of the user, gate.c a tool that is about to be
 * used, permit.c the question whether a command may run, turn.c the start and the end of agents and
 * the end of a turn. open.c finds a run and leaves it, create.c begins one, adopt.c takes over one
 * of another tool, take.c takes what agents answered. text.c fills the
 * words, which stand in prompts/hosted/.
 *
 * Room: hone inside Claude Code or Codex: each hook is a process that opens the run, tells it what
 * happened, and leaves. */
#ifndef HONE_DRIVE_HOSTED_PARTS_H
#define HONE_DRIVE_HOSTED_PARTS_H

#include "drive/attempt.h"
#include "drive/hosted/hosted.h"
#include "drive/open.h"
#include "prompts/hosted.h"
#include "run/host_notes.h"

enum {
    HOOK_WAIT_MS = 3000, /* for other hooks of the session, which hold the lock for moments */
    SHOWN_BYTES_MAX = 4096, /* of a path or a name in words for the model */
};

/* One hook at work. */
struct hosted {
    const struct hook_input *in;
    struct hosted_reply *reply;
    struct arena arena;
    struct host_notes notes;
    bool found;          /* a repository is around the hook */
    bool bound;          /* the session has a run: notes */
    bool stale;          /* the dialect's state file is not as the notes know it */
    bool inherited;      /* the run was another session's until now */
    bool opened;         /* the run is open, and its lock is ours */
    bool news;           /* a review was completed that the model was not told of yet */
    uint32_t closed;     /* agents that the model has closed and was not told of yet */
    struct drive drive;  /* its run's repo is there once found */
    struct err err;
};

/* --- hosted.c --- */
/* Words for the model, at the event they answer. */
void hosted_say(struct hosted *hosted, struct str words);

/* --- open.c --- */
extern const struct hands hosted_hands;
/* The repository and the session's notes, nothing else: enough for a gate. ERR_FORMAT where the
 * notes cannot be read. */
int hosted_look(struct hosted *hosted);
/* The run, under its lock. Where another tool wrote or changed the dialect's state file, that file
 * is the truth. Where that file now belongs to another session, this session is not bound to the
 * run any more; that is no error. */
int hosted_open(struct hosted *hosted);
int hosted_lock(struct hosted *hosted); /* only the notes, read anew, and the lock */
/* A state file of this session's that has no notes: the run that it tells of, under its lock. */
int hosted_open_file(struct hosted *hosted, const struct dialect *dialect);
/* What a driver needs before anything else; its journal; notes for a run that is not there yet. */
void hosted_dress(struct hosted *hosted);
int hosted_journal(struct hosted *hosted);
void hosted_notes(struct hosted *hosted, const struct dialect *dialect);
/* The notes say what is wanted now; what was noted about an attempt stays with it. */
void hosted_note(struct hosted *hosted);
/* Leaves the notes as the run is now. */
int hosted_leave(struct hosted *hosted);
void hosted_close(struct hosted *hosted);

/* --- adopt.c --- */
enum host_change {
    HOST_SAME,  /* the state file is as the run left it; or the dialect has none */
    HOST_GONE,  /* it is not there: it follows from the journal */
    HOST_OTHER, /* another tool or the user changed it, and it still is this session's */
    HOST_TAKEN, /* it belongs to another session now */
};
enum host_change hosted_changed(struct hosted *hosted);
uint64_t hosted_state_sum(struct hosted *hosted); /* as it is; 0: there is none */
/* A state file that has no notes and is this session's: the session is bound to it, and the run is
 * open. False: there is none. */
bool hosted_adopt(struct hosted *hosted);
/* What lies where reviewers that are wanted will answer is removed. */
int hosted_drop_answers(struct hosted *hosted);
/* The newest run of the workspace, where it is one of the dialect's that is not over and has lost
 * its host: the session is bound to it. */
void hosted_inherit(struct hosted *hosted, const struct dialect *dialect);
/* The run that the files of the dialect tell of: its row, and its past. */
int hosted_know_files(struct hosted *hosted, const struct dialect *dialect,
                      struct restored *past);
/* It is journaled with that past, and its files are its own from now on. */
int hosted_begin_past(struct hosted *hosted, const struct restored *past);
/* Whether the dialect's state file tells of a run that another session has at work. */
bool hosted_is_foreign(struct hosted *hosted, const struct dialect *dialect);

/* --- create.c --- */
/* A new run: it is open afterwards. */
int hosted_create(struct hosted *hosted, const struct dialect *dialect, const char *task,
                  const struct run_settings *settings);
/* Whether a role is the user's: no agent of the plugin plays it. */
bool hosted_is_own(const struct drive *drive, const char *role);

/* --- take.c --- */
/* Tells the run what waits in the queue. With launch, hone also does its own work, starts the
 * agents of other programs, and waits for both. */
void hosted_perform(struct hosted *hosted, bool launch);
/* The agents of a role have an end to report: of one that stopped, message is its last words. The
 * reply sends it back where its answer will not do. */
void hosted_take_role(struct hosted *hosted, struct str role, struct str message);
/* Takes the answers of agents that do not run any more. */
void hosted_take_left(struct hosted *hosted);
/* Prompts for all that are wanted, as far as they have none. */
int hosted_give(struct hosted *hosted);
struct host_wanted *hosted_wanted(struct hosted *hosted, const struct live *live);
bool hosted_is_played(const struct drive *drive, const struct live *live); /* by the host */
/* Whether an agent of that role is at work, by the host's word or by what was seen. */
bool hosted_runs(const struct hosted *hosted, const char *role);

/* --- gate.c --- */
void hosted_gate(struct hosted *hosted);
/* The role that an agent of this type plays in the session's run; empty where it is an agent of
 * another plugin, or of the user. */
struct str hosted_role(const struct hosted *hosted, struct str type);

/* --- permit.c --- */
void hosted_permit(struct hosted *hosted);
/* Whether a command writes its text into one file and does nothing else; *path is as written. */
bool hosted_is_answer(struct str command, struct str *path);

/* --- turn.c --- */
void hosted_turn_ends(struct hosted *hosted);
void hosted_agent_failed(struct hosted *hosted);
void hosted_agent_started(struct hosted *hosted);
void hosted_agent_stopped(struct hosted *hosted);

/* --- prompt.c --- */
void hosted_prompted(struct hosted *hosted);
void hosted_session_started(struct hosted *hosted);
void hosted_session_ended(struct hosted *hosted);

/* --- text.c --- */
/* A page of prompts/hosted with what the notes know: run, dialect, phase, and how a person goes on
 * with the run and stops it there. */
struct hosted_page hosted_page(struct hosted *hosted);
/* Before the run is left: what is said next once, to the model that leads, is noted as said. */
void hosted_note_told(struct hosted *hosted);
void hosted_instruct(struct hosted *hosted, struct buf *out);
/* "ID (role), ID (role)" of the agents that the model was told to close and has not. */
void hosted_put_closing(const struct hosted *hosted, struct buf *out);
/* Codex: in front of the standing, what the model is to do with it. */
void hosted_tell_first(struct hosted *hosted, struct buf *out);
/* One sentence about where the run is, for the person. */
void hosted_standing(struct hosted *hosted, struct buf *out);

#endif
