/* SPDX-License-Identifier: Apache-2.0
 *
 * listen.c - an attempt's standard output and standard error, followed.
 *
 * 1. A file is opened when it is there, and read on from where the last look ended.
 * 2. A line that is longer than READING_LINE_BYTES_MAX is passed over (format/stream/lines.h).
 * 3. Secrets are masked line by line: before anything is told, and before a stream is read.
 * 4. Where only the end of a long file is wanted, the line that the end begins within is left out.
 *
 * Not here: when to look again. */
#include "run/listen.h"

#include "base/mem.h"
#include "format/secret/mask.h"
#include "format/stream/lines.h"
#include "format/stream/telling.h"
#include "io/file/file.h"
#include "io/file/rewrite.h"
#include "io/process/host.h"

#include <stdlib.h>

enum { PIECE_BYTES = 1 << 20, TEXT_BYTES_MAX = 64 << 20 };

/* One of the two files. */
struct heard {
    const char *name;
    struct rewrite file;
    bool open, cut; /* cut: the rest of the first line is passed over */
    uint64_t at;
    struct lines lines;
    struct telling telling;
};

struct listen {
    struct arena arena;
    struct listen_request request;
    const char *status;
    struct mask mask;
    struct buf piece, text, masked;
    struct heard files[LISTEN_FILES];
};

struct listen *listen_new(const struct listen_request *request)
{
    static const char *const names[LISTEN_FILES] = { "stdout", "stderr" };
    struct listen *listen = mem_alloc(sizeof *listen);

    *listen = (struct listen){ .request = *request };
    listen->request.folder = arena_cstr(&listen->arena, str_of(request->folder));
    listen->status = arena_printf(&listen->arena, "%s/status", request->folder);
    mask_learn(&listen->mask, host_environment(), file_exists);
    buf_init(&listen->piece, PIECE_BYTES + 1);
    buf_init(&listen->text, TEXT_BYTES_MAX);
    buf_init(&listen->masked, TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < LISTEN_FILES; i++) {
        listen->files[i] = (struct heard){ .name = names[i] };
        lines_init(&listen->files[i].lines, READING_LINE_BYTES_MAX);
    }
    return listen;
}

void listen_free(struct listen *listen)
{
    if (!listen) return;
    for (uint32_t i = 0; i < LISTEN_FILES; i++) {
        if (listen->files[i].open) rewrite_close(&listen->files[i].file);
        lines_release(&listen->files[i].lines);
    }
    buf_release(&listen->piece);
    buf_release(&listen->text);
    buf_release(&listen->masked);
    mask_release(&listen->mask);
    arena_release(&listen->arena);
    free(listen);
}

bool listen_is_over(const struct listen *listen)
{
    return file_exists(listen->status);
}

static void hear_line(struct listen *listen, uint32_t nth, struct str line)
{
    const struct listen_request *request = &listen->request;
    struct telling *telling = &listen->files[nth].telling;

    buf_clear(&listen->masked);
    if (mask_text(&listen->mask, line, &listen->masked)) line = buf_str(&listen->masked);
    if (request->stream && nth == LISTEN_OUT) {
        buf_clear(&listen->text);
        telling->out = &listen->text;
        telling_line(telling, request->stream, line);
        line = buf_str(&listen->text);
        if (line.size == 0) return;
    }
    request->visit(request->context, nth, line);
}

static int heard_open(struct listen *listen, struct heard *heard, struct err *err)
{
    uint64_t tail = listen->request.tail_bytes;
    int rc;

    if (heard->open) return 0;
    rc = rewrite_open(&heard->file, listen->request.folder, heard->name, err);
    if (rc != 0) return rc;
    heard->open = true;
    if (tail > 0 && heard->file.bytes > tail) {
        heard->at = heard->file.bytes - tail;
        heard->cut = true;
    }
    return 0;
}

static int hear_more(struct listen *listen, uint32_t nth, bool (*wanted)(void), struct err *err)
{
    struct heard *heard = &listen->files[nth];
    struct str piece, line;
    int rc = heard_open(listen, heard, err);

    if (rc != 0) return rc == ERR_MISSING ? 0 : rc;
    do {
        buf_clear(&listen->piece);
        rc = rewrite_read(&heard->file, heard->at, PIECE_BYTES, &listen->piece, err);
        if (rc != 0) return rc;
        piece = buf_str(&listen->piece);
        heard->at += piece.size;
        while (lines_next(&heard->lines, &piece, &line)) {
            if (!heard->cut) hear_line(listen, nth, line);
            heard->cut = false;
        }
    } while (listen->piece.size == PIECE_BYTES && (!wanted || wanted()));
    return 0;
}

int listen_more(struct listen *listen, bool (*wanted)(void), struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < LISTEN_FILES && rc == 0; i++) rc = hear_more(listen, i, wanted, err);
    return rc;
}

void listen_last(struct listen *listen)
{
    for (uint32_t i = 0; i < LISTEN_FILES; i++) {
        struct heard *heard = &listen->files[i];
        struct str line;

        if (lines_last(&heard->lines, &line) && !heard->cut) hear_line(listen, i, line);
        if (!heard->telling.open) continue;
        buf_clear(&listen->text);
        telling_end(&heard->telling);
        listen->request.visit(listen->request.context, i, buf_str(&listen->text));
    }
}
