/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_links.c - the two links of a fleet as programs: what src/carry's steps say is done, and
 * what the server answers is told to them. A question is asked again until it is answered, or once.
 *
 * It is a second telling of what link/driver*.c and link/worker*.c do around the same steps. */
#include "fleet_play.h"

#include "world.h"

#include <stddef.h>

enum { ASKS_PER_LEASE = 8 };

/* ---- questions ---- */

static void question_send(struct fleet_play *play, uint32_t link, struct play_question *question)
{
    struct thing thing = play_thing(play, THING_ASK, link, END_SERVER, 0);

    question->asked_ms = play->now_ms;
    thing.ask = question->ask;
    thing.number = question->number;
    thing.ask_life = play->processes[link].life;
    play_send(play, &thing);
}

static void ask(struct fleet_play *play, uint32_t link, struct play_questions *questions,
                const struct play_question *what)
{
    for (uint32_t i = 0; i < QUESTIONS_MAX; i++) {
        struct play_question *question = &questions->list[i];

        if (question->used) continue;
        *question = *what;
        question->used = true;
        question->number = ++questions->last;
        if (i >= questions->count) questions->count = i + 1;
        if (!play->processes[link].away) question_send(play, link, question);
        else question->asked_ms = play->now_ms;
        return;
    }
    world_fail("too many questions");
}

/* The one that is answered; NULL: it was before, or is of another life. */
static struct play_question *question_find(struct play_questions *questions, uint64_t number)
{
    for (uint32_t i = 0; i < questions->count; i++) {
        if (questions->list[i].used && questions->list[i].number == number) {
            return &questions->list[i];
        }
    }
    return NULL;
}

/* Asked again, or told that there is no answer. */
static void questions_tick(struct fleet_play *play, uint32_t link,
                           struct play_questions *questions,
                           void (*on_none)(struct fleet_play *, uint32_t,
                                           const struct play_question *))
{
    bool away = play->processes[link].away;

    for (uint32_t i = 0; i < questions->count; i++) {
        struct play_question *question = &questions->list[i], kept = *question;
        bool late = play->now_ms >= question->asked_ms + play->lease_ms / ASKS_PER_LEASE;

        if (!question->used || (!late && (!away || question->forever))) continue;
        if (question->forever) {
            if (!away) question_send(play, link, question);
            continue;
        }
        question->used = false;
        on_none(play, link, &kept);
    }
}

/* ---- the link of the driver ---- */

static void carried_do(struct fleet_play *play, uint32_t key, struct carried_event event);

static enum fs_kind carried_kind(enum carried_ask what)
{
    if (what == CARRIED_STORE) return FS_PUT_JOB;
    if (what == CARRIED_LOST_TOMB) return FS_PUT_CLAIM;
    switch (carried_thing(what)) {
    case CARRIED_JOB_THERE: return FS_READ_JOB;
    case CARRIED_CLAIM_THERE: return FS_READ_CLAIM;
    case CARRIED_RESULT_THERE: return FS_READ_RESULT;
    case CARRIED_BLOB_THERE: return FS_READ_BLOB;
    }
    return FS_KIND_COUNT;
}

static void server_ask(struct fleet_play *play, const struct fs_ask *what)
{
    ask(play, END_DRIVER_LINK, &play->driver_link.questions,
        &(struct play_question){ .forever = true, .ask = *what });
}

static void carried_asks(struct fleet_play *play, uint32_t key, enum carried_ask what)
{
    const struct carried_at *at = &play->driver_link.at[key];
    struct play_question question = { .forever = true, .told = true, .about = what,
                                 .times = at->times };

    question.ask = (struct fs_ask){ .kind = carried_kind(what), .key = key };
    if (what == CARRIED_STORE) {
        question.ask.id = (uint64_t)play->processes[END_DRIVER_LINK].life << 8 | at->times;
    }
    if (what == CARRIED_LOST_TOMB) {
        question.ask.seq = at->claim_seq;
        question.ask.claim = (struct fs_claim){ .dead = true, .tomb = CARRIED_TOMB_LOST };
    }
    ask(play, END_DRIVER_LINK, &play->driver_link.questions, &question);
}

