/* SPDX-License-Identifier: Apache-2.0
 *
 * identity.c - which findings are one.
 *
 *   known, reported --> told in the same words? --> paired by what is quoted and where
 *                            | the rest
 *                            '--> alike in words, and near? --> paired one to one, best first
 *
 * The same words are one fingerprint (core/finding.h) and the same numbers in it. Then:
 *
 *   a. What has the same evidence is the same, however far it moved.
 *   b. What is on the same line is the same, even where another text is quoted.
 *   c. What is left is the same where nothing speaks against it: on one of the two sides there is
 *      no evidence, or no line.
 *
 * Where there are several on both sides they are paired in the order of their lines, since an edit
 * moves lines and does not shuffle them; one that is known is passed over when the next is nearer
 * and enough are left for the others.
 *
 * Other words are compared as sets. A text is split where its words, the parts of its identifiers
 * and of its paths end; of these, in small letters, the words of less than three letters and the
 * stop words are dropped, common endings are cut, and what is left is hashed. The score of two
 * findings is the Jaccard index of their sets: what both have of what either has. How much is
 * enough depends on how near they are:
 *
 *   tier   near means                                                       one to one   grouped
 *   0      within 3 lines, or the same evidence                                .20         .12
 *   1      within 15 lines, or in one hunk of the change between them          .30         .20
 *   2      in the same file                                                    .40         .30
 *   3      one of the two names no file                                        .45         .35
 *
 * Two files are never near. A known finding is first carried to where a line map says it is now.
 *
 * Numbers are no words, since a line number says nothing about a fault. With the names of one or
 * two letters they are a signature of their own, the marks: findings that differ only in these are
 * two ("argument 1 is unused", "argument 2 is unused"; "x is unused", "y is unused"). Numbers that
 * name a line are not counted at all. So a measured value that changed makes another finding: to
 * take a new fault for an old one would hide it.
 *
 * A tool that is no model repeats its sentences: of what it reports only the same words count, when
 * it reports again.
 *
 * Groups are what several reviewers say of one fault: pairs that are alike, best first, join their
 * groups where at least half of the pairs between the two are alike.
 *
 * 1. Nothing is paired twice. In a group a reviewer has one finding at most: it told its own apart.
 * 2. The order of the input decides nothing: ties are broken by content, and what is equal in all
 *    its content is interchangeable.
 * 3. A known finding costs a look at its fingerprint and its file. What has the same words costs
 *    what sorting it costs. What is left is compared with all that is left of its file; of other
 *    files no text is read. Most pairs are told apart by two masks, before their sets are read.
 * 4. Memory is bounded: beyond PAIRS_MAX alike pairs none is added, and of a text the first
 *    WORDS_MAX words are compared. */
#include "core/identity.h"

#include "base/byte.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64, MARKS_MAX = 16, WORD_BYTES_MAX = 32, PAIRS_MAX = 1 << 20 };
enum { NEAR_LINES = 3, REGION_LINES = 15, SCORE_ONE = 1000, LOOK_BACK_BYTES = 40 };
enum tier { TIER_LINE, TIER_REGION, TIER_FILE, TIER_NO_PLACE, TIER_COUNT, TIER_NEVER = TIER_COUNT };
enum strength { ONE_TO_ONE, GROUPED, STRENGTH_COUNT };

static const uint32_t enough[STRENGTH_COUNT][TIER_COUNT] = {
    [ONE_TO_ONE] = { 200, 300, 400, 450 },
    [GROUPED] = { 120, 200, 300, 350 },
};

/* ---- the normal form of a text ---- */

/* What is compared of a finding. */
struct likeness {
    const struct finding *finding;
    uint64_t file;           /* of its path now; 0: it names none */
    uint32_t line;           /* likewise; 0: there is none */
    const struct line_hunk *hunk; /* of a known one: the change that its line is in; NULL: none */
    uint64_t evidence;       /* evidence_fingerprint() */
    uint64_t mask[2];        /* a bit for each word ... */
    uint32_t unmasked;       /* ... and how many words have no bit of their own */
    uint32_t words[WORDS_MAX];
    uint32_t word_count;
    uint64_t marks;          /* of its numbers and short names; 0: there are none */
    uint32_t index;          /* the caller's */
    uint32_t voter;
};

enum { STOP_BYTES_MAX = 9 };

