/* SPDX-License-Identifier: Apache-2.0
 *
 * hearing.c - lines as run/listen.h tells them: the newest, up to a bound.
 *
 * Of a long output the end is read. When there are too many lines the older half goes. */
#include "top/hearing.h"

#include "base/mem.h"
#include "run/listen.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINES_MAX = 4000,
    LINE_BYTES_MAX = 16 << 10,
    TAIL_BYTES = 2 << 20, /* that are read of what was there before */
};

struct hearing {
    struct arena arena;
    const char *folder;
    struct listen *listen;
    struct arena old, young; /* the texts of the lines: those of the older half, and the others */
    struct top_text *lines;
    uint32_t count, cap, young_count;
    struct buf open;        /* the beginning of a line that is told in pieces */
    bool tells, cut, is_new, over;
};

/* The older half goes. */
static void drop_old(struct hearing *hearing)
{
    uint32_t gone = hearing->count - hearing->young_count;

    arena_release(&hearing->old);
    hearing->old = hearing->young;
    hearing->young = (struct arena){ 0 };
    hearing->young_count = 0;
    if (gone == 0) return;
    hearing->count -= gone;
    memmove(hearing->lines, hearing->lines + gone, hearing->count * sizeof *hearing->lines);
    hearing->cut = true;
}

/* "> Read a.c" is a call of a tool, "! ..." is trouble: format/stream/telling.h. */
static enum style style_at(const struct hearing *hearing, uint32_t file, struct str line)
{
    if (file == LISTEN_ERR) return STYLE_DIM;
    if (!hearing->tells) return STYLE_PLAIN;
    if (str_starts(line, STR("> "))) return STYLE_NAME;
    return str_starts(line, STR("! ")) ? STYLE_BAD : STYLE_PLAIN;
}

static void add_line(struct hearing *hearing, uint32_t file, struct str line)
{
    struct str text;

    if (hearing->young_count == LINES_MAX / 2) drop_old(hearing);
    text = arena_copy(&hearing->young, str_head(line, LINE_BYTES_MAX));
    hearing->lines = mem_grow(hearing->lines, hearing->count, &hearing->cap,
                              sizeof *hearing->lines);
    hearing->lines[hearing->count++] = (struct top_text){ text, style_at(hearing, file, line) };
    hearing->young_count++;
}

static void hear(void *context, uint32_t file, struct str text)
{
    struct hearing *hearing = context;
    const char *end;

    hearing->is_new = true;
    if (file == LISTEN_ERR || !hearing->tells) {
        add_line(hearing, file, text);
        return;
    }
    while ((end = text.size > 0 ? memchr(text.data, '\n', text.size) : NULL) != NULL) {
        size_t size = (size_t)(end - text.data);
        (void)buf_add(&hearing->open, (struct str){ text.data, size });
        add_line(hearing, file, buf_str(&hearing->open));
        buf_clear(&hearing->open);
        text = str_skip(text, size + 1);
    }
    (void)buf_add(&hearing->open, text);
}

void hearing_turn(struct hearing **hearing, const char *folder, const struct stream_kind *stream)
{
    struct hearing *made;

    if (*hearing && strcmp((*hearing)->folder, folder) == 0) return;
    hearing_free(*hearing);
    *hearing = made = mem_alloc(sizeof *made);
    *made = (struct hearing){ .tells = stream != NULL };
    made->folder = arena_cstr(&made->arena, str_of(folder));
    buf_init(&made->open, 1 << 20);
    made->listen = listen_new(&(struct listen_request){
        .folder = folder, .stream = stream, .tail_bytes = TAIL_BYTES, .visit = hear,
        .context = made });
    (void)hearing_step(made);
}

void hearing_free(struct hearing *hearing)
{
    if (!hearing) return;
    listen_free(hearing->listen);
    buf_release(&hearing->open);
    free(hearing->lines);
    arena_release(&hearing->old);
    arena_release(&hearing->young);
    arena_release(&hearing->arena);
    free(hearing);
}

bool hearing_step(struct hearing *hearing)
{
    struct err none;
    bool over = listen_is_over(hearing->listen);

    hearing->is_new = false;
    if (hearing->over) return false;
    (void)listen_more(hearing->listen, NULL, &none);
    if (over) listen_last(hearing->listen);
    hearing->over = over;
    return hearing->is_new;
}

void hearing_lines(const struct hearing *hearing, struct top_transcript *out)
{
    out->lines = hearing->lines;
    out->line_count = hearing->count;
    out->cut = hearing->cut;
}
