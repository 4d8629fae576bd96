/* SPDX-License-Identifier: Apache-2.0
 *
 * event_json.h - events and actions as JSON: what the journal holds and what --json prints.
 *
 * event_read(event_write(e)) == e, except that texts which are not UTF-8 come back with U+FFFD. */
#ifndef HONE_FORMAT_JSON_EVENT_JSON_H
#define HONE_FORMAT_JSON_EVENT_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/event.h"

/* One line, without a line end. */
void event_write(const struct event *event, struct buf *out);

/* Texts live in arena. ERR_FORMAT says what is missing or wrong; unknown members are ignored. */
int event_read(struct str text, struct arena *arena, struct event *out, struct err *err);

#endif