/* Sorted: they are searched. */
static const char *const stop_words[] = {
    "about", "after", "all", "also", "and", "any", "are", "because", "been", "before", "being",
    "but", "can", "cannot", "code", "could", "does", "each", "either", "else", "even", "every",
    "for", "from", "get", "gets", "has", "have", "here", "how", "however", "instead", "into", "its",
    "itself", "just", "line", "lines", "made", "make", "makes", "may", "might", "more", "most",
    "must", "need", "needs", "neither", "never", "nor", "not", "now", "once", "one", "only",
    "other", "otherwise", "over", "please", "same", "should", "since", "some", "still", "such",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "through", "too", "use", "used", "uses", "using", "very", "was", "were", "what", "when",
    "where", "which", "while", "who", "will", "with", "without", "would", "yet", "you", "your",
};

static bool is_stop(const char *word, uint32_t size)
{
    uint32_t from = 0, to = sizeof stop_words / sizeof *stop_words;

    while (from < to && size <= STOP_BYTES_MAX) {
        uint32_t at = (from + to) / 2;
        int rc = word[0] - stop_words[at][0]; /* mostly this decides */

        if (rc == 0) rc = strcmp(word, stop_words[at]);
        if (rc == 0) return true;
        if (rc < 0) to = at;
        else from = at + 1;
    }
    return false;
}

enum { STEM_MIN = 4, ENDINGS_MAX = 9 };

/* By their last letter; longer ones first, as the first that fits is cut. */
static const struct {
    char last;
    struct str endings[ENDINGS_MAX];
} cuts[] = {
    { 's', { STR("ations"), STR("ments"), STR("ings"), STR("ions"), STR("ness"), STR("ies"),
             STR("ers"), STR("es"), STR("s") } },
    { 'e', { STR("able"), STR("ible"), STR("e") } },
    { 'd', { STR("ied"), STR("ed") } },
    { 'g', { STR("ing") } },
    { 'n', { STR("ation"), STR("ion") } },
    { 'r', { STR("er"), STR("or") } },
    { 't', { STR("ment"), STR("est") } },
    { 'y', { STR("ingly"), STR("ally"), STR("ity"), STR("ly") } },
    { 'l', { STR("al") } },
};

static uint32_t without_ending(const char *word, uint32_t size, const struct str *endings)
{
    for (uint32_t i = 0; i < ENDINGS_MAX && endings[i].size > 0; i++) {
        uint32_t bytes = (uint32_t)endings[i].size;

        if (size < bytes + STEM_MIN - (bytes == 1)) continue;
        if (memcmp(word + size - bytes, endings[i].data, bytes) == 0) return size - bytes;
    }
    return size;
}

/* "released", "releases" and "release" are one word: returns how much of it is left. */
static uint32_t stem(const char *word, uint32_t size)
{
    for (uint32_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        if (cuts[i].last != word[size - 1]) continue;
        size = without_ending(word, size, cuts[i].endings);
        break;
    }
    if (size >= STEM_MIN && (word[size - 1] == 'y' || word[size - 1] == 'i')) size--;
    if (size >= STEM_MIN && word[size - 1] == word[size - 2]) size--;
    return size;
}

static void word_keep(struct likeness *likeness, const char *word, uint32_t size)
{
    uint64_t hash = hash_text(HASH_START, (struct str){ word, size });
    uint32_t value = (uint32_t)(hash ^ hash >> 32), at = likeness->word_count;

    while (at > 0 && likeness->words[at - 1] > value) at--;
    if (at > 0 && likeness->words[at - 1] == value) return;
    memmove(likeness->words + at + 1, likeness->words + at,
            (likeness->word_count - at) * sizeof *likeness->words);
    likeness->words[at] = value;
    likeness->word_count++;
    likeness->unmasked += likeness->mask[value >> 6 & 1] >> (value & 63) & 1;
    likeness->mask[value >> 6 & 1] |= UINT64_C(1) << (value & 63);
}

/* Letters that are no capitals; all of other alphabets count as such. */
static bool is_low(char byte)
{
    return byte_is_small(byte) || (unsigned char)byte >= 0x80;
}

/* Where the word that begins at `at` ends: camelCase is two, and HTTPServer is, too. */
static size_t word_end(struct str text, size_t at)
{
    size_t end = at;

    while (end < text.size && byte_is_capital(text.data[end])) end++;
    if (end > at + 1 && end < text.size && is_low(text.data[end])) return end - 1;
    while (end < text.size && is_low(text.data[end])) end++;
    return end;
}

