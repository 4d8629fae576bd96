/* SPDX-License-Identifier: Apache-2.0
 *
 * cppcheck.c - analyzer cppcheck.
 *
 * One -D at least: without any it tries many combinations, and says nothing about a file where each
 * of them ends in #error. Of several files, cppcheck passes over in silence one that it does not
 * find: so it is never given a name that it would change. */
#include "analyze/analyzers.h"
#include "analyze/target.h"
#include "analyze/words.h"

/* The standards it has words for; for another one its default, which is the newest. */
static const char *cppcheck_std(struct str word)
{
    static const char *const known[][2] = {
        { "c89", "c89" }, { "c90", "c89" }, { "c99", "c99" }, { "c9x", "c99" }, { "c11", "c11" },
        { "c1x", "c11" }, { "c17", "c17" }, { "c18", "c17" }, { "c2x", "c2x" }, { "c23", "c2x" },
        { "c++98", "c++03" }, { "c++03", "c++03" }, { "c++11", "c++11" }, { "c++0x", "c++11" },
        { "c++14", "c++14" }, { "c++1y", "c++14" }, { "c++17", "c++17" }, { "c++1z", "c++17" },
        { "c++20", "c++20" }, { "c++2a", "c++20" }, { "c++23", "c++23" }, { "c++2b", "c++23" },
        { NULL, NULL },
    };

    if (str_starts(word, STR("gnu"))) word = str_skip(word, 3);
    else if (str_starts(word, STR("c"))) word = str_skip(word, 1);
    for (uint32_t i = 0; known[i][0]; i++) {
        if (str_is(word, known[i][0] + 1)) return known[i][1];
    }
    return NULL;
}

/* The flags it has a word for. */
static void add_cppcheck_flags(struct words *words, const char *const *flags)
{
    for (; flags && *flags; flags++) {
        struct str flag = str_of(*flags);
        const char *std = NULL;

        if (str_starts(flag, STR("-D")) || str_starts(flag, STR("-U")) ||
            str_starts(flag, STR("-I"))) {
            word_add(words, *flags);
        } else if (str_is(flag, "-iquote") && flags[1]) {
            word_add(words, arena_printf(words->arena, "-I%s", *++flags));
        } else if (str_is(flag, "-include") && flags[1]) {
            word_add(words, arena_printf(words->arena, "--include=%s", *++flags));
        } else if (str_starts(flag, STR("-std="))) {
            std = cppcheck_std(str_skip(flag, 5));
        } else if (str_is(flag, "-ansi")) {
            std = "c89";
        }
        if (std) word_add(words, arena_printf(words->arena, "--std=%s", std));
    }
}

static const char *const *cppcheck_command(const struct analyzer_call *call, struct arena *arena)
{
    /* readdirCalled asks for readdir_r, which the C library advises against. What begins with ctu
     * is found in several units at once: it depends on which are looked at together, and would
     * stay known of a unit (cache.c) when its cause in another one is mended. */
    static const char *const first[] = {
        "cppcheck", "--quiet", "--xml", "--enable=warning,performance,portability",
        "--inline-suppr", "--suppress=missingIncludeSystem", "--suppress=readdirCalled",
        "--suppress=ctuuninitvar", "--suppress=ctunullpointer", "--suppress=ctuArrayIndex",
        "--suppress=ctuPointerArith", "--suppress=ctuOneDefinitionRuleViolation",
        "--library=posix", NULL,
    };
    struct words words = { .arena = arena };

    word_add_list(&words, first);
    word_add_list(&words, target_macros);
    word_add(&words, call_is_cxx(call) ? "--language=c++" : "--language=c");
    add_cppcheck_flags(&words, call->units[0]->flags);
    word_add_units(&words, call);
    return words_take(&words);
}

const struct analyzer analyzer_cppcheck = {
    .name = "cppcheck",
    .program = "cppcheck",
    .package = "cppcheck",
    .languages = language_c_family,
    .missed = true,
    .mangles = "\\\"",
    .batch = 16, /* a call costs 10 ms before it reads a file of 20 ms */
    .command = cppcheck_command,
    .report_on_err = true,
    .status = STATUS_FAILED,
    .breaks = (const char *const[]){ "syntaxError", NULL },
    .read = cppcheck_xml_read,
};
