/* SPDX-License-Identifier: Apache-2.0
 *
 * complaint.c - a word for clean is believed only where nothing else in the answer complains.
 *
 * A line with a severity at its start, at the start of an item, or in brackets complains ("- [HIGH]
 * the lock is missing"), unless it says that there is none of it ("HIGH: 0"). Any other line is cut
 * into clauses, at the end of a sentence, a semicolon or a colon. A clause complains where it has
 *
 *     a word for a fault or its severity   "A buffer overflow in line 3, critical."
 *     a place, as an item of a list        "- src/b.c:3 the lock is taken twice"
 *
 * and where no word speaks against that:
 *
 *     a denial shortly before the word     "no critical issues", "this is not a bug"
 *     one for the whole clause             "looked for leaks and found none", "the overflow is
 *                                          fixed", "guards against injection"
 *     praise, of a place alone             "- src/b.c:3 is fine now"
 *
 * 1. It decides nothing by itself: who says clean and complains is asked again.
 * 2. Words are compared without regard to case, as whole words; "leak*" also as a beginning.
 * 3. Only the writer's own lines count (prose.c). */
#include "dialect/complaint.h"

#include "base/byte.h"
#include "dialect/prose.h"

#include <string.h>

enum { WORDS_MAX = 64, DENIAL_REACH = 4, LABEL_WORDS = 3 };

static const char *const fault_words[] = {
    "critical", "severe", "blocker*", "overflow*", "underflow*", "leak*", "vulnerab*", "injection*",
    "deadlock*", "crash*", "dereference*", "bug", "bugs", "buggy", "exploit*", "corrupt*", "broken",
    "incorrect*", "off-by-one", "out-of-bounds", "use-after-free", "race", "races", "wrong", NULL,
};

static const char *const denial_words[] = {
    "no", "not", "never", "without", "neither", "nor", "zero", "0", "cannot", "isn't", "aren't",
    "doesn't", "don't", "free", "non", NULL,
};

/* Anywhere in the clause: it was looked for, it is mended, it is kept off. */
static const char *const settled_words[] = {
    "none", "nothing", "fixed", "fixes", "fix", "resolved", "resolves", "addressed", "addresses",
    "mended", "gone", "longer", "guard*", "prevent*", "avoid*", "protect*", "against", "reject*",
    "handle*", "detect*", "check*", "look*", "review*", "verif*", "examin*", "consider*", "test*",
    "would", "could", "cover*", "previous*", "earlier", "was", "were", "if", NULL,
};

/* The same of a fault alone: a file may be closed too early, and a check removed. */
static const char *const closing_words[] = {
    "closed", "closes", "eliminat*", "removed", "removes", "solved", "solves", "mitigat*", NULL,
};

static const char *const praise_words[] = {
    "good", "fine", "ok", "okay", "correct*", "clean*", "right", "sound", "safe", "well", "clear*",
    "nice*", "match*", "consistent*", "simple", "works", "as", "added", "adds", "new", NULL,
};

/* The words of a clause, and where one has a place in it. */
struct clause {
    struct str words[WORDS_MAX];
    uint32_t count;
    bool placed, item;
};

static bool is_among(struct str word, const char *const *list)
{
    for (; *list; list++) {
        size_t at = 0;

        while (at < word.size && (*list)[at] && byte_small(word.data[at]) == (*list)[at]) at++;
        if ((*list)[at] == '*' || (at == word.size && !(*list)[at])) return true;
    }
    return false;
}

static bool clause_has(const struct clause *clause, const char *const *list)
{
    for (uint32_t i = 0; i < clause->count; i++) {
        if (is_among(clause->words[i], list)) return true;
    }
    return false;
}

static bool is_denied(const struct clause *clause, uint32_t at)
{
    for (uint32_t i = at > DENIAL_REACH ? at - DENIAL_REACH : 0; i < at; i++) {
        if (is_among(clause->words[i], denial_words)) return true;
    }
    return false;
}

/* "there is", "it has", "in line 3": what was found there, and not what was looked for. */
static bool states(const struct clause *clause)
{
    static const char *const verbs[] = { "is", "are", "has", "have", "contains", "line", NULL };

    return clause->placed || clause_has(clause, verbs);
}

/* A critical section is no fault. */
static bool is_fault(const struct clause *clause, uint32_t at)
{
    static const char *const behind[] = { "section*", "path", "paths", NULL };

    if (!is_among(clause->words[at], fault_words)) return false;
    return !word_is(clause->words[at], "critical") || at + 1 == clause->count ||
           !is_among(clause->words[at + 1], behind);
}