static void word_read(struct likeness *likeness, struct str text)
{
    char word[WORD_BYTES_MAX + 1];
    uint32_t size = text.size < WORD_BYTES_MAX ? (uint32_t)text.size : WORD_BYTES_MAX;

    for (uint32_t i = 0; i < size; i++) word[i] = byte_small(text.data[i]);
    word[size] = '\0';
    if (size < 3 || likeness->word_count == WORDS_MAX || is_stop(word, size)) return;
    word_keep(likeness, word, stem(word, size));
}

static void words_read(struct likeness *likeness, struct str text)
{
    size_t at = 0, end;

    for (; at < text.size; at = end) {
        end = word_end(text, at);
        if (end > at) word_read(likeness, (struct str){ text.data + at, end - at });
        else end++;
    }
}

/* ---- the numbers and short names of a text ---- */

/* The word that ends before `end`. */
static struct str word_before(struct str text, size_t end)
{
    size_t at = end;

    while (at > 0 && byte_is_letter(text.data[at - 1])) at--;
    return (struct str){ text.data + at, end - at };
}

static bool is_word(struct str word, const char *small)
{
    size_t i = 0;

    while (i < word.size && byte_small(word.data[i]) == small[i]) i++;
    return i == word.size && small[i] == '\0';
}

/* The number that begins at `at`: "line 3", "L3", "lines 3-5 and 9", "a.c:12". */
static bool names_line(struct str text, size_t at)
{
    size_t far = at > LOOK_BACK_BYTES ? at - LOOK_BACK_BYTES : 0;
    struct str word;

    if (at > 1 && text.data[at - 1] == ':' && byte_is_alnum(text.data[at - 2])) return true;
    while (at > far) {
        while (at > far && (byte_is_digit(text.data[at - 1]) || text.data[at - 1] == ' ' ||
                            text.data[at - 1] == '-' || text.data[at - 1] == ',')) at--;
        word = word_before(text, at);
        if (is_word(word, "line") || is_word(word, "lines") || is_word(word, "l")) return true;
        if (!is_word(word, "and") && !is_word(word, "to")) return false;
        at -= word.size;
    }
    return false;
}

/* A letter or two that are no word of English: "x", "fd". */
static bool is_short_name(struct str word)
{
    static const char *const words[] = { "a", "an", "as", "at", "be", "by", "do", "go", "i", "if",
                                         "in", "is", "it", "no", "of", "on", "or", "s", "so", "t",
                                         "to", "up", "vs", "we" };

    if (word.size == 0 || word.size > 2) return false;
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is_word(word, words[i])) return false;
    }
    return true;
}

/* The end of the run of digits or letters that begins at `at`; 0: it tells nothing apart. */
static size_t mark_end(struct str text, size_t at)
{
    size_t end = at;

    if (byte_is_digit(text.data[at])) {
        while (end < text.size && byte_is_digit(text.data[end])) end++;
        return names_line(text, at) ? 0 : end;
    }
    while (end < text.size && byte_is_letter(text.data[end])) end++;
    return is_short_name((struct str){ text.data + at, end - at }) ? end : 0;
}

/* The same for the same numbers and short names in any order; 0: there are none. */
static uint64_t marks_read(struct str text)
{
    uint64_t found[MARKS_MAX], sum = 0;
    uint32_t count = 0, known;

    for (size_t at = 0; at < text.size && count < MARKS_MAX; at++) {
        char before = at > 0 ? text.data[at - 1] : ' ';
        bool begins = byte_is_digit(text.data[at]) ? !byte_is_digit(before)
                                                   : byte_is_letter(text.data[at]) &&
                                                         !byte_is_letter(before);
        size_t end = begins ? mark_end(text, at) : 0;

        if (end == 0) continue;
        found[count] = HASH_START;
        for (size_t i = at; i < end; i++) {
            found[count] = hash_byte(found[count], byte_small(text.data[i]));
        }
        for (known = 0; found[known] != found[count]; known++) {}
        if (known < count) continue;
        sum += found[count++];
    }
    return sum;
}

/* ---- places ---- */

static struct str path_plain(struct str path)
{
    while (str_starts(path, STR("./"))) path = str_skip(path, 2);
    return path;
}