static void workers_tell(struct fleet_play *play, uint32_t key, enum fleet_kind word,
                         uint64_t token)
{
    for (uint32_t i = 0; i < PLAY_WORKERS; i++) {
        struct thing thing = play_thing(play, THING_CAST, END_DRIVER_LINK, END_LINKS + i, 0);

        if (!play->processes[END_SERVER].up || !play->processes[END_LINKS + i].up) continue;
        thing.key = key;
        thing.line = word;
        thing.number = token;
        play_send(play, &thing);
    }
}

static void driver_tell(struct fleet_play *play, uint32_t key, const struct carried_act *act)
{
    struct thing line = play_thing(play, THING_LINE, END_DRIVER_LINK, END_DRIVER, 1);

    line.key = key;
    line.line = act->line;
    line.state = act->known;
    line.number = play->driver_link.values[key];
    play_say(play, &line);
}

static void carried_act(struct fleet_play *play, uint32_t key, const struct carried_act *act)
{
    const struct carried_at *at = &play->driver_link.at[key];
    struct fs_ask what = { .key = key };

    switch (act->kind) {
    case CARRIED_ASKS: carried_asks(play, key, act->ask); return;
    case CARRIED_SAYS: driver_tell(play, key, act); return;
    case CARRIED_ANSWERS:
        workers_tell(play, key, act->may ? FLEET_GO : FLEET_GONE, play->driver_link.token);
        return;
    case CARRIED_CANCELS: workers_tell(play, key, FLEET_STOP, 0); return;
    case CARRIED_FORGETS: workers_tell(play, key, FLEET_FORGET, 0); return;
    case CARRIED_ENTOMBS:
        what.kind = FS_PUT_CLAIM;
        what.seq = FS_ANY;
        what.claim = (struct fs_claim){ .dead = true, .tomb = (uint8_t)act->tomb };
        break;
    case CARRIED_PURGES_JOB: what.kind = FS_PURGE_JOB; break;
    case CARRIED_REMOVES_JOB:
        what.kind = FS_REMOVE_JOB;
        what.seq = at->job_seq;
        break;
    case CARRIED_REMOVES_RESULT:
        what.kind = FS_REMOVE_RESULT;
        what.seq = at->result_seq;
        break;
    case CARRIED_PURGES_RESULT: what.kind = FS_PURGE_RESULT; break;
    case CARRIED_PURGES_BLOBS:
    case CARRIED_KEEPS_JOB:
    case CARRIED_DROPS_JOB:
    case CARRIED_HURRIES:
    case CARRIED_ACT_COUNT: return;
    }
    server_ask(play, &what);
}

static void carried_do(struct fleet_play *play, uint32_t key, struct carried_event event)
{
    struct play_driver_link *link = &play->driver_link;
    struct carried_acts acts;
    bool late_hint = !link->known[key] && link->over[key] &&
                     (event.kind == CARRIED_CLAIM_HINT || event.kind == CARRIED_RESULT_HINT);

    if (!link->known[key]) {
        link->at[key] = (struct carried_at){ .state = late_hint ? CARRIED_OVER : CARRIED_ASKED };
    }
    event.now_ms = play->now_ms;
    event.lease_ms = play->lease_ms;
    link->token = event.token;
    carried_step(&link->at[key], &event, &acts);
    link->known[key] = link->at[key].state != CARRIED_OVER;
    link->over[key] = link->over[key] || !link->known[key];
    for (uint32_t i = 0; i < acts.count; i++) carried_act(play, key, &acts.list[i]);
}

static enum carried_answer carried_word(const struct play_question *question,
                                        const struct fs_answer *answer)
{
    if (answer->word == FS_WRONG) return CARRIED_NO;
    if (answer->word == FS_NONE) return CARRIED_NONE;
    return question->ask.kind == FS_READ_CLAIM && answer->claim.dead ? CARRIED_DEAD : CARRIED_YES;
}

