/* SPDX-License-Identifier: Apache-2.0
 *
 * test_top.c - hone top's screens, line by line, and what keys do. */
#include "top/choose.h"
#include "top/layout.h"

#include "format/text/utf8.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static const uint64_t t0 = 1000000;

static const char hostile[] =
    "\x1b]2;owned\x07\x1b[2J\xe2\x80\xae" "rtl \xff\xe6\x97\xa5\xe6\x9c\xac";

static struct top_run runs[] = {
    { .id = "k3x9abcd", .dialect = "review", .task = "Look at the parser", .state = "running",
      .style = STYLE_NAME, .standing = TOP_RUNNING, .known = true, .phase = "R1", .round = 2,
      .round_max = 5, .found = 9, .fixed = 7, .left = 2, .cost_micros = 420000,
      .took_ms = 192000, .has_budget = true, .budget = 84 },
    { .id = "7k2mzzzz", .dialect = "cycles", .task = "Build the shop", .state = "to decide",
      .style = STYLE_FOUND, .standing = TOP_WAITING, .known = true, .found = 1, .left = 1,
      .took_ms = 61000 },
    { .id = "11112222", .dialect = "review", .task = "", .state = "crashed", .style = STYLE_BAD,
      .standing = TOP_CRASHED },
    { .id = "33334444", .dialect = "review", .task = hostile, .state = "clean",
      .style = STYLE_GOOD, .standing = TOP_ENDED, .known = true, .found = 3, .fixed = 3,
      .took_ms = 1000 },
};

static struct top_attempt attempts[] = {
    { .name = "7-1", .phase = "R1", .row = { .job = 7, .role = "critic", .spec = "claude:opus",
      .round = 2, .state = ROW_RUNNING, .started_ms = 1000000 - 3000,
      .progress = { .count = 1, .parts = { { 3, 4, "files" } } } } },
    { .name = "6-1", .phase = "R2", .row = { .job = 6, .role = "review-fixer", .spec = "claude",
      .round = 1, .state = ROW_DONE, .took_ms = 41000 } },
    { .name = "1-1", .phase = "R1", .problem = hostile, .row = { .job = 1, .role = "critic",
      .spec = hostile, .round = 1, .state = ROW_FAILED, .took_ms = 5000 } },
};

static struct top_round rounds[] = {
    { .round = 2, .phase = "R1", .found = 2 },
    { .round = 1, .phase = "R1", .found = 9, .ended = true, .repaired = true, .took_ms = 44000 },
};

static struct top_finding findings[] = {
    { "high", "src/sum.c:12", "off by one", "critic", "new", STYLE_BAD },
    { "low", hostile, hostile, "pedant", "fixed", STYLE_DIM },
};

static struct top_text said[] = {
    { { "I look at the file first.", 25 }, STYLE_PLAIN },
    { { "> Read src/sum.c", 16 }, STYLE_NAME },
    { { hostile, sizeof hostile - 1 }, STYLE_PLAIN },
};

static struct top_model scene(void)
{
    struct top_model model = {
        .where = "~/shop", .runs = runs, .run_count = 4,
        .detail = { .run = runs[0], .stands = "running", .spent = "$0.42, 8 calls",
                    .limits = { { "$0.42 of $5.00 spent", 84 } }, .limit_count = 1,
                    .attempts = attempts, .attempt_count = 3, .rounds = rounds,
                    .round_count = 2, .findings = findings, .finding_count = 2 },
        .transcript = { .attempt = attempts[0], .lines = said, .line_count = 3 },
    };

    return model;
}

/* The lines of a screen without styles, blanks at their ends cut; the marked one begins with
 * ">". */
static void lines_text(const struct view_lines *lines, uint32_t marked, struct buf *out)
{
    buf_clear(out);
    for (uint32_t i = 0; i < lines->count; i++) {
        struct str line = { lines->text.data + lines->item[i].at, lines->item[i].size };
        size_t begin = out->size;

        while (line.size > 0) {
            if (line.data[0] == '\x1b') {
                while (line.size > 0 && line.data[0] != 'm') line = str_skip(line, 1);
            } else {
                buf_byte(out, i == marked && out->size == begin ? '>' : line.data[0]);
            }
            line = str_skip(line, 1);
        }
        while (out->size > begin && out->data[out->size - 1] == ' ') out->size--;
        buf_byte(out, '\n');
    }
}

