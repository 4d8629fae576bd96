/* SPDX-License-Identifier: Apache-2.0
 *
 * page.c - files as the editor has them, and where findings stand in them.
 *
 * A finding's line and column are those of the file on the disk, where its reviewer saw it. Of a
 * file that is open in the editor they are carried over into the text there; from then on edits
 * move them (format/lsp/mark.h).
 *
 *   disk --place--> spots --edits from the disk to the editor's text--> spots --typing--> spots
 *
 * 1. A spot stays with its text while its finding is as it was reported: it is placed anew only
 *    where a reviewer has reported it again. So it does not jump back when a file is saved, closed,
 *    opened or written by a fixer.
 * 2. A spot whose line has changed is a hint that says so; one whose line is gone is not shown.
 * 3. An open document is shown by the address that the editor gave it. A file that is not open is
 *    shown by its folder's address, and only where it is below a folder that the editor has open.
 *    A file that is open by another address is not shown twice.
 * 4. What is sent is sent once: again only when it is another.
 *
 * Not here: which findings there are (project.c). */
#include "serve/lsp/parts.h"

#include "base/byte.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/path.h"
#include "format/report/uri.h"
#include "io/file/file.h"
#include "io/process/host.h"

#include <stdlib.h>
#include <string.h>

enum { URI_BYTES_MAX = 64 * 1024, DIAGNOSTICS_BYTES_MAX = 48 << 20 };

/* ---- texts ---- */

static void starts_need(struct page *page)
{
    if (page->starts_known) return;
    line_starts_read(&page->starts, buf_str(&page->text));
    page->starts_known = true;
}

/* The text becomes this one, which is taken; marks are the caller's affair. */
static void set_text(struct lsp *lsp, struct page *page, struct buf *text)
{
    lsp->text_bytes -= page->text.size;
    buf_release(&page->text);
    page->text = *text;
    *text = (struct buf){ 0 };
    lsp->text_bytes += page->text.size;
    page->has_text = true;
    page->starts_known = false;
    page->changed = true;
}

static void drop_text(struct lsp *lsp, struct page *page)
{
    struct buf empty;

    buf_init(&empty, LSP_FILE_BYTES_MAX);
    set_text(lsp, page, &empty);
    page->has_text = false;
}

struct place page_place_of(struct lsp *lsp, struct page *page, size_t offset)
{
    starts_need(page);
    return place_at(buf_str(&page->text), &page->starts, offset, lsp->encoding);
}

/* ---- spots ---- */

static void spot_release(struct spot *spot)
{
    free(spot->spans);
    spot->spans = NULL;
}

static void spot_shift(struct spot *spot, const struct text_edit *edit)
{
    if (spot->placed) mark_shift(&spot->mark, edit);
    for (uint32_t i = 0; spot->spans && i < spot->span_count; i++) {
        if (!span_move(&spot->spans[i], edit)) spot_release(spot);
    }
}

/* All that are there, from one text to another. */
static void spots_shift(struct page *page, struct str now)
{
    const struct text_edit *edits;
    struct arena arena = { 0 };
    uint32_t count = edits_between(buf_str(&page->text), now, &arena, &edits);

    for (uint32_t i = 0; i < page->spot_count; i++) {
        for (uint32_t k = 0; k < count; k++) spot_shift(&page->spots[i], &edits[k]);
        if (page->spots[i].placed) mark_settle(&page->spots[i].mark, now);
    }
    arena_release(&arena);
}

/* Where a finding of which only the beginning is known ends: behind the word there. */
static size_t word_end(struct str text, size_t begin)
{
    size_t end = begin;

    while (end < text.size && (byte_is_alnum(text.data[end]) || text.data[end] == '_' ||
                               (unsigned char)text.data[end] >= 0x80)) {
        end++;
    }
    return end > begin || end == text.size ? end : end + 1;
}

