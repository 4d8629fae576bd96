/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sent.c - an attempt at its driver, step by step.
 *
 * A trace is a text: a line for each event, and behind the arrow the state that follows and what is
 * done. An event that begins with "-" comes while no carrier is there; "@" and a number is the
 * time. Behind a state "?" is: its carrier was asked and has not answered; "*": a blob is on the
 * way; "!": it owes a stop. */
#include "base/buf.h"
#include "carry/sent.h"
#include "test.h"

#include <string.h>

enum { TEXT_BYTES_MAX = 1 << 16, STEPS_DEEP = 3 };

/* ---- words ---- */

/* The events of a trace, with what they are about. */
static const struct {
    const char *word;
    struct sent_event event;
} words[] = {
    { "packed", { .kind = SENT_PACKED } },
    { "limited", { .kind = SENT_PACKED, .limit_ms = 500 } },
    { "cannot", { .kind = SENT_CANNOT } },
    { "left", { .kind = SENT_LEFT } },
    { "stop", { .kind = SENT_STOP } },
    { "journaled", { .kind = SENT_JOURNALED } },
    { "leave", { .kind = SENT_LEAVE } },
    { "tick", { .kind = SENT_TICK } },
    { "ready", { .kind = SENT_READY } },
    { "gone", { .kind = SENT_GONE } },
    { "taken", { .kind = SENT_IS_TAKEN } },
    { "said", { .kind = SENT_HAS_SAID, .at = 0, .bytes = 10 } },
    { "ended", { .kind = SENT_HAS_ENDED, .judged = SENT_GOOD } },
    { "wrong", { .kind = SENT_HAS_ENDED, .judged = SENT_WRONG } },
    { "unreadable", { .kind = SENT_HAS_ENDED, .judged = SENT_UNREADABLE } },
    { "lost", { .kind = SENT_IS_LOST } },
    { "refused", { .kind = SENT_IS_REFUSED } },
    { "nowhere", { .kind = SENT_IS_KNOWN, .known = FLEET_NOWHERE } },
    { "known-queued", { .kind = SENT_IS_KNOWN, .known = FLEET_IS_QUEUED } },
    { "known-taken", { .kind = SENT_IS_KNOWN, .known = FLEET_IS_TAKEN } },
    { "known-ended", { .kind = SENT_IS_KNOWN, .known = FLEET_HAS_ENDED } },
    { "needs", { .kind = SENT_NEEDS_BLOB } },
    { "piece", { .kind = SENT_BLOB_PIECE } },
    { "whole", { .kind = SENT_BLOB_WHOLE } },
    { "broken", { .kind = SENT_BLOB_BROKEN } },
    { "none", { .kind = SENT_BLOB_NONE } },
    { "all-here", { .kind = SENT_ALL_HERE } },
};

enum { WORD_COUNT = sizeof words / sizeof *words };

static const char *const states[SENT_STATE_COUNT] = {
    [SENT_NEW] = "new", [SENT_ASKED] = "asked", [SENT_QUEUED] = "queued", [SENT_TAKEN] = "taken",
    [SENT_ENDED] = "ended", [SENT_OVER] = "over",
};

static const char *const whys[SENT_WHY_COUNT] = {
    [SENT_NO_TRAVEL] = "no-travel", [SENT_NOT_WANTED] = "not-wanted",
    [SENT_WORKER_LOST] = "worker-lost", [SENT_NO_WORKER] = "no-worker",
    [SENT_VANISHED] = "vanished", [SENT_NOT_READ] = "not-read",
    [SENT_FOREIGN] = "foreign", [SENT_OVERDUE] = "overdue", [SENT_BLOB_VANISHED] = "blob-vanished",
    [SENT_BLOB_NOT_WHOLE] = "blob-not-whole",
    [SENT_WAITS] = "waits",
};

static void act_add(const struct sent_act *act, struct buf *out)
{
    switch (act->kind) {
    case SENT_SAYS: buf_printf(out, " %s", fleet_kind_word(act->line)); break;
    case SENT_BEGINS: buf_text(out, " begins"); break;
    case SENT_WRITES: buf_text(out, " writes"); break;
    case SENT_SETTLES: buf_text(out, " settles"); break;
    case SENT_ENDS: buf_printf(out, " ends:%s", whys[act->why]); break;
    case SENT_WARNS: buf_printf(out, " warns:%s", whys[act->why]); break;
    case SENT_DROPS: buf_text(out, " drops"); break;
    case SENT_ACT_COUNT: break;
    }
}

