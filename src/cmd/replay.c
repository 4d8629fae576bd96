/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c - hone replay: plays a run again from its journal and the folders of its attempts, to
 * the end or up to an event; or makes a script of it; or says where it would have ended until
 * something else (run/whatif.h). */
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/status.h"

#include "agent/script.h"
#include "base/clock.h"
#include "base/path.h"
#include "cmd/verbs.h"
#include "drive/playback/playback.h"
#include "format/json/finding_json.h"
#include "io/file/file.h"
#include "io/terminal/terminal.h"
#include "report/found.h"
#include "run/whatif.h"

#include <inttypes.h>
#include <string.h>

struct again {
    struct look look;
    struct run replay;
    struct playback playback;
};

/* ---- what came of it ---- */

static void say_json_end(const struct again *again)
{
    const struct playback *playback = &again->playback;
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);
    enum reason reason = again->replay.engine.reason;

    json_add(doc, root, "event", "replayed");
    json_add(doc, root, "run", again->look.run.id);
    yyjson_mut_obj_add_uint(doc, root, "events", playback->events);
    yyjson_mut_obj_add_uint(doc, root, "judged", playback->judged);
    yyjson_mut_obj_add_uint(doc, root, "unjudged", playback->unjudged);
    yyjson_mut_obj_add_uint(doc, root, "differences", playback->differences);
    if (reason == REASON_NONE) yyjson_mut_obj_add_null(doc, root, "reason");
    else json_add(doc, root, "reason", reason_word(reason));
    yyjson_mut_obj_add_bool(doc, root, "same_end", playback->same_end);
    say_json(doc, false);
}

static void say_text_end(const struct again *again)
{
    const struct playback *playback = &again->playback;
    const struct journal_run *run = &again->look.run;
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    buf_printf(&out, "run %s played again: %" PRIu64 " events, %" PRIu32 " answers judged again",
               run->id, playback->events, playback->judged);
    if (playback->unjudged > 0) {
        buf_printf(&out, ", %" PRIu32 " taken as they were (no transcript was kept, or it takes "
                   "the tree of that time to judge it)", playback->unjudged);
    }
    if (playback->differences > 0) {
        buf_printf(&out, "; %" PRIu32 " judged otherwise now", playback->differences);
    }
    if (!playback->same_end) {
        buf_printf(&out, "; it ended %s, and ends %s now", reason_word(run->reason),
                   again->replay.engine.reason == REASON_NONE
                       ? "not at all" : reason_word(again->replay.engine.reason));
    } else if (run->reason == REASON_NONE) {
        buf_text(&out, "; it has not ended");
    } else {
        buf_printf(&out, "; it ends as it did: %s", reason_word(run->reason));
    }
    buf_byte(&out, '\n');
    say_take(&out);
}

/* Where the run stood after its last event that was played. */
static void say_state(struct again *again, const struct call *call)
{
    struct journal_run *run = &again->look.run;
    struct status status = { &again->look, &again->replay, &again->playback.history,
                             again->playback.at_ms };

    run->reason = again->replay.engine.reason;
    run->event_count = again->playback.events;
    run->updated_ms = again->playback.at_ms;
    again->look.alive = again->replay.engine.state != ENGINE_ENDED;
    status_say(&status, call);
}

/* ---- a script ---- */

static int export_script(const struct again *again, const char *cwd, const char *path,
                         struct err *err)
{
    struct arena arena = { 0 };
    struct file_place place;
    uint32_t left_out;
    struct buf text;
    int rc;

    buf_init(&text, SCRIPT_BYTES_MAX);
    playback_script(&again->playback, &text, &left_out);
    if (text.overflow) {
        rc = err_set(err, ERR_LIMIT, "the answers of run %s are longer than a script may be "
                     "(%d MiB)", again->look.run.id, SCRIPT_BYTES_MAX >> 20);
    } else if (text.size == 0) {
        rc = err_set(err, ERR_USAGE, "run %s has no answers that a script could play",
                     again->look.run.id);
    } else if (strcmp(path, "-") == 0) {
        say_out(&text);
        rc = 0;
    } else {
        file_place_find(again->look.repo.workspace, path_joined(cwd, str_of(path), &arena), &arena,
                        &place);
        rc = place.taken ? err_set(err, ERR_USAGE, "%.200s is no regular file", path)
                         : file_place_write(&place, buf_str(&text), err);
    }
    buf_release(&text);
    arena_release(&arena);
    return rc;
}

/* ---- until something else ---- */

static void course_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct course *course)
{
    if (course->reason == REASON_NONE) yyjson_mut_obj_add_null(doc, object, "reason");
    else json_add(doc, object, "reason", reason_word(course->reason));
    yyjson_mut_obj_add_uint(doc, object, "rounds", course->rounds);
    yyjson_mut_obj_add_uint(doc, object, "calls", course->calls);
    if (course->usage.cost_micros > 0) {
        yyjson_mut_obj_add_real(doc, object, "cost", (double)course->usage.cost_micros / 1e6);
    } else {
        yyjson_mut_obj_add_null(doc, object, "cost"); /* no agent reported one */
    }
    yyjson_mut_obj_add_uint(doc, object, "took_ms", course->took_ms);
}

