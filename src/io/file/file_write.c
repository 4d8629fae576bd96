/* SPDX-License-Identifier: Apache-2.0
 *
 * file_write.c - files written all or nothing, several at a time.
 *
 *   stage    each file that changes gets its new content under a temporary name beside it, synced
 *   commit   each temporary file is renamed over its file
 *   settle   each folder in which a name changed is synced, once
 *
 * All of stage comes before any commit: a full disk or a folder in the way is found while every
 * file is still as it was. A caller whose files can be made again, and who must not keep others
 * waiting, leaves the syncs of stage to settle, too.
 *
 * 1. A path holds its old content or its new content, never a part of either: rename(2) is the
 *    only thing that changes it.
 * 2. Nothing is written through a link: parents are opened part by part (walk.h), temporary files
 *    are made and never opened, and a link at the path itself is replaced.
 * 3. A file has one temporary name, and there is one writer at a time (the caller holds a lock):
 *    what a killed writer left is replaced when that file is written again. A shared file has
 *    several writers, each with a name of its own.
 * 4. A caller may owe all syncs, or waive them. A killed writer does no harm then either, but a
 *    power cut may, until they are made.
 * 5. A file keeps its permissions when it is replaced: settings that were private stay so.
 */
#include "io/file/file.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/path.h"
#include "io/file/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file between stage and commit. */
struct staged {
    bool wanted; /* its temporary file is there */
    bool moved;  /* and was renamed */
    int fd;      /* of one whose sync is owed; -1: of none */
};

/* When the contents of a file are synced. */
enum lasting { LASTS_AT_ONCE, LASTS_LATER, LASTS_NEVER };

enum { OWED_MAX = 64 /* files that are kept open for it */, PLACES_MAX = 4, SHARED_LETTERS = 16 };

/* The folders that were opened last: of several files in one folder only the first walks there. */
struct places {
    int root_fd;
    const char *word; /* of the temporary name of a shared file, which is alone; NULL: of others */
    struct {
        struct str folder; /* of an item's path */
        int fd;
    } item[PLACES_MAX];
    uint32_t count, next; /* next: whose place a further one takes */
};

static void places_leave(struct places *places)
{
    for (uint32_t i = 0; i < places->count; i++) close(places->item[i].fd);
    places->count = 0;
}

/* *fd is the folder of path, and stays the places' own. */
static int places_enter(struct places *places, struct str path, bool make, int *fd,
                        char leaf[NAME_MAX + 1], struct err *err)
{
    struct str folder = path_folder(path), name = path_leaf(path);
    uint32_t at;
    int rc;

    for (uint32_t i = 0; i < places->count; i++) {
        if (!str_eq(folder, places->item[i].folder)) continue;
        memcpy(leaf, name.data, name.size);
        leaf[name.size] = '\0';
        *fd = places->item[i].fd;
        return 0;
    }
    rc = walk_parent(places->root_fd, path, make, fd, leaf, err);
    if (rc != 0) return rc;
    at = places->next++ % PLACES_MAX;
    if (at < places->count) close(places->item[at].fd);
    else places->count++;
    places->item[at].folder = folder;
    places->item[at].fd = *fd;
    return 0;
}

static void places_temp(const struct places *places, const char *leaf, char temp[NAME_MAX + 1])
{
    if (!places->word) temp_name(leaf, temp);
    else (void)snprintf(temp, NAME_MAX + 1, ".hone-shared-%s", places->word);
}

static bool fd_holds(int fd, struct str content)
{
    char piece[65536];

    while (content.size) {
        size_t bytes = content.size < sizeof piece ? content.size : sizeof piece;
        ssize_t got = read(fd, piece, bytes);

        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || memcmp(piece, content.data, (size_t)got) != 0) return false;
        content = str_skip(content, (size_t)got);
    }
    return true;
}

/* Whether folder/leaf is a regular file with exactly this content; *mode gets its permissions,
 * 0 where there is no regular file. ERR_SYSTEM when it is a folder, which nothing can replace. */
static int leaf_look(int folder_fd, const char *leaf, struct str content, bool *same, mode_t *mode,
                     struct err *err)
{
    struct stat st;
    int fd;

