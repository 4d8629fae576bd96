/* SPDX-License-Identifier: Apache-2.0
 *
 * service_gitlab.c - a merge request on GitLab, by REST.
 *
 * One list has everything: discussions, each with its notes. A note without a place in the diff
 * that stands alone is a comment; one with a place begins a thread. A note is ours where its author
 * is the user that the token is of.
 *
 * An inline note has its place in the words of the diff: an added line by its new number alone, an
 * unchanged one by both, and always both names of the file. Where it is about several lines, it
 * stands on the last one, and names the range: of both its ends the line code, which is the SHA-1
 * of the file's name with both numbers. A GitLab that refuses a range gets the note without one. */
#include "report/service.h"

#include "base/sha1.h"

#include <inttypes.h>
#include <stdio.h>

enum { PAGES_MAX = 200, PAGE_ITEMS = 100 };

struct reading {
    struct service *service;
    struct arena *arena;
    struct service_page *page;
    uint64_t us; /* the number of our user */
    struct comment_posted *comments;
    struct comment_thread *threads;
    uint32_t comment_count, comment_cap, thread_count, thread_cap;
};

/* projects/group%2Fname/merge_requests/7REST */
static const char *path_of(const struct service *service, const char *rest, struct arena *arena)
{
    struct buf path;

    buf_init(&path, 1 << 16);
    buf_text(&path, "projects/");
    for (const char *at = service->request->project; *at; at++) {
        if (*at == '/') buf_text(&path, "%2F");
        else buf_byte(&path, *at);
    }
    buf_printf(&path, "/merge_requests/%" PRIu64 "%s", service->request->number, rest);
    return arena_take_cstr(arena, &path);
}

static enum service_outcome gitlab_get(struct service *service, const char *path,
                                       struct arena *arena, yyjson_doc **out)
{
    struct service_question question = { .method = "GET", .path = path };
    enum service_outcome outcome = service_ask_json(service, &question, arena, out);

    return outcome == SERVICE_DONE ? outcome : service_unread(service, outcome);
}

/* ---- reading ---- */

static enum service_outcome us_read(struct reading *reading)
{
    enum service_outcome outcome;
    yyjson_doc *doc;
    bool known;

    outcome = gitlab_get(reading->service, "user", reading->arena, &doc);
    if (outcome != SERVICE_DONE) return outcome;
    known = json_uint(yyjson_doc_get_root(doc), "id", &reading->us);
    yyjson_doc_free(doc);
    if (known) return SERVICE_DONE;
    (void)err_set(&reading->service->err, ERR_FAILED, "GitLab: it does not say who we are");
    return SERVICE_NEVER;
}

static enum service_outcome request_page(struct reading *reading)
{
    enum service_outcome outcome;
    yyjson_doc *doc;
    yyjson_val *refs;
    bool known;

    outcome = gitlab_get(reading->service, path_of(reading->service, "", reading->arena),
                         reading->arena, &doc);
    if (outcome != SERVICE_DONE) return outcome;
    refs = yyjson_obj_get(yyjson_doc_get_root(doc), "diff_refs");
    reading->page->head = arena_cstr(reading->arena, json_str(refs, "head_sha"));
    reading->page->base = arena_cstr(reading->arena, json_str(refs, "base_sha"));
    reading->page->start = arena_cstr(reading->arena, json_str(refs, "start_sha"));
    reading->page->closed = !str_is(json_str(yyjson_doc_get_root(doc), "state"), "opened");
    known = commit_fits(str_of(reading->page->head)) &&
            commit_fits(str_of(reading->page->base)) && commit_fits(str_of(reading->page->start));
    yyjson_doc_free(doc);
    if (known) return SERVICE_DONE;
    (void)err_set(&reading->service->err, ERR_FAILED, "GitLab: merge request %" PRIu64 " has no "
                  "diff yet", reading->service->request->number);
    return SERVICE_LATER;
}

static struct str number_text(yyjson_val *object, const char *key, struct arena *arena)
{
    uint64_t number = 0;

    if (!json_uint(object, key, &number)) return STR("");
    return str_of(arena_printf(arena, "%" PRIu64, number));
}

