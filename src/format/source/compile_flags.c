/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_flags.c - a compiler's command, reduced to what tells how a source is read.
 *
 * 1. Only flags named here pass, and those of families whose members all do no more than the
 *    family's name says: -W (without the ones that hand words to other programs), -m, -std.
 * 2. No word that is kept begins with "@": gcc and clang would read more flags from that file. A
 *    path that begins with "@" or "-" gets "./" in front.
 * 3. A word that only a shell could finish ($x, `x`) is dropped with its flag.
 * 4. Paths stay relative to the folder that the command was for.
 *
 * Left out on purpose: optimisation and debugging, which change code and not meaning, and with
 * them _FORTIFY_SOURCE, which complains when it is not optimised; -Werror, so that a warning stays
 * a warning; -m for another machine than ours, which our compilers do not know; warnings that only
 * clang knows, when clang was called: gcc stops at them. */
#include "format/source/compile_flags.h"

#include "base/byte.h"
#include "base/mem.h"
#include "base/path.h"
#include "format/source/language.h"

#include <stdlib.h>

enum kind {
    DROP,      /* the word alone */
    DROP_NEXT, /* the word, and the next one when nothing is joined to it */
    KEEP,      /* the word alone */
    KEEP_JOINED, /* -Ix or -I x: comes out as one word */
    KEEP_PAIR,   /* -isystem x or -isystemx: comes out as two */
};

enum match { WHOLE, START, TOGGLE /* -fX and -fno-X */ };

static const struct rule {
    const char *text;
    enum match match;
    enum kind kind;
} rules[] = {
    { "-include-pch", START, DROP_NEXT }, { "-imultilib", START, DROP_NEXT },
    { "-iprefix", START, DROP_NEXT },     { "-I-", WHOLE, DROP },
    { "-I", START, KEEP_JOINED },         { "-iquote", START, KEEP_PAIR },
    { "-isystem", START, KEEP_PAIR },     { "-idirafter", START, KEEP_PAIR },
    { "-include", START, KEEP_PAIR },     { "-imacros", START, KEEP_PAIR },
    { "-D", START, KEEP_JOINED },         { "-U", START, KEEP_JOINED },

    { "-std=", START, KEEP },     { "-ansi", WHOLE, KEEP },      { "-pthread", WHOLE, KEEP },
    { "-pedantic", WHOLE, KEEP }, { "-nostdinc", WHOLE, KEEP },  { "-nostdinc++", WHOLE, KEEP },
    { "-undef", WHOLE, KEEP },    { "-trigraphs", WHOLE, KEEP },

    { "signed-char", TOGGLE, KEEP },      { "unsigned-char", TOGGLE, KEEP },
    { "short-enums", TOGGLE, KEEP },      { "short-wchar", TOGGLE, KEEP },
    { "exceptions", TOGGLE, KEEP },       { "rtti", TOGGLE, KEEP },
    { "builtin", TOGGLE, KEEP },          { "-fno-builtin-", START, KEEP },
    { "ms-extensions", TOGGLE, KEEP },    { "char8_t", TOGGLE, KEEP },
    { "openmp", TOGGLE, KEEP },           { "wrapv", TOGGLE, KEEP },
    { "strict-aliasing", TOGGLE, KEEP },  { "math-errno", TOGGLE, KEEP },
    { "permissive", TOGGLE, KEEP },       { "delete-null-pointer-checks", TOGGLE, KEEP },
    { "common", TOGGLE, KEEP },           { "asm", TOGGLE, KEEP },
    { "operator-names", TOGGLE, KEEP },   { "access-control", TOGGLE, KEEP },
    { "threadsafe-statics", TOGGLE, KEEP }, { "dollars-in-identifiers", TOGGLE, KEEP },
    { "PIC", TOGGLE, KEEP },  { "pic", TOGGLE, KEEP },
    { "PIE", TOGGLE, KEEP },  { "pie", TOGGLE, KEEP },
    { "-ffreestanding", WHOLE, KEEP },    { "-fgnu89-inline", WHOLE, KEEP },

    /* What would make the word behind it look like a source. */
    { "-o", WHOLE, DROP_NEXT },  { "-x", WHOLE, DROP_NEXT },   { "-MF", WHOLE, DROP_NEXT },
    { "-MT", WHOLE, DROP_NEXT }, { "-MQ", WHOLE, DROP_NEXT },  { "-MJ", WHOLE, DROP_NEXT },
    { "-T", WHOLE, DROP_NEXT },  { "-u", WHOLE, DROP_NEXT },   { "-L", WHOLE, DROP_NEXT },
    { "-l", WHOLE, DROP_NEXT },  { "-z", WHOLE, DROP_NEXT },   { "-e", WHOLE, DROP_NEXT },
    { "-A", WHOLE, DROP_NEXT },  { "-B", WHOLE, DROP_NEXT },   { "-G", WHOLE, DROP_NEXT },
    { "-arch", WHOLE, DROP_NEXT },     { "-target", WHOLE, DROP_NEXT },
    { "-mllvm", WHOLE, DROP_NEXT },    { "--param", WHOLE, DROP_NEXT },
    { "-wrapper", WHOLE, DROP_NEXT },  { "-specs", WHOLE, DROP_NEXT },
    { "-isysroot", WHOLE, DROP_NEXT }, { "--sysroot", WHOLE, DROP_NEXT },
    { "-Xclang", WHOLE, DROP_NEXT },   { "-Xpreprocessor", WHOLE, DROP_NEXT },
    { "-Xlinker", WHOLE, DROP_NEXT },  { "-Xassembler", WHOLE, DROP_NEXT },
    { "-load", WHOLE, DROP_NEXT },     { "-framework", WHOLE, DROP_NEXT },
    { "-dumpbase", WHOLE, DROP_NEXT }, { "-dumpdir", WHOLE, DROP_NEXT },
    { "-aux-info", WHOLE, DROP_NEXT }, { "-plugin", WHOLE, DROP_NEXT },
};

