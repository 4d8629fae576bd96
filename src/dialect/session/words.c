/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c - the few words of answers that decide something: in a report that nothing had
 * to be changed, that the round was a no-op, that the work is in another checkout; in a review that
 * an issue is about concrete code.
 *
 * The form of a report says the first two word for word, and here they are in a table with their
 * small variants, in any case and dress. What is said otherwise does not count: the executor is
 * asked again and told the exact sentence. For the others there is no form: they are told by their
 * words.
 *
 * 1. Only the writer's own lines are read, not quotes and code.
 * 2. A sentence ends with a point, a colon, a dash that stands alone, its paragraph or its item, or
 *    after SENTENCE_BYTES_MAX. */
#include "dialect/session/parts.h"

#include "base/byte.h"

#include <string.h>

enum { SENTENCE_BYTES_MAX = 1024, WORDS_TO_PATH = 2 };

/* ---- phrases ---- */

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Cuts the phrase off the front of text; false: it is not there. */
static bool cut_phrase(struct str *text, const char *phrase)
{
    struct str rest = *text;

    for (; *phrase && *phrase != '*'; phrase++) {
        bool blank = *phrase == ' ';

        if (rest.size == 0) return false;
        if (blank ? !is_space(rest.data[0]) : byte_small(rest.data[0]) != *phrase) return false;
        do {
            rest = str_skip(rest, 1);
        } while (blank && rest.size && is_space(rest.data[0]));
    }
    if (!*phrase && rest.size && byte_is_alnum(rest.data[0])) return false;
    *text = rest;
    return true;
}

/* The same with one of these and the blanks behind it; NULL ends. */
static bool cut_one(struct str *text, const char *const *phrases)
{
    for (; *phrases; phrases++) {
        if (!cut_phrase(text, *phrases)) continue;
        while (text->size && is_space(text->data[0])) *text = str_skip(*text, 1);
        return true;
    }
    return false;
}

static bool is_word_begin(struct str text, size_t at)
{
    return at == 0 || !byte_is_alnum(text.data[at - 1]);
}

bool says_one_of(struct str text, const char *const *phrases)
{
    for (size_t i = 0; i < text.size; i++) {
        struct str rest = str_skip(text, i);

        if (is_word_begin(text, i) && cut_one(&rest, phrases)) return true;
    }
    return false;
}

/* ---- a place in the code ---- */

/* Names of pieces of code, and of faults that such a piece has. */
static const char *const pieces[] = {
    "function*", "method*", "loop*", "variable*", "pointer*", "buffer*", "parameter*", "argument*",
    "macro*", "struct", "structs", "class", "classes", "call", "calls", "caller*", "leak*",
    "overflow*", "underflow*", "dereference*", "off-by-one", "use-after-free", "race", "races",
    "deadlock*", "in line", "at line", "on line", "around line", NULL,
};

/* What a finding speaks of that has no place in the code. */
static const char *const no_place[] = {
    /* something missing */
    "no", "missing", "lack*", "without", "absent", "absence", "nothing", "none", "nowhere",
    "not implemented", "not tested", "not documented", "not covered", "not there", "not done",
    "does not exist", "do not exist", "left out", "unimplemented", "untested", "undocumented",
    "incomplete", "omit*", "forgot*",
    /* the plan */
    "plan", "plans", "planned", "step", "steps", "criterion", "criteria", "acceptance",
    "requirement*", "work item", "scope", "deviat*",
    /* the workspace */
    "workspace", "worktree*", "checkout", "clone", "diverg*", "repository",
    /* the whole */
    "whole", "entire*", "overall", "all", "every", "everywhere", "throughout", "in general",
    "architecture", "design", "approach", "build", "compile*", "test", "tests", "test suite",
    "coverage", "documentation", "docs", "executor*", "report", "claim*", "commit*", "diff", NULL,
};

/* `parse_line`, parse_line(), a->b, a::b */
static bool has_code(struct str text)
{
    for (size_t i = 1; i + 1 < text.size; i++) {
        const char *at = text.data + i;

        if (at[0] == '_' && byte_is_alnum(at[-1]) && byte_is_alnum(at[1])) return true;
        if (byte_is_alnum(at[-1]) && memcmp(at, "()", 2) == 0) return true;
        if (memcmp(at, "->", 2) == 0 || memcmp(at, "::", 2) == 0) return true;
    }
    return false;
}

