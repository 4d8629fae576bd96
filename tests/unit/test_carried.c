/* SPDX-License-Identifier: Apache-2.0
 *
 * test_carried.c - an attempt at the link of its driver, as traces: what is heard of it, and what
 * follows.
 *
 *     "TIME EVENT | STATE: ACT, ACT"
 *
 * TIME is in milliseconds; the lease is 1,200. An event is a word of carried_event_kind with what
 * goes with it, or an answer: what was asked, `yes`, `dead`, `broken`, `none`, `no` or `away`, and
 * the place in the stream. What an act needs of the attempt stands behind it: `asks lost-tomb 30`.
 */
#include "carry/carried.h"
#include "carry/carry.h"

#include "shared/prng.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LEASE_MS = 1200, LINE_BYTES = 400, BEGIN_MS = 100000 };

static const char *const states[CARRIED_STATE_COUNT] = {
    [CARRIED_ASKED] = "asked", [CARRIED_HELD] = "held", [CARRIED_SENDING] = "sending",
    [CARRIED_QUEUED] = "queued", [CARRIED_TAKEN] = "taken", [CARRIED_ENDED] = "ended",
    [CARRIED_OVER] = "over",
};

static const char *const asked[CARRIED_ASK_COUNT] = {
    [CARRIED_STORE] = "store",
    [CARRIED_HINTED_CLAIM] = "hinted-claim",
    [CARRIED_HINTED_RESULT] = "hinted-result",
    [CARRIED_RENEWED] = "renewed",
    [CARRIED_LOST_RESULT] = "lost-result",
    [CARRIED_LOST_TOMB] = "lost-tomb",
    [CARRIED_LOST_RESULT_AGAIN] = "lost-again",
    [CARRIED_QUEUED_CLAIM] = "queued-claim",
    [CARRIED_QUEUED_JOB] = "queued-job",
    [CARRIED_QUEUED_RESULT] = "queued-result",
    [CARRIED_QUEUED_CLAIM_AGAIN] = "queued-again",
    [CARRIED_QUEUED_BLOB] = "queued-blob",
    [CARRIED_ASKED_RESULT] = "asked-result",
    [CARRIED_ASKED_CLAIM] = "asked-claim",
    [CARRIED_ASKED_JOB] = "asked-job",
    [CARRIED_ASKED_CLAIM_AGAIN] = "asked-again",
};

static const char *const answers[CARRIED_ANSWER_COUNT] = {
    [CARRIED_YES] = "yes", [CARRIED_DEAD] = "dead", [CARRIED_BROKEN] = "broken",
    [CARRIED_NONE] = "none", [CARRIED_NO] = "no", [CARRIED_AWAY] = "away",
};

static const char *const whys[CARRIED_WHY_COUNT] = {
    [CARRIED_NOT_SAID] = "", [CARRIED_TOO_LARGE] = "too-large", [CARRIED_TOO_MANY] = "too-many",
    [CARRIED_NO_ROOM] = "no-room", [CARRIED_NOT_STORED] = "not-stored",
    [CARRIED_POISON] = "poison", [CARRIED_UNFIT] = "unfit",
    [CARRIED_HANDED_AWAY] = "handed-away", [CARRIED_CLAIM_GIVEN_UP] = "claim-given-up",
    [CARRIED_NOT_RENEWED] = "not-renewed", [CARRIED_NO_RESULT] = "no-result",
    [CARRIED_VANISHED] = "vanished",
    [CARRIED_VANISHED_BLOBS] = "vanished-blobs",
};

static const char *const kinds[CARRIED_EVENT_COUNT] = {
    [CARRIED_JOB] = "job", [CARRIED_BLOBS] = "blobs", [CARRIED_STOP] = "stop",
    [CARRIED_ASK] = "ask", [CARRIED_FORGET] = "forget", [CARRIED_CLAIM_HINT] = "claim",
    [CARRIED_RESULT_HINT] = "result", [CARRIED_SKIPPED] = "skipped",
    [CARRIED_ALL_SKIPPED] = "all-skipped", [CARRIED_HANDED_OUT] = "handed-out",
    [CARRIED_ANSWERED] = "answered", [CARRIED_BACK] = "back", [CARRIED_TICK] = "tick",
};

/* ---- a trace is read, played and written ---- */

static int word_in(const char *const *words, int count, struct str word)
{
    for (int i = 0; i < count; i++) {
        if (str_is(word, words[i])) return i;
    }
    return -1;
}

static uint64_t number_of(struct str word)
{
    uint64_t number = 0;

    if (!str_number(word, &number)) fail_msg("no number: %.*s", STR_ARG(word));
    return number;
}

/* What stands behind the first word of an event. */
static void word_read(struct carried_event *event, struct str word, struct str *rest)
{
    int answer = word_in(answers, CARRIED_ANSWER_COUNT, word);
    int why = word_in(whys, CARRIED_WHY_COUNT, word);

    if (str_is(word, "stored")) event->stored = true;
    else if (str_is(word, "blobs")) event->names_blob = true;
    else if (str_is(word, "unbegun")) event->begun = false;
    else if (str_is(word, "was-taken")) event->taken = true;
    else if (str_is(word, "fits")) event->fits = true;
    else if (str_is(word, "token") && str_cut(rest, ' ', &word)) event->token = number_of(word);
    else if (str_is(word, "floor") && str_cut(rest, ' ', &word)) event->floor_seq = number_of(word);
    else if (str_is(word, "times") && str_cut(rest, ' ', &word)) {
        event->times = (uint32_t)number_of(word);
    } else if (answer >= 0) event->answer = (enum carried_answer)answer;
    else if (why >= 0) event->why = (enum carried_why)why;
    else event->seq = number_of(word);
}

static struct carried_event event_read(const struct carried_at *at, struct str text)
{
    struct carried_event event = { .lease_ms = LEASE_MS, .times = at->times, .token = 1,
                                   .begun = true };
    struct str word;
    int found;

