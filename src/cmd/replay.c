/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c - hone replay: plays a run again from its journal and the folders of its attempts, to
 * the end or up to an event; or makes a script of it. */
#include "cmd/parse.h"
#include "cmd/say.h"
#include "cmd/status.h"

#include "agent/script.h"
#include "base/path.h"
#include "cmd/verbs.h"
#include "drive/playback/playback.h"
#include "io/file/file.h"

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
    const char *whole = path[0] == '/' ? path : arena_printf(&arena, "%s/%s", cwd, path);
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
        rc = file_write(path_folder_text(whole, &arena), path_leaf_text(whole), buf_str(&text),
                        err);
    }
    buf_release(&text);
    arena_release(&arena);
    return rc;
}

static int read_until(const struct call *call, uint64_t *until, struct err *err)
{
    const char *value = call_value(call, "until");

    *until = 0;
    if (!value) return 0;
    if (str_number(str_of(value), until) && *until > 0) return 0;
    return err_set(err, ERR_USAGE, "--until wants the number of an event, such as 7, not '%.60s'; "
                   "'hone log' shows them", value);
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
    struct err err;
    int code = CODE_DONE;

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
    },
    .arguments = { ARGUMENT_RUN },
    .options = {
        { .name = "until", .argument = "N",
          .help = "stop behind event N, and show where the run stood" },
        { .name = "export", .argument = "FILE", .help = "write a script to FILE; - is standard "
                                                        "output" },
    },
    .codes = {
        { CODE_DONE, "it ends as it did" },
        { CODE_FINDINGS, "it ends otherwise, or an answer is judged otherwise" },
        { CODE_USAGE, "there is no such run or event" },
    },
    .examples = { "hone replay", "hone replay 7k2m --until 12",
                                       "hone replay 7k2m --export fault.jsonl" },
    .handle = handle,
};
