/* SPDX-License-Identifier: Apache-2.0
 *
 * forge.c - a stand-in for GitHub's and GitLab's services, for the real gh and a stand-in of glab.
 *
 *   forge serve SOCKET DIR      answers at a socket until it is killed; one request a connection
 *   forge ask SOCKET gh api ... what `gh api`, or with glab `glab api`, does: asks there, prints
 *                               head and body
 *
 * Both services share one pull request, number 7, and one user, "bot". In DIR:
 *
 *   state.json   {"comments":[{"id":1,"author":"bot","body":"..."}],"threads":[{"id":2,
 *                "resolved":false,"notes":[{...}]}],"next":3,"locked":true}: what stands there
 *   head, base   commits; lines: "PATH LINE OLD" for each line that takes a comment (OLD 0: added);
 *                diff: what is answered where the change is asked for; page: items of a page
 *   log          a line for each request: METHOD PATH WHAT STATUS
 *   fault        "COUNT SKIP WORD KIND": of the requests whose line in the log has WORD, behind the
 *                first SKIP, COUNT go wrong: KIND is a status, or limit (429), secondary (403),
 *                hour (429, in an hour), garbage, never (no answer), lost (done, and answered 502),
 *                forbidden (GraphQL's)
 *   commands     lines of notes that GitLab would have obeyed */
#include "format/json/json.h"
#include "io/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { TEXT_MAX = 64 << 20, NAME_MAX_BYTES = 4096 };

static const char *dir;

struct exchange {
    char method[16], path[NAME_MAX_BYTES], what[128];
    struct buf request;      /* its body */
    bool wants_diff;
    int status;
    const char *headers;     /* more of them, each with its line end */
    struct buf answer;
    yyjson_mut_doc *state;
    yyjson_mut_val *root;
    yyjson_doc *body;
};

/* What a text begins with; 0 where that is no number. */
static long number_in(const char *text)
{
    return strtol(text, NULL, 10);
}

/* ---- files ---- */