static void discussion_read(struct reading *reading, yyjson_val *value)
{
    yyjson_val *notes = yyjson_obj_get(value, "notes"), *note = yyjson_arr_get_first(notes);
    uint64_t author = 0;
    struct comment_posted posted = {
        .id = number_text(note, "id", reading->arena),
        .body = arena_copy(reading->arena, json_str(note, "body")),
    };
    struct comment_thread thread;

    if (posted.id.size == 0 || yyjson_get_bool(yyjson_obj_get(note, "system"))) return;
    posted.ours = json_uint(yyjson_obj_get(note, "author"), "id", &author) && author == reading->us;
    if (!yyjson_is_obj(yyjson_obj_get(note, "position"))) {
        reading->comments = arena_grow(reading->arena, reading->comments, reading->comment_count,
                                       &reading->comment_cap, sizeof *reading->comments);
        reading->comments[reading->comment_count++] = posted;
        return;
    }
    thread = (struct comment_thread){
        .id = arena_copy(reading->arena, json_str(value, "id")),
        .first = posted,
        .replies = (uint32_t)yyjson_arr_size(notes) - 1,
        .resolved = yyjson_get_bool(yyjson_obj_get(note, "resolved")),
        .may_resolve = yyjson_get_bool(yyjson_obj_get(note, "resolvable")),
    };
    thread.may_reopen = thread.may_resolve;
    reading->threads = arena_grow(reading->arena, reading->threads, reading->thread_count,
                                  &reading->thread_cap, sizeof *reading->threads);
    reading->threads[reading->thread_count++] = thread;
}

static enum service_outcome discussions_page(struct reading *reading, uint32_t nth, bool *more)
{
    const char *rest = arena_printf(reading->arena, "/discussions?per_page=%d&page=%" PRIu32,
                                    PAGE_ITEMS, nth);
    enum service_outcome outcome;
    yyjson_val *value;
    yyjson_doc *doc;
    size_t i, count;

    outcome = gitlab_get(reading->service, path_of(reading->service, rest, reading->arena),
                         reading->arena, &doc);
    if (outcome != SERVICE_DONE) return outcome;
    if (!yyjson_is_arr(yyjson_doc_get_root(doc))) {
        yyjson_doc_free(doc);
        (void)err_set(&reading->service->err, ERR_FAILED, "GitLab: it lists no discussions");
        return SERVICE_LATER;
    }
    yyjson_arr_foreach(yyjson_doc_get_root(doc), i, count, value) {
        discussion_read(reading, value);
    }
    *more = yyjson_arr_size(yyjson_doc_get_root(doc)) >= PAGE_ITEMS;
    yyjson_doc_free(doc);
    return SERVICE_DONE;
}

enum service_outcome gitlab_read(struct service *service, struct arena *arena,
                                 struct service_page *out)
{
    struct reading reading = { .service = service, .arena = arena, .page = out };
    enum service_outcome outcome;
    bool more = true;

    *out = (struct service_page){ 0 };
    outcome = us_read(&reading);
    if (outcome == SERVICE_DONE) outcome = request_page(&reading);
    for (uint32_t nth = 1; outcome == SERVICE_DONE && more; nth++) {
        if (nth > PAGES_MAX) {
            (void)err_set(&service->err, ERR_LIMIT, "GitLab: the merge request has more than %d "
                          "pages of discussions", PAGES_MAX);
            return SERVICE_NEVER;
        }
        outcome = discussions_page(&reading, nth, &more);
    }
    out->standing = (struct comment_standing){
        .comments = reading.comments, .comment_count = reading.comment_count,
        .threads = reading.threads, .thread_count = reading.thread_count,
    };
    return outcome;
}

enum service_outcome gitlab_diff(struct service *service, struct arena *arena, struct str *out)
{
    struct service_question question = { .method = "GET", .accept = "text/plain",
                                         .path = path_of(service, "/raw_diffs", arena) };

    return service_ask(service, &question, arena, out);
}

/* ---- writing ---- */

static enum service_outcome gitlab_ask(struct service *service, const char *method,
                                       const char *path, yyjson_mut_doc *doc,
                                       struct arena *arena)
{
    struct service_question question = { .method = method, .path = path };
    struct str said;

    if (doc) question.body = json_keep(doc, false, arena);
    return service_ask(service, &question, arena, &said);
}

static yyjson_mut_doc *body_doc(const struct comment_step *step)
{
    yyjson_mut_doc *doc = json_new();

    json_add_text(doc, json_object(doc), "body", step->body);
    return doc;
}

