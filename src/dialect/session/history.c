/* SPDX-License-Identifier: Apache-2.0
 *
 * history.c - Review History: an entry for each round.
 *
 *     ### Planning Round 2 (review-only)       also "### Round 2 - Executor": of no stage
 *
 *     - Reviewer verdict: REQUEST_CHANGES
 *     - Reviewer issues:
 *       - [CRITICAL] what is wrong
 *         File: `a.c`, around line 3
 *
 * The section only grows: an entry is put behind what is there, and that stays as it is.
 *
 * 1. What an entry is given is written as one entry: values are one line, lines of items
 *    are indented so far that Markdown sees nothing in them.
 * 2. An entry that was written is read as it was given, blanks at the ends of lines apart. */
#include "dialect/session/file.h"

#include "dialect/prose.h"
#include "dialect/sections.h"
#include "dialect/session/answers.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { BULLET_INDENT_MAX = 1 };

/* ---- stages ---- */

static const struct {
    const char *phase, *title;
} stages[STAGE_OTHER] = {
    [STAGE_PLANNING] = { "planning", "Planning" },
    [STAGE_EXECUTION] = { "execution", "Execution" },
    [STAGE_POLISH] = { "polish", "Polish" },
    [STAGE_DOCS] = { "docs", "Docs" },
    [STAGE_SECURITY] = { "security", "Security" },
};

/* Other words that tools begin a heading with. */
static const struct {
    const char *word;
    enum session_stage stage;
} stage_words[] = {
    { "Plan", STAGE_PLANNING },
    { "Exec", STAGE_EXECUTION },
    { "Quality", STAGE_POLISH },
    { "Documentation", STAGE_DOCS },
};

const char *session_stage_phase(enum session_stage stage)
{
    assert(stage < STAGE_OTHER);
    return stages[stage].phase;
}

const char *session_stage_title(enum session_stage stage)
{
    assert(stage < STAGE_OTHER);
    return stages[stage].title;
}

enum session_stage session_stage_of(const char *phase)
{
    for (uint32_t i = 0; i < STAGE_OTHER; i++) {
        if (strcmp(phase, stages[i].phase) == 0) return (enum session_stage)i;
    }
    return STAGE_OTHER;
}

/* The stage that a heading begins with. */
static enum session_stage stage_of_word(struct str word)
{
    for (uint32_t i = 0; i < STAGE_OTHER; i++) {
        if (word_is(word, stages[i].title)) return (enum session_stage)i;
    }
    for (uint32_t i = 0; i < sizeof stage_words / sizeof *stage_words; i++) {
        if (word_is(word, stage_words[i].word)) return stage_words[i].stage;
    }
    return STAGE_OTHER;
}

/* ---- headings ---- */

static struct str first_word(struct str text)
{
    size_t size = 0;

    while (size < text.size && text.data[size] != ' ' && text.data[size] != '\t') size++;
    return (struct str){ text.data, size };
}

/* Without the brackets around it, too. */
static struct str note_of(struct str text)
{
    text = session_note(text);
    if (text.size >= 2 && text.data[0] == '(' && text.data[text.size - 1] == ')') {
        text = str_trim((struct str){ text.data + 1, text.size - 2 });
    }
    return text;
}

/* "Planning Round 2 (note)": the stage, the number and the note, as far as they are there. */
static void read_title(struct str title, struct session_round *out)
{
    struct str rest = title, word;
    uint64_t number;

    out->stage = stage_of_word(first_word(title));
    out->note = title;
    for (; rest.size; rest = str_trim(str_skip(rest, word.size))) {
        word = first_word(rest);
        if (!word_is(word, "Round")) continue;
        rest = str_trim(str_skip(rest, word.size));
        word = first_word(rest);
        word = text_bare(word, "", ":,");
        if (!str_number(word, &number) || number > UINT32_MAX) continue;
        out->number = (uint32_t)number;
        out->note = note_of(str_skip(rest, word.size));
        return;
    }
}

/* ---- bullets ---- */

struct bullets {
    struct session_file *file;
    struct session_bullet *items;
    uint32_t count, cap;
    struct str *lines; /* items of the last bullet */
    uint32_t line_count, line_cap;
    uint32_t item_indent;
    struct str *open;  /* the value or item that the next line may continue; NULL: none */
    struct str view;   /* all its lines, as they stand */
};

