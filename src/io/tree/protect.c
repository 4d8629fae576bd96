/* SPDX-License-Identifier: Apache-2.0
 *
 * protect.c - protected files taken, compared and put back.
 *
 *   taken before          taken again          what becomes of it
 *   absent, or nothing    something            moved away
 *   something             something else       moved away, and made as it was
 *   something             absent               made as it was
 *
 * 1. Every step below a base is made without following a link (walk.h): the agent that was at work
 *    there may have put one in our way.
 * 2. Nothing is deleted that has content: it is moved to where the caller keeps it.
 * 3. What is kept is bounded. A file that did not fit is known by size and time; where it changed,
 *    that is told, and it is moved away and not made again. Of a path with more than ENTRIES_MAX
 *    below it nothing is looked at; one that grows beyond that has changed as a whole.
 *
 * Not here: which files (the caller knows).
 *
 * What protect.c took, as a file:
 *
 *     hone-protect 1
 *     KIND MODE WHOLE SIZE MTIME BASE LABEL PATH ASKED TEXT      (numbers: the last five are bytes)
 *     the five texts, one behind the other
 *
 * It is read back by a resume, too, so nothing in it is believed: sizes are bounded by what is
 * there, and a path that is not clean is refused. */
#include "io/tree/protect.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/file/move.h"
#include "io/file/scratch.h"
#include "io/file/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES_MAX = 8 << 20, ENTRIES_MAX = 2000, DEPTH_MAX = 24, NAMED_MAX = 10 };

void protect_release(struct protect *protect)
{
    free(protect->entries);
    arena_release(&protect->arena);
    *protect = (struct protect){ 0 };
}

/* ---- taking ---- */

/* Where something is looked at: the folder, and how its path begins. */
struct spot {
    struct protect *protect;
    const char *base, *label;
    const char *asked; /* "" below what was asked for */
    uint32_t first;    /* the entry of what was asked for */
    int fd;
};

static void entry_add(struct spot *spot, struct protect_entry entry)
{
    struct protect *protect = spot->protect;

    entry.base = spot->base;
    entry.label = spot->label;
    entry.asked = spot->asked;
    protect->entries = mem_grow(protect->entries, protect->count, &protect->cap,
                                sizeof *protect->entries);
    protect->entries[protect->count++] = entry;
}

static struct str read_content(struct spot *spot, const char *leaf, bool *whole)
{
    int fd = openat(spot->fd, leaf, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct protect *protect = spot->protect;
    struct str out = { "", 0 };
    struct buf text;
    struct err none;

    buf_init(&text, protect->bytes < BYTES_MAX ? BYTES_MAX - (size_t)protect->bytes : 1);
    *whole = fd >= 0 && file_read_fd(fd, &text, &none) == 0;
    if (*whole) out = arena_copy(&protect->arena, buf_str(&text));
    protect->bytes += out.size;
    buf_release(&text);
    if (fd >= 0) close(fd);
    return out;
}

static struct str read_link(struct spot *spot, const char *leaf)
{
    char target[PATH_MAX];
    ssize_t bytes = readlinkat(spot->fd, leaf, target, sizeof target);

    if (bytes < 0) bytes = 0;
    return arena_copy(&spot->protect->arena, (struct str){ target, (size_t)bytes });
}

static void take_folder(struct spot *spot, const char *leaf, const char *path, int depth);

/* What stands at leaf, whose path below the base is path. */
static void take_one(struct spot *spot, const char *leaf, const char *path, int depth)
{
    struct protect_entry entry = { .path = path, .kind = PROTECT_OTHER };
    struct stat st;

    if (fstatat(spot->fd, leaf, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        entry.kind = PROTECT_ABSENT;
        entry_add(spot, entry);
        return;
    }
    if (spot->protect->gaps && !S_ISLNK(st.st_mode)) return;
    entry.mode = st.st_mode & 07777;
    entry.size = (uint64_t)st.st_size;
    entry.mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
    if (S_ISREG(st.st_mode)) {
        entry.kind = PROTECT_FILE;
        entry.text = read_content(spot, leaf, &entry.whole);
    } else if (S_ISLNK(st.st_mode)) {
        entry.kind = PROTECT_LINK;
        entry.text = read_link(spot, leaf);
    } else if (S_ISDIR(st.st_mode)) {
        entry.kind = PROTECT_FOLDER;
        entry.whole = true;
    }
    entry_add(spot, entry);
    if (entry.kind == PROTECT_FOLDER && depth < DEPTH_MAX) take_folder(spot, leaf, path, depth);
}

static void take_folder(struct spot *spot, const char *leaf, const char *path, int depth)
{
    struct spot below = *spot;
    struct dirent *item;
    DIR *dir;
    int fd = openat(spot->fd, leaf, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0) return;
    dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return;
    }
    below.fd = fd;
    below.asked = "";
    while (spot->protect->count - spot->first <= ENTRIES_MAX && (item = readdir(dir))) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        take_one(&below, item->d_name,
                 arena_printf(&spot->protect->arena, "%s/%s", path, item->d_name), depth + 1);
    }
    closedir(dir);
}

