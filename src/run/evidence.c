/* SPDX-License-Identifier: Apache-2.0 */
#include "run/evidence.h"

#include "io/file/scratch.h"
#include "io/process/supervisor.h"

enum { FILE_BYTES_MAX = 1 << 20 };

bool evidence_read(const struct agent *agent, const char *folder, struct arena *arena,
                   struct reading *out)
{
    struct notice notice;
    struct err none;
    bool exited;
    int rc;

    if (!agent->backend || !agent->backend->stream) return false;
    exited = notice_read(arena_printf(arena, "%s/status", folder), &notice, &none) == 0 &&
             notice.by == ENDED_EXIT;
    rc = agent_read(agent, folder, exited ? notice.value : -1, arena, out, &none);
    return (rc == 0 || rc == ERR_LIMIT) && out->events > 0;
}

uint32_t evidence_files(const char *folder, struct arena *arena, const struct str **out,
                        bool *cut)
{
    struct str text, line, *files = NULL;
    uint32_t count = 0, cap = 0;
    struct err none;

    *cut = false;
    if (scratch_text(folder, "evidence", FILE_BYTES_MAX, arena, &text, &none) != 0) return 0;
    while (str_cut(&text, '\n', &line)) {
        if (str_trim(line).size == 0) continue;
        if (count == EVIDENCE_FILES_MAX) {
            *cut = true;
            break;
        }
        files = arena_grow(arena, files, count, &cap, sizeof *files);
        files[count++] = str_trim(line);
    }
    *out = files;
    return count;
}