    assert_true(str_cut(&text, ' ', &word));
    event.now_ms = BEGIN_MS + number_of(word);
    assert_true(str_cut(&text, ' ', &word));
    found = word_in(kinds, CARRIED_EVENT_COUNT, word);
    if (found >= 0) event.kind = (enum carried_event_kind)found;
    else {
        found = word_in(asked, CARRIED_ASK_COUNT, word);
        if (found < 0) fail_msg("no event: %.*s", STR_ARG(word));
        event.kind = CARRIED_ANSWERED;
        event.ask = (enum carried_ask)found;
    }
    while (str_cut(&text, ' ', &word)) word_read(&event, word, &text);
    return event;
}

static const char *said(const struct carried_act *act, char out[64])
{
    static const char *const known[FLEET_STATE_COUNT] = {
        [FLEET_NOWHERE] = "nowhere", [FLEET_IS_QUEUED] = "queued", [FLEET_IS_TAKEN] = "taken",
        [FLEET_HAS_ENDED] = "ended",
    };
    const char *more = act->line == FLEET_KNOWN ? known[act->known] : whys[act->why];

    snprintf(out, 64, "says %s%s%s", fleet_kind_word(act->line), *more ? " " : "", more);
    return out;
}

static const char *act_text(const struct carried_at *at, const struct carried_act *act,
                            char out[64])
{
    static const char *const tombs[] = {
        [CARRIED_TOMB_CANCEL] = "cancel", [CARRIED_TOMB_LOST] = "lost",
        [CARRIED_TOMB_REFUSED] = "refused",
    };

    switch (act->kind) {
    case CARRIED_ASKS:
        snprintf(out, 64, "asks %s", asked[act->ask]);
        if (act->ask == CARRIED_STORE) snprintf(out, 64, "asks store %u", at->times);
        if (act->ask == CARRIED_LOST_TOMB) {
            snprintf(out, 64, "asks lost-tomb %" PRIu64, at->claim_seq);
        }
        return out;
    case CARRIED_SAYS: return said(act, out);
    case CARRIED_ANSWERS: return act->may ? "lets" : "lets not";
    case CARRIED_CANCELS: return "cancels";
    case CARRIED_FORGETS: return "forgets";
    case CARRIED_ENTOMBS: snprintf(out, 64, "entombs %s", tombs[act->tomb]); return out;
    case CARRIED_PURGES_JOB: return "purges job";
    case CARRIED_REMOVES_JOB: snprintf(out, 64, "removes job %" PRIu64, at->job_seq); return out;
    case CARRIED_REMOVES_RESULT:
        snprintf(out, 64, "removes result %" PRIu64, at->result_seq);
        return out;
    case CARRIED_PURGES_RESULT: return "purges result";
    case CARRIED_PURGES_BLOBS: return "purges blobs";
    case CARRIED_KEEPS_JOB: return "keeps";
    case CARRIED_DROPS_JOB: return "drops";
    case CARRIED_HURRIES: return "hurries";
    case CARRIED_ACT_COUNT: break;
    }
    return "?";
}

static void acts_text(const struct carried_at *at, const struct carried_acts *acts,
                      char out[LINE_BYTES])
{
    char word[64];
    int used = snprintf(out, LINE_BYTES, "%s", states[at->state]);

    for (uint32_t i = 0; i < acts->count; i++) {
        used += snprintf(out + used, (size_t)(LINE_BYTES - used), "%s%s", i ? ", " : ": ",
                         act_text(at, &acts->list[i], word));
    }
}

static void line_play(struct carried_at *at, const char *line)
{
    struct str wanted = str_of(line), text;
    struct carried_event event;
    struct carried_acts acts;
    char got[LINE_BYTES];

    assert_true(str_cut(&wanted, '|', &text));
    event = event_read(at, str_trim(text));
    carried_step(at, &event, &acts);
    acts_text(at, &acts, got);
    if (!str_is(str_trim(wanted), got)) fail_msg("%s\n      got: %s", line, got);
}

static struct carried_at trace_play(const char *const *lines)
{
    struct carried_at at = { 0 };

    for (; *lines; lines++) line_play(&at, *lines);
    return at;
}

#define TRACE(...) trace_play((const char *const[]){ __VA_ARGS__, NULL })

/* How an attempt comes into each of its states. */
#define ASKED "0 ask | asked: asks asked-result"
#define HELD "0 job blobs | held: keeps"
#define SENDING "0 job stored | sending: keeps, asks store 1"
#define QUEUED SENDING, "10 store yes 7 | queued: says queued"
#define TAKEN QUEUED, "20 claim | queued: asks hinted-claim", \
              "21 hinted-claim yes 30 | taken: says taken"
#define ENDED TAKEN, "40 result | taken: asks hinted-result", \
              "41 hinted-result yes 50 | ended: says ended, drops"
#define OVER "0 stop | over: cancels, entombs cancel, purges job"

static struct carried_at at_state(enum carried_state state)
{
    switch (state) {
    case CARRIED_ASKED: return TRACE(ASKED);
    case CARRIED_HELD: return TRACE(HELD);
    case CARRIED_SENDING: return TRACE(SENDING);
    case CARRIED_QUEUED: return TRACE(QUEUED);
    case CARRIED_TAKEN: return TRACE(TAKEN);
    case CARRIED_ENDED: return TRACE(ENDED);
    case CARRIED_OVER: return TRACE(OVER);
    case CARRIED_STATE_COUNT: break;
    }
    return (struct carried_at){ 0 };
}

/* The event in each state. */
static void expect_each(const char *event, const char *const wanted[CARRIED_STATE_COUNT])
{
    for (int i = 0; i < CARRIED_STATE_COUNT; i++) {
        struct carried_at at = at_state((enum carried_state)i);
        char line[LINE_BYTES];

        snprintf(line, sizeof line, "100 %s | %s", event, wanted[i]);
        line_play(&at, line);
    }
}

/* ---- each event in each state ---- */

TEST(a_job_is_new_or_said_twice)
{
    static const char *const wanted[CARRIED_STATE_COUNT] = {
        [CARRIED_ASKED] = "asked", /* `known` comes first */
        [CARRIED_HELD] = "held",
        [CARRIED_SENDING] = "sending",
        [CARRIED_QUEUED] = "queued",
        [CARRIED_TAKEN] = "taken",
        [CARRIED_ENDED] = "ended",
        [CARRIED_OVER] = "sending: keeps, asks store 1",
    };

    expect_each("job stored", wanted);
    TRACE(ASKED, "1 job stored | asked", "2 asked-result none | asked: asks asked-claim");
}

