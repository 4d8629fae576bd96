/* SPDX-License-Identifier: Apache-2.0
 *
 * evidence.h - what an attempt did for its answer, by what was kept of it: its stream of events, or
 * the file in which a command wrote down what it read. */
#ifndef HONE_RUN_EVIDENCE_H
#define HONE_RUN_EVIDENCE_H

#include "agent/agent.h"

/* What the stream that the attempt left in its folder tells; false: its agent has none, or there is
 * nothing to read. */
bool evidence_read(const struct agent *agent, const char *folder, struct arena *arena,
                   struct reading *out);

/* The paths that a command wrote into HONE_EVIDENCE, in arena; 0: none. */
enum { EVIDENCE_FILES_MAX = READING_PATHS_MAX };
uint32_t evidence_files(const char *folder, struct arena *arena, const struct str **out,
                        bool *cut);

#endif
