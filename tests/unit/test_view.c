/* SPDX-License-Identifier: Apache-2.0
 *
 * test_view.c - what a run looks like on a terminal, line by line. */
#include "view/view_render.h"

#include "format/text/utf8.h"
#include "format/text/width.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t t0 = 1000000;

static void put_lines(const struct view_lines *lines, struct buf *out)
{
    buf_clear(out);
    for (uint32_t i = 0; i < lines->count; i++) {
        buf_add(out, (struct str){ lines->text.data + lines->item[i].at, lines->item[i].size });
        buf_byte(out, '\n');
    }
}

static void assert_frame(const struct view_model *model, struct view_screen screen,
                         uint64_t now_ms, const char *expected)
{
    struct view_lines lines = { 0 };
    struct buf text;

    buf_init(&text, 1 << 20);
    view_render(model, &screen, now_ms, &lines);
    put_lines(&lines, &text);
    assert_string_equal(buf_cstr(&text), expected);
    for (uint32_t i = 0; i < lines.count; i++) {
        assert_true(lines.item[i].columns < screen.columns);
    }
    assert_true(lines.count < screen.rows);
    view_lines_release(&lines);
    buf_release(&text);
}

static void add(struct view_model *model, const char *role, const char *spec, uint32_t job)
{
    view_model_start(model, &(struct view_row){
        .job = job, .attempt = 1, .round = model->round, .purpose = FOR_REVIEW, .copy = 1,
        .role = role, .spec = spec, .state = ROW_RUNNING, .started_ms = t0 + 1000 });
}

static void end(struct view_model *model, uint32_t job, enum verdict verdict, uint32_t findings,
                uint64_t took_ms)
{
    struct result result = { .verdict = verdict, .finding_count = findings };

    view_model_ended(model, job, &result, took_ms);
}

/* A review in its second round: two run, one is clean, one found something, one failed. */
static struct view_model scene(void)
{
    struct view_model model = { .dialect = "review", .run = "k3x9abcd", .started_ms = t0,
                                .round = 2, .round_max = 5, .found = 9, .fixed = 7, .left = 2 };

    add(&model, "critic", "analyzer:gcc", 1);
    add(&model, "pedant", "analyzer:clang-tidy", 2);
    add(&model, "witness", "analyzer:cppcheck", 3);
    add(&model, "security-reviewer", "analyzer:shellcheck", 4);
    add(&model, "silent-failure-hunter", "cmd:./agent.sh --long 'an argument' --and more", 5);
    end(&model, 2, VERDICT_FINDINGS, 2, 1234);
    end(&model, 3, VERDICT_CLEAN, 0, 400);
    end(&model, 4, VERDICT_FAILED, 0, 65000);
    return model;
}

static struct view_screen screen(uint32_t columns, uint32_t rows)
{
    return (struct view_screen){ .columns = columns, .rows = rows, .utf8 = true };
}

TEST(eighty_columns_show_everything)
{
    struct view_model model = scene();

    assert_frame(&model, screen(80, 24), t0 + 7900,
                 "review · run k3x9abcd · round 2 of 5 · 0:07\n"
                 "  critic                 analyzer:gcc                       running 0:06\n"
                 "  pedant                 analyzer:clang-tidy                2 findings (1.2 s)\n"
                 "  witness                analyzer:cppcheck                  clean (400 ms)\n"
                 "  security-reviewer      analyzer:shellcheck                failed (1 min 05 s)\n"
                 "  silent-failure-hunter  cmd:./agent.sh --long 'an argume…  running 0:06\n"
                 "  found 9 · fixed 7 · left 2\n");
    view_model_release(&model);
}

/* The last lines of a block of this height. */
static void expect_end(struct view_model *model, struct view_screen size, const char *wanted)
{
    struct view_lines lines = { .count = 0 };
    struct buf text;
    const char *end;

    buf_init(&text, 1 << 16);
    view_render(model, &size, t0, &lines);
    assert_true(lines.count < size.rows);
    put_lines(&lines, &text);
    end = buf_cstr(&text) + (text.size > strlen(wanted) ? text.size - strlen(wanted) : 0);
    assert_string_equal(end, wanted);
    buf_release(&text);
    view_lines_release(&lines);
}

