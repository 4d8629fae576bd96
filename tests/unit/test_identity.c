/* SPDX-License-Identifier: Apache-2.0
 *
 * test_identity.c - which findings are one: by rules, and random sides so small that much is equal.
 *
 * A finding is written "FILE:LINE TEXT [EVIDENCE"; without FILE or LINE it has none. */
#include "core/identity.h"

#include "shared/prng.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 12, SEEDS = 40000 };

static struct finding finding_of(const char *written)
{
    struct str rest = str_of(written), word, line = { "", 0 };
    struct finding finding = { .severity = SEVERITY_HIGH };
    uint64_t number = 0;

    str_cut(&rest, ' ', &word);
    str_cut(&word, ':', &finding.file);
    str_cut(&word, ' ', &line);
    if (str_number(line, &number)) finding.line = (uint32_t)number;
    if (str_cut(&rest, '[', &word)) finding.text = str_trim(word);
    finding.evidence = rest;
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

static bool is_one(const char *known, const char *reported, const struct line_map *map)
{
    struct finding before = finding_of(known), after = finding_of(reported);
    const struct finding *old = &before, *new = &after;
    uint32_t out;

    if (map) (void)line_map_carry(map, &before.file, &before.line);
    identity_match(&(struct identity_sides){ &old, &new, 1, 1, map, NULL, NULL }, &out);
    return out == 0;
}

struct row {
    const char *known, *reported;
    bool one;
};

static void check_rows(const struct row *rows, uint32_t count, const struct line_map *map)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_one(rows[i].known, rows[i].reported, map) == rows[i].one) continue;
        fail_msg("%s: '%s' and '%s'", rows[i].one ? "not one" : "not two", rows[i].known,
                 rows[i].reported);
    }
}

/* The words are made up, so that none of them has an ending. */
TEST(how_much_is_enough_depends_on_how_near_they_are)
{
    static const struct row rows[] = {
        { "a.c:50 alpha bravo kilo", "a.c:53 alpha delta echo", true }, /* 1 of 5 */
        { "a.c:50 alpha bravo kilo", "a.c:47 alpha delta echo", true },
        { "a.c:50 alpha bravo kilo", "a.c:53 alpha delta echo golf", false }, /* 1 of 6 */
        { "a.c:50 alpha bravo kilo", "a.c:54 alpha delta echo", false },
        { "a.c:50 alpha bravo kilo", "a.c:65 alpha bravo echo golf zulu", true }, /* 2 of 6 */
        { "a.c:50 alpha bravo kilo", "a.c:66 alpha bravo echo golf zulu", false },
        { "a.c:50 alpha bravo kilo", "a.c:66 alpha bravo echo golf", true }, /* 2 of 5 */
        { "a.c:50 alpha bravo kilo", "a.c alpha bravo echo golf", true },
        { "a.c alpha bravo kilo", "a.c alpha bravo echo golf zulu", false },
        { ": alpha bravo kilo", "a.c:3 alpha bravo echo golf", false }, /* .45 without a file */
        { ": alpha bravo kilo", "a.c:3 alpha bravo echo", true },
        { "a.c:50 alpha bravo kilo", "b.c:50 alpha bravo kilo", false }, /* never */
        { "a.h:50 alpha bravo kilo [x = y", "copy/a.h:50 alpha bravo kilo [x = y", false },
    };

    check_rows(rows, sizeof rows / sizeof *rows, NULL);
}

TEST(equal_evidence_counts_as_the_same_line)
{
    static const struct row rows[] = {
        { "a.c:50 alpha bravo kilo [p = q;", "a.c:900 alpha delta echo [p  =  q;", true },
        { "a.c:50 alpha bravo kilo [p = q;", "a.c:900 alpha delta echo [p = r;", false },
        { "a.c:50 alpha bravo kilo [50: p = q;", "a.c:900 alpha delta echo [900: p = q;", true },
        { "a.c:50 alpha bravo kilo [p = 1;", "a.c:900 alpha delta echo [p = 2;", false },
    };

    check_rows(rows, sizeof rows / sizeof *rows, NULL);
}

