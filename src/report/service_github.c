/* SPDX-License-Identifier: Apache-2.0
 *
 * service_github.c - a pull request on GitHub.
 *
 * It is read by GraphQL, which says of each comment whether we wrote it (viewerDidAuthor), for a
 * person and for the token of a pipeline alike, and of each thread whether we may resolve it. What
 * stands there is changed by GraphQL, too, as its names are good for all of them. What is new is
 * made by REST: the one comment; and inline comments as one review, so that people are notified
 * once. Where the review is refused, for one line that GitHub does not show, each of its comments
 * is tried alone. */
#include "report/service.h"

#include <inttypes.h>

enum { PAGES_MAX = 200 };

static const char read_query[] =
    "query hone($owner:String!,$name:String!,$number:Int!,$comments:String,$threads:String){"
    "repository(owner:$owner,name:$name){pullRequest(number:$number){"
    "headRefOid baseRefOid state "
    "comments(first:100,after:$comments){nodes{id viewerDidAuthor body} "
    "pageInfo{hasNextPage endCursor}} "
    "reviewThreads(first:100,after:$threads){nodes{id isResolved viewerCanResolve "
    "viewerCanUnresolve comments(first:1){totalCount nodes{id viewerDidAuthor body}}} "
    "pageInfo{hasNextPage endCursor}}}}}";

/* Where a list goes on. */
struct cursor {
    const char *after; /* NULL: at its beginning */
    bool more;
};

struct reading {
    struct service *service;
    struct arena *arena;
    struct service_page *page;
    struct comment_posted *comments;
    struct comment_thread *threads;
    uint32_t comment_count, comment_cap, thread_count, thread_cap;
    struct cursor at_comments, at_threads;
};

/* ---- reading ---- */

static struct str graph_body(const char *text, yyjson_mut_doc *doc, yyjson_mut_val *variables,
                             struct arena *arena)
{
    yyjson_mut_val *root = json_object(doc);

    json_add(doc, root, "query", text);
    yyjson_mut_obj_add_val(doc, root, "variables", variables);
    return json_keep(doc, false, arena);
}

static struct str query_body(const struct reading *reading)
{
    const struct request *request = reading->service->request;
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *variables = yyjson_mut_obj(doc);
    struct str name = str_of(request->project), owner;

    (void)str_cut(&name, '/', &owner);
    json_add_text(doc, variables, "owner", owner);
    json_add_text(doc, variables, "name", name);
    yyjson_mut_obj_add_uint(doc, variables, "number", request->number);
    if (reading->at_comments.after)
        json_add(doc, variables, "comments", reading->at_comments.after);
    if (reading->at_threads.after) json_add(doc, variables, "threads", reading->at_threads.after);
    return graph_body(read_query, doc, variables, reading->arena);
}

static struct comment_posted posted_read(yyjson_val *node, struct arena *arena)
{
    return (struct comment_posted){
        .id = arena_copy(arena, json_str(node, "id")),
        .body = arena_copy(arena, json_str(node, "body")),
        .ours = yyjson_get_bool(yyjson_obj_get(node, "viewerDidAuthor")),
    };
}

/* Behind the last item a cursor gives no items: a list that is at its end may be asked again. */
static void cursor_read(struct cursor *cursor, yyjson_val *list, struct arena *arena)
{
    yyjson_val *info = yyjson_obj_get(list, "pageInfo");
    struct str after = json_str(info, "endCursor");

    cursor->more = yyjson_get_bool(yyjson_obj_get(info, "hasNextPage")) && after.size > 0;
    if (after.size > 0) cursor->after = arena_cstr(arena, after);
}

static void comments_read(struct reading *reading, yyjson_val *list)
{
    yyjson_val *node;
    size_t i, count;

    yyjson_arr_foreach(yyjson_obj_get(list, "nodes"), i, count, node) {
        reading->comments = arena_grow(reading->arena, reading->comments, reading->comment_count,
                                       &reading->comment_cap, sizeof *reading->comments);
        reading->comments[reading->comment_count++] = posted_read(node, reading->arena);
    }
    cursor_read(&reading->at_comments, list, reading->arena);
}