/* The first line of a side of a hunk; of one without lines, the line that would be. */
static uint32_t side_start(uint32_t line, uint32_t count)
{
    return count > 0 ? line : line + 1;
}

static void carry_line(struct likeness *likeness, const struct file_move *move)
{
    uint32_t line = likeness->line;

    for (uint32_t i = 0; i < move->hunk_count; i++) {
        const struct line_hunk *hunk = &move->hunks[i];
        uint32_t old = side_start(hunk->old_line, hunk->old_count);
        uint32_t new = side_start(hunk->new_line, hunk->new_count);

        if (line < old) break;
        if (line - old < hunk->old_count) {
            uint32_t into = line - old;

            likeness->line = into < hunk->new_count ? new + into : new + hunk->new_count;
            likeness->hunk = hunk;
            break;
        }
        likeness->line = line - (old + hunk->old_count) + new + hunk->new_count;
    }
}

/* File and line as the map says that they are now. A file that is gone keeps its name. */
static void likeness_locate(struct likeness *likeness, const struct line_map *map)
{
    struct str path = path_plain(likeness->finding->file);

    likeness->line = likeness->finding->line;
    for (uint32_t i = 0; map && i < map->file_count; i++) {
        const struct file_move *move = &map->files[i];

        if (path.size == 0 || !str_eq(move->old_path, path)) continue;
        if (move->new_path.size > 0) path = move->new_path;
        if (likeness->line > 0) carry_line(likeness, move);
        break;
    }
    likeness->file = path.size > 0 ? hash_text(HASH_START, path) | 1 : 0;
}

static bool is_in(const struct line_hunk *hunk, uint32_t line)
{
    uint32_t start = side_start(hunk->new_line, hunk->new_count);

    return line >= start && line - start < hunk->new_count;
}