static void assert_screen(struct top_state *chosen, const struct top_model *model,
                          uint32_t columns, uint32_t rows, const char *expected)
{
    struct view_screen screen = { .columns = columns, .rows = rows, .color = true, .utf8 = true };
    struct view_lines lines = { .count = 0 };
    uint32_t marked = top_draw(model, chosen, &screen, t0, &lines);
    struct buf text;

    buf_init(&text, 1 << 20);
    lines_text(&lines, marked, &text);
    assert_string_equal(buf_cstr(&text), expected);
    buf_release(&text);
    view_lines_release(&lines);
}

/* Presses keys, one after the other; what the last one led to. */
static enum top_step press(struct top_state *chosen, const struct top_model *model,
                           const char *keys)
{
    struct str rest = str_of(keys);
    enum top_step step = TOP_STAY;
    uint32_t code;

    while (rest.size > 0) {
        struct top_key key = { .kind = TOP_KEY_TEXT };
        size_t bytes = utf8_next(rest, &code);

        memcpy(key.text, rest.data, bytes);
        rest = str_skip(rest, bytes);
        step = top_key(chosen, model, key);
    }
    return step;
}

/* ---- pages ---- */

TEST(the_list_of_runs)
{
    struct top_model model = scene();
    struct top_state chosen = { .page = TOP_RUNS };

    top_settle(&chosen, &model);
    assert_string_equal(chosen.run, "k3x9abcd");
    assert_screen(&chosen, &model, 100, 8,
        "hone top \xc2\xb7 ~/shop \xc2\xb7 1 at work, 1 waiting, 1 crashed, 1 ended\n"
        " RUN      DIALECT STATE     PHASE  ROUND FOUND/FIXED LEFT  COST TIME BUDGET    "
        "      TASK\n"
        ">k3x9abcd review  running   R1    2 of 5         9/7    2 $0.42 3:12 [        ]"
        "   8% Look at the pa\xe2\x80\xa6\n"
        " 7k2mzzzz cycles  to decide                      1/0    1       1:01           "
        "      Build the shop\n"
        " 11112222 review  crashed\n"
        " 33334444 review  clean                          3/3    0       0:01           "
        "      \\x1b]2;owned\\x\xe2\x80\xa6\n"
        "\n"
        " q quits  ? helps  Enter opens  s stops  / finds  f filters\n");
    assert_screen(&chosen, &model, 20, 6,
        "1 at work, 1 waitin\xe2\x80\xa6\n"
        " RUN      STATE\n"
        ">k3x9abcd running\n"
        " 7k2mzzzz to decide\n"
        " 11112222 crashed\n"
        " q quits  ? helps\n");
    assert_screen(&chosen, &model, 160, 7,
        "hone top \xc2\xb7 ~/shop \xc2\xb7 1 at work, 1 waiting, 1 crashed, 1 ended\n"
        " RUN       DIALECT  STATE      PHASE   ROUND  FOUND/FIXED  LEFT   COST  TIME  B"
        "UDGET           TASK\n"
        ">k3x9abcd  review   running    R1     2 of 5          9/7     2  $0.42  3:12  ["
        "        ]   8%  Look at the parser\n"
        " 7k2mzzzz  cycles   to decide                         1/0     1         1:01   "
        "                Build the shop\n"
        " 11112222  review   crashed\n"
        " 33334444  review   clean                             3/3     0         0:01   "
        "                \\x1b]2;owned\\x07\\x1b[2J\\u{202e}rtl \\xff\xe6\x97\xa5\xe6\x9c"
        "\xac\n"
        " q quits  ? helps  Enter opens  s stops  / finds  f filters\n");
}

