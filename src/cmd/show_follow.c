/* SPDX-License-Identifier: Apache-2.0
 *
 * show_follow.c - hone show --follow: what an attempt says, while it says it.
 *
 * Whoever runs it, it is looked at from outside: two files that grow, the status that its
 * supervisor leaves, and the journal. Nothing is asked of the run, so that ending this ends nothing
 * else.
 *
 * 1. Whether it has ended is looked at before the files are: what it said last is shown.
 * 2. Lines are shown when they are whole, masked and made safe. */
#include "cmd/show.h"

#include "cmd/say.h"

#include "format/secret/mask.h"
#include "format/stream/lines.h"
#include "format/stream/telling.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/rewrite.h"
#include "io/process/host.h"
#include "io/process/signals.h"

enum {
    LOOK_MS = 100,
    JOURNAL_LOOKS = 5, /* the journal is looked at every fifth time */
    PIECE_BYTES = 1 << 20,
};

/* One of the two files. */
struct followed {
    const char *name;
    struct rewrite file;
    bool open;
    uint64_t at;
    struct lines lines;
    struct telling telling;
};

struct follow {
    struct show *show;
    struct shown *shown;
    const struct follow_request *request;
    char attempt[ENTRY_NAME_BYTES];
    struct mask mask;
    struct buf piece, text, masked, out;
    struct followed files[2];
};

/* ---- lines ---- */

static void add_json(struct follow *follow, const char *name, struct str line)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = yyjson_mut_obj(doc);

    yyjson_mut_doc_set_root(doc, root);
    json_add(doc, root, "attempt", follow->attempt);
    json_add(doc, root, "from", name);
    yyjson_mut_obj_add_val(doc, root, "line", json_text(doc, line));
    json_write(doc, false, &follow->out);
    buf_byte(&follow->out, '\n');
    yyjson_mut_doc_free(doc);
}

static void show_line(struct follow *follow, struct followed *file, struct str line)
{
    bool tells = follow->shown->stream && !follow->request->raw && file == &follow->files[0];

    buf_clear(&follow->masked);
    if (mask_text(&follow->mask, line, &follow->masked)) line = buf_str(&follow->masked);
    if (follow->request->json) {
        add_json(follow, file->name, line);
        return;
    }
    buf_clear(&follow->text);
    if (tells) {
        file->telling.out = &follow->text;
        telling_line(&file->telling, follow->shown->stream, line);
    } else {
        buf_add(&follow->text, line);
        buf_byte(&follow->text, '\n');
    }
    safe_text(&follow->out, buf_str(&follow->text), false, 0);
}

static int show_more(struct follow *follow, struct followed *file, struct err *err)
{
    struct str piece, line;
    int rc;

    if (!file->open) {
        rc = rewrite_open(&file->file, follow->shown->folder, file->name, err);
        if (rc != 0) return rc == ERR_MISSING ? 0 : rc;
        file->open = true;
    }
    do {
        buf_clear(&follow->piece);
        rc = rewrite_read(&file->file, file->at, PIECE_BYTES, &follow->piece, err);
        if (rc != 0) return rc;
        piece = buf_str(&follow->piece);
        file->at += piece.size;
        while (lines_next(&file->lines, &piece, &line)) show_line(follow, file, line);
        say_now(&follow->out);
        buf_clear(&follow->out);
    } while (follow->piece.size == PIECE_BYTES && say_problem() == 0);
    return 0;
}

static void show_last(struct follow *follow, struct followed *file)
{
    struct str line;

    if (lines_last(&file->lines, &line)) show_line(follow, file, line);
    if (file->telling.open) buf_byte(&follow->out, '\n');
    say_now(&follow->out);
    buf_clear(&follow->out);
}

/* ---- the end ---- */

/* The journal again, and the attempt in it. */
static int look_again(struct follow *follow, bool *ended, struct err *err)
{
    struct show *show = follow->show;
    uint64_t events = show->look.run.event_count;
    struct action start = follow->shown->entry->start;
    int rc = look_run(&show->look, show->look.run.id, err);

    if (rc != 0) return rc;
    if (show->look.run.event_count != events) {
        run_release(&show->replay);
        history_release(&show->history);
        rc = run_load(&show->replay, &show->look.run, err);
        if (rc == 0) {
            rc = run_replay(&show->replay, show->look.journal, history_visit, &show->history, err);
        }
        if (rc != 0) return rc;
        follow->shown->entry = history_find(&show->history, start.job, start.attempt);
    }
    *ended = !follow->shown->entry || follow->shown->entry->ended_ms != 0 || !show->look.alive;
    return 0;
}

static int follow_loop(struct follow *follow, struct err *err)
{
    struct arena arena = { 0 };
    const char *status = arena_printf(&arena, "%s/status", follow->shown->folder);
    bool ended = false;
    int rc = 0;

    for (uint32_t looks = 0; rc == 0 && !ended && say_problem() == 0; looks++) {
        if (looks > 0) wait_readable(-1, -1, LOOK_MS);
        if (looks % JOURNAL_LOOKS == 0) rc = look_again(follow, &ended, err);
        if (rc == 0 && file_exists(status)) ended = true;
        for (uint32_t i = 0; i < 2 && rc == 0; i++) {
            rc = show_more(follow, &follow->files[i], err);
        }
    }
    for (uint32_t i = 0; i < 2 && rc == 0; i++) show_last(follow, &follow->files[i]);
    arena_release(&arena);
    return rc;
}

int show_follow(struct show *show, struct shown *shown, const struct follow_request *request,
                struct err *err)
{
    struct follow follow = { .show = show, .shown = shown, .request = request };
    int rc;

    entry_name(shown->entry, follow.attempt);
    mask_learn(&follow.mask, host_environment());
    buf_init(&follow.piece, PIECE_BYTES + 1);
    buf_init(&follow.text, SAY_BYTES_MAX);
    buf_init(&follow.masked, SAY_BYTES_MAX);
    buf_init(&follow.out, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < 2; i++) {
        follow.files[i] = (struct followed){ .name = i == 0 ? "stdout" : "stderr" };
        lines_init(&follow.files[i].lines, READING_LINE_BYTES_MAX);
    }
    rc = follow_loop(&follow, err);
    for (uint32_t i = 0; i < 2; i++) {
        if (follow.files[i].open) rewrite_close(&follow.files[i].file);
        lines_release(&follow.files[i].lines);
    }
    buf_release(&follow.piece);
    buf_release(&follow.text);
    buf_release(&follow.masked);
    buf_release(&follow.out);
    mask_release(&follow.mask);
    return rc;
}
