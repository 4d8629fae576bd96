/* SPDX-License-Identifier: Apache-2.0
 *
 * ask.c - a run that waits for a person: what is asked, and what was answered.
 *
 * On a terminal the question is put at once, and the run goes on. Elsewhere the run ends (5, or 1
 * where it escalates) and can be continued by `hone answer`, which comes here too. */
#include "drive/ask.h"

#include "drive/open.h"
#include "format/text/safe.h"
#include "io/file/line.h"
#include "report/remarks.h"

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

bool choice_parse(struct str word, enum choice *out)
{
    if (str_is(word, "proceed")) word = STR("accept");
    return choice_from_word(word, out);
}

/* ---- at a terminal ---- */

/* A whole word, or the first letters of one that fits no other. */
static bool dialog_guess(const struct dialog *dialog, struct str word, uint32_t *chosen)
{
    uint32_t fits = 0;

    if (word.size == 0) return false;
    for (uint32_t i = 0; i < dialog->count; i++) {
        const struct dialog_row *row = &dialog->rows[i];

        if (str_is(word, row->word)) {
            *chosen = row->choice;
            return true;
        }
        if (!row->meaning || !str_starts(str_of(row->word), word)) continue;
        *chosen = row->choice;
        fits++;
    }
    return fits == 1;
}

bool dialog_ask(const struct dialog *dialog, int signal_fd, uint32_t *chosen)
{
    struct buf line;
    bool answered;

    fprintf(stderr, "%s", dialog->text);
    for (uint32_t i = 0; i < dialog->count; i++) {
        const struct dialog_row *row = &dialog->rows[i];
        if (row->meaning) fprintf(stderr, "  %-9s %s\n", row->word, row->meaning);
    }
    buf_init(&line, LINE_BYTES_MAX);
    for (;;) {
        fprintf(stderr, "> ");
        buf_clear(&line);
        answered = line_read(&line, signal_fd);
        if (!answered || dialog_guess(dialog, str_trim(buf_str(&line)), chosen)) break;
        fprintf(stderr, "%s", dialog->hint);
    }
    buf_release(&line);
    if (!answered) fprintf(stderr, "\n");
    return answered;
}

/* ---- what a run asks ---- */

void ask_open(const struct run *run, uint32_t lane, struct buf *out)
{
    const struct ledger_entry *const *entries;
    struct arena arena = { 0 };
    uint32_t shown = 0, open = 0, count = ledger_list(&run->engine.ledger, &arena, &entries);

    for (int severity = SEVERITY_COUNT; severity-- > 0;) {
        for (uint32_t i = 0; i < count; i++) {
            const struct ledger_entry *entry = entries[i];
            const struct finding *finding = &entry->finding;

            if (!finding_is_open(entry->state) || entry->lane != lane) continue;
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
        buf_printf(out, "  and %" PRIu32 " more: hone findings %s\n", open - shown, run->row.id);
    }
    arena_release(&arena);
}

/* What is open, what is asked and why. */
static void put_question(const struct run *run, const struct lane *lane, struct buf *out)
{
    struct str reason = stuck_reason(lane);
    size_t before;

    buf_byte(out, '\n');
    before = out->size;
    ask_open(run, lane->id, out);
    if (out->size > before) buf_byte(out, '\n');
    buf_text(out, question_text(lane->question));
    if (reason.size) buf_text(out, ": ");
    safe_text(out, reason, true, LINE_BYTES_MAX);
    buf_printf(out, " (phase %s). What now?\n", run->plan.phases[lane->phase].name);
}

bool ask_person(struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;
    const struct lane *lane = asking_lane(engine);
    struct dialog dialog = { .hint = "That is none of them: continue, accept or stop; a beginning "
                                     "is enough, and Ctrl-D leaves it open.\n" };
    uint32_t choice = CHOICE_STOP;
    struct buf text;
    bool answered;

    if (!lane) return false;
    if (choice_is_open(engine, CHOICE_RESTART)) {
        dialog.hint = "That is none of them: continue, accept, restart or stop; a beginning is "
                      "enough, and Ctrl-D leaves it open.\n";
    }
    for (uint32_t i = 0; i < CHOICE_COUNT; i++) {
        if (!choice_is_open(engine, (enum choice)i)) continue;
        dialog.rows[dialog.count++] = (struct dialog_row){
            .word = choice_word((enum choice)i), .meaning = choice_text((enum choice)i),
            .choice = i };
    }
    dialog.rows[dialog.count++] = (struct dialog_row){ .word = "proceed", .choice = CHOICE_ACCEPT };
    buf_init(&text, (FINDINGS_SHOWN + 2) * 4 * LINE_BYTES_MAX);
    put_question(&drive->run, lane, &text);
    dialog.text = buf_cstr(&text);
    answered = drive->hands->ask(drive, &dialog, &choice);
    buf_release(&text);
    if (!answered) return false;
    drive->finished = false;
    drive_push(drive, (struct event){ .kind = EV_ANSWER, .now_ms = now_wall_ms(),
                                      .lane = lane->id, .choice = (enum choice)choice });
    return true;
}

int ask_check(struct drive *drive, enum choice choice)
{
    const struct engine *engine = &drive->run.engine;

    if (!asking_lane(engine) && choice == CHOICE_CONTINUE && engine->reason == REASON_STUCK) {
        return 0;
    }
    if (!asking_lane(engine) && engine->reason == REASON_STUCK) {
        return err_set(&drive->err, ERR_USAGE, "run %s is stuck and asks nothing: the only answer "
                       "is continue, when what is missing is done; to give it up, leave it as it "
                       "is: it has ended", drive->run.row.id);
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
    if (!lane) { /* stuck, and the person says that it was helped: the run looks again */
        rc = waivers_take(drive);
        if (rc != 0) return rc;
        drive_push(drive, (struct event){ .kind = EV_RESUME, .now_ms = now_wall_ms() });
        return 0;
    }
    drive_push(drive, (struct event){ .kind = EV_ANSWER, .now_ms = now_wall_ms(),
                                      .lane = lane->id, .choice = choice });
    return 0;
}
