/* SPDX-License-Identifier: Apache-2.0
 *
 * analyzers.c - the table of analyzers: for each its languages, its command and its reader.
 *
 * A unit's flags have passed a list of what cannot run, load or write anything (format/
 * compile_flags.c). Here they are cut down to what each program understands.
 *
 * gcc       -O0 behind all else: optimised, -fanalyzer says little. -S to /dev/null: the analyzer
 *           is silent without a back end (-fsyntax-only), and an assembler has nothing to add.
 *           -fanalyzer is made for C; of C++ it says little and takes long.
 * clang-tidy  The repository's own .clang-tidy where there is one, else tidy_checks. Without one,
 *           `--config={}` keeps a file above the workspace from deciding.
 * cppcheck  One -D at least: without any it tries many combinations, and says nothing about a file
 *           where each of them ends in #error. A file that it does not find among others is
 *           passed over in silence: no name that it would change may come to it.
 * shellcheck  Follows what a script sources, so that it knows the variables of it; what it cannot
 *           find (SC1090, SC1091) is no finding, nor is a library without "#!" (SC2148). Without a
 *           .shellcheckrc of the repository two guesses that are mostly wrong are left out: that a
 *           '$x' was meant to expand (SC2016), and that a function called by its name in a variable
 *           or a trap is never reached (SC2317).
 *
 * Not here: running them (analyze.c), backends (analyzer.c). */
#include "analyze/analyzer.h"

#include "base/mem.h"
#include "format/text/safe.h"

#include <stdlib.h>

enum { SLIP_MAX = 2, NAME_SHOWN_MAX = 60 };

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

static const enum language c_family[] = { LANGUAGE_C, LANGUAGE_CXX, LANGUAGE_NONE };
static const enum language shells[] = { LANGUAGE_SHELL, LANGUAGE_NONE };

/* ---- words of a command ---- */

struct words {
    const char **items;
    uint32_t count, cap;
    struct arena *arena;
};

static void word_add(struct words *words, const char *word)
{
    words->items = mem_grow(words->items, words->count, &words->cap, sizeof *words->items);
    words->items[words->count++] = word;
}

static void add_list(struct words *words, const char *const *list)
{
    for (; list && *list; list++) word_add(words, *list);
}

/* Absolute, so that no name is read as an option. */
static void add_units(struct words *words, const struct analyzer_call *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        word_add(words, arena_printf(words->arena, "%s/%s", call->workspace, call->units[i]->path));
    }
}

static const char *const *words_take(struct words *words)
{
    const char **out = arena_alloc(words->arena, (words->count + 1) * sizeof *out);

    for (uint32_t i = 0; i < words->count; i++) out[i] = words->items[i];
    free(words->items);
    return out;
}

static bool is_cxx(const struct analyzer_call *call)
{
    return call->units[0]->language == LANGUAGE_CXX;
}

/* ---- gcc ---- */

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

    word_add(&words, is_cxx(call) ? "g++" : "gcc");
    word_add(&words, "-Wall");
    word_add(&words, "-Wextra");
    add_list(&words, call->units[0]->flags);
    if (!is_cxx(call)) add_list(&words, paths);
    add_list(&words, last);
    word_add(&words, is_cxx(call) ? "c++" : "c");
    add_units(&words, call);
    return words_take(&words);
}

/* ---- clang-tidy ---- */

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
    add_units(&words, call);
    word_add(&words, "--");
    word_add(&words, is_cxx(call) ? "-xc++" : "-xc");
    for (const char *const *flag = call->units[0]->flags; flag && *flag; flag++) {
        if (clang_knows(str_of(*flag))) word_add(&words, *flag);
    }
    word_add(&words, "-Wno-unknown-warning-option");
    word_add(&words, "-Wno-error");
    return words_take(&words);
}

/* ---- cppcheck ---- */

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
        "--library=posix", "-D__linux__=1", "-D__unix__=1", NULL,
    };
    struct words words = { .arena = arena };

    add_list(&words, first);
    word_add(&words, is_cxx(call) ? "--language=c++" : "--language=c");
    add_cppcheck_flags(&words, call->units[0]->flags);
    add_units(&words, call);
    return words_take(&words);
}

