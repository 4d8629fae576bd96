/* SPDX-License-Identifier: Apache-2.0
 *
 * test_held.c - an attempt at the link of a worker, as tables: what happens to it, and what the
 * link does then.
 *
 * An event is a text: "begin", "beat named", "create done 7" (the answer, with its revision). What
 * comes of it is one, too: the state, and what is done, in order: "AT_WORK: ack, say go". */
#include "carry/held.h"

#include "base/buf.h"
#include "carry/carry.h"

#include "test.h"

#include <string.h>

enum { LEASE_MS = 600, STEPS_MAX = 16, TEXT_BYTES_MAX = 256 };

static const char *const state_words[HELD_STATE_COUNT] = {
    [HELD_OFFERED] = "OFFERED",   [HELD_BEGINNING] = "BEGINNING", [HELD_AT_WORK] = "AT_WORK",
    [HELD_STOPPED] = "STOPPED",   [HELD_CHECKING] = "CHECKING",   [HELD_ENDING] = "ENDING",
    [HELD_KEPT] = "KEPT",         [HELD_GONE] = "GONE",
};
static const char *const ask_words[HELD_ASK_COUNT] = {
    [HELD_CREATE] = "create", [HELD_RENEW] = "renew", [HELD_READ] = "read",
    [HELD_DRIVER] = "driver", [HELD_READ_RENEWED] = "reread", [HELD_CHECK] = "check",
    [HELD_STORE] = "store",
};
static const char *const answer_words[HELD_ANSWER_COUNT] = {
    [HELD_DONE] = "done", [HELD_WRONG] = "wrong", [HELD_REFUSED] = "refused",
    [HELD_UNKNOWN] = "unknown", [HELD_OURS] = "ours", [HELD_CANCELLED] = "cancelled",
    [HELD_OTHERS] = "others", [HELD_NOWHERE] = "nowhere", [HELD_THERE] = "there",
    [HELD_DEAD] = "dead",           [HELD_FULL] = "full",
};
static const char *const event_words[HELD_EVENT_COUNT] = {
    [HELD_OFFERED_AGAIN] = "again", [HELD_BEGIN] = "begin", [HELD_SKIP] = "skip",
    [HELD_BEAT] = "beat", [HELD_LOSE] = "lose", [HELD_PIECE] = "piece", [HELD_RESULT] = "result",
    [HELD_BYE] = "bye", [HELD_PIECE_STORED] = "stored", [HELD_ANSWERED] = "",
    [HELD_LET] = "let", [HELD_CANCEL] = "cancel", [HELD_FORGET] = "forget",
    [HELD_ORPHAN] = "orphan", [HELD_TICK] = "tick", [HELD_BACK] = "back",
    [HELD_PIECE_REFUSED] = "unstored",
};

/* ---- events and acts as texts ---- */

static uint32_t word_find(const char *const *words, uint32_t count, struct str word)
{
    uint32_t at = 0;

    while (at < count && !str_is(word, words[at])) at++;
    return at;
}

static struct held_event event_read(const char *text, uint64_t now_ms)
{
    struct held_event event = { .now_ms = now_ms };
    struct str rest = str_of(text), word;
    uint32_t found;

    (void)str_cut(&rest, ' ', &word);
    found = word_find(event_words, HELD_EVENT_COUNT, word);
    event.kind = (enum held_event_kind)found;
    event.named = str_is(rest, "named");
    event.begun = str_is(rest, "begun");
    event.may = str_is(rest, "may");
    if (found < HELD_EVENT_COUNT) return event;
    event.kind = HELD_ANSWERED;
    event.ask = (enum held_ask)word_find(ask_words, HELD_ASK_COUNT, word);
    (void)str_cut(&rest, ' ', &word);
    event.answer = (enum held_answer)word_find(answer_words, HELD_ANSWER_COUNT, word);
    if (event.ask == HELD_ASK_COUNT || event.answer == HELD_ANSWER_COUNT) fail_msg("%s", text);
    event.driver_is_there = str_is(rest, "there");
    (void)str_number(rest, &event.seq);
    return event;
}

static void act_write(const struct held_at *at, const struct held_act *act, struct buf *out)
{
    switch (act->kind) {
    case HELD_ASKS:
        buf_printf(out, "%s", ask_words[act->ask]);
        if (act->ask == HELD_RENEW) buf_printf(out, " %u", (unsigned)at->claim_seq);
        break;
    case HELD_SAYS:
        buf_printf(out, "say %s", fleet_kind_word(act->line));
        if (act->line == FLEET_STOP) buf_printf(out, " %s", fleet_stop_word(act->why));
        break;
    case HELD_ACKS: buf_text(out, "ack"); break;
    case HELD_GIVES_BACK: buf_printf(out, "back %u", (unsigned)act->pause_ms); break;
    case HELD_IS_AT_IT: buf_text(out, "at it"); break;
    case HELD_ENTOMBS: buf_printf(out, "entomb %u", (unsigned)at->claim_seq); break;
    case HELD_ACT_COUNT: fail();
    }
}