static void other_json(const struct whatif *whatif)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *would, *list;

    json_add(doc, root, "run", whatif->record.row.id);
    json_add(doc, root, "until", whatif->other.settings.until);
    course_json(doc, yyjson_mut_obj_add_obj(doc, root, "was"), &whatif->was);
    would = yyjson_mut_obj_add_obj(doc, root, "would");
    yyjson_mut_obj_add_bool(doc, would, "known", !whatif->wanted);
    course_json(doc, would, &whatif->would);
    yyjson_mut_obj_add_uint(doc, would, "rechecks_by_looks", whatif->rechecks);
    if (whatif->wanted) {
        yyjson_mut_val *wanted = yyjson_mut_obj_add_obj(doc, would, "wanted");

        json_add(doc, wanted, "role", whatif->wanted);
        json_add(doc, wanted, "purpose", purpose_word(whatif->asked.purpose));
        yyjson_mut_obj_add_uint(doc, wanted, "round", whatif->asked.round);
        yyjson_mut_obj_add_uint(doc, wanted, "eye", whatif->asked.eye);
        yyjson_mut_obj_add_bool(doc, wanted, "recheck", whatif->asked.recheck);
    }
    list = yyjson_mut_obj_add_arr(doc, root, "missed");
    for (uint32_t i = 0; i < whatif->missed_count; i++) {
        yyjson_mut_val *item = finding_write(doc, &whatif->missed[i]->finding);

        yyjson_mut_obj_add_uint(doc, item, "round_first", whatif->missed[i]->round_first);
        yyjson_mut_arr_append(list, item);
    }
    say_json(doc, true);
}

/* "5 rounds, 29 calls, $3.20, 41 min 10 s" */
static void course_say(const struct course *course, struct buf *out)
{
    char span[CLOCK_SPAN_BYTES];

    buf_printf(out, "%" PRIu32 " round%s, %" PRIu64 " call%s, ", course->rounds,
               course->rounds == 1 ? "" : "s", course->calls, course->calls == 1 ? "" : "s");
    if (course->usage.cost_micros > 0) {
        buf_printf(out, "$%" PRIu64 ".%02" PRIu64 ", ", course->usage.cost_micros / 1000000,
                   course->usage.cost_micros % 1000000 / 10000);
    }
    buf_text(out, clock_span(course->took_ms, span));
}

/* What the record could not answer, in words. */
static void wanted_say(const struct whatif *whatif, struct buf *out)
{
    const struct action *asked = &whatif->asked;

    buf_printf(out, "not known beyond round %" PRIu32 ": it would have asked %s",
               asked->purpose == FOR_REVIEW ? asked->round - 1 : asked->round, whatif->wanted);
    if (asked->purpose == FOR_REPAIR) buf_text(out, " for a repair");
    else if (asked->recheck) buf_text(out, " to recheck the last repair");
    else if (asked->eye > 0) buf_text(out, ", played by other eyes, for a look");
    else if (asked->purpose == FOR_REVIEW) buf_text(out, " for a look");
    buf_text(out, ", which was never recorded; until there ");
}

static void other_say(const struct whatif *whatif, const struct call *call)
{
    struct listing listing = { .run = whatif->record.row.id, .plan = &whatif->record.plan };
    struct found_page page = { .listing = &listing, .color = call->out_color,
                               .columns = line_columns(TERMINAL_OUT_FD),
                               .workspace = NULL };
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    buf_printf(&out, "run %s ended: %s; ", whatif->record.row.id,
               whatif->was.reason == REASON_NONE ? "not yet" : reason_word(whatif->was.reason));
    course_say(&whatif->was, &out);
    buf_printf(&out, "\nuntil %s: ", whatif->other.settings.until);
    if (whatif->wanted) wanted_say(whatif, &out);
    else buf_printf(&out, "%s; ", reason_word(whatif->would.reason));
    course_say(&whatif->would, &out);
    if (whatif->rechecks > 0) {
        buf_printf(&out, "\n%" PRIu32 " recheck%s answered by what was said of the whole change in "
                   "that round: a recheck finds less, and costs less", whatif->rechecks,
                   whatif->rechecks == 1 ? " is" : "s are");
    }
    if (!whatif->wanted || whatif->missed_count > 0) {
        buf_printf(&out, "\nfound later in the record than that: %" PRIu32 "%s",
                   whatif->missed_count, whatif->missed_count > 0 ? "\n\n" : "\n");
    } else {
        buf_byte(&out, '\n');
    }
    for (uint32_t i = 0; i < whatif->missed_count; i++) listing_add(&listing, whatif->missed[i]);
    listing_sort(&listing, LISTING_BY_GROUP);
    found_groups(&page, &out);
    say_take(&out);
    listing_release(&listing);
}