/* A claim of an attempt that the driver has not asked for, though it had the time to. */
static void stranger_answer(struct fleet_play *play, const struct thing *thing)
{
    const struct play_driver_link *link = &play->driver_link;

    if (!link->ready || play->now_ms < link->ready_ms + carry_beat_ms(play->lease_ms)) return;
    workers_tell(play, thing->key, FLEET_GONE, thing->ask.claim.token);
}

/* ---- whose run it is ---- */

static void record_ask(struct fleet_play *play, enum fs_kind kind)
{
    struct play_driver_link *link = &play->driver_link;

    link->beating = true;
    ask(play, END_DRIVER_LINK, &link->questions, &(struct play_question){
        .forever = kind == FS_READ_DRIVER, .told = true, .about = PLAY_RECORD,
        .ask = { .kind = kind, .seq = link->driver_seq, .value = play->epoch },
    });
}

static void driver_ready(struct fleet_play *play)
{
    struct thing line = play_thing(play, THING_LINE, END_DRIVER_LINK, END_DRIVER, 1);

    if (play->driver_link.ready) return;
    play->driver_link.ready = true;
    play->driver_link.ready_ms = play->now_ms;
    line.line = FLEET_READY;
    play_say(play, &line);
}

static void on_record(struct fleet_play *play, const struct play_question *question,
                      const struct fs_answer *answer)
{
    struct play_driver_link *link = &play->driver_link;

    link->beating = false;
    if (question->ask.kind == FS_READ_DRIVER) {
        link->driver_seq = answer->word == FS_YES ? answer->seq : 0;
        if (answer->word == FS_YES && answer->value > play->epoch) world_fail("2: a newer driver");
        record_ask(play, FS_PUT_DRIVER);
    } else if (answer->word == FS_YES) {
        link->driver_seq = answer->seq;
        driver_ready(play);
    } else {
        record_ask(play, FS_READ_DRIVER);
    }
}

static void on_driver_none(struct fleet_play *play, uint32_t link,
                           const struct play_question *question)
{
    (void)link;
    play->driver_link.beating = false;
    if (question->about == PLAY_RECORD && !play->driver_link.ready) {
        record_ask(play, FS_READ_DRIVER);
    }
}

/* ---- what the link of the driver hears ---- */

static void on_driver_answer(struct fleet_play *play, const struct thing *thing)
{
    struct play_driver_link *link = &play->driver_link;
    struct play_question *question = question_find(&link->questions, thing->number), kept;
    struct carried_event event = { .kind = CARRIED_ANSWERED };

    if (!question) return;
    kept = *question;
    question->used = false;
    if (!kept.told) return;
    if (kept.about == PLAY_RECORD) {
        on_record(play, &kept, &thing->answer);
        return;
    }
    if (!link->known[kept.ask.key]) return;
    event.ask = (enum carried_ask)kept.about;
    event.answer = carried_word(&kept, &thing->answer);
    event.seq = thing->answer.seq;
    event.times = kept.times;
    event.floor_seq = thing->answer.floor_seq;
    event.token = thing->answer.claim.token;
    event.begun = thing->answer.claim.begun;
    if (kept.ask.kind == FS_READ_RESULT) link->values[kept.ask.key] = thing->answer.value;
    carried_do(play, kept.ask.key, event);
}

static void blob_tell(struct fleet_play *play, uint32_t key)
{
    struct thing line = play_thing(play, THING_LINE, END_DRIVER_LINK, END_DRIVER, 1);

    line.line = FLEET_BLOB;
    line.key = key;
    play_say(play, &line);
}