static const char *const compilers[] = { "cc", "gcc", "clang", "c89", "c99", "tcc", "icc", "icx",
                                         "c++", "g++", "clang++", "icpc", "icpx" };
static const char *const wrappers[] = { "ccache", "sccache", "distcc", "icecc", "env", "nice" };

/* Of the warnings that clang was asked for: those gcc knows by the same name. */
static const char *const shared_warnings[] = {
    "all", "extra", "pedantic", "shadow", "conversion", "sign-conversion", "sign-compare",
    "cast-qual", "cast-align", "undef", "unused", "unused-parameter", "unused-variable",
    "unused-function", "uninitialized", "format", "format=2", "format-security",
    "format-nonliteral", "missing-prototypes", "missing-declarations", "strict-prototypes",
    "pointer-arith", "write-strings", "vla", "switch", "switch-enum", "switch-default",
    "implicit-fallthrough", "float-equal", "double-promotion", "null-dereference",
    "redundant-decls", "bad-function-cast", "old-style-definition", "old-style-cast",
    "non-virtual-dtor", "overloaded-virtual", "return-type", "strict-overflow",
    "nested-externs", "disabled-optimization", "init-self", "alloca", "parentheses",
    "missing-field-initializers", "missing-noreturn", "empty-body", "type-limits",
};

struct tool {
    bool clang;
    bool foreign; /* compiles for another machine */
};

struct list {
    const char **items;
    uint32_t count, cap;
};

static void list_add(struct list *list, const char *item)
{
    list->items = mem_grow(list->items, list->count, &list->cap, sizeof *list->items);
    list->items[list->count++] = item;
}

static const char *const *list_take(struct list *list, struct arena *arena)
{
    const char **out = arena_alloc(arena, (list->count + 1) * sizeof *out);

    for (uint32_t i = 0; i < list->count; i++) out[i] = list->items[i];
    free(list->items);
    return out;
}

static bool is_in(struct str word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_is(word, names[i])) return true;
    }
    return false;
}

/* ---- which program ---- */

/* gcc of gcc-12 and clang++ of clang++-14.0. */
static struct str without_version(struct str name)
{
    size_t size = name.size;

    while (size > 0 && (name.data[size - 1] == '.' ||
                        byte_is_digit(name.data[size - 1])))
        size--;
    if (size == name.size || size < 2 || name.data[size - 1] != '-') return name;
    return (struct str){ name.data, size - 1 };
}

static bool is_compiler(struct str program, struct tool *out)
{
    struct str name = without_version(path_leaf(program));

    *out = (struct tool){ 0 };
    if (str_ends(name, STR(".exe"))) name.size -= 4;
    while (!is_in(name, compilers, sizeof compilers / sizeof compilers[0])) {
        struct str part;

        if (!str_has(name, '-')) return false;
        out->foreign = true; /* arm-none-eabi-gcc */
        str_cut(&name, '-', &part);
    }
    out->clang = str_starts(name, STR("clang"));
    return true;
}

static bool is_variable(struct str word)
{
    struct str name;

    if (!str_has(word, '=') || str_starts(word, STR("-"))) return false;
    str_cut(&word, '=', &name);
    return name.size > 0 && !str_has(name, '/');
}

/* The index of the compiler among the words; count when there is none. */
static uint32_t find_compiler(const struct shell_word *words, uint32_t count, struct tool *tool)
{
    uint64_t number;
    uint32_t at = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (str_is(str_of(words[i].text), "--mode=compile")) at = i + 1;
    }
    for (; at < count; at++) {
        struct str word = str_of(words[at].text);

        if (words[at].expands) return count;
        if (is_compiler(word, tool)) return at;
        if (!is_variable(word) && !str_starts(word, STR("-")) && !str_number(word, &number) &&
            !is_in(path_leaf(word), wrappers, sizeof wrappers / sizeof wrappers[0]))
            return count;
    }
    return count;
}

