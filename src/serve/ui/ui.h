/* SPDX-License-Identifier: Apache-2.0
 *
 * ui.h - the runs of some repositories on a page: a server for the user's own browser.
 *
 * What it shows is what the journals say (follow/follow.h), as documents that the verbs print, too
 * (document/document.h). What it does is done by verbs, each a process of its own.
 *
 * Room: the server of `hone ui`: addresses, answers, the stream of news, acts. Not here: what a run
 * comes to (document), how it looks (pages/ui). */
#ifndef HONE_SERVE_UI_UI_H
#define HONE_SERVE_UI_UI_H

#include "base/err.h"
#include "format/json/json.h"

struct ui_listening {
    const char *url;      /* with the token behind "#" */
    uint32_t found;       /* repositories that can be shown */
    const char *problems; /* of the others, a line each; "": none */
    yyjson_mut_doc *about; /* what GET /api/v1 answers, and url; the callee's to free */
};

struct ui_request {
    const char *const *folders; /* absolute */
    uint32_t folder_count;
    const char *cwd;
    const char *version;        /* of hone */
    bool read_only;
    uint16_t port;              /* 0: any that is free */
    void (*listening)(void *context, const struct ui_listening *listening);
    void (*entered)(void *context); /* a request has brought the token, for the first time */
    void *context;
};

/* On 127.0.0.1, until SIGINT, SIGTERM or SIGHUP. ERR_BUSY: the port is taken. */
int ui_serve(const struct ui_request *request, struct err *err);

#endif