    *same = false;
    *mode = 0;
    if (fstatat(folder_fd, leaf, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return 0;
        return err_system(err, errno, "look at it");
    }
    if (S_ISDIR(st.st_mode)) return err_set(err, ERR_SYSTEM, "it is a folder");
    if (!S_ISREG(st.st_mode)) return 0;
    *mode = st.st_mode & 0777;
    if ((uint64_t)st.st_size != content.size) return 0;
    fd = openat(folder_fd, leaf, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return 0;
    *same = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
            (uint64_t)st.st_size == content.size && fd_holds(fd, content);
    close(fd);
    return 0;
}

/* One that a killed writer left is replaced. */
static int open_temp(int folder_fd, const char *temp)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(folder_fd, temp, flags, 0666);

    if (fd >= 0 || errno != EEXIST) return fd;
    unlinkat(folder_fd, temp, 0);
    return openat(folder_fd, temp, flags, 0666);
}

/* *owed: stays open where its sync is to come. */
static int write_temp(int folder_fd, const char *temp, struct str content, mode_t mode,
                      enum lasting lasting, int *owed, struct err *err)
{
    int fd = open_temp(folder_fd, temp);
    int problem = 0;

    if (fd < 0) return err_system(err, errno, "make a temporary file");
    if (mode != 0 && fchmod(fd, mode | S_IRUSR | S_IWUSR) != 0) problem = errno;
    if (problem == 0) problem = write_full(fd, content);
    if (problem == 0 && lasting == LASTS_AT_ONCE && fsync(fd) != 0) problem = errno;
    if (problem == 0 && lasting == LASTS_LATER) *owed = fd;
    else if (close(fd) != 0 && problem == 0) problem = errno;
    if (problem == 0) return 0;
    unlinkat(folder_fd, temp, 0);
    return err_system(err, problem, "write");
}

static int stage(struct places *places, const struct file_item *item, enum lasting lasting,
                 struct staged *staged, struct err *err)
{
    char leaf[NAME_MAX + 1], temp[NAME_MAX + 1];
    mode_t mode;
    bool same;
    int fd, rc;

    if (!path_is_clean(str_of(item->path)))
        return err_set(err, ERR_FORMAT, "it is not a path below that folder");
    rc = places_enter(places, str_of(item->path), true, &fd, leaf, err);
    if (rc != 0) return rc;
    rc = leaf_look(fd, leaf, item->content, &same, &mode, err);
    if (rc == 0 && !same) {
        places_temp(places, leaf, temp);
        rc = write_temp(fd, temp, item->content, mode, lasting, &staged->fd, err);
        staged->wanted = rc == 0;
    }
    return rc;
}

static int commit(struct places *places, const struct file_item *item, struct staged *staged,
                  struct err *err)
{
    char leaf[NAME_MAX + 1], temp[NAME_MAX + 1];
    int fd, rc = places_enter(places, str_of(item->path), false, &fd, leaf, err);

    if (rc != 0) return rc;
    places_temp(places, leaf, temp);
    if (renameat(fd, temp, fd, leaf) != 0)
        rc = err_system(err, errno, "put it in place");
    else
        staged->moved = true;
    return rc;
}

static void owe(struct file_debt *debt, int fd)
{
    debt->fds = mem_grow(debt->fds, debt->count, &debt->cap, sizeof *debt->fds);
    debt->fds[debt->count++] = fd;
}

static int owe_folder(struct places *places, const struct file_item *item, struct file_debt *debt,
                      struct err *err)
{
    char leaf[NAME_MAX + 1];
    int fd, own_fd;
    int rc = places_enter(places, str_of(item->path), false, &fd, leaf, err);

    if (rc != 0) return rc;
    own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own_fd < 0) return err_system(err, errno, "keep its folder open");
    owe(debt, own_fd);
    return 0;
}

int file_settle(struct file_debt *debt, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < debt->count; i++) {
        if (rc == 0 && fsync(debt->fds[i]) != 0 && errno != EINVAL) {
            rc = err_system(err, errno, "sync what was written");
        }
        close(debt->fds[i]);
    }
    free(debt->fds);
    *debt = (struct file_debt){ .waived = debt->waived };
    return rc;
}

static void discard(struct places *places, const struct file_item *item)
{
    char leaf[NAME_MAX + 1], temp[NAME_MAX + 1];
    struct err ignored;
    int fd;

    if (places_enter(places, str_of(item->path), false, &fd, leaf, &ignored) != 0) return;
    places_temp(places, leaf, temp);
    unlinkat(fd, temp, 0);
}

