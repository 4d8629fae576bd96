/* SPDX-License-Identifier: Apache-2.0
 *
 * secret.h - keys, tokens and passwords in a text, and names of files that hold such things.
 *
 * Two kinds of rules. A token has a form of its own (AKIA..., ghp_..., a PEM block) and is found
 * wherever it stands. A password is what is assigned to a name that says so (`password = "..."`),
 * and must look like one: long and mixed enough, and no placeholder (changeme, ${VAR}, <token>).
 *
 * Linear in the text, whatever it holds. A hash, a checksum, a minified script and a lock file are
 * no secrets. */
#ifndef HONE_FORMAT_SECRET_H
#define HONE_FORMAT_SECRET_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { SECRETS_MAX = 200, SECRET_SHOWN_BYTES_MAX = 64 };

struct secret {
    const char *kind;      /* fixed words: "aws-access-key", "private-key", "password" */
    const char *what;      /* for a person: "an AWS access key" */
    size_t begin, end;     /* its bytes in the text; of a name: 0, 0 */
    uint32_t line, column; /* from 1; columns count bytes; 0: the name of the file */
    char shown[SECRET_SHOWN_BYTES_MAX]; /* with most of it masked; ASCII without control bytes */
};

struct secrets {
    struct secret *items; /* in the order of the text, without overlap */
    uint32_t count, cap;
    uint32_t more;        /* beyond SECRETS_MAX */
};

/* Adds what stands in the text. The list grows in arena. */
void secret_scan(struct str text, struct arena *arena, struct secrets *out);

/* Adds the text with every secret in it masked: "[masked aws-access-key]". */
void secret_mask(struct str text, struct buf *out);

/* What a file with that name would be that nobody commits ("a private key", ".env" ...); its kind,
 * or NULL: an ordinary file. */
struct secret_name {
    const char *kind, *what;
};
const struct secret_name *secret_name_of(struct str path);

#endif
