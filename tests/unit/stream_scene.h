/* SPDX-License-Identifier: Apache-2.0
 *
 * stream_scene.h - a stream read in every way it could be cut, for tests of its readers. */
#ifndef HONE_TESTS_STREAM_SCENE_H
#define HONE_TESTS_STREAM_SCENE_H

#include "format/stream/reading.h"

/* Reads text whole and in chunks of many sizes, and checks that all tell the same. What is given
 * lives until scene_release(). */
struct reading scene_read(const struct stream_kind *kind, const char *text, int exit_status);
struct reading scene_read_bytes(const struct stream_kind *kind, struct str text, int exit_status);

/* Checks how it ended; words must be in the message. */
void scene_expect_end(const struct reading *reading, enum reading_end end, const char *words);

int scene_release(void **state); /* a teardown */

#endif
