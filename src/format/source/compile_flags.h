/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_flags.h - what of a compiler's command matters for reading a source.
 *
 * Commands come from files of the repository, which are not trusted. Only flags on a list are kept:
 * folders and macros, the language, the machine, warnings. No flag gets through that runs a
 * program, loads one, writes a file or reads more flags from somewhere. */
#ifndef HONE_FORMAT_SOURCE_COMPILE_FLAGS_H
#define HONE_FORMAT_SOURCE_COMPILE_FLAGS_H

#include "base/arena.h"
#include "format/source/shell_words.h"

#include <stdbool.h>
#include <stdint.h>

struct compile {
    const char *const *flags; /* NULL ends; safe as words of an argv for gcc and clang */
    const char *const *files; /* C and C++ sources it reads, as it names them; NULL ends */
};

/* Reads a command: programs such as ccache, libtool and env in front of the compiler and
 * variables are skipped. False when there is no compiler in it. */
bool compile_read(const struct shell_word *words, uint32_t count, struct arena *arena,
                  struct compile *out);

#endif