static void outcome_add(const struct sent_at *at, const struct sent_acts *acts, struct buf *out)
{
    buf_printf(out, "%s%s%s%s", states[at->state], at->doubted ? "?" : "", at->fetching ? "*" : "",
               at->owes_stop ? "!" : "");
    for (uint32_t i = 0; i < acts->count; i++) act_add(&acts->list[i], out);
}

/* "-EVENT@TIME" */
static struct sent_event event_of(struct str text)
{
    struct str name;
    uint64_t now_ms = 0;
    bool there = !str_starts(text, STR("-"));

    if (!there) text = str_skip(text, 1);
    assert_true(str_cut(&text, '@', &name));
    if (text.size > 0) assert_true(str_number(text, &now_ms));
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        struct sent_event event = words[i].event;

        if (!str_is(name, words[i].word)) continue;
        event.there = there;
        event.now_ms = now_ms;
        return event;
    }
    fail_msg("no event: %.*s", STR_ARG(name));
    return words[0].event;
}

/* Plays the events of a trace, and compares what comes of them. */
static struct sent_at played(const char *trace)
{
    struct str rest = str_of(trace), line, event;
    struct sent_at at = { .state = SENT_NEW };
    struct sent_acts acts;
    struct buf out;

    buf_init(&out, TEXT_BYTES_MAX);
    while (str_cut(&rest, '\n', &line)) {
        struct sent_event step;

        assert_true(str_cut(&line, ' ', &event));
        step = event_of(event);
        sent_step(&at, &step, &acts);
        buf_printf(&out, "%.*s -> ", STR_ARG(event));
        outcome_add(&at, &acts, &out);
        buf_text(&out, "\n");
    }
    assert_string_equal(buf_cstr(&out), trace);
    buf_release(&out);
    return at;
}

/* ---- traces ---- */

TEST(an_attempt_goes_from_its_job_to_the_word_that_it_may_go)
{
    played("packed -> queued job\n"
           "tick@14999 -> queued\n"
           "taken -> taken begins\n"
           "said -> taken writes\n"
           "ended -> ended\n"
           "needs -> ended* get\n"
           "whole -> ended\n"
           "needs -> ended* get\n"
           "whole -> ended\n"
           "all-here -> over settles\n"
           "journaled -> over forget drops\n");
}

TEST(a_job_that_no_carrier_was_told_of_is_said_to_the_first_that_is_ready)
{
    played("-packed -> queued\n"
           "-gone -> queued\n" /* a carrier that ended before it was ready */
           "ready -> queued job\n"
           "-gone -> queued\n"
           "ready -> queued? ask\n"); /* from now on it may be anywhere */
}

TEST(that_no_worker_comes_is_told_once)
{
    played("-packed@5 -> queued\n"
           "-tick@99999 -> queued\n" /* it waits for the carrier, not for a worker */
           "ready@100000 -> queued job\n"
           "tick@114999 -> queued\n"
           "tick@115000 -> queued warns:waits\n"
           "tick@300000 -> queued\n");
}

TEST(a_job_that_is_nowhere_is_said_again_if_no_worker_had_it)
{
    played("packed -> queued job\n"
           "-gone -> queued\n"
           "ready -> queued? ask\n"
           "nowhere -> queued job\n"
           "nowhere -> queued\n" /* it was not asked for since */
           "taken -> taken begins\n"
           "nowhere -> taken\n"
           "-gone -> taken\n"
           "ready -> taken? ask\n"
           "nowhere -> over ends:vanished\n"
           "ended -> over\n"
           "journaled -> over forget drops\n");
}

TEST(one_that_a_worker_has_begun_is_lost_where_only_its_job_is_there_again)
{
    played("packed -> queued job\n"
           "taken -> taken begins\n"
           "-gone -> taken\n"
           "ready -> taken? ask\n"
           "known-queued -> over stop ends:vanished\n"
           "journaled -> over forget drops\n");
}

