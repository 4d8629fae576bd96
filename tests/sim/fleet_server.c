/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_server.c - see the header: it says what a server does, and where that was seen. */
#include "fleet_server.h"

#include "world.h"

#include <string.h>

void fs_init(struct fleet_server *server, uint64_t lease_ms)
{
    *server = (struct fleet_server){ .lease_ms = lease_ms };
}

/* ---- jobs ---- */

/* The message that was stored with that id, of those that it still knows; NULL: none. */
static const struct fs_id *id_find(const struct fleet_server *server, uint32_t key, uint64_t id)
{
    for (uint32_t i = 0; i < FS_IDS && i < server->id_count[key]; i++) {
        if (server->ids[key][i].id == id) return &server->ids[key][i];
    }
    return NULL;
}

static struct fs_answer put_job(struct fleet_server *server, const struct fs_ask *ask)
{
    const struct fs_id *known = id_find(server, ask->key, ask->id);

    if (known) return (struct fs_answer){ .word = FS_YES, .seq = known->seq };
    if (server->job_count == FS_JOBS) world_fail("the server has no room for jobs");
    server->jobs[server->job_count++] = (struct fs_job){
        .seq = ++server->job_last, .id = ask->id, .key = ask->key,
    };
    server->ids[ask->key][server->id_count[ask->key]++ % FS_IDS] =
        (struct fs_id){ ask->id, server->job_last };
    server->blobs[ask->key] = true;
    return (struct fs_answer){ .word = FS_YES, .seq = server->job_last };
}

static struct fs_answer read_job(const struct fleet_server *server, uint32_t key)
{
    struct fs_answer answer = { .word = FS_NONE, .floor_seq = server->floor_seq };

    for (uint32_t i = 0; i < server->job_count; i++) {
        if (server->jobs[i].key != key || server->jobs[i].seq < answer.seq) continue;
        answer.word = FS_YES;
        answer.seq = server->jobs[i].seq;
    }
    return answer;
}

static void job_drop(struct fleet_server *server, uint32_t at)
{
    server->gone[server->gone_count++ % FS_JOBS] = server->jobs[at];
    memmove(&server->jobs[at], &server->jobs[at + 1],
            (--server->job_count - at) * sizeof *server->jobs);
}

static void jobs_purge(struct fleet_server *server, uint32_t key)
{
    for (uint32_t i = server->job_count; i-- > 0;) {
        if (server->jobs[i].key == key) job_drop(server, i);
    }
}

/* Its place in the list; job_count: there is none. */
static uint32_t job_place(const struct fleet_server *server, uint64_t seq)
{
    uint32_t at = 0;

    while (at < server->job_count && server->jobs[at].seq != seq) at++;
    return at;
}

void fs_nak(struct fleet_server *server, uint64_t seq, uint64_t until_ms)
{
    uint32_t at = job_place(server, seq);

    if (at < server->job_count) server->jobs[at].out_until_ms = until_ms;
}

void fs_wait(struct fleet_server *server, uint64_t seq, uint64_t now_ms)
{
    fs_nak(server, seq, now_ms + server->lease_ms);
}

const struct fs_job *fs_hand_out(struct fleet_server *server, uint64_t now_ms)
{
    for (uint32_t i = 0; i < server->job_count; i++) {
        struct fs_job *job = &server->jobs[i];

        if (job->out_until_ms > now_ms || job->deliveries >= FS_DELIVER_MAX ||
            job->seq <= server->floor_seq) continue;
        job->deliveries++;
        job->out_until_ms = now_ms + server->lease_ms;
        return job;
    }
    return NULL;
}

const struct fs_job *fs_poison(struct fleet_server *server, uint64_t now_ms)
{
    for (uint32_t i = 0; i < server->job_count; i++) {
        struct fs_job *job = &server->jobs[i];

        if (job->told || job->deliveries < FS_DELIVER_MAX || job->out_until_ms > now_ms) continue;
        job->told = true;
        return job;
    }
    return NULL;
}

/* ---- claims, results, the driver ---- */

static struct fs_answer put_claim(struct fleet_server *server, const struct fs_ask *ask)
{
    struct fs_claim *claim = &server->claims[ask->key];

