/* SPDX-License-Identifier: Apache-2.0
 *
 * top.c - the process that draws: it waits for news, keys, signals and the next second.
 *
 *     keeper (io/terminal/keeper.c)
 *       '-- this: gather_step -> gather_fill -> top_settle -> top_draw -> canvas_draw
 *                 keys -> top_key -> deed_begin
 *
 * 1. What is drawn follows from the model, what was chosen and the size alone (layout.c).
 * 2. Two drawings that no key asked for are DRAW_MS apart.
 * 3. In the background nothing is drawn: the process stops itself, as a job that wants its terminal
 *    does.
 * 4. A terminal that is gone is no background: the process ends.
 * 5. Everything that is opened is opened in this process: the keeper holds nothing but the
 *    terminal. */
#include "top/top.h"

#include "base/clock.h"
#include "io/file/file.h"
#include "io/process/signals.h"
#include "io/terminal/keeper.h"
#include "top/canvas.h"
#include "top/choose.h"
#include "top/deed.h"
#include "top/gather.h"
#include "top/layout.h"

enum { DRAW_MS = 100, SECOND_MS = 1000 };

struct top {
    const struct top_request *request;
    struct gather *gather;
    struct deed deed;
    struct top_model model;
    struct top_state state;
    struct view_lines lines;
    uint64_t free_ms, tick_ms; /* the next drawing: not before, not after */
    bool dirty, stale, quit;
};

/* ---- drawing ---- */

static void fill(struct top *top)
{
    gather_fill(top->gather, &top->state, &top->model);
    top_settle(&top->state, &top->model);
    top->stale = false;
}

static void draw(struct top *top, uint64_t now_ms)
{
    struct view_screen screen = canvas_screen();
    uint32_t marked;

    fill(top);
    marked = top_draw(&top->model, &top->state, &screen, now_wall_ms(), &top->lines);
    canvas_draw(&top->lines, marked);
    top->dirty = false;
    top->free_ms = now_ms + DRAW_MS;
    top->tick_ms = now_ms + SECOND_MS;
}

/* ---- what happens ---- */

static void on_continued(struct top *top)
{
    if (keeper_is_in_front()) {
        canvas_again();
        top->dirty = true;
        top->free_ms = 0;
    } else {
        canvas_leave();
        keeper_rest();
    }
}

static void take_events(struct top *top)
{
    enum keeper_event event;

    while (!top->quit && !canvas_is_gone() && (event = keeper_next()) != KEEPER_NONE) {
        switch (event) {
        case KEEPER_RESIZED:
            canvas_resized();
            top->dirty = true;
            break;
        case KEEPER_CONTINUED:
            on_continued(top);
            break;
        case KEEPER_STOP:
            canvas_leave();
            keeper_rest();
            break;
        case KEEPER_END:
            top->quit = true;
            break;
        case KEEPER_NONE:
            break;
        }
    }
}

static void take_keys(struct top *top)
{
    struct top_key key;

    while (!top->quit && (key = canvas_key()).kind != TOP_KEY_NONE) {
        enum top_page page = top->state.page;

        if (top->stale) fill(top);
        switch (top_key(&top->state, &top->model, key)) {
        case TOP_QUIT:
            top->quit = true;
            break;
        case TOP_PERFORM:
            deed_begin(&top->deed, &top->state, &top->model,
                       gather_folder(top->gather, top->state.repository));
            break;
        case TOP_STAY:
            break;
        }
        top->dirty = true;
        top->free_ms = 0;
        if (top->state.page != page) fill(top);
    }
}

static void wait_for_more(const struct top *top)
{
    uint64_t now_ms = now_steady_ms();
    uint64_t until_ms = top->dirty ? top->free_ms : top->tick_ms;
    int64_t wait_ms = until_ms > now_ms ? (int64_t)(until_ms - now_ms) : 0;
    int64_t due_ms = gather_due_in_ms(top->gather);

    if (due_ms >= 0 && due_ms < wait_ms) wait_ms = due_ms;
    if (top->deed.at_work && wait_ms > DRAW_MS) wait_ms = DRAW_MS;
    wait_for_any((const struct awaited[3]){ { .fd = 0 }, { .fd = keeper_fd() },
                                            { .fd = gather_fd(top->gather) } }, 3, wait_ms);
}

static void turn(struct top *top)
{
    uint64_t now_ms;

    take_events(top);
    if (canvas_is_gone()) top->quit = true;
    if (!keeper_is_in_front() && !top->quit) { /* the keeper was stopped alone */
        canvas_leave();
        keeper_rest();
        return;
    }
    take_keys(top);
    if (top->quit) return;
    if (gather_step(top->gather)) top->dirty = true;
    top->stale = true;
    if (deed_step(&top->deed, &top->state)) top->dirty = true;
    now_ms = now_steady_ms();
    if ((top->dirty && now_ms >= top->free_ms) || now_ms >= top->tick_ms) draw(top, now_ms);
    wait_for_more(top);
}

/* ---- the process ---- */

static int run_screen(void *context, struct err *err)
{
    struct top *top = context;
    const struct top_request *request = top->request;
    int rc = gather_open(&top->gather, request->folders, request->folder_count, err);

    if (rc == 0) rc = canvas_open(request->color, err);
    top->model.read_only = request->read_only;
    top->dirty = top->stale = true;
    while (rc == 0 && !top->quit) turn(top);
    canvas_close();
    deed_leave(&top->deed);
    gather_close(top->gather);
    view_lines_release(&top->lines);
    return rc;
}

int top_show(const struct top_request *request, bool *asked, struct err *err)
{
    struct top top = { .request = request };
    struct keeper_request keeper = { .draw = run_screen, .context = &top };
    int rc = canvas_check(&keeper.leave, err);

    *asked = false;
    return rc != 0 ? rc : keeper_run(&keeper, asked, err);
}
