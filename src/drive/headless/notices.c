/* SPDX-License-Identifier: Apache-2.0
 *
 * notices.c - notifications: a command of the user's, the desktop, a webhook.
 *
 *   a question at the terminal    "waiting", at once; the question does not wait for it
 *   the end of the process        "failed" where the exit code is 3; "waiting" where the run can
 *                                 only go on by a person's doing; else "ended"
 *
 * 1. Each way is a process of its own (observe/courier.h) with an end of its own. hone waits for
 *    them CLOSE_MS at most, so that what was in the way can be said; a slower one goes on alone.
 * 2. What is in the way is a remark: it changes neither the run nor the exit code.
 * 3. Nothing that an agent said is told: the facts are hone's own words, names and numbers.
 * 4. A question is told of once.
 *
 * A process that is killed hard tells nothing: hone list says that its run crashed. */
#include "drive/headless/notices.h"

#include "format/observe/notice.h"
#include "format/report/listing.h"
#include "io/file/file.h"
#include "run/exit_code.h"

#include <inttypes.h>

enum { CLOSE_MS = 5000, COMMAND_MS = 30 * 1000, REQUEST_MS = 10 * 1000, BODY_BYTES_MAX = 1 << 20 };

int notices_open(struct notices *notices, const char *start, const char *version, struct err *err)
{
    *notices = (struct notices){ .version = version };
    return notify_read(start, &notices->arena, &notices->settings, err);
}

static void remark(void *context, const char *what, const char *problem)
{
    drive_warn(context, "%s could not be told of this run: %s", what, problem);
}

/* ---- the facts ---- */

static uint32_t when_of(const struct run *run, int code)
{
    enum reason reason = run->engine.reason;

    if (code == CODE_FAILED) return NOTIFY_FAILED;
    if (reason == REASON_WAITING || reason == REASON_ESCALATED || reason == REASON_STUCK ||
        reason == REASON_BUDGET) return NOTIFY_WAITING;
    return NOTIFY_ENDED;
}

static struct run_notice notice_of(const struct notices *notices, const struct run *run,
                                   uint32_t when, int code)
{
    const struct engine *engine = &run->engine;
    struct listing_counts counts = ledger_faults(&engine->ledger);
    const struct end *end = run_end_of(run);
    bool asks = when == NOTIFY_WAITING && engine->reason == REASON_NONE;

    return (struct run_notice){
        .event = when == NOTIFY_FAILED ? "failed" : when == NOTIFY_WAITING ? "waiting" : "ended",
        .run = run->row.id, .uuid = run->settings.uuid, .dialect = run->row.dialect,
        .workspace = run->repo.workspace,
        .reason = asks ? reason_word(REASON_WAITING)
                  : engine->reason == REASON_NONE ? "failed" : reason_word(engine->reason),
        .line = asks ? "it asks, and waits for an answer"
                : engine->reason == REASON_NONE ? "hone could not go on" : end->line,
        .next = asks ? "" : end->next,
        .exit_code = code, .rounds = engine->round_count,
        .found = counts.total, .fixed = counts.states[FINDING_FIXED], .open = counts.open_count,
        .cost_micros = engine->usage.cost_micros, .tokens_in = engine->usage.tokens_in,
        .tokens_out = engine->usage.tokens_out, .active_ms = engine->active_ms,
        .now_ms = now_wall_ms(), .version = notices->version,
    };
}

/* ---- the ways ---- */

static void send_by(struct notices *notices, struct drive *drive, struct delivery delivery,
                    const char *what, const char *const *env)
{
    struct err err;

    if (courier_send(&notices->couriers, &delivery, what, env, &err) == 0) return;
    remark(drive, what, err.text);
}

static void tell(struct notices *notices, struct drive *drive, uint32_t when, int code)
{
    const struct notify *settings = &notices->settings;
    struct arena *arena = &notices->arena;
    struct run_notice notice = notice_of(notices, &drive->run, when, code);
    const char *const *env = notice_env(&notice, arena);
    const char *const shown[] = { "notify-send", "--app-name=hone", "--",
                                  notice_title(&notice, arena), notice_text(&notice, arena), NULL };
    struct buf body;

    if (!(settings->when & when)) return;
    buf_init(&body, BODY_BYTES_MAX);
    notice_json(&notice, &body);
    if (settings->command) {
        send_by(notices, drive, (struct delivery){
            .kind = DELIVER_COMMAND, .argv = settings->command, .cwd = notice.workspace,
            .body = buf_str(&body), .timeout_ms = COMMAND_MS }, "notify.command", env);
    }
    if (settings->desktop) {
        send_by(notices, drive, (struct delivery){
            .kind = DELIVER_COMMAND, .argv = shown, .timeout_ms = COMMAND_MS }, "the desktop",
            NULL);
    }
    if (settings->webhook) {
        struct http_header headers[] = {
            { STR("X-Hone-Event"), str_of(notice.event) },
            { STR("X-Hone-Delivery"), str_of(arena_printf(arena, "%s-%" PRIu64, notice.run,
                                                          drive->run.event_count)) },
        };

        send_by(notices, drive, (struct delivery){
            .kind = DELIVER_WEBHOOK, .url = settings->webhook, .headers = headers,
            .header_count = 2, .secret_file = settings->secret_file,
            .secret_env = settings->secret_env, .body = buf_str(&body),
            .timeout_ms = REQUEST_MS }, "notify.webhook", NULL);
    }
    buf_release(&body);
}

void notices_ask(struct notices *notices, struct drive *drive)
{
    if (notices->asked) return;
    notices->asked = true;
    tell(notices, drive, NOTIFY_WAITING, CODE_WAITING);
}

void notices_answered(struct notices *notices)
{
    notices->asked = false;
}

void notices_close(struct notices *notices, struct drive *drive, int code)
{
    uint32_t when = when_of(&drive->run, code);

    if (!(notices->asked && when == NOTIFY_WAITING)) tell(notices, drive, when, code);
    couriers_leave(&notices->couriers, CLOSE_MS, remark, drive);
}
