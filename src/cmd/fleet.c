/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet.c - hone fleet: who is there to play attempts, and what waits for whom; and a server's
 * configuration made, by hone-link.
 *
 * What it shows comes from other machines: it is made harmless.
 *
 * Not here: a fleet tried from end to end (fleet_doctor.c). */
#include "cmd/fleet_doctor.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/table.h"

#include "base/clock.h"
#include "cmd/verbs.h"
#include "drive/fleet/who.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "settings/hone_files.h"
#include "settings/hone_use.h"
#include "settings/trust.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 64, CELL_BYTES_MAX = 60, SHORT_BYTES_MAX = 64 << 10 };

/* ---- which fleet ---- */

/* What settings say; a repository's file counts where the user has agreed to it. */
static int url_of_settings(const struct call *call, struct arena *arena, const char **out,
                           struct err *err)
{
    const struct hone_value *value;
    struct hone_own own = { .workspace = NULL };
    struct trust trust;
    int rc = hone_own_open(&own, call->cwd, true, err);

    *out = NULL;
    trust_open(&trust);
    value = rc == 0 ? hone_find(&own.values, "fleet.url") : NULL;
    if (value && hone_is_asked(value) && !trust_has(&trust, own.workspace, value)) {
        rc = err_set(err, ERR_USAGE, "fleet.url of hone.json does not count: it came with the "
                     "repository, and you have not agreed to it ('hone run --trust' does); or name "
                     "the fleet here");
    } else if (value && *value->text) {
        *out = arena_cstr(arena, str_of(value->text));
    }
    trust_close(&trust);
    hone_own_close(&own);
    if (rc != 0 || *out) return rc;
    return err_set(err, ERR_USAGE, "no fleet is named: 'hone fleet show URL', or fleet.url in a "
                   "settings file");
}

static int url_take(struct call *call, const char *named, const char **out, struct err *err)
{
    *out = named;
    return named ? 0 : url_of_settings(call, &call->arena, out, err);
}

/* ---- show ---- */

static const char *harmless(struct str text, struct arena *arena)
{
    struct buf out;

    buf_init(&out, SHORT_BYTES_MAX);
    add_safe(&out, arena_cstr(arena, text), CELL_BYTES_MAX);
    return arena_take_cstr(arena, &out);
}

static const char *labels_text(const struct fleet_worker *worker, struct arena *arena)
{
    const char *text = "";

    for (uint32_t i = 0; i < worker->label_count; i++) {
        text = arena_printf(arena, "%s%s%s=%s", text, i ? " " : "",
                            harmless(worker->labels[i].key, arena),
                            harmless(worker->labels[i].value, arena));
    }
    return text;
}

static uint32_t slots_free(const struct fleet_line *line, struct str pool)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < line->worker_count; i++) {
        const struct fleet_worker *worker = &line->workers[i];

        if (str_eq(worker->pool, pool) && worker->slots > worker->busy) {
            left += worker->slots - worker->busy;
        }
    }
    return left;
}

/* Why attempts of a pool wait; "": none does. */
static const char *pool_why(const struct fleet_line *line, const struct fleet_pool *pool)
{
    if (pool->queued == 0) return "";
    if (pool->workers == 0) return "no worker has joined this pool";
    return slots_free(line, pool->name) == 0 ? "all slots are busy"
                                             : "they are being taken, or refused by who is free";
}

static void workers_text(const struct fleet_line *line, uint32_t columns_max, struct arena *arena,
                         struct buf *out)
{
    static const struct table_column columns[] = {
        { .title = "WORKER" }, { .title = "POOL" }, { .title = "HOST", .spare = 2 },
        { .title = "BUSY", .right = true }, { .title = "SLOTS", .right = true },
        { .title = "VERSION" }, { .title = "SINCE (UTC)", .spare = 1 }, { .title = "LABELS" },
        { .title = NULL },
    };
    const char *(*cells)[TABLE_COLUMNS_MAX] = arena_alloc(arena, (line->worker_count + (size_t)1) *
                                                                     sizeof *cells);
    struct table table = { .columns = columns, .rows = cells, .count = line->worker_count };

    for (uint32_t i = 0; i < line->worker_count; i++) {
        const struct fleet_worker *worker = &line->workers[i];
        char iso[CLOCK_ISO_BYTES];

        cells[i][0] = harmless(worker->id, arena);
        cells[i][1] = harmless(worker->pool, arena);
        cells[i][2] = harmless(worker->host, arena);
        cells[i][3] = arena_printf(arena, "%" PRIu32, worker->busy);
        cells[i][4] = arena_printf(arena, "%" PRIu32, worker->slots);
        cells[i][5] = harmless(worker->version, arena);
        cells[i][6] = arena_cstr(arena, str_of(clock_iso(worker->since_ms, iso)));
        cells[i][7] = labels_text(worker, arena);
    }
    if (line->worker_count > 0) table_put(&table, columns_max, out);
    else buf_text(out, "no worker is there\n");
}

