/* SPDX-License-Identifier: Apache-2.0
 *
 * request.h - which pull request is meant: by options, by what a pipeline tells, by the address of
 * the remote repository. Pure. */
#ifndef HONE_FORMAT_REPORT_REQUEST_H
#define HONE_FORMAT_REPORT_REQUEST_H

#include "base/err.h"
#include "format/pipeline.h"
#include "format/report/comment.h"

/* A pull request of GitHub's, a merge request of GitLab's. */
struct request {
    enum comment_service service;
    bool known;            /* the service and the repository are */
    const char *host;      /* "github.com" */
    const char *project;   /* "owner/name"; of GitLab "group/below/name" */
    uint64_t number;       /* 0: not known */
};

struct request_input {
    const struct pipeline *pipeline; /* NULL: we are in none */
    const char *remote;    /* the address of the remote repository; NULL: none */
    const char *service, *repository, *number; /* options; NULL: not given */
};

/* ERR_USAGE: an option is not what it should be, or what a pipeline says cannot be a repository.
 * What is not known is not an error yet: request_check(). Lives in arena. */
int request_read(const struct request_input *input, struct arena *arena, struct request *out,
                 struct err *err);
/* ERR_USAGE: it is not known which request is meant; the words say what to give. */
int request_check(const struct request *request, struct err *err);

/* "GitHub", "GitLab"; "github" and "gitlab" for options; "gh" and "glab", the programs. */
extern const char *const service_titles[COMMENT_SERVICE_COUNT];
extern const char *const service_words[COMMENT_SERVICE_COUNT];
extern const char *const service_programs[COMMENT_SERVICE_COUNT];

#endif