static void driver_link_line(struct fleet_play *play, const struct thing *thing)
{
    struct carried_event event = { .now_ms = play->now_ms, .stored = true };

    switch ((unsigned)thing->line) {
    case FLEET_BEAT:
        if (!play->driver_link.beating && play->driver_link.ready) record_ask(play, FS_PUT_DRIVER);
        return;
    case FLEET_JOB:
        event.kind = CARRIED_JOB;
        event.names_blob = thing->key % 2 == 0;
        break;
    case FLEET_STOP: event.kind = CARRIED_STOP; break;
    case FLEET_ASK:
        event.kind = CARRIED_ASK;
        event.taken = thing->flag;
        break;
    case FLEET_FORGET: event.kind = CARRIED_FORGET; break;
    case FLEET_GET: blob_tell(play, thing->key); return;
    case FLEET_BYE:
        if (thing->flag) server_ask(play, &(struct fs_ask){ .kind = FS_PURGE_RUN });
        return;
    default: return;
    }
    carried_do(play, thing->key, event);
}

static void driver_link_all(struct fleet_play *play, enum carried_event_kind kind)
{
    for (uint32_t i = 0; i < play->run.attempt_count; i++) {
        if (!play->driver_link.known[i]) continue;
        carried_do(play, i, (struct carried_event){ .kind = kind });
    }
}

void driver_link_begin(struct fleet_play *play)
{
    play->driver_link = (struct play_driver_link){ .ready = false };
    play->processes[END_DRIVER_LINK].away = !play->processes[END_SERVER].up;
    record_ask(play, FS_READ_DRIVER);
}

void driver_link_take(struct fleet_play *play, const struct thing *thing)
{
    struct thing beat = play_thing(play, THING_LINE, END_DRIVER_LINK, END_DRIVER, 1);
    struct carried_event event = { .kind = CARRIED_HANDED_OUT };

    switch ((unsigned)thing->kind) {
    case THING_LINE: driver_link_line(play, thing); break;
    case THING_ANSWER: on_driver_answer(play, thing); break;
    case THING_HINT:
        event.kind = thing->flag ? CARRIED_RESULT_HINT : CARRIED_CLAIM_HINT;
        event.token = thing->ask.claim.token;
        event.begun = thing->ask.claim.begun;
        if (play->driver_link.known[thing->key] || play->driver_link.over[thing->key]) {
            carried_do(play, thing->key, event);
        } else if (!thing->flag && !event.begun) stranger_answer(play, thing);
        break;
    case THING_POISON:
        if (play->driver_link.known[thing->key] &&
            play->driver_link.at[thing->key].job_seq == thing->number) {
            carried_do(play, thing->key, event);
        }
        break;
    case THING_AWAY:
        if (thing->from == END_DRIVER) play_kill(play, END_DRIVER_LINK);
        break;
    case THING_BACK:
        driver_link_all(play, CARRIED_BACK);
        break;
    case THING_TICK:
        questions_tick(play, END_DRIVER_LINK, &play->driver_link.questions, on_driver_none);
        if (!play->processes[END_DRIVER_LINK].away) driver_link_all(play, CARRIED_TICK);
        beat.line = FLEET_BEAT;
        play_say(play, &beat);
        break;
    }
}

/* ---- the link of a worker ---- */

static void held_do(struct fleet_play *play, uint32_t number, uint32_t key,
                    struct held_event event);

static void held_asks(struct fleet_play *play, uint32_t number, uint32_t key, enum held_ask what)
{
    struct play_link *link = &play->links[number];
    struct play_question question = { .told = true, .about = what, .times = link->numbers[key],
                                      .ask = { .key = key } };

    switch (what) {
    case HELD_CREATE:
    case HELD_RENEW:
        question.forever = what == HELD_CREATE;
        question.ask.kind = FS_PUT_CLAIM;
        question.ask.seq = what == HELD_CREATE ? 0 : link->at[key].claim_seq;
        question.ask.claim = (struct fs_claim){ .worker = (uint8_t)number,
                                                .token = link->tokens[key],
                                                .begun = held_has_begun(&link->at[key]) };
        break;
    case HELD_DRIVER:
        question.forever = true;
        question.ask.kind = FS_READ_DRIVER;
        break;
    case HELD_READ:
    case HELD_READ_RENEWED:
    case HELD_CHECK:
        question.forever = what != HELD_READ_RENEWED;
        question.ask.kind = FS_READ_CLAIM;
        break;
    case HELD_STORE:
        question.forever = true;
        question.ask.kind = FS_PUT_RESULT;
        question.ask.value = link->values[key];
        break;
    case HELD_ASK_COUNT: return;
    }
    ask(play, END_LINKS + number, &link->questions, &question);
}

