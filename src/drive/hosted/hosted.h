/* SPDX-License-Identifier: Apache-2.0
 *
 * hosted.h - a run inside Claude Code or Codex: the host's agents play the roles, and each hook is
 * a process of its own that finds the run, tells it what happened, and answers. */
#ifndef HONE_DRIVE_HOSTED_HOSTED_H
#define HONE_DRIVE_HOSTED_HOSTED_H

#include "dialect/dialect.h"
#include "format/hook.h"
#include "settings/settings.h"

/* What the hook says in the end. */
struct hosted_reply {
    int code;         /* 0, or 2: what was asked for must not happen */
    struct buf out;   /* standard output: one JSON value, or nothing */
    struct buf err;   /* standard error: the reason of a 2 */
    /* A prompt asks for a new run, which the caller prepares: then hosted_begin(). */
    const struct dialect *start;
    struct str start_words; /* what stands behind the command: options and the task */
    struct arena arena;     /* of a dialect that is made of a loop file */
};

void hosted_reply_init(struct hosted_reply *reply);
void hosted_reply_release(struct hosted_reply *reply);

/* Answers one event. Never fails: an error becomes a refusal at a gate, and silence elsewhere. */
void hosted_answer(const struct hook_input *in, struct hosted_reply *reply);

/* The run that a prompt asked for. The settings may leave roles without an agent: the host plays
 * them. */
void hosted_begin(const struct hook_input *in, const struct dialect *dialect, const char *task,
                  const struct run_settings *settings, struct hosted_reply *reply);

/* The run that a prompt asked for cannot begin: the model is told why, for the user. */
void hosted_refuse(const struct hook_input *in, const struct err *why, struct hosted_reply *reply);

/* Stops the run of whichever session works in the workspace around start, if one does; *run is its
 * name, in arena, or NULL. */
int hosted_stop(const char *start, struct arena *arena, const char **run, struct err *err);

#endif
