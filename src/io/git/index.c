/* SPDX-License-Identifier: Apache-2.0
 *
 * index.c - git's index, kept by a hard link, and looked into for marks that hide files.
 *
 * What is staged:
 *
 *   the same file as was kept      nothing was staged
 *   another one                    both are listed by git: names, contents and flags decide, since
 *                                  git writes an index anew to remember times of files, too
 *
 * 1. The index is put back under git's own lock, so that no other git is at work on it.
 * 2. The index that is replaced gets another name first, in the folder that the caller names: it is
 *    never lost.
 *
 * What is hidden: marks in the index keep `git status` from seeing a file. Hardly any repository
 * has such marks, and `git ls-files -v` would be one more process at each look at a tree, which
 * happens before and after every attempt. So git is asked for them only where the index may hold
 * one. That is seen in its bytes: a header, entries, extensions.
 *
 *   "DIRC" VERSION COUNT
 *   40 bytes of times and sizes, OID, FLAGS [, MORE FLAGS], PATH NUL   again and again
 *     version 2, 3: PATH is whole, and NULs fill the entry up to a multiple of 8
 *     version 4:    PATH is a number and the end of the path, and nothing is filled up
 *   "NAME" SIZE ...                                                    again and again, then OID
 *
 * 3. What is not understood may hide something: then git is asked, which costs time and nothing
 *    else. An index whose entries are partly in another file ("link") is not understood. So the
 *    reader here decides what to ask git, never what a tree holds.
 * 4. A path that is marked and not there is deleted, but for skip-worktree: a sparse checkout
 *    leaves out what it marks.
 * 5. Where git status names the path all the same, its line stays what it is.
 *
 * Not seen here: a program that writes to the index in place, which no git does. What was kept is a
 * second name of the same file, and changes with it. */
#include "io/git/index.h"

#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/file/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is staged ---- */

enum { INDEX_BYTES_MAX = 1 << 30 };

/* A second name, or a copy where there cannot be one. to must not be there. 0 or an errno value. */
static int link_or_copy(const char *from, const char *to_folder, const char *to_name)
{
    struct arena arena = { 0 };
    const char *to = arena_printf(&arena, "%s/%s", to_folder, to_name);
    int problem = link(from, to) == 0 ? 0 : errno;
    struct err none;
    struct buf text;

    if (problem != 0 && problem != EEXIST && problem != ENOENT) {
        buf_init(&text, INDEX_BYTES_MAX);
        if (file_exists(to)) {
            problem = EEXIST;
        } else if (file_read(from, &text, &none) == 0 &&
                   scratch_write(to_folder, to_name, buf_str(&text), &none) == 0) {
            problem = 0;
        }
        buf_release(&text);
    }
    arena_release(&arena);
    return problem;
}

int staged_keep(const struct repo *repo, const char *folder, const char *name, struct err *err)
{
    struct arena arena = { 0 };
    const char *index = arena_printf(&arena, "%s/index", repo->git_dir);
    int rc = file_remove_in(folder, name, err);
    int problem = rc == 0 ? link_or_copy(index, folder, name) : 0;

    if (problem == ENOENT) rc = scratch_write(folder, name, STR(""), err);
    else if (problem != 0) rc = err_system(err, problem, "keep %s", index);
    arena_release(&arena);
    return rc;
}

/* What was kept, seen beside the index: two system calls. */
enum seen { SEEN_SAME, SEEN_OTHER, SEEN_UNKNOWN };

static enum seen see(const char *kept, const char *index, bool *was_none)
{
    struct stat one, two;

    if (lstat(kept, &one) != 0) return SEEN_UNKNOWN;
    *was_none = one.st_size == 0;
    if (lstat(index, &two) != 0) return *was_none ? SEEN_SAME : SEEN_OTHER;
    return one.st_dev == two.st_dev && one.st_ino == two.st_ino ? SEEN_SAME : SEEN_OTHER;
}

static int list_entries(const struct repo *repo, const char *index, struct buf *out,
                        struct err *err)
{
    static const char *const args[] = { "ls-files", "--stage", "-v", "-z", NULL };

    return repo_git_index(repo, index, args, STR(""), out, err);
}

/* Whether what is staged differs; no file is looked at. before: NULL where there was none. */
static int compare(const struct repo *repo, const char *before, const char *now, bool *differs,
                   struct err *err)
{
    struct buf was, is;
    struct err none;
    int rc;

    buf_init(&was, INDEX_BYTES_MAX);
    buf_init(&is, INDEX_BYTES_MAX);
    rc = before ? list_entries(repo, before, &was, err) : 0;
    if (rc == 0) { /* one that git cannot read is another one */
        *differs = list_entries(repo, now, &is, &none) != 0 || !str_eq(buf_str(&was), buf_str(&is));
    }
    buf_release(&was);
    buf_release(&is);
    return rc;
}

