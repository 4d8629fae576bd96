/* SPDX-License-Identifier: Apache-2.0
 *
 * mask.h - texts without the secrets in them: what secret.h finds, and the values of credentials
 * that are known by the names of their environment variables.
 *
 * Made for what is JSON or holds some: a mask stands in the place of bytes of a string and never
 * of a quote around it, nor of half an escape. What was JSON stays JSON, and says the same. */
#ifndef HONE_FORMAT_SECRET_MASK_H
#define HONE_FORMAT_SECRET_MASK_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct known;

/* Empty is a valid value: then only what secret.h finds is masked. */
struct mask {
    struct arena arena;
    struct known *known; /* values that must not be shown, in all their notations; NULL: none */
};

/* Whether there is a file, a folder or such at an absolute path. */
typedef bool mask_exists(const char *path);

/* Takes the credentials out of "NAME=value" texts; NULL ends. A credential is named like one
 * (GITHUB_TOKEN, X_API_KEY, DB_PASSWORD ...) and its value is no path, number or plain word. */
void mask_learn(struct mask *mask, const char *const *environment, mask_exists *exists);
/* Whether a value names a file: keys may begin with a slash, so one that does is a path only where
 * there is something at it. exists NULL: there is nothing at any. */
bool mask_is_path(struct str value, mask_exists *exists);
void mask_release(struct mask *mask);

/* Whether a variable of this name may hold a credential: its value is then kept from agents and
 * from files that do not need it. */
bool mask_is_secret_name(struct str name);

/* Whether there is anything to mask. Then, where out is not NULL, it gets the text with
 * "[KIND masked]" in place of each; else it is left as it is. */
bool mask_text(const struct mask *mask, struct str text, struct buf *out);

/* The text, or a copy in arena where something had to be masked. */
struct str mask_copy(const struct mask *mask, struct str text, struct arena *arena);

/* Of a text that comes in pieces: how much of this piece can be masked by itself, 1 byte at least.
 * What follows belongs to the next: a secret is in one of them. */
size_t mask_cut(struct str piece);

#endif