TEST(blobs_release_one_that_is_held)
{
    static const char *const wanted[CARRIED_STATE_COUNT] = {
        [CARRIED_ASKED] = "asked",
        [CARRIED_HELD] = "sending: asks store 1",
        [CARRIED_SENDING] = "sending",
        [CARRIED_QUEUED] = "queued",
        [CARRIED_TAKEN] = "taken",
        [CARRIED_ENDED] = "ended",
        [CARRIED_OVER] = "over",
    };

    expect_each("blobs", wanted);
}

TEST(stop_ends_each)
{
    static const char *const wanted[CARRIED_STATE_COUNT] = {
        [CARRIED_ASKED] = "over: cancels, entombs cancel, purges job",
        [CARRIED_HELD] = "over: drops, cancels, entombs cancel, purges job",
        [CARRIED_SENDING] = "over: drops, cancels, entombs cancel, purges job",
        [CARRIED_QUEUED] = "over: drops, cancels, entombs cancel, purges job",
        [CARRIED_TAKEN] = "over: drops, cancels, entombs cancel, purges job",
        [CARRIED_ENDED] = "over: cancels, entombs cancel, purges job",
        [CARRIED_OVER] = "over: cancels, entombs cancel, purges job",
    };

    expect_each("stop", wanted);
}

TEST(ask_tells_what_is_known_or_asks_the_server)
{
    static const char *const wanted[CARRIED_STATE_COUNT] = {
        [CARRIED_ASKED] = "asked", /* it is being asked */
        [CARRIED_HELD] = "held: says known queued",
        [CARRIED_SENDING] = "sending: says known queued",
        [CARRIED_QUEUED] = "queued: says known queued",
        [CARRIED_TAKEN] = "taken: says known taken",
        [CARRIED_ENDED] = "asked: asks asked-result",
        [CARRIED_OVER] = "asked: asks asked-result",
    };

    expect_each("ask", wanted);
}

TEST(forget_removes_each)
{
    static const char *const wanted[CARRIED_STATE_COUNT] = {
        [CARRIED_ASKED] = "over: forgets, purges result, purges blobs",
        [CARRIED_HELD] = "over: forgets, purges result, purges blobs, drops",
        [CARRIED_SENDING] = "over: forgets, purges result, purges blobs, drops",
        [CARRIED_QUEUED] = "over: forgets, purges result, purges blobs, drops",
        [CARRIED_TAKEN] = "over: forgets, purges result, purges blobs, drops",
        [CARRIED_ENDED] = "over: forgets, removes result 50",
        [CARRIED_OVER] = "over: forgets, purges result, purges blobs",
    };

    expect_each("forget", wanted);
    TRACE(TAKEN, "40 result | taken: asks hinted-result",
          "41 hinted-result yes 50 blobs | ended: says ended, drops",
          "42 forget | over: forgets, removes result 50, purges blobs");
}

TEST(a_claim_is_looked_at_where_one_is_waited_for)
{
    static const char *const wanted[CARRIED_STATE_COUNT] = {
        [CARRIED_ASKED] = "asked",
        [CARRIED_HELD] = "held",
        [CARRIED_SENDING] = "sending: asks hinted-claim",
        [CARRIED_QUEUED] = "queued: asks hinted-claim",
        [CARRIED_TAKEN] = "taken",
        [CARRIED_ENDED] = "ended",
        [CARRIED_OVER] = "over: cancels, entombs cancel", /* its tombstone was lost */
    };

    expect_each("claim", wanted);
}

TEST(an_agent_is_let_begin_for_one_claim_and_no_other)
{
    static const char *const wanted[CARRIED_STATE_COUNT] = {
        [CARRIED_ASKED] = "asked", /* what is asked will tell */
        [CARRIED_HELD] = "held",
        [CARRIED_SENDING] = "sending: asks hinted-claim",
        [CARRIED_QUEUED] = "queued: asks hinted-claim",
        [CARRIED_TAKEN] = "taken: lets not", /* another has it */
        [CARRIED_ENDED] = "ended: lets not",
        [CARRIED_OVER] = "over: lets not",
    };

    expect_each("claim unbegun token 2", wanted);
    TRACE(QUEUED, "20 claim unbegun | queued: asks hinted-claim",
          "21 hinted-claim yes 30 unbegun | taken: says taken, lets",
          "50 claim unbegun | taken: lets", /* it has not heard so yet */
          "60 claim unbegun token 2 | taken: lets not", "70 claim | taken");
    TRACE(QUEUED, "1900 tick | queued", "2500 tick | queued: asks queued-claim",
          "2510 queued-claim yes 30 unbegun | taken: says taken, lets");
}

TEST(of_one_that_was_taken_before_only_the_claim_of_an_agent_at_work_is_kept_to)
{
    TRACE("0 ask was-taken | asked: asks asked-result",
          "1 asked-result none | asked: asks asked-claim",
          "2 asked-claim yes 30 unbegun token 2 | taken: says known taken, lets not",
          "3 claim token 1 | taken", "4 claim unbegun token 2 | taken: lets not",
          "5 claim unbegun token 1 | taken: lets");
    TRACE("0 ask | asked: asks asked-result", "1 asked-result none | asked: asks asked-claim",
          "2 asked-claim yes 30 unbegun token 2 | taken: says known taken, lets");
}

TEST(a_claim_with_another_token_renews_nothing)
{
    TRACE(TAKEN, "700 tick | taken: asks renewed", "710 renewed yes 31 | taken",
          "1100 claim token 2 | taken", "1400 tick | taken: asks renewed",
          "1410 renewed yes 32 token 2 | taken", "2510 tick | taken: asks renewed",
          "2511 renewed yes 33 token 2 | taken: asks lost-result");
}

TEST(a_result_is_looked_at_where_one_is_waited_for_and_removed_where_none_is_wanted)
{
    static const char *const wanted[CARRIED_STATE_COUNT] = {
        [CARRIED_ASKED] = "asked",
        [CARRIED_HELD] = "held",
        [CARRIED_SENDING] = "sending: asks hinted-result",
        [CARRIED_QUEUED] = "queued: asks hinted-result",
        [CARRIED_TAKEN] = "taken: asks hinted-result",
        [CARRIED_ENDED] = "ended",
        [CARRIED_OVER] = "over: forgets, purges result, purges blobs",
    };

    expect_each("result", wanted);
    TRACE(ENDED, "42 forget | over: forgets, removes result 50",
          "43 result | over: forgets, purges result, purges blobs"); /* not the message 50 */
}

