/* SPDX-License-Identifier: Apache-2.0
 *
 * err.h - an operating error: a code for the program, one line for the person.
 *
 * A function that can fail returns 0 or a code, and takes a struct err where the caller wants
 * the words. Each layer adds its own words once, in front: "open session: open x.log: No such
 * file or directory". Bugs do not come this way: they assert.
 *
 * Room: what every other room stands on: errors, memory, texts, paths as texts, clocks as numbers.
 * It calls nothing but the C library's own memory and string functions. */
#ifndef HONE_BASE_ERR_H
#define HONE_BASE_ERR_H

enum err_code {
    ERR_NONE,
    ERR_SYSTEM,  /* the operating system refused: disk full, no permission, no such file */
    ERR_FORMAT,  /* text that was read is not what it should be */
    ERR_LIMIT,   /* a bound of ours was reached */
    ERR_USAGE,   /* the person asked for something that does not exist or does not fit */
    ERR_BUSY,    /* another process holds it */
    ERR_MISSING, /* it is not there */
    ERR_FAILED,  /* a program we called failed */
};

enum { ERR_TEXT_BYTES = 1024 };

struct err {
    enum err_code code;
    char text[ERR_TEXT_BYTES]; /* one line, no final point; cut with an ellipsis when too long */
};

/* Sets code and text; returns the code, so that callers write `return err_set(...)`. */
int err_set(struct err *err, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ERR_SYSTEM with ": " and the words for errno_value behind the text. */
int err_system(struct err *err, int errno_value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "text: " in front of what is there; keeps and returns the code. */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An error has a code, never 0. An analyzer that reads one file at a time cannot see it, and takes
 * every `return err_set(...)` for a way to success with nothing set: it is told. */
#if defined(__clang_analyzer__) && !defined(ERR_DEFINED_HERE)
static inline int err_is_set(int code)
{
    if (code == 0) __builtin_unreachable();
    return code;
}
#define err_set(...) err_is_set(err_set(__VA_ARGS__))
#define err_system(...) err_is_set(err_system(__VA_ARGS__))
#define err_wrap(...) err_is_set(err_wrap(__VA_ARGS__))
#endif

#endif
