/* SPDX-License-Identifier: Apache-2.0
 *
 * filtered.c - what a checkout made otherwise than the commit has it: CR LF, Git LFS, $Id$,
 * encodings.
 *
 * git knows such a file as unchanged by its times, and tree_take() leaves it out. What travels are
 * raw bytes, so these files are looked for. That costs nothing where they cannot be: where no file
 * of attributes is in sight and core.autocrlf is not set. Else it costs one look at all paths; and
 * the content is read
 *
 *     by a filter or an encoding    always
 *     by line ends or ident         where the file has another length than the commit's: these only
 *                                   add bytes
 *
 * No filter runs. A file that was looked at a moment ago and differs since is taken for one of
 * these; what is brought back then leaves it as it is (tree_bring). */
#include "io/travel/filtered.h"

#include "base/path.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/git/status.h"
#include "io/process/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIST_BYTES_MAX = 1 << 28, CONFIG_BYTES_MAX = 1 << 16 };

enum attribute { ATTR_TEXT, ATTR_EOL, ATTR_FILTER, ATTR_IDENT, ATTR_ENCODING, ATTR_COUNT };

static const char *const attribute_names[ATTR_COUNT] = {
    [ATTR_TEXT] = "text", [ATTR_EOL] = "eol", [ATTR_FILTER] = "filter", [ATTR_IDENT] = "ident",
    [ATTR_ENCODING] = "working-tree-encoding",
};

/* A file as HEAD has it. */
struct committed {
    struct str path;
    uint32_t mode;
    char oid[OID_BYTES];
    uint64_t bytes;
};

struct looking {
    const struct repo *repo;
    const struct tree *tree;
    struct arena arena;
    struct committed *files;
    uint32_t count, cap;
    char autocrlf[8], eol[8]; /* "": not set */
    bool attributes;          /* a file of them may be in use */
};

/* ---- whether there can be any ---- */

static void take_value(struct str value, const char *const *words, char out[8])
{
    for (; *words; words++) {
        if (str_is(value, *words)) memcpy(out, *words, strlen(*words) + 1);
    }
}

/* "KEY VALUE", a line each; what the machine says counts least. */
static void read_settings(struct looking *looking, bool system)
{
    static const char keys[] = "^core\\.(autocrlf|eol|attributesfile)$";
    static const char *const users[] = { "config", "--get-regexp", keys, NULL };
    static const char *const machines[] = { "config", "--system", "--get-regexp", keys, NULL };
    static const char *const crlf[] = { "true", "input", "false", NULL };
    static const char *const eol[] = { "lf", "crlf", "native", NULL };
    struct buf said;
    struct str rest, line, key;
    struct err none;

    buf_init(&said, CONFIG_BYTES_MAX);
    (void)repo_git(looking->repo, system ? machines : users, STR(""), &said, &none);
    rest = buf_str(&said);
    while (str_cut(&rest, '\n', &line)) {
        if (!str_cut(&line, ' ', &key)) continue;
        if (str_is(key, "core.autocrlf")) take_value(line, crlf, looking->autocrlf);
        if (str_is(key, "core.eol")) take_value(line, eol, looking->eol);
        if (str_is(key, "core.attributesfile")) looking->attributes = true;
    }
    buf_release(&said);
}

static bool has_attribute_file(const struct looking *looking)
{
    static const char *const args[] = { "ls-files", "-z", "--", ".gitattributes",
                                        "*/.gitattributes", NULL };
    struct err none;
    struct buf said;
    bool some;

    for (uint32_t i = 0; i < looking->tree->count; i++) {
        if (str_is(path_leaf(looking->tree->entries[i].path), ".gitattributes")) return true;
    }
    buf_init(&said, LIST_BYTES_MAX);
    some = repo_git(looking->repo, args, STR(""), &said, &none) != 0 || said.size > 0;
    buf_release(&said);
    return some;
}

static bool is_any_file(struct looking *looking)
{
    struct arena *arena = &looking->arena;
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = host_home();

    if (!folder && home) folder = arena_printf(arena, "%s/.config", home);
    return looking->attributes || file_exists("/etc/gitattributes") ||
           file_exists(arena_printf(arena, "%s/info/attributes", looking->repo->common_dir)) ||
           (folder && file_exists(arena_printf(arena, "%s/git/attributes", folder))) ||
           has_attribute_file(looking);
}

static bool converts(const struct looking *looking)
{
    return looking->autocrlf[0] && strcmp(looking->autocrlf, "false") != 0;
}

/* ---- which they are ---- */