static void pools_text(const struct fleet_line *line, uint32_t columns_max, struct arena *arena,
                       struct buf *out)
{
    static const struct table_column columns[] = {
        { .title = "POOL" }, { .title = "WORKERS", .right = true },
        { .title = "WAITING", .right = true }, { .title = "WHY" }, { .title = NULL },
    };
    const char *(*cells)[TABLE_COLUMNS_MAX] = arena_alloc(arena, (line->pool_count + (size_t)1) *
                                                                     sizeof *cells);
    struct table table = { .columns = columns, .rows = cells, .count = line->pool_count };

    for (uint32_t i = 0; i < line->pool_count; i++) {
        const struct fleet_pool *pool = &line->pools[i];

        cells[i][0] = harmless(pool->name, arena);
        cells[i][1] = arena_printf(arena, "%" PRIu32, pool->workers);
        cells[i][2] = arena_printf(arena, "%" PRIu32, pool->queued);
        cells[i][3] = pool_why(line, pool);
    }
    if (line->pool_count == 0) return;
    buf_byte(out, '\n');
    table_put(&table, columns_max, out);
}

/* Workers of another release refuse what they do not understand: both versions are named. */
static void versions_text(const struct fleet_line *line, struct arena *arena, struct buf *out)
{
    for (uint32_t i = 0; i < line->worker_count; i++) {
        const struct fleet_worker *worker = &line->workers[i];

        if (str_is(worker->version, HONE_VERSION)) continue;
        buf_printf(out, "\n%s has hone %s, and this is hone " HONE_VERSION ": it may refuse what "
                   "it is sent\n", harmless(worker->id, arena), harmless(worker->version, arena));
    }
}

static void show_json(const char *url, const struct fleet_line *ready,
                      const struct fleet_line *line)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list, *one, *labels;

    yyjson_mut_obj_add_val(doc, root, "url", json_text(doc, str_of(url)));
    yyjson_mut_obj_add_val(doc, root, "carrier", json_text(doc, ready->carrier));
    yyjson_mut_obj_add_uint(doc, root, "lease_ms", ready->lease_ms);
    list = yyjson_mut_obj_add_arr(doc, root, "workers");
    for (uint32_t i = 0; i < line->worker_count; i++) {
        const struct fleet_worker *worker = &line->workers[i];

        one = yyjson_mut_arr_add_obj(doc, list);
        yyjson_mut_obj_add_val(doc, one, "id", json_text(doc, worker->id));
        yyjson_mut_obj_add_val(doc, one, "host", json_text(doc, worker->host));
        yyjson_mut_obj_add_val(doc, one, "pool", json_text(doc, worker->pool));
        yyjson_mut_obj_add_val(doc, one, "version", json_text(doc, worker->version));
        yyjson_mut_obj_add_uint(doc, one, "slots", worker->slots);
        yyjson_mut_obj_add_uint(doc, one, "busy", worker->busy);
        yyjson_mut_obj_add_uint(doc, one, "since_ms", worker->since_ms);
        labels = yyjson_mut_obj_add_obj(doc, one, "labels");
        for (uint32_t k = 0; k < worker->label_count; k++) {
            yyjson_mut_obj_put(labels, json_text(doc, worker->labels[k].key),
                               json_text(doc, worker->labels[k].value));
        }
    }
    list = yyjson_mut_obj_add_arr(doc, root, "pools");
    for (uint32_t i = 0; i < line->pool_count; i++) {
        one = yyjson_mut_arr_add_obj(doc, list);
        yyjson_mut_obj_add_val(doc, one, "name", json_text(doc, line->pools[i].name));
        yyjson_mut_obj_add_uint(doc, one, "workers", line->pools[i].workers);
        yyjson_mut_obj_add_uint(doc, one, "waiting", line->pools[i].queued);
        yyjson_mut_obj_add_str(doc, one, "why", pool_why(line, &line->pools[i]));
    }
    say_json(doc, true);
}

