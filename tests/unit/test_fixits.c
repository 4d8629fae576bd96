/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fixits.c - the parts of the fixer without a model: the search for what is bad, the list of
 * what was refused, and its summary. tests/e2e/fixits.sh has the whole. */
#include "shared/prng.h"
#include "ground.h"
#include "test.h"

#include "agent/agent.h"
#include "analyze/analyzer.h"
#include "analyze/fixits.h"
#include "io/file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the search ---- */

enum { ITEMS_MAX = 300 };

/* Items of which some are bad; what is asked about is bad where one of it is. */
struct judge {
    bool bad[ITEMS_MAX], good[ITEMS_MAX], said[ITEMS_MAX];
    uint32_t checks, fails_at; /* the check that is an error; 0: none */
    uint32_t last_first, last_count; /* of the last check that failed */
};

static int judge_passes(void *context, uint32_t first, uint32_t count, bool *ok, struct err *err)
{
    struct judge *judge = context;

    assert_true(count > 0);
    if (++judge->checks == judge->fails_at) return err_set(err, ERR_FAILED, "no luck");
    *ok = true;
    for (uint32_t i = 0; i < count; i++) {
        assert_false(judge->good[first + i]);
        *ok = *ok && !judge->bad[first + i];
    }
    if (!*ok) {
        judge->last_first = first;
        judge->last_count = count;
    }
    return 0;
}

/* The last check that failed is about this one and others that are good. */
static void judge_bad(void *context, uint32_t item)
{
    struct judge *judge = context;

    judge->said[item] = true;
    assert_true(item >= judge->last_first && item < judge->last_first + judge->last_count);
    for (uint32_t i = 0; i < judge->last_count; i++) {
        uint32_t other = judge->last_first + i;
        assert_true(other == item || judge->good[other]);
    }
}

static int judge_all(struct judge *judge, uint32_t count)
{
    struct bisect bisect = { .passes = judge_passes, .bad = judge_bad, .context = judge,
                             .good = judge->good };
    struct err err;

    return fixits_bisect(&bisect, count, &err);
}

TEST(all_good_ones_cost_one_check)
{
    struct judge judge = { .checks = 0 };

    assert_int_equal(judge_all(&judge, 200), 0);
    assert_int_equal(judge.checks, 1);
    assert_true(judge.good[0] && judge.good[199]);
}

TEST(nothing_costs_nothing)
{
    struct judge judge = { .checks = 0 };

    assert_int_equal(judge_all(&judge, 0), 0);
    assert_int_equal(judge.checks, 0);
}

TEST(one_bad_one_is_found_with_few_checks)
{
    for (uint32_t bad = 0; bad < 256; bad++) {
        struct judge judge = { .checks = 0 };

        judge.bad[bad] = true;
        assert_int_equal(judge_all(&judge, 256), 0);
        for (uint32_t i = 0; i < 256; i++) assert_int_equal(judge.good[i], i != bad);
        assert_true(judge.checks <= 1 + 2 * 8);
    }
}

TEST(exactly_the_bad_ones_are_found)
{
    struct prng prng = { .state = 7 };

    for (int round = 0; round < 500; round++) {
        struct judge judge = { .checks = 0 };
        uint32_t count = 1 + prng_below(&prng, ITEMS_MAX - 1), bad = 0, log = 1;

        for (uint32_t i = 0; i < count; i++) {
            judge.bad[i] = prng_chance(&prng, (uint32_t)round % 20);
            bad += judge.bad[i];
        }
        while ((1u << log) < count) log++;
        assert_int_equal(judge_all(&judge, count), 0);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(judge.good[i], !judge.bad[i]);
            assert_int_equal(judge.said[i], judge.bad[i]);
        }
        assert_true(judge.checks <= 1 + 2 * bad * log);
    }
}

TEST(an_error_ends_the_search)
{
    for (uint32_t at = 1; at < 10; at++) {
        struct judge judge = { .fails_at = at };

        judge.bad[77] = true;
        assert_int_equal(judge_all(&judge, 200), ERR_FAILED);
        assert_int_equal(judge.checks, at);
    }
}