/* The spans of the edits in this file, where the text is the one that they are for. */
static void take_spans(struct spot *spot, struct str text)
{
    const struct fixes *fixes = &spot->shown->fixes;
    uint64_t hash = fixes->count > 0 ? content_hash(text) : 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < fixes->count; i++) count += fixes->items[i].count;
    if (count == 0) return;
    spot->spans = mem_alloc(count * sizeof *spot->spans);
    for (uint32_t i = 0; i < fixes->count; i++) {
        for (uint32_t k = 0; k < fixes->items[i].count; k++) {
            const struct edit *edit = &fixes->items[i].edits[k];

            if (!str_eq(edit->file, spot->shown->file)) continue;
            if (edit->hash != hash || edit->end > text.size || edit->start > edit->end) {
                spot_release(spot);
                return;
            }
            spot->spans[spot->span_count++] = (struct span){ (size_t)edit->start,
                                                             (size_t)edit->end };
        }
    }
}

static struct spot spot_of(const struct shown *shown, struct str text, bool has_text)
{
    struct spot spot = { .shown = shown };
    size_t begin, end;

    if (!has_text || !offset_of_line(text, shown->line, shown->column, &begin)) return spot;
    if (shown->end_line == 0 || !offset_of_line(text, shown->end_line, shown->end_column, &end)) {
        end = shown->column > 0 ? word_end(text, begin) : begin;
    }
    spot.placed = true;
    spot.mark = mark_at(text, begin, end);
    take_spans(&spot, text);
    return spot;
}

static bool is_as_reported(const struct shown *a, const struct shown *b)
{
    return a->round == b->round && a->line == b->line && a->column == b->column &&
           a->end_line == b->end_line && a->end_column == b->end_column &&
           strcmp(a->id, b->id) == 0;
}

/* The spot of a finding that was there before; it is taken out. */
static bool take_spot(struct page *page, const struct shown *shown, struct spot *out)
{
    for (uint32_t i = 0; i < page->spot_count; i++) {
        struct spot *spot = &page->spots[i];

        if (!spot->shown || !is_as_reported(spot->shown, shown)) continue;
        *out = *spot;
        out->shown = shown;
        spot->shown = NULL;
        spot->spans = NULL;
        return true;
    }
    return false;
}

static void spots_release(struct page *page)
{
    for (uint32_t i = 0; i < page->spot_count; i++) spot_release(&page->spots[i]);
    free(page->spots);
    page->spots = NULL;
    page->spot_count = 0;
}

/* The text on the disk. False: the file is there, and cannot be looked at. */
static bool read_disk(const struct page *page, struct buf *out, bool *exists)
{
    struct err none;
    int rc;

    buf_init(out, LSP_FILE_BYTES_MAX);
    *exists = page->project && page->file && file_exists(page->path);
    if (!*exists) return false;
    rc = file_read_in(page->project->look.repo.workspace, page->file, out, &none);
    return rc == 0;
}

/* The findings of its file, so many from `items` on. */
static void page_fill(struct lsp *lsp, struct page *page, const struct shown *items,
                      uint32_t count)
{
    struct spot *spots = mem_alloc((count + (size_t)1) * sizeof *spots);
    const struct text_edit *edits = NULL;
    struct arena arena = { 0 };
    uint32_t edit_count = 0;
    struct buf disk;
    bool exists, readable = read_disk(page, &disk, &exists);

    if (!exists && !page->open) count = 0;
    if (!page->open && readable && lsp->text_bytes + disk.size < LSP_TEXTS_BYTES_MAX) {
        struct buf copy;

        if (page->has_text) spots_shift(page, buf_str(&disk));
        buf_init(&copy, LSP_FILE_BYTES_MAX);
        buf_add(&copy, buf_str(&disk));
        set_text(lsp, page, &copy);
    } else if (!page->open) {
        drop_text(lsp, page);
        readable = false;
    }
    if (page->open && readable) {
        edit_count = edits_between(buf_str(&disk), buf_str(&page->text), &arena, &edits);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (take_spot(page, &items[i], &spots[i])) continue;
        spots[i] = spot_of(&items[i], buf_str(&disk), readable);
        for (uint32_t k = 0; k < edit_count; k++) spot_shift(&spots[i], &edits[k]);
        if (spots[i].placed) mark_settle(&spots[i].mark, buf_str(&page->text));
    }
    arena_release(&arena);
    spots_release(page);
    page->spots = spots;
    page->spot_count = count;
    page->changed = true;
    buf_release(&disk);
}

