/* SPDX-License-Identifier: Apache-2.0
 *
 * pipeline_here.h - the pipeline that this process is a part of. */
#ifndef HONE_SETTINGS_PIPELINE_HERE_H
#define HONE_SETTINGS_PIPELINE_HERE_H

#include "format/pipeline.h"

/* By our environment, and by the file with the event where it names one. An event that cannot be
 * read is out->problem. Lives in arena and in the environment. */
void pipeline_here(struct arena *arena, struct pipeline *out);

#endif