static void worker_tell(struct fleet_play *play, uint32_t number, uint32_t key,
                        const struct held_act *act)
{
    struct thing line = play_thing(play, THING_LINE, END_LINKS + number, END_WORKERS + number, 1);

    line.key = key;
    line.line = act->line;
    line.why = act->why;
    play_say(play, &line);
}

static void queue_tell(struct fleet_play *play, uint32_t number, uint32_t key, bool wait,
                       uint64_t pause_ms)
{
    struct thing thing = play_thing(play, THING_WORD, END_LINKS + number, END_SERVER, 0);

    thing.number = play->links[number].job_seqs[key];
    thing.flag = wait;
    thing.ask.value = pause_ms;
    play_send(play, &thing);
}

static void held_act(struct fleet_play *play, uint32_t number, uint32_t key,
                     const struct held_act *act)
{
    struct play_link *link = &play->links[number];
    struct play_question question = { .ask = { .key = key } };

    switch (act->kind) {
    case HELD_ASKS: held_asks(play, number, key, act->ask); return;
    case HELD_SAYS: worker_tell(play, number, key, act); return;
    case HELD_GIVES_BACK: queue_tell(play, number, key, false, act->pause_ms); return;
    case HELD_IS_AT_IT: queue_tell(play, number, key, true, 0); return;
    case HELD_ACKS:
        question.forever = true;
        question.ask.kind = FS_REMOVE_JOB;
        question.ask.seq = link->job_seqs[key];
        if (question.ask.seq == 0) return; /* this link was not offered it */
        break;
    case HELD_ENTOMBS:
        question.ask.kind = FS_PUT_CLAIM;
        question.ask.seq = link->at[key].claim_seq;
        question.ask.claim = (struct fs_claim){ .dead = true, .tomb = CARRIED_TOMB_LOST };
        break;
    case HELD_ACT_COUNT: return;
    }
    ask(play, END_LINKS + number, &link->questions, &question);
}

static void held_do(struct fleet_play *play, uint32_t number, uint32_t key,
                    struct held_event event)
{
    struct play_link *link = &play->links[number];
    struct held_acts acts;

    event.now_ms = play->now_ms;
    event.driver_is_there = link->driver.there;
    held_step(&link->at[key], &event, &acts);
    for (uint32_t i = 0; i < acts.count; i++) held_act(play, number, key, &acts.list[i]);
    if (link->at[key].state == HELD_GONE) link->known[key] = false;
}

static void held_new(struct fleet_play *play, uint32_t number, uint32_t key)
{
    struct play_link *link = &play->links[number];

    link->at[key] = (struct held_at){ .lease_ms = play->lease_ms };
    link->known[key] = true;
    link->job_seqs[key] = 0;
    link->numbers[key] = (uint32_t)++play->order;
}

static enum held_answer held_word(const struct fleet_play *play, uint32_t number,
                                  const struct play_question *question,
                                  const struct fs_answer *answer)
{
    const struct fs_claim *claim = &answer->claim;

    if (answer->word == FS_FULL) return HELD_FULL;
    if (question->ask.kind == FS_PUT_RESULT) return HELD_DONE;
    if (question->ask.kind == FS_PUT_CLAIM) {
        return answer->word == FS_YES ? HELD_DONE : HELD_WRONG;
    }
    if (answer->word != FS_YES) return HELD_NOWHERE;
    if (question->ask.kind == FS_READ_DRIVER) return HELD_THERE;
    if (claim->dead) return claim->tomb == CARRIED_TOMB_CANCEL ? HELD_CANCELLED : HELD_DEAD;
    if (claim->worker != number) return HELD_OTHERS;
    return question->about == HELD_CHECK ||
           claim->token == play->links[number].tokens[question->ask.key] ? HELD_OURS : HELD_OTHERS;
}