TEST(an_answer_that_comes_after_the_state_moved_counts_for_where_it_is_now)
{
    played("packed -> queued job\n"
           "-gone -> queued\n"
           "ready -> queued? ask\n"
           "taken -> taken? begins\n"
           "known-taken -> taken\n"
           "ready -> taken? ask\n"
           "ready -> taken?\n" /* one question at a time */
           "ended -> ended\n"
           "known-taken -> ended\n"
           "nowhere -> ended\n");
}

TEST(one_that_the_next_carrier_knows_as_taken_is_taken_once)
{
    played("packed -> queued job\n"
           "-gone -> queued\n"
           "ready -> queued? ask\n"
           "known-taken -> taken begins\n"
           "taken -> taken\n");
}

TEST(the_first_result_counts)
{
    played("packed -> queued job\n"
           "ended -> ended\n" /* that it was taken may never be heard */
           "ended -> ended\n"
           "wrong -> ended\n"
           "unreadable -> ended\n"
           "lost -> ended\n"
           "refused -> ended\n"
           "said -> ended\n"
           "all-here -> over settles\n"
           "ended -> over\n"
           "lost -> over\n"
           "all-here -> over\n");
}

TEST(a_carrier_that_is_started_again_goes_on_with_the_blobs_of_a_result)
{
    played("packed -> queued job\n"
           "ended -> ended\n"
           "needs -> ended* get\n"
           "-gone -> ended\n" /* the piece that was on its way is lost */
           "ready -> ended? ask\n"
           "needs -> ended?\n" /* it may not have the result */
           "all-here -> ended?\n"
           "known-ended -> ended\n"
           "ended -> ended\n"
           "needs -> ended* get\n"
           "whole -> ended\n"
           "all-here -> over settles\n");
    played("packed -> queued job\n"
           "ended -> ended\n"
           "-gone -> ended\n"
           "ready -> ended? ask\n"
           "known-taken -> taken\n" /* the server forgot it: its worker says it again */
           "ended -> ended\n"
           "-gone -> ended\n"
           "ready -> ended? ask\n"
           "nowhere -> over ends:vanished\n");
    played("packed -> queued job\n"
           "ended -> ended\n"
           "ready -> ended? ask\n"
           "lost -> over ends:worker-lost\n");
    played("packed -> queued job\n"
           "ended -> ended\n"
           "ready -> ended? ask\n"
           "ended -> ended\n" /* it says so without the answer */
           "needs -> ended* get\n");
}

TEST(a_blob_of_which_nothing_comes_ends_it)
{
    played("packed -> queued job\n"
           "taken -> taken begins\n"
           "ended -> ended\n"
           "tick@10000 -> ended\n"
           "needs@20000 -> ended* get\n"
           "tick@50000 -> ended*\n"
           "piece@60000 -> ended*\n"
           "tick@70000 -> ended*\n"
           "tick@900000 -> ended*\n" /* no fleet could be reached */
           "tick@939000 -> ended*\n"
           "tick@941001 -> over ends:blob-vanished\n"
           "journaled -> over forget drops\n");
}

TEST(a_blob_that_is_never_whole_ends_it)
{
    played("packed -> queued job\n"
           "ended -> ended\n"
           "needs -> ended* get\n"
           "broken -> ended* get\n"
           "broken -> ended* get\n"
           "broken -> over ends:blob-not-whole\n"
           "broken -> over\n");
    played("packed -> queued job\n"
           "ended -> ended\n"
           "needs -> ended* get\n"
           "none -> over ends:blob-vanished\n");
}

TEST(a_result_with_another_nonce_is_no_result_and_the_carrier_may_keep_no_other)
{
    played("packed -> queued job\n"
           "taken -> taken begins\n"
           "wrong -> over stop ends:foreign\n"
           "ended -> over\n");
}

TEST(a_worker_that_does_not_end_its_agent_in_time_has_lost_it)
{
    played("limited@1000 -> queued job\n"
           "taken@90000 -> taken begins\n"
           "tick@90500 -> taken\n"
           "tick@90501 -> over stop ends:overdue\n");
}