TEST(one_run)
{
    struct top_model model = scene();
    struct top_state chosen = { .page = TOP_RUN, .run = "k3x9abcd" };

    top_settle(&chosen, &model);
    assert_screen(&chosen, &model, 80, 24,
        "hone top \xc2\xb7 review \xc2\xb7 run k3x9abcd \xc2\xb7 running \xc2\xb7 round "
        "2 of 5 \xc2\xb7 3:12\n"
        " task       Look at the parser\n"
        " state      running, R1\n"
        " findings   found 9, fixed 7, left 2\n"
        " spent      $0.42, 8 calls\n"
        " budget     [#                   ] $0.42 of $5.00 spent\n"
        "\n"
        " ATTEMPT  ROLE          STATE\n"
        ">7-1      critic        running 0:03  [#######   ] 3 of 4 files\n"
        " 6-1      review-fixer  done (41.0 s)\n"
        " 1-1      critic        failed (5.0 s)\n"
        "\n"
        " ROUNDS\n"
        " R1   1  \xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"
        "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96"
        "\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2"
        "\x96\x88  9 findings, repaired (0:44)\n"
        " R1   2  \xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88                  at w"
        "ork\n"
        "\n"
        " FINDINGS\n"
        " high  new    src/sum.c:12                          critic  off by one\n"
        " low   fixed  \\x1b]2;owned\\x07\\x1b[2J\\u{202e}rtl \xe2\x80\xa6  pedant  \\x1"
        "b]2;owned\\x07\\x1\xe2\x80\xa6\n"
        "\n"
        "\n"
        "\n"
        "\n"
        " q quits  ? helps  Enter opens  Esc goes back  s stops  / finds\n");
    assert_screen(&chosen, &model, 30, 10,
        "run k3x9abcd\n"
        " Look at the parser\n"
        " running, R1\n"
        "\n"
        " ROLE          STATE\n"
        ">critic        0:03  75%\n"
        " review-fixer  done\n"
        " critic        failed\n"
        "\n"
        " q quits  ? helps  Enter opens\n");
}

TEST(one_attempt)
{
    struct top_model model = scene();
    struct top_state chosen = { .page = TOP_ATTEMPT, .run = "k3x9abcd", .attempt = "7-1" };

    chosen.ends[TOP_ATTEMPT] = true;
    assert_screen(&chosen, &model, 60, 9,
        "hone top \xc2\xb7 review \xc2\xb7 run k3x9abcd \xc2\xb7 attempt 7-1 \xc2\xb7 3:"
        "12\n"
        " critic \xc2\xb7 R1 \xc2\xb7 running 0:03  [#######   ] 3 of 4 files\n"
        "\n"
        " I look at the file first.\n"
        " > Read src/sum.c\n"
        " \\x1b]2;owned\\x07\\x1b[2J\\u{202e}rtl \\xff\xe6\x97\xa5\xe6\x9c\xac\n"
        "\n"
        "\n"
        " q quits  ? helps  Esc goes back  / finds  G follows\n");
    assert_screen(&chosen, &model, 20, 5,
        "run k3x9abcd\n"
        " running 0:03  [###\xe2\x80\xa6\n"
        "\n"
        " f\xe6\x97\xa5\xe6\x9c\xac\n"
        " q quits  ? helps\n");
}

TEST(a_question_and_its_answer)
{
    struct top_model model = scene();
    struct top_state chosen = { .page = TOP_RUN, .run = "k3x9abcd" };

    model.detail.run.standing = TOP_WAITING;
    model.detail.question = "the bound is reached";
    model.detail.choices[0] = (struct top_choice){ "continue", "one more round" };
    model.detail.choices[1] = (struct top_choice){ "stop", "end the run" };
    model.detail.choice_count = 2;
    assert_int_equal(press(&chosen, &model, "a"), TOP_STAY);
    assert_screen(&chosen, &model, 60, 5,
        "hone top \xc2\xb7 run k3x9abcd \xc2\xb7 running \xc2\xb7 round 2 of 5 \xc2\xb7 "
        "3:12\n"
        " task       Look at the parser\n"
        " state      running\n"
        " question   the bound is reached\n"
        " answer:  c continue  s stop\n");
    assert_int_equal(press(&chosen, &model, "s"), TOP_STAY);
    assert_screen(&chosen, &model, 60, 3,
        "hone top \xc2\xb7 run k3x9abcd \xc2\xb7 running \xc2\xb7 round 2 of 5 \xc2\xb7 "
        "3:12\n"
        " task       Look at the parser\n"
        " answer 'stop' to run k3x9abcd? y yes, any other key no\n");
    assert_int_equal(chosen.choice, 1);
    assert_int_equal(press(&chosen, &model, "x"), TOP_STAY);
    assert_int_equal(chosen.prompt, TOP_NO_PROMPT);
    assert_string_equal(chosen.said, "not done");
    (void)press(&chosen, &model, "a");
    (void)press(&chosen, &model, "c");
    assert_int_equal(press(&chosen, &model, "y"), TOP_PERFORM);
    assert_int_equal(chosen.act, TOP_ANSWER);
    assert_int_equal(chosen.choice, 0);
}