/* What a step comes to, in out. */
static void step(struct held_at *at, const char *text, uint64_t now_ms, struct buf *out)
{
    struct held_event event = event_read(text, now_ms);
    struct held_acts acts;

    held_step(at, &event, &acts);
    if (at->state == HELD_KEPT) assert_false(at->has_result); /* its text may go */
    buf_clear(out);
    buf_text(out, state_words[at->state]);
    for (uint32_t i = 0; i < acts.count; i++) {
        buf_text(out, i == 0 ? ": " : ", ");
        act_write(at, &acts.list[i], out);
    }
}

/* ---- traces ---- */

struct trace {
    const char *name;
    struct {
        uint64_t now_ms;
        const char *event, *wanted;
    } steps[STEPS_MAX];
};

static void trace_play(const struct trace *trace)
{
    struct held_at at = { .lease_ms = LEASE_MS };
    struct buf got;

    buf_init(&got, TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < STEPS_MAX && trace->steps[i].event; i++) {
        step(&at, trace->steps[i].event, trace->steps[i].now_ms, &got);
        if (strcmp(buf_cstr(&got), trace->steps[i].wanted) != 0) {
            fail_msg("%s, step %u, %s: \"%s\", and wanted is \"%s\"", trace->name, i + 1,
                     trace->steps[i].event, buf_cstr(&got), trace->steps[i].wanted);
        }
    }
    buf_release(&got);
}

