/* SPDX-License-Identifier: Apache-2.0
 *
 * test_task.c - an attempt at its worker: what each state does with each event, and traces.
 *
 * A line is "EVENT: ACTS -> STATE": the test plays the event, and prints what came of it; the whole
 * line has to be the same. "+500 tick" is a tick that much later. */
#include "carry/task.h"

#include "base/buf.h"

#include "test.h"

#include <inttypes.h>
#include <string.h>

enum { LEASE_MS = 6000, SLOTS = 2, BEGIN_MS = 1000, LINE_BYTES_MAX = 400 };

static const struct {
    const char *name;
    struct task_event event;
} events[] = {
    { "found", { .kind = TASK_FOUND } },
    { "found, kept", { .kind = TASK_FOUND, .kept = true } },
    { "job", { .kind = TASK_JOB } },
    { "job, result there", { .kind = TASK_JOB, .has_result = true } },
    { "job, a lease of 600", { .kind = TASK_JOB, .lease_ms = 600 } },
    { "taken", { .kind = TASK_TAKEN } },
    { "taken, blobs wanted", { .kind = TASK_TAKEN, .wants = true } },
    { "not taken", { .kind = TASK_NOT_TAKEN } },
    { "blobs there", { .kind = TASK_BLOBS_THERE } },
    { "blob none", { .kind = TASK_BLOB_NONE } },
    { "not started", { .kind = TASK_NOT_STARTED } },
    { "needs base", { .kind = TASK_NEEDS_BASE, .wants = true } },
    { "needs base that is here", { .kind = TASK_NEEDS_BASE } },
    { "ready", { .kind = TASK_IS_READY } },
    { "skips", { .kind = TASK_SKIPS } },
    { "has ended", { .kind = TASK_HAS_ENDED, .has_result = true } },
    { "has ended, unreadable", { .kind = TASK_HAS_ENDED } },
    { "process over", { .kind = TASK_PROCESS_OVER } },
    { "process over, result there", { .kind = TASK_PROCESS_OVER, .has_result = true } },
    { "go", { .kind = TASK_GO } },
    { "gone", { .kind = TASK_IS_GONE } },
    { "stop", { .kind = TASK_STOP, .why = FLEET_CANCEL } },
    { "stop, fenced", { .kind = TASK_STOP, .why = FLEET_STOP_FENCED } },
    { "stop, orphan", { .kind = TASK_STOP, .why = FLEET_ORPHAN } },
    { "kept", { .kind = TASK_IS_KEPT } },
    { "forget", { .kind = TASK_FORGET } },
    { "sent", { .kind = TASK_SENT } },
    { "disconnect", { .kind = TASK_DISCONNECT } },
    { "reconnect", { .kind = TASK_RECONNECT } },
    { "halt", { .kind = TASK_HALT, .why = FLEET_CANCEL } },
    { "halt, fenced", { .kind = TASK_HALT, .why = FLEET_STOP_FENCED } },
    { "halt, orphan", { .kind = TASK_HALT, .why = FLEET_ORPHAN } },
    { "tick", { .kind = TASK_TICK } },
};

enum { EVENTS = sizeof events / sizeof *events };

static const char *const states[TASK_STATE_COUNT] = {
    [TASK_NEW] = "new", [TASK_FETCHING] = "fetching", [TASK_PREPARING] = "preparing",
    [TASK_NEEDING] = "needing", [TASK_ASKING] = "asking", [TASK_WORKING] = "working",
    [TASK_ENDING] = "ending", [TASK_SENDING] = "sending", [TASK_KEPT] = "kept",
    [TASK_GONE] = "gone",
};

static const char *const whys[TASK_WHY_COUNT] = {
    [TASK_NOT_SAID] = "", [TASK_NO_ROOM] = " no room", [TASK_NOT_READ] = " not read",
    [TASK_ENDS_STILL] = " ends still",
    [TASK_NO_BLOB] = " no blob", [TASK_NO_PROCESS] = " no process",
    [TASK_PROCESS_SKIPS] = " process skips", [TASK_UNREADY_DIED] = " unready died",
    [TASK_AGENT_DIED] = " agent died", [TASK_FENCED] = " fenced",
    [TASK_WORKER_ENDS] = " worker ends", [TASK_NOT_AT_WORK] = " not at work",
};

static const char *const acts[TASK_ACT_COUNT] = {
    [TASK_TAKES] = "takes", [TASK_SAYS] = "says ", [TASK_ASKS] = "asks", [TASK_STARTS] = "starts",
    [TASK_TELLS] = "tells ", [TASK_DEAFENS] = "deafens", [TASK_KILLS] = "kills",
    [TASK_REAPS] = "reaps", [TASK_SENDS] = "sends", [TASK_KEEPS] = "keeps",
    [TASK_REMOVES] = "removes", [TASK_NOTES] = "notes",
};

static const char *const words[] = { [TASK_WORD_GO] = "go", [TASK_WORD_BASE] = "base",
                                     [TASK_WORD_NOBASE] = "nobase" };

