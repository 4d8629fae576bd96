/* SPDX-License-Identifier: Apache-2.0
 *
 * glass.c - the looking glass.
 *
 * A repository's configuration and attributes name programs (filters, monitors, text converters,
 * includes of other files), and an agent at work in the tree can write to most of them. Checking
 * them first would not help: they may change between the check and the call. So git never reads
 * them when it looks at a tree. It gets a git folder that hone wrote:
 *
 *   config            what is listed below, from the repository's configuration; nothing else
 *   info/attributes   switches off every attribute that changes or hides content
 *   info/exclude      the repository's, as it was when this process first looked (glass_forget)
 *   HEAD              the work tree's, copied before a call where it differs
 *   refs, packed-refs, reftable, logs, shallow, sharedindex.*   links to the repository's
 *
 * Index, objects and work tree are the user's, by GIT_INDEX_FILE, GIT_OBJECT_DIRECTORY and
 * GIT_WORK_TREE (repo.c).
 *
 * 1. Only these keys are taken over, each only with a value that is known for it:
 *    core.filemode, symlinks, ignorecase, precomposeunicode; core.excludesFile;
 *    extensions.objectformat and refstorage. Includes are not followed. Everything else of the
 *    repository's configuration is ignored by a look: filters, line ends, a monitor of files,
 *    sparse checkouts, remotes. The user's own configuration is read as git reads it.
 * 2. Files are compared byte by byte as they lie there: no line end is converted, no $Id$ is
 *    filled in, no encoding changed, no filter runs, not even one of the user's own. A file that
 *    Git LFS or a line end rule wrote, and that git has to read again since its time changed, shows
 *    as changed; io/tree/tree_made.c finds out whether it is.
 * 3. Before each call the glass is what hone made it: a file of it that was touched since is
 *    written anew, from memory.
 * 4. git looks into no other repository: submodules are compared by their commit alone
 *    (repo.c adds --ignore-submodules=dirty).
 *
 * The glass is in <hone_dir>/glass, which agents in a sandbox cannot write to. Where there is no
 * hone folder, it is in a temporary folder: looking makes no file in a repository. Both are named
 * by the process, and removed at its end, or when their work tree is gone (glass_forget); those of
 * processes that were killed go with the first glass of the next one.
 *
 * Not here: which calls look (repo.c), what is inside of submodules (io/tree/nested.c). */
#include "io/git/glass.h"

#include "base/byte.h"
#include "base/mem.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/peek.h"
#include "io/file/scratch.h"
#include "io/process/signals.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONFIG_BYTES_MAX = 1 << 20, EXCLUDE_BYTES_MAX = 4 << 20, HEAD_BYTES_MAX = 4096 };

static const char attributes[] =
    "* -text !eol -ident -filter !working-tree-encoding !diff !merge !whitespace\n";

/* ---- what of a configuration is taken over ---- */

/* Values are words of this list, "|" between them; NULL: any path. */
static const struct taken_key {
    const char *section, *key, *values;
} taken_keys[] = {
    { "core", "filemode", "true|false" },
    { "core", "symlinks", "true|false" },
    { "core", "ignorecase", "true|false" },
    { "core", "precomposeunicode", "true|false" },
    { "core", "excludesfile", NULL },
    { "extensions", "objectformat", "sha1|sha256" },
    { "extensions", "refstorage", "files|reftable" },
};
enum { TAKEN_COUNT = sizeof taken_keys / sizeof taken_keys[0] };

static bool is_word(struct str text, const char *word)
{
    if (text.size != strlen(word)) return false;
    for (size_t i = 0; i < text.size; i++) {
        if (byte_small(text.data[i]) != word[i]) return false;
    }
    return true;
}

static bool is_one_of(struct str value, const char *values)
{
    struct str rest = str_of(values), word;

    while (str_cut(&rest, '|', &word)) {
        if (str_eq(word, value)) return true;
    }
    return false;
}

/* A value without quotes, comments and escapes; what has some is not plain. */
static bool is_plain_value(struct str value)
{
    for (size_t i = 0; i < value.size; i++) {
        if ((unsigned char)value.data[i] < ' ' || strchr("\"\\#;", value.data[i])) return false;
    }
    return value.size > 0;
}