/* "MODE TYPE OID SIZE" TAB PATH NUL, again and again; SIZE has blanks before it. */
static int list_files(struct looking *looking, struct err *err)
{
    const char *const args[] = { "ls-tree", "-r", "-z", "-l", looking->tree->head, NULL };
    struct buf said;
    struct str rest, line, word[3];
    int rc;

    buf_init(&said, LIST_BYTES_MAX);
    rc = repo_git(looking->repo, args, STR(""), &said, err);
    rest = arena_take(&looking->arena, &said);
    while (rc == 0 && str_cut(&rest, '\0', &line)) {
        struct committed file = { .mode = 0 };
        struct str size;

        for (int i = 0; i < 3; i++) {
            if (!str_cut(&line, ' ', &word[i])) word[i] = STR("");
        }
        if (!str_cut(&line, '\t', &size)) continue;
        file.path = line;
        if (!mode_parse(word[0], &file.mode) || !oid_parse(word[2], file.oid))
            rc = err_set(err, ERR_FORMAT, "git ls-tree said something unknown");
        if (!S_ISREG(file.mode) || !str_number(str_trim(size), &file.bytes) ||
            tree_find(looking->tree, file.path))
            continue;
        looking->files = arena_grow(&looking->arena, looking->files, looking->count,
                                    &looking->cap, sizeof *looking->files);
        looking->files[looking->count++] = file;
    }
    return rc;
}

static bool is_unset(struct str value)
{
    return str_is(value, "unspecified") || str_is(value, "unset");
}

/* Whether its content has to be read. */
static bool may_differ(const struct looking *looking, const struct committed *file,
                       const struct str *attributes, struct peek *peek)
{
    struct str text = attributes[ATTR_TEXT];
    struct peeked now;

    if (!is_unset(attributes[ATTR_FILTER]) || !is_unset(attributes[ATTR_ENCODING])) return true;
    if (is_unset(text) && is_unset(attributes[ATTR_EOL]) && is_unset(attributes[ATTR_IDENT]) &&
        (!converts(looking) || str_is(text, "unset")))
        return false;
    return peek_look(peek, file->path, &now) && now.bytes != file->bytes;
}

/* Names those whose content is to be read, as HEAD has them. */
static int choose(struct looking *looking, struct tree *out, struct err *err)
{
    const char *args[ATTR_COUNT + 4] = { "check-attr", "-z", "--stdin" };
    struct buf names, said;
    struct str rest, skipped;
    struct peek peek;
    int rc;

    for (int k = 0; k < ATTR_COUNT; k++) args[3 + k] = attribute_names[k];
    buf_init(&names, LIST_BYTES_MAX);
    buf_init(&said, LIST_BYTES_MAX);
    for (uint32_t i = 0; i < looking->count; i++) {
        buf_add(&names, looking->files[i].path);
        buf_byte(&names, '\0');
    }
    rc = peek_open(&peek, looking->repo->workspace, err);
    if (rc == 0) rc = repo_git(looking->repo, args, buf_str(&names), &said, err);
    rest = buf_str(&said);
    out->entries = arena_alloc(&out->arena, (looking->count + (size_t)1) * sizeof *out->entries);
    for (uint32_t i = 0; rc == 0 && i < looking->count; i++) {
        const struct committed *file = &looking->files[i];
        struct tree_entry entry = { .path = arena_copy(&out->arena, file->path),
                                    .head_mode = file->mode };
        struct str values[ATTR_COUNT];

        for (int k = 0; k < ATTR_COUNT; k++) {
            (void)str_cut(&rest, '\0', &skipped); /* the path */
            (void)str_cut(&rest, '\0', &skipped); /* the attribute */
            if (!str_cut(&rest, '\0', &values[k]))
                rc = err_set(err, ERR_FORMAT, "git check-attr said too little");
        }
        if (rc != 0 || !may_differ(looking, file, values, &peek)) continue;
        memcpy(entry.head, file->oid, OID_BYTES);
        out->entries[out->count++] = entry;
    }
    peek_close(&peek);
    buf_release(&names);
    buf_release(&said);
    return rc;
}

static void keep_differing(struct tree *tree)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];

        if (entry->mode != 0 && strcmp(entry->oid, entry->head) != 0)
            tree->entries[kept++] = *entry;
    }
    tree->count = kept;
}

int filtered_find(const struct repo *repo, const struct tree *tree, struct tree *out,
                  struct buf *words, struct err *err)
{
    struct looking looking = { .repo = repo, .tree = tree };
    struct tree chosen = { .count = 0 };
    int rc = 0;

    if (!tree->head[0]) return 0;
    read_settings(&looking, true);
    read_settings(&looking, false);
    if (looking.autocrlf[0]) buf_printf(words, "autocrlf %s\n", looking.autocrlf);
    if (looking.eol[0]) buf_printf(words, "eol %s\n", looking.eol);
    if (converts(&looking) || is_any_file(&looking)) {
        rc = list_files(&looking, err);
        if (rc == 0) rc = choose(&looking, &chosen, err);
        if (rc == 0) rc = tree_spell(repo, &chosen, out, err);
        if (rc == 0) keep_differing(out);
    }
    tree_release(&chosen);
    arena_release(&looking.arena);
    return rc;
}
