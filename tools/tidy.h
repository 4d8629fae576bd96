/* SPDX-License-Identifier: Apache-2.0
 *
 * tidy.h - what clang-tidy cannot see from one file alone: an error has a code, never 0.
 *
 * Included in front of every file that clang-tidy reads, and by nothing else. Without it every
 * `return err_set(...)` looks like a way to success with nothing set. */
#ifndef HONE_TOOLS_TIDY_H
#define HONE_TOOLS_TIDY_H

#include "base/err.h"

static inline int err_is_set(int code)
{
    if (code == 0) __builtin_unreachable();
    return code;
}

#define err_set(...) err_is_set(err_set(__VA_ARGS__))
#define err_system(...) err_is_set(err_system(__VA_ARGS__))
#define err_wrap(...) err_is_set(err_wrap(__VA_ARGS__))

#endif