static int put_back(const struct repo *repo, const char *kept, bool was_none, const char *away,
                    struct err *err)
{
    struct arena arena = { 0 };
    const char *index = arena_printf(&arena, "%s/index", repo->git_dir);
    const char *lock = arena_printf(&arena, "%s/index.lock", repo->git_dir);
    int problem, rc = file_make_folder(away, false, err);

    if (rc == 0) rc = file_remove_in(away, "index", err);
    if (rc == 0) {
        problem = link_or_copy(index, away, "index");
        if (problem != 0 && problem != ENOENT) rc = err_system(err, problem, "keep %s", index);
    }
    if (rc == 0 && !was_none) {
        problem = link_or_copy(kept, repo->git_dir, "index.lock");
        if (problem == EEXIST) {
            rc = err_set(err, ERR_BUSY, "%s is there: another git is at work; remove it where none "
                         "is, then hone resume", lock);
        } else if (problem != 0 || rename(lock, index) != 0) {
            rc = err_system(err, problem ? problem : errno, "put back %s", index);
        }
    } else if (rc == 0) {
        rc = file_remove_in(repo->git_dir, "index", err);
    }
    arena_release(&arena);
    return rc;
}

int staged_compare(const struct repo *repo, const char *before, const char *now, bool *differs,
                   struct err *err)
{
    return compare(repo, before, now, differs, err);
}

int staged_replace(const struct repo *repo, const char *by, const char *away, struct err *err)
{
    return put_back(repo, by, false, away, err);
}

int staged_restore(const struct repo *repo, const char *folder, const char *name, const char *away,
                   bool *changed, struct err *err)
{
    struct arena arena = { 0 };
    const char *index = arena_printf(&arena, "%s/index", repo->git_dir);
    const char *kept = arena_printf(&arena, "%s/%s", folder, name);
    bool was_none = false;
    int rc = 0;

    *changed = false;
    if (see(kept, index, &was_none) == SEEN_OTHER) {
        rc = compare(repo, was_none ? NULL : kept, index, changed, err);
    }
    if (rc == 0 && *changed) rc = put_back(repo, kept, was_none, away, err);
    arena_release(&arena);
    return rc;
}

/* ---- what is hidden ---- */

enum { LOOK_BYTES_MAX = 1 << 28, LIST_BYTES_MAX = 1 << 28 };
enum { OID_SHORT_BYTES = 20, OID_LONG_BYTES = 32 }; /* SHA-1, SHA-256 */

enum {
    HEADER_BYTES = 12, STAT_BYTES = 40, EXTENSION_BYTES = 8, PAD_BYTES = 8,
    FLAG_VALID = 0x8000, FLAG_EXTENDED = 0x4000, MORE_SKIP = 0x4000,
};

/* ---- the bytes of an index ---- */

static uint32_t big_endian(struct str text, size_t at, size_t bytes)
{
    uint32_t out = 0;

    for (size_t i = 0; i < bytes; i++) out = out << 8 | (unsigned char)text.data[at + i];
    return out;
}

/* Skips one entry; false where it is marked, or is none. */
static bool skip_entry(struct str *rest, uint32_t version, size_t oid_bytes)
{
    size_t head = STAT_BYTES + oid_bytes + 2, bytes;
    const char *end;
    uint32_t flags;

    if (rest->size < head + 2) return false;
    flags = big_endian(*rest, head - 2, 2);
    if (flags & FLAG_VALID) return false;
    if (flags & FLAG_EXTENDED) {
        if (big_endian(*rest, head, 2) & MORE_SKIP) return false;
        head += 2;
    }
    if (version == 4) { /* the number: all of its bytes but the last have the high bit */
        while (head < rest->size && (unsigned char)rest->data[head] >= 0x80) head++;
        head++;
    }
    if (head >= rest->size) return false;
    end = memchr(rest->data + head, '\0', rest->size - head);
    if (!end) return false;
    bytes = (size_t)(end - rest->data) + 1;
    if (version != 4) bytes = (bytes + PAD_BYTES - 1) / PAD_BYTES * PAD_BYTES;
    if (bytes > rest->size) return false;
    *rest = str_skip(*rest, bytes);
    return true;
}

bool index_bytes_hide(struct str index, size_t oid_bytes)
{
    struct str rest = index;
    uint32_t version, count;

    if (rest.size < HEADER_BYTES || !str_starts(rest, STR("DIRC"))) return true;
    version = big_endian(rest, 4, 4);
    count = big_endian(rest, 8, 4);
    if (version < 2 || version > 4) return true;
    rest = str_skip(rest, HEADER_BYTES);
    for (; count > 0; count--) {
        if (!skip_entry(&rest, version, oid_bytes)) return true;
    }
    while (rest.size > oid_bytes) {
        size_t bytes;

        if (rest.size < EXTENSION_BYTES || str_starts(rest, STR("link"))) return true;
        bytes = EXTENSION_BYTES + (size_t)big_endian(rest, 4, 4);
        if (bytes > rest.size) return true;
        rest = str_skip(rest, bytes);
    }
    return rest.size != oid_bytes;
}

