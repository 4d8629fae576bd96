/* SPDX-License-Identifier: Apache-2.0
 *
 * ask.c - a run that waits for a person: what is asked, and what was answered.
 *
 * On a terminal the question is put at once, and the run goes on. Elsewhere the run ends (5, or 1
 * where it escalates) and can be continued by `hone answer`, which comes here too. */
#include "drive/drive.h"

#include "format/text/safe.h"
#include "io/file/line.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINE_BYTES_MAX = 256, FINDINGS_SHOWN = 5 };

static const struct lane *asking_lane(const struct engine *engine)
{
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        if (engine->lanes[i].state == LANE_ASKING) return &engine->lanes[i];
    }
    return NULL;
}

/* Half a sentence each. */
static const char *const question_texts[ASK_COUNT] = {
    [ASK_NOTHING] = "",
    [ASK_BOUND] = "findings remain, and no more rounds are allowed",
    [ASK_REPEAT] = "the same finding came back too often",
    [ASK_STUCK] = "the fixer says that it cannot go on",
    [ASK_DEAD] = "an agent failed for good",
};

static const char *const choice_texts[CHOICE_COUNT] = {
    [CHOICE_CONTINUE] = "one more round, then you are asked again",
    [CHOICE_ACCEPT] = "take the work as it is and go on",
    [CHOICE_RESTART] = "begin a new iteration at the first phase",
    [CHOICE_STOP] = "end the run here",
};

const char *question_text(enum question question)
{
    return question_texts[question];
}

const char *question_escalation(const struct run *run, uint32_t lane, enum question question)
{
    const struct gate *gate = &run->plan.phases[run->engine.lanes[lane].phase].gate;

    return question == ASK_BOUND && gate->at_bound == BOUND_ESCALATE ? run->dialect->escalation
                                                                     : NULL;
}

const char *choice_text(enum choice choice)
{
    return choice_texts[choice];
}

bool choice_is_open(const struct engine *engine, enum choice choice)
{
    return choice != CHOICE_RESTART || engine->iteration < engine->plan->iteration_max;
}

bool choice_parse(struct str word, enum choice *out)
{
    if (str_is(word, "proceed")) word = STR("accept");
    return choice_from_word(word, out);
}

/* A whole word, or the first letters of one that fits no other. */
static bool choice_guess(const struct engine *engine, struct str word, enum choice *out)
{
    uint32_t fits = 0;

    if (word.size == 0) return false;
    if (choice_parse(word, out)) return choice_is_open(engine, *out);
    for (int i = 0; i < CHOICE_COUNT; i++) {
        if (!choice_is_open(engine, (enum choice)i)) continue;
        if (!str_starts(str_of(choice_word((enum choice)i)), word)) continue;
        *out = (enum choice)i;
        fits++;
    }
    return fits == 1;
}

void ask_open(const struct drive *drive, uint32_t lane, struct buf *out)
{
    uint32_t shown = 0, open = 0;

    for (int severity = SEVERITY_COUNT; severity-- > 0;) {
        for (uint32_t i = 0; i < drive->run.ledger.count; i++) {
            const struct ledger_entry *entry = &drive->run.ledger.entries[i];
            const struct finding *finding = &entry->finding;

            if (entry->state != FINDING_OPEN || entry->lane != lane) continue;
            if ((int)finding->severity != severity || open++ >= FINDINGS_SHOWN) continue;
            buf_text(out, "  ");
            safe_text(out, finding->file, true, LINE_BYTES_MAX);
            if (finding->line) buf_printf(out, ":%" PRIu32, finding->line);
            if (finding->file.size || finding->line) buf_text(out, ": ");
            safe_text(out, finding->text, true, LINE_BYTES_MAX);
            buf_byte(out, '\n');
            shown++;
        }
    }
    if (open > shown) {
        buf_printf(out, "  and %" PRIu32 " more: hone findings %s\n", open - shown,
                   drive->run.row.id);
    }
}

bool ask_person(struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;
    const struct lane *lane = asking_lane(engine);
    enum choice choice = CHOICE_STOP;
    struct buf line;
    bool answered;

    if (!lane || !line_can_ask()) return false;
    buf_init(&line, (FINDINGS_SHOWN + 1) * 4 * LINE_BYTES_MAX);
    ask_open(drive, lane->id, &line);
    if (line.size) fprintf(stderr, "\n%s", buf_cstr(&line));
    buf_release(&line);
    buf_init(&line, LINE_BYTES_MAX);
    safe_text(&line, stuck_reason(lane), true, LINE_BYTES_MAX);
    fprintf(stderr, "\n%s%s%s (phase %s). What now?\n", question_texts[lane->question],
            line.size ? ": " : "", buf_cstr(&line), engine->plan->phases[lane->phase].name);
    for (int i = 0; i < CHOICE_COUNT; i++) {
        if (!choice_is_open(engine, (enum choice)i)) continue;
        fprintf(stderr, "  %-9s %s\n", choice_word((enum choice)i), choice_texts[i]);
    }
    for (;;) {
        fprintf(stderr, "> ");
        buf_clear(&line);
        answered = line_read(&line, drive->signals.fd);
        if (!answered || choice_guess(engine, str_trim(buf_str(&line)), &choice)) break;
        fprintf(stderr, "That is none of them: continue, accept%s or stop; a beginning is "
                "enough, and Ctrl-D leaves it open.\n",
                choice_is_open(engine, CHOICE_RESTART) ? ", restart" : "");
    }
    buf_release(&line);
    if (!answered) {
        fprintf(stderr, "\n");
        return false;
    }
    drive->finished = false;
    drive_push(drive, (struct event){ .kind = EV_ANSWER, .now_ms = now_wall_ms(),
                                      .lane = lane->id, .choice = choice });
    return true;
}

int ask_check(struct drive *drive, enum choice choice)
{
    const struct engine *engine = &drive->run.engine;

    if (!asking_lane(engine) && choice == CHOICE_CONTINUE && engine->reason == REASON_STUCK) {
        return 0;
    }
    if (!asking_lane(engine)) {
        return err_set(&drive->err, ERR_USAGE, "run %s asks nothing: hone status shows where it "
                       "stands", drive->run.row.id);
    }
    if (!choice_is_open(engine, choice)) {
        return err_set(&drive->err, ERR_USAGE, "run %s cannot be restarted: it has had its %"
                       PRIu32 " iteration%s; answer continue, accept or stop", drive->run.row.id,
                       engine->plan->iteration_max, engine->plan->iteration_max == 1 ? "" : "s");
    }
    return 0;
}

int ask_answer(struct drive *drive, enum choice choice)
{
    const struct lane *lane = asking_lane(&drive->run.engine);
    int rc = ask_check(drive, choice);

    if (rc != 0) return rc;
    if (!lane) { /* stuck, and whoever says so has helped: the run looks again */
        drive_push(drive, (struct event){ .kind = EV_RESUME, .now_ms = now_wall_ms() });
        return 0;
    }
    drive_push(drive, (struct event){ .kind = EV_ANSWER, .now_ms = now_wall_ms(),
                                      .lane = lane->id, .choice = choice });
    return 0;
}