struct scene {
    struct task_at at;
    struct task_worker worker;
    uint64_t now_ms;
};

static void scene_open(struct scene *scene)
{
    *scene = (struct scene){
        .worker = { .lease_ms = LEASE_MS, .slots = SLOTS, .ready = true, .heard_ms = BEGIN_MS,
                    .beat_ms = BEGIN_MS },
        .now_ms = BEGIN_MS,
    };
}

static void acts_print(struct buf *out, const struct task_acts *done)
{
    for (uint32_t i = 0; i < done->count; i++) {
        const struct task_act *one = &done->list[i];

        assert_int_equal(buf_printf(out, "%s%s%s%s", i ? ", " : " ", acts[one->kind],
                                    one->kind == TASK_SAYS ? fleet_kind_word(one->line)
                                    : one->kind == TASK_TELLS ? words[one->word] : "",
                                    whys[one->why]), 0);
    }
}

/* One event; what came of it is appended: " ACTS -> STATE SLOTS". */
static void scene_step(struct scene *scene, struct task_event event, struct buf *out)
{
    struct task_acts done;

    event.now_ms = scene->now_ms;
    if (event.kind == TASK_DISCONNECT) task_worker_disconnect(&scene->worker);
    task_step(&scene->at, &scene->worker, &event, &done);
    acts_print(out, &done);
    assert_int_equal(buf_printf(out, " -> %s %" PRIu32, states[scene->at.state],
                                scene->worker.held), 0);
}

/* What is said to the worker as a whole; false: it is an event of an attempt. */
static bool worker_step(struct scene *scene, struct str name, struct buf *out)
{
    if (str_is(name, "carrier ready")) {
        (void)buf_printf(out, " free %" PRIu32, task_worker_ready(&scene->worker, 0));
    } else if (str_is(name, "heard")) {
        scene->worker.heard_ms = scene->now_ms;
    } else if (str_is(name, "piece")) {
        scene->worker.piece_ms = scene->now_ms;
    } else if (str_is(name, "drain")) {
        scene->worker.draining = true;
    } else if (str_is(name, "all in use")) {
        scene->worker.held = SLOTS;
    } else if (str_is(name, "another one")) {
        scene->at = (struct task_at){ 0 };
    } else {
        return false;
    }
    return true;
}

static void line_play(struct scene *scene, const char *line)
{
    struct str rest = str_of(line), name, later;
    struct buf got;
    uint64_t ms;
    uint32_t i = 0;

    buf_init(&got, LINE_BYTES_MAX);
    (void)str_cut(&rest, ':', &name);
    (void)buf_printf(&got, "%.*s:", STR_ARG(name));
    if (str_starts(name, STR("+"))) {
        name = str_skip(name, 1);
        (void)str_cut(&name, ' ', &later);
        assert_true(str_number(later, &ms));
        scene->now_ms += ms;
    }
    if (!worker_step(scene, name, &got)) {
        while (i < EVENTS && !str_is(name, events[i].name)) i++;
        if (i == EVENTS) fail_msg("no event is called so: %s", line);
        scene_step(scene, events[i].event, &got);
    }
    assert_string_equal(buf_cstr(&got), line);
    buf_release(&got);
}

static void lines_play(struct scene *scene, const char *const *lines)
{
    for (; *lines; lines++) line_play(scene, *lines);
}

#define TRACE(...)                                                                             \
    do {                                                                                       \
        struct scene scene;                                                                    \
        scene_open(&scene);                                                                    \
        lines_play(&scene, (const char *const[]){ __VA_ARGS__, NULL });                        \
    } while (0)

/* ---- each state with each event ---- */

enum { LINES_MAX = 20 };