static void on_link_answer(struct fleet_play *play, uint32_t number, const struct thing *thing)
{
    struct play_link *link = &play->links[number];
    struct play_question *question = question_find(&link->questions, thing->number), kept;

    if (!question) return;
    kept = *question;
    question->used = false;
    if (!kept.told) return;
    if (kept.about == PLAY_RECORD) {
        held_driver_answer(&link->driver, true,
                           thing->answer.word == FS_YES ? thing->answer.seq : 0);
    } else if (link->known[kept.ask.key] && link->numbers[kept.ask.key] == kept.times) {
        held_do(play, number, kept.ask.key, (struct held_event){
            .kind = HELD_ANSWERED, .ask = (enum held_ask)kept.about, .seq = thing->answer.seq,
            .answer = held_word(play, number, &kept, &thing->answer),
        });
    }
}

static void on_link_none(struct fleet_play *play, uint32_t end,
                         const struct play_question *question)
{
    struct play_link *link = &play->links[end - END_LINKS];

    if (!question->told) return;
    if (question->about == PLAY_RECORD) {
        held_driver_answer(&link->driver, false, 0);
    } else if (link->known[question->ask.key] &&
               link->numbers[question->ask.key] == question->times) {
        held_do(play, end - END_LINKS, question->ask.key, (struct held_event){
            .kind = HELD_ANSWERED, .ask = (enum held_ask)question->about, .answer = HELD_UNKNOWN,
        });
    }
}

/* ---- what the link of a worker hears ---- */

static void on_job(struct fleet_play *play, uint32_t number, const struct thing *thing)
{
    struct play_link *link = &play->links[number];
    struct thing line = play_thing(play, THING_LINE, END_LINKS + number, END_WORKERS + number, 1);
    uint32_t key = thing->key;

    if (link->known[key]) {
        link->job_seqs[key] = thing->number;
        held_do(play, number, key, (struct held_event){ .kind = HELD_OFFERED_AGAIN });
        return;
    }
    held_new(play, number, key);
    link->job_seqs[key] = thing->number;
    if (link->free == 0) {
        held_do(play, number, key, (struct held_event){ .kind = HELD_BYE });
        return;
    }
    link->free--;
    line.line = FLEET_JOB;
    line.key = key;
    play_say(play, &line);
}

static void on_begin(struct fleet_play *play, uint32_t number, const struct thing *thing)
{
    struct play_link *link = &play->links[number];

    if (!link->known[thing->key]) held_new(play, number, thing->key);
    if (link->at[thing->key].state == HELD_OFFERED) link->tokens[thing->key] = thing->number;
    held_do(play, number, thing->key, (struct held_event){ .kind = HELD_BEGIN,
                                                           .begun = thing->flag });
}

static void on_beat(struct fleet_play *play, uint32_t number, const struct thing *thing)
{
    struct play_link *link = &play->links[number];

    for (uint32_t key = 0; key < play->run.attempt_count; key++) {
        bool named = thing->keys[key / 64] >> key % 64 & 1;

        if (!link->known[key]) continue;
        held_do(play, number, key, (struct held_event){ .kind = HELD_BEAT, .named = named });
    }
}

static void link_line(struct fleet_play *play, uint32_t number, const struct thing *thing)
{
    struct play_link *link = &play->links[number];
    struct held_event event = { .kind = HELD_SKIP };

    switch ((unsigned)thing->line) {
    case FLEET_FREE: link->free += (uint32_t)thing->number; return;
    case FLEET_BEGIN: on_begin(play, number, thing); return;
    case FLEET_BEAT: on_beat(play, number, thing); return;
    case FLEET_SKIP: event.kind = HELD_SKIP; break;
    case FLEET_LOST: event.kind = HELD_LOSE; break;
    case FLEET_ENDED:
        if (!link->known[thing->key]) held_new(play, number, thing->key);
        link->values[thing->key] = thing->number;
        event.kind = HELD_RESULT;
        break;
    default: return;
    }
    if (link->known[thing->key]) held_do(play, number, thing->key, event);
}