/* ---- pages ---- */

struct page *page_named(const struct lsp *lsp, struct str uri)
{
    for (uint32_t i = 0; i < lsp->page_count; i++) {
        if (str_is(uri, lsp->pages[i]->uri)) return lsp->pages[i];
    }
    return NULL;
}

static char *copy_of(struct str text)
{
    return mem_copy(text.data ? text.data : "", text.size);
}

/* The path behind a folder; NULL: it is not below it. */
static const char *below(const char *path, const char *folder)
{
    size_t size = strlen(folder);

    if (strcmp(folder, "/") == 0) return path[1] ? path + 1 : NULL;
    return strncmp(path, folder, size) == 0 && path[size] == '/' && path[size + 1]
               ? path + size + 1 : NULL;
}

static struct page *page_new(struct lsp *lsp, struct str uri, const char *path,
                             struct project *project)
{
    struct page *page = mem_alloc(sizeof *page);

    page->uri = copy_of(uri);
    page->path = copy_of(str_of(path));
    page->project = project;
    if (project) page->file = below(page->path, project->look.repo.workspace);
    buf_init(&page->text, LSP_FILE_BYTES_MAX);
    lsp->pages = mem_grow(lsp->pages, lsp->page_count, &lsp->page_cap, sizeof(void *));
    lsp->pages[lsp->page_count++] = page;
    return page;
}

static void page_free(struct lsp *lsp, struct page *page)
{
    lsp->text_bytes -= page->text.size;
    spots_release(page);
    buf_release(&page->text);
    line_starts_release(&page->starts);
    free(page->uri);
    free(page->path);
    free(page);
}

/* The address of a file that is not open, by the folder that the editor has open around it: of
 * several the innermost. False: there is none. */
static bool folder_uri(const struct lsp *lsp, const char *path, struct buf *out)
{
    const struct folder *best = NULL;

    for (uint32_t i = 0; i < lsp->folder_count; i++) {
        const struct folder *folder = &lsp->folders[i];

        if (!below(path, folder->real)) continue;
        if (!best || strlen(folder->real) > strlen(best->real)) best = folder;
    }
    if (!best) return false;
    buf_text(out, "file://");
    uri_path(out, str_of(strcmp(best->path, "/") == 0 ? "" : best->path));
    buf_byte(out, '/');
    uri_path(out, str_of(below(path, best->real)));
    return true;
}

static bool is_open_elsewhere(const struct lsp *lsp, const struct page *page)
{
    for (uint32_t i = 0; i < lsp->page_count; i++) {
        const struct page *other = lsp->pages[i];

        if (other != page && other->open && strcmp(other->path, page->path) == 0) return true;
    }
    return false;
}

/* The findings of a file of the project: the first one and their number. */
static uint32_t items_of(const struct project *project, struct str file,
                         const struct shown **first)
{
    uint32_t from = 0, to = project->count, count = 0;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (str_compare(project->items[middle].file, file) < 0) from = middle + 1;
        else to = middle;
    }
    *first = project->count > 0 ? project->items + from : NULL;
    while (from + count < project->count && str_eq(project->items[from + count].file, file)) {
        count++;
    }
    return count;
}

static void page_refill(struct lsp *lsp, struct page *page)
{
    const struct shown *first = NULL;
    uint32_t count = 0;

    if (page->project && page->file) {
        count = items_of(page->project, str_of(page->file), &first);
    }
    if (!page->open && is_open_elsewhere(lsp, page)) count = 0;
    page_fill(lsp, page, first, count);
}