/* Whether the mode of a submodule, 0160000 in four bytes, is anywhere among the bytes. */
static bool index_bytes_link(struct str index)
{
    enum { THIRD = 0xe0 };
    const char *at = index.data, *end = index.data + index.size;

    while (at < end && (at = memchr(at, THIRD, (size_t)(end - at)))) {
        if (at - index.data >= 2 && end - at >= 2 && !at[-2] && !at[-1] && !at[1]) return true;
        at++;
    }
    return false;
}

struct index_look index_look(const char *path)
{
    struct index_look look = { 0 };
    struct err none;
    struct buf text;
    int rc;

    buf_init(&text, LOOK_BYTES_MAX);
    rc = file_read(path, &text, &none);
    if (rc != ERR_MISSING) {
        look.hides_short = rc != 0 || index_bytes_hide(buf_str(&text), OID_SHORT_BYTES);
        look.hides_long = rc != 0 || index_bytes_hide(buf_str(&text), OID_LONG_BYTES);
        /* One whose entries are partly in another file is understood neither way. */
        look.links = index_bytes_link(buf_str(&text)) || (look.hides_short && look.hides_long);
    }
    buf_release(&text);
    return look;
}

/* head tells how long hashes are here; without one their length is not known. */
static bool index_hides(const struct index_look *look, const char *head)
{
    size_t bytes = strlen(head) / 2;

    if (bytes == OID_SHORT_BYTES) return look->hides_short;
    if (bytes == OID_LONG_BYTES) return look->hides_long;
    return look->hides_short || look->hides_long;
}

/* ---- what git says of it ---- */

static bool is_there(int folder_fd, struct str path)
{
    char leaf[NAME_MAX + 1];
    struct err ignored;
    struct stat st;
    bool there;
    int fd;

    if (walk_parent(folder_fd, path, false, &fd, leaf, &ignored) != 0) return false;
    there = fstatat(fd, leaf, &st, AT_SYMLINK_NOFOLLOW) == 0;
    close(fd);
    return there;
}

/* "TAG MODE OID STAGE", a tab, the path. False for what git would not say; *marked where the line
 * counts. */
static bool parse_listed(struct str text, int folder_fd, struct status_line *line, bool *marked)
{
    enum { WORDS = 3 };
    struct str stage, word[WORDS];
    bool assumed, skipped, there;

    *marked = false;
    for (int i = 0; i < WORDS; i++) {
        if (!str_cut(&text, ' ', &word[i])) return false;
    }
    if (!str_cut(&text, '\t', &stage) || word[0].size != 1) return false;
    assumed = word[0].data[0] >= 'a' && word[0].data[0] <= 'z';
    skipped = word[0].data[0] == 'S' || word[0].data[0] == 's';
    if (!(assumed || skipped) || !str_is(stage, "0")) return true;
    *line = (struct status_line){ .path = text, .hidden = true };
    if (!tree_path_is_valid(text) || !mode_parse(word[1], &line->staged_mode) ||
        !oid_parse(word[2], line->staged))
        return false;
    if (!S_ISREG(line->staged_mode) && !S_ISLNK(line->staged_mode)) return true;
    there = is_there(folder_fd, text);
    line->mode = there ? S_IFREG : 0;
    line->head_mode = line->staged_mode; /* else git status names it */
    memcpy(line->head, line->staged, OID_BYTES);
    *marked = there || !skipped;
    return true;
}

static int add_listed(struct str list, int folder_fd, struct status *status, struct arena *arena,
                      struct err *err)
{
    struct status_line *lines;
    uint32_t more = 0;
    struct str rest = list, text;
    bool marked;

    while (str_cut(&rest, '\0', &text)) more += text.size > 0 && text.data[0] != 'H';
    lines = arena_alloc(arena, ((size_t)status->count + more) * sizeof *lines);
    if (status->count) memcpy(lines, status->lines, status->count * sizeof *lines);
    status->lines = lines;
    while (str_cut(&list, '\0', &text)) {
        if (text.size > 0 && text.data[0] == 'H') continue;
        if (!parse_listed(text, folder_fd, &lines[status->count], &marked)) {
            return err_set(err, ERR_FORMAT, "git ls-files said something unknown: %.*s",
                           (int)(text.size < 200 ? text.size : 200), text.data);
        }
        status->count += marked;
    }
    return 0;
}

int status_add_hidden(const struct repo *repo, const char *index, const struct index_look *look,
                      struct status *status, struct arena *arena, struct err *err)
{
    int folder_fd = -1;
    struct buf list;
    int rc;

    if (!index_hides(look, status->head)) return 0;
    buf_init(&list, LIST_BYTES_MAX);
    rc = list_entries(repo, index, &list, err);
    if (rc == 0) rc = folder_open(repo->workspace, &folder_fd, err);
    if (rc == 0) {
        /* The lines' paths must outlive the list. */
        rc = add_listed(arena_copy(arena, buf_str(&list)), folder_fd, status, arena, err);
    }
    if (folder_fd >= 0) close(folder_fd);
    buf_release(&list);
    return rc;
}