/* How a scene comes about, and what events do there. Each that is not named does nothing. */
static const struct {
    const char *begins[LINES_MAX], *does[LINES_MAX];
} rows[] = {
    {
        .begins = { NULL },
        .does = {
            "found: -> sending 0",
            "found, kept: -> sending 0",
            "job: takes -> fetching 1",
            "job, result there: says free -> sending 0",
            "job, a lease of 600: takes -> fetching 1",
            "go: says lost not at work -> new 0",
            "forget: removes -> new 0",
        },
    }, {
        .begins = { "job: takes -> fetching 1", "taken, blobs wanted: asks -> fetching 1" },
        .does = {
            "job: says free -> fetching 1",
            "job, result there: says free -> fetching 1",
            "job, a lease of 600: says free -> fetching 1",
            "taken: starts -> preparing 1",
            "taken, blobs wanted: asks -> fetching 1",
            "not taken: says skip not read, says free -> gone 0",
            "blobs there: starts -> preparing 1",
            "blob none: says skip no blob, removes, says free -> gone 0",
            "stop: removes, says free -> gone 0",
            "stop, fenced: removes, says free -> gone 0",
            "stop, orphan: removes, says free -> gone 0",
            "forget: removes, says free -> gone 0",
            "reconnect: asks -> fetching 1",
            "halt: notes worker ends, removes, says free -> gone 0",
            "halt, fenced: notes fenced, says skip fenced, removes, says free -> gone 0",
            "halt, orphan: notes worker ends, removes, says free -> gone 0",
        },
    }, {
        .begins = { "job: takes -> fetching 1", "taken: starts -> preparing 1" },
        .does = {
            "job: says free -> preparing 1",
            "job, result there: says free -> preparing 1",
            "job, a lease of 600: says free -> preparing 1",
            "not started: says skip no process, removes, says free -> gone 0",
            "needs base: asks -> needing 1",
            "needs base that is here: tells base -> preparing 1",
            "ready: says begin -> asking 1",
            "skips: says skip process skips, deafens -> ending 1",
            "process over: reaps, says skip unready died, removes, says free -> gone 0",
            "process over, result there: "
            "reaps, says skip unready died, removes, says free -> gone 0",
            "stop: deafens -> ending 1",
            "stop, fenced: deafens -> ending 1",
            "stop, orphan: deafens -> ending 1",
            "forget: deafens -> ending 1",
            "halt: notes worker ends, deafens -> ending 1",
            "halt, fenced: notes fenced, says skip fenced, deafens -> ending 1",
            "halt, orphan: notes worker ends, deafens -> ending 1",
        },
    }, {
        .begins = { "job: takes -> fetching 1", "taken: starts -> preparing 1",
                    "needs base: asks -> needing 1" },
        .does = {
            "job: says free -> needing 1",
            "job, result there: says free -> needing 1",
            "job, a lease of 600: says free -> needing 1",
            "blobs there: tells base -> preparing 1",
            "blob none: tells nobase -> preparing 1",
            "process over: reaps, says skip unready died, removes, says free -> gone 0",
            "process over, result there: "
            "reaps, says skip unready died, removes, says free -> gone 0",
            "stop: deafens -> ending 1",
            "stop, fenced: deafens -> ending 1",
            "stop, orphan: deafens -> ending 1",
            "forget: deafens -> ending 1",
            "reconnect: asks -> needing 1",
            "halt: notes worker ends, deafens -> ending 1",
            "halt, fenced: notes fenced, says skip fenced, deafens -> ending 1",
            "halt, orphan: notes worker ends, deafens -> ending 1",
        },
    }, {
        .begins = { "job: takes -> fetching 1", "taken: starts -> preparing 1",
                    "ready: says begin -> asking 1" },
        .does = {
            "job: says free, says begin -> asking 1",
            "job, result there: says free, says begin -> asking 1",
            "job, a lease of 600: says free, says begin -> asking 1",
            "process over: reaps, notes agent died, removes, says free -> gone 0",
            "process over, result there: reaps, notes agent died, removes, says free -> gone 0",
            "go: tells go -> working 1",
            "gone: deafens -> ending 1",
            "stop: deafens -> ending 1",
            "stop, fenced: deafens -> ending 1",
            "stop, orphan: deafens -> ending 1",
            "forget: deafens -> ending 1",
            "reconnect: says begin -> asking 1",
            "halt: notes worker ends, deafens -> ending 1",
            "halt, fenced: notes fenced, deafens -> ending 1",
            "halt, orphan: notes worker ends, deafens -> ending 1",
        },
    }, {
        .begins = { "job: takes -> fetching 1", "taken: starts -> preparing 1",
                    "ready: says begin -> asking 1", "go: tells go -> working 1" },
        .does = {
            "job: says free -> working 1",
            "job, result there: says free -> working 1",
            "job, a lease of 600: says free -> working 1",
            "has ended: deafens -> sending 1",
            "process over: "
            "reaps, notes agent died, says lost agent died, removes, says free -> gone 0",
            "process over, result there: reaps, says free -> sending 0",
            "go: -> working 1",
            "gone: deafens -> ending 1",
            "stop: deafens -> ending 1",
            "stop, fenced: deafens -> ending 1",
            "stop, orphan: deafens -> ending 1",
            "forget: deafens -> ending 1",
            "disconnect: -> working 1",
            "reconnect: says begin -> working 1",
            "halt: notes worker ends, says lost worker ends, deafens -> ending 1",
            "halt, fenced: notes fenced, says lost fenced, deafens -> ending 1",
            "halt, orphan: notes worker ends, says lost worker ends, deafens -> ending 1",
        },
    }, { /* stopped while its agent was at work */
        .begins = { "job: takes -> fetching 1", "taken: starts -> preparing 1",
                    "ready: says begin -> asking 1", "go: tells go -> working 1",
                    "stop: deafens -> ending 1" },
        .does = {
            "job: says free, says skip ends still -> ending 1",
            "job, result there: says free, says skip ends still -> ending 1",
            "job, a lease of 600: says free, says skip ends still -> ending 1",
            "process over: reaps, removes, says free -> gone 0",
            "process over, result there: reaps, removes, says free -> gone 0",
            "go: says lost not at work -> ending 1",
        },
    }, { /* ... as its driver is dead */
        .begins = { "job: takes -> fetching 1", "taken: starts -> preparing 1",
                    "ready: says begin -> asking 1", "go: tells go -> working 1",
                    "stop, orphan: deafens -> ending 1" },
        .does = {
            "job: says free, says skip ends still -> ending 1",
            "job, result there: says free, says skip ends still -> ending 1",
            "job, a lease of 600: says free, says skip ends still -> ending 1",
            "has ended: -> sending 1",
            "process over: reaps, removes, says free -> gone 0",
            "process over, result there: reaps, says free -> sending 0",
            "go: says lost not at work -> ending 1",
            "stop: -> ending 1",
            "stop, fenced: -> ending 1",
            "forget: -> ending 1",
        },
    }, { /* a result that is said, and its process ends */
        .begins = { "job: takes -> fetching 1", "taken: starts -> preparing 1",
                    "ready: says begin -> asking 1", "go: tells go -> working 1",
                    "has ended: deafens -> sending 1", "tick: sends -> sending 1",
                    "sent: says ended -> sending 1" },
        .does = {
            "job: says free -> sending 1",
            "job, result there: says free -> sending 1",
            "job, a lease of 600: says free -> sending 1",
            "process over: reaps, says free -> sending 0",
            "process over, result there: reaps, says free -> sending 0",
            "stop: -> ending 1",
            "stop, fenced: -> ending 1",
            "kept: keeps -> kept 1",
            "forget: -> ending 1",
            "disconnect: -> sending 1",
        },
    }, { /* a result that the worker has found, and begins to say */
        .begins = { "found: -> sending 0", "tick: sends -> sending 0" },
        .does = {
            "job: says free -> sending 0",
            "job, result there: says free -> sending 0",
            "job, a lease of 600: says free -> sending 0",
            "stop: removes -> gone 0",
            "stop, fenced: removes -> gone 0",
            "kept: keeps -> kept 0",
            "forget: removes -> gone 0",
            "sent: says ended -> sending 0",
            "disconnect: -> sending 0",
        },
    }, {
        .begins = { "job: takes -> fetching 1", "taken: starts -> preparing 1",
                    "ready: says begin -> asking 1", "go: tells go -> working 1",
                    "has ended: deafens -> sending 1", "kept: keeps -> kept 1" },
        .does = {
            "job: says free -> sending 1",
            "job, result there: says free -> sending 1",
            "job, a lease of 600: says free -> sending 1",
            "process over: reaps, says free -> kept 0",
            "process over, result there: reaps, says free -> kept 0",
            "forget: -> ending 1",
        },
    }, {
        .begins = { "found: -> sending 0", "kept: keeps -> kept 0" },
        .does = {
            "job: says free -> sending 0",
            "job, result there: says free -> sending 0",
            "job, a lease of 600: says free -> sending 0",
            "forget: removes -> gone 0",
        },
    }, {
        .begins = { "found: -> sending 0", "forget: removes -> gone 0" },
        .does = {
            "job: says free -> gone 0",
            "job, result there: says free -> gone 0",
            "job, a lease of 600: says free -> gone 0",
            "go: says lost not at work -> gone 0",
        },
    },
};

