/* SPDX-License-Identifier: Apache-2.0
 *
 * clang_tidy.c - analyzer clang-tidy.
 *
 * The repository's own .clang-tidy where there is one, else tidy_checks. Without one, `--config={}`
 * keeps a file above the workspace from deciding. */
#include "analyze/analyzers.h"
#include "analyze/words.h"

/* What is left out complains about ordinary C that is good as it is:
 *   easily-swappable-parameters, narrowing-conversions, implicit-widening, Padding: design, not
 *     defects; a table of numbers is full of them
 *   reserved-identifier, branch-clone, assignment-in-if-condition, no-int-to-ptr: style that many
 *     projects choose
 *   err33-c: wants every printf checked
 *   DeprecatedOrUnsafeBufferHandling: asks for memcpy_s, which the C library does not have */
static const char tidy_checks[] =
    "--checks=-*,clang-diagnostic-*,clang-analyzer-*,bugprone-*,performance-*,portability-*,"
    "cert-err*,cert-env*,misc-redundant-expression,misc-misplaced-const,"
    "-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,"
    "-bugprone-implicit-widening-of-multiplication-result,-bugprone-reserved-identifier,"
    "-bugprone-branch-clone,-bugprone-assignment-in-if-condition,-cert-err33-c,"
    "-performance-no-int-to-ptr,-clang-analyzer-optin.performance.Padding,"
    "-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling";

/* Flags of gcc's own are errors to clang. */
static bool clang_knows(struct str flag)
{
    static const char *const unknown[] = { "-fpermissive", "-fno-permissive", NULL };
    static const char *const machine[] = { "-m32", "-m64", "-mx32", "-march=", "-mtune=", "-msse",
                                           "-mavx", "-mfma", "-mbmi", "-maes", "-mpclmul",
                                           "-mpopcnt", "-mlzcnt", "-mf16c", "-msha", NULL };

    for (uint32_t i = 0; unknown[i]; i++) {
        if (str_is(flag, unknown[i])) return false;
    }
    if (!str_starts(flag, STR("-m"))) return true;
    for (uint32_t i = 0; machine[i]; i++) {
        if (str_starts(flag, str_of(machine[i]))) return true;
    }
    return false;
}

static const char *const *tidy_command(const struct analyzer_call *call, struct arena *arena)
{
    struct words words = { .arena = arena };

    word_add(&words, "clang-tidy");
    word_add(&words, "--quiet");
    if (!call->configured) {
        word_add(&words, "--config={}");
        word_add(&words, tidy_checks);
        word_add(&words, "--header-filter=.*");
    }
    word_add(&words, arena_printf(arena, "--export-fixes=%s", call->report));
    word_add_units(&words, call);
    word_add(&words, "--");
    word_add(&words, call_is_cxx(call) ? "-xc++" : "-xc");
    for (const char *const *flag = call->units[0]->flags; flag && *flag; flag++) {
        if (clang_knows(str_of(*flag))) word_add(&words, *flag);
    }
    word_add(&words, "-Wno-unknown-warning-option");
    word_add(&words, "-Wno-error");
    return words_take(&words);
}

/* ExtraArgs can have the compiler load a library: by its name, by a file of flags, or in letters
 * that YAML spells otherwise. */
static const char *const tidy_runs[] = { "plugin", "-load", "-cc1", "'@", "\"@", "\\x", "\\u",
                                         "\\U", "\\\n", NULL };

/* clang-diagnostic-*: as gcc's (gcc.c); a label that no jump names. The checks: a comment, the case
 * of a suffix, braces, a name or const that only a declaration has, one declaration as several, a
 * return or a declaration that says nothing new, override, a comparison with 0 that was implied.
 * Risky are all others: performance-* change what is copied and how long it lives, bugprone-* and
 * cert-* mend behaviour, modernize-* choose other functions and overloads. */
static const char *const tidy_safe[] = {
    "clang-diagnostic-format", "clang-diagnostic-missing-braces", "clang-diagnostic-extra-semi",
    "clang-diagnostic-unused-label", "clang-diagnostic-suggest-override",
    "clang-diagnostic-inconsistent-missing-override", "bugprone-argument-comment",
    "bugprone-suspicious-string-compare", "llvm-namespace-comment",
    "google-readability-namespace-comments", "readability-avoid-const-params-in-decls",
    "readability-braces-around-statements", "readability-isolate-declaration",
    "readability-inconsistent-declaration-parameter-name", "readability-redundant-control-flow",
    "readability-redundant-declaration", "readability-uppercase-literal-suffix",
    "modernize-use-override", "cppcoreguidelines-explicit-virtual-functions", "hicpp-use-override",
    NULL };

const struct analyzer analyzer_clang_tidy = {
    .name = "clang-tidy",
    .program = "clang-tidy",
    .package = "clang-tidy",
    .config = (const char *const[]){ ".clang-tidy", NULL },
    .config_runs = tidy_runs,
    .languages = language_c_family,
    .missed = true,
    .mangles = "\\",
    .batch = 1,
    .command = tidy_command,
    .report_in_file = true,
    .status = STATUS_EITHER,
    .safe = tidy_safe,
    .breaks = (const char *const[]){ "clang-diagnostic-error", NULL },
    .fix_rank = 1, /* it names types as they were written: %zu for a size_t, where gcc has %ld */
    .read = tidy_yaml_read,
};