static const struct trace traces[] = {
    { "from the queue to the result", {
        { 10, "beat", "OFFERED: at it" },
        { 20, "begin", "BEGINNING: create" },
        { 30, "create done 5", "BEGINNING: ack" },
        { 30, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 110, "renew done 6", "AT_WORK" },
        { 200, "beat named", "AT_WORK: renew 6" },
        { 210, "renew done 7", "AT_WORK" },
        { 220, "piece", "AT_WORK" },
        { 230, "stored", "AT_WORK" },
        { 240, "result", "ENDING: store" },
        { 250, "store done 8", "KEPT: ack, say kept" },
        { 260, "forget", "GONE: say forget" },
        { 270, "result", "GONE" } } },

    /* ---- the claim ---- */
    { "an unanswered claim that was put is renewed before it counts", {
        { 10, "begin", "BEGINNING: create" },
        { 2000, "create unknown", "BEGINNING: read" },
        { 2100, "read ours 4", "BEGINNING: renew 4" },
        { 2110, "renew done 5", "BEGINNING: ack" },
        { 2110, "let may", "AT_WORK: say go" },
        { 2700, "tick", "AT_WORK" },
        { 2701, "tick", "STOPPED: say stop fenced" } } },
    { "an unanswered claim that was not put is put again", {
        { 10, "begin", "BEGINNING: create" },
        { 2000, "create unknown", "BEGINNING: read" },
        { 2010, "read nowhere", "BEGINNING: create" },
        { 2020, "create done 9", "BEGINNING: ack" },
        { 2020, "let may", "AT_WORK: say go" },
        { 2610, "tick", "AT_WORK" },
        { 2611, "tick", "STOPPED: say stop fenced" } } },
    { "where a claim is, it is looked whose", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create wrong", "BEGINNING: read" },
        { 30, "read others", "GONE: ack, say gone" } } },
    { "an attempt that its driver gave up is not begun", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create wrong", "BEGINNING: read" },
        { 30, "read cancelled", "GONE: ack, say gone" } } },
    { "what a claim is behind is read anew", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create wrong", "BEGINNING: read" },
        { 30, "read ours 3", "BEGINNING: renew 3" },
        { 40, "renew wrong", "BEGINNING: read" },
        { 50, "read ours 4", "BEGINNING: renew 4" },
        { 60, "renew unknown", "BEGINNING: read" },
        { 70, "read unknown", "BEGINNING: read" },
        { 80, "read ours 5", "BEGINNING: renew 5" },
        { 90, "renew done 6", "BEGINNING: ack" },
        { 90, "let may", "AT_WORK: say go" } } },
    { "a claim that is refused leaves the job in the queue", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create refused", "GONE: say gone" } } },
    { "so does one that may not be read", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create unknown", "BEGINNING: read" },
        { 30, "read refused", "GONE: say gone" } } },
    { "a claim that is older than the lease when it is heard of is no leave to begin", {
        { 10, "begin", "BEGINNING: create" },
        { 611, "create done 5", "BEGINNING: ack" },
        { 611, "let may", "GONE: say gone" } } },
    { "one that is as old as the lease is", {
        { 10, "begin", "BEGINNING: create" },
        { 610, "create done 5", "BEGINNING: ack" },
        { 610, "let may", "AT_WORK: say go" } } },

    /* ---- renewals ---- */
    { "one renewal at a time, and for a beat that names the attempt alone", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat", "AT_WORK" },
        { 110, "beat named", "AT_WORK: renew 5" },
        { 200, "beat named", "AT_WORK" },
        { 210, "renew refused", "AT_WORK" },
        { 300, "beat named", "AT_WORK: renew 5" },
        { 310, "renew unknown", "AT_WORK" },
        { 400, "beat named", "AT_WORK: renew 5" } } },
    { "a renewal holds from when it was sent", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 600, "renew done 6", "AT_WORK" },
        { 700, "tick", "AT_WORK" },
        { 701, "tick", "STOPPED: say stop fenced" },
        { 702, "renew done 7", "STOPPED" },
        { 703, "tick", "STOPPED" } } },
    { "a renewal that failed renews nothing", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 110, "renew unknown", "AT_WORK" },
        { 610, "tick", "AT_WORK" },
        { 611, "tick", "STOPPED: say stop fenced" } } },
    { "a claim that is ahead of what we know is read and renewed", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 110, "renew wrong", "AT_WORK: reread" },
        { 115, "beat named", "AT_WORK" },
        { 120, "reread ours 6", "AT_WORK: renew 6" },
        { 130, "renew done 7", "AT_WORK" },
        { 200, "beat named", "AT_WORK: renew 7" } } },
    { "a claim that cannot be read is renewed for the next beat", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 110, "renew wrong", "AT_WORK: reread" },
        { 120, "reread unknown", "AT_WORK" },
        { 200, "beat named", "AT_WORK: renew 5" },
        { 210, "renew wrong", "AT_WORK: reread" },
        { 220, "reread refused", "AT_WORK" },
        { 300, "beat named", "AT_WORK: renew 5" } } },
    { "a claim that became another's ends the agent", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 110, "renew wrong", "AT_WORK: reread" },
        { 120, "reread dead", "STOPPED: say stop fenced" },
        { 130, "result", "GONE: say forget" } } },
    { "a driver that does not want it is heard by the claim, too", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 110, "renew wrong", "AT_WORK: reread" },
        { 120, "reread cancelled", "STOPPED: say stop cancel" } } },
    { "a claim that the server lost is put again while the driver is there", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 110, "renew wrong", "AT_WORK: reread" },
        { 120, "reread nowhere there", "AT_WORK: renew 0" },
        { 130, "renew done 1", "AT_WORK" },
        { 720, "tick", "AT_WORK" },
        { 721, "tick", "STOPPED: say stop fenced" } } },
    { "and not where the run is over, however often a beat comes", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 110, "renew wrong", "AT_WORK: reread" },
        { 120, "reread nowhere", "AT_WORK" },
        { 200, "beat named", "AT_WORK: renew 5" },
        { 210, "renew wrong", "AT_WORK: reread" },
        { 220, "reread nowhere", "AT_WORK" },
        { 611, "tick", "STOPPED: say stop fenced" } } },

    /* ---- who wants it no more ---- */
    { "a cancel while it is being claimed holds when the claim is ours", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "cancel", "BEGINNING" },
        { 30, "create done 5", "GONE: ack, say gone" } } },
    { "and while it is being read", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create unknown", "BEGINNING: read" },
        { 30, "cancel", "BEGINNING" },
        { 40, "read ours 5", "BEGINNING: renew 5" },
        { 50, "renew done 6", "GONE: ack, say gone" } } },
    { "and where the claim is refused", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "cancel", "BEGINNING" },
        { 30, "create refused", "GONE: say gone" } } },
    { "and where its worker had it before", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "cancel", "BEGINNING" },
        { 30, "result", "CHECKING: check" },
        { 40, "create done 5", "ENDING: store" } } },
    { "what an attempt that was cancelled says late is nothing", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 110, "cancel", "STOPPED: say stop cancel" },
        { 120, "renew wrong", "STOPPED" },
        { 130, "lose", "STOPPED" },
        { 140, "orphan", "STOPPED" },
        { 150, "beat named", "STOPPED" },
        { 160, "result", "GONE: say forget" } } },
    { "a worker that has no result leaves a tombstone behind the newest revision it knows", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 100, "beat named", "AT_WORK: renew 5" },
        { 110, "renew done 6", "AT_WORK" },
        { 120, "lose", "GONE: entomb 6" } } },

    /* ---- results ---- */
    { "a result waits for its blobs", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 30, "piece", "AT_WORK" },
        { 40, "piece", "AT_WORK" },
        { 50, "result", "ENDING" },
        { 60, "stored", "ENDING" },
        { 70, "stored", "ENDING: store" },
        { 80, "stored", "ENDING" },
        { 90, "result", "ENDING" },
        { 100, "store done 6", "KEPT: ack, say kept" } } },
    { "a result that was refused is stored again a second later", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 30, "result", "ENDING: store" },
        { 40, "store refused", "ENDING" },
        { 1039, "tick", "ENDING" },
        { 1040, "tick", "ENDING: store" },
        { 1050, "tick", "ENDING" },
        { 1060, "store unknown", "ENDING" },
        { 2059, "tick", "ENDING" },
        { 2060, "tick", "ENDING: store" },
        { 2070, "store done 6", "KEPT: ack, say kept" },
        { 9999, "tick", "KEPT" } } },
    { "one that there is no room for keeps its claim until there is", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 30, "result", "ENDING: store" },
        { 40, "store full", "ENDING" },
        { 100, "beat named", "ENDING: renew 5" },
        { 110, "renew done 6", "ENDING" },
        { 200, "beat", "ENDING" },
        { 300, "beat named", "ENDING: renew 6" },
        { 310, "renew wrong", "ENDING: reread" },
        { 320, "reread ours 7", "ENDING: renew 7" },
        { 330, "renew done 8", "ENDING" },
        { 1040, "tick", "ENDING: store" },
        { 1050, "reread cancelled", "ENDING" }, /* it may have been stored before */
        { 1060, "store done 9", "KEPT: ack, say kept" } } },
    { "one that is refused for another reason lets its claim run out", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 30, "result", "ENDING: store" },
        { 40, "store refused", "ENDING" },
        { 100, "beat named", "ENDING" },
        { 1040, "tick", "ENDING: store" },
        { 1050, "store full", "ENDING" },
        { 1100, "beat named", "ENDING: renew 5" } } },
    { "a piece that there is no room for holds the result back until it is said again", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 30, "piece", "AT_WORK" },
        { 40, "piece", "AT_WORK" },
        { 50, "unstored", "AT_WORK" },
        { 60, "result", "ENDING" },
        { 70, "stored", "ENDING" },
        { 100, "beat named", "ENDING: renew 5" },
        { 110, "renew done 6", "ENDING" },
        { 120, "piece", "ENDING" },
        { 130, "piece", "ENDING" },
        { 140, "result", "ENDING" },
        { 150, "stored", "ENDING" },
        { 160, "stored", "ENDING: store" },
        { 170, "store done 7", "KEPT: ack, say kept" } } },
    { "also where that is heard behind the result, or behind the next piece", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 30, "piece", "AT_WORK" },
        { 40, "piece", "AT_WORK" },
        { 60, "result", "ENDING" },
        { 70, "unstored", "ENDING" },
        { 80, "piece", "ENDING" },
        { 90, "unstored", "ENDING" },
        { 100, "stored", "ENDING" },
        { 110, "result", "ENDING" },
        { 120, "piece", "ENDING" },
        { 130, "stored", "ENDING" },
        { 140, "result", "ENDING: store" } } },
    { "and where it is another start's", {
        { 10, "piece", "OFFERED" },
        { 20, "unstored", "OFFERED" },
        { 30, "result", "OFFERED" },
        { 40, "piece", "OFFERED" },
        { 50, "result", "CHECKING: check" },
        { 60, "unstored", "CHECKING" },
        { 70, "check ours 5", "ENDING" },
        { 80, "piece", "ENDING" },
        { 90, "stored", "ENDING" },
        { 100, "result", "ENDING: store" } } },
    { "after the server was away a result that is said again is looked at again", {
        { 10, "result", "CHECKING: check" },
        { 20, "check ours 5", "ENDING: store" },
        { 30, "store done 6", "KEPT: ack, say kept" },
        { 40, "result", "KEPT: say kept" },
        { 50, "back", "CHECKING" },
        { 60, "tick", "CHECKING" },
        { 70, "result", "CHECKING: check" },
        { 80, "check nowhere", "CHECKING: driver" },
        { 90, "driver there", "CHECKING: create" },
        { 100, "create done 1", "ENDING: store" },
        { 110, "store done 1", "KEPT: ack, say kept" } } },
    { "a renewal that was on its way then means nothing", {
        { 10, "result", "CHECKING: check" },
        { 20, "check ours 5", "ENDING: store" },
        { 30, "beat named", "ENDING: renew 5" },
        { 30, "store done 6", "KEPT: ack, say kept" },
        { 50, "back", "CHECKING" },
        { 60, "renew wrong", "CHECKING" },
        { 70, "renew done 7", "CHECKING" },
        { 80, "result", "CHECKING: check" } } },
    { "a driver's record that the server has lost is waited for", {
        { 10, "result", "CHECKING: check" },
        { 20, "check nowhere", "CHECKING: driver" },
        { 30, "driver nowhere", "CHECKING" },
        { 129, "tick", "CHECKING" },
        { 130, "tick", "CHECKING: check" },
        { 140, "check nowhere", "CHECKING: driver" },
        { 150, "driver there", "CHECKING: create" },
        { 160, "create done 1", "ENDING: store" } } },
    { "but not longer than for a driver that lives", {
        { 10, "result", "CHECKING: check" },
        { 20, "check nowhere", "CHECKING: driver" },
        { 30, "driver nowhere", "CHECKING" },
        { 130, "tick", "CHECKING: check" },
        { 140, "check nowhere", "CHECKING: driver" },
        { 1229, "driver nowhere", "CHECKING" },
        { 1329, "tick", "CHECKING: check" },
        { 1330, "check nowhere", "CHECKING: driver" },
        { 1340, "driver nowhere", "GONE: say forget" } } },
    { "one whose blobs are said again waits for them", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 30, "result", "ENDING: store" },
        { 40, "store refused", "ENDING" },
        { 50, "piece", "ENDING" },
        { 1040, "tick", "ENDING" },
        { 1050, "stored", "ENDING: store" },
        { 2050, "tick", "ENDING" } } },
    { "a result of another start, blobs first", {
        { 10, "piece", "OFFERED" },
        { 20, "result", "CHECKING: check" },
        { 30, "check ours 5", "ENDING" },
        { 40, "stored", "ENDING: store" },
        { 50, "store done 6", "KEPT: ack, say kept" } } },
    { "a check that has no answer is made again when the result is said again", {
        { 10, "result", "CHECKING: check" },
        { 20, "result", "CHECKING" },
        { 30, "check unknown", "CHECKING" },
        { 40, "tick", "CHECKING" },
        { 50, "result", "CHECKING: check" },
        { 60, "check refused", "CHECKING" },
        { 70, "result", "CHECKING: check" },
        { 80, "check ours 5", "ENDING: store" } } },
    { "a claim that was read before is no answer to the check", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create unknown", "BEGINNING: read" },
        { 30, "result", "CHECKING: check" },
        { 40, "read others", "CHECKING" },
        { 50, "read ours 5", "CHECKING" },
        { 60, "check ours 5", "ENDING: store" } } },

    /* ---- an orphan ---- */
    { "an orphan's result is stored where the claim is ours", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 30, "piece", "AT_WORK" },
        { 40, "orphan", "STOPPED: say stop orphan" },
        { 50, "piece", "STOPPED" },
        { 60, "stored", "STOPPED" },
        { 70, "beat named", "STOPPED" },
        { 9000, "tick", "STOPPED" },
        { 9010, "result", "CHECKING: check" },
        { 9020, "check ours 5", "ENDING" },
        { 9030, "stored", "ENDING: store" },
        { 9040, "store done 6", "KEPT: ack, say kept" } } },
    { "a claim that was made in place of one that the server lost is replaced", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 30, "let may", "AT_WORK: say go" },
        { 40, "beat named", "AT_WORK: renew 5" },
        { 50, "renew wrong", "AT_WORK: reread" },
        { 60, "reread others 3", "AT_WORK: renew 3" },
        { 70, "renew done 4", "AT_WORK" } } },
    { "an agent begins when its claim is let, and says so until then", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 109, "tick", "BEGINNING" },
        { 110, "tick", "BEGINNING: renew 5" },
        { 120, "renew done 6", "BEGINNING" },
        { 130, "let may", "AT_WORK: say go" } } },
    { "also where it is let before the link knows that the claim was made", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "let may", "BEGINNING" },
        { 30, "create done 5", "AT_WORK: ack, say go" } } },
    { "but not a lease later", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 611, "let may", "GONE: say gone" } } },
    { "one whose agent is at work needs not be let again at the next link", {
        { 10, "begin begun", "BEGINNING: create" },
        { 20, "create wrong", "BEGINNING: read" },
        { 30, "read ours 7", "BEGINNING: renew 7" },
        { 40, "renew done 8", "AT_WORK: ack, say go" } } },
    { "and not where the driver that followed gave it up", {
        { 10, "begin", "BEGINNING: create" },
        { 20, "create done 5", "BEGINNING: ack" },
        { 20, "let may", "AT_WORK: say go" },
        { 40, "orphan", "STOPPED: say stop orphan" },
        { 50, "cancel", "STOPPED" },
        { 60, "result", "CHECKING: check" },
        { 70, "check cancelled", "GONE: say forget" } } },
};