static const char *file_in(const char *name)
{
    static char path[NAME_MAX_BYTES];

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static struct buf text_of(const char *name)
{
    struct buf text;
    struct err none;

    buf_init(&text, TEXT_MAX);
    if (file_read(file_in(name), &text, &none) != 0) buf_clear(&text);
    return text;
}

static void line_of(const char *name, char *out, size_t size)
{
    struct buf text = text_of(name);
    struct str line = str_trim(buf_str(&text));

    (void)snprintf(out, size, "%.*s", STR_ARG(line));
    buf_release(&text);
}

static void put(const char *name, struct str text, const char *mode)
{
    FILE *file = fopen(file_in(name), mode);

    if (!file) exit(1);
    (void)fwrite(text.data, 1, text.size, file);
    (void)fclose(file);
}

/* ---- the state ---- */

static void state_load(struct exchange *exchange)
{
    struct buf text = text_of("state.json");
    yyjson_doc *doc = yyjson_read(buf_cstr(&text), text.size, 0);

    static const char empty[] = "{\"comments\":[],\"threads\":[],\"next\":1}";

    if (!doc) doc = yyjson_read(empty, sizeof empty - 1, 0);
    exchange->state = yyjson_doc_mut_copy(doc, NULL);
    exchange->root = yyjson_mut_doc_get_root(exchange->state);
    yyjson_doc_free(doc);
    buf_release(&text);
}

static void state_save(struct exchange *exchange)
{
    size_t size;
    char *text = yyjson_mut_write(exchange->state, YYJSON_WRITE_PRETTY, &size);

    put("state.json", (struct str){ text, size }, "w");
    free(text);
}

static yyjson_mut_val *list_of(struct exchange *exchange, const char *name)
{
    return yyjson_mut_obj_get(exchange->root, name);
}

static uint64_t next_id(struct exchange *exchange)
{
    yyjson_mut_val *next = yyjson_mut_obj_get(exchange->root, "next");
    uint64_t id = yyjson_mut_get_uint(next);

    yyjson_mut_set_uint(next, id + 1);
    return id;
}

static yyjson_mut_val *note_make(struct exchange *exchange, yyjson_val *from)
{
    yyjson_mut_val *note = yyjson_mut_obj(exchange->state);

    yyjson_mut_obj_add_uint(exchange->state, note, "id", next_id(exchange));
    yyjson_mut_obj_add_str(exchange->state, note, "author", "bot");
    yyjson_mut_obj_add_val(exchange->state, note, "body",
                           yyjson_val_mut_copy(exchange->state, yyjson_obj_get(from, "body")));
    return note;
}

static void thread_make(struct exchange *exchange, yyjson_val *from, yyjson_val *place)
{
    yyjson_mut_doc *doc = exchange->state;
    yyjson_mut_val *thread = yyjson_mut_arr_add_obj(doc, list_of(exchange, "threads"));
    yyjson_mut_val *notes;

    yyjson_mut_obj_add_uint(doc, thread, "id", next_id(exchange));
    yyjson_mut_obj_add_bool(doc, thread, "resolved", false);
    yyjson_mut_obj_add_val(doc, thread, "place", yyjson_val_mut_copy(doc, place));
    notes = yyjson_mut_obj_add_arr(doc, thread, "notes");
    yyjson_mut_arr_append(notes, note_make(exchange, from));
}

/* An item of a list by its id, and the list; of a thread also by that of its first note. */
static yyjson_mut_val *item_find(struct exchange *exchange, const char *name, uint64_t id,
                                 bool by_note, size_t *at)
{
    yyjson_mut_val *list = list_of(exchange, name), *item;
    size_t count = yyjson_mut_arr_size(list);

    for (*at = 0; *at < count; ++*at) {
        item = yyjson_mut_arr_get(list, *at);
        if (by_note) {
            yyjson_mut_val *note = yyjson_mut_arr_get_first(yyjson_mut_obj_get(item, "notes"));

            if (yyjson_mut_get_uint(yyjson_mut_obj_get(note, "id")) == id) return item;
        } else if (yyjson_mut_get_uint(yyjson_mut_obj_get(item, "id")) == id) {
            return item;
        }
    }
    return NULL;
}

static yyjson_mut_val *first_note(yyjson_mut_val *thread)
{
    return yyjson_mut_arr_get_first(yyjson_mut_obj_get(thread, "notes"));
}

/* ---- answers ---- */

static void answer(struct exchange *exchange, int status, const char *text)
{
    exchange->status = status;
    buf_clear(&exchange->answer);
    buf_text(&exchange->answer, text);
}

static void answer_doc(struct exchange *exchange, int status, yyjson_mut_doc *doc)
{
    exchange->status = status;
    buf_clear(&exchange->answer);
    json_finish(doc, false, &exchange->answer);
}

/* The number of a line in the older file, as `lines` has it; -1: it takes no comment. */
static long old_line(const char *path, uint64_t line)
{
    struct buf text = text_of("lines");
    struct str rest = buf_str(&text), row;
    char wanted[NAME_MAX_BYTES];
    long old = -1;

    (void)snprintf(wanted, sizeof wanted, "%s %llu ", path, (unsigned long long)line);
    while (str_cut(&rest, '\n', &row)) {
        if (str_starts(row, str_of(wanted))) old = number_in(row.data + strlen(wanted));
    }
    buf_release(&text);
    return old;
}

static bool is_head(yyjson_val *object, const char *key)
{
    char head[128];

    line_of("head", head, sizeof head);
    return str_is(json_str(object, key), head);
}

/* ---- GitHub ---- */

static const char *text_at(struct exchange *exchange, const char *pointer)
{
    const char *text = yyjson_get_str(yyjson_doc_ptr_get(exchange->body, pointer));

    return text ? text : "";
}

static void add_note(yyjson_mut_doc *doc, yyjson_mut_val *list, yyjson_mut_val *note)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
    const char *author = yyjson_mut_get_str(yyjson_mut_obj_get(note, "author"));
    char id[32];

    (void)snprintf(id, sizeof id, "N_%llu",
                   (unsigned long long)yyjson_mut_get_uint(yyjson_mut_obj_get(note, "id")));
    json_add(doc, object, "id", id);
    yyjson_mut_obj_add_bool(doc, object, "viewerDidAuthor", strcmp(author, "bot") == 0);
    json_add(doc, object, "body", yyjson_mut_get_str(yyjson_mut_obj_get(note, "body")));
}

