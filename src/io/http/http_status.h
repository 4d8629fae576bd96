/* SPDX-License-Identifier: Apache-2.0
 *
 * http_status.h - the statuses we answer with. For http.c. */
#ifndef HONE_IO_HTTP_HTTP_STATUS_H
#define HONE_IO_HTTP_HTTP_STATUS_H

struct http_status {
    int status;
    const char *reason;
    const char *header; /* that goes with it, with its line end; or "" */
    const char *words;  /* the body of a refusal */
};

/* One that we do not know is 400. */
const struct http_status *http_status(int status);

#endif
