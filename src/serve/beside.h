/* SPDX-License-Identifier: Apache-2.0
 *
 * beside.h - runs that a server starts, beside a person who is at work in the same tree. */
#ifndef HONE_SERVE_BESIDE_H
#define HONE_SERVE_BESIDE_H

#include <stdbool.h>

/* Whether the fixers of a run that begins in this folder are to be isolated: where a work tree can
 * be made (drive/isolate.c), unless the user's own files say otherwise. */
bool beside_isolates(const char *cwd);

#endif