void glass_config(struct str text, struct buf *out)
{
    struct str found[TAKEN_COUNT] = { { 0 } };
    struct str line, section = STR(""), key;
    bool extended;

    while (str_cut(&text, '\n', &line)) {
        line = str_trim(line);
        if (str_starts(line, STR("["))) {
            section = str_skip(line, 1);
            if (!str_cut(&section, ']', &key)) key = STR("");
            section = key;
            continue;
        }
        if (!str_has(line, '=') || !str_cut(&line, '=', &key)) continue;
        key = str_trim(key);
        line = str_trim(line);
        for (size_t i = 0; i < TAKEN_COUNT; i++) {
            const struct taken_key *taken = &taken_keys[i];

            if (!is_word(section, taken->section) || !is_word(key, taken->key)) continue;
            if (taken->values ? is_one_of(line, taken->values) : is_plain_value(line))
                found[i] = line;
        }
    }
    extended = found[TAKEN_COUNT - 1].size || found[TAKEN_COUNT - 2].size;
    buf_printf(out, "[core]\n\trepositoryformatversion = %d\n\tbare = false\n", extended ? 1 : 0);
    for (size_t i = 0; i < TAKEN_COUNT; i++) {
        if (found[i].size == 0) continue;
        buf_printf(out, "[%s]\n\t%s = %.*s\n", taken_keys[i].section, taken_keys[i].key,
                   STR_ARG(found[i]));
    }
}

/* ---- the glasses of this process ---- */

/* A file of the glass: when it was made, by the system's clock, which no program can set back. */
struct mark {
    uint64_t inode, changed_ns;
};

enum { PIECE_CONFIG, PIECE_ATTRIBUTES, PIECE_EXCLUDE, PIECE_HEAD, TEXT_COUNT,
       PIECE_REFS = TEXT_COUNT, PIECE_PACKED, PIECE_TABLE, PIECE_LOGS, PIECE_SHALLOW, PIECE_COUNT };

static const char *const piece_names[PIECE_COUNT] = {
    [PIECE_CONFIG] = "config", [PIECE_ATTRIBUTES] = "info/attributes",
    [PIECE_EXCLUDE] = "info/exclude", [PIECE_HEAD] = "HEAD", [PIECE_REFS] = "refs",
    [PIECE_PACKED] = "packed-refs", [PIECE_TABLE] = "reftable", [PIECE_LOGS] = "logs",
    [PIECE_SHALLOW] = "shallow",
};

struct glass {
    struct glass *next;
    struct arena arena;
    const char *workspace, *git_dir; /* whose it is */
    const char *folder;              /* NULL: not made yet */
    bool temporary;
    struct str content[PIECE_COUNT]; /* of a text, or where a link leads */
    struct mark marks[PIECE_COUNT];
    bool made;
};

static struct glass *glasses;
static pid_t glasses_owner;
static uint32_t glasses_count;

static void glasses_remove(void)
{
    struct err none;

    if (glasses_owner != getpid()) return; /* a process that was forked off */
    while (glasses) {
        struct glass *glass = glasses;

        glasses = glass->next;
        if (glass->folder) (void)folder_erase(glass->folder, &none);
        arena_release(&glass->arena);
        free(glass);
    }
}

void glass_forget(const struct repo *repo)
{
    struct glass **at = glasses_owner == getpid() ? &glasses : NULL;
    struct err none;

    for (; at && *at; at = &(*at)->next) {
        struct glass *glass = *at;

        if (strcmp(glass->workspace, repo->workspace) != 0 ||
            strcmp(glass->git_dir, repo->git_dir) != 0)
            continue;
        *at = glass->next;
        if (glass->folder) (void)folder_erase(glass->folder, &none);
        arena_release(&glass->arena);
        free(glass);
        return;
    }
}

static struct str frozen(struct glass *glass, const char *folder, const char *name, size_t bytes)
{
    struct err none;
    struct str text;

    if (file_text(arena_printf(&glass->arena, "%s/%s", folder, name), bytes, &glass->arena, &text,
                  &none) != 0) {
        return STR("");
    }
    return text;
}