static uint32_t line_gap(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static enum tier tier_of(const struct likeness *a, const struct likeness *b)
{
    uint32_t gap = line_gap(a->line, b->line);

    if (a->file != b->file && a->file != 0 && b->file != 0) return TIER_NEVER;
    if (a->evidence != 0 && a->evidence == b->evidence) return TIER_LINE;
    if (a->file == 0 || b->file == 0) return TIER_NO_PLACE;
    if (a->line == 0 || b->line == 0) return TIER_FILE;
    if (gap <= NEAR_LINES) return TIER_LINE;
    if (gap <= REGION_LINES || (a->hunk && is_in(a->hunk, b->line))) return TIER_REGION;
    return TIER_FILE;
}

/* ---- two findings ---- */

static void likeness_read(struct likeness *likeness)
{
    likeness->evidence = evidence_fingerprint(likeness->finding);
    likeness->marks = marks_read(likeness->finding->text);
    words_read(likeness, likeness->finding->text);
}

static uint32_t bits(uint64_t mask)
{
    mask -= mask >> 1 & UINT64_C(0x5555555555555555);
    mask = (mask & UINT64_C(0x3333333333333333)) + (mask >> 2 & UINT64_C(0x3333333333333333));
    mask = (mask + (mask >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(mask * UINT64_C(0x0101010101010101) >> 56);
}

static uint32_t common_words(const struct likeness *a, const struct likeness *b)
{
    uint32_t i = 0, k = 0, common = 0;

    while (i < a->word_count && k < b->word_count) {
        uint32_t x = a->words[i], y = b->words[k];

        common += x == y;
        i += x <= y;
        k += y <= x;
    }
    return common;
}

/* At most so many words are common: each has its bit in both masks, and those of a word set that
 * share a bit are counted as common, too. */
static uint32_t common_words_max(const struct likeness *a, const struct likeness *b)
{
    return bits(a->mask[0] & b->mask[0]) + bits(a->mask[1] & b->mask[1]) + a->unmasked;
}

/* The same words: only what is quoted, where, and numbers and short names tell them apart. */
static bool is_same_told(const struct likeness *a, const struct likeness *b)
{
    if (a->marks != b->marks) return false;
    return a->evidence == b->evidence || a->line == b->line || a->evidence == 0 ||
           b->evidence == 0 || a->line == 0 || b->line == 0;
}

/* How alike they are, in thousandths; 0: they are two. */
static uint32_t score_of(const struct likeness *a, const struct likeness *b, enum tier tier,
                         enum strength strength)
{
    uint32_t words = a->word_count + b->word_count, least = enough[strength][tier], common, score;

    if (common_words_max(a, b) * (SCORE_ONE + least) < words * least) return 0;
    common = common_words(a, b);
    if (common == 0) return 0;
    score = common * SCORE_ONE / (words - common);
    if (score < least) return 0;
    return score < SCORE_ONE || is_same_told(a, b) ? score : 0;
}

/* ---- pairs, best first ---- */

struct alike {
    uint32_t a, b; /* of two lists in the order of their content */
    uint32_t score, gap;
    enum tier tier;
};

struct alikes {
    struct alike *items;
    uint32_t count, cap;
};

static void alike_add(struct alikes *alikes, struct alike alike)
{
    if (alikes->count == PAIRS_MAX) return;
    alikes->items = mem_grow(alikes->items, alikes->count, &alikes->cap, sizeof *alikes->items);
    alikes->items[alikes->count++] = alike;
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_worth(const void *one, const void *other)
{
    const struct alike *x = one, *y = other;
    int rc = order(x->tier, y->tier);

    if (rc == 0) rc = order(y->score, x->score);
    if (rc == 0) rc = order(x->gap, y->gap);
    if (rc == 0) rc = order(x->a, y->a);
    return rc != 0 ? rc : order(x->b, y->b);
}

/* By file first: what is of one file stands together, and what has no file is in front. */
static int by_content(const void *one, const void *other)
{
    const struct likeness *x = one, *y = other;
    int rc = order(x->file, y->file);

    if (rc == 0) rc = order(x->line, y->line);
    if (rc == 0) rc = order(x->finding->fingerprint, y->finding->fingerprint);
    if (rc == 0) rc = str_compare(x->finding->text, y->finding->text);
    if (rc == 0) rc = str_compare(x->finding->evidence, y->finding->evidence);
    if (rc == 0) rc = order(x->voter, y->voter);
    return rc != 0 ? rc : order(x->index, y->index);
}

static void compare(struct alikes *alikes, const struct likeness *a, const struct likeness *b,
                    struct alike alike, enum strength strength)
{
    alike.tier = tier_of(a, b);
    if (alike.tier == TIER_NEVER) return;
    alike.score = score_of(a, b, alike.tier, strength);
    alike.gap = line_gap(a->line, b->line);
    if (alike.score > 0) alike_add(alikes, alike);
}

/* ---- known and reported: the same words ---- */

struct side {
    uint64_t fingerprint; /* with the marks */
    uint64_t evidence;
    uint32_t line, index;
    bool paired;
};

/* One side, or those of it that nothing tells apart. */
struct block {
    struct side *items;
    uint32_t count;
};

static int by_evidence(const void *a, const void *b)
{
    const struct side *x = a, *y = b;
    int rc = order(x->fingerprint, y->fingerprint);

    if (rc == 0) rc = order(x->evidence, y->evidence);
    if (rc == 0) rc = order(x->line, y->line);
    return rc != 0 ? rc : order(x->index, y->index);
}

static int by_line(const void *a, const void *b)
{
    const struct side *x = a, *y = b;
    int rc = order(x->fingerprint, y->fingerprint);

    if (rc == 0) rc = order(x->line, y->line);
    if (rc == 0) rc = order(x->evidence, y->evidence);
    return rc != 0 ? rc : order(x->index, y->index);
}

static void pair(struct side *known, struct side *reported, uint32_t *out)
{
    known->paired = reported->paired = true;
    out[reported->index] = known->index;
}

/* Cuts the items from *at on that are like the first of them. */
static struct block cut(struct block side, uint32_t *at,
                        bool (*like)(const struct side *, const struct side *))
{
    struct block block = { .items = side.items + *at };

    while (*at < side.count && like(block.items, &side.items[*at])) {
        (*at)++;
        block.count++;
    }
    return block;
}

static bool same_text(const struct side *a, const struct side *b)
{
    return a->fingerprint == b->fingerprint;
}

static bool same_evidence(const struct side *a, const struct side *b)
{
    return same_text(a, b) && a->evidence == b->evidence;
}

static bool may_be_same(const struct side *a, const struct side *b)
{
    return a->evidence == b->evidence || a->evidence == 0 || b->evidence == 0 || a->line == 0 ||
           b->line == 0;
}

/* Both in the order of their lines, and none of them paired. */
static void pair_in_order(struct block known, struct block reported, uint32_t *out)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < reported.count && at < known.count; i++) {
        struct side *item = &reported.items[i];
        uint32_t spare = known.count - at > reported.count - i
                             ? known.count - at - (reported.count - i) : 0;

        for (; spare > 0 && line_gap(known.items[at + 1].line, item->line) <
                          line_gap(known.items[at].line, item->line); spare--)
            at++;
        if (may_be_same(&known.items[at], item)) pair(&known.items[at++], item, out);
    }
}

static void sort_side(struct block side, int (*order_by)(const void *, const void *))
{
    if (side.count > 0) qsort(side.items, side.count, sizeof *side.items, order_by);
}

static void pair_by_evidence(struct block known, struct block reported, uint32_t *out)
{
    uint32_t at = 0, other = 0;

    sort_side(known, by_evidence);
    sort_side(reported, by_evidence);
    while (at < known.count && other < reported.count) {
        const struct side *x = &known.items[at], *y = &reported.items[other];
        int rc = order(x->fingerprint, y->fingerprint);

        if (rc == 0) rc = order(x->evidence, y->evidence);
        if (rc < 0) {
            (void)cut(known, &at, same_evidence);
        } else if (rc > 0) {
            (void)cut(reported, &other, same_evidence);
        } else {
            struct block one = cut(known, &at, same_evidence);
            struct block two = cut(reported, &other, same_evidence);

            if (one.items->evidence != 0) pair_in_order(one, two, out);
        }
    }
}

static void pair_by_line(struct block known, struct block reported, uint32_t *out)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < reported.count; i++) {
        struct side *item = &reported.items[i];

        if (item->paired) continue;
        while (at < known.count && (known.items[at].paired || known.items[at].line < item->line))
            at++;
        if (at < known.count && known.items[at].line == item->line) {
            pair(&known.items[at++], item, out);
        }
    }
}

