/* SPDX-License-Identifier: Apache-2.0
 *
 * comment.h - a run told on a pull request: what is to stand there, and the way to it. */
#ifndef HONE_REPORT_COMMENT_H
#define HONE_REPORT_COMMENT_H

#include "io/tree/tree.h"
#include "report/service.h"
#include "run/listed.h"

/* What the user asks for. */
struct comment_options {
    const char *key;             /* NULL: the dialect's name */
    enum comment_filter filter;
    uint32_t inline_max;
};

/* Empty is a valid value. Texts live in the look and in the listed run, which must stay. */
struct comment_run {
    struct arena arena;
    const struct look *look;
    struct listed *listed;
    const struct request *request;
    struct comment_options options;
    struct comment_about about;
    struct comment_item *items;  /* of all findings, the open ones first, the gravest first */
    uint32_t count;
    struct tree tree;            /* that the last review judged ... */
    bool judged;                 /* ... where it is still kept */
};

/* ERR_USAGE: the key cannot be one. comment_run_close() is due in any case. */
int comment_run_open(struct comment_run *run, const struct look *look, struct listed *listed,
                     const struct request *request, const struct comment_options *options,
                     struct err *err);
void comment_run_close(struct comment_run *run);

/* Finds the places, by the change as it is here: nothing is asked of a service. */
void comment_run_place_here(struct comment_run *run);

/* What would be posted where nothing stands yet; body and steps live in the run. */
struct comment_steps comment_run_plan(struct comment_run *run,
                                      const struct comment_standing *standing, struct str *body);

/* What was posted, and what was not. */
struct comment_result {
    uint32_t done[DEED_COUNT];
    uint32_t undone[DEED_COUNT]; /* that would have come, where it did not get to its end */
    const char **refused;        /* in words, one line each */
    uint32_t refused_count, refused_cap;
    bool complete;               /* all that was to be done was done or refused */
    bool closed;                 /* the pull request is closed or merged */
};

/* Reads, plans and performs, again and again while the service says "later" and there is time to
 * wait. ERR_FAILED with what the service said last; *out says how far it got, in any case. */
int comment_run_post(struct comment_run *run, struct service *service, struct comment_result *out,
                     struct err *err);

#endif
