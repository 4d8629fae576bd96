/* SPDX-License-Identifier: Apache-2.0
 *
 * answer_place.h - where an agent of a hosted run puts its answer.
 *
 * There is no HONE_OUTPUT there and nobody reads standard output: the host's agents write the file
 * that the dialect names, or say their answer last. */
#ifndef HONE_DIALECT_ANSWER_PLACE_H
#define HONE_DIALECT_ANSWER_PLACE_H

#include "dialect/dialect.h"

/* One or two sentences and a line end: where `what` ("it", "the summary") goes. path is what
 * answer_file() gives; NULL: it is to be the last message. */
void answer_place_write(const struct run_view *run, const char *path, const char *what,
                        struct buf *out);

/* Whether record() leaves the answer file of this job alone: an agent of the host may have written
 * it, and it is not judged yet. Never so in the step that asks for it: what lies there then was
 * written before anybody asked. */
bool answer_place_is_left(const struct run_view *run, const struct job *job);

#endif