static void add_thread(struct exchange *exchange, yyjson_mut_doc *doc, yyjson_mut_val *list,
                       yyjson_mut_val *thread)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list), *comments;
    bool locked = yyjson_mut_get_bool(yyjson_mut_obj_get(exchange->root, "locked"));
    char id[32];

    (void)snprintf(id, sizeof id, "T_%llu",
                   (unsigned long long)yyjson_mut_get_uint(yyjson_mut_obj_get(thread, "id")));
    json_add(doc, object, "id", id);
    yyjson_mut_obj_add_bool(doc, object, "isResolved",
                            yyjson_mut_get_bool(yyjson_mut_obj_get(thread, "resolved")));
    yyjson_mut_obj_add_bool(doc, object, "viewerCanResolve", !locked);
    yyjson_mut_obj_add_bool(doc, object, "viewerCanUnresolve", !locked);
    comments = yyjson_mut_obj_add_obj(doc, object, "comments");
    yyjson_mut_obj_add_uint(doc, comments, "totalCount",
                            yyjson_mut_arr_size(yyjson_mut_obj_get(thread, "notes")));
    add_note(doc, yyjson_mut_obj_add_arr(doc, comments, "nodes"), first_note(thread));
}

/* A page of a list, behind the cursor, which is the number of items before it. */
static void add_page(struct exchange *exchange, yyjson_mut_doc *doc, yyjson_mut_val *request,
                     const char *name, const char *shown, const char *cursor)
{
    yyjson_mut_val *list = list_of(exchange, name), *object, *nodes, *info;
    size_t from = (size_t)number_in(text_at(exchange, cursor)), to;
    size_t count = yyjson_mut_arr_size(list);
    char size[32], end[32];

    line_of("page", size, sizeof size);
    to = from + (size[0] ? (size_t)number_in(size) : 100);
    if (to > count) to = count;
    object = yyjson_mut_obj_add_obj(doc, request, shown);
    nodes = yyjson_mut_obj_add_arr(doc, object, "nodes");
    for (size_t i = from; i < to; i++) {
        if (strcmp(name, "comments") == 0) add_note(doc, nodes, yyjson_mut_arr_get(list, i));
        else add_thread(exchange, doc, nodes, yyjson_mut_arr_get(list, i));
    }
    info = yyjson_mut_obj_add_obj(doc, object, "pageInfo");
    yyjson_mut_obj_add_bool(doc, info, "hasNextPage", to < count);
    (void)snprintf(end, sizeof end, "%zu", to);
    if (to > 0) json_add(doc, info, "endCursor", end);
    else yyjson_mut_obj_add_null(doc, info, "endCursor");
}

static void github_query(struct exchange *exchange)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *data = yyjson_mut_obj_add_obj(doc, json_object(doc), "data"), *request;
    char text[128];

    if (yyjson_get_uint(yyjson_doc_ptr_get(exchange->body, "/variables/number")) != 7) {
        yyjson_mut_doc_free(doc);
        answer(exchange, 200, "{\"data\":{\"repository\":{\"pullRequest\":null}},\"errors\":[{"
               "\"type\":\"NOT_FOUND\",\"message\":\"Could not resolve to a PullRequest\"}]}");
        return;
    }
    request = yyjson_mut_obj_add_obj(doc, yyjson_mut_obj_add_obj(doc, data, "repository"),
                                     "pullRequest");
    line_of("head", text, sizeof text);
    json_add(doc, request, "headRefOid", text);
    line_of("base", text, sizeof text);
    json_add(doc, request, "baseRefOid", text);
    json_add(doc, request, "state", "OPEN");
    add_page(exchange, doc, request, "comments", "comments", "/variables/comments");
    add_page(exchange, doc, request, "threads", "reviewThreads", "/variables/threads");
    answer_doc(exchange, 200, doc);
}

static void set_body(struct exchange *exchange, yyjson_mut_val *note, yyjson_val *body)
{
    (void)yyjson_mut_obj_remove_key(note, "body");
    yyjson_mut_obj_add_val(exchange->state, note, "body",
                           yyjson_val_mut_copy(exchange->state, body));
}

static void github_mutation(struct exchange *exchange)
{
    const char *query = text_at(exchange, "/query"), *id = text_at(exchange, "/variables/id");
    uint64_t number = strlen(id) > 2 ? (uint64_t)number_in(id + 2) : 0;
    bool inline_note = strstr(query, "PullRequestReviewComment") != NULL;
    bool thread = strstr(query, "esolveReviewThread") != NULL;
    yyjson_mut_val *item;
    size_t at;

    item = item_find(exchange, thread || inline_note ? "threads" : "comments", number,
                     inline_note, &at);
    if (!item) {
        answer(exchange, 200, "{\"data\":null,\"errors\":[{\"type\":\"NOT_FOUND\",\"message\":"
                              "\"Could not resolve to a node\"}]}");
        return;
    }
    if (strstr(query, "{delete")) {
        (void)yyjson_mut_arr_remove(list_of(exchange, inline_note ? "threads" : "comments"), at);
    } else if (thread) {
        (void)yyjson_mut_obj_remove_key(item, "resolved");
        yyjson_mut_obj_add_bool(exchange->state, item, "resolved",
                                strstr(query, "{resolve") != NULL);
    } else {
        set_body(exchange, inline_note ? first_note(item) : item,
                 yyjson_doc_ptr_get(exchange->body, "/variables/body"));
    }
    answer(exchange, 200, "{\"data\":{}}");
}