/* The first part of the path that is a link or no folder stands for the whole. */
static void take_path(struct spot *spot, struct str path)
{
    struct str walked = { path.data, 0 };
    struct stat st;

    while (walked.size < path.size) {
        const char *part;

        walked.size += walked.size > 0;
        while (walked.size < path.size && path.data[walked.size] != '/') walked.size++;
        part = arena_cstr(&spot->protect->arena, walked);
        if (walked.size == path.size) break;
        if (fstatat(spot->fd, part, &st, AT_SYMLINK_NOFOLLOW) != 0) break;
        if (S_ISDIR(st.st_mode)) continue;
        if (S_ISLNK(st.st_mode)) {
            take_one(spot, part, part, 0);
            return;
        }
        break;
    }
    take_one(spot, spot->asked, spot->asked, 0);
}

int protect_take(struct protect *protect, const char *base, const char *label, const char *path,
                 struct err *err)
{
    struct spot spot = { .protect = protect };
    int rc = folder_open(base, &spot.fd, err);

    if (rc == ERR_MISSING) return 0;
    if (rc != 0) return rc;
    spot.base = arena_cstr(&protect->arena, str_of(base));
    spot.label = arena_cstr(&protect->arena, str_of(label));
    spot.asked = arena_cstr(&protect->arena, str_of(path));
    spot.first = protect->count;
    take_path(&spot, str_of(path));
    if (protect->count - spot.first > ENTRIES_MAX) {
        protect->count = spot.first + 1;
        protect->entries[spot.first].whole = false;
    }
    close(spot.fd);
    return 0;
}

/* ---- comparing ---- */

static const struct protect_entry *find_entry(const struct protect *protect,
                                              const struct protect_entry *like)
{
    for (uint32_t i = 0; i < protect->count; i++) {
        const struct protect_entry *entry = &protect->entries[i];
        if (strcmp(entry->path, like->path) == 0 && strcmp(entry->base, like->base) == 0) {
            return entry;
        }
    }
    return NULL;
}

static bool is_same(const struct protect_entry *a, const struct protect_entry *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == PROTECT_LINK) return str_eq(a->text, b->text);
    if (a->kind == PROTECT_FOLDER) return a->whole == b->whole;
    if (a->kind != PROTECT_FILE) return true;
    if (a->mode != b->mode || a->size != b->size) return false;
    return a->whole && b->whole ? str_eq(a->text, b->text) : a->mtime_ns == b->mtime_ns;
}

static bool is_below(const struct protect_entry *entry, const struct protect_entry *folder)
{
    size_t size = strlen(folder->path);

    return strcmp(entry->base, folder->base) == 0 &&
           strncmp(entry->path, folder->path, size) == 0 && entry->path[size] == '/';
}

/* The same, or the folder itself: a link on the way to several paths is there for each. */
static bool is_within(const struct protect_entry *entry, const struct protect_entry *folder)
{
    return is_below(entry, folder) ||
           (strcmp(entry->base, folder->base) == 0 && strcmp(entry->path, folder->path) == 0);
}

static bool has_below(const struct protect *protect, const struct protect_entry *folder)
{
    for (uint32_t i = 0; i < protect->count; i++) {
        if (is_below(&protect->entries[i], folder)) return true;
    }
    return false;
}

/* ---- putting back ---- */

/* A comparison at work. */
struct mending {
    const struct protect *before, *now;
    const char *away;
    struct buf *what;
    uint32_t named;
    struct err *err;
};

static void name_it(struct mending *mending, const char *word, const struct protect_entry *entry)
{
    if (++mending->named > NAMED_MAX) return;
    buf_printf(mending->what, "%s%s %s%s", mending->named > 1 ? ", " : "", word, entry->label,
               entry->path);
}

static int remove_litter(const struct protect_entry *entry, struct err *err)
{
    char leaf[NAME_MAX + 1];
    int base_fd, fd;
    int rc = folder_open(entry->base, &base_fd, err);

    if (rc != 0) return rc;
    rc = walk_parent(base_fd, str_of(entry->path), false, &fd, leaf, err);
    close(base_fd);
    if (rc != 0) return rc;
    if (unlinkat(fd, leaf, entry->kind == PROTECT_FOLDER ? AT_REMOVEDIR : 0) != 0) {
        rc = err_system(err, errno, "remove %s%s", entry->label, entry->path);
    }
    close(fd);
    return rc;
}

