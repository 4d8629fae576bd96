/* SPDX-License-Identifier: Apache-2.0 */
#define ERR_DEFINED_HERE
#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Ends a text that did not fit in a visible way. */
static void mark_cut(struct err *err, int wanted)
{
    if (wanted >= ERR_TEXT_BYTES) memcpy(err->text + ERR_TEXT_BYTES - 4, "...", 4);
}

int err_set(struct err *err, enum err_code code, const char *format, ...)
{
    va_list args;

    assert(code != ERR_NONE);
    err->code = code;
    va_start(args, format);
    mark_cut(err, vsnprintf(err->text, sizeof err->text, format, args));
    va_end(args);
    return (int)code;
}

int err_system(struct err *err, int errno_value, const char *format, ...)
{
    char doing[ERR_TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(doing, sizeof doing, format, args);
    va_end(args);
    return err_set(err, ERR_SYSTEM, "%s: %s", doing, strerror(errno_value));
}

int err_wrap(struct err *err, const char *format, ...)
{
    char inner[ERR_TEXT_BYTES];
    char doing[ERR_TEXT_BYTES];
    va_list args;

    assert(err->code != ERR_NONE);
    memcpy(inner, err->text, sizeof inner);
    va_start(args, format);
    vsnprintf(doing, sizeof doing, format, args);
    va_end(args);
    return err_set(err, err->code, "%s: %s", doing, inner);
}
