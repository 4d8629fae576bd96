/* SPDX-License-Identifier: Apache-2.0
 *
 * door.h - who may come in: what a request to a server on this machine must say, before anything
 * else of it counts.
 *
 * A page in the user's browser can reach 127.0.0.1, by this or another name: Host and Origin must
 * name this machine. A program of another user can, too: the token must be there. */
#ifndef HONE_SERVE_DOOR_H
#define HONE_SERVE_DOOR_H

#include "io/http/http.h"

enum {
    DOOR_TOKEN_LETTERS = 40, /* of 32 kinds: 200 bits */
};

struct door {
    char token[DOOR_TOKEN_LETTERS + 1];
    uint16_t port; /* that Host and Origin must name; 0: any does */
};

/* A token of its own, made anew. */
void door_new_token(struct door *door);
/* Whether a text could be such a token. */
bool door_is_token(struct str text);

/* 0, or the status that refuses it: 403. */
int door_host(const struct door *door, const struct http_head *head);
/* Likewise for the token: 401. */
int door_token(const struct door *door, const struct http_head *head);
/* Likewise for the type of a body: 415. */
int door_json(const struct http_head *head);

#endif
