/* SPDX-License-Identifier: Apache-2.0 */
#include "format/source/language.h"

#include "base/byte.h"
#include "base/path.h"
#include "format/text/pattern.h"

const struct language language_c = {
    .name = "C",
    .ends = (const char *const[]){ ".c", NULL },
    .header_ends = (const char *const[]){ ".h", NULL },
};

const struct language language_cxx = {
    .name = "C++",
    .ends = (const char *const[]){ ".cc", ".cpp", ".cxx", ".C", NULL },
    .header_ends = (const char *const[]){ ".hh", ".hpp", ".hxx", NULL },
};

const struct language language_shell = {
    .name = "shell",
    .ends = (const char *const[]){ ".sh", ".bash", ".dash", ".ksh", NULL },
};

const struct language language_any = { .name = "any file", .aside = true };

static const char *const shells[] = { "sh", "bash", "dash", "ksh" };

/* ".c" of "a/b.c"; empty where a name has no end, or is nothing else. */
static struct str end_of(struct str path)
{
    for (size_t i = path.size; i > 1 && path.data[i - 1] != '/'; i--) {
        if (path.data[i - 1] == '.' && path.data[i - 2] != '/') return str_skip(path, i - 1);
    }
    return (struct str){ "", 0 };
}

static bool is_one_of(struct str end, const char *const *ends)
{
    for (; ends && *ends; ends++) {
        if (str_is(end, *ends)) return true;
    }
    return false;
}

bool language_has(const struct language *language, struct str path, bool *header)
{
    struct str end = end_of(path);

    *header = is_one_of(end, language->header_ends);
    return *header || is_one_of(end, language->ends);
}

bool language_has_path(const struct language *language, struct str path)
{
    for (const char *const *pattern = language->paths; pattern && *pattern; pattern++) {
        if (pattern_matches(str_of(*pattern), path)) return true;
    }
    return false;
}

bool language_is(const struct language *language, const struct language *wanted)
{
    for (; language; language = language->wider) {
        if (language == wanted || wanted == &language_any) return true;
    }
    return false;
}

/* The next word of a line of words. */
static bool next_word(struct str *line, struct str *word)
{
    *line = str_trim(*line);
    for (size_t i = 0; i < line->size; i++) {
        if (line->data[i] == '\t') {
            *word = (struct str){ line->data, i };
            *line = str_skip(*line, i);
            return true;
        }
        if (line->data[i] == ' ') break;
    }
    return str_cut(line, ' ', word);
}

bool program_of_head(struct str head, struct str *out)
{
    struct str line, word;

    *out = (struct str){ "", 0 };
    if (!str_starts(head, STR("#!"))) return false;
    head = str_skip(head, 2);
    if (!str_cut(&head, '\n', &line) || !next_word(&line, &word)) return true;
    if (str_is(path_leaf(word), "env")) {
        /* Options such as -S, and variables, stand before the program. */
        do {
            if (!next_word(&line, &word)) return true;
        } while (str_starts(word, STR("-")) || str_has(word, '='));
    }
    *out = path_leaf(word);
    return true;
}

bool language_has_program(const struct language *language, struct str program)
{
    for (const char *const *known = language->programs; known && *known; known++) {
        struct str rest = str_starts(program, str_of(*known))
                              ? str_skip(program, str_of(*known).size) : STR("?");

        while (rest.size > 0 && (byte_is_digit(rest.data[0]) || rest.data[0] == '.')) {
            rest = str_skip(rest, 1);
        }
        if (rest.size == 0) return true;
    }
    return false;
}

const char *shell_of_head(struct str head)
{
    struct str program;

    if (!program_of_head(head, &program)) return NULL;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (str_is(program, shells[i])) return shells[i];
    }
    return "";
}

const char *shell_of_name(struct str path)
{
    struct str end = str_skip(end_of(path), 1);

    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (str_is(end, shells[i])) return shells[i];
    }
    return "sh";
}