TEST(an_attempt_goes_its_way)
{
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) trace_play(&traces[i]);
}

/* ---- every state, every event ---- */

enum { STEP_MS = 10, LATE_MS = 100000 };

/* How each state is come to. */
static const struct place {
    const char *name, *events[8];
} places[] = {
    { "OFFERED", { NULL } },
    { "BEGINNING", { "begin" } },
    { "claimed", { "begin", "create done 5" } },
    { "AT_WORK", { "begin", "create done 5", "let may" } },
    { "STOPPED", { "begin", "create done 5", "let may", "cancel" } },
    { "orphan", { "begin", "create done 5", "let may", "orphan" } },
    { "CHECKING", { "result" } },
    { "ENDING", { "begin", "create done 5", "let may", "result" } },
    { "refused", { "begin", "create done 5", "let may", "result", "store refused" } },
    { "full", { "begin", "create done 5", "let may", "result", "store full" } },
    { "unstored", { "begin", "create done 5", "let may", "piece", "unstored", "result" } },
    { "KEPT", { "begin", "create done 5", "let may", "result", "store done 6" } },
    { "doubted", { "begin", "create done 5", "let may", "result", "store done 6", "back" } },
    { "GONE", { "skip" } },
};

static const char *const events[] = {
    "again", "begin", "skip", "beat", "beat named", "lose", "piece", "stored", "result", "bye",
    "cancel", "forget", "orphan", "let may", "let", "tick", "tick late", "create done 7",
    "create wrong",
    "create refused", "create unknown", "renew done 7", "renew wrong", "renew refused",
    "renew unknown", "read ours 7", "read cancelled", "read others", "read dead", "read nowhere",
    "read nowhere there", "read refused", "read unknown", "reread ours 7", "reread cancelled",
    "reread others", "reread dead", "reread nowhere", "reread nowhere there", "reread refused",
    "reread unknown",
    "check ours 7", "check cancelled", "check others", "check dead", "check nowhere",
    "check nowhere there",
    "check refused", "check unknown", "driver there", "driver nowhere", "driver refused",
    "driver unknown", "store done 7", "store refused", "store unknown", "store full",
    "unstored", "back",
};

