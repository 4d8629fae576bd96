/* SPDX-License-Identifier: Apache-2.0
 *
 * secret.h - keys, tokens and passwords in a text, and names of files that hold such things.
 *
 * Two kinds of rules. A token has a form of its own (a prefix that its issuer gave it, a PEM
 * block) and is found wherever it stands. A password is what is assigned to a name that says so,
 * and must look like one: long and mixed enough, and no placeholder (changeme, ${VAR}, <token>).
 *
 * The time is linear in any text. A hash, a checksum, a minified script and a lock file are no
 * secrets.
 *
 * Room: secrets in texts: found, and masked. */
#ifndef HONE_FORMAT_SECRET_SECRET_H
#define HONE_FORMAT_SECRET_SECRET_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { SECRET_SHOWN_BYTES_MAX = 64 };

struct secret {
    const char *kind;      /* fixed words: "aws-access-key", "private-key", "password" */
    const char *what;      /* for a person: "an AWS access key" */
    size_t begin, end;     /* its bytes in the text: what must not be shown */
    uint32_t line, column; /* of its beginning, from 1; columns count bytes */
    char shown[SECRET_SHOWN_BYTES_MAX]; /* without what is secret of it; printable ASCII */
};

/* A walk over a text. { .text = text } begins one. */
struct secret_walk {
    struct str text;
    size_t at;                     /* where it goes on */
    size_t line_begin, line_count; /* of the last one that was found */
    size_t line_end;               /* of the line that is looked at */
    bool long_line;
};

/* The next secret; false: there are no more. They come in order and do not overlap. */
bool secret_next(struct secret_walk *walk, struct secret *out);

/* A kind of file that is known by its name. */
struct secret_name {
    const char *what; /* for a person: "a file of settings for one machine (.env)" */
    const char *const *needs; /* texts of which the content must have one; NULL: it need not */
};

/* NULL: an ordinary file. path: relative. */
const struct secret_name *secret_name_of(struct str path);
/* Whether a file with such a name and this content (or its beginning) is what its name says. */
bool secret_name_fits(const struct secret_name *name, struct str content);

#endif
