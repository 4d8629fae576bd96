/* SPDX-License-Identifier: Apache-2.0
 *
 * locate.c - diagnostics made findings, with the files at hand.
 *
 * A report is a text that claims things about files. Here the claims meet the files:
 *
 * 1. The file of a finding, and of every edit it carries, is a clean path below the workspace, in
 *    none of the private paths and in no .git, and no link is on its way. What is elsewhere is
 *    outside; the caller knows what that means.
 * 2. A file is read once, however much is said about it. Contents are held up to held_bytes_max,
 *    then all are let go.
 *
 * Not here: lines and columns as bytes (locate_span.c), fixes (locate_fix.c). */
#include "analyze/locate_parts.h"

#include "analyze/project.h"
#include "base/mem.h"
#include "base/path.h"
#include "format/report/fix.h"
#include "io/file/file.h"

#include <stdlib.h>

enum { EVIDENCE_BYTES_MAX = 240, PATH_BYTES_MAX = 4096 };

static const uint64_t held_bytes_max = 256u << 20;

/* ---- files ---- */

void locator_init(struct locator *locator, const char *workspace,
                  const char *const *private_paths, bool follow)
{
    *locator = (struct locator){ .workspace = workspace, .private_paths = private_paths,
                                 .follow = follow };
}

static void file_let_go(struct located_file *file)
{
    buf_release(&file->content);
    arena_release(&file->arena);
    file->held = false;
}

static void files_let_go(struct locator *locator)
{
    for (uint32_t i = 0; i < locator->cap; i++) {
        if (locator->table[i]) file_let_go(locator->table[i]);
    }
    locator->held_bytes = 0;
}

void locator_release(struct locator *locator)
{
    files_let_go(locator);
    free(locator->table);
    arena_release(&locator->arena);
    *locator = (struct locator){ 0 };
}

static struct located_file **slot_of(struct located_file **table, uint32_t cap, struct str path)
{
    uint32_t at = (uint32_t)content_hash(path) & (cap - 1);

    while (table[at] && !str_eq(table[at]->path, path)) at = (at + 1) & (cap - 1);
    return &table[at];
}

static void table_grow(struct locator *locator)
{
    enum { CAP_FIRST = 64 };
    uint32_t cap = locator->cap ? 2 * locator->cap : CAP_FIRST;
    struct located_file **table = mem_alloc(cap * sizeof(struct located_file *));

    for (uint32_t i = 0; i < locator->cap; i++) {
        if (locator->table[i]) *slot_of(table, cap, locator->table[i]->path) = locator->table[i];
    }
    free(locator->table);
    locator->table = table;
    locator->cap = cap;
}

/* What is no regular file is a link, or something else that there is nothing to read in. */
static bool is_link(const struct locator *locator, struct str path)
{
    struct arena arena = { 0 };
    const char *named = arena_printf(&arena, "%s/%s", locator->workspace, path.data);
    const char *real = file_real(named, &arena);
    bool same = real && strcmp(named, real) == 0;

    arena_release(&arena);
    return !same;
}

static enum file_state state_after(const struct locator *locator, struct str path, int rc)
{
    if (rc == 0) return FILE_TEXT;
    if (rc == ERR_LIMIT) return FILE_LARGE;
    return rc == ERR_FORMAT && is_link(locator, path) ? FILE_LINK : FILE_MISSING;
}

static void file_load(struct locator *locator, struct located_file *file)
{
    struct err err;
    int rc;

    if (locator->held_bytes > held_bytes_max) files_let_go(locator);
    buf_init(&file->content, SOURCE_BYTES_MAX);
    rc = file_read_in(locator->workspace, file->path.data, &file->content, &err);
    file->state = state_after(locator, file->path, rc);
    if (rc != 0) buf_release(&file->content);
    text_lines_init(&file->lines, buf_str(&file->content), &file->arena);
    file->hash = content_hash(buf_str(&file->content));
    file->held = true;
    locator->held_bytes += file->content.cap;
}

/* path: clean, below the workspace. */
static struct located_file *file_get(struct locator *locator, struct str path)
{
    struct located_file **slot;

    if (2 * locator->count >= locator->cap) table_grow(locator);
    slot = slot_of(locator->table, locator->cap, path);
    if (!*slot) {
        *slot = arena_alloc(&locator->arena, sizeof **slot);
        (*slot)->path = arena_copy(&locator->arena, path);
        locator->count++;
    }
    if (!(*slot)->held) file_load(locator, *slot);
    return *slot;
}

/* ---- paths ---- */

/* Takes "." and ".." out of an absolute path, by its letters alone. */
static bool path_settle(struct str path, struct buf *out)
{
    struct str part;

    while (str_cut(&path, '/', &part)) {
        if (part.size == 0 || str_is(part, ".")) continue;
        if (str_is(part, "..")) {
            while (out->size > 0 && out->data[out->size - 1] != '/') out->size--;
            if (out->size > 0) out->size--;
            continue;
        }
        buf_byte(out, '/');
        buf_add(out, part);
    }
    return !out->overflow;
}

static bool cut_root(struct str path, struct str root, struct str *out)
{
    if (str_is(root, "/")) root.size = 0;
    if (path.size <= root.size + 1 || !str_starts(path, root)) return false;
    if (path.data[root.size] != '/') return false;
    *out = str_skip(path, root.size + 1);
    return true;
}

