/* SPDX-License-Identifier: Apache-2.0
 *
 * test_view_frame.c - a block that is drawn again and again leaves one block, also where the
 * screen is resized; and it is not drawn too often. */
#include "screen.h"
#include "test.h"

#include "view/view_render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A view on a screen. The block's lines are as wide as asked for, as far as they fit. */
struct scene {
    struct screen *terminal;
    struct view_frame frame;
    struct view_screen screen;
    struct buf bytes, text;
    uint32_t drawn;
};

static void scene_init(struct scene *scene, uint32_t columns, uint32_t rows, bool folds)
{
    *scene = (struct scene){ .terminal = malloc(sizeof *scene->terminal),
                             .screen = { .columns = columns, .rows = rows } };
    screen_init(scene->terminal, columns, rows, folds);
    buf_init(&scene->bytes, 1 << 20);
    buf_init(&scene->text, 1 << 20);
}

static void scene_release(struct scene *scene)
{
    free(scene->terminal);
    buf_release(&scene->bytes);
    buf_release(&scene->text);
}

static void put(struct scene *scene)
{
    screen_put(scene->terminal, buf_str(&scene->bytes));
    buf_clear(&scene->bytes);
}

/* At the left of an empty line, with the last line of the block above it. */
static void assert_cursor_is_below(const struct scene *scene, uint32_t count)
{
    const struct screen *terminal = scene->terminal;
    char text[32] = "";

    assert_int_equal(terminal->column, 0);
    assert_int_equal(terminal->lines[terminal->line].cells[0], 0);
    if (count == 0) return;
    snprintf(text, sizeof text, "block %u.%u", scene->drawn, count);
    for (uint32_t i = 0; text[i]; i++) {
        assert_int_equal(terminal->lines[terminal->line - 1].cells[i], text[i]);
    }
}

/* Draws `count` lines "block D.I ----" of so many columns. */
static void draw(struct scene *scene, const char *above, uint32_t count, uint32_t columns)
{
    struct view_lines lines = { .count = count };

    scene->drawn++;
    buf_init(&lines.text, 1 << 20);
    lines.item = calloc(count + 1, sizeof *lines.item);
    assert_non_null(lines.item);
    if (columns > scene->screen.columns - 1) columns = scene->screen.columns - 1;
    for (uint32_t i = 0; i < count; i++) {
        char text[32];
        snprintf(text, sizeof text, "block %u.%u ", scene->drawn, i + 1);
        lines.item[i].at = lines.text.size;
        for (uint32_t k = 0; k < columns; k++) {
            buf_byte(&lines.text, k < strlen(text) ? text[k] : '-');
        }
        lines.item[i].size = lines.item[i].columns = columns;
    }
    frame_draw(&scene->frame, &scene->screen, str_of(above), &lines, &scene->bytes);
    put(scene);
    view_lines_release(&lines);
    assert_cursor_is_below(scene, count);
}

static void resize(struct scene *scene, uint32_t columns, uint32_t rows)
{
    screen_resize(scene->terminal, columns, rows);
    scene->screen.columns = columns;
    scene->screen.rows = rows;
}

static const char *text_of(struct scene *scene)
{
    buf_clear(&scene->text);
    screen_text(scene->terminal, &scene->text);
    return buf_cstr(&scene->text);
}

/* How often a text is to be seen. */
static uint32_t seen(struct scene *scene, const char *text)
{
    uint32_t count = 0;

    for (const char *at = text_of(scene); (at = strstr(at, text)); at++) count++;
    return count;
}

/* ---- drawing ---- */

TEST(a_block_replaces_the_one_before)
{
    struct scene scene;

    scene_init(&scene, 40, 10, true);
    screen_put(scene.terminal, STR("$ hone run\r\n"));
    draw(&scene, "", 3, 12);
    assert_string_equal(text_of(&scene), "$ hone run\nblock 1.1 --\nblock 1.2 --\nblock 1.3 --\n");
    draw(&scene, "", 4, 11);
    assert_string_equal(text_of(&scene),
                        "$ hone run\nblock 2.1 -\nblock 2.2 -\nblock 2.3 -\nblock 2.4 -\n");
    draw(&scene, "", 1, 14);
    assert_string_equal(text_of(&scene), "$ hone run\nblock 3.1 ----\n");
    draw(&scene, "", 0, 14);
    assert_string_equal(text_of(&scene), "$ hone run\n");
    scene_release(&scene);
}

TEST(lines_above_stay_and_scroll)
{
    struct scene scene;

    scene_init(&scene, 40, 5, true);
    for (uint32_t i = 0; i < 50; i++) {
        char line[32];
        snprintf(line, sizeof line, "line %u\r\n", i);
        draw(&scene, line, 2 + i % 3, 20);
    }
    for (uint32_t i = 0; i < 50; i++) {
        char line[32];
        snprintf(line, sizeof line, "line %u\n", i);
        assert_int_equal(seen(&scene, line), 1);
    }
    assert_int_equal(seen(&scene, "block"), 2 + 49 % 3);
    scene_release(&scene);
}

TEST(a_line_above_may_be_longer_than_the_screen)
{
    struct scene scene;
    char text[100];

    scene_init(&scene, 30, 10, true);
    draw(&scene, "", 3, 25);
    memset(text, 'x', 70);
    memcpy(text + 70, "end\r\n", 6);
    draw(&scene, text, 3, 25);
    assert_int_equal(seen(&scene, "xend\nblock 2.1"), 1);
    assert_int_equal(seen(&scene, "block"), 3);
    scene_release(&scene);
}