static void open_text(struct bullets *bullets, struct str *text)
{
    bullets->open = text;
    bullets->view = *text;
}

/* Its lines, without blanks around each. */
static void close_text(struct bullets *bullets)
{
    struct str rest = bullets->view, line;
    struct buf text;

    if (bullets->open && str_has(rest, '\n')) {
        buf_init(&text, rest.size);
        while (str_cut(&rest, '\n', &line)) {
            line = str_trim(line);
            if (text.size && line.size) buf_byte(&text, '\n');
            buf_add(&text, line);
        }
        *bullets->open = arena_take(&bullets->file->arena, &text);
    }
    bullets->open = NULL;
}

static void end_bullet(struct bullets *bullets)
{
    close_text(bullets);
    if (bullets->count == 0) return;
    bullets->items[bullets->count - 1].items = bullets->lines;
    bullets->items[bullets->count - 1].item_count = bullets->line_count;
    bullets->lines = NULL;
    bullets->line_count = bullets->line_cap = 0;
}

static void begin_bullet(struct bullets *bullets, struct str text)
{
    struct str rest = text, key = { "", 0 };

    end_bullet(bullets);
    bullets->items = arena_grow(&bullets->file->arena, bullets->items, bullets->count,
                                &bullets->cap, sizeof *bullets->items);
    if (str_has(text, ':')) {
        (void)str_cut(&rest, ':', &key);
        while (rest.size && rest.data[0] == '*') rest = str_skip(rest, 1);
    }
    bullets->items[bullets->count++] = (struct session_bullet){
        .key = session_unmarked(key), .value = str_trim(rest),
    };
    open_text(bullets, &bullets->items[bullets->count - 1].value);
}

static void begin_item(struct bullets *bullets, struct str text, uint32_t indent)
{
    close_text(bullets);
    if (bullets->line_count == 0) bullets->item_indent = indent;
    bullets->lines = arena_grow(&bullets->file->arena, bullets->lines, bullets->line_count,
                                &bullets->line_cap, sizeof *bullets->lines);
    bullets->lines[bullets->line_count++] = text;
    open_text(bullets, &bullets->lines[bullets->line_count - 1]);
}

static void take_line(struct bullets *bullets, const struct session_lines *line)
{
    struct str text;
    bool bullet = session_is_bullet(line->text, &text);

    if (line->text.size == 0) return;
    if (bullet && line->indent <= BULLET_INDENT_MAX) {
        begin_bullet(bullets, text);
    } else if (line->indent <= BULLET_INDENT_MAX) {
        close_text(bullets); /* words between the bullets: kept, and of no bullet */
    } else if (bullet && bullets->count &&
               (bullets->line_count == 0 || line->indent <= bullets->item_indent)) {
        begin_item(bullets, text, line->indent);
    } else if (bullets->open) {
        bullets->view.size = (size_t)(line->text.data + line->text.size - bullets->view.data);
    }
}

/* raw: the whole entry. */
static void read_round(struct session_file *file, struct str title, struct session_round *out)
{
    struct session_lines lines = { .rest = out->raw };
    struct bullets bullets = { .file = file };

    read_title(title, out);
    (void)session_lines_next(&lines); /* its heading */
    while (session_lines_next(&lines)) take_line(&bullets, &lines);
    end_bullet(&bullets);
    out->bullets = bullets.items;
    out->bullet_count = bullets.count;
}

/* ---- entries ---- */

static bool is_round(struct str line, struct str *title)
{
    return prose_heading(line, title) == 3;
}

const struct session_round *session_file_rounds(struct session_file *file, uint32_t *count)
{
    const struct session_part *part = session_part_find(file, SESSION_HISTORY);
    struct prose prose = { .rest = part ? session_part_body(part) : (struct str){ "", 0 } };
    struct session_round *rounds = NULL;
    uint32_t cap = 0;
    enum prose_kind kind;
    struct str line, title = { "", 0 };

    *count = 0;
    for (;;) {
        const char *from = prose.rest.data;
        bool more = prose_next(&prose, &line, &kind);
        struct session_round *last = *count ? &rounds[*count - 1] : NULL;

        if (more && !(kind == PROSE_OWN && is_round(line, &line))) continue;
        if (last) {
            last->raw.size = (size_t)(from - last->raw.data);
            read_round(file, title, last);
        }
        if (!more) return rounds;
        rounds = arena_grow(&file->arena, rounds, *count, &cap, sizeof *rounds);
        rounds[(*count)++] = (struct session_round){ .raw = { from, 0 } };
        title = line;
    }
}

