/* SPDX-License-Identifier: Apache-2.0
 *
 * transcript.c - what an attempt says and does, in parts, while it runs and afterwards.
 *
 *     stdout  |line\n|line\n|line\n|half a li          from ---> items ---> next
 *             '----- from -----^      ^--- next
 *
 * Nothing is remembered between two answers: the caller says from which byte on, and is told where
 * to ask again. That is always the beginning of a line. Standard output that is no stream of events
 * is told as notes; behind it, once the attempt has ended, its standard error.
 *
 * 1. The status is read before the files: so the last words of an attempt that ended are told.
 * 2. A line is told when it is whole, or when the attempt has ended; with secrets masked.
 * 3. When an attempt ends its files may be masked and written anew, with other lengths. A `from`
 *    that is no beginning of a line then is answered from the first byte on, as `anew`.
 * 4. Bounded: an answer is ANSWER_COST_MAX as JSON and reads READ_BYTES_MAX, but for a line that
 *    is longer by itself; a text is TEXT_BYTES_MAX, a line that is too long is passed over. */
#include "document/parts.h"

#include "format/secret/mask.h"
#include "format/stream/item.h"
#include "io/file/file.h"
#include "io/file/rewrite.h"
#include "io/process/host.h"

#include <string.h>

enum {
    READ_BYTES_MAX = 1 << 20,
    TEXT_BYTES_MAX = 32 << 10,
    ABOUT_BYTES_MAX = 1 << 10,
    NAME_BYTES_MAX = 200,
    ANSWER_COST_MAX = 400 << 10, /* before a line; ... */
    LINE_COST_MAX = 400 << 10,   /* ... and the most that one line adds */
    ITEM_COST = 160,
};

static const char *const kinds[] = {
    [ITEM_SAID] = "said", [ITEM_THOUGHT] = "thought", [ITEM_TOOL] = "tool",
    [ITEM_RESULT] = "result", [ITEM_NOTE] = "note",
};

struct transcript {
    const struct transcript_request *request;
    struct items items;
    struct buf window, masked;
    yyjson_mut_doc *doc;
    yyjson_mut_val *list;
    size_t cost;             /* of the answer, as JSON at the most */
    size_t line_cost;        /* of the line that is read */
    struct buf open;         /* a text that goes on: pieces of one message, lines of output */
    enum item_kind open_kind;
    bool is_open, open_cut;
};

/* ---- items ---- */

/* How long a text can be as JSON: what is no plain letter may be told as \u00XX. */
static size_t cost_of(struct str text)
{
    size_t cost = text.size;

    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if (byte < 0x20 || byte == 0x7f) cost += 5;
        else if (byte >= 0x80) cost += 2;
        else if (byte == '"' || byte == '\\') cost++;
    }
    return cost;
}

/* What there is room for; *cut where that is not all. */
static struct str bounded(struct transcript *transcript, struct str text, size_t bytes_max,
                          bool *cut)
{
    struct str head = str_head(text, bytes_max);
    size_t cost = cost_of(head);

    if (transcript->line_cost + cost > LINE_COST_MAX) {
        head.size = 0;
        cost = 0;
    }
    transcript->line_cost += cost;
    transcript->cost += cost;
    *cut = *cut || head.size < text.size;
    return head;
}

static yyjson_mut_val *add_item(struct transcript *transcript, enum item_kind kind)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(transcript->doc, transcript->list);

    transcript->cost += ITEM_COST;
    transcript->line_cost += ITEM_COST;
    yyjson_mut_obj_add_str(transcript->doc, object, "kind", kinds[kind]);
    return object;
}

static void put_open(struct transcript *transcript)
{
    yyjson_mut_val *object;

    if (!transcript->is_open) return;
    transcript->is_open = false;
    object = add_item(transcript, transcript->open_kind);
    /* Pieces of one message may be in two answers: they have the same id. */
    if (transcript->open_kind != ITEM_NOTE) {
        yyjson_mut_obj_add_str(transcript->doc, object, "id", "piece");
    }
    json_add_text(transcript->doc, object, "text", buf_str(&transcript->open));
    yyjson_mut_obj_add_bool(transcript->doc, object, "ok", true);
    yyjson_mut_obj_add_bool(transcript->doc, object, "cut", transcript->open_cut);
}

/* A piece goes on with the one before, as long as there is room for it in one text. */
static void go_on(struct transcript *transcript, enum item_kind kind, struct str text)
{
    bool lines = kind == ITEM_NOTE, cut = false;

    if (transcript->is_open && (transcript->open_kind != kind ||
                                transcript->open.size + text.size >= TEXT_BYTES_MAX)) {
        put_open(transcript);
    }
    if (!transcript->is_open) {
        buf_clear(&transcript->open);
        transcript->is_open = true;
        transcript->open_cut = false;
        transcript->open_kind = kind;
    } else if (lines) {
        buf_byte(&transcript->open, '\n');
        transcript->cost += 2;
    }
    buf_add(&transcript->open, bounded(transcript, text, TEXT_BYTES_MAX, &cut));
    transcript->open_cut = transcript->open_cut || cut;
}