/* The page of a file that has findings and is not open: it is made where a folder is around it. */
static void file_show(struct lsp *lsp, struct project *project, struct str file)
{
    struct arena arena = { 0 };
    const char *path = path_joined(project->look.repo.workspace, file, &arena);
    struct buf uri;

    buf_init(&uri, URI_BYTES_MAX);
    if (lsp->page_count < LSP_PAGES_MAX && folder_uri(lsp, path, &uri) && !uri.overflow &&
        !page_named(lsp, buf_str(&uri))) {
        struct page *page = page_new(lsp, buf_str(&uri), path, project);

        page_refill(lsp, page);
    }
    buf_release(&uri);
    arena_release(&arena);
}

void pages_place(struct lsp *lsp, struct project *project)
{
    for (uint32_t i = 0; i < lsp->page_count; i++) {
        struct page *page = lsp->pages[i];
        struct buf uri;

        if (page->project != project) continue;
        buf_init(&uri, URI_BYTES_MAX);
        if (page->open || folder_uri(lsp, page->path, &uri)) page_refill(lsp, page);
        else page_fill(lsp, page, NULL, 0);
        buf_release(&uri);
    }
    for (uint32_t i = 0; i < project->count; i++) {
        struct str file = project->items[i].file;

        if (i == 0 || !str_eq(file, project->items[i - 1].file)) file_show(lsp, project, file);
    }
}

void pages_place_all(struct lsp *lsp)
{
    for (uint32_t i = 0; i < lsp->project_count; i++) pages_place(lsp, lsp->projects[i]);
}

/* Other pages of the same file come or go with this one. */
static void pages_place_file(struct lsp *lsp, struct page *page)
{
    for (uint32_t i = 0; i < lsp->page_count; i++) {
        struct page *other = lsp->pages[i];

        if (other != page && strcmp(other->path, page->path) == 0) page_refill(lsp, other);
    }
    if (page->project && page->file && !page->open) {
        const struct shown *first;

        if (items_of(page->project, str_of(page->file), &first) > 0) {
            file_show(lsp, page->project, str_of(page->file));
        }
    }
}

/* ---- what the editor says ---- */

static bool real_path(struct str uri, struct arena *arena, const char **out)
{
    char host[HOST_NAME_BYTES];
    const char *real, *folder;
    struct buf path;
    bool is_file;

    buf_init(&path, URI_BYTES_MAX);
    is_file = uri_file(uri, host_name(host), &path);
    *out = is_file ? arena_cstr(arena, buf_str(&path)) : NULL;
    buf_release(&path);
    if (!is_file) return false;
    real = file_real(*out, arena);
    if (real) {
        *out = real;
    } else if ((folder = file_real(path_folder_text(*out, arena), arena))) {
        *out = path_joined(folder, str_of(path_leaf_text(*out)), arena); /* not saved yet */
    }
    return true;
}

static uint32_t open_count(const struct lsp *lsp)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < lsp->page_count; i++) count += lsp->pages[i]->open;
    return count;
}

void page_open(struct lsp *lsp, yyjson_val *params)
{
    yyjson_val *document = yyjson_obj_get(params, "textDocument");
    struct str uri = json_str(document, "uri"), said = json_str(document, "text");
    struct page *page = page_named(lsp, uri);
    struct arena arena = { 0 };
    const char *path;
    struct buf text;

    if (said.size > LSP_FILE_BYTES_MAX || lsp->text_bytes + said.size > LSP_TEXTS_BYTES_MAX ||
        open_count(lsp) >= LSP_DOCUMENTS_MAX || !real_path(uri, &arena, &path)) {
        arena_release(&arena);
        return;
    }
    if (!page) {
        page = page_new(lsp, uri, path,
                        project_around(lsp, path_folder_text(path, &arena)));
    }
    buf_init(&text, LSP_FILE_BYTES_MAX);
    buf_add(&text, said);
    if (page->has_text) spots_shift(page, said);
    set_text(lsp, page, &text);
    page->open = true;
    page->version = yyjson_get_sint(yyjson_obj_get(document, "version"));
    page_refill(lsp, page);
    pages_place_file(lsp, page);
    arena_release(&arena);
}