/* A claim that is not as it was when the result was refused, or a piece of it. */
#define REREADS(place) \
    { place, "create wrong", "ENDING: reread" }, { place, "renew wrong", "ENDING: reread" }, \
    { place, "read ours 7", "ENDING: renew 7" }, { place, "read others", "ENDING: renew 0" }, \
    { place, "read cancelled", "GONE: say forget" }, { place, "read dead", "GONE: say forget" }, \
    { place, "read nowhere there", "ENDING: renew 0" }, \
    { place, "reread ours 7", "ENDING: renew 7" }, { place, "reread others", "ENDING: renew 0" }, \
    { place, "reread cancelled", "GONE: say forget" }, \
    { place, "reread dead", "GONE: say forget" }, \
    { place, "reread nowhere there", "ENDING: renew 0" }

/* All that is done, and all that changes a state: what is not here does neither. */
static const struct {
    const char *place, *event, *wanted;
} changes[] = {
    { "OFFERED", "begin", "BEGINNING: create" },
    { "OFFERED", "skip", "GONE: back 100" },
    { "OFFERED", "beat", "OFFERED: at it" },
    { "OFFERED", "beat named", "OFFERED: at it" },
    { "OFFERED", "result", "CHECKING: check" },
    { "OFFERED", "bye", "GONE: back 0" },
    { "OFFERED", "cancel", "STOPPED: say stop cancel" },
    { "OFFERED", "forget", "GONE: say forget" },

    { "BEGINNING", "result", "CHECKING: check" },
    { "BEGINNING", "forget", "GONE: say forget" },
    { "BEGINNING", "create done 7", "BEGINNING: ack" },
    { "BEGINNING", "create wrong", "BEGINNING: read" },
    { "BEGINNING", "create refused", "GONE: say gone" },
    { "BEGINNING", "create unknown", "BEGINNING: read" },
    { "BEGINNING", "renew done 7", "BEGINNING: ack" },
    { "BEGINNING", "renew wrong", "BEGINNING: read" },
    { "BEGINNING", "renew refused", "GONE: say gone" },
    { "BEGINNING", "renew unknown", "BEGINNING: read" },
    { "BEGINNING", "read ours 7", "BEGINNING: renew 7" },
    { "BEGINNING", "read cancelled", "GONE: ack, say gone" },
    { "BEGINNING", "read others", "GONE: ack, say gone" },
    { "BEGINNING", "read nowhere", "BEGINNING: create" },
    { "BEGINNING", "read nowhere there", "BEGINNING: create" },
    { "BEGINNING", "read refused", "GONE: say gone" },
    { "BEGINNING", "read unknown", "BEGINNING: read" },
    { "BEGINNING", "reread ours 7", "BEGINNING: renew 7" },
    { "BEGINNING", "reread cancelled", "GONE: ack, say gone" },
    { "BEGINNING", "reread others", "GONE: ack, say gone" },
    { "BEGINNING", "reread nowhere", "BEGINNING: create" },
    { "BEGINNING", "reread nowhere there", "BEGINNING: create" },
    { "BEGINNING", "reread refused", "GONE: say gone" },
    { "BEGINNING", "reread unknown", "BEGINNING: read" },

    { "BEGINNING", "read dead", "GONE: ack, say gone" },
    { "BEGINNING", "reread dead", "GONE: ack, say gone" },

    { "claimed", "result", "CHECKING: check" },
    { "claimed", "forget", "GONE: say forget" },
    { "claimed", "create wrong", "BEGINNING: read" },
    { "claimed", "create refused", "GONE: say gone" },
    { "claimed", "create unknown", "BEGINNING: read" },
    { "claimed", "renew wrong", "BEGINNING: read" },
    { "claimed", "renew refused", "GONE: say gone" },
    { "claimed", "renew unknown", "BEGINNING: read" },
    { "claimed", "read ours 7", "BEGINNING: renew 7" },
    { "claimed", "read cancelled", "GONE: ack, say gone" },
    { "claimed", "read others", "GONE: ack, say gone" },
    { "claimed", "read nowhere", "BEGINNING: create" },
    { "claimed", "read nowhere there", "BEGINNING: create" },
    { "claimed", "read refused", "GONE: say gone" },
    { "claimed", "read unknown", "BEGINNING: read" },
    { "claimed", "reread ours 7", "BEGINNING: renew 7" },
    { "claimed", "reread cancelled", "GONE: ack, say gone" },
    { "claimed", "reread others", "GONE: ack, say gone" },
    { "claimed", "reread nowhere", "BEGINNING: create" },
    { "claimed", "reread nowhere there", "BEGINNING: create" },
    { "claimed", "reread refused", "GONE: say gone" },
    { "claimed", "reread unknown", "BEGINNING: read" },
    { "claimed", "cancel", "GONE: say gone" },
    { "claimed", "orphan", "GONE: say gone" },
    { "claimed", "let may", "AT_WORK: say go" },
    { "claimed", "let", "GONE: say gone" },
    { "claimed", "tick", "BEGINNING: renew 5" },
    { "claimed", "tick late", "BEGINNING: renew 5" },
    { "claimed", "read dead", "GONE: ack, say gone" },
    { "claimed", "reread dead", "GONE: ack, say gone" },

    { "AT_WORK", "again", "AT_WORK: ack" },
    { "AT_WORK", "beat named", "AT_WORK: renew 5" },
    { "AT_WORK", "lose", "GONE: entomb 5" },
    { "AT_WORK", "result", "ENDING: store" },
    { "AT_WORK", "cancel", "STOPPED: say stop cancel" },
    { "AT_WORK", "forget", "GONE: say forget" },
    { "AT_WORK", "orphan", "STOPPED: say stop orphan" },
    { "AT_WORK", "tick late", "STOPPED: say stop fenced" },
    { "AT_WORK", "create wrong", "AT_WORK: reread" },
    { "AT_WORK", "renew wrong", "AT_WORK: reread" },
    { "AT_WORK", "read ours 7", "AT_WORK: renew 7" },
    { "AT_WORK", "read cancelled", "STOPPED: say stop cancel" },
    { "AT_WORK", "read others", "AT_WORK: renew 0" },
    { "AT_WORK", "read dead", "STOPPED: say stop fenced" },
    { "AT_WORK", "read nowhere there", "AT_WORK: renew 0" },
    { "AT_WORK", "reread ours 7", "AT_WORK: renew 7" },
    { "AT_WORK", "reread cancelled", "STOPPED: say stop cancel" },
    { "AT_WORK", "reread others", "AT_WORK: renew 0" },
    { "AT_WORK", "reread dead", "STOPPED: say stop fenced" },
    { "AT_WORK", "reread nowhere there", "AT_WORK: renew 0" },

    { "STOPPED", "again", "GONE: back 100" },
    { "STOPPED", "result", "GONE: say forget" },
    { "STOPPED", "forget", "GONE: say forget" },

    { "orphan", "again", "GONE: back 100" },
    { "orphan", "result", "CHECKING: check" },
    { "orphan", "forget", "GONE: say forget" },

    { "CHECKING", "cancel", "GONE: say forget" },
    { "CHECKING", "forget", "GONE: say forget" },
    { "CHECKING", "check ours 7", "ENDING: store" },
    { "CHECKING", "check cancelled", "GONE: say forget" },
    { "CHECKING", "check others", "GONE: say forget" },
    { "CHECKING", "check dead", "GONE: say forget" },
    { "CHECKING", "check nowhere", "CHECKING: driver" },
    { "CHECKING", "check nowhere there", "CHECKING: driver" },
    { "CHECKING", "driver there", "CHECKING: create" },
    { "CHECKING", "create done 7", "ENDING: store" },
    { "CHECKING", "create wrong", "CHECKING: check" },
    { "CHECKING", "create unknown", "CHECKING: check" },
    { "CHECKING", "renew done 7", "ENDING: store" },
    { "CHECKING", "renew wrong", "CHECKING: check" },
    { "CHECKING", "renew unknown", "CHECKING: check" },

    { "ENDING", "again", "ENDING: ack" },
    { "ENDING", "beat named", "ENDING: renew 5" },
    { "ENDING", "cancel", "GONE: say forget" },
    { "ENDING", "forget", "GONE: say forget" },
    { "ENDING", "store done 7", "KEPT: ack, say kept" },
    { "ENDING", "create wrong", "ENDING: reread" },
    { "ENDING", "renew wrong", "ENDING: reread" },
    { "ENDING", "read ours 7", "ENDING: renew 7" },
    { "ENDING", "read others", "ENDING: renew 0" },
    { "ENDING", "read nowhere there", "ENDING: renew 0" },
    { "ENDING", "reread ours 7", "ENDING: renew 7" },
    { "ENDING", "reread others", "ENDING: renew 0" },
    { "ENDING", "reread nowhere there", "ENDING: renew 0" },

    { "refused", "again", "ENDING: ack" },
    { "refused", "cancel", "GONE: say forget" },
    { "refused", "forget", "GONE: say forget" },
    { "refused", "stored", "ENDING: store" },
    { "refused", "tick late", "ENDING: store" },
    { "refused", "store done 7", "KEPT: ack, say kept" },
    REREADS("refused"),

    { "full", "again", "ENDING: ack" },
    { "full", "beat named", "ENDING: renew 5" },
    { "full", "cancel", "GONE: say forget" },
    { "full", "forget", "GONE: say forget" },
    { "full", "stored", "ENDING: store" },
    { "full", "tick late", "ENDING: store" },
    { "full", "store done 7", "KEPT: ack, say kept" },
    REREADS("full"),

    { "unstored", "again", "ENDING: ack" },
    { "unstored", "beat named", "ENDING: renew 5" },
    { "unstored", "result", "ENDING: store" },
    { "unstored", "cancel", "GONE: say forget" },
    { "unstored", "forget", "GONE: say forget" },
    { "unstored", "store done 7", "KEPT: ack, say kept" },
    REREADS("unstored"),

    { "KEPT", "again", "GONE: back 100" },
    { "KEPT", "result", "KEPT: say kept" },
    { "KEPT", "cancel", "GONE: say forget" },
    { "KEPT", "forget", "GONE: say forget" },
    { "KEPT", "back", "CHECKING" },

    { "doubted", "again", "GONE: back 100" },
    { "doubted", "result", "CHECKING: check" },
    { "doubted", "cancel", "GONE: say forget" },
    { "doubted", "forget", "GONE: say forget" },
    { "doubted", "check ours 7", "ENDING" },
    { "doubted", "check cancelled", "GONE: say forget" },
    { "doubted", "check others", "GONE: say forget" },
    { "doubted", "check dead", "GONE: say forget" },
    { "doubted", "check nowhere", "CHECKING: driver" },
    { "doubted", "check nowhere there", "CHECKING: driver" },
};

