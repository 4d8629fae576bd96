/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_say.c - a fleet for people, and as JSON: workers, pools, attempts at work, attempts that
 * wait.
 *
 * 1. All of it comes from other machines, and is made harmless.
 * 2. Why an attempt waits is the carrier's word, where it has one (a worker skipped it); else it
 *    follows from who is in its pool and how busy.
 * 3. A reason that a table has no room for stands below it once, with the attempts it is about. */
#include "cmd/fleet_say.h"

#include "base/clock.h"
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/table.h"
#include "cmd/version.h"
#include "format/fleet/fleet_name.h"
#include "format/json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    CELL_BYTES_MAX = 60, WHY_BYTES_MAX = 300, WHY_SHORT = 30, SHORT_BYTES_MAX = 64 << 10,
    LISTED_MAX = 200, NAMED_MAX = 3, UUID_LETTERS = 36, RUN_LETTERS = 8,
};

static const char *text_harmless(struct str text, size_t bytes_max, struct arena *arena)
{
    struct buf out;

    buf_init(&out, SHORT_BYTES_MAX);
    add_safe(&out, arena_cstr(arena, text), bytes_max);
    return arena_take_cstr(arena, &out);
}

const char *fleet_harmless(struct str text, struct arena *arena)
{
    return text_harmless(text, CELL_BYTES_MAX, arena);
}

static const char *span_text(uint64_t ms, struct arena *arena)
{
    char span[CLOCK_SPAN_BYTES];

    return arena_cstr(arena, str_of(clock_span(ms, span)));
}

/* ---- why what waits ---- */

static const struct fleet_pool *pool_of(const struct fleet_line *line, struct str name)
{
    for (uint32_t i = 0; i < line->pool_count; i++) {
        if (str_eq(line->pools[i].name, name)) return &line->pools[i];
    }
    return NULL;
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

/* NULL: a worker could take it. */
static const char *pool_problem(const struct fleet_line *line, const struct fleet_pool *pool)
{
    if (pool && pool->workers == 0) return "no worker has joined this pool";
    return pool && slots_free(line, pool->name) == 0 ? "all slots are busy" : NULL;
}

/* Invariant 2. */
static struct str attempt_why(const struct fleet_line *line, const struct fleet_shown *attempt)
{
    const char *problem = pool_problem(line, pool_of(line, attempt->pool));

    if (attempt->why.size > 0) return attempt->why;
    return str_of(problem ? problem : "a free worker is about to get it");
}

/* Why attempts of a pool wait; "": none does. */
static const char *pool_why(const struct fleet_line *line, const struct fleet_pool *pool,
                            struct arena *arena)
{
    const char *problem = pool_problem(line, pool);
    uint32_t skipped = 0;

    if (pool->queued == 0) return "";
    for (uint32_t i = 0; i < line->attempt_count; i++) {
        const struct fleet_shown *attempt = &line->attempts[i];

        if (attempt->told == FLEET_TOLD_QUEUED && str_eq(attempt->pool, pool->name) &&
            attempt->why.size > 0) skipped++;
    }
    if (problem) return problem;
    if (skipped > 0) return arena_printf(arena, "%" PRIu32 " as is said below", skipped);
    return "free workers are about to get them";
}

/* ---- workers and pools ---- */

static const char *labels_text(const struct fleet_worker *worker, struct arena *arena)
{
    const char *text = "";

    for (uint32_t i = 0; i < worker->label_count; i++) {
        text = arena_printf(arena, "%s%s%s=%s", text, i ? " " : "",
                            fleet_harmless(worker->labels[i].key, arena),
                            fleet_harmless(worker->labels[i].value, arena));
    }
    return text;
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

        cells[i][0] = fleet_harmless(worker->id, arena);
        cells[i][1] = fleet_harmless(worker->pool, arena);
        cells[i][2] = fleet_harmless(worker->host, arena);
        cells[i][3] = arena_printf(arena, "%" PRIu32, worker->busy);
        cells[i][4] = arena_printf(arena, "%" PRIu32, worker->slots);
        cells[i][5] = fleet_harmless(worker->version, arena);
        cells[i][6] = arena_cstr(arena, str_of(clock_iso(worker->since_ms, iso)));
        cells[i][7] = labels_text(worker, arena);
    }
    table_put(&table, columns_max, out);
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

        cells[i][0] = fleet_harmless(pool->name, arena);
        cells[i][1] = arena_printf(arena, "%" PRIu32, pool->workers);
        cells[i][2] = arena_printf(arena, "%" PRIu32, pool->queued);
        cells[i][3] = pool_why(line, pool, arena);
    }
    if (line->pool_count == 0) return;
    buf_byte(out, '\n');
    table_put(&table, columns_max, out);
}