TEST(one_whose_result_was_forgotten_is_waited_for_as_one_that_was_just_taken)
{
    played("limited@1000 -> queued job\n"
           "ended@90000 -> ended\n" /* that it was taken was never heard */
           "-gone@90001 -> ended\n"
           "ready@90002 -> ended? ask\n"
           "known-taken@90003 -> taken\n"
           "tick@90503 -> taken\n"
           "tick@90504 -> over stop ends:overdue\n");
    played("limited@1000 -> queued job\n"
           "taken@1000 -> taken begins\n"
           "ended@1400 -> ended\n"
           "ready@90002 -> ended? ask\n"
           "known-taken@90003 -> taken\n"
           "tick@90503 -> taken\n"
           "ended@90503 -> ended\n");
}

TEST(a_result_that_comes_while_a_stop_was_said_is_nothing)
{
    played("packed -> queued job\n"
           "taken -> taken begins\n"
           "stop -> over stop ends:not-wanted\n"
           "ended -> over\n"
           "stop -> over\n"
           "journaled -> over forget drops\n");
}

TEST(a_stop_that_no_carrier_hears_is_said_to_the_next)
{
    played("packed -> queued job\n"
           "-gone -> queued\n"
           "-stop -> over! ends:not-wanted\n"
           "-journaled -> over!\n"
           "ready -> over stop\n"
           "ready -> over\n"
           "journaled -> over forget drops\n");
    played("-packed -> queued\n"
           "-stop -> over ends:not-wanted\n" /* no carrier was told of it */
           "-journaled -> over drops\n");
    played("packed -> queued job\n"
           "-stop -> over! ends:not-wanted\n"
           "journaled -> over stop forget drops\n");
}

TEST(what_cannot_travel_is_forgotten_without_a_word)
{
    played("cannot -> over ends:no-travel\n"
           "journaled -> over drops\n");
}

TEST(of_a_run_that_was_left_only_what_has_ended_is_of_use)
{
    played("-left -> asked\n"
           "ready -> asked? ask\n"
           "known-ended -> asked\n"
           "ended -> ended\n"
           "needs -> ended* get\n"
           "whole -> ended\n"
           "all-here -> over settles\n"
           "journaled -> over forget drops\n");
    played("left -> asked? ask\n"
           "taken -> asked?\n"
           "said -> asked?\n"
           "known-taken -> over stop\n"
           "ended -> over\n"
           "journaled -> over forget drops\n");
    played("left -> asked? ask\n"
           "known-queued -> over stop\n");
    played("left -> asked? ask\n"
           "nowhere -> over\n"
           "journaled -> over forget drops\n");
    played("left -> asked? ask\n"
           "-gone -> asked\n"
           "ready -> asked? ask\n"
           "ended -> ended\n"
           "-gone -> ended\n"
           "ready -> ended? ask\n"
           "known-queued -> over stop\n");
    played("-left -> asked\n"
           "-stop -> over!\n"
           "ready -> over stop\n");
}

TEST(a_driver_that_leaves_stops_what_is_away_and_keeps_what_has_ended)
{
    played("packed -> queued job\n"
           "leave -> over stop\n");
    played("-packed -> queued\n"
           "-leave -> over\n");
    played("packed -> queued job\n"
           "taken -> taken begins\n"
           "leave -> over stop\n");
    played("packed -> queued job\n"
           "ended -> ended\n"
           "leave -> ended\n");
    played("left -> asked? ask\n"
           "leave -> asked?\n");
}

/* ---- what an agent said ---- */

static bool is_written(struct sent_at *at, uint64_t from, uint64_t bytes)
{
    struct sent_event event = { .kind = SENT_HAS_SAID, .there = true, .at = from,
                                .bytes = bytes };
    struct sent_acts acts;

    sent_step(at, &event, &acts);
    return acts.count == 1 && acts.list[0].kind == SENT_WRITES;
}

TEST(holes_in_what_an_agent_said_are_bounded)
{
    enum { HOLES = 64 << 20 };
    struct sent_at at = played("packed -> queued job\n"
                               "taken -> taken begins\n");

    assert_true(is_written(&at, 0, 100));
    assert_true(is_written(&at, 50, 10)); /* again, and no hole */
    assert_true(is_written(&at, 100 + HOLES / 2, 100));
    assert_false(is_written(&at, 201 + HOLES, 100));
    assert_true(is_written(&at, 200 + HOLES, 100));
    assert_false(is_written(&at, 301 + HOLES, 1));
    assert_true(is_written(&at, 300 + HOLES, 1));
    assert_false(is_written(&at, UINT64_MAX, 1));
    assert_false(is_written(&at, 0, UINT64_MAX));
    at = (struct sent_at){ .state = SENT_TAKEN, .said = true, .said_to = UINT64_C(1) << 32 };
    assert_true(is_written(&at, (UINT64_C(1) << 32) - 1, 1));
    assert_false(is_written(&at, UINT64_C(1) << 32, 1));
}

