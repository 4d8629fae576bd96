/* SPDX-License-Identifier: Apache-2.0
 *
 * utf8.h - characters out of bytes that claim to be UTF-8. */
#ifndef HONE_FORMAT_TEXT_UTF8_H
#define HONE_FORMAT_TEXT_UTF8_H

#include "base/str.h"

/* The first character of s: its size in bytes, and its number in *code. 0 when s is empty or
 * begins with something that is no character: a stray or missing continuation byte, a form
 * longer than needed, a surrogate, a number above U+10FFFF. */
size_t utf8_next(struct str s, uint32_t *code);

/* How many bytes at the front of s are whole characters. */
size_t utf8_prefix(struct str s);

#endif
