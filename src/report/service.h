/* SPDX-License-Identifier: Apache-2.0
 *
 * service.h - a pull request on GitHub or GitLab, read and written by the programs gh and glab. */
#ifndef HONE_REPORT_SERVICE_H
#define HONE_REPORT_SERVICE_H

#include "format/json/json.h"
#include "format/report/request.h"

/* What came of a request. */
enum service_outcome {
    SERVICE_DONE,
    SERVICE_REFUSED, /* this one was not taken, and will not be: others may */
    SERVICE_LATER,   /* it may be taken when it is asked again; perhaps it was taken */
    SERVICE_NEVER,   /* none will be: no program, no login, no such request, no time left */
    SERVICE_OUTCOME_COUNT
};

struct service {
    const struct request *request;
    uint64_t timeout_ms;   /* for one answer */
    uint64_t wait_ms_left; /* that may be waited in all, until it can be asked again */
    /* Of the last request. */
    struct err err;        /* why it was not taken */
    uint64_t retry_ms;     /* of SERVICE_LATER: not before; 0: it did not say */
    int status;            /* HTTP's; 0: there was none */
};

struct service_question {
    const char *method, *path;
    const char *accept;     /* NULL: JSON */
    struct str body;        /* JSON, by standard input; may be empty */
    bool graph;             /* it is GraphQL: an answer may hold errors */
};

/* Asks once. *body is the answer, in arena. */
enum service_outcome service_ask(struct service *service, const struct service_question *question,
                                 struct arena *arena, struct str *body);
/* The same for an answer in JSON; free *out with yyjson_doc_free(). What is no JSON is
 * SERVICE_LATER. */
enum service_outcome service_ask_json(struct service *service,
                                      const struct service_question *question,
                                      struct arena *arena, yyjson_doc **out);

/* What a request that only reads came to, where it was not done: what is refused is not there. */
enum service_outcome service_unread(struct service *service, enum service_outcome outcome);

/* Whether a text of a service can be a commit: it becomes a part of addresses. */
bool commit_fits(struct str text);

/* Waits until it may be asked again, the nth time; false: that is longer than may be waited. */
bool service_wait(struct service *service, uint32_t nth);

/* ---- what each service does in its own way ---- */

/* A pull request as it stands. Lives in the arena it was read into. */
struct service_page {
    struct comment_standing standing;
    const char *head;               /* the commit that it ends with */
    const char *base, *start;       /* the commit it is measured against; GitLab has two */
    bool closed;                    /* it is closed or merged */
};

enum service_outcome github_read(struct service *service, struct arena *arena,
                                 struct service_page *out);
enum service_outcome gitlab_read(struct service *service, struct arena *arena,
                                 struct service_page *out);

/* The change, as git shows differences. */
enum service_outcome github_diff(struct service *service, struct arena *arena, struct str *out);
enum service_outcome gitlab_diff(struct service *service, struct arena *arena, struct str *out);

/* Performs the first of these steps; GitHub takes all inline comments that follow one another at
 * once. *taken: how many the outcome is about. */
enum service_outcome github_perform(struct service *service, const struct service_page *page,
                                    const struct comment_step *steps, uint32_t count,
                                    uint32_t *taken);
enum service_outcome gitlab_perform(struct service *service, const struct service_page *page,
                                    const struct comment_step *steps, uint32_t count,
                                    uint32_t *taken);

#endif
