/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_job.h - an attempt as a driver sends it, and what came of it as a worker sends that back.
 *
 * Each is one JSON object in a line of a carrier (fleet_line.h). What is long stands in blobs, and
 * here stands their id. */
#ifndef HONE_FORMAT_FLEET_FLEET_JOB_H
#define HONE_FORMAT_FLEET_FLEET_JOB_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/event.h"

enum {
    FLEET_FILES_MAX = 32,
    FLEET_CONTRACT_MAX = 256,
    FLEET_TEXT_BYTES_MAX = 512 * 1024, /* of one text in a job, its settings as well */
};

/* A file and the blob with its bytes. */
struct fleet_file {
    struct str name; /* of the attempt's folder; or a path in the work tree */
    struct str id;   /* sha256-HEX */
};

/* The run as the journal has it. */
struct fleet_row {
    struct str id, dialect, task;
    struct str settings; /* a JSON object */
};

/* What the agent's environment says of its attempt, as far as the row does not tell it. */
struct fleet_about {
    struct str role, lane, phase;
    uint32_t iteration;
    struct str task, task_id;
    struct str since;        /* what is looked at is what changed since: a commit; "": everything */
    struct str budget;       /* what is left for it, as --budget reads it */
    uint64_t budget_micros;
    struct str traceparent;
};

/* The work tree that the agent is to find. Ids are git's. */
struct fleet_tree {
    struct str repo;     /* a name of the repository: small hexadecimal digits */
    struct str base;     /* the commit of the blob base-OID; "": bundle has everything */
    struct str head;     /* the commit that HEAD is at; "" before the first one */
    struct str branch;   /* the branch that HEAD is on; "": none */
    struct str snapshot; /* the commit with all files as they are, and ... */
    struct str tree;     /* ... its tree */
    struct str since;    /* a commit that must be there, too; may be "" */
    struct str carry;    /* a commit with ignored files that come along; may be "" */
    struct str bundle;   /* the blob with what snapshot and carry have beyond base */
};

struct fleet_limits {
    uint64_t time_ms, idle_ms, output_bytes; /* 0: none */
};

struct fleet_job {
    uint32_t v;
    struct str run, nonce, version;
    uint64_t epoch;
    uint64_t deadline_ms; /* wall clock: no agent begins after it; 0: whenever */
    struct fleet_row row;
    struct action action; /* kind ACT_START, not_before_ms 0 */
    struct fleet_about about;
    bool reads, commits;
    struct str answer, workspace; /* the driver's paths: absolute */
    struct fleet_file *files, *contract;
    uint32_t file_count, contract_count;
    struct fleet_tree tree;
    struct str setup;
    struct fleet_limits limits;
};

/* The work tree afterwards. */
/* Its process could not be started; the number is the system's for why. */
#define FLEET_BY_START "start"

struct fleet_result_tree {
    bool changed;
    struct str snapshot, tree; /* the commit with all files as they are, and its tree */
    struct str bundle;         /* the blob with what that has beyond what was sent */
    struct str head;           /* where HEAD is */
    struct str commit;         /* of one whose commits come back: the last of them */
};

struct fleet_result {
    uint32_t v;
    struct str run, nonce, worker, host;
    uint64_t begun_ms, ended_ms; /* the worker's wall clock */
    struct str by;               /* how its process ended: a word of the status file; or */
    uint32_t value;              /* FLEET_BY_START. And its number */
    struct str workspace, answer; /* the worker's paths */
    struct fleet_file *files;
    uint32_t file_count;
    struct fleet_result_tree tree;
    struct str guard;   /* what to tell an agent that changed what it may not change; "": none */
    struct str problem; /* what the worker could not do; nothing else counts then; "": none */
};

/* The files that a result can name; NULL ends. */
extern const char *const fleet_result_files[];

/* Appends one JSON object without a line end. */
void fleet_job_write(const struct fleet_job *job, struct buf *out);
void fleet_result_write(const struct fleet_result *result, struct buf *out);

/* Everything lives in arena; every text has a NUL behind it and none in it, so that .data is a C
 * string, "" where the member is missing. ERR_FORMAT says what is wrong. With another v than
 * FLEET_V that is ERR_FORMAT, too, and names both; v, version and nonce are read. */
int fleet_job_read(struct str text, struct arena *arena, struct fleet_job *out, struct err *err);
int fleet_result_read(struct str text, struct arena *arena, struct fleet_result *out,
                      struct err *err);

#endif