static struct glass *glass_of(const struct repo *repo)
{
    static const char *const links[PIECE_COUNT] = {
        [PIECE_REFS] = "refs", [PIECE_PACKED] = "packed-refs", [PIECE_TABLE] = "reftable",
        [PIECE_SHALLOW] = "shallow",
    };
    struct glass *glass;
    struct buf config;

    if (glasses_owner != getpid()) { /* forked: the parent's are the parent's */
        glasses = NULL;
        if (glasses_owner == 0) (void)atexit(glasses_remove);
        glasses_owner = getpid();
    }
    for (glass = glasses; glass; glass = glass->next) {
        if (strcmp(glass->workspace, repo->workspace) == 0 &&
            strcmp(glass->git_dir, repo->git_dir) == 0)
            return glass;
    }
    glass = mem_alloc(sizeof *glass);
    *glass = (struct glass){ .next = glasses };
    glasses = glass;
    glass->workspace = arena_cstr(&glass->arena, str_of(repo->workspace));
    glass->git_dir = arena_cstr(&glass->arena, str_of(repo->git_dir));
    buf_init(&config, CONFIG_BYTES_MAX);
    glass_config(frozen(glass, repo->common_dir, "config", CONFIG_BYTES_MAX), &config);
    glass->content[PIECE_CONFIG] = arena_take(&glass->arena, &config);
    glass->content[PIECE_ATTRIBUTES] = str_of(attributes);
    glass->content[PIECE_EXCLUDE] =
        frozen(glass, repo->common_dir, "info/exclude", EXCLUDE_BYTES_MAX);
    for (int i = TEXT_COUNT; i < PIECE_COUNT; i++) {
        if (!links[i]) continue;
        glass->content[i] =
            str_of(arena_printf(&glass->arena, "%s/%s", repo->common_dir, links[i]));
    }
    glass->content[PIECE_LOGS] = str_of(arena_printf(&glass->arena, "%s/logs", repo->git_dir));
    return glass;
}

/* ---- its folder ---- */

static bool is_folder(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether this process has another glass there. */
static bool has_glass_in(const char *parent)
{
    size_t size = strlen(parent);

    for (const struct glass *glass = glasses; glass; glass = glass->next) {
        if (glass->folder && strncmp(glass->folder, parent, size) == 0 &&
            glass->folder[size] == '/') return true;
    }
    return false;
}

/* Folders of processes that are gone: a process that was killed could not remove its own. */
static void stale_remove(const char *parent, struct arena *arena)
{
    const char *const *names = folder_names(parent, "", arena);
    struct err none;

    for (; names && *names; names++) {
        long pid = strtol(*names, NULL, 10);

        if (pid > 0 && !process_exists(pid))
            (void)folder_erase(arena_printf(arena, "%s/%s", parent, *names), &none);
    }
}

static bool own_folder(struct glass *glass, const char *hone_dir)
{
    const char *parent = arena_printf(&glass->arena, "%s/glass", hone_dir);
    const char *folder = arena_printf(&glass->arena, "%s/%ld-%u", parent, (long)getpid(),
                                      (unsigned)++glasses_count);
    struct err none;

    if (!is_folder(hone_dir) || (mkdir(parent, 0700) != 0 && errno != EEXIST)) return false;
    if (!has_glass_in(parent)) stale_remove(parent, &glass->arena);
    if (folder_erase(folder, &none) != 0 || mkdir(folder, 0700) != 0) return false;
    if (glass->folder) (void)folder_erase(glass->folder, &none);
    glass->folder = folder;
    glass->temporary = false;
    return true;
}

static int temporary_folder(struct glass *glass, struct err *err)
{
    const char *parent = getenv("TMPDIR");
    char path[PATH_MAX];

    if (!parent || parent[0] != '/') parent = "/tmp";
    if (snprintf(path, sizeof path, "%s/hone-glass-XXXXXX", parent) >= (int)sizeof path)
        return err_set(err, ERR_LIMIT, "TMPDIR is too long");
    if (!mkdtemp(path)) return err_system(err, errno, "make a folder in %s", parent);
    glass->folder = arena_cstr(&glass->arena, str_of(path));
    glass->temporary = true;
    return 0;
}

/* ---- its files ---- */

static struct mark mark_of(const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0) return (struct mark){ 0 };
    return (struct mark){ .inode = st.st_ino,
                          .changed_ns = (uint64_t)st.st_ctim.tv_sec * 1000000000u +
                                        (uint64_t)st.st_ctim.tv_nsec };
}