bool says_place_is_needed(struct str words)
{
    return (has_code(words) || says_one_of(words, pieces)) && !says_one_of(words, no_place);
}

/* ---- sentences ---- */

/* A walk over the sentences of a text. */
struct sentences {
    struct outline_walk lines;
    struct outline_line line; /* whose words are being read */
    struct str rest;          /* of it */
    char text[SENTENCE_BYTES_MAX]; /* of the sentence: small letters, one blank between words */
    size_t size;
};

static void sentences_init(struct sentences *walk, struct str body, uint32_t line_before)
{
    walk->lines = outline_lines(body, line_before);
    walk->rest = (struct str){ "", 0 };
    walk->size = 0;
}

static struct str sentence_of(const struct sentences *walk)
{
    return str_trim((struct str){ walk->text, walk->size });
}

/* The next line of own words; false at the end. *gap: something else stands between. */
static bool next_line(struct sentences *walk, bool *gap)
{
    *gap = false;
    while (outline_next(&walk->lines, &walk->line)) {
        if ((walk->line.kind == OUTLINE_OWN || walk->line.kind == OUTLINE_INDENTED) &&
            !walk->line.level) {
            *gap = *gap || walk->line.item;
            walk->rest = walk->line.words;
            return true;
        }
        *gap = true;
    }
    return false;
}

/* Cuts a character: marks of emphasis, quotes and brackets are 0, longer dashes are ; and -. */
static char cut_byte(struct str *rest)
{
    char byte = byte_small(rest->data[0]);
    unsigned char last = rest->size < 3 ? 0 : (unsigned char)rest->data[2];

    if (str_starts(*rest, STR("\xe2\x80")) && last >= 0x90 && last <= 0x9f) {
        *rest = str_skip(*rest, 3);
        return last <= 0x92 ? '-' : last <= 0x95 ? ';' : '\0';
    }
    *rest = str_skip(*rest, 1);
    return byte && strchr("*_`\"'()[]", byte) ? '\0' : byte;
}

/* Whether nothing or a blank follows, marks of emphasis and quotes apart. */
static bool ends_word(struct str rest)
{
    while (rest.size && rest.data[0] && strchr("*_`\"')]", rest.data[0])) rest = str_skip(rest, 1);
    return rest.size == 0 || is_space(rest.data[0]);
}

static bool next_sentence(struct sentences *walk)
{
    bool gap;

    walk->size = 0;
    for (;;) {
        if (walk->rest.size == 0) {
            bool some = sentence_of(walk).size > 0;

            if (!next_line(walk, &gap)) return some;
            if (gap && some) return true;
            if (some) walk->text[walk->size++] = ' ';
        }
        while (walk->rest.size && walk->size + 2 < SENTENCE_BYTES_MAX) {
            bool blank = walk->size == 0 || walk->text[walk->size - 1] == ' ';
            char byte = cut_byte(&walk->rest);

            if (byte == '\0' || (blank && is_space(byte))) continue;
            if ((strchr(".!?:;", byte) || (byte == '-' && blank)) && ends_word(walk->rest)) {
                if (walk->size) return true;
                continue;
            }
            walk->text[walk->size++] = is_space(byte) ? ' ' : byte;
        }
        if (walk->rest.size) return true;
    }
}

/* ---- nothing was changed ---- */

static const char *const unchanged[] = {
    "no code changes were required", "no code changes were needed",
    "no code changes were necessary", "no code changes were made", "no code changes required",
    "no code changes needed", "no code changes are required", "no code change was required",
    "no further code changes were required", "no changes were required", "no changes were needed",
    "no changes were made", NULL,
};

static const char *const noops[] = {
    "no-op round", "noop round", "no op round", "no-op", "noop", "no op", "no-op execution round",
    "this is a no-op round", "this was a no-op round", "this round is a no-op",
    "this round was a no-op", "this is a no-op", "this was a no-op", NULL,
};

