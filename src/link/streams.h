/* SPDX-License-Identifier: Apache-2.0
 *
 * streams.h - what lies on the server, and under which subjects.
 *
 *   stream           subject               what                              kept
 *   HONE_JOBS        hone.job.POOL.K       a job, until a worker claims it   7 days, work queue
 *   KV_HONE_CLAIMS   $KV.HONE_CLAIMS.K     who has it; renewed               7 days, the last word
 *   HONE_RESULTS     hone.result.K         the first result, and no other    7 days
 *   HONE_BLOBS       hone.blob.RUN.ID.AT   a piece of a blob of a job        7 days
 *                    hone.back.K.ID.AT     a piece of a blob of a result     7 days
 *   KV_HONE_DRIVERS  $KV.HONE_DRIVERS.RUN  the driver's beat, with its epoch 7 days
 *
 *   not kept         hone.cancel.K (begin it, or do not; end it; forget it), hone.log.K (what its
 *                    agent said; a worker that skips it), hone.need.RUN (a blob that a worker
 *                    wants), hone.who, hone.worker.ID
 *
 * 1. No stream drops what was stored because it is full: it refuses what is new.
 * 2. All of a run is below its name, so that the end of a run takes all of it away by five purges.
 * 3. What workers write and read are different subjects: hone.back and hone.result are written by
 *    them and read by drivers alone. */
#ifndef HONE_LINK_STREAMS_H
#define HONE_LINK_STREAMS_H

#include "link/bus.h"

enum { SUBJECT_BYTES_MAX = 512 };

enum stream { STREAM_JOBS, STREAM_CLAIMS, STREAM_RESULTS, STREAM_BLOBS, STREAM_DRIVERS,
              STREAM_COUNT };

/* The beginning of its subjects (of the blobs: of those of jobs), with a final point. */
const char *stream_prefix(enum stream stream);

/* Makes all streams that are not there. on_done is told once: NULL, or what is wrong. What is there
 * with other settings stays as it is. */
struct streams {
    struct bus *bus;
    void *owner;
    void (*on_done)(void *owner, const char *problem);
    uint32_t left;
    uint64_t bytes_max[STREAM_COUNT];
    char problem[256];
};
void streams_make(struct streams *streams);

/* Makes the consumer that all workers of a pool share, or gives it another lease. */
void pool_make(struct bus *bus, const char *pool, uint64_t lease_ms, void *owner,
               void (*on_answer)(void *owner, const char *key, uint64_t tag,
                                 const struct answer *answer));

/* One message, which is named as the server wants it: {"seq":N}, or that with "next_by_subj": the
 * first on such subjects that is not before N. answer->root has its subject and its time. */
void message_read(struct bus *bus, enum stream stream, const char *which,
                  const struct question *how);
/* The newest message on one subject. The server's word about it stands apart from its sender's. An
 * account of a worker's has no right to ask for it. */
void subject_read(struct bus *bus, enum stream stream, const char *subject,
                  const struct question *how);
/* The same as its sender wrote it, headers too, by a way that rights are given for by subject. Not
 * of results. */
void subject_read_raw(struct bus *bus, enum stream stream, const char *subject,
                      const struct question *how);
/* Removes all that is on some subjects; filter may hold wildcards. */
void subject_purge(struct bus *bus, enum stream stream, const char *filter, void *owner,
                   void (*on_answer)(void *owner, const char *key, uint64_t tag,
                                     const struct answer *answer));
/* Removes one message. */
void message_remove(struct bus *bus, enum stream stream, uint64_t seq);

#endif