/* Those that are not paired, to the front, in their order. */
static struct block unpaired(struct block block)
{
    struct block left = { .items = block.items };

    for (uint32_t i = 0; i < block.count; i++) {
        if (!block.items[i].paired) left.items[left.count++] = block.items[i];
    }
    return left;
}

/* What is told in the same words. */
static void match_same(struct block known, struct block reported, uint32_t *out)
{
    uint32_t at = 0, other = 0;

    pair_by_evidence(known, reported, out);
    sort_side(known, by_line);
    sort_side(reported, by_line);
    while (at < known.count && other < reported.count) {
        int rc = order(known.items[at].fingerprint, reported.items[other].fingerprint);

        if (rc < 0) {
            (void)cut(known, &at, same_text);
        } else if (rc > 0) {
            (void)cut(reported, &other, same_text);
        } else {
            struct block one = cut(known, &at, same_text);
            struct block two = cut(reported, &other, same_text);

            pair_by_line(one, two, out);
            pair_in_order(unpaired(one), unpaired(two), out);
        }
    }
}

/* ---- known and reported: other words ---- */

static struct likeness *list_reported(const struct identity_sides *sides, const uint32_t *out,
                                      uint32_t *count)
{
    struct likeness *list = NULL;
    uint32_t cap = 0;

    *count = 0;
    for (uint32_t i = 0; i < sides->reported_count; i++) {
        struct likeness item = { .finding = sides->reported[i], .index = i };

        if (out[i] != IDENTITY_NONE || item.finding->tool.size > 0) continue;
        likeness_locate(&item, NULL);
        likeness_read(&item);
        list = mem_grow(list, *count, &cap, sizeof *list);
        list[(*count)++] = item;
    }
    if (*count > 0) qsort(list, *count, sizeof *list, by_content);
    return list;
}

static int compare_file(const void *file, const void *likeness)
{
    return order(*(const uint64_t *)file, ((const struct likeness *)likeness)->file);
}

/* The known ones that are left and that one of the reported could be, by its place. */
static struct likeness *list_known(const struct identity_sides *sides, const bool *taken,
                                   const struct likeness *reported, uint32_t reported_count,
                                   uint32_t *count)
{
    struct likeness *list = NULL;
    uint32_t cap = 0;

    *count = 0;
    for (uint32_t i = 0; i < sides->known_count; i++) {
        struct likeness item = { .finding = sides->known[i], .index = i };

        if (taken[i] || item.finding->tool.size > 0) continue;
        likeness_locate(&item, sides->map);
        if (item.file != 0 && reported->file != 0 &&
            !bsearch(&item.file, reported, reported_count, sizeof *reported, compare_file)) {
            continue;
        }
        likeness_read(&item);
        list = mem_grow(list, *count, &cap, sizeof *list);
        list[(*count)++] = item;
    }
    if (*count > 0) qsort(list, *count, sizeof *list, by_content);
    return list;
}