/* ---- attempts ---- */

static bool is_waiting(const struct fleet_shown *attempt)
{
    return attempt->told == FLEET_TOLD_QUEUED;
}

static uint32_t attempts_told(const struct fleet_line *line, bool waiting)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < line->attempt_count; i++) {
        if (is_waiting(&line->attempts[i]) == waiting) count++;
    }
    return count;
}

/* Those that the carrier counts, and does not tell one by one: a long list is cut. */
static uint32_t attempts_more(const struct fleet_line *line, bool waiting)
{
    uint32_t told = attempts_told(line, waiting), all = 0;

    for (uint32_t i = 0; waiting && i < line->pool_count; i++) all += line->pools[i].queued;
    for (uint32_t i = 0; !waiting && i < line->worker_count; i++) all += line->workers[i].busy;
    return told >= LISTED_MAX && all > told ? all - told : 0;
}

static void more_text(uint32_t more, struct buf *out)
{
    if (more > 0) buf_printf(out, "and %" PRIu32 " more\n", more);
}

/* The first letters of a run's long name tell runs apart, and those of its job and attempt. */
static void attempt_cells(const struct fleet_shown *attempt, struct arena *arena,
                          const char **cells)
{
    struct fleet_key key = { .run = { "", 0 } };

    (void)fleet_key_read(attempt->k, &key);
    if (key.run.size == UUID_LETTERS) key.run.size = RUN_LETTERS;
    cells[0] = fleet_harmless(key.run, arena);
    cells[1] = arena_printf(arena, "%" PRIu32 "-%" PRIu32, key.job, key.attempt);
    cells[2] = fleet_harmless(attempt->role, arena);
    cells[3] = attempt->age_ms > 0 ? span_text(attempt->age_ms, arena) : NULL;
    cells[5] = fleet_harmless(attempt->from, arena);
}

static const char *claim_text(const struct fleet_shown *attempt, struct arena *arena)
{
    if (attempt->told == FLEET_TOLD_OFFERED) return "not yet: it is made ready";
    return arena_printf(arena, "%s ago%s%s", span_text(attempt->silent_ms, arena),
                        attempt->why.size > 0 ? "; " : "",
                        text_harmless(attempt->why, WHY_BYTES_MAX, arena));
}

/* waiting: those that wait; else those that a worker has. */
static void attempts_text(const struct fleet_line *line, bool waiting, uint32_t columns_max,
                          struct arena *arena, struct buf *out)
{
    static const struct table_column columns[][8] = {
        { { .title = "AT WORK" }, { .title = "JOB" }, { .title = "ROLE" }, { .title = "SINCE" },
          { .title = "WORKER" }, { .title = "FROM", .spare = 1 }, { .title = "CLAIM RENEWED" },
          { .title = NULL } },
        { { .title = "WAITING" }, { .title = "JOB" }, { .title = "ROLE" }, { .title = "SINCE" },
          { .title = "POOL" }, { .title = "FROM", .spare = 1 }, { .title = "WHY" },
          { .title = NULL } },
    };
    uint32_t count = attempts_told(line, waiting);
    const char *(*cells)[TABLE_COLUMNS_MAX] = arena_alloc(arena, (count + (size_t)1) *
                                                                     sizeof *cells);
    struct table table = { .columns = columns[waiting], .rows = cells };