static int piece_write(struct glass *glass, int piece, struct err *err)
{
    char path[PATH_MAX];
    int rc = 0;

    if (snprintf(path, sizeof path, "%s/%s", glass->folder, piece_names[piece]) >=
        (int)sizeof path) {
        return err_set(err, ERR_LIMIT, "the path of %s is too long", glass->folder);
    }
    if (piece < TEXT_COUNT) {
        rc = scratch_replace(glass->folder, piece_names[piece], glass->content[piece], err);
    } else if ((unlink(path) != 0 && errno != ENOENT) ||
               symlink(glass->content[piece].data, path) != 0) {
        rc = err_system(err, errno, "link %s", path);
    }
    if (rc == 0) glass->marks[piece] = mark_of(path);
    return rc;
}

/* As it was made, but for HEAD, which is looked at by its content. */
static bool is_as_made(const struct glass *glass)
{
    char path[PATH_MAX];

    if (!glass->made) return false;
    for (int i = 0; i < PIECE_COUNT; i++) {
        struct mark now;

        if (snprintf(path, sizeof path, "%s/%s", glass->folder, piece_names[i]) >=
            (int)sizeof path)
            return false;
        now = mark_of(path);
        if (now.inode != glass->marks[i].inode || now.changed_ns != glass->marks[i].changed_ns)
            return false;
    }
    return true;
}

static int glass_make(struct glass *glass, struct err *err)
{
    struct err none;
    int rc;

    (void)folder_erase(glass->folder, &none); /* with what was put there */
    rc = mkdir(glass->folder, 0700) == 0 ? 0 : file_make_folder(glass->folder, false, err);
    if (rc == 0) rc = scratch_folder(glass->folder, "info", err);
    for (int i = 0; rc == 0 && i < PIECE_COUNT; i++) rc = piece_write(glass, i, err);
    glass->made = rc == 0;
    return rc;
}

/* Where the index is kept in two files, git looks for the second one beside HEAD. */
static void link_shared(struct glass *glass)
{
    struct arena arena = { 0 };
    const char *const *names = folder_names(glass->git_dir, "", &arena);

    for (; names && *names; names++) {
        if (!str_starts(str_of(*names), STR("sharedindex."))) continue;
        /* There already: fine. Where it cannot be made, git says what it misses. */
        if (symlink(arena_printf(&arena, "%s/%s", glass->git_dir, *names),
                    arena_printf(&arena, "%s/%s", glass->folder, *names)) != 0)
            continue;
    }
    arena_release(&arena);
}

int glass_ready(const struct repo *repo, const char **folder, struct err *err)
{
    struct glass *glass = glass_of(repo);
    struct arena arena = { 0 };
    struct str head = { "", 0 };
    struct err none;
    bool new_head;
    int rc = 0;

    if ((!glass->folder || glass->temporary) && own_folder(glass, repo->hone_dir))
        glass->made = false;
    if (!glass->folder) rc = temporary_folder(glass, err);
    (void)file_text(arena_printf(&arena, "%s/HEAD", repo->git_dir), HEAD_BYTES_MAX, &arena, &head,
                    &none);
    new_head = !str_eq(head, glass->content[PIECE_HEAD]);
    if (new_head) glass->content[PIECE_HEAD] = arena_copy(&glass->arena, head);
    if (rc == 0 && !is_as_made(glass)) rc = glass_make(glass, err);
    else if (rc == 0 && new_head) rc = piece_write(glass, PIECE_HEAD, err);
    if (rc == 0) link_shared(glass);
    arena_release(&arena);
    *folder = glass->folder;
    return rc == 0 ? 0 : err_wrap(err, "look through a git folder of hone's own");
}
