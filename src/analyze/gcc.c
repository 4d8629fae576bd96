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
    .read = gcc_json_read,
};
