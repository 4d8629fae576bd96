/* SPDX-License-Identifier: Apache-2.0
 *
 * test_progress.c - lines in which an agent says how far it is: those that are, those that are not,
 * and the newest of many. */
#include "format/text/progress.h"

#include "test.h"

#include <string.h>

static void expect_words(const struct progress *progress, const char *wanted)
{
    struct buf out;

    buf_init(&out, 4096);
    progress_words(progress, &out);
    assert_string_equal(buf_cstr(&out), wanted);
    buf_release(&out);
}

TEST(who_says_how_many_of_how_many)
{
    struct progress progress;

    assert_true(progress_read(STR("gcc: 12 of 93 files"), &progress));
    assert_string_equal(progress.who, "gcc");
    expect_words(&progress, "12 of 93 files");
    assert_true(progress_read(STR("fixits: 40 of 120 fixes, 0 of 12 tests"), &progress));
    expect_words(&progress, "40 of 120 fixes, 0 of 12 tests");
}

TEST(other_lines_are_none)
{
    static const char *const lines[] = {
        "", "gcc", "gcc:", "gcc: ", "gcc: 12 of 93", "gcc: 12 of 93 ", "gcc: 12 of 93 Files",
        "gcc: 12 of 93 files more", "gcc: 94 of 93 files", "gcc: 0 of 0 files", "gcc:1 of 2 files",
        "gcc: -1 of 2 files", "gcc: 1 of 2 files, ", "gcc: 1 of 2 files, more", "\x1b[2J: 1 of 2 a",
        "gcc: 1 of 2 a, 1 of 2 b, 1 of 2 c", ": 1 of 2 files", "gcc: 1  of 2 files",
        "a name that is longer than forty bytes is none: 1 of 2 files",
        "gcc: 1 of 2 awordthatislongerthantwenty", "gcc: 99999999999999999999 of 2 files",
    };

    for (uint32_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct progress progress;
        if (progress_read(str_of(lines[i]), &progress)) fail_msg("taken: %s", lines[i]);
    }
}

TEST(the_newest_whole_line_counts)
{
    struct progress progress;

    assert_true(progress_last(STR("x\ngcc: 1 of 9 files\ngcc: 2 of 9 files\nwarning\ngcc: 3 of"),
                              &progress));
    expect_words(&progress, "2 of 9 files");
    assert_true(progress_last(STR("gcc: 1 of 9 files\n"), &progress));
    expect_words(&progress, "1 of 9 files");
    assert_false(progress_last(STR("gcc: 1 of 9 files"), &progress));
    assert_false(progress_last(STR(""), &progress));
    assert_int_equal(progress.count, 0);
}

TEST(a_bar_shows_what_remains)
{
    static const struct {
        const char *line, *bar;
    } cases[] = {
        { "a: 0 of 4 files", "[          ]" },
        { "a: 1 of 4 files", "[##        ]" },
        { "a: 4 of 4 files", "[##########]" },
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct progress progress;
        struct buf out;

        assert_true(progress_read(str_of(cases[i].line), &progress));
        buf_init(&out, 64);
        progress_bar(&progress, 12, &out);
        assert_string_equal(buf_cstr(&out), cases[i].bar);
        buf_release(&out);
    }
}
