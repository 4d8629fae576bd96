/* SPDX-License-Identifier: Apache-2.0
 *
 * scratch.h - files that are written once and read soon: prompts and transcripts.
 *
 * They need not outlive a power cut (the attempt they belong to does not either), so nothing
 * waits for the disk. Contract files and the journal are written otherwise: file.h, journal.h. */
#ifndef HONE_IO_FILE_SCRATCH_H
#define HONE_IO_FILE_SCRATCH_H

#include "base/arena.h"
#include "base/err.h"

/* Makes parent/name, mode 0700; the parent must be there. Exists already: fine. */
int scratch_folder(const char *parent, const char *name, struct err *err);

/* Makes folder/name anew, mode 0600. Never through a link. */
int scratch_write(const char *folder, const char *name, struct str content, struct err *err);

/* The same by way of a temporary name: if hone is killed here, the old file or the whole new one
 * is there. */
int scratch_replace(const char *folder, const char *name, struct str content, struct err *err);

/* The same for what is written again and again: the version before last, kept as NAME.new, is
 * written over, so that no file is made or freed for it. One writer at a time. */
int scratch_renew(const char *folder, const char *name, struct str content, struct err *err);

/* Makes it where there is none: of several who do so at once one is the first, and its content
 * stays for all. */
int scratch_once(const char *folder, const char *name, struct str content, struct err *err);

/* Appends folder/name to out, within its limit: ERR_LIMIT. What is not a regular file, or is
 * reached through a link, is ERR_FORMAT; ERR_MISSING where there is none. */
int scratch_read(const char *folder, const char *name, struct buf *out, struct err *err);

/* The same as a text of arena, at most bytes_max of it: *out, which is empty where that fails. */
int scratch_text(const char *folder, const char *name, size_t bytes_max, struct arena *arena,
                 struct str *out, struct err *err);

/* The same without a limit, in pieces that are gone when take() returns. */
int scratch_each(const char *folder, const char *name,
                 void (*take)(void *context, struct str chunk), void *context, struct err *err);

/* Which of these names (NULL ends, at most 32) the folder may hold, a bit for each, by one look:
 * what has no bit is not there. All bits where it cannot be seen, or holds too much to be looked
 * through. */
uint32_t scratch_holds(const char *folder, const char *const *names);

/* Gives a file a second name in its folder; both stay as they are when one is replaced. An error
 * where that name is taken, or where the file system knows no second names. */
int scratch_link(const char *folder, const char *name, const char *second, struct err *err);

/* Adds the last bytes of a file, at most so many; nothing where there is none. */
void scratch_tail(const char *folder, const char *name, size_t bytes, struct buf *out);

/* The last line with something in it, at most `bytes` of it; empty when there is none. */
void scratch_last_line(const char *folder, const char *name, size_t bytes, struct buf *out);

#endif