TEST(one_that_was_handed_out_too_often_is_refused_where_it_is_queued)
{
    static const char *const wanted[CARRIED_STATE_COUNT] = {
        [CARRIED_ASKED] = "asked",
        [CARRIED_HELD] = "held",
        [CARRIED_SENDING] = "sending",
        [CARRIED_QUEUED] = "over: entombs refused, removes job 7, says refused poison, drops",
        [CARRIED_TAKEN] = "taken",
        [CARRIED_ENDED] = "ended",
        [CARRIED_OVER] = "over",
    };

    expect_each("handed-out", wanted);
}

/* ---- 9: workers that cannot have it ---- */

static void skips_play(struct carried_at *at, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) line_play(at, "100 skipped | queued");
}

TEST(one_that_all_workers_skipped_is_refused_where_it_is_queued)
{
    static const char *const wanted[CARRIED_STATE_COUNT] = {
        [CARRIED_ASKED] = "asked",
        [CARRIED_HELD] = "held",
        [CARRIED_SENDING] = "sending",
        [CARRIED_QUEUED] = "over: entombs refused, removes job 7, says refused unfit, drops",
        [CARRIED_TAKEN] = "taken",
        [CARRIED_ENDED] = "ended",
        [CARRIED_OVER] = "over",
    };

    expect_each("all-skipped", wanted);
    expect_each("skipped", states);
}

TEST(one_that_was_only_given_back_is_stored_again_while_a_worker_may_have_it)
{
    struct carried_at at = TRACE(QUEUED);

    for (uint32_t round = 2; round < 6; round++) {
        char line[LINE_BYTES];

        skips_play(&at, CARRY_HANDED_MAX);
        snprintf(line, sizeof line,
                 "200 handed-out fits | sending: removes job 7, asks store %u", round);
        line_play(&at, line);
        line_play(&at, "210 store yes 7 | queued");
    }
    skips_play(&at, CARRY_HANDED_MAX);
    line_play(&at, "300 handed-out | over: entombs refused, removes job 7, says refused poison,"
              " drops"); /* no worker lives that may have it */
}

/* One of its workers gives it back; another one dies of it each time. */
TEST(one_that_kills_its_workers_is_refused_though_others_give_it_back)
{
    struct carried_at at = TRACE(QUEUED);

    skips_play(&at, 11); /* of 20: 9 are not accounted for */
    line_play(&at, "200 handed-out fits | sending: removes job 7, asks store 2");
    line_play(&at, "210 store yes 8 | queued");
    skips_play(&at, 10); /* and 10: 19 */
    line_play(&at, "300 handed-out fits | sending: removes job 8, asks store 3");
    line_play(&at, "310 store yes 9 | queued");
    skips_play(&at, 19);
    line_play(&at, "400 handed-out fits | over: entombs refused, removes job 9,"
              " says refused poison, drops");
    TRACE(QUEUED, "200 handed-out fits | over: entombs refused, removes job 7,"
          " says refused poison, drops");
}

TEST(one_that_is_handed_out_no_more_is_stored_again_only_where_its_job_and_blobs_are)
{
    struct carried_at at = TRACE(ASKED, "1 asked-result none | asked: asks asked-claim",
                                 "2 asked-claim none | asked: asks asked-job",
                                 "3 asked-job yes 7 | queued: says known queued");

    skips_play(&at, CARRY_HANDED_MAX);
    line_play(&at, "200 handed-out fits | over: removes job 7, entombs lost,"
              " says lost handed-away");
    at = TRACE("0 job blobs stored | sending: keeps, asks store 1",
               "10 store yes 7 | queued: says queued", "2410 tick | queued: asks queued-claim");
    skips_play(&at, CARRY_HANDED_MAX);
    line_play(&at, "2500 handed-out fits | queued: removes job 7, asks queued-blob");
    line_play(&at, "2501 queued-claim none | queued"); /* that look is over */
    line_play(&at, "2502 queued-blob yes 3 | sending: asks store 2");
}

/* ---- the clock ---- */

TEST(the_clock_has_nothing_to_say_before_it_is_due)
{
    struct prng prng = { 20261120 };

    for (int i = 0; i < CARRIED_STATE_COUNT; i++) {
        struct carried_at at = at_state((enum carried_state)i);
        uint64_t due_ms = carried_due_ms(&at, LEASE_MS);
        struct carried_event event = { .kind = CARRIED_TICK, .lease_ms = LEASE_MS };
        struct carried_acts acts;

        event.now_ms = due_ms == UINT64_MAX ? BEGIN_MS + prng_below(&prng, 100000000) : due_ms - 1;
        carried_step(&at, &event, &acts);
        assert_int_equal(acts.count, 0);
        assert_int_equal(due_ms == UINT64_MAX, i != CARRIED_QUEUED && i != CARRIED_TAKEN);
        if (due_ms == UINT64_MAX) continue;
        event.now_ms = due_ms;
        carried_step(&at, &event, &acts);
        assert_int_equal(acts.count, 1);
        assert_true(carried_due_ms(&at, LEASE_MS) == UINT64_MAX); /* its answer is awaited */
    }
}

TEST(the_clock_and_a_server_that_is_back_say_nothing_by_themselves)
{
    expect_each("tick", states);
    expect_each("back", states);
}

