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
    bool entered;     /* a request has brought the token */
    uint64_t said_ms; /* when those who listen last got an empty comment */
    struct waiting {
        uint64_t id;                 /* of a request, whose answer is not known yet; 0: none */
        const struct http_head *head;
        uint64_t begun_ms;
    } waiting[HTTP_CONNECTIONS_MAX];
    uint32_t waiting_count;
};

/* One request, from the table of addresses to its answer. */
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
    uint64_t waited_ms;        /* since it was asked first */
    bool later;                /* it is answered by other means */
    bool again;                /* what it wants is being read: it is asked again soon */
};

/* {"error":{...}} for an operating error, as the answer. */
void ui_answer_error(struct site *site, uint64_t id, const struct err *err);
/* The document as the answer; it is freed. */
void ui_answer(struct site *site, uint64_t id, int status, yyjson_mut_doc *doc);

/* What GET /api/v1 answers. */
void ui_about(struct site *site, yyjson_mut_doc *doc, yyjson_mut_val *root);

/* ---- news.c ---- */

void site_news(void *context, const struct follow_news *news);
void site_keep_alive(struct site *site, uint64_t now_ms);
int64_t site_keep_alive_in_ms(const struct site *site, uint64_t now_ms); /* -1: none is due */

/* ---- rows of the table of addresses: answers.c, news.c, acts.c ---- */

int answer_about(struct ui_call *call, struct err *err);
int answer_runs(struct ui_call *call, struct err *err);
int answer_run(struct ui_call *call, struct err *err);
int answer_attempts(struct ui_call *call, struct err *err);
int answer_attempt(struct ui_call *call, struct err *err);
int answer_transcript(struct ui_call *call, struct err *err);
int answer_findings(struct ui_call *call, struct err *err);
int answer_finding(struct ui_call *call, struct err *err);
int answer_plan(struct ui_call *call, struct err *err);
int answer_stream(struct ui_call *call, struct err *err);

int ask_preview(struct ui_call *call, struct err *err);
int ask_startable(struct ui_call *call, struct err *err);
int ask_loop(struct ui_call *call, struct err *err);
int ask_reviewers(struct ui_call *call, struct err *err);
int ask_across(struct ui_call *call, struct err *err);
int ask_diff(struct ui_call *call, struct err *err);

int act_start(struct ui_call *call, struct err *err);
int act_stop(struct ui_call *call, struct err *err);
int act_resume(struct ui_call *call, struct err *err);
int act_answer(struct ui_call *call, struct err *err);
int act_waive(struct ui_call *call, struct err *err);

#endif
