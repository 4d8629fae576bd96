/* SPDX-License-Identifier: Apache-2.0
 *
 * tidy.c - what a new run does so that hone leaves nothing lying about: its own files in the work
 * tree are hidden from git, and old runs are removed.
 *
 * 1. Only whole paths of files that the dialect writes itself get a line, from the top of the
 *    repository: no file of the user can be hidden by it.
 * 2. It is said when it happens, so once for each repository and dialect. What cannot be done is
 *    left: it is a comfort, never a reason to fail.
 * 3. It happens before any agent begins: what readers may not change is compared from then on. */
#include "drive/headless/parts.h"

#include "io/file/file.h"
#include "run/remove.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { EXCLUDE_BYTES_MAX = 1 << 20, NOTE_BYTES_MAX = 1024 };

__attribute__((format(printf, 2, 3))) static void note(struct drive *drive, const char *format, ...)
{
    char text[NOTE_BYTES_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    drive_tell(drive, &(struct news){ .kind = NEWS_NOTE, .text = text });
}

static bool has_line(struct str text, struct str wanted)
{
    struct str line;

    while (str_cut(&text, '\n', &line)) {
        if (str_eq(str_trim(line), wanted)) return true;
    }
    return false;
}

/* What is missing, a line each; the names of them for a sentence. Beside a file or folder there may
 * be those of earlier runs, with a dash, a time and a run behind the name. */
static void missing_lines(const struct drive *drive, struct str text, struct buf *lines,
                          struct buf *names, struct arena *arena)
{
    const char *const *path = drive->run.dialect->private_paths;

    for (; path && *path; path++) {
        const char *line = arena_printf(arena, "/%s", *path);

        if (has_line(text, str_of(line))) continue;
        buf_printf(lines, "%s\n", line);
        if (!str_ends(str_of(line), STR("/"))) buf_printf(lines, "%s-*\n", line);
        buf_printf(names, "%s%s", names->size ? ", " : "", *path);
    }
}

void tidy_exclude(struct drive *drive)
{
    const struct repo *repo = &drive->run.repo;
    struct arena arena = { 0 };
    struct buf text, lines, names;
    struct err none;
    int rc;

    if (!repo->is_git || !repo->common_dir) return;
    buf_init(&text, EXCLUDE_BYTES_MAX);
    buf_init(&lines, EXCLUDE_BYTES_MAX);
    buf_init(&names, EXCLUDE_BYTES_MAX);
    rc = file_read_in(repo->common_dir, "info/exclude", &text, &none);
    if (rc == 0 || rc == ERR_MISSING) {
        missing_lines(drive, buf_str(&text), &lines, &names, &arena);
        if (text.size > 0 && text.data[text.size - 1] != '\n') buf_byte(&text, '\n');
        buf_add(&text, buf_str(&lines));
    }
    if (lines.size > 0 && !text.overflow &&
        file_make_folder_in(repo->common_dir, "info", &none) == 0 &&
        file_write(repo->common_dir, "info/exclude", buf_str(&text), &none) == 0) {
        note(drive, "git does not show hone's own files here any more (.git/info/exclude): "
             "%s", buf_cstr(&names));
    }
    buf_release(&names);
    buf_release(&lines);
    buf_release(&text);
    arena_release(&arena);
}

void tidy_old_runs(struct drive *drive)
{
    uint32_t keep = drive->run.settings.runs_kept, removed = 0;
    struct err none;

    if (keep == 0) keep = RUNS_KEPT;
    (void)runs_prune(&drive->run.repo, drive->run.journal, keep, &removed, &none);
    if (removed > 0) {
        note(drive, "%" PRIu32 " old run%s removed: the newest %" PRIu32 " that have ended "
             "are kept (keepRuns)", removed, removed == 1 ? " was" : "s were", keep);
    }
}