static struct held_at place_reach(const struct place *place, struct buf *text)
{
    struct held_at at = { .lease_ms = LEASE_MS };

    for (uint32_t i = 0; place->events[i]; i++) {
        step(&at, place->events[i], (i + 1) * STEP_MS, text);
    }
    return at;
}

/* What is wanted of an event at a place; used is counted. */
static const char *change_find(const char *place, const char *event, const struct held_at *at,
                               uint32_t *used)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (strcmp(changes[i].place, place) != 0 || strcmp(changes[i].event, event) != 0) continue;
        ++*used;
        return changes[i].wanted;
    }
    return state_words[at->state];
}

TEST(each_event_does_what_its_row_says_and_nothing_where_it_has_none)
{
    uint32_t used = 0;
    struct buf got;

    buf_init(&got, TEXT_BYTES_MAX);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (size_t j = 0; j < sizeof events / sizeof *events; j++) {
            struct held_at at = place_reach(&places[i], &got);
            const char *wanted = change_find(places[i].name, events[j], &at, &used);
            uint64_t now_ms = strcmp(events[j], "tick late") == 0 ? LATE_MS : STEPS_MAX * STEP_MS;

            step(&at, events[j], now_ms, &got);
            if (strcmp(buf_cstr(&got), wanted) == 0) continue;
            fail_msg("%s, %s: \"%s\", and wanted is \"%s\"", places[i].name, events[j],
                     buf_cstr(&got), wanted);
        }
    }
    assert_int_equal(used, sizeof changes / sizeof *changes);
    buf_release(&got);
}