TEST(identifiers_paths_endings_and_stop_words_make_no_difference)
{
    static const struct row rows[] = {
        { "a.c:9 poolGet leaks handles", "a.c:200 The pool_get is leaking a handle", true },
        { "a.c:9 HTTPServer not released", "a.c:200 http_server is never released here", true },
        { "a.c:9 overflow in src/io/ring.c", "a.c:200 src: io: overflows ring.c", true },
        { "a.c:9 stopped while copying", "a.c:200 stops, copied", true },
        { "a.c:9 it is so", "a.c:9 it is as it is", false }, /* no words are left to compare */
    };

    check_rows(rows, sizeof rows / sizeof *rows, NULL);
}

TEST(findings_that_differ_only_in_digits_or_short_names_are_not_one)
{
    static const struct row rows[] = {
        { "a.c:3 argument 1 is unused", "a.c:3 argument 2 is unused", false },
        { "a.c:3 argument 1 is unused", "a.c:4 argument 2 is unused", false },
        { "a.c:3 argument 1 is unused", "a.c:4 the argument 2 is unused", false },
        { "a.c:3 argument 1 is unused", "a.c:4 argument 1 is unused", true },
        { "a.c:3 arg1 is unused", "a.c:3 arg2 is unused", false },
        { "a.c:3 variable x is unused", "a.c:4 variable y is unused", false },
        { "a.c:3 variable x is unused", "a.c:4 the unused variable is x", true },
        { "a.c:3 magic number [f(41)", "a.c:4 magic number [f(42)", false },
        /* a line's number says nothing */
        { "a.c:3 leaks since line 3", "a.c:8 leaks since line 8", true },
        { "a.c:3 leaks in lines 3-5 and 9", "a.c:8 leaks in lines 8-10 and 14", true },
        { "a.c:3 leaks, see L12 or a.c:12", "a.c:8 leaks, see L17 or a.c:17", true },
        /* a measured value that changed */
        { "a.c:3 has 23 branches [int f(", "a.c:3 has 21 branches [int f(", false },
        /* other words decide for themselves */
        { "a.c:3 argument 1 is unused", "a.c:3 the second argument 2 is not unused", true },
    };

    check_rows(rows, sizeof rows / sizeof *rows, NULL);
}

TEST(two_findings_one_line_apart_are_two)
{
    struct finding list[] = { finding_of("a.c:50 The return value of read() is ignored."),
                              finding_of("a.c:51 The return value of write() is ignored."),
                              finding_of("a.c:51 The result of write() is ignored."),
                              finding_of("a.c:50 The result of read() is ignored.") };
    const struct finding *known[] = { &list[0], &list[1] }, *reported[] = { &list[2], &list[3] };
    uint32_t out[2];

    identity_match(&(struct identity_sides){ known, reported, 2, 2, NULL, NULL, NULL }, out);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], 0);
    assert_false(is_one("a.c:50 no full stop [Nice to see you", "a.c:51 no full stop [Come again",
                        NULL));
}

TEST(a_tool_repeats_its_sentences)
{
    struct finding before = finding_of("a.c:50 alpha bravo kilo"), after = before;
    const struct finding *old = &before, *new = &after;
    uint32_t out;

    before.tool = after.tool = STR("gcc");
    identity_match(&(struct identity_sides){ &old, &new, 1, 1, NULL, NULL, NULL }, &out);
    assert_int_equal(out, 0);
    after = finding_of("a.c:50 alpha bravo golf");
    after.tool = STR("gcc");
    identity_match(&(struct identity_sides){ &old, &new, 1, 1, NULL, NULL, NULL }, &out);
    assert_int_equal(out, IDENTITY_NONE);
}

