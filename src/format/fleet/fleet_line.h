/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_line.h - one line of a carrier: its kind, and its members.
 *
 * A reader says from which side the line comes: what this side never says is skipped like a kind
 * that is not known. A job and a result stay JSON texts here (fleet_job.h reads them), so that a
 * carrier carries them without knowing what they are. */
#ifndef HONE_FORMAT_FLEET_FLEET_LINE_H
#define HONE_FORMAT_FLEET_FLEET_LINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "format/fleet/fleet_blob.h"

enum {
    FLEET_V = 1,                    /* of these lines */
    FLEET_LINE_BYTES_MAX = 1 << 20, /* without its line end */
    FLEET_BEATS_MAX = 1024,         /* attempts that one beat names */
    FLEET_LABELS_MAX = 32,
    FLEET_ROLE_BYTES = 65,       /* of a role that is told, with a NUL behind */
    FLEET_WORKERS_MAX = 10000,
    FLEET_ATTEMPTS_MAX = 1000, /* that a line tells of */
    FLEET_WORD_BYTES_MAX = 4096, /* of a text that is for people, or a label */
    FLEET_LEASE_MS = 30 * 1000,  /* L, where nothing else is said */
    FLEET_LEASE_MS_MIN = 300, FLEET_LEASE_MS_MAX = 24 * 3600 * 1000,
};

/* Who says a line. */
enum fleet_side {
    FLEET_DRIVER,    /* the driver, to its carrier */
    FLEET_TO_DRIVER, /* the carrier, to the driver */
    FLEET_WORKER,    /* the worker, to its carrier */
    FLEET_TO_WORKER, /* the carrier, to the worker */
    FLEET_SIDE_COUNT
};

enum fleet_kind {
    FLEET_HELLO, FLEET_BLOB, FLEET_JOB, FLEET_STOP, FLEET_ASK, FLEET_GET, FLEET_FORGET, FLEET_WHO,
    FLEET_BEAT, FLEET_BYE, FLEET_READY, FLEET_QUEUED, FLEET_TAKEN, FLEET_SAID, FLEET_ENDED,
    FLEET_LOST, FLEET_REFUSED, FLEET_KNOWN, FLEET_NEED, FLEET_NONE, FLEET_WORKERS, FLEET_AWAY,
    FLEET_BACK, FLEET_FENCED, FLEET_FREE, FLEET_BEGIN, FLEET_SKIP, FLEET_GO, FLEET_GONE, FLEET_KEPT,
    FLEET_KIND_COUNT,
    FLEET_UNKNOWN = FLEET_KIND_COUNT /* to be skipped */
};

/* What is known of an attempt that was asked for. */
enum fleet_state { FLEET_NOWHERE, FLEET_IS_QUEUED, FLEET_IS_TAKEN, FLEET_HAS_ENDED,
                   FLEET_STATE_COUNT };

/* Why an attempt is to stop. */
enum fleet_stop { FLEET_CANCEL, FLEET_STOP_FENCED, FLEET_ORPHAN, FLEET_STOP_COUNT };

struct fleet_label {
    struct str key, value;
};

struct fleet_worker {
    struct str id, host, pool, version;
    struct fleet_label *labels;
    uint32_t label_count, slots, busy;
    uint32_t pulls;    /* its requests for jobs that have no answer yet */
    uint64_t since_ms; /* wall clock: when it joined */
};

struct fleet_pool {
    struct str name;
    uint32_t queued, workers;
};

/* How far an attempt is that a line of `workers` tells of. */
enum fleet_told {
    FLEET_TOLD_QUEUED,  /* it waits for a worker */
    FLEET_TOLD_OFFERED, /* a worker makes it ready, and has not claimed it */
    FLEET_TOLD_TAKEN,   /* a worker has claimed it */
    FLEET_TOLD_SKIPPED, /* in a worker's own word: it cannot do it */
    FLEET_TOLD_COUNT
};

struct fleet_shown {
    enum fleet_told told;
    struct str k, pool, role, worker;
    struct str from;    /* the host of its driver; empty: not known */
    struct str why;     /* why it waits, or was skipped; for people */
    uint64_t age_ms;    /* since it waits, was offered, claimed or skipped; 0: not known */
    uint64_t silent_ms; /* of a claim: since it was renewed */
};

/* The members of all kinds; a line has those of its own. Texts are borrowed for writing, and live
 * in the arena when they were read. */
struct fleet_line {
    enum fleet_kind kind;
    uint32_t v;
    struct str version, run, host, pool, worker, k, nonce, token, id, carrier;
    struct str why;      /* for people; of `stop` to a worker it is a word: stop */
    uint64_t epoch, lease_ms, slots;
    uint32_t n;
    uint64_t bytes, at;  /* of a blob; at also of what an agent said */
    struct str data;     /* bytes, of a blob or of what an agent said; base64 in the line */
    bool ended;          /* of bye */
    bool taken;          /* of ask: a carrier before this one said so */
    bool begun;          /* of begin: its agent is at work, by the go of another carrier */
    bool missing;        /* of skip and refused: the agent's program is not there */
    enum fleet_state state;
    enum fleet_stop stop;
    struct str job, result; /* an object as JSON: fleet_job_read(), fleet_result_read() */
    struct fleet_label *labels;
    uint32_t label_count;
    struct str *beats;      /* of a worker's beat: keys */
    uint32_t beat_count;
    struct fleet_worker *workers;
    uint32_t worker_count;
    struct fleet_pool *pools;
    uint32_t pool_count;
    struct fleet_shown *attempts; /* of workers */
    uint32_t attempt_count;
};

/* Reads one line, without its end. Everything lives in arena. A kind that is not known, or that
 * this side never says, is FLEET_UNKNOWN and no error. ERR_FORMAT says what is missing or wrong;
 * out->kind then is the kind and out->k the key, where that much was read. Of a hello or ready with
 * another v than FLEET_V only v and version hold: look at v first. */
int fleet_line_read(struct str text, enum fleet_side from, struct arena *arena,
                    struct fleet_line *out, struct err *err);

/* Appends the line and its end. ERR_LIMIT: it would be longer than FLEET_LINE_BYTES_MAX, or does
 * not fit into out; ERR_FORMAT: its job or result is no JSON; out is as it was. */
int fleet_line_write(const struct fleet_line *line, struct buf *out);

/* The piece of a blob that the line is. */
struct blob_piece fleet_line_piece(const struct fleet_line *line);

/* The role of a job, "" where it names none, or one that is too long. Returns out. */
const char *fleet_line_role(struct str job, char out[FLEET_ROLE_BYTES]);

const char *fleet_kind_word(enum fleet_kind kind);
const char *fleet_stop_word(enum fleet_stop stop);
const char *fleet_told_word(enum fleet_told told);

#endif
