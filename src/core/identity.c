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
 * Two files are never near. Places are those of one tree: the ledger carries a known finding
 * through the changes since it was told (line_map_carry()).
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
 * groups where at least half of the pairs between the two are alike. What tools report is not
 * grouped by its words: their rules say more (format/report/rules.h).
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

#include <stddef.h>
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

struct identity_words {
    uint64_t evidence; /* evidence_fingerprint() */
    uint64_t marks;    /* of its numbers and short names; 0: there are none */
    uint64_t mask[2];  /* a bit for each word ... */
    uint32_t unmasked; /* ... and how many words have no bit of their own */
    uint32_t count;
    uint32_t words[WORDS_MAX]; /* each once; of one that is kept only so many as there are */
};

/* What is compared of a finding. */
struct likeness {
    const struct finding *finding;
    uint64_t file;           /* of its path now; 0: it names none */
    uint32_t line;           /* likewise; 0: there is none */
    uint32_t index;          /* the caller's */
    const struct line_hunk *hunk; /* of a known one: the change that it lies in; NULL: none */
    const struct identity_words *words; /* NULL: not read yet */
    struct identity_words **slot; /* where the caller keeps them; NULL: they live in an arena */
    uint32_t voter;
};

enum { LETTERS = 26, STOP_BYTES_MAX = 9, STOP_WORDS_MAX = 41 };

/* By their length: most words of a report are long, and there are few of these. The last of a row
 * is NULL. */
static const char *const stop_words[STOP_BYTES_MAX + 1][STOP_WORDS_MAX + 1] = {
    [3] = { "all", "and", "any", "are", "but", "can", "for", "get", "has", "how", "its", "may",
            "nor", "not", "now", "one", "the", "too", "use", "was", "who", "yet", "you" },
    [4] = { "also", "been", "code", "does", "each", "else", "even", "from", "gets", "have",
            "here", "into", "just", "line", "made", "make", "more", "most", "must", "need",
            "once", "only", "over", "same", "some", "such", "than", "that", "them", "then",
            "they", "this", "used", "uses", "very", "were", "what", "when", "will", "with",
            "your" },
    [5] = { "about", "after", "being", "could", "every", "lines", "makes", "might", "needs",
            "never", "other", "since", "still", "their", "there", "these", "those", "using",
            "where", "which", "while", "would" },
    [6] = { "before", "cannot", "either", "itself", "please", "should" },
    [7] = { "because", "however", "instead", "neither", "through", "without" },
    [9] = { "otherwise" },
};

static bool is_stop(const char *word, uint32_t size)
{
    if (size > STOP_BYTES_MAX) return false;
    for (const char *const *stop = stop_words[size]; *stop; stop++) {
        if (**stop == word[0] && strncmp(*stop, word, size) == 0) return true;
    }
    return false;
}

enum { STEM_MIN = 4, ENDINGS_MAX = 9 };

/* By their last letter; longer ones first, as the first that fits is cut. */
static const struct str endings[LETTERS][ENDINGS_MAX] = {
    ['d' - 'a'] = { STR("ied"), STR("ed") },
    ['e' - 'a'] = { STR("able"), STR("ible"), STR("e") },
    ['g' - 'a'] = { STR("ing") },
    ['l' - 'a'] = { STR("al") },
    ['n' - 'a'] = { STR("ation"), STR("ion") },
    ['r' - 'a'] = { STR("er"), STR("or") },
    ['s' - 'a'] = { STR("ations"), STR("ments"), STR("ings"), STR("ions"), STR("ness"), STR("ies"),
                    STR("ers"), STR("es"), STR("s") },
    ['t' - 'a'] = { STR("ment"), STR("est") },
    ['y' - 'a'] = { STR("ingly"), STR("ally"), STR("ity"), STR("ly") },
};

static uint32_t without_ending(const char *word, uint32_t size)
{
    const struct str *row;

    if (!byte_is_small(word[size - 1])) return size;
    row = endings[word[size - 1] - 'a'];
    for (uint32_t i = 0; i < ENDINGS_MAX && row[i].size > 0; i++) {
        uint32_t bytes = (uint32_t)row[i].size;

        if (size < bytes + STEM_MIN - (bytes == 1)) continue;
        if (word[size - bytes] != row[i].data[0]) continue; /* mostly this decides */
        if (memcmp(word + size - bytes, row[i].data, bytes) == 0) return size - bytes;
    }
    return size;
}

