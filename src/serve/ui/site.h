/* SPDX-License-Identifier: Apache-2.0
 *
 * site.h - what the files of this room share: one server, and one question to it. */
#ifndef HONE_SERVE_UI_SITE_H
#define HONE_SERVE_UI_SITE_H

#include "follow/follow.h"
#include "io/http/http.h"
#include "serve/door.h"
#include "serve/ui/acts.h"
#include "serve/ui/routes.h"
#include "serve/ui/feed.h"
#include "serve/ui/ui.h"

enum {
    UI_ANSWER_BYTES_MAX = 64 << 20,
    UI_BODY_BYTES_MAX = 256 * 1024,
};

struct site {
    const struct ui_request *request;
    struct http http;
    struct door door;
    struct follow *follow;
    struct feed feed;
    struct acts acts;
};

/* One request, from its routes's table to its answer. */
struct ui_call {
    struct site *site;
    uint64_t id;               /* of the request, for http_answer() */
    const struct http_head *head;
    struct route_names names;
    struct route_query query;
    yyjson_val *body;          /* of a POST: an object */
    struct arena arena;
    yyjson_mut_doc *doc;       /* the answer */
    yyjson_mut_val *root;
    bool later;                /* it is answered by other means */
};

extern const struct route ui_routes[];

/* {"error":{...}} for an operating error: its status. And the words of one. */
int ui_error_status(const struct err *err);
void ui_error_json(int status, const char *message, struct buf *out);

/* What GET /api/v1 answers. */
void ui_about(struct site *site, yyjson_mut_doc *doc, yyjson_mut_val *root);
/* The document as the answer. */
void ui_answer(struct site *site, uint64_t id, int status, yyjson_mut_doc *doc);

/* GET rows of the table. */
int answer_about(struct ui_call *call, struct err *err);
int answer_runs(struct ui_call *call, struct err *err);
int answer_run(struct ui_call *call, struct err *err);
int answer_attempts(struct ui_call *call, struct err *err);
int answer_attempt(struct ui_call *call, struct err *err);
int answer_reviewers(struct ui_call *call, struct err *err);
int answer_stream(struct ui_call *call, struct err *err);

#endif