static const char *row_line(const char *const *does, const char *name)
{
    size_t size = strlen(name);

    for (; *does; does++) {
        if (strncmp(*does, name, size) == 0 && (*does)[size] == ':') return *does;
    }
    return NULL;
}

TEST(each_state_does_what_stands_there_with_each_event_and_nothing_else)
{
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        uint32_t used = 0, lines = 0;

        while (rows[row].does[lines]) lines++;
        for (uint32_t i = 0; i < EVENTS; i++) {
            const char *line = row_line(rows[row].does, events[i].name);
            struct scene scene;
            struct task_at before;

            scene_open(&scene);
            lines_play(&scene, rows[row].begins);
            before = scene.at;
            if (line) {
                line_play(&scene, line);
                used++;
            } else {
                struct buf got;

                buf_init(&got, LINE_BYTES_MAX);
                scene_step(&scene, events[i].event, &got);
                if (memcmp(&before, &scene.at, sizeof before) != 0 ||
                    !has_part(buf_str(&got), " -> ") || buf_cstr(&got)[1] != '-') {
                    fail_msg("row %zu, %s: nothing was to come of it:%s", row, events[i].name,
                             buf_cstr(&got));
                }
                buf_release(&got);
            }
        }
        assert_int_equal(used, lines);
    }
}

/* ---- the job ---- */

TEST(a_job_without_room_is_skipped_and_no_slot_was_used)
{
    TRACE("all in use:", "job: says skip no room -> new 2");
    TRACE("drain:", "job: says skip no room -> new 0");
}

TEST(a_draining_worker_ends_what_it_has_and_says_no_slot_free)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1", "drain:",
          "ready: says begin -> asking 1", "go: tells go -> working 1",
          "has ended: deafens -> sending 1", "process over: reaps -> sending 0");
}

