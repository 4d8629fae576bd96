/* SPDX-License-Identifier: Apache-2.0
 *
 * outbox.h - attempts on the disk, a folder for each, by its key:
 *
 *   <folder>/K/job                 the job, as it came
 *   <folder>/K/runs/RUN/J-A/       what the agent finds and leaves (run/place.h)
 *   <folder>/K/mark                of its supervisor, while the agent may live
 *   <folder>/K/stdout, bundle ...  what came of it
 *   <folder>/K/result              the result, last: where it is, all of it is, and synced
 *   <folder>/K/kept                a carrier has it, or had it and may have lost it */
#ifndef HONE_WORKER_OUTBOX_H
#define HONE_WORKER_OUTBOX_H

#include "base/arena.h"
#include "format/fleet/fleet_job.h"

enum { OUTBOX_RESULT_BYTES_MAX = 1 << 20 };

const char *outbox_path(const char *folder, struct str k, struct arena *arena);

/* Makes the folder of an attempt with its job. ERR_BUSY: it is there. */
int outbox_add(const char *folder, struct str k, struct str job, struct err *err);

/* Its result as JSON; false: there is none. */
bool outbox_result(const char *folder, struct str k, struct arena *arena, struct str *out);

/* The file with a blob of a result; NULL: it names none of that id. */
const char *outbox_blob(const char *at, const struct fleet_result *result, struct str id,
                        struct arena *arena);

/* The carrier has its result. */
void outbox_keep(const char *at);

void outbox_remove(const char *folder, struct str k);

/* When a worker begins: ends what processes of a killed one left, and removes attempts without a
 * result, and results that are older than a week. */
void outbox_settle(const char *folder);

/* Removes results that are older than a week. A worker may be at work there. */
void outbox_expire(const char *folder);

/* The keys of attempts whose result no carrier had yet, or that one has kept; NULL ends. */
const char *const *outbox_keys(const char *folder, bool kept, struct arena *arena);

#endif