static bool is_private(const struct locator *locator, struct str path)
{
    struct str rest = path, part;

    for (uint32_t i = 0; locator->private_paths && locator->private_paths[i]; i++) {
        if (str_starts(path, str_of(locator->private_paths[i]))) return true;
    }
    while (str_cut(&rest, '/', &part)) {
        if (str_is(part, ".git")) return true;
    }
    return false;
}

/* What is said about the workspace as a whole is about no file. */
static struct located_file *no_file(struct locator *locator)
{
    struct located_file *file = arena_alloc(&locator->arena, sizeof *file);

    file->path = STR("");
    file->state = FILE_MISSING;
    return file;
}

/* A settled, absolute path: the file below the workspace that it names; NULL where it is none. */
static struct located_file *path_file(struct locator *locator, struct str path)
{
    struct located_file *file;
    struct str below;

    if (str_is(path, locator->workspace)) return no_file(locator);
    if (!cut_root(path, str_of(locator->workspace), &below)) return NULL;
    if (is_private(locator, below)) return NULL;
    file = file_get(locator, below);
    return file->state == FILE_LINK ? NULL : file;
}

struct located_file *locate_file(struct locator *locator, struct str path, const char *folder)
{
    struct located_file *file = NULL;
    struct arena arena = { 0 };
    struct buf whole, settled;

    if (path.size == 0 || path.size > PATH_BYTES_MAX || str_has(path, '\0')) return NULL;
    buf_init(&whole, 2 * PATH_BYTES_MAX);
    buf_init(&settled, 2 * PATH_BYTES_MAX);
    if (path.data[0] != '/') {
        buf_text(&whole, folder);
        buf_byte(&whole, '/');
    }
    buf_add(&whole, path);
    /* Behind a link ".." is not what its letters say: where links count, the system is asked. */
    if (!whole.overflow && !(locator->follow && path_goes_up(path))) {
        if (path_settle(buf_str(&whole), &settled)) {
            file = path_file(locator, buf_str(&settled));
        }
    }
    if (!whole.overflow && !file && locator->follow) {
        const char *real = file_real(buf_cstr(&whole), &arena);

        if (real) file = path_file(locator, str_of(real));
    }
    buf_release(&settled);
    buf_release(&whole);
    arena_release(&arena);
    return file;
}

bool locate_path(struct locator *locator, struct str path, const char *folder, struct str *out)
{
    struct located_file *file = locate_file(locator, path, folder);

    if (file) *out = file->path;
    return file != NULL;
}

/* ---- findings ---- */

/* As much of the place as the file has: the whole, its beginning, its line. */
static void place_cut(const struct located_file *file, struct place place, struct finding *out)
{
    bool whole_line = !place.by_offset && place.column == 0 &&
                      (place.end_line == 0 || place.end_line == place.line);
    struct span span;

    if (span_find(&file->lines, &place, &span)) {
        bool has_end = span.end > span.start;

        out->line = span.line;
        if (whole_line) return;
        out->column = span.column;
        out->end_line = has_end ? span.end_line : 0;
        out->end_column = has_end ? span.end_column : 0;
        return;
    }
    if (place.by_offset) return;
    if (place.end_line || place.end_column) {
        place.end_line = place.end_column = 0;
        place_cut(file, place, out);
    } else if (place.line <= file->lines.count) {
        out->line = place.line;
    }
}

static void place_set(const struct located_file *file, const struct place *place,
                      struct finding *out)
{
    if (file->state == FILE_TEXT) place_cut(file, *place, out);
    else if (!place->by_offset && file->path.size > 0) out->line = place->line;
}

static struct str evidence_of(const struct located_file *file, uint32_t line)
{
    if (file->state != FILE_TEXT || line == 0) return (struct str){ "", 0 };
    return str_head(str_trim(text_line(&file->lines, line)), EVIDENCE_BYTES_MAX);
}

bool locate_finding(struct locator *locator, const struct diagnostic *diagnostic,
                    const char *folder, struct arena *arena, struct finding *out)
{
    struct located_file *file = NULL;
    struct str text = diagnostic->text.size ? diagnostic->text : diagnostic->rule;

    *out = (struct finding){
        .severity = diagnostic->severity,
        .kind = arena_copy(arena, diagnostic->rule),
        .text = arena_copy(arena, text.size ? text : STR("the tool says no more")),
        .suggestion = arena_copy(arena, diagnostic->help),
    };
    if (diagnostic->file.size > 0) {
        file = locate_file(locator, diagnostic->file, folder);
        if (!file) return false;
        out->file = arena_copy(arena, file->path);
        place_set(file, &diagnostic->place, out);
        out->evidence = arena_copy(arena, evidence_of(file, out->line));
    }
    out->fix = locate_fixes(locator, diagnostic, folder, arena);
    out->fingerprint = finding_fingerprint(out);
    return true;
}

/* ---- what was kept ---- */

static bool is_located(struct locator *locator, struct str path)
{
    struct str found;

    return locate_path(locator, path, locator->workspace, &found) && str_eq(found, path);
}

bool locate_check(struct locator *locator, const struct finding *finding)
{
    struct arena scratch = { 0 };
    struct fixes fixes = { 0 };
    struct err err;
    bool good = finding->file.size == 0 || is_located(locator, finding->file);

    if (good && finding->fix.size > 0) {
        good = fixes_read(finding->fix, &scratch, &fixes, &err) == 0;
    }
    for (uint32_t i = 0; good && i < fixes.count; i++) {
        for (uint32_t k = 0; good && k < fixes.items[i].count; k++) {
            good = is_located(locator, fixes.items[i].edits[k].file);
        }
    }
    arena_release(&scratch);
    return good;
}