TEST(a_folder_that_is_there_is_not_begun_again_and_not_removed)
{
    TRACE("job: takes -> fetching 1", "not taken: says skip not read, says free -> gone 0");
}

TEST(two_attempts_share_the_slots)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1", "another one:",
          "job: takes -> fetching 2", "another one:", "job: says skip no room -> new 2");
}

TEST(blobs_that_do_not_come_end_a_job_two_minutes_after_the_last_piece_of_any)
{
    TRACE("job: takes -> fetching 1", "taken, blobs wanted: asks -> fetching 1",
          "+119999 heard:", "tick: -> fetching 1", "piece:", "+1 heard:", "tick: -> fetching 1",
          "+119998 heard:", "tick: -> fetching 1", "+1 heard:",
          "tick: says skip no blob, removes, says free -> gone 0");
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "needs base: asks -> needing 1", "+120000 heard:", "tick: tells nobase -> preparing 1",
          "ready: says begin -> asking 1");
}

/* ---- go ---- */

TEST(go_is_taken_once)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1", "go: -> preparing 1",
          "ready: says begin -> asking 1", "ready: -> asking 1", "go: tells go -> working 1",
          "go: -> working 1", "ready: -> working 1");
}

TEST(another_carrier_is_asked_again_and_an_agent_is_not_told_go_twice)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "disconnect: -> asking 1",
          "reconnect: says begin -> asking 1", "carrier ready: free 1",
          "go: tells go -> working 1", "disconnect: -> working 1",
          "reconnect: says begin -> working 1", "carrier ready: free 1", "go: -> working 1");
}

TEST(a_carrier_that_hands_out_what_it_has_forgotten_counts_its_slots_right)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1", "disconnect: -> preparing 1",
          "reconnect: -> preparing 1", "carrier ready: free 1", "job: says free -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1");
}

/* ---- its end ---- */

TEST(a_process_that_does_not_end_is_killed_once_and_its_slot_is_free_when_it_is_reaped)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "stop: deafens -> ending 1", "+1499 tick: -> ending 1", "stop: -> ending 1",
          "+1 tick: kills -> ending 1", "+1 tick: -> ending 1",
          "process over: reaps, removes, says free -> gone 0", "process over: -> gone 0");
}

TEST(one_that_was_stopped_while_its_result_was_written_says_no_result)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1", "stop: deafens -> ending 1",
          "has ended: -> ending 1", "tick: -> ending 1", "sent: -> ending 1",
          "process over, result there: reaps, removes, says free -> gone 0");
}

TEST(an_orphan_keeps_a_result_that_was_being_written_until_it_is_forgotten)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1",
          "stop, orphan: deafens -> ending 1", "has ended: -> sending 1",
          "stop, orphan: -> sending 1", "tick: sends -> sending 1",
          "process over: reaps, says free -> sending 0", "sent: says ended -> sending 0",
          "stop, orphan: -> sending 0", "kept: keeps -> kept 0", "kept: -> kept 0",
          "forget: removes -> gone 0");
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1",
          "stop, orphan: deafens -> ending 1", "stop: -> ending 1", "has ended: -> ending 1",
          "process over, result there: reaps, removes, says free -> gone 0");
}

TEST(one_that_is_forgotten_while_its_process_ends_loses_its_folder_after_that)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1",
          "has ended: deafens -> sending 1", "kept: keeps -> kept 1", "forget: -> ending 1",
          "+1500 tick: kills -> ending 1", "process over: reaps, removes, says free -> gone 0");
}

/* ---- its result ---- */

TEST(a_result_is_said_again_to_the_same_carrier_after_a_while_and_at_once_to_another)
{
    TRACE("found: -> sending 0", "tick: sends -> sending 0", "tick: -> sending 0",
          "sent: says ended -> sending 0", "sent: -> sending 0", "+15999 tick: -> sending 0",
          "+1 tick: sends -> sending 0", "disconnect: -> sending 0", "sent: -> sending 0",
          "tick: -> sending 0", "reconnect: -> sending 0", "tick: -> sending 0",
          "carrier ready: free 2", "tick: sends -> sending 0", "sent: says ended -> sending 0",
          "job: says free -> sending 0", "tick: sends -> sending 0");
}

TEST(a_result_that_was_kept_is_said_again_to_a_carrier_that_may_have_lost_it)
{
    TRACE("found, kept: -> sending 0", "tick: sends -> sending 0",
          "sent: says ended -> sending 0", "kept: -> kept 0", "another one:",
          "job, result there: says free -> sending 0", "tick: sends -> sending 0",
          "sent: says ended -> sending 0", "kept: keeps -> kept 0", "forget: removes -> gone 0");
}