/* ---- groups and bounds ---- */

struct bounded {
    struct judge judge; /* first: it is the context of judge_passes() */
    uint32_t asks_max;
    bool dropped[ITEMS_MAX], failing[ITEMS_MAX];
};

static bool bounded_may_ask(void *context, uint32_t asks)
{
    const struct bounded *bounded = context;

    return bounded->judge.checks + asks <= bounded->asks_max;
}

static void bounded_drop(void *context, uint32_t first, uint32_t count, bool fails)
{
    struct bounded *bounded = context;
    bool bad = false;

    for (uint32_t i = first; i < first + count; i++) {
        assert_false(bounded->dropped[i] || bounded->judge.good[i]);
        bounded->dropped[i] = true;
        bounded->failing[i] = fails;
        bad = bad || bounded->judge.bad[i];
    }
    assert_true(!fails || bad); /* what is said to fail has a bad one */
}

TEST(however_many_are_bad_no_more_is_asked_than_may_be)
{
    struct prng prng = { .state = 11 };

    for (int round = 0; round < 500; round++) {
        struct bounded bounded = { .asks_max = 1 + prng_below(&prng, 60) };
        uint32_t count = 1 + prng_below(&prng, ITEMS_MAX - 1), ends[ITEMS_MAX];
        struct bisect bisect = { .passes = judge_passes, .bad = NULL, .drop = bounded_drop,
                                 .may_ask = bounded_may_ask, .ends = ends, .context = &bounded,
                                 .good = bounded.judge.good };
        struct err err;

        for (uint32_t i = count; i-- > 0;) {
            bounded.judge.bad[i] = prng_chance(&prng, (uint32_t)round % 30);
            ends[i] = i + 1 == count || prng_chance(&prng, 30) ? i + 1 : ends[i + 1];
        }
        assert_int_equal(fixits_bisect(&bisect, count, &err), 0);
        assert_true(bounded.judge.checks <= bounded.asks_max);
        for (uint32_t i = 0; i < count; i++) {
            assert_false(bounded.judge.good[i] && bounded.judge.bad[i]);
            if (!bounded.judge.good[i] && !bounded.judge.bad[i]) assert_true(bounded.dropped[i]);
        }
    }
}

/* Stretches are cut between groups until one group is left. */
static int whole_passes(void *context, uint32_t first, uint32_t count, bool *ok, struct err *err)
{
    if (count >= 5) assert_true(first % 5 == 0 && count % 5 == 0);
    return judge_passes(context, first, count, ok, err);
}

TEST(files_that_depend_on_each_other_are_cut_apart_last)
{
    for (uint32_t bad = 0; bad < 250; bad++) {
        struct judge judge = { .checks = 0 };
        uint32_t ends[ITEMS_MAX];
        struct bisect bisect = { .passes = whole_passes, .bad = NULL, .ends = ends,
                                 .context = &judge, .good = judge.good };
        struct err err;

        for (uint32_t i = 0; i < 250; i++) ends[i] = i / 5 * 5 + 5;
        judge.bad[bad] = true;
        /* What follows the bad one in its group is asked about with all that is behind it. */
        if (bad % 5 != 4) bisect.passes = judge_passes;
        assert_int_equal(fixits_bisect(&bisect, 250, &err), 0);
        for (uint32_t i = 0; i < 250; i++) assert_int_equal(judge.good[i], i != bad);
        assert_true(judge.checks <= 1 + 6 + 3 + 1);
    }
}

/* ---- what was refused ---- */

ON_GROUND(what_was_refused_is_known_in_the_next_round)
{
    struct ground *ground = *state;
    struct fixits first = { .folder = at(ground, "work") };
    struct fixits second = { .folder = at(ground, "work") };

    first.attempt = arena_printf(&first.arena, "%s/7-1", first.folder);
    make_folder(first.attempt);
    fixits_recall(&first);
    assert_int_equal(first.refused_count, 0);
    fixits_refuse(&first, 9);
    fixits_refuse(&first, UINT64_MAX);
    fixits_refuse(&first, 9);
    fixits_refuse(&first, 0x00c0ffee00c0ffee);
    fixits_remember(&first);
    fixits_recall(&second);
    assert_false(second.refused_damaged);
    assert_int_equal(second.refused_count, 3);
    assert_true(second.refused[0] == 9 && second.refused[1] == 0x00c0ffee00c0ffee);
    assert_true(second.refused[2] == UINT64_MAX);
    free(first.refused);
    free(second.refused);
    arena_release(&first.arena);
    arena_release(&second.arena);
}