static bool same_folder(const struct file_item *a, const struct file_item *b)
{
    return str_eq(path_folder(str_of(a->path)), path_folder(str_of(b->path)));
}

/* Whether a later file that moved lies in the same folder and will have it synced. */
static bool settled_later(const struct file_item *items, const struct staged *staged,
                          uint32_t count, uint32_t at)
{
    for (uint32_t i = at + 1; i < count; i++) {
        if (staged[i].moved && same_folder(&items[at], &items[i])) return true;
    }
    return false;
}

static int stage_all(struct places *places, const struct file_item *items, uint32_t count,
                     enum lasting lasting, struct staged *staged, uint32_t *at, struct err *err)
{
    uint32_t open_count = 0;
    int rc = 0;

    for (uint32_t i = 0; i < count; i++) staged[i].fd = -1;
    for (*at = 0; rc == 0 && *at < count; ++*at) {
        rc = stage(places, &items[*at], lasting, &staged[*at], err);
        if (staged[*at].fd >= 0 && ++open_count == OWED_MAX) lasting = LASTS_AT_ONCE;
    }
    return rc;
}

/* What is asked of one writing. */
struct writing {
    const char *root;
    const char *word; /* as in struct places */
    const struct file_item *items;
    uint32_t count;
    enum lasting lasting;
};

static int write_owing(const struct writing *writing, uint32_t *written, struct file_debt *debt,
                       struct err *err)
{
    const struct file_item *items = writing->items;
    uint32_t count = writing->count, at = 0;
    struct staged *staged = mem_alloc(count * sizeof *staged);
    struct places places = { .root_fd = -1, .word = writing->word };
    int rc = folder_open(writing->root, &places.root_fd, err);

    if (written) *written = 0;
    if (rc != 0) {
        free(staged);
        return rc;
    }
    rc = stage_all(&places, items, count, writing->lasting, staged, &at, err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        at = i + 1;
        if (!staged[i].wanted) continue;
        rc = commit(&places, &items[i], &staged[i], err);
        if (rc == 0 && written) (*written)++;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (staged[i].fd >= 0) owe(debt, staged[i].fd); /* the contents before the folders */
    }
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        at = i + 1;
        if (!staged[i].moved || writing->lasting == LASTS_NEVER) continue;
        if (settled_later(items, staged, count, i)) continue;
        rc = owe_folder(&places, &items[i], debt, err);
    }
    if (rc != 0) {
        err_wrap(err, "write %s/%s", writing->root, items[at - 1].path);
        for (uint32_t i = 0; i < count; i++) {
            if (staged[i].wanted && !staged[i].moved) discard(&places, &items[i]);
        }
    }
    places_leave(&places);
    close(places.root_fd);
    free(staged);
    return rc;
}

int file_write_owing(const char *root, const struct file_item *items, uint32_t count,
                     struct file_debt *debt, struct err *err)
{
    const struct writing writing = { .root = root, .items = items, .count = count,
                                     .lasting = debt->waived ? LASTS_NEVER : LASTS_LATER };

    return write_owing(&writing, NULL, debt, err);
}

static int write_at_once(const struct writing *writing, uint32_t *written, struct err *err)
{
    struct file_debt debt = { 0 };
    struct err ignored;
    int rc = write_owing(writing, written, &debt, err);

    if (rc != 0) {
        file_settle(&debt, &ignored);
        return rc;
    }
    rc = file_settle(&debt, err);
    return rc == 0 ? 0 : err_wrap(err, "write below %s", writing->root);
}

int file_write_all(const char *root, const struct file_item *items, uint32_t count,
                   uint32_t *written, struct err *err)
{
    const struct writing writing = { .root = root, .items = items, .count = count,
                                     .lasting = LASTS_AT_ONCE };

    return write_at_once(&writing, written, err);
}

int file_write(const char *root, const char *path, struct str content, struct err *err)
{
    struct file_item item = { .path = path, .content = content };

    return file_write_all(root, &item, 1, NULL, err);
}

int file_write_shared(const char *root, const char *path, struct str content, struct err *err)
{
    struct file_item item = { .path = path, .content = content };
    char word[SHARED_LETTERS + 1];
    const struct writing writing = { .root = root, .word = word, .items = &item, .count = 1,
                                     .lasting = LASTS_AT_ONCE };

    random_word(word, SHARED_LETTERS);
    return write_at_once(&writing, NULL, err);
}