TEST(pieces_of_a_result_that_will_not_be_stored_are_not_taken)
{
    struct buf text;

    buf_init(&text, TEXT_BYTES_MAX);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct held_at at = place_reach(&places[i], &text);

        if (held_takes_pieces(&at) == (strcmp(places[i].name, "STOPPED") == 0)) {
            fail_msg("%s", places[i].name);
        }
    }
    buf_release(&text);
}

/* ---- the driver's record ---- */

/* Asked at now_ms, and answered. */
static void look(struct held_driver *driver, uint64_t now_ms, bool known, uint64_t seq)
{
    assert_true(held_driver_asks(driver, LEASE_MS, now_ms));
    held_driver_answer(driver, known, seq);
}

TEST(a_drivers_record_is_read_four_times_in_a_lease)
{
    struct held_driver driver = { 0 };

    assert_false(held_driver_asks(&driver, LEASE_MS, LEASE_MS / 4 - 1));
    assert_true(held_driver_asks(&driver, LEASE_MS, LEASE_MS / 4));
    assert_false(held_driver_asks(&driver, LEASE_MS, 10 * LEASE_MS)); /* one question at a time */
    held_driver_answer(&driver, true, 1);
    assert_false(held_driver_asks(&driver, LEASE_MS, LEASE_MS / 2 - 1));
    assert_true(held_driver_asks(&driver, LEASE_MS, LEASE_MS / 2));
}