static bool github_place_fits(yyjson_val *place)
{
    uint64_t line = yyjson_get_uint(yyjson_obj_get(place, "line")), start = line;

    (void)json_uint(place, "start_line", &start);
    for (uint64_t i = start; i <= line; i++) {
        if (old_line(yyjson_get_str(yyjson_obj_get(place, "path")), i) < 0) return false;
    }
    return start <= line && str_is(json_str(place, "side"), "RIGHT");
}

static void github_inline(struct exchange *exchange)
{
    yyjson_val *root = yyjson_doc_get_root(exchange->body), *item;
    yyjson_val *list = yyjson_obj_get(root, "comments");
    bool review = strstr(exchange->path, "/reviews") != NULL;
    size_t i, count;

    if (!is_head(root, "commit_id")) {
        answer(exchange, 422, "{\"message\":\"commit_id is not part of the pull request\"}");
        return;
    }
    if (!review) {
        if (github_place_fits(root)) thread_make(exchange, root, root);
        answer(exchange, github_place_fits(root) ? 201 : 422,
               github_place_fits(root) ? "{\"id\":1}" : "{\"message\":\"Validation Failed\","
               "\"errors\":[{\"message\":\"line must be part of the diff\"}]}");
        return;
    }
    yyjson_arr_foreach(list, i, count, item) {
        if (github_place_fits(item)) continue;
        answer(exchange, 422, "{\"message\":\"Unprocessable Entity\",\"errors\":["
                              "\"Line could not be resolved\"]}");
        return;
    }
    yyjson_arr_foreach(list, i, count, item) {
        thread_make(exchange, item, item);
    }
    answer(exchange, 200, "{\"id\":1}");
}

static void github(struct exchange *exchange)
{
    yyjson_val *root = yyjson_doc_get_root(exchange->body);
    struct buf diff;

    if (strcmp(exchange->path, "/graphql") == 0) {
        if (strstr(text_at(exchange, "/query"), "query hone")) github_query(exchange);
        else github_mutation(exchange);
    } else if (strcmp(exchange->path, "/repos/o/n/issues/7/comments") == 0) {
        if (json_str(root, "body").size > 65536) {
            answer(exchange, 422, "{\"message\":\"body is too long (maximum is 65536)\"}");
            return;
        }
        yyjson_mut_arr_append(list_of(exchange, "comments"), note_make(exchange, root));
        answer(exchange, 201, "{\"id\":1}");
    } else if (strcmp(exchange->path, "/repos/o/n/pulls/7/reviews") == 0 ||
               strcmp(exchange->path, "/repos/o/n/pulls/7/comments") == 0) {
        github_inline(exchange);
    } else if (strcmp(exchange->path, "/repos/o/n/pulls/7") == 0 && exchange->wants_diff) {
        diff = text_of("diff");
        answer(exchange, 200, buf_cstr(&diff));
        buf_release(&diff);
    } else {
        answer(exchange, 404, "{\"message\":\"Not Found\"}");
    }
}

/* ---- GitLab ---- */

/* A line of a note that begins with "/" is a command, outside of blocks of code. */
static void obey(struct exchange *exchange)
{
    struct str rest = json_str(yyjson_doc_get_root(exchange->body), "body"), line;
    bool code = false;

    while (str_cut(&rest, '\n', &line)) {
        if (str_starts(line, STR("```"))) code = !code;
        if (code || !str_starts(line, STR("/"))) continue;
        put("commands", line, "a");
        put("commands", STR("\n"), "a");
    }
}