bool lsp_place_read(yyjson_val *value, struct place *out)
{
    uint64_t line, character;

    if (!json_uint(value, "line", &line) || !json_uint(value, "character", &character)) {
        return false;
    }
    out->line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    out->character = character < UINT32_MAX ? (uint32_t)character : UINT32_MAX;
    return true;
}

static bool make_edit(struct lsp *lsp, struct page *page, struct text_edit *edit)
{
    size_t before = page->text.size;

    text_edit_trim(edit, buf_str(&page->text));
    if (text_edit_make(&page->text, edit) != 0) return false;
    lsp->text_bytes += page->text.size - before;
    for (uint32_t i = 0; i < page->spot_count; i++) spot_shift(&page->spots[i], edit);
    page->starts_known = false;
    page->changed = true;
    return true;
}

/* One change of a document: of a range, or all of it. False: it cannot be made. */
static bool take_change(struct lsp *lsp, struct page *page, yyjson_val *change)
{
    yyjson_val *range = yyjson_obj_get(change, "range");
    struct str said = json_str(change, "text");
    struct place start, end;
    struct text_edit edit;

    if (!said.data) return false;
    if (!range) {
        struct buf text;

        buf_init(&text, LSP_FILE_BYTES_MAX);
        if (buf_add(&text, said) != 0) return false;
        spots_shift(page, said);
        set_text(lsp, page, &text);
        return true;
    }
    if (!lsp_place_read(yyjson_obj_get(range, "start"), &start) ||
        !lsp_place_read(yyjson_obj_get(range, "end"), &end)) {
        return false;
    }
    starts_need(page);
    edit = (struct text_edit){
        .start = place_offset(buf_str(&page->text), &page->starts, start, lsp->encoding),
        .end = place_offset(buf_str(&page->text), &page->starts, end, lsp->encoding),
        .text = said,
    };
    return edit.end >= edit.start && make_edit(lsp, page, &edit);
}

static void close_page(struct lsp *lsp, struct page *page)
{
    page->open = false;
    page_refill(lsp, page);
    pages_place_file(lsp, page);
}

void page_change(struct lsp *lsp, yyjson_val *params)
{
    yyjson_val *document = yyjson_obj_get(params, "textDocument"), *change;
    struct page *page = page_named(lsp, json_str(document, "uri"));
    yyjson_arr_iter changes = yyjson_arr_iter_with(yyjson_obj_get(params, "contentChanges"));
    bool good = true;

    if (!page || !page->open) return;
    while (good && (change = yyjson_arr_iter_next(&changes))) {
        good = take_change(lsp, page, change);
    }
    page->version = yyjson_get_sint(yyjson_obj_get(document, "version"));
    for (uint32_t i = 0; i < page->spot_count; i++) {
        if (page->spots[i].placed) mark_settle(&page->spots[i].mark, buf_str(&page->text));
    }
    if (!good) close_page(lsp, page); /* our text is not the editor's any more */
}

void page_close(struct lsp *lsp, yyjson_val *params)
{
    struct str uri = json_str(yyjson_obj_get(params, "textDocument"), "uri");
    struct page *page = page_named(lsp, uri);

    if (page && page->open) close_page(lsp, page);
}

/* What is on the disk now may be what a waiver is about. */
void page_save(struct lsp *lsp, yyjson_val *params)
{
    struct page *page = page_named(lsp, json_str(yyjson_obj_get(params, "textDocument"), "uri"));

    if (page && page->project) project_hurry(page->project);
}

void pages_close_all(struct lsp *lsp)
{
    for (uint32_t i = 0; i < lsp->page_count; i++) {
        if (lsp->pages[i]->open) close_page(lsp, lsp->pages[i]);
    }
}