TEST(those_that_were_kept_are_said_again_a_few_at_a_time_and_hold_no_worker_that_drains)
{
    struct task_worker worker = { .lease_ms = LEASE_MS, .slots = SLOTS, .heard_ms = BEGIN_MS,
                                  .beat_ms = BEGIN_MS };
    const struct task_event found = { .kind = TASK_FOUND, .kept = true, .now_ms = BEGIN_MS };
    const struct task_event kept = { .kind = TASK_IS_KEPT, .now_ms = BEGIN_MS };
    struct task_at all[100] = { { .state = TASK_NEW } };
    struct task_acts done;
    uint32_t count = 0;

    assert_false(task_worker_says_again(&worker)); /* no carrier is there */
    (void)task_worker_ready(&worker, 0);
    for (; task_worker_says_again(&worker); count++) {
        task_step(&all[count], &worker, &found, &done);
        assert_false(task_is_unsaid(&all[count]));
    }
    assert_int_equal(count, 16);
    task_step(&all[0], &worker, &kept, &done);
    assert_true(task_is_over(&all[0]));
    assert_true(task_worker_says_again(&worker));
    worker.draining = true;
    assert_false(task_worker_says_again(&worker));
}

/* ---- the carrier is not heard ---- */

TEST(each_attempt_has_the_lease_of_its_run_and_beats_come_by_the_smallest)
{
    struct task_worker worker = { .lease_ms = LEASE_MS, .least_ms = 600, .beat_ms = 10 };

    TRACE("job, a lease of 600: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1", "+600 tick: -> working 1",
          "+1 tick: notes fenced, says lost fenced, deafens -> ending 1");
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1", "+601 tick: -> working 1");
    assert_int_equal(task_worker_due_ms(&worker), 110);
    assert_false(task_worker_beats(&worker, 109));
    assert_true(task_worker_beats(&worker, 110));
}

TEST(a_mute_carrier_ends_all_that_has_no_result_after_a_lease)
{
    TRACE("job: takes -> fetching 1", "taken, blobs wanted: asks -> fetching 1",
          "+6000 tick: -> fetching 1",
          "+1 tick: notes fenced, says skip fenced, removes, says free -> gone 0");
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1", "+6000 heard:",
          "+6000 tick: -> working 1",
          "+1 tick: notes fenced, says lost fenced, deafens -> ending 1",
          "has ended: -> ending 1",
          "process over, result there: reaps, removes, says free -> gone 0");
    TRACE("found: -> sending 0", "+6001 tick: sends -> sending 0");
}

TEST(go_that_comes_too_late_is_answered)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "+6001 tick: notes fenced, deafens -> ending 1",
          "go: says lost not at work -> ending 1",
          "process over: reaps, removes, says free -> gone 0", "another one:",
          "go: says lost not at work -> new 0");
}

TEST(a_carrier_that_follows_a_dead_one_has_to_renew_the_claim_soon)
{
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1", "+100 heard:",
          "+100 disconnect: -> working 1", "+1000 reconnect: says begin -> working 1", "heard:",
          "carrier ready: free 1", "+1899 heard:", "tick: -> working 1",
          "+1 heard:", "tick: -> working 1",
          "+1 tick: notes fenced, says lost fenced, deafens -> ending 1");
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1", "disconnect: -> working 1",
          "+1000 reconnect: says begin -> working 1", "heard:", "carrier ready: free 1",
          "go: -> working 1", "+5000 heard:", "tick: -> working 1");
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1", "disconnect: -> working 1",
          "+3001 tick: notes fenced, deafens -> ending 1", "process over: reaps, removes -> gone 0",
          "carrier ready: free 2");
    TRACE("job: takes -> fetching 1", "taken: starts -> preparing 1",
          "ready: says begin -> asking 1", "go: tells go -> working 1", "disconnect: -> working 1",
          "+1000 heard:", "carrier ready: free 1", "has ended: deafens -> sending 1",
          "+2001 tick: kills, sends -> sending 1");
}

/* ---- all that can happen, in any order ---- */

/* One attempt with what is around it: its process, its folder, and what its carrier counts. */
struct walk {
    struct scene scene;
    uint32_t free;     /* slots, as the carrier counts them */
    bool away;         /* the carrier */
    bool asked;        /* TAKES is to be answered */
    bool started;      /* STARTS was performed just now */
    bool alive;        /* its process */
    bool folder, result, kept;
    bool begun;        /* its process was told go */
    bool unwanted;     /* it was stopped, and is no orphan */
};

struct walks {
    unsigned char seen[1 << 22]; /* a bit each */
    bool reached[TASK_STATE_COUNT];
};

/* What two walks have to differ in to be two. */
static uint32_t walk_key(const struct walk *walk)
{
    const struct task_at *at = &walk->scene.at;
    const bool bits[] = {
        at->running, at->orphaned, at->sending, at->kill_ms > 0, at->fence_ms > 0,
        at->sent_ms > 0, at->again, walk->scene.worker.ready, walk->away, walk->asked,
        walk->started,
        walk->folder, walk->result, walk->kept, walk->begun, walk->unwanted,
    };
    uint32_t key = at->state;

    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) key = key << 1 | bits[i];
    return key << 2 | walk->free;
}