static void gitlab_note(yyjson_mut_doc *doc, yyjson_mut_val *list, yyjson_mut_val *note,
                        yyjson_mut_val *thread)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list), *author;
    const char *name = yyjson_mut_get_str(yyjson_mut_obj_get(note, "author"));

    yyjson_mut_obj_add_uint(doc, object, "id",
                            yyjson_mut_get_uint(yyjson_mut_obj_get(note, "id")));
    json_add(doc, object, "body", yyjson_mut_get_str(yyjson_mut_obj_get(note, "body")));
    author = yyjson_mut_obj_add_obj(doc, object, "author");
    yyjson_mut_obj_add_uint(doc, author, "id", strcmp(name, "bot") == 0 ? 42 : 43);
    yyjson_mut_obj_add_bool(doc, object, "system", false);
    yyjson_mut_obj_add_bool(doc, object, "resolvable", thread != NULL);
    if (!thread) return;
    yyjson_mut_obj_add_bool(doc, object, "resolved",
                            yyjson_mut_get_bool(yyjson_mut_obj_get(thread, "resolved")));
    yyjson_mut_obj_add_obj(doc, object, "position");
}

static void gitlab_discussions(struct exchange *exchange, const char *query)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *list = yyjson_mut_arr(doc), *comments = list_of(exchange, "comments");
    yyjson_mut_val *threads = list_of(exchange, "threads");
    size_t count = yyjson_mut_arr_size(comments) + yyjson_mut_arr_size(threads);
    const char *said = strstr(query, "&page=");
    size_t page = said ? (size_t)number_in(said + 6) : 1;

    yyjson_mut_doc_set_root(doc, list);
    for (size_t i = (page - 1) * 100; i < count && i < page * 100; i++) {
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list), *notes, *thread = NULL, *item;
        char id[32];

        if (i >= yyjson_mut_arr_size(comments))
            thread = yyjson_mut_arr_get(threads, i - yyjson_mut_arr_size(comments));
        item = thread ? thread : yyjson_mut_arr_get(comments, i);
        (void)snprintf(id, sizeof id, "d%llu",
                       (unsigned long long)yyjson_mut_get_uint(yyjson_mut_obj_get(item, "id")));
        json_add(doc, object, "id", id);
        notes = yyjson_mut_obj_add_arr(doc, object, "notes");
        gitlab_note(doc, notes, thread ? first_note(thread) : item, thread);
        for (size_t k = 1; thread && k < yyjson_mut_arr_size(yyjson_mut_obj_get(thread, "notes"));
             k++) {
            gitlab_note(doc, notes, yyjson_mut_arr_get(yyjson_mut_obj_get(thread, "notes"), k),
                        thread);
        }
    }
    answer_doc(exchange, 200, doc);
}

static void gitlab_request(struct exchange *exchange)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *refs;
    char text[128];

    json_add(doc, root, "state", "opened");
    refs = yyjson_mut_obj_add_obj(doc, root, "diff_refs");
    line_of("head", text, sizeof text);
    json_add(doc, refs, "head_sha", text);
    line_of("base", text, sizeof text);
    json_add(doc, refs, "base_sha", text);
    json_add(doc, refs, "start_sha", text);
    answer_doc(exchange, 200, doc);
}

/* One end of a range: its line is in the diff, and is named as that says. */
static bool gitlab_end_fits(yyjson_val *place, yyjson_val *end)
{
    uint64_t line = 0, old = 0;
    struct str code = json_str(end, "line_code"), type = json_str(end, "type"), hash;
    struct str path = json_str(place, "new_path");
    long wanted = json_uint(end, "new_line", &line) ? old_line(path.data, line) : -1;

    (void)json_uint(end, "old_line", &old);
    if (wanted < 0 || (uint64_t)wanted != old) return false;
    return str_is(type, wanted == 0 ? "new" : "old") && str_cut(&code, '_', &hash) &&
           hash.size == 40;
}

static bool gitlab_range_fits(yyjson_val *place)
{
    yyjson_val *range = yyjson_obj_get(place, "line_range");
    yyjson_val *start = yyjson_obj_get(range, "start"), *end = yyjson_obj_get(range, "end");
    uint64_t first = 0, last = 0, line = 0;

    if (!range) return true;
    (void)json_uint(place, "new_line", &line);
    (void)json_uint(start, "new_line", &first);
    (void)json_uint(end, "new_line", &last);
    return gitlab_end_fits(place, start) && gitlab_end_fits(place, end) && first < last &&
           last == line;
}

