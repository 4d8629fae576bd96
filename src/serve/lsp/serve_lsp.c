/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_lsp.c - the language server on standard input and output.
 *
 * 1. Nothing but messages goes to standard output.
 * 2. It ends when the editor says exit, closes either stream, or is gone: its process is looked for
 *    every few seconds, since a pipe may be held open by a child of an editor that has died.
 * 3. A stream that cannot be framed any more ends it: where the next message begins is not known. */
#include "serve/lsp/lsp.h"

#include "format/json/jsonrpc.h"
#include "format/lsp/frame.h"
#include "io/file/file.h"
#include "io/file/stream.h"
#include "io/process/program.h"
#include "io/process/signals.h"

#include <stdio.h>

enum { READ_BYTES = 64 * 1024, READS_MAX = 64, PARENT_EVERY_MS = 3000, HEAD_BYTES = 64, STATUS_LOST = 1 };

struct talk {
    struct lsp *lsp;
    struct frames frames;
    bool closed; /* the editor has closed its end of standard output */
    bool broken; /* what it sends cannot be framed */
};

static void on_send(void *context, struct str message)
{
    struct talk *talk = context;
    struct buf head;

    if (talk->closed) return;
    buf_init(&head, HEAD_BYTES);
    frame_head(&head, message.size);
    if (!stream_write(buf_str(&head)) || !stream_write(message)) talk->closed = true;
    buf_release(&head);
}

static void take_bytes(struct talk *talk, struct str chunk)
{
    while (!talk->broken && !lsp_is_over(talk->lsp)) {
        switch (frames_next(&talk->frames, &chunk)) {
        case FRAME_NOTHING: return;
        case FRAME_MESSAGE: lsp_take(talk->lsp, &talk->frames.body); break;
        case FRAME_SKIPPED: lsp_refuse(talk->lsp); break;
        case FRAME_BROKEN:
            talk->broken = true;
            fprintf(stderr, "hone: lsp: %s: what follows cannot be read\n", talk->frames.problem);
            break;
        }
    }
}

static bool is_orphan(const struct talk *talk)
{
    long parent = lsp_parent(talk->lsp);

    return parent > 0 && !process_exists(parent);
}

/* How long to wait for more; no longer than until the editor is looked for again. */
static int64_t wait_ms(const struct talk *talk)
{
    int64_t due = lsp_due_in(talk->lsp, now_steady_ms());

    if (lsp_parent(talk->lsp) <= 0) return due;
    return due < 0 || due > PARENT_EVERY_MS ? PARENT_EVERY_MS : due;
}

int serve_lsp(const char *version)
{
    static char bytes[READ_BYTES];
    struct talk talk = { .closed = false };
    uint64_t looked_ms = now_steady_ms();
    bool orphan = false, ended = false;
    int status;

    frames_init(&talk.frames);
    talk.lsp = lsp_new(&(struct lsp_setup){
        .version = version, .program = program_self(), .send = on_send, .context = &talk,
    });
    while (!ended && !talk.closed && !talk.broken && !orphan && !lsp_is_over(talk.lsp)) {
        long got = stream_read(bytes, sizeof bytes, wait_ms(&talk));

        ended = got == STREAM_END;
        if (got > 0) take_bytes(&talk, (struct str){ bytes, (size_t)got });
        /* What has come already is taken first: an edit and the one behind it are told once. */
        for (uint32_t i = 0; got > 0 && i < READS_MAX && !talk.broken; i++) {
            got = stream_read(bytes, sizeof bytes, 0);
            if (got > 0) take_bytes(&talk, (struct str){ bytes, (size_t)got });
            if (got == STREAM_END) ended = true;
        }
        lsp_step(talk.lsp, now_steady_ms());
        if (now_steady_ms() - looked_ms < PARENT_EVERY_MS) continue;
        looked_ms = now_steady_ms();
        orphan = is_orphan(&talk);
    }
    status = talk.broken ? STATUS_LOST : lsp_exit_status(talk.lsp);
    lsp_free(talk.lsp);
    frames_release(&talk.frames);
    return status;
}