/* Whether a sentence of the body is one of these, of this round and with its reason or not. */
static bool says_sentence(struct str body, const char *const *sentences)
{
    static const char *const rounds[] = { "for this round", "in this round", NULL };
    struct sentences walk;

    sentences_init(&walk, body, 1);
    while (next_sentence(&walk)) {
        for (const char *const *row = sentences; *row; row++) {
            struct str rest = sentence_of(&walk);

            if (!cut_phrase(&rest, *row)) continue;
            rest = str_trim(rest);
            (void)cut_one(&rest, rounds);
            if (rest.size == 0 || cut_phrase(&rest, "because")) return true;
        }
    }
    return false;
}

bool says_no_changes(struct str body)
{
    return says_sentence(body, unchanged);
}

bool says_noop(struct str body)
{
    return says_sentence(body, noops);
}

/* ---- somewhere else ---- */

static const char *const trees[] = { "worktree", "checkout", "clone", NULL };
static const char *const others[] = {
    "separate", "different", "another", "new", "hidden", "isolated", "temporary", "dedicated",
    "other", "second", "fresh", "sibling", NULL,
};
static const char *const denials[] = {
    "no", "not", "never", "none", "nothing", "nobody", "neither", "without", "instead of", "isnt",
    "wasnt", "arent", "werent", "didnt", "dont", "cannot", NULL,
};
/* That it was done, and is there. */
static const char *const works[] = {
    "done", "made", "worked", "implemented", "edited", "committed", "performed", "applied",
    "written", "work is", "work was", "changes are", "changes live", "implementation is",
    "edits are", "code is", "commit is", "commits are", "fix is", "lives", "exists", "exist",
    "happened", NULL,
};

/* "a separate git worktree", and not "a new checkout page". */
static bool names_other_tree(struct str text)
{
    static const char *const kinds[] = { "git", "linked", "repository", "repo", "local", NULL };
    static const char *const behind[] = {
        "at", "of", "in", "under", "and", "because", "since", "instead", "so", "to", "named",
        "called", "outside", NULL,
    };

    for (size_t i = 0; i < text.size; i++) {
        struct str rest = str_skip(text, i);

        if (!is_word_begin(text, i) || !cut_one(&rest, others)) continue;
        while (cut_one(&rest, others) || cut_one(&rest, kinds)) {}
        if (!cut_one(&rest, trees)) continue;
        if (rest.size == 0 || rest.data[0] == ',' || cut_one(&rest, behind)) return true;
    }
    return false;
}

/* A path that is not in the workspace, as a word of a line. */
static bool is_foreign_path(struct str word, const char *workspace)
{
    struct str root = str_of(workspace);

    while (word.size && word.data[0] && strchr("`\"'(*", word.data[0])) word = str_skip(word, 1);
    while (word.size && strchr("`\"')*.,;:", word.data[word.size - 1])) word.size--;
    while (str_ends(root, STR("/"))) root.size--;
    if (str_starts(word, STR("../"))) return true;
    if (word.size < 2 || (word.data[0] != '/' && !str_starts(word, STR("~/")))) return false;
    if (root.size == 0 || !str_starts(word, root)) return true;
    return word.size > root.size && word.data[root.size] != '/';
}

/* A line that tells where such a tree is: "Worktree: /tmp/wt-3", "git worktree add ../x". */
static bool shows_other_tree(struct str text, const char *workspace)
{
    struct str rest = text, word;
    uint32_t near = 0;

    while (str_cut(&rest, ' ', &word)) {
        word = str_trim(word);
        if (word.size == 0) continue;
        if (near && is_foreign_path(word, workspace)) return true;
        if (says_one_of(word, denials)) return false;
        if (!str_has(word, '/') && says_one_of(word, trees)) near = WORDS_TO_PATH;
        else if (near) near--;
    }
    return false;
}

uint32_t says_elsewhere(struct str body, uint32_t line_before, const char *workspace)
{
    struct outline_walk lines = outline_lines(body, line_before);
    struct outline_line line;
    struct sentences walk;

    while (outline_next(&lines, &line)) {
        if (line.kind != OUTLINE_OWN && line.kind != OUTLINE_INDENTED) continue;
        if (shows_other_tree(line.words, workspace)) return line.number;
    }
    sentences_init(&walk, body, line_before);
    while (next_sentence(&walk)) {
        struct str said = sentence_of(&walk);

        if (names_other_tree(said) && says_one_of(said, works) && !says_one_of(said, denials)) {
            return walk.line.number;
        }
    }
    return 0;
}
