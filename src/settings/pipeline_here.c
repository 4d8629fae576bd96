/* SPDX-License-Identifier: Apache-2.0 */
#include "settings/pipeline_here.h"

#include "io/file/file.h"
#include "io/process/host.h"

void pipeline_here(struct arena *arena, struct pipeline *out)
{
    struct pipeline_input input = { .environment = host_environment(), .event = STR("") };
    const char *path = pipeline_event(input.environment);
    struct err err;

    if (!path) {
        input.problem = "GITHUB_EVENT_PATH names no file";
    } else if (file_text(path, PIPELINE_EVENT_BYTES_MAX, arena, &input.event, &err) != 0) {
        input.problem = arena_cstr(arena, str_of(err.text));
    }
    pipeline_read(&input, arena, out);
}
