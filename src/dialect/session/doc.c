/* SPDX-License-Identifier: Apache-2.0
 *
 * doc.c - what is kept of an answer, as JSON in the run's events.
 *
 *     {"title":"...","answer":"...","noop":true,
 *      "claims":[{"path":"a.c","what":"..."}],"approved":true,
 *      "issues":[{"critical":true,"text":"...","file":"a.c","line":7}],
 *      "head":"...","delta":[{"path":"a.c","change":"modified","oid":"..."}],"dirty":[...]}
 *
 * 1. What was written is read back; texts that are not UTF-8 come back with U+FFFD.
 * 2. A member that is not there is empty. "head" says that the tree was looked at. */
#include "dialect/session/session.h"

#include "format/json/json.h"

enum { DOC_BYTES_MAX = 256 << 20 };

/* ---- writing ---- */

static void put_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, struct str text)
{
    if (text.size) yyjson_mut_obj_add_val(doc, object, key, json_text(doc, text));
}

static void put_number(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                       uint32_t number)
{
    if (number) yyjson_mut_obj_add_uint(doc, object, key, number);
}

static void put_flag(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, bool set)
{
    if (set) yyjson_mut_obj_add_bool(doc, object, key, true);
}

static void put_issues(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct session_doc *from)
{
    yyjson_mut_val *list;

    if (from->issue_count == 0) return;
    list = yyjson_mut_obj_add_arr(doc, root, "issues");
    for (uint32_t i = 0; i < from->issue_count; i++) {
        const struct finding *issue = &from->issues[i];
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);

        put_flag(doc, item, "critical", issue->severity == SEVERITY_HIGH);
        put_text(doc, item, "source", issue->source);
        put_text(doc, item, "text", issue->text);
        put_text(doc, item, "file", issue->file);
        put_number(doc, item, "line", issue->line);
    }
}

static void put_claims(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct session_doc *from)
{
    yyjson_mut_val *list;

    if (from->claim_count == 0) return;
    list = yyjson_mut_obj_add_arr(doc, root, "claims");
    for (uint32_t i = 0; i < from->claim_count; i++) {
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);

        put_text(doc, item, "path", from->claims[i].path);
        put_text(doc, item, "what", from->claims[i].what);
    }
}

static void put_files(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                      const struct tree_file *files, uint32_t count)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, key);

    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);

        put_text(doc, item, "path", files[i].path);
        put_text(doc, item, "change", str_of(files[i].change));
        put_text(doc, item, "oid", str_of(files[i].oid));
    }
}

struct str session_doc_write(const struct session_doc *from, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    struct buf text;
    struct str kept;

    yyjson_mut_doc_set_root(doc, root);
    put_flag(doc, root, "restored", from->restored);
    put_number(doc, root, "entries", from->entries);
    put_text(doc, root, "title", from->title);
    put_text(doc, root, "answer", from->answer);
    put_flag(doc, root, "approved", from->approved);
    put_issues(doc, root, from);
    put_flag(doc, root, "noop", from->noop);
    put_claims(doc, root, from);
    if (from->has_tree) {
        yyjson_mut_obj_add_val(doc, root, "head", json_text(doc, from->head));
        put_files(doc, root, "delta", from->delta, from->delta_count);
        put_files(doc, root, "dirty", from->dirty, from->dirty_count);
    }
    buf_init(&text, DOC_BYTES_MAX);
    json_write(doc, false, &text);
    kept = arena_copy(arena, buf_str(&text));
    buf_release(&text);
    yyjson_mut_doc_free(doc);
    return kept;
}

/* ---- reading ---- */

static struct str get_text(yyjson_val *object, const char *key, struct arena *arena)
{
    return arena_copy(arena, json_str(object, key));
}

static uint32_t get_number(yyjson_val *object, const char *key)
{
    uint64_t number;

    return json_uint(object, key, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

static bool get_flag(yyjson_val *object, const char *key)
{
    return yyjson_get_bool(yyjson_obj_get(object, key));
}

/* A list, and room for one struct per item. */
static yyjson_val *get_list(yyjson_val *root, const char *key, struct arena *arena, size_t bytes,
                            void **room)
{
    yyjson_val *list = yyjson_obj_get(root, key);

    *room = arena_alloc(arena, yyjson_arr_size(list) * bytes + 1);
    return list;
}

static void get_issues(yyjson_val *root, struct arena *arena, struct session_doc *out)
{
    yyjson_val *item;
    yyjson_arr_iter iter;
    void *room;

    yyjson_arr_iter_init(get_list(root, "issues", arena, sizeof *out->issues, &room), &iter);
    out->issues = room;
    while ((item = yyjson_arr_iter_next(&iter))) {
        struct finding *issue = &((struct finding *)room)[out->issue_count++];

        issue->severity = get_flag(item, "critical") ? SEVERITY_HIGH : SEVERITY_LOW;
        issue->source = get_text(item, "source", arena);
        issue->text = get_text(item, "text", arena);
        issue->file = get_text(item, "file", arena);
        issue->line = get_number(item, "line");
        issue->fingerprint = finding_fingerprint(issue);
    }
}

static void get_claims(yyjson_val *root, struct arena *arena, struct session_doc *out)
{
    yyjson_val *item;
    yyjson_arr_iter iter;
    void *room;

    yyjson_arr_iter_init(get_list(root, "claims", arena, sizeof *out->claims, &room), &iter);
    out->claims = room;
    while ((item = yyjson_arr_iter_next(&iter))) {
        struct session_claim *claim = &((struct session_claim *)room)[out->claim_count++];

        claim->path = get_text(item, "path", arena);
        claim->what = get_text(item, "what", arena);
    }
}

static const struct tree_file *get_files(yyjson_val *root, const char *key, struct arena *arena,
                                         uint32_t *count)
{
    struct tree_file *files;
    yyjson_val *item;
    yyjson_arr_iter iter;
    void *room;

    yyjson_arr_iter_init(get_list(root, key, arena, sizeof *files, &room), &iter);
    files = room;
    while ((item = yyjson_arr_iter_next(&iter))) {
        struct tree_file *file = &files[(*count)++];

        file->path = get_text(item, "path", arena);
        file->change = arena_cstr(arena, json_str(item, "change"));
        file->oid = arena_cstr(arena, json_str(item, "oid"));
    }
    return files;
}

bool session_doc_read(struct str text, struct arena *arena, struct session_doc *out)
{
    yyjson_doc *doc = NULL;
    yyjson_val *root;
    struct err none;

    *out = (struct session_doc){ .restored = false };
    if (json_read(text, &doc, &none) != 0) return false;
    root = yyjson_doc_get_root(doc);
    out->restored = get_flag(root, "restored");
    out->entries = get_number(root, "entries");
    out->title = get_text(root, "title", arena);
    out->answer = get_text(root, "answer", arena);
    out->approved = get_flag(root, "approved");
    get_issues(root, arena, out);
    out->noop = get_flag(root, "noop");
    get_claims(root, arena, out);
    out->has_tree = yyjson_is_str(yyjson_obj_get(root, "head"));
    if (out->has_tree) {
        out->head = get_text(root, "head", arena);
        out->delta = get_files(root, "delta", arena, &out->delta_count);
        out->dirty = get_files(root, "dirty", arena, &out->dirty_count);
    }
    yyjson_doc_free(doc);
    return true;
}

bool session_doc_claims(const struct session_doc *doc, struct str path)
{
    for (uint32_t i = 0; i < doc->claim_count; i++) {
        if (str_eq(doc->claims[i].path, path)) return true;
    }
    return false;
}