/* There is none of it, or no more. */
static const char *const over[] = { "none", "nothing", "fixed", "resolved", "mended", "gone",
                                    "addressed", "longer", "0", "zero", NULL };

static bool clause_complains(const struct clause *clause)
{
    bool settled = clause_has(clause, settled_words), ended = clause_has(clause, closing_words);

    if (clause_has(clause, over)) return false;
    for (uint32_t i = 0; i < clause->count; i++) {
        if (!is_fault(clause, i) || is_denied(clause, i)) continue;
        if (!settled && !ended) return true;
        if (clause->placed && states(clause)) return true;
    }
    return clause->item && clause->placed && !settled && !clause_has(clause, praise_words) &&
           !clause_has(clause, denial_words) && clause->count > 1;
}

/* "src/b.c:3" */
static bool is_place(struct str word)
{
    struct str path;
    uint64_t number;

    return str_has(word, ':') && str_cut(&word, ':', &path) && str_has(path, '.') &&
           str_number(word, &number);
}

static bool is_number(struct str word)
{
    uint64_t number;

    return str_number(word, &number);
}

static void clause_add(struct clause *clause, struct str word)
{
    uint32_t count = clause->count;

    if (word.size == 0 || count == WORDS_MAX) return;
    if (is_place(word)) clause->placed = true;
    if (count && is_number(word) && (word_is(clause->words[count - 1], "line") ||
                                     word_is(clause->words[count - 1], "lines"))) {
        clause->placed = true;
    }
    clause->words[clause->count++] = word;
}

/* In capitals, as a whole word: what the text begins with. */
static bool begins_with_severity(struct str text)
{
    static const char *const words[] = { "CRITICAL", "BLOCKER", "HIGH", "MAJOR", "MEDIUM", "LOW",
                                         NULL };

    for (const char *const *word = words; *word; word++) {
        size_t size = strlen(*word);

        if (!str_starts(text, str_of(*word))) continue;
        return text.size == size ||
               (!byte_is_alnum(text.data[size]) && !strchr("_-/", text.data[size]));
    }
    return false;
}

/* At the start or in brackets, and no other one beside it: a line with several speaks of the
 * words. What is quoted (`[HIGH]`) is no severity. */
static bool has_severity(struct str line)
{
    struct str text = text_skip(str_trim(line), "*_[(");
    bool found = false, quoted = false;
    uint32_t count = 0;

    for (size_t i = 0; i < text.size; i++) {
        char before = i > 0 ? text.data[i - 1] : ' ';

        if (text.data[i] == '`') quoted = !quoted;
        if (quoted || byte_is_alnum(before) || !begins_with_severity(str_skip(text, i))) continue;
        found = found || i == 0 || before == '[';
        count++;
    }
    return found && count == 1;
}

static bool says_none(struct str line)
{
    struct str word;

    while (str_cut(&line, ' ', &word)) {
        if (is_among(text_bare(str_trim(word), "*_`(\"'[", ".;:!?,*_`)\"']"), over)) return true;
    }
    return false;
}

bool line_complains(struct str line)
{
    struct str rest = line, word;
    struct clause clause = { .count = 0 };
    bool numbered;

    clause.item = prose_item(line, &rest, &numbered);
    if (has_severity(rest) && !says_none(rest)) return true;
    while (str_cut(&rest, ' ', &word)) {
        bool ends, colon;

        word = text_bare(str_trim(word), "*_`(\"'[", "*_`)\"',]");
        colon = str_ends(word, STR(":"));
        ends = word.size && strchr(".;:!?", word.data[word.size - 1]);
        word = text_bare(word, "", ".;:!?,*_`)\"'");
        clause_add(&clause, word);
        if (!ends || (colon && clause.count <= LABEL_WORDS)) continue; /* "Critical: none" */
        if (clause_complains(&clause)) return true;
        clause.count = 0;
        clause.item = false; /* a place and what is said of it stand in one clause, or behind it */
        if (word.size && is_place(word)) clause.item = true;
        else clause.placed = false;
    }
    return clause_complains(&clause);
}

uint32_t text_complains(struct str text)
{
    struct prose prose = { .rest = text };
    enum prose_kind kind;
    struct str line, title;

    while (prose_next(&prose, &line, &kind)) {
        if (kind != PROSE_OWN || prose_heading(line, &title)) continue; /* it names no fault yet */
        if (line_complains(line)) return prose.line;
    }
    return 0;
}