static void take_item(void *context, const struct item *item)
{
    struct transcript *transcript = context;
    yyjson_mut_doc *doc = transcript->doc;
    yyjson_mut_val *object;
    bool cut = false;
    struct str text;

    if (item->piece || (item->kind == ITEM_NOTE && !item->failed)) {
        go_on(transcript, item->kind, item->text);
        return;
    }
    put_open(transcript);
    if (transcript->line_cost >= LINE_COST_MAX) return; /* more blocks than a line has room for */
    object = add_item(transcript, item->kind);
    if (item->id.size > 0) {
        json_add_text(doc, object, "id", bounded(transcript, item->id, NAME_BYTES_MAX, &cut));
    }
    if (item->tool.size > 0) {
        json_add_text(doc, object, "tool", bounded(transcript, item->tool, NAME_BYTES_MAX, &cut));
        json_add_text(doc, object, "about",
                      bounded(transcript, item->about, ABOUT_BYTES_MAX, &cut));
    }
    text = bounded(transcript, item->text, TEXT_BYTES_MAX, &cut);
    json_add_text(doc, object, "text", text);
    yyjson_mut_obj_add_bool(doc, object, "ok", !item->failed);
    yyjson_mut_obj_add_bool(doc, object, "cut", cut);
}

static void take_line(struct transcript *transcript, struct str line)
{
    if (str_ends(line, STR("\r"))) line.size--;
    transcript->line_cost = 0;
    buf_clear(&transcript->masked);
    if (mask_text(transcript->request->mask, line, &transcript->masked)) {
        line = buf_str(&transcript->masked);
    }
    if (transcript->request->kind) {
        items_line(&transcript->items, transcript->request->kind, line);
    } else {
        go_on(transcript, ITEM_NOTE, line);
    }
}

/* ---- a text ---- */

struct part {
    uint64_t from, next; /* bytes of this file */
    bool whole;          /* nothing is added to it any more */
    bool more;           /* there is more to tell now */
};

/* Reads a window that holds at least one whole line, where there is one within the bound. */
static int read_window(struct transcript *transcript, const struct transcript_text *file,
                       uint64_t at, bool *ends, struct err *err)
{
    for (size_t bytes = READ_BYTES_MAX;; bytes *= 4) {
        size_t room = bytes < READING_LINE_BYTES_MAX ? bytes : READING_LINE_BYTES_MAX;
        int rc;

        buf_clear(&transcript->window);
        rc = file->read(file->context, at, room, &transcript->window, err);
        if (rc != 0) return rc;
        *ends = transcript->window.size < room;
        if (*ends || room == READING_LINE_BYTES_MAX ||
            str_has(buf_str(&transcript->window), '\n')) return 0;
    }
}

/* Behind a line that is too long: where the next begins; `at` where that is not there yet. */
static int skip_line(struct transcript *transcript, const struct transcript_text *file,
                     uint64_t at, uint64_t *next, struct err *err)
{
    *next = at;
    for (uint64_t begin = at;;) {
        struct str piece, line;
        int rc;

        buf_clear(&transcript->window);
        rc = file->read(file->context, begin, READ_BYTES_MAX, &transcript->window, err);
        if (rc != 0) return rc;
        piece = buf_str(&transcript->window);
        if (piece.size == 0) return 0;
        if (str_has(piece, '\n')) {
            (void)str_cut(&piece, '\n', &line);
            *next = begin + line.size + 1;
            return 0;
        }
        begin += piece.size;
    }
}

static int read_part(struct transcript *transcript, const struct transcript_text *file,
                     struct part *part, struct err *err)
{
    struct str rest, line;
    bool ends = false;
    int rc = read_window(transcript, file, part->from, &ends, err);

    if (rc != 0) return rc;
    rest = buf_str(&transcript->window);
    part->next = part->from;
    if (!str_has(rest, '\n') && !ends) {
        rc = skip_line(transcript, file, part->from, &part->next, err);
        if (rc == 0 && part->next > part->from) {
            go_on(transcript, ITEM_NOTE, STR("(a line that is too long is left out)"));
        }
        part->more = part->next > part->from;
        return rc;
    }
    while (str_has(rest, '\n') && transcript->cost < ANSWER_COST_MAX) {
        (void)str_cut(&rest, '\n', &line);
        take_line(transcript, line);
        part->next += line.size + 1;
    }
    if (!str_has(rest, '\n') && ends && part->whole && rest.size > 0 &&
        transcript->cost < ANSWER_COST_MAX) {
        take_line(transcript, rest);
        part->next += rest.size;
        rest.size = 0;
    }
    part->more = str_has(rest, '\n') || !ends || (part->whole && rest.size > 0);
    return 0;
}