static void threads_read(struct reading *reading, yyjson_val *list)
{
    yyjson_val *node, *comments;
    size_t i, count;

    yyjson_arr_foreach(yyjson_obj_get(list, "nodes"), i, count, node) {
        uint64_t total = 0;
        struct comment_thread thread = {
            .id = arena_copy(reading->arena, json_str(node, "id")),
            .resolved = yyjson_get_bool(yyjson_obj_get(node, "isResolved")),
            .may_resolve = yyjson_get_bool(yyjson_obj_get(node, "viewerCanResolve")),
            .may_reopen = yyjson_get_bool(yyjson_obj_get(node, "viewerCanUnresolve")),
        };

        comments = yyjson_obj_get(node, "comments");
        thread.first = posted_read(yyjson_arr_get_first(yyjson_obj_get(comments, "nodes")),
                                   reading->arena);
        if (json_uint(comments, "totalCount", &total) && total > 0)
            thread.replies = (uint32_t)(total < UINT32_MAX ? total - 1 : UINT32_MAX);
        reading->threads = arena_grow(reading->arena, reading->threads, reading->thread_count,
                                      &reading->thread_cap, sizeof *reading->threads);
        reading->threads[reading->thread_count++] = thread;
    }
    cursor_read(&reading->at_threads, list, reading->arena);
}

static enum service_outcome page_read(struct reading *reading)
{
    struct service_question question = { .method = "POST", .path = "graphql", .graph = true,
                                         .body = query_body(reading) };
    enum service_outcome outcome;
    yyjson_doc *doc;
    yyjson_val *request;
    struct str head;

    outcome = service_ask_json(reading->service, &question, reading->arena, &doc);
    if (outcome != SERVICE_DONE) return service_unread(reading->service, outcome);
    request = yyjson_doc_ptr_get(doc, "/data/repository/pullRequest");
    head = json_str(request, "headRefOid");
    if (!commit_fits(head) || !commit_fits(json_str(request, "baseRefOid"))) {
        yyjson_doc_free(doc);
        (void)err_set(&reading->service->err, ERR_MISSING, "GitHub: %s has no pull request %" PRIu64
                      " that can be read", reading->service->request->project,
                      reading->service->request->number);
        return SERVICE_NEVER;
    }
    reading->page->head = arena_cstr(reading->arena, head);
    reading->page->base = arena_cstr(reading->arena, json_str(request, "baseRefOid"));
    reading->page->start = reading->page->base;
    reading->page->closed = !str_is(json_str(request, "state"), "OPEN");
    comments_read(reading, yyjson_obj_get(request, "comments"));
    threads_read(reading, yyjson_obj_get(request, "reviewThreads"));
    yyjson_doc_free(doc);
    return SERVICE_DONE;
}

enum service_outcome github_read(struct service *service, struct arena *arena,
                                 struct service_page *out)
{
    struct reading reading = { .service = service, .arena = arena, .page = out };
    enum service_outcome outcome;
    uint32_t pages = 0;

    *out = (struct service_page){ 0 };
    do {
        outcome = page_read(&reading);
    } while (outcome == SERVICE_DONE && ++pages < PAGES_MAX &&
             (reading.at_comments.more || reading.at_threads.more));
    out->standing = (struct comment_standing){
        .comments = reading.comments, .comment_count = reading.comment_count,
        .threads = reading.threads, .thread_count = reading.thread_count,
    };
    if (outcome == SERVICE_DONE && pages == PAGES_MAX &&
        (reading.at_comments.more || reading.at_threads.more)) {
        (void)err_set(&service->err, ERR_LIMIT, "GitHub: the pull request has more than %d pages "
                      "of comments", PAGES_MAX);
        return SERVICE_NEVER;
    }
    return outcome;
}

enum service_outcome github_diff(struct service *service, struct arena *arena, struct str *out)
{
    struct service_question question = {
        .method = "GET", .accept = "application/vnd.github.diff",
        .path = arena_printf(arena, "repos/%s/pulls/%" PRIu64, service->request->project,
                             service->request->number),
    };

    return service_ask(service, &question, arena, out);
}

/* ---- writing ---- */

static enum service_outcome github_mutate(struct service *service, const char *text,
                                          const struct comment_step *step, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *variables = yyjson_mut_obj(doc);
    struct service_question question = { .method = "POST", .path = "graphql", .graph = true };
    struct str said;

    json_add_text(doc, variables, "id", step->id);
    if (step->body.size > 0) json_add_text(doc, variables, "body", step->body);
    question.body = graph_body(text, doc, variables, arena);
    return service_ask(service, &question, arena, &said);
}