/* 6: each answer to a look that is not under way, in each state. */
TEST(an_answer_that_is_not_waited_for_is_nothing)
{
    uint32_t tried = 0;

    for (int i = 0; i < CARRIED_STATE_COUNT; i++) {
        for (int ask = CARRIED_RENEWED; ask < CARRIED_ASK_COUNT; ask++) {
            for (int answer = 0; answer < CARRIED_ANSWER_COUNT; answer++) {
                struct carried_at at = at_state((enum carried_state)i), was;
                struct carried_acts acts;

                if (at.looking && (int)at.look == ask) continue;
                memcpy(&was, &at, sizeof at);
                carried_step(&at, &(struct carried_event){
                    .kind = CARRIED_ANSWERED, .now_ms = BEGIN_MS + 100000, .lease_ms = LEASE_MS,
                    .ask = (enum carried_ask)ask, .answer = (enum carried_answer)answer,
                    .seq = 99, .times = at.times,
                }, &acts);
                assert_int_equal(acts.count, 0);
                assert_memory_equal(&at, &was, sizeof at);
                tried++;
            }
        }
    }
    assert_int_equal(tried, (7 * 13 - 1) * 6);
}

TEST(a_hint_that_is_answered_late_is_nothing)
{
    TRACE(TAKEN, "22 hinted-claim yes 31 | taken", "23 hinted-claim none | taken");
    TRACE(ENDED, "42 hinted-result yes 51 | ended", "43 hinted-result none | ended",
          "44 hinted-claim yes 31 | ended", "45 forget | over: forgets, removes result 50");
    TRACE(OVER, "1 hinted-result yes 51 | over", "2 hinted-claim yes 31 | over");
    TRACE(ASKED, "1 hinted-result yes 51 | asked", "2 hinted-claim yes 31 | asked");
    TRACE(HELD, "1 hinted-result yes 51 | held", "2 hinted-claim none | held");
}

/* ---- stored ---- */

TEST(a_job_waits_for_its_blobs_or_is_refused)
{
    TRACE(HELD, "5 tick | held", "9 blobs | sending: asks store 1",
          "10 store yes 7 | queued: says queued");
    TRACE(HELD, "9 blobs no-room | over: says refused no-room, drops");
    TRACE("0 job stored no-room | over: says refused no-room");
    TRACE("0 job too-large | over: says refused too-large",
          "1 job too-many | over: says refused too-many",
          "2 job stored | sending: keeps, asks store 1");
}

TEST(what_the_server_does_not_store_is_refused)
{
    TRACE(SENDING, "1 store no | over: says refused not-stored, drops");
    TRACE(SENDING, "1 store away | over: says refused not-stored, drops");
    TRACE(SENDING, "1 stop | over: drops, cancels, entombs cancel, purges job",
          "2 store no | over");
}

TEST(where_it_is_stored_is_known_also_when_it_was_taken_before_that_was_said)
{
    struct carried_at at = TRACE(SENDING, "1 claim | sending: asks hinted-claim",
                                 "2 hinted-claim yes 30 | taken: says taken",
                                 "3 store yes 7 | taken");

    assert_int_equal(at.job_seq, 7);
    line_play(&at, "4 store no 9 | taken");
    assert_int_equal(at.job_seq, 7);
}

#define VANISHED QUEUED, "2410 tick | queued: asks queued-claim", \
    "2411 queued-claim none | queued: asks queued-job", \
    "2412 queued-job none | queued: asks queued-result", \
    "2413 queued-result none | queued: asks queued-again"

TEST(a_job_that_vanished_is_stored_again_once_and_its_first_answer_is_of_another)
{
    TRACE(VANISHED, "2414 queued-again none | sending: asks store 2",
          "2415 store no times 1 | sending", "2416 store yes 7 times 1 | sending",
          "2417 store yes 9 | queued", /* queued was told */
          "2418 handed-out | over: entombs refused, removes job 9, says refused poison, drops");
    TRACE(VANISHED, "2414 queued-again none | sending: asks store 2", "2415 store yes 9 | queued",
          "4814 tick | queued", "4815 tick | queued: asks queued-claim");
}

/* ---- hints before the stream has it ---- */

TEST(a_claim_that_the_stream_does_not_have_yet_is_looked_at_by_the_next_tick)
{
    TRACE(QUEUED, "20 claim | queued: asks hinted-claim",
          "21 hinted-claim none | queued: hurries", "40 tick | queued: asks queued-claim",
          "41 queued-claim yes 30 | taken: says taken");
    TRACE(QUEUED, "20 claim | queued: asks hinted-claim",
          "21 hinted-claim dead 30 | queued: hurries", "40 tick | queued: asks queued-claim",
          "41 queued-claim dead 30 | over: entombs lost, says lost claim-given-up, drops");
    TRACE(SENDING, "1 claim | sending: asks hinted-claim",
          "2 hinted-claim no | sending: hurries", "22 tick | sending",
          "23 store yes 7 | queued: says queued", "24 tick | queued: asks queued-claim");
}

TEST(a_result_that_the_stream_does_not_have_yet_is_looked_at_less_and_less_often)
{
    struct carried_at at = TRACE(TAKEN, "40 result | taken: asks hinted-result");
    uint64_t now_ms = 50;
    char line[LINE_BYTES];

    for (int i = 1; i <= 12; i++) {
        snprintf(line, sizeof line, "%" PRIu64 " hinted-result none | taken: hurries", now_ms);
        line_play(&at, line);
        at.heard_ms = BEGIN_MS + now_ms; /* its claim is renewed */
        now_ms += UINT64_C(1) << i;
        snprintf(line, sizeof line, "%" PRIu64 " claim | taken", now_ms - 1);
        line_play(&at, line);
        snprintf(line, sizeof line, "%" PRIu64 " tick | taken", now_ms - 1);
        line_play(&at, line);
        snprintf(line, sizeof line, "%" PRIu64 " tick | taken: asks hinted-result", now_ms);
        line_play(&at, line);
    }
    line_play(&at, "9000 hinted-result none | taken");
    line_play(&at, "9001 claim | taken");
    line_play(&at, "9002 tick | taken"); /* by its claim alone from now on */
    line_play(&at, "9003 result | taken: asks hinted-result");
    line_play(&at, "9004 hinted-result none | taken: hurries");
    line_play(&at, "9006 tick | taken: asks hinted-result");
    line_play(&at, "9007 hinted-result yes 50 | ended: says ended, drops");
    line_play(&at, "19000 tick | ended");
}