static void driver_watch(struct fleet_play *play, uint32_t number)
{
    struct play_link *link = &play->links[number];
    bool needed = false;

    for (uint32_t i = 0; i < play->run.attempt_count && !needed; i++) {
        needed = link->known[i] && held_needs_driver(&link->at[i]);
    }
    if (!needed) {
        held_driver_rest(&link->driver, play->now_ms);
        return;
    }
    if (held_driver_is_dead(&link->driver, play->lease_ms, play->now_ms)) {
        for (uint32_t i = 0; i < play->run.attempt_count; i++) {
            if (!link->known[i]) continue;
            held_do(play, number, i, (struct held_event){ .kind = HELD_ORPHAN });
        }
    }
    if (!held_driver_asks(&link->driver, play->lease_ms, play->now_ms)) return;
    ask(play, END_LINKS + number, &link->questions, &(struct play_question){
        .told = true, .about = PLAY_RECORD, .ask = { .kind = FS_READ_DRIVER },
    });
}

static void link_tick(struct fleet_play *play, uint32_t number)
{
    struct play_link *link = &play->links[number];
    uint32_t end = END_LINKS + number;
    struct thing line = play_thing(play, THING_LINE, end, END_WORKERS + number, 1);
    struct thing pull = play_thing(play, THING_PULL, end, END_SERVER, 0);

    questions_tick(play, end, &link->questions, on_link_none);
    for (uint32_t i = 0; i < play->run.attempt_count; i++) {
        if (link->known[i]) held_do(play, number, i, (struct held_event){ .kind = HELD_TICK });
    }
    if (play->now_ms >= link->said_ms + carry_beat_ms(play->lease_ms)) {
        link->said_ms = play->now_ms;
        line.line = FLEET_BEAT;
        play_say(play, &line);
    }
    if (play->processes[end].away) return;
    driver_watch(play, number);
    pull.number = link->free;
    if (link->free > 0) play_send(play, &pull);
}

void link_begin(struct fleet_play *play, uint32_t number)
{
    struct thing line = play_thing(play, THING_LINE, END_LINKS + number, END_WORKERS + number, 1);

    play->links[number] = (struct play_link){ .driver = { .changed_ms = play->now_ms } };
    play->processes[END_LINKS + number].away = !play->processes[END_SERVER].up;
    line.line = FLEET_READY;
    play_say(play, &line);
}

static void on_cast(struct fleet_play *play, uint32_t number, const struct thing *thing)
{
    struct held_event event = { .kind = HELD_LET, .may = thing->line == FLEET_GO };

    if (thing->line == FLEET_STOP) event.kind = HELD_CANCEL;
    else if (thing->line == FLEET_FORGET) event.kind = HELD_FORGET;
    else if (thing->number != play->links[number].tokens[thing->key]) return;
    held_do(play, number, thing->key, event);
}

static void on_back(struct fleet_play *play, uint32_t number)
{
    struct play_link *link = &play->links[number];
    struct thing line = play_thing(play, THING_LINE, END_LINKS + number, END_WORKERS + number, 1);

    held_driver_rest(&link->driver, play->now_ms);
    play->calm_ms = play->now_ms;
    for (uint32_t i = 0; i < play->run.attempt_count; i++) {
        if (link->known[i]) held_do(play, number, i, (struct held_event){ .kind = HELD_BACK });
    }
    line.line = FLEET_BACK;
    play_say(play, &line);
}

void link_take(struct fleet_play *play, uint32_t number, const struct thing *thing)
{
    struct play_link *link = &play->links[number];

    switch ((unsigned)thing->kind) {
    case THING_LINE: link_line(play, number, thing); break;
    case THING_ANSWER: on_link_answer(play, number, thing); break;
    case THING_JOB: on_job(play, number, thing); break;
    case THING_CAST:
        if (link->known[thing->key]) on_cast(play, number, thing);
        break;
    case THING_AWAY:
        if (thing->from != END_SERVER) play_kill(play, END_LINKS + number);
        break;
    case THING_BACK: on_back(play, number); break;
    case THING_TICK: link_tick(play, number); break;
    }
}