    for (uint32_t i = 0; i < line->attempt_count; i++) {
        const struct fleet_shown *attempt = &line->attempts[i];
        const char **row = cells[table.count];

        if (is_waiting(attempt) != waiting) continue;
        attempt_cells(attempt, arena, row);
        row[4] = fleet_harmless(waiting ? attempt->pool : attempt->worker, arena);
        row[6] = waiting ? text_harmless(attempt_why(line, attempt), WHY_BYTES_MAX, arena)
                         : claim_text(attempt, arena);
        table.count++;
    }
    if (count == 0) return;
    buf_byte(out, '\n');
    table_put(&table, columns_max, out);
    more_text(attempts_more(line, waiting), out);
}

static bool was_said(const struct fleet_line *line, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (is_waiting(&line->attempts[i]) &&
            str_eq(line->attempts[i].why, line->attempts[at].why)) return true;
    }
    return false;
}

/* Invariant 3. */
static void reasons_text(const struct fleet_line *line, uint32_t columns_max, struct arena *arena,
                         struct buf *out)
{
    for (uint32_t i = 0; i < line->attempt_count && columns_max > 0; i++) {
        const struct fleet_shown *attempt = &line->attempts[i];
        struct fleet_key key = { .run = { "", 0 } };
        uint32_t more = 0;

        if (!is_waiting(attempt) || attempt->why.size <= WHY_SHORT || was_said(line, i)) continue;
        for (uint32_t k = i + 1; k < line->attempt_count; k++) {
            if (is_waiting(&line->attempts[k]) &&
                str_eq(line->attempts[k].why, attempt->why)) more++;
        }
        (void)fleet_key_read(attempt->k, &key);
        buf_printf(out, "\n%" PRIu32 "-%" PRIu32, key.job, key.attempt);
        if (more > 0) buf_printf(out, " and %" PRIu32 " more", more);
        buf_printf(out, ": %s\n", text_harmless(attempt->why, WHY_BYTES_MAX, arena));
    }
}

/* ---- versions ---- */

static bool has_version_before(const struct fleet_line *line, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (str_eq(line->workers[i].version, line->workers[at].version)) return true;
    }
    return false;
}

/* Workers of another release refuse what they do not understand: both versions are named. */
static void versions_text(const struct fleet_line *line, struct arena *arena, struct buf *out)
{
    for (uint32_t i = 0; i < line->worker_count; i++) {
        struct str version = line->workers[i].version;
        uint32_t count = 0;

        if (str_is(version, HONE_VERSION) || has_version_before(line, i)) continue;
        buf_byte(out, '\n');
        for (uint32_t k = i; k < line->worker_count; k++) {
            if (!str_eq(line->workers[k].version, version)) continue;
            if (++count > NAMED_MAX) continue;
            buf_printf(out, "%s%s", count > 1 ? ", " : "",
                       fleet_harmless(line->workers[k].id, arena));
        }
        if (count > NAMED_MAX) buf_printf(out, " and %" PRIu32 " more", count - NAMED_MAX);
        buf_printf(out, " %s hone %s, and this is hone " HONE_VERSION ": %s may refuse what %s "
                   "sent\n", count > 1 ? "have" : "has", fleet_harmless(version, arena),
                   count > 1 ? "they" : "it", count > 1 ? "they are" : "it is");
    }
}

/* ---- JSON ---- */

static void workers_json(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct fleet_line *line)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "workers"), *one, *labels;

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
}