TEST(a_result_may_come_before_all_else)
{
    TRACE(SENDING, "1 result | sending: asks hinted-result",
          "2 hinted-result yes 50 | ended: says ended, drops", "3 store yes 7 | ended",
          "4 claim | ended");
    TRACE(QUEUED, "11 result | queued: asks hinted-result",
          "12 hinted-result yes 50 | ended: says ended, drops");
    TRACE(QUEUED, "11 result | queued: asks hinted-result",
          "12 hinted-result none | queued: hurries", "13 claim | queued: asks hinted-claim",
          "14 hinted-claim yes 30 | taken: says taken", "15 tick | taken: asks hinted-result");
}

/* The answer to the question of before found it taken, and left its mark. */
TEST(one_that_is_taken_while_it_was_being_looked_for_is_looked_at_again)
{
    TRACE(QUEUED, "2410 tick | queued: asks queued-claim", "2411 claim | queued: asks hinted-claim",
          "2412 hinted-claim yes 30 | taken: says taken", "2413 queued-claim yes 30 | taken",
          "3012 tick | taken: asks renewed");
    TRACE(QUEUED, "2410 tick | queued: asks queued-claim", "2411 claim | queued: asks hinted-claim",
          "2412 hinted-claim yes 30 | taken: says taken", "3012 tick | taken: asks renewed",
          "3013 queued-claim none | taken", "3014 renewed yes 31 | taken",
          "3614 tick | taken: asks renewed");
}

/* ---- taken ---- */

TEST(a_claim_that_was_not_heard_to_be_renewed_is_looked_at)
{
    TRACE(TAKEN, "620 tick | taken", "621 tick | taken: asks renewed", "640 tick | taken",
          "922 tick | taken", /* one look at a time */
          "930 renewed yes 31 | taken", "1529 tick | taken", "1530 tick | taken: asks renewed");
    TRACE(TAKEN, "600 claim | taken", "1199 tick | taken", "1200 tick | taken: asks renewed",
          "1201 renewed yes 31 | taken", /* which may be what was heard */
          "1499 tick | taken", "1500 tick | taken: asks renewed", "1501 renewed yes 32 | taken",
          "2100 tick | taken", "2101 tick | taken: asks renewed");
    TRACE(TAKEN, "621 tick | taken: asks renewed", "622 renewed away | taken", "920 tick | taken",
          "921 tick | taken: asks renewed", "922 renewed no | taken",
          "1221 tick | taken: asks renewed", "1820 renewed yes 30 | taken");
    TRACE(TAKEN, "621 tick | taken: asks renewed", "622 renewed away | taken",
          "921 tick | taken: asks renewed", "922 renewed yes 31 | taken", "1521 tick | taken",
          "1522 tick | taken: asks renewed");
    TRACE(TAKEN, "1820 tick | taken: asks renewed", "1821 renewed no | taken");
}

#define SILENT TAKEN, "1820 tick | taken: asks renewed", \
    "1821 renewed yes 30 | taken: asks lost-result"
#define ENTOMBED SILENT, "1822 lost-result none | taken: asks lost-tomb 30", \
    "1823 lost-tomb yes 60 | taken: asks lost-again"

TEST(one_whose_claim_is_not_renewed_is_lost)
{
    TRACE(ENTOMBED, "1824 lost-again none | over: purges job, says lost not-renewed, drops");
    TRACE(TAKEN, "1819 tick | taken: asks renewed", "1820 renewed yes 30 | taken");
}

#define NO_RESULT "purges result, entombs lost, says lost no-result"

/* 3: wherever it is found. */
TEST(a_result_that_is_none_loses_the_attempt)
{
    TRACE(TAKEN, "40 result | taken: asks hinted-result",
          "41 hinted-result broken | over: " NO_RESULT ", drops",
          "42 result | over: forgets, purges result, purges blobs"); /* its worker's */
    TRACE(SENDING, "1 result | sending: asks hinted-result",
          "2 hinted-result broken | over: " NO_RESULT ", drops", "3 store yes 7 | over");
    TRACE(SILENT, "1822 lost-result broken | over: " NO_RESULT ", drops");
    TRACE(ENTOMBED, "1824 lost-again broken | over: " NO_RESULT ", drops");
    TRACE(QUEUED, "2410 tick | queued: asks queued-claim",
          "2411 queued-claim none | queued: asks queued-job",
          "2412 queued-job none | queued: asks queued-result",
          "2413 queued-result broken | over: " NO_RESULT ", drops");
    TRACE(ASKED, "1 asked-result broken | over: says known taken, " NO_RESULT);
}

TEST(a_result_before_the_tombstone_wins)
{
    TRACE(SILENT, "1822 lost-result yes 50 | ended: says ended, drops");
    TRACE(ENTOMBED, "1824 lost-again yes 50 | ended: says ended, drops");
    TRACE(ENTOMBED, "1824 result | taken: asks hinted-result",
          "1825 hinted-result yes 50 | ended: says ended, drops", "1826 lost-again yes 50 | ended");
}

TEST(a_result_after_the_tombstone_is_nothing)
{
    TRACE(ENTOMBED, "1824 lost-again none | over: purges job, says lost not-renewed, drops",
          "1825 result | over: forgets, purges result, purges blobs",
          "1826 hinted-result yes 50 | over");
}

TEST(a_tombstone_that_is_refused_finds_it_renewed)
{
    TRACE(SILENT, "1822 lost-result none | taken: asks lost-tomb 30", "1823 lost-tomb no | taken",
          "2119 tick | taken", "2120 tick | taken: asks renewed", "2121 renewed yes 33 | taken",
          "2720 tick | taken", "2721 tick | taken: asks renewed");
    TRACE(SILENT, "1822 lost-result none | taken: asks lost-tomb 30", "1823 lost-tomb away | taken",
          "2120 tick | taken: asks renewed", /* it was stored all the same */
          "2121 renewed dead 60 | taken: asks lost-again",
          "2122 lost-again none | over: purges job, says lost not-renewed, drops");
}

TEST(one_that_is_heard_while_it_is_being_given_up_is_not)
{
    TRACE(SILENT, "1822 claim | taken", "1823 lost-result none | taken", "2421 tick | taken",
          "2422 tick | taken: asks renewed");
    TRACE(SILENT, "1822 lost-result none | taken: asks lost-tomb 30", "1823 claim | taken",
          "1824 lost-tomb no | taken", "2423 tick | taken: asks renewed",
          "2424 renewed yes 33 | taken");
}

