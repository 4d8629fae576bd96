/* SPDX-License-Identifier: Apache-2.0
 *
 * open.h - how a run is opened: one sequence, and what its ways do differently. */
#ifndef HONE_DRIVE_OPEN_H
#define HONE_DRIVE_OPEN_H

#include "drive/drive.h"

/* A run that is asked for. */
struct run_asked {
    const char *start; /* a folder inside the workspace */
    const struct dialect *dialect;
    const char *task;
    const struct run_settings *settings;
    const struct finding *findings; /* that it begins with the repair of; or none */
    uint32_t finding_count;
};

/* One opening at work. */
struct opening {
    const struct opening_way *way;
    struct run_asked asked; /* of a new run */
    struct journal_run row; /* once it is known: of a run that was left, found; else made */
    struct restored past;   /* of a new run that begins with a past; else empty */
    void *context;          /* the way's own */
};

typedef int opening_step(struct drive *drive, struct opening *opening);

/* The steps of the sequence in open.c that each way takes in its own manner. */
struct opening_way {
    /* The row and the cast need neither lock nor journal: they come first, so that a run which
     * cannot begin has touched nothing. */
    bool known_first;
    opening_step *find;     /* the repository, and which run is meant */
    opening_step *know;     /* the row, and with it dialect, settings and plan: drive->run */
    opening_step *cast;     /* who plays which role */
    opening_step *lock;     /* the workspace, and that no other run is at work there */
    opening_step *equip;    /* the journal, the run's folder, and what its process needs */
    opening_step *catch_up; /* what the journal says has happened; refusals that follow from it */
    opening_step *own;      /* the files in the workspace are this run's from now on */
    opening_step *go_on;    /* the first event, or the next one */
};

/* Takes the steps in their order, up to the first that fails: drive->err. */
int run_open(struct drive *drive, struct opening *opening);

/* ---- steps that several ways share ---- */

opening_step opening_nothing;
opening_step opening_own_new;   /* another run's files aside; what commits and lanes begin at */
opening_step opening_begin_new; /* journals the row with its past, or with the first event */

/* Reads which waivers of the repository hold, and says which do not: due before the run begins or
 * goes on. Once in a process. ERR_USAGE: the file is broken. */
int waivers_take(struct drive *drive);

/* Takes the lock of the workspace: nothing there is touched before. note: what the lock says of its
 * owner. wait_ms: how long an owner that is at work is waited for. */
int workspace_lock(struct drive *drive, const char *note, uint32_t wait_ms);
/* The supervisor, with its mark kept beside the lock as long as it lives. */
int agents_open(struct drive *drive);
void agents_close(struct drive *drive);
/* Behind it: what another run left of its files in the workspace is moved aside. */
int workspace_own(struct drive *drive);
/* The same where the files that lie there are this run's already. */
int workspace_keep(struct drive *drive);
/* The events of the journal go through the engine; no action is performed. */
int drive_replay(struct drive *drive);

/* --- pin.c --- */
/* The row of a new run, and everything that it will go by: drive->run. past: what the file tells
 * that it continues, if it does. */
int run_pin(struct drive *drive, const struct run_asked *asked, struct restored *past);
/* Whether it begins with a review of the tree as it is. */
bool run_reviews_first(const struct drive *drive);

/* --- owner.c --- */
/* A word of this user's on this machine; "" where there is no place for one. Lives in arena. */
const char *owner_word(struct arena *arena);
/* ERR_USAGE for a run that was begun by another user, unless this one agreed, now or before. */
int owner_check(struct drive *drive, const struct journal_run *row, bool agreed);

#endif
