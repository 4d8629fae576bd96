/* SPDX-License-Identifier: Apache-2.0
 *
 * frame.h - messages out of a stream as the Language Server Protocol frames them: a head that says
 * how long the body is, an empty line, the body. Pure, resumable and bounded.
 *
 * Room: what an editor and a language server share beside JSON-RPC: how messages are framed, how
 * places in a text are counted, and how they move while a person types. Not here: what is said
 * (serve/lsp). */
#ifndef HONE_FORMAT_LSP_FRAME_H
#define HONE_FORMAT_LSP_FRAME_H

#include "base/buf.h"

enum {
    FRAME_HEAD_BYTES_MAX = 4096,
    FRAME_BODY_BYTES_MAX = 64 << 20, /* a longer one is passed over ... */
    FRAME_SKIP_BYTES_MAX = 1 << 30,  /* ... and one that says it is longer than this is broken */
};

enum frame_event {
    FRAME_NOTHING, /* the chunk is used up; the rest is remembered */
    FRAME_MESSAGE, /* frames->body has it, until the next call */
    FRAME_SKIPPED, /* a body was too long, and was passed over */
    FRAME_BROKEN,  /* nothing can be read any more: problem says why */
};

struct frames {
    struct buf head, body;
    uint64_t left;       /* bytes of the body that have not come yet */
    bool in_body, skips; /* skips: they are not kept */
    const char *problem; /* half a sentence; NULL: none */
};

void frames_init(struct frames *frames);
void frames_release(struct frames *frames);

/* Takes bytes off *chunk up to the next event. To be called until it says FRAME_NOTHING, and with
 * the next chunk then. After FRAME_BROKEN it says so for ever. */
enum frame_event frames_next(struct frames *frames, struct str *chunk);

/* Whether the stream could end here: no message is half there. */
bool frames_are_whole(const struct frames *frames);

/* Appends the head of a message with so many bytes. */
void frame_head(struct buf *out, size_t body_bytes);

#endif