TEST(a_result_that_cannot_be_looked_for_is_not_one_that_is_missing)
{
    TRACE(SILENT, "1822 lost-result no | taken", "2120 tick | taken: asks renewed",
          "2121 renewed yes 30 | taken: asks lost-result", "2122 lost-result away | taken",
          "2420 tick | taken: asks renewed");
    TRACE(ENTOMBED, "1824 lost-again away | taken", "2120 tick | taken: asks renewed",
          "2121 renewed dead 60 | taken: asks lost-again");
}

TEST(a_claim_that_its_worker_gave_up_needs_no_time_to_run_out)
{
    TRACE(TAKEN, "621 tick | taken: asks renewed", "622 renewed dead 40 | taken: asks lost-again",
          "623 lost-again none | over: purges job, says lost not-renewed, drops");
    TRACE(TAKEN, "621 tick | taken: asks renewed", "622 renewed dead 40 | taken: asks lost-again",
          "623 lost-again yes 50 | ended: says ended, drops");
}

TEST(a_claim_that_vanished_is_given_up_when_it_is_not_put_again)
{
    TRACE(TAKEN, "621 tick | taken: asks renewed", "622 renewed none | taken",
          "921 tick | taken: asks renewed", "922 renewed yes 3 | taken", /* its worker put it */
          "1221 tick | taken: asks renewed", "1222 renewed yes 4 | taken",
          "1821 tick | taken", "1822 tick | taken: asks renewed");
    TRACE(TAKEN, "1820 tick | taken: asks renewed", "1821 renewed none | taken: asks lost-result",
          "1822 lost-result none | taken: asks lost-tomb 0");
}

/* ---- queued ---- */

TEST(one_that_is_queued_for_long_is_looked_for)
{
    TRACE(QUEUED, "2409 tick | queued", "2410 tick | queued: asks queued-claim",
          "2411 queued-claim none | queued: asks queued-job", "2412 tick | queued",
          "2413 queued-job yes 7 floor 6 | queued", "4812 tick | queued",
          "4813 tick | queued: asks queued-claim");
    TRACE(VANISHED, "2414 queued-again yes 30 | taken: says taken");
    TRACE(VANISHED,
          "2414 queued-again dead 30 | over: entombs lost, says lost claim-given-up, drops");
    TRACE(QUEUED, "2410 tick | queued: asks queued-claim",
          "2411 queued-claim none | queued: asks queued-job",
          "2412 queued-job none | queued: asks queued-result",
          "2413 queued-result yes 50 | ended: says ended, drops");
}

TEST(what_is_not_known_of_one_that_is_queued_is_asked_later)
{
    TRACE(QUEUED, "2410 tick | queued: asks queued-claim", "2411 queued-claim no | queued",
          "4810 tick | queued", "4811 tick | queued: asks queued-claim",
          "4812 queued-claim none | queued: asks queued-job", "4813 queued-job away | queued",
          "7213 tick | queued: asks queued-claim");
    TRACE(VANISHED, "2414 queued-again away | queued", "4814 tick | queued: asks queued-claim");
}

TEST(a_job_below_the_floor_is_stored_again)
{
    TRACE(QUEUED, "2410 tick | queued: asks queued-claim",
          "2411 queued-claim none | queued: asks queued-job",
          "2412 queued-job yes 7 floor 7 | sending: removes job 7, asks store 2",
          "2413 store yes 9 | queued");
    TRACE(QUEUED, "2410 tick | queued: asks queued-claim",
          "2411 queued-claim none | queued: asks queued-job",
          "2412 queued-job yes 8 floor 8 | sending: removes job 8, asks store 2");
}

#define WITH_BLOBS HELD, "1 blobs | sending: asks store 1", \
    "10 store yes 7 | queued: says queued", \
    "2410 tick | queued: asks queued-claim", "2411 queued-claim none | queued: asks queued-job"

TEST(a_job_is_stored_again_only_while_its_blobs_are_there)
{
    TRACE(WITH_BLOBS, "2412 queued-job yes 7 floor 8 | queued: removes job 7, asks queued-blob",
          "2413 queued-blob yes 3 | sending: asks store 2");
    TRACE(WITH_BLOBS, "2412 queued-job none | queued: asks queued-result",
          "2413 queued-result none | queued: asks queued-again",
          "2414 queued-again none | queued: asks queued-blob",
          "2415 queued-blob none | over: entombs lost, says lost vanished-blobs, drops");
    TRACE(WITH_BLOBS, "2412 queued-job yes 7 floor 8 | queued: removes job 7, asks queued-blob",
          "2413 queued-blob no | queued", "4813 tick | queued: asks queued-claim");
}

/* ---- asked ---- */

TEST(one_that_is_asked_for_is_where_the_server_has_it)
{
    TRACE(ASKED, "1 asked-result yes 50 | ended: says known ended, says ended");
    TRACE(ASKED, "1 asked-result none | asked: asks asked-claim",
          "2 asked-claim yes 30 | taken: says known taken", /* and not: says taken */
          "602 tick | taken: asks renewed", "603 renewed yes 31 | taken");
    TRACE(ASKED, "1 asked-result none | asked: asks asked-claim",
          "2 asked-claim dead 30 | over: says known nowhere");
    TRACE(ASKED, "1 asked-result none | asked: asks asked-claim",
          "2 asked-claim none | asked: asks asked-job",
          "3 asked-job yes 7 | queued: says known queued", "4 claim | queued: asks hinted-claim",
          "5 hinted-claim yes 30 | taken: says taken");
    TRACE(ASKED, "1 asked-result none | asked: asks asked-claim",
          "2 asked-claim none | asked: asks asked-job",
          "3 asked-job yes 7 | queued: says known queued", "2402 tick | queued",
          "2403 handed-out | over: entombs refused, removes job 7, says refused poison");
}

#define NO_JOB ASKED, "1 asked-result none | asked: asks asked-claim", \
    "2 asked-claim none | asked: asks asked-job", "3 asked-job none | asked: asks asked-again"

TEST(one_that_was_claimed_between_two_questions_is_taken)
{
    TRACE(NO_JOB, "4 asked-again yes 30 | taken: says known taken");
    TRACE(NO_JOB, "4 asked-again none | over: says known nowhere",
          "5 job stored | sending: keeps, asks store 1");
    TRACE(NO_JOB, "4 asked-again dead 30 | over: says known nowhere");
}

