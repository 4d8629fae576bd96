/* SPDX-License-Identifier: Apache-2.0
 *
 * view.c - the view's clock and its terminal.
 *
 *   view_touch, view_line, a second that passed, a resize --> due --> render --> frame --> terminal
 *
 * 1. Lines that stay wait for the next drawing, and are written above the block with it: they do
 *    not make drawings more frequent. Lines that still wait at the end are written then.
 * 2. Nothing is drawn while bytes of the last drawing wait: a slow terminal gets fewer drawings.
 * 3. While hone is in the background, only lines that stay are written: the screen belongs to the
 *    program in the foreground.
 * 4. After hone was stopped and continued, what stands above the cursor is not known: the block is
 *    drawn below, and the one before is left as it was.
 *
 * Not here: what it looks like (view_render.c), which bytes draw it (view_frame.c). */
#include "view/view.h"

#include "base/mem.h"
#include "format/text/width.h"
#include "io/file/file.h"
#include "io/terminal/terminal.h"

#include <stdlib.h>

enum {
    ABOVE_BYTES_MAX = 1 << 20,
    FRAME_BYTES_MAX = 2 << 20,
    UNSENT_WAIT_MS = 50,
};

struct view {
    struct terminal terminal;
    struct terminal_size size; /* as it was last seen */
    struct view_model model;
    struct view_lines lines;
    struct view_frame frame;
    struct view_pace pace;
    struct buf above; /* lines that stay, not written yet */
};

static struct view_screen screen_of(const struct view *view)
{
    return (struct view_screen){ .columns = view->size.columns, .rows = view->size.rows,
                                 .color = true, .utf8 = view->terminal.utf8 };
}

static void put_bytes(struct view *view, const struct buf *bytes)
{
    terminal_write(&view->terminal, buf_str(bytes));
    buf_clear(&view->above);
}

/* Notes what happened to the screen. */
static void view_look(struct view *view, uint64_t now_ms)
{
    uint32_t events = terminal_take();
    struct terminal_size size = terminal_size(&view->terminal);
    bool differs = size.columns != view->size.columns || size.rows != view->size.rows;

    view->size = size;
    if (differs || (events & TERMINAL_RESIZED)) pace_resized(&view->pace, now_ms);
    if (events & TERMINAL_CONTINUED) {
        view->frame.count = 0;
        view->pace.dirty = true;
    }
}

static void draw(struct view *view, uint64_t now_ms)
{
    struct view_screen screen = screen_of(view);
    uint64_t wall_ms = now_wall_ms();
    uint64_t shown_ms = wall_ms > view->model.started_ms ? wall_ms - view->model.started_ms : 0;
    struct buf bytes;

    buf_init(&bytes, FRAME_BYTES_MAX);
    if (terminal_is_ours(&view->terminal)) {
        view_render(&view->model, &screen, wall_ms, &view->lines);
        frame_draw(&view->frame, &screen, buf_str(&view->above), &view->lines, &bytes);
    } else {
        view->frame.count = 0;
        buf_add(&bytes, buf_str(&view->above));
    }
    put_bytes(view, &bytes);
    pace_drawn(&view->pace, now_ms, 1000 - shown_ms % 1000);
    buf_release(&bytes);
}

void view_tick(struct view *view)
{
    uint64_t now_ms = now_steady_ms();

    view_look(view, now_ms);
    if (terminal_flush(&view->terminal) && pace_is_due(&view->pace, now_ms)) draw(view, now_ms);
}

uint64_t view_due_in(const struct view *view)
{
    uint64_t due_ms = pace_due_in(&view->pace, now_steady_ms());

    if (view->terminal.unsent.size > 0 && due_ms > UNSENT_WAIT_MS) return UNSENT_WAIT_MS;
    return due_ms > 0 ? due_ms : 1;
}

struct view_model *view_model(struct view *view)
{
    return &view->model;
}

void view_touch(struct view *view)
{
    view->pace.dirty = true;
    view_tick(view);
}

void view_line(struct view *view, struct str line)
{
    if (view->terminal.utf8) {
        buf_add(&view->above, line);
    } else {
        ascii_text(&view->above, line);
    }
    buf_text(&view->above, "\r\n");
    view_touch(view);
}

struct view *view_new(const char *dialect)
{
    struct view *view = mem_alloc(sizeof *view);

    terminal_open(&view->terminal);
    view->size = terminal_size(&view->terminal);
    buf_init(&view->above, ABOVE_BYTES_MAX);
    view->model = (struct view_model){ .dialect = dialect, .stage = "starting",
                                       .started_ms = now_wall_ms() };
    view_touch(view);
    return view;
}

void view_free(struct view *view)
{
    struct view_screen screen;
    struct buf bytes;

    if (!view) return;
    buf_init(&bytes, FRAME_BYTES_MAX);
    view_look(view, now_steady_ms());
    screen = screen_of(view);
    if (!terminal_is_ours(&view->terminal)) view->frame.count = 0;
    frame_erase(&view->frame, &screen, &bytes);
    buf_add(&bytes, buf_str(&view->above));
    put_bytes(view, &bytes);
    buf_release(&bytes);
    terminal_close(&view->terminal);
    view_model_release(&view->model);
    view_lines_release(&view->lines);
    buf_release(&view->above);
    free(view);
}
