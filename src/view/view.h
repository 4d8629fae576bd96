/* SPDX-License-Identifier: Apache-2.0
 *
 * view.h - a run on a terminal: a block of lines at the bottom that is drawn again when something
 * changed, and lines above it that stay.
 *
 * Everything here returns at once. What cannot be shown is not shown; the run goes on.
 *
 * Room: the live view of a run, as lines on a terminal. */
#ifndef HONE_VIEW_VIEW_H
#define HONE_VIEW_VIEW_H

#include "view/view_render.h"

struct view;

/* On standard error, which must be a terminal that can move its cursor. Draws at once. */
struct view *view_new(const char *dialect);
/* The block goes, the lines above it stay. NULL is accepted. */
void view_free(struct view *view);

/* What is known: change it, then say view_touch(). */
struct view_model *view_model(struct view *view);
void view_touch(struct view *view);

/* A line that stays, without its line end; foreign text in it is safe already. */
void view_line(struct view *view, struct str line);

/* Draws what is due; milliseconds until more will be. */
void view_tick(struct view *view);
uint64_t view_due_in(const struct view *view);

#endif