/* ---- which flags ---- */

/* Nothing but what a name or a number is made of: no comma, no blank, no slash. */
static bool is_plain(struct str word)
{
    for (size_t i = 0; i < word.size; i++) {
        char byte = word.data[i];

        if (!byte_is_alnum(byte) && !str_has(STR("+-=_."), byte))
            return false;
    }
    return word.size > 0;
}

static bool keeps_warning(struct str name, const struct tool *tool)
{
    if (!is_plain(name) || str_is(name, "error") || str_is(name, "fatal-errors")) return false;
    if (!tool->clang || str_starts(name, STR("no-"))) return true;
    return is_in(name, shared_warnings, sizeof shared_warnings / sizeof shared_warnings[0]);
}

static bool keeps_machine(struct str name, const struct tool *tool)
{
    return !tool->foreign && is_plain(name) && !str_starts(name, STR("llvm")) &&
           !str_starts(name, STR("dump"));
}

static bool rule_fits(const struct rule *rule, struct str word)
{
    switch (rule->match) {
    case WHOLE: return str_is(word, rule->text);
    case START: return str_starts(word, str_of(rule->text));
    case TOGGLE: break;
    }
    if (!str_starts(word, STR("-f"))) return false;
    word = str_skip(word, 2);
    if (str_starts(word, STR("no-"))) word = str_skip(word, 3);
    return str_is(word, rule->text);
}

static const struct rule *rule_of(struct str word)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rule_fits(&rules[i], word)) return &rules[i];
    }
    return NULL;
}

static void keep_value(const struct rule *rule, struct str value, struct arena *arena,
                       struct list *flags)
{
    bool macro = rule->text[1] == 'D' || rule->text[1] == 'U';
    const char *front = !macro && (str_starts(value, STR("@")) || str_starts(value, STR("-")))
                            ? "./" : "";

    if (value.size == 0 || (macro && str_starts(value, STR("_FORTIFY_SOURCE")))) return;
    if (rule->kind == KEEP_JOINED) {
        list_add(flags, arena_printf(arena, "%s%s%s", rule->text, front, value.data));
    } else {
        list_add(flags, rule->text);
        list_add(flags, arena_printf(arena, "%s%s", front, value.data));
    }
}

/* Takes the flag at words[at]; returns how many words it is. */
static uint32_t take_flag(const struct shell_word *words, uint32_t left, const struct tool *tool,
                          struct arena *arena, struct list *flags)
{
    struct str word = str_of(words[0].text);
    const struct rule *rule = rule_of(word);
    bool joined = rule && word.size > str_of(rule->text).size;
    bool takes_next = rule && rule->kind != DROP && rule->kind != KEEP && !joined;
    bool expands = words[0].expands || (takes_next && left > 1 && words[1].expands);

    if (rule && (rule->kind == KEEP_JOINED || rule->kind == KEEP_PAIR) && !expands) {
        if (joined) keep_value(rule, str_skip(word, str_of(rule->text).size), arena, flags);
        else if (left > 1) keep_value(rule, str_of(words[1].text), arena, flags);
    } else if (!expands && ((rule && rule->kind == KEEP && is_plain(word)) ||
                            (!rule && str_starts(word, STR("-W")) &&
                             keeps_warning(str_skip(word, 2), tool)) ||
                            (!rule && str_starts(word, STR("-m")) &&
                             keeps_machine(str_skip(word, 2), tool)))) {
        list_add(flags, arena_cstr(arena, word));
    }
    return takes_next && left > 1 ? 2 : 1;
}

static bool is_unit(struct str path)
{
    bool header;
    enum language language = language_of_name(path, &header);

    return !header && (language == LANGUAGE_C || language == LANGUAGE_CXX);
}

bool compile_read(const struct shell_word *words, uint32_t count, struct arena *arena,
                  struct compile *out)
{
    struct list flags = { 0 }, files = { 0 };
    struct tool tool = { 0 };
    uint32_t at = find_compiler(words, count, &tool);

    if (at == count) return false;
    for (uint32_t i = at; i < count; i++) {
        struct str word = str_of(words[i].text);

        if (str_is(word, "-target") || str_starts(word, STR("--target="))) tool.foreign = true;
    }
    for (at++; at < count;) {
        struct str word = str_of(words[at].text);

        if (str_starts(word, STR("-")) && word.size > 1) {
            at += take_flag(&words[at], count - at, &tool, arena, &flags);
            continue;
        }
        if (is_unit(word)) list_add(&files, arena_cstr(arena, word));
        at++;
    }
    out->flags = list_take(&flags, arena);
    out->files = list_take(&files, arena);
    return true;
}