TEST(a_driver_whose_record_does_not_change_for_two_leases_is_dead)
{
    struct held_driver driver = { 0 };
    uint64_t dead_ms = carry_dead_ms(LEASE_MS);

    held_driver_rest(&driver, 500);
    look(&driver, 1000, true, 7);
    look(&driver, 2000, true, 7);
    assert_false(held_driver_is_dead(&driver, LEASE_MS, 1000 + dead_ms));
    assert_true(held_driver_is_dead(&driver, LEASE_MS, 1000 + dead_ms + 1));
    look(&driver, 2200, true, 8); /* it lives again, since it was asked for */
    assert_false(held_driver_is_dead(&driver, LEASE_MS, 2200 + dead_ms));
    look(&driver, 2400, true, 8);
    assert_false(held_driver_is_dead(&driver, LEASE_MS, 2200 + dead_ms));
    assert_true(held_driver_is_dead(&driver, LEASE_MS, 2200 + dead_ms + 1));
}

TEST(a_driver_that_was_not_looked_at_is_not_dead)
{
    struct held_driver driver = { 0 };

    held_driver_rest(&driver, 1000);
    assert_false(held_driver_is_dead(&driver, LEASE_MS, 100000));
    look(&driver, 100000, true, 7);
    assert_false(held_driver_is_dead(&driver, LEASE_MS, 200000));
    look(&driver, 200000, true, 7);
    assert_true(held_driver_is_dead(&driver, LEASE_MS, 200000));
    held_driver_rest(&driver, 200000); /* no attempt of it is held, or the server was away */
    assert_false(held_driver_is_dead(&driver, LEASE_MS, 300000));
}

TEST(a_driver_without_a_record_is_not_there_and_dies)
{
    struct held_driver driver = { 0 };

    held_driver_rest(&driver, 100);
    look(&driver, 1000, true, 7);
    assert_true(driver.there);
    look(&driver, 1200, false, 0); /* no answer says nothing */
    assert_true(driver.there);
    look(&driver, 1400, true, 0);
    assert_false(driver.there);
    assert_false(held_driver_is_dead(&driver, LEASE_MS, 1000 + carry_dead_ms(LEASE_MS)));
    assert_true(held_driver_is_dead(&driver, LEASE_MS, 1001 + carry_dead_ms(LEASE_MS)));
    look(&driver, 2300, true, 9); /* the next driver */
    assert_true(driver.there);
    assert_false(held_driver_is_dead(&driver, LEASE_MS, 2400));
}