ON_GROUND(a_damaged_list_is_ignored)
{
    static const char *const texts[] = {
        "", "\n", "0000000000000009", "000000000000009\n", "0000000000000009\nx\n",
        "0000000000000009\n000000000000000G\n", "0000000000000009\n0000000000000009 ",
    };
    struct ground *ground = *state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fixits fixits = { .folder = ground->work };

        put(at(ground, "work/7-1/fixits-refused"), texts[i]);
        fixits_recall(&fixits);
        assert_int_equal(fixits.refused_count, 0);
        assert_true(fixits.refused_damaged);
        free(fixits.refused);
        arena_release(&fixits.arena);
    }
}

/* ---- what was not checked is taken back ---- */

/* Of a fixer that was killed: what is on disk, and what becomes of it. */
static const struct {
    const char *name, *now, *next; /* what it made, and was about to make; NULL: it did not */
    const char *on_disk, *wanted;
    bool left; /* it is named as another process's */
} undos[] = {
    { "untouched.c", NULL, NULL, "theirs", "theirs", false },
    { "made.c", "made", NULL, "made", "old", false },
    { "about.c", NULL, "made", "made", "old", false },
    { "not-yet.c", NULL, "made", "old", "old", false },
    { "again.c", "made", "other", "made", "old", false },
    { "again-made.c", "made", "other", "other", "old", false },
    { "theirs.c", "made", "other", "theirs", "theirs", true },
    { ".github/workflows/ci.yml", "made", NULL, "made", "made", false },
    { ".git/config", "made", NULL, "made", "made", false },
};

enum { UNDO_COUNT = sizeof undos / sizeof *undos };

static void undo_scene(const struct ground *ground)
{
    struct buf kept, made;
    struct err err;

    buf_init(&kept, 4096);
    buf_init(&made, 4096);
    make_folder(at(ground, "7-1"));
    for (size_t i = 0; i < UNDO_COUNT; i++) {
        buf_printf(&kept, "%zu 3\n%sold", strlen(undos[i].name), undos[i].name);
        buf_printf(&made, "%016llx %016llx\n",
                   undos[i].now ? (unsigned long long)content_hash(str_of(undos[i].now)) : 0,
                   undos[i].next ? (unsigned long long)content_hash(str_of(undos[i].next)) : 0);
        put(at(ground, "work/%s", undos[i].name), undos[i].on_disk);
    }
    assert_int_equal(file_write(at(ground, "7-1"), UNDO_NAME, buf_str(&kept), &err), 0);
    assert_int_equal(file_write(at(ground, "7-1"), UNDO_MADE_NAME, buf_str(&made), &err), 0);
    buf_release(&kept);
    buf_release(&made);
}

ON_GROUND(what_was_not_checked_is_taken_back_and_what_is_anothers_is_left)
{
    static const char *const barred[] = { ".github/workflows", NULL };
    struct ground *ground = *state;
    struct undone undone = { 0 };
    struct err err;

    buf_init(&undone.left, 4096);
    undo_scene(ground);
    put(at(ground, "work/.not-yet.c.hone-tmp"), "mad"); /* it was killed in a write */
    assert_int_equal(fixits_undo(at(ground, "7-1"), ground->work, barred, &undone, &err), 0);
    for (size_t i = 0; i < UNDO_COUNT; i++) {
        expect_content(at(ground, "work/%s", undos[i].name), undos[i].wanted);
    }
    assert_false(is_there(at(ground, "work/.not-yet.c.hone-tmp")));
    assert_int_equal(undone.restored, 4);
    assert_int_equal(undone.left_count, 1);
    assert_string_equal(buf_cstr(&undone.left), "theirs.c");
    assert_int_equal(count_in(at(ground, "7-1")), 0);
    undone.restored = 0;
    assert_int_equal(fixits_undo(at(ground, "7-1"), ground->work, barred, &undone, &err), 0);
    assert_int_equal(undone.restored, 0);
    buf_release(&undone.left);
}