struct likenesses {
    const struct likeness *items;
    uint32_t count;
};

/* Both in the order of their content. What has no file is compared with all of the other side. */
static void compare_sides(struct alikes *alikes, struct likenesses known,
                          struct likenesses reported)
{
    uint32_t start = 0, end = 0, anywhere = 0;

    while (anywhere < known.count && known.items[anywhere].file == 0) anywhere++;
    for (uint32_t i = 0; i < reported.count; i++) {
        const struct likeness *item = &reported.items[i];

        while (start < known.count && known.items[start].file < item->file) start++;
        if (end < start) end = start;
        while (end < known.count && known.items[end].file == item->file) end++;
        for (uint32_t k = 0; k < known.count; k++) {
            if (item->file != 0 && k == anywhere && k < start) k = start;
            if (item->file != 0 && k >= anywhere && k >= end) break;
            compare(alikes, &known.items[k], item, (struct alike){ .a = k, .b = i }, ONE_TO_ONE);
        }
    }
}

static void match_alike(const struct identity_sides *sides, bool *taken, uint32_t *out)
{
    struct alikes alikes = { .items = NULL };
    uint32_t reported_count, known_count = 0;
    struct likeness *reported = list_reported(sides, out, &reported_count), *known = NULL;

    if (reported_count > 0) {
        known = list_known(sides, taken, reported, reported_count, &known_count);
    }
    compare_sides(&alikes, (struct likenesses){ known, known_count },
                  (struct likenesses){ reported, reported_count });
    if (alikes.count > 0) qsort(alikes.items, alikes.count, sizeof *alikes.items, by_worth);
    for (uint32_t i = 0; i < alikes.count; i++) {
        uint32_t a = known[alikes.items[i].a].index, b = reported[alikes.items[i].b].index;

        if (taken[a] || out[b] != IDENTITY_NONE) continue;
        taken[a] = true;
        out[b] = a;
    }
    free(alikes.items);
    free(known);
    free(reported);
}

/* Evidence and marks, too. */
static struct side side_of(const struct finding *finding, uint32_t index,
                           const struct line_map *map)
{
    struct likeness place = { .finding = finding, .line = finding->line };

    if (map) likeness_locate(&place, map);
    return (struct side){ .fingerprint = finding->fingerprint + marks_read(finding->text),
                          .evidence = evidence_fingerprint(finding),
                          .line = place.line, .index = index };
}

static int compare_fingerprints(const void *one, const void *other)
{
    return order(*(const uint64_t *)one, *(const uint64_t *)other);
}

enum { SIEVE_WORDS = 64 }; /* a power of two */

/* The known ones whose fingerprint is reported: of the others nothing more is read. */
static struct block known_again(const struct identity_sides *sides)
{
    struct block known = { .items = NULL };
    uint64_t *prints = mem_alloc((sides->reported_count + (size_t)1) * sizeof *prints);
    uint64_t sieve[SIEVE_WORDS] = { 0 }; /* most of what is not reported falls through */
    uint32_t cap = 0;

    for (uint32_t i = 0; i < sides->reported_count; i++) {
        prints[i] = sides->reported[i]->fingerprint;
        sieve[prints[i] >> 6 & (SIEVE_WORDS - 1)] |= UINT64_C(1) << (prints[i] & 63);
    }
    qsort(prints, sides->reported_count, sizeof *prints, compare_fingerprints);
    for (uint32_t i = 0; i < sides->known_count; i++) {
        uint64_t print = sides->known[i]->fingerprint;

        if (!(sieve[print >> 6 & (SIEVE_WORDS - 1)] >> (print & 63) & 1)) continue;
        if (!bsearch(&print, prints, sides->reported_count, sizeof *prints,
                     compare_fingerprints)) continue;
        known.items = mem_grow(known.items, known.count, &cap, sizeof *known.items);
        known.items[known.count++] = side_of(sides->known[i], i, sides->map);
    }
    free(prints);
    return known;
}