/* Ten lines were put in before line 20, lines 40 to 49 became two, and 60 to 62 are gone. */
TEST(a_known_finding_is_carried_through_renames_and_the_line_map)
{
    static const struct line_hunk hunks[] = { { 19, 0, 20, 10 }, { 40, 10, 50, 2 },
                                              { 60, 3, 61, 0 } };
    static const struct file_move files[] = { { STR("a.c"), STR("b/a.c"), hunks, 3 },
                                              { STR("gone.c"), STR(""), NULL, 0 } };
    static const struct line_map map = { files, 2 };
    static const struct row rows[] = {
        { "a.c:19 alpha bravo kilo", "b/a.c:19 alpha delta echo", true },
        { "a.c:19 alpha bravo kilo", "a.c:19 alpha delta echo", false },
        { "a.c:30 alpha bravo kilo", "b/a.c:40 alpha delta echo", true },
        { "a.c:30 alpha bravo kilo", "b/a.c:30 alpha delta echo", false },
        { "a.c:48 alpha bravo kilo", "b/a.c:51 alpha delta echo", true }, /* in what it became */
        { "a.c:55 alpha bravo kilo", "b/a.c:57 alpha delta echo", true },
        { "a.c:61 alpha bravo kilo", "b/a.c:62 alpha delta echo", true }, /* where it was */
        { "a.c:300 alpha bravo kilo", "b/a.c:299 alpha delta echo", true },
        { "c.c:30 alpha bravo kilo", "c.c:30 alpha delta echo", true }, /* not in the map */
        { "gone.c:30 alpha bravo kilo", "b/a.c:30 alpha bravo kilo", false },
        { "a.c:30 leak [p = q;", "b/a.c:40 leak [p = q;", true },
        { "./a.c:30 leak", "b/a.c:40 leak", true },
    };

    check_rows(rows, sizeof rows / sizeof *rows, &map);
}

TEST(what_lies_in_one_hunk_is_near)
{
    static const struct line_hunk hunk = { 100, 1, 100, 60 };
    static const struct file_move file = { STR("a.c"), STR("a.c"), &hunk, 1 };
    static const struct line_map map = { &file, 1 };

    assert_true(is_one("a.c:100 alpha bravo kilo", "a.c:159 alpha bravo echo golf zulu", &map));
    assert_false(is_one("a.c:100 alpha bravo kilo", "a.c:160 alpha bravo echo golf zulu", &map));
    assert_false(is_one("a.c:100 alpha bravo kilo", "a.c:159 alpha bravo echo golf zulu", NULL));
}

TEST(lines_that_moved_together_are_paired_in_their_order)
{
    struct finding list[] = { finding_of("a.c:10 leak"), finding_of("a.c:20 leak"),
                              finding_of("a.c:18 leak"), finding_of("a.c:28 leak") };
    const struct finding *known[] = { &list[0], &list[1] }, *reported[] = { &list[2], &list[3] };
    uint32_t out[2];

    identity_match(&(struct identity_sides){ known, reported, 2, 2, NULL, NULL, NULL }, out);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 1);
}

TEST(of_many_the_nearest_is_taken)
{
    struct finding list[] = { finding_of("a.c:1 leak"), finding_of("a.c:50 leak"),
                              finding_of("a.c:90 leak"), finding_of("a.c:88 leak") };
    const struct finding *known[] = { &list[0], &list[1], &list[2] }, *reported = &list[3];
    uint32_t out;

    identity_match(&(struct identity_sides){ known, &reported, 3, 1, NULL, NULL, NULL }, &out);
    assert_int_equal(out, 2);
}

/* ---- random sides ---- */

static const char *const some_texts[] = { "leak", "race here", "leak 1", "leak 2",
                                          "kilo alpha bravo", "alpha bravo echo",
                                          "bravo delta echo" };
static const char *const some_evidence[] = { "", "first", "second" };
static const char *const some_files[] = { "a.c", "b.c", "" };

static uint32_t make_side(struct prng *prng, struct finding *out, const struct finding **list)
{
    uint32_t count = prng_below(prng, SIDE_MAX + 1);

    for (uint32_t i = 0; i < count; i++) {
        out[i] = (struct finding){ .text = str_of(some_texts[prng_below(prng, 7)]),
                                   .evidence = str_of(some_evidence[prng_below(prng, 3)]),
                                   .file = str_of(some_files[prng_below(prng, 3)]),
                                   .line = prng_below(prng, 6) };
        out[i].fingerprint = finding_fingerprint(&out[i]);
        list[i] = &out[i];
    }
    return count;
}

