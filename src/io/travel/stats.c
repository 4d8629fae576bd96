/* SPDX-License-Identifier: Apache-2.0
 *
 * stats.c - an index of ours, looked at and written entry by entry.
 *
 *   "DIRC" VERSION COUNT
 *   CTIME CTIME_NS MTIME MTIME_NS DEV INODE MODE UID GID SIZE, 4 bytes each; OID FLAGS PATH NUL
 *   ...                                                          filled up to a multiple of 8
 *   extensions, and a hash over all of it
 *
 * git compares times by the second, where it is not built otherwise. A program that changes a file
 * in the second in which it was written, keeps its length and sets its time back is not seen. An
 * agent of another run may have been such a program: so before a work tree is used again, the
 * nanoseconds that git has noted are compared, too. The kernel sets ctime, and no program can.
 *
 * The index is ours, of version 2 and without marks: anything else is an error, and the work tree
 * is made anew. */
#include "io/travel/stats.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/sha1.h"
#include "base/sha256.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/file/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INDEX_BYTES_MAX = 1 << 30, HEADER_BYTES = 12, STAT_BYTES = 40, FLAG_BYTES = 2,
       PAD_BYTES = 8, VERSION = 2, BACK_SECONDS = 10, OID_SHORT = 20 };

/* Places in an entry. */
enum { AT_CTIME = 0, AT_CTIME_NS = 4, AT_MTIME = 8, AT_MTIME_NS = 12, AT_DEV = 16, AT_INODE = 20,
       AT_UID = 28, AT_GID = 32, AT_SIZE = 36 };

/* The walk over an index, and the folder that its files are in. */
struct walk {
    const struct stats *stats;
    struct buf text;
    size_t at;       /* of the entry */
    uint32_t left;   /* entries, this one too */
    struct str path; /* of the entry */
    int root_fd, folder_fd;
    struct str folder;
    bool changed;
};

