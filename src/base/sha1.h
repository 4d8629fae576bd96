/* SPDX-License-Identifier: Apache-2.0
 *
 * sha1.h - SHA-1, for names that other services make by it. It proves nothing: sha256.h. */
#ifndef HONE_BASE_SHA1_H
#define HONE_BASE_SHA1_H

#include "base/str.h"

enum { SHA1_HEX_BYTES = 41 };

/* Of the text, as hexadecimal digits; returns out. */
const char *sha1_hex(struct str text, char out[SHA1_HEX_BYTES]);

#endif