/* One end of a range. */
static void end_add(yyjson_mut_doc *doc, yyjson_mut_val *range, const char *key, struct str path,
                    uint32_t line, const struct diff_line *at)
{
    yyjson_mut_val *end = yyjson_mut_obj_add_obj(doc, range, key);
    char name[SHA1_HEX_BYTES], code[SHA1_HEX_BYTES + 24];

    (void)snprintf(code, sizeof code, "%s_%" PRIu32 "_%" PRIu32, sha1_hex(path, name), at->old,
                   line);
    yyjson_mut_obj_add_strcpy(doc, end, "line_code", code);
    json_add(doc, end, "type", at->added ? "new" : "old");
    if (!at->added) yyjson_mut_obj_add_uint(doc, end, "old_line", at->old);
    yyjson_mut_obj_add_uint(doc, end, "new_line", line);
}

static bool has_range(const struct comment_step *step)
{
    return step->item->place.start_line < step->item->place.line;
}

static yyjson_mut_doc *inline_doc(const struct comment_step *step, const struct service_page *page,
                                  bool ranged)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *position, *range;
    const struct comment_place *place = &step->item->place;

    json_add_text(doc, root, "body", step->body);
    position = yyjson_mut_obj_add_obj(doc, root, "position");
    json_add(doc, position, "position_type", "text");
    json_add(doc, position, "base_sha", page->base);
    json_add(doc, position, "start_sha", page->start);
    json_add(doc, position, "head_sha", page->head);
    json_add_text(doc, position, "old_path", place->old_path);
    json_add_text(doc, position, "new_path", place->path);
    yyjson_mut_obj_add_uint(doc, position, "new_line", place->line);
    if (!place->at.added) yyjson_mut_obj_add_uint(doc, position, "old_line", place->at.old);
    if (!ranged) return doc;
    range = yyjson_mut_obj_add_obj(doc, position, "line_range");
    end_add(doc, range, "start", place->path, place->start_line, &place->start_at);
    end_add(doc, range, "end", place->path, place->line, &place->at);
    return doc;
}

static yyjson_mut_doc *resolved_doc(bool resolved)
{
    yyjson_mut_doc *doc = json_new();

    yyjson_mut_obj_add_bool(doc, json_object(doc), "resolved", resolved);
    return doc;
}

static const char *note_path(const struct service *service, const struct comment_step *step,
                             struct arena *arena)
{
    const char *rest;

    if (step->thread.size > 0) {
        rest = arena_printf(arena, "/discussions/%.*s/notes/%.*s", STR_ARG(step->thread),
                            STR_ARG(step->id));
    } else {
        rest = arena_printf(arena, "/notes/%.*s", STR_ARG(step->id));
    }
    return path_of(service, rest, arena);
}

static const char *thread_path(const struct service *service, const struct comment_step *step,
                               struct arena *arena)
{
    return path_of(service, arena_printf(arena, "/discussions/%.*s", STR_ARG(step->id)), arena);
}

static enum service_outcome inline_perform(struct service *service,
                                           const struct service_page *page,
                                           const struct comment_step *step, struct arena *arena)
{
    const char *path = path_of(service, "/discussions", arena);
    bool ranged = has_range(step);
    enum service_outcome outcome = gitlab_ask(service, "POST", path,
                                              inline_doc(step, page, ranged), arena);

    if (outcome != SERVICE_REFUSED || !ranged) return outcome;
    return gitlab_ask(service, "POST", path, inline_doc(step, page, false), arena);
}

static enum service_outcome step_perform(struct service *service, const struct service_page *page,
                                         const struct comment_step *step, struct arena *arena)
{
    switch (step->deed) {
    case DEED_CREATE:
        return gitlab_ask(service, "POST", path_of(service, "/notes", arena), body_doc(step),
                          arena);
    case DEED_INLINE:
        return inline_perform(service, page, step, arena);
    case DEED_UPDATE:
    case DEED_EDIT:
        return gitlab_ask(service, "PUT", note_path(service, step, arena), body_doc(step), arena);
    case DEED_DELETE:
    case DEED_DELETE_INLINE:
        return gitlab_ask(service, "DELETE", note_path(service, step, arena), NULL, arena);
    case DEED_RESOLVE:
    case DEED_REOPEN:
        return gitlab_ask(service, "PUT", thread_path(service, step, arena),
                          resolved_doc(step->deed == DEED_RESOLVE), arena);
    case DEED_COUNT:
        break;
    }
    return SERVICE_REFUSED;
}

enum service_outcome gitlab_perform(struct service *service, const struct service_page *page,
                                    const struct comment_step *steps, uint32_t count,
                                    uint32_t *taken)
{
    struct arena arena = { 0 };
    enum service_outcome outcome;

    *taken = count > 0;
    outcome = step_perform(service, page, &steps[0], &arena);
    arena_release(&arena);
    return outcome;
}