static void attempt_json(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct fleet_line *line,
                         const struct fleet_shown *attempt)
{
    yyjson_mut_val *one = yyjson_mut_arr_add_obj(doc, list);
    struct fleet_key key = { .run = { "", 0 } };
    bool waiting = is_waiting(attempt);

    (void)fleet_key_read(attempt->k, &key);
    yyjson_mut_obj_add_val(doc, one, "run", json_text(doc, key.run));
    yyjson_mut_obj_add_uint(doc, one, "job", key.job);
    yyjson_mut_obj_add_uint(doc, one, "attempt", key.attempt);
    yyjson_mut_obj_add_str(doc, one, "state", fleet_told_word(attempt->told));
    yyjson_mut_obj_add_val(doc, one, "role", json_text(doc, attempt->role));
    yyjson_mut_obj_add_val(doc, one, "from", json_text(doc, attempt->from));
    yyjson_mut_obj_add_val(doc, one, "pool", json_text(doc, attempt->pool));
    if (!waiting) yyjson_mut_obj_add_val(doc, one, "worker", json_text(doc, attempt->worker));
    if (attempt->age_ms > 0) yyjson_mut_obj_add_uint(doc, one, "age_ms", attempt->age_ms);
    if (attempt->told == FLEET_TOLD_TAKEN) {
        yyjson_mut_obj_add_uint(doc, one, "renewed_ms_ago", attempt->silent_ms);
    }
    yyjson_mut_obj_add_val(doc, one, "why",
                           json_text(doc, waiting ? attempt_why(line, attempt) : attempt->why));
}

static void show_json(const char *url, const struct fleet_line *ready,
                      const struct fleet_line *line, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list, *one;

    yyjson_mut_obj_add_val(doc, root, "url", json_text(doc, str_of(url)));
    yyjson_mut_obj_add_val(doc, root, "carrier", json_text(doc, ready->carrier));
    yyjson_mut_obj_add_uint(doc, root, "lease_ms", ready->lease_ms);
    workers_json(doc, root, line);
    list = yyjson_mut_obj_add_arr(doc, root, "pools");
    for (uint32_t i = 0; i < line->pool_count; i++) {
        one = yyjson_mut_arr_add_obj(doc, list);
        yyjson_mut_obj_add_val(doc, one, "name", json_text(doc, line->pools[i].name));
        yyjson_mut_obj_add_uint(doc, one, "workers", line->pools[i].workers);
        yyjson_mut_obj_add_uint(doc, one, "waiting", line->pools[i].queued);
        yyjson_mut_obj_add_str(doc, one, "why", pool_why(line, &line->pools[i], arena));
    }
    list = yyjson_mut_obj_add_arr(doc, root, "attempts");
    for (uint32_t i = 0; i < line->attempt_count; i++) {
        attempt_json(doc, list, line, &line->attempts[i]);
    }
    yyjson_mut_obj_add_uint(doc, root, "more_at_work", attempts_more(line, false));
    yyjson_mut_obj_add_uint(doc, root, "more_waiting", attempts_more(line, true));
    say_json(doc, true);
}

int fleet_say(struct call *call, const char *url, const struct fleet_line *ready,
              const struct fleet_line *workers)
{
    uint32_t columns_max = table_columns(call);
    struct arena *arena = &call->arena;
    struct buf out;

    if (call->json) {
        show_json(url, ready, workers, arena);
        return CODE_DONE;
    }
    buf_init(&out, SAY_BYTES_MAX);
    buf_printf(&out, "%s (%s)\n\n", fleet_harmless(str_of(url), arena),
               fleet_harmless(ready->carrier, arena));
    if (workers->worker_count > 0) workers_text(workers, columns_max, arena, &out);
    else buf_printf(&out, "no worker is there: 'hone worker %s' on a machine that may play is "
                    "one\n", fleet_harmless(str_of(url), arena));
    pools_text(workers, columns_max, arena, &out);
    attempts_text(workers, false, columns_max, arena, &out);
    attempts_text(workers, true, columns_max, arena, &out);
    reasons_text(workers, columns_max, arena, &out);
    versions_text(workers, arena, &out);
    say_take(&out);
    return CODE_DONE;
}