ON_GROUND(a_damaged_list_of_originals_is_an_error_and_changes_nothing)
{
    static const char *const texts[] = { "x", "4 3\na.cold", "3 9\na.cold", "3 3\n../old",
                                         "3 3 \na.cold", "3\na.cold" };
    struct ground *ground = *state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct undone undone = { 0 };
        struct err err;

        put(at(ground, "7-1/undo"), texts[i]);
        put(at(ground, "work/a.c"), "made");
        assert_int_not_equal(fixits_undo(at(ground, "7-1"), ground->work, NULL, &undone, &err), 0);
        expect_content(at(ground, "work/a.c"), "made");
    }
}

/* ---- the summary ---- */

static void assert_quoted(const char *text, size_t bytes_max, const char *wanted)
{
    struct buf out;

    buf_init(&out, 4096);
    fixits_quote(&out, str_of(text), bytes_max);
    assert_string_equal(buf_cstr(&out), wanted);
    buf_release(&out);
}

TEST(text_cannot_leave_its_code_span)
{
    assert_quoted("plain", 100, "`plain`");
    assert_quoted("", 100, "`  `");
    assert_quoted("a`b", 100, "``a`b``");
    assert_quoted("`a", 100, "`` `a ``");
    assert_quoted("a``", 100, "``` a`` ```");
    assert_quoted("``` ` ``", 100, "```` ``` ` `` ````");
    assert_quoted("one\ntwo\r\n\tthree", 100, "`one two  three`");
    assert_quoted(" || exit", 100, "` || exit`");
    assert_quoted(" x ", 100, "`  x  `");
    assert_quoted("\x1b[2J\xff", 100, "`\\x1b[2J\\xff`");
    assert_quoted("0123456789", 8, "`01234...`");
}

TEST(many_findings_are_counted_where_they_cannot_be_listed)
{
    enum { COUNT = 50000 };
    struct finding *findings = calloc(COUNT, sizeof *findings);
    struct fixits fixits = { .test_state = TEST_NONE };
    struct buf out;

    assert_non_null(findings);
    patch_init(&fixits.patch);
    for (int i = 0; i < COUNT; i++) {
        findings[i].text = STR("````````````````````````````````````````````````````````````");
        patch_add(&fixits.patch, &findings[i]);
    }
    patch_list_files(&fixits.patch);
    fixits.items = calloc(COUNT, sizeof *fixits.items);
    assert_non_null(fixits.items);
    patch_choose(&fixits.patch, NULL, 0);
    buf_init(&out, 768 * 1024);
    fixits_report(&fixits, &out);
    assert_false(out.overflow);
    assert_non_null(strstr(buf_cstr(&out), "more, not listed here\n"));
    assert_non_null(strstr(buf_cstr(&out), "- Total: 50000\n- Fixed: 0\n- Could not fix: 50000\n"));
    assert_true(str_ends(buf_str(&out), STR("STUCK: none of the 50000 findings has a fix that a "
                                            "machine can make\n")));
    buf_release(&out);
    patch_release(&fixits.patch);
    free(fixits.items);
    free(findings);
}

/* ---- the backend ---- */

TEST(the_backend_takes_no_argument_and_cannot_review)
{
    struct arena arena = { 0 };
    const char *const *argv;
    struct agent agent;
    struct err err;

    assert_int_equal(agent_parse("fixits", &arena, &agent, &err), 0);
    assert_true(agent.backend->cannot_review && !agent.backend->cannot_repair);
    argv = agent.backend->command(&agent, NULL, &arena);
    assert_true(argv[0][0] == '/');
    assert_string_equal(argv[1], "agent");
    assert_string_equal(argv[2], "fixits");
    assert_null(argv[3]);
    assert_int_equal(agent_parse("fixits:x", &arena, &agent, &err), ERR_USAGE);
    arena_release(&arena);
}