static bool conflicts(const struct finding *a, const struct finding *b)
{
    return a->line != b->line && a->line != 0 && b->line != 0 && a->evidence.size > 0 &&
           b->evidence.size > 0 && !str_eq(a->evidence, b->evidence);
}

static void check_pairs(const struct identity_sides *sides, const uint32_t *out)
{
    bool used[SIDE_MAX] = { false };

    for (uint32_t i = 0; i < sides->reported_count; i++) {
        const struct finding *reported = sides->reported[i], *known;

        if (out[i] == IDENTITY_NONE) continue;
        assert_true(out[i] < sides->known_count);
        assert_false(used[out[i]]);
        used[out[i]] = true;
        known = sides->known[out[i]];
        assert_true(str_eq(known->file, reported->file) || known->file.size == 0 ||
                    reported->file.size == 0);
        if (str_eq(known->text, reported->text)) assert_false(conflicts(known, reported));
        else assert_true(known->fingerprint != reported->fingerprint); /* not only in digits */
    }
}

/* On both sides nothing is left alone that has the same words and evidence, or line. */
static void check_left(const struct identity_sides *sides, const uint32_t *out)
{
    bool used[SIDE_MAX] = { false };

    for (uint32_t i = 0; i < sides->reported_count; i++) {
        if (out[i] != IDENTITY_NONE) used[out[i]] = true;
    }
    for (uint32_t i = 0; i < sides->reported_count; i++) {
        for (uint32_t k = 0; k < sides->known_count && out[i] == IDENTITY_NONE; k++) {
            const struct finding *x = sides->known[k], *y = sides->reported[i];

            if (used[k] || !str_eq(x->file, y->file) || !str_eq(x->text, y->text)) continue;
            assert_false(x->evidence.size > 0 && str_eq(x->evidence, y->evidence));
            assert_false(x->line == y->line);
            assert_false(x->evidence.size == 0 && y->evidence.size == 0);
        }
    }
}

static uint64_t content(const struct finding *finding)
{
    if (!finding) return 1;
    return finding_fingerprint(finding) * 31 + finding->text.size * 7 + finding->line * 1000003 +
           (finding->text.size > 0 ? (uint64_t)finding->text.data[finding->text.size - 1] : 0) +
           evidence_fingerprint(finding) * 13;
}

/* The same for the same pairs, whatever their indices. */
static uint64_t pairs_of(const struct identity_sides *sides, const uint32_t *out)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < sides->reported_count; i++) {
        const struct finding *known = out[i] != IDENTITY_NONE ? sides->known[out[i]] : NULL;
        uint64_t pair = content(sides->reported[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ content(known);

        sum += pair * pair;
    }
    return sum;
}

static void shuffle(struct prng *prng, const struct finding **list, uint32_t *with, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t at = prng_below(prng, i), number = with ? with[at] : 0;
        const struct finding *item = list[at];

        list[at] = list[i - 1];
        list[i - 1] = item;
        if (!with) continue;
        with[at] = with[i - 1];
        with[i - 1] = number;
    }
}

TEST(random_sides_keep_the_rules_in_any_order)
{
    struct prng prng = { .state = 7 };

    for (uint32_t i = 0; i < SEEDS; i++) {
        struct finding known[SIDE_MAX], reported[SIDE_MAX];
        const struct finding *old[SIDE_MAX], *new[SIDE_MAX];
        struct identity_sides sides = { .known = old, .reported = new };
        uint32_t out[SIDE_MAX];
        uint64_t pairs;

        sides.known_count = make_side(&prng, known, old);
        sides.reported_count = make_side(&prng, reported, new);
        identity_match(&sides, out);
        check_pairs(&sides, out);
        check_left(&sides, out);
        pairs = pairs_of(&sides, out);
        shuffle(&prng, old, NULL, sides.known_count);
        shuffle(&prng, new, NULL, sides.reported_count);
        identity_match(&sides, out);
        if (pairs_of(&sides, out) != pairs) fail_msg("seed %u: the order decides", i);
    }
}

