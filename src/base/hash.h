/* SPDX-License-Identifier: Apache-2.0
 *
 * hash.h - FNV-1a: a number for a text, quick and the same on every machine. It tells texts apart;
 * it does not protect against an attacker, who can make two texts with the same number. */
#ifndef HONE_BASE_HASH_H
#define HONE_BASE_HASH_H

#include "base/str.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t hash_byte(uint64_t hash, char byte);
uint64_t hash_text(uint64_t hash, struct str text);

#endif
