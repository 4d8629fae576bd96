/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_hidden.c - what marks in the index keep `git status` from seeing.
 *
 * Hardly any repository has such marks, so git is asked for them only where the index may hold
 * one. That is seen in its bytes: a header, entries, extensions.
 *
 *   "DIRC" VERSION COUNT
 *   40 bytes of times and sizes, OID, FLAGS [, MORE FLAGS], PATH NUL   again and again
 *     version 2, 3: PATH is whole, and NULs fill the entry up to a multiple of 8
 *     version 4:    PATH is a number and the end of the path, and nothing is filled up
 *   "NAME" SIZE ...                                                    again and again, then OID
 *
 * 1. What is not understood may hide something: then git is asked, which costs time and nothing
 *    else. An index whose entries are partly in another file ("link") is not understood.
 * 2. A path that is marked and not there is deleted, but for skip-worktree: a sparse checkout
 *    leaves out what it marks.
 * 3. Where git status names the path all the same, its line stays what it is.
 */
#include "io/tree/tree_hidden.h"

#include "base/buf.h"
#include "io/file/file.h"
#include "io/file/walk.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INDEX_BYTES_MAX = 1 << 28, LIST_BYTES_MAX = 1 << 28 };
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

struct index_look index_look(const char *path)
{
    struct index_look look = { 0 };
    struct err none;
    struct buf text;
    int rc;

    buf_init(&text, INDEX_BYTES_MAX);
    rc = file_read(path, &text, &none);
    if (rc != ERR_MISSING) {
        look.hides_short = rc != 0 || index_bytes_hide(buf_str(&text), OID_SHORT_BYTES);
        look.hides_long = rc != 0 || index_bytes_hide(buf_str(&text), OID_LONG_BYTES);
    }
    buf_release(&text);
    return look;
}

/* head tells how long hashes are here; without one nobody knows. */
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
    static const char *const ask[] = { "ls-files", "--stage", "-v", "-z", NULL };
    int folder_fd = -1;
    struct buf list;
    int rc;

    if (!index_hides(look, status->head)) return 0;
    buf_init(&list, LIST_BYTES_MAX);
    rc = repo_git_index(repo, index, ask, STR(""), &list, err);
    if (rc == 0) rc = folder_open(repo->workspace, &folder_fd, err);
    if (rc == 0) {
        /* The lines' paths must outlive the list. */
        rc = add_listed(arena_copy(arena, buf_str(&list)), folder_fd, status, arena, err);
    }
    if (folder_fd >= 0) close(folder_fd);
    buf_release(&list);
    return rc;
}