static bool scene_is_new(const struct scene *scene)
{
    return scene->at.state == TASK_NEW;
}

static bool walk_allows(const struct walk *walk, const struct task_event *event)
{
    bool asks_of_process = walk->alive && !walk->begun;

    switch (event->kind) {
    case TASK_TAKEN: return walk->asked && !walk->folder;
    case TASK_NOT_TAKEN: return walk->asked;
    case TASK_FOUND: /* where a walk begins; and one that was kept */
        return event->kept && walk->kept && task_worker_says_again(&walk->scene.worker);
    case TASK_JOB: return walk->scene.worker.ready && walk->free > 0 &&
                          event->has_result == (walk->result && scene_is_new(&walk->scene));
    case TASK_NOT_STARTED: return walk->started;
    case TASK_NEEDS_BASE:
    case TASK_IS_READY:
    case TASK_SKIPS: return asks_of_process;
    case TASK_HAS_ENDED: return walk->alive && walk->begun;
    case TASK_PROCESS_OVER: return walk->alive && (walk->begun || !event->has_result);
    case TASK_GO:
    case TASK_IS_GONE:
    case TASK_STOP:
    case TASK_IS_KEPT:
    case TASK_FORGET: return walk->scene.worker.ready;
    case TASK_DISCONNECT: return !walk->away;
    case TASK_RECONNECT: return walk->away;
    case TASK_BLOBS_THERE:
    case TASK_BLOB_NONE:
    case TASK_SENT:
    case TASK_HALT:
    case TASK_TICK:
    case TASK_EVENT_COUNT: break;
    }
    return true;
}

/* What the event itself means. */
static void walk_hear(struct walk *walk, const struct task_event *event)
{
    enum task_state state = walk->scene.at.state;
    bool has_result = state == TASK_SENDING || state == TASK_KEPT;
    bool halts = event->kind == TASK_HALT && !has_result && state != TASK_ENDING;
    bool stops = event->kind == TASK_STOP || halts;

    if ((stops && event->why != FLEET_ORPHAN) || event->kind == TASK_FORGET ||
        (event->kind == TASK_IS_GONE && state == TASK_WORKING)) walk->unwanted = true;
    if (event->kind == TASK_FOUND) walk->unwanted = false;
    if (event->kind == TASK_TAKEN) walk->folder = true;
    if (event->kind == TASK_NOT_STARTED) walk->alive = false;
    if (event->kind == TASK_JOB) {
        walk->free--;
        if (state == TASK_KEPT) walk->kept = walk->unwanted = false; /* the carrier has lost it */
        if (event->has_result) walk->kept = walk->unwanted = false;
        if (state == TASK_SENDING && walk->scene.at.again) walk->kept = false;
    }
    if (event->kind == TASK_DISCONNECT || event->kind == TASK_RECONNECT) walk->away = !walk->away;
    if (event->has_result) walk->result = true;
    walk->asked = walk->started = false;
}

static bool walk_may_say(const struct walk *walk)
{
    return walk->result && !walk->unwanted && (!walk->kept || walk->scene.at.again);
}

static void walk_says(struct walk *walk, enum fleet_kind line)
{
    if (line == FLEET_FREE) walk->free++;
    if (line == FLEET_BEGIN) assert_true(walk->alive);
    if (line == FLEET_ENDED) assert_true(walk_may_say(walk));
    if (line == FLEET_LOST) assert_false(task_is_named(&walk->scene.at));
}

static void walk_act(struct walk *walk, const struct task_act *act)
{
    switch (act->kind) {
    case TASK_TAKES:
        walk->asked = true;
        walk->unwanted = false;
        break;
    case TASK_SAYS: walk_says(walk, act->line); break;
    case TASK_STARTS:
        assert_true(walk->folder && !walk->alive && !walk->begun);
        walk->alive = walk->started = true;
        break;
    case TASK_TELLS:
        assert_true(walk->alive && !walk->begun && !walk->unwanted);
        walk->begun = act->word == TASK_WORD_GO;
        break;
    case TASK_DEAFENS:
    case TASK_KILLS: assert_true(walk->alive); break;
    case TASK_REAPS:
        assert_true(walk->alive);
        walk->alive = false;
        break;
    case TASK_SENDS: assert_true(walk_may_say(walk)); break;
    case TASK_KEEPS:
        assert_true(walk->result);
        walk->kept = true;
        break;
    case TASK_REMOVES:
        assert_false(walk->alive);
        walk->folder = walk->result = walk->kept = walk->begun = false;
        break;
    case TASK_NOTES:
        if (act->why == TASK_FENCED) walk->unwanted = true;
        break;
    case TASK_ASKS:
    case TASK_ACT_COUNT: break;
    }
}