TEST(a_person_sees_the_key_and_what_was_typed)
{
    struct view_model model = scene();
    struct view_screen wide = screen(80, 24), low = screen(30, 3);

    model.keys = true;
    expect_end(&model, wide, "  p pauses\n");
    model.held = true;
    model.finishing = 2;
    buf_init(&model.word, VIEW_WORD_BYTES_MAX);
    buf_text(&model.word, "mind the gap\x1b[2J");
    expect_end(&model, wide, "  paused: 2 agents finish, none starts; a word to the next, Enter "
                             "goes on\n  > mind the gap\\x1b[2J_\n");
    expect_end(&model, low, "  > mind the gap\\x1b[2J_\n");
    buf_clear(&model.word);
    for (int i = 0; i < 40; i++) buf_text(&model.word, "\xc3\xa9x");
    expect_end(&model, low, "x\xc3\xa9x\xc3\xa9x\xc3\xa9x\xc3\xa9x\xc3\xa9x\xc3\xa9x_\n");
    view_model_release(&model);
}

TEST(who_waits_is_shown_with_what_is_left)
{
    struct view_model model = { .dialect = "review", .run = "k3x9abcd", .started_ms = t0 };

    add(&model, "critic", "claude", 1);
    add(&model, "pedant", "claude", 2);
    end(&model, 1, VERDICT_FAILED, 0, 400);
    view_model_waits(&model, 1, "the rate limit", t0 + 306900);
    assert_frame(&model, screen(80, 24), t0 + 7900,
                 "review · run k3x9abcd · 0:07\n"
                 "  critic  claude  waits for the rate limit 4:59\n"
                 "  pedant  claude  running 0:06\n");
    assert_frame(&model, screen(22, 24), t0 + 400000,
                 "review · 6:40\n"
                 "  critic 0:00\n"
                 "  pedant 6:39\n");
    assert_frame(&model, screen(80, 3), t0 + 7900,
                 "review · run k3x9abcd · 0:07\n"
                 "  2 agents, 1 running, 1 waiting\n");
    view_model_release(&model);
}

TEST(a_wide_screen_is_not_filled)
{
    struct view_model model = scene();

    end(&model, 5, VERDICT_INVALID, 0, 10);
    assert_frame(&model, screen(200, 60), t0 + 3600000,
                 "review · run k3x9abcd · round 2 of 5 · 1:00:00\n"
                 "  critic                 analyzer:gcc                       running 59:59\n"
                 "  pedant                 analyzer:clang-tidy                2 findings (1.2 s)\n"
                 "  witness                analyzer:cppcheck                  clean (400 ms)\n"
                 "  security-reviewer      analyzer:shellcheck                failed (1 min 05 s)\n"
                 "  silent-failure-hunter  cmd:./agent.sh --long 'an argume…  invalid (10 ms)\n"
                 "  found 9 · fixed 7 · left 2\n");
    view_model_release(&model);
}

TEST(forty_columns_leave_out_who_plays)
{
    struct view_model model = scene();

    assert_frame(&model, screen(40, 24), t0 + 7900,
                 "review · round 2 of 5 · 0:07\n"
                 "  critic                0:06\n"
                 "  pedant                2 findings\n"
                 "  witness               clean\n"
                 "  security-reviewer     failed\n"
                 "  silent-failure-hunter 0:06\n"
                 "  found 9 · fixed 7 · left 2\n");
    view_model_release(&model);
}

TEST(twenty_columns_cut_names)
{
    struct view_model model = scene();

    assert_frame(&model, screen(20, 24), t0 + 7900,
                 "round 2 of 5 · 0:07\n"
                 "  critic 0:06\n"
                 "  pedant 2 findings\n"
                 "  witne… clean\n"
                 "  secur… failed\n"
                 "  silen… 0:06\n"
                 "  fixed 7 · left 2\n");
    view_model_release(&model);
}

TEST(a_tiny_screen_gets_one_line_or_none)
{
    struct view_model model = scene();

    assert_frame(&model, screen(19, 24), t0 + 7900, "0:07\n");
    assert_frame(&model, screen(8, 24), t0 + 7900, "0:07\n");
    assert_frame(&model, screen(7, 24), t0 + 7900, "");
    assert_frame(&model, screen(1, 1), t0 + 7900, "");
    assert_frame(&model, screen(80, 1), t0 + 7900, "");
    assert_frame(&model, screen(80, 2), t0 + 7900,
                 "review · run k3x9abcd · round 2 of 5 · 0:07\n");
    view_model_release(&model);
}

TEST(a_low_screen_shows_who_runs_first)
{
    struct view_model model = scene();

    assert_frame(&model, screen(40, 3), t0 + 7900,
                 "review · round 2 of 5 · 0:07\n"
                 "  5 agents, 2 running\n");
    assert_frame(&model, screen(40, 4), t0 + 7900,
                 "review · round 2 of 5 · 0:07\n"
                 "  critic                0:06\n"
                 "  and 4 more, 1 running\n");
    assert_frame(&model, screen(40, 6), t0 + 7900,
                 "review · round 2 of 5 · 0:07\n"
                 "  critic                0:06\n"
                 "  silent-failure-hunter 0:06\n"
                 "  and 3 more\n"
                 "  found 9 · fixed 7 · left 2\n");
    view_model_release(&model);
}

