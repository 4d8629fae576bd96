/* SPDX-License-Identifier: Apache-2.0
 *
 * make_text.h - what `make -n -w` says it would run, as a list of compiled sources. */
#ifndef HONE_FORMAT_SOURCE_MAKE_TEXT_H
#define HONE_FORMAT_SOURCE_MAKE_TEXT_H

#include "format/source/compile_db.h"

/* folder: where make was started. A source that is compiled twice is there twice. Any text gives
 * some list. What is given lives in arena. */
void make_text_read(struct str text, const char *folder, struct arena *arena,
                    struct build_units *out);

#endif