TEST(what_was_typed_goes_with_the_next_drawing)
{
    struct scene scene;

    scene_init(&scene, 40, 10, true);
    draw(&scene, "", 2, 20);
    screen_put(scene.terminal, STR("typed"));
    draw(&scene, "", 2, 20);
    assert_int_equal(seen(&scene, "typed"), 0);
    screen_put(scene.terminal, STR("^C"));
    draw(&scene, "hone: stopping\r\n", 2, 20);
    assert_int_equal(seen(&scene, "^C"), 0);
    assert_int_equal(seen(&scene, "hone: stopping\nblock 3.1"), 1);
    assert_int_equal(seen(&scene, "block"), 2);
    scene_release(&scene);
}

TEST(an_erased_block_leaves_nothing)
{
    struct scene scene;

    scene_init(&scene, 40, 10, true);
    screen_put(scene.terminal, STR("$ hone run\r\n"));
    draw(&scene, "", 3, 20);
    frame_erase(&scene.frame, &scene.screen, &scene.bytes);
    buf_text(&scene.bytes, "the end\r\n");
    put(&scene);
    assert_string_equal(text_of(&scene), "$ hone run\nthe end\n");
    frame_erase(&scene.frame, &scene.screen, &scene.bytes); /* nothing is there */
    assert_int_equal(scene.bytes.size, 0);
    scene_release(&scene);
}

/* ---- sizes ---- */

/* Every width to every other, on a screen with room: one block, and nothing of another. */
static void resized(bool folds, uint32_t lines_kept_min)
{
    static const uint32_t sizes[] = { 80, 20, 79, 41, 40, 39, 10, 120, 13 };
    enum { SIZES = sizeof sizes / sizeof *sizes };

    for (uint32_t i = 0; i < SIZES * SIZES; i++) {
        struct scene scene;
        scene_init(&scene, sizes[i / SIZES], 200, folds);
        draw(&scene, "first\r\nsecond\r\n", 7, 75);
        draw(&scene, "", 7, 75);
        resize(&scene, sizes[i % SIZES], 200);
        draw(&scene, "", 7, 75);
        assert_int_equal(seen(&scene, "block"), 7);
        assert_int_equal(seen(&scene, "block 3."), 7);
        assert_true(seen(&scene, "\nblock 3.") >= 6); /* each is a line of its own */
        assert_true(seen(&scene, "first") + seen(&scene, "second") >= lines_kept_min);
        resize(&scene, 80, 200);
        draw(&scene, "third\r\n", 5, 75);
        assert_int_equal(seen(&scene, "block"), 5);
        assert_int_equal(seen(&scene, "third\nblock 4.1"), 1);
        scene_release(&scene);
    }
}

TEST(a_terminal_that_folds_keeps_one_block_and_all_lines)
{
    resized(true, 2);
}

TEST(a_terminal_that_cuts_keeps_one_block)
{
    resized(false, 0);
}

TEST(a_screen_that_becomes_low_keeps_what_is_below_its_edge_right)
{
    struct scene scene;

    scene_init(&scene, 60, 24, true);
    draw(&scene, "first\r\n", 10, 50);
    resize(&scene, 60, 4); /* most of the block is in the history now: no program can erase that */
    draw(&scene, "", 3, 50);
    assert_int_equal(seen(&scene, "block 2."), 3);
    draw(&scene, "next\r\n", 3, 50);
    assert_int_equal(seen(&scene, "block 2."), 0);
    assert_int_equal(seen(&scene, "next\nblock 3.1"), 1);
    scene_release(&scene);
}

/* ---- pace ---- */

TEST(there_are_at_most_ten_drawings_in_a_second)
{
    struct view_pace pace = { .dirty = true };
    uint64_t times[4000];
    uint32_t count = 0;

    for (uint64_t now_ms = 5000; now_ms < 65000; now_ms++) {
        pace.dirty = now_ms % 3 != 0 || pace.dirty; /* something happens all the time */
        if (!pace_is_due(&pace, now_ms)) continue;
        assert_true(count < 4000);
        times[count++] = now_ms;
        pace_drawn(&pace, now_ms, 1000);
    }
    assert_true(count > 550);
    for (uint32_t i = 10; i < count; i++) assert_true(times[i] - times[i - 10] >= 1000);
}

TEST(where_nothing_happens_it_is_drawn_once_a_second)
{
    struct view_pace pace = { .dirty = true };
    uint32_t count = 0;

    for (uint64_t now_ms = 5000; now_ms < 15000; now_ms++) {
        if (!pace_is_due(&pace, now_ms)) continue;
        count++;
        pace_drawn(&pace, now_ms, 1000 - now_ms % 1000);
    }
    assert_int_equal(count, 10);
}

TEST(the_wait_ends_when_something_is_due)
{
    struct view_pace pace = { 0 };

    pace_drawn(&pace, 10000, 700);
    assert_int_equal(pace_due_in(&pace, 10000), 700);
    assert_false(pace_is_due(&pace, 10699));
    assert_true(pace_is_due(&pace, 10700));
    pace.dirty = true;
    assert_int_equal(pace_due_in(&pace, 10010), 90);
    assert_int_equal(pace_due_in(&pace, 10200), 0);
    pace_drawn(&pace, 10200, 20);
    assert_int_equal(pace_due_in(&pace, 10200), 100);
}

TEST(while_it_is_resized_nothing_is_drawn)
{
    struct view_pace pace = { 0 };

    pace_drawn(&pace, 10000, 1000);
    for (uint64_t now_ms = 10200; now_ms < 12000; now_ms += 100) {
        pace_resized(&pace, now_ms);
        assert_false(pace_is_due(&pace, now_ms + 99));
    }
    assert_true(pace_is_due(&pace, 12500));
    assert_true(pace_due_in(&pace, 11900) <= 500);
}
