/* SPDX-License-Identifier: Apache-2.0
 *
 * shell_words.h - the commands of a shell line, and their words, without running anything. */
#ifndef HONE_FORMAT_SOURCE_SHELL_WORDS_H
#define HONE_FORMAT_SOURCE_SHELL_WORDS_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct shell_word {
    const char *text; /* quotes and escapes taken off */
    bool expands;     /* held $x, $(x) or `x`: only a shell knows what, and it is left out */
};

enum shell_step {
    SHELL_RUN,   /* a simple command */
    SHELL_ENTER, /* "(": what follows, up to its SHELL_LEAVE, runs in a shell of its own */
    SHELL_LEAVE,
    SHELL_STEP_COUNT
};

struct shell_command {
    enum shell_step step;
    struct shell_word *words; /* of SHELL_RUN: at least one */
    uint32_t count;
    bool piped;               /* its output goes into the command behind it ... */
    bool away;                /* ... or into a file */
    bool here;                /* lines of the text are its input: what follows may be no command */
};

struct shell_line {
    struct shell_command *items;
    uint32_t count;
};

/* Splits at ; & && || | and line ends. The words of redirections and comments are left out, and so
 * are the words that only lead to a command (then, do, else, if, !, { ...). Quotes that are not
 * closed end with the text. NUL bytes are skipped. What is given lives in arena. */
void shell_split(struct str text, struct arena *arena, struct shell_line *out);

#endif