void identity_match(const struct identity_sides *sides, uint32_t *out)
{
    struct block known = known_again(sides), reported = { .count = sides->reported_count };
    bool *taken = mem_alloc(sides->known_count + (size_t)1);

    for (uint32_t i = 0; i < sides->reported_count; i++) out[i] = IDENTITY_NONE;
    if (known.count > 0) {
        reported.items = mem_alloc(reported.count * sizeof *reported.items);
        for (uint32_t i = 0; i < reported.count; i++) {
            reported.items[i] = side_of(sides->reported[i], i, NULL);
        }
        match_same(known, reported, out);
    }
    for (uint32_t i = 0; i < sides->reported_count; i++) {
        if (out[i] != IDENTITY_NONE) taken[out[i]] = true;
    }
    match_alike(sides, taken, out);
    free(taken);
    free(known.items);
    free(reported.items);
}

/* ---- several reviewers ---- */

/* Items are numbered in the order of their content; a group is named by its first. */
struct groups {
    const struct likeness *items;
    uint32_t *group, *next; /* next[i]: the next of its group, and one; 0: it is the last */
};

/* At least half of the pairs between two groups are alike, and no reviewer is in both. */
static bool may_join(const struct groups *groups, uint32_t one, uint32_t other)
{
    uint32_t pairs = 0, alike = 0;

    for (uint32_t i = one + 1; i > 0; i = groups->next[i - 1]) {
        for (uint32_t k = other + 1; k > 0; k = groups->next[k - 1]) {
            const struct likeness *a = &groups->items[i - 1], *b = &groups->items[k - 1];
            enum tier tier = tier_of(a, b);

            if (a->voter == b->voter) return false;
            pairs++;
            if (tier != TIER_NEVER && score_of(a, b, tier, GROUPED) > 0) alike++;
        }
    }
    return 2 * alike >= pairs;
}

static void join(struct groups *groups, uint32_t one, uint32_t other)
{
    uint32_t last = one;

    while (groups->next[last] > 0) last = groups->next[last] - 1;
    groups->next[last] = other + 1;
    for (uint32_t i = other + 1; i > 0; i = groups->next[i - 1]) groups->group[i - 1] = one;
}

static void join_alike(struct groups *groups, struct alikes *alikes)
{
    if (alikes->count > 0) qsort(alikes->items, alikes->count, sizeof *alikes->items, by_worth);
    for (uint32_t i = 0; i < alikes->count; i++) {
        uint32_t one = groups->group[alikes->items[i].a];
        uint32_t other = groups->group[alikes->items[i].b];

        if (one == other || !may_join(groups, one, other)) continue;
        if (one < other) join(groups, one, other);
        else join(groups, other, one);
    }
}

void identity_group(const struct identity_reports *reports, uint32_t *out)
{
    uint32_t count = reports->count;
    struct likeness *items = mem_alloc((count + (size_t)1) * sizeof *items);
    uint32_t *links = mem_alloc((2 * (size_t)count + 1) * sizeof *links);
    struct groups groups = { .items = items, .group = links, .next = links + count };
    struct alikes alikes = { .items = NULL };

    for (uint32_t i = 0; i < count; i++) {
        items[i] = (struct likeness){ .finding = reports->items[i], .index = i,
                                      .voter = reports->voters[i] };
        likeness_locate(&items[i], NULL);
        likeness_read(&items[i]);
    }
    if (count > 0) qsort(items, count, sizeof *items, by_content);
    for (uint32_t i = 0; i < count; i++) {
        groups.group[i] = i;
        for (uint32_t k = i + 1; k < count; k++) {
            if (items[i].file != 0 && items[k].file != items[i].file) break;
            if (items[k].voter == items[i].voter) continue;
            compare(&alikes, &items[i], &items[k], (struct alike){ .a = i, .b = k }, GROUPED);
        }
    }
    join_alike(&groups, &alikes);
    for (uint32_t i = 0; i < count; i++) { /* by then the group of each has its lowest index */
        uint32_t first = groups.group[i];

        for (uint32_t k = first + 1; k > 0; k = groups.next[k - 1]) {
            if (items[k - 1].index < items[first].index) first = k - 1;
        }
        out[items[i].index] = items[first].index;
    }
    free(alikes.items);
    free(links);
    free(items);
}