/* An added line is named by its new number alone, an unchanged one by both. */
static void gitlab_inline(struct exchange *exchange)
{
    yyjson_val *root = yyjson_doc_get_root(exchange->body);
    yyjson_val *place = yyjson_obj_get(root, "position");
    uint64_t line = yyjson_get_uint(yyjson_obj_get(place, "new_line")), old = 0;
    long wanted = old_line(json_str(place, "new_path").data ? json_str(place, "new_path").data : "",
                           line);

    (void)json_uint(place, "old_line", &old);
    if (!is_head(place, "head_sha") || wanted < 0 || (uint64_t)wanted != old ||
        json_str(place, "old_path").size == 0 || !gitlab_range_fits(place)) {
        answer(exchange, 400, "{\"message\":\"400 Bad request - Note {:line_code=>[\\\"can't be "
                              "blank\\\"]}\"}");
        return;
    }
    obey(exchange);
    thread_make(exchange, root, place);
    answer(exchange, 201, "{\"id\":\"d1\"}");
}

/* notes/N, discussions/D, discussions/D/notes/N */
static void gitlab_item(struct exchange *exchange, const char *rest)
{
    bool thread = strncmp(rest, "/discussions/d", 14) == 0;
    const char *note = strstr(rest, "/notes/");
    uint64_t number = (uint64_t)number_in(thread ? rest + 14 : note ? note + 7 : "0");
    yyjson_val *root = yyjson_doc_get_root(exchange->body);
    size_t at;
    yyjson_mut_val *item = item_find(exchange, thread ? "threads" : "comments", number, false, &at);

    if (!item) {
        answer(exchange, 404, "{\"message\":\"404 Not found\"}");
    } else if (strcmp(exchange->method, "DELETE") == 0) {
        (void)yyjson_mut_arr_remove(list_of(exchange, thread ? "threads" : "comments"), at);
        answer(exchange, 204, "");
    } else if (thread && !note) {
        (void)yyjson_mut_obj_remove_key(item, "resolved");
        yyjson_mut_obj_add_bool(exchange->state, item, "resolved",
                                yyjson_get_bool(yyjson_obj_get(root, "resolved")));
        answer(exchange, 200, "{}");
    } else {
        obey(exchange);
        set_body(exchange, thread ? first_note(item) : item, yyjson_obj_get(root, "body"));
        answer(exchange, 200, "{}");
    }
}

static void gitlab(struct exchange *exchange)
{
    static const char request[] = "/api/v4/projects/g%2Fsub%2Fn/merge_requests/7";
    const char *rest = exchange->path + sizeof request - 1;
    bool get = strcmp(exchange->method, "GET") == 0, post = strcmp(exchange->method, "POST") == 0;
    struct buf diff;

    if (strcmp(exchange->path, "/api/v4/user") == 0) {
        answer(exchange, 200, "{\"id\":42,\"username\":\"bot\"}");
    } else if (strncmp(exchange->path, request, sizeof request - 1) != 0) {
        answer(exchange, 404, "{\"message\":\"404 Not found\"}");
    } else if (get && !*rest) {
        gitlab_request(exchange);
    } else if (get && strncmp(rest, "/discussions?", 13) == 0) {
        gitlab_discussions(exchange, rest);
    } else if (get && strcmp(rest, "/raw_diffs") == 0) {
        diff = text_of("diff");
        answer(exchange, 200, buf_cstr(&diff));
        buf_release(&diff);
    } else if (post && strcmp(rest, "/notes") == 0) {
        obey(exchange);
        yyjson_mut_arr_append(list_of(exchange, "comments"),
                              note_make(exchange, yyjson_doc_get_root(exchange->body)));
        answer(exchange, 201, "{\"id\":1}");
    } else if (post && strcmp(rest, "/discussions") == 0) {
        gitlab_inline(exchange);
    } else {
        gitlab_item(exchange, rest);
    }
}

/* ---- what goes wrong ---- */

/* The kind of fault that this request meets; "": none. */
static void fault_find(const struct exchange *exchange, char kind[32])
{
    struct buf text = text_of("fault");
    char word[256] = "", about[NAME_MAX_BYTES + 256], left[512];
    int count = 0, skip = 0;

    kind[0] = '\0';
    (void)snprintf(about, sizeof about, "%s %s %s", exchange->method, exchange->path,
                   exchange->what);
    if (sscanf(buf_cstr(&text), "%d %d %255s %31s", &count, &skip, word, kind) != 4 ||
        count == 0 || !strstr(about, word)) {
        kind[0] = '\0';
    } else {
        (void)snprintf(left, sizeof left, "%d %d %s %s\n", skip > 0 ? count : count - 1,
                       skip > 0 ? skip - 1 : 0, word, kind);
        put("fault", str_of(left), "w");
        if (skip > 0) kind[0] = '\0';
    }
    buf_release(&text);
}

