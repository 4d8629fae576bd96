/* SPDX-License-Identifier: Apache-2.0
 *
 * session_words.c - the few sentences of an executor's report that decide something: that nothing
 * had to be changed, that the round was a no-op, that the work is in another checkout.
 *
 * Each is looked for word by word in one sentence, in any case and with words around it. What is
 * said of a part only ("no code changes were required in the parser", "the handler is a no-op now")
 * says nothing about the round, and what is denied says the opposite: neither counts.
 *
 * 1. Only the writer's own lines are read, not quotes and code.
 * 2. A sentence has at most WORDS_MAX words; what is longer is read as several. */
#include "dialect/session_parts.h"

#include "base/byte.h"

#include <string.h>

enum { WORDS_MAX = 64, WORD_BYTES = 24 };

struct word {
    char text[WORD_BYTES]; /* in small letters, without marks around it; cut */
    bool pause;            /* a mark follows it: , ; : - ( */
    bool stop;             /* the sentence ends with it */
};

struct sentence {
    struct word words[WORDS_MAX];
    uint32_t count;
};

static bool is(const struct sentence *sentence, uint32_t at, const char *text)
{
    return at < sentence->count && strcmp(sentence->words[at].text, text) == 0;
}

/* Whether it is one of these words; NULL ends. */
static bool word_is_one(const struct word *word, const char *const *texts)
{
    for (; *texts; texts++) {
        if (strcmp(word->text, *texts) == 0) return true;
    }
    return false;
}

static bool is_one(const struct sentence *sentence, uint32_t at, const char *const *texts)
{
    return at < sentence->count && word_is_one(&sentence->words[at], texts);
}

/* Whether one of these words stands from `at` to before `end`. */
static bool has_one(const struct sentence *sentence, uint32_t at, uint32_t end,
                    const char *const *texts)
{
    for (; at < end && at < sentence->count; at++) {
        if (is_one(sentence, at, texts)) return true;
    }
    return false;
}

/* ---- phrases ---- */

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Whether text begins with the phrase. */
static bool starts_with_phrase(struct str text, const char *phrase)
{
    for (; *phrase && *phrase != '*'; phrase++) {
        bool blank = *phrase == ' ';

        if (text.size == 0) return false;
        if (blank ? !is_space(text.data[0]) : byte_small(text.data[0]) != *phrase) return false;
        do {
            text = str_skip(text, 1);
        } while (blank && text.size && is_space(text.data[0]));
    }
    return *phrase || text.size == 0 || !byte_is_alnum(text.data[0]);
}

bool says_one_of(struct str text, const char *const *phrases)
{
    for (size_t i = 0; i < text.size; i++) {
        if (i && byte_is_alnum(text.data[i - 1])) continue;
        for (const char *const *phrase = phrases; *phrase; phrase++) {
            if (starts_with_phrase(str_skip(text, i), *phrase)) return true;
        }
    }
    return false;
}

/* ---- sentences ---- */

/* A dash or a quotation mark that is longer than a byte, as its ASCII form; 0: it is neither. */
static char mark_of(struct str text)
{
    if (!str_starts(text, STR("\xe2\x80")) || text.size < 3) return 0;
    switch ((unsigned char)text.data[2]) {
    case 0x90: case 0x91: case 0x92: case 0x93: case 0x94: return '-';
    case 0x98: case 0x99: case 0x9c: case 0x9d: return '"';
    default: return 0;
    }
}

/* One piece between blanks as a word: letters in small, every dash as -, marks around it cut. */
static void word_read(struct str piece, struct word *out)
{
    size_t size = 0;

    *out = (struct word){ .pause = false };
    while (piece.size) {
        char byte = piece.data[0];
        char mark = mark_of(piece);

        piece = str_skip(piece, mark ? 3 : 1);
        if (mark) byte = mark;
        if (byte == '\0' || strchr("*_`\"'()[]", byte)) {
            out->pause = out->pause || byte == '(';
            continue;
        }
        byte = byte_small(byte);
        if (size + 1 < WORD_BYTES) out->text[size++] = byte;
    }
    while (size && strchr(".,;:!?-", out->text[size - 1])) {
        out->stop = out->stop || strchr(".!?", out->text[size - 1]);
        out->pause = true;
        out->text[--size] = '\0';
    }
}

/* A dash alone is a pause behind the word before it. */
static void add_word(struct sentence *sentence, struct str piece)
{
    struct word *word = &sentence->words[sentence->count];

    word_read(piece, word);
    if (word->text[0]) sentence->count++;
    else if (sentence->count) word[-1].pause = true;
}

