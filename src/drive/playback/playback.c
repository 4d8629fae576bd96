/* SPDX-License-Identifier: Apache-2.0
 *
 * playback.c - a run, played again.
 *
 *   journal --> event --> [an attempt ended: judged again, from its folder, and compared]
 *                 '-----> engine --> told as a live run tells it
 *
 * 1. The engine is given what the journal says: it goes where it went. What is judged otherwise now
 *    is told, and nothing follows from it.
 * 2. The judging is the live run's own: the facts come from the attempt's folder, outcome() is the
 *    same, and what it makes is compared and not queued.
 * 3. The tree of then is not there any more. What was decided by it is not judged again.
 *
 * Its hands: a start is noted and is over at once, nothing is stopped or asked, and what a live run
 * tells is told again.
 *
 * Not here: the script that is made of it (script.c). */
#include "drive/playback/playback.h"

#include "base/mem.h"
#include "drive/attempt.h"
#include "drive/facts.h"
#include "io/file/file.h"
#include "io/process/host.h"
#include "run/place.h"
#include "run/site.h"

#include <inttypes.h>
#include <stdlib.h>

struct player {
    struct drive drive; /* first: the hands find the rest by it */
    struct report report;
    struct playback *out;
    enum event_kind last;
    uint64_t until;
    bool silent;
};

/* ---- an attempt that ended ---- */

static bool finding_is(const struct finding *a, const struct finding *b)
{
    return a->severity == b->severity && a->line == b->line && str_eq(a->file, b->file) &&
           str_eq(a->text, b->text) && str_eq(a->evidence, b->evidence) &&
           str_eq(a->suggestion, b->suggestion);
}

static bool findings_are(const struct result *a, const struct result *b)
{
    if (a->finding_count != b->finding_count) return false;
    for (uint32_t i = 0; i < a->finding_count; i++) {
        if (!finding_is(&a->findings[i], &b->findings[i])) return false;
    }
    return true;
}

/* Half a sentence; NULL: they say the same. */
static const char *difference(const struct result *was, const struct result *now,
                              struct arena *arena)
{
    if (was->verdict != now->verdict) {
        return arena_printf(arena, "was %s, is %s now%s%.*s", verdict_word(was->verdict),
                            verdict_word(now->verdict), now->problem.size ? ": " : "",
                            STR_ARG(now->problem));
    }
    if (was->failure != now->failure) {
        return arena_printf(arena, "failed by %s, and by %s now", failure_word(was->failure),
                            failure_word(now->failure));
    }
    if (was->finding_count != now->finding_count) {
        return arena_printf(arena, "had %" PRIu32 " findings, and has %" PRIu32 " now",
                            was->finding_count, now->finding_count);
    }
    if (!findings_are(was, now)) return "has other findings now";
    if (was->complete != now->complete || was->stuck != now->stuck) {
        return "says something else now about whether it is done";
    }
    if (!str_eq(was->doc, now->doc)) return "is kept with other words now";
    if (!str_eq(was->problem, now->problem)) {
        return arena_printf(arena, "is told another problem now: %.*s", STR_ARG(now->problem));
    }
    return NULL;
}

/* An attempt that was judged again, from what was kept of it. */
struct again {
    struct gathered gathered;
    struct pending end;
    struct str counted; /* the text that was judged */
};

/* False where there is nothing to judge. */
static bool judge_again(struct player *player, const struct entry *entry,
                        const struct result *was, struct again *out)
{
    struct drive *drive = &player->drive;
    struct live live = { .action = entry->start };
    struct notice notice = { .by = ENDED_EXIT };
    struct arena arena = { 0 };
    struct err none;
    bool played, exited;

    live.dir = place_attempt(&drive->run.repo, drive->run.row.id, entry->start.job,
                             entry->start.attempt, &player->out->arena);
    /* A script that fails leaves nothing to tell it by. */
    played = was->verdict != VERDICT_FAILED &&
             agent_of(&drive->run, &entry->start)->backend->play &&
             file_exists(arena_printf(&arena, "%s/answer", live.dir));
    exited = notice_read(arena_printf(&arena, "%s/status", live.dir), &notice, &none) == 0;
    arena_release(&arena);
    if (!played && !exited) return false;
    facts_begin(&out->gathered, drive, &live, &notice);
    out->gathered.facts.action = &entry->start;
    facts_stream(&out->gathered, drive, &live);
    facts_answer(&out->gathered, &live);
    facts_event(&out->gathered, &out->end, &out->counted);
    return true;
}