static void walk_check(const struct walk *walk)
{
    const struct scene *scene = &walk->scene;

    assert_int_equal(scene->at.running, walk->alive);
    if (scene->worker.ready) assert_int_equal(walk->free + scene->worker.held, SLOTS);
    if (scene->at.state == TASK_GONE) assert_false(walk->folder && !walk->kept);
    if (scene->at.state == TASK_KEPT) assert_true(walk->folder && walk->kept);
}

static void walk_step(struct walk *walk, struct task_event event)
{
    struct scene *scene = &walk->scene;
    struct task_acts done;
    uint64_t due_ms = task_due_ms(&scene->at, &scene->worker);

    if (event.kind == TASK_TICK && due_ms != UINT64_MAX && due_ms > scene->now_ms) {
        scene->now_ms = due_ms;
    }
    event.now_ms = scene->now_ms;
    walk_hear(walk, &event);
    if (walk->away) task_worker_disconnect(&scene->worker);
    else scene->worker.heard_ms = scene->now_ms - (event.kind == TASK_TICK ? LEASE_MS + 1 : 0);
    task_step(&scene->at, &scene->worker, &event, &done);
    for (uint32_t i = 0; i < done.count; i++) walk_act(walk, &done.list[i]);
    if (event.kind == TASK_RECONNECT) walk->free = task_worker_ready(&scene->worker, 0);
    walk_check(walk);
}

static void walks_from(struct walks *walks, const struct walk *walk)
{
    uint32_t key = walk_key(walk);

    assert_true(key / 8 < sizeof walks->seen);
    if (walks->seen[key / 8] & 1U << key % 8) return;
    walks->seen[key / 8] |= (unsigned char)(1U << key % 8);
    for (uint32_t i = 0; i < EVENTS; i++) {
        struct walk next = *walk;

        if (!walk_allows(walk, &events[i].event)) continue;
        if (walk->asked && events[i].event.kind != TASK_TAKEN &&
            events[i].event.kind != TASK_NOT_TAKEN) continue;
        walk_step(&next, events[i].event);
        walks->reached[next.scene.at.state] = true;
        if (task_is_over(&next.scene.at)) next.scene.at = (struct task_at){ 0 };
        walks_from(walks, &next);
    }
}

TEST(whatever_happens_go_is_told_once_slots_add_up_and_nothing_unwanted_is_said)
{
    static struct walks walks;
    struct walk walk = { .free = SLOTS };

    scene_open(&walk.scene);
    walks_from(&walks, &walk);
    walk.folder = walk.result = walk.begun = true; /* of a worker that was killed */
    walk_step(&walk, (struct task_event){ .kind = TASK_FOUND });
    walks_from(&walks, &walk);
    for (uint32_t i = 0; i < TASK_STATE_COUNT; i++) assert_true(walks.reached[i]);
}

/* ---- the worker ---- */

TEST(a_beat_is_due_each_sixth_of_a_lease)
{
    struct task_worker worker = { .lease_ms = LEASE_MS, .slots = SLOTS, .heard_ms = 10,
                                  .beat_ms = 10 };

    assert_int_equal(task_worker_due_ms(&worker), 10 + LEASE_MS / 6);
    assert_int_equal(task_worker_ready(&worker, 2 * LEASE_MS), SLOTS);
    assert_int_equal(worker.lease_ms, 2 * LEASE_MS);
    assert_int_equal(task_worker_due_ms(&worker), 10 + LEASE_MS / 3);
    assert_false(task_worker_beats(&worker, 9 + LEASE_MS / 3));
    assert_true(task_worker_beats(&worker, 10 + LEASE_MS / 3));
    assert_false(task_worker_beats(&worker, 10 + LEASE_MS / 3));
    assert_int_equal(task_worker_ready(&worker, LEASE_MS), 0); /* only another lease holds */
    assert_int_equal(worker.lease_ms, LEASE_MS);
    task_worker_disconnect(&worker);
    worker.draining = true;
    assert_int_equal(task_worker_ready(&worker, 0), 0);
    assert_int_equal(worker.lease_ms, LEASE_MS);
}

TEST(beats_name_those_whose_claim_is_needed)
{
    static const bool named[TASK_STATE_COUNT] = { [TASK_WORKING] = true, [TASK_SENDING] = true };

    for (uint32_t i = 0; i < TASK_STATE_COUNT; i++) {
        assert_int_equal(task_is_named(&(struct task_at){ .state = i }), named[i]);
    }
}

TEST(a_tick_is_due_when_it_does_something_and_not_before)
{
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct scene scene;
        uint64_t due_ms;

        scene_open(&scene);
        lines_play(&scene, rows[row].begins);
        due_ms = task_due_ms(&scene.at, &scene.worker);
        for (uint32_t early = 0; early < 2; early++) {
            struct task_event event = { .kind = TASK_TICK, .now_ms = due_ms - early };
            struct scene then = scene;
            struct task_acts done;

            if (due_ms == UINT64_MAX && !early) continue;
            task_step(&then.at, &then.worker, &event, &done);
            assert_int_equal(done.count > 0, !early);
        }
    }
}