    if (ask->seq != FS_ANY && ask->seq != claim->seq) {
        return (struct fs_answer){ .word = FS_WRONG, .seq = claim->seq };
    }
    *claim = ask->claim;
    claim->seq = ++server->claim_last;
    return (struct fs_answer){ .word = FS_YES, .seq = claim->seq };
}

static struct fs_answer put_result(struct fleet_server *server, const struct fs_ask *ask)
{
    struct fs_result *result = &server->results[ask->key];

    if (result->seq != 0) return (struct fs_answer){ .word = FS_WRONG, .seq = result->seq };
    if (server->full) return (struct fs_answer){ .word = FS_FULL };
    *result = (struct fs_result){ ++server->result_last, ask->value };
    return (struct fs_answer){ .word = FS_YES, .seq = result->seq };
}

static void result_remove(struct fleet_server *server, uint64_t seq)
{
    for (uint32_t i = 0; i < FS_KEYS; i++) {
        if (server->results[i].seq == seq) server->results[i] = (struct fs_result){ 0, 0 };
    }
}

static struct fs_answer put_driver(struct fleet_server *server, const struct fs_ask *ask)
{
    if (ask->seq != server->driver_seq) {
        return (struct fs_answer){ .word = FS_WRONG, .seq = server->driver_seq };
    }
    server->driver_seq = ++server->driver_last;
    server->driver_epoch = ask->value;
    return (struct fs_answer){ .word = FS_YES, .seq = server->driver_seq };
}

/* All of it but the numbers that were given. */
static void run_purge(struct fleet_server *server)
{
    while (server->job_count > 0) job_drop(server, 0);
    memset(server->claims, 0, sizeof server->claims);
    memset(server->results, 0, sizeof server->results);
    memset(server->blobs, 0, sizeof server->blobs);
    server->driver_seq = 0;
}

static struct fs_answer there(uint64_t seq, uint64_t value)
{
    return (struct fs_answer){ .word = seq ? FS_YES : FS_NONE, .seq = seq, .value = value };
}

struct fs_answer fs_do(struct fleet_server *server, const struct fs_ask *ask)
{
    struct fs_answer answer = { .word = FS_YES };
    uint32_t at;

    switch (ask->kind) {
    case FS_PUT_JOB: return put_job(server, ask);
    case FS_READ_JOB: return read_job(server, ask->key);
    case FS_PURGE_JOB: jobs_purge(server, ask->key); return answer;
    case FS_REMOVE_JOB:
        at = job_place(server, ask->seq);
        if (at < server->job_count) job_drop(server, at);
        return answer;
    case FS_PUT_CLAIM: return put_claim(server, ask);
    case FS_READ_CLAIM:
        answer = there(server->claims[ask->key].seq, 0);
        answer.claim = server->claims[ask->key];
        return answer;
    case FS_PUT_RESULT: return put_result(server, ask);
    case FS_READ_RESULT:
        return there(server->results[ask->key].seq, server->results[ask->key].value);
    case FS_PURGE_RESULT: server->results[ask->key] = (struct fs_result){ 0, 0 }; return answer;
    case FS_REMOVE_RESULT: result_remove(server, ask->seq); return answer;
    case FS_READ_BLOB: return there(server->blobs[ask->key], 0);
    case FS_PUT_DRIVER: return put_driver(server, ask);
    case FS_READ_DRIVER: return there(server->driver_seq, server->driver_epoch);
    case FS_PURGE_RUN: run_purge(server); return answer;
    case FS_KIND_COUNT: break;
    }
    world_fail("no such request");
}

/* ---- what goes wrong ---- */

void fs_killed(struct fleet_server *server, struct prng *prng, uint64_t now_ms)
{
    uint32_t count = server->gone_count < FS_JOBS ? server->gone_count : FS_JOBS;

    for (uint32_t i = 0; i < count; i++) {
        struct fs_job *job = &server->gone[i];

        if (job->seq == 0 || !prng_chance(prng, 30) || server->job_count == FS_JOBS) continue;
        job->out_until_ms = now_ms;
        server->jobs[server->job_count++] = *job;
        if (job->seq > server->floor_seq && prng_chance(prng, 30)) server->floor_seq = job->seq;
        job->seq = 0;
    }
}

void fs_power_cut(struct fleet_server *server, const struct fleet_server *before)
{
    *server = *before;
}