static void again_release(struct again *again)
{
    arena_release(&again->end.arena);
    facts_release(&again->gathered);
}

/* ---- what a script can play ---- */

static void note_start(struct player *player, const struct action *action)
{
    const struct drive *drive = &player->drive;
    struct playback *out = player->out;
    const struct phase *phase = &drive->run.plan.phases[action->phase];
    const struct site *site = action->lane > 0 ? site_of(&player->drive.run, action->lane) : NULL;
    const char *task = site && site->about.task_id ? site->about.task_id : "";
    bool repair = action->purpose == FOR_REPAIR && phase->repair_name;

    out->cues = mem_grow(out->cues, out->cue_count, &out->cue_cap, sizeof *out->cues);
    out->cues[out->cue_count++] = (struct cue_note){
        .start = *action,
        .role = arena_cstr(&out->arena, str_of(drive->run.plan.roles[action->role].name)),
        .phase = arena_cstr(&out->arena, str_of(repair ? phase->repair_name : phase->name)),
        .task = arena_cstr(&out->arena, str_of(task)),
        .iteration = run_iteration(&drive->run, action),
    };
}

static struct cue_note *find_note(const struct playback *out, const struct event *event)
{
    for (uint32_t i = out->cue_count; i-- > 0;) {
        const struct action *start = &out->cues[i].start;
        if (start->job == event->job && start->attempt == event->attempt) return &out->cues[i];
    }
    return NULL;
}

/* An answer that makes the verdict that it made; empty where none is known. again may be NULL. */
static struct str answer_for(struct player *player, const struct event *event,
                             const struct again *again)
{
    const struct result *was = &event->result;
    const struct entry *entry = history_find(&player->out->history, event->job, event->attempt);
    struct str text = again ? again->counted : STR("");

    if (entry && agent_of(&player->drive.run, &entry->start)->backend->answers_findings) {
        text = was->doc;
    }
    if (was->verdict == VERDICT_INVALID &&
        (!again || again->end.event.result.verdict != VERDICT_INVALID)) {
        text = STR(""); /* an empty answer is invalid too */
    }
    return arena_copy(&player->out->arena, mask_copy(&player->drive.mask, text,
                                                     &player->out->arena));
}

static void note_end(struct player *player, const struct event *event, const struct again *again)
{
    struct cue_note *note = find_note(player->out, event);
    const struct result *was = &event->result;
    bool waits = was->verdict == VERDICT_FAILED && was->retry_at_ms > 0;

    if (!note || player->drive.run.plan.roles[note->start.role].builtin) return;
    if (result_is_stopped(was) || was->failure == FAILURE_BUDGET || waits) return;
    if (was->basis == BASIS_TREE_DRIFTED) return;
    note->playable = again || was->verdict > VERDICT_FINDINGS;
    if (was->verdict == VERDICT_FAILED) note->exit_status = was->permanent ? 127 : 1;
    else note->answer = answer_for(player, event, again);
}

/* ---- the events ---- */

/* Whether a tree or a sandbox decided, which are gone, and not what was said. */
static bool is_by_place(const struct result *was)
{
    return was->basis != BASIS_ANSWER || was->failure == FAILURE_CAGE;
}

static void on_ended(struct player *player, const struct event *event)
{
    struct drive *drive = &player->drive;
    const struct entry *entry = history_find(&player->out->history, event->job, event->attempt);
    struct arena arena = { 0 };
    struct again again = { .counted = { "", 0 } };
    const char *what = NULL;
    bool judged, known;

    if (!entry || entry->ended_ms != 0) return; /* an older attempt: nothing follows from it */
    judged = known = judge_again(player, entry, &event->result, &again);
    if (judged) what = difference(&event->result, &again.end.event.result, &arena);
    if (what && (is_by_place(&event->result) || drive->run.dialect->wants_tree)) {
        judged = false;
        what = NULL;
    }
    if (judged) player->out->judged++;
    else player->out->unjudged++;
    note_end(player, event, known ? &again : NULL);
    drive_tell(drive, &(struct news){ .kind = NEWS_ENDED, .action = &entry->start, .event = event,
                                      .started_ms = entry->started_ms });
    if (what) {
        player->out->differences++;
        drive_warn(drive, "%" PRIu32 "-%" PRIu32 " %s %s", event->job, event->attempt,
                   drive->run.plan.roles[entry->start.role].name, what);
    }
    if (known) again_release(&again);
    arena_release(&arena);
}