static int show(struct call *call, const char *named)
{
    struct fleet_line ready, line;
    const char *url;
    struct err err;
    struct buf out;

    if (url_take(call, named, &url, &err) != 0) return say_err(&err);
    if (fleet_who(url, HONE_VERSION, &call->arena, &ready, &line, &err) != 0) return say_err(&err);
    if (call->json) {
        show_json(url, &ready, &line);
        return CODE_DONE;
    }
    buf_init(&out, SAY_BYTES_MAX);
    buf_printf(&out, "%s (%s)\n\n", harmless(str_of(url), &call->arena),
               harmless(ready.carrier, &call->arena));
    workers_text(&line, table_columns(call), &call->arena, &out);
    pools_text(&line, table_columns(call), &call->arena, &out);
    versions_text(&line, &call->arena, &out);
    say_take(&out);
    return CODE_DONE;
}

/* ---- init ---- */

static int no_link(void)
{
    return say_fail(CODE_USAGE, "hone-link is neither beside hone nor on the PATH: it is built "
                    "with hone where libnats is installed (Debian: libnats-dev); a fleet of one "
                    "machine by ssh:HOST needs none");
}

/* hone-link takes this process's place. */
static int init(struct call *call, const char *folder)
{
    const char **argv = arena_alloc(&call->arena, ARGS_MAX * sizeof *argv);
    uint32_t count = 0;

    if (!folder) {
        return say_fail(CODE_USAGE, "fleet init: a folder for the server's configuration and the "
                        "keys is needed, such as 'hone fleet init ~/fleet --worker box --driver "
                        "me'");
    }
    argv[count] = fleet_link(&call->arena);
    if (!argv[count++]) return no_link();
    argv[count++] = "init";
    argv[count++] = folder;
    for (uint32_t i = 0; i < call->given_count; i++) {
        if (count + 3 > ARGS_MAX) return say_fail(CODE_USAGE, "fleet init: too many options");
        argv[count++] = arena_printf(&call->arena, "--%s", call->given[i].name);
        argv[count++] = call->given[i].value;
    }
    argv[count] = NULL;
    return say_fail(CODE_FAILED, "%s could not be started: %s", argv[0],
                    strerror(program_become(host_parent(), argv)));
}

/* ---- the verb ---- */

static int handle(struct call *call)
{
    const char *action = call_argument(call, 0), *name = call_argument(call, 1), *url;
    struct err err;

    if (!action || strcmp(action, "show") == 0) {
        if (call->given_count) {
            return say_fail(CODE_USAGE, "fleet: --%s goes with init", call->given[0].name);
        }
        return show(call, name);
    }
    if (strcmp(action, "init") == 0) return init(call, name);
    if (strcmp(action, "doctor") == 0) {
        if (url_take(call, name, &url, &err) != 0) return say_err(&err);
        return fleet_doctor(call, url);
    }
    return say_fail(CODE_USAGE, "fleet: '%.60s' is not show, init or doctor", action);
}

const struct verb verb_fleet = {
    .name = "fleet",
    .summary = "show who plays attempts on other machines; set a fleet up, try it",
    .text = {
        "A fleet is other machines that play the agents of 'hone run --fleet URL'. 'show', the "
        "default, lists its workers and pools: who is there, with what, how busy, and what waits "
        "and why.",
        "'init' makes a folder with the configuration of a NATS server: TLS, and a key with the "
        "least rights for each worker and each driver. It can be called again to add some.",
        "'doctor' tries it: the server, its rights, the workers, and some attempts of a script "
        "from here to there and back. It says what to do about what does not work.",
    },
    .arguments = {
        { .name = "ACTION", .optional = true, .help = "show, init or doctor; show by default",
          .words = "show, init or doctor" },
        { .name = "PLACE", .optional = true,
          .help = "of show and doctor: the fleet's URL, as 'hone run --fleet' takes it; fleet.url "
                  "of your settings by default. Of init: the folder" },
    },
    .options = {
        { .name = "server", .argument = "HOST",
          .help = "of init: the server's name, by which workers and drivers reach it" },
        { .name = "worker", .argument = "NAME",
          .help = "of init: a worker that gets a key; NAME=POOL,... for those pools only. May be "
                  "given many times" },
        { .name = "driver", .argument = "NAME",
          .help = "of init: a driver that gets a key; may be given many times" },
    },
    .codes = {
        { CODE_DONE, "it was shown, made, or tried and works" },
        { CODE_USAGE, "no fleet is named, or a program is missing" },
        { CODE_FAILED, "the fleet cannot be reached, or something in it does not work" },
    },
    .examples = {
        "hone fleet show ssh:bigbox",
        "hone fleet init ~/fleet --server box.lan --worker box --driver me",
        "hone fleet doctor nats://box.lan",
    },
    .handle = handle,
};
