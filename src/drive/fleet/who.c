/* SPDX-License-Identifier: Apache-2.0
 *
 * who.c - how a fleet's carrier is started, and who is there, asked without a run. */
#include "drive/fleet/who.h"

#include "base/path.h"
#include "drive/fleet/carrier.h"
#include "io/file/file.h"
#include "io/process/host.h"
#include "io/process/program.h"

#include <stdlib.h>
#include <string.h>

enum {
    ARGS_MAX = 10, WHO_MS_MAX = 15 * 1000, CLOSE_MS = 500,
    OTHERS_MAX = 4096, /* lines that were not asked for */
};

const char *fleet_link(struct arena *arena)
{
    const char *self = program_self();
    const char *beside = arena_printf(arena, "%.*s/hone-link",
                                      (int)(path_leaf_text(self) - self) - 1, self);

    return file_exists(beside) ? beside : program_find("hone-link", arena);
}

static int url_refuse(const char *url, struct err *err)
{
    return err_set(err, ERR_USAGE, "--fleet %.200s: " FLEET_WAYS_TEXT, url);
}

bool fleet_is_server(const char *url)
{
    return fleet_way_of(str_of(url)) == FLEET_SERVER;
}

int fleet_command(const char *url, struct arena *arena, const char *const **out, struct err *err)
{
    const char **argv = arena_alloc(arena, ARGS_MAX * sizeof *argv);
    enum fleet_way way = fleet_way_of(str_of(url));
    const char *link;

    *out = argv;
    if (way == FLEET_COMMAND) {
        argv[0] = "sh", argv[1] = "-c", argv[2] = url + 4, argv[3] = NULL;
    } else if (way == FLEET_SSH) {
        argv[0] = "ssh", argv[1] = "-o", argv[2] = "BatchMode=yes", argv[3] = url + 4;
        argv[4] = "hone", argv[5] = "worker", argv[6] = "--lines", argv[7] = NULL;
        if (!program_exists("ssh")) {
            return err_set(err, ERR_USAGE, "--fleet %s needs ssh, which is not installed",
                           url);
        }
    } else if (way == FLEET_SERVER) {
        link = fleet_link(arena);
        if (!link) {
            return err_set(err, ERR_USAGE, "--fleet %s needs hone-link, which is neither "
                           "beside hone nor on the PATH: it is built with hone where libnats is "
                           "installed (Debian: libnats-dev); --fleet ssh:HOST needs none", url);
        }
        argv[0] = link, argv[1] = "drive", argv[2] = url, argv[3] = NULL;
    } else {
        return url_refuse(url, err);
    }
    return 0;
}

/* The next line of that kind that comes before the time is over. */
static int line_await(struct carrier *carrier, enum fleet_kind kind, uint64_t until_ms,
                      struct arena *arena, struct fleet_line *out, struct err *err)
{
    for (uint32_t others = 0;;) {
        enum carrier_state state = carrier_turn(carrier);
        struct awaited awaited[CARRIER_AWAITED];
        uint32_t count = carrier_awaited(carrier, awaited);
        uint64_t now_ms;
        struct err none;
        int got;

        while ((got = carrier_next(carrier, arena, out, &none)) != 0) {
            if (got > 0 && out->kind == kind) return 0;
            if (++others == OTHERS_MAX) {
                return err_set(err, ERR_FAILED, "it says much, and not who is there");
            }
            if (got > 0 && out->kind == FLEET_AWAY) {
                return err_set(err, ERR_FAILED, "the server cannot be reached: %.300s",
                               out->why.data);
            }
        }
        now_ms = now_steady_ms();
        if (state != CARRIER_WELL) {
            return err_set(err, ERR_FAILED, "the connection ended before it said who is there");
        }
        if (now_ms >= until_ms) {
            return err_set(err, ERR_FAILED, "it did not answer within %d s",
                           WHO_MS_MAX / 1000);
        }
        wait_for_any(awaited, count, (int64_t)(until_ms - now_ms));
    }
}

static int compare_workers(const void *a, const void *b)
{
    const struct fleet_worker *left = a, *right = b;
    int pool = str_compare(left->pool, right->pool);

    return pool ? pool : str_compare(left->id, right->id);
}

static int compare_pools(const void *a, const void *b)
{
    return str_compare(((const struct fleet_pool *)a)->name, ((const struct fleet_pool *)b)->name);
}

/* What workers have before what waits; of each the oldest first, those of unknown age last. */
static int compare_attempts(const void *a, const void *b)
{
    const struct fleet_shown *left = a, *right = b;
    bool waits = left->told == FLEET_TOLD_QUEUED;

    if (waits != (right->told == FLEET_TOLD_QUEUED)) return waits ? 1 : -1;
    if (left->age_ms != right->age_ms) return left->age_ms < right->age_ms ? 1 : -1;
    return str_compare(left->k, right->k);
}

/* A carrier names them in any order. What workers skipped stands with what waits. */
static void line_sort(struct fleet_line *line)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < line->attempt_count; i++) {
        if (line->attempts[i].told == FLEET_TOLD_SKIPPED) continue;
        line->attempts[count++] = line->attempts[i];
    }
    line->attempt_count = count;
    if (line->worker_count)
        qsort(line->workers, line->worker_count, sizeof *line->workers, compare_workers);
    if (line->pool_count) qsort(line->pools, line->pool_count, sizeof *line->pools, compare_pools);
    if (line->attempt_count) {
        qsort(line->attempts, line->attempt_count, sizeof *line->attempts, compare_attempts);
    }
}

int fleet_who(const char *url, const char *version, struct arena *arena, struct fleet_line *ready,
              struct fleet_line *workers, struct err *err)
{
    struct carrier carrier = { .lease_ms = carrier_lease_ms() };
    uint64_t until_ms = now_steady_ms() + WHO_MS_MAX;
    char host[HOST_NAME_BYTES];
    int rc = fleet_command(url, arena, &carrier.argv, err);

    if (rc != 0) return rc;
    carrier.hello = (struct fleet_line){
        .kind = FLEET_HELLO, .v = FLEET_V, .version = str_of(version), .epoch = now_wall_ms(),
        .host = str_of(host_name(host)), .lease_ms = carrier.lease_ms,
    };
    rc = carrier_begin(&carrier, err);
    if (rc == 0) rc = line_await(&carrier, FLEET_READY, until_ms, arena, ready, err);
    if (rc == 0 && ready->v != FLEET_V) {
        rc = err_set(err, ERR_FAILED, "it speaks version %u of a fleet's lines, and this hone %s "
                     "speaks %d: bring both to one release", (unsigned)ready->v, version, FLEET_V);
    }
    if (rc == 0) (void)carrier_say(&carrier, &(struct fleet_line){ .kind = FLEET_WHO });
    if (rc == 0) rc = line_await(&carrier, FLEET_WORKERS, until_ms, arena, workers, err);
    if (rc == 0) line_sort(workers);
    if (carrier.wire.up) (void)carrier_say(&carrier, &(struct fleet_line){ .kind = FLEET_BYE });
    carrier_end(&carrier, CLOSE_MS);
    return rc == 0 ? 0 : err_wrap(err, "the fleet %s", url);
}