static bool on_event(void *context, uint64_t sequence, const struct event *event)
{
    struct player *player = context;
    struct drive *drive = &player->drive;
    struct actions actions = { 0 };

    if (event->kind == EV_ENDED) on_ended(player, event);
    if (event->kind == EV_START || event->kind == EV_RESUME) {
        drive_tell(drive, &(struct news){ .kind = NEWS_RUN,
                                          .resumed = event->kind == EV_RESUME });
    }
    drive_step(drive, event, &actions);
    drive->run.event_count = sequence;
    history_note(&player->out->history, event, &actions);
    for (uint32_t i = 0; i < actions.count; i++) drive_act(drive, &actions.item[i]);
    actions_release(&actions);
    live_sweep(drive, false);
    player->last = event->kind;
    player->out->events = sequence;
    player->out->at_ms = event->now_ms;
    return player->until == 0 || sequence < player->until;
}

/* ---- hands ---- */

static struct player *player_of(struct drive *drive)
{
    return (struct player *)drive;
}

static void playback_start(struct drive *drive, struct live *live)
{
    note_start(player_of(drive), &live->action);
    drive_tell(drive, &(struct news){ .kind = NEWS_START, .action = &live->action });
    live->over = true;
}

static void playback_stop(struct drive *drive, struct live *live)
{
    (void)drive, (void)live; /* the journal says how it ended */
}

static bool playback_ask(struct drive *drive, const struct dialog *dialog, uint32_t *chosen)
{
    (void)drive, (void)dialog, (void)chosen;
    return false; /* the journal has the answer */
}

/* A warning here is about what differs from then; it is told in any case. */
static void playback_tell(struct drive *drive, const struct news *news)
{
    const struct player *player = player_of(drive);

    /* There is no test to be mended or named any more. */
    if (news->kind == NEWS_USELESS_TEST || news->kind == NEWS_UNVERIFIED) return;
    if (player->silent && news->kind != NEWS_WARNING) return;
    report_tell(&player->report, &drive->run, news);
}

static const struct hands playback_hands = {
    .start = playback_start, .stop = playback_stop, .ask = playback_ask, .tell = playback_tell,
};

/* A run that goes on, or will, has no end yet: the row's is an earlier one. */
static bool is_same_end(const struct player *player, const struct journal_run *row)
{
    const struct engine *engine = &player->drive.run.engine;
    bool goes_on = player->last == EV_ANSWER || player->last == EV_RESUME;

    if (row->reason == REASON_NONE || player->out->events < row->event_count) return true;
    return engine->reason == row->reason || (goes_on && engine->state != ENGINE_ENDED);
}

/* All but the run, which is the caller's. */
static void player_close(struct player *player)
{
    struct drive *drive = &player->drive;

    live_sweep(drive, true);
    free(drive->live);
    mask_release(&drive->mask);
    waits_release(&drive->waits);
    bars_release(&drive->bars);
}

int playback_run(const struct playback_request *request, struct run *replay,
                 struct playback *out, struct err *err)
{
    const struct journal_run *row = &request->look->run;
    struct player player = { .out = out, .until = request->until, .silent = request->silent };
    struct drive *drive = &player.drive;
    int rc;

    *out = (struct playback){ 0 };
    drive_init(drive, &playback_hands);
    drive->run.repo = request->look->repo; /* its texts are the look's */
    drive->run.repo.arena = (struct arena){ 0 };
    drive->run.repo.workspace = row->workspace;
    player.report = (struct report){ .json = request->json, .color = request->color };
    drive->run.worktrees = place_worktrees(&drive->run.repo, &drive->run.arena);
    mask_learn(&drive->mask, host_environment(), file_exists);
    rc = run_load(&drive->run, row, err);
    if (rc == 0) rc = cast_agents(&drive->run, false, err);
    if (rc == 0) rc = journal_replay(request->look->journal, row->id, 0, on_event, &player, err);
    if (rc == 0 && drive->broken) {
        *err = drive->err;
        rc = (int)err->code;
    }
    out->same_end = is_same_end(&player, row);
    player_close(&player);
    *replay = drive->run;
    replay->engine.plan = &replay->plan; /* the only thing in it that points into itself */
    return rc;
}

void playback_release(struct playback *playback)
{
    history_release(&playback->history);
    free(playback->cues);
    arena_release(&playback->arena);
    *playback = (struct playback){ 0 };
}