bool page_text(struct lsp *lsp, const struct project *project, struct str file,
               struct arena *arena, struct page_text *out)
{
    const char *path = path_joined(project->look.repo.workspace, file, arena);
    struct str text;
    struct err none;
    struct buf uri;

    for (uint32_t i = 0; i < lsp->page_count; i++) {
        const struct page *page = lsp->pages[i];

        if (!page->open || strcmp(page->path, path) != 0) continue;
        *out = (struct page_text){ buf_str(&page->text), page->uri, true, page->version };
        return true;
    }
    if (file_text_in(project->look.repo.workspace, arena_cstr(arena, file), LSP_FILE_BYTES_MAX,
                     arena, &text, &none) != 0) {
        return false;
    }
    buf_init(&uri, URI_BYTES_MAX);
    if (!folder_uri(lsp, path, &uri)) {
        buf_text(&uri, "file://");
        uri_path(&uri, str_of(path));
    }
    *out = (struct page_text){ text, arena_take_cstr(arena, &uri), false, 0 };
    return true;
}

bool shown_is_in_place(const struct lsp *lsp, const struct shown *shown)
{
    for (uint32_t i = 0; i < lsp->page_count; i++) {
        const struct page *page = lsp->pages[i];

        for (uint32_t k = 0; k < page->spot_count; k++) {
            const struct spot *spot = &page->spots[k];
            struct buf disk;
            struct spot now;
            bool exists, same;

            if (spot->shown != shown || !spot->placed) continue;
            same = read_disk(page, &disk, &exists);
            now = spot_of(shown, buf_str(&disk), same);
            same = now.placed && now.mark.content == spot->mark.content;
            spot_release(&now);
            buf_release(&disk);
            return same;
        }
    }
    return true;
}

/* ---- what the editor is told ---- */

static void add_place(yyjson_mut_doc *doc, yyjson_mut_val *range, const char *key,
                      struct place place)
{
    yyjson_mut_val *object = yyjson_mut_obj_add_obj(doc, range, key);

    yyjson_mut_obj_add_uint(doc, object, "line", place.line);
    yyjson_mut_obj_add_uint(doc, object, "character", place.character);
}

yyjson_mut_val *range_write(struct place start, struct place end, yyjson_mut_doc *doc)
{
    yyjson_mut_val *range = yyjson_mut_obj(doc);

    add_place(doc, range, "start", start);
    add_place(doc, range, "end", end);
    return range;
}

yyjson_mut_val *page_range(struct lsp *lsp, struct page *page, size_t start, size_t end,
                           yyjson_mut_doc *doc)
{
    return range_write(page_place_of(lsp, page, start), page_place_of(lsp, page, end), doc);
}

static yyjson_mut_val *spot_range(struct lsp *lsp, struct page *page, const struct spot *spot,
                                  yyjson_mut_doc *doc)
{
    struct place line = { .line = spot->shown->line > 0 ? spot->shown->line - 1 : 0 };

    if (spot->placed) {
        struct text_edit shown = mark_shown(&spot->mark);
        return page_range(lsp, page, shown.start, shown.end, doc);
    }
    return range_write(line, line, doc);
}

static enum lsp_severity spot_severity(const struct spot *spot)
{
    static const enum lsp_severity severities[SEVERITY_COUNT] = {
        [SEVERITY_LOW] = LSP_INFORMATION,
        [SEVERITY_MEDIUM] = LSP_WARNING,
        [SEVERITY_HIGH] = LSP_ERROR,
    };

    if (spot->shown->noted || (spot->placed && spot->mark.stale)) return LSP_HINT;
    return severities[spot->shown->severity];
}