/* ---- every state with every event ---- */

static const struct {
    const char *trace; /* how it comes to be */
    const char *moves; /* the events that do something, and what; all others change nothing */
} places[] = {
    { "",
      "packed -> queued job\n"
      "limited -> queued job\n"
      "cannot -> over ends:no-travel\n"
      "left -> asked? ask\n"
      "stop -> over ends:not-wanted\n" },
    { "left -> asked? ask\n",
      "stop -> over stop\n"
      "gone -> asked\n"
      "ended -> ended\n"
      "wrong -> over stop\n"
      "unreadable -> over\n"
      "lost -> over\n"
      "refused -> over\n"
      "nowhere -> over\n"
      "known-queued -> over stop\n"
      "known-taken -> over stop\n"
      "known-ended -> asked\n" },
    { "-packed -> queued\n",
      "stop -> over ends:not-wanted\n"
      "leave -> over\n"
      "ready -> queued job\n" },
    { "packed -> queued job\n",
      "stop -> over stop ends:not-wanted\n"
      "leave -> over stop\n"
      "ready -> queued? ask\n"
      "taken -> taken begins\n"
      "said -> queued writes\n"
      "ended -> ended\n"
      "wrong -> over stop ends:foreign\n"
      "unreadable -> over ends:not-read\n"
      "lost -> over ends:worker-lost\n"
      "refused -> over ends:no-worker\n" },
    { "packed -> queued job\nready -> queued? ask\n",
      "stop -> over stop ends:not-wanted\n"
      "leave -> over stop\n"
      "gone -> queued\n"
      "taken -> taken? begins\n"
      "said -> queued? writes\n"
      "ended -> ended\n"
      "wrong -> over stop ends:foreign\n"
      "unreadable -> over ends:not-read\n"
      "lost -> over ends:worker-lost\n"
      "refused -> over ends:no-worker\n"
      "nowhere -> queued job\n"
      "known-queued -> queued\n"
      "known-taken -> taken begins\n"
      "known-ended -> queued\n" },
    { "packed -> queued job\ntaken -> taken begins\n",
      "stop -> over stop ends:not-wanted\n"
      "leave -> over stop\n"
      "ready -> taken? ask\n"
      "said -> taken writes\n"
      "ended -> ended\n"
      "wrong -> over stop ends:foreign\n"
      "unreadable -> over ends:not-read\n"
      "lost -> over ends:worker-lost\n"
      "refused -> over ends:no-worker\n" },
    { "packed -> queued job\ntaken -> taken begins\nready -> taken? ask\n",
      "stop -> over stop ends:not-wanted\n"
      "leave -> over stop\n"
      "gone -> taken\n"
      "said -> taken? writes\n"
      "ended -> ended\n"
      "wrong -> over stop ends:foreign\n"
      "unreadable -> over ends:not-read\n"
      "lost -> over ends:worker-lost\n"
      "refused -> over ends:no-worker\n"
      "nowhere -> over ends:vanished\n"
      "known-queued -> over stop ends:vanished\n"
      "known-taken -> taken\n"
      "known-ended -> taken\n" },
    { "packed -> queued job\nended -> ended\n",
      "stop -> over stop ends:not-wanted\n"
      "ready -> ended? ask\n"
      "needs -> ended* get\n"
      "none -> over ends:blob-vanished\n"
      "all-here -> over settles\n" },
    { "packed -> queued job\nended -> ended\nready -> ended? ask\n",
      "stop -> over stop ends:not-wanted\n"
      "gone -> ended\n"
      "ended -> ended\n"
      "wrong -> ended\n"
      "unreadable -> ended\n"
      "lost -> over ends:worker-lost\n"
      "refused -> over ends:no-worker\n"
      "nowhere -> over ends:vanished\n"
      "known-queued -> over stop ends:vanished\n"
      "known-taken -> taken\n"
      "known-ended -> ended\n"
      "none -> over ends:blob-vanished\n" },
    { "packed -> queued job\nended -> ended\nneeds -> ended* get\n",
      "stop -> over stop ends:not-wanted\n"
      "ready -> ended?* ask\n"
      "gone -> ended\n"
      "whole -> ended\n"
      "broken -> ended* get\n"
      "none -> over ends:blob-vanished\n" },
    { "packed -> queued job\nended -> ended\nneeds -> ended* get\nready -> ended?* ask\n",
      "stop -> over stop ends:not-wanted\n"
      "gone -> ended\n"
      "ended -> ended*\n"
      "wrong -> ended*\n"
      "unreadable -> ended*\n"
      "lost -> over ends:worker-lost\n"
      "refused -> over ends:no-worker\n"
      "nowhere -> over ends:vanished\n"
      "known-queued -> over stop ends:vanished\n"
      "known-taken -> taken\n"
      "known-ended -> ended*\n"
      "whole -> ended?\n"
      "broken -> ended?* get\n"
      "none -> over ends:blob-vanished\n" },
    { "left -> asked? ask\nended -> ended\n",
      "stop -> over stop\n"
      "ready -> ended? ask\n"
      "needs -> ended* get\n"
      "none -> over\n"
      "all-here -> over settles\n" },
    { "packed -> queued job\nlost -> over ends:worker-lost\n",
      "journaled -> over forget drops\n" },
    { "packed -> queued job\n-stop -> over! ends:not-wanted\n",
      "journaled -> over stop forget drops\n"
      "ready -> over stop\n" },
};