static int move_away(struct mending *mending, const struct protect_entry *entry)
{
    int base_fd = -1, from_fd = -1, to_fd = -1;
    char leaf[NAME_MAX + 1];
    int rc = file_make_folder(mending->away, false, mending->err);

    if (rc == 0) rc = folder_open(mending->away, &to_fd, mending->err);
    if (rc == 0) rc = folder_open(entry->base, &base_fd, mending->err);
    if (rc == 0) {
        rc = walk_parent(base_fd, str_of(entry->path), false, &from_fd, leaf, mending->err);
    }
    if (rc == 0) rc = move_between(from_fd, to_fd, leaf, mending->err);
    if (from_fd >= 0) close(from_fd);
    if (base_fd >= 0) close(base_fd);
    if (to_fd >= 0) close(to_fd);
    return rc == 0 ? 0 : err_wrap(mending->err, "%s%s", entry->label, entry->path);
}

static int write_file(int fd, const char *leaf, const struct protect_entry *entry)
{
    int file = openat(fd, leaf, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int problem;

    if (file < 0) return errno;
    problem = write_full(file, entry->text);
    if (problem == 0 && fchmod(file, entry->mode) != 0) problem = errno;
    if (close(file) != 0 && problem == 0) problem = errno;
    return problem;
}

static int make_again(struct mending *mending, const struct protect_entry *entry)
{
    char leaf[NAME_MAX + 1];
    struct arena arena = { 0 };
    int base_fd = -1, fd = -1, problem = 0;
    int rc = folder_open(entry->base, &base_fd, mending->err);

    if (rc == 0) rc = walk_parent(base_fd, str_of(entry->path), true, &fd, leaf, mending->err);
    if (rc == 0 && entry->kind == PROTECT_FOLDER) {
        if (mkdirat(fd, leaf, entry->mode) != 0 && errno != EEXIST) problem = errno;
    } else if (rc == 0 && entry->kind == PROTECT_LINK) {
        if (symlinkat(arena_cstr(&arena, entry->text), fd, leaf) != 0) problem = errno;
    } else if (rc == 0 && entry->kind == PROTECT_FILE && entry->whole) {
        problem = write_file(fd, leaf, entry);
    }
    if (problem != 0) rc = err_system(mending->err, problem, "write");
    if (fd >= 0) close(fd);
    if (base_fd >= 0) close(base_fd);
    arena_release(&arena);
    return rc == 0 ? 0 : err_wrap(mending->err, "put back %s%s", entry->label, entry->path);
}

/* Everything that is new or other than it was goes; what is below such a thing goes with it. */
static int clear_new(struct mending *mending)
{
    const struct protect_entry *gone = NULL; /* in path order, so that one is enough */
    int rc = 0;

    for (uint32_t i = 0; i < mending->now->count && rc == 0; i++) {
        const struct protect_entry *entry = &mending->now->entries[i];
        const struct protect_entry *was = find_entry(mending->before, entry);
        bool empty = entry->kind == PROTECT_FOLDER ? !has_below(mending->now, entry)
                                                   : entry->size == 0;

        if (entry->kind == PROTECT_ABSENT || (gone && is_within(entry, gone))) continue;
        if (was && is_same(was, entry)) continue;
        gone = entry;
        if (was && was->kind == PROTECT_ABSENT && empty) {
            if (mending->away) rc = remove_litter(entry, mending->err);
            continue;
        }
        name_it(mending, was && was->kind != PROTECT_ABSENT ? "modified" : "added", entry);
        if (mending->away) rc = move_away(mending, entry);
    }
    return rc;
}

/* Folders stand before what is in them: in that order they are made. */
static int make_old(struct mending *mending)
{
    int rc = 0;

    for (uint32_t i = 0; i < mending->before->count && rc == 0; i++) {
        const struct protect_entry *entry = &mending->before->entries[i];
        const struct protect_entry *is = find_entry(mending->now, entry);

        if (entry->kind == PROTECT_ABSENT || (is && is_same(entry, is))) continue;
        if (entry->kind == PROTECT_FOLDER && !entry->whole) continue;
        if (!is || is->kind == PROTECT_ABSENT) name_it(mending, "deleted", entry);
        if (mending->away) rc = make_again(mending, entry);
    }
    return rc;
}

int protect_restore(const struct protect *before, const char *away, struct buf *what,
                    struct err *err)
{
    struct protect now = { 0 };
    struct mending mending = { .before = before, .now = &now, .away = away, .what = what,
                               .err = err };
    int rc = 0;

    for (uint32_t i = 0; i < before->count && rc == 0; i++) {
        const struct protect_entry *entry = &before->entries[i];

        if (!*entry->asked || (entry->kind == PROTECT_FOLDER && !entry->whole)) continue;
        rc = protect_take(&now, entry->base, entry->label, entry->asked, err);
    }
    if (rc == 0) rc = clear_new(&mending);
    if (rc == 0) rc = make_old(&mending);
    if (mending.named > NAMED_MAX) {
        buf_printf(what, " and %" PRIu32 " more", mending.named - NAMED_MAX);
    }
    protect_release(&now);
    return rc;
}

/* ---- what protect.c took ---- */

enum { FILE_BYTES_MAX = 64 << 20, NUMBER_COUNT = 10, TEXT_COUNT = 5, FIRST_TEXT = 5 };

static const char first_line[] = "hone-protect 1\n";

int protect_save(const struct protect *protect, const char *folder, const char *name,
                 struct err *err)
{
    struct buf out;
    int rc;

    buf_init(&out, FILE_BYTES_MAX);
    buf_text(&out, first_line);
    for (uint32_t i = 0; i < protect->count; i++) {
        const struct protect_entry *entry = &protect->entries[i];

        buf_printf(&out, "%d %" PRIu32 " %d %" PRIu64 " %" PRIu64 " %zu %zu %zu %zu %zu\n",
                   (int)entry->kind, entry->mode, (int)entry->whole, entry->size,
                   entry->mtime_ns, strlen(entry->base), strlen(entry->label),
                   strlen(entry->path), strlen(entry->asked), entry->text.size);
        buf_text(&out, entry->base);
        buf_text(&out, entry->label);
        buf_text(&out, entry->path);
        buf_text(&out, entry->asked);
        buf_add(&out, entry->text);
    }
    rc = out.overflow ? err_set(err, ERR_LIMIT, "%s/%s: too much to keep", folder, name)
                      : scratch_replace(folder, name, buf_str(&out), err);
    buf_release(&out);
    return rc;
}

static bool read_entry(struct str *rest, struct arena *arena, struct protect_entry *out)
{
    uint64_t numbers[NUMBER_COUNT];
    struct str texts[TEXT_COUNT], line, word;

    if (!str_cut(rest, '\n', &line)) return false;
    for (uint32_t i = 0; i < NUMBER_COUNT; i++) {
        if (!str_cut(&line, ' ', &word) || !str_number(word, &numbers[i])) return false;
    }
    for (uint32_t i = 0; i < TEXT_COUNT; i++) {
        uint64_t size = numbers[FIRST_TEXT + i];

        if (size > rest->size) return false;
        texts[i] = (struct str){ rest->data, (size_t)size };
        *rest = str_skip(*rest, (size_t)size);
    }
    if (numbers[0] >= PROTECT_KIND_COUNT || numbers[1] > 07777 || line.size > 0) return false;
    if (!path_is_clean(texts[2]) || (texts[3].size && !path_is_clean(texts[3]))) return false;
    *out = (struct protect_entry){
        .kind = (enum protect_kind)numbers[0], .mode = (uint32_t)numbers[1],
        .whole = numbers[2] != 0, .size = numbers[3], .mtime_ns = numbers[4],
        .base = arena_cstr(arena, texts[0]), .label = arena_cstr(arena, texts[1]),
        .path = arena_cstr(arena, texts[2]), .asked = arena_cstr(arena, texts[3]),
        .text = arena_copy(arena, texts[4]),
    };
    return out->base[0] == '/';
}

int protect_load(struct protect *protect, const char *folder, const char *name, struct err *err)
{
    struct protect_entry entry;
    struct str rest;
    struct buf text;
    int rc;

    *protect = (struct protect){ 0 };
    buf_init(&text, FILE_BYTES_MAX);
    rc = scratch_read(folder, name, &text, err);
    rest = buf_str(&text);
    if (rc == 0 && !str_starts(rest, str_of(first_line))) rc = ERR_FORMAT;
    if (rc == 0) rest = str_skip(rest, strlen(first_line));
    while (rc == 0 && rest.size > 0) {
        if (!read_entry(&rest, &protect->arena, &entry)) {
            rc = ERR_FORMAT;
        } else {
            protect->entries = mem_grow(protect->entries, protect->count, &protect->cap,
                                        sizeof *protect->entries);
            protect->entries[protect->count++] = entry;
        }
    }
    if (rc == ERR_FORMAT) rc = err_set(err, ERR_FORMAT, "%s/%s: it is not whole", folder, name);
    buf_release(&text);
    if (rc != 0) protect_release(protect);
    return rc;
}