/* ---- any size, any text ---- */

static void assert_fits(const struct top_model *model, struct top_state *chosen,
                        const struct view_screen *screen, struct view_lines *lines)
{
    uint32_t marked = top_draw(model, chosen, screen, t0, lines);

    assert_int_equal(lines->count, screen->rows);
    assert_true(marked == UINT32_MAX || marked < screen->rows);
    for (uint32_t i = 0; i < lines->count; i++) {
        struct str line = { lines->text.data + lines->item[i].at, lines->item[i].size };

        assert_true(lines->item[i].columns <= screen->columns);
        assert_int_equal(utf8_prefix(line), line.size);
        while (line.size > 0) {
            unsigned char byte = (unsigned char)line.data[0];
            assert_true(byte >= 0x20 || (byte == 0x1b && screen->color));
            assert_true(byte != 0x7f && (screen->utf8 || byte < 0x80));
            line = str_skip(line, 1);
        }
        assert_null(memmem(lines->text.data + lines->item[i].at, lines->item[i].size,
                           "\xe2\x80\xae", 3));
    }
}

TEST(every_page_fits_every_screen)
{
    struct view_lines lines = { .count = 0 };
    struct top_model model = scene();

    for (uint32_t columns = 1; columns <= 210; columns += columns < 50 ? 1 : 23) {
        for (uint32_t rows = 1; rows <= 62; rows += rows < 30 ? 1 : 11) {
            for (uint32_t kind = 0; kind < 16; kind++) {
                struct view_screen screen = { .columns = columns, .rows = rows,
                                              .color = kind & 1, .utf8 = kind & 2 };
                struct top_state chosen = { .page = (enum top_page)(kind >> 2 & 3), .run = "x" };

                if (chosen.page == TOP_PAGE_COUNT) {
                    chosen.page = TOP_RUN;
                    chosen.help = true;
                }
                snprintf(chosen.said, sizeof chosen.said, "%s", hostile);
                assert_fits(&model, &chosen, &screen, &lines);
                chosen.prompt = TOP_SEARCH;
                snprintf(chosen.word[chosen.page], TOP_WORD_BYTES_MAX, "%s", "\xe6\x97\xa5");
                assert_fits(&model, &chosen, &screen, &lines);
            }
        }
    }
    view_lines_release(&lines);
}

TEST(nothing_is_known_yet)
{
    struct view_screen screen = { .columns = 80, .rows = 24, .utf8 = true };
    struct view_lines lines = { .count = 0 };
    struct top_model model = { .where = "" };

    for (int page = 0; page < TOP_PAGE_COUNT; page++) {
        struct top_state chosen = { .page = (enum top_page)page };
        top_settle(&chosen, &model);
        assert_fits(&model, &chosen, &screen, &lines);
        (void)press(&chosen, &model, "jkgG s?");
    }
    view_lines_release(&lines);
}

/* ---- keys ---- */

TEST(what_is_marked_stays_marked)
{
    struct top_model model = scene();
    struct top_state chosen = { .page = TOP_RUNS };
    struct top_run other[4] = { runs[3], runs[1], runs[0], runs[2] };

    top_settle(&chosen, &model);
    (void)press(&chosen, &model, "j");
    assert_string_equal(chosen.run, "7k2mzzzz");
    model.runs = &other[1]; /* it is the first now */
    model.run_count = 3;
    top_settle(&chosen, &model);
    assert_string_equal(chosen.run, "7k2mzzzz");
    assert_int_equal(chosen.lists[TOP_RUNS].at, 0);
    model.runs = &other[2]; /* it is gone */
    model.run_count = 2;
    top_settle(&chosen, &model);
    assert_string_equal(chosen.run, "k3x9abcd");
    (void)press(&chosen, &model, "jjjj");
    assert_string_equal(chosen.run, "11112222");
    (void)press(&chosen, &model, "kkkk");
    assert_string_equal(chosen.run, "k3x9abcd");
}

