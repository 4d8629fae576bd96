/* SPDX-License-Identifier: Apache-2.0
 *
 * refusal.h - what the operating system refused a program, as that program tells it. Pure. */
#ifndef HONE_FORMAT_TEXT_REFUSAL_H
#define HONE_FORMAT_TEXT_REFUSAL_H

#include "base/str.h"

enum refusal_kind {
    REFUSAL_NONE,
    REFUSAL_READ_ONLY, /* EROFS: what a file system that is mounted read-only says */
    REFUSAL_DENIED,    /* EACCES, EPERM on a file */
    REFUSAL_NOT_THERE, /* ENOENT */
    REFUSAL_NETWORK,   /* no route, no name service, or no sockets at all */
    REFUSAL_COUNT
};

struct refusal {
    enum refusal_kind kind;
    struct str path; /* absolute, in the text that was read; empty: it does not say */
};

/* The last refusal that the text tells of. A line without a path does not take the path from one
 * of the same kind before it: a stack trace repeats the error without its file. */
struct refusal refusal_read(struct str text);

#endif
