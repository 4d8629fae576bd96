/* SPDX-License-Identifier: Apache-2.0
 *
 * kept_flags.c - a second opinion on compile_flags.c: written from the other side, as what a
 * compiler must never be told by a file that is not trusted. */
#include "kept_flags.h"

#include <assert.h>
#include <string.h>

static bool starts(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static bool is_pair(const char *word)
{
    static const char *const pairs[] = { "-iquote", "-isystem", "-idirafter", "-include",
                                         "-imacros" };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (strcmp(word, pairs[i]) == 0) return true;
    }
    return false;
}

static void expect_harmless_word(const char *word)
{
    static const char *const never[] = {
        "-fplugin", "-wrapper", "-specs", "--", "-B", "-X", "-o", "-M", "-load", "-mllvm", "-cc1",
        "-Wp,", "-Wl,", "-Wa,", "-fmodule", "-fdump", "-fprofile", "-fsanitize", "-fuse-ld",
        "-save", "-aux", "-dump", "-x", "-T", "-L", "-l", "-c", "-S", "-E", "-include-pch", "-I-",
        "-D_FORTIFY_SOURCE", "-mdump", "-fdiagnostics", "-ftime", "-ivfs",
    };

    assert(word[0] == '-' && word[1] != '\0');
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) assert(!starts(word, never[i]));
    assert(strcmp(word, "-Werror") != 0 && strcmp(word, "-I") != 0 && strcmp(word, "-D") != 0);
    if (word[1] == 'W' || word[1] == 'f' || word[1] == 'm' || word[1] == 's')
        assert(!strpbrk(word, ",/ \n@"));
}

void expect_harmless(const struct build_units *units)
{
    for (uint32_t i = 0; i < units->count; i++) {
        const struct build_unit *unit = &units->items[i];

        assert(unit->folder[0] == '/' && unit->file[0] != '\0');
        for (const char *const *flag = unit->flags; *flag; flag++) {
            if (is_pair(*flag)) {
                flag++;
                assert(*flag && (*flag)[0] != '-' && (*flag)[0] != '@' && (*flag)[0] != '\0');
            } else {
                expect_harmless_word(*flag);
            }
        }
    }
}
