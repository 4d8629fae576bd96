/* SPDX-License-Identifier: Apache-2.0
 *
 * pipeline.h - what a service that runs pipelines tells of the change that is checked out: which
 * commit it is measured against, which one it ends with, whether it comes from a fork, and which
 * request of which repository it is. Pure. */
#ifndef HONE_FORMAT_PIPELINE_H
#define HONE_FORMAT_PIPELINE_H

#include "base/arena.h"

enum pipeline_service { PIPELINE_OTHER, PIPELINE_GITHUB, PIPELINE_GITLAB, PIPELINE_SERVICE_COUNT };

enum { PIPELINE_EVENT_BYTES_MAX = 32 << 20 };

/* Texts live in the arena that pipeline_read() was given, or in the environment; none is NULL. */
struct pipeline {
    enum pipeline_service service;
    bool request;         /* a pull or merge request: its base is told, and not guessed */
    bool fork;            /* its author need not be able to write to the repository */
    const char *why_fork; /* how that is known; "" where it is none */
    const char *base;     /* a commit: that the change was made from, or that was there before the
                             push; "": not told */
    const char *branch;   /* that it is to go into; "": not told */
    const char *main_branch; /* the default branch of the repository; "": not told */
    const char *head;     /* the newest commit of the change; "": not told */
    uint64_t commits;     /* so many commits it has; 0: not told */
    const char *host;     /* where the repository is; "": not told */
    const char *project;  /* its name there, as it is told: "owner/name"; "": not told */
    uint64_t number;      /* of the request, or of that which a comment was made on; 0: not told */
    const char *problem;  /* why the event could not be read; "": it was, or there is none */
};

struct pipeline_input {
    const char *const *environment; /* "NAME=value" each; NULL ends */
    struct str event;    /* the text of the file that pipeline_event() names */
    const char *problem; /* why that could not be read; NULL: it was */
};

/* "GitHub Actions", "GitLab CI", "a pipeline". */
extern const char *const pipeline_titles[PIPELINE_SERVICE_COUNT];
/* Nothing is told. */
extern const struct pipeline pipeline_none;

/* The file with the event; NULL: the service has none. */
const char *pipeline_event(const char *const *environment);

/* Never fails: what is not told is empty, and a request of which is not told whose it is comes from
 * a fork. */
void pipeline_read(const struct pipeline_input *input, struct arena *arena, struct pipeline *out);

#endif
