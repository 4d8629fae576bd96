/* SPDX-License-Identifier: Apache-2.0
 *
 * gcc.c - analyzer gcc: its warnings, and the paths that -fanalyzer follows.
 *
 * -O0 behind all else: optimised, -fanalyzer says little. -S to /dev/null: the analyzer is silent
 * without a back end (-fsyntax-only), and an assembler has nothing to add. -fanalyzer is made for
 * C; of C++ it says little and takes long. */
#include "analyze/analyzers.h"
#include "analyze/words.h"

static const char *const *gcc_command(const struct analyzer_call *call, struct arena *arena)
{
    /* The paths themselves are not kept. The default of the factor takes three times as long, and
     * spends it in the few functions that it then gives up on. */
    static const char *const paths[] = { "-fanalyzer", "-fanalyzer-verbosity=0",
                                         "--param=analyzer-bb-explosion-factor=2", NULL };
    static const char *const last[] = { "-fdiagnostics-format=json", "-fno-lto",
                                        "-U_FORTIFY_SOURCE", "-O0", "-Wno-error", "-S", "-o",
                                        "/dev/null", "-x", NULL };
    struct words words = { .arena = arena };

    word_add(&words, call_is_cxx(call) ? "g++" : "gcc");
    word_add(&words, "-Wall");
    word_add(&words, "-Wextra");
    word_add_list(&words, call->units[0]->flags);
    if (!call_is_cxx(call)) word_add_list(&words, paths);
    word_add_list(&words, last);
    word_add(&words, call_is_cxx(call) ? "c++" : "c");
    word_add_units(&words, call);
    return words_take(&words);
}

/* -Wformat: what a call with the wrong type does is undefined; one with the right type is what was
 * meant. -Wmissing-braces, -Wextra-semi: the same program, written otherwise. -Wsuggest-override: a
 * word for the compiler. Risky are all others: a fix that silences a doubt (-Wparentheses), guesses
 * a name (errors have no rule), chooses between two meanings (-Wimplicit-fallthrough), or brings in
 * a header with all its names. */
static const char *const gcc_safe[] = { "-Wformat", "-Wformat=", "-Wmissing-braces",
                                        "-Wextra-semi", "-Wsuggest-override", NULL };

/* An error has no rule, or that of the option that would make a warning of it. */
static const char *const gcc_breaks[] = { "", "-fpermissive", NULL };

const struct analyzer analyzer_gcc = {
    .name = "gcc",
    .program = "gcc",
    .package = "gcc",
    .languages = language_c_family,
    .missed = true,
    .batch = 1,
    .command = gcc_command,
    .report_on_err = true,
    .status = STATUS_ERRORS,
    .safe = gcc_safe,
    .breaks = gcc_breaks,
    .read = gcc_json_read,
};
