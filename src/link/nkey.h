/* SPDX-License-Identifier: Apache-2.0
 *
 * nkey.h - keys of users as NATS writes them: Ed25519, with a prefix and a checksum, in base 32. */
#ifndef HONE_LINK_NKEY_H
#define HONE_LINK_NKEY_H

#include "base/err.h"

enum { NKEY_TEXT_BYTES = 64 };

/* A new user: what is secret, and its public name (U...). */
int nkey_new(char seed[NKEY_TEXT_BYTES], char name[NKEY_TEXT_BYTES], struct err *err);

/* The public name of the user whose seed is in a file. */
int nkey_of_seed(const char *path, char name[NKEY_TEXT_BYTES], struct err *err);

#endif
