/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor.h - what the files of hone doctor share: a list of things that are there, or not. */
#ifndef HONE_CMD_DOCTOR_H
#define HONE_CMD_DOCTOR_H

#include "cmd/parse.h"

#include "agent/agent.h"
#include "io/process/crew.h"

enum { DOCTOR_ITEMS_MAX = 64, DOCTOR_SAID_BYTES_MAX = 4096 };

enum mark { MARK_OK, MARK_MISSING, MARK_PROBLEM, MARK_COUNT };

struct item {
    const char *group, *name;
    enum mark mark;
    bool needed;         /* without it no run can work here */
    const char *text;    /* made harmless */
    const char *install; /* a command that helps; or NULL */
    const char *version; /* of a program that said one; or NULL */
    const char *login;   /* of a model: "yes", "no", "unknown"; else NULL */
};

struct doctor {
    struct call *call;
    struct arena *arena;
    struct item items[DOCTOR_ITEMS_MAX];
    uint32_t count;
};

/* The text is made harmless here. */
struct item *doctor_add(struct doctor *doctor, const char *group, const char *name,
                        enum mark mark, const char *text);

/* A job that runs argv (NULL ends) under `timeout`, with bounded outputs. */
struct crew_job doctor_job(struct doctor *doctor, const char *seconds, const char *const *argv);

/* What is wrong with a program that was asked something, in a few words; NULL: it answered and
 * ended well. */
const char *doctor_trouble(struct doctor *doctor, const struct crew_job *job);

/* The first word that is digits and points, such as 12.2.0; NULL: none. */
const char *doctor_version(struct doctor *doctor, struct str text);

/* --- doctor_models.c --- */
/* The programs of models, and the agents of ACP that settings name for this folder. */
int doctor_models(struct doctor *doctor, struct err *err);
/* A model of these that a run here would ask: where it is not logged in, nothing works. */
void doctor_model_is_cast(struct doctor *doctor, const struct backend *backend);

#endif