static enum service_outcome github_post(struct service *service, const char *where,
                                        const char *what, yyjson_mut_doc *doc,
                                        struct arena *arena)
{
    struct service_question question = {
        .method = "POST",
        .path = arena_printf(arena, "repos/%s/%s/%" PRIu64 "/%s", service->request->project, where,
                             service->request->number, what),
        .body = json_keep(doc, false, arena),
    };
    struct str said;

    return service_ask(service, &question, arena, &said);
}

static void inline_write(yyjson_mut_doc *doc, yyjson_mut_val *object,
                         const struct comment_step *step)
{
    const struct comment_place *place = &step->item->place;

    json_add_text(doc, object, "path", place->path);
    json_add_text(doc, object, "body", step->body);
    yyjson_mut_obj_add_uint(doc, object, "line", place->line);
    json_add(doc, object, "side", "RIGHT");
    if (place->start_line >= place->line) return;
    yyjson_mut_obj_add_uint(doc, object, "start_line", place->start_line);
    json_add(doc, object, "start_side", "RIGHT");
}

static enum service_outcome post_one(struct service *service, const struct service_page *page,
                                     const struct comment_step *step, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    json_add(doc, root, "commit_id", page->head);
    inline_write(doc, root, step);
    return github_post(service, "pulls", "comments", doc, arena);
}

static enum service_outcome post_review(struct service *service, const struct service_page *page,
                                        const struct comment_step *steps, uint32_t count,
                                        struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list;

    json_add(doc, root, "commit_id", page->head);
    json_add(doc, root, "event", "COMMENT");
    list = yyjson_mut_obj_add_arr(doc, root, "comments");
    for (uint32_t i = 0; i < count; i++)
        inline_write(doc, yyjson_mut_arr_add_obj(doc, list), &steps[i]);
    return github_post(service, "pulls", "reviews", doc, arena);
}

static enum service_outcome perform_inline(struct service *service,
                                           const struct service_page *page,
                                           const struct comment_step *steps, uint32_t count,
                                           uint32_t *taken, struct arena *arena)
{
    enum service_outcome outcome;

    *taken = 1;
    while (*taken < count && steps[*taken].deed == DEED_INLINE) ++*taken;
    if (*taken > 1) {
        outcome = post_review(service, page, steps, *taken, arena);
        if (outcome != SERVICE_REFUSED) return outcome;
    }
    *taken = 1;
    return post_one(service, page, steps, arena);
}

static enum service_outcome github_create(struct service *service,
                                          const struct comment_step *step, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();

    json_add_text(doc, json_object(doc), "body", step->body);
    return github_post(service, "issues", "comments", doc, arena);
}

#define MUTATION(name, input, arguments) \
    "mutation hone(" arguments "){" name "(input:{" input "}){clientMutationId}}"
#define WITH_ID "$id:ID!"
#define WITH_BODY "$id:ID!,$body:String!"

static const char *const mutations[DEED_COUNT] = {
    [DEED_UPDATE] = MUTATION("updateIssueComment", "id:$id,body:$body", WITH_BODY),
    [DEED_DELETE] = MUTATION("deleteIssueComment", "id:$id", WITH_ID),
    [DEED_REOPEN] = MUTATION("unresolveReviewThread", "threadId:$id", WITH_ID),
    [DEED_RESOLVE] = MUTATION("resolveReviewThread", "threadId:$id", WITH_ID),
    [DEED_EDIT] = MUTATION("updatePullRequestReviewComment",
                           "pullRequestReviewCommentId:$id,body:$body", WITH_BODY),
    [DEED_DELETE_INLINE] = MUTATION("deletePullRequestReviewComment", "id:$id", WITH_ID),
};

enum service_outcome github_perform(struct service *service, const struct service_page *page,
                                    const struct comment_step *steps, uint32_t count,
                                    uint32_t *taken)
{
    struct arena arena = { 0 };
    enum service_outcome outcome;

    *taken = 1;
    if (steps[0].deed == DEED_INLINE) {
        outcome = perform_inline(service, page, steps, count, taken, &arena);
    } else if (steps[0].deed == DEED_CREATE) {
        outcome = github_create(service, &steps[0], &arena);
    } else {
        outcome = github_mutate(service, mutations[steps[0].deed], &steps[0], &arena);
    }
    arena_release(&arena);
    return outcome;
}