/* A walk over the sentences of a text. */
struct sentences {
    struct outline_walk lines;
    struct outline_line line; /* whose words are being read */
    struct str rest;          /* of it */
};

static struct sentences sentences_of(struct str body, uint32_t line_before)
{
    return (struct sentences){ .lines = outline_lines(body, line_before), .rest = { "", 0 } };
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

/* The next sentence; it ends with a point, with its paragraph or item, or when it is full. */
static bool next_sentence(struct sentences *walk, struct sentence *out)
{
    struct str piece;
    bool gap;

    out->count = 0;
    for (;;) {
        if (walk->rest.size == 0) {
            if (!next_line(walk, &gap)) return out->count > 0;
            if (gap && out->count) return true;
        }
        while (out->count < WORDS_MAX && str_cut(&walk->rest, ' ', &piece)) {
            if (str_trim(piece).size == 0) continue;
            add_word(out, str_trim(piece));
            if (out->count && out->words[out->count - 1].stop) return true;
        }
        if (out->count == WORDS_MAX) return true;
    }
}

/* ---- nothing was changed ---- */

static const char *const exceptions[] = {
    "except", "besides", "beyond", "apart", "other", "but", "however", "although", NULL,
};
static const char *const reasons[] = { "because", "since", "as", NULL };
static const char *const rounds[] = {
    "round", "step", "iteration", "task", "item", "stage", "phase", "run", "execution", NULL,
};
static const char *const denials[] = {
    "not", "never", "isnt", "wasnt", "arent", "werent", "cannot", NULL,
};
static const char *const absences[] = { "no", "none", "nothing", "nobody", "without", NULL };

/* Whether what ends at `at` is said of the whole round. */
static bool is_whole(const struct sentence *sentence, uint32_t at)
{
    static const char *const before[] = { "for", "in", "during", NULL };
    static const char *const which[] = { "this", "the", "current", "execution", NULL };

    if (has_one(sentence, at, sentence->count, exceptions)) return false;
    if (at >= sentence->count || sentence->words[at - 1].pause) return true;
    if (is_one(sentence, at, reasons)) return true;
    if (!is_one(sentence, at, before)) return false;
    for (at++; is_one(sentence, at, which); at++) {}
    return is_one(sentence, at, rounds);
}

/* "no [further] [code] changes [were] required"; behind it, or 0. */
static uint32_t no_changes(const struct sentence *sentence, uint32_t at)
{
    static const char *const more[] = { "further", "additional", "more", "new", NULL };
    static const char *const what[] = { "code", "source", "file", NULL };
    static const char *const changes[] = { "change", "changes", "edits", "modifications", NULL };
    static const char *const be[] = { "was", "were", "is", "are", NULL };
    static const char *const needed[] = { "required", "needed", "necessary", "made", NULL };

    if (!is(sentence, at, "no")) return 0;
    at++;
    while (is_one(sentence, at, more)) at++;
    while (is_one(sentence, at, what)) at++;
    if (!is_one(sentence, at, changes)) return 0;
    at++;
    if (is_one(sentence, at, be)) at++;
    return is_one(sentence, at, needed) ? at + 1 : 0;
}

bool says_no_changes(struct str body)
{
    struct sentences walk = sentences_of(body, 1);
    struct sentence sentence;

    while (next_sentence(&walk, &sentence)) {
        for (uint32_t i = 0; i < sentence.count; i++) {
            uint32_t behind = no_changes(&sentence, i);

            if (behind && is_whole(&sentence, behind)) return true;
        }
    }
    return false;
}

/* ---- a no-op ---- */

/* How many words at `at` are "no-op"; 0: none. */
static uint32_t noop_words(const struct sentence *sentence, uint32_t at)
{
    if (is(sentence, at, "no-op") || is(sentence, at, "noop")) return 1;
    return is(sentence, at, "no") && is(sentence, at + 1, "op") ? 2 : 0;
}

/* "This round was a", "it is a" before `at`. */
static bool is_named(const struct sentence *sentence, uint32_t at)
{
    static const char *const be[] = { "is", "was", NULL };
    static const char *const it[] = { "this", "it", NULL };

    if (at < 3 || !is(sentence, at - 1, "a") || !is_one(sentence, at - 2, be)) return false;
    return is_one(sentence, at - 3, it) || is_one(sentence, at - 3, rounds);
}

bool says_noop(struct str body)
{
    struct sentences walk = sentences_of(body, 1);
    struct sentence sentence;

    while (next_sentence(&walk, &sentence)) {
        for (uint32_t i = 0; i < sentence.count; i++) {
            uint32_t end = i + noop_words(&sentence, i);

            if (end == i || has_one(&sentence, 0, i, denials)) continue;
            if (is_one(&sentence, end, rounds)) return true;
            if (end < sentence.count && !sentence.words[end - 1].pause &&
                !is_one(&sentence, end, reasons)) {
                continue;
            }
            if (i == 0 || is_named(&sentence, i)) return true;
        }
    }
    return false;
}

/* ---- somewhere else ---- */

static const char *const trees[] = { "worktree", "checkout", "clone", NULL };

/* "in a separate git worktree" from `at` on, and not "in a new checkout page". */
static bool is_other_tree(const struct sentence *sentence, uint32_t at)
{
    static const char *const in[] = { "in", "inside", "from", "on", "under", NULL };
    static const char *const article[] = { "a", "an", "the", "my", NULL };
    static const char *const other[] = {
        "separate", "different", "another", "new", "hidden", "isolated", "temporary", "dedicated",
        "other", "second", "fresh", "sibling", NULL,
    };
    static const char *const git[] = { "git", "linked", "repository", "repo", "local", NULL };
    static const char *const behind[] = {
        "at", "of", "in", "under", "and", "because", "since", "instead", "rather", "so", "to",
        "named", "called", "outside", NULL,
    };

    if (!is_one(sentence, at, in)) return false;
    at++;
    if (is_one(sentence, at, article)) at++;
    if (!is_one(sentence, at, other)) return false;
    while (is_one(sentence, at, other) || is_one(sentence, at, git)) at++;
    if (!is_one(sentence, at, trees)) return false;
    return sentence->words[at].pause || at + 1 == sentence->count ||
           is_one(sentence, at + 1, behind);
}

/* "the work was", "I worked", "was done": somebody did it, before the word at `end`. */
static bool is_done(const struct sentence *sentence, uint32_t end)
{
    static const char *const done[] = {
        "done", "made", "worked", "implemented", "edited", "committed", "performed", "applied",
        NULL,
    };
    static const char *const what[] = {
        "work", "changes", "implementation", "edits", "code", "commit", "commits", "fix", NULL,
    };
    static const char *const be[] = {
        "is", "are", "was", "were", "live", "lives", "exist", "exists", "happened", NULL,
    };

    if (has_one(sentence, 0, end, done)) return true;
    for (uint32_t i = 0; i + 1 < end; i++) {
        if (is_one(sentence, i, what) && is_one(sentence, i + 1, be)) return true;
    }
    return false;
}

static bool is_work_elsewhere(const struct sentence *sentence)
{
    for (uint32_t i = 0; i < sentence->count; i++) {
        if (!is_other_tree(sentence, i) || has_one(sentence, 0, i, denials) ||
            has_one(sentence, 0, i, absences)) {
            continue;
        }
        if (is_done(sentence, i)) return true;
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
static bool names_other_tree(struct str text, const char *workspace)
{
    static const char *const between[] = {
        "at", "in", "under", "into", "to", "add", "path", "is", NULL,
    };
    struct str rest = text, piece;
    uint32_t near = 0;

    while (str_cut(&rest, ' ', &piece)) {
        struct word word;

        if (str_trim(piece).size == 0) continue;
        word_read(str_trim(piece), &word);
        if (near && is_foreign_path(str_trim(piece), workspace)) return true;
        if (word_is_one(&word, trees)) near = 2;
        else if (near && !word_is_one(&word, between)) near = 0;
        else if (near) near--;
        if (word_is_one(&word, denials) || word_is_one(&word, absences)) return false;
    }
    return false;
}

uint32_t says_elsewhere(struct str body, uint32_t line_before, const char *workspace)
{
    struct outline_walk lines = outline_lines(body, line_before);
    struct sentences walk = sentences_of(body, line_before);
    struct outline_line line;
    struct sentence sentence;

    while (outline_next(&lines, &line)) {
        if (line.kind != OUTLINE_OWN && line.kind != OUTLINE_INDENTED) continue;
        if (names_other_tree(line.words, workspace)) return line.number;
    }
    while (next_sentence(&walk, &sentence)) {
        if (is_work_elsewhere(&sentence)) return walk.line.number;
    }
    return 0;
}