const struct session_bullet *session_round_bullet(const struct session_round *round,
                                                  const char *key)
{
    for (uint32_t i = 0; i < round->bullet_count; i++) {
        if (word_is(round->bullets[i].key, key)) return &round->bullets[i];
    }
    return NULL;
}

/* ---- writing ---- */

static void write_item(struct session_file *file, struct str item, struct buf *out)
{
    const char *indent = "  - ";
    struct str line;

    while (str_cut(&item, '\n', &line)) {
        line = session_one_line(file, line);
        if (line.size == 0) continue;
        buf_printf(out, "%s", indent);
        buf_add(out, line);
        buf_byte(out, '\n');
        indent = "    ";
    }
}

static void write_round(struct session_file *file, const struct session_round *round,
                        struct buf *out)
{
    struct str note = session_one_line(file, round->note);

    assert(round->stage < STAGE_OTHER);
    buf_printf(out, "### %s Round %" PRIu32, session_stage_title(round->stage), round->number);
    if (note.size) buf_printf(out, " (%.*s)", STR_ARG(note));
    buf_text(out, "\n\n");
    for (uint32_t i = 0; i < round->bullet_count; i++) {
        const struct session_bullet *bullet = &round->bullets[i];
        struct str value = session_one_line(file, bullet->value);

        buf_printf(out, "- %.*s:", STR_ARG(session_one_line(file, bullet->key)));
        if (value.size) buf_byte(out, ' ');
        buf_add(out, value);
        buf_byte(out, '\n');
        for (uint32_t k = 0; k < bullet->item_count; k++) write_item(file, bullet->items[k], out);
    }
}

void session_file_add_round(struct session_file *file, const struct session_round *round)
{
    struct buf body;

    buf_init(&body, SIZE_MAX / 2);
    buf_add(&body, session_file_text(file, SESSION_HISTORY));
    if (body.size) markdown_close(buf_str(&body), &body);
    if (body.size) buf_text(&body, "\n\n");
    write_round(file, round, &body);
    session_part_set(file, SESSION_HISTORY, markdown_trim(buf_str(&body)));
    buf_release(&body);
}

/* ---- issues ---- */

bool session_entry_issue_read(struct str item, struct session_entry_issue *out)
{
    static const struct str critical = STR("[CRITICAL]"), minor = STR("[MINOR]");
    struct str rest = str_trim(item), line;
    size_t end = 0;

    *out = (struct session_entry_issue){ .text = rest, .file = { "", 0 } };
    if (rest.size == 0 || word_is(rest, "None.") || word_is(rest, "None")) {
        return false;
    }
    out->critical = str_starts(rest, critical);
    if (out->critical) rest = str_trim(str_skip(rest, critical.size));
    else if (str_starts(rest, minor)) rest = str_trim(str_skip(rest, minor.size));
    out->text = rest;
    while (str_cut(&rest, '\n', &line)) {
        if (starts_with_word(str_trim(line), "File:")) {
            place_read(str_skip(str_trim(line), strlen("File:")), &out->file, &out->line);
            break;
        }
        end = (size_t)(line.data + line.size - out->text.data);
    }
    out->text = str_trim((struct str){ out->text.data, end });
    return true;
}

struct str session_entry_issue_write(const struct session_entry_issue *issue, struct arena *arena)
{
    struct buf text;

    buf_init(&text, SIZE_MAX / 2);
    buf_text(&text, issue->critical ? "[CRITICAL] " : "[MINOR] ");
    buf_add(&text, str_trim(issue->text));
    if (issue->file.size) {
        buf_text(&text, "\nFile: `");
        buf_add(&text, issue->file);
        buf_text(&text, "`");
        if (issue->line) buf_printf(&text, ", around line %" PRIu32, issue->line);
    }
    return arena_take(arena, &text);
}