/* True: it was answered so. */
static bool fault_answer(struct exchange *exchange, const char *kind)
{
    if (strcmp(kind, "limit") == 0) {
        exchange->headers = "Retry-After: 1\r\n";
        answer(exchange, 429, "{\"message\":\"Too many requests\"}");
    } else if (strcmp(kind, "hour") == 0) {
        exchange->headers = "Retry-After: 3600\r\n";
        answer(exchange, 429, "{\"message\":\"Too many requests\"}");
    } else if (strcmp(kind, "secondary") == 0) {
        answer(exchange, 403, "{\"message\":\"You have exceeded a secondary rate limit\"}");
    } else if (strcmp(kind, "forbidden") == 0) {
        answer(exchange, 200, "{\"data\":null,\"errors\":[{\"type\":\"FORBIDDEN\",\"message\":"
                              "\"Resource not accessible by integration\"}]}");
    } else if (strcmp(kind, "garbage") == 0) {
        answer(exchange, 200, "<html>\x1b[31m not what you think");
    } else if (number_in(kind) > 0) {
        answer(exchange, (int)number_in(kind), "{\"message\":\"it went \\u001b[31mwrong\"}");
    } else {
        return false;
    }
    return true;
}

/* ---- HTTP ---- */

static bool read_more(int fd, struct buf *in)
{
    ssize_t got;

    if (buf_reserve(in, 65536) != 0) return false;
    got = read(fd, in->data + in->size, 65536);
    if (got <= 0) return false;
    in->size += (size_t)got;
    in->data[in->size] = '\0';
    return true;
}

static bool read_chunks(int fd, struct buf *in, size_t at, struct buf *out)
{
    for (;;) {
        char *end;
        unsigned long size;

        while (!memmem(in->data + at, in->size - at, "\r\n", 2)) {
            if (!read_more(fd, in)) return false;
        }
        size = strtoul(in->data + at, &end, 16);
        at = (size_t)(end - in->data) + 2;
        while (in->size < at + size + 2) {
            if (!read_more(fd, in)) return false;
        }
        if (size == 0) return true;
        buf_add(out, (struct str){ in->data + at, size });
        at += size + 2;
    }
}

static bool read_request(int fd, struct exchange *exchange)
{
    struct buf in;
    const char *end, *length;
    size_t at;
    bool whole = true;

    buf_init(&in, TEXT_MAX);
    while (in.size == 0 || !(end = strstr(in.data, "\r\n\r\n"))) {
        if (!read_more(fd, &in)) return false;
    }
    at = (size_t)(end - in.data) + 4;
    whole = sscanf(in.data, "%15s %4095s", exchange->method, exchange->path) == 2;
    exchange->wants_diff = strstr(in.data, "github.diff") != NULL;
    length = strcasestr(in.data, "\r\nContent-Length:");
    if (strcasestr(in.data, "\r\nTransfer-Encoding: chunked") && whole) {
        whole = read_chunks(fd, &in, at, &exchange->request);
    } else if (length && length < end) {
        size_t size = strtoul(length + 17, NULL, 10);

        while (whole && in.size < at + size) whole = read_more(fd, &in);
        if (whole) buf_add(&exchange->request, (struct str){ in.data + at, size });
    }
    buf_release(&in);
    return whole;
}

static void write_all(int fd, struct str bytes)
{
    while (bytes.size > 0) {
        ssize_t sent = write(fd, bytes.data, bytes.size);

        if (sent <= 0) return;
        bytes = str_skip(bytes, (size_t)sent);
    }
}

static void name_exchange(struct exchange *exchange)
{
    static const char *const names[] = {
        "updateIssueComment", "deleteIssueComment", "unresolveReviewThread", "resolveReviewThread",
        "updatePullRequestReviewComment", "deletePullRequestReviewComment", "query",
    };

    exchange->body = yyjson_read(buf_cstr(&exchange->request), exchange->request.size, 0);
    (void)snprintf(exchange->what, sizeof exchange->what, "-");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(exchange->path, "/graphql") != 0) break;
        if (!strstr(text_at(exchange, "/query"), names[i])) continue;
        (void)snprintf(exchange->what, sizeof exchange->what, "%s", names[i]);
        return;
    }
}