/* "released", "releases" and "release" are one word: returns how much of it is left. */
static uint32_t stem(const char *word, uint32_t size)
{
    size = without_ending(word, size);
    if (size >= STEM_MIN && (word[size - 1] == 'y' || word[size - 1] == 'i')) size--;
    if (size >= STEM_MIN && word[size - 1] == word[size - 2]) size--;
    return size;
}

static bool has_word(const struct identity_words *words, uint32_t value)
{
    if (!(words->mask[value >> 6 & 1] >> (value & 63) & 1)) return false; /* most that are new */
    for (uint32_t i = 0; i < words->count; i++) {
        if (words->words[i] == value) return true;
    }
    return false;
}

static void word_keep(struct identity_words *into, const char *word, uint32_t size)
{
    uint64_t hash = hash_text(HASH_START, (struct str){ word, size });
    uint32_t value = (uint32_t)(hash ^ hash >> 32);

    if (has_word(into, value)) return;
    into->words[into->count++] = value;
    into->unmasked += into->mask[value >> 6 & 1] >> (value & 63) & 1;
    into->mask[value >> 6 & 1] |= UINT64_C(1) << (value & 63);
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

static void word_read(struct identity_words *into, struct str text)
{
    char small[WORD_BYTES_MAX];
    const char *word = text.data;
    uint32_t size = text.size < WORD_BYTES_MAX ? (uint32_t)text.size : WORD_BYTES_MAX;

    if (size < 3) return;
    if (byte_is_capital(word[0])) { /* else it has none: word_end() */
        for (uint32_t i = 0; i < size; i++) small[i] = byte_small(word[i]);
        word = small;
    }
    if (!is_stop(word, size)) word_keep(into, word, stem(word, size));
}

static void words_read(struct identity_words *into, struct str text)
{
    size_t at = 0, end;

    for (; at < text.size && into->count < WORDS_MAX; at = end) {
        end = word_end(text, at);
        if (end > at) word_read(into, (struct str){ text.data + at, end - at });
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

/* Where the run of digits or of letters that begins at `at` ends; of other bytes each is one. */
static size_t mark_end(struct str text, size_t at)
{
    size_t end = at;

    while (end < text.size && byte_is_letter(text.data[end])) end++;
    if (end > at) return end;
    while (end < text.size && byte_is_digit(text.data[end])) end++;
    return end > at ? end : at + 1;
}

/* Whether the run tells findings apart. */
static bool is_mark(struct str text, size_t at, size_t end)
{
    if (byte_is_digit(text.data[at])) return !names_line(text, at);
    return byte_is_letter(text.data[at]) &&
           is_short_name((struct str){ text.data + at, end - at });
}

/* The same for the same numbers and short names in any order; 0: there are none. */
static uint64_t marks_read(struct str text)
{
    uint64_t found[MARKS_MAX], sum = 0;
    uint32_t count = 0, known;

    for (size_t at = 0, end; at < text.size && count < MARKS_MAX; at = end) {
        end = mark_end(text, at);
        if (!is_mark(text, at, end)) continue;
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
    while (path.size > 1 && path.data[0] == '.' && path.data[1] == '/') path = str_skip(path, 2);
    return path;
}

/* The first line of a side of a hunk; of one without lines, the line that would be. */
static uint32_t side_start(uint32_t line, uint32_t count)
{
    return count > 0 ? line : line + 1;
}

struct line_map line_map_copy(const struct line_map *map, struct arena *arena)
{
    struct file_move *files = arena_alloc(arena, (map->file_count + (size_t)1) * sizeof *files);

    for (uint32_t i = 0; i < map->file_count; i++) {
        const struct file_move *from = &map->files[i];
        struct line_hunk *hunks = arena_alloc(arena,
                                              (from->hunk_count + (size_t)1) * sizeof *hunks);

        for (uint32_t k = 0; k < from->hunk_count; k++) hunks[k] = from->hunks[k];
        files[i] = (struct file_move){ .old_path = arena_copy(arena, from->old_path),
                                       .new_path = arena_copy(arena, from->new_path),
                                       .hunks = hunks, .hunk_count = from->hunk_count };
    }
    return (struct line_map){ files, map->file_count };
}

/* Carries the line through the hunks of its file. Whether one of them has it. */
static bool carry_line(const struct file_move *move, uint32_t *at)
{
    uint32_t line = *at;

    for (uint32_t i = 0; i < move->hunk_count; i++) {
        const struct line_hunk *hunk = &move->hunks[i];
        uint32_t old = side_start(hunk->old_line, hunk->old_count);
        uint32_t new = side_start(hunk->new_line, hunk->new_count);

        if (line < old) break;
        if (line - old < hunk->old_count) {
            uint32_t into = line - old;

            *at = into < hunk->new_count ? new + into : new + hunk->new_count;
            return true;
        }
        *at = line - (old + hunk->old_count) + new + hunk->new_count;
    }
    return false;
}

/* The file's row, by its older name; NULL: it is as it was. */
static const struct file_move *move_of(const struct line_map *map, struct str path)
{
    for (uint32_t i = 0; path.size > 0 && i < map->file_count; i++) {
        if (str_eq(map->files[i].old_path, path)) return &map->files[i];
    }
    return NULL;
}

/* The same, by its newer name. */
static const struct file_move *move_to(const struct line_map *map, struct str path)
{
    for (uint32_t i = 0; path.size > 0 && i < map->file_count; i++) {
        if (str_eq(map->files[i].new_path, path)) return &map->files[i];
    }
    return NULL;
}

bool line_map_carry(const struct line_map *map, struct str *file, uint32_t *line)
{
    struct str path = path_plain(*file);
    const struct file_move *move = move_of(map, path);

    if (!move) return false;
    if (move->new_path.size == 0) return true;
    if (!str_eq(move->new_path, path)) *file = move->new_path;
    return *line > 0 ? carry_line(move, line) : move->hunk_count > 0;
}

bool line_map_wrote(const struct line_map *map, struct str file, uint32_t line, uint32_t near)
{
    const struct file_move *move = move_to(map, path_plain(file));

    if (!move) return false;
    for (uint32_t i = 0; i < move->hunk_count; i++) {
        const struct line_hunk *hunk = &move->hunks[i];
        uint32_t start = side_start(hunk->new_line, hunk->new_count);

        if (line + near >= start && line < start + hunk->new_count + near) return true;
    }
    return move->old_path.size == 0 || line == 0; /* a file that it made; or no line to tell */
}

uint64_t identity_file(struct str path)
{
    path = path_plain(path);
    return path.size > 0 ? hash_text(HASH_START, path) | 1 : 0;
}

static void likeness_locate(struct likeness *likeness)
{
    likeness->line = likeness->finding->line;
    likeness->file = identity_file(likeness->finding->file);
}

/* The hunk that a place lies in, which was carried to the newer tree: in what it wrote, or right
 * behind that, where its line is gone. NULL: none. */
static const struct line_hunk *hunk_at(const struct line_map *map, const struct finding *finding)
{
    const struct file_move *move = map ? move_to(map, path_plain(finding->file)) : NULL;

    for (uint32_t i = 0; move && finding->line > 0 && i < move->hunk_count; i++) {
        const struct line_hunk *hunk = &move->hunks[i];
        uint32_t start = side_start(hunk->new_line, hunk->new_count);

        if (finding->line >= start && finding->line - start <= hunk->new_count) return hunk;
    }
    return NULL;
}

static bool is_in(const struct line_hunk *hunk, uint32_t line)
{
    uint32_t start = side_start(hunk->new_line, hunk->new_count);

    return line >= start && line - start < hunk->new_count;
}

uint32_t line_gap(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static enum tier tier_of(const struct likeness *a, const struct likeness *b)
{
    uint32_t gap = line_gap(a->line, b->line);

    if (a->file != b->file && a->file != 0 && b->file != 0) return TIER_NEVER;
    if (a->words->evidence != 0 && a->words->evidence == b->words->evidence) return TIER_LINE;
    if (a->file == 0 || b->file == 0) return TIER_NO_PLACE;
    if (a->line == 0 || b->line == 0) return TIER_FILE;
    if (gap <= NEAR_LINES) return TIER_LINE;
    if (gap <= REGION_LINES || (a->hunk && is_in(a->hunk, b->line))) return TIER_REGION;
    return TIER_FILE;
}

/* ---- two findings ---- */

static void likeness_read(struct likeness *likeness, struct arena *arena)
{
    struct identity_words words, *kept, **slot = likeness->slot;
    size_t bytes;

    if (!likeness->words && slot) likeness->words = *slot;
    if (likeness->words) return;
    words = (struct identity_words){ .count = 0 };
    words.evidence = evidence_fingerprint(likeness->finding);
    words.marks = marks_read(likeness->finding->text);
    words_read(&words, likeness->finding->text);
    bytes = offsetof(struct identity_words, words) + words.count * sizeof *words.words;
    kept = slot ? mem_alloc(bytes) : arena_alloc(arena, bytes);
    memcpy(kept, &words, bytes);
    if (slot) *slot = kept;
    likeness->words = kept;
}

static uint32_t bits(uint64_t mask)
{
    mask -= mask >> 1 & UINT64_C(0x5555555555555555);
    mask = (mask & UINT64_C(0x3333333333333333)) + (mask >> 2 & UINT64_C(0x3333333333333333));
    mask = (mask + (mask >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(mask * UINT64_C(0x0101010101010101) >> 56);
}

static uint32_t common_words(const struct identity_words *a, const struct identity_words *b)
{
    uint32_t common = 0;

    for (uint32_t i = 0; i < a->count; i++) common += has_word(b, a->words[i]);
    return common;
}

/* At most so many words are common: each has its bit in both masks, and those of a word set that
 * share a bit are counted as common, too. */
static uint32_t common_words_max(const struct identity_words *a, const struct identity_words *b)
{
    return bits(a->mask[0] & b->mask[0]) + bits(a->mask[1] & b->mask[1]) + a->unmasked;
}

/* The same words: only what is quoted, where, and numbers and short names tell them apart. */
static bool is_same_told(const struct likeness *a, const struct likeness *b)
{
    uint64_t x = a->words->evidence, y = b->words->evidence;

    if (a->words->marks != b->words->marks) return false;
    return x == y || a->line == b->line || x == 0 || y == 0 || a->line == 0 || b->line == 0;
}

/* How alike they are, in thousandths; 0: they are two. */
static uint32_t score_of(const struct likeness *a, const struct likeness *b, enum tier tier,
                         enum strength strength)
{
    uint32_t words = a->words->count + b->words->count, least = enough[strength][tier];
    uint32_t common, score;

    if (common_words_max(a->words, b->words) * (SCORE_ONE + least) < words * least) return 0;
    common = common_words(a->words, b->words);
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
    struct arena arena; /* of what was read and no caller keeps */
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

static void sort_by_worth(struct alikes *alikes)
{
    if (alikes->count > 0) qsort(alikes->items, alikes->count, sizeof *alikes->items, by_worth);
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

static void sort_by_content(struct likeness *items, uint32_t count)
{
    if (count > 0) qsort(items, count, sizeof *items, by_content);
}

static void alikes_release(struct alikes *alikes)
{
    arena_release(&alikes->arena);
    free(alikes->items);
}

static void compare(struct alikes *alikes, struct likeness *a, struct likeness *b,
                    struct alike alike, enum strength strength)
{
    likeness_read(a, &alikes->arena);
    likeness_read(b, &alikes->arena);
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

struct likenesses {
    struct likeness *items;
    uint32_t count, cap;
    struct sieve files; /* of those that name one */
    bool anywhere;      /* there is one that names none */
};

/* Whether it could be one of the others, by its place: most that are elsewhere are told apart. */
static bool may_be_in(const struct likeness *item, const struct likenesses *others)
{
    return others->anywhere || (item->file == 0 ? others->count > 0
                                                : sieve_passes(&others->files, item->file));
}

static void likenesses_add(struct likenesses *list, struct likeness item)
{
    list->items = mem_grow(list->items, list->count, &list->cap, sizeof *list->items);
    list->items[list->count++] = item;
    if (item.file == 0) list->anywhere = true;
    else sieve_add(&list->files, item.file);
}

/* Both in the order of their content. What has no file is compared with all of the other side. */
static void compare_sides(struct alikes *alikes, struct likenesses *known,
                          struct likenesses *reported)
{
    uint32_t start = 0, end = 0, anywhere = 0;

    while (anywhere < known->count && known->items[anywhere].file == 0) anywhere++;
    for (uint32_t i = 0; i < reported->count; i++) {
        struct likeness *item = &reported->items[i];

        while (start < known->count && known->items[start].file < item->file) start++;
        if (end < start) end = start;
        while (end < known->count && known->items[end].file == item->file) end++;
        for (uint32_t k = 0; k < known->count; k++) {
            if (item->file != 0 && k == anywhere && k < start) k = start;
            if (item->file != 0 && k >= anywhere && k >= end) break;
            compare(alikes, &known->items[k], item, (struct alike){ .a = k, .b = i }, ONE_TO_ONE);
        }
    }
}

/* Those of a side that are not taken, and that one of the others could be; all of them where others
 * is NULL. */
static struct likenesses list_side(const struct finding *const *findings, uint32_t total,
                                   const bool *taken, struct identity_words **const *slots,
                                   const struct likenesses *others)
{
    struct likenesses list = { .items = NULL };

    for (uint32_t i = 0; i < total; i++) {
        struct likeness item = { .finding = findings[i], .index = i,
                                 .slot = slots ? slots[i] : NULL };

        if (taken[i] || item.finding->tool.size > 0) continue;
        likeness_locate(&item);
        if (!others || may_be_in(&item, others)) likenesses_add(&list, item);
    }
    return list;
}

/* known_taken, reported_taken: what of each side is paired already. */
static void match_alike(const struct identity_sides *sides, bool *known_taken,
                        bool *reported_taken, uint32_t *out)
{
    struct likenesses reported = list_side(sides->reported, sides->reported_count, reported_taken,
                                           sides->reported_words, NULL);
    struct likenesses known = list_side(sides->known, sides->known_count, known_taken,
                                        sides->known_words, &reported);
    struct alikes alikes = { .items = NULL };
    uint32_t kept = 0;

    for (uint32_t i = 0; i < reported.count; i++) {
        if (may_be_in(&reported.items[i], &known)) reported.items[kept++] = reported.items[i];
    }
    reported.count = kept;
    for (uint32_t i = 0; i < known.count; i++) {
        known.items[i].hunk = hunk_at(sides->map, known.items[i].finding);
    }
    sort_by_content(known.items, known.count);
    sort_by_content(reported.items, reported.count);
    compare_sides(&alikes, &known, &reported);
    sort_by_worth(&alikes);
    for (uint32_t i = 0; i < alikes.count; i++) {
        uint32_t a = known.items[alikes.items[i].a].index;
        uint32_t b = reported.items[alikes.items[i].b].index;

        if (known_taken[a] || out[b] != IDENTITY_NONE) continue;
        known_taken[a] = true;
        out[b] = a;
    }
    alikes_release(&alikes);
    free(known.items);
    free(reported.items);
}

/* Evidence and marks, too. */
static struct side side_of(const struct finding *finding, uint32_t index)
{
    return (struct side){ .fingerprint = finding->fingerprint + marks_read(finding->text),
                          .evidence = evidence_fingerprint(finding),
                          .line = finding->line, .index = index };
}

static int compare_fingerprints(const void *one, const void *other)
{
    return order(*(const uint64_t *)one, *(const uint64_t *)other);
}

/* The known ones whose fingerprint is reported: of the others nothing more is read. */
static struct block known_again(const struct identity_sides *sides)
{
    struct block known = { .items = NULL };
    uint64_t *prints = mem_alloc((sides->reported_count + (size_t)1) * sizeof *prints);
    struct sieve sieve = { { 0 } };
    uint32_t cap = 0;

    for (uint32_t i = 0; i < sides->reported_count; i++) {
        prints[i] = sides->reported[i]->fingerprint;
        sieve_add(&sieve, prints[i]);
    }
    qsort(prints, sides->reported_count, sizeof *prints, compare_fingerprints);
    for (uint32_t i = 0; i < sides->known_count; i++) {
        uint64_t print = sides->known[i]->fingerprint;

        if (!sieve_passes(&sieve, print)) continue; /* most of what is not reported */
        if (!bsearch(&print, prints, sides->reported_count, sizeof *prints,
                     compare_fingerprints)) continue;
        known.items = mem_grow(known.items, known.count, &cap, sizeof *known.items);
        known.items[known.count++] = side_of(sides->known[i], i);
    }
    free(prints);
    return known;
}

void identity_match(const struct identity_sides *sides, uint32_t *out)
{
    struct block known = known_again(sides), reported = { .count = sides->reported_count };
    bool *taken = mem_alloc(sides->known_count + sides->reported_count + (size_t)1);

    for (uint32_t i = 0; i < sides->reported_count; i++) out[i] = IDENTITY_NONE;
    if (known.count > 0) {
        reported.items = mem_alloc(reported.count * sizeof *reported.items);
        for (uint32_t i = 0; i < reported.count; i++) {
            reported.items[i] = side_of(sides->reported[i], i);
        }
        match_same(known, reported, out);
    }
    for (uint32_t i = 0; i < sides->reported_count; i++) {
        if (out[i] == IDENTITY_NONE) continue;
        taken[out[i]] = taken[sides->known_count + i] = true;
    }
    match_alike(sides, taken, taken + sides->known_count, out);
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
    sort_by_worth(alikes);
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
                                      .slot = reports->words ? reports->words[i] : NULL,
                                      .voter = reports->voters[i] };
        likeness_locate(&items[i]);
    }
    sort_by_content(items, count);
    for (uint32_t i = 0; i < count; i++) {
        groups.group[i] = i;
        for (uint32_t k = i + 1; k < count; k++) {
            if (items[i].file != 0 && items[k].file != items[i].file) break;
            if (items[k].voter == items[i].voter) continue;
            if (items[k].finding->tool.size + items[i].finding->tool.size > 0) continue;
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
    alikes_release(&alikes);
    free(links);
    free(items);
}
