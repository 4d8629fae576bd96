/* SPDX-License-Identifier: Apache-2.0
 *
 * file.h - whole files, read with a bound and written all or nothing.
 *
 * Room: files and folders: read with a bound, written all or nothing, locked, walked, moved. */
#ifndef HONE_IO_FILE_FILE_H
#define HONE_IO_FILE_FILE_H

#include "base/arena.h"
#include "base/err.h"

/* Appends the file to out, within out's limit (ERR_LIMIT names it). ERR_MISSING where there is
 * none. Refuses what is not a regular file: a device or a pipe would never end. */
int file_read(const char *path, struct buf *out, struct err *err);
int file_read_fd(int fd, struct buf *out, struct err *err); /* to the end; for stdin */

/* The same for root/path, never through a link inside root: ERR_FORMAT for a path that is not
 * clean, a link in it, or what is not a regular file. The message has the path without root. */
int file_read_in(const char *root, const char *path, struct buf *out, struct err *err);

/* Both, at most bytes_max of it, as a text of arena: *out, which is empty where that fails. */
int file_text(const char *path, size_t bytes_max, struct arena *arena, struct str *out,
              struct err *err);
int file_text_in(const char *root, const char *path, size_t bytes_max, struct arena *arena,
                 struct str *out, struct err *err);

/* Whether we may write to root/path and replace it, by the word of the system. */
bool file_is_writable_in(const char *root, const char *path);

/* One file to write below a folder: parents are made, no link is followed on the way. */
struct file_item {
    const char *path; /* relative, no "..", no empty part */
    struct str content;
};

/* Writes each file atomically below root: a temporary file beside it, fsync, rename, fsync of
 * the folder. A file that already holds exactly that is left alone. If hone is killed at any
 * moment, a path holds its old content or its new content. A replaced file keeps its permissions.
 * *written, where not NULL, counts the files that changed. Each path may be there once. */
int file_write_all(const char *root, const struct file_item *items, uint32_t count,
                   uint32_t *written, struct err *err);

/* Files and folders whose sync is still to come. Empty is a valid value. */
struct file_debt {
    int *fds;
    uint32_t count, cap;
    bool waived; /* set by the caller: nothing is synced, neither contents nor folders */
};

/* The same, but all is synced by file_settle(): until then a power cut may bring back a file's old
 * content, or on some file systems none. For what can be made again from something that lasts: the
 * caller starts what must not be kept waiting between the two calls. */
int file_write_owing(const char *root, const struct file_item *items, uint32_t count,
                     struct file_debt *debt, struct err *err);
int file_settle(struct file_debt *debt, struct err *err); /* empty afterwards, also on error */

int file_write(const char *root, const char *path, struct str content, struct err *err);

/* The same for a file that several processes may write at a time: it is the whole work of one. */
int file_write_shared(const char *root, const char *path, struct str content, struct err *err);

/* Adds to the end of root/path, which another program reads later, and makes it where it is
 * missing; never through a link. Nothing is synced. Refuses what is not a regular file. */
int file_append_in(const char *root, const char *path, struct str content, struct err *err);

/* Where a file or folder is written that the user named: the calls above take root and path, and
 * follow no link below root. Links above the workspace are the user's and are followed. Those below
 * it may be of the change that is judged: root is the workspace then. */
struct file_place {
    const char *root;
    const char *path;  /* below root; "": the place is root itself */
    bool inside;       /* it is below the workspace */
    bool taken;        /* a folder, a pipe, a device or, outside, a link that leads to no file is
                          there: no file may replace it */
};

/* whole: absolute, as path_joined() makes it. workspace: as struct repo has it; NULL: there is
 * none. Lives in arena. */
void file_place_find(const char *workspace, const char *whole, struct arena *arena,
                     struct file_place *out);
/* As file_write_shared(). A link that stands there below the workspace is replaced. Makes no
 * folder: ERR_MISSING. */
int file_place_write(const struct file_place *place, struct str content, struct err *err);

/* Whether path is one of hone's own: it begins with one of those prefixes, is the one that stands
 * behind a "/" in the list, or is the temporary file that a killed writer left beside such a one.
 * NULL ends the list, or is an empty one. */
bool file_is_private(const char *const *private_paths, struct str path);

/* Makes a folder and its parents, mode 0700 (0777 & ~umask with shared). Exists already: fine. */
int file_make_folder(const char *path, bool shared, struct err *err);

/* Makes root/path (relative, parents too) without following a link inside root. */
int file_make_folder_in(const char *root, const char *path, struct err *err);

/* Removes root/path if it is there; never through a link, and a link itself is removed. */
int file_remove_in(const char *root, const char *path, struct err *err);

/* Removes what a write of root/path left beside it that was killed, if it did. */
void file_remove_torn(const char *root, const char *path);

/* Lets those run root/path who may read it; never through a link. */
int file_set_runnable(const char *root, const char *path, struct err *err);

/* Gives root/path a second name; never through a link. An error where that name is taken, or where
 * the two are not on one file system. */
int file_link_in(const char *root, const char *path, const char *to, struct err *err);

/* Gives root/path another name in its folder, which is synced; never through a link. ERR_MISSING
 * where nothing is there. */
int file_rename_in(const char *root, const char *path, const char *name, struct err *err);

bool file_exists(const char *path); /* of any kind; a dangling link exists */
/* Where a path really leads, all links followed; NULL when nothing is there. */
const char *file_real(const char *path, struct arena *arena);
int file_rename(const char *from, const char *to, struct err *err); /* and fsync of the folder */

/* Milliseconds since 1970: the wall clock as it was when this process first asked, and the time
 * that has passed since then, sleep of the machine included. So it never jumps: budgets and
 * pauses hold though the clock is set. And one for limits, which begins anywhere. */
uint64_t now_wall_ms(void);
uint64_t now_steady_ms(void);
void pause_ms(uint32_t ms); /* all of it, signals or not */
/* From now on the first is not before that: what a process stamps comes behind what the one before
 * it stamped, though the clock was set back in between. */
void now_wall_begin(uint64_t ms);

/* The first, as another process of this run left it: from its boot on it counts by the uptime, and
 * the wall clock is not asked. Does nothing after another boot. */
struct wall_mark {
    uint64_t ms, up_ms, boot; /* boot 0: nothing is known */
};
struct wall_mark now_wall_mark(void);
void now_wall_go_on(const struct wall_mark *mark);

/* Bytes that cannot be guessed, 256 at most. */
void random_bytes(unsigned char *out, size_t count);
/* count random bytes as lower-case letters and digits (32 of them, none that look alike). */
void random_word(char *out, uint32_t count); /* count + 1 bytes */
/* A random UUID, version 4. Returns out. */
enum { UUID_BYTES = 37 };
const char *random_uuid(char out[UUID_BYTES]);

#endif
