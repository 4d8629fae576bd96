/* SPDX-License-Identifier: Apache-2.0
 *
 * ui.c - the server of `hone ui`, on this machine alone.
 *
 *   a request --door--> refused, before its body is read
 *                  '--> an asset: the same for all, without a token
 *                  '--> a row of the table of addresses --> a document
 *                                                     '--> an act: a process; answered at its end
 *                                                     '--> the stream: news as they come
 *   a journal is written --> follow --> news --> messages --> all who listen
 *
 * 1. Host and Origin are checked before anything else of a request, the token before anything but
 *    the name of an asset.
 * 2. One thread: what is asked for is answered at once, and nothing waits for a disk longer than
 *    reading takes.
 * 3. Nothing that this process does changes a run: it may be killed at any time. */
#include "serve/ui/site.h"

#include "io/file/file.h"
#include "base/mem.h"
#include "io/process/signals.h"
#include "report/status.h"
#include "serve/ui/assets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What every answer says: a page of ours loads nothing from elsewhere, runs no script but ours, and
 * is in no frame of another page. */
static const char headers[] =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "X-Frame-Options: DENY\r\n";

static const struct route routes[] = {
    { "GET", "/api/v1", NULL, answer_about },
    { "GET", "/api/v1/stream", NULL, answer_stream },
    { "GET", "/api/v1/runs", "repo state dialect branch agent from count", answer_runs },
    { "GET", "/api/v1/repos/R/runs/RUN", NULL, answer_run },
    { "GET", "/api/v1/repos/R/runs/RUN/attempts", "from count", answer_attempts },
    { "GET", "/api/v1/repos/R/runs/RUN/attempts/ATTEMPT", "part", answer_attempt },
    { "GET", "/api/v1/repos/R/runs/RUN/attempts/ATTEMPT/transcript", "from", answer_transcript },
    { "GET", "/api/v1/repos/R/runs/RUN/findings", "state severity file role by rule cause round "
      "min_votes text order from count", answer_findings },
    { "GET", "/api/v1/repos/R/runs/RUN/findings/FINDING", NULL, answer_finding },
    { "GET", "/api/v1/repos/R/runs/RUN/diff", "round", ask_diff },
    { "GET", "/api/v1/repos/R/runs/RUN/plan", NULL, answer_plan },
    { "GET", "/api/v1/repos/R/findings/FINDING/runs", NULL, ask_across },
    { "GET", "/api/v1/repos/R/loops", NULL, ask_startable },
    { "GET", "/api/v1/repos/R/loops/NAME", NULL, ask_loop },
    { "GET", "/api/v1/repos/R/reviewers", "since runs", ask_reviewers },
    { "GET", "/api/v1/repos/R/preview", "*", ask_preview },
    { "POST", "/api/v1/repos/R/runs", NULL, act_start },
    { "POST", "/api/v1/repos/R/runs/RUN/stop", NULL, act_stop },
    { "POST", "/api/v1/repos/R/runs/RUN/resume", NULL, act_resume },
    { "POST", "/api/v1/repos/R/runs/RUN/answer", NULL, act_answer },
    { "POST", "/api/v1/repos/R/runs/RUN/waive", NULL, act_waive },
    { NULL, NULL, NULL, NULL },
};

/* ---- who may come in ---- */

static bool is_get(struct str method)
{
    return str_is(method, "GET") || str_is(method, "HEAD");
}

static int admit(void *context, const struct http_head *head)
{
    struct site *site = context;
    const struct route *route;
    struct route_names names;
    int status = door_host(&site->door, head);

    if (status != 0) return status;
    if (asset_find(head->path)) return !is_get(head->method) ? 405 : head->body_bytes ? 413 : 0;
    status = door_token(&site->door, head);
    if (status != 0) return status;
    if (!site->entered) site->request->entered(site->request->context);
    site->entered = true;
    switch (route_find(routes, head->method, head->path, &route, &names)) {
    case ROUTE_MISSING: return 404;
    case ROUTE_OTHER_METHOD: return 405;
    case ROUTE_FOUND: break;
    }
    if (str_is(str_of(route->method), "GET")) return head->body_bytes ? 413 : 0;
    if (site->request->read_only) return 403;
    return door_json(head);
}

/* ---- answers ---- */

static int error_status(const struct err *err)
{
    switch (err->code) {
    case ERR_USAGE: return 400;
    case ERR_MISSING: return 404;
    case ERR_BUSY: return 409;
    case ERR_NONE:
    case ERR_SYSTEM:
    case ERR_FORMAT:
    case ERR_LIMIT:
    case ERR_FAILED: break;
    }
    return 500;
}