static void handle(int fd)
{
    struct exchange exchange = { 0 };
    char kind[32], head[512], line[NAME_MAX_BYTES + 256];
    bool github_asked;

    buf_init(&exchange.request, TEXT_MAX);
    buf_init(&exchange.answer, TEXT_MAX);
    if (!read_request(fd, &exchange)) return;
    name_exchange(&exchange);
    fault_find(&exchange, kind);
    github_asked = strncmp(exchange.path, "/api/v4/", 8) != 0;
    if (strcmp(kind, "never") == 0) {
        if (fork() == 0) {
            while (read(fd, line, sizeof line) > 0) {} /* until it gives up */
            _exit(0);
        }
        exchange.status = 0;
    } else if (!fault_answer(&exchange, kind)) {
        state_load(&exchange);
        if (github_asked) github(&exchange);
        else gitlab(&exchange);
        state_save(&exchange);
        yyjson_mut_doc_free(exchange.state);
        if (strcmp(kind, "lost") == 0) answer(&exchange, 502, "{\"message\":\"Bad Gateway\"}");
    }
    (void)snprintf(line, sizeof line, "%s %s %s %d\n", exchange.method, exchange.path,
                   exchange.what, exchange.status);
    put("log", str_of(line), "a");
    if (exchange.status > 0) {
        (void)snprintf(head, sizeof head, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: "
                       "%zu\r\nConnection: close\r\n%s\r\n", exchange.status,
                       exchange.status < 300 ? "OK" : "No",
                       exchange.wants_diff ? "text/plain" : "application/json",
                       exchange.answer.size, exchange.headers ? exchange.headers : "");
        write_all(fd, str_of(head));
        write_all(fd, buf_str(&exchange.answer));
    }
    yyjson_doc_free(exchange.body);
    buf_release(&exchange.request);
    buf_release(&exchange.answer);
}

static int socket_at(const char *path, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    (void)snprintf(address->sun_path, sizeof address->sun_path, "%s", path);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int serve(const char *path)
{
    struct sockaddr_un address;
    int fd = socket_at(path, &address);

    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGCHLD, SIG_IGN);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 64) != 0) return 1;
    for (;;) {
        int client = accept(fd, NULL, NULL);

        if (client < 0) continue;
        handle(client);
        (void)close(client);
    }
}

/* ---- the client ---- */

static int ask(const char *path, int argc, char **argv)
{
    const char *method = "GET", *what = "", *accept = "*/*";
    const char *prefix = strcmp(argv[0], "gh") == 0 ? "/" : "/api/v4/";
    bool input = false;
    struct sockaddr_un address;
    struct buf body, in, head;
    int fd, status = 0;

    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--include") == 0) continue;
        if (strcmp(argv[i], "--method") == 0) method = argv[++i];
        else if (strcmp(argv[i], "--hostname") == 0) i++;
        else if (strcmp(argv[i], "--header") == 0) {
            if (strncmp(argv[++i], "Accept:", 7) == 0) accept = argv[i];
        }
        else if (strcmp(argv[i], "--input") == 0) input = argv[++i] != NULL;
        else what = argv[i];
    }
    buf_init(&body, TEXT_MAX);
    buf_init(&in, TEXT_MAX);
    buf_init(&head, 1 << 16);
    while (input && read_more(0, &body)) {}
    fd = socket_at(path, &address);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fprintf(stderr, "%s: dial: %s\n", argv[0], strerror(errno));
        return 1;
    }
    buf_printf(&head, "%s %s%s HTTP/1.1\r\n%s%s\r\nContent-Length: %zu\r\n\r\n", method, prefix,
               what, strchr(accept, ':') ? "" : "Accept: ", accept, body.size);
    write_all(fd, buf_str(&head));
    write_all(fd, buf_str(&body));
    while (read_more(fd, &in)) {}
    if (in.size == 0) return 1;
    (void)fwrite(in.data, 1, in.size, stdout);
    (void)sscanf(in.data, "HTTP/1.1 %d", &status);
    if (status > 299) fprintf(stderr, "%s: HTTP %d\n", argv[0], status);
    return status > 299 || (strcmp(what, "graphql") == 0 && strstr(in.data, "\"errors\""));
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "serve") == 0) {
        dir = argv[3];
        return serve(argv[2]);
    }
    if (argc > 4 && strcmp(argv[1], "ask") == 0) return ask(argv[2], argc - 3, argv + 3);
    fprintf(stderr, "usage: forge serve SOCKET DIR | forge ask SOCKET gh|glab api ...\n");
    return 2;
}