/* ---- shellcheck ---- */

static const char *const *shellcheck_command(const struct analyzer_call *call, struct arena *arena)
{
    static const char *const first[] = { "shellcheck", "--format=json1", "--external-sources",
                                         "--source-path=SCRIPTDIR", NULL };
    struct words words = { .arena = arena };

    add_list(&words, first);
    if (call->configured) {
        word_add(&words, "--exclude=SC1090,SC1091,SC2148");
    } else {
        word_add(&words, "--norc");
        word_add(&words, "--exclude=SC1090,SC1091,SC2148,SC2016,SC2317");
    }
    add_units(&words, call);
    return words_take(&words);
}

/* ---- the table ---- */

const struct analyzer analyzers[] = {
    {
        .name = "gcc", .program = "gcc", .package = "gcc",
        .languages = c_family, .batch = 1, .command = gcc_command, .report_on_err = true,
        .status = STATUS_ERRORS, .read = gcc_json_read,
    },
    {
        .name = "clang-tidy", .program = "clang-tidy", .package = "clang-tidy",
        .config = ".clang-tidy", .languages = c_family, .mangles = "\\", .batch = 1,
        .command = tidy_command, .report_in_file = true, .status = STATUS_EITHER,
        .read = tidy_yaml_read,
    },
    {
        /* A call costs 10 ms before it reads a file of 20 ms. */
        .name = "cppcheck", .program = "cppcheck", .package = "cppcheck",
        .languages = c_family, .mangles = "\\\"", .batch = 16, .command = cppcheck_command,
        .report_on_err = true, .status = STATUS_FAILED, .read = cppcheck_xml_read,
    },
    {
        .name = "shellcheck", .program = "shellcheck", .package = "shellcheck",
        .config = ".shellcheckrc", .languages = shells, .batch = 16,
        .command = shellcheck_command, .status = STATUS_FINDINGS, .read = shellcheck_json_read,
    },
    { .name = NULL },
};

const struct analyzer *analyzer_find(struct str name)
{
    for (const struct analyzer *row = analyzers; row->name; row++) {
        if (str_is(name, row->name)) return row;
    }
    return NULL;
}

static int name_unknown(struct str name, struct err *err)
{
    const struct analyzer *near = NULL;
    uint32_t least = SLIP_MAX + 1;
    struct buf shown, list;
    int rc;

    buf_init(&shown, 4 * NAME_SHOWN_MAX);
    buf_init(&list, 256);
    safe_text(&shown, name, true, NAME_SHOWN_MAX);
    for (const struct analyzer *row = analyzers; row->name; row++) {
        uint32_t distance = str_distance(name, str_of(row->name));

        if (distance < least && distance < str_of(row->name).size) {
            least = distance;
            near = row;
        }
        buf_printf(&list, "%s%s", list.size ? ", " : "", row->name);
    }
    if (near) {
        rc = err_set(err, ERR_USAGE, "unknown analyzer '%s'; did you mean '%s'?",
                     buf_cstr(&shown), near->name);
    } else {
        rc = err_set(err, ERR_USAGE, "unknown analyzer '%s'; there are: %s; any other tool that "
                     "writes SARIF or rdjson is sarif:COMMAND or rdjson:COMMAND",
                     buf_cstr(&shown), buf_cstr(&list));
    }
    buf_release(&list);
    buf_release(&shown);
    return rc;
}

bool analyzer_next(struct str *list, const struct analyzer **out, struct err *err)
{
    struct str name;

    *out = NULL;
    *err = (struct err){ 0 };
    if (!str_cut(list, ',', &name)) return false;
    if (str_is(name, "none")) return true;
    *out = analyzer_find(name);
    if (!*out) name_unknown(name, err);
    return true;
}

bool analyzer_reads(const struct analyzer *analyzer, enum language language)
{
    for (const enum language *known = analyzer->languages; *known != LANGUAGE_NONE; known++) {
        if (*known == language) return true;
    }
    return false;
}

bool analyzer_fits(const struct analyzer *analyzer, const struct project *project)
{
    for (const enum language *known = analyzer->languages; *known != LANGUAGE_NONE; known++) {
        if (project_has(project, *known)) return true;
    }
    return false;
}