static void error_json(int status, const char *message, struct buf *out)
{
    static const struct {
        int status;
        const char *code;
    } codes[] = {
        { 400, "usage" }, { 401, "denied" }, { 403, "forbidden" }, { 404, "missing" },
        { 409, "busy" }, { 503, "busy" },
    };
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *error = yyjson_mut_obj_add_obj(doc, json_object(doc), "error");
    const char *code = status >= 500 ? "failed" : "usage";

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].status == status) code = codes[i].code;
    }
    json_add(doc, error, "code", code);
    json_add(doc, error, "message", message);
    json_finish(doc, false, out);
}

static const char *on_refused(void *context, int status, struct buf *out)
{
    const struct site *site = context;
    const char *words = http_status(status)->words;

    if (status == 401) {
        words = "send 'Authorization: Bearer TOKEN', with the token of the address that hone ui "
                "printed";
    } else if (status == 403 && site->request->read_only) {
        words = "hone ui was started with --read-only: nothing is changed from here";
    }
    error_json(status, words, out);
    return "application/json";
}

void ui_answer(struct site *site, uint64_t id, int status, yyjson_mut_doc *doc)
{
    struct buf text;

    buf_init(&text, UI_ANSWER_BYTES_MAX);
    json_finish(doc, false, &text);
    if (text.overflow) {
        buf_clear(&text);
        status = 500;
        error_json(status, "the answer is too long; ask for it in parts", &text);
    }
    http_answer(&site->http, id, status, "application/json", buf_str(&text));
    buf_release(&text);
}

void ui_answer_error(struct site *site, uint64_t id, const struct err *err)
{
    struct buf text;

    buf_init(&text, 2 * ERR_TEXT_BYTES * 6);
    error_json(error_status(err), err->text, &text);
    http_answer(&site->http, id, error_status(err), "application/json", buf_str(&text));
    buf_release(&text);
}

static void answer_asset(struct site *site, const struct http_event *event)
{
    const struct asset *asset = asset_find(event->head->path);
    struct str known = http_header(event->head, "if-none-match");

    http_answer_header(&site->http, event->id, "Cache-Control", "no-cache");
    http_answer_header(&site->http, event->id, "ETag", asset->etag);
    if (str_is(known, asset->etag)) {
        http_answer(&site->http, event->id, 304, NULL, STR(""));
        return;
    }
    http_answer_header(&site->http, event->id, "Content-Encoding", "gzip");
    http_answer(&site->http, event->id, 200, asset->type, asset_bytes(asset));
}

/* ---- requests ---- */

static int read_body(struct str text, struct ui_call *call, yyjson_doc **doc, struct err *err)
{
    int rc = json_read(text, doc, err);

    if (rc != 0) return err_set(err, ERR_USAGE, "the body is no JSON: %s", err->text);
    call->body = yyjson_doc_get_root(*doc);
    if (yyjson_is_obj(call->body) && !json_has_duplicates(call->body)) return 0;
    return err_set(err, ERR_USAGE, "the body must be one JSON object, each member there once");
}

/* What is wanted of a row of the table. False: it must be asked again. */
static bool on_call(struct ui_call *call, struct str text)
{
    struct site *site = call->site;
    const struct route *route;
    yyjson_doc *body = NULL;
    struct err err = { 0 };
    int rc;

    if (route_find(routes, call->head->method, call->head->path, &route, &call->names) !=
        ROUTE_FOUND) { /* admit() has refused it */
        http_answer(&site->http, call->id, 404, NULL, STR(""));
        return true;
    }
    rc = route_query_read(route, call->head->query, &call->arena, &call->query, &err);
    if (rc == 0 && str_is(call->head->method, "POST")) rc = read_body(text, call, &body, &err);
    call->doc = json_new();
    call->root = json_object(call->doc);
    if (rc == 0) rc = route->handle(call, &err);
    if (rc == 0 && !call->later && !call->again) {
        ui_answer(site, call->id, 200, call->doc);
    } else {
        if (rc != 0) ui_answer_error(site, call->id, &err);
        yyjson_mut_doc_free(call->doc);
    }
    yyjson_doc_free(body);
    arena_release(&call->arena);
    return rc != 0 || !call->again;
}

