/* SPDX-License-Identifier: Apache-2.0
 *
 * hearing.h - the last lines that an attempt has said, kept while it is looked at. */
#ifndef HONE_TOP_HEARING_H
#define HONE_TOP_HEARING_H

#include "format/stream/reading.h"
#include "top/model.h"

struct hearing;

/* Makes *hearing one of the attempt in that folder, unless it is already. */
void hearing_turn(struct hearing **hearing, const char *folder, const struct stream_kind *stream);
void hearing_free(struct hearing *hearing); /* NULL is accepted */

bool hearing_step(struct hearing *hearing); /* whether something is new */
/* What there is; good until the next step. */
void hearing_lines(const struct hearing *hearing, struct top_transcript *out);

#endif
