/* SPDX-License-Identifier: Apache-2.0
 *
 * children.c - runs that an agent of a run starts: what they used is that agent's.
 *
 *   hone run --> agent --> hone run: at its end, a line in the agent's folder
 *                  '-- ends --> the lines are added to what the agent's own program reported
 *
 * A run knows that it is a child by HONE_RUN, and by HONE_OUTPUT where the agent's folder is. The
 * folder is the agent's to write to, so nothing there is believed but numbers, and these only add.
 * Of two that end in the same moment one line may be lost; a child that is killed writes none. */
#include "drive/drive.h"

#include "io/file/scratch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHILDREN_BYTES_MAX = 64 << 10 };

static const char name[] = "children";

static uint64_t since(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

void children_tell(struct drive *drive)
{
    const char *run = getenv("HONE_RUN"), *output = getenv("HONE_OUTPUT");
    const struct usage *now = &drive->run.engine.usage, *before = &drive->used_before;
    const char *leaf = output ? strrchr(output, '/') : NULL;
    const char *folder;
    struct err none;
    struct buf lines;

    if (!run || !*run || !leaf || leaf == output || output[0] != '/') return;
    folder = arena_printf(&drive->run.arena, "%.*s", (int)(leaf - output), output);
    buf_init(&lines, CHILDREN_BYTES_MAX);
    if (scratch_read(folder, name, &lines, &none) != 0) buf_clear(&lines);
    buf_printf(&lines, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
               since(now->cost_micros, before->cost_micros),
               since(now->tokens_in, before->tokens_in),
               since(now->tokens_out, before->tokens_out));
    if (!lines.overflow) (void)scratch_replace(folder, name, buf_str(&lines), &none);
    buf_release(&lines);
}

void children_add(const char *dir, struct usage *usage)
{
    struct str rest, line;
    struct err none;
    struct buf lines;

    buf_init(&lines, CHILDREN_BYTES_MAX);
    if (scratch_read(dir, name, &lines, &none) != 0) buf_clear(&lines);
    rest = buf_str(&lines);
    while (str_cut(&rest, '\n', &line)) {
        struct str word;
        uint64_t numbers[3];
        uint32_t count = 0;

        while (count < 3 && str_cut(&line, ' ', &word)) {
            if (!str_number(word, &numbers[count])) break;
            count++;
        }
        if (count < 3 || line.size > 0) continue;
        usage->cost_micros = amount_sum(usage->cost_micros, numbers[0]);
        usage->tokens_in = amount_sum(usage->tokens_in, numbers[1]);
        usage->tokens_out = amount_sum(usage->tokens_out, numbers[2]);
    }
    buf_release(&lines);
}
