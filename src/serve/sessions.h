/* SPDX-License-Identifier: Apache-2.0
 *
 * sessions.h - the sessions of HTTP clients that speak an older protocol.
 *
 * A session holds nothing but its name, by which a client's cancellation finds the client's own
 * call. There are at most SESSIONS_MAX at once: a new one takes the place of the oldest, whose
 * client is told at its next request to begin a new session. */
#ifndef HONE_SERVE_SESSIONS_H
#define HONE_SERVE_SESSIONS_H

#include "base/str.h"

enum { SESSIONS_MAX = 256, SESSION_LETTERS = 32 };

/* {0} has none. */
struct sessions {
    struct session {
        uint64_t number; /* 0: the place is free */
        char name[SESSION_LETTERS + 1];
    } places[SESSIONS_MAX];
    uint64_t last; /* number given */
};

const char *session_begin(struct sessions *sessions); /* its name, good until it ends */
uint64_t session_find(const struct sessions *sessions, struct str name); /* 0: there is none */
void session_end(struct sessions *sessions, uint64_t number);

#endif