static uint32_t get(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;

    return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

static void set(char *at, uint64_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (char)(value >> (24 - 8 * i));
}

/* ---- the index ---- */

static int walk_read(struct walk *walk, const struct stats *stats, struct err *err)
{
    int rc;

    *walk = (struct walk){ .stats = stats, .at = HEADER_BYTES, .root_fd = -1, .folder_fd = -1 };
    buf_init(&walk->text, INDEX_BYTES_MAX);
    rc = file_read(stats->index, &walk->text, err);
    if (rc == 0 && (walk->text.size < HEADER_BYTES + stats->oid_bytes ||
                    memcmp(walk->text.data, "DIRC", 4) != 0 || get(walk->text.data + 4) != VERSION))
        rc = err_set(err, ERR_FORMAT, "%s is no index of ours", stats->index);
    if (rc == 0) walk->left = get(walk->text.data + 8);
    return rc == 0 ? folder_open(stats->workspace, &walk->root_fd, err) : rc;
}

static void walk_end(struct walk *walk)
{
    if (walk->folder_fd >= 0) close(walk->folder_fd);
    if (walk->root_fd >= 0) close(walk->root_fd);
    buf_release(&walk->text);
}

/* The next entry's path; false at the end. */
static bool walk_step(struct walk *walk, struct err *err, int *rc)
{
    size_t head = STAT_BYTES + walk->stats->oid_bytes + FLAG_BYTES, end;
    const char *nul;

    if (walk->left == 0) return false;
    if (walk->path.data) {
        end = head + walk->path.size + 1;
        walk->at += (end + PAD_BYTES - 1) / PAD_BYTES * PAD_BYTES;
        if (--walk->left == 0) return false;
    }
    end = walk->text.size - walk->stats->oid_bytes;
    nul = walk->at + head < end
              ? memchr(walk->text.data + walk->at + head, '\0', end - walk->at - head) : NULL;
    if (!nul) {
        *rc = err_set(err, ERR_FORMAT, "%s is not whole", walk->stats->index);
        return false;
    }
    walk->path = (struct str){ walk->text.data + walk->at + head, 0 };
    walk->path.size = (size_t)(nul - walk->path.data);
    return true;
}

static int from_hex(char digit)
{
    return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

/* With a new hash, where the old one was one. */
static int walk_write(struct walk *walk, struct err *err)
{
    size_t size = walk->text.size - walk->stats->oid_bytes;
    struct str body = { walk->text.data, size };
    unsigned char hash[SHA256_BYTES] = { 0 };
    char hex[SHA1_HEX_BYTES];
    struct arena arena = { 0 };
    struct sha256 sha;
    int rc;

    if (!walk->changed) return 0;
    if (walk->stats->oid_bytes == OID_SHORT) {
        sha1_hex(body, hex);
        for (size_t i = 0; i < OID_SHORT; i++)
            hash[i] = (unsigned char)(from_hex(hex[2 * i]) << 4 | from_hex(hex[2 * i + 1]));
    } else {
        sha256_init(&sha);
        sha256_add(&sha, body);
        sha256_end(&sha, hash);
    }
    memcpy(walk->text.data + size, hash, walk->stats->oid_bytes);
    rc = scratch_replace(path_folder_text(walk->stats->index, &arena),
                         path_leaf_text(walk->stats->index), buf_str(&walk->text), err);
    arena_release(&arena);
    return rc;
}

/* ---- its files ---- */

/* Never through a link; false: it is not there. */
static bool look(struct walk *walk, struct stat *out)
{
    struct str folder = path_folder(walk->path), leaf = path_leaf(walk->path);
    struct err none;

    if (walk->folder_fd < 0 || !str_eq(folder, walk->folder)) {
        if (walk->folder_fd >= 0) close(walk->folder_fd);
        walk->folder_fd = -1;
        walk->folder = folder;
        if (walk_open(walk->root_fd, folder, false, &walk->folder_fd, &none) != 0) {
            walk->folder_fd = -1;
            return false;
        }
    }
    return fstatat(walk->folder_fd, leaf.data, out, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool is_same(const char *entry, const struct stat *now)
{
    return get(entry + AT_CTIME) == (uint32_t)now->st_ctim.tv_sec &&
           get(entry + AT_CTIME_NS) == (uint32_t)now->st_ctim.tv_nsec &&
           get(entry + AT_MTIME) == (uint32_t)now->st_mtim.tv_sec &&
           get(entry + AT_MTIME_NS) == (uint32_t)now->st_mtim.tv_nsec &&
           get(entry + AT_INODE) == (uint32_t)now->st_ino &&
           get(entry + AT_SIZE) == (uint32_t)now->st_size;
}

static bool is_link_to_repository(const char *entry)
{
    return (get(entry + 24) & 0170000) == 0160000;
}

int stats_distrust(const struct stats *stats, struct err *err)
{
    struct walk walk;
    struct stat now;
    int rc = walk_read(&walk, stats, err);

    while (rc == 0 && walk_step(&walk, err, &rc)) {
        char *entry = walk.text.data + walk.at;

        if (is_link_to_repository(entry) || (look(&walk, &now) && is_same(entry, &now))) continue;
        memset(entry, 0, AT_DEV); /* times and size of no file */
        set(entry + AT_SIZE, 0);
        set(entry + AT_INODE, 0);
        walk.changed = true;
    }
    if (rc == 0) rc = walk_write(&walk, err);
    walk_end(&walk);
    return rc;
}

static bool is_listed(const struct str *paths, uint32_t count, struct str path)
{
    return count > 0 && bsearch(&path, paths, count, sizeof path, str_order) != NULL;
}

int stats_trust(const struct stats *stats, const struct str *paths, uint32_t count,
                struct err *err)
{
    struct walk walk;
    struct stat now;
    int rc = count > 0 ? walk_read(&walk, stats, err) : 0;

    if (count == 0) return 0;
    while (rc == 0 && walk_step(&walk, err, &rc)) {
        char *entry = walk.text.data + walk.at;
        struct timespec times[2];

        if (!is_listed(paths, count, walk.path) || !look(&walk, &now) || !S_ISREG(now.st_mode))
            continue;
        times[0] = times[1] = now.st_mtim;
        times[1].tv_sec -= BACK_SECONDS;
        if (utimensat(walk.folder_fd, path_leaf(walk.path).data, times, AT_SYMLINK_NOFOLLOW) != 0 ||
            !look(&walk, &now))
            continue; /* it shows as changed */
        set(entry + AT_CTIME, (uint64_t)now.st_ctim.tv_sec);
        set(entry + AT_CTIME_NS, (uint64_t)now.st_ctim.tv_nsec);
        set(entry + AT_MTIME, (uint64_t)now.st_mtim.tv_sec);
        set(entry + AT_MTIME_NS, (uint64_t)now.st_mtim.tv_nsec);
        set(entry + AT_DEV, (uint64_t)now.st_dev);
        set(entry + AT_INODE, (uint64_t)now.st_ino);
        set(entry + AT_UID, (uint64_t)now.st_uid);
        set(entry + AT_GID, (uint64_t)now.st_gid);
        set(entry + AT_SIZE, (uint64_t)now.st_size);
        walk.changed = true;
    }
    if (rc == 0) rc = walk_write(&walk, err);
    walk_end(&walk);
    return rc;
}