TEST(before_anything_is_known_there_is_a_line)
{
    struct view_model model = { .dialect = "review", .stage = "starting", .started_ms = t0 };

    assert_frame(&model, screen(80, 24), t0, "review · starting · 0:00\n");
    assert_frame(&model, screen(80, 24), t0 - 5000, "review · starting · 0:00\n");
    model.dialect = NULL;
    assert_frame(&model, screen(80, 24), t0, "starting · 0:00\n");
}

TEST(a_round_beyond_its_bound_is_just_a_number)
{
    struct view_model model = { .dialect = "x", .phase = "build", .stage = "fixing",
                                .started_ms = t0, .round = 6, .round_max = 5 };

    assert_frame(&model, screen(80, 24), t0, "x · build · round 6 · fixing · 0:00\n");
}

TEST(many_agents_are_shown_as_far_as_there_is_room)
{
    struct view_model model = { .dialect = "review", .started_ms = t0, .round = 1 };
    struct view_lines lines = { 0 };
    struct view_screen tall = screen(80, 500);
    struct buf text;

    for (uint32_t i = 0; i < 1000; i++) {
        view_model_start(&model, &(struct view_row){ .job = i + 1, .attempt = 1, .lane = i,
            .role = "worker", .spec = "cmd:x", .purpose = FOR_WORK, .state = ROW_RUNNING,
            .started_ms = t0 + 1000 - i });
    }
    buf_init(&text, 1 << 20);
    view_render(&model, &tall, t0 + 5000, &lines);
    put_lines(&lines, &text);
    assert_int_equal(lines.count, VIEW_LINES_MAX);
    assert_non_null(strstr(buf_cstr(&text), "  and 970 more, 970 running\n"));
    assert_non_null(strstr(buf_cstr(&text), "running 0:04\n"));
    view_lines_release(&lines);
    view_model_release(&model);
    buf_release(&text);
}

TEST(a_name_of_many_bytes_is_cut)
{
    struct view_model model = { .dialect = "review", .started_ms = t0, .round = 1 };
    char *name = malloc(100001);

    memset(name, 'n', 100000);
    name[100000] = '\0';
    model.run = name;
    add(&model, name, name, 1);
    end(&model, 1, VERDICT_FINDINGS, 4000000000u, 1000);
    assert_frame(&model, screen(60, 24), t0 + 2000,
                 "review · round 1 · 0:02\n"
                 "  nnnnnnnnnnnnnnnnnnnnnnn…  4000000000 findings (1.0 s)\n");
    free(name);
    view_model_release(&model);
}

TEST(wide_characters_keep_the_columns_straight)
{
    struct view_model model = { .dialect = "review", .started_ms = t0, .round = 1 };

    add(&model, "批評家", "cmd:模型 --速い", 1);
    add(&model, "critic", "cmd:e\xcc\x81t\xcc\x82", 2);
    assert_frame(&model, screen(80, 24), t0 + 1000,
                 "review · round 1 · 0:01\n"
                 "  批評家  cmd:模型 --速い  running 0:00\n"
                 "  critic  cmd:e\xcc\x81t\xcc\x82           running 0:00\n");
    assert_frame(&model, screen(20, 24), t0 + 1000,
                 "round 1 · 0:01\n"
                 "  批評家 0:00\n"
                 "  critic 0:00\n");
    view_model_release(&model);
}

/* What could move the cursor, set the title, forge a line or turn the writing round. */
static const char hostile[] =
    "\x1b[2J\x1b]0;title\x07\r\nroot# \xc2\x9b" "31m\xe2\x80\xae\xff\x7f\b\t\xe2\x80\xa8.";

TEST(hostile_text_is_only_text)
{
    struct view_model model = { .dialect = hostile, .run = hostile, .phase = hostile,
                                .stage = hostile, .started_ms = t0, .round = 1 };

    add(&model, hostile, hostile, 1);
    model.run = model.phase = model.stage = NULL;
    assert_frame(&model, screen(80, 24), t0 + 1000,
                 "round 1 · 0:01\n"
                 "  \\x1b[2J\\x1b]0;title\\x07…  \\x1b[2J\\x1b]0;title\\x07 root# \\u{9b}…  "
                 "running 0:00\n");
    model.dialect = strchr(hostile, '#');
    assert_frame(&model, screen(80, 2), t0 + 1000,
                 "# \\u{9b}31m\\u{202e}\\xff\\x7f\\x08 \\u{2028}. · round 1 · 0:01\n");
    view_model_release(&model);
}