/* Whether a line begins there: behind the end of one, or at the end of the file. */
static bool is_border(const struct transcript_text *file, uint64_t at, struct buf *window)
{
    struct err none;

    if (at == 0) return true;
    if (at > file->bytes) return false;
    buf_clear(window);
    if (file->read(file->context, at - 1, 1, window, &none) != 0 || window->size != 1) return false;
    return window->data[0] == '\n';
}

/* ---- all of them ---- */

/* A text goes on where the one before it ends. */
static int read_texts(struct transcript *transcript, uint64_t from, uint64_t *next, bool *more,
                      bool *anew, struct err *err)
{
    const struct transcript_request *request = transcript->request;
    uint64_t before = 0; /* bytes of the texts in front of this one */

    *next = from;
    for (uint32_t i = 0; i < request->count; i++) {
        const struct transcript_text *text = &request->texts[i];
        struct part part = { .from = from > before ? from - before : 0, .whole = request->ended };
        int rc;

        if (part.from > text->bytes && i + 1 < request->count) { /* it is behind this one */
            before += text->bytes;
            continue;
        }
        if (part.from != text->bytes && !is_border(text, part.from, &transcript->window)) {
            *anew = true;
            return read_texts(transcript, 0, next, more, anew, err);
        }
        rc = read_part(transcript, text, &part, err);
        *next = before + part.next;
        *more = part.more;
        before += text->bytes;
        if (rc != 0 || part.more) return rc;
    }
    return 0;
}

int transcript_json(const struct transcript_request *request, yyjson_mut_doc *doc,
                    yyjson_mut_val *root, struct err *err)
{
    struct transcript transcript = { .request = request, .doc = doc };
    uint64_t next = request->from;
    bool more = false, anew = false;
    int rc;

    transcript.items = (struct items){ .visit = take_item, .context = &transcript };
    buf_init(&transcript.window, READING_LINE_BYTES_MAX + 1);
    buf_init(&transcript.masked, 2 * (size_t)READING_LINE_BYTES_MAX);
    buf_init(&transcript.open, 2 * TEXT_BYTES_MAX);
    transcript.list = yyjson_mut_obj_add_arr(doc, root, "items");
    rc = read_texts(&transcript, request->from, &next, &more, &anew, err);
    put_open(&transcript);
    yyjson_mut_obj_add_uint(doc, root, "next", next);
    yyjson_mut_obj_add_bool(doc, root, "more", more);
    yyjson_mut_obj_add_bool(doc, root, "ended", request->ended);
    yyjson_mut_obj_add_bool(doc, root, "anew", anew);
    buf_release(&transcript.open);
    buf_release(&transcript.masked);
    buf_release(&transcript.window);
    return rc;
}

/* ---- of an attempt ---- */

static int read_file(const void *context, uint64_t at, size_t bytes, struct buf *out,
                     struct err *err)
{
    return rewrite_read(context, at, bytes, out, err);
}

int document_transcript(const struct status *status, const struct entry *entry, uint64_t from,
                        yyjson_mut_doc *doc, yyjson_mut_val *root, struct err *err)
{
    static const char *const names[] = { "stdout", "stderr" };
    struct transcript_text texts[2];
    struct rewrite files[2];
    struct transcript_request request = { .texts = texts, .from = from };
    struct mask mask = { .known = NULL };
    struct arena arena = { 0 };
    char name[ENTRY_NAME_BYTES];
    struct kept kept;
    int rc = 0;

    kept_find(status, entry, &arena, &kept);
    request.kind = kept.stream;
    request.mask = &mask;
    request.ended = entry->ended_ms != 0 || !status->look->alive ||
                    file_exists(arena_printf(&arena, "%s/status", kept.folder));
    /* Standard error only of what is no stream, and has ended: its place is behind the other. */
    for (uint32_t i = 0; rc == 0 && i < (!request.kind && request.ended ? 2U : 1U); i++) {
        rc = rewrite_open(&files[request.count], kept.folder, names[i], err);
        if (rc == 0) {
            texts[request.count] = (struct transcript_text){
                .bytes = files[request.count].bytes, .read = read_file,
                .context = &files[request.count],
            };
            request.count++;
        }
        if (rc == ERR_MISSING) rc = 0;
    }
    mask_learn(&mask, host_environment(), file_exists);
    json_add(doc, root, "run", status->look->run.id);
    json_add(doc, root, "attempt_name", entry_name(entry, name));
    if (rc == 0) rc = transcript_json(&request, doc, root, err);
    for (uint32_t i = 0; i < request.count; i++) rewrite_close(&files[i]);
    mask_release(&mask);
    arena_release(&arena);
    return rc;
}
