/* SPDX-License-Identifier: Apache-2.0
 *
 * view_render.h - a run as a few lines for a terminal, and the bytes that put them there.
 *
 * Pure: what is known (struct view_model) and a size go in, lines come out; lines and what stands
 * on the screen go in, bytes come out. view.c holds the terminal. */
#ifndef HONE_VIEW_VIEW_RENDER_H
#define HONE_VIEW_VIEW_RENDER_H

#include "core/event.h"
#include "format/text/progress.h"
#include "view/pen.h"

enum {
    VIEW_LINES_MAX = 32,      /* of the block, however tall the terminal is */
    VIEW_REDRAW_MS = 100,     /* at least, between two redraws */
    VIEW_COLUMNS_MIN = 20,    /* narrower, or only two rows: one line */
    VIEW_WORD_BYTES_MAX = 512, /* of the end of what is typed */
};

enum row_state { ROW_RUNNING, ROW_WAITING, ROW_CLEAN, ROW_DONE, ROW_FINDINGS, ROW_INVALID,
                 ROW_FAILED, ROW_STOPPED, ROW_NOT_PLAYED, ROW_STATE_COUNT };

/* An agent in its newest attempt. Its texts are borrowed; control characters in them are made
 * harmless when they are shown. */
struct view_row {
    uint32_t job, attempt, lane, phase, iteration, round, copy;
    enum purpose purpose;
    const char *role, *spec;
    const char *task;    /* of a lane that is not the main one; else NULL */
    enum row_state state;
    uint64_t started_ms; /* of ROW_RUNNING */
    uint64_t until_ms;   /* of ROW_WAITING */
    const char *waits_for;
    uint64_t took_ms;    /* of the others, as finding_count; 0: not known */
    uint32_t finding_count;
    struct progress progress; /* of ROW_RUNNING, where the agent says it */
};

/* What is known of a run. Texts are borrowed. */
struct view_model {
    const char *dialect, *run, *phase; /* run, phase: NULL where there is none to name */
    const char *stage;                 /* what it is about now, in a word or two; NULL */
    uint64_t started_ms;
    uint32_t round, round_max;         /* 0: not yet, none */
    uint32_t tasks, merged;            /* of a run with lanes; 0: none */
    uint32_t found, fixed, left;
    uint32_t fixed_before;             /* when the last round was told of */
    bool keys;                         /* a person at the keyboard can pause it ... */
    bool held;                         /* ... and has */
    uint32_t finishing;                /* of a run that is held: agents that are still at work */
    struct buf word;                   /* likewise: what was typed so far */
    struct view_row *rows;
    uint32_t row_count, row_cap;
};

/* --- view_model.c --- */

/* An attempt began: it gets a row, or that of its agent. Where something new begins in a lane, the
 * rows of what ended there before go; a repair stands below the review it belongs to. A task's lane
 * has one row, for the attempt that ended or began last, and none when it is merged. */
void view_model_start(struct view_model *model, const struct view_row *row);

/* It ended, took_ms after it began. An attempt that has no row is ignored. */
void view_model_ended(struct view_model *model, uint32_t job, const struct result *result,
                      uint64_t took_ms);
/* How far a running attempt is; false: it has no row. */
bool view_model_progress(struct view_model *model, uint32_t job, const struct progress *progress);
/* What has ended is asked again at that time, when its service can serve. */
void view_model_waits(struct view_model *model, uint32_t job, const char *waits_for,
                      uint64_t until_ms);
void view_model_release(struct view_model *model);

/* How an attempt stands that has ended so. */
enum row_state row_state_of(enum purpose purpose, const struct result *result);

/* Whether it runs, or will by itself. */
bool row_is_live(const struct view_row *row);

/* --- view_render.c --- */

/* The style of a state, and its words: "running 0:03", "2 findings (1.2 s)"; brief: without most
 * times. */
extern const enum style row_styles[ROW_STATE_COUNT];
void row_words(const struct view_row *row, uint64_t now_ms, bool brief, struct buf *out);

/* The block: no line takes the last column or more than 79, no more lines than rows - 1. out is {0}
 * or from an earlier call. */
void view_render(const struct view_model *model, const struct view_screen *screen,
                 uint64_t now_ms, struct view_lines *out);

/* --- view_frame.c --- */

/* What stands on the screen: the block's lines, with the cursor at the left below them. */
struct view_frame {
    uint32_t columns[VIEW_LINES_MAX];
    uint32_t count;
    uint32_t screen_rows; /* when it was drawn */
    uint32_t lost;        /* rows of earlier blocks that a lower screen pushed above its top */
};

/* Appends what takes the block away and leaves the cursor where it began. */
void frame_erase(struct view_frame *frame, const struct view_screen *screen, struct buf *out);

/* Appends what replaces the block: by `above`, whole lines that stay, and the new lines. */
void frame_draw(struct view_frame *frame, const struct view_screen *screen, struct str above,
                const struct view_lines *lines, struct buf *out);

/* When the view may and must be drawn. Times are of a clock that never jumps. */
struct view_pace {
    bool dirty;          /* something changed since it was drawn */
    uint64_t free_ms;    /* not before */
    uint64_t settled_ms; /* nor before this: the screen is being resized */
    uint64_t tick_ms;    /* the elapsed times change then */
};

bool pace_is_due(const struct view_pace *pace, uint64_t now_ms);
uint64_t pace_due_in(const struct view_pace *pace, uint64_t now_ms);
void pace_resized(struct view_pace *pace, uint64_t now_ms);
/* It was drawn; left_ms: until the elapsed times change. */
void pace_drawn(struct view_pace *pace, uint64_t now_ms, uint64_t left_ms);

/* A phase that is called by a number needs the word in front of it. */
bool phase_is_number(const char *phase);

#endif