static void on_request(struct site *site, const struct http_event *event)
{
    struct ui_call call = { .site = site, .id = event->id, .head = event->head };

    if (asset_find(event->head->path)) {
        answer_asset(site, event);
    } else if (!on_call(&call, event->body)) {
        assert(site->waiting_count < HTTP_CONNECTIONS_MAX); /* one for each connection */
        site->waiting[site->waiting_count++] = (struct waiting){
            .id = event->id, .head = event->head, .begun_ms = now_steady_ms() };
    }
}

static void leave_waiting(struct site *site, uint32_t at)
{
    site->waiting[at] = site->waiting[--site->waiting_count];
}

/* Those whose answer may be known by now. */
static void ask_again(struct site *site)
{
    for (uint32_t i = site->waiting_count; i-- > 0;) {
        struct ui_call call = { .site = site, .id = site->waiting[i].id,
                                .head = site->waiting[i].head,
                                .waited_ms = now_steady_ms() - site->waiting[i].begun_ms };

        if (on_call(&call, STR(""))) leave_waiting(site, i);
    }
}

static void on_client_gone(struct site *site, uint64_t id)
{
    feed_leave(&site->feed, id);
    acts_gone(&site->acts, id);
    for (uint32_t i = site->waiting_count; i-- > 0;) {
        if (site->waiting[i].id == id) leave_waiting(site, i);
    }
}

static void on_event(struct site *site, const struct http_event *event)
{
    switch (event->kind) {
    case HTTP_EVENT_NONE:
        break;
    case HTTP_EVENT_GONE:
        on_client_gone(site, event->id);
        break;
    case HTTP_EVENT_REQUEST:
        on_request(site, event);
        break;
    }
}

/* ---- the server ---- */

static int64_t sooner(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void serve_until(struct site *site, struct signals *signals)
{
    const int wake_fds[] = { signals->fd, follow_fd(site->follow) };
    struct http_event event;

    while (signals_take(signals) == 0) {
        uint64_t now_ms = now_steady_ms();
        int64_t due_ms = follow_due_in_ms(site->follow);

        due_ms = sooner(due_ms, acts_due_in_ms(&site->acts, now_ms));
        due_ms = sooner(due_ms, site_keep_alive_in_ms(site, now_ms));
        http_next(&site->http, wake_fds, 2, due_ms, &event);
        on_event(site, &event);
        acts_step(site, now_steady_ms()); /* first: what it did is followed before it is asked */
        follow_step(site->follow, site_news, site);
        ask_again(site);
        site_keep_alive(site, now_steady_ms());
    }
}

static void tell_listening(struct site *site)
{
    struct ui_listening listening = { 0 };
    struct arena arena = { 0 };
    struct buf problems;

    buf_init(&problems, FOLLOW_REPOSITORIES_MAX * 2 * ERR_TEXT_BYTES);
    for (uint32_t i = 0; i < follow_count(site->follow); i++) {
        struct follow_place place = follow_place(site->follow, i);
        if (!place.problem) {
            listening.found++;
            continue;
        }
        if (!strstr(place.problem, place.folder)) buf_printf(&problems, "%s: ", place.folder);
        buf_printf(&problems, "%s\n", place.problem);
    }
    listening.problems = arena_take_cstr(&arena, &problems);
    listening.url = arena_printf(&arena, "http://127.0.0.1:%u/#token=%s",
                                 (unsigned)site->http.port, site->door.token);
    listening.about = json_new();
    ui_about(site, listening.about, json_object(listening.about));
    site->request->listening(site->request->context, &listening);
    arena_release(&arena);
}

int ui_serve(const struct ui_request *request, struct err *err)
{
    struct site *site = mem_alloc(sizeof *site);
    struct signals signals = { .fd = -1 };
    int rc;

    site->request = request;
    site->http.fd = -1;
    feed_init(&site->feed, now_wall_ms());
    door_new_token(&site->door);
    rc = signals_open(&signals, err);
    if (rc == 0) rc = follow_open(&site->follow, request->folders, request->folder_count, err);
    if (rc == 0) {
        rc = http_open(&site->http, &(struct http_setup){
            .port = request->port, .body_bytes_max = UI_BODY_BYTES_MAX, .admit = admit,
            .refuse = on_refused, .headers = headers, .methods = "GET, HEAD, POST",
            .stream_bytes_max = FEED_MESSAGE_BYTES_MAX * 2, .context = site,
        }, err);
    }
    if (rc == 0) {
        site->door.port = site->http.port;
        tell_listening(site);
        serve_until(site, &signals);
    }
    acts_release(&site->acts);
    http_close(&site->http);
    feed_release(&site->feed);
    follow_close(site->follow);
    signals_close(&signals);
    free(site);
    return rc;
}