/* ---- several reviewers ---- */

static void expect_groups(const char *const *written, const uint32_t *voters, uint32_t count,
                          const uint32_t *groups)
{
    struct finding list[SIDE_MAX];
    const struct finding *items[SIDE_MAX];
    uint32_t out[SIDE_MAX];

    for (uint32_t i = 0; i < count; i++) {
        list[i] = finding_of(written[i]);
        items[i] = &list[i];
    }
    identity_group(&(struct identity_reports){ items, voters, count, NULL }, out);
    for (uint32_t i = 0; i < count; i++) {
        if (out[i] != groups[i]) fail_msg("%s: %u, not %u", written[i], out[i], groups[i]);
    }
}

TEST(one_fault_told_by_several_reviewers_is_one_group)
{
    static const char *const written[] = { "a.c:50 kilo alpha bravo", "a.c:51 alpha delta echo",
                                           "a.c:50 alpha golf kilo", "a.c:50 zulu",
                                           "b.c:50 kilo alpha bravo" };

    expect_groups(written, (uint32_t[]){ 1, 2, 3, 4, 2 }, 5, (uint32_t[]){ 0, 0, 0, 3, 4 });
}

TEST(a_reviewer_told_its_own_findings_apart)
{
    static const char *const written[] = { "a.c:50 kilo alpha bravo", "a.c:50 kilo alpha bravo",
                                           "a.c:51 kilo alpha echo" };

    expect_groups(written, (uint32_t[]){ 1, 1, 2 }, 3, (uint32_t[]){ 0, 1, 0 });
    expect_groups(written, (uint32_t[]){ 1, 1, 1 }, 3, (uint32_t[]){ 0, 1, 2 });
}

/* Each is alike with its neighbour only: two and one join, two and two do not. */
TEST(groups_join_by_half_of_the_pairs_between_them)
{
    static const char *const written[] = { "a.c:1 alpha bravo", "a.c:3 bravo kilo",
                                           "a.c:30 golf zulu", "a.c:32 zulu echo",
                                           "a.c:5 kilo delta" };

    expect_groups(written, (uint32_t[]){ 1, 2, 3, 4, 5 }, 5, (uint32_t[]){ 0, 0, 2, 2, 0 });
    expect_groups((const char *const[]){ "a.c:1 alpha bravo", "a.c:1 alpha bravo kilo",
                                         "a.c:1 kilo echo golf", "a.c:1 echo golf" },
                  (uint32_t[]){ 1, 2, 3, 4 }, 4, (uint32_t[]){ 0, 0, 2, 2 });
}

TEST(random_groups_are_the_same_in_any_order)
{
    struct prng prng = { .state = 9 };

    for (uint32_t i = 0; i < SEEDS / 4; i++) {
        struct finding list[SIDE_MAX];
        const struct finding *items[SIDE_MAX];
        uint32_t voters[SIDE_MAX], out[SIDE_MAX], count = make_side(&prng, list, items);
        uint64_t sums[2] = { 0 };

        for (uint32_t k = 0; k < count; k++) voters[k] = prng_below(&prng, 4);
        for (uint32_t pass = 0; pass < 2; pass++) {
            identity_group(&(struct identity_reports){ items, voters, count, NULL }, out);
            for (uint32_t k = 0; k < count; k++) {
                uint64_t sum = 0;

                assert_true(out[k] <= k && out[out[k]] == out[k]);
                for (uint32_t j = 0; j < count; j++) {
                    assert_false(j != k && out[j] == out[k] && voters[j] == voters[k]);
                    if (out[j] == out[k]) sum += (content(items[j]) + voters[j]) * 0x9e3779b9;
                }
                sums[pass] += sum * sum;
            }
            shuffle(&prng, items, voters, count);
        }
        if (sums[0] != sums[1]) fail_msg("seed %u: the order decides", i);
    }
}