enum { PLACE_COUNT = sizeof places / sizeof *places };

TEST(every_event_does_in_every_state_what_stands_in_the_table_and_nothing_else)
{
    for (uint32_t i = 0; i < PLACE_COUNT; i++) {
        struct sent_at from = played(places[i].trace);
        struct buf moves, still;

        buf_init(&moves, TEXT_BYTES_MAX);
        buf_init(&still, TEXT_BYTES_MAX);
        outcome_add(&from, &(struct sent_acts){ .count = 0 }, &still);
        for (uint32_t k = 0; k < WORD_COUNT; k++) {
            struct sent_at at = from;
            struct sent_event event = words[k].event;
            struct sent_acts acts;
            struct buf out;

            event.there = true;
            sent_step(&at, &event, &acts);
            buf_init(&out, TEXT_BYTES_MAX);
            outcome_add(&at, &acts, &out);
            if (strcmp(buf_cstr(&out), buf_cstr(&still)) != 0) {
                buf_printf(&moves, "%s -> %s\n", words[k].word, buf_cstr(&out));
            }
            buf_release(&out);
        }
        assert_string_equal(buf_cstr(&moves), places[i].moves);
        buf_release(&moves);
        buf_release(&still);
    }
}

/* ---- every few events after that ---- */

/* How often it came to what may happen once. */
struct once {
    uint32_t ends, drops;
};

static void deeper(const struct sent_at *from, struct once before, uint32_t left)
{
    for (uint32_t k = 0; left > 0 && k < 2 * WORD_COUNT; k++) {
        struct sent_at at = *from;
        struct once once = before;
        struct sent_event event = words[k / 2].event;
        struct sent_acts acts;

        event.there = k % 2 == 0;
        sent_step(&at, &event, &acts); /* and sent_check() */
        for (uint32_t i = 0; i < acts.count; i++) {
            enum sent_act_kind kind = acts.list[i].kind;

            if (kind == SENT_ENDS || kind == SENT_SETTLES) once.ends++;
            if (kind == SENT_DROPS) once.drops++;
            if (kind == SENT_DROPS) assert_int_equal(at.state, SENT_OVER);
        }
        assert_true(once.ends <= 1);
        if (from->state == SENT_OVER) assert_int_equal(once.ends, before.ends);
        if (once.drops == 0) deeper(&at, once, left - 1);
    }
}

TEST(an_attempt_ends_once_whatever_comes)
{
    for (uint32_t i = 0; i < PLACE_COUNT; i++) {
        struct sent_at at = played(places[i].trace);

        deeper(&at, (struct once){ .ends = 0 }, STEPS_DEEP);
    }
}
