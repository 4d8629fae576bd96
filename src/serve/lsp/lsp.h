/* SPDX-License-Identifier: Apache-2.0
 *
 * lsp.h - the Language Server Protocol (3.17) as a machine: messages of an editor in, messages to it
 * out. What the newest run of each workspace has found is shown where it is, and can be repaired or
 * waived there; a run at work is followed.
 *
 * The machine reads no descriptor of its own: lsp_take() is given messages, lsp_step() the time.
 * It looks at repositories, journals and files, and changes none of them: what changes something is
 * a verb of hone, started as a process of its own with the checks that it has anywhere.
 *
 * Room: the language server: documents of an editor, projects whose runs are followed, code actions,
 * and the transport. JSON-RPC itself is format/json/jsonrpc.h, framing and places format/lsp. */
#ifndef HONE_SERVE_LSP_LSP_H
#define HONE_SERVE_LSP_LSP_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct lsp_setup {
    const char *version; /* of hone */
    const char *program; /* the path of hone: what its verbs are started with */
    void (*send)(void *context, struct str message); /* one message, without its head */
    void *context;
};

struct lsp;

struct lsp *lsp_new(const struct lsp_setup *setup);
void lsp_free(struct lsp *lsp); /* what it started goes on without it */

/* One message; its bytes change. */
void lsp_take(struct lsp *lsp, struct buf *message);
/* One was passed over: it was longer than FRAME_BODY_BYTES_MAX. What it said is not known, and all
 * documents are taken for closed. */
void lsp_refuse(struct lsp *lsp);

/* Follows runs and verbs, and tells the editor what has changed since it was told last. To be called
 * when all messages that have come are taken, and when it is due. */
void lsp_step(struct lsp *lsp, uint64_t now_ms);
int64_t lsp_due_in(const struct lsp *lsp, uint64_t now_ms); /* milliseconds; -1: never */

/* Whether the editor has said exit; the exit status that this means, or that the end of input would:
 * 0 after a shutdown, else 1. */
bool lsp_is_over(const struct lsp *lsp);
int lsp_exit_status(const struct lsp *lsp);

/* The editor's process, as it said it; 0: it did not. */
long lsp_parent(const struct lsp *lsp);

/* On standard input and output, until the editor says exit, is gone, or sends what cannot be framed.
 * The exit status. */
int serve_lsp(const char *version);

#endif