yyjson_mut_val *spot_write(struct lsp *lsp, struct page *page, const struct spot *spot,
                           yyjson_mut_doc *doc)
{
    const struct shown *shown = spot->shown;
    yyjson_mut_val *object, *data;
    struct buf words;

    if (spot->placed && spot->mark.gone) return NULL;
    object = yyjson_mut_obj(doc);
    yyjson_mut_obj_add_val(doc, object, "range", spot_range(lsp, page, spot, doc));
    yyjson_mut_obj_add_uint(doc, object, "severity", spot_severity(spot));
    json_add_some(doc, object, "code", shown->rule);
    if (shown->href.size > 0 && shown->rule.size > 0) {
        json_add_text(doc, yyjson_mut_obj_add_obj(doc, object, "codeDescription"), "href",
                      shown->href);
    }
    yyjson_mut_obj_add_str(doc, object, "source", "hone");
    buf_init(&words, 3 * LSP_WORDS_BYTES_MAX);
    buf_add(&words, shown->text);
    if (spot->placed && spot->mark.stale) {
        buf_text(&words, "\n(this line has changed since: the next run looks again)");
    }
    json_add_text(doc, object, "message", buf_str(&words));
    buf_release(&words);
    data = yyjson_mut_obj_add_obj(doc, object, "data");
    json_add(doc, data, "run", page->project->run);
    json_add(doc, data, "finding", shown->id);
    return object;
}

yyjson_mut_val *page_diagnostics(struct lsp *lsp, struct page *page, yyjson_mut_doc *doc)
{
    yyjson_mut_val *list = yyjson_mut_arr(doc);

    for (uint32_t i = 0; i < page->spot_count; i++) {
        yyjson_mut_val *one = spot_write(lsp, page, &page->spots[i], doc);
        if (one) yyjson_mut_arr_append(list, one);
    }
    return list;
}

/* The hash of the list; 0 of an empty one. */
static uint64_t list_hash(yyjson_mut_doc *doc, yyjson_mut_val *list)
{
    uint64_t hash;
    struct buf out;

    if (yyjson_mut_arr_size(list) == 0) return 0;
    buf_init(&out, DIAGNOSTICS_BYTES_MAX);
    yyjson_mut_doc_set_root(doc, list);
    json_write(doc, false, &out);
    hash = hash_text(HASH_START, buf_str(&out));
    buf_release(&out);
    return hash == 0 ? 1 : hash;
}

/* True: it was another than before. */
static bool page_publish(struct lsp *lsp, struct page *page)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *list = page_diagnostics(lsp, page, doc), *params = yyjson_mut_obj(doc);
    uint64_t hash = list_hash(doc, list);
    bool news = hash != page->sent;

    page->changed = false;
    page->sent = hash;
    if (news && lsp->client.publishes) {
        json_add(doc, params, "uri", page->uri);
        if (page->open) yyjson_mut_obj_add_sint(doc, params, "version", page->version);
        yyjson_mut_obj_add_val(doc, params, "diagnostics", list);
        lsp_notify(lsp, "textDocument/publishDiagnostics", doc, params);
    }
    yyjson_mut_doc_free(doc);
    return news;
}

static void on_refreshed(struct lsp *lsp, void *context, yyjson_val *result)
{
    (void)lsp;
    (void)context;
    (void)result;
}

void pages_publish(struct lsp *lsp)
{
    bool news = false;

    for (uint32_t i = lsp->page_count; i-- > 0;) {
        struct page *page = lsp->pages[i];

        if (page->changed && page_publish(lsp, page)) news = true;
        if (page->open || page->spot_count > 0) continue;
        page_free(lsp, page);
        lsp->pages[i] = lsp->pages[--lsp->page_count];
    }
    if (news && !lsp->client.publishes && lsp->client.refreshes) {
        yyjson_mut_doc *doc = json_new();

        (void)lsp_ask(lsp, "workspace/diagnostic/refresh", doc, NULL, on_refreshed, NULL);
        yyjson_mut_doc_free(doc);
    }
}

void pages_free(struct lsp *lsp)
{
    for (uint32_t i = 0; i < lsp->page_count; i++) page_free(lsp, lsp->pages[i]);
    free(lsp->pages);
}