TEST(color_is_sparing_and_always_ended)
{
    struct view_model model = scene();
    struct view_screen colored = screen(60, 24);

    colored.color = true;
    assert_frame(&model, colored, t0 + 7900,
        "\x1b[1mreview\x1b[0m\x1b[2m · \x1b[0mrun k3x9abcd\x1b[2m · \x1b[0mround 2 of 5"
        "\x1b[2m · \x1b[0m0:07\n"
        "  critic                 \x1b[2manalyzer:gcc\x1b[0m   running 0:06\n"
        "  pedant                 \x1b[2manalyzer:cla…\x1b[0m  "
        "\x1b[33m2 findings (1.2 s)\x1b[0m\n"
        "  witness                \x1b[2manalyzer:cpp…\x1b[0m  "
        "\x1b[32mclean (400 ms)\x1b[0m\n"
        "  security-reviewer      \x1b[2manalyzer:she…\x1b[0m  "
        "\x1b[31mfailed (1 min 05 s)\x1b[0m\n"
        "  silent-failure-hunter  \x1b[2mcmd:./agent.…\x1b[0m  running 0:06\n"
        "  found 9\x1b[2m · \x1b[0mfixed 7\x1b[2m · \x1b[0mleft 2\n");
    view_model_release(&model);
}

TEST(a_screen_of_ascii_gets_ascii)
{
    struct view_model model = { .dialect = "review", .started_ms = t0, .round = 1, .found = 1,
                                .left = 1 };
    struct view_screen plain = screen(60, 24);

    plain.utf8 = false;
    add(&model, "critic", "cmd:模型 --option with many words", 1);
    assert_frame(&model, plain, t0 + 1000,
                 "review - round 1 - 0:01\n"
                 "  critic  cmd:\\u{6a21}\\u{578b} --option wi...  running 0:00\n"
                 "  found 1 - fixed 0 - left 1\n");
    view_model_release(&model);
}

/* For all of these texts: no line is too wide, and an escape only ever begins a color. */
TEST(no_size_and_no_text_breaks_a_line)
{
    static const char *const texts[] = {
        "", "critic", hostile, "批評家批評家批評家", "e\xcc\x81\xcc\x81",
        "\xf0\x9f\x99\x82\xef\xb8\x8f", "\xff\xfe\xfd",
    };
    struct view_lines lines = { 0 };

    for (uint32_t at = 0; at < 49; at++) {
        struct view_model model = { .dialect = texts[at % 7], .run = texts[at / 7],
                                    .started_ms = t0, .round = at % 3, .found = at % 2 };
        add(&model, texts[at % 7], texts[at / 7], 1);
        add(&model, texts[at / 7], texts[at % 7], 2);
        end(&model, at % 2, (enum verdict)(at % 4), at, at * 1000);
        for (uint32_t columns = 1; columns < 60; columns++) {
            struct view_screen any = { .columns = columns, .rows = columns % 7 + 1,
                                       .color = at % 2, .utf8 = at % 3 };
            view_render(&model, &any, t0 + at * 10000, &lines);
            assert_true(lines.count < any.rows);
            for (uint32_t i = 0; i < lines.count; i++) {
                struct str line = { lines.text.data + lines.item[i].at, lines.item[i].size };
                assert_true(lines.item[i].columns < columns);
                assert_int_equal(utf8_prefix(line), line.size);
                for (size_t k = 0; k < line.size; k++) {
                    if (line.data[k] != '\x1b') assert_true((unsigned char)line.data[k] >= 0x20);
                    else assert_true(any.color && line.data[k + 1] == '[');
                }
            }
        }
        view_model_release(&model);
    }
    view_lines_release(&lines);
}

TEST(an_attempt_says_which_it_is)
{
    struct view_model model = { .dialect = "review", .started_ms = t0, .round = 1 };

    add(&model, "critic", "x", 1);
    add(&model, "pedant", "x", 2);
    add(&model, "witness", "x", 3);
    model.rows[0].attempt = 2;
    model.rows[1].state = ROW_STOPPED;
    model.rows[1].took_ms = 1500;
    end(&model, 3, VERDICT_CLEAN, 0, 0); /* before this engine began: its time is not known */
    assert_frame(&model, screen(60, 24), t0 + 3000,
                 "review · round 1 · 0:03\n"
                 "  critic   x  running 0:02, try 2\n"
                 "  pedant   x  stopped (1.5 s)\n"
                 "  witness  x  clean\n");
    view_model_release(&model);
}