TEST(an_ask_begins_anew_where_nothing_is_awaited)
{
    TRACE(ENDED, "42 ask | asked: asks asked-result",
          "43 asked-result yes 50 blobs | ended: says known ended, says ended",
          "44 forget | over: forgets, removes result 50, purges blobs");
    TRACE(ASKED, "1 stop | over: cancels, entombs cancel, purges job", "2 asked-result none | over",
          "3 ask | asked: asks asked-result");
}

TEST(a_job_that_is_not_here_is_not_stored_again)
{
    TRACE(ASKED, "1 asked-result none | asked: asks asked-claim",
          "2 asked-claim none | asked: asks asked-job",
          "3 asked-job yes 7 | queued: says known queued", "2403 tick | queued: asks queued-claim",
          "2404 queued-claim none | queued: asks queued-job",
          "2405 queued-job yes 7 floor 7 | over: removes job 7, entombs lost, says lost vanished");
}

/* ---- back ---- */

TEST(a_server_that_was_away_is_asked_for_all_of_it)
{
    TRACE(QUEUED, "100 back | queued", "101 tick | queued: asks hinted-result",
          "102 hinted-result none | queued", /* once */
          "103 tick | queued: asks queued-claim");
    TRACE(SENDING, "5 back | sending", "6 tick | sending: asks hinted-result",
          "7 hinted-result none | sending", "8 store yes 7 | queued: says queued",
          "9 tick | queued: asks queued-claim");
    TRACE(QUEUED, "100 back | queued", "101 tick | queued: asks hinted-result",
          "102 hinted-result yes 50 | ended: says ended, drops");
    TRACE(HELD, "5 back | held", "6 tick | held", "7 blobs | sending: asks store 1",
          "10 store yes 7 | queued: says queued", "2409 tick | queued");
    TRACE(ENDED, "50 back | ended", "90000 tick | ended");
}

TEST(time_begins_anew_when_the_server_was_away)
{
    TRACE(TAKEN, "9000 back | taken", "9001 tick | taken: asks hinted-result",
          "9002 hinted-result none | taken", "9599 tick | taken",
          "9600 tick | taken: asks renewed", "9601 renewed yes 3 | taken", /* of another count */
          "10799 tick | taken: asks renewed", "10799 renewed yes 3 | taken",
          "11099 tick | taken: asks renewed", "11100 renewed yes 3 | taken: asks lost-result");
    TRACE(SILENT, "1822 back | taken", "1823 lost-result none | taken");
}

/* ---- in any order ---- */

static uint32_t acts_count(const struct carried_acts *acts, enum carried_act_kind kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < acts->count; i++) count += acts->list[i].kind == kind;
    return count;
}

static void expect_sound(const struct carried_at *was, const struct carried_at *at,
                         const struct carried_event *event, const struct carried_acts *acts)
{
    uint32_t looks = 0;

    for (uint32_t i = 0; i < acts->count; i++) {
        const struct carried_act *act = &acts->list[i];

        if (act->kind == CARRIED_ASKS && act->ask >= CARRIED_RENEWED) looks++;
        if (act->kind != CARRIED_SAYS) continue;
        if (act->line == FLEET_ENDED || act->line == FLEET_TAKEN) {
            assert_int_equal(event->kind, CARRIED_ANSWERED); /* it has the result, or the worker */
            assert_int_equal(event->answer, CARRIED_YES);
        }
        if (act->line == FLEET_LOST || act->line == FLEET_REFUSED) {
            assert_int_not_equal(act->why, CARRIED_NOT_SAID);
            assert_int_equal(at->state, CARRIED_OVER);
        }
        if (act->why == CARRIED_NOT_STORED) assert_int_equal(event->ask, CARRIED_STORE);
    }
    assert_int_equal(at->has_job, (int)was->has_job +
                     (int)acts_count(acts, CARRIED_KEEPS_JOB) -
                     (int)acts_count(acts, CARRIED_DROPS_JOB));
    assert_true(looks <= 1 && (looks == 0 || at->looking));
    if (was->looking && looks == 1 && event->kind != CARRIED_HANDED_OUT) {
        assert_int_equal(event->kind, CARRIED_ANSWERED);
    }
    assert_int_equal(carried_awaits_result(at), at->state >= CARRIED_SENDING &&
                     at->state <= CARRIED_TAKEN);
}

TEST(no_order_of_events_breaks_it)
{
    struct prng prng = { 20261119 };
    struct carried_at at = { 0 }, was;
    uint32_t seen[CARRIED_STATE_COUNT] = { 0 };
    uint64_t now_ms = BEGIN_MS;

    for (uint32_t i = 0; i < 300000; i++) {
        bool answers_look = at.looking && prng_chance(&prng, 50);
        struct carried_event event = {
            .kind = (enum carried_event_kind)prng_below(&prng, CARRIED_EVENT_COUNT),
            .now_ms = now_ms += prng_below(&prng, 900), .lease_ms = LEASE_MS,
            .names_blob = prng_chance(&prng, 30), .stored = prng_chance(&prng, 60),
            .ask = (enum carried_ask)prng_below(&prng, CARRIED_ASK_COUNT),
            .answer = (enum carried_answer)prng_below(&prng, CARRIED_ANSWER_COUNT),
            .seq = prng_below(&prng, 20), .floor_seq = prng_below(&prng, 20), .times = at.times,
            .fits = prng_chance(&prng, 70),
            .why = prng_chance(&prng, 10) ? CARRIED_TOO_MANY : CARRIED_NOT_SAID,
        };
        struct carried_acts acts;

        if (answers_look || prng_chance(&prng, 40)) event.kind = CARRIED_ANSWERED;
        if (answers_look) event.ask = at.look;
        if (event.kind <= CARRIED_FORGET && !prng_chance(&prng, 20)) event.kind = CARRIED_TICK;
        was = at;
        carried_step(&at, &event, &acts);
        expect_sound(&was, &at, &event, &acts);
        seen[at.state]++;
    }
    for (int i = 0; i < CARRIED_STATE_COUNT; i++) assert_true(seen[i] > 1000);
}
