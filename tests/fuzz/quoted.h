/* SPDX-License-Identifier: Apache-2.0
 *
 * quoted.h - a text inside another one, as Markdown quotes it. */
#ifndef HONE_TESTS_QUOTED_H
#define HONE_TESTS_QUOTED_H

#include "base/buf.h"

/* With something in front of each line. */
void add_marked(struct buf *out, const char *mark, struct str text);

/* Between fences longer than any in it. */
void add_fenced(struct buf *out, struct str text);

#endif