static int play_other(const struct call *call, const char *until)
{
    struct whatif whatif = { .missed_count = 0 };
    struct look look = { 0 };
    struct err err;
    int rc = 0, code = CODE_DONE;

    if (call_has(call, "export")) {
        rc = err_set(&err, ERR_USAGE, "--export writes what was, and --until %s says what would "
                     "have been: choose one", until);
    }
    if (rc == 0) rc = look_open(&look, call->cwd, &err);
    if (rc == 0) rc = look_run(&look, call_argument(call, 0), &err);
    if (rc == 0) rc = whatif_play(&whatif, look.journal, &look.run, until, &err);
    if (rc != 0) code = say_err(&err);
    else if (call->json) other_json(&whatif);
    else other_say(&whatif, call);
    whatif_release(&whatif);
    look_close(&look);
    return code;
}

/* ---- the verb ---- */

static int read_until(const struct call *call, uint64_t *until, struct err *err)
{
    const char *value = call_value(call, "until");

    *until = 0;
    if (!value) return 0;
    if (str_number(str_of(value), until) && *until > 0) return 0;
    return err_set(err, ERR_USAGE, "--until wants the number of an event, such as 7 ('hone log' "
                   "shows them), or seed, settled, lean, thorough or clean, not '%.60s'", value);
}

static int play(struct again *again, const struct call *call, struct err *err)
{
    const char *file = call_value(call, "export");
    struct playback_request request = { .look = &again->look, .json = call->json,
                                        .color = call->color };
    int rc = read_until(call, &request.until, err);

    request.silent = call->quiet || file || (request.until && call->json);
    if (rc == 0) rc = look_open(&again->look, call->cwd, err);
    if (rc == 0) rc = look_run(&again->look, call_argument(call, 0), err);
    if (rc == 0 && request.until > again->look.run.event_count) {
        rc = err_set(err, ERR_USAGE, "run %s has %" PRIu64 " events: there is no event %" PRIu64,
                     again->look.run.id, again->look.run.event_count, request.until);
    }
    if (rc == 0) rc = playback_run(&request, &again->replay, &again->playback, err);
    if (rc != 0) return rc;
    if (file) rc = export_script(again, call->cwd, file, err);
    else if (request.until) say_state(again, call);
    else if (call->json) say_json_end(again);
    else say_text_end(again);
    return rc;
}

static int handle(struct call *call)
{
    struct again again = { .replay = { .event_count = 0 } };
    const char *until = call_value(call, "until");
    struct err err;
    int code = CODE_DONE;

    for (uint32_t i = 0; until && until_words[i]; i++) {
        if (strcmp(until, until_words[i]) == 0) return play_other(call, until);
    }

    if (play(&again, call, &err) != 0) code = say_err(&err);
    else if (again.playback.differences > 0 || !again.playback.same_end) code = CODE_FINDINGS;
    playback_release(&again.playback);
    run_release(&again.replay);
    look_close(&again.look);
    return code;
}

const struct verb verb_replay = {
    .name = "replay",
    .summary = "play a run again from what was kept of it, with no agent started",
    .text = {
        "Goes through the events of a run as if it ran now, and tells them as 'hone run' does. No "
        "agent is started and nothing is written. Every answer of which the transcript is there is "
        "judged again; where the judgement is another than the run's own, that is said.",
        "With --export, makes a script of the run: 'hone run DIALECT --agent \"*=script:FILE\"' "
        "plays it without a model, for tests and reports of faults. Secrets are masked. What "
        "agents changed in files is not part of it.",
        "With --until POLICY, says where the run would have ended if it had gone on until that "
        "(see --until of 'hone run'), and what that would have cost: what was recorded is played "
        "into the same engine with that policy, by the eyes of the record. Where the record has no "
        "answer, such as a look by other eyes, it says up to where that is known. A recheck that "
        "was a look in the record is answered by what was said of the whole change then, the most "
        "that it could have found. And it lists what was found later in the record than that "
        "end: what the policy would have missed.",
    },
    .arguments = { ARGUMENT_RUN },
    .options = {
        { .name = "until", .argument = "N|POLICY",
          .help = "stop behind event N, and show where the run stood; or seed, settled, lean, "
                  "thorough or clean: say where it would have ended until that" },
        { .name = "export", .argument = "FILE", .help = "write a script to FILE; - is standard "
                                                        "output" },
    },
    .codes = {
        { CODE_DONE, "it ends as it did; or it was said where it would have ended" },
        { CODE_FINDINGS, "it ends otherwise, or an answer is judged otherwise" },
        { CODE_USAGE, "there is no such run or event" },
    },
    .examples = { "hone replay", "hone replay 7k2m --until 12",
                                       "hone replay 7k2m --until settled",
                                       "hone replay 7k2m --export fault.jsonl" },
    .handle = handle,
};