TEST(there_and_back)
{
    struct top_model model = scene();
    struct top_state chosen = { .page = TOP_RUNS };

    top_settle(&chosen, &model);
    (void)top_key(&chosen, &model, (struct top_key){ .kind = TOP_KEY_ENTER });
    assert_int_equal(chosen.page, TOP_RUN);
    top_settle(&chosen, &model);
    assert_string_equal(chosen.attempt, "7-1");
    (void)top_key(&chosen, &model, (struct top_key){ .kind = TOP_KEY_END });
    assert_string_equal(chosen.attempt, "1-1");
    (void)top_key(&chosen, &model, (struct top_key){ .kind = TOP_KEY_ENTER });
    assert_int_equal(chosen.page, TOP_ATTEMPT);
    assert_true(chosen.ends[TOP_ATTEMPT]);
    for (int i = 0; i < 4; i++) {
        (void)top_key(&chosen, &model, (struct top_key){ .kind = TOP_KEY_ESCAPE });
    }
    assert_int_equal(chosen.page, TOP_RUNS);
    assert_int_equal(press(&chosen, &model, "q"), TOP_QUIT);
}

TEST(only_what_holds_a_word)
{
    struct top_model model = scene();
    struct top_state chosen = { .page = TOP_RUNS };
    uint32_t shown[4];

    (void)press(&chosen, &model, "/SHOP");
    assert_int_equal(top_runs_shown(&chosen, &model, shown), 1);
    assert_int_equal(shown[0], 1);
    (void)top_key(&chosen, &model, (struct top_key){ .kind = TOP_KEY_ERASE });
    assert_string_equal(chosen.word[TOP_RUNS], "SHO");
    (void)top_key(&chosen, &model, (struct top_key){ .kind = TOP_KEY_ENTER });
    assert_string_equal(chosen.run, "7k2mzzzz");
    (void)top_key(&chosen, &model, (struct top_key){ .kind = TOP_KEY_ESCAPE });
    assert_int_equal(top_runs_shown(&chosen, &model, shown), 4);
    (void)press(&chosen, &model, "f");
    assert_int_equal(top_runs_shown(&chosen, &model, shown), 1);
    (void)press(&chosen, &model, "f");
    assert_int_equal(top_runs_shown(&chosen, &model, shown), 2);
    (void)press(&chosen, &model, "f");
    assert_int_equal(top_runs_shown(&chosen, &model, shown), 2);
    (void)press(&chosen, &model, "f");
    assert_int_equal(top_runs_shown(&chosen, &model, shown), 4);
    (void)press(&chosen, &model, "/");
    for (int i = 0; i < 1000; i++) (void)press(&chosen, &model, "\xe6\x97\xa5");
    assert_true(strlen(chosen.word[TOP_RUNS]) < TOP_WORD_BYTES_MAX);
    (void)top_key(&chosen, &model, (struct top_key){ .kind = TOP_KEY_ERASE });
    assert_int_equal(strlen(chosen.word[TOP_RUNS]) % 3, 0);
}

TEST(nothing_is_done_without_a_yes)
{
    struct top_model model = scene();
    struct top_state chosen = { .page = TOP_RUNS };

    top_settle(&chosen, &model);
    assert_int_equal(press(&chosen, &model, "r"), TOP_STAY);
    assert_string_equal(chosen.said, "this run is at work");
    assert_int_equal(press(&chosen, &model, "sn"), TOP_STAY);
    assert_int_equal(press(&chosen, &model, "sq"), TOP_STAY); /* q is no yes, and does not quit */
    assert_int_equal(press(&chosen, &model, "sy"), TOP_PERFORM);
    assert_int_equal(chosen.act, TOP_STOP);
    assert_int_equal(press(&chosen, &model, "jjsy"), TOP_STAY);
    assert_int_equal(press(&chosen, &model, "ry"), TOP_PERFORM);
    model.read_only = true;
    assert_int_equal(press(&chosen, &model, "ry"), TOP_STAY);
    assert_int_equal(press(&chosen, &model, "ggsy"), TOP_STAY);
    assert_int_equal(press(&chosen, &model, "a"), TOP_STAY);
    assert_int_equal(chosen.prompt, TOP_NO_PROMPT);
}

/* ---- the window of a list ---- */

TEST(the_marked_row_is_among_those_that_are_shown)
{
    for (uint32_t count = 0; count < 12; count++) {
        for (uint32_t rows = 0; rows < 8; rows++) {
            struct top_list list = { 0 };

            for (uint32_t step = 0; step < 40; step++) {
                uint32_t shown;

                list.at = step * 7 % 13;
                shown = list_window(&list, count, rows);
                assert_int_equal(shown, rows < count ? rows : count);
                if (shown == 0) continue;
                assert_in_range(list.at, list.first, list.first + shown - 1);
                assert_true(list.first + shown <= count);
            }
        }
    }
}
