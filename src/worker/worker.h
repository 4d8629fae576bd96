/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.h - `hone worker`: attempts of runs on other machines, played here.
 *
 * Room: what plays attempts for drivers on other machines: its attempts from a line to a line, the
 * process that plays one, what is kept on the disk, and the carrier that a worker behind ssh is
 * for itself. Not here: lines as text (format/fleet), work trees on their way (io/travel). */
#ifndef HONE_WORKER_WORKER_H
#define HONE_WORKER_WORKER_H

#include "base/err.h"
#include "format/fleet/fleet_line.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    WORKER_SLOTS_MAX = 64,
    WORKER_SLOTS = 8, /* a review has five reviewers, and an agent mostly waits for its model */
};

/* What the user said. Texts are borrowed. */
struct worker_settings {
    const char *folder;   /* absolute: all that is kept */
    const char *version;  /* of hone */
    const char *host;     /* this machine's name */
    const char *name;     /* of the worker; NULL: one of its own, kept in the folder */
    const char *pool;
    const char *const *link; /* the carrier's program with its arguments, NULL ends; NULL: we speak
                                with a driver ourselves, on standard input and output */
    struct fleet_label *labels;
    uint32_t label_count;
    uint32_t slots;
    const char *agents;   /* backends that a job may name, a line each; "": all */
    const char *repos;    /* repositories, as fleet_tree.repo names them, likewise */
    bool sandbox_off;
    bool tmp_shared, network_off, home_private; /* what this user's settings say of agents */
    const char *keys;     /* the folder of keys; NULL: none is named */
    const char *secrets;  /* files and folders that no agent may see, a line each */
    const char *const *again; /* options that the process which plays an attempt is given, too */
};

/* Whether a list allows it. */
bool worker_allows(const char *lines, struct str name);

/* Until it is told to end, or the line is gone. The exit code; what a person has to know goes to
 * standard error. */
int worker_run(const struct worker_settings *settings);

/* Plays the attempt whose job lies in folder, told by words on standard input (play.c). */
int worker_play(const struct worker_settings *settings, const char *folder);

/* Removes what was not used for long: blobs, clones, work trees. */
int worker_sweep(const struct worker_settings *settings);

/* In one line on standard error. */
void worker_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
