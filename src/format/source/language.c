/* SPDX-License-Identifier: Apache-2.0 */
#include "format/source/language.h"

#include "base/path.h"

static const struct {
    const char *end;
    enum language language;
    bool header;
} names[] = {
    { ".c", LANGUAGE_C, false },
    { ".cc", LANGUAGE_CXX, false },
    { ".cpp", LANGUAGE_CXX, false },
    { ".cxx", LANGUAGE_CXX, false },
    { ".C", LANGUAGE_CXX, false },
    { ".h", LANGUAGE_C, true },
    { ".hh", LANGUAGE_CXX, true },
    { ".hpp", LANGUAGE_CXX, true },
    { ".hxx", LANGUAGE_CXX, true },
    { ".sh", LANGUAGE_SHELL, false },
    { ".bash", LANGUAGE_SHELL, false },
    { ".dash", LANGUAGE_SHELL, false },
    { ".ksh", LANGUAGE_SHELL, false },
};

static const char *const shells[] = { "sh", "bash", "dash", "ksh" };

/* ".c" of "a/b.c"; empty where a name has no end, or is nothing else. */
static struct str end_of(struct str path)
{
    for (size_t i = path.size; i > 1 && path.data[i - 1] != '/'; i--) {
        if (path.data[i - 1] == '.' && path.data[i - 2] != '/') return str_skip(path, i - 1);
    }
    return (struct str){ "", 0 };
}

enum language language_of_name(struct str path, bool *header)
{
    struct str end = end_of(path);

    *header = false;
    for (size_t i = 0; end.size && i < sizeof names / sizeof names[0]; i++) {
        if (!str_is(end, names[i].end)) continue;
        *header = names[i].header;
        return names[i].language;
    }
    return LANGUAGE_NONE;
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

const char *shell_of_head(struct str head)
{
    struct str line, word;

    if (!str_starts(head, STR("#!"))) return NULL;
    head = str_skip(head, 2);
    if (!str_cut(&head, '\n', &line) || !next_word(&line, &word)) return "";
    if (str_is(path_leaf(word), "env")) {
        /* Options such as -S, and variables, stand before the program. */
        do {
            if (!next_word(&line, &word)) return "";
        } while (str_starts(word, STR("-")) || str_has(word, '='));
    }
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (str_is(path_leaf(word), shells[i])) return shells[i];
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
